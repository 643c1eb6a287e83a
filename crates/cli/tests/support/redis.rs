//! A Redis server of a test's own.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::skip::skip;
use crate::support::Scratch;

pub struct Redis {
    address: String,
    /// How the test itself reaches it, which is on no other host: the address, or a socket that is a file.
    door: String,
    port: u16,
    scratch: Scratch,
    process: Child,
    program: PathBuf,
    keeps: bool,
}

/// Where `scripts/get-redis` puts it, or where the system has it.
fn program() -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share")));
    let brought = data.map(|data| data.join("buttress/redis/redis-server"));
    let works = |program: &PathBuf| {
        let asked =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    [Some(PathBuf::from("redis-server")), brought].into_iter().flatten().find(works)
}

impl Redis {
    /// A server that keeps its data when it is killed, or forgets it; `None`, which is counted, where there is no
    /// such program.
    pub fn start(name: &str, keeps: bool) -> Option<Redis> {
        let Some(program) = program() else {
            skip(name, "there is no redis-server: scripts/get-redis brings one");
            return None;
        };
        let scratch = Scratch::new(&format!("redis-{name}"));
        let (port, process) = (0..100)
            .find_map(|_| {
                let port = a_port();
                Some((port, spawn(&program, port, &scratch, keeps)?))
            })
            .expect("one of a hundred ports is free");
        let address = "127.0.0.1".to_string();
        let door = format!("redis://{address}:{port}");
        Some(Redis { address, door, port, scratch, process, program, keeps })
    }

    /// A server on a host of its own: commands there begin with these words.
    pub fn start_on(host: [&str; 4], address: &str, name: &str) -> Option<Redis> {
        let Some(program) = program() else {
            skip(name, "there is no redis-server: scripts/get-redis brings one");
            return None;
        };
        let (port, scratch) = (6379, Scratch::new(&format!("redis-{name}")));
        let door = scratch.file("door");
        let mut command = Command::new(host[0]);
        command.args(&host[1..]).arg(&program).args(["--port", "6379", "--bind", address, "--save", ""]);
        command.args(["--protected-mode", "no", "--unixsocket"]).arg(&door).arg("--dir").arg(&scratch.0);
        let process = answering(&mut command, &format!("redis+unix://{}", door.display()));
        let process = process.expect("a host of its own has the port free");
        let door = format!("redis+unix://{}", door.display());
        Some(Redis { address: address.to_string(), door, port, scratch, process, program, keeps: false })
    }

    pub fn url(&self) -> String {
        format!("redis://{}:{}", self.address, self.port)
    }

    pub fn kill(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }

    pub fn signal(&mut self, signal: nix::sys::signal::Signal) {
        let process = nix::unistd::Pid::from_raw(self.process.id() as i32);
        nix::sys::signal::kill(process, signal).expect("it runs");
    }

    pub fn again(&mut self) {
        let process = spawn(&self.program, self.port, &self.scratch, self.keeps);
        self.process = process.expect("nobody else takes the port");
    }

    pub fn connection(&self) -> redis::Connection {
        let client = redis::Client::open(&self.door[..]).expect("an address");
        client.get_connection().expect("it answers")
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port that no other test of this process is given, below those from which systems choose by themselves: what
/// is killed finds its port free when it is started again.
fn a_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = std::process::id().wrapping_mul(97).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
    10_000 + (number % 20_000) as u16
}

/// `None` where the port is taken.
fn spawn(program: &PathBuf, port: u16, scratch: &Scratch, keeps: bool) -> Option<Child> {
    let mut command = Command::new(program);
    let port_text = port.to_string();
    command.args(["--port", &port_text, "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(&scratch.0);
    command.args(["--appendonly", if keeps { "yes" } else { "no" }, "--appendfsync", "always"]);
    answering(&mut command, &format!("redis://127.0.0.1:{port}"))
}

/// Starts it and waits until it, and not another server at the same door, answers; `None` where it ends at once.
fn answering(command: &mut Command, door: &str) -> Option<Child> {
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let start = Instant::now();
    while who_answers(door) != Some(process.id()) {
        if process.try_wait().expect("a child").is_some() {
            return None;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "the server does not answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(process)
}

/// The number of the process behind a door.
fn who_answers(door: &str) -> Option<u32> {
    let mut connection = redis::Client::open(door).ok()?.get_connection().ok()?;
    let said: String = redis::cmd("INFO").arg("server").query(&mut connection).ok()?;
    said.lines().find_map(|line| line.strip_prefix("process_id:")?.trim().parse().ok())
}
