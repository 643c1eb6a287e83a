//! VMT-LIB: transition systems as SMT-LIB 2 with annotations, without quantifiers.
//!
//! `(! x :next y)` pairs a variable with its next value, `:init` and `:trans` name the formulas, `:invar-property` a
//! property; what has no next value is an input. The relation becomes functions where it says so: a conjunct
//! `(= y e)` of the transition, with no next value in e, is the `next` of x, and likewise for the start. What is left
//! of the transition goes into a state `trans holds`, true as long as every step so far was a step of the relation, which
//! is a constraint: so the last state of a trace needs no successor. A next value that no equation gives is an input.
//!
//! Maps, lambda, index symbols and predicates make the model an [`Indexed`] one: see [`maps`].
//!
//! Refused, with their place: quantifiers, sorts of the user that are not enumerations.

mod maps;

mod writer;

use std::sync::Arc;

use buttress_system::indexed::Indexed;
use buttress_system::words::{Label, Property, PropertyKind, System};
use buttress_term::script::read_value;
use buttress_term::sexpr::{self, Sexpr, SexprError};
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Diagnostic, Position};

pub use writer::write;

/// A model, and its liveness properties, which nobody decides yet.
pub struct Vmt {
    pub system: Arc<System>,
    pub live: Vec<TermId>,
    /// What is said for all places, where the model has maps; its system is `system`.
    pub indexed: Option<Indexed>,
}

/// Whether a text looks like VMT-LIB.
pub fn looks_like(text: &str) -> bool {
    let code = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with(';'));
    code.is_some_and(|line| line.starts_with('(')) && text.contains(":trans")
}

/// Reads a model.
pub fn read(text: &str) -> Result<Vmt, Diagnostic> {
    let commands = sexpr::read_all(text).map_err(|error| match error {
        SexprError::Incomplete => Diagnostic::new("the file ends within an expression"),
        SexprError::Unopened(offset) => at(text, offset, "this parenthesis closes nothing"),
    })?;
    let mut reader = Reader::default();
    for command in &commands {
        reader.command(command).map_err(|(offset, message)| at(text, offset, &message))?;
    }
    reader.finish()
}

/// A Boolean term that begins at this byte, over what has a name in a system.
pub fn read_claim(text: &str, offset: usize, system: &mut System) -> Result<TermId, Diagnostic> {
    let (claim, _) = sexpr::read(text, offset).map_err(|error| match error {
        SexprError::Incomplete => at(text, offset, "this term is not closed"),
        SexprError::Unopened(offset) => at(text, offset, "this parenthesis closes nothing"),
    })?;
    let mut reader = Reader { terms: system.terms.clone(), ..Reader::default() };
    let states = system.states.iter().map(|s| (&s.label, s.variable));
    let inputs = system.inputs.iter().map(|i| (&i.label, i.variable));
    let definitions = system.definitions.iter().map(|d| (&d.label, d.variable));
    let observables = system.observables.iter().map(|o| (&o.label, o.term));
    for (label, term) in states.chain(inputs).chain(definitions).chain(observables) {
        reader.names.entry(label.name.to_string()).or_insert(term);
    }
    let wrong = |(offset, message): Wrong| at(text, offset, &message);
    let term = reader.term(&claim, &FxHashMap::default(), 0).map_err(wrong)?;
    if *reader.terms.sort(term) != Sort::Bool {
        return Err(at(text, offset, "this term is not Boolean"));
    }
    system.terms = reader.terms;
    Ok(term)
}

