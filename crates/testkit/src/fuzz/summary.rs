//! How a set of systems is spread: a set in which all is decided at step 0 tests nothing.

use std::collections::BTreeMap;
use std::fmt;

use super::Examination;

#[derive(Clone, Default, Debug)]
pub struct Summary {
    pub systems: usize,
    pub safe: usize,
    /// Violations by the step of a shortest one.
    pub violated: BTreeMap<usize, usize>,
    /// Proofs of k-induction alone, by k.
    pub proved: BTreeMap<u32, usize>,
    /// Proofs that compare states.
    pub distinct: usize,
    /// Proofs that rest on other properties.
    pub together: usize,
    /// Systems without any execution, and systems in which all executions end.
    pub empty: usize,
    pub ending: usize,
    /// Properties that k-induction alone left open.
    pub open: usize,
}

impl Summary {
    pub fn add(&mut self, examination: &Examination) {
        let truth = &examination.truth;
        self.systems += 1;
        self.empty += usize::from(truth.ends == Some(1));
        self.ending += usize::from(truth.ends.is_some());
        for violated in &truth.violated {
            match violated {
                Some(step) => *self.violated.entry(*step).or_default() += 1,
                None => self.safe += 1,
            }
        }
        let induction =
            examination.runs.iter().find(|run| matches!(run.engines[..], [e] if e.name == "kind"));
        for decided in induction.into_iter().flat_map(|run| &run.decided) {
            match decided.as_ref().map(|accepted| accepted.bit_proof()) {
                Some(Some(proof)) => {
                    *self.proved.entry(proof.k).or_default() += 1;
                    self.distinct += usize::from(proof.distinct.is_some());
                    self.together += usize::from(proof.properties.len() > 1);
                }
                Some(None) => {}
                None => self.open += 1,
            }
        }
    }

    pub fn merge(&mut self, other: &Summary) {
        self.systems += other.systems;
        self.safe += other.safe;
        self.distinct += other.distinct;
        self.together += other.together;
        self.empty += other.empty;
        self.ending += other.ending;
        self.open += other.open;
        other.violated.iter().for_each(|(k, n)| *self.violated.entry(*k).or_default() += n);
        other.proved.iter().for_each(|(k, n)| *self.proved.entry(*k).or_default() += n);
    }

    pub fn properties(&self) -> usize {
        self.safe + self.violated.values().sum::<usize>()
    }

    /// The share of violated properties that take at least this many steps.
    pub fn share_of_long_traces(&self, steps: usize) -> f64 {
        let all = self.violated.values().sum::<usize>();
        self.violated.range(steps..).map(|(_, n)| n).sum::<usize>() as f64 / all as f64
    }

    /// The share of proofs with at least this k.
    pub fn share_of_deep_proofs(&self, k: u32) -> f64 {
        let all = self.proved.values().sum::<usize>();
        self.proved.range(k..).map(|(_, n)| n).sum::<usize>() as f64 / all as f64
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unsafe_count = self.properties() - self.safe;
        writeln!(f, "{} systems, {} properties", self.systems, self.properties())?;
        writeln!(f, "  {} hold, {unsafe_count} are violated", self.safe)?;
        writeln!(f, "  {} systems have no execution, in {} all executions end", self.empty, self.ending)?;
        writeln!(f, "  violated at step: {}", histogram(&self.violated))?;
        writeln!(f, "  k-induction, k:   {}", histogram(&self.proved))?;
        write!(
            f,
            "  {} proofs compare states, {} rest on other properties, {} properties left open",
            self.distinct, self.together, self.open
        )
    }
}

fn histogram<K: fmt::Display>(counts: &BTreeMap<K, usize>) -> String {
    counts.iter().map(|(key, count)| format!("{key}:{count}")).collect::<Vec<_>>().join(" ")
}
