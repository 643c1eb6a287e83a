//! Code that is never reached, by trap properties (Section 1 of the paper on inductive validity cores).
//!
//! For each branch of each choice in an equation, the trap property says that it is never taken: its conditions
//! never hold together. A trap that is falsified gives a test vector, the inputs that lead there. A trap that is
//! proved is dead code, and its core says why.

use std::sync::Arc;

use buttress_lustre::express::Express;
use buttress_solve::Stop;
use buttress_system::words::{Label, Property, PropertyKind, System, WordTrace};
use buttress_system::{ElementSet, PropertyId};
use buttress_term::infix::infix;
use buttress_term::{Node, Op, TermId};
use rustc_hash::FxHashSet;

use super::trials::{Means, Trials};
use super::{Anatomy, open_condition};
use crate::supervise::within;
use crate::{Refused, collect};

/// A branch of an equation.
pub struct Branch {
    pub label: Label,
    pub condition: String,
    pub fate: Fate,
}

pub enum Fate {
    /// Never taken; because of these elements, where a core was found.
    Dead(Option<ElementSet>),
    /// By these inputs.
    Reached(WordTrace),
    /// And why.
    Undecided(String),
}

/// A branch, as a property of the extended system.
struct Trap {
    label: Label,
    /// The conditions that lead to it.
    path: Vec<TermId>,
}

/// Decides each branch by itself, and tells of it. A proof counts only where all that proofs of this model rest on
/// holds.
pub fn dead(
    anatomy: &Anatomy,
    means: &Means,
    stop: &Stop,
    told: &mut dyn FnMut(Branch),
) -> Result<(), Refused> {
    let first = anatomy.system.properties.len();
    let (system, traps) = trapped(&anatomy.system);
    let problem = Arc::new(anatomy.problem.with_system(system));
    let system = problem.words().expect("the system is in words");
    let express = anatomy.problem.source().map(|source| Express::new(source.model(), system, &system.terms));
    let write = |path: &[TermId]| match &express {
        Some(express) => express.condition(path),
        None => path.iter().map(|&condition| infix(&system.terms, condition)).collect::<Vec<_>>().join(" & "),
    };
    let open = open_condition(&problem, means, stop);
    for (t, Trap { label, path }) in traps.into_iter().enumerate() {
        let property = PropertyId::new(first + t);
        let claim = problem.claim_of(property).expect("a property of the system");
        let plan = means.choice.plan(&problem, &[claim])?;
        let answers = within(stop, means.patience, |own| collect(&problem, &[claim], &plan, own));
        let found = answers.accepted().next().map(|(_, accepted)| accepted.clone());
        let fate = match (found, &open) {
            (None, _) => {
                Fate::Undecided(answers.faults().pop().unwrap_or_else(|| "no engine decides it".into()))
            }
            (Some(accepted), open) => match (accepted.word_trace(), open) {
                (Some(trace), _) => Fate::Reached(trace.clone()),
                (None, Some(why)) => Fate::Undecided(why.clone()),
                (None, None) => {
                    let mut trials = Trials::new(system, &anatomy.elements, property, means, stop);
                    let all = anatomy.elements.all();
                    let vacuous = accepted.vacuous().map(|vacuous| vacuous.states);
                    let proof = accepted.word_proof();
                    let core = proof.and_then(|proof| trials.core(&all, proof, vacuous).ok().flatten());
                    Fate::Dead(core.filter(|core| trials.certify(core).is_ok()).map(|core| core.elements))
                }
            },
        };
        told(Branch { label, condition: write(&path), fate });
    }
    Ok(())
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
        let label = self.label.clone();
        self.new.properties.push(Property { bad, kind: PropertyKind::Invariant, label: label.clone() });
        self.traps.push(Trap { label, path: path.to_vec() });
    }
}