pub(crate) fn at(text: &str, offset: usize, message: &str) -> Diagnostic {
    let before = &text[..offset];
    let line = before.matches('\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let column = before[start..].chars().count() as u32 + 1;
    let source = text[start..].lines().next().unwrap_or_default();
    Diagnostic::new(message).at(Position { line, column, offset: offset as u64 }).with_source(source)
}

/// Where something is wrong, and what.
type Wrong = (usize, String);

/// How deep terms may be nested.
const DEEPEST: usize = 2_000;

#[derive(Default)]
struct Reader {
    terms: Terms,
    /// What names stand for: variables and definitions without parameters.
    names: FxHashMap<String, TermId>,
    macros: FxHashMap<String, Macro>,
    sorts: FxHashMap<String, Sort>,
    declared: Vec<(String, TermId)>,
    next: Vec<(TermId, TermId)>,
    init: Vec<TermId>,
    trans: Vec<TermId>,
    invariants: Vec<(String, TermId)>,
    live: Vec<TermId>,
    maps: maps::Annotations,
}

#[derive(Clone)]
struct Macro {
    parameters: Vec<String>,
    body: Sexpr,
}

fn wrong<T>(at: &Sexpr, message: impl Into<String>) -> Result<T, Wrong> {
    Err((at.offset, message.into()))
}

impl Reader {
    fn command(&mut self, command: &Sexpr) -> Result<(), Wrong> {
        match command.call() {
            Some(("set-info" | "set-logic" | "set-option" | "exit" | "check-sat" | "push" | "pop", _)) => {
                Ok(())
            }
            Some(("declare-fun", [name, parameters, sort]))
                if parameters.list().is_some_and(<[_]>::is_empty) =>
            {
                self.declare(name, sort)
            }
            Some(("declare-const", [name, sort])) => self.declare(name, sort),
            Some(("declare-fun", [name, parameters, sort])) => self.declare_map(name, parameters, sort),
            Some(("declare-datatypes" | "declare-datatype", _)) => self.declare_enumerations(command),
            Some(("declare-sort", _)) => wrong(command, "sorts of the user are not taken yet"),
            Some(("define-sort", [name, parameters, sort]))
                if parameters.list().is_some_and(<[_]>::is_empty) =>
            {
                let sort = self.sort(sort)?;
                self.sorts.insert(name.atom().unwrap_or_default().to_string(), sort);
                Ok(())
            }
            Some(("define-fun", [name, parameters, _, body])) => self.define(name, parameters, body),
            Some(("assert", [formula])) => match self.term(formula, &FxHashMap::default(), 0)? {
                truth if self.terms.as_constant(truth) == Some(&Value::Bool(true)) => Ok(()),
                _ => wrong(command, "only `(assert true)` belongs into a transition system"),
            },
            _ => wrong(command, "this is no command of VMT-LIB"),
        }
    }

    fn declare(&mut self, name: &Sexpr, sort: &Sexpr) -> Result<(), Wrong> {
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        let sort = self.sort(sort)?;
        self.add_variable(text, sort);
        Ok(())
    }

    fn add_variable(&mut self, text: &str, sort: Sort) {
        let variable = self.terms.variable(text, sort);
        self.names.insert(text.to_string(), variable);
        self.declared.push((text.to_string(), variable));
    }

    fn define(&mut self, name: &Sexpr, parameters: &Sexpr, body: &Sexpr) -> Result<(), Wrong> {
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        let parameters = parameters.list().unwrap_or_default();
        if !parameters.is_empty() {
            let parameter = |p: &Sexpr| p.list().and_then(|p| p.first()?.atom()).map(str::to_string);
            let parameters = parameters.iter().filter_map(parameter).collect();
            self.macros.insert(text.to_string(), Macro { parameters, body: body.clone() });
            return Ok(());
        }
        let (formula, annotations) = match body.call() {
            Some(("!", [formula, annotations @ ..])) => (formula, annotations),
            _ => (body, [].as_slice()),
        };
        let term = self.term(formula, &FxHashMap::default(), 0)?;
        self.names.insert(text.to_string(), term);
        for pair in annotations.chunks(2) {
            self.annotate(text, term, pair)?;
        }
        Ok(())
    }

    fn annotate(&mut self, name: &str, term: TermId, pair: &[Sexpr]) -> Result<(), Wrong> {
        let [key, value] = pair else { return wrong(&pair[0], "this annotation has no value") };
        match key.atom() {
            Some(":next") => {
                let next = self.term(value, &FxHashMap::default(), 0)?;
                if !self.terms.is_variable(next) || self.terms.sort(next) != self.terms.sort(term) {
                    return wrong(value, "the next value is a variable of the same sort");
                }
                self.next.push((term, next));
            }
            Some(":init") => self.init.push(term),
            Some(":trans") => self.trans.push(term),
            Some(":invar-property") => self.invariants.push((name.to_string(), term)),
            Some(":live-property") => self.live.push(term),
            Some(key) => self.annotate_maps(name, term, key, value)?,
            None => {}
        }
        Ok(())
    }

    fn sort(&mut self, sort: &Sexpr) -> Result<Sort, Wrong> {
        match (sort.atom(), sort.list()) {
            (Some("Bool"), _) => Ok(Sort::Bool),
            (Some("Int"), _) => Ok(Sort::Int),
            (Some("Real"), _) => Ok(Sort::Real),
            (Some(name), _) if self.sorts.contains_key(name) => Ok(self.sorts[name].clone()),
            (_, Some([head, kind, width])) if head.is("_") && kind.is("BitVec") => {
                match width.atom().and_then(|w| w.parse().ok()).filter(|&w: &u32| w > 0) {
                    Some(width) => Ok(Sort::BitVec(width)),
                    None => wrong(width, "a width is a positive number"),
                }
            }
            (_, Some([head, index, element])) if head.is("Array") => {
                Ok(Sort::array(self.sort(index)?, self.sort(element)?))
            }
            (_, Some([head, arguments @ .., result])) if head.is("->") && !arguments.is_empty() => {
                self.map_sort(arguments, result)
            }
            _ => wrong(sort, format!("the sort {sort} is not known")),
        }
    }

    fn term(
        &mut self,
        text: &Sexpr,
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        if depth > DEEPEST {
            return wrong(text, format!("terms are nested more than {DEEPEST} deep"));
        }
        if let Some(atom) = text.atom() {
            return self.atom(text, atom, local);
        }
        match text.list() {
            Some([head, rest @ ..]) => match head.atom() {
                Some("let") => self.bind(text, rest, local, depth),
                Some("!") if !rest.is_empty() => self.term(&rest[0], local, depth + 1),
                Some("_") if rest.first().is_some_and(|f| self.is_map(f, local)) => {
                    self.call(text, &rest[0], &rest[1..], local, depth)
                }
                Some("_") => self.literal_word(text),
                Some("lambda") => self.lambda(text, rest, local, depth),
                Some(_) if self.is_map(head, local) => self.call(text, head, rest, local, depth),
                Some(quantifier @ ("forall" | "exists")) => {
                    wrong(text, format!("{quantifier} is not taken yet: systems without quantifiers only"))
                }
                Some(name) if self.macros.contains_key(name) => self.expand(text, name, rest, local, depth),
                Some(name) => {
                    let operands = self.terms_of(rest, local, depth)?;
                    self.apply(text, name, [0, 0], &operands)
                }
                None => {
                    let operands = self.terms_of(rest, local, depth)?;
                    self.indexed(text, head, &operands)
                }
            },
            _ => wrong(text, "a term is expected here"),
        }
    }

    fn terms_of(
        &mut self,
        texts: &[Sexpr],
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<Vec<TermId>, Wrong> {
        texts.iter().map(|t| self.term(t, local, depth + 1)).collect()
    }

    fn atom(&mut self, text: &Sexpr, atom: &str, local: &FxHashMap<String, TermId>) -> Result<TermId, Wrong> {
        if let Some(&term) = local.get(atom).or_else(|| self.names.get(atom)) {
            return Ok(term);
        }
        let number = |a: &str| a.starts_with(|c: char| c.is_ascii_digit());
        let value = match atom {
            "true" | "false" => Some(Value::Bool(atom == "true")),
            _ if atom.starts_with("#b") => word(text, atom.len() as u32 - 2),
            _ if atom.starts_with("#x") => word(text, 4 * (atom.len() as u32 - 2)),
            _ if number(atom) && atom.contains('.') => read_value(text, &Sort::Real).ok(),
            _ if number(atom) => read_value(text, &Sort::Int).ok(),
            _ => None,
        };
        match value {
            Some(value) => Ok(self.terms.constant(value)),
            None => wrong(text, format!("{atom} is not declared")),
        }
    }

    /// `(_ bv5 8)`
    fn literal_word(&mut self, text: &Sexpr) -> Result<TermId, Wrong> {
        let width = text.list().and_then(|l| l.get(2)?.atom()?.parse().ok()).filter(|&w: &u32| w > 0);
        match width.and_then(|w| word(text, w)) {
            Some(value) => Ok(self.terms.constant(value)),
            None => wrong(text, format!("{text} is not known")),
        }
    }

    fn bind(
        &mut self,
        text: &Sexpr,
        rest: &[Sexpr],
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        let [bindings, body] = rest else { return wrong(text, "let has bindings and a body") };
        let mut inner = local.clone();
        for binding in bindings.list().unwrap_or_default() {
            match binding.list() {
                Some([name, value]) if name.atom().is_some() => {
                    let value = self.term(value, local, depth + 1)?;
                    inner.insert(name.atom().unwrap_or_default().to_string(), value);
                }
                _ => return wrong(binding, "a binding is a name and a term"),
            }
        }
        self.term(body, &inner, depth + 1)
    }

    fn expand(
        &mut self,
        text: &Sexpr,
        name: &str,
        rest: &[Sexpr],
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        let Macro { parameters, body } = self.macros[name].clone();
        if parameters.len() != rest.len() {
            return wrong(text, format!("{name} has {} arguments", parameters.len()));
        }
        let arguments = self.terms_of(rest, local, depth)?;
        let inner = parameters.into_iter().zip(arguments).collect();
        self.term(&body, &inner, depth + 1)
    }

    /// `((_ extract 7 4) x)`, `((as const (Array Int Int)) 0)`
    fn indexed(&mut self, text: &Sexpr, head: &Sexpr, operands: &[TermId]) -> Result<TermId, Wrong> {
        match head.list() {
            Some([first, constant, sort]) if first.is("as") && constant.is("const") => {
                match (self.sort(sort)?, operands) {
                    (Sort::Array(array), &[element]) if *self.terms.sort(element) == array.element => {
                        Ok(self.terms.constant_array(array.index.clone(), element))
                    }
                    _ => wrong(text, "a constant array has one element of its sort"),
                }
            }
            Some([first, name, numbers @ ..]) if first.is("_") && numbers.len() <= 2 => {
                let mut indices = [0, 0];
                for (index, number) in indices.iter_mut().zip(numbers) {
                    match number.atom().and_then(|n| n.parse().ok()) {
                        Some(n) => *index = n,
                        None => return wrong(number, "an index is a number"),
                    }
                }
                self.apply(text, name.atom().unwrap_or_default(), indices, operands)
            }
            _ => wrong(head, format!("{head} is not known")),
        }
    }

    /// The first operator of this name that takes these operands; chains and folds of binary ones.
    fn apply(
        &mut self,
        text: &Sexpr,
        name: &str,
        indices: [u32; 2],
        operands: &[TermId],
    ) -> Result<TermId, Wrong> {
        let operands = &self.widened(name, operands);
        for op in Op::named(name) {
            if let Ok(term) = self.terms.apply_indexed(op, indices, operands) {
                return Ok(term);
            }
        }
        if operands.len() > 2 {
            let chain = matches!(name, "=" | "<" | "<=" | ">" | ">=");
            let pair = |reader: &mut Reader, a, b| reader.apply(text, name, indices, &[a, b]);
            if chain {
                let mut links = Vec::new();
                for window in operands.windows(2) {
                    links.push(pair(self, window[0], window[1])?);
                }
                return Ok(self.terms.all(&links));
            }
            if name == "=>" {
                let last = operands[operands.len() - 1];
                return operands[..operands.len() - 1].iter().rev().try_fold(last, |b, &a| pair(self, a, b));
            }
            return operands[1..].iter().try_fold(operands[0], |a, &b| pair(self, a, b));
        }
        let sorts: Vec<String> = operands.iter().map(|&t| self.terms.sort(t).to_string()).collect();
        wrong(text, format!("there is no operator {name} on {}", sorts.join(", ")))
    }

    /// Integers that stand among reals are reals, as many writers have it.
    fn widened(&mut self, name: &str, operands: &[TermId]) -> Vec<TermId> {
        let real = |t: &TermId| *self.terms.sort(*t) == Sort::Real;
        let mixed = name == "/" || operands.iter().any(real);
        if !mixed || matches!(name, "ite" | "select" | "store" | "to_int" | "is_int") {
            return operands.to_vec();
        }
        let widen = |&t: &TermId| match (self.terms.sort(t), self.terms.as_constant(t)) {
            (Sort::Int, Some(Value::Int(n))) => {
                let n: BigInt = n.clone();
                self.terms.constant(Value::Real(BigRational::from(n)))
            }
            (Sort::Int, _) => self.terms.app(Op::ToReal, &[t]),
            _ => t,
        };
        operands.iter().map(widen).collect()
    }

    fn finish(mut self) -> Result<Vmt, Diagnostic> {
        if self.trans.is_empty() {
            return Err(Diagnostic::new("no formula is annotated with :trans"));
        }
        let next_of: FxHashMap<TermId, TermId> = self.next.iter().copied().collect();
        let changing = |(state, next): &(TermId, TermId)| (state != next).then_some(*next);
        let nexts: FxHashSet<TermId> = self.next.iter().filter_map(changing).collect();
        let trans = conjuncts(&self.terms, &self.trans);
        let init = conjuncts(&self.terms, &self.init);
        let (functions, relation) = equations(&mut self.terms, &trans, &nexts, closed_over(&nexts));
        let states: FxHashSet<TermId> = next_of.keys().copied().collect();
        let (starts, start) = match self.maps.used {
            true => equations(&mut self.terms, &init, &states, maps::acyclic),
            false => equations(&mut self.terms, &init, &states, |terms, _, _, value| {
                terms.free_variables([value]).is_empty()
            }),
        };
        let relation = self.terms.substitute(&relation, &functions);
        let mut system = System { terms: std::mem::take(&mut self.terms), ..System::default() };
        for (name, variable) in &self.declared {
            let label = Label::new(name.as_str());
            if let Some(next) = next_of.get(variable) {
                let next = functions.get(next).copied().unwrap_or(*next);
                let init = starts.get(variable).copied();
                let state =
                    buttress_system::words::State { variable: *variable, init, next: Some(next), label };
                system.states.push(state);
            } else if !functions.contains_key(variable) {
                system.inputs.push(buttress_system::words::Input { variable: *variable, label });
            }
        }
        constrain(&mut system, &relation, &start);
        for (name, invariant) in &self.invariants {
            let bad = system.terms.not(*invariant);
            system.properties.push(Property {
                bad,
                kind: PropertyKind::Invariant,
                label: Label::new(name.as_str()),
            });
        }
        system.validate().map_err(|fault| Diagnostic::new(fault.to_string()))?;
        let indexed = self.maps.used.then(|| self.maps.indexed(&system));
        let valid = indexed.as_ref().map_or(Ok(()), Indexed::validate);
        valid.map_err(|fault| Diagnostic::new(fault.to_string()))?;
        Ok(Vmt { system: Arc::new(system), live: self.live, indexed })
    }
}

fn word(text: &Sexpr, width: u32) -> Option<Value> {
    (width > 0).then(|| read_value(text, &Sort::BitVec(width)).ok())?
}

/// The parts of nested conjunctions.
fn conjuncts(terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut todo: Vec<TermId> = formulas.iter().rev().copied().collect();
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::Apply(Op::And, _, operands) => todo.extend(operands.iter().rev()),
            _ => parts.push(term),
        }
    }
    parts
}

