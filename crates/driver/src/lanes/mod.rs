//! How a lane runs: the way to what its engine sees, the reasoners that it asks, its desk.
//!
//! For each kind of system that a board may speak of, [`Ground`] makes the ways once and starts an engine of the
//! right shape.

mod live;
mod trees;

pub(crate) use live::fits_into_bits;

use std::sync::{Arc, OnceLock};

use buttress_check::Refusal;
use buttress_engine::{
    Cursor, Desk, Fact, Job, News, Run, RunInductive, RunWords, largest_inductive, largest_stated,
};
use buttress_query::{Atoms, Bits, FOREVER, Levels, Preimages, Queried, Refuter, Regions, Relative, Words};
use buttress_solve::{Cadical, Cdcl, Stop, Stopped};
use buttress_system::indexed::Indexed;
use buttress_system::words::{Label, System, WordLemma, WordProof};
use buttress_system::{BitSystem, Clause, LatchId, Lemma, Lit, Proof, PropertyId, Subject};
use buttress_term::TermId;
use buttress_transform::{
    AnyWay, Merged, Same, Then, Way, cone, lower_property, merge_equal_states, reduce, simplify,
};

use crate::event::LaneId;
use crate::judge::Judged;
use crate::office::{Clerk, Office, asked};
use crate::people::Shown;
use crate::plan::{Lane, Lemmas, Through};
use crate::told::{ClauseVerdict, ToldBefore};
use crate::turns::{Turns, in_turns};

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

    /// What these lemmas, one of them a property, are together: k-inductive. `None` of maps, whose proofs are made
    /// of more.
    fn strengthening(&self, k: u32, lemmas: &[Self::Lemma]) -> Option<Self::Proof>;

    /// What runs in other processes told before.
    type ToldBefore: Default + Send;

    /// Of the clauses that were told of a property, given by the cubes that they exclude, what holds.
    fn confirm<O: Judged>(
        office: &Office<'_, O, Self>,
        ways: &Self::Ways,
        before: &mut Self::ToldBefore,
        property: PropertyId,
        cubes: &[Vec<Lit>],
    ) -> Result<Vec<ClauseVerdict>, Stopped>;

    /// A clause that a lane of this run told.
    fn believe<O: Judged>(
        office: &Office<'_, O, Self>,
        ways: &Self::Ways,
        before: &mut Self::ToldBefore,
        property: PropertyId,
        cube: &[Lit],
    );

    /// Runs a lane to its end. Its token stops with that of the office, and says when it is its turn.
    fn run<O: Judged + Shown>(
        office: &Office<'_, O, Self>,
        ways: &Self::Ways,
        id: LaneId,
        stop: &Stop,
    ) -> Result<(), Stopped>;
}

/// The ways from bits to bits.
pub(crate) struct BitWays {
    /// Before any of them.
    system: Arc<BitSystem>,
    properties: Vec<PropertyId>,
    simplified: AnyWay<BitSystem, BitSystem>,
    /// With equal signals merged, for engines that ask about single steps: distinct states, which paths may rest
    /// on, do not go with facts about gates.
    reduced: OnceLock<Result<AnyWay<BitSystem, BitSystem>, Stopped>>,
    /// Of the run: one lane makes what others wait for, and takes no turns with them meanwhile.
    stop: Stop,
}

impl BitWays {
    fn new(system: &Arc<BitSystem>, properties: Vec<PropertyId>, stop: &Stop) -> BitWays {
        let simplified = simplify(system, &properties);
        let (system, stop) = (system.clone(), stop.clone());
        BitWays { system, properties, simplified, reduced: OnceLock::new(), stop }
    }

    fn through(&self, through: Through) -> Result<&AnyWay<BitSystem, BitSystem>, Stopped> {
        if through != Through::MergedBits {
            return Ok(&self.simplified);
        }
        let reduced = || reduce(&self.system, &self.properties, || Cdcl::new(&self.stop));
        self.reduced.get_or_init(reduced).as_ref().map_err(Clone::clone)
    }

    /// The same for one of several properties: what it does not depend on costs it nothing. More is equal in what
    /// it depends on than in the whole, and to find it takes time, for each property anew: only where it is
    /// `hard`.
    fn alone(
        &self,
        through: Through,
        property: PropertyId,
        hard: bool,
        stop: &Stop,
    ) -> Result<impl Way<Old = BitSystem, New = BitSystem>, Stopped> {
        let anew = hard && through == Through::MergedBits;
        let common = if anew { &self.simplified } else { self.through(through)? };
        let own: Vec<PropertyId> = lower_property(&**common, property).into_iter().collect();
        let further = match anew {
            true => reduce(common.system(), &own, || Cdcl::new(stop))?,
            false => Box::new(cone(common.system(), &own)),
        };
        Ok(Then(&**common, further))
    }
}

