//! Invariants of words, by SMT solvers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use buttress_check::{Refusal, inductive_alone};
use buttress_cores::{Argument, Unsat, reduce_invariants};
use buttress_engine::discovery::{Found, Selection, WordInstances, discover as look};
use buttress_format::vmt;
use buttress_query::{Reasoner as _, Relation, Words as Reasoner};
use buttress_solve::smt::{Session, Theory};
use buttress_solve::{Stop, Stopped};
use buttress_system::Proof;
use buttress_system::words::{Label, Property, PropertyKind, System, WordLemma, WordProof};
use buttress_term::infix::MORE;
use buttress_term::smtlib::Smtlib;
use buttress_term::{Node, Op, TermId, Terms};

use super::bounds::Bounds;
use super::nodes::Nodes;
use super::{Discovered, Invariant, Publish, Search, Use};
use crate::judge::{Judge, Judged};
use crate::people::{conjunct, plain};
use crate::problem::Problem;
use crate::statements::read_terms;

pub fn discover(
    problem: &Problem,
    words: &Arc<System>,
    search: &Search,
    stop: &Stop,
    publish: &Publish<'_>,
) -> Result<Discovered, String> {
    let config = &search.smt;
    let (system, own) = read_terms(search.terms.as_deref(), problem)?;
    let mut selection = Selection { own, ..search.selection.clone() };
    let nodes = problem.source().filter(|_| search.modular).map(|source| Nodes::of(source.model()));
    selection.settled = nodes.as_ref().map(|nodes| nodes.settled(&system)).unwrap_or_default();
    let mut instances = WordInstances::new(&system, &selection, search.seed);
    let judge = Judge { system: words.clone(), replay: None, in_bits: false, smt: config.clone() };
    let mut desk = Desk {
        problem,
        stop,
        theory: Theory::of(&instances.system().terms),
        search,
        judge,
        proof: WordProof::of_properties(words, Vec::new(), 1),
        discovered: Discovered { format: problem.format.name(), ..Discovered::default() },
        shown: BTreeSet::new(),
        publish,
    };
    desk.discovered.terms = instances.terms().iter().map(|(sort, n)| (sort.to_string(), *n)).collect();
    publish(&desk.discovered);
    let mut reasoner = Reasoner::new(instances.system().clone(), config.clone(), stop);
    if let Some(nodes) = nodes {
        desk.carry_over(&nodes);
        // Its store and that of the instances are both those of the system, each with more of its own.
        let mut terms = instances.system().terms.clone();
        let (proof, common) = (&desk.proof, words.terms.len());
        let known: Vec<TermId> =
            proof.claim.invariant.iter().map(|&c| terms.adopt(&proof.terms, c, common)).collect();
        let terms = Arc::new(terms);
        known.into_iter().for_each(|c| reasoner.learn(&WordLemma::Term(terms.clone(), c)));
    }
    let tell = &mut |instances: &WordInstances, found| desk.take(instances, found);
    match look(&mut reasoner, &mut instances, &search.options, tell) {
        Ok(outcome) => desk.discovered.outcome = Some(outcome),
        Err(why) => desk.discovered.stopped = Some(why),
    }
    Ok(desk.finish())
}

/// Checks what is found, and keeps what was accepted.
pub(super) struct Desk<'a> {
    pub(super) problem: &'a Problem,
    pub(super) stop: &'a Stop,
    theory: Theory,
    pub(super) search: &'a Search,
    pub(super) judge: Judge<System>,
    /// All that was accepted.
    pub(super) proof: WordProof,
    pub(super) discovered: Discovered,
    shown: BTreeSet<String>,
    publish: &'a Publish<'a>,
}

