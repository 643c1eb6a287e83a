//! A queue of jobs on a Redis server: one process owns it, fills it and collects the answers; any number take
//! jobs.
//!
//! Who takes a job has it on a lease, which a heartbeat prolongs. Where the lease runs out, its taker is taken for
//! dead and the job waits again; after [`MOST`] takers it is given up. Of several answers to a job the first
//! counts, so each job has exactly one. An answer stays on the server until the owner says that it is kept
//! elsewhere. Times are those of the server alone.
//!
//! Every step is one script, which the server does as a whole or not at all. Keys begin with
//! `buttress:batch:VERSION:{NAME}`; where nobody touches them for a week, they expire.
//!
//! | key | holds |
//! |---|---|
//! | `meta` | which filling this is, and how long a lease is |
//! | `jobs` | the bodies of all jobs without an answer |
//! | `waiting` | those that nobody has, in order |
//! | `leases`, `holders` | until when somebody has the others, and who |
//! | `lost` | who died over a job, a line each |
//! | `results`, `done` | answers that the owner has not kept yet, and of which jobs they are |
//! | `files` | contents of models, where they are sent |
//! | `closed` | which filling was done last |
//! | `owner` | who collects; it expires by itself |
//!
//! Limits: bodies and answers are bytes, and this module looks into none. Whoever may write to the server may
//! answer.

use std::time::Duration;

use redis::{Client, Cmd, Connection, FromRedisValue};

use crate::EXPIRY;
use crate::connection::{client, connect, place};

const VERSION: u32 = 1;
/// A job is given up after so many takers died over it.
const MOST: usize = 3;

/// A job.
pub struct Item {
    pub id: String,
    pub body: Vec<u8>,
}

/// What a taker is offered.
pub enum Offer {
    Job(Item),
    /// Others have all that is left.
    Busy,
    /// No job is without an answer.
    Done,
    /// Nobody has filled the queue.
    Nothing,
}

/// How a job ended.
pub enum Outcome {
    Answered(Vec<u8>),
    /// These takers died over it.
    GivenUp(Vec<String>),
}

/// What the owner hears.
pub struct News {
    /// The filling that the queue holds; empty where it holds none, as after a server lost its data.
    pub filling: String,
    pub waiting: usize,
    pub taken: usize,
    pub outcomes: Vec<(String, Outcome)>,
}

/// Names for the keys, the time, and what several scripts do.
const COMMON: &str = r"
local meta, jobs, waiting, leases, holders, lost, results, done, files, closed = unpack(KEYS)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function finish(id, kind, body)
  if redis.call('HDEL', jobs, id) == 0 then return 0 end
  redis.call('ZREM', leases, id)
  redis.call('HDEL', holders, id)
  redis.call('HDEL', lost, id)
  redis.call('LREM', waiting, 0, id)
  redis.call('SADD', done, id)
  redis.call('RPUSH', results, id, kind, body)
  return 1
end
local function reap(most)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now, 'LIMIT', 0, 100)) do
    local who = redis.call('HGET', holders, id) or 'somebody'
    redis.call('ZREM', leases, id)
    redis.call('HDEL', holders, id)
    local before = redis.call('HGET', lost, id)
    local names = before and (before .. '\n' .. who) or who
    redis.call('HSET', lost, id, names)
    local _, breaks = string.gsub(names, '\n', '\n')
    if breaks + 1 >= most then finish(id, 'lost', names) else redis.call('RPUSH', waiting, id) end
  end
end
local function keep(seconds)
  for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, seconds) end
end
";

/// ARGV: filling, lease, seconds to keep, then id and body of each job.
const FILL: &str = r"
redis.call('HSET', meta, 'filling', ARGV[1], 'lease', ARGV[2])
for at = 4, #ARGV, 2 do
  local id, body = ARGV[at], ARGV[at + 1]
  if redis.call('HEXISTS', jobs, id) == 0 and redis.call('SISMEMBER', done, id) == 0 then
    redis.call('HSET', jobs, id, body)
    redis.call('RPUSH', waiting, id)
  end
end
keep(ARGV[3])
";

/// ARGV: the jobs to forget.
const WITHDRAW: &str = r"
for _, id in ipairs(ARGV) do
  redis.call('HDEL', jobs, id)
  redis.call('ZREM', leases, id)
  redis.call('HDEL', holders, id)
  redis.call('HDEL', lost, id)
  redis.call('LREM', waiting, 0, id)
end
";

