//! Traces made for people: with fewer changes of inputs, and with what does not matter left open.
//!
//! JKind smooths its counterexamples by weighted constraints, a question to a solver that knows them. Here a trace
//! that was accepted is changed value by value, and each change is kept only where the judge accepts the trace
//! again: whatever comes out is a violation as well checked as before, and no solver is asked. It is a local
//! minimum: no single change of an input can be taken out, two of them together perhaps.
//!
//! * *smooth*: an input keeps its value of the step before, as long as it did what it does now;
//! * *don't care*: a value is left open where the violation is there whatever it is.
//!
//! # Limits
//!
//! Traces and lassos of bits and words, none of computation trees. A lasso goes back to the step that it went back to. So
//! many tries are made as [`WORK`] allows. A model whose traces are executed
//! in its source has no open values: the source is executed with all of them.

use std::sync::Arc;

use buttress_solve::Stop;
use buttress_solve::smt::Config;
use buttress_system::{Lasso, Live, Ternary, Trace};

use crate::judge::{Accepted, Judge, Judged, JudgedLive};
use crate::problem::{LiveOriginal, Original, Problem};

/// What is done to traces before anybody sees them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Polish {
    pub smooth: bool,
    pub dont_care: bool,
}

impl Polish {
    pub fn is_something(self) -> bool {
        self.smooth || self.dont_care
    }
}

/// Gates, or terms, that are evaluated in all tries together.
const WORK: usize = 1 << 31;

/// A trace that says the same, more plainly.
pub(crate) fn polished(
    problem: &Problem,
    smt: &Config,
    polish: Polish,
    accepted: Accepted,
    stop: &Stop,
) -> Accepted {
    if accepted.is_proof() {
        return accepted;
    }
    let better = match (&accepted, problem.original()) {
        (Accepted::Bits(checked), Original::Bits(system)) => {
            let trace = checked.evidence().trace().expect("a trace").clone();
            let (open, size) = (Ternary::X, system.num_gates());
            match (accepted.lasso(), problem.live()) {
                (Some(at), Some(LiveOriginal::Bits(live))) => {
                    better(trace, open, polish, size, |trace| round(&live, at, trace))
                }
                _ => {
                    let judge =
                        Judge { system: system.clone(), replay: None, in_bits: true, smt: smt.clone() };
                    better(trace, open, polish, size, |trace| violates(&judge, trace, stop))
                }
            }
        }
        (Accepted::Words(checked), Original::Words(system)) => {
            let trace = checked.evidence().trace().expect("a trace").clone();
            let (replay, in_bits) = (problem.replay(), problem.in_bits().is_ok());
            let polish = Polish { dont_care: polish.dont_care && replay.is_none(), ..polish };
            let size = system.terms.len();
            match (accepted.lasso(), problem.live()) {
                (Some(at), Some(LiveOriginal::Words(live))) => {
                    better(trace, None, polish, size, |trace| round(&live, at, trace))
                }
                _ => {
                    let judge = Judge { system: Arc::clone(system), replay, in_bits, smt: smt.clone() };
                    better(trace, None, polish, size, |trace| violates(&judge, trace, stop))
                }
            }
        }
        _ => None,
    };
    better.unwrap_or(accepted)
}

fn violates<O: Judged>(judge: &Judge<O>, trace: &O::Trace, stop: &Stop) -> Option<Accepted> {
    O::certify_trace(judge, trace.clone(), stop).ok()
}

/// The lasso of a justice property that goes back to the same step.
fn round<S: JudgedLive>(
    live: &Live<S>,
    (justice, back): (usize, usize),
    trace: &S::Trace,
) -> Option<Accepted> {
    S::certify_lasso(live, Lasso { justice, trace: trace.clone(), back }).ok()
}

