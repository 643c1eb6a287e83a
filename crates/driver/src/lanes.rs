//! How a lane runs: the way to what its engine sees, the reasoners that it asks, its desk.
//!
//! For each kind of system that a board may speak of, [`Ground`] makes the ways once and starts an engine of the
//! right shape.

use std::sync::{Arc, OnceLock};

use buttress_check::Refusal;
use buttress_engine::{Cursor, Desk, Job, News, Run, RunWords, largest_inductive, largest_stated};
use buttress_query::{Atoms, Bits, FOREVER, Levels, Preimages, Refuter, Regions, Relative, Words};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::indexed::Indexed;
use buttress_system::words::{Label, System, WordLemma, WordProof};
use buttress_system::{BitSystem, Clause, LatchId, Lemma, Proof, PropertyId, Subject};
use buttress_term::TermId;
use buttress_transform::{
    AnyWay, Merged, Same, Then, Way, lower_property, merge_equal_states, reduce, simplify,
};

use crate::event::LaneId;
use crate::judge::Judged;
use crate::office::{Clerk, Office, asked};
use crate::people::Shown;
use crate::plan::{Lemmas, Through};

/// A kind of system that the lanes of a run have in common.
pub(crate) trait Ground: Subject + Sized {
    /// The ways from it to what engines see, each made once.
    type Ways: Sync;

    fn ways<O: Judged>(office: &Office<'_, O, Self>) -> Self::Ways;

    /// Of the lemmas that were given, those that are inductive together, as a proof.
    fn inductive<O: Judged>(
        office: &Office<'_, O, Self>,
        ways: &Self::Ways,
        lemmas: &Lemmas,
    ) -> Result<Self::Proof, Refusal>;

    /// How many lemmas a proof has.
    fn count(proof: &Self::Proof) -> usize;

    /// Runs a lane to its end.
    fn run<O: Judged + Shown>(
        office: &Office<'_, O, Self>,
        ways: &Self::Ways,
        id: LaneId,
    ) -> Result<(), Stopped>;
}

/// The ways from bits to bits.
pub(crate) struct BitWays {
    system: Arc<BitSystem>,
    properties: Vec<PropertyId>,
    simplified: AnyWay<BitSystem, BitSystem>,
    /// With equal signals merged, for engines that ask about single steps: distinct states, which paths may rest
    /// on, do not go with facts about gates.
    reduced: OnceLock<Result<AnyWay<BitSystem, BitSystem>, Stopped>>,
}

impl BitWays {
    fn new(system: &Arc<BitSystem>, properties: Vec<PropertyId>) -> BitWays {
        let simplified = simplify(system, &properties);
        BitWays { system: system.clone(), properties, simplified, reduced: OnceLock::new() }
    }

    fn through(&self, through: Through, stop: &Stop) -> Result<&AnyWay<BitSystem, BitSystem>, Stopped> {
        if through != Through::MergedBits {
            return Ok(&self.simplified);
        }
        let reduced = || reduce(&self.system, &self.properties, || Cdcl::new(stop));
        self.reduced.get_or_init(reduced).as_ref().map_err(Clone::clone)
    }
}

impl Ground for BitSystem {
    type Ways = BitWays;

    fn ways<O: Judged>(office: &Office<'_, O, BitSystem>) -> BitWays {
        let properties = office.properties.iter().filter_map(|&p| lower_property(office.base, p)).collect();
        BitWays::new(office.base.system(), properties)
    }

    /// Found on the simplified system, which leaves out what no property depends on; checked on the original.
    fn inductive<O: Judged>(
        office: &Office<'_, O, BitSystem>,
        ways: &BitWays,
        lemmas: &Lemmas,
    ) -> Result<Proof, Refusal> {
        let Lemmas::Clauses(given) = lemmas else { return Ok(of_clauses(Vec::new())) };
        let given: Vec<Lemma> = given.iter().cloned().map(Lemma::Clause).collect();
        let clause = |lemma: Lemma| match lemma {
            Lemma::Clause(clause) => Some(clause),
            Lemma::Property(_) => None,
        };
        let clauses: Vec<Clause> =
            ways.simplified.lower(&given).into_iter().flatten().filter_map(clause).collect();
        let mut levels = Levels::new(ways.simplified.system().clone(), || Cdcl::new(office.stop));
        let kept = largest_inductive(&mut levels, &clauses)?;
        let kept: Vec<Clause> = kept.into_iter().map(|c| clauses[c].clone()).collect();
        let proof = ways.simplified.proof(of_clauses(kept));
        O::certify_invariant(&office.judge, office.base.proof(proof.clone()), office.stop)?;
        Ok(proof)
    }

    fn count(proof: &Proof) -> usize {
        proof.invariant.len()
    }

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, BitSystem>,
        ways: &BitWays,
        id: LaneId,
    ) -> Result<(), Stopped> {
        let through = office.plan.lanes[id].through;
        run_on_bits(office, id, ways.through(through, office.stop)?)
    }
}

