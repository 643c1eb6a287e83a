//! The commands that are run on a model, and the checks of their answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use buttress_driver::cores::{
    Anatomy, CoreOutcome, Fate, Fineness, Means, Method, Quest, analyse, conflict, dead,
};
use buttress_driver::files::{Judgement, verify, write_witness};
use buttress_driver::invariants::{Search, discover};
use buttress_driver::prove::{Attempt, prove};
use buttress_driver::report::Outcome;
use buttress_driver::simulate::{Playing, simulate};
use buttress_driver::supervise::within;
use buttress_driver::{
    Answers, Choice, ClaimId, Detail, Kind, Original, Problem, Refused, Target, Why, check, convert, parse,
};
use buttress_engine::discovery::{Options, Selection};
use buttress_engine::{ENGINES, Engine, Settings};
use buttress_solve::Stop;
use buttress_solve::smt::Config;

use super::{Effort, LIMIT, Summary, Truth, explore, violations};
use crate::reference::Explicit;
use crate::tree::Scratch;

/// States up to which executions that end are looked for.
const STATES: usize = 3;

/// States of the longest path that is looked at: an engine that cannot prove ends some time.
const BOUND: usize = 16;

/// One model under examination.
struct Examined<'a> {
    seed: u64,
    problem: &'a Arc<Problem>,
    claims: Vec<ClaimId>,
    truths: &'a [Truth],
    effort: &'a Effort,
    /// Proofs decide nothing: something that they rest on is violated.
    conditional: bool,
    needs_solvers: bool,
    /// The verdicts of engines on claims that are not listed.
    said: Vec<Option<bool>>,
}

pub fn examine(
    seed: u64,
    problem: &Arc<Problem>,
    truths: &[Truth],
    effort: &Effort,
    summary: &mut Summary,
) -> Result<(), String> {
    let violated = |claim: &ClaimId| matches!(truths[claim.index()], Truth::Violated(_));
    let kind = Kind::of(problem);
    let mut subject = Examined {
        seed,
        problem,
        claims: decidable(problem),
        truths,
        effort,
        conditional: problem.conditions().iter().any(violated),
        needs_solvers: kind != Kind::Bits,
        said: vec![None; truths.len()],
    };
    for truth in truths {
        match truth {
            Truth::Holds => summary.holds += 1,
            Truth::Violated(_) => summary.violated += 1,
            Truth::Unknown => summary.unknown += 1,
        }
    }
    summary.conditional += usize::from(subject.conditional);
    if subject.needs_solvers && effort.smt.solvers.is_empty() {
        summary.skipped += 1;
        return Ok(());
    }
    subject.engines(kind, summary)?;
    subject.simulation()?;
    if kind != Kind::Maps {
        subject.cores().map_err(|why| format!("core: {why}"))?;
        subject.dead_code().map_err(|why| format!("dead: {why}"))?;
        subject.ends().map_err(|why| format!("conflict: {why}"))?;
        subject.induction().map_err(|why| format!("prove: {why}"))?;
        subject.invariants().map_err(|why| format!("invariants: {why}"))?;
        subject.conversions()?;
    }
    Ok(())
}

/// The claims that are properties of the system; others, which come after these, no engine decides.
fn decidable(problem: &Problem) -> Vec<ClaimId> {
    problem.claim_ids().filter(|&c| problem.claim(c).property().is_some()).collect()
}