/// Values that variables were given so far.
type Values = FxHashMap<TermId, TermId>;

/// Whether a value reads none of these.
fn closed_over(wanted: &FxHashSet<TermId>) -> impl Fn(&Terms, &Values, TermId, TermId) -> bool {
    |terms, _, _, value| !terms.free_variables([value]).iter().any(|v| wanted.contains(v))
}

/// Conjuncts that give one of `wanted` a value that fits, each once; and the rest.
fn equations(
    terms: &mut Terms,
    conjuncts: &[TermId],
    wanted: &FxHashSet<TermId>,
    fits: impl Fn(&Terms, &Values, TermId, TermId) -> bool,
) -> (FxHashMap<TermId, TermId>, Vec<TermId>) {
    let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut rest = Vec::new();
    for &conjunct in conjuncts {
        let pair = match terms.node(conjunct) {
            Node::Variable(_) => Some((conjunct, None, true)),
            Node::Apply(Op::Not, _, &[a]) if terms.is_variable(a) => Some((a, None, false)),
            Node::Apply(Op::Eq, _, &[a, b]) if wanted.contains(&a) => Some((a, Some(b), true)),
            Node::Apply(Op::Eq, _, &[a, b]) if wanted.contains(&b) => Some((b, Some(a), true)),
            _ => None,
        };
        let pair = pair.filter(|(variable, ..)| wanted.contains(variable) && !values.contains_key(variable));
        let pair =
            pair.map(|(variable, value, truth)| (variable, value.unwrap_or_else(|| terms.bool(truth))));
        match pair.filter(|&(variable, value)| fits(terms, &values, variable, value)) {
            Some((variable, value)) => drop(values.insert(variable, value).is_none()),
            None => rest.push(conjunct),
        }
    }
    (values, rest)
}

