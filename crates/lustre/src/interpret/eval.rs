//! The values of expressions. All parts of an expression are evaluated in every step, since a call that is not
//! needed for a value still has a memory that moves; but flow by flow, and what is under a clock is evaluated
//! for its memory only after all else, so that a node that delays may be fed with its own output. Only in array
//! equations a branch that is never taken, whatever the inputs, is left out: it may speak of elements that do
//! not exist.

use buttress_term::{EnumValue, Sort, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::data::{number_of, same};
use super::{Bound, Choices, Interpreter, Later, Remember, Result, Values, operators};
use crate::ast::{BinaryOp, Call, ExprId, ExprKind, Ident, UnaryOp};
use crate::data::cases;
use crate::layout::{Scalar, Tree, bound_name, enumeration, instance_type};
use crate::types::{Type, TypeId};
use crate::unit::{Builtin, Meaning, Role, find_mode};

/// A call under a clock; with defaults it is a `condact`.
struct Clocked<'a> {
    id: ExprId,
    call: &'a Call,
    clock: ExprId,
    restart: Option<ExprId>,
    defaults: Option<&'a Vec<ExprId>>,
}

impl Interpreter<'_> {
    pub(super) fn single(
        &mut self,
        at: usize,
        id: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        self.flow(at, id, 0, bound, choices)
    }

    fn scalar(&mut self, at: usize, id: ExprId, bound: &Bound, choices: &mut dyn Choices) -> Result<Value> {
        Ok(self.single(at, id, bound, choices)?.leaf().clone())
    }

    pub(super) fn boolean(
        &mut self,
        at: usize,
        id: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<bool> {
        match self.scalar(at, id, bound, choices)? {
            Value::Bool(b) => Ok(b),
            _ => unreachable!("the checker saw a Boolean"),
        }
    }

    pub(super) fn type_of(&self, at: usize, id: ExprId) -> Type {
        instance_type(self.program, id, self.unit(at), &self.live[at].types)
    }

    /// One flow of an expression, and of its parts only what this flow needs: others may depend on it. Of a
    /// call it is the output that is asked for, of a list one of its parts.
    pub(super) fn flow(
        &mut self,
        at: usize,
        id: ExprId,
        flow: usize,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let program = self.program;
        match program.ast.kind(id) {
            ExprKind::If(c, a, b) => {
                if let Some(Value::Bool(known)) = self.known_here(at, *c, bound) {
                    return self.flow(at, if known { *a } else { *b }, flow, bound, choices);
                }
                let condition = self.boolean(at, *c, bound, choices)?;
                self.either(at, condition, [*a, *b], flow, bound, choices)
            }
            ExprKind::Binary(BinaryOp::Arrow, a, b) => {
                self.either(at, self.live[at].first, [*a, *b], flow, bound, choices)
            }
            ExprKind::Unary(UnaryOp::Pre, a) => Ok(self.pre(at, id, *a, bound, choices)?.swap_remove(flow)),
            ExprKind::List(parts) => {
                let (part, flow) = program.part(parts, flow).expect("the checker counted the flows");
                self.flow(at, part, flow, bound, choices)
            }
            ExprKind::When(a, _) => self.flow(at, *a, flow, bound, choices),
            ExprKind::Call(call) => self.call(at, id, call, flow, bound, choices),
            ExprKind::Condact { clock, call, restart, defaults } => {
                let clocked =
                    Clocked { id, call, clock: *clock, restart: *restart, defaults: Some(defaults) };
                self.condact(at, &clocked, flow, bound, choices)
            }
            ExprKind::Activate { clock, call, restart } => {
                let clocked = Clocked { id, call, clock: *clock, restart: *restart, defaults: None };
                self.condact(at, &clocked, flow, bound, choices)
            }
            ExprKind::Restart { call, every } => {
                let every = self.boolean(at, *every, bound, choices)?;
                let first = self.live[at].first || every;
                let callee = self.enter(at, id, call, first, true, bound)?;
                self.output(callee, flow, choices)
            }
            ExprKind::Merge { clock, cases } => self.merge(at, clock, cases, flow, bound, choices),
            _ => self.value(at, id, bound, choices),
        }
    }

    /// Both, since calls in them move; the first where the condition holds.
    fn either(
        &mut self,
        at: usize,
        condition: bool,
        [a, b]: [ExprId; 2],
        flow: usize,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let (a, b) = (self.flow(at, a, flow, bound, choices)?, self.flow(at, b, flow, bound, choices)?);
        Ok(if condition { a } else { b })
    }

    /// All flows of an expression.
    fn flows(
        &mut self,
        at: usize,
        id: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Vec<Values>> {
        let flows = self.program.ty(id).flows().len();
        (0..flows).map(|flow| self.flow(at, id, flow, bound, choices)).collect()
    }

    /// All that `pre` remembers of an expression.
    pub(super) fn whole(
        &mut self,
        at: usize,
        id: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        match self.program.ty(id) {
            Type::List(_) => Ok(Tree::Parts(self.flows(at, id, bound, choices)?)),
            _ => self.single(at, id, bound, choices),
        }
    }

    fn value(&mut self, at: usize, id: ExprId, bound: &Bound, choices: &mut dyn Choices) -> Result<Values> {
        let program = self.program;
        let span = program.ast.span(id);
        Ok(match program.ast.kind(id) {
            ExprKind::Bool(b) => Tree::Leaf(Value::Bool(*b)),
            ExprKind::Int(n) => Tree::Leaf(Value::Int(n.clone())),
            ExprKind::Real(r) => Tree::Leaf(Value::Real(r.clone())),
            ExprKind::Name(name, _) => return self.name(at, id, name, bound, choices),
            ExprKind::Mode(path) => {
                let (imports, number) =
                    find_mode(&program.units, self.unit(at), path).expect("the checker found it");
                let place = imports.iter().fold(at, |at, &import| self.live[at].imports[import]);
                let requires = &self.unit(place).modes[number].requires;
                Tree::Leaf(Value::Bool(self.truths(place, requires, choices)?))
            }
            ExprKind::Unary(op, a) => {
                let a = self.scalar(at, *a, bound, choices)?;
                Tree::Leaf(match (op, &a) {
                    (UnaryOp::Not, Value::Bool(b)) => Value::Bool(!b),
                    (UnaryOp::BitNot, Value::Word(word)) => Value::Word(word.not()),
                    _ => operators::negate(&a),
                })
            }
            ExprKind::Binary(op, a, b) => Tree::Leaf(self.binary(at, id, *op, [*a, *b], bound, choices)?),
            ExprKind::Cast(to, a) => {
                let ty = self.type_of(at, *a);
                Tree::Leaf(operators::cast(*to, &ty, &self.scalar(at, *a, bound, choices)?))
            }
            ExprKind::Record { fields, .. } => return self.record(at, id, fields, bound, choices),
            ExprKind::Field(a, field) => {
                if let Some(cases) = cases(program, &self.type_of(at, *a)) {
                    let value = self.single(at, *a, bound, choices)?;
                    return self.select_field(at, id, (value, &cases), field, bound, choices);
                }
                let number = self.program.field_number(&self.type_of(at, *a), field);
                self.single(at, *a, bound, choices)?.parts()[number].clone()
            }
            ExprKind::Index(a, i) => return self.index(at, id, *a, *i, bound, choices),
            ExprKind::Extract(a, high, low) => match self.scalar(at, *a, bound, choices)? {
                Value::Word(word) => Tree::Leaf(Value::Word(word.extract(*high, *low))),
                _ => unreachable!("the checker saw a machine integer"),
            },
            ExprKind::Update(a, i, v) => return self.update(at, [*a, *i, *v], bound, choices),
            ExprKind::UpdateField(a, field, v) => {
                let number = self.program.field_number(&self.type_of(at, *a), field);
                let (old, new) = (self.single(at, *a, bound, choices)?, self.single(at, *v, bound, choices)?);
                replaced(old, number, new)
            }
            ExprKind::Array(parts) | ExprKind::Tuple(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.single(at, *part, bound, choices)?);
                }
                Tree::Parts(values)
            }
            ExprKind::Repeat(a, n) => {
                let Some(Value::Int(size)) = self.known(at, *n, bound) else {
                    return self.refuse(span, "arrays whose size is not a constant");
                };
                let element = self.single(at, *a, bound, choices)?;
                Tree::Parts(vec![element; size.to_usize().unwrap_or(0)])
            }
            ExprKind::Test(_, a) => {
                let Meaning::Constructor(_, number) = program.meaning(id) else {
                    unreachable!("the checker saw a constructor")
                };
                let tested = self.single(at, *a, bound, choices)?;
                Tree::Leaf(Value::Bool(number_of(&tested) == number as usize))
            }
            ExprKind::Match { value, arms } => return self.matching(at, *value, arms, bound, choices),
            ExprKind::Quantifier { .. } => Tree::Leaf(Value::Bool(self.quantifier(at, id, bound, choices)?)),
            ExprKind::Any { choose: false, pred: None, .. } => {
                let ty = self.type_of(at, id);
                let layout = self.layout(at, &ty, span)?;
                let name = format!("{}any@{}{}", self.live[at].path, self.position(span), bound_name(bound));
                self.choose(&name, &layout, choices)
            }
            _ => return self.refuse(span, "what is used here"),
        })
    }

    fn record(
        &mut self,
        at: usize,
        id: ExprId,
        fields: &[(Ident, ExprId)],
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let ty = self.type_of(at, id);
        let mut parts: Vec<Option<Values>> = vec![None; fields.len()];
        for (field, value) in fields {
            parts[self.program.field_number(&ty, field)] = Some(self.single(at, *value, bound, choices)?);
        }
        Ok(Tree::Parts(parts.into_iter().map(|part| part.expect("the checker saw all fields")).collect()))
    }

    fn name(
        &mut self,
        at: usize,
        id: ExprId,
        name: &Ident,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        match self.program.meaning(id) {
            Meaning::Var(slot) => self.var(at, slot, choices),
            Meaning::Bound => match bound.iter().rev().find(|(bound, _)| *bound == name.name) {
                Some((_, n)) => Ok(Tree::Leaf(Value::Int(n.clone()))),
                None => self.refuse(name.span, "variables that are bound here"),
            },
            Meaning::Binder => match self.binders.iter().rev().find(|(binder, _)| *binder == name.name) {
                Some((_, value)) => Ok(value.clone()),
                None => self.refuse(name.span, "variables that are bound here"),
            },
            Meaning::Const(number) => {
                let constant = &self.program.consts[number as usize];
                if let Some(known) = self.consts.get(&number) {
                    return Ok(known.clone());
                }
                match constant.value {
                    Some(value) => {
                        let value = self.single(at, value, &[], choices)?;
                        self.consts.insert(number, value.clone());
                        Ok(value)
                    }
                    None => {
                        let layout = self.layout(at, &constant.ty, constant.name.span)?;
                        let value = self.choose(&constant.name.name, &constants(&layout), choices);
                        self.refine_constant(at, number as usize, &value, choices)?;
                        Ok(value)
                    }
                }
            }
            Meaning::Constructor(_, number) if cases(self.program, self.program.ty(id)).is_some() => {
                self.construct(at, id, number as usize, Vec::new())
            }
            Meaning::EnumValue(ty, number) | Meaning::Constructor(ty, number) => {
                match self.enum_value(ty, number) {
                    Some(value) => Ok(Tree::Leaf(value)),
                    None => self.refuse(name.span, "datatypes whose constructors have arguments"),
                }
            }
            _ => unreachable!("the checker gave it a meaning"),
        }
    }

    fn enum_value(&self, ty: TypeId, index: u32) -> Option<Value> {
        match enumeration(self.program, ty).ok()? {
            Sort::Enum(sort) => Some(Value::Enum(EnumValue { sort, index })),
            _ => None,
        }
    }

    fn binary(
        &mut self,
        at: usize,
        id: ExprId,
        op: BinaryOp,
        [a, b]: [ExprId; 2],
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Value> {
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let ty = self.type_of(at, a);
            let (a, b) = (self.flows(at, a, bound, choices)?, self.flows(at, b, bound, choices)?);
            let equal =
                ty.flows().iter().zip(a.iter().zip(&b)).all(|(ty, (a, b))| same(self.program, ty, a, b));
            return Ok(Value::Bool(equal == (op == BinaryOp::Eq)));
        }
        if let (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, Some(Value::Bool(left))) =
            (op, self.known_here(at, a, bound))
            && let Some(decided) = decides(op, left)
        {
            return Ok(Value::Bool(decided));
        }
        let span = self.program.ast.span(id);
        if op == BinaryOp::In {
            return self.refuse(span, "sets and maps");
        }
        let ty = self.type_of(at, a);
        let (left, right) = (self.scalar(at, a, bound, choices)?, self.scalar(at, b, bound, choices)?);
        if let Some(result) = operators::binary(op, &ty, &left, &right) {
            return Ok(result);
        }
        let layout = self.layout(at, ty.base(), span)?;
        let place = self.position(self.program.ast.span(b));
        let name = format!("{}div@{place}{}", self.live[at].path, bound_name(bound));
        Ok(self.choose(&name, &layout, choices).leaf().clone())
    }

    /// The remembered value of `pre e`; in the first step, and after a restart, any value.
    fn pre(
        &mut self,
        at: usize,
        id: ExprId,
        a: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Vec<Values>> {
        let span = self.program.ast.span(id);
        let name = format!("{}pre@{}{}", self.live[at].path, self.position(span), bound_name(bound));
        if self.now.seen.insert(format!("remember {name}"), ()).is_none() {
            self.now.remember.push(Remember { at, value: a, bound: bound.to_vec(), name: name.clone() });
        }
        let again = self.live[at].first && self.live[at].restartable;
        let ty = match self.program.meaning(a) {
            Meaning::Var(slot) => self.unit(at).var(slot).ty.clone(),
            _ => self.type_of(at, a),
        };
        let layout = self.layout(at, &ty, span)?;
        let value = match self.memory.get(&name).cloned() {
            Some(known) if !again => {
                self.within(&name, &layout, &known);
                known
            }
            _ if self.program.guarded.contains(&id) => layout.map(&mut |scalar| scalar.some_value()),
            _ if again => self.choose(&format!("{name}!"), &layout, choices),
            _ => self.choose(&name, &layout, choices),
        };
        Ok(match (value, self.program.ty(id)) {
            (Tree::Parts(parts), Type::List(_)) => parts,
            (one, _) => vec![one],
        })
    }

    fn output(&mut self, callee: usize, flow: usize, choices: &mut dyn Choices) -> Result<Values> {
        self.var(callee, self.unit(callee).output_slot(flow), choices)
    }

    fn call(
        &mut self,
        at: usize,
        id: ExprId,
        call: &Call,
        flow: usize,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        match self.program.meaning(id) {
            Meaning::Builtin(Builtin::Floor) => {
                let a = self.scalar(at, call.args[0], bound, choices)?;
                Ok(Tree::Leaf(operators::cast(crate::ast::CastTo::Int, &Type::Real, &a)))
            }
            Meaning::Unit(_) => {
                let (first, restartable) = (self.live[at].first, self.live[at].restartable);
                let callee = self.enter(at, id, call, first, restartable, bound)?;
                self.output(callee, flow, choices)
            }
            Meaning::Constructor(_, number) => {
                let mut args = Vec::new();
                for &arg in &call.args {
                    args.push(self.single(at, arg, bound, choices)?);
                }
                self.construct(at, id, number as usize, args)
            }
            _ => self.refuse(call.name.span, format!("'{}'", call.name.name)),
        }
    }

    /// An output of a node that executes where the clock holds; elsewhere it stays, and before that it is the
    /// default.
    fn condact(
        &mut self,
        at: usize,
        clocked: &Clocked<'_>,
        flow: usize,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let id = clocked.id;
        let position = self.position(self.program.ast.span(id));
        let name = format!("{}clock@{position}{}", self.live[at].path, bound_name(bound));
        if let Some(known) = self.now.clocked.get(&(name.clone(), flow)) {
            return Ok(known.clone());
        }
        let active = self.boolean(at, clocked.clock, bound, choices)?;
        let fresh = self.live[at].first || self.waiting.get(&name).copied().unwrap_or(true);
        let again = match clocked.restart {
            Some(every) => self.boolean(at, every, bound, choices)?,
            None => false,
        };
        if self.now.waiting.insert(name.clone(), fresh && !active).is_none() {
            self.evaluate_later(at, clocked, bound, choices)?;
        }
        let out = if active {
            let restartable = self.live[at].restartable || clocked.restart.is_some();
            let callee = self.enter(at, id, clocked.call, fresh || again, restartable, bound)?;
            self.output(callee, flow, choices)?
        } else {
            match clocked.defaults {
                None => self.nothing(at, id, flow)?,
                Some(defaults) if self.live[at].first => {
                    let (default, flow) = self.program.part(defaults, flow).expect("the checker counted");
                    self.flow(at, default, flow, bound, choices)?
                }
                Some(_) => self.held[&(name.clone(), flow)].clone(),
            }
        };
        self.now.clocked.insert((name, flow), out.clone());
        Ok(out)
    }

    /// All outputs of what is clocked are computed in this step, and its arguments and defaults too, since
    /// calls in them move whether the clock holds or not. Not now: an argument may read an output, where the
    /// node delays it.
    fn evaluate_later(
        &mut self,
        at: usize,
        clocked: &Clocked<'_>,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<()> {
        let parts = [&clocked.call.args[..], clocked.defaults.map_or(&[], |d| d), &[clocked.id]].concat();
        for part in parts {
            match self.binders.is_empty() {
                true => self.now.later.push(Later { at, value: part, bound: bound.to_vec() }),
                // What predicates call their values is known only here; there is no memory under them.
                false if part != clocked.id => drop(self.flows(at, part, bound, choices)?),
                false => {}
            }
        }
        Ok(())
    }

    pub(super) fn evaluate(&mut self, later: Later, choices: &mut dyn Choices) -> Result<()> {
        self.flows(later.at, later.value, &later.bound, choices).map(drop)
    }

    /// Values that nobody reads: a sampled stream where its clock is off.
    fn nothing(&self, at: usize, id: ExprId, flow: usize) -> Result<Values> {
        let layout = self.layout(at, &self.type_of(at, id).flows()[flow], self.program.ast.span(id))?;
        Ok(layout.map(&mut |scalar| Value::zero(&scalar.sort)))
    }

    fn merge(
        &mut self,
        at: usize,
        clock: &Ident,
        cases: &[(Ident, ExprId)],
        flow: usize,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let unit = self.unit(at);
        let Some(slot) = unit.slots().find(|&slot| unit.var(slot).name.name == clock.name) else {
            return self.refuse(clock.span, "clocks that are bound here");
        };
        let label = match self.var(at, slot, choices)?.leaf() {
            Value::Enum(value) => value.sort.constants[value.index as usize].clone(),
            Value::Bool(b) => b.to_string(),
            _ => unreachable!("the checker saw a clock"),
        };
        let mut found = None;
        for (case, value) in cases {
            let value = self.flow(at, *value, flow, bound, choices)?;
            if *case.name == *label {
                found = Some(value);
            }
        }
        Ok(found.expect("the checker saw all cases"))
    }

    /// An element; any value where the index is out of range.
    fn index(
        &mut self,
        at: usize,
        id: ExprId,
        a: ExprId,
        i: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        if let Some(element) = self.own_element(at, id, bound, choices)? {
            return Ok(element);
        }
        let span = self.program.ast.span(id);
        if !matches!(self.program.ty(a).base(), Type::Array(..) | Type::Tuple(_)) {
            return self.refuse(span, "maps");
        }
        let array = self.single(at, a, bound, choices)?;
        let index = self.number(at, i, bound, choices)?;
        if let Some(part) = index.to_usize().and_then(|n| array.parts().get(n)) {
            self.in_range(at, i, bound, true);
            return Ok(part.clone());
        }
        self.in_range(at, i, bound, false);
        let ty = self.type_of(at, id);
        let layout = self.layout(at, &ty, span)?;
        let place = self.position(self.program.ast.span(i));
        let name = format!("{}index@{place}{}", self.live[at].path, bound_name(bound));
        Ok(self.choose(&name, &layout, choices))
    }

    /// The duty of an index that is not known to be inside.
    fn in_range(&mut self, at: usize, i: ExprId, bound: &Bound, holds: bool) {
        if holds && self.known(at, i, bound).is_some() {
            return;
        }
        let place = self.position(self.program.ast.span(i));
        let name = format!("{}index at {place}{} in range", self.live[at].path, bound_name(bound));
        if self.now.seen.insert(name.clone(), ()).is_none() {
            self.now.step.properties.push((name, holds));
        }
    }

    fn number(&mut self, at: usize, id: ExprId, bound: &Bound, choices: &mut dyn Choices) -> Result<BigInt> {
        match self.scalar(at, id, bound, choices)? {
            Value::Int(n) => Ok(n),
            _ => unreachable!("the checker saw an integer"),
        }
    }

    /// An element of an array that is defined by its index, where the place is known beforehand.
    fn own_element(
        &mut self,
        at: usize,
        id: ExprId,
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Option<Values>> {
        let mut indices = Vec::new();
        let mut inner = id;
        while let ExprKind::Index(a, i) = self.program.ast.kind(inner) {
            indices.push(*i);
            inner = *a;
        }
        indices.reverse();
        let Meaning::Var(slot) = self.program.meaning(inner) else { return Ok(None) };
        let unit = self.unit(at);
        let dimensions =
            unit.var(slot).defined.map(|(equation, flow)| unit.equations[equation].targets[flow].1.len());
        if dimensions != Some(indices.len()) || indices.is_empty() {
            return Ok(None);
        }
        let known = indices.iter().map(|&i| match self.known(at, i, bound) {
            Some(Value::Int(n)) => n.to_usize(),
            _ => None,
        });
        match known.collect::<Option<Vec<usize>>>() {
            Some(place) => self.element(at, slot, &place, choices).map(Some),
            None => Ok(None),
        }
    }

    fn update(
        &mut self,
        at: usize,
        [a, i, v]: [ExprId; 3],
        bound: &Bound,
        choices: &mut dyn Choices,
    ) -> Result<Values> {
        let span = self.program.ast.span(a);
        let (old, new) = (self.single(at, a, bound, choices)?, self.single(at, v, bound, choices)?);
        let number = match (self.program.ty(a).base(), self.program.ast.kind(i)) {
            (Type::Record(..), ExprKind::Name(field, _)) => {
                self.program.field_number(&self.type_of(at, a), field)
            }
            (Type::Array(..) | Type::Tuple(_), _) => {
                let number = self.number(at, i, bound, choices)?;
                let inside = number.to_usize().filter(|&n| n < old.parts().len());
                self.in_range(at, i, bound, inside.is_some());
                match inside {
                    Some(number) => number,
                    None => return Ok(old),
                }
            }
            _ => return self.refuse(span, "maps"),
        };
        Ok(replaced(old, number, new))
    }

    /// In array equations: what is known beforehand.
    fn known_here(&self, at: usize, id: ExprId, bound: &Bound) -> Option<Value> {
        if bound.is_empty() { None } else { self.known(at, id, bound) }
    }

    fn known_const(&self, at: usize, number: u32) -> Option<Value> {
        if let Some(known) = self.known_consts.borrow().get(&number) {
            return known.clone();
        }
        let known = self.program.consts[number as usize].value.and_then(|value| self.known(at, value, &[]));
        self.known_consts.borrow_mut().insert(number, known.clone());
        known
    }

    /// The value of an expression in every step, where it can be told without executing.
    pub(super) fn known(&self, at: usize, id: ExprId, bound: &Bound) -> Option<Value> {
        match self.program.ast.kind(id) {
            ExprKind::Bool(b) => Some(Value::Bool(*b)),
            ExprKind::Int(n) => Some(Value::Int(n.clone())),
            ExprKind::Real(r) => Some(Value::Real(r.clone())),
            ExprKind::Name(name, _) => match self.program.meaning(id) {
                Meaning::Bound => {
                    let (_, n) = bound.iter().rev().find(|(bound, _)| *bound == name.name)?;
                    Some(Value::Int(n.clone()))
                }
                Meaning::Const(number) => self.known_const(at, number),
                Meaning::EnumValue(ty, number) => self.enum_value(ty, number),
                Meaning::Var(slot) if self.is_here(at, id, slot) => {
                    let var = self.unit(at).var(slot);
                    match (var.role, var.defined) {
                        (Role::Input, _) => {
                            let (caller, arg, bound) = self.argument(at, slot)?;
                            self.known(caller, arg, &bound)
                        }
                        (Role::Constant, Some((equation, _))) => {
                            self.known(at, self.unit(at).equations[equation].value, &[])
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            ExprKind::Unary(UnaryOp::Not, a) => match self.known(at, *a, bound)? {
                Value::Bool(b) => Some(Value::Bool(!b)),
                _ => None,
            },
            ExprKind::Unary(UnaryOp::Neg, a) => Some(operators::negate(&self.known(at, *a, bound)?)),
            ExprKind::Cast(to, a) => {
                Some(operators::cast(*to, &self.type_of(at, *a), &self.known(at, *a, bound)?))
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
                if let Some(Value::Bool(left)) = self.known(at, *a, bound)
                    && let Some(decided) = decides(*op, left)
                {
                    return Some(Value::Bool(decided));
                }
                operators::binary(*op, &Type::Bool, &self.known(at, *a, bound)?, &self.known(at, *b, bound)?)
            }
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
                let equal = self.known(at, *a, bound)? == self.known(at, *b, bound)?;
                Some(Value::Bool(equal == (*op == BinaryOp::Eq)))
            }
            ExprKind::Binary(op, a, b) if !matches!(op, BinaryOp::Arrow | BinaryOp::In) => {
                let ty = self.type_of(at, *a);
                operators::binary(*op, &ty, &self.known(at, *a, bound)?, &self.known(at, *b, bound)?)
            }
            ExprKind::If(c, a, b) => match self.known(at, *c, bound)? {
                Value::Bool(true) => self.known(at, *a, bound),
                Value::Bool(false) => self.known(at, *b, bound),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A layout whose scalars keep their value in all steps.
pub(super) fn constants(layout: &Tree<Scalar>) -> Tree<Scalar> {
    layout.map(&mut |scalar| Scalar { constant: true, ..scalar.clone() })
}

/// The value of an operation that the left operand decides alone.
fn decides(op: BinaryOp, left: bool) -> Option<bool> {
    match (op, left) {
        (BinaryOp::And, false) => Some(false),
        (BinaryOp::Or, true) | (BinaryOp::Implies, false) => Some(true),
        _ => None,
    }
}

fn replaced(old: Values, number: usize, new: Values) -> Values {
    let mut parts = old.parts().to_vec();
    parts[number] = new;
    Tree::Parts(parts)
}
