//! Whom a run meets beyond its own lanes: other processes on the same model, and earlier runs by way of a file.
//!
//! ```text
//! lanes ──▶ board ──▶ courier ──▶ Outside (Redis, a directory)
//!             ▲          │
//!             └─ judge ◀─┘
//! ```
//!
//! The lanes share a board in memory, whatever the outside does: no engine waits for a network or a disk. A
//! courier, a thread of its own, takes what is new on the board outside and brings in what others sent.
//!
//! Nothing from outside is believed:
//!
//! * a proof, and evidence for a verdict, goes to the judge; what it accepts is a fact here, or decides a claim;
//! * a clause that others found inductive relative to a property is asked again, relative to the property and to
//!   the clauses that were told before it ([`Ground::confirm`]);
//! * a counterexample to induction claims nothing, and is passed on;
//! * that a property holds up to some step is a claim without evidence, and is not used.
//!
//! So there is nothing unchecked from outside on the board, and no lane is ever dropped for the lie of another
//! process. A sender whose message is garbage, about another model, of another version, or wrong is named once
//! for each of these; after [`PATIENCE`] of them it is not listened to any more. Who sent a message is what the
//! message says: keeping strangers out is for whoever keeps the server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use buttress_check::Refusal;
use buttress_engine::{Cursor, Engine, Fact, Told};
use buttress_system::{Lit, PropertyId, Subject};
use buttress_transform::lower_property;
use rustc_hash::FxHashSet;

use crate::codec::{
    Coded, ModelHash, Packed, PackedEvidence, PackedProof, Unread, pack_fact, unpack_fact, unseal,
};
use crate::event::{Event, Listener};
use crate::judge::{Accepted, Judged};
use crate::lanes::Ground;
use crate::office::Office;
use crate::plan::Lemmas;
use crate::problem::{Original, Problem};
use crate::supervise::within;
use crate::told::ClauseVerdict;

/// Who carries messages.
pub trait Outside: Sync {
    /// Where it is, for people.
    fn place(&self) -> &str;

    /// Takes a message about a model, if it carries such. Waits for nobody.
    fn send(&self, model: &ModelHash, body: &Packed);

    /// The messages that came in since the last call, at most so many. Waits for nobody.
    fn receive(&self, most: usize) -> Vec<Letter>;

    /// Error messages since the last call.
    fn troubles(&self) -> Vec<String>;

    /// Whether what comes in is of earlier runs, and all of it is there at once.
    fn is_memory(&self) -> bool;
}

/// A message that came in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letter {
    pub from: String,
    pub bytes: Vec<u8>,
    /// Whether it stays where it came from: nobody need send it there again.
    pub stays: bool,
}

/// So many wrong messages are taken from one sender.
const PATIENCE: usize = 8;
/// So many messages are taken from one sender in all.
const MOST_FROM_ONE: usize = 4_000_000;
/// So many messages are looked at before what is new here is sent.
const AT_ONCE: usize = 50_000;
/// How often the courier goes.
const ROUND: Duration = Duration::from_millis(10);
/// The check of one message may take so long.
const CHECK: Duration = Duration::from_secs(60);

/// The record of a sender's messages, with those that were wrong.
#[derive(Default)]
struct Sender {
    messages: usize,
    wrong: usize,
    /// The kinds of complaint that were already made about it.
    named: Vec<&'static str>,
}

/// Sends evidence the moment it is accepted: the rest goes with the courier.
pub(crate) struct Dispatch<'a> {
    problem: &'a Problem,
    outside: &'a [&'a dyn Outside],
    model: Option<ModelHash>,
}