impl Desk<'_> {
    /// Whether to go on.
    fn take(&mut self, instances: &WordInstances, found: Found<Relation>) -> bool {
        self.discovered.trivial += found.trivial.len();
        let shown = found.conjuncts.len();
        let (terms, invariant) = instances.formulas(&[found.conjuncts, found.trivial].concat());
        if invariant.is_empty() {
            return true;
        }
        let claim =
            Proof { properties: Vec::new(), k: found.k as u32, distinct: None, invariant: invariant.clone() };
        let new = WordProof { terms: terms.clone(), claim };
        let start = Instant::now();
        let checked = self.certify(self.proof.clone().and(&self.judge.system, &new));
        self.discovered.checking += start.elapsed().as_secs_f64();
        match checked {
            Ok(proof) => {
                self.proof = proof;
                self.show(&terms, &invariant[..shown], found.k);
                (self.publish)(&self.discovered);
                true
            }
            Err(Refusal::Stopped(why)) => {
                self.discovered.stopped = Some(why);
                false
            }
            Err(Refusal::Rejected(why)) => {
                self.discovered.rejected = Some(why);
                false
            }
        }
    }

    /// Adds the invariants as a script and as a model, and runs the optional verification and ranking.
    fn finish(mut self) -> Discovered {
        self.discovered.script = Some(script(&self.proof));
        self.discovered.model = Some(self.as_model());
        let stopped = match (self.search.verify, self.search.rank) {
            (false, false) => Ok(()),
            (verify, rank) => {
                let verified = if verify { self.verify() } else { Ok(()) };
                verified.and_then(|()| if rank { self.rank() } else { Ok(()) })
            }
        };
        if let Err(why) = stopped {
            self.discovered.stopped = Some(why);
        }
        self.discovered
    }

    /// The model with what was accepted as properties after its own.
    fn as_model(&self) -> String {
        let mut system = (*self.judge.system).clone();
        system.terms = (*self.proof.terms).clone();
        for (number, &conjunct) in self.proof.claim.invariant.iter().enumerate() {
            let bad = system.terms.not(conjunct);
            let label = Label::new(format!("invariant {number}"));
            system.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
        }
        vmt::write(&system)
    }

    /// Each by itself, by solvers started afresh; together they were accepted before.
    fn verify(&mut self) -> Result<(), Stopped> {
        let alone = inductive_alone(&self.judge.system, &self.proof, &mut self.judge.solvers(self.stop));
        match alone {
            Ok(alone) => self.discovered.verified = Some(alone),
            Err(Refusal::Rejected(why)) => self.discovered.rejected = Some(why),
            Err(Refusal::Stopped(why)) => return Err(why),
        }
        Ok(())
    }

    /// Finds a minimal k and invariants for each property: MINIMIZEK and REDUCEINVARIANTS on its proof with all
    /// invariants.
    fn rank(&mut self) -> Result<(), Stopped> {
        let system = self.judge.system.clone();
        for property in system.property_ids() {
            let mut proof = self.proof.clone();
            proof.claim.properties = vec![property];
            let claim = Argument::of(&system, property, &proof).expect("it compares no states");
            let mut fresh =
                || Box::new(Session::new(&self.search.smt, self.theory, self.stop)) as Box<dyn Unsat>;
            let reduced = reduce_invariants(&system, &claim, &mut fresh)?;
            let needs = match reduced {
                Some(reduced) => self.accepted(reduced)?,
                None => None,
            };
            let property = system.property(property).label.name.to_string();
            self.discovered.uses.push(Use { property, needs });
        }
        Ok(())
    }

    /// The proof of a property with fewer invariants: they need each other, or others, so the check has the last
    /// word.
    fn accepted(&mut self, proof: WordProof) -> Result<Option<(u32, Vec<String>)>, Stopped> {
        match self.certify(proof) {
            Ok(proof) => {
                let text = |&formula: &TermId| conjunct(self.problem, &proof.terms, formula).0;
                Ok(Some((proof.claim.k, proof.claim.invariant.iter().map(text).collect())))
            }
            Err(Refusal::Rejected(_)) => Ok(None),
            Err(Refusal::Stopped(why)) => Err(why),
        }
    }

    pub(super) fn certify(&mut self, proof: WordProof) -> Result<WordProof, Refusal> {
        let vacuous = System::certify_invariant(&self.judge, proof.clone(), self.stop)?;
        self.discovered.vacuous |= vacuous.is_some();
        Ok(proof)
    }

    /// Shows each text once; what says nothing, an equality of a state and a copy of itself, or an invariant that
    /// follows from one other that is shown, not at all.
    pub(super) fn show(&mut self, terms: &Arc<Terms>, invariant: &[TermId], k: usize) {
        let mut own = (**terms).clone();
        let invariant: Vec<TermId> = invariant.iter().map(|&formula| plain(&mut own, formula)).collect();
        let terms = &own;
        let smt = Smtlib::new(terms);
        let bounds = Bounds::of(terms, &invariant);
        for formula in invariant {
            let (text, plain) = conjunct(self.problem, terms, formula);
            let copies = match terms.node(formula) {
                Node::Apply(Op::Eq, _, &[a, b]) => {
                    conjunct(self.problem, terms, a) == conjunct(self.problem, terms, b)
                }
                _ => false,
            };
            // Texts of which a part is left out may read the same although they are not.
            let (whole, said) = (!text.contains(MORE), smt.term(formula));
            let known = !self.shown.insert(if whole { text.clone() } else { said.clone() });
            let nothing = terms.as_constant(formula).is_some();
            if nothing || (copies && whole) || bounds.imply(terms, formula) || known {
                self.discovered.hidden += 1;
            } else {
                self.discovered.invariants.push(Invariant { k, text, plain, smt: Some(said) });
            }
        }
    }
}

/// Declarations, and an assertion for each invariant.
fn script(proof: &WordProof) -> String {
    let smt = Smtlib::new(&proof.terms);
    let mut script = smt.declarations(proof.claim.invariant.iter().copied());
    for &conjunct in &proof.claim.invariant {
        script.push_str(&format!("(assert {})\n", smt.term(conjunct)));
    }
    script
}
