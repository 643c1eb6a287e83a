//! The judge: evidence becomes a verdict here or nowhere.
//!
//! One judge for each kind of system knows which checker of `buttress-check` is for it, and which solvers: SMT
//! solvers are started afresh, and another first than the one that engines ask first, where there is one.

use std::sync::Arc;

use buttress_check::{
    Checked, IndexedChecked, Refusal, TreeChecked, Vacuous, WordChecked, certify_indexed_proof,
    certify_indexed_trace, certify_invariant, certify_lasso, certify_live_proof, certify_proof,
    certify_refuted, certify_satisfied, certify_source_trace, certify_step_failure, certify_theory_invariant,
    certify_theory_live_proof, certify_theory_proof, certify_trace, certify_word_invariant,
    certify_word_lasso, certify_word_live_proof, certify_word_proof, certify_word_step_failure,
    certify_word_trace,
};
use buttress_solve::Stop;
use buttress_solve::smt::{Config, Session, Theory};
use buttress_system::ctl::{Refuted, Satisfied};
use buttress_system::indexed::{Indexed, IndexedProof, IndexedTrace};
use buttress_system::words::{self, Replay, WordProof, WordTrace};
use buttress_system::{
    Arena, BitSystem, Branching, Lasso, Live, LiveProof, Monitor, Proof, PropertyId, Recurrent, Subject,
    Trace,
};
use buttress_term::Terms;

use crate::problem::{ClaimId, Problem};

/// Evidence that was accepted, on the system as the front end made it.
#[derive(Clone, Debug)]
pub enum Accepted {
    Bits(Checked),
    Words(WordChecked),
    Maps(IndexedChecked),
    /// About computation trees of bits.
    Trees(TreeChecked),
}

impl Accepted {
    pub fn vacuous(&self) -> Option<Vacuous> {
        match self {
            Accepted::Bits(checked) => checked.vacuous(),
            Accepted::Words(checked) => checked.vacuous(),
            Accepted::Maps(checked) => checked.vacuous(),
            Accepted::Trees(checked) => checked.vacuous(),
        }
    }

    /// The properties of the system that it decides.
    pub fn properties(&self) -> &[PropertyId] {
        match self {
            Accepted::Bits(checked) => checked.properties(),
            Accepted::Words(checked) => checked.properties(),
            Accepted::Maps(checked) => checked.properties(),
            Accepted::Trees(checked) => checked.properties(),
        }
    }

    pub fn is_proof(&self) -> bool {
        self.trace_steps().is_none()
    }

    /// Of a trace, how many steps it has.
    pub fn trace_steps(&self) -> Option<usize> {
        match self {
            Accepted::Bits(checked) => checked.evidence().trace().map(|trace| trace.inputs.len()),
            Accepted::Words(checked) => checked.evidence().trace().map(|trace| trace.inputs.len()),
            Accepted::Maps(checked) => checked.evidence().trace().map(|trace| trace.inputs.len()),
            Accepted::Trees(checked) => checked.evidence().trace().map(|refuted| refuted.path.inputs.len()),
        }
    }

    /// A trace of words.
    pub fn word_trace(&self) -> Option<&WordTrace> {
        match self {
            Accepted::Words(checked) => checked.evidence().trace(),
            _ => None,
        }
    }

    /// Of an execution that goes round for ever, the justice property that it violates, and the step after the
    /// last.
    pub fn lasso(&self) -> Option<(usize, usize)> {
        let of = |justice: usize, back: usize| (justice, back);
        match self {
            Accepted::Bits(checked) => checked.evidence().lasso().map(|l| of(l.justice, l.back)),
            Accepted::Words(checked) => checked.evidence().lasso().map(|l| of(l.justice, l.back)),
            Accepted::Maps(checked) => checked.evidence().lasso().map(|l| of(l.justice, l.back)),
            Accepted::Trees(_) => None,
        }
    }

    /// Of a proof of liveness, the monitor that it is about.
    pub fn monitor(&self) -> Option<Monitor> {
        match self {
            Accepted::Bits(checked) => checked.evidence().live_proof().map(|proof| proof.monitor),
            Accepted::Words(checked) => checked.evidence().live_proof().map(|proof| proof.monitor),
            Accepted::Maps(_) | Accepted::Trees(_) => None,
        }
    }

