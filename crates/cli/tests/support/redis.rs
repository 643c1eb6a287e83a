//! A Redis server of a test's own.

use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
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
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let scratch = Scratch::new(&format!("redis-{name}"));
        let process = spawn(&program, port, &scratch, keeps);
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
        let process = answering(&mut command, || UnixStream::connect(&door).is_ok());
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
        self.process = spawn(&self.program, self.port, &self.scratch, self.keeps);
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

fn spawn(program: &PathBuf, port: u16, scratch: &Scratch, keeps: bool) -> Child {
    let mut command = Command::new(program);
    let port_text = port.to_string();
    command.args(["--port", &port_text, "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(&scratch.0);
    command.args(["--appendonly", if keeps { "yes" } else { "no" }, "--appendfsync", "always"]);
    answering(&mut command, || TcpStream::connect(("127.0.0.1", port)).is_ok())
}

/// Starts it and waits until it answers.
fn answering(command: &mut Command, answers: impl Fn() -> bool) -> Child {
    let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let start = Instant::now();
    while !answers() {
        assert!(start.elapsed() < Duration::from_secs(20), "the server does not answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    process
}
