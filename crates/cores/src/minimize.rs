//! MINIMIZEIVC (Algorithm 5 of the paper), with counterexamples and other proofs.
//!
//! In the paper every element costs a query: does the proof hold without it? Here most are known to be needed before:
//!
//! 1. An execution of at most k + 1 steps with S \ {x} that violates the property says that every core within S has x,
//!    whatever the proof. It is [rotated](crate::path) to other elements, without a query each. Where there is none, the
//!    unsatisfiable core of the query says of which other elements it need not be asked, either.
//! 2. An element may go where *another* proof does without it, one that the same solver can find at once: with any of
//!    the conjuncts of the given proof and one step more, K = k + 1. The query for it, INDQUERY_K(S \ {x}, Q, P) with
//!    Q all conjuncts, is the weakest of all, so that x is needed by all these proofs where it fails. Where it holds,
//!    REDUCEINVARIANTS and the base case decide.
//! 3. What is left is tried as in the paper.
//!
//! 1 and 2 end when they have taken as long as [`Effort`] allows; 3 never does.
//!
//! Tried and dropped: executions of three steps more find a few more such elements and take twice as long; engines that are asked
//! whether the elements without a counterexample are needed make cores smaller (5 % above minimal instead of 9 % in the
//! mean of 53 models) and double the time.

use std::time::{Duration, Instant};

use buttress_solve::Stopped;
use buttress_system::words::WordTrace;
use buttress_system::{ElementId, ElementSet};
use buttress_term::{TermId, Value};

use crate::minimal::without;
use crate::path::{Execution, Path, Shown};
use crate::uc::Queries;
use crate::unrolled::Bounded;

/// How long to look for counterexamples and for other proofs that need less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort(pub Duration);

/// Elements that do not suffice, by an execution of the system that has only these.
#[derive(Clone, Debug)]
pub struct Refutation {
    pub kept: ElementSet,
    pub trace: WordTrace,
}

pub(crate) struct MinimizeIvc<'a> {
    queries: Queries<'a>,
    execution: Execution<'a>,
    /// Time for counterexamples and other proofs.
    left: Duration,
    /// The largest k of another proof.
    deepest: usize,
    /// A core so far, and its proof.
    pub elements: ElementSet,
    pub chosen: Vec<usize>,
    pub k: usize,
    /// Needed by all proofs up to K with conjuncts of the given one.
    critical: ElementSet,
    /// Those without which an execution violates the property.
    needed: ElementSet,
    /// Such executions, of the system without one element.
    refuted: Vec<(ElementId, ElementSet, Path)>,
}

/// Where an execution has more values that follow from nothing than this, reading it takes longer than other queries do.
const VALUES: usize = 300;

