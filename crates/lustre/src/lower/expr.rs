//! Expressions.

use buttress_system::words::Named;
use buttress_term::{Op, TermId, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::instance::Clocking;
use super::{Bound, InstanceId, Lowerer, Made, Origin, Pending, Terms};
use crate::ast::{BinaryOp, Call, CastTo, ExprId, ExprKind, Ident, UnaryOp};
use crate::data::cases;
use crate::layout::{LARGEST, Tree, bound_name, enumeration, instance_type};
use crate::refinement::is_refined;
use crate::source::Span;
use crate::types::Type;
use crate::unit::{Builtin, Meaning, Role, find_mode};

impl Lowerer<'_> {
    /// An expression with one flow.
    pub(super) fn single(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Terms> {
        self.flow(at, id, 0, bound)
    }

    pub(super) fn term(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<TermId> {
        Ok(*self.single(at, id, bound)?.leaf())
    }

    pub(super) fn type_of(&self, at: InstanceId, id: ExprId) -> Type {
        let instance = &self.instances[at.0];
        instance_type(self.program, id, self.program.unit(instance.unit), &instance.types)
    }

    /// One flow of an expression, and of its parts only what this flow needs: others may depend on it. Of a
    /// call it is the output that is asked for, of a list one of its parts.
    pub(super) fn flow(&mut self, at: InstanceId, id: ExprId, flow: usize, bound: &Bound) -> Made<Terms> {
        let program = self.program;
        match program.ast.kind(id) {
            ExprKind::If(c, a, b) => self.conditional(at, [*c, *a, *b], flow, bound),
            ExprKind::Binary(BinaryOp::Arrow, a, b) => {
                let first = self.instances[at.0].clock.first;
                let (a, b) = (self.flow(at, *a, flow, bound)?, self.flow(at, *b, flow, bound)?);
                Ok(self.choose(first, &a, &b))
            }
            ExprKind::Unary(UnaryOp::Pre, a) => Ok(self.pre(at, id, *a, bound)?.swap_remove(flow)),
            ExprKind::List(parts) => {
                let (part, flow) = program.part(parts, flow).expect("the checker counted the flows");
                self.flow(at, part, flow, bound)
            }
            ExprKind::When(a, _) => self.flow(at, *a, flow, bound),
            ExprKind::Call(call) => self.call(at, id, call, flow, bound),
            ExprKind::Condact { clock, call, restart, defaults } => {
                let (value, condition) = self.clocked(at, id, call, (*clock, *restart), flow, bound)?;
                let (default, part) = program.part(defaults, flow).expect("the checker counted the flows");
                let default = self.flow(at, default, part, bound)?;
                Ok(self.held(at, id, condition, (value, default), flow, bound))
            }
            ExprKind::Activate { clock, call, restart } => {
                self.clocked(at, id, call, (*clock, *restart), flow, bound).map(|(value, _)| value)
            }
            ExprKind::Restart { call, every } => {
                let every = self.term(at, *every, bound)?;
                let outer = self.instances[at.0].clock;
                let first = self.system.terms.or(outer.first, every);
                let clock = Clocking { first, restartable: true, ..outer };
                self.call_on(at, id, call, clock, flow, bound)
            }
            ExprKind::Merge { clock, cases } => self.merge(at, id, clock, cases, flow, bound),
            ExprKind::Match { .. } | ExprKind::Any { .. } | ExprKind::Ascribe(..) => {
                self.special(at, id, bound)
            }
            _ => self.value(at, id, bound),
        }
    }

    /// All flows of an expression.
    pub(super) fn flows(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Vec<Terms>> {
        let flows = self.program.ty(id).flows().len();
        (0..flows).map(|flow| self.flow(at, id, flow, bound)).collect()
    }

    /// All that `pre` remembers of an expression.
    pub(super) fn whole(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Terms> {
        match self.program.ty(id) {
            Type::List(_) => Ok(Tree::Parts(self.flows(at, id, bound)?)),
            _ => self.single(at, id, bound),
        }
    }

    fn value(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Terms> {
        let program = self.program;
        let span = program.ast.span(id);
        Ok(match program.ast.kind(id) {
            ExprKind::Bool(b) => Tree::Leaf(self.system.terms.bool(*b)),
            ExprKind::Int(n) => Tree::Leaf(self.system.terms.int(n.clone())),
            ExprKind::Real(r) => Tree::Leaf(self.system.terms.constant(Value::Real(r.clone()))),
            ExprKind::Name(name, _) => return self.name(at, id, name, bound),
            ExprKind::Mode(path) => Tree::Leaf(self.mode(at, path)?),
            ExprKind::Unary(op, a) => {
                let ty = self.type_of(at, *a);
                let a = self.term(at, *a, bound)?;
                Tree::Leaf(match op {
                    UnaryOp::Not => self.system.terms.not(a),
                    UnaryOp::BitNot => self.system.terms.app(Op::BvNot, &[a]),
                    UnaryOp::Neg => self.negate(&ty, a),
                    UnaryOp::Pre => unreachable!("it is a flow"),
                })
            }
            ExprKind::Binary(op, a, b) => Tree::Leaf(self.binary(at, id, *op, *a, *b, bound)?),
            ExprKind::Cast(to, a) => {
                let ty = self.type_of(at, *a);
                let a = self.term(at, *a, bound)?;
                Tree::Leaf(self.cast(*to, &ty, a))
            }
            ExprKind::Record { fields, .. } => self.record(at, id, fields, bound)?,
            ExprKind::Field(a, field) => {
                if let Some(cases) = cases(self.program, &self.type_of(at, *a)) {
                    let value = self.single(at, *a, bound)?;
                    return self.select_field(at, id, (value, &cases), field, bound);
                }
                let number = self.program.field_number(&self.type_of(at, *a), field);
                self.single(at, *a, bound)?.parts()[number].clone()
            }
            ExprKind::Index(a, i) => return self.index(at, id, *a, *i, bound),
            ExprKind::Extract(a, high, low) => {
                let a = self.term(at, *a, bound)?;
                Tree::Leaf(self.system.terms.extract(a, *high, *low))
            }
            ExprKind::Update(a, i, v) => return self.update(at, id, [*a, *i, *v], bound),
            ExprKind::UpdateField(a, field, v) => {
                let number = self.program.field_number(&self.type_of(at, *a), field);
                let (old, new) = (self.single(at, *a, bound)?, self.single(at, *v, bound)?);
                replaced(&old, number, new)
            }
            ExprKind::Array(parts) | ExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.single(at, *part, bound)).collect::<Made<_>>()?;
                Tree::Parts(parts)
            }
            ExprKind::Repeat(a, n) => {
                let size = self.static_number(at, *n, bound)?;
                let element = self.single(at, *a, bound)?;
                if element.size().saturating_mul(size) > LARGEST {
                    return self.refuse(span, format!("structures of more than {LARGEST} parts"));
                }
                Tree::Parts(vec![element; size])
            }
            ExprKind::Quantifier { .. } => Tree::Leaf(self.quantifier(at, id, bound)?),
            ExprKind::Test(..) => return self.test(at, id, bound),
            ExprKind::Last(_) => return self.refuse(span, "'last'"),
            ExprKind::MapLiteral { .. } => return self.refuse(span, "maps"),
            ExprKind::SetLiteral { .. } => return self.refuse(span, "sets"),
            _ => unreachable!("it is a flow, or the parser reported it"),
        })
    }

    /// `x` as a number that is known now.
    pub(super) fn static_int(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Option<BigInt>> {
        let term = self.term(at, id, bound)?;
        Ok(match self.closed(term) {
            Some(Value::Int(n)) => Some(n),
            _ => None,
        })
    }

    fn static_number(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<usize> {
        let number = self.static_int(at, id, bound)?;
        match number.and_then(|n| n.to_usize()).filter(|n| (1..=1 << 20).contains(n)) {
            Some(n) => Ok(n),
            None => self.refuse(self.program.ast.span(id), "arrays whose size is not a constant"),
        }
    }

    fn name(&mut self, at: InstanceId, id: ExprId, name: &Ident, bound: &Bound) -> Made<Terms> {
        match self.program.meaning(id) {
            Meaning::Var(slot) => self.var(at, slot),
            Meaning::Bound => match bound.iter().rev().find(|(bound, _)| *bound == name.name) {
                Some((_, n)) => Ok(Tree::Leaf(self.system.terms.int(n.clone()))),
                None => self.refuse(name.span, "variables that are bound here"),
            },
            Meaning::Binder => match self.binders.iter().rev().find(|(binder, _)| *binder == name.name) {
                Some((_, value)) => Ok(value.clone()),
                None => self.refuse(name.span, "variables that are bound here"),
            },
            Meaning::Const(constant) => self.constant(at, constant as usize),
            Meaning::Constructor(_, number) if cases(self.program, self.program.ty(id)).is_some() => {
                self.construct(at, id, number as usize, Vec::new())
            }
            Meaning::EnumValue(ty, number) | Meaning::Constructor(ty, number) => {
                let sort = enumeration(self.program, ty).or_else(|what| self.refuse(name.span, what))?;
                Ok(Tree::Leaf(self.system.terms.enum_constant(&sort, number)))
            }
            _ => unreachable!("the checker gave it a meaning"),
        }
    }

    /// A constant of the file: its value, or a state that never changes.
    fn constant(&mut self, at: InstanceId, number: usize) -> Made<Terms> {
        if let Some(known) = &self.consts[number] {
            return Ok(known.clone());
        }
        let constant = &self.program.consts[number];
        let span = constant.name.span;
        let layout = self.layout(at, &constant.ty, span)?;
        let made = match constant.value {
            Some(value) => self.single(at, value, &[])?,
            None => self.constants(&constant.name.name, &layout, span),
        };
        let mut outside = false;
        layout.zip(&made, &mut |scalar, &term| {
            outside |= self.closed(term).is_some_and(|value| !scalar.admits(&value));
        });
        if outside {
            return self.wrong(span, format!("the value of '{}' is not in its subrange", constant.name.name));
        }
        self.consts[number] = Some(made.clone());
        self.refine_constant(at, number, &made)?;
        Ok(made)
    }

    /// All that a mode requires.
    fn mode(&mut self, at: InstanceId, path: &[Ident]) -> Made<TermId> {
        let program = self.program;
        let (imports, number) =
            find_mode(&program.units, program.unit(self.unit_of(at)), path).expect("the checker found it");
        let place = imports.iter().fold(at, |at, &import| self.instances[at.0].imports[import]);
        let unit = program.unit(self.unit_of(place));
        self.clauses(place, &unit.modes[number].requires)
    }

    /// In array equations a condition that is known decides which branch there is.
    fn conditional(
        &mut self,
        at: InstanceId,
        [c, a, b]: [ExprId; 3],
        flow: usize,
        bound: &Bound,
    ) -> Made<Terms> {
        let condition = self.term(at, c, bound)?;
        if !bound.is_empty()
            && let Some(Value::Bool(known)) = self.closed(condition)
        {
            return self.flow(at, if known { a } else { b }, flow, bound);
        }
        let (a, b) = (self.flow(at, a, flow, bound)?, self.flow(at, b, flow, bound)?);
        Ok(self.choose(condition, &a, &b))
    }

    fn binary(
        &mut self,
        at: InstanceId,
        id: ExprId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        bound: &Bound,
    ) -> Made<TermId> {
        use BinaryOp::*;
        match op {
            Eq | Ne => {
                let ty = self.type_of(at, a);
                let (a, b) = (self.flows(at, a, bound)?, self.flows(at, b, bound)?);
                let pairs = ty.flows().iter().zip(a.iter().zip(&b));
                let parts: Vec<TermId> = pairs.map(|(ty, (a, b))| self.same(ty, a, b)).collect();
                let equal = self.system.terms.all(&parts);
                Ok(if op == Eq { equal } else { self.system.terms.not(equal) })
            }
            And | Or | Implies => {
                let left = self.term(at, a, bound)?;
                if let Some(decided) = self.decided(op, left, bound) {
                    return Ok(self.system.terms.bool(decided));
                }
                let right = self.term(at, b, bound)?;
                Ok(self.scalar_operator(op, &Type::Bool, left, right))
            }
            Div | Mod | Slash => self.division(at, id, op, a, b, bound),
            In => self.refuse(self.program.ast.span(id), "sets and maps"),
            _ => {
                let ty = self.type_of(at, a);
                let (a, b) = (self.term(at, a, bound)?, self.term(at, b, bound)?);
                Ok(self.scalar_operator(op, &ty, a, b))
            }
        }
    }

    /// The value of an operation in an array equation that the left operand decides alone.
    fn decided(&self, op: BinaryOp, left: TermId, bound: &Bound) -> Option<bool> {
        if bound.is_empty() {
            return None;
        }
        match (op, self.closed(left)?) {
            (BinaryOp::And, Value::Bool(false)) => Some(false),
            (BinaryOp::Or, Value::Bool(true)) | (BinaryOp::Implies, Value::Bool(false)) => Some(true),
            _ => None,
        }
    }

    /// `ite(b = 0, any, a op b)`, or `a op b` where `b` is a constant other than 0.
    fn division(
        &mut self,
        at: InstanceId,
        id: ExprId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        bound: &Bound,
    ) -> Made<TermId> {
        let ty = self.type_of(at, a);
        let (left, right) = (self.term(at, a, bound)?, self.term(at, b, bound)?);
        let quotient = self.scalar_operator(op, &ty, left, right);
        let zero = self.zero_like(right);
        let divisor = self.closed(right);
        if divisor.is_some() && divisor != self.closed(zero) {
            return Ok(quotient);
        }
        let span = self.program.ast.span(id);
        let layout = self.layout(at, ty.base(), span)?;
        let name = format!("div@{}{}", self.position(self.program.ast.span(b)), bound_name(bound));
        let any = *self.choice(at, &name, &layout, span).leaf();
        let by_zero = self.system.terms.eq(right, zero);
        Ok(self.system.terms.ite(by_zero, any, quotient))
    }

    /// The state of `pre a`, which gets its next value later: `a` may depend on it. It stays in the subrange of
    /// `a`: a value outside ends the execution, and the obligation of `a` was violated the step before. Where
    /// nobody reads its start, it starts with some value.
    fn pre(&mut self, at: InstanceId, id: ExprId, a: ExprId, bound: &Bound) -> Made<Vec<Terms>> {
        let span = self.program.ast.span(id);
        let name = format!("pre@{}{}", self.position(span), bound_name(bound));
        let full = format!("{}{name}", self.instances[at.0].path);
        if let Some(known) = self.pres.get(&full) {
            return Ok(flows_of(known.clone(), self.program.ty(id)));
        }
        let ty = match self.program.meaning(a) {
            Meaning::Var(slot) => self.program.unit(self.unit_of(at)).var(slot).ty.clone(),
            _ => self.type_of(at, a),
        };
        let layout = self.layout(at, &ty, span)?;
        let guarded = self.program.guarded.contains(&id);
        if !guarded && is_refined(self.program, &ty) {
            return self.refuse(span, "unguarded 'pre's of refinement types");
        }
        let states = layout.map(&mut |scalar| {
            let label = self.label(format!("{full}{}", scalar.suffix), span);
            let state = self.system.add_state(scalar.sort.clone(), label.clone());
            if guarded {
                let start = self.system.terms.constant(scalar.some_value());
                self.system.states[state.index()].init = Some(start);
            }
            if scalar.is_ranged() {
                let term = self.in_range(scalar, self.system.state(state).variable);
                self.system.constraints.push(Named { term, label });
            }
            state
        });
        let mut value = states.map(&mut |&state| self.system.state(state).variable);
        let clock = self.instances[at.0].clock;
        if clock.restartable && !guarded {
            let any = self.choice(at, &format!("{name}!"), &layout, span);
            value = self.choose(clock.first, &any, &value);
        }
        self.pres.insert(full, value.clone());
        self.pending.push(Pending { instance: at, value: a, bound: bound.to_vec(), states });
        Ok(flows_of(value, self.program.ty(id)))
    }

    fn call(&mut self, at: InstanceId, id: ExprId, call: &Call, flow: usize, bound: &Bound) -> Made<Terms> {
        match self.program.meaning(id) {
            Meaning::Builtin(Builtin::Floor) => {
                let a = self.term(at, call.args[0], bound)?;
                Ok(Tree::Leaf(self.cast(CastTo::Int, &Type::Real, a)))
            }
            Meaning::Builtin(Builtin::Nonlinear) => {
                self.refuse(call.name.span, format!("functions such as '{}'", call.name.name))
            }
            Meaning::Constructor(_, number) => {
                let args = call.args.iter().map(|&arg| self.single(at, arg, bound)).collect::<Made<_>>()?;
                self.construct(at, id, number as usize, args)
            }
            _ => self.call_on(at, id, call, self.instances[at.0].clock, flow, bound),
        }
    }

    fn call_on(
        &mut self,
        at: InstanceId,
        id: ExprId,
        call: &Call,
        clock: Clocking,
        flow: usize,
        bound: &Bound,
    ) -> Made<Terms> {
        let callee = self.call_instance(at, id, call, clock, bound)?;
        self.var(callee, self.program.unit(self.unit_of(callee)).output_slot(flow))
    }

    /// An output of a node under a clock, and the clock.
    fn clocked(
        &mut self,
        at: InstanceId,
        id: ExprId,
        call: &Call,
        (clock, restart): (ExprId, Option<ExprId>),
        flow: usize,
        bound: &Bound,
    ) -> Made<(Terms, TermId)> {
        let condition = self.term(at, clock, bound)?;
        let clocking = self.clocking(at, id, condition, restart, bound)?;
        Ok((self.call_on(at, id, call, clocking, flow, bound)?, condition))
    }

    /// out = if c then N else (d -> pre out)
    fn held(
        &mut self,
        at: InstanceId,
        id: ExprId,
        condition: TermId,
        (value, default): (Terms, Terms),
        flow: usize,
        bound: &Bound,
    ) -> Terms {
        let span = self.program.ast.span(id);
        let outer = self.instances[at.0].clock;
        let hold = format!("{}hold@{}{}", self.instances[at.0].path, self.position(span), bound_name(bound));
        let mut part = 0;
        value.zip(&default, &mut |&value, &default| {
            let label = self.label(format!("{hold}.{flow}.{part}"), span);
            part += 1;
            if let Some(known) = self.choices.get(&*label.name) {
                return *known.leaf();
            }
            let name = label.name.to_string();
            let state = self.system.add_state(self.system.terms.sort(value).clone(), label);
            let held = self.system.state(state).variable;
            let start = self.zero_like(held);
            self.system.states[state.index()].init = Some(start);
            let terms = &mut self.system.terms;
            let otherwise = terms.ite(outer.first, default, held);
            let out = terms.ite(condition, value, otherwise);
            let next = outer.active.map_or(out, |active| terms.ite(active, out, held));
            self.system.states[state.index()].next = Some(next);
            self.choices.insert(name, Tree::Leaf(out));
            out
        })
    }

    /// The clocking of an instance that is active where the condition holds: fresh = first of the caller, or
    /// not active since then.
    fn clocking(
        &mut self,
        at: InstanceId,
        id: ExprId,
        condition: TermId,
        restart: Option<ExprId>,
        bound: &Bound,
    ) -> Made<Clocking> {
        let span = self.program.ast.span(id);
        let outer = self.instances[at.0].clock;
        let active = match outer.active {
            Some(outer) => self.system.terms.and(outer, condition),
            None => condition,
        };
        let name = format!("{}fresh@{}{}", self.instances[at.0].path, self.position(span), bound_name(bound));
        let mut first = match self.choices.get(&name) {
            Some(known) => *known.leaf(),
            None => {
                let label = self.label(name.clone(), span);
                let state = self.system.add_state(buttress_term::Sort::Bool, label);
                let waiting = self.system.state(state).variable;
                let terms = &mut self.system.terms;
                let fresh = terms.or(outer.first, waiting);
                let idle = terms.not(condition);
                let still = terms.and(fresh, idle);
                let next = outer.active.map_or(still, |active| terms.ite(active, still, waiting));
                let yes = terms.bool(true);
                self.system.states[state.index()].init = Some(yes);
                self.system.states[state.index()].next = Some(next);
                self.choices.insert(name, Tree::Leaf(fresh));
                fresh
            }
        };
        if let Some(every) = restart {
            let every = self.term(at, every, bound)?;
            first = self.system.terms.or(first, every);
        }
        Ok(Clocking { active: Some(active), first, restartable: outer.restartable || restart.is_some() })
    }

    /// The case of the clock's value; the last one needs no test.
    fn merge(
        &mut self,
        at: InstanceId,
        id: ExprId,
        clock: &Ident,
        cases: &[(Ident, ExprId)],
        flow: usize,
        bound: &Bound,
    ) -> Made<Terms> {
        let unit = self.program.unit(self.unit_of(at));
        let Some(slot) = unit.slots().find(|&slot| unit.var(slot).name.name == clock.name) else {
            return self.refuse(self.program.ast.span(id), "clocks that are bound here");
        };
        let on = *self.var(at, slot)?.leaf();
        let mut result: Option<Terms> = None;
        for (label, value) in cases.iter().rev() {
            let value = self.flow(at, *value, flow, bound)?;
            result = Some(match result {
                None => value,
                Some(rest) => {
                    let test = self.label_test(on, label);
                    self.choose(test, &value, &rest)
                }
            });
        }
        Ok(result.expect("the checker saw a case"))
    }

    fn label_test(&mut self, on: TermId, label: &Ident) -> TermId {
        let sort = self.system.terms.sort(on).clone();
        let buttress_term::Sort::Enum(values) = &sort else {
            return if &*label.name == "true" { on } else { self.system.terms.not(on) };
        };
        let number =
            values.constants.iter().position(|value| **value == *label.name).expect("the checker saw it");
        let value = self.system.terms.enum_constant(&sort, number as u32);
        self.system.terms.eq(on, value)
    }

    fn record(
        &mut self,
        at: InstanceId,
        id: ExprId,
        given: &[(Ident, ExprId)],
        bound: &Bound,
    ) -> Made<Terms> {
        let ty = self.type_of(at, id);
        let mut parts: Vec<Option<Terms>> = vec![None; given.len()];
        for (field, value) in given {
            let number = self.program.field_number(&ty, field);
            parts[number] = Some(self.single(at, *value, bound)?);
        }
        Ok(Tree::Parts(parts.into_iter().map(|part| part.expect("the checker saw all fields")).collect()))
    }

    /// `a[i]`: an element that is known, or a choice among all, with the duty to be in range.
    fn index(&mut self, at: InstanceId, id: ExprId, a: ExprId, i: ExprId, bound: &Bound) -> Made<Terms> {
        if let Some(element) = self.indexed_element(at, id, bound)? {
            return Ok(element);
        }
        let span = self.program.ast.span(id);
        if !matches!(self.program.ty(a).base(), Type::Array(..) | Type::Tuple(_)) {
            return self.refuse(span, "maps");
        }
        let array = self.single(at, a, bound)?;
        let index = self.term(at, i, bound)?;
        let parts = array.parts();
        if let Some(Value::Int(n)) = self.closed(index) {
            match n.to_usize().and_then(|n| parts.get(n)) {
                Some(part) => return Ok(part.clone()),
                None if self.reads_variables(at, i) => {}
                None => return self.outside(span, &n, parts.len()),
            }
        }
        let place = self.program.ast.span(i);
        self.oblige_index(at, index, parts.len(), place, bound);
        let ty = self.type_of(at, id);
        let layout = self.layout(at, &ty, span)?;
        let name = format!("index@{}{}", self.position(place), bound_name(bound));
        let any = self.choice(at, &name, &layout, span);
        Ok(self.select(index, parts, any))
    }

    /// A constant that is no index is an error. What is constant only in this instance may be guarded: an
    /// obligation.
    fn outside<T>(&self, span: Span, n: &BigInt, size: usize) -> Made<T> {
        self.wrong(span, format!("index {n} is outside of an array of {size} elements"))
    }

    /// Does an expression read variables, other than local constants?
    fn reads_variables(&self, at: InstanceId, id: ExprId) -> bool {
        let unit = self.program.unit(self.unit_of(at));
        if let Meaning::Var(slot) = self.program.meaning(id) {
            return unit.var(slot).role != Role::Constant;
        }
        let mut reads = false;
        self.program.ast.kind(id).each_child(&mut |child| reads |= self.reads_variables(at, child));
        reads
    }

    /// ite(i = 0, a₀, ite(i = 1, a₁, … any))
    fn select(&mut self, index: TermId, parts: &[Terms], any: Terms) -> Terms {
        parts.iter().enumerate().rev().fold(any, |rest, (number, part)| {
            let number = self.system.terms.int(number);
            let here = self.system.terms.eq(index, number);
            self.choose(here, part, &rest)
        })
    }

    /// Named by the place of the index: what it is an index of may be an index, too.
    fn oblige_index(&mut self, at: InstanceId, index: TermId, size: usize, span: Span, bound: &Bound) {
        let terms = &mut self.system.terms;
        let (zero, size) = (terms.int(0), terms.int(size));
        let low = terms.app(Op::Le, &[zero, index]);
        let high = terms.app(Op::Lt, &[index, size]);
        let inside = terms.and(low, high);
        let name = format!("index at {}{} in range", self.position(span), bound_name(bound));
        let full = format!("{}{name}", self.instances[at.0].path);
        if self.choices.insert(full, Tree::Leaf(inside)).is_none() {
            self.require(at, Origin::Index, inside, &name, span);
        }
    }

    /// An element of an array that is defined by its index, without the others.
    fn indexed_element(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Option<Terms>> {
        let mut indices = Vec::new();
        let mut inner = id;
        while let ExprKind::Index(a, i) = self.program.ast.kind(inner) {
            indices.push(*i);
            inner = *a;
        }
        indices.reverse();
        let Meaning::Var(slot) = self.program.meaning(inner) else { return Ok(None) };
        if self.is_indexed(at, slot) != Some(indices.len()) {
            return Ok(None);
        }
        let mut place = Vec::new();
        for index in &indices {
            match self.static_int(at, *index, bound)? {
                Some(n) => place.push(n),
                None => return Ok(None),
            }
        }
        let var = self.program.unit(self.unit_of(at)).var(slot);
        let mut layout = self.layout(at, &var.ty, var.name.span)?;
        let mut numbers = Vec::new();
        for n in &place {
            let inside = n.to_usize().filter(|&k| k < layout.parts().len());
            let Some(k) = inside else {
                return match indices.iter().any(|&index| self.reads_variables(at, index)) {
                    true => Ok(None),
                    false => self.outside(self.program.ast.span(id), n, layout.parts().len()),
                };
            };
            layout = layout.parts()[k].clone();
            numbers.push(k);
        }
        self.element(at, slot, &numbers).map(Some)
    }

    fn update(&mut self, at: InstanceId, id: ExprId, [a, i, v]: [ExprId; 3], bound: &Bound) -> Made<Terms> {
        let span = self.program.ast.span(id);
        match self.program.ty(a).base() {
            Type::Record(..) => {
                let ExprKind::Name(field, _) = self.program.ast.kind(i) else {
                    unreachable!("the checker saw a field")
                };
                let number = self.program.field_number(&self.type_of(at, a), field);
                let (old, new) = (self.single(at, a, bound)?, self.single(at, v, bound)?);
                return Ok(replaced(&old, number, new));
            }
            Type::Array(..) | Type::Tuple(_) => {}
            _ => return self.refuse(span, "maps"),
        }
        let (old, new) = (self.single(at, a, bound)?, self.single(at, v, bound)?);
        let index = self.term(at, i, bound)?;
        let size = old.parts().len();
        if let Some(Value::Int(n)) = self.closed(index) {
            match n.to_usize().filter(|&n| n < size) {
                Some(n) => return Ok(replaced(&old, n, new)),
                None if self.reads_variables(at, i) => {}
                None => return self.outside(span, &n, size),
            }
        }
        self.oblige_index(at, index, size, self.program.ast.span(i), bound);
        let change = |(number, part): (usize, &Terms)| {
            let number = self.system.terms.int(number);
            let here = self.system.terms.eq(index, number);
            self.choose(here, &new, part)
        };
        Ok(Tree::Parts(old.parts().iter().enumerate().map(change).collect()))
    }

    /// `C?(x)`
    fn test(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Terms> {
        let ExprKind::Test(_, a) = self.program.ast.kind(id) else { unreachable!("a test") };
        let Meaning::Constructor(_, number) = self.program.meaning(id) else {
            unreachable!("the checker saw a constructor")
        };
        let tested = self.single(at, *a, bound)?;
        Ok(Tree::Leaf(self.is_of(&tested, number as usize)))
    }

    /// `match`, `any` and ascriptions.
    fn special(&mut self, at: InstanceId, id: ExprId, bound: &Bound) -> Made<Terms> {
        let span = self.program.ast.span(id);
        match self.program.ast.kind(id) {
            ExprKind::Match { value, arms } => self.matching(at, *value, arms, bound),
            ExprKind::Any { choose: true, .. } => self.refuse(span, "'choose'"),
            ExprKind::Any { pred, .. } => self.any(at, id, *pred, bound),
            _ => self.refuse(span, "type ascriptions"),
        }
    }

    fn any(&mut self, at: InstanceId, id: ExprId, pred: Option<ExprId>, bound: &Bound) -> Made<Terms> {
        let span = self.program.ast.span(id);
        if pred.is_some() {
            return self.refuse(span, "'any' with a predicate");
        }
        let ty = self.type_of(at, id);
        if is_refined(self.program, &ty) {
            return self.refuse(span, "'any' of refinement types");
        }
        let layout = self.layout(at, &ty, span)?;
        let name = format!("any@{}{}", self.position(span), bound_name(bound));
        Ok(self.choice(at, &name, &layout, span))
    }
}

fn replaced(old: &Terms, number: usize, new: Terms) -> Terms {
    let mut parts = old.parts().to_vec();
    parts[number] = new;
    Tree::Parts(parts)
}

/// A value of several flows as its flows.
fn flows_of(value: Terms, ty: &Type) -> Vec<Terms> {
    match (value, ty) {
        (Tree::Parts(parts), Type::List(_)) => parts,
        (one, _) => vec![one],
    }
}
