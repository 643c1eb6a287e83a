//! One dialogue with whichever solver answers.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use buttress_term::script::{Script, read_value};
use buttress_term::sexpr::Sexpr;
use buttress_term::{Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use super::process::{Bounds, Failure, Process, shorten};
use super::{Core, Installed, Model, Scopes, Solver, Theory};
use crate::sat::Outcome;
use crate::{Stop, Stopped};

/// The configuration that all sessions of a run share.
#[derive(Clone)]
pub struct Config {
    pub solvers: Vec<Installed>,
    /// The longest wait for one answer while another solver could take over; twice as long in the next round.
    pub patience: Duration,
    /// The random seed of the solvers; their own where it is 0.
    pub seed: u64,
    /// Megabytes of address space of one solver.
    pub memory: Option<u64>,
    /// Where dialogues are recorded.
    pub log: Option<PathBuf>,
    /// Numbers the recorded dialogues.
    pub sessions: Arc<AtomicUsize>,
    /// Where sessions that [may](Session::hand_on) leave the process that they are done with, if anybody will want
    /// it.
    pub idle: Option<Arc<Idle>>,
}

/// A process at rest, of a session that is over. Starting z3 costs more than a dozen small questions.
#[derive(Default)]
pub struct Idle(Mutex<Option<(Installed, Process)>>);

impl Idle {
    fn put(&self, found: Installed, process: Process) {
        let mut place = self.0.lock().expect("no holder panics");
        if place.is_none() {
            *place = Some((found, process));
        }
    }

    /// Of this solver.
    fn take(&self, found: &Installed) -> Option<Process> {
        let mut place = self.0.lock().expect("no holder panics");
        place.take_if(|(idle, _)| idle.adapter.name == found.adapter.name).map(|(_, process)| process)
    }
}

impl Config {
    pub fn new(solvers: Vec<Installed>) -> Config {
        Config {
            solvers,
            patience: Duration::from_secs(4),
            seed: 0,
            memory: None,
            log: None,
            sessions: Arc::new(AtomicUsize::new(0)),
            idle: None,
        }
    }

    /// The solvers that can do this theory, the best first.
    pub fn fit(&self, theory: &Theory) -> Vec<Installed> {
        if theory.enumerations_in_arrays {
            return Vec::new();
        }
        let mut fit: Vec<Installed> =
            self.solvers.iter().filter(|f| (f.adapter.can)(theory)).cloned().collect();
        fit.sort_by_key(|f| (f.adapter.rank)(theory));
        fit
    }
}

/// Commands that are said again to a solver that takes over.
struct Transcript {
    commands: Vec<String>,
    /// Where scopes begin.
    scopes: Vec<usize>,
}

/// A dialogue; see the head of the module above.
pub struct Session {
    theory: Theory,
    config: Config,
    stop: Stop,
    patience: Duration,
    /// Whether its process begins as one that another session left, and whether it is left to another.
    takes_over: bool,
    hands_on: bool,
    /// Who may take over, the next last.
    waiting: Vec<Installed>,
    current: Option<(Installed, Process)>,
    failures: Vec<String>,
    script: Script,
    told: Transcript,
    /// Told, and not yet said to the current process.
    unsaid: String,
    /// The assumptions of the last check, with their texts.
    last: Vec<(TermId, String)>,
    /// The outcome that the current process gave to the last check.
    outcome: Option<Outcome>,
    queries: u64,
    /// What the current process had done by its own count, when it was last asked.
    work: u64,
}

impl Session {
    pub fn new(config: &Config, theory: Theory, stop: &Stop) -> Session {
        let mut waiting = config.fit(&theory);
        waiting.reverse();
        Session {
            theory,
            config: config.clone(),
            stop: stop.clone(),
            patience: config.patience,
            takes_over: false,
            hands_on: false,
            waiting,
            current: None,
            failures: Vec::new(),
            script: Script::new(),
            told: Transcript { commands: Vec::new(), scopes: Vec::new() },
            unsaid: String::new(),
            last: Vec::new(),
            outcome: None,
            queries: 0,
            work: 0,
        }
    }

    /// Asks another solver first: a check by the one that found the proof says less.
    pub fn avoid(&mut self, name: &str) {
        if let Some(place) = self.waiting.iter().position(|f| f.adapter.name == name) {
            let last = self.waiting.remove(place);
            self.waiting.insert(0, last);
        }
    }

    /// Leaves the process to whoever [takes it over](Session::take_over), when it is done with it.
    pub fn hand_on(&mut self) {
        self.hands_on = true;
    }

    /// Begins with a process that another session has left, if there is one. Not for checks, which start their
    /// own.
    pub fn take_over(&mut self) {
        self.takes_over = true;
    }

    /// The solver that answers now.
    pub fn solver(&self) -> Option<&'static str> {
        let waiting = || self.waiting.last().map(|f| f.adapter.name);
        self.current.as_ref().map(|(found, _)| found.adapter.name).or_else(waiting)
    }

    /// Questions asked so far.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    fn tell(&mut self, commands: String) {
        self.unsaid.push_str(&commands);
        self.told.commands.push(commands);
    }

    /// Asks until some solver answers.
    fn ask<T>(&mut self, question: impl Fn(&mut Session) -> Result<T, Failure>) -> Result<T, Stopped> {
        loop {
            self.stop.check()?;
            let answer = self.ready().and_then(|()| question(self));
            match answer {
                Ok(answer) => return Ok(answer),
                Err(Failure::Stopped(why)) => {
                    self.current = None;
                    return Err(why);
                }
                Err(failure) => self.fail(&failure)?,
            }
        }
    }

    /// A process that was told everything.
    fn ready(&mut self) -> Result<(), Failure> {
        if self.current.is_none() {
            let found = self.waiting.pop().ok_or_else(|| Failure::Start("no solver".to_string()))?;
            let last = self.waiting.is_empty();
            let patience = if last { Duration::MAX } else { self.patience };
            let bounds = Bounds { stop: self.stop.clone(), patience, memory: self.config.memory };
            let log = self.log(&found);
            let started = match self
                .config
                .idle
                .as_ref()
                .filter(|_| self.takes_over)
                .and_then(|idle| idle.take(&found))
            {
                Some(mut process) => {
                    process.begin_anew(bounds, log);
                    Ok(process)
                }
                None => Process::start(&found, bounds, log),
            };
            let name = found.adapter.name;
            let mut process = started.inspect_err(|why| self.failures.push(format!("{name} {why}")))?;
            found.adapter.options.iter().for_each(|option| process.say(&format!("{option}\n")));
            if self.config.seed > 0 {
                process.say(&format!("(set-option :random-seed {})\n", self.config.seed % (1 << 31)));
            }
            if found.adapter.logic {
                process.say(&format!("(set-logic {})\n", self.theory.logic()));
            }
            self.unsaid = self.told.commands.concat();
            self.outcome = None;
            self.work = 0;
            self.current = Some((found, process));
        }
        let unsaid = std::mem::take(&mut self.unsaid);
        if !unsaid.is_empty() {
            self.process().say(&unsaid);
        }
        Ok(())
    }

    fn log(&self, found: &Installed) -> Option<File> {
        let number = self.config.sessions.fetch_add(1, Ordering::Relaxed);
        let name = format!("{number:04}-{}.smt2", found.adapter.name);
        File::create(self.config.log.as_ref()?.join(name)).ok()
    }

    fn process(&mut self) -> &mut Process {
        &mut self.current.as_mut().expect("a solver is ready").1
    }

    /// Ends the current process; `Err` where nobody can take over. Who was only slow gets another turn after the
    /// others.
    fn fail(&mut self, failure: &Failure) -> Result<(), Stopped> {
        if let Some((found, _)) = self.current.take() {
            match failure {
                Failure::Silent(_) => {
                    self.waiting.insert(0, found);
                    self.patience *= 2;
                }
                _ => self.failures.push(format!("{} {failure}", found.adapter.name)),
            }
        }
        match self.waiting.is_empty() {
            false => Ok(()),
            true => Err(Stopped::Solver(self.what_failed())),
        }
    }

    fn what_failed(&self) -> String {
        match self.failures.is_empty() {
            false => self.failures.join("; "),
            true if self.config.solvers.is_empty() => "there is no SMT solver".to_string(),
            true => format!("no SMT solver that is there can do {}", self.theory.logic()),
        }
    }

    fn pose(&mut self, terms: &Terms, assumptions: &[TermId]) {
        let mut commands = String::new();
        let literal = |&t: &TermId| (t, self.script.literal(terms, t, &mut commands));
        self.last = assumptions.iter().map(literal).collect();
        self.outcome = None;
        self.queries += 1;
        if !commands.is_empty() {
            self.tell(commands);
        }
    }

    /// The outcome of the last check by the current process.
    fn decide(&mut self) -> Result<Outcome, Failure> {
        if let Some(outcome) = self.outcome {
            return Ok(outcome);
        }
        let literals: Vec<&str> = self.last.iter().map(|(_, text)| text.as_str()).collect();
        let command = match literals.is_empty() {
            true => "(check-sat)\n".to_string(),
            false => format!("(check-sat-assuming ({}))\n", literals.join(" ")),
        };
        self.process().say(&command);
        let answer = self.process().answer()?;
        let outcome = match answer.atom() {
            Some("sat") => Outcome::Sat,
            Some("unsat") => Outcome::Unsat,
            Some("unknown") => return Err(Failure::GaveUp),
            _ => return Err(Failure::Garbage(shorten(&answer.to_string()))),
        };
        self.outcome = Some(outcome);
        if self.stop.is_rationed() {
            self.account()?;
        }
        Ok(outcome)
    }

    /// Takes the work of the last answer from the ration.
    fn account(&mut self) -> Result<(), Failure> {
        let (found, process) = self.current.as_mut().expect("a solver is ready");
        let Some(work) = &found.adapter.work else { return Ok(()) };
        process.say(work.ask);
        let before = std::mem::replace(&mut self.work, work.read(&process.answer()?));
        self.stop.spend(self.work.saturating_sub(before) / work.unit);
        Ok(())
    }

    /// `None` where it takes more work than this: the process ends, and another one of the same solver takes over.
    fn decide_within(&mut self, limit: Duration) -> Result<Option<Outcome>, Failure> {
        let usual = self.process().patience();
        self.process().set_patience(limit.min(usual));
        match self.decide() {
            Err(Failure::Silent(_)) if limit < usual => {
                self.waiting.extend(self.current.take().map(|(found, _)| found));
                Ok(None)
            }
            answer => {
                self.process().set_patience(usual);
                answer.map(Some)
            }
        }
    }

    fn read_values(&mut self, texts: &[String], sorts: &[&Sort]) -> Result<Option<Vec<Value>>, Failure> {
        if self.decide()? == Outcome::Unsat {
            return Ok(None);
        }
        self.process().say(&format!("(get-value ({}))\n", texts.join(" ")));
        let answer = self.process().answer()?;
        let garbage = || Failure::Garbage(shorten(&answer.to_string()));
        let pairs = answer.list().filter(|pairs| pairs.len() == texts.len()).ok_or_else(garbage)?;
        let value = |(pair, sort): (&Sexpr, &&Sort)| match pair.list() {
            Some([_, value]) => read_value(value, sort).map_err(|bad| Failure::Value(bad.to_string())),
            _ => Err(garbage()),
        };
        pairs.iter().zip(sorts).map(value).collect::<Result<_, _>>().map(Some)
    }

    fn read_core(&mut self) -> Result<Vec<TermId>, Failure> {
        if self.decide()? == Outcome::Sat {
            return Err(Failure::Garbage("sat, where another solver said unsat".to_string()));
        }
        if self.last.is_empty() {
            return Ok(Vec::new());
        }
        self.process().say("(get-unsat-assumptions)\n");
        let answer = self.process().answer()?;
        let garbage = || Failure::Garbage(shorten(&answer.to_string()));
        let literals = answer.list().ok_or_else(garbage)?;
        let known = |literal: &Sexpr| {
            let text = literal_text(literal);
            self.last.iter().find(|(_, known)| *known == text).map(|(term, _)| *term)
        };
        literals.iter().map(|l| known(l).ok_or_else(garbage)).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some((found, process)) = self.current.take()
            && let Some(idle) = self.config.idle.as_ref().filter(|_| self.hands_on)
            && found.adapter.resets
            && process.is_at_rest()
        {
            idle.put(found, process);
        }
    }
}

