//! What is known of a job when it ended: a line of the file of results.
//!
//! A row may come from another process or another time. It is read as data: how it counts is told from the exit
//! code and the verdicts together, and where they contradict each other it counts as failed.

use serde::{Deserialize, Serialize};

use crate::job::Job;

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    pub model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// SHA-256 of the file; none where it could not be read.
    pub hash: Option<String>,
    pub options: String,
    pub limits: String,
    pub properties: Vec<Finding>,
    /// Of `check`; none where it did not run or did not end by itself.
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Takers that died over it, where it was given up for that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub killed: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub seconds: f64,
    pub worker: String,
}

/// One property of the job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub name: String,
    pub position: String,
    pub verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub seconds: f64,
}

/// How a job, or one property, counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Proved,
    Falsified,
    Undecided,
    Failed,
}

impl Finding {
    pub fn status(&self) -> Status {
        match &self.verdict[..] {
            "proved" | "reached" => Status::Proved,
            "falsified" | "unreachable" => Status::Falsified,
            "undecided" => Status::Undecided,
            _ => Status::Failed,
        }
    }
}

impl Row {
    /// A row about a job that says nothing yet.
    pub fn about(job: &Job, worker: &str) -> Row {
        Row {
            model: job.model.clone(),
            property: job.property.clone(),
            hash: job.hash.clone().ok(),
            options: job.asked.options_key(),
            limits: job.asked.limits_key(),
            worker: worker.to_string(),
            ..Row::default()
        }
    }

    /// Nothing ran: this is why.
    pub fn not_run(job: &Job, worker: &str, error: String) -> Row {
        Row { error: Some(error), ..Row::about(job, worker) }
    }

    /// What another process says of a job: of which job it speaks is ours to say.
    pub fn received(self, job: &Job) -> Row {
        let own = Row::about(job, "");
        let Row { model, property, hash, options, limits, .. } = own;
        Row { model, property, hash, options, limits, ..self }
    }

    pub fn status(&self) -> Status {
        let told = match self.exit_code {
            Some(0) => Status::Proved,
            Some(10) => Status::Falsified,
            Some(30) => Status::Undecided,
            _ => return Status::Failed,
        };
        if told == Status::Undecided && self.properties.is_empty() || self.worst() == told {
            told
        } else {
            Status::Failed
        }
    }

    /// As `check` orders them.
    fn worst(&self) -> Status {
        let has = |status| self.properties.iter().any(|finding| finding.status() == status);
        let order = [Status::Failed, Status::Falsified, Status::Undecided];
        order.into_iter().find(|&status| has(status)).unwrap_or(Status::Proved)
    }

    pub fn count(&self, status: Status) -> usize {
        self.properties.iter().filter(|finding| finding.status() == status).count()
    }

    /// Whether this is about a job, and says something that running it again would not change.
    pub fn answers(&self, job: &Job) -> bool {
        let same = self.model == job.model
            && self.property == job.property
            && self.hash.is_some()
            && self.hash.as_ref() == job.hash.as_ref().ok()
            && self.options == job.asked.options_key();
        let decided = matches!(self.status(), Status::Proved | Status::Falsified);
        let all = self.properties.iter().all(|finding| finding.status() != Status::Undecided);
        let ran = self.exit_code.is_some() || self.signal.is_some() || !self.killed.is_empty();
        // A verdict does not depend on how long it might have taken.
        same && ran && (self.limits == job.asked.limits_key() || decided && all)
    }
}

/// All rows together.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Totals {
    pub jobs: usize,
    pub proved: usize,
    pub falsified: usize,
    pub undecided: usize,
    pub failed: usize,
    pub reused: usize,
    /// Jobs without a row.
    pub not_run: usize,
}

impl Totals {
    pub fn of<'a>(rows: impl IntoIterator<Item = Option<(&'a Row, bool)>>) -> Totals {
        let mut totals = Totals::default();
        for row in rows {
            totals.jobs += 1;
            match row {
                Some((row, reused)) => totals.add(row, reused),
                None => totals.not_run += 1,
            }
        }
        totals
    }

    fn add(&mut self, row: &Row, reused: bool) {
        *match row.status() {
            Status::Proved => &mut self.proved,
            Status::Falsified => &mut self.falsified,
            Status::Undecided => &mut self.undecided,
            Status::Failed => &mut self.failed,
        } += 1;
        self.reused += usize::from(reused);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(exit_code: i32, verdicts: &[&str]) -> Row {
        let finding = |verdict: &&str| Finding {
            name: "p".into(),
            position: "b0".into(),
            verdict: verdict.to_string(),
            step: None,
            k: None,
            engine: None,
            reason: None,
            seconds: 0.0,
        };
        let properties = verdicts.iter().map(finding).collect();
        Row { exit_code: Some(exit_code), properties, ..Row::default() }
    }

    #[test]
    fn code_and_verdicts_agree_or_it_failed() {
        assert_eq!(row(0, &["proved", "reached"]).status(), Status::Proved);
        assert_eq!(row(0, &[]).status(), Status::Proved);
        assert_eq!(row(10, &["proved", "falsified", "undecided"]).status(), Status::Falsified);
        assert_eq!(row(30, &["proved", "undecided"]).status(), Status::Undecided);
        assert_eq!(row(30, &[]).status(), Status::Undecided);
        assert_eq!(row(0, &["falsified"]).status(), Status::Failed);
        assert_eq!(row(10, &["proved"]).status(), Status::Failed);
        assert_eq!(row(0, &["nonsense"]).status(), Status::Failed);
        assert_eq!(row(3, &[]).status(), Status::Failed);
    }
}
