//! The office of a run and its clerks, over any kinds of systems.
//!
//! Three systems are in play: the *original* `O`, on which the judge decides; the system `B` that the *board*
//! speaks of, which all lanes have in common (the original, or where all lanes work on bits, its bits); and the
//! system `S` that one engine sees. A clerk is the desk of one engine: it knows the way from `B` to `S`, the
//! office that from `O` to `B`. Whatever an engine says is taken up both ways before anybody else hears of it, and
//! what it reads comes down one.
//!
//! A clerk conjoins to every proof of its engine the lemmas that it handed out, so an engine need not know what it
//! used. A lane whose evidence is rejected is dropped and named; the others go on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Instant;

use buttress_check::Refusal;
use buttress_engine::{Board, Cursor, Desk, Episode, Fact, News, Progress, Run, RunWords, Told};
use buttress_solve::{Stop, Stopped};
use buttress_system::{Clause, Lit, PropertyId, Reason, Subject, Verdict};
use buttress_transform::{Way, lower_property};

use crate::event::{Event, LaneId, Listener};
use crate::judge::{Accepted, Judge, Judged};
use crate::people::Shown;
use crate::plan::{Aim, Lane, Plan};
use crate::polish::polished;
use crate::problem::{ClaimId, Problem};

/// What the lanes of one run share.
pub(crate) struct Office<'a, O: Judged, B: Subject> {
    pub problem: &'a Problem,
    pub plan: &'a Plan,
    pub base: &'a dyn Way<Old = O, New = B>,
    pub judge: Judge<O>,
    pub board: &'a dyn Board<B::Proof>,
    /// What is inductive of the lemmas that were given, checked.
    pub known: OnceLock<B::Proof>,
    /// The properties of the original that are asked for, and of these the open ones.
    pub properties: &'a [PropertyId],
    pub open: &'a Mutex<Vec<PropertyId>>,
    /// Lanes whose evidence was rejected: nothing that they say counts any more.
    pub dropped: Vec<AtomicBool>,
    /// Whether lanes of other processes hear what is told.
    pub others: bool,
    pub stop: &'a Stop,
    pub events: &'a Listener<'a>,
}

impl<O: Judged, B: Subject> Office<'_, O, B> {
    pub fn claim(&self, property: PropertyId) -> ClaimId {
        O::claim(self.problem, property).expect("engines are given properties of claims")
    }

    fn open(&self) -> MutexGuard<'_, Vec<PropertyId>> {
        self.open.lock().expect("no holder panics")
    }

    fn is_dropped(&self, lane: LaneId) -> bool {
        self.dropped[lane].load(Ordering::Acquire)
    }

    fn drop_lane(&self, lane: LaneId) {
        self.dropped[lane].store(true, Ordering::Release);
    }

    /// Whether this lane need not work on a property of the original any more.
    pub fn is_done(&self, lane: LaneId, property: PropertyId) -> bool {
        self.is_dropped(lane) || !self.open().contains(&property)
    }

    /// Nobody works on this property any more, though it is not decided: its time is used up.
    pub fn put_away(&self, lane: LaneId, property: PropertyId) {
        if self.close(&[property]).is_empty() {
            return;
        }
        if let Some(property) = lower_property(self.base, property) {
            self.board.post(Fact::Decided { property });
        }
        let limit = self.plan.property_limit.unwrap_or_default().as_secs_f64();
        let why = Reason::Incomplete(format!("the {limit} s for one property are used up"));
        (self.events)(Event::GaveUp { claim: self.claim(property), lane, why });
    }

    /// Takes properties off the list; those that nobody had decided before.
    pub fn close(&self, properties: &[PropertyId]) -> Vec<PropertyId> {
        close(properties, self.open, self.stop)
    }
}

/// Takes properties off a list of open ones; those that were on it. Where it is empty then, nobody need go on.
pub(crate) fn close(
    properties: &[PropertyId],
    open: &Mutex<Vec<PropertyId>>,
    stop: &Stop,
) -> Vec<PropertyId> {
    let mut open = open.lock().expect("no holder panics");
    let closed = properties.iter().copied().filter(|p| open.contains(p)).collect();
    open.retain(|p| !properties.contains(p));
    if open.is_empty() {
        stop.request(&Stopped::Cancelled);
    }
    closed
}