impl<'a> Dispatch<'a> {
    pub fn new(problem: &'a Problem, outside: &'a [&'a dyn Outside]) -> Dispatch<'a> {
        let model = (!outside.is_empty()).then(|| ModelHash::of(problem));
        Dispatch { problem, outside, model }
    }

    /// Hears an event before others do.
    pub fn hear(&self, event: &Event, engine: impl Fn(usize) -> &'static Engine) {
        if self.model.is_none() {
            return;
        }
        match event {
            Event::Decided { lane, accepted, .. } => self.evidence(engine(*lane), accepted, None),
            Event::Confirmed { engine, accepted, stays_at, .. } => {
                self.evidence(engine, accepted, stays_at.as_deref());
            }
            Event::HoldsUpTo { claim, steps } => {
                if let Some(property) = self.problem.claim(*claim).property() {
                    let (property, steps) = (property.index() as u32, *steps as u64);
                    self.send(&Packed::HoldsUpTo { property, steps }, None);
                }
            }
            Event::Clauses { clauses, .. } => {
                let codes = |c: &buttress_system::Clause| c.0.iter().map(|l| l.code()).collect();
                self.send(&Packed::Candidates(clauses.iter().map(codes).collect()), None);
            }
            _ => {}
        }
    }

    fn evidence(&self, engine: &Engine, accepted: &Accepted, there: Option<&str>) {
        if let Some(evidence) = pack_evidence(self.problem, accepted) {
            self.send(&Packed::Evidence { engine: engine.name.to_string(), evidence }, there);
        }
    }

    /// To all but where it is already.
    fn send(&self, body: &Packed, there: Option<&str>) {
        let Some(model) = &self.model else { return };
        for outside in self.outside.iter().filter(|o| Some(o.place()) != there) {
            outside.send(model, body);
        }
    }
}

/// Evidence on the original. That of liveness stays here.
fn pack_evidence(problem: &Problem, accepted: &Accepted) -> Option<PackedEvidence> {
    if accepted.is_temporal() {
        return None;
    }
    Some(match (accepted, problem.original()) {
        (Accepted::Bits(checked), Original::Bits(system)) => match checked.evidence().proof() {
            Some(proof) => PackedEvidence::Proof(system.pack_proof(proof)),
            None => PackedEvidence::Trace(system.pack_trace(checked.evidence().trace()?)),
        },
        (Accepted::Words(checked), Original::Words(system)) => match checked.evidence().proof() {
            Some(proof) => PackedEvidence::Proof(system.pack_proof(proof)),
            None => PackedEvidence::Trace(system.pack_trace(checked.evidence().trace()?)),
        },
        (Accepted::Maps(checked), Original::Maps(system)) => match checked.evidence().proof() {
            Some(proof) => PackedEvidence::Proof(system.pack_proof(proof)),
            None => PackedEvidence::Trace(system.pack_trace(checked.evidence().trace()?)),
        },
        _ => return None,
    })
}

/// Goes between the board of a run and the outside.
pub(crate) struct Courier<'a, O: Judged, B: Ground> {
    office: &'a Office<'a, O, B>,
    ways: &'a B::Ways,
    outside: &'a [&'a dyn Outside],
    model: ModelHash,
    cursor: Cursor,
    senders: BTreeMap<String, Sender>,
    told: B::ToldBefore,
    /// All invariants from outside that were accepted, at once.
    invariants: Option<B::Proof>,
    /// Proofs on the original that were accepted: they come again as facts of the board.
    proofs: FxHashSet<PackedProof>,
}

/// A message that came in, and through whom.
struct Arrival<'a> {
    from: &'a str,
    place: &'a str,
    memory: bool,
    stays: bool,
}

/// The messages that one round brought in.
struct Bag<B: Subject> {
    facts: Vec<Fact<B::Proof>>,
    /// Clauses that were told of a property, in order, with their senders.
    told: BTreeMap<PropertyId, Vec<(String, Vec<Lit>)>>,
}

