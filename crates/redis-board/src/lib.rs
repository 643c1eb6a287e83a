//! Messages between the processes of one proof, over a stream of a Redis server; and a queue of jobs on the same
//! server, which `queue` has.
//!
//! All processes on a model add to one stream, `buttress:VERSION:HASH`, and read what others added since their
//! last reading; who joins late reads all of it. A message is what the codec of `driver` makes; who sent it
//! stands beside it. This crate carries them and looks into none: what comes in is checked by the courier of the
//! run.
//!
//! One thread talks to the server. Engines, and the courier, only ever touch two queues in memory. Where the
//! server does not answer, it is tried again after a time that doubles, and the run goes on alone; what it found
//! meanwhile is sent when the server is back. A server that came back without its data has another *epoch*: then
//! everything that this process ever sent is sent again.
//!
//! Limits: the queues are bounded. While nobody takes what came in, nothing more is read, so a flood stays on the
//! server, where `MAXLEN` and the memory that the server may use bound it. What this process sent is kept up to
//! [`UNSENT`] bytes, then the oldest goes. A stream that nobody touches for a week expires.

mod connection;
mod queue;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, mpsc};
use std::time::{Duration, Instant};

use buttress_driver::codec::{LONGEST, ModelHash, Packed, PackedEvidence, VERSION, seal};
use buttress_driver::{Letter, Outside};
use redis::{Client, Connection, RedisError, RedisResult};

use connection::{client, connect, place};
pub use queue::{Item, News, Offer, Outcome, Queue};

/// Bytes of messages that wait to be sent, or are kept to be sent again.
const UNSENT: usize = 256 << 20;
/// Messages and bytes that came in and wait to be taken.
const UNREAD: usize = 200_000;
const UNREAD_BYTES: usize = 128 << 20;
/// Messages of one answer, and of one batch.
const BATCH: usize = 2_000;
/// How often the server is asked.
const ROUND: Duration = Duration::from_millis(10);
/// How long a server that is away is left alone, at first and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// How long a run waits for the server before it begins alone.
const FIRST: Duration = Duration::from_secs(3);
/// How long the first reading may take before the run begins.
const CATCH_UP: Duration = Duration::from_secs(2);
/// How long the last messages may take when the run is over.
const FAREWELL: Duration = Duration::from_secs(2);
/// Messages of a stream, about.
const LENGTH: usize = 4_000_000;
/// Seconds after which a stream that nobody touches is forgotten.
pub(crate) const EXPIRY: usize = 7 * 24 * 3600;

/// A process's end of the stream of a model.
pub struct RedisBoard {
    place: String,
    number: u64,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    /// Something is to be sent, or all is over.
    wake: Condvar,
}

#[derive(Default)]
struct Queues {
    /// All that was sent or is to be, in order, from the message with the number `first` on.
    sent: VecDeque<Vec<u8>>,
    first: usize,
    sent_bytes: usize,
    incoming: VecDeque<Letter>,
    incoming_bytes: usize,
    troubles: Vec<String>,
    over: Option<Instant>,
    /// The thread that talks to the server has come to its end.
    ended: bool,
}

impl Queues {
    /// The number after that of the last message.
    fn end(&self) -> usize {
        self.first + self.sent.len()
    }
}

impl Shared {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().expect("no holder panics")
    }
}

impl RedisBoard {
    /// Joins the stream of a model. An error where the address is none; a server that does not answer is waited
    /// for meanwhile.
    pub fn join(url: &str, model: &ModelHash) -> Result<RedisBoard, String> {
        let client = client(url)?;
        let place = place(&client);
        let shared = Arc::new(Shared::default());
        let key = format!("buttress:{VERSION}:{model}");
        let line = Line { client, key, connection: None, epoch: Vec::new(), last: "0".to_string(), next: 0 };
        let (told, number) = mpsc::channel();
        let (theirs, name) = (shared.clone(), place.clone());
        let work = move || {
            line.run(&theirs, &name, &told);
            theirs.queues().ended = true;
            theirs.wake.notify_all();
        };
        let thread = std::thread::Builder::new().name("board".to_string()).spawn(work);
        thread.map_err(|error| format!("no thread for the board: {error}"))?;
        let number = number.recv_timeout(FIRST).unwrap_or_else(|_| {
            let late = format!("{place}: it does not answer yet; the run goes on alone meanwhile");
            shared.queues().troubles.push(late);
            u64::from(std::process::id())
        });
        Ok(RedisBoard { place, number, shared })
    }