fn of_clauses(invariant: Vec<Clause>) -> Proof {
    Proof { properties: Vec::new(), k: 1, distinct: None, invariant }
}

/// Runs an engine on bits, wherever they come from.
fn run_on_bits<O: Judged + Shown, B: Subject>(
    office: &Office<'_, O, B>,
    id: LaneId,
    way: &dyn Way<Old = B, New = BitSystem>,
) -> Result<(), Stopped> {
    let lane = &office.plan.lanes[id];
    let (engine, stop, system) = (lane.engine, office.stop, way.system());
    let inductive = matches!(engine.bits, Some(Run::Inductive(_)));
    let known: Vec<B::Proof> = office.known.iter().filter(|_| inductive).cloned().collect();
    let desk = Clerk::new(office, id, way, known.clone());
    let properties = asked(office, way);
    let mut settings = lane.settings;
    settings.ic3.of_words = office.problem.words().is_some();
    // On the bits before any simplification: the judge sees what is read there, even where it makes no difference.
    let original = office.problem.bits().expect("engines on bits have some");
    let distinct = office.plan.distinct && !resets_read_inputs(original, &office.properties);
    let shares = lane.threads > 1;
    let job =
        Job { system: &**system, properties, settings, distinct, seed: lane.seed, shares, desk: &desk, stop };
    match engine.bits.expect("plans have lanes that can run") {
        Run::Paths(run) => run(&mut Bits::new(system.clone(), || Cadical::new(stop, lane.seed), stop), &job),
        Run::Conjectures(run) => {
            run(&mut Bits::new(system.clone(), || Cadical::new(stop, lane.seed), stop), &job)
        }
        Run::Inductive(run) => {
            let lemmas: Vec<B::Lemma> = known.iter().flat_map(|proof| B::lemmas(proof)).collect();
            let lowered = way.lower(&lemmas).into_iter().flatten();
            let cubes: Vec<_> = lowered.filter_map(|lemma| BitSystem::excluded(&lemma)).collect();
            let solver = || match engine.whole_states {
                true => Cdcl::new(stop).keeping_domains(),
                false => Cdcl::new(stop),
            };
            let fresh = || {
                let mut levels = Levels::new(system.clone(), solver);
                cubes.iter().for_each(|cube| levels.learn(FOREVER, cube));
                Box::new(levels) as Box<dyn Relative>
            };
            run(&mut { fresh }, &job)
        }
        Run::Inverse(run) => run(&mut |own| Box::new(Levels::new(own, || Cdcl::new(stop))), &job),
        Run::Symbolic(run) => run(&job),
    }
}

/// Whether the start of what these properties depend on depends on inputs: the argument for distinct states fixes
/// the first state, not the first inputs.
fn resets_read_inputs(system: &BitSystem, properties: &[PropertyId]) -> bool {
    let bads = properties.iter().map(|&p| system.property(p).bad);
    let cone = system.closure(bads.chain(system.constraints.iter().copied()));
    let in_cone = |l: &LatchId| cone[system.latch_lit(*l).var().index()];
    let mut marked = vec![false; system.num_vars()];
    system.mark_cone(system.latches().filter(in_cone).map(|l| system.latch(l).reset), &mut marked);
    system.inputs().any(|i| marked[system.input_lit(i).var().index()])
}

/// The ways from words: as they are, with equal states as one, and to bits.
pub(crate) struct WordWays {
    same: Same<System>,
    merged: OnceLock<Merged>,
    bits: OnceLock<BitWays>,
}

impl Ground for System {
    type Ways = WordWays;

    fn ways<O: Judged>(office: &Office<'_, O, System>) -> WordWays {
        WordWays { same: Same(office.base.system().clone()), merged: OnceLock::new(), bits: OnceLock::new() }
    }

    /// Found with each lemma stated as a property, checked on the system as it is.
    fn inductive<O: Judged>(
        office: &Office<'_, O, System>,
        ways: &WordWays,
        lemmas: &Lemmas,
    ) -> Result<WordProof, Refusal> {
        let system = ways.same.system();
        let Lemmas::Terms(given) = lemmas else {
            return Ok(WordProof::of_properties(system, Vec::new(), 1));
        };
        let mut terms = system.terms.clone();
        let adopted = |lemma: &WordLemma| match lemma {
            WordLemma::Term(store, term) => terms.adopt(store, *term, system.terms.len()),
            WordLemma::Property(property) => {
                let bad = system.property(*property).bad;
                terms.not(bad)
            }
        };
        let lemmas: Vec<TermId> = given.iter().map(adopted).collect();
        let mut stated = System { terms, ..(**system).clone() };
        let own = stated.properties.len();
        let mut all = Vec::new();
        for &lemma in &lemmas {
            let bad = stated.terms.not(lemma);
            all.push(stated.add_property(bad, Label::new("lemma")));
        }
        let store = Arc::new(stated.terms.clone());
        let mut reasoner = Words::new(Arc::new(stated), office.plan.smt.clone(), office.stop);
        let kept = largest_stated(&mut reasoner, &all)?;
        let invariant = kept.into_iter().map(|p| lemmas[p.index() - own]).collect();
        let claim = Proof { properties: Vec::new(), k: 1, distinct: None, invariant };
        let proof = WordProof { terms: store, claim };
        O::certify_invariant(&office.judge, office.base.proof(proof.clone()), office.stop)?;
        Ok(proof)
    }