fn k_inductive<S: Queried>(system: &S, k: u32, lemmas: &[S::Lemma]) -> Option<S::Proof> {
    let (place, property) = lemmas.iter().enumerate().find_map(|(at, l)| Some((at, S::as_property(l)?)))?;
    let others = [&lemmas[..place], &lemmas[place + 1..]].concat();
    Some(system.k_inductive(property, k, false, &others))
}

impl Ground for BitSystem {
    type Ways = BitWays;

    fn ways<O: Judged>(office: &Office<'_, O, BitSystem>) -> BitWays {
        let properties = office.properties.iter().filter_map(|&p| lower_property(office.base, p)).collect();
        BitWays::new(office.base.system(), properties, office.stop)
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

    fn strengthening(&self, k: u32, lemmas: &[Lemma]) -> Option<Proof> {
        k_inductive(self, k, lemmas)
    }

    type ToldBefore = ToldBefore;

    fn confirm<O: Judged>(
        office: &Office<'_, O, BitSystem>,
        ways: &BitWays,
        before: &mut ToldBefore,
        property: PropertyId,
        cubes: &[Vec<Lit>],
    ) -> Result<Vec<ClauseVerdict>, Stopped> {
        let way = ways.through(told_through(office, ways))?;
        before.confirm(&**way, property, cubes, office.stop)
    }

    fn believe<O: Judged>(
        office: &Office<'_, O, BitSystem>,
        ways: &BitWays,
        before: &mut ToldBefore,
        property: PropertyId,
        cube: &[Lit],
    ) {
        if let Ok(way) = ways.through(told_through(office, ways)) {
            before.believe(&**way, property, cube, office.stop);
        }
    }

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, BitSystem>,
        ways: &BitWays,
        id: LaneId,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        run_on_bits(office, id, &Same(office.base.system().clone()), ways, stop)
    }
}

/// What the engines work behind whose runs tell each other clauses; of several properties each has a way of its
/// own, and what they have in common is the simplified system.
fn told_through<O: Judged>(office: &Office<'_, O, BitSystem>, ways: &BitWays) -> Through {
    let merged = office.plan.lanes.iter().any(|lane| lane.through == Through::MergedBits);
    if merged && ways.properties.len() == 1 { Through::MergedBits } else { Through::Bits }
}

fn of_clauses(invariant: Vec<Clause>) -> Proof {
    Proof { properties: Vec::new(), k: 1, distinct: None, invariant }
}

/// Runs an engine on bits, wherever they come from.
fn run_on_bits<O: Judged + Shown, B: Subject>(
    office: &Office<'_, O, B>,
    id: LaneId,
    to_bits: &dyn Way<Old = B, New = BitSystem>,
    ways: &BitWays,
    stop: &Stop,
) -> Result<(), Stopped> {
    let lane = &office.plan.lanes[id];
    let through = lane.through;
    let run = lane.engine.bits.expect("plans have lanes that can run");
    if let Run::Inductive(run) = run {
        let several = ways.properties.len() > 1;
        let is_decided = |property| office.is_done(id, office.base.property(to_bits.property(property)));
        let turns = Turns {
            properties: apart(&office.plan.lanes, id, ways.properties.clone()),
            is_decided: &is_decided,
            limit: office.plan.property_limit,
            out_of_time: &|property| office.put_away(id, office.base.property(to_bits.property(property))),
        };
        let (mut cursor, mut proved) = (Cursor::default(), Vec::new());
        return in_turns(turns, stop, &mut |property, grant, stop| {
            if !several {
                let way = &Then(to_bits, &**ways.through(through)?);
                let given = Given { queries: grant.queries, proved: &[] };
                return run_inductive(office, id, ways, way, run, given, stop);
            }
            // They make the proof longer that is checked: only where it is worth it.
            if grant.again {
                proved.extend(
                    office.board.read(&mut cursor).into_iter().filter_map(invariant_of_properties::<B>),
                );
            }
            let through = if grant.quick { Through::Bits } else { through };
            let way = &Then(to_bits, ways.alone(through, property, grant.again, stop)?);
            let given = Given { queries: grant.queries, proved: &proved };
            run_inductive(office, id, ways, way, run, given, stop)
        });
    }
    let way = &Then(to_bits, &**ways.through(through)?);
    let (system, properties) = (way.system(), asked(office, way));
    let desk = Clerk::new(office, id, way, Vec::new());
    let job = job_on_bits(office, id, ways, system, properties, &desk, stop);
    match run {
        Run::Paths(run) => run(&mut Bits::new(system.clone(), || Cadical::new(stop, lane.seed), stop), &job),
        Run::Conjectures(run) => {
            run(&mut Bits::new(system.clone(), || Cadical::new(stop, lane.seed), stop), &job)
        }
        Run::Inductive(_) => unreachable!("it has its turns"),
        Run::Inverse(run) => run(&mut |own| Box::new(Levels::new(own, || Cdcl::new(stop))), &job),
        Run::Alone(run) => run(&job),
    }
}

