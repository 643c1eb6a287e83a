//! Processes that run beside a test.

use std::process::{Child, Command, Stdio};

use crate::support::Run;

/// A process that is killed when it is dropped.
pub struct Started(Option<Child>);

impl Started {
    pub fn of(command: &mut Command) -> Started {
        let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(Some(piped.spawn().expect("the program starts")))
    }

    pub fn id(&self) -> u32 {
        self.0.as_ref().expect("it was started").id()
    }

    pub fn kill(mut self) {
        let child = self.0.as_mut().expect("it was started");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }

    pub fn end(mut self) -> Run {
        let child = self.0.take().expect("it was started");
        Run::from(child.wait_with_output().expect("it ends"))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
