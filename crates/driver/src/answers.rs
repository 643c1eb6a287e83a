//! The state of each claim during a run, computed from the run's events. A verdict gets in only as an
//! [`Accepted`].
//!
//! Here is the one place where evidence becomes a report, and where a proof is withdrawn that rests on a condition
//! which is not proved itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buttress_check::Refusal;
use buttress_engine::{Engine, Progress};
use buttress_solve::Stopped;
use buttress_system::{Clause, PropertyId, Reason, Waves};

use crate::cores::Explained;
use crate::event::{Ended, Event, LaneId};
use crate::judge::Accepted;
use crate::people::{self, Story};
use crate::plan::{Aim, Plan};
use crate::problem::{Asks, ClaimId, Original, Problem};
use crate::report::{
    By, CoreReport, Count, CtiReport, Finding, LaneReport, LemmaCount, MonitorReport, NOT_A_BUG, Nodes, Open,
    Outcome, Proved, Report, Said, Sample, VerdictCount, Violated,
};

/// Exit codes. Where several apply: a fault before falsified, falsified before undecided, undecided before proved.
pub mod exit {
    pub const PROVED: u8 = 0;
    pub const FAULT: u8 = 1;
    pub const FALSIFIED: u8 = 10;
    pub const UNDECIDED: u8 = 30;
}

pub struct Answers {
    problem: Arc<Problem>,
    lanes: Vec<LaneState>,
    claims: Vec<State>,
    lemmas: Option<LemmaCount>,
    /// Whether proofs are to have cores.
    cores: bool,
    /// Whether verdicts about liveness are to be explained.
    explains: bool,
    /// Of verdicts of earlier runs.
    recalled: Option<VerdictCount>,
    warnings: Vec<String>,
    /// Our own faults, in words.
    faults: Vec<String>,
    /// `None` where nothing is said about times.
    start: Option<Instant>,
    seconds: Option<f64>,
    /// Why the run ended before all was decided.
    stopped: Option<Stopped>,
    /// Why the run was ended early on purpose: the claims decided so far are all that was wanted.
    enough: Option<&'static str>,
    abandoned: bool,
}

/// A lane, and how far it is.
struct LaneState {
    engine: &'static Engine,
    aim: Aim,
    thread: usize,
    progress: Option<Progress>,
    course: Course,
    /// For how long it was its turn, once it has ended.
    worked: Option<Duration>,
    /// The engine's message, if it ended by itself.
    ending: Option<String>,
}

/// Where a lane was over time, in bounded space: when there are too many samples, every other one is dropped, and
/// from then on they are taken half as often.
#[derive(Default)]
struct Course {
    samples: Vec<(f64, Progress)>,
    /// The least time between two samples.
    pause: f64,
}

impl Course {
    const MOST: usize = 256;

    fn push(&mut self, seconds: f64, progress: Progress) {
        if self.samples.last().is_some_and(|(last, _)| seconds < last + self.pause) {
            return;
        }
        if self.samples.len() == Course::MOST {
            let mut place = 0;
            self.samples.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.pause = 2.0 * seconds / Course::MOST as f64;
        }
        self.samples.push((seconds, progress));
    }
}

/// The state of one claim of the run: its verdict, or the partial results about it.
struct State {
    claim: ClaimId,
    verdict: Option<Verdict>,
    /// No violation in the first `bound` steps after the start.
    bound: Option<usize>,
    /// Where k-induction failed last.
    cti: Option<(usize, Waves)>,
    core: Option<Result<Explained, String>>,
    gave_up: BTreeMap<LaneId, Reason>,
    rejected: BTreeMap<LaneId, String>,
    /// Why a proof does not decide it.
    condition: Option<String>,
    stories: BTreeMap<LaneId, Story>,
    /// Clauses that lanes found, whether they belong to proofs or were left behind.
    clauses: BTreeMap<LaneId, Vec<Clause>>,
    seconds: Option<f64>,
    /// Whether [`Answers::settled`] told of it.
    told: bool,
}

struct Verdict {
    engine: &'static Engine,
    /// From outside: who sent it, or that it was kept.
    from: Option<String>,
    accepted: Box<Accepted>,
    checking: f64,
}

/// How much of the evidence a report shows: texts of invariants take their time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Verdicts, and traces.
    Verdicts,
    Everything,
}

