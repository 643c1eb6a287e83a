//! A system of states, inputs and constraints, made of the systems that are checked.
//!
//! Parts are written out, their locals called `part.local`. Then, with x any variable that is no input:
//!
//! * a conjunct `x = e` of an `:inv` defines x, where it does not depend on itself;
//! * a conjunct `x' = e` of a `:trans` is the `next` of x, where e does not depend on x';
//! * a conjunct `x = c` of an `:init`, with c constant, is the `init` of x.
//!
//! Another next value is an input called `x'`, of the step before. What is left of `:trans`, and of `:inv` in this
//! state and in the next one, are constraints; so is what is left of `:init`, at the start.
//!
//! Conditions that do not hold for all queries of the file are remembered instead: an assumption that only some
//! name, or all that is known of a system where several are checked, is a state `… so far`; a goal among several
//! is a state `… reached`.

use std::sync::Arc;

use buttress_system::words::{Definition, Input, Label, Named, Property, PropertyKind, State, System};
use buttress_term::{Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::check::{Check, Kind, Query};
use super::define::{Defined, Variable};
use super::{Moxi, Reader};
use crate::relation::{Values, conjuncts, depends, equations, in_order};
use crate::smtlib::Wrong;

pub(super) fn assemble(mut reader: Reader<'_>) -> Result<Moxi, Wrong> {
    let checks = std::mem::take(&mut reader.checks);
    let alone = checks.len() == 1;
    let mut titles: Vec<String> = Vec::new();
    let mut building = Building { justice: Vec::new(), names: Vec::new(), system: System::default(), alone };
    for (number, check) in checks.iter().enumerate() {
        let name = &reader.systems[check.system].name;
        let twin = checks[..number].iter().any(|other| other.system == check.system);
        titles.push(match (alone, twin) {
            (true, _) => String::new(),
            (false, false) => format!("{name}."),
            (false, true) => format!("{name}#{}.", number + 1),
        });
    }
    let flat: Vec<Flat> = checks.iter().map(|check| flatten(&mut reader, check)).collect();
    building.system.terms = std::mem::take(&mut reader.smt.terms);
    for (name, constant) in &reader.constants {
        building.add_state(name, *constant, None, *constant);
    }
    for ((check, flat), title) in checks.iter().zip(flat).zip(&titles) {
        building.add(check, flat, title);
    }
    building.settle();
    let system = building.system;
    let fault = |fault: buttress_system::words::Fault| (0, fault.message);
    system.validate().map_err(fault)?;
    Ok(Moxi { system: Arc::new(system), justice: building.justice, justice_names: building.names })
}

/// A system without parts.
#[derive(Default)]
struct Flat {
    /// The first ones are inputs.
    variables: Vec<Variable>,
    inputs: usize,
    init: Vec<TermId>,
    trans: Vec<TermId>,
    inv: Vec<TermId>,
}

fn flatten(reader: &mut Reader<'_>, check: &Check) -> Flat {
    let inputs = reader.systems[check.system].inputs;
    let mut flat = Flat { variables: check.variables.clone(), inputs, ..Flat::default() };
    let mut todo = vec![(check.system, String::new(), check.variables.clone())];
    while let Some((system, path, variables)) = todo.pop() {
        let Defined { variables: formal, init, trans, inv, parts, .. } = &reader.systems[system];
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (formal, actual) in formal.iter().zip(&variables) {
            image.extend([(formal.now, actual.now), (formal.next, actual.next)]);
        }
        let terms = &mut reader.smt.terms;
        flat.init.extend(init.iter().map(|&f| terms.image(f, &mut image)));
        flat.trans.extend(trans.iter().map(|&f| terms.image(f, &mut image)));
        flat.inv.extend(inv.iter().map(|&f| terms.image(f, &mut image)));
        let mut below = Vec::new();
        for part in parts {
            let path = format!("{path}{}.", part.name);
            let outer = |v: &Variable| formal.iter().position(|f| f.now == v.now).expect("a variable of it");
            let mut given: Vec<Variable> =
                part.connected.iter().map(|v| variables[outer(v)].clone()).collect();
            let defined = &reader.systems[part.system];
            for local in &defined.variables[defined.inputs + defined.outputs..] {
                let (name, sort) = (format!("{path}{}", local.name), terms.sort(local.now).clone());
                let now = terms.variable(&*name, sort.clone());
                let next = terms.variable(format!("{name}'"), sort);
                given.push(Variable { name, now, next });
            }
            flat.variables.extend_from_slice(&given[part.connected.len()..]);
            below.push((part.system, path, given));
        }
        todo.extend(below.into_iter().rev());
    }
    flat
}

struct Building {
    system: System,
    justice: Vec<Vec<TermId>>,
    /// Of the queries with fairness.
    names: Vec<String>,
    /// Whether one system is checked.
    alone: bool,
}

/// A condition on every step of an execution that counts for a query.
struct Guard {
    name: String,
    terms: Vec<TermId>,
}

impl Building {
    fn add(&mut self, check: &Check, flat: Flat, title: &str) {
        let terms = &mut self.system.terms;
        let (mut shape, inv, trans) = Shape::new(terms, flat);
        let mut rest = shape.of(terms, &trans);
        // P(v'): the last state has a successor in which the invariants hold.
        rest.extend(shape.primed(terms, &inv));
        let conditions: Vec<TermId> = check.conditions.iter().map(|c| c.term).collect();
        let conditions = shape.of(terms, &conditions);
        let states = shape.states(terms, rest.iter().chain(&conditions).copied());
        // Where a query starts elsewhere, no start is a function.
        let elsewhere = check.queries.iter().any(|q| check.of(q, Kind::Current).next().is_some());
        let constant =
            |terms: &Terms, _: &Values, _, value| !elsewhere && terms.free_variables([value]).is_empty();
        let init = conjuncts(terms, &shape.flat.init);
        let (inits, start) = equations(terms, &init, &states, constant);
        self.add_variables(&mut shape, title, &states, &inits);
        rest.extend(inv);
        self.ask(check, &conditions, rest, &start, title);
    }

    fn add_variables(&mut self, shape: &mut Shape, title: &str, states: &FxHashSet<TermId>, inits: &Values) {
        let mut names: FxHashMap<TermId, String> = FxHashMap::default();
        let defined: FxHashSet<TermId> = shape.defined.iter().map(|(variable, _)| *variable).collect();
        for variable in shape.flat.variables.clone() {
            let name = format!("{title}{}", variable.name);
            if states.contains(&variable.now) {
                let next = shape.of(&mut self.system.terms, &[variable.next])[0];
                if next == variable.next {
                    let label = Label::new(format!("{name}'"));
                    self.system.inputs.push(Input { variable: next, label });
                }
                self.add_state(&name, variable.now, inits.get(&variable.now).copied(), next);
            } else if defined.contains(&variable.now) {
                names.insert(variable.now, name);
            } else {
                let label = Label::new(name);
                self.system.inputs.push(Input { variable: variable.now, label });
            }
        }
        for &(variable, value) in &shape.defined {
            let label = Label::new(names[&variable].as_str());
            self.system.definitions.push(Definition { variable, value, label });
        }
    }

    fn add_state(&mut self, name: &str, variable: TermId, init: Option<TermId>, next: TermId) {
        let state = State { variable, init, next: Some(next), label: Label::new(name) };
        self.system.states.push(state);
    }

    /// A Boolean state with this start, and its next value, which is made of it.
    fn remember(
        &mut self,
        name: &str,
        init: Option<bool>,
        next: impl FnOnce(&mut Terms, TermId) -> TermId,
    ) -> TermId {
        let state = self.system.add_state(Sort::Bool, Label::new(name));
        let variable = self.system.state(state).variable;
        let init = init.map(|value| self.system.terms.bool(value));
        let next = next(&mut self.system.terms, variable);
        let state = &mut self.system.states[state.index()];
        (state.init, state.next) = (init, Some(next));
        variable
    }

    /// Moves the system to a store that has nothing else, so that names are not used twice; a variable that is
    /// defined comes after its value.
    fn settle(&mut self) {
        let System { terms, inputs, states, definitions, constraints, properties, .. } = &mut self.system;
        let from = std::mem::take(terms);
        let mut image = FxHashMap::default();
        let free = inputs.iter_mut().map(|i| (&mut i.variable, &i.label));
        for (variable, label) in free.chain(states.iter_mut().map(|s| (&mut s.variable, &s.label))) {
            let new = terms.variable(&*label.name, from.sort(*variable).clone());
            image.insert(std::mem::replace(variable, new), new);
        }
        for Definition { variable, value, label } in definitions {
            *value = terms.adopt_with(&from, *value, &mut image, |_| None);
            let new = terms.variable(&*label.name, from.sort(*variable).clone());
            image.insert(std::mem::replace(variable, new), new);
        }
        let parts = states.iter_mut().flat_map(|s| s.init.iter_mut().chain(&mut s.next));
        let parts = parts.chain(constraints.iter_mut().map(|c| &mut c.term));
        let parts = parts.chain(properties.iter_mut().map(|p| &mut p.bad));
        for part in parts.chain(self.justice.iter_mut().flatten()) {
            *part = terms.adopt_with(&from, *part, &mut image, |_| None);
        }
    }

    /// The properties, and the constraints that all of them share.
    fn ask(
        &mut self,
        check: &Check,
        conditions: &[TermId],
        rest: Vec<TermId>,
        start: &[TermId],
        title: &str,
    ) {
        let decided: Vec<&Query> = check.queries.iter().collect();
        let (begin, marks) = self.start(check, &decided, conditions, start, title);
        let common = Guard { name: format!("{title}system"), terms: rest.into_iter().chain(begin).collect() };
        let common = self.guard(&common, self.alone);
        let mut guards: FxHashMap<usize, TermId> = FxHashMap::default();
        for (index, condition) in check.conditions.iter().enumerate() {
            let named = decided.iter().filter(|q| q.of.contains(&index)).count();
            if condition.kind == Kind::Assumption && named > 0 {
                let guard =
                    Guard { name: format!("{title}{}", condition.name), terms: vec![conditions[index]] };
                let shared = self.alone && named == decided.len();
                guards.extend(self.guard(&guard, shared).map(|term| (index, term)));
            }
        }
        for query in &check.queries {
            let fair: Vec<TermId> = check.of(query, Kind::Fairness).map(|c| conditions[c]).collect();
            let mut parts: Vec<TermId> = common.into_iter().collect();
            parts.extend(query.of.iter().filter_map(|c| guards.get(c).copied()));
            parts.extend(self.started(check, query, &marks));
            parts.extend(self.reached(check, query, conditions, title));
            let bad = self.system.terms.all(&parts);
            let name = format!("{title}{}", query.label.name);
            if !fair.is_empty() {
                // What held so far and what was reached once stay as they are from some step on.
                self.justice.push(fair.into_iter().chain([bad]).collect());
                self.names.push(name);
                continue;
            }
            let label = Label { name: name.into(), span: query.label.span };
            self.system.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
        }
    }

    /// The constraint on the start; and where queries start differently, a state for each initial condition which
    /// says that it is the one.
    fn start(
        &mut self,
        check: &Check,
        decided: &[&Query],
        conditions: &[TermId],
        start: &[TermId],
        title: &str,
    ) -> (Option<TermId>, Vec<(usize, TermId)>) {
        let currents: Vec<usize> = (0..check.conditions.len())
            .filter(|&c| {
                check.conditions[c].kind == Kind::Current && decided.iter().any(|q| q.of.contains(&c))
            })
            .collect();
        let mut marks = Vec::new();
        let mut parts = Vec::new();
        for &current in &currents {
            let name = format!("{title}from {}", check.conditions[current].name);
            let mark = self.remember(&name, None, |_, itself| itself);
            parts.push(self.system.terms.implies(mark, conditions[current]));
            marks.push((current, mark));
        }
        let all = self.system.terms.all(start);
        let others: Vec<TermId> = marks.iter().map(|&(_, mark)| mark).chain([all]).collect();
        parts.push(self.system.terms.any(&others));
        if start.is_empty() && currents.is_empty() {
            return (None, marks);
        }
        let first = self.remember(&format!("{title}at the start"), Some(true), |terms, _| terms.bool(false));
        let holds = self.system.terms.all(&parts);
        (Some(self.system.terms.implies(first, holds)), marks)
    }

    fn started(&mut self, check: &Check, query: &Query, marks: &[(usize, TermId)]) -> Vec<TermId> {
        match check.of(query, Kind::Current).next() {
            Some(current) => marks.iter().filter(|(c, _)| *c == current).map(|(_, mark)| *mark).collect(),
            None => marks.iter().map(|(_, mark)| self.system.terms.not(*mark)).collect(),
        }
    }

    /// The term that says that a guard holds in all steps up to this one: a state and its terms, or `None` where
    /// constraints say so.
    fn guard(&mut self, guard: &Guard, shared: bool) -> Option<TermId> {
        if guard.terms.is_empty() {
            return None;
        }
        if shared {
            let label = || Label::new(guard.name.as_str());
            let constraints = guard.terms.iter().map(|&term| Named { term, label: label() });
            self.system.constraints.extend(constraints);
            return None;
        }
        let now = self.system.terms.all(&guard.terms);
        let name = format!("{} so far", guard.name);
        let so_far = self.remember(&name, Some(true), |terms, so_far| terms.and(so_far, now));
        Some(self.system.terms.and(so_far, now))
    }

    /// The goal of a query, or each of several in this step or before; with fairness also the only one, for the
    /// execution goes on.
    fn reached(&mut self, check: &Check, query: &Query, conditions: &[TermId], title: &str) -> Vec<TermId> {
        let goals: Vec<usize> = check.of(query, Kind::Reachable).collect();
        let ends = check.of(query, Kind::Fairness).next().is_none();
        if let (&[goal], true) = (&goals[..], ends) {
            return vec![conditions[goal]];
        }
        let mut parts = Vec::new();
        for goal in goals {
            let name = format!("{title}{} reached", check.conditions[goal].name);
            let known = self.system.states.iter().find(|s| *s.label.name == *name).map(|s| s.variable);
            let before = known.unwrap_or_else(|| {
                self.remember(&name, Some(false), |terms, before| terms.or(before, conditions[goal]))
            });
            parts.push(self.system.terms.or(before, conditions[goal]));
        }
        parts
    }
}

/// A system whose relation is split into functions and the rest.
struct Shape {
    flat: Flat,
    /// Variables that invariants define, each after what it reads.
    defined: Vec<(TermId, TermId)>,
    /// Next values that the transition gives.
    functions: Vec<(TermId, TermId)>,
    /// From each variable to its next value.
    later: FxHashMap<TermId, TermId>,
    /// From next values, and terms about them, to terms about this state and the next values that are free.
    image: FxHashMap<TermId, TermId>,
}

impl Shape {
    /// With what is left of the invariants and of the transition.
    fn new(terms: &mut Terms, flat: Flat) -> (Shape, Vec<TermId>, Vec<TermId>) {
        let later: FxHashMap<TermId, TermId> = flat.variables.iter().map(|v| (v.now, v.next)).collect();
        let own = &flat.variables[flat.inputs..];
        let (values, inv) = {
            let wanted: FxHashSet<TermId> = own.iter().map(|v| v.now).collect();
            let fits = |terms: &Terms, values: &Values, variable, value| {
                !depends(terms, value, variable, |v| values.get(&v).copied())
            };
            let inv = conjuncts(terms, &flat.inv);
            equations(terms, &inv, &wanted, fits)
        };
        let defined = own.iter().filter_map(|v| Some((v.now, *values.get(&v.now)?))).collect();
        let defined = in_order(terms, defined);
        let primed: Vec<(TermId, TermId)> = {
            let (variables, values): (Vec<TermId>, Vec<TermId>) = defined.iter().copied().unzip();
            variables.iter().map(|v| later[v]).zip(terms.substitute(&values, &later)).collect()
        };
        let (values, trans) = {
            let open = |v: &&Variable| !values.contains_key(&v.now);
            let wanted: FxHashSet<TermId> = own.iter().filter(open).map(|v| v.next).collect();
            let known: Values = primed.iter().copied().collect();
            let fits = |terms: &Terms, values: &Values, variable, value| {
                !depends(terms, value, variable, |v| values.get(&v).or_else(|| known.get(&v)).copied())
            };
            let trans = conjuncts(terms, &flat.trans);
            equations(terms, &trans, &wanted, fits)
        };
        let functions: Vec<(TermId, TermId)> =
            own.iter().filter_map(|v| Some((v.next, *values.get(&v.next)?))).collect();
        let mut image = FxHashMap::default();
        for (variable, value) in in_order(terms, primed.into_iter().chain(functions.clone()).collect()) {
            let value = terms.image(value, &mut image);
            image.insert(variable, value);
        }
        (Shape { flat, defined, functions, later, image }, inv, trans)
    }

    fn of(&mut self, terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
        roots.iter().map(|&root| terms.image(root, &mut self.image)).collect()
    }

    /// The values of the roots in the next state.
    fn primed(&mut self, terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
        let later = terms.substitute(roots, &self.later);
        self.of(terms, &later)
    }

    /// Variables whose next values are given, or read by these roots or by others that are given.
    fn states(&mut self, terms: &mut Terms, roots: impl Iterator<Item = TermId>) -> FxHashSet<TermId> {
        let given: Vec<TermId> = self.functions.iter().map(|(variable, _)| *variable).collect();
        let values = self.of(terms, &given);
        let read: FxHashSet<TermId> =
            terms.free_variables(values.into_iter().chain(roots)).into_iter().chain(given).collect();
        let defined: FxHashSet<TermId> = self.defined.iter().map(|(variable, _)| *variable).collect();
        let is_state = |v: &&Variable| !defined.contains(&v.now) && read.contains(&v.next);
        self.flat.variables.iter().filter(is_state).map(|v| v.now).collect()
    }
}