impl<'a, O: Judged + Coded, B: Ground + Coded> Courier<'a, O, B> {
    pub fn new(
        office: &'a Office<'a, O, B>,
        ways: &'a B::Ways,
        outside: &'a [&'a dyn Outside],
        dispatch: &Dispatch<'_>,
    ) -> Option<Courier<'a, O, B>> {
        let model = dispatch.model?;
        let (cursor, senders, told) = (Cursor::default(), BTreeMap::new(), B::ToldBefore::default());
        let (invariants, proofs) = (None, FxHashSet::default());
        Some(Courier { office, ways, outside, model, cursor, senders, told, invariants, proofs })
    }

    /// Reads the messages that are there before any lane starts: of earlier runs, and of other processes.
    pub fn begin(&mut self) {
        self.recall();
        self.round();
    }

    fn recall(&mut self) {
        for &outside in self.outside.iter().filter(|o| o.is_memory()) {
            let mut claimed = BTreeSet::new();
            for letter in outside.receive(usize::MAX) {
                let Letter { from, bytes, stays } = &letter;
                let arrival = Arrival { from, place: outside.place(), memory: true, stays: *stays };
                if let Ok(Packed::Evidence { engine, evidence }) = unseal(&self.model, bytes) {
                    let decides = evidence.decides().into_iter().map(|p| PropertyId::new(p as usize));
                    claimed.extend(decides);
                    let proof = match &evidence {
                        PackedEvidence::Proof(proof) => Some(proof.clone()),
                        PackedEvidence::Trace(_) => None,
                    };
                    self.evidence(&arrival, &engine, evidence);
                    proof.into_iter().for_each(|proof| self.share(&arrival, proof));
                }
            }
            claimed.retain(|p| self.office.properties.contains(p));
            let given = claimed.len();
            let accepted = claimed.into_iter().filter(|&p| !self.is_open([p])).count();
            if given > 0 || !matches!(self.office.plan.lemmas, Lemmas::None) {
                self.tell(Event::Recalled { accepted, given });
            }
        }
    }

    /// Tells the lanes of a proof on the original that was accepted, as if one of them had found it now.
    fn share(&mut self, arrival: &Arrival<'_>, packed: PackedProof) {
        let Office { base, judge, board, .. } = self.office;
        let (true, Some(k)) = (self.proofs.contains(&packed), packed.plain_k()) else { return };
        let Ok(proof) = judge.system.unpack_proof(packed) else { return };
        let lowered: Option<Vec<B::Lemma>> = base.lower(&O::lemmas(&proof)).into_iter().collect();
        let Some(proof) = lowered.and_then(|lemmas| base.system().strengthening(k, &lemmas)) else { return };
        if let Some(fact) = self.shared(arrival, proof) {
            board.post(fact);
        }
    }

    fn troubles(&self) {
        for &outside in self.outside {
            outside.troubles().into_iter().for_each(|what| self.tell(Event::Trouble(what)));
        }
    }

    /// Goes round until the lanes have ended.
    pub fn run(mut self, ended: &AtomicBool) {
        loop {
            let start = Instant::now();
            let last = ended.load(Ordering::Acquire);
            let busy = self.round();
            if last {
                return;
            }
            if !busy {
                std::thread::sleep(ROUND.saturating_sub(start.elapsed()));
            }
        }
    }

    /// Brings in and takes out; whether there may be more to bring in.
    fn round(&mut self) -> bool {
        let mut bag = Bag { facts: Vec::new(), told: BTreeMap::new() };
        let mut busy = false;
        for &outside in self.outside.iter().filter(|o| !o.is_memory()) {
            let letters = outside.receive(AT_ONCE);
            busy |= letters.len() == AT_ONCE;
            for Letter { from, bytes, stays } in &letters {
                let arrival = Arrival { from, place: outside.place(), memory: false, stays: *stays };
                self.letter(&arrival, bytes, &mut bag);
            }
        }
        self.troubles();
        self.confirm_told(&mut bag);
        let news = self.office.board.exchange(bag.facts, &mut self.cursor);
        self.remember_told(&news);
        for body in news.iter().map(|fact| pack_fact(&**self.office.base.system(), fact)) {
            // Depths are told by events, and verdicts by their evidence.
            if !matches!(body, Packed::HoldsUpTo { .. } | Packed::Decided { .. }) {
                self.outside.iter().for_each(|outside| outside.send(&self.model, &body));
            }
        }
        busy
    }

    fn tell(&self, event: Event) {
        (self.office.events)(event);
    }

    fn letter(&mut self, arrival: &Arrival<'_>, bytes: &[u8], bag: &mut Bag<B>) {
        let sender = self.senders.entry(arrival.from.to_string()).or_default();
        sender.messages += 1;
        if sender.wrong >= PATIENCE {
            return;
        }
        if sender.messages > MOST_FROM_ONE {
            return self.complain(arrival, "flood", "it sends more than anybody can use".to_string());
        }
        match unseal(&self.model, bytes) {
            Err(unread @ Unread::Version(_)) => self.complain(arrival, "version", unread.to_string()),
            Err(unread @ Unread::Model(_)) => self.complain(arrival, "model", unread.to_string()),
            Err(Unread::Garbage(what)) => self.complain(arrival, "garbage", what),
            Ok(Packed::Evidence { engine, evidence }) => self.evidence(arrival, &engine, evidence),
            Ok(Packed::Proved(proof)) => self.proved(arrival, proof, bag),
            Ok(body @ (Packed::Excluded { .. } | Packed::Failed { .. })) => self.told(arrival, body, bag),
            Ok(Packed::HoldsUpTo { .. } | Packed::Decided { .. } | Packed::Candidates(_)) => {}
        }
    }

    /// Names a sender, once for each kind of wrong.
    fn complain(&mut self, arrival: &Arrival<'_>, kind: &'static str, why: String) {
        let sender = self.senders.entry(arrival.from.to_string()).or_default();
        sender.wrong += 1;
        if !sender.named.contains(&kind) && !arrival.memory {
            sender.named.push(kind);
            let (from, place) = (arrival.from, arrival.place);
            self.tell(Event::Distrusted { from: from.to_string(), why: format!("{why} ({place})") });
        }
    }

    fn is_open(&self, properties: impl IntoIterator<Item = PropertyId>) -> bool {
        let open = self.office.open.lock().expect("no holder panics");
        properties.into_iter().any(|p| open.contains(&p))
    }

    /// Evidence on the original: decides what is open, where the judge accepts it.
    fn evidence(&mut self, arrival: &Arrival<'_>, engine: &str, evidence: PackedEvidence) {
        let judge = &self.office.judge;
        let Some(engine) = Engine::by_name(engine) else {
            return self.complain(arrival, "misfit", "it names an engine that there is not".to_string());
        };
        let packed = match &evidence {
            // What this run may not rest on.
            PackedEvidence::Proof(proof) if proof.has_distinct() && !self.office.plan.distinct => {
                return;
            }
            PackedEvidence::Proof(proof) => Some(proof.clone()),
            PackedEvidence::Trace(_) => None,
        };
        let start = Instant::now();
        let checked = match evidence {
            PackedEvidence::Proof(proof) => judge.system.unpack_proof(proof).map(|proof| {
                let open = self.is_open(O::proved(&proof).iter().copied());
                open.then(|| within(self.office.stop, Some(CHECK), |s| O::certify_proof(judge, proof, s)))
            }),
            PackedEvidence::Trace(trace) => {
                let open = self.is_open([PropertyId::new(trace.property() as usize)]);
                judge.system.unpack_trace(trace).map(|trace| {
                    open.then(|| within(self.office.stop, Some(CHECK), |s| O::certify_trace(judge, trace, s)))
                })
            }
        };
        match checked {
            Err(what) => self.complain(arrival, "misfit", what),
            // Somebody else was faster.
            Ok(None) | Ok(Some(Err(Refusal::Stopped(_)))) => {}
            Ok(Some(Err(Refusal::Rejected(why)))) => {
                self.complain(arrival, "evidence", format!("its evidence was rejected: {why}"));
            }
            Ok(Some(Ok(accepted))) => {
                self.proofs.extend(packed);
                self.confirmed(arrival, engine, accepted, start.elapsed().as_secs_f64());
            }
        }
    }

    /// Whatever was accepted decides what is open.
    fn confirmed(&self, arrival: &Arrival<'_>, engine: &'static Engine, accepted: Accepted, checking: f64) {
        let office = self.office;
        for property in office.close(accepted.properties()) {
            if let Some(property) = lower_property(office.base, property) {
                office.board.post(Fact::Decided { property });
            }
            self.tell(Event::Confirmed {
                claim: office.claim(property),
                engine,
                from: arrival.from.to_string(),
                stays_at: arrival.stays.then(|| arrival.place.to_string()),
                accepted: Box::new(accepted.clone()),
                checking,
            });
        }
    }

    /// A proof over what the board speaks of, of properties or of lemmas alone: lemmas for the lanes. What
    /// decides a property comes as evidence, too, and before.
    fn proved(&mut self, arrival: &Arrival<'_>, proof: PackedProof, bag: &mut Bag<B>) {
        let proof = match self.office.base.system().unpack_proof(proof) {
            Ok(proof) => proof,
            Err(what) => return self.complain(arrival, "misfit", what),
        };
        if B::proved(&proof).is_empty() {
            let invariants = self.invariant(&proof);
            return match invariants {
                Ok(all) => {
                    self.invariants = Some(all);
                    bag.facts.push(Fact::Proved(proof));
                }
                Err(refusal) => self.refuse(arrival, refusal),
            };
        }
        bag.facts.extend(self.shared(arrival, proof));
    }

    /// A proof of properties, where it is one on the original and this run may rest on it.
    fn shared(&mut self, arrival: &Arrival<'_>, proof: B::Proof) -> Option<Fact<B::Proof>> {
        let Office { base, judge, stop, .. } = self.office;
        let raised = base.proof(proof.clone());
        let packed = judge.system.pack_proof(&raised);
        if packed.has_distinct() && !self.office.plan.distinct {
            return None;
        }
        if !self.proofs.contains(&packed) {
            if let Err(refusal) = within(stop, Some(CHECK), |s| O::certify_proof(judge, raised, s)) {
                self.refuse(arrival, refusal);
                return None;
            }
            self.proofs.insert(packed);
        }
        Some(Fact::Proved(proof))
    }

    /// An invariant, inductive by itself or with those before it: all of them.
    fn invariant(&self, proof: &B::Proof) -> Result<B::Proof, Refusal> {
        let Office { base, judge, stop, .. } = self.office;
        let certify = |proof: &B::Proof| {
            let raised = base.proof(proof.clone());
            within(stop, Some(CHECK), |s| O::certify_invariant(judge, raised, s))
        };
        let all = self.invariants.as_ref().map(|known| base.system().and(proof.clone(), known));
        match (certify(proof), all) {
            (Ok(_), all) => Ok(all.unwrap_or_else(|| proof.clone())),
            (Err(Refusal::Rejected(_)), Some(all)) => certify(&all).map(|_| all),
            (Err(refusal), _) => Err(refusal),
        }
    }

    fn refuse(&mut self, arrival: &Arrival<'_>, refusal: Refusal) {
        if let Refusal::Rejected(why) = refusal {
            self.complain(arrival, "proof", format!("its proof was rejected: {why}"));
        }
    }

    fn told(&mut self, arrival: &Arrival<'_>, body: Packed, bag: &mut Bag<B>) {
        match unpack_fact(&**self.office.base.system(), body) {
            Err(what) => self.complain(arrival, "misfit", what),
            Ok(Fact::Told { property, told: Told::Excluded(cube) }) => {
                bag.told.entry(property).or_default().push((arrival.from.to_string(), cube));
            }
            Ok(fact) => bag.facts.push(fact),
        }
    }

    /// Confirms the clauses that are inductive relative to the property and to the clauses told before.
    fn confirm_told(&mut self, bag: &mut Bag<B>) {
        for (property, told) in std::mem::take(&mut bag.told) {
            let cubes: Vec<Vec<Lit>> = told.iter().map(|(_, cube)| cube.clone()).collect();
            let Ok(asked) = B::confirm(self.office, self.ways, &mut self.told, property, &cubes) else {
                return;
            };
            for ((from, cube), asked) in told.into_iter().zip(asked) {
                match asked {
                    ClauseVerdict::Confirmed => {
                        bag.facts.push(Fact::Told { property, told: Told::Excluded(cube) })
                    }
                    ClauseVerdict::Open => {}
                    ClauseVerdict::Wrong => {
                        let place = self.place_of_others();
                        let arrival = Arrival { from: &from, place, memory: false, stays: true };
                        self.complain(
                            &arrival,
                            "clause",
                            "it told a clause that a start violates".to_string(),
                        );
                    }
                }
            }
        }
    }

    /// Where other processes are met.
    fn place_of_others(&self) -> &'a str {
        self.outside.iter().find(|o| !o.is_memory()).map_or("", |o| o.place())
    }

    /// Adds clauses that our own lanes told to those on which later clauses may rest.
    fn remember_told(&mut self, news: &[Fact<B::Proof>]) {
        for fact in news {
            if let Fact::Told { property, told: Told::Excluded(cube) } = fact {
                B::believe(self.office, self.ways, &mut self.told, *property, cube);
            }
        }
    }
}

/// A listener that dispatches evidence before anybody hears of it.
pub(crate) fn overheard<'a>(
    dispatch: &'a Dispatch<'a>,
    engine: impl Fn(usize) -> &'static Engine + Sync + 'a,
    events: &'a Listener<'a>,
) -> impl Fn(Event) + Sync + 'a {
    move |event| {
        dispatch.hear(&event, &engine);
        events(event);
    }
}