impl Answers {
    pub fn new(problem: &Arc<Problem>, claims: &[ClaimId], plan: &Plan, start: Instant) -> Answers {
        let lane = |lane: &crate::plan::Lane| LaneState {
            engine: lane.engine,
            aim: lane.aim,
            thread: lane.thread,
            progress: None,
            course: Course::default(),
            worked: None,
            ending: None,
        };
        let state = |&claim: &ClaimId| State {
            claim,
            verdict: None,
            bound: None,
            cti: None,
            core: None,
            gave_up: BTreeMap::new(),
            rejected: BTreeMap::new(),
            condition: None,
            stories: BTreeMap::new(),
            clauses: BTreeMap::new(),
            seconds: None,
            told: false,
        };
        Answers {
            problem: problem.clone(),
            lanes: plan.lanes.iter().map(lane).collect(),
            claims: claims.iter().map(state).collect(),
            lemmas: None,
            cores: plan.explain_cores,
            explains: plan.follow.stories,
            recalled: None,
            warnings: Vec::new(),
            faults: Vec::new(),
            start: (!plan.deterministic).then_some(start),
            seconds: None,
            stopped: None,
            enough: None,
            abandoned: false,
        }
    }

    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    pub fn absorb(&mut self, event: Event) {
        match event {
            Event::Progress { lane, progress } => {
                let seconds = self.elapsed();
                let lane = &mut self.lanes[lane];
                lane.progress = Some(progress);
                seconds.iter().for_each(|&seconds| lane.course.push(seconds, progress));
            }
            Event::HoldsUpTo { claim, steps } => {
                let state = self.state(claim);
                state.bound = state.bound.max(Some(steps));
            }
            Event::Decided { claim, lane, accepted, checking } => {
                let engine = self.lanes[lane].engine;
                self.decided(claim, Verdict { engine, from: None, accepted, checking });
            }
            Event::Confirmed { claim, engine, from, accepted, checking, .. } => {
                self.decided(claim, Verdict { engine, from: Some(from), accepted, checking });
            }
            Event::Recalled { accepted, given } => {
                self.recalled = Some(VerdictCount { given, used: accepted })
            }
            Event::Distrusted { from, why } => {
                self.warnings.push(format!("{from} is not believed: {why}"));
            }
            Event::Trouble(what) => self.warnings.push(what),
            Event::Rejected { claim, lane, why } => drop(self.state(claim).rejected.insert(lane, why)),
            Event::GaveUp { claim, lane, why } => drop(self.state(claim).gave_up.insert(lane, why)),
            Event::Ended { lane, how, worked } => {
                self.lanes[lane].worked = worked;
                self.ended(lane, how);
            }
            Event::Lemmas { usable, given } => self.lemmas = Some(LemmaCount { given, used: usable }),
            Event::StepFails { claim, k, states } => self.state(claim).cti = Some((k, states)),
            Event::Story { claim, lane, episode } => {
                self.state(claim).stories.entry(lane).or_default().push(episode);
            }
            Event::Fault(why) => self.faults.push(why),
            Event::Clauses { claim, lane, clauses } => drop(self.state(claim).clauses.insert(lane, clauses)),
            Event::Core { claim, answer } => self.explained(claim, answer),
        }
    }

    fn state(&mut self, claim: ClaimId) -> &mut State {
        let found = self.claims.iter_mut().find(|s| s.claim == claim);
        found.expect("events speak of the claims that are asked for")
    }

    fn decided(&mut self, claim: ClaimId, verdict: Verdict) {
        let seconds = self.elapsed();
        let state = self.state(claim);
        state.verdict.get_or_insert(verdict);
        state.seconds = seconds;
    }

    fn elapsed(&self) -> Option<f64> {
        self.start.map(|start| start.elapsed().as_secs_f64())
    }

    /// A core that is rejected is a fault of our own; the proof was checked by itself.
    fn explained(&mut self, claim: ClaimId, answer: Result<Explained, Refusal>) {
        let answer = answer.map_err(|refusal| match refusal {
            Refusal::Stopped(why) => why.to_string(),
            Refusal::Rejected(why) => {
                self.faults.push(format!("a core was rejected: {why}"));
                why
            }
        });
        self.state(claim).core = Some(answer);
    }

    fn ended(&mut self, lane: LaneId, how: Ended) {
        let title = self.lanes[lane].engine.title;
        self.lanes[lane].ending = match how {
            Ended::Finished => Some("has nothing left to try".to_string()),
            Ended::Stopped(Stopped::Solver(why)) => Some(format!("solver failed: {why}")),
            Ended::Stopped(why @ Stopped::Nodes(_)) => Some(why.to_string()),
            Ended::Stopped(Stopped::Memory) => Some("memory was short".to_string()),
            Ended::Stopped(_) => None,
            Ended::Panicked(why) => {
                self.faults.push(format!("{title} failed: {why}"));
                None
            }
        };
    }

