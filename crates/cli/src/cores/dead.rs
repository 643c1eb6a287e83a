//! `buttress dead`: code that is never reached, by trap properties (Section 1 of the paper).
//!
//! For each branch of each choice in an equation, the trap property says that it is never taken: its conditions never hold
//! together. A trap that is falsified gives a test vector, the inputs that lead there. A trap that is proved is dead code,
//! and its core says why.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use buttress_check::Evidence;
use buttress_lustre::table::show;
use buttress_solve::Stop;
use buttress_system::PropertyId;
use buttress_system::words::{Label, Property, PropertyKind, System, WordTrace};
use buttress_term::infix::infix;
use buttress_term::{Node, Op, TermId};
use rustc_hash::FxHashSet;

use super::prover::{Answered, Judge, Means, able, decide, within};
use super::report::name;
use super::subject::{Subject, place};
use crate::args::DeadArgs;
use crate::exit;
use crate::limits::{Limits, run_within};
use crate::model::Refused;

/// A branch, as a property of the extended system.
struct Trap {
    label: Label,
    condition: String,
}

pub fn dead(args: &DeadArgs) -> ExitCode {
    run_within(Limits::of_time(args.timeout), |stop| run(args, stop))
}

fn run(args: &DeadArgs, stop: &Stop) -> Result<u8, Refused> {
    let subject = Subject::load(&args.model, super::subject::Detail::Equations)?;
    let means = super::means_of(&[], None, None, 0, args.patience)?;
    able(&subject.system, &means)
        .map_err(|why| (exit::UNDECIDED, format!("{}: error: {why}", subject.path)))?;
    let (system, traps) = trapped(&subject.system);
    let (mut dead, mut open) = (0, 0);
    for (t, trap) in traps.iter().enumerate() {
        let property = PropertyId::new(subject.system.properties.len() + t);
        let (system, elements) = (&system, &subject.elements);
        let mut judge = Judge::new(system, elements, property, &means, stop);
        match answer(&system.clone().into(), property, &means, stop) {
            None => open += 1,
            Some(answered) => match answered.checked.evidence() {
                Evidence::Trace(trace) if args.vectors => print_vector(system, trap, trace),
                Evidence::Trace(_) => {}
                Evidence::Proof(_) => {
                    dead += 1;
                    print_dead(&subject, &mut judge, trap, &answered);
                }
            },
        }
    }
    println!(
        "{} branches: {dead} dead, {open} undecided, {} reached",
        traps.len(),
        traps.len() - dead - open
    );
    Ok(if open > 0 { exit::UNDECIDED } else { exit::PROVED })
}

fn answer(system: &Arc<System>, property: PropertyId, means: &Means, stop: &Stop) -> Option<Answered> {
    let answer = Mutex::new(None);
    let keep = |_, answered| *answer.lock().expect("no holder panics") = Some(answered);
    within(stop, means.patience, |own| decide(system, &[property], means, own, &keep));
    answer.into_inner().expect("no holder panics")
}

fn print_dead(subject: &Subject, judge: &mut Judge<'_>, trap: &Trap, answered: &Answered) {
    println!("{} {}: never {}", place(&trap.label), trap.label.name, trap.condition);
    let all = subject.elements.all();
    let core = answered.proof().and_then(|proof| judge.core(&all, proof, answered.vacuous()).ok().flatten());
    match core.filter(|core| judge.certify(core).is_ok()) {
        Some(core) => {
            let names: Vec<String> = core.elements.iter().map(|&e| name(subject, e)).collect();
            println!(
                "  because of {}",
                if names.is_empty() { "itself".to_string() } else { names.join(", ") }
            );
        }
        None => println!("  proved; the reason was not found"),
    }
}

/// The inputs that lead to a branch, a line a step.
fn print_vector(system: &System, trap: &Trap, trace: &WordTrace) {
    println!("{} {}: reached {}", place(&trap.label), trap.label.name, trap.condition);
    for (step, row) in trace.inputs.iter().enumerate() {
        let values = system.inputs.iter().zip(row);
        let shown = values.map(|(input, value)| {
            format!("{} = {}", input.label.name, value.as_ref().map_or_else(|| "any".to_string(), show))
        });
        println!("  step {step}: {}", shown.collect::<Vec<_>>().join(", "));
    }
}

/// The system with a property more for each branch.
fn trapped(system: &System) -> (System, Vec<Trap>) {
    let mut new = system.clone();
    let mut traps = Vec::new();
    for definition in &system.definitions {
        let mut branches = Branches {
            new: &mut new,
            traps: &mut traps,
            label: &definition.label,
            seen: FxHashSet::default(),
        };
        branches.visit(definition.value, &[]);
    }
    (new, traps)
}

struct Branches<'a> {
    new: &'a mut System,
    traps: &'a mut Vec<Trap>,
    label: &'a Label,
    seen: FxHashSet<TermId>,
}

impl Branches<'_> {
    fn visit(&mut self, term: TermId, path: &[TermId]) {
        if !self.seen.insert(term) {
            return;
        }
        let operands = self.new.terms.operands(term).to_vec();
        match (self.new.terms.node(term), &operands[..]) {
            (Node::Apply(Op::Ite, ..), &[condition, then, other]) => {
                self.visit(condition, path);
                let negated = self.new.terms.not(condition);
                for (literal, branch) in [(condition, then), (negated, other)] {
                    let path = [path, &[literal]].concat();
                    if !self.is_first(condition) {
                        self.trap(&path);
                    }
                    self.visit(branch, &path);
                }
            }
            _ => operands.into_iter().for_each(|operand| self.visit(operand, path)),
        }
    }

    /// The condition of `->`, which nobody wrote.
    fn is_first(&self, condition: TermId) -> bool {
        let first = self.new.states.first().filter(|s| &*s.label.name == "first~");
        first.is_some_and(|s| s.variable == condition)
    }

    fn trap(&mut self, path: &[TermId]) {
        let bad = self.new.terms.all(path);
        let condition = infix(&self.new.terms, bad);
        let label = self.label.clone();
        self.new.properties.push(Property { bad, kind: PropertyKind::Invariant, label: label.clone() });
        self.traps.push(Trap { label, condition });
    }
}
