//! A process that takes jobs from a server: so many at a time, with a heartbeat, until there are none.
//!
//! What comes from the server is data. Which options a job may bring is for the caller to say, and the model is
//! read only where its bytes are those that the job is about. Where the server is away, a taker goes on with what
//! it has, and keeps its answer until the server is back or [`Taker::wait`] has passed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use buttress_redis_board::{Item, Offer, Queue};

use crate::child::Bench;
use crate::job::{Asked, Job};
use crate::mail::{self, Received};
use crate::row::Row;

/// How often an idle lane asks for a job.
const ROUND: Duration = Duration::from_millis(100);
/// How often it says that it lives.
const BEAT: Duration = Duration::from_millis(250);

pub struct Taker<'a> {
    pub bench: &'a Bench,
    pub lanes: usize,
    /// How long it waits for a queue that nobody has filled, and for a server that is away.
    pub wait: Duration,
    /// Refuses what a job may not ask.
    pub fits: &'a (dyn Fn(&Asked) -> Result<(), String> + Sync),
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

/// What the lanes share.
struct Desk<'a> {
    taker: &'a Taker<'a>,
    queue: Mutex<Queue>,
    /// What is worked on, and whether anybody still wants it.
    held: Mutex<BTreeMap<String, Arc<AtomicBool>>>,
    taken: AtomicUsize,
    trouble: Mutex<Option<String>>,
}

/// Takes jobs until there are none, and gives how many there were.
pub fn take(taker: &Taker<'_>, queue: Queue) -> Result<usize, String> {
    let desk = Desk {
        taker,
        queue: Mutex::new(queue),
        held: Mutex::default(),
        taken: AtomicUsize::new(0),
        trouble: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..taker.lanes).map(|_| scope.spawn(|| desk.lane())).collect();
        while lanes.iter().any(|lane| !lane.is_finished()) {
            desk.beat();
            std::thread::sleep(BEAT);
        }
    });
    match desk.trouble.into_inner().expect("no holder panics") {
        Some(trouble) => Err(trouble),
        None => Ok(desk.taken.into_inner()),
    }
}

impl Desk<'_> {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("no holder panics")
    }

    fn who(&self) -> &str {
        &self.taker.bench.worker
    }

    fn lane(&self) {
        let mut since = Instant::now();
        while !(self.taker.stopped)() {
            let offer = self.queue().take(self.who());
            match offer {
                Ok(Offer::Job(item)) => {
                    self.work(&item);
                    since = Instant::now();
                }
                Ok(Offer::Done) => return,
                // Who has the others may die.
                Ok(Offer::Busy) => since = Instant::now(),
                Ok(Offer::Nothing) if since.elapsed() < self.taker.wait => {}
                Ok(Offer::Nothing) => return self.fail("nobody has filled this queue".to_string()),
                Err(_) if since.elapsed() < self.taker.wait => {}
                Err(error) => return self.fail(error),
            }
            std::thread::sleep(ROUND);
        }
    }

    fn fail(&self, trouble: String) {
        self.trouble.lock().expect("no holder panics").get_or_insert(trouble);
    }

    /// Says that this process lives; a server that is away is told the next time.
    fn beat(&self) {
        let ids: Vec<String> = self.held.lock().expect("no holder panics").keys().cloned().collect();
        let unwanted = if ids.is_empty() { Ok(ids) } else { self.queue().beat(self.who(), &ids) };
        self.drop_all(&unwanted.unwrap_or_default());
    }

    fn drop_all(&self, unwanted: &[String]) {
        let held = self.held.lock().expect("no holder panics");
        for wanted in unwanted.iter().filter_map(|id| held.get(id)) {
            wanted.store(false, Ordering::SeqCst);
        }
    }

    fn work(&self, item: &Item) {
        let wanted = Arc::new(AtomicBool::new(true));
        self.held.lock().expect("no holder panics").insert(item.id.clone(), wanted.clone());
        let row = self.row(item, &|| wanted.load(Ordering::SeqCst) && !(self.taker.stopped)());
        match row {
            Some(row) => self.answer(&item.id, &row),
            None if wanted.load(Ordering::SeqCst) => {
                // Where the server does not hear it, the lease runs out.
                let _ = self.queue().give_back(self.who(), &item.id);
            }
            None => {}
        }
        self.held.lock().expect("no holder panics").remove(&item.id);
    }

    fn row(&self, item: &Item, wanted: &dyn Fn() -> bool) -> Option<Row> {
        let Received { job, path, sent } = match mail::unpack(&item.body) {
            Ok(received) => received,
            Err(wrong) => return Some(self.refusal(wrong)),
        };
        if let Err(wrong) = (self.taker.fits)(&job.asked) {
            return Some(Row::not_run(&job, self.who(), wrong));
        }
        if !sent {
            return self.taker.bench.run(&job, &path, wanted);
        }
        match self.copy(&job) {
            Ok(copy) => self.taker.bench.run(&job, &copy.0, wanted).map(|row| copy.renamed(row)),
            Err(wrong) => Some(Row::not_run(&job, self.who(), wrong)),
        }
    }

    /// About a job that cannot even be read.
    fn refusal(&self, wrong: String) -> Row {
        Row { error: Some(wrong), worker: self.who().to_string(), ..Row::default() }
    }

    /// The model as it was sent, in a file of this machine.
    fn copy(&self, job: &Job) -> Result<Copy, String> {
        let hash = job.hash.clone()?;
        let bytes = self.queue().attached(&hash)?;
        let bytes = bytes.ok_or_else(|| format!("{}: error: it was not sent", job.model))?;
        Copy::new(Path::new(&job.model), &bytes)
    }

    fn answer(&self, id: &str, row: &Row) {
        let (start, body) = (Instant::now(), mail::pack_row(row));
        loop {
            let answered = self.queue().answer(id, &body);
            match answered {
                Ok(first) => {
                    self.taken.fetch_add(usize::from(first), Ordering::SeqCst);
                    return;
                }
                Err(_) if start.elapsed() < self.taker.wait && !(self.taker.stopped)() => {}
                Err(error) => return self.fail(error),
            }
            std::thread::sleep(ROUND);
        }
    }
}

/// A file that is gone when nobody needs it.
struct Copy(PathBuf);

impl Copy {
    /// A file that was not there before, of the kind of the model.
    fn new(model: &Path, bytes: &[u8]) -> Result<Copy, String> {
        let ending = model.extension().and_then(|ending| ending.to_str()).unwrap_or("model");
        for number in 0.. {
            let name = format!("buttress-batch-{}-{number}.{ending}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match File::create_new(&path) {
                Ok(mut file) => {
                    let copy = Copy(path);
                    return file.write_all(bytes).map(|()| copy).map_err(|error| format!("error: {error}"));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("{}: error: {error}", path.display())),
            }
        }
        unreachable!("some number is free")
    }

    /// Messages speak of the model, not of its copy.
    fn renamed(&self, mut row: Row) -> Row {
        let copy = self.0.display().to_string();
        row.error = row.error.map(|text| text.replace(&copy, &row.model));
        row
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