/// ARGV: who takes, takers that a job may cost, seconds to keep.
const TAKE: &str = r"
local lease = redis.call('HGET', meta, 'lease')
if not lease then return {'nothing', '', '', redis.call('GET', closed) or ''} end
local filling = redis.call('HGET', meta, 'filling')
reap(tonumber(ARGV[2]))
keep(ARGV[3])
local id = redis.call('LPOP', waiting)
if not id then return {redis.call('HLEN', jobs) == 0 and 'done' or 'busy', '', '', filling} end
redis.call('ZADD', leases, now + lease, id)
redis.call('HSET', holders, id, ARGV[1])
return {'job', id, redis.call('HGET', jobs, id), filling}
";

/// ARGV: who, then the jobs that it works on. Gives those that nobody wants any more.
const BEAT: &str = r"
local lease = redis.call('HGET', meta, 'lease')
local unwanted = {}
for at = 2, #ARGV do
  local id = ARGV[at]
  if redis.call('HEXISTS', jobs, id) == 0 then
    table.insert(unwanted, id)
  elseif lease and redis.call('HGET', holders, id) == ARGV[1] then
    redis.call('ZADD', leases, 'XX', now + lease, id)
  end
end
return unwanted
";

/// ARGV: job, answer.
const ANSWER: &str = "return finish(ARGV[1], 'row', ARGV[2])";

/// ARGV: who, job. It waits again, before all others, and nobody has died.
const GIVE_BACK: &str = r"
if redis.call('HGET', holders, ARGV[2]) == ARGV[1] then
  redis.call('ZREM', leases, ARGV[2])
  redis.call('HDEL', holders, ARGV[2])
  redis.call('LPUSH', waiting, ARGV[2])
end
";

/// ARGV: takers that a job may cost, seconds to keep, answers at most.
const COLLECT: &str = r"
reap(tonumber(ARGV[1]))
keep(ARGV[2])
local filling = redis.call('HGET', meta, 'filling') or ''
local told = redis.call('LRANGE', results, 0, 3 * ARGV[3] - 1)
return {filling, redis.call('LLEN', waiting), redis.call('ZCARD', leases), told}
";

