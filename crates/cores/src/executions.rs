//! Which elements every core within a core has, by executions: for whoever goes on to a minimal one.
//!
//! An execution of a few steps with S \ {x} that violates the property says that every core within S has x,
//! whatever the proof. It is [rotated](crate::path) to other elements, without a query each. Where there is none,
//! the unsatisfiable core of the query says of which other elements it need not be asked, either.

use buttress_solve::Stopped;
use buttress_system::words::{System, WordTrace};
use buttress_system::{ElementId, ElementSet, PropertyId};
use buttress_term::{TermId, Value};

use crate::Elements;
use crate::minimal::without;
use crate::path::{Execution, Path};
use crate::uc::Queries;
use crate::unrolled::Bounded;

/// Where an execution has more values that follow from nothing than this, reading it takes longer than other
/// queries do.
const VALUES: usize = 300;

/// Elements that do not suffice, by an execution of the system that has only these.
#[derive(Clone, Debug)]
pub struct Refutation {
    pub kept: ElementSet,
    pub trace: WordTrace,
}

/// Executions that violate the property without one element: every core has it.
pub(crate) struct Executions<'a> {
    execution: Execution<'a>,
    /// The core that they are about.
    core: &'a ElementSet,
    needed: ElementSet,
    /// With the elements that each of them has.
    refuted: Vec<(ElementSet, Path)>,
}

impl<'a> Executions<'a> {
    pub fn new(
        system: &'a System,
        all: &'a Elements,
        core: &'a ElementSet,
        property: PropertyId,
    ) -> Executions<'a> {
        let execution = Execution::new(system, all, core, property);
        Executions { execution, core, needed: ElementSet::new(), refuted: Vec::new() }
    }

    /// Looks for elements without which an execution violates the property up to this step.
    pub fn refute(&mut self, queries: &mut Queries<'_>, last: usize) -> Result<(), Stopped> {
        let mut open = self.core - &self.needed;
        while let Some(element) = open.pop_first() {
            match self.bounded(queries, element, last)? {
                Bounded::Violated(rows) => {
                    self.rotate(element, rows);
                    open = &open - &self.needed;
                }
                Bounded::Holds(needed) => open = &open & &needed,
                Bounded::Unknown => {}
            }
        }
        Ok(())
    }

    /// Whether an execution without the element violates the property.
    fn bounded(
        &self,
        queries: &mut Queries<'_>,
        element: ElementId,
        last: usize,
    ) -> Result<Bounded, Stopped> {
        let rest = without(self.core, element);
        let free = self.asked(&rest, last);
        queries.bounded(&rest, last, &free)
    }

    /// The variables whose values are asked for, so that the execution follows from them; none where there are too
    /// many.
    fn asked(&self, kept: &ElementSet, last: usize) -> Vec<TermId> {
        let free = self.execution.free(kept);
        if free.len() * (last + 1) > VALUES { Vec::new() } else { free }
    }

    /// The element is needed, and so are those that the execution can be rotated to.
    fn rotate(&mut self, element: ElementId, rows: Vec<Vec<Option<Value>>>) {
        let kept = without(self.core, element);
        let given = self.execution.path(&kept, rows);
        let Some(path) = self.shows(element, &given) else { return };
        for other in self.execution.rotations(self.core, element, &path) {
            if !self.needed.contains(&other) {
                self.shows(other, &path);
            }
        }
    }

    fn shows(&mut self, element: ElementId, given: &Path) -> Option<Path> {
        let kept = without(self.core, element);
        let path = self.execution.follow(&kept, given)?;
        self.needed.insert(element);
        self.refuted.push((kept, path.clone()));
        Some(path)
    }

    pub fn refutations(&self) -> Vec<Refutation> {
        let told = |(kept, path): &(ElementSet, Path)| {
            let trace = self.execution.trace(kept, path);
            Refutation { kept: kept.clone(), trace }
        };
        self.refuted.iter().map(told).collect()
    }
}
