//! The story of one engine with one claim, kept in bounded space: the beginning in full, then only the end.

use std::collections::{BTreeMap, VecDeque};

use buttress_engine::{Engine, Episode};
use buttress_system::{BitSystem, Lit, Trace};

use super::Names;
use crate::report::{EpisodeReport, LeftOut, StoryReport};

/// Steps kept from the beginning, and from the end.
const HEAD: usize = 240;
const TAIL: usize = 60;

/// States whose numbers are remembered; past that all are forgotten, and get new numbers if they come again.
const REMEMBERED: usize = 200_000;

#[derive(Default)]
pub(crate) struct Story {
    head: Vec<Entry>,
    /// Steps between head and tail.
    left_out: usize,
    tail: VecDeque<Entry>,
    /// The states told last at each depth.
    path: Vec<Option<Place>>,
    /// States that may come again.
    places: BTreeMap<Vec<Lit>, Place>,
    told: usize,
}

/// The number of some states, and of those that they lead to.
#[derive(Clone, Copy, Debug)]
struct Place {
    number: usize,
    toward: Option<usize>,
}

/// An episode with the numbers of the states it speaks of.
struct Entry {
    episode: Episode<Trace>,
    depth: usize,
    state: Option<usize>,
    /// The states that these lead to.
    toward: Option<usize>,
    /// Whether these states were told before, at another level.
    again: bool,
}

impl Story {
    /// In the names of the bits that it speaks of.
    pub fn report(&self, engine: &'static Engine, system: &BitSystem) -> StoryReport {
        let names = Names::of(system);
        let steps = self.entries().filter_map(|entry| entry.report(&names)).collect();
        let left_out = LeftOut { after: self.head.len(), steps: self.left_out };
        StoryReport { engine: engine.name, title: engine.title, steps, left_out }
    }

    /// All that is kept: where the tail begins, steps may be missing.
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.head.iter().chain(&self.tail)
    }

    pub fn push(&mut self, episode: Episode<Trace>) {
        if episode == Episode::Start {
            *self = Story::default();
            return;
        }
        let entry = self.entry(episode);
        if self.head.len() < HEAD {
            self.head.push(entry);
            return;
        }
        self.tail.push_back(entry);
        if self.tail.len() > TAIL {
            self.tail.pop_front();
            self.left_out += 1;
        }
    }

    fn entry(&mut self, episode: Episode<Trace>) -> Entry {
        let (depth, again) = match &episode {
            Episode::Cti { depth, states, .. } => (*depth, self.meet(*depth, &states.cube)),
            Episode::Lemma { depth, .. }
            | Episode::Subgoal { depth }
            | Episode::Closed { depth }
            | Episode::Reached { depth } => (*depth, false),
            Episode::Aside { .. } => (self.path.len().saturating_sub(1), false),
            _ => return Entry { episode, depth: 0, state: None, toward: None, again: false },
        };
        let place = self.path.get(depth).copied().flatten();
        Entry { episode, depth, state: place.map(|p| p.number), toward: place.and_then(|p| p.toward), again }
    }

    /// Gives the states a place; whether they had one.
    fn meet(&mut self, depth: usize, cube: &[Lit]) -> bool {
        let known = self.places.get(cube).copied();
        if self.places.len() >= REMEMBERED {
            self.places.clear();
            self.path.clear();
        }
        let place = known.unwrap_or_else(|| {
            self.told += 1;
            let successor = depth.checked_sub(1).and_then(|d| self.path.get(d).copied().flatten());
            Place { number: self.told, toward: successor.map(|s| s.number) }
        });
        self.places.insert(cube.to_vec(), place);
        self.path.resize(depth, None);
        self.path.push(Some(place));
        known.is_some()
    }
}

/// Literals of a clause that are shown.
const MOST: usize = 24;

impl Entry {
    fn report(&self, names: &Names<'_>) -> Option<EpisodeReport> {
        let (state, depth) = (self.state, self.depth);
        Some(match &self.episode {
            Episode::Start | Episode::StepFails { .. } => return None,
            Episode::Level(level) => EpisodeReport::Level { level: *level },
            Episode::Cti { depth, level, states } => EpisodeReport::Cti {
                state,
                depth: *depth,
                level: *level,
                leads_to: self.toward,
                again: self.again,
                latches: names.latches(&states.cube),
                inputs: names.inputs(states),
                then: states.after.as_ref().map(|after| names.row(after)),
            },
            Episode::Lemma { level, cube, .. } => EpisodeReport::Lemma {
                state,
                depth,
                level: *level,
                clause: clause(names, cube),
                excludes: names.latches(cube),
                literals: cube.len(),
            },
            Episode::Aside { level, cube } => {
                EpisodeReport::Aside { depth, level: *level, clause: clause(names, cube) }
            }
            Episode::Subgoal { .. } => EpisodeReport::Subgoal { state, depth },
            Episode::Closed { .. } => EpisodeReport::Closed { state, depth },
            Episode::Reached { .. } => EpisodeReport::Reached { state, depth },
            Episode::Propagated { level, moved, of } => {
                EpisodeReport::Propagated { level: *level, moved: *moved, of: *of }
            }
            Episode::Settled { lemmas } => EpisodeReport::Settled { lemmas: *lemmas },
            Episode::Converged { level, lemmas } => {
                EpisodeReport::Converged { level: *level, lemmas: *lemmas }
            }
        })
    }
}

/// The lemma that excludes a cube, cut where it is very long.
fn clause(names: &Names<'_>, cube: &[Lit]) -> String {
    match cube.len().checked_sub(MOST) {
        None | Some(0) => names.lemma(cube),
        Some(more) => format!("{} | {more} more", names.lemma(&cube[..MOST])),
    }
}

#[cfg(test)]
mod tests {
    use buttress_query::Predecessor;

    use super::*;

    fn cti(depth: usize, level: usize, code: u32) -> Episode<Trace> {
        let states = Predecessor { cube: vec![Lit::from_code(code)], inputs: Vec::new(), after: None };
        Episode::Cti { depth, level, states }
    }

    #[test]
    fn states_keep_their_numbers() {
        let mut story = Story::default();
        let back = [cti(0, 2, 2), cti(1, 2, 6), cti(2, 2, 8), cti(0, 2, 2), cti(2, 3, 8), cti(0, 3, 10)];
        for episode in [cti(0, 2, 2), cti(1, 1, 4), Episode::Subgoal { depth: 1 }].into_iter().chain(back) {
            story.push(episode);
        }
        let said: Vec<_> = story.entries().map(|e| (e.state, e.toward, e.again)).collect();
        let expected = [
            (Some(1), None, false),
            (Some(2), Some(1), false),
            (Some(2), Some(1), false),
            (Some(1), None, true),
            (Some(3), Some(1), false),
            (Some(4), Some(3), false),
            (Some(1), None, true),
            (Some(4), Some(3), true),
            (Some(5), None, false),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn it_stays_bounded_and_keeps_both_ends() {
        let mut story = Story::default();
        (0..1000).for_each(|level| story.push(Episode::Level(level)));
        assert_eq!(story.entries().count(), HEAD + TAIL);
        assert_eq!(story.left_out, 1000 - HEAD - TAIL);
        assert_eq!(story.entries().last().map(|e| &e.episode), Some(&Episode::Level(999)));
        story.push(Episode::Start);
        assert_eq!(story.entries().count(), 0);
    }
}
