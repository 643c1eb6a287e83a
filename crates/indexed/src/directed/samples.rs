//! Values of the predicates that are reached: random executions of small instances.
//!
//! Numbers are chosen below a small size. What is seen is reached. What is not seen says nothing, and the search
//! is right whatever the samples are: the more there are, the fewer guesses it has to give up.

use std::hash::BuildHasher;

use buttress_solve::{Stop, Stopped};
use buttress_system::Rng;
use buttress_term::TermId;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::play::{Play, Row};
use super::stage::{Cube, Valuation};
use crate::problem::Problem;

/// Sizes of the instances.
const SIZES: [usize; 2] = [2, 3];

/// Executions of each size, steps of each, tries for one step, tuples of places in one state.
const WALKS: usize = 1000;
const STEPS: usize = 60;
const TRIES: usize = 40;
const TUPLES: usize = 40;

/// Samples of each size, at most: each is looked at again and again.
const SAMPLES: usize = 15_000;

/// Of the values that are known after so many executions more, less than one in so many is new: little more is to
/// be seen.
const MORE: usize = 60;
const FEW: usize = 50;

/// Fingerprints that are kept, at most.
const PLACES: usize = 1 << 20;

/// Index symbols are below this, most of them below the size.
const WINDOW: usize = 9;

/// Values of all predicates, each a bit.
pub type Bits = Box<[u64]>;

#[derive(Default)]
pub struct Samples {
    /// Words of one row.
    width: usize,
    /// The predicates that count.
    mask: Bits,
    /// Row after row.
    words: Vec<u64>,
}

impl Samples {
    /// Plays the system; axioms are not played.
    pub fn of(problem: &Problem<'_>, predicates: &[TermId], stop: &Stop) -> Result<Samples, Stopped> {
        let (mut rng, mut seen) = (Rng::new(1), Seen::default());
        let Some(mut play) = Play::new(problem).filter(|_| problem.model.axioms.is_empty()) else {
            return Ok(Samples::whole(predicates.len(), Vec::new()));
        };
        for (number, size) in SIZES.into_iter().enumerate() {
            let mut known = seen.values.len();
            for walk in 1..=WALKS {
                stop.check()?;
                let now = seen.values.len();
                if walk % MORE == 0 && (now - std::mem::replace(&mut known, now)) * FEW <= now
                    || now > SAMPLES * (number + 1)
                {
                    break;
                }
                let Some(mut row) = play.start(size, &mut rng) else { continue };
                for _ in 0..STEPS {
                    seen.look(problem, &mut play, &row, size, predicates, &mut rng);
                    let moved =
                        (0..TRIES).find_map(|_| play.step(&row, size, &mut rng).filter(|r| *r != row));
                    let Some(next) = moved else { break };
                    row = next;
                }
            }
        }
        let mut rows: Vec<Bits> = seen.values.into_iter().collect();
        rows.sort_unstable();
        Ok(Samples::whole(predicates.len(), rows.concat()))
    }

    /// Rows of values of all predicates.
    pub fn whole(predicates: usize, words: Vec<u64>) -> Samples {
        Samples { width: predicates.div_ceil(64), mask: bits(&vec![true; predicates]), words }
    }

    /// These, seen through some of the predicates.
    pub fn through(&self, vocabulary: &[bool]) -> Samples {
        let mask = bits(vocabulary);
        let masked = |row: &[u64]| row.iter().zip(&mask).map(|(a, b)| a & b).collect::<Vec<u64>>();
        let mut rows: Vec<Vec<u64>> = self.rows().map(masked).collect();
        rows.sort_unstable();
        rows.dedup();
        Samples { width: self.width, mask, words: rows.concat() }
    }

    fn masked(&self, row: &[bool]) -> Bits {
        bits(row).iter().zip(&self.mask).map(|(a, b)| a & b).collect()
    }

    /// Whether a sample has the same values in a vocabulary.
    pub fn has_like(&self, row: &Valuation, vocabulary: &[bool]) -> bool {
        self.alike(&bits(row), vocabulary).next().is_some()
    }

    /// The predicates each of which tells a row from all samples that it is like in a vocabulary.
    pub fn telling(&self, row: &Valuation, vocabulary: &[bool]) -> Vec<usize> {
        let own = bits(row);
        let mut all = vec![u64::MAX; self.width];
        for other in self.alike(&own, vocabulary) {
            all.iter_mut().zip(own.iter().zip(other)).for_each(|(all, (a, b))| *all &= a ^ b);
            if all.iter().all(|word| *word == 0) {
                return Vec::new();
            }
        }
        (0..row.len()).filter(|p| all[p / 64] >> (p % 64) & 1 == 1).collect()
    }