/// A literal as [`Script::literal`] writes it.
fn literal_text(literal: &Sexpr) -> String {
    let symbol = |s: &Sexpr| buttress_term::smtlib::symbol(s.atom().unwrap_or_default());
    match literal.call() {
        Some(("not", [a])) => format!("(not {})", symbol(a)),
        _ => symbol(literal),
    }
}

impl Solver for Session {
    fn assert(&mut self, terms: &Terms, fact: TermId) {
        let mut commands = String::new();
        let text = self.script.express(terms, fact, &mut commands);
        commands.push_str(&format!("(assert {text})\n"));
        self.outcome = None;
        self.tell(commands);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<Outcome, Stopped> {
        self.pose(terms, assumptions);
        self.ask(Session::decide)
    }

    fn check_within(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        limit: Duration,
    ) -> Result<Option<Outcome>, Stopped> {
        self.pose(terms, assumptions);
        self.ask(|session| session.decide_within(limit))
    }
}

impl Model for Session {
    /// A variable that the solver has not heard of may have any value.
    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Option<Vec<Value>>, Stopped> {
        let asked = |t: &TermId| !terms.is_variable(*t) || self.script.knows(*t);
        let known: Vec<TermId> = of.iter().copied().filter(asked).collect();
        let mut commands = String::new();
        let texts: Vec<String> =
            known.iter().map(|&t| self.script.express(terms, t, &mut commands)).collect();
        if !commands.is_empty() {
            // Definitions of what the solver knows by another name: the question is asked again with them.
            self.outcome = None;
            self.tell(commands);
        }
        let sorts: Vec<&Sort> = known.iter().map(|&t| terms.sort(t)).collect();
        let values = match known.is_empty() {
            true => Some(Vec::new()),
            false => self.ask(|session| session.read_values(&texts, &sorts))?,
        };
        let Some(values) = values else { return Ok(None) };
        let values: FxHashMap<TermId, Value> = known.into_iter().zip(values).collect();
        let value = |t: &TermId| values.get(t).cloned().unwrap_or_else(|| Value::zero(terms.sort(*t)));
        Ok(Some(of.iter().map(value).collect()))
    }

