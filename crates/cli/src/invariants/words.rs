//! Invariants of words, by SMT solvers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use buttress_check::{Evidence, Refusal, certify_theory_invariant, inductive_alone};
use buttress_cores::{Claim, Unsat, reduce_invariants};
use buttress_engine::discovery::{Found, Selection, WordInstances, discover as search};
use buttress_format::vmt;
use buttress_lustre::write::{Text, Writer};
use buttress_query::{Reasoner as _, Relation, Words as Reasoner};
use buttress_solve::smt::{Config, Session, Theory, directories, find};
use buttress_solve::{Stop, Stopped};
use buttress_system::Proof;
use buttress_system::words::{Label, Property, PropertyKind, System, WordLemma, WordProof};
use buttress_term::infix::{MORE, infix};
use buttress_term::smtlib::Smtlib;
use buttress_term::{Node, Op, TermId, Terms};

use super::bounds::Bounds;
use super::nodes::Nodes;
use super::{Discovered, Invariant, Publish, Use, options, selection};
use crate::args::InvariantsArgs;
use crate::model::Words;
use crate::term_file;

pub fn discover(
    words: &Words,
    args: &InvariantsArgs,
    stop: &Stop,
    publish: &Publish<'_>,
) -> Result<Discovered, String> {
    let config = Config::new(find(&directories()));
    let source = words.source.as_ref().map(|source| &source.0);
    let (system, own) = term_file::read(args.terms.as_deref(), &words.system, source)?;
    let mut selection = Selection { own, ..selection(args) };
    let nodes = words.source.as_ref().filter(|_| args.modular).map(|source| Nodes::of(&source.0));
    selection.settled = nodes.as_ref().map(|nodes| nodes.settled(&system)).unwrap_or_default();
    let mut instances = WordInstances::new(&system, &selection, args.seed);
    let mut desk = Desk {
        words,
        stop,
        theory: Theory::of(&instances.system().terms),
        config: &config,
        proof: WordProof::of_properties(&words.system, Vec::new(), 1),
        discovered: Discovered { format: words.format, ..Discovered::default() },
        shown: BTreeSet::new(),
        publish,
    };
    desk.discovered.terms = instances.terms().iter().map(|(sort, n)| (sort.to_string(), *n)).collect();
    publish(&desk.discovered);
    let mut reasoner = Reasoner::new(instances.system().clone(), config.clone(), stop);
    if let Some(nodes) = nodes {
        desk.carry_over(&nodes, args);
        // Its store and that of the instances are both those of the system, each with more of its own.
        let mut terms = instances.system().terms.clone();
        let (proof, common) = (&desk.proof, words.system.terms.len());
        let known: Vec<TermId> =
            proof.claim.invariant.iter().map(|&c| terms.adopt(&proof.terms, c, common)).collect();
        let terms = Arc::new(terms);
        known.into_iter().for_each(|c| reasoner.learn(&WordLemma::Term(terms.clone(), c)));
    }
    let tell = &mut |instances: &WordInstances, found| desk.take(instances, found);
    match search(&mut reasoner, &mut instances, &options(args), tell) {
        Ok(outcome) => desk.discovered.outcome = Some(outcome),
        Err(why) => desk.discovered.stopped = Some(why),
    }
    Ok(desk.finish(args))
}