    fn alike<'a>(&'a self, own: &'a [u64], vocabulary: &[bool]) -> impl Iterator<Item = &'a [u64]> + 'a {
        let mask = bits(vocabulary);
        self.rows().filter(move |other| (0..mask.len()).all(|w| (own[w] ^ other[w]) & mask[w] == 0))
    }

    /// A few predicates that together do so.
    pub fn telling_together(&self, row: &Valuation, vocabulary: &[bool]) -> Option<Vec<usize>> {
        let own = bits(row);
        let left: Vec<&[u64]> = self.alike(&own, vocabulary).collect();
        hitting(&own, &left, &vec![1.0; row.len()])
    }

    /// Values that are reached, too.
    pub fn add(&mut self, row: &Valuation) {
        let row = self.masked(row);
        self.words.extend(row);
    }

    fn rows(&self) -> impl Iterator<Item = &[u64]> + Clone {
        self.words.chunks_exact(self.width.max(1))
    }

    /// How many values differ from those that are nearest.
    pub fn distance(&self, row: &Valuation) -> u32 {
        let own = self.masked(row);
        let differ = |other: &[u64]| own.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
        self.rows().map(differ).min().unwrap_or(u32::MAX)
    }

    /// A small part of these values that no sample has. `None` where a sample has all.
    pub fn avoided(&self, row: &Valuation, weights: &[f64]) -> Option<Cube> {
        let own = self.masked(row);
        let kept = hitting(&own, &self.rows().collect::<Vec<_>>(), weights)?;
        Some(kept.into_iter().map(|p| (p, row[p])).collect())
    }
}

/// Predicates that hit the difference to each of these rows: the one that hits the most comes first, weighed; in
/// the end, those go that were not needed after all. `None` where a row is the same.
fn hitting(own: &[u64], rows: &[&[u64]], weights: &[f64]) -> Option<Vec<usize>> {
    let differs = |other: &[u64], p: usize| (own[p / 64] ^ other[p / 64]) >> (p % 64) & 1 == 1;
    let mut left = rows.to_vec();
    let mut part: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let mut hits = vec![0usize; weights.len()];
        for other in &left {
            for (place, (a, b)) in own.iter().zip(*other).enumerate() {
                each_bit(a ^ b, |bit| hits[64 * place + bit] += 1);
            }
        }
        let worth = |p: &usize| hits[*p] as f64 * weights[*p];
        let best = (0..weights.len()).max_by(|a, b| worth(a).total_cmp(&worth(b)))?;
        if hits[best] == 0 {
            return None;
        }
        part.push(best);
        left.retain(|other| !differs(other, best));
    }
    let mut kept = part.clone();
    for predicate in part {
        let others: Vec<usize> = kept.iter().copied().filter(|&p| p != predicate).collect();
        if rows.iter().all(|other| others.iter().any(|&p| differs(other, p))) {
            kept = others;
        }
    }
    Some(kept)
}

fn each_bit(mut word: u64, mut see: impl FnMut(usize)) {
    while word != 0 {
        see(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

pub fn bits(row: &[bool]) -> Bits {
    let mut bits = vec![0u64; row.len().div_ceil(64)];
    for (place, _) in row.iter().enumerate().filter(|(_, v)| **v) {
        bits[place / 64] |= 1 << (place % 64);
    }
    bits.into_boxed_slice()
}

/// The values of the predicates that were seen in executions.
#[derive(Default)]
struct Seen {
    values: FxHashSet<Bits>,
    /// Fingerprints of states with tuples of places that were looked at: small instances come back to them often.
    places: FxHashSet<u64>,
}

impl Seen {
    /// The predicates at some tuples of places.
    fn look(
        &mut self,
        problem: &Problem<'_>,
        play: &mut Play<'_, '_>,
        row: &Row,
        size: usize,
        predicates: &[TermId],
        rng: &mut Rng,
    ) {
        let state = FxBuildHasher.hash_one(row);
        for _ in 0..TUPLES {
            let mut place = state;
            for &index in &problem.model.indices {
                let number = match rng.one_in(4) {
                    true => rng.below(WINDOW) as i64 - 1,
                    false => rng.below(size) as i64,
                };
                play.give(index, number);
                place = FxBuildHasher.hash_one((place, number));
            }
            if !self.places.insert(place) {
                continue;
            }
            let value = |&p: &TermId| play.value(row, p).map(|v| v == 1);
            if let Some(values) = predicates.iter().map(value).collect::<Option<Valuation>>() {
                self.values.insert(bits(&values));
            }
        }
        if self.places.len() > PLACES {
            self.places.clear();
        }
    }
}