    /// The work did not come to its end. Where nobody asked it to stop, that is a fault.
    pub fn left_behind(&mut self) {
        self.abandoned = true;
    }

    /// Asks the run to end for this reason: the claims decided so far are enough.
    pub fn suffice(&mut self, why: &'static str) {
        self.enough.get_or_insert(why);
    }

    /// The run is over; this is why, where it did not come to its end.
    pub fn close(&mut self, stopped: Option<Stopped>) {
        if self.abandoned && stopped.is_none() {
            self.faults.push("the worker ended without an answer".to_string());
        }
        self.stopped = stopped.filter(|s| *s != Stopped::Cancelled);
        self.seconds = self.elapsed();
        let seconds = self.seconds;
        self.claims.iter_mut().filter(|s| s.verdict.is_none()).for_each(|s| s.seconds = seconds);
        self.withdraw_conditional_proofs();
    }

    /// Where a condition of all proofs is not proved itself, they decide nothing.
    fn withdraw_conditional_proofs(&mut self) {
        let Some(why) = self.open_condition() else { return };
        for state in &mut self.claims {
            if state.verdict.as_ref().is_some_and(|v| v.accepted.is_proof()) {
                state.verdict = None;
                state.condition = Some(why.clone());
            }
        }
    }

    fn open_condition(&self) -> Option<String> {
        let proved = |claim: ClaimId| {
            let state = self.claims.iter().find(|s| s.claim == claim);
            state.and_then(|s| s.verdict.as_ref()).is_some_and(|v| v.accepted.is_proof())
        };
        let open = self.problem.conditions().iter().find(|&&c| !proved(c))?;
        Some(format!("proved only up to the first violation of {}", self.problem.claim(*open).title))
    }

    /// Evidence that was accepted, claim by claim.
    pub fn accepted(&self) -> impl Iterator<Item = (ClaimId, &Accepted)> {
        self.claims.iter().filter_map(|s| Some((s.claim, &*s.verdict.as_ref()?.accepted)))
    }

