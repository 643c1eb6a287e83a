//! Datatypes whose constructors have arguments, and `match`, executed: see [`crate::data`].

use buttress_term::Value;

use super::{Bound, Choices, Interpreter, Result, Values};
use crate::ast::{ExprId, Ident, Name, Pattern};
use crate::data::{Case, cases, has_cases, named, part_types, place};
use crate::layout::{Tree, bound_name};
use crate::types::Type;
use crate::unit::Program;

/// The number of the constructor, or of the enumeration's value.
pub(super) fn number_of(value: &Values) -> usize {
    let tag = match value {
        Tree::Leaf(tag) => tag,
        Tree::Parts(parts) => parts[0].leaf(),
    };
    match tag {
        Value::Enum(tag) => tag.index as usize,
        _ => unreachable!("the checker saw a constructor"),
    }
}

/// Equality of values of a type.
pub(super) fn same(program: &Program, ty: &Type, a: &Values, b: &Values) -> bool {
    let (Tree::Parts(x), Tree::Parts(y), true) = (a, b, has_cases(program, ty)) else { return a == b };
    let Some(cases) = cases(program, ty) else {
        let types = part_types(program, ty, x.len());
        return types.iter().zip(x.iter().zip(y)).all(|(ty, (p, q))| same(program, ty, p, q));
    };
    let number = number_of(a);
    let pairs = x[1 + number].parts().iter().zip(y[1 + number].parts());
    let mut fields = cases[number].fields.iter().zip(pairs);
    number == number_of(b) && fields.all(|((_, ty), (p, q))| same(program, ty, p, q))
}

impl Interpreter<'_> {
    pub(super) fn construct(
        &self,
        at: usize,
        id: ExprId,
        number: usize,
        args: Vec<Values>,
    ) -> Result<Values> {
        let layout = self.layout(at, &self.type_of(at, id), self.program.ast.span(id))?;
        let buttress_term::Sort::Enum(sort) = layout.parts()[0].leaf().sort.clone() else {
            unreachable!("the first part is the constructor")
        };
        let tag = Value::Enum(buttress_term::EnumValue { sort, index: number as u32 });
        let others = layout.parts()[1..].iter().enumerate().map(|(case, part)| match case == number {
            true => Tree::Parts(args.clone()),
            false => part.map(&mut |scalar| scalar.some_value()),
        });
        Ok(Tree::Parts(std::iter::once(Tree::Leaf(tag)).chain(others).collect()))
    }

    /// A field; of another constructor it is any value.
    pub(super) fn select_field(
        &mut self,
        at: usize,
        id: ExprId,
        (value, cases): (Values, &[Case]),
        field: &Ident,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let (number, part) = place(cases, field);
        if number_of(&value) == number {
            return Ok(value.parts()[1 + number].parts()[part].clone());
        }
        let span = self.program.ast.span(id);
        let layout = self.layout(at, &cases[number].fields[part].1, span)?;
        let place = self.position(field.span);
        let name = format!("{}select@{place}{}", self.live[at].path, bound_name(bound));
        Ok(self.choose(&name, &layout, choices))
    }

    /// The first case that fits; all are evaluated, since all are flows of the program.
    pub(super) fn matching(
        &mut self,
        at: usize,
        value: ExprId,
        arms: &[(Pattern, ExprId)],
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let ty = self.type_of(at, value);
        let matched = self.single(at, value, bound, choices)?;
        let mut found = None;
        for (number, (pattern, body)) in arms.iter().enumerate() {
            let mut binders = Vec::new();
            let fits = self.fit(pattern, &ty, &matched, &mut binders);
            let before = self.binders.len();
            self.binders.extend(binders);
            let body = self.single(at, *body, bound, choices);
            self.binders.truncate(before);
            let body = body?;
            if found.is_none() && (fits || number + 1 == arms.len()) {
                found = Some(body);
            }
        }
        Ok(found.expect("a match has a case"))
    }

    /// Whether a pattern fits, and what it binds, also where it does not.
    fn fit(&self, pattern: &Pattern, ty: &Type, value: &Values, binders: &mut Vec<(Name, Values)>) -> bool {
        let Some(number) = named(self.program, ty, pattern) else {
            binders.push((pattern.name.name.clone(), value.clone()));
            return true;
        };
        let mut fits = number_of(value) == number;
        if let Some(cases) = cases(self.program, ty) {
            let parts = value.parts()[1 + number].parts();
            for ((inner, (_, ty)), part) in pattern.args.iter().zip(&cases[number].fields).zip(parts) {
                fits &= self.fit(inner, ty, part, binders);
            }
        }
        fits
    }
}
