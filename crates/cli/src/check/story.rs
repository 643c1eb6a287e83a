//! The way of one engine with one property, kept in bounded space: the beginning in full, then only the end.

use std::collections::{BTreeMap, VecDeque};

use buttress_engine::{Engine, Walk};
use buttress_system::{Lit, PropertyId};

/// Steps kept from the beginning, and from the end.
const HEAD: usize = 240;
const TAIL: usize = 60;

/// States whose numbers are remembered; past that all are forgotten, and get new numbers if they come again.
const REMEMBERED: usize = 200_000;

pub struct Story {
    pub engine: &'static Engine,
    pub property: PropertyId,
    pub head: Vec<Entry>,
    /// Steps between head and tail.
    pub left_out: usize,
    pub tail: VecDeque<Entry>,
    /// The states told last at each depth.
    path: Vec<Option<Place>>,
    /// States that may come again.
    places: BTreeMap<Vec<Lit>, Place>,
    told: usize,
}

/// The number of some states, and of those that they lead to.
#[derive(Clone, Copy)]
struct Place {
    number: usize,
    toward: Option<usize>,
}

/// A step with the numbers of the states it speaks of.
pub struct Entry {
    pub walk: Walk,
    pub depth: usize,
    pub state: Option<usize>,
    /// The states that these lead to.
    pub toward: Option<usize>,
    /// Whether these states were told before, at another level.
    pub again: bool,
}

impl Story {
    pub fn new(engine: &'static Engine, property: PropertyId) -> Story {
        Story {
            engine,
            property,
            head: Vec::new(),
            left_out: 0,
            tail: VecDeque::new(),
            path: Vec::new(),
            places: BTreeMap::new(),
            told: 0,
        }
    }

    /// All that is kept: where the tail begins, steps may be missing.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.head.iter().chain(&self.tail)
    }

    pub fn push(&mut self, walk: Walk) {
        if walk == Walk::Start {
            *self = Story::new(self.engine, self.property);
            return;
        }
        let entry = self.entry(walk);
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

    fn entry(&mut self, walk: Walk) -> Entry {
        let (depth, again) = match &walk {
            Walk::Cti { depth, states, .. } => (*depth, self.meet(*depth, &states.cube)),
            Walk::Lemma { depth, .. }
            | Walk::Subgoal { depth }
            | Walk::Closed { depth }
            | Walk::Reached { depth } => (*depth, false),
            Walk::Aside { .. } => (self.path.len().saturating_sub(1), false),
            _ => return Entry { walk, depth: 0, state: None, toward: None, again: false },
        };
        let place = self.path.get(depth).copied().flatten();
        Entry { walk, depth, state: place.map(|p| p.number), toward: place.and_then(|p| p.toward), again }
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

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_query::Predecessor;

    fn cti(depth: usize, level: usize, code: u32) -> Walk {
        let states = Predecessor { cube: vec![Lit::from_code(code)], inputs: Vec::new(), after: None };
        Walk::Cti { depth, level, states }
    }

    fn story() -> Story {
        Story::new(Engine::by_name("ic3").expect("a row of the table"), PropertyId::new(0))
    }

    #[test]
    fn states_keep_their_numbers() {
        let mut story = story();
        let back = [cti(0, 2, 2), cti(1, 2, 6), cti(2, 2, 8), cti(0, 2, 2), cti(2, 3, 8), cti(0, 3, 10)];
        for walk in [cti(0, 2, 2), cti(1, 1, 4), Walk::Subgoal { depth: 1 }].into_iter().chain(back) {
            story.push(walk);
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
        let mut story = story();
        (0..1000).for_each(|level| story.push(Walk::Level(level)));
        assert_eq!(story.entries().count(), HEAD + TAIL);
        assert_eq!(story.left_out, 1000 - HEAD - TAIL);
        assert_eq!(story.entries().last().map(|e| &e.walk), Some(&Walk::Level(999)));
        story.push(Walk::Start);
        assert_eq!(story.entries().count(), 0);
    }
}