    /// Which process this is, of those that ever joined.
    pub fn number(&self) -> u64 {
        self.number
    }
}

/// The name of this machine.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "a machine".to_string() } else { name.trim().to_string() }
}

impl Outside for RedisBoard {
    fn place(&self) -> &str {
        &self.place
    }

    /// Facts and evidence. That a property holds up to some step nobody could check, and leftovers help nobody
    /// now.
    fn send(&self, model: &ModelHash, body: &Packed) {
        let carried = match body {
            Packed::Proved(_) | Packed::Excluded { .. } | Packed::Failed { .. } => true,
            Packed::Evidence { evidence: PackedEvidence::Proof(_) | PackedEvidence::Trace(_), .. } => true,
            Packed::HoldsUpTo { .. } | Packed::Decided { .. } | Packed::Candidates(_) => false,
        };
        if !carried {
            return;
        }
        let message = seal(model, body);
        if message.len() > LONGEST {
            return;
        }
        let mut queues = self.shared.queues();
        queues.sent_bytes += message.len();
        queues.sent.push_back(message);
        while queues.sent_bytes > UNSENT {
            let oldest = queues.sent.pop_front().map_or(0, |m| m.len());
            queues.sent_bytes -= oldest;
            queues.first += 1;
        }
        drop(queues);
        self.shared.wake.notify_one();
    }

    fn receive(&self, most: usize) -> Vec<Letter> {
        let mut queues = self.shared.queues();
        let count = most.min(queues.incoming.len());
        let letters: Vec<Letter> = queues.incoming.drain(..count).collect();
        queues.incoming_bytes -= letters.iter().map(|l| l.bytes.len()).sum::<usize>();
        letters
    }

    fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.queues().troubles)
    }

    fn is_memory(&self) -> bool {
        false
    }
}

/// Sends what is left, as far as the server takes it soon.
impl Drop for RedisBoard {
    fn drop(&mut self) {
        let mut queues = self.shared.queues();
        let over = Instant::now() + FAREWELL;
        queues.over = Some(over);
        self.shared.wake.notify_all();
        // A server that hangs is left alone, and the thread that waits for it.
        while !queues.ended && Instant::now() < over {
            let waited =
                self.shared.wake.wait_timeout(queues, over.saturating_duration_since(Instant::now()));
            queues = waited.expect("no holder panics").0;
        }
    }
}

/// The connection to a server, and how far we are.
struct Line {
    client: Client,
    key: String,
    connection: Option<Connection>,
    /// Which life of the server's data this is.
    epoch: Vec<u8>,
    /// The last message that was read.
    last: String,
    /// The number of the next message to send.
    next: usize,
}

impl Line {
    /// Joins, tells its number, and goes on until all is over.
    fn run(mut self, shared: &Shared, place: &str, told: &mpsc::Sender<u64>) {
        let alone = |error: &RedisError| format!("{place}: {error}; the run goes on alone meanwhile");
        let number = self.connect().and_then(|()| self.number());
        let mut away = number.is_err();
        if let Err(error) = &number {
            self.connection = None;
            shared.queues().troubles.push(alone(error));
        }
        let process = std::process::id();
        let number = number.unwrap_or_else(|_| u64::from(process));
        let own = &format!("worker {number}, process {process} on {}", host());
        if !away {
            self.catch_up(shared, own);
        }
        // Nobody waits for it any more where it took too long.
        let _ = told.send(number);
        let mut pause = BACK_OFF.0;
        loop {
            let over = shared.queues().over;
            match self.round(shared, own) {
                Ok(busy) => {
                    if away {
                        away = false;
                        shared.queues().troubles.push(format!("{place}: it answers again"));
                    }
                    pause = BACK_OFF.0;
                    let done = self.next >= shared.queues().end();
                    if over.is_some() && (done || over < Some(Instant::now())) {
                        return;
                    }
                    if !busy {
                        self.rest(shared, ROUND);
                    }
                }
                Err(error) => {
                    self.connection = None;
                    if over.is_some() {
                        return;
                    }
                    if !away {
                        away = true;
                        shared.queues().troubles.push(alone(&error));
                    }
                    self.rest(shared, pause);
                    pause = (pause * 2).min(BACK_OFF.1);
                }
            }
        }
    }

    /// Until somebody wakes us, all is over, or the time has passed.
    fn rest(&self, shared: &Shared, time: Duration) {
        let queues = shared.queues();
        if queues.over.is_none() {
            drop(shared.wake.wait_timeout(queues, time));
        }
    }

