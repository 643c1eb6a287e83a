//! Datatypes whose constructors have arguments, and `match`: see [`crate::data`].

use buttress_term::TermId;

use super::{Bound, InstanceId, Lowerer, Made, Terms};
use crate::ast::{ExprId, Ident, Name, Pattern};
use crate::data::{Case, cases, has_cases, named, part_types, place};
use crate::layout::{Tree, bound_name};
use crate::types::Type;

impl Lowerer<'_> {
    /// A value of this constructor; what belongs to others is some value.
    pub(super) fn construct(
        &mut self,
        at: InstanceId,
        id: ExprId,
        number: usize,
        args: Vec<Terms>,
    ) -> Made<Terms> {
        let span = self.program.ast.span(id);
        let ty = self.type_of(at, id);
        let layout = self.layout(at, &ty, span)?;
        let sort = &layout.parts()[0].leaf().sort;
        let tag = self.system.terms.enum_constant(sort, number as u32);
        let mut parts = vec![Tree::Leaf(tag)];
        for (case, part) in layout.parts()[1..].iter().enumerate() {
            parts.push(match case == number {
                true => Tree::Parts(args.clone()),
                false => part.map(&mut |scalar| self.system.terms.constant(scalar.some_value())),
            });
        }
        Ok(Tree::Parts(parts))
    }

    pub(super) fn is_of(&mut self, value: &Terms, number: usize) -> TermId {
        let tag = match value {
            Tree::Leaf(tag) => *tag,
            Tree::Parts(parts) => *parts[0].leaf(),
        };
        let sort = self.system.terms.sort(tag).clone();
        let constant = self.system.terms.enum_constant(&sort, number as u32);
        self.system.terms.eq(tag, constant)
    }

    /// A field; of another constructor it is any value.
    pub(super) fn select_field(
        &mut self,
        at: InstanceId,
        id: ExprId,
        (value, cases): (Terms, &[Case]),
        field: &Ident,
        bound: &Bound,
    ) -> Made<Terms> {
        let (number, part) = place(cases, field);
        let own = value.parts()[1 + number].parts()[part].clone();
        if cases.len() == 1 {
            return Ok(own);
        }
        let span = self.program.ast.span(id);
        let layout = self.layout(at, &cases[number].fields[part].1, span)?;
        let name = format!("select@{}{}", self.position(field.span), bound_name(bound));
        let any = self.choice(at, &name, &layout, span);
        let is = self.is_of(&value, number);
        Ok(self.choose(is, &own, &any))
    }

    /// The first case that fits. All are made, since all are flows of the program; the last takes what is left.
    pub(super) fn matching(
        &mut self,
        at: InstanceId,
        value: ExprId,
        arms: &[(Pattern, ExprId)],
        bound: &Bound,
    ) -> Made<Terms> {
        let ty = self.type_of(at, value);
        let matched = self.single(at, value, bound)?;
        let mut result: Option<Terms> = None;
        for (pattern, body) in arms.iter().rev() {
            let (mut binders, mut tests) = (Vec::new(), Vec::new());
            self.fit(pattern, &ty, &matched, &mut binders, &mut tests);
            let before = self.binders.len();
            self.binders.extend(binders);
            let body = self.single(at, *body, bound);
            self.binders.truncate(before);
            let body = body?;
            result = Some(match result {
                None => body,
                Some(rest) => {
                    let fits = self.system.terms.all(&tests);
                    self.choose(fits, &body, &rest)
                }
            });
        }
        Ok(result.expect("a match has a case"))
    }

    /// Collects the variables that a pattern binds and the conditions under which it fits.
    fn fit(
        &mut self,
        pattern: &Pattern,
        ty: &Type,
        value: &Terms,
        binders: &mut Vec<(Name, Terms)>,
        tests: &mut Vec<TermId>,
    ) {
        let Some(number) = named(self.program, ty, pattern) else {
            binders.push((pattern.name.name.clone(), value.clone()));
            return;
        };
        let test = self.is_of(value, number);
        tests.push(test);
        if let Some(cases) = cases(self.program, ty) {
            let parts = value.parts()[1 + number].parts();
            for ((inner, (_, ty)), part) in pattern.args.iter().zip(&cases[number].fields).zip(parts) {
                self.fit(inner, ty, part, binders, tests);
            }
        }
    }

    /// Equality of values of a type.
    pub(super) fn same(&mut self, ty: &Type, a: &Terms, b: &Terms) -> TermId {
        let (Tree::Parts(x), Tree::Parts(y), true) = (a, b, has_cases(self.program, ty)) else {
            return self.equal(a, b);
        };
        let mut all = Vec::new();
        if let Some(cases) = cases(self.program, ty) {
            all.push(self.equal(&x[0], &y[0]));
            for (number, case) in cases.iter().enumerate() {
                let is = self.is_of(a, number);
                let pairs = x[1 + number].parts().iter().zip(y[1 + number].parts());
                for ((_, ty), (p, q)) in case.fields.iter().zip(pairs) {
                    let equal = self.same(ty, p, q);
                    all.push(self.system.terms.implies(is, equal));
                }
            }
        } else {
            for (ty, (p, q)) in part_types(self.program, ty, x.len()).iter().zip(x.iter().zip(y)) {
                all.push(self.same(ty, p, q));
            }
        }
        self.system.terms.all(&all)
    }
}
