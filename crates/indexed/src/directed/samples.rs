//! Values of the predicates that are reached: random executions of small instances.
//!
//! Numbers are chosen below a small size. What is seen is reached, so no lemma
//! may exclude it. What is not seen says nothing, and the search is right whatever the samples are: they only keep it from
//! learning what holds of the first few steps alone.

use buttress_solve::{Stop, Stopped};
use buttress_system::Rng;
use buttress_term::TermId;
use rustc_hash::FxHashSet;

use super::play::{Play, Row};
use super::stage::{Cube, Valuation};
use crate::problem::Problem;

/// Sizes of the instances.
const SIZES: [usize; 2] = [2, 3];

/// Executions of each size, steps of each, tries for one step, tuples of places in one state.
const WALKS: usize = 200;
const STEPS: usize = 60;
const TRIES: usize = 40;
const TUPLES: usize = 40;

/// Executions in a row that showed nothing new, at most.
const IDLE: usize = 20;

/// Index symbols are below this, most of them below the size.
const WINDOW: usize = 9;

/// Values of all predicates, each a bit.
type Bits = Box<[u64]>;

#[derive(Default)]
pub struct Samples {
    rows: Vec<Bits>,
}

impl Samples {
    /// Plays the system; axioms are not played.
    pub fn of(problem: &Problem<'_>, predicates: &[TermId], stop: &Stop) -> Result<Samples, Stopped> {
        let (mut rng, mut seen) = (Rng::new(1), FxHashSet::default());
        let Some(mut play) = Play::new(problem).filter(|_| problem.model.axioms.is_empty()) else {
            return Ok(Samples::default());
        };
        for size in SIZES {
            let (mut idle, mut known) = (0, 0);
            for _ in 0..WALKS {
                stop.check()?;
                idle = if seen.len() > known { 0 } else { idle + 1 };
                known = seen.len();
                if idle > IDLE {
                    break;
                }
                let Some(mut row) = play.start(size, &mut rng) else { continue };
                for _ in 0..STEPS {
                    look(problem, &mut play, &row, size, predicates, &mut rng, &mut seen);
                    let moved =
                        (0..TRIES).find_map(|_| play.step(&row, size, &mut rng).filter(|r| *r != row));
                    let Some(next) = moved else { break };
                    row = next;
                }
            }
        }
        let mut rows: Vec<Bits> = seen.into_iter().collect();
        rows.sort_unstable();
        Ok(Samples { rows })
    }

    /// More values that are reached.
    pub fn add(&mut self, rows: &[Valuation]) {
        self.rows.extend(rows.iter().map(bits));
    }

    /// Whether a cube holds somewhere.
    pub fn meet(&self, cube: &Cube) -> bool {
        self.rows.iter().any(|row| holds(row, cube))
    }

    /// How many values differ from those that are nearest.
    pub fn distance(&self, row: &Valuation) -> u32 {
        let bits = bits(row);
        let differ = |other: &Bits| bits.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
        self.rows.iter().map(differ).min().unwrap_or(0)
    }

    /// The part of a cube with literals of a larger one that no sample satisfies, if there is one.
    pub fn avoided(&self, mut part: Cube, whole: &Cube) -> Option<Cube> {
        let mut met: Vec<&Bits> = self.rows.iter().filter(|row| holds(row, &part)).collect();
        while !met.is_empty() {
            let left = |literal: &(usize, bool)| met.iter().filter(|row| agrees(row, *literal)).count();
            let best = *whole.iter().filter(|l| !part.contains(l)).min_by_key(|l| left(l))?;
            if left(&best) == met.len() {
                return None;
            }
            part.insert(best);
            met.retain(|row| agrees(row, best));
        }
        Some(part)
    }

    /// A part of a cube that no sample satisfies, and of which every part meets one.
    pub fn minimal(&self, cube: &Cube) -> Cube {
        let mut part = cube.clone();
        for literal in cube {
            part.remove(literal);
            if self.meet(&part) {
                part.insert(*literal);
            }
        }
        part
    }
}

fn agrees(row: &Bits, (predicate, value): (usize, bool)) -> bool {
    (row[predicate / 64] >> (predicate % 64) & 1 == 1) == value
}

fn holds(row: &Bits, cube: &Cube) -> bool {
    cube.iter().all(|&literal| agrees(row, literal))
}

fn bits(row: &Valuation) -> Bits {
    let mut bits = vec![0u64; row.len().div_ceil(64)];
    for (place, _) in row.iter().enumerate().filter(|(_, v)| **v) {
        bits[place / 64] |= 1 << (place % 64);
    }
    bits.into_boxed_slice()
}

/// The predicates at some tuples of places.
fn look(
    problem: &Problem<'_>,
    play: &mut Play<'_, '_>,
    row: &Row,
    size: usize,
    predicates: &[TermId],
    rng: &mut Rng,
    seen: &mut FxHashSet<Bits>,
) {
    for _ in 0..TUPLES {
        for &index in &problem.model.indices {
            let number = match rng.one_in(4) {
                true => rng.below(WINDOW) as i64 - 1,
                false => rng.below(size) as i64,
            };
            play.give(index, number);
        }
        let value = |&p: &TermId| play.value(row, p).map(|v| v == 1);
        if let Some(values) = predicates.iter().map(value).collect::<Option<Valuation>>() {
            seen.insert(bits(&values));
        }
    }
}