    /// Who found it.
    pub fn found_by(&self, claim: ClaimId) -> Option<&'static Engine> {
        let state = self.claims.iter().find(|s| s.claim == claim)?;
        Some(state.verdict.as_ref()?.engine)
    }

    /// Clauses that engines on bits found, and who.
    pub fn clauses(&self) -> impl Iterator<Item = (&'static Engine, &Clause)> {
        let of_lanes = self.claims.iter().flat_map(|s| &s.clauses);
        of_lanes.flat_map(move |(&lane, clauses)| {
            clauses.iter().map(move |clause| (self.lanes[lane].engine, clause))
        })
    }

    /// Our own faults, rejected evidence among them.
    pub fn faults(&self) -> Vec<String> {
        let rejected = |s: &State| s.rejected.values().cloned().collect::<Vec<_>>();
        self.faults.iter().cloned().chain(self.claims.iter().flat_map(rejected)).collect()
    }

    /// The claims whose findings became final since the last call, each with its place among those that are asked
    /// for. A proof counts once the conditions of all proofs are proved, and its core is there where one is asked
    /// for.
    pub fn settled(&mut self, detail: Detail) -> Vec<(usize, Finding)> {
        let conditional = self.open_condition().is_some();
        let is_settled = |state: &State| {
            let of_proof = !conditional && (!self.cores || state.core.is_some());
            !state.told && state.verdict.as_ref().is_some_and(|v| of_proof || !v.accepted.is_proof())
        };
        let places: Vec<usize> =
            (0..self.claims.len()).filter(|&place| is_settled(&self.claims[place])).collect();
        places.iter().for_each(|&place| self.claims[place].told = true);
        places.into_iter().map(|place| (place, self.finding(&self.claims[place], detail))).collect()
    }

    /// How many claims are asked for.
    pub fn asked(&self) -> usize {
        self.claims.len()
    }

    pub fn open(&self) -> usize {
        self.claims.iter().filter(|s| s.verdict.is_none()).count()
    }

    /// Of each claim that is open its name, and up to which step it is known not to be violated.
    pub fn open_bounds(&self) -> impl Iterator<Item = (&str, Option<usize>)> {
        let open = self.claims.iter().filter(|s| s.verdict.is_none());
        open.map(|s| (&self.problem.claim(s.claim).name[..], s.bound))
    }

    /// The titles of the undecided claims and the state of each lane, for a progress line.
    pub fn progress(&self) -> (Vec<&str>, Vec<LaneReport>) {
        let open = self.claims.iter().filter(|s| s.verdict.is_none());
        let open = open.map(|s| &self.problem.claim(s.claim).title[..]).collect();
        (open, self.lane_reports())
    }

    fn lane_reports(&self) -> Vec<LaneReport> {
        let report = |lane: &LaneState| {
            let Progress { depth, size, queries, .. } = lane.progress?;
            let engine = lane.engine;
            Some(LaneReport {
                engine: engine.name,
                title: engine.title,
                measure: engine.measure,
                depth,
                size,
                unit: engine.unit,
                thread: engine.several.then_some(lane.thread),
                queries: (queries > 0).then_some(queries),
                seconds: lane.worked.map(|worked| worked.as_secs_f64()),
            })
        };
        self.lanes.iter().filter_map(report).collect()
    }

    pub fn report(&self, detail: Detail) -> Report {
        let problem = &self.problem;
        let properties: Vec<Finding> = self.claims.iter().map(|s| self.finding(s, detail)).collect();
        let mut errors = self.faults.clone();
        for state in &self.claims {
            for (lane, why) in &state.rejected {
                let (engine, title) = (self.lanes[*lane].engine, &problem.claim(state.claim).title);
                errors.push(format!(
                    "evidence from {} about {title} was rejected: {why}; this is a fault of Buttress, please report it with \
                     the model and the command",
                    engine.title
                ));
            }
        }
        Report {
            file: Some(problem.path.clone()),
            format: Some(problem.format.name()),
            size: size(problem),
            engines: self.lane_reports(),
            lemmas: self.lemmas,
            recalled: self.recalled,
            nodes: nodes(problem),
            warnings: self.warnings(),
            exit_code: self.exit_code(&properties),
            properties,
            errors,
            cut_short: self.cut_short(),
            seconds: self.seconds,
            source: (detail == Detail::Everything && !problem.text.is_empty()).then(|| problem.text.clone()),
            course: self.course(),
        }
    }

    /// The samples of all lanes that are reported, by time.
    fn course(&self) -> Vec<Sample> {
        let reported = self.lanes.iter().filter(|lane| lane.progress.is_some()).enumerate();
        let of_lane = |(lane, state): (usize, &LaneState)| {
            let sample = move |&(seconds, Progress { depth, size, .. }): &(f64, Progress)| Sample {
                lane,
                seconds,
                depth,
                size,
            };
            state.course.samples.iter().map(sample).collect::<Vec<_>>()
        };
        let mut all: Vec<Sample> = reported.flat_map(of_lane).collect();
        all.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        all
    }

    fn warnings(&self) -> Vec<String> {
        let nothing = self.problem.claims().is_empty();
        let nothing = nothing.then(|| "the model has no property: nothing was decided".to_string());
        nothing.into_iter().chain(self.warnings.iter().cloned()).collect()
    }

    fn exit_code(&self, properties: &[Finding]) -> u8 {
        let unwanted = |f: &Finding| matches!(f.outcome, Outcome::Falsified(_) | Outcome::Unreachable(_));
        let open = |f: &Finding| matches!(f.outcome, Outcome::Undecided(_));
        let error = |f: &Finding| matches!(f.outcome, Outcome::Error { .. });
        let faulty = !self.faults.is_empty() && properties.iter().any(|f| open(f) || error(f));
        match () {
            _ if faulty || properties.iter().any(error) => exit::FAULT,
            _ if properties.iter().any(unwanted) => exit::FALSIFIED,
            _ if properties.iter().any(open) => exit::UNDECIDED,
            _ => exit::PROVED,
        }
    }

    /// The reason why the run ended before all was decided, if it did not come to its end.
    fn cut_short(&self) -> Option<String> {
        match (&self.stopped, self.enough) {
            (Some(why), _) => Some(why.to_string()),
            (None, Some(why)) => Some(why.to_string()),
            (None, None) => (!self.faults.is_empty()).then(|| "internal error".to_string()),
        }
    }

    fn finding(&self, state: &State, detail: Detail) -> Finding {
        let claim = self.problem.claim(state.claim);
        let place = claim.span.filter(|_| !self.problem.text.is_empty());
        let said = |(lane, reason): (&LaneId, &String)| {
            let engine = self.lanes[*lane].engine;
            Said { engine: engine.name, title: engine.title, reason: reason.clone() }
        };
        let bits = || self.problem.bits();
        let stories = state.stories.iter();
        let stories =
            stories.filter_map(|(lane, story)| Some(story.report(self.lanes[*lane].engine, bits()?)));
        Finding {
            name: claim.name.clone(),
            position: claim.position.clone(),
            title: claim.title.clone(),
            line: place.map(|span| span.line),
            column: place.map(|span| span.column),
            place: place.and_then(|span| people::place_in_design(&self.problem, span.line)),
            span: place,
            origin: claim.origin.map(|origin| origin.name()),
            goal: claim.is_goal(),
            live: claim.justice().is_some(),
            outcome: self.outcome(state, detail),
            rejected: state.rejected.iter().map(said).collect(),
            seconds: state.seconds,
            stories: stories.collect(),
        }
    }

    fn outcome(&self, state: &State, detail: Detail) -> Outcome {
        let goal = self.problem.claim(state.claim).is_goal();
        let Some(verdict) = &state.verdict else {
            return match state.rejected.first_key_value() {
                Some((lane, why)) if state.condition.is_none() => {
                    Outcome::Error { reason: why.clone(), engine: self.lanes[*lane].engine.name }
                }
                _ => Outcome::Undecided(self.undecided(state)),
            };
        };
        let engine = verdict.engine;
        let (checked, checking_seconds) = (true, self.start.map(|_| verdict.checking));
        let from = verdict.from.clone();
        let by = By { engine: engine.name, title: engine.title, from, checked, checking_seconds };
        match people::trace_report(&self.problem, &verdict.accepted) {
            Some(trace) => {
                let (step, back_to_step) = (trace.steps - 1, trace.back);
                let mut remarks = people::remarks(&self.problem, &verdict.accepted);
                if self.explains {
                    remarks.extend(people::round(&self.problem, &verdict.accepted));
                }
                let violated = Violated { step, trace, back_to_step, remarks, by };
                if goal { Outcome::Reached(violated) } else { Outcome::Falsified(violated) }
            }
            None => {
                let proved = self.proved(state, &verdict.accepted, by, detail);
                if goal { Outcome::Unreachable(proved) } else { Outcome::Proved(proved) }
            }
        }
    }

    fn proved(&self, state: &State, accepted: &Accepted, by: By, detail: Detail) -> Proved {
        let (k, distinct_states, conjuncts) = match accepted {
            Accepted::Bits(checked) => {
                let live = checked.evidence().live_proof().map(|live| &live.proof);
                let proof = checked.evidence().proof().or(live).expect("a proof");
                (proof.k, proof.distinct.is_some(), proof.invariant.len())
            }
            Accepted::Words(checked) => {
                let live = checked.evidence().live_proof().map(|live| &live.proof);
                let claim = &checked.evidence().proof().or(live).expect("a proof").claim;
                (claim.k, claim.distinct.is_some(), claim.invariant.len())
            }
            Accepted::Maps(_) => (1, false, accepted.map_proof().expect("a proof").clauses.len()),
            Accepted::Trees(_) => (1, false, 0),
        };
        let for_all = matches!(accepted, Accepted::Maps(_));
        let why = match self.explains || detail == Detail::Everything {
            true => people::why(&self.problem, accepted),
            false => Vec::new(),
        };
        let shown = detail == Detail::Everything || for_all || !why.is_empty();
        let claim_of = |p: PropertyId| match accepted {
            Accepted::Trees(_) => self.problem.claim_of_tree(p.index()),
            _ if accepted.is_temporal() => self.problem.claim_of_justice(p.index()),
            _ => self.problem.claim_of(p),
        };
        let named = |&p| claim_of(p).map(|c| self.problem.claim(c).name.clone());
        Proved {
            k,
            distinct_states,
            monitor: MonitorReport::of(accepted),
            why,
            sets: accepted.sets(),
            vacuous: accepted.vacuous().is_some(),
            states: accepted.vacuous().map(|vacuous| vacuous.states),
            proved_together: accepted.properties().iter().filter_map(named).collect(),
            conjuncts,
            invariant: if shown { people::conjuncts(&self.problem, accepted) } else { Vec::new() },
            for_all,
            by,
            core: state.core.as_ref().map(core_report),
        }
    }

    fn undecided(&self, state: &State) -> Open {
        let said = |(lane, reason): (&LaneId, &Reason)| {
            let engine = self.lanes[*lane].engine;
            Said { engine: engine.name, title: engine.title, reason: reason.to_string() }
        };
        let mut gave_up: Vec<Said> = state.gave_up.iter().map(said).collect();
        // Runs of one engine say the same.
        gave_up.dedup_by_key(|said| said.engine);
        let cti = state.cti.as_ref().map(|(k, states)| CtiReport {
            k: *k,
            meaning: NOT_A_BUG,
            states: people::of_waves(states),
        });
        let reason = self.reason(state, &gave_up);
        Open { reason, gave_up, no_violation_up_to_step: state.bound, cti }
    }

    /// Why an open claim is open: what ended the run, and what each engine said that gave up before.
    fn reason(&self, state: &State, gave_up: &[Said]) -> String {
        if let Some(condition) = &state.condition {
            return condition.clone();
        }
        match &self.problem.claim(state.claim).asks {
            Asks::Live { .. } if !self.lanes.iter().any(|lane| lane.aim == Aim::Liveness) => {
                return "liveness of models with maps is not decided yet".to_string();
            }
            Asks::Unsupported(why) => return why.clone(),
            Asks::Invariant(_)
            | Asks::Reach(_)
            | Asks::Live { .. }
            | Asks::Tree { .. }
            | Asks::Both { .. } => {}
        }
        let cut_short = self.cut_short();
        let silent = |engine: &Engine| gave_up.iter().all(|said| said.engine != engine.name);
        let claim = self.problem.claim(state.claim);
        let lanes = self.lanes.iter().filter(|lane| match lane.aim {
            Aim::Safety => !claim.is_temporal(),
            Aim::Liveness => claim.justice().is_some(),
            Aim::Branching => claim.tree().is_some(),
        });
        let endings = lanes.filter(|l| cut_short.is_none() && silent(l.engine));
        let mut ended: Vec<String> = endings
            .filter_map(|lane| Some(format!("{}: {}", lane.engine.title, lane.ending.as_ref()?)))
            .collect();
        ended.dedup();
        let gave_up = gave_up.iter().map(|said| format!("{}: {}", said.title, said.reason));
        let reasons: Vec<String> = cut_short.clone().into_iter().chain(gave_up).chain(ended).collect();
        if reasons.is_empty() { "not tried".to_string() } else { reasons.join("; ") }
    }
}

