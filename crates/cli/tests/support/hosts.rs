//! Two hosts of a test's own, each a network namespace with an address, and the cable between them.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::skip::skip;

/// The first host has the server; the second one's cable can be cut.
pub struct Hosts([String; 2]);

/// The address of the first host. Nobody outside of the two sees it.
pub const SERVER: &str = "10.78.0.1";

impl Hosts {
    /// `None`, which is counted, where there may be no namespaces.
    pub fn new(name: &str) -> Option<Hosts> {
        let hosts = Hosts(["a", "b"].map(|host| format!("buttress-{name}-{}-{host}", std::process::id())));
        let made = hosts.make();
        if !made {
            skip(
                name,
                "there are no network namespaces: they need root, and `ip`, which scripts/get-redis brings",
            );
        }
        made.then_some(hosts)
    }

    fn make(&self) -> bool {
        let [a, b] = [&self.0[0][..], &self.0[1][..]];
        let cable = ["link", "add", "eth0", "netns", a, "type", "veth", "peer", "name", "eth0", "netns", b];
        ip(&["netns", "add", a])
            && ip(&["netns", "add", b])
            && ip(&cable)
            && ip(&["-n", a, "address", "add", &format!("{SERVER}/24"), "dev", "eth0"])
            && ip(&["-n", b, "address", "add", "10.78.0.2/24", "dev", "eth0"])
            && [a, b].iter().all(|host| {
                ip(&["-n", host, "link", "set", "eth0", "up"])
                    && ip(&["-n", host, "link", "set", "lo", "up"])
                    && ip(&["netns", "exec", host, "true"])
            })
    }

    /// The words that begin a command on the server's host, and on the other.
    pub fn of_server(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.0[0]]
    }

    pub fn of_other(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.0[1]]
    }

    /// Cuts the other host off, or joins it again.
    pub fn cable(&self, up: bool) {
        assert!(ip(&["-n", &self.0[1], "link", "set", "eth0", if up { "up" } else { "down" }]), "a cable");
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for host in &self.0 {
            ip(&["netns", "delete", host]);
        }
    }
}

fn ip(words: &[&str]) -> bool {
    let asked = Command::new("ip").args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// The same command on a host, whose words these are: `ip` becomes the program.
pub fn on(host: [&str; 4], command: &Command) -> Command {
    let mut there = Command::new(host[0]);
    there.args(&host[1..]).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        there.current_dir(folder);
    }
    there.envs(command.get_envs().filter_map(|(name, value): (&OsStr, Option<&OsStr>)| Some((name, value?))));
    there
}
