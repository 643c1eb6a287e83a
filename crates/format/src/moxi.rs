//! MoXI, the model exchange interlingua (Johannsen, Nukala, Dureja, Irfan, Shankar, Tinelli, Vardi & Rozier,
//! *Symbolic Model-Checking Intermediate-Language Tool Suite*, CAV 2024; the draft of 2024-03-16 of its
//! definition): systems as SMT-LIB 2 formulas, composed of other systems, and queries about them. Without
//! quantifiers.
//!
//! With I, T, P the conjunctions of `:init`, `:trans`, `:inv` of a system and of its parts, v its variables and v'
//! their next values, an execution is v₀ v₁ … with I(v₀), P(vₜ) and T(vₜ,vₜ₊₁) for all t. A query names
//! assumptions A and goals R. It is satisfiable iff some execution has, for some n, A(vₜ,vₜ₊₁) for all t ≤ n and
//! each R(vₜ,vₜ₊₁) for some t ≤ n. So **the last state has a successor**, in contrast to the other formats. A
//! query is a property: its trace exists (`falsified`), or no execution is one (`proved`).
//!
//! [`define`] and [`check`] read the two commands, [`assemble`](mod@assemble) makes a system of states, inputs and
//! constraints.
//!
//! * `:queries` asks for one interpretation of the constants for all of its queries; refused where there are
//!   constants.
//! * A query with `:fairness` is about infinite executions that meet each of these conditions again and again,
//!   with A in every step and each R in some: a justice property, with a signal more that says the latter.
//! * `:current` is an initial condition in the place of I; P holds in its state, too, where the draft leaves it
//!   open.
//! * Repeated, `:inv` is a conjunction and `:trans` a disjunction, as in the tool suite.
//! * A formula may stand in parentheses of its own, as in older drafts.
//!
//! Refused, with their place: quantifiers, sorts and functions of the user, data types with arguments,
//! `OnlyChange`.

mod assemble;
mod check;
mod define;

use std::sync::Arc;

use buttress_system::words::{Span, System};
use buttress_term::TermId;
use buttress_term::sexpr::Sexpr;
use rustc_hash::FxHashMap;

use crate::Diagnostic;
use crate::smtlib::{Smtlib, Wrong, at, begins, expressions, position, wrong};

use assemble::assemble;
use check::Check;
use define::Defined;

/// A model, and its liveness properties.
pub struct Moxi {
    pub system: Arc<System>,
    /// Of each query with fairness, what an execution that it asks for meets again and again.
    pub justice: Vec<Vec<TermId>>,
    pub justice_names: Vec<String>,
}

/// Whether a text looks like MoXI.
pub fn looks_like(text: &str) -> bool {
    begins(text) && ["define-system", "check-system"].iter().any(|command| text.contains(command))
}

/// Reads a model. Without a `check-system` it is the last system, which nothing is asked about.
pub fn read(text: &str) -> Result<Moxi, Diagnostic> {
    let commands = expressions(text)?;
    let mut reader = Reader { text, ..Reader::default() };
    let placed = |(offset, message): Wrong| at(text, offset, &message);
    for command in &commands {
        reader.command(command).map_err(placed)?;
    }
    if reader.checks.is_empty()
        && let Some(last) = reader.systems.len().checked_sub(1)
    {
        let check = reader.unasked(last).map_err(placed)?;
        reader.checks.push(check);
    }
    assemble(reader).map_err(placed)
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    smt: Smtlib,
    /// Variables that never change, by name.
    constants: Vec<(String, TermId)>,
    systems: Vec<Defined>,
    names: FxHashMap<String, usize>,
    checks: Vec<Check>,
}

