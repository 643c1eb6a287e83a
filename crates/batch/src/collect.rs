//! The process that began a batch over a server: it fills the queue and collects the rows.
//!
//! It may die and be begun again. Rows that it has not kept are still on the server, jobs without a row are still
//! in the queue, and what was answered twice is dropped. Jobs of another batch that somebody left in the queue are
//! withdrawn. Where the server comes back without its data, the queue is filled again.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use buttress_redis_board::{Item, News, Outcome, Queue};

use crate::job::Job;
use crate::mail;
use crate::row::Row;

/// How often the server is asked.
const ROUND: Duration = Duration::from_millis(100);

pub struct Collector {
    queue: Queue,
    /// Who collects.
    name: String,
    lease: Duration,
    send_models: bool,
    filling: String,
    /// Jobs without a row, by their names on the server.
    open: HashMap<String, (usize, Job)>,
}

/// What happens meanwhile.
pub enum Told {
    Row(usize, Box<Row>),
    /// Something that people should know.
    Note(String),
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collected {
    All,
    Stopped,
}

impl Collector {
    pub fn new(queue: Queue, name: String, lease: Duration, send_models: bool) -> Collector {
        let time = std::time::SystemTime::now();
        let filling = format!("{name} {time:?}");
        Collector { queue, name, lease, send_models, filling, open: HashMap::new() }
    }

    /// Until all jobs have a row. An error of who is told, or of the queue at the start, ends it.
    pub fn run(
        mut self,
        jobs: Vec<(usize, Job)>,
        stopped: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Told) -> Result<(), String>,
    ) -> Result<Collected, String> {
        self.unreadable(&jobs).into_iter().try_for_each(&mut *tell)?;
        let readable = jobs.into_iter().filter(|(_, job)| job.hash.is_ok());
        self.open = readable.map(|(number, job)| (job.id(), (number, job))).collect();
        if !self.own(stopped, tell)? {
            return Ok(Collected::Stopped);
        }
        self.fill()?;
        self.rounds(stopped, tell)
    }

    /// What nobody can run has its row at once.
    fn unreadable(&self, jobs: &[(usize, Job)]) -> Vec<Told> {
        let row = |(number, job): &(usize, Job)| {
            let wrong = job.hash.clone().err()?;
            Some(Told::Row(*number, Box::new(Row::not_run(job, &self.name, wrong))))
        };
        jobs.iter().filter_map(row).collect()
    }

    /// Waits for one that died to be forgotten; one that lives is told.
    fn own(
        &mut self,
        stopped: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Told) -> Result<(), String>,
    ) -> Result<bool, String> {
        let (start, mut waits) = (Instant::now(), false);
        while let Err(owner) = self.queue.own(&self.name, self.lease)? {
            if start.elapsed() > self.lease * 2 {
                return Err(format!("the queue is in use by {owner}; --queue gives another one a name"));
            }
            if stopped() {
                return Ok(false);
            }
            if !waits {
                tell(Told::Note(format!("{owner} has the queue; waiting whether it still lives")))?;
            }
            waits = true;
            std::thread::sleep(ROUND);
        }
        Ok(true)
    }

    fn fill(&mut self) -> Result<(), String> {
        let strangers = self.queue.open_jobs()?.into_iter().filter(|id| !self.open.contains_key(id));
        let strangers: Vec<String> = strangers.collect();
        self.queue.withdraw(&strangers)?;
        if self.send_models {
            self.attach()?;
        }
        let mut jobs: Vec<&(usize, Job)> = self.open.values().collect();
        jobs.sort_by_key(|(number, _)| *number);
        let items: Vec<Item> = jobs.into_iter().map(|(_, job)| self.item(job)).collect();
        self.queue.fill(&self.filling, self.lease, &items)
    }

    fn item(&self, job: &Job) -> Item {
        let hash = job.hash.as_deref().unwrap_or_default();
        Item { id: job.id(), body: mail::pack(job, hash, self.send_models) }
    }

    fn attach(&mut self) -> Result<(), String> {
        let mut seen = HashSet::new();
        for (_, job) in self.open.values() {
            if let Ok(hash) = &job.hash
                && seen.insert(hash.clone())
            {
                let path = Path::new(&job.model);
                let bytes = std::fs::read(path).map_err(|e| format!("{}: error: {e}", path.display()))?;
                self.queue.attach(hash, &bytes)?;
            }
        }
        Ok(())
    }

    fn rounds(
        &mut self,
        stopped: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Told) -> Result<(), String>,
    ) -> Result<Collected, String> {
        let mut away = false;
        while !self.open.is_empty() {
            if stopped() {
                return Ok(Collected::Stopped);
            }
            match self.news() {
                Ok(news) => {
                    if std::mem::take(&mut away) {
                        tell(Told::Note("the server answers again".to_string()))?;
                    }
                    self.hear(news, tell)?;
                }
                Err(Trouble::Taken(owner)) => return Err(format!("{owner} has taken the queue over")),
                Err(Trouble::Server(error)) => {
                    if !std::mem::replace(&mut away, true) {
                        tell(Told::Note(format!("{error}; waiting for the server")))?;
                    }
                }
            }
            std::thread::sleep(ROUND);
        }
        // All rows are kept: a server that cannot forget them now will do so in a week.
        let _ = self.queue.close();
        Ok(Collected::All)
    }

    fn news(&mut self) -> Result<News, Trouble> {
        let owns = self.queue.own(&self.name, self.lease).map_err(Trouble::Server)?;
        owns.map_err(Trouble::Taken)?;
        let news = self.queue.collect().map_err(Trouble::Server)?;
        if news.filling != self.filling {
            self.fill().map_err(Trouble::Server)?;
        }
        Ok(news)
    }

    /// Rows are kept before the server forgets them.
    fn hear(&mut self, news: News, tell: &mut dyn FnMut(Told) -> Result<(), String>) -> Result<(), String> {
        let mut ids = Vec::new();
        for (id, outcome) in news.outcomes {
            if let Some((number, job)) = self.open.remove(&id) {
                tell(Told::Row(number, Box::new(row(&job, outcome))))?;
            }
            ids.push(id);
        }
        if !ids.is_empty() {
            // Where it does not hear this, it tells them again, and nobody asks for them any more.
            let _ = self.queue.kept(&ids);
        }
        Ok(())
    }
}

/// Why there is no news.
enum Trouble {
    Server(String),
    Taken(String),
}

fn row(job: &Job, outcome: Outcome) -> Row {
    match outcome {
        Outcome::Answered(bytes) => match mail::unpack_row(&bytes) {
            Ok(row) => row.received(job),
            Err(wrong) => Row::not_run(job, "", wrong),
        },
        Outcome::GivenUp(killed) => {
            let error = format!("error: given up: {} takers died over it", killed.len());
            Row { killed, error: Some(error), ..Row::about(job, "") }
        }
    }
}