/// `None` where nothing is better.
fn better<V: Clone + PartialEq>(
    trace: Trace<V>,
    open: V,
    polish: Polish,
    size: usize,
    accept: impl Fn(&Trace<V>) -> Option<Accepted>,
) -> Option<Accepted> {
    let tries = WORK / (size.max(1) * trace.inputs.len());
    let mut work = Work { trace, tries, accept, best: None };
    if polish.smooth {
        work.smooth();
    }
    if polish.dont_care {
        work.leave_open(&open);
    }
    work.best
}

/// A trace at work.
struct Work<V, A, T> {
    trace: Trace<V>,
    /// So many changes may still be tried.
    tries: usize,
    accept: A,
    /// What was accepted last.
    best: Option<T>,
}

impl<V: Clone + PartialEq, A: Fn(&Trace<V>) -> Option<T>, T> Work<V, A, T> {
    /// Changes the trace if the judge accepts that.
    fn attempt(&mut self, change: impl FnOnce(&mut Trace<V>)) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let mut changed = self.trace.clone();
        change(&mut changed);
        let accepted = (self.accept)(&changed);
        let is_accepted = accepted.is_some();
        if is_accepted {
            self.trace = changed;
            self.best = accepted;
        }
        is_accepted
    }

    fn smooth(&mut self) {
        let (steps, inputs) = (self.trace.inputs.len(), self.trace.inputs.first().map_or(0, Vec::len));
        for input in 0..inputs {
            for step in 1..steps {
                let (before, now) =
                    (self.trace.inputs[step - 1][input].clone(), self.trace.inputs[step][input].clone());
                if before == now {
                    continue;
                }
                let same = |row: &Vec<V>| row[input] == now;
                let end = step + self.trace.inputs[step..].iter().take_while(|row| same(row)).count();
                self.attempt(|trace| {
                    trace.inputs[step..end].iter_mut().for_each(|row| row[input] = before.clone());
                });
            }
        }
    }

    /// All steps of an input at once, or else one by one; then what is open at the start.
    fn leave_open(&mut self, open: &V) {
        let (steps, inputs) = (self.trace.inputs.len(), self.trace.inputs.first().map_or(0, Vec::len));
        for input in 0..inputs {
            let all =
                |trace: &mut Trace<V>| trace.inputs.iter_mut().for_each(|row| row[input] = open.clone());
            if !self.attempt(all) {
                for step in 0..steps {
                    self.attempt(|trace| trace.inputs[step][input] = open.clone());
                }
            }
        }
        for place in 0..self.trace.initial.len() {
            self.attempt(|trace| trace.initial[place] = open.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use buttress_system::{PropertyId, Trace};

    use super::Work;

    /// Two inputs and three steps; the first input has to be 1 at both ends.
    fn work(tries: usize) -> Work<char, impl Fn(&Trace<char>) -> Option<()>, ()> {
        let rows = ["10", "01", "10"].map(|row| row.chars().collect()).to_vec();
        let trace = Trace { property: PropertyId::new(0), initial: vec!['0'], inputs: rows };
        let accept =
            |trace: &Trace<char>| (trace.inputs[0][0] == '1' && trace.inputs[2][0] == '1').then_some(());
        Work { trace, tries, accept, best: None }
    }

    fn rows(trace: &Trace<char>) -> Vec<String> {
        trace.inputs.iter().map(|row| row.iter().collect()).collect()
    }

    #[test]
    fn an_input_keeps_its_value_where_it_may() {
        let mut work = work(100);
        work.smooth();
        assert_eq!((rows(&work.trace), work.best), (["10", "10", "10"].map(String::from).to_vec(), Some(())));
    }

    #[test]
    fn what_does_not_matter_is_open_and_nothing_else() {
        let mut work = work(100);
        work.leave_open(&'x');
        assert_eq!(rows(&work.trace), ["1x", "xx", "1x"]);
        assert_eq!(work.trace.initial, ['x']);
    }

    #[test]
    fn there_is_an_end_of_trying() {
        let mut work = work(0);
        work.smooth();
        assert_eq!((rows(&work.trace), work.best), (["10", "01", "10"].map(String::from).to_vec(), None));
    }
}