/// What is left of the relation and of the start, as states and constraints.
fn constrain(system: &mut System, relation: &[TermId], start: &[TermId]) {
    let named = |term, name: &str| buttress_system::words::Named { term, label: Label::new(name) };
    if !relation.is_empty() {
        let so_far = system.add_state(Sort::Bool, Label::new("trans holds"));
        let variable = system.state(so_far).variable;
        let steps: Vec<TermId> = [&[variable], relation].concat();
        let next = system.terms.all(&steps);
        let truth = system.terms.bool(true);
        let state = &mut system.states[so_far.index()];
        (state.init, state.next) = (Some(truth), Some(next));
        system.constraints.push(named(variable, "trans"));
    }
    if !start.is_empty() {
        let first = system.add_state(Sort::Bool, Label::new("at the start"));
        let variable = system.state(first).variable;
        let (truth, falsity) = (system.terms.bool(true), system.terms.bool(false));
        let state = &mut system.states[first.index()];
        (state.init, state.next) = (Some(truth), Some(falsity));
        let start = system.terms.all(start);
        let holds = system.terms.implies(variable, start);
        system.constraints.push(named(holds, "init"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: &str = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun up () Bool)
(define-fun .x () Int (! x :next y))
(define-fun .i () Bool (! (and (= x 0) (<= x 5)) :init true))
(define-fun .t () Bool (! (and (= y (ite up (+ x 1) x)) (< x 9)) :trans true))
(define-fun p () Bool (! (<= x 9) :invar-property 0))
";

    #[test]
    fn equations_become_functions_and_the_rest_constraints() {
        let system = read(COUNTER).unwrap_or_else(|d| panic!("{}", d.render("counter.vmt"))).system;
        let names: Vec<&str> = system.states.iter().map(|s| &*s.label.name).collect();
        assert_eq!(names, ["x", "trans holds", "at the start"]);
        assert!(system.states[0].init.is_some() && system.inputs.len() == 1);
        assert_eq!((system.constraints.len(), system.properties.len()), (2, 1));
    }

    #[test]
    fn what_is_not_taken_is_refused_with_its_place() {
        for (text, line, column) in [
            ("(declare-fun x () Int)\n(define-fun p () Bool (forall ((i Int)) (= i x)))", 2, 23),
            ("(declare-fun x () Int)\n(define-fun p () Bool (= x z))", 2, 28),
            ("(declare-fun x () Int))", 1, 23),
            ("(declare-fun x () Colour)", 1, 19),
            ("(foo)", 1, 1),
        ] {
            let told = read(text).err().expect("refused").render("m.vmt");
            assert!(told.starts_with(&format!("m.vmt:{line}:{column}:")), "{text}: {told}");
        }
        assert!(read("(declare-fun x () Int").is_err());
    }
}
