//! The identity of a model: SHA-256 of the system that its front end made.
//!
//! Of the system and not of the file: comments and layout do not count, the same circuit in ASCII and binary is
//! one model, and a file is the same whatever it is called. Names count, for they are how lemmas are written, but
//! for places in the file that a front end put into them; so does the order of everything, for numbers are how
//! facts are written. No option of a run is in it: none changes what holds in a model.

use std::fmt;
use std::io::{self, Write};

use buttress_format::aiger;
use buttress_format::terms::without_places;
use buttress_system::BitSystem;
use buttress_system::indexed::Indexed;
use buttress_system::words::{Label, State, System};
use buttress_term::{Node, TermId, Terms, smtlib};
use sha2::{Digest, Sha256};

use crate::problem::{Original, Problem};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelHash([u8; 32]);

impl ModelHash {
    pub fn of(problem: &Problem) -> ModelHash {
        let mut sum = Sum(Sha256::new());
        let written = match problem.original() {
            Original::Bits(system) => bits(system, &mut sum),
            Original::Words(system) => words(system, &mut sum),
            Original::Maps(model) => maps(model, &mut sum),
        };
        written.expect("a sum takes all");
        ModelHash(sum.0.finalize().into())
    }

    pub fn from_bytes(bytes: [u8; 32]) -> ModelHash {
        ModelHash(bytes)
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hexadecimal.
impl fmt::Display for ModelHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ModelHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Sum(Sha256);

impl Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn bits(system: &BitSystem, sum: &mut Sum) -> io::Result<()> {
    writeln!(sum, "bits")?;
    aiger::write_binary(system, &[], sum)
}

fn words(system: &System, sum: &mut Sum) -> io::Result<()> {
    writeln!(sum, "words")?;
    terms(&system.terms, sum)?;
    let at = |term: Option<TermId>| term.map_or(-1, |t| t.index() as i64);
    for input in &system.inputs {
        line(sum, "input", &[at(Some(input.variable))], &input.label)?;
    }
    for state in &system.states {
        let State { variable, init, next, label } = state;
        line(sum, "state", &[at(Some(*variable)), at(*init), at(*next)], label)?;
    }
    for definition in &system.definitions {
        let parts = [at(Some(definition.variable)), at(Some(definition.value))];
        line(sum, "definition", &parts, &definition.label)?;
    }
    for constraint in &system.constraints {
        line(sum, "constraint", &[at(Some(constraint.term))], &constraint.label)?;
    }
    for property in &system.properties {
        line(sum, "property", &[at(Some(property.bad))], &property.label)?;
    }
    Ok(())
}

fn maps(model: &Indexed, sum: &mut Sum) -> io::Result<()> {
    writeln!(sum, "maps")?;
    words(&model.system, sum)?;
    let of = |terms: &[TermId]| terms.iter().map(|t| t.index() as i64).collect::<Vec<_>>();
    let plain = Label::new("");
    line(sum, "indices", &of(&model.indices), &plain)?;
    line(sum, "instantiations", &of(&model.instantiations), &plain)?;
    for said in model.predicates.iter().chain(&model.axioms) {
        line(sum, "said", &[said.term.index() as i64], &said.label)?;
    }
    line(sum, "axioms", &[model.axioms.len() as i64], &plain)?;
    match &model.processes {
        Some(processes) => {
            line(sum, "processes", &[processes.size.index() as i64], &plain)?;
            line(sum, "who", &of(&processes.inputs), &plain)
        }
        None => Ok(()),
    }
}

/// Names are told by their length, so that no two lists look alike.
fn line(sum: &mut Sum, what: &str, parts: &[i64], label: &Label) -> io::Result<()> {
    let name = without_places(&label.name);
    writeln!(sum, "{what} {parts:?} {} {name}", name.len())
}

fn terms(terms: &Terms, sum: &mut Sum) -> io::Result<()> {
    for term in terms.ids() {
        match terms.node(term) {
            Node::Variable(name) => {
                let name = without_places(name);
                write!(sum, "variable {} {name}", name.len())?;
            }
            Node::Constant(value) => write!(sum, "constant {}", smtlib::value(value))?,
            Node::Apply(op, indices, operands) => {
                write!(sum, "{op:?} {indices:?}")?;
                operands.iter().try_for_each(|t| write!(sum, " {}", t.index()))?;
            }
        }
        // With the constants of enumerations.
        writeln!(sum, " {:?}", terms.sort(term))?;
    }
    Ok(())
}