    fn count(proof: &WordProof) -> usize {
        proof.claim.invariant.len()
    }

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, System>,
        ways: &WordWays,
        id: LaneId,
    ) -> Result<(), Stopped> {
        let through = office.plan.lanes[id].through;
        if through.is_bits() {
            let to_bits = office.problem.in_bits().expect("plans go to bits where there are some");
            let lower = |&p: &PropertyId| lower_property(to_bits, p);
            let properties = || office.properties.iter().filter_map(lower).collect();
            let bits = ways.bits.get_or_init(|| BitWays::new(to_bits.system(), properties()));
            let further = bits.through(through, office.stop)?;
            return run_on_bits(office, id, &Then(to_bits.clone(), &**further));
        }
        match through {
            Through::EqualStates => {
                let merged = ways.merged.get_or_init(|| merge_equal_states(ways.same.system()));
                run_on_words(office, id, merged)
            }
            _ => run_on_words(office, id, &ways.same),
        }
    }
}

fn run_on_words<O: Judged + Shown>(
    office: &Office<'_, O, System>,
    id: LaneId,
    way: &dyn Way<Old = System, New = System>,
) -> Result<(), Stopped> {
    let lane = &office.plan.lanes[id];
    let (stop, smt, system) = (office.stop, &office.plan.smt, way.system());
    let desk = Clerk::new(office, id, way, Vec::new());
    let job = Job {
        system: &**system,
        properties: asked(office, way),
        settings: lane.settings,
        distinct: office.plan.distinct && !system.inits_read_inputs(),
        seed: lane.seed,
        shares: false,
        desk: &desk,
        stop,
    };
    match lane.engine.words.expect("plans have lanes that can run") {
        RunWords::Paths(run) => run(&mut Words::new(system.clone(), smt.clone(), stop), &job),
        RunWords::Conjectures(run) => {
            let make = |own| Box::new(Words::new(own, smt.clone(), stop)) as Box<dyn Refuter<_, _>>;
            run(&mut { make }, &job)
        }
        RunWords::Predicates { run, refines } => {
            let preimages = if refines { lane.settings.ic3.preimages } else { Preimages::Projection };
            let atoms = Arc::new(Atoms::new(system.clone()));
            let (mut cursor, mut known) = (Cursor::default(), Vec::new());
            let mut fresh = || {
                let lemmas = desk.read(&mut cursor).into_iter().filter_map(|news| match news {
                    News::Lemma(lemma) => Some(lemma),
                    _ => None,
                });
                known.extend(lemmas);
                let mut regions = Regions::new(system.clone(), atoms.clone(), preimages, smt, stop);
                known.iter().for_each(|lemma| regions.know(lemma));
                Box::new(regions) as Box<dyn Relative>
            };
            run(&mut fresh, &atoms, &mut Words::new(system.clone(), smt.clone(), stop), &job)
        }
    }
}

impl Ground for Indexed {
    type Ways = Same<Indexed>;

    fn ways<O: Judged>(office: &Office<'_, O, Indexed>) -> Same<Indexed> {
        Same(office.base.system().clone())
    }

    fn inductive<O: Judged>(
        _: &Office<'_, O, Indexed>,
        _: &Same<Indexed>,
        _: &Lemmas,
    ) -> Result<Self::Proof, Refusal> {
        Err(Refusal::Rejected("models with maps take predicates, not lemmas".to_string()))
    }

    fn count(proof: &Self::Proof) -> usize {
        proof.clauses.len()
    }

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, Indexed>,
        ways: &Same<Indexed>,
        id: LaneId,
    ) -> Result<(), Stopped> {
        let lane = &office.plan.lanes[id];
        let desk = Clerk::new(office, id, ways, Vec::new());
        let job = Job {
            system: &**ways.system(),
            properties: asked(office, ways),
            settings: lane.settings,
            distinct: false,
            seed: lane.seed,
            shares: false,
            desk: &desk,
            stop: office.stop,
        };
        let run = lane.engine.maps.expect("plans have lanes that can run");
        run(&office.plan.smt, &job)
    }
}
