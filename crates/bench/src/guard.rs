//! Ends the runs under way when the process that started them is interrupted or killed.
//!
//! Runs are in process groups of their own, so a Ctrl-C at the terminal does not reach them. A
//! small shell, in its own group too, reads on a pipe which groups are alive. The pipe breaks
//! when the benchmark ends in any way at all; the shell then kills the groups that are left.
//! Without a shell there is no guard, and nothing else changes.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;

/// Keeps the list of living groups until its input ends.
const SCRIPT: &str = r#"
live=' '
while read -r word group; do
  case $word in
    add) live="$live$group " ;;
    del) live="${live%% $group *} ${live#* $group }" ;;
  esac
done
for group in $live; do kill -s KILL -- "-$group"; done
"#;

/// The guarding shell, if it could be started.
#[derive(Debug)]
pub struct Guard {
    shell: Option<Child>,
    pipe: Mutex<Option<ChildStdin>>,
}

impl Guard {
    /// Starts the shell.
    pub fn start() -> Guard {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .ok();
        let pipe = Mutex::new(shell.as_mut().and_then(|shell| shell.stdin.take()));
        Guard { shell, pipe }
    }

    /// This process group must not outlive the benchmark.
    pub fn add(&self, group: u32) {
        self.send("add", group);
    }

    /// This process group has ended.
    pub fn remove(&self, group: u32) {
        self.send("del", group);
    }

    fn send(&self, word: &str, group: u32) {
        if let Ok(mut pipe) = self.pipe.lock()
            && let Some(pipe) = pipe.as_mut()
        {
            // A guard that died is a guard that is absent.
            let _ = pipe.write_all(format!("{word} {group}\n").as_bytes());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Ok(mut pipe) = self.pipe.lock() {
            pipe.take();
        }
        if let Some(shell) = self.shell.as_mut() {
            let _ = shell.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn sleeper() -> Child {
        Command::new("sleep").arg("60").process_group(0).spawn().expect("sleep starts")
    }

    #[test]
    fn groups_left_are_killed_and_others_are_not() {
        let (mut left, mut removed) = (sleeper(), sleeper());
        let guard = Guard::start();
        guard.add(removed.id());
        guard.add(left.id());
        guard.remove(removed.id());
        drop(guard);
        assert_eq!(left.wait().expect("waited").signal(), Some(9));
        assert!(removed.try_wait().expect("polled").is_none(), "still running");
        removed.kill().expect("killed");
        removed.wait().expect("waited");
    }
}