/// A proof of properties that is inductive in one step.
fn invariant_of_properties<B: Subject>(fact: Fact<B::Proof>) -> Option<B::Proof> {
    match fact {
        Fact::Proved(proof) => Some(proof).filter(|p| B::is_inductive(p) && !B::proved(p).is_empty()),
        _ => None,
    }
}

/// Properties in the order in which a lane takes them: of several such lanes, each begins elsewhere.
fn apart(lanes: &[Lane], id: LaneId, mut properties: Vec<PropertyId>) -> Vec<PropertyId> {
    let alike = |lane: &&Lane| {
        lane.aim == lanes[id].aim && matches!(lane.engine.bits, Some(Run::Inductive(_))) && lane.threads == 1
    };
    let (before, all) = (lanes[..id].iter().filter(alike).count(), lanes.iter().filter(alike).count());
    let begin = properties.len() * before / all.max(1);
    properties.rotate_left(begin);
    properties
}

/// What a turn begins with: so many queries, and the proofs of other properties.
struct Given<'a, P> {
    queries: u64,
    proved: &'a [P],
}

/// A property takes over an invariant of others if one in so many of its clauses speaks of what it depends on.
const KINDRED: usize = 2;

/// One turn of an engine that asks about single steps, with the invariants of other properties as lemmas.
fn run_inductive<O: Judged + Shown, B: Subject>(
    office: &Office<'_, O, B>,
    id: LaneId,
    ways: &BitWays,
    way: &dyn Way<Old = B, New = BitSystem>,
    run: RunInductive,
    given: Given<'_, B::Proof>,
    stop: &Stop,
) -> Result<(), Stopped> {
    let system = way.system();
    let lowered = |proof: &B::Proof| -> Vec<Vec<Lit>> {
        let lemmas = way.lower(&B::lemmas(proof)).into_iter().flatten();
        lemmas.filter_map(|lemma| BitSystem::excluded(&lemma)).collect()
    };
    let mut known: Vec<B::Proof> = office.known.get().into_iter().cloned().collect();
    let mut cubes: Vec<Vec<Lit>> = known.iter().flat_map(lowered).collect();
    for proof in given.proved {
        let own = lowered(proof);
        if !own.is_empty() && own.len() * KINDRED >= B::lemmas(proof).len() {
            known.push(proof.clone());
            cubes.extend(own);
        }
    }
    let whole_states = office.plan.lanes[id].engine.whole_states;
    let solver = || if whole_states { Cdcl::new(stop).keeping_domains() } else { Cdcl::new(stop) };
    let fresh = || {
        let mut levels = Levels::new(system.clone(), solver);
        levels.grant(given.queries);
        cubes.iter().for_each(|cube| levels.learn(FOREVER, cube));
        Box::new(levels) as Box<dyn Relative>
    };
    let desk = Clerk::new(office, id, way, known);
    let properties = system.property_ids().collect();
    run(&mut { fresh }, &job_on_bits(office, id, ways, system, properties, &desk, stop))
}

fn job_on_bits<'a, O: Judged, B: Subject>(
    office: &'a Office<'_, O, B>,
    id: LaneId,
    ways: &BitWays,
    system: &'a BitSystem,
    properties: Vec<PropertyId>,
    desk: &'a dyn Desk,
    stop: &'a Stop,
) -> Job<'a> {
    let lane = &office.plan.lanes[id];
    let mut settings = lane.settings;
    settings.ic3.of_words = office.problem.words().is_some();
    // Engines that ask about single steps make no use of it, and have many jobs.
    let unrolls = !matches!(lane.engine.bits, Some(Run::Inductive(_)) | None);
    // On the bits before any simplification: the judge sees what is read there, even where it makes no difference.
    let distinct = unrolls && office.plan.distinct && !resets_read_inputs(&ways.system, &ways.properties);
    let shares = lane.threads > 1 || office.others;
    Job { system, properties, settings, distinct, seed: lane.seed, shares, desk, stop }
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

    fn strengthening(&self, k: u32, lemmas: &[WordLemma]) -> Option<WordProof> {
        k_inductive(self, k, lemmas)
    }

    type ToldBefore = ();

    /// Only cubes over latches are told, and there are none.
    fn confirm<O: Judged>(
        _: &Office<'_, O, System>,
        _: &WordWays,
        _: &mut (),
        _: PropertyId,
        cubes: &[Vec<Lit>],
    ) -> Result<Vec<ClauseVerdict>, Stopped> {
        Ok(vec![ClauseVerdict::Wrong; cubes.len()])
    }

    fn believe<O: Judged>(_: &Office<'_, O, System>, _: &WordWays, _: &mut (), _: PropertyId, _: &[Lit]) {}

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, System>,
        ways: &WordWays,
        id: LaneId,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        let through = office.plan.lanes[id].through;
        if through.is_bits() {
            let to_bits = office.problem.in_bits().expect("plans go to bits where there are some");
            let lower = |&p: &PropertyId| lower_property(to_bits, p);
            let properties = || office.properties.iter().filter_map(lower).collect();
            let bits = ways.bits.get_or_init(|| BitWays::new(to_bits.system(), properties(), office.stop));
            return run_on_bits(office, id, &**to_bits, bits, stop);
        }
        match through {
            Through::EqualStates => {
                let merged = ways.merged.get_or_init(|| merge_equal_states(ways.same.system()));
                run_on_words(office, id, merged, stop)
            }
            _ => run_on_words(office, id, &ways.same, stop),
        }
    }
}