/// One engine's desk.
pub(crate) struct Clerk<'a, O: Judged, B: Subject, S: Subject> {
    office: &'a Office<'a, O, B>,
    id: LaneId,
    lane: &'a Lane,
    /// What the engine sees of what the board speaks of.
    way: &'a dyn Way<Old = B, New = S>,
    /// The checked proofs whose lemmas this engine was given.
    given: Mutex<Vec<B::Proof>>,
}

/// The properties of an engine's system that are asked for.
pub(crate) fn asked<O: Judged, B: Subject, S: Subject>(
    office: &Office<'_, O, B>,
    way: &dyn Way<Old = B, New = S>,
) -> Vec<PropertyId> {
    let lower = |&p: &PropertyId| lower_property(way, lower_property(office.base, p)?);
    office.properties.iter().filter_map(lower).collect()
}

impl<'a, O: Judged, B: Subject, S: Subject> Clerk<'a, O, B, S> {
    pub fn new(
        office: &'a Office<'a, O, B>,
        id: LaneId,
        way: &'a dyn Way<Old = B, New = S>,
        given: Vec<B::Proof>,
    ) -> Clerk<'a, O, B, S> {
        Clerk { office, id, lane: &office.plan.lanes[id], way, given: Mutex::new(given) }
    }

    fn given(&self) -> MutexGuard<'_, Vec<B::Proof>> {
        self.given.lock().expect("no holder panics")
    }

    fn tell(&self, event: Event) {
        (self.office.events)(event);
    }

    /// A property of the engine's system, in the original.
    fn raise_property(&self, property: PropertyId) -> PropertyId {
        self.office.base.property(self.way.property(property))
    }

    fn claim(&self, property: PropertyId) -> ClaimId {
        self.office.claim(self.raise_property(property))
    }

    /// A property of the board's system, in the engine's.
    fn lower_property(&self, property: PropertyId) -> Option<PropertyId> {
        lower_property(self.way, property)
    }

    /// Proofs with all that the engine was given, on the original.
    fn certify(&self, verdict: Verdict<S::Proof, S::Trace>) -> (Result<Accepted, Refusal>, Option<B::Proof>) {
        let Office { base, judge, stop, .. } = self.office;
        match verdict {
            Verdict::Unsafe(trace) | Verdict::Perhaps(trace) => {
                (O::certify_trace(judge, base.trace(self.way.trace(trace)), stop), None)
            }
            Verdict::Safe(proof) => {
                let board = base.system();
                let given = self.given().clone();
                let proof = given.iter().fold(self.way.proof(proof), |all, more| board.and(all, more));
                (O::certify_proof(judge, base.proof(proof.clone()), stop), Some(proof))
            }
            Verdict::Unknown(_) => unreachable!("nobody certifies what is unknown"),
        }
    }

    /// Puts what is inductive on the board, with all that the engine was given before.
    fn hand_in(&self, proof: S::Proof) -> Result<(), Refusal> {
        let Office { base, judge, board, stop, .. } = self.office;
        let raised = self.way.proof(proof);
        let mut given = self.given();
        let all = given.iter().fold(raised.clone(), |all, more| base.system().and(all, more));
        O::certify_invariant(judge, base.proof(all), stop)?;
        given.push(raised.clone());
        board.post(Fact::Proved(raised));
        Ok(())
    }

    /// Whatever the evidence decides is decided, not only what was asked for.
    fn accept(&self, accepted: Accepted, proof: Option<B::Proof>, checking: f64) {
        let office = self.office;
        let polish = office.plan.polish;
        let accepted = match polish.is_something() {
            true => polished(office.problem, &office.plan.smt, polish, accepted, office.stop),
            false => accepted,
        };
        let closed = office.close(accepted.properties());
        for property in closed {
            let claim = office.claim(property);
            if let Some(property) = lower_property(office.base, property) {
                office.board.post(Fact::Decided { property });
            }
            if let Some(clauses) = proof.as_ref().filter(|_| office.plan.follow.clauses).map(clauses::<B>) {
                self.tell(Event::Clauses { claim, lane: self.id, clauses });
            }
            let accepted = Box::new(accepted.clone());
            self.tell(Event::Decided { claim, lane: self.id, accepted, checking });
        }
        if let Some(proof) = proof {
            office.board.post(Fact::Proved(proof));
        }
    }

    fn reject(&self, property: PropertyId, why: String) {
        self.office.drop_lane(self.id);
        self.tell(Event::Rejected { claim: self.claim(property), lane: self.id, why });
    }

    fn gave_up(&self, property: PropertyId, why: Reason) {
        self.tell(Event::GaveUp { claim: self.claim(property), lane: self.id, why });
    }

    /// A checked proof as lemmas over the engine's system.
    fn lemmas(&self, proof: &B::Proof) -> Vec<S::Lemma> {
        self.way.lower(&B::lemmas(proof)).into_iter().flatten().collect()
    }

    /// Engines on bits that ask about single steps read what was discovered, and no proofs of properties: these
    /// may rest on distinct states. Engines on maps have no use for lemmas.
    fn may_read(&self, proof: &B::Proof) -> bool {
        let engine = self.lane.engine;
        match (self.lane.through.is_bits(), engine.bits, engine.words) {
            (true, Some(Run::Inductive(_)), _) => B::proved(proof).is_empty(),
            (true, _, _) => true,
            (false, _, words) => words.is_some(),
        }
    }

    /// What is told about a property, over the engine's system; `None` where it speaks of what is gone there.
    fn lower_told(&self, property: PropertyId, told: &Told) -> Option<(PropertyId, Told)> {
        let property = self.lower_property(property)?;
        let lowered = self.way.lower(&[B::excluding(told.cube())?]).pop().flatten()?;
        Some((property, told.about(S::excluded(&lowered)?)))
    }

    /// What another engine excluded, as a lemma.
    fn told(&self, property: PropertyId, told: &Told) -> Option<News<S::Lemma>> {
        let (property, told) = self.lower_told(property, told)?;
        match told {
            Told::Excluded(cube) => Some(News::Excluded { property, lemma: S::excluding(&cube)? }),
            Told::Failed(_) => None,
        }
    }

    fn raise_cube(&self, cube: &[Lit]) -> Option<Vec<Lit>> {
        cube.iter().map(|&l| self.way.literal(l)).collect()
    }

    /// The properties that the engine was told to hold.
    fn known_properties(&self) -> Vec<PropertyId> {
        let given = self.given();
        given.iter().flat_map(|p| B::proved(p)).map(|&p| self.office.base.property(p)).collect()
    }
}