impl<'a> MinimizeIvc<'a> {
    pub fn new(
        queries: Queries<'a>,
        execution: Execution<'a>,
        effort: Effort,
        elements: ElementSet,
        chosen: Vec<usize>,
        k: usize,
    ) -> MinimizeIvc<'a> {
        let (critical, needed, refuted) = (ElementSet::new(), ElementSet::new(), Vec::new());
        let (left, deepest) = (effort.0, k + 1);
        MinimizeIvc { queries, execution, left, deepest, elements, chosen, k, critical, needed, refuted }
    }

    /// Every element is tried; those that stay because of one proof again where there is a new one.
    pub fn run(&mut self) -> Result<(), Stopped> {
        for last in self.k..=self.deepest {
            self.refute(last)?;
        }
        let mut open = &self.elements - &self.critical;
        while let Some(element) = open.pop_first() {
            if !self.elements.contains(&element) {
                continue;
            }
            let rest = without(&self.elements, element);
            if self.left > Duration::ZERO && self.every_proof_needs_more(element)? {
                open = &open - &self.critical;
                continue;
            }
            if let Some(smaller) = self.queries.full(&rest, &self.chosen, self.k)? {
                self.elements = smaller;
            } else if self.left > Duration::ZERO && self.another(&rest)? {
                open = &self.elements - &self.critical;
            }
        }
        Ok(())
    }

    /// Looks for elements without which an execution violates the property up to this step.
    fn refute(&mut self, last: usize) -> Result<(), Stopped> {
        let mut open = &self.elements - &self.needed;
        while let Some(element) = open.pop_first() {
            if self.left == Duration::ZERO {
                break;
            }
            let start = Instant::now();
            match self.bounded(element, last)? {
                Bounded::Violated(rows) => {
                    self.needed.insert(element);
                    self.critical.insert(element);
                    self.rotate(element, rows, Shown::Violation);
                    open = &open - &self.critical;
                }
                Bounded::Holds(needed) => open = &open & &needed,
                Bounded::Unknown => {}
            }
            self.left = self.left.saturating_sub(start.elapsed());
        }
        Ok(())
    }

    /// Whether an execution without the element violates the property.
    fn bounded(&mut self, element: ElementId, last: usize) -> Result<Bounded, Stopped> {
        let rest = without(&self.elements, element);
        let free = self.asked(&rest, Shown::Violation, last);
        self.queries.bounded(&rest, last, &free)
    }

    /// The variables whose values are asked for, so that the execution follows from them; none where there are too many.
    fn asked(&self, kept: &ElementSet, shown: Shown<'_>, last: usize) -> Vec<TermId> {
        let free = self.execution.free(kept, shown);
        if free.len() * (last + 1) > VALUES { Vec::new() } else { free }
    }

    /// The element is needed, and so are those that the execution can be rotated to.
    fn rotate(&mut self, element: ElementId, rows: Vec<Vec<Option<Value>>>, shown: Shown<'_>) {
        let kept = without(&self.elements, element);
        let given = self.execution.path(&kept, shown, rows);
        let Some(path) = self.shows(element, &given, shown) else { return };
        for other in self.execution.rotations(&self.elements, element, &path, shown) {
            if !self.critical.contains(&other) {
                self.shows(other, &path, shown);
            }
        }
    }

    fn shows(&mut self, element: ElementId, given: &Path, shown: Shown<'_>) -> Option<Path> {
        let kept = without(&self.elements, element);
        let path = self.execution.follow(&kept, given, shown)?;
        self.critical.insert(element);
        if let Shown::Violation = shown {
            self.needed.insert(element);
            self.refuted.push((element, kept, path.clone()));
        }
        Some(path)
    }

    /// INDQUERY_K(S \ {x}, Q, P) fails.
    fn every_proof_needs_more(&mut self, element: ElementId) -> Result<bool, Stopped> {
        let start = Instant::now();
        let rest = without(&self.elements, element);
        let all = self.queries.claim.all();
        let fails = self.queries.step(&rest, &all, &[0], self.deepest)?.is_none();
        if fails {
            self.critical.insert(element);
            self.rotate_step(element, &rest)?;
        }
        self.left = self.left.saturating_sub(start.elapsed());
        Ok(fails)
    }

    /// The model of the last step query says more than that the element is needed.
    fn rotate_step(&mut self, element: ElementId, rest: &ElementSet) -> Result<(), Stopped> {
        let supposed = self.queries.claim.terms_of(&self.queries.claim.all());
        let shown = Shown::Induction(&supposed, self.deepest);
        let free = self.asked(rest, shown, self.deepest);
        if !free.is_empty()
            && let Bounded::Violated(rows) = self.queries.values(&free, self.deepest)?
        {
            self.rotate(element, rows, shown);
        }
        Ok(())
    }

    /// REDUCEINVARIANTS and FULLQUERY with these elements, for each k up to K.
    fn another(&mut self, kept: &ElementSet) -> Result<bool, Stopped> {
        let start = Instant::now();
        let found = self.find(kept);
        self.left = self.left.saturating_sub(start.elapsed());
        found
    }

    fn find(&mut self, kept: &ElementSet) -> Result<bool, Stopped> {
        let all = self.queries.claim.all();
        for k in self.k..=self.deepest {
            let Some(chosen) = self.queries.closed(kept, vec![0], &all, k)? else { continue };
            if let Some(elements) = self.queries.full(kept, &chosen, k)? {
                (self.elements, self.chosen, self.k) = (elements, chosen, k);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The counterexamples to the core without one of its elements.
    pub fn refutations(&self) -> Vec<Refutation> {
        let about_core = self.refuted.iter().filter(|(element, ..)| self.elements.contains(element));
        let told = about_core.map(|(_, kept, path)| {
            let trace = self.execution.trace(kept, path);
            Refutation { kept: kept.clone(), trace }
        });
        told.collect()
    }
}