fn job_on_words<'a, O: Judged, B: Subject>(
    office: &'a Office<'_, O, B>,
    id: LaneId,
    system: &'a System,
    properties: Vec<PropertyId>,
    desk: &'a dyn Desk<System>,
    stop: &'a Stop,
) -> Job<'a, System> {
    let Lane { settings, seed, .. } = office.plan.lanes[id];
    let distinct = office.plan.distinct && !system.inits_read_inputs();
    Job { system, properties, settings, distinct, seed, shares: false, desk, stop }
}

/// Runs an engine on words, wherever they come from.
fn run_on_words<O: Judged + Shown, B: Subject>(
    office: &Office<'_, O, B>,
    id: LaneId,
    way: &dyn Way<Old = B, New = System>,
    stop: &Stop,
) -> Result<(), Stopped> {
    let lane = &office.plan.lanes[id];
    let (smt, system) = (&office.plan.smt, way.system());
    let desk = Clerk::new(office, id, way, Vec::new());
    match lane.engine.words.expect("plans have lanes that can run") {
        RunWords::Paths(run) => run(
            &mut Words::new(system.clone(), smt.clone(), stop),
            &job_on_words(office, id, system, asked(office, way), &desk, stop),
        ),
        RunWords::Conjectures(run) => {
            let make = |own| Box::new(Words::new(own, smt.clone(), stop)) as Box<dyn Refuter<_, _>>;
            run(&mut { make }, &job_on_words(office, id, system, asked(office, way), &desk, stop))
        }
        RunWords::Predicates { run, refines } => {
            let preimages = if refines { lane.settings.ic3.preimages } else { Preimages::Projection };
            let atoms = Arc::new(Atoms::new(system.clone()));
            let (mut cursor, mut known) = (Cursor::default(), Vec::new());
            let mut paths = Words::new(system.clone(), smt.clone(), stop);
            let mut fresh = |granted: u64, stop: &Stop| {
                let lemmas = desk.read(&mut cursor).into_iter().filter_map(|news| match news {
                    News::Lemma(lemma) => Some(lemma),
                    _ => None,
                });
                known.extend(lemmas);
                let mut regions = Regions::new(system.clone(), atoms.clone(), preimages, smt, stop);
                regions.grant(granted);
                known.iter().for_each(|lemma| regions.know(lemma));
                Box::new(regions) as Box<dyn Relative>
            };
            let turns = Turns {
                properties: asked(office, way),
                is_decided: &|property| desk.is_decided(property),
                limit: office.plan.property_limit,
                out_of_time: &|property| office.put_away(id, office.base.property(way.property(property))),
            };
            in_turns(turns, stop, &mut |property, grant, stop| {
                let fresh = &mut || fresh(grant.queries, stop);
                run(fresh, &atoms, &mut paths, &job_on_words(office, id, system, vec![property], &desk, stop))
            })
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

    fn strengthening(&self, _: u32, _: &[Self::Lemma]) -> Option<Self::Proof> {
        None
    }

    type ToldBefore = ();

    /// Only cubes over latches are told, and there are none.
    fn confirm<O: Judged>(
        _: &Office<'_, O, Indexed>,
        _: &Same<Indexed>,
        _: &mut (),
        _: PropertyId,
        cubes: &[Vec<Lit>],
    ) -> Result<Vec<ClauseVerdict>, Stopped> {
        Ok(vec![ClauseVerdict::Wrong; cubes.len()])
    }

    fn believe<O: Judged>(
        _: &Office<'_, O, Indexed>,
        _: &Same<Indexed>,
        _: &mut (),
        _: PropertyId,
        _: &[Lit],
    ) {
    }

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, Indexed>,
        ways: &Same<Indexed>,
        id: LaneId,
        stop: &Stop,
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
            stop,
        };
        let run = lane.engine.maps.expect("plans have lanes that can run");
        run(&office.plan.smt, &job)
    }
}