fn core_report(core: &Result<Explained, String>) -> CoreReport {
    match core {
        Ok(explained) => CoreReport::Known {
            needed: explained.core.iter().map(|label| label.name.to_string()).collect(),
            places: explained.core.iter().map(|label| label.span).collect(),
            elements: explained.elements,
            slice: explained.slice,
            warning: explained.warning(),
        },
        Err(reason) => CoreReport::Unknown { reason: reason.clone() },
    }
}

/// Counts of the parts of a model, each with its word in the singular and the plural.
fn size(problem: &Problem) -> Vec<Count> {
    let words = |s: &buttress_system::words::System| {
        vec![
            Count(s.inputs.len(), "input", "inputs"),
            Count(s.states.len(), "state", "states"),
            Count(s.constraints.len(), "constraint", "constraints"),
            Count(s.properties.len(), "property", "properties"),
        ]
    };
    match (problem.original(), problem.bits()) {
        (Original::Maps(model), _) => words(&model.system),
        (Original::Words(system), None) => words(system),
        (original, Some(s)) => {
            let states = match original {
                Original::Words(system) => {
                    Some(Count(system.states.len(), "state, in bits", "states, in bits"))
                }
                _ => None,
            };
            states
                .into_iter()
                .chain([
                    Count(s.num_inputs(), "input", "inputs"),
                    Count(s.num_latches(), "latch", "latches"),
                    Count(s.num_gates(), "gate", "gates"),
                    Count(s.constraints.len(), "constraint", "constraints"),
                    Count(s.properties.len(), "property", "properties"),
                ])
                .collect()
        }
        (Original::Bits(_), None) => unreachable!("bits are bits"),
    }
}

fn nodes(problem: &Problem) -> Option<Nodes> {
    let program = &problem.source()?.model().program;
    let main = program.unit(program.main).name.name.to_string();
    let called = program.units.iter().filter(|unit| unit.kind.is_some() && *unit.name.name != main);
    let called = called.map(|unit| unit.name.name.to_string()).collect();
    Some(Nodes { main, called })
}