/// ARGV: the jobs of the first answers, in order.
const KEPT: &str = r"
redis.call('LTRIM', results, 3 * #ARGV, -1)
for _, id in ipairs(ARGV) do redis.call('SREM', done, id) end
";

/// Who has seen this filling is told that all of it is done.
const CLOSE: &str = r"
local filling = redis.call('HGET', meta, 'filling') or ''
redis.call('DEL', unpack(KEYS))
redis.call('SET', closed, filling, 'EX', 3600)
";

/// Answers that are collected at a time.
const AT_ONCE: usize = 200;
/// Jobs that one script adds or forgets.
const CHUNK: usize = 500;

/// A connection to a queue.
pub struct Queue {
    client: Client,
    place: String,
    prefix: String,
    connection: Option<Connection>,
    /// The filling that was taken from last.
    seen: String,
}

impl Queue {
    /// An error where the address is none; nothing is said to the server yet.
    pub fn at(url: &str, name: &str) -> Result<Queue, String> {
        let client = client(url)?;
        let place = place(&client);
        let prefix = format!("buttress:batch:{VERSION}:{{{name}}}");
        Ok(Queue { client, place, prefix, connection: None, seen: String::new() })
    }

    /// An error where the server does not answer.
    pub fn reach(&mut self) -> Result<(), String> {
        self.ask::<String>(&redis::cmd("PING")).map(drop)
    }

    /// A number that no other process has.
    pub fn number(&mut self) -> Result<u64, String> {
        let mut command = redis::cmd("INCR");
        let number = self.ask(command.arg(self.key("workers")))?;
        let mut command = redis::cmd("EXPIRE");
        self.ask::<()>(command.arg(self.key("workers")).arg(EXPIRY))?;
        Ok(number)
    }

    /// Owns the queue for a time; the name of who owns it where it is somebody else.
    pub fn own(&mut self, who: &str, time: Duration) -> Result<Result<(), String>, String> {
        const OWN: &str = "local owner = redis.call('GET', KEYS[1])\n\
            if owner and owner ~= ARGV[1] then return owner end\n\
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\nreturn ARGV[1]";
        let mut command = redis::cmd("EVAL");
        command.arg(OWN).arg(1).arg(self.key("owner")).arg(who).arg(millis(time));
        let owner: String = self.ask(&command)?;
        Ok(if owner == who { Ok(()) } else { Err(owner) })
    }

    /// Adds those jobs that are not there and have no answer that waits to be kept.
    pub fn fill(&mut self, filling: &str, lease: Duration, jobs: &[Item]) -> Result<(), String> {
        let mut chunks = jobs.chunks(CHUNK).collect::<Vec<_>>();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        for chunk in chunks {
            let mut command = self.script(FILL);
            command.arg(filling).arg(millis(lease)).arg(EXPIRY);
            for job in chunk {
                command.arg(&job.id).arg(&job.body);
            }
            self.ask::<()>(&command)?;
        }
        Ok(())
    }

    /// The names of all jobs without an answer.
    pub fn open_jobs(&mut self) -> Result<Vec<String>, String> {
        let mut command = redis::cmd("HKEYS");
        command.arg(self.key("jobs"));
        self.ask(&command)
    }

    /// Forgets jobs.
    pub fn withdraw(&mut self, ids: &[String]) -> Result<(), String> {
        for chunk in ids.chunks(CHUNK) {
            let mut command = self.script(WITHDRAW);
            self.ask::<()>(command.arg(chunk))?;
        }
        Ok(())
    }

    /// Sends the contents of a file, under a name.
    pub fn attach(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let mut command = redis::cmd("HSET");
        command.arg(self.key("files")).arg(name).arg(bytes);
        self.ask(&command)
    }

    pub fn attached(&mut self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let mut command = redis::cmd("HGET");
        command.arg(self.key("files")).arg(name);
        self.ask(&command)
    }

    pub fn take(&mut self, who: &str) -> Result<Offer, String> {
        let mut command = self.script(TAKE);
        let (what, id, body, filling): (String, String, Vec<u8>, String) =
            self.ask(command.arg(who).arg(MOST).arg(EXPIRY))?;
        if what != "nothing" {
            self.seen = filling.clone();
        }
        Ok(match &what[..] {
            "nothing" if !filling.is_empty() && filling == self.seen => Offer::Done,
            "job" => Offer::Job(Item { id, body }),
            "busy" => Offer::Busy,
            "done" => Offer::Done,
            _ => Offer::Nothing,
        })
    }

    /// Says that a taker lives, and hears which of its jobs nobody wants any more.
    pub fn beat(&mut self, who: &str, ids: &[String]) -> Result<Vec<String>, String> {
        let mut command = self.script(BEAT);
        self.ask(command.arg(who).arg(ids))
    }

    /// Whether this is the first answer to a job that is still wanted.
    pub fn answer(&mut self, id: &str, body: &[u8]) -> Result<bool, String> {
        let mut command = self.script(ANSWER);
        self.ask(command.arg(id).arg(body))
    }

    pub fn give_back(&mut self, who: &str, id: &str) -> Result<(), String> {
        let mut command = self.script(GIVE_BACK);
        self.ask(command.arg(who).arg(id))
    }

    /// Answers that are not kept yet, the oldest first.
    pub fn collect(&mut self) -> Result<News, String> {
        let mut command = self.script(COLLECT);
        let (filling, waiting, taken, told): (String, usize, usize, Vec<Vec<u8>>) =
            self.ask(command.arg(MOST).arg(EXPIRY).arg(AT_ONCE))?;
        let outcomes = told.chunks_exact(3).map(outcome).collect();
        Ok(News { filling, waiting, taken, outcomes })
    }

    /// Forgets the first answers, which are kept elsewhere now.
    pub fn kept(&mut self, ids: &[String]) -> Result<(), String> {
        let mut command = self.script(KEPT);
        self.ask(command.arg(ids))
    }

    /// Forgets everything.
    pub fn close(&mut self) -> Result<(), String> {
        let command = self.script(CLOSE);
        self.ask::<()>(&command)?;
        let mut command = redis::cmd("DEL");
        command.arg(self.key("owner"));
        self.ask(&command)
    }

    fn key(&self, what: &str) -> String {
        format!("{}:{what}", self.prefix)
    }

    /// A script, with all keys.
    fn script(&self, text: &str) -> Cmd {
        let keys =
            ["meta", "jobs", "waiting", "leases", "holders", "lost", "results", "done", "files", "closed"];
        let mut command = redis::cmd("EVAL");
        command.arg(format!("{COMMON}{text}")).arg(keys.len());
        for what in keys {
            command.arg(self.key(what));
        }
        command
    }

    /// Where the server does not answer, the next question begins with a new connection.
    fn ask<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T, String> {
        let connection = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => connect(&self.client),
        };
        let asked = connection.and_then(|mut connection| {
            let answer = command.query(&mut connection);
            self.connection = answer.is_ok().then_some(connection);
            answer
        });
        asked.map_err(|error| format!("{}: {error}", self.place))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

fn outcome(told: &[Vec<u8>]) -> (String, Outcome) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let id = text(&told[0]);
    if told[1] == b"lost" {
        return (id, Outcome::GivenUp(text(&told[2]).lines().map(str::to_string).collect()));
    }
    (id, Outcome::Answered(told[2].clone()))
}