impl Reader<'_> {
    fn command(&mut self, command: &Sexpr) -> Result<(), Wrong> {
        match command.call() {
            Some(("set-logic", [logic])) => {
                self.smt.set_logic(logic);
                Ok(())
            }
            Some(("set-info" | "set-option" | "exit", _)) => Ok(()),
            Some(("declare-const", [name, sort])) => self.declare(name, sort),
            Some(("declare-fun", [name, parameters, sort]))
                if parameters.list().is_some_and(<[_]>::is_empty) =>
            {
                self.declare(name, sort)
            }
            Some(("declare-fun", _)) => wrong(command, "functions of the user are not taken yet"),
            Some(("declare-sort", _)) => wrong(command, "sorts of the user are not taken yet"),
            Some(("define-sort", [name, parameters, sort])) => self.smt.define_sort(name, parameters, sort),
            Some(("declare-enum-sort", [name, constants])) => self.smt.declare_enumeration(name, constants),
            Some(("declare-datatypes" | "declare-datatype", _)) => self.smt.declare_enumerations(command),
            Some(("define-fun", [name, parameters, sort, body])) => {
                self.define_function(name, parameters, sort, body)
            }
            Some(("define-system", [name, attributes @ ..])) => self.define_system(name, attributes),
            Some(("check-system", [name, attributes @ ..])) => self.check_system(name, attributes),
            _ => wrong(command, "this is no command of MoXI"),
        }
    }

    fn declare(&mut self, name: &Sexpr, sort: &Sexpr) -> Result<(), Wrong> {
        let text = self.new_name(name)?.to_string();
        let sort = self.smt.sort(sort)?;
        let constant = self.smt.terms.variable(&*text, sort);
        self.smt.names.insert(text.clone(), constant);
        self.constants.push((text, constant));
        Ok(())
    }

    fn define_function(
        &mut self,
        name: &Sexpr,
        parameters: &Sexpr,
        sort: &Sexpr,
        body: &Sexpr,
    ) -> Result<(), Wrong> {
        let text = self.new_name(name)?.to_string();
        let Some(parameters) = parameters.list() else {
            return wrong(parameters, "parameters are expected here");
        };
        let sort = self.smt.sort(sort)?;
        if !parameters.is_empty() {
            self.smt.define_macro(&text, parameters, body);
            return Ok(());
        }
        let term = self.smt.closed_term(body)?;
        let term = self.smt.as_sort(term, &sort);
        if *self.smt.terms.sort(term) != sort {
            return wrong(body, format!("this is a {}, not a {sort}", self.smt.terms.sort(term)));
        }
        self.smt.names.insert(text, term);
        Ok(())
    }

    fn new_name<'b>(&self, name: &'b Sexpr) -> Result<&'b str, Wrong> {
        match name.atom() {
            Some(text) if text.ends_with('\'') => wrong(name, "a name ends in ' only as a next value"),
            Some(text) if self.smt.names.contains_key(text) => {
                wrong(name, format!("{text} is declared already"))
            }
            Some(text) => Ok(text),
            None => wrong(name, "a name is expected here"),
        }
    }

    /// Where an expression begins.
    fn span(&self, of: &Sexpr) -> Span {
        let place = position(self.text, of.offset);
        Span { line: place.line, column: place.column, end_line: place.line, end_column: place.column + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_where_it_is() {
        let system = "(define-system S :input ((i Int)) :output ((o Int)) :trans (= o' i))\n";
        for (text, line, column) in [
            ("(define-system S\n :inputs ())", 2, 2),
            ("(define-system S :input ((x Int))\n :input ((y Int)))", 2, 2),
            ("(define-system S :input ((x Int))\n :output ((x Int)))", 2, 11),
            ("(define-system S :input ((x' Int)))", 1, 26),
            ("(define-system S :local ((x Int))\n :init x)", 2, 8),
            ("(define-system S :local ((x Int))\n :init (= x y))", 2, 13),
            ("(define-system S :local ((x Int))\n :inv (forall ((y Int)) (= x y)))", 2, 7),
            ("(define-system S :local ((x Int))\n :inv (= x' 1))", 2, 10),
            ("(define-system S :local ((x Int))\n :subsys (p (T x)))", 2, 13),
            ("(define-system S)\n(define-system S)", 2, 16),
            ("(define-system S\n :init)", 2, 2),
            ("(check-system T)", 1, 15),
            ("(define-system S)\n(declare-fun f (Int) Int)", 2, 1),
            ("(define-system S)\n(declare-sort T 0)", 2, 1),
            ("(define-system S)\n(declare-datatype E (par (X) (a) (b (v X))))", 2, 21),
            ("(define-fun f () Int true)\n(define-system S)", 1, 22),
            (&format!("{system}(check-system S :input ((i Bool)))"), 2, 25),
            (&format!("{system}(check-system S :input ())"), 2, 24),
            (&format!("{system}(check-system S :query (q (r)))"), 2, 28),
            (&format!("{system}(check-system S :reachable (r (= o 1)) :reachable (r true))"), 2, 51),
            (&format!("{system}(check-system S :current (c (= o' 1)))"), 2, 32),
            (
                &format!("{system}(check-system S :current (c true) :current (d true) :query (q (c d)))"),
                2,
                60,
            ),
            (&format!("{system}(define-system T :input ((x Int)) :subsys (s (S x x)))"), 2, 51),
            (&format!("{system}(define-system T :input ((x Int)) :subsys (s (S x)))"), 2, 46),
        ] {
            let told = read(text).err().map(|d| d.render("m.moxi")).unwrap_or_default();
            assert!(told.starts_with(&format!("m.moxi:{line}:{column}:")), "{text}: {told}");
        }
    }

    #[test]
    fn relations_become_functions() {
        let text = "(define-system S :input ((i Int)) :output ((o Int) (p Int)) :local ((l Bool))
            :init (and (= o 0) (not l)) :inv (= p (+ o 1)) :trans (and (= o' (+ p i')) (= l' (< i 3))))";
        let system = read(text).unwrap_or_else(|d| panic!("{}", d.render("m.moxi"))).system;
        let names = |labels: Vec<&buttress_system::words::Label>| -> Vec<String> {
            labels.iter().map(|l| l.name.to_string()).collect()
        };
        assert_eq!(names(system.states.iter().map(|s| &s.label).collect()), ["i", "o", "l"]);
        assert_eq!(names(system.inputs.iter().map(|i| &i.label).collect()), ["i'"]);
        assert_eq!(names(system.definitions.iter().map(|d| &d.label).collect()), ["p"]);
        assert!(system.constraints.is_empty() && system.states[0].init.is_none());
        assert!(system.states[1..].iter().all(|s| s.init.is_some()));
    }

    #[test]
    fn parts_of_parts_of_parts_are_not_endless() {
        let mut text = String::from("(define-system S0 :local ((x Bool)))\n");
        for level in 1..40 {
            let below = level - 1;
            text += &format!("(define-system S{level} :subsys (a (S{below})) :subsys (b (S{below})))\n");
        }
        let told = read(&text).err().map(|d| d.render("m.moxi")).unwrap_or_default();
        assert!(told.contains("more than 1048576 variables"), "{told}");
    }

    #[test]
    fn no_text_is_a_danger() {
        let model = include_str!("../../../tests/golden/moxi/conditions.moxi");
        for end in (0..model.len()).filter(|&n| model.is_char_boundary(n)) {
            let _ = read(&model[..end]);
            let _ = read(&format!("{}{}", &model[..end], &model[(end + 7).min(model.len())..]));
        }
    }
}