    fn distrust(&mut self, why: &str) -> Result<(), Stopped> {
        self.fail(&Failure::Lied(why.to_string()))
    }
}

impl Core for Session {
    fn core(&mut self, _: &Terms) -> Result<Vec<TermId>, Stopped> {
        self.ask(Session::read_core)
    }
}

impl Scopes for Session {
    fn push(&mut self) {
        self.script.push();
        self.told.scopes.push(self.told.commands.len());
        self.tell("(push 1)\n".to_string());
        self.outcome = None;
    }

    fn pop(&mut self) {
        self.script.pop();
        let begin = self.told.scopes.pop().expect("a scope was pushed");
        self.told.commands.truncate(begin);
        self.unsaid.push_str("(pop 1)\n");
        self.outcome = None;
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::smt::ADAPTERS;

    /// Works on its first question for ever, and answers when it is started again.
    #[test]
    fn a_question_is_given_up_and_the_same_solver_goes_on() {
        let folder = std::env::temp_dir().join(format!("buttress-session-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let (path, marker) = (folder.join("z3"), folder.join("started"));
        let script = format!(
            "#!/bin/sh\nif [ ! -e {0} ]; then : > {0}; while :; do :; done; fi\n\
             while read -r line; do case $line in *check-sat*) echo sat;; esac; done\n",
            marker.display()
        );
        std::fs::write(&path, script).expect("it can be written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        let mut terms = Terms::default();
        let fact = terms.variable("a", Sort::Bool);
        let config = Config::new(vec![Installed { adapter: &ADAPTERS[0], path }]);
        let mut session = Session::new(&config, Theory::of(&terms), &Stop::new());
        session.assert(&terms, fact);
        let limit = Duration::from_millis(100);
        assert_eq!(session.check_within(&terms, &[fact], limit), Ok(None));
        assert_eq!(session.check_within(&terms, &[fact], limit), Ok(Some(Outcome::Sat)));
        assert_eq!(session.check(&terms, &[fact]), Ok(Outcome::Sat));
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