    /// Of a proof of liveness by arenas, how many of them lack a signal.
    pub fn arenas(&self) -> usize {
        fn lacking<P>(proof: Option<&LiveProof<P>>) -> usize {
            let arenas = proof.map_or(&[][..], |proof| &proof.arenas);
            arenas.iter().filter(|arena| matches!(arena, Arena::Lacks(_))).count()
        }
        match self {
            Accepted::Bits(checked) => lacking(checked.evidence().live_proof()),
            Accepted::Words(checked) => lacking(checked.evidence().live_proof()),
            Accepted::Maps(_) | Accepted::Trees(_) => 0,
        }
    }

    /// Of a formula about computation trees that holds, how many sets of states that rests on.
    pub fn sets(&self) -> Option<usize> {
        match self {
            Accepted::Trees(checked) => checked.evidence().proof().map(|proof| proof.sets.named().count()),
            _ => None,
        }
    }

    /// Whether it is about justice properties, or formulas of temporal logic.
    pub fn is_temporal(&self) -> bool {
        self.lasso().is_some() || self.monitor().is_some() || matches!(self, Accepted::Trees(_))
    }

    /// A proof about bits.
    pub fn bit_proof(&self) -> Option<&Proof> {
        match self {
            Accepted::Bits(checked) => checked.evidence().proof(),
            _ => None,
        }
    }

    /// A proof about words.
    pub fn word_proof(&self) -> Option<&WordProof> {
        match self {
            Accepted::Words(checked) => checked.evidence().proof(),
            _ => None,
        }
    }

    /// A proof about maps.
    pub fn map_proof(&self) -> Option<&IndexedProof> {
        match self {
            Accepted::Maps(checked) => checked.evidence().proof(),
            _ => None,
        }
    }
}

/// Who accepts evidence about one system.
pub struct Judge<S> {
    pub system: Arc<S>,
    /// The source of the words, where its front end can execute it: every trace is replayed there, too.
    pub replay: Option<Arc<dyn Replay>>,
    /// Whether bits can hold the system: then proofs are checked in bits of the checker's own.
    pub in_bits: bool,
    pub smt: Config,
}

/// A kind of system whose evidence a judge can check.
pub trait Judged: Subject + Sized {
    /// The claim that a property of such a system decides.
    fn claim(problem: &Problem, property: PropertyId) -> Option<ClaimId>;

    fn certify_trace(judge: &Judge<Self>, trace: Self::Trace, stop: &Stop) -> Result<Accepted, Refusal>;

    fn certify_proof(judge: &Judge<Self>, proof: Self::Proof, stop: &Stop) -> Result<Accepted, Refusal>;

    /// Certifies that a formula is k-inductive, without a property.
    fn certify_invariant(
        judge: &Judge<Self>,
        proof: Self::Proof,
        stop: &Stop,
    ) -> Result<Option<Vacuous>, Refusal>;

    /// A path of which all states but the last satisfy the property, and the last violates it; all satisfy those
    /// that are known.
    fn certify_step_failure(
        judge: &Judge<Self>,
        path: &Self::Trace,
        property: PropertyId,
        known: &[PropertyId],
    ) -> Result<(), Refusal>;
}

impl Judged for BitSystem {
    fn claim(problem: &Problem, property: PropertyId) -> Option<ClaimId> {
        problem.claim_of(property)
    }

    fn certify_trace(judge: &Judge<BitSystem>, trace: Trace, _: &Stop) -> Result<Accepted, Refusal> {
        certify_trace(&judge.system, trace).map(Accepted::Bits)
    }

    fn certify_proof(judge: &Judge<BitSystem>, proof: Proof, stop: &Stop) -> Result<Accepted, Refusal> {
        certify_proof(&judge.system, proof, stop).map(Accepted::Bits)
    }

    fn certify_invariant(
        judge: &Judge<BitSystem>,
        proof: Proof,
        stop: &Stop,
    ) -> Result<Option<Vacuous>, Refusal> {
        certify_invariant(&judge.system, proof.invariant, proof.k, stop).map(|_| None)
    }

    fn certify_step_failure(
        judge: &Judge<BitSystem>,
        path: &Trace,
        _: PropertyId,
        known: &[PropertyId],
    ) -> Result<(), Refusal> {
        let known = Proof { properties: known.to_vec(), k: 1, distinct: None, invariant: Vec::new() };
        certify_step_failure(&judge.system, path, &[known])
    }
}