/// Checks what is found, and keeps what was accepted.
pub(super) struct Desk<'a> {
    pub(super) words: &'a Words,
    pub(super) stop: &'a Stop,
    theory: Theory,
    pub(super) config: &'a Config,
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
        let checked = self.certify(self.proof.clone().and(&self.words.system, &new));
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

    /// What is asked beside invariants.
    fn finish(mut self, args: &InvariantsArgs) -> Discovered {
        self.discovered.script = Some(script(&self.proof));
        self.discovered.model = args.vmt.is_some().then(|| self.as_model());
        let stopped = match (args.verify, args.rank) {
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
        let mut system = (*self.words.system).clone();
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
        let alone = inductive_alone(&self.words.system, &self.proof, &mut self.checkers());
        match alone {
            Ok(alone) => self.discovered.verified = Some(alone),
            Err(Refusal::Rejected(why)) => self.discovered.rejected = Some(why),
            Err(Refusal::Stopped(why)) => return Err(why),
        }
        Ok(())
    }

    /// What each property needs: MINIMIZEK and REDUCEINVARIANTS on its proof with all invariants.
    fn rank(&mut self) -> Result<(), Stopped> {
        let system = self.words.system.clone();
        for property in system.property_ids() {
            let mut proof = self.proof.clone();
            proof.claim.properties = vec![property];
            let claim = Claim::of(&system, property, &proof).expect("it compares no states");
            let mut fresh = || Box::new(Session::new(self.config, self.theory, self.stop)) as Box<dyn Unsat>;
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

    /// The proof of a property with fewer invariants: they need each other, or others, so the check has the last word.
    fn accepted(&mut self, proof: WordProof) -> Result<Option<(u32, Vec<String>)>, Stopped> {
        match self.certify(proof) {
            Ok(proof) => {
                let text =
                    |&formula: &TermId| text(self.words.format, &self.words.system, &proof.terms, formula).0;
                Ok(Some((proof.claim.k, proof.claim.invariant.iter().map(text).collect())))
            }
            Err(Refusal::Rejected(_)) => Ok(None),
            Err(Refusal::Stopped(why)) => Err(why),
        }
    }

    /// Another solver than the one that is asked first.
    fn checkers(&self) -> impl FnMut() -> Session + use<'_> {
        let first = self.config.fit(&self.theory).first().map(|found| found.adapter.name);
        move || {
            let mut session = Session::new(self.config, self.theory, self.stop);
            first.into_iter().for_each(|name| session.avoid(name));
            session
        }
    }

    pub(super) fn certify(&mut self, proof: WordProof) -> Result<WordProof, Refusal> {
        let checked = certify_theory_invariant(&self.words.system, proof, &mut self.checkers())?;
        self.discovered.vacuous |= checked.vacuous().is_some();
        match checked.evidence() {
            Evidence::Proof(proof) => Ok(proof.clone()),
            Evidence::Trace(_) => unreachable!("a proof was checked"),
        }
    }

    /// What reads the same is shown once; that a state equals a copy of itself, and what follows from one other that is shown,
    /// not at all.
    pub(super) fn show(&mut self, terms: &Arc<Terms>, invariant: &[TermId], k: usize) {
        let (smt, system) = (Smtlib::new(terms), &self.words.system);
        let bounds = Bounds::of(terms, invariant);
        for &formula in invariant {
            let (text, plain) = text(self.words.format, system, terms, formula);
            let copies = match terms.node(formula) {
                Node::Apply(Op::Eq, _, &[a, b]) => {
                    self::text(self.words.format, system, terms, a)
                        == self::text(self.words.format, system, terms, b)
                }
                _ => false,
            };
            // Texts of which a part is left out may read the same although they are not.
            let (whole, said) = (!text.contains(MORE), smt.term(formula));
            let known = !self.shown.insert(if whole { text.clone() } else { said.clone() });
            if (copies && whole) || bounds.imply(terms, formula) || known {
                self.discovered.hidden += 1;
            } else {
                self.discovered.invariants.push(Invariant { k, text, plain, smt: Some(said) });
            }
        }
    }
}

/// A formula in the syntax of its source, and whether it can stand there.
fn text(format: &str, system: &System, terms: &Terms, formula: TermId) -> (String, bool) {
    match format {
        "Lustre" => {
            let Text { text, plain } = Writer::new(system, terms).formula(formula);
            (text, plain)
        }
        "BTOR2" => (infix(terms, formula), false),
        _ => (Smtlib::new(terms).term(formula), true),
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
