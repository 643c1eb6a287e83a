//! VMT-LIB: transition systems as SMT-LIB 2 with annotations, without quantifiers.
//!
//! `(! x :next y)` pairs a variable with its next value, `:init` and `:trans` name the formulas,
//! `:invar-property` a property that holds always, `:live-property` one that holds from some step on (`F G p`);
//! what has no next value is an input. The relation becomes functions where it says so: a conjunct `(= y e)` of
//! the transition, with no next value in e, is the `next` of x, and likewise for the start. What is left of the
//! transition goes into a state `trans holds`, true as long as every step so far was a step of the relation,
//! which is a constraint: so the last state of a trace needs no successor. A next value that no equation gives
//! is an input.
//!
//! A function with arguments that has no next value never changes: it is an array, a state that keeps its value. A
//! sort that is only declared is the integers: without quantifiers nothing can be said that infinitely many
//! elements do not satisfy where some set of elements does, and of elements nothing can be said but that they are
//! equal.
//!
//! Maps with a next value, lambda, index symbols and predicates make the model an [`Indexed`] one: see [`maps`].
//!
//! Refused, with their place: quantifiers; declared sorts in a model with maps.

mod maps;

mod writer;

use std::sync::Arc;

use buttress_system::indexed::Indexed;
use buttress_system::words::{Label, System};
use buttress_term::sexpr::{self, Sexpr, SexprError};
use buttress_term::{Sort, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Diagnostic;
use crate::relation::{closed_over, conjuncts, equations};
use crate::smtlib::{Smtlib, Wrong, at, begins, expressions, wrong};
use crate::terms::TermReader;

pub use writer::write;

/// A model, and its liveness properties.
pub struct Vmt {
    pub system: Arc<System>,
    /// By name, what holds from some step on, on each infinite execution, negated: it must not hold again and
    /// again.
    pub live: Vec<(String, TermId)>,
    /// The indexed model with its predicates and axioms, where the model has maps; its system is `system`.
    pub indexed: Option<Indexed>,
}

/// Whether a text looks like VMT-LIB: like nothing else that begins with a parenthesis.
pub fn looks_like(text: &str) -> bool {
    begins(text)
}

/// Reads a model.
pub fn read(text: &str) -> Result<Vmt, Diagnostic> {
    let commands = expressions(text)?;
    let mut reader = Reader::default();
    for command in &commands {
        reader.command(command).map_err(|(offset, message)| at(text, offset, &message))?;
    }
    if let Some(&sort) = reader.sorts.first().filter(|_| reader.smt.maps) {
        return Err(at(text, sort, "sorts of the user are not taken yet in a model with maps"));
    }
    reader.finish()
}

/// A Boolean term that begins at this byte, over what has a name in a system.
pub fn read_claim(text: &str, offset: usize, system: &mut System) -> Result<TermId, Diagnostic> {
    let term = read_term(text, offset, system)?;
    if *system.terms.sort(term) != Sort::Bool {
        return Err(at(text, offset, "this term is not Boolean"));
    }
    Ok(term)
}

/// A term of any sort over the variables of a system, in the same way.
pub fn read_term(text: &str, offset: usize, system: &mut System) -> Result<TermId, Diagnostic> {
    let (claim, _) = sexpr::read(text, offset).map_err(|error| match error {
        SexprError::Incomplete => at(text, offset, "this term is not closed"),
        SexprError::Unopened(offset) => at(text, offset, "this parenthesis closes nothing"),
    })?;
    let mut reader = TermReader::over(system);
    let wrong = |(offset, message): Wrong| at(text, offset, &message);
    let term = reader.smtlib().closed_term(&claim).map_err(wrong)?;
    system.terms = reader.into_terms();
    Ok(term)
}

#[derive(Default)]
struct Reader {
    smt: Smtlib,
    declared: Vec<(String, TermId)>,
    next: Vec<(TermId, TermId)>,
    init: Vec<TermId>,
    trans: Vec<TermId>,
    invariants: Vec<(String, TermId)>,
    live: Vec<(String, TermId)>,
    /// Functions with arguments.
    functions: Vec<TermId>,
    /// Where sorts are declared.
    sorts: Vec<usize>,
    maps: maps::Annotations,
}

impl Reader {
    fn command(&mut self, command: &Sexpr) -> Result<(), Wrong> {
        match command.call() {
            Some(("set-logic", [logic])) => {
                self.smt.set_logic(logic);
                Ok(())
            }
            Some(("set-info" | "set-option" | "exit" | "check-sat" | "push" | "pop", _)) => Ok(()),
            Some(("declare-fun", [name, parameters, sort]))
                if parameters.list().is_some_and(<[_]>::is_empty) =>
            {
                self.declare(name, sort)
            }
            Some(("declare-const", [name, sort])) => self.declare(name, sort),
            Some(("declare-fun", [name, parameters, sort])) => self.declare_map(name, parameters, sort),
            Some(("declare-datatypes" | "declare-datatype", _)) => self.smt.declare_enumerations(command),
            Some(("declare-sort", [name, arity])) => {
                self.sorts.push(command.offset);
                self.smt.declare_sort(name, arity)
            }
            Some(("define-sort", [name, parameters, sort])) => self.smt.define_sort(name, parameters, sort),
            Some(("define-fun", [name, parameters, _, body])) => self.define(name, parameters, body),
            Some(("assert", [formula])) => match self.smt.closed_term(formula)? {
                truth if self.smt.terms.as_constant(truth) == Some(&Value::Bool(true)) => Ok(()),
                _ => wrong(command, "only `(assert true)` belongs into a transition system"),
            },
            _ => wrong(command, "this is no command of VMT-LIB"),
        }
    }

    fn declare(&mut self, name: &Sexpr, sort: &Sexpr) -> Result<(), Wrong> {
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        let sort = self.smt.sort(sort)?;
        self.is_new(name, text)?;
        self.add_variable(text, sort);
        Ok(())
    }

    fn add_variable(&mut self, text: &str, sort: Sort) {
        let variable = self.smt.terms.variable(text, sort);
        self.smt.names.insert(text.to_string(), variable);
        self.declared.push((text.to_string(), variable));
    }

    fn define(&mut self, name: &Sexpr, parameters: &Sexpr, body: &Sexpr) -> Result<(), Wrong> {
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        self.is_new(name, text)?;
        let parameters = parameters.list().unwrap_or_default();
        if !parameters.is_empty() {
            self.smt.define_macro(text, parameters, body);
            return Ok(());
        }
        let (formula, annotations) = match body.call() {
            Some(("!", [formula, annotations @ ..])) => (formula, annotations),
            _ => (body, [].as_slice()),
        };
        let term = self.smt.closed_term(formula)?;
        self.smt.names.insert(text.to_string(), term);
        for pair in annotations.chunks(2) {
            self.annotate(text, term, pair)?;
        }
        Ok(())
    }

    fn annotate(&mut self, name: &str, term: TermId, pair: &[Sexpr]) -> Result<(), Wrong> {
        let [key, value] = pair else { return wrong(&pair[0], "this annotation has no value") };
        let boolean = *self.smt.terms.sort(term) == Sort::Bool;
        match key.atom() {
            Some(":init" | ":trans" | ":invar-property" | ":live-property") if !boolean => {
                return wrong(value, "this is said of a Boolean term");
            }
            Some(":next") if !self.smt.terms.is_variable(term) => {
                return wrong(value, "only a variable has a next value");
            }
            Some(":next") => {
                // Some writers declare a next value nowhere else.
                if let Some(name) = value.atom().filter(|name| !self.smt.names.contains_key(*name)) {
                    self.add_variable(name, self.smt.terms.sort(term).clone());
                }
                let next = self.smt.closed_term(value)?;
                if !self.smt.terms.is_variable(next) || self.smt.terms.sort(next) != self.smt.terms.sort(term)
                {
                    return wrong(value, "the next value is a variable of the same sort");
                }
                self.pairs_once((term, next), value)?;
                self.smt.maps |= self.functions.contains(&term);
                self.next.push((term, next));
            }
            Some(":init") => self.init.push(term),
            Some(":trans") => self.trans.push(term),
            Some(":invar-property") => self.invariants.push((name.to_string(), term)),
            Some(":live-property") => self.live.push((name.to_string(), term)),
            Some(key) => self.annotate_maps(name, term, key, value)?,
            None => {}
        }
        Ok(())
    }

    /// A variable has one next value, which is that of no other and has none itself.
    fn pairs_once(&self, (state, next): (TermId, TermId), value: &Sexpr) -> Result<(), Wrong> {
        let others = || self.next.iter().filter(|pair| **pair != (state, next));
        match () {
            _ if others().any(|(other, _)| *other == state) => {
                wrong(value, "this variable has another next value already")
            }
            _ if others().any(|(_, other)| *other == next) => {
                wrong(value, "this is the next value of another variable already")
            }
            _ if state != next && others().any(|(a, b)| *a == next || *b == state) => {
                wrong(value, "a next value has no next value itself")
            }
            _ => Ok(()),
        }
    }

    /// A name stands for one thing.
    fn is_new(&self, name: &Sexpr, text: &str) -> Result<(), Wrong> {
        match self.smt.names.contains_key(text) || self.smt.is_macro(text) {
            true => wrong(name, format!("{text} is declared already")),
            false => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Vmt, Diagnostic> {
        if self.trans.is_empty() {
            return Err(Diagnostic::new("no formula is annotated with :trans"));
        }
        let next_of: FxHashMap<TermId, TermId> = self.next.iter().copied().collect();
        let changing = |(state, next): &(TermId, TermId)| (state != next).then_some(*next);
        let nexts: FxHashSet<TermId> = self.next.iter().filter_map(changing).collect();
        let trans = conjuncts(&self.smt.terms, &self.trans);
        let init = conjuncts(&self.smt.terms, &self.init);
        let (functions, relation) = equations(&mut self.smt.terms, &trans, &nexts, closed_over(&nexts));
        let states: FxHashSet<TermId> = next_of.keys().copied().collect();
        let (starts, start) = match self.smt.maps {
            true => equations(&mut self.smt.terms, &init, &states, maps::acyclic),
            false => equations(&mut self.smt.terms, &init, &states, |terms, _, _, value| {
                terms.free_variables([value]).is_empty()
            }),
        };
        let relation = self.smt.terms.substitute(&relation, &functions);
        let mut system = System { terms: std::mem::take(&mut self.smt.terms), ..System::default() };
        for (name, variable) in &self.declared {
            let label = Label::new(name.as_str());
            if self.functions.contains(variable) && !self.smt.maps {
                system.states.push(rigid(*variable, label));
            } else if let Some(next) = next_of.get(variable) {
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
            system.add_property(bad, Label::new(name.as_str()));
        }
        for (_, live) in &mut self.live {
            *live = system.terms.not(*live);
        }
        system.validate().map_err(|fault| Diagnostic::new(fault.to_string()))?;
        let indexed = self.smt.maps.then(|| self.maps.indexed(&system));
        let valid = indexed.as_ref().map_or(Ok(()), Indexed::validate);
        valid.map_err(|fault| Diagnostic::new(fault.to_string()))?;
        Ok(Vmt { system: Arc::new(system), live: self.live, indexed })
    }
}

/// A state that never changes, and starts with any value.
fn rigid(variable: TermId, label: Label) -> buttress_system::words::State {
    buttress_system::words::State { variable, init: None, next: Some(variable), label }
}

/// Adds the rest of the transition relation and of the initial condition as states and constraints.
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
    fn a_next_value_may_be_declared_by_its_annotation() {
        let text = COUNTER.replace("(declare-fun y () Int)", "");
        let system = read(&text).unwrap_or_else(|d| panic!("{}", d.render("counter.vmt"))).system;
        assert!(system.states[0].next.is_some() && system.inputs.len() == 1);
        let free = "(declare-fun b () Bool)(define-fun .b () Bool (! b :next c))
(define-fun .t () Bool (! true :trans true))";
        let system = read(free).unwrap_or_else(|d| panic!("{}", d.render("free.vmt"))).system;
        assert_eq!(system.states[0].next, Some(system.inputs[0].variable));
    }

    const ABSTRACT: &str = "(declare-sort Memory 0)(declare-fun read (Memory Int) Int)
(declare-fun write (Memory Int Int) Memory)
(declare-fun m () Memory)(declare-fun n () Memory)(declare-fun a () Int)
(define-fun .m () Memory (! m :next n))
(define-fun .i () Bool (! (= (read m 0) 1) :init true))
(define-fun .t () Bool (! (= n (write m a 2)) :trans true))
(define-fun p () Bool (! (= (read m 0) 1) :invar-property 0))
";

    #[test]
    fn functions_without_next_value_never_change() {
        let Vmt { system, indexed, .. } = read(ABSTRACT).unwrap_or_else(|d| panic!("{}", d.render("m.vmt")));
        assert!(indexed.is_none());
        let keeps = |s: &&buttress_system::words::State| s.next == Some(s.variable) && s.init.is_none();
        let rigid: Vec<&str> = system.states.iter().filter(keeps).map(|s| &*s.label.name).collect();
        assert_eq!(rigid, ["read", "write"]);
        assert_eq!(*system.terms.sort(system.states[2].variable), Sort::Int);
    }

    /// Written out as text, the last of these would have 2^60 parts.
    #[test]
    fn functions_with_parameters_share_what_they_are() {
        let mut text = "(define-fun f0 ((a Int)) Int (+ a 1))".to_string();
        for n in 1..=60 {
            let before = n - 1;
            text += &format!("(define-fun f{n} ((a Int)) Int (+ (f{before} a) (f{before} a)))");
        }
        text += "(declare-fun x () Int)(define-fun t () Bool (! (= (f60 x) (f60 x)) :trans true))";
        let system = read(&text).unwrap_or_else(|d| panic!("{}", d.render("m.vmt"))).system;
        assert!(system.terms.len() < 200, "{}", system.terms.len());
    }

    #[test]
    fn what_is_not_taken_is_refused_with_its_place() {
        for (text, line, column) in [
            ("(declare-fun x () Int)\n(define-fun p () Bool (forall ((i Int)) (= i x)))", 2, 23),
            ("(declare-fun x () Int)\n(define-fun p () Bool (= x z))", 2, 28),
            ("(declare-fun x () Int))", 1, 23),
            ("(declare-fun x () Colour)", 1, 19),
            ("(foo)", 1, 1),
            ("(declare-sort S 1)", 1, 17),
            ("(declare-fun x () Int)\n(declare-sort S 0)(define-fun p () Int (! x :index true))", 2, 1),
        ] {
            let told = read(text).err().expect("refused").render("m.vmt");
            assert!(told.starts_with(&format!("m.vmt:{line}:{column}:")), "{text}: {told}");
        }
        assert!(read("(declare-fun x () Int").is_err());
    }
}