impl Judged for words::System {
    fn claim(problem: &Problem, property: PropertyId) -> Option<ClaimId> {
        problem.claim_of(property)
    }

    fn certify_trace(judge: &Judge<words::System>, trace: WordTrace, _: &Stop) -> Result<Accepted, Refusal> {
        let checked = match &judge.replay {
            Some(source) => certify_source_trace(&judge.system, &**source, trace),
            None => certify_word_trace(&judge.system, trace),
        };
        checked.map(Accepted::Words)
    }

    fn certify_proof(
        judge: &Judge<words::System>,
        proof: WordProof,
        stop: &Stop,
    ) -> Result<Accepted, Refusal> {
        let checked = match judge.in_bits {
            true => certify_word_proof(&judge.system, proof, stop),
            false => certify_theory_proof(&judge.system, proof, &mut judge.solvers(stop)),
        };
        checked.map(Accepted::Words)
    }

    fn certify_invariant(
        judge: &Judge<words::System>,
        proof: WordProof,
        stop: &Stop,
    ) -> Result<Option<Vacuous>, Refusal> {
        let checked = match judge.in_bits {
            true => certify_word_invariant(&judge.system, proof, stop),
            false => certify_theory_invariant(&judge.system, proof, &mut judge.solvers(stop)),
        };
        checked.map(|checked| checked.vacuous())
    }

    fn certify_step_failure(
        judge: &Judge<words::System>,
        path: &WordTrace,
        property: PropertyId,
        known: &[PropertyId],
    ) -> Result<(), Refusal> {
        certify_word_step_failure(&judge.system, path, &[property], known)
    }
}

impl Judged for Indexed {
    fn claim(problem: &Problem, property: PropertyId) -> Option<ClaimId> {
        problem.claim_of(property)
    }

    fn certify_trace(judge: &Judge<Indexed>, trace: IndexedTrace, stop: &Stop) -> Result<Accepted, Refusal> {
        certify_indexed_trace(&judge.system, trace, &mut judge.solvers(stop)).map(Accepted::Maps)
    }

    fn certify_proof(judge: &Judge<Indexed>, proof: IndexedProof, stop: &Stop) -> Result<Accepted, Refusal> {
        certify_indexed_proof(&judge.system, proof, &mut judge.solvers(stop)).map(Accepted::Maps)
    }

    fn certify_invariant(
        judge: &Judge<Indexed>,
        proof: IndexedProof,
        stop: &Stop,
    ) -> Result<Option<Vacuous>, Refusal> {
        certify_indexed_proof(&judge.system, proof, &mut judge.solvers(stop)).map(|checked| checked.vacuous())
    }

    fn certify_step_failure(
        _: &Judge<Indexed>,
        _: &IndexedTrace,
        _: PropertyId,
        _: &[PropertyId],
    ) -> Result<(), Refusal> {
        Err(Refusal::Rejected("there is no k-induction on maps".to_string()))
    }
}

/// A kind of system whose liveness a judge can check.
pub trait JudgedLive: Judged + Recurrent {
    fn certify_lasso(live: &Live<Self>, lasso: Lasso<Self::Trace>) -> Result<Accepted, Refusal>;

    fn certify_live_proof(
        judge: &Judge<Live<Self>>,
        proof: LiveProof<Self::Proof>,
        stop: &Stop,
    ) -> Result<Accepted, Refusal>;
}

impl JudgedLive for BitSystem {
    fn certify_lasso(live: &Live<BitSystem>, lasso: Lasso) -> Result<Accepted, Refusal> {
        certify_lasso(live, lasso).map(Accepted::Bits)
    }

    fn certify_live_proof(
        judge: &Judge<Live<BitSystem>>,
        proof: LiveProof<Proof>,
        stop: &Stop,
    ) -> Result<Accepted, Refusal> {
        certify_live_proof(&judge.system, proof, stop).map(Accepted::Bits)
    }
}

impl JudgedLive for words::System {
    fn certify_lasso(live: &Live<words::System>, lasso: Lasso<WordTrace>) -> Result<Accepted, Refusal> {
        certify_word_lasso(live, lasso).map(Accepted::Words)
    }