/// The clauses over latches of a proof.
fn clauses<B: Subject>(proof: &B::Proof) -> Vec<Clause> {
    let cubes = B::lemmas(proof).into_iter().filter_map(|lemma| B::excluded(&lemma));
    cubes.map(|cube| Clause::new(cube.into_iter().map(|l| !l))).collect()
}

impl<O: Judged + Shown, B: Subject, S: Subject> Desk<S> for Clerk<'_, O, B, S> {
    fn is_decided(&self, property: PropertyId) -> bool {
        self.office.is_done(self.id, self.raise_property(property))
    }

    fn decide(&self, property: PropertyId, verdict: Verdict<S::Proof, S::Trace>) {
        if self.office.is_dropped(self.id) {
            return;
        }
        if let Verdict::Unknown(why) = verdict {
            return self.gave_up(property, why);
        }
        let tentative = matches!(verdict, Verdict::Perhaps(_));
        let start = Instant::now();
        match self.certify(verdict) {
            (Ok(accepted), proof) => self.accept(accepted, proof, start.elapsed().as_secs_f64()),
            (Err(Refusal::Rejected(why)), _) if tentative => {
                let why = format!("the path that was found is none: {why}");
                self.gave_up(property, Reason::Incomplete(why));
            }
            (Err(Refusal::Rejected(why)), _) => self.reject(property, why),
            (Err(Refusal::Stopped(Stopped::Solver(why))), _) => {
                self.gave_up(property, Reason::Solver(format!("its answer could not be checked: {why}")));
            }
            (Err(Refusal::Stopped(_)), _) => {}
        }
    }

    fn strengthen(&self, proof: S::Proof) -> bool {
        match self.hand_in(proof) {
            Ok(()) => true,
            Err(Refusal::Stopped(_)) => false,
            Err(Refusal::Rejected(why)) => {
                let asked = self.office.properties.first().copied();
                self.office.drop_lane(self.id);
                if let Some(property) = asked {
                    let claim = self.office.claim(property);
                    self.tell(Event::Rejected { claim, lane: self.id, why });
                }
                false
            }
        }
    }

    fn suggest(&self, proof: S::Proof) {
        drop(self.hand_in(proof));
    }

    /// Of one that counts visits, that there are no more of them says nothing about the claim.
    fn holds_up_to(&self, property: PropertyId, steps: usize) {
        if self.lane.engine.live.is_some() {
            return;
        }
        self.office.board.post(Fact::HoldsUpTo { property: self.way.property(property), steps });
        self.tell(Event::HoldsUpTo { claim: self.claim(property), steps });
    }

    fn read(&self, cursor: &mut Cursor) -> Vec<News<S::Lemma>> {
        let mut news = Vec::new();
        for fact in self.office.board.read(cursor) {
            match fact {
                Fact::Proved(proof) if !self.may_read(&proof) => {}
                Fact::Proved(proof) => {
                    news.extend(self.lemmas(&proof).into_iter().map(News::Lemma));
                    self.given().push(proof);
                }
                Fact::Told { property, told } => news.extend(self.told(property, &told)),
                Fact::HoldsUpTo { property, steps } => {
                    let lowered = self.lower_property(property);
                    news.extend(lowered.map(|property| News::HoldsUpTo { property, steps }));
                }
                Fact::Decided { property } => {
                    let lowered = self.lower_property(property);
                    news.extend(lowered.map(|property| News::Decided { property }));
                }
            }
        }
        news
    }

    fn exchange(&self, property: PropertyId, own: Vec<Told>, cursor: &mut Cursor) -> Vec<Told> {
        let raised = self.way.property(property);
        let fact = |told: &Told| {
            let told = told.about(self.raise_cube(told.cube())?);
            Some(Fact::Told { property: raised, told })
        };
        let own = own.iter().filter_map(fact).collect();
        let mut news = Vec::new();
        for fact in self.office.board.exchange(own, cursor) {
            if let Fact::Told { property: about, told } = fact
                && let Some((about, told)) = self.lower_told(about, &told)
                && about == property
            {
                news.push(told);
            }
        }
        news
    }

    fn progress(&self, progress: Progress) {
        self.tell(Event::Progress { lane: self.id, progress });
    }

    /// What happens beside a monitor is no story of the model.
    fn explaining(&self) -> bool {
        if self.lane.aim != Aim::Safety {
            return false;
        }
        let follow = self.office.plan.follow;
        let engine = self.lane.engine;
        match (self.lane.through.is_bits(), engine.bits, engine.words) {
            (true, Some(Run::Paths(_)), _) | (false, _, Some(RunWords::Paths(_))) => follow.step_failures,
            (true, Some(Run::Inductive(_)), _) => follow.stories,
            _ => false,
        }
    }

    fn tell(&self, property: PropertyId, episode: Episode<S::Trace>) {
        let claim = self.claim(property);
        let Episode::StepFails { k, path } = episode else {
            if let Some(episode) = episode.translated(&|lit| self.way.literal(lit)) {
                Clerk::tell(self, Event::Story { claim, lane: self.id, episode });
            }
            return;
        };
        let Office { base, judge, .. } = self.office;
        let path = base.path(self.way.path(path));
        let original = self.raise_property(property);
        match O::certify_step_failure(judge, &path, original, &self.known_properties()) {
            Err(Refusal::Rejected(why)) => self.reject(property, why),
            _ => {
                let states = O::waves(&judge.system, &path);
                Clerk::tell(self, Event::StepFails { claim, k, states });
            }
        }
    }

    fn leave(&self, property: PropertyId, cubes: &mut dyn Iterator<Item = &[Lit]>) {
        if self.office.plan.follow.clauses {
            let clause = |cube: &[Lit]| Some(Clause::new(self.raise_cube(cube)?.into_iter().map(|l| !l)));
            let clauses = cubes.filter_map(clause).collect();
            Clerk::tell(self, Event::Clauses { claim: self.claim(property), lane: self.id, clauses });
        }
    }
}