impl Examined<'_> {
    fn choice(&self, engines: Vec<&'static Engine>, solvers: bool) -> Choice {
        let smt = if solvers { self.effort.smt.clone() } else { Config::new(Vec::new()) };
        let settings = Settings { bound: BOUND, ..Settings::default() };
        Choice { engines, smt, settings, seed: self.seed, ..Choice::default() }
    }

    /// Proofs that compare states have no core, which is no fault either.
    fn means(&self) -> Means {
        let distinct = (self.seed / 20).is_multiple_of(4);
        let choice = Choice { distinct, ..self.choice(Vec::new(), self.needs_solvers) };
        Means { choice, patience: Some(self.limit()) }
    }

    fn limit(&self) -> Duration {
        if self.needs_solvers { self.effort.patience } else { LIMIT }
    }

    fn whole(&self, one_in: u64) -> bool {
        self.effort.whole || (self.seed / 20).is_multiple_of(one_in)
    }

    /// Does the work under the time limit.
    fn timed<T>(&self, work: impl FnOnce(&Stop) -> T) -> T {
        within(&Stop::new(), Some(self.limit()), work)
    }

    /// `check`: each engine alone, and what is usual.
    fn engines(&mut self, kind: Kind, summary: &mut Summary) -> Result<(), String> {
        let alone = ENGINES.iter().filter(|engine| kind.runs(engine)).map(|engine| vec![engine]);
        for engines in alone.chain([Vec::new()]).collect::<Vec<_>>() {
            let name = engines.first().map_or("all together", |engine| engine.name);
            self.check(engines, summary).map_err(|why| format!("{name}: {why}"))?;
        }
        Ok(())
    }

    fn check(&mut self, engines: Vec<&'static Engine>, summary: &mut Summary) -> Result<(), String> {
        let usual = engines.is_empty();
        let plan = self.choice(engines, self.needs_solvers).plan(self.problem, &self.claims);
        let plan = plan.map_err(|refused| refused.message)?;
        let answers = self.timed(|stop| check(self.problem, &self.claims, &plan, stop));
        let report = answers.report(Detail::Everything);
        ensure(report.errors.is_empty(), || report.errors.join("; "))?;
        serde_json::to_string(&report).map_err(|error| error.to_string())?;
        for (finding, claim) in report.properties.iter().zip(self.claims.clone()) {
            match &finding.outcome {
                Outcome::Proved(_) => {
                    summary.proved += 1;
                    self.proved(claim)?;
                }
                Outcome::Falsified(violated) => {
                    summary.falsified += 1;
                    self.falsified(claim, violated.step)?;
                }
                Outcome::Undecided(_) => {}
                other => return Err(format!("{}: {other:?}", finding.title)),
            }
        }
        if usual || self.whole(4) {
            self.witnesses(&answers).map_err(|why| format!("verify: {why}"))?;
        }
        Ok(())
    }

    fn title(&self, claim: ClaimId) -> &str {
        &self.problem.claim(claim).title
    }

    /// Only what holds may be called proved, and only where all that it rests on holds.
    fn proved(&mut self, claim: ClaimId) -> Result<(), String> {
        let title = self.title(claim).to_string();
        ensure(!self.conditional, || format!("{title} is proved, but a condition is violated"))?;
        match self.truths[claim.index()] {
            Truth::Violated(step) => Err(format!("{title} is proved, but violated at step {step}")),
            _ => self.says(claim, true),
        }
    }

    fn falsified(&mut self, claim: ClaimId, step: usize) -> Result<(), String> {
        let title = self.title(claim).to_string();
        match self.truths[claim.index()] {
            Truth::Holds => Err(format!("{title} is falsified, but holds")),
            Truth::Violated(first)
                if step < first && !matches!(self.problem.original(), Original::Maps(_)) =>
            {
                Err(format!("{title} is violated at step {step}, before the first violation at {first}"))
            }
            _ => self.says(claim, false),
        }
    }

    fn says(&mut self, claim: ClaimId, holds: bool) -> Result<(), String> {
        let said = self.said[claim.index()].get_or_insert(holds);
        ensure(*said == holds, || format!("claim {} is both proved and falsified", claim.index()))
    }

    /// `verify`: what is written is accepted.
    fn witnesses(&self, answers: &Answers) -> Result<(), String> {
        if matches!(self.problem.original(), Original::Maps(_)) {
            return Ok(());
        }
        for (claim, accepted) in answers.accepted().filter(|(_, accepted)| !accepted.is_proof()) {
            let mut bytes = Vec::new();
            write_witness(self.problem, accepted, &mut bytes).map_err(|error| error.to_string())?;
            let scratch = Scratch::new(&format!("agree-{}", unique()));
            let file = scratch.file("witness");
            std::fs::write(&file, &bytes).map_err(|error| error.to_string())?;
            match verify(self.problem, &file, &Stop::new()) {
                Ok(Judgement::Accepted(_)) => {}
                Ok(Judgement::Rejected(why) | Judgement::Undecided(why)) => {
                    let text = String::from_utf8_lossy(&bytes);
                    return Err(format!("{}: {why}\n{text}", self.title(claim)));
                }
                Err(refused) => return Err(format!("{}: {refused}", self.title(claim))),
            }
        }
        Ok(())
    }

    /// `simulate`: what it says is violated is.
    fn simulation(&self) -> Result<(), String> {
        let playing = Playing { stimulus: None, steps: 5, size: 3, seed: self.seed };
        let played = simulate(self.problem, playing).map_err(|refused| format!("simulate: {refused}"))?;
        for (claim, truth) in self.claims.iter().zip(self.truths) {
            let claim = self.problem.claim(*claim);
            let says = |remark: &&String| {
                [&claim.title, &claim.name]
                    .iter()
                    .any(|name| remark.ends_with(&format!(": {name} is violated")))
            };
            let unique = self.problem.claims().iter().filter(|c| c.name == claim.name).count() == 1;
            if let (Truth::Holds, true, Some(remark)) = (truth, unique, played.remarks.iter().find(says)) {
                return Err(format!("simulate: {remark}, but it holds"));
            }
        }
        Ok(())
    }

    fn anatomy(&self) -> Result<Option<Anatomy>, String> {
        taken(Anatomy::of(self.problem, Fineness::Equations, &self.claims))
    }

    /// `core`: what has a core holds.
    fn cores(&mut self) -> Result<(), String> {
        if !self.whole(if self.needs_solvers { 4 } else { 1 }) {
            return Ok(());
        }
        let Some(anatomy) = self.anatomy()? else { return Ok(()) };
        let method = [Method::Uc, Method::Ucbf, Method::Bf][(self.seed / 20 % 3) as usize];
        let quest = Quest { method, must: self.seed.is_multiple_of(2), all: None };
        let mut found = Vec::new();
        let means = self.means();
        self.timed(|stop| {
            analyse(&anatomy, &self.claims, &quest, &means, stop, &mut |finding| found.push(finding));
        });
        for finding in found {
            let claim = finding.claim;
            match finding.outcome {
                CoreOutcome::Proved(_) => self.proved(claim)?,
                CoreOutcome::Falsified { step, .. } => self.falsified(claim, step)?,
                CoreOutcome::Fault(why) => return Err(format!("{}: {why}", self.title(claim))),
                CoreOutcome::Undecided(_) | CoreOutcome::Goal => {}
            }
        }
        Ok(())
    }

    /// `dead`: nothing is called dead where proofs decide nothing.
    fn dead_code(&self) -> Result<(), String> {
        let branches = matches!(self.problem.original(), Original::Words(_));
        if !branches || !self.whole(if self.needs_solvers { 8 } else { 2 }) {
            return Ok(());
        }
        let Some(anatomy) = self.anatomy()? else { return Ok(()) };
        let mut died = None;
        let told = self.timed(|stop| {
            dead(&anatomy, &self.means(), stop, &mut |branch| {
                if matches!(branch.fate, Fate::Dead(_)) {
                    died = Some(branch.condition);
                }
            })
        });
        taken(told)?;
        match died {
            Some(condition) if self.conditional => {
                Err(format!("{condition} is called dead, but a condition is violated"))
            }
            _ => Ok(()),
        }
    }

    /// `conflict`: executions end where the listing says.
    fn ends(&self) -> Result<(), String> {
        if !self.whole(if self.needs_solvers { 8 } else { 1 }) {
            return Ok(());
        }
        let expected = match self.problem.original() {
            Original::Bits(system) => {
                Some(Explicit::new(system).truth().ends.filter(|&states| states <= STATES))
            }
            Original::Words(system) => explore::ends(system, STATES),
            Original::Maps(_) => None,
        };
        let (Some(anatomy), Some(expected)) = (self.anatomy()?, expected) else { return Ok(()) };
        let found = self.timed(|stop| conflict(&anatomy, None, STATES, &self.means(), stop));
        let Some(found) = taken(found)? else { return Ok(()) };
        let found = found.map(|conflict| conflict.states);
        ensure(found == expected, || {
            format!("executions end at {found:?}, but the listing says {expected:?}")
        })
    }

    /// `prove`: what is inductive holds.
    fn induction(&mut self) -> Result<(), String> {
        let solvers = self.needs_solvers || self.whole(16);
        let smt = if solvers { self.effort.smt.clone() } else { Config::new(Vec::new()) };
        let attempts = self.timed(|stop| prove(self.problem, &self.claims, None, &smt, stop));
        let Some(attempts) = taken(attempts)? else { return Ok(()) };
        for (claim, attempt, _) in attempts.claims {
            match attempt {
                Attempt::Proved(_) => self.proved(claim)?,
                Attempt::Violated(_) => self.falsified(claim, 0)?,
                Attempt::Fault(why) => return Err(format!("{}: {why}", self.title(claim))),
                Attempt::NotProved { .. } => {}
            }
        }
        Ok(())
    }

    /// `invariants`: none is rejected, and of a system of words all hold.
    fn invariants(&self) -> Result<(), String> {
        let of_bits = matches!(self.problem.original(), Original::Bits(_));
        if !self.whole(if of_bits { 2 } else { 16 }) || (!of_bits && self.effort.smt.solvers.is_empty()) {
            return Ok(());
        }
        let search = Search {
            options: Options { most_k: 2, ..Options::default() },
            selection: Selection { most: 60, ..Selection::default() },
            seed: self.seed,
            smt: self.effort.smt.clone(),
            terms: None,
            modular: false,
            verify: false,
            rank: false,
        };
        let limit = if of_bits { LIMIT } else { self.effort.patience };
        let found = within(&Stop::new(), Some(limit), |stop| discover(self.problem, &search, stop, &|_| {}));
        let Some(found) = taken(found)? else { return Ok(()) };
        ensure(found.rejected.is_none(), || format!("rejected: {:?}", found.rejected))?;
        let condition = found.condition.is_some();
        ensure(condition || !self.conditional, || "the violated condition is not told".to_string())?;
        let Some(text) = found.model else { return Ok(()) };
        let model = parse("model.vmt".as_ref(), &text).map_err(|refused| format!("{refused}\n{text}"))?;
        let own = decidable(self.problem).len();
        match violations(&model).and_then(|v| v.into_iter().skip(own).position(|v| v.is_some())) {
            Some(number) => Err(format!("invariant {number} does not hold in\n{text}")),
            None => Ok(()),
        }
    }

    /// `convert`: what is written is violated where the model is, or where a condition of it is.
    fn conversions(&mut self) -> Result<(), String> {
        for (target, name) in
            [(Target::AigerAscii, "model.aag"), (Target::Btor2, "model.btor2"), (Target::Vmt, "model.vmt")]
        {
            self.conversion(target, name).map_err(|why| format!("convert to {name}: {why}"))?;
        }
        Ok(())
    }

    fn conversion(&mut self, target: Target, name: &str) -> Result<(), String> {
        let Ok(bytes) = convert(self.problem, target) else { return Ok(()) };
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        let converted = parse(name.as_ref(), &text).map_err(|refused| format!("{refused}\n{text}"))?;
        let expected: Vec<Truth> = self.claims.iter().map(|&claim| self.with_conditions(claim)).collect();
        ensure(converted.claims().len() == expected.len(), || format!("claims are lost:\n{text}"))?;
        if let Some(found) = violations(&converted) {
            for (claim, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let truth = found.map_or(Truth::Holds, Truth::Violated);
                let same = truth == *expected || *expected == Truth::Unknown;
                ensure(same, || format!("claim {claim} is {truth:?}, but was {expected:?}:\n{text}"))?;
            }
        }
        if !self.whole(8) {
            return Ok(());
        }
        let converted = Arc::new(converted);
        let mut other = Examined {
            claims: decidable(&converted),
            problem: &converted,
            truths: &expected,
            conditional: false,
            needs_solvers: Kind::of(&converted) != Kind::Bits,
            said: vec![None; expected.len()],
            ..*self
        };
        if other.needs_solvers && other.effort.smt.solvers.is_empty() {
            return Ok(());
        }
        other.check(Vec::new(), &mut Summary::default())
    }

    /// A claim with the conditions that its proofs rest on.
    fn with_conditions(&self, claim: ClaimId) -> Truth {
        let conditions = self.problem.conditions();
        let all: Vec<ClaimId> = match conditions.contains(&claim) {
            true => vec![claim],
            false => conditions.iter().copied().chain([claim]).collect(),
        };
        let truths = all.iter().map(|claim| self.truths[claim.index()]);
        let first = truths.clone().filter_map(|truth| match truth {
            Truth::Violated(step) => Some(step),
            _ => None,
        });
        match first.min() {
            _ if truths.clone().any(|truth| truth == Truth::Unknown) => Truth::Unknown,
            Some(step) => Truth::Violated(step),
            None => Truth::Holds,
        }
    }
}

/// The result, or `None` where nothing here can decide it or not in time; a fault is an error.
fn taken<T>(result: Result<T, Refused>) -> Result<Option<T>, String> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(refused) if refused.why == Why::Undecided => Ok(None),
        Err(refused) => Err(refused.message),
    }
}

fn ensure(condition: bool, complaint: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(complaint()) }
}

/// Folders of threads do not meet.
fn unique() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