    fn connect(&mut self) -> RedisResult<()> {
        self.connection = Some(connect(&self.client)?);
        self.look_at_epoch()
    }

    fn connection(&mut self) -> RedisResult<&mut Connection> {
        if self.connection.is_none() {
            self.connect()?;
        }
        Ok(self.connection.as_mut().expect("it was made just now"))
    }

    /// Whether the server lost its data since we were there: then all is to be said again.
    fn look_at_epoch(&mut self) -> RedisResult<()> {
        let key = format!("{}:epoch", self.key);
        let own = format!("{}-{:?}", std::process::id(), std::time::SystemTime::now());
        let connection = self.connection.as_mut().expect("it is there");
        let (_, epoch): (redis::Value, Vec<u8>) = redis::pipe()
            .cmd("SET")
            .arg(&key)
            .arg(own)
            .arg("NX")
            .arg("EX")
            .arg(EXPIRY)
            .cmd("GET")
            .arg(&key)
            .query(connection)?;
        if epoch != self.epoch {
            (self.epoch, self.last, self.next) = (epoch, "0".to_string(), 0);
        }
        Ok(())
    }

    fn number(&mut self) -> RedisResult<u64> {
        let key = format!("{}:workers", self.key);
        let (number, _): (u64, redis::Value) = redis::pipe()
            .cmd("INCR")
            .arg(&key)
            .cmd("EXPIRE")
            .arg(&key)
            .arg(EXPIRY)
            .query(self.connection()?)?;
        Ok(number)
    }

    /// Sends a batch and reads one; whether there may be more.
    fn round(&mut self, shared: &Shared, own: &str) -> RedisResult<bool> {
        self.connection()?;
        let (batch, next): (Vec<Vec<u8>>, usize) = {
            let queues = shared.queues();
            let from = self.next.max(queues.first);
            let batch: Vec<_> = queues.sent.iter().skip(from - queues.first).take(BATCH).cloned().collect();
            let next = from + batch.len();
            (batch, next)
        };
        if !batch.is_empty() {
            let mut pipe = redis::pipe();
            for message in &batch {
                let add = pipe.cmd("XADD").arg(&self.key).arg("MAXLEN").arg("~").arg(LENGTH).arg("*");
                add.arg("w").arg(own).arg("m").arg(message).ignore();
            }
            pipe.cmd("EXPIRE").arg(&self.key).arg(EXPIRY).ignore();
            pipe.cmd("EXPIRE").arg(format!("{}:epoch", self.key)).arg(EXPIRY).ignore();
            pipe.query::<()>(self.connection()?)?;
            self.next = next;
        }
        let room = {
            let queues = shared.queues();
            queues.incoming.len() < UNREAD && queues.incoming_bytes < UNREAD_BYTES
        };
        let read = if room { self.read(shared, own)? } else { 0 };
        Ok(batch.len() == BATCH || read == BATCH)
    }

    /// Reads what is there already, so that the run begins with it; what is too much for now comes later.
    fn catch_up(&mut self, shared: &Shared, own: &str) {
        let start = Instant::now();
        while start.elapsed() < CATCH_UP && self.read(shared, own).is_ok_and(|count| count == BATCH) {
            if shared.queues().incoming.len() >= UNREAD {
                return;
            }
        }
    }

    fn read(&mut self, shared: &Shared, own: &str) -> RedisResult<usize> {
        let (key, from) = (self.key.clone(), format!("({}", self.last));
        let from = if self.last == "0" { "-".to_string() } else { from };
        let entries: Vec<(String, Vec<Vec<u8>>)> = redis::cmd("XRANGE")
            .arg(key)
            .arg(from)
            .arg("+")
            .arg("COUNT")
            .arg(BATCH)
            .query(self.connection()?)?;
        let count = entries.len();
        let mut queues = shared.queues();
        for (id, fields) in entries {
            self.last = id;
            let value =
                |name: &[u8]| fields.chunks_exact(2).find(|pair| pair[0] == name).map(|pair| &pair[1]);
            let from =
                value(b"w").map_or("somebody".into(), |w| String::from_utf8_lossy(&w[..w.len().min(200)]));
            if from != own {
                let bytes = value(b"m").cloned().unwrap_or_default();
                queues.incoming_bytes += bytes.len();
                queues.incoming.push_back(Letter { from: from.into_owned(), bytes, stays: true });
            }
        }
        Ok(count)
    }
}