    fn certify_live_proof(
        judge: &Judge<Live<words::System>>,
        proof: LiveProof<WordProof>,
        stop: &Stop,
    ) -> Result<Accepted, Refusal> {
        let live = &judge.system;
        let theory = Theory::of(&live.system.terms);
        let checked = match judge.in_bits {
            true => certify_word_live_proof(live, proof, stop),
            false => certify_theory_live_proof(live, proof, &mut second_opinions(&judge.smt, theory, stop)),
        };
        checked.map(Accepted::Words)
    }
}

/// Justice properties: their numbers are those of the properties.
impl<S: JudgedLive> Judged for Live<S> {
    fn claim(problem: &Problem, property: PropertyId) -> Option<ClaimId> {
        problem.claim_of_justice(property.index())
    }

    fn certify_trace(judge: &Judge<Live<S>>, lasso: Lasso<S::Trace>, _: &Stop) -> Result<Accepted, Refusal> {
        S::certify_lasso(&judge.system, lasso)
    }

    fn certify_proof(
        judge: &Judge<Live<S>>,
        proof: LiveProof<S::Proof>,
        stop: &Stop,
    ) -> Result<Accepted, Refusal> {
        S::certify_live_proof(judge, proof, stop)
    }

    fn certify_invariant(
        _: &Judge<Live<S>>,
        _: LiveProof<S::Proof>,
        _: &Stop,
    ) -> Result<Option<Vacuous>, Refusal> {
        Err(Refusal::Rejected("an invariant of a monitor is no fact about the model".to_string()))
    }

    fn certify_step_failure(
        _: &Judge<Live<S>>,
        _: &Lasso<S::Trace>,
        _: PropertyId,
        _: &[PropertyId],
    ) -> Result<(), Refusal> {
        Err(Refusal::Rejected("a step case beside a monitor is none of the model".to_string()))
    }
}

/// Formulas of computation tree logic: their numbers are those of the properties.
impl Judged for Branching {
    fn claim(problem: &Problem, property: PropertyId) -> Option<ClaimId> {
        problem.claim_of_tree(property.index())
    }

    fn certify_trace(judge: &Judge<Branching>, refuted: Refuted, stop: &Stop) -> Result<Accepted, Refusal> {
        certify_refuted(&judge.system, refuted, stop).map(Accepted::Trees)
    }

    fn certify_proof(judge: &Judge<Branching>, proof: Satisfied, stop: &Stop) -> Result<Accepted, Refusal> {
        certify_satisfied(&judge.system, proof, stop).map(Accepted::Trees)
    }

    fn certify_invariant(_: &Judge<Branching>, _: Satisfied, _: &Stop) -> Result<Option<Vacuous>, Refusal> {
        Err(Refusal::Rejected("a formula that holds is no invariant".to_string()))
    }

    fn certify_step_failure(
        _: &Judge<Branching>,
        _: &Refuted,
        _: PropertyId,
        _: &[PropertyId],
    ) -> Result<(), Refusal> {
        Err(Refusal::Rejected("there is no k-induction on computation trees".to_string()))
    }
}

impl Judge<words::System> {
    /// Solvers for a check on words.
    pub fn solvers<'a>(&'a self, stop: &'a Stop) -> impl FnMut() -> Session + 'a {
        second_opinions(&self.smt, Theory::of(&self.system.terms), stop)
    }
}

impl Judge<Indexed> {
    fn solvers<'a>(&'a self, stop: &'a Stop) -> impl FnMut() -> Session + 'a {
        let theory = Theory::of(&self.system.system.terms);
        second_opinions(&self.smt, Theory { enumerations_in_arrays: false, ..theory }, stop)
    }
}

/// Starts solvers for checks: another first than the one that engines ask first.
fn second_opinions<'a>(smt: &'a Config, theory: Theory, stop: &'a Stop) -> impl FnMut() -> Session + 'a {
    let first = smt.fit(&theory).first().map(|found| found.adapter.name);
    move || {
        let mut session = Session::new(smt, theory, stop);
        first.into_iter().for_each(|name| session.avoid(name));
        session.hand_on();
        session
    }
}

/// Whether no term has infinitely many values: then, and with arrays that are small enough, bits hold it.
pub(crate) fn is_finite(terms: &Terms) -> bool {
    use buttress_term::Sort;
    !terms.ids().any(|t| matches!(terms.sort(t), Sort::Int | Sort::Real))
}
