//! Many random executions side by side, of which those in rare states go on.
//!
//! In a round each execution takes [`FRAMES`] steps with random inputs, as most inputs may do nothing, or a single
//! one, as most may take it back again; an execution whose constraints do not admit any of [`ATTEMPTS`] rows of
//! inputs stays where it is. After the round the latches of each state are cut into groups of eight, and it is
//! counted how often each group had which value:
//!
//! ```text
//! rarity(s) = Σ_g 1 / count(g, s|g)
//! ```
//!
//! Of the states at the end of the round and at its beginning, the best go on, each twice: first those that were
//! never met before, then the rarer ones. Where an execution cannot go on, its state is less rare in every round.
//! After [`STALE`] rounds without a new state all begin again.
//!
//! No inputs are kept: they come from a generator that is seeded by round, frame and attempt, so that one execution
//! is repeated from the lanes that it came through. A loop in it is cut out then.

use std::collections::HashMap;

use buttress_solve::{Stop, Stopped};
use buttress_system::{BitSystem, Lit, Rng, Simulator};
use rustc_hash::{FxHashMap, FxHashSet};

const FRAMES: usize = 16;
const ATTEMPTS: usize = 4;
/// Machine words of 64 executions.
const WORDS: usize = 16;
const LANES: usize = 64 * WORDS;
const GROUP: usize = 8;
const STALE: usize = 16;
/// So many states are told apart from new ones.
const REMEMBERED: usize = 1 << 21;

/// Where executions begin.
pub(crate) enum Begin {
    /// In the states that the resets allow; these read no inputs.
    Resets,
    At(Vec<bool>),
}

/// The latches of a state, a group a byte.
type Row = Vec<u8>;

/// Which execution goes on in a lane: that of a lane of the round, from its end or from its beginning.
#[derive(Clone, Copy)]
struct Parent {
    lane: u16,
    stayed: bool,
}

pub(crate) struct Executions<'a> {
    system: &'a BitSystem,
    simulator: Simulator<'a>,
    begin: Begin,
    seed: u64,
    /// How often all began again.
    epoch: u64,
    /// The states in which all began, and those in which the round does.
    starts: Vec<Row>,
    states: Vec<Row>,
    /// For each round that is over, whom each lane goes on from.
    parents: Vec<Vec<Parent>>,
    counts: Vec<[u32; 1 << GROUP]>,
    seen: FxHashSet<u64>,
    /// Rounds without a new state, the last in a row; and whether any since the beginning had one.
    stale: usize,
    fertile: bool,
    /// Steps that were taken, all together.
    pub steps: u64,
}

/// An execution without loops; the last inputs are those of its last state.
pub(crate) struct Path {
    pub states: Vec<Vec<bool>>,
    pub inputs: Vec<Vec<bool>>,
}

impl<'a> Executions<'a> {
    pub fn new(system: &'a BitSystem, begin: Begin, seed: u64) -> Executions<'a> {
        let groups = system.num_latches().div_ceil(GROUP);
        let mut new = Executions {
            system,
            simulator: Simulator::new(system),
            begin,
            seed,
            epoch: 0,
            starts: Vec::new(),
            states: Vec::new(),
            parents: Vec::new(),
            counts: vec![[0; 1 << GROUP]; groups],
            seen: FxHashSet::default(),
            stale: 0,
            fertile: false,
            steps: 0,
        };
        new.restart();
        new
    }

    /// The most steps that an execution has.
    pub fn depth(&self) -> usize {
        (0..self.parents.len()).map(frames).sum()
    }

    /// Whether a new state was met since all began.
    pub fn is_fertile(&self) -> bool {
        self.fertile
    }

    /// Whether so many rounds found no new state.
    pub fn is_stale(&self) -> bool {
        self.stale >= STALE
    }

    /// All begin again, in other ways; what is rare is remembered.
    pub fn restart(&mut self) {
        self.epoch += 1;
        (self.stale, self.fertile) = (0, false);
        self.parents.clear();
        let mut rng = self.rng(usize::MAX, 0, 0, 0);
        self.starts = (0..WORDS).flat_map(|_| self.start(&mut rng)).collect();
        self.states = self.starts.clone();
    }

    /// States in which 64 executions begin.
    fn start(&mut self, rng: &mut Rng) -> Vec<Row> {
        match &self.begin {
            Begin::At(state) => vec![packed(state.iter().copied()); 64],
            Begin::Resets => {
                self.simulator.reset(rng);
                let latches = self.system.latches().map(|l| self.simulator.value(self.system.latch_lit(l)));
                rows(&latches.collect::<Vec<u64>>())
            }
        }
    }

    fn rng(&self, round: usize, word: usize, frame: usize, attempt: usize) -> Rng {
        let mut seed = self.seed;
        for part in [self.epoch, round as u64, word as u64, (frame * ATTEMPTS + attempt) as u64] {
            seed = (seed ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
        Rng::new(seed)
    }

    /// Takes a round; gives for each of these signals an execution whose last state has it, if one was met.
    pub fn round(&mut self, wanted: &[Lit], stop: &Stop) -> Result<Vec<Option<Path>>, Stopped> {
        let mut found: Vec<Option<Path>> = wanted.iter().map(|_| None).collect();
        let mut ends = Vec::with_capacity(LANES);
        for word in 0..WORDS {
            stop.check()?;
            let mut state = columns(&self.states[64 * word..64 * (word + 1)], self.system.num_latches());
            for frame in 0..frames(self.parents.len()) {
                let admitted = self.enter(word, frame, &state);
                for (path, lane) in self.met(wanted, admitted, &mut found) {
                    *path = Some(self.path(64 * word + lane, frame));
                    self.enter(word, frame, &state);
                }
                self.advance(&mut state, admitted);
            }
            ends.extend(rows(&state));
        }
        self.choose(ends);
        Ok(found)
    }

    /// The signals that were not met before, with an execution that has them now.
    fn met<'f>(
        &self,
        wanted: &[Lit],
        admitted: u64,
        found: &'f mut [Option<Path>],
    ) -> Vec<(&'f mut Option<Path>, usize)> {
        let open = wanted.iter().zip(found).filter(|(_, path)| path.is_none());
        let now = open.map(|(&signal, path)| (path, self.simulator.value(signal) & admitted));
        now.filter(|(_, lanes)| *lanes != 0)
            .map(|(path, lanes)| (path, lanes.trailing_zeros() as usize))
            .collect()
    }

    /// Gives the executions of a word inputs for their states; says which of them these admit.
    fn enter(&mut self, word: usize, frame: usize, state: &[u64]) -> u64 {
        let mut inputs = vec![0; self.system.num_inputs()];
        let mut admitted = 0;
        for attempt in 0..ATTEMPTS {
            let mut rng = self.rng(self.parents.len(), word, frame, attempt);
            for row in &mut inputs {
                *row = (*row & admitted) | (rng.next_u64() & !admitted);
            }
            self.simulator.start(state, &inputs);
            admitted = self.simulator.admissible();
            if admitted == !0 {
                break;
            }
        }
        admitted
    }

    fn advance(&mut self, state: &mut [u64], admitted: u64) {
        self.steps += u64::from(admitted.count_ones());
        for (latch, state) in self.system.latches().zip(state) {
            let next = self.simulator.value(self.system.latch(latch).next);
            *state = (next & admitted) | (*state & !admitted);
        }
    }

    /// Of the states at the end of the round and at its beginning, the best go on, each twice: new ones first, then
    /// the rarer ones.
    fn choose(&mut self, ends: Vec<Row>) {
        for row in &ends {
            for (count, &value) in self.counts.iter_mut().zip(row) {
                count[usize::from(value)] += 1;
            }
        }
        let mut all: Vec<(bool, f64, Parent)> = Vec::with_capacity(2 * LANES);
        for (new, (lane, row)) in self.remember(&ends).into_iter().zip(ends.iter().enumerate()) {
            all.push((new, self.rarity(row), Parent { lane: lane as u16, stayed: false }));
        }
        for (lane, row) in self.states.iter().enumerate() {
            all.push((false, self.rarity(row), Parent { lane: lane as u16, stayed: true }));
        }
        all.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let parents: Vec<Parent> = (0..LANES).map(|lane| all[lane / 2].2).collect();
        let row = |p: &Parent| if p.stayed { &self.states } else { &ends }[usize::from(p.lane)].clone();
        self.states = parents.iter().map(row).collect();
        self.parents.push(parents);
    }

    fn rarity(&self, row: &Row) -> f64 {
        let counts = self.counts.iter().zip(row);
        counts.map(|(count, &value)| 1.0 / f64::from(count[usize::from(value)].max(1))).sum()
    }

    /// Which states were not seen before.
    fn remember(&mut self, states: &[Row]) -> Vec<bool> {
        if self.seen.len() > REMEMBERED {
            self.seen.clear();
        }
        let new: Vec<bool> = states.iter().map(|state| self.seen.insert(hash(state))).collect();
        let found = new.contains(&true);
        self.fertile |= found;
        self.stale = if found { 0 } else { self.stale + 1 };
        new
    }

    /// Gates that a round computes on the average, 64 executions at once, and bits of latches that it looks at.
    pub fn work(&self) -> u64 {
        (WORDS * (FRAMES / 2 * self.system.num_gates() + 64 * self.system.num_latches())) as u64
    }

    /// The execution that the last round found the best.
    pub fn best(&mut self) -> Path {
        self.path(0, 0)
    }

    /// Repeats the execution of a lane up to a frame of the current round, without loops.
    fn path(&mut self, lane: usize, frame: usize) -> Path {
        let mut legs = vec![(lane, frame)];
        for (round, parents) in self.parents.iter().enumerate().rev() {
            let parent = parents[legs[legs.len() - 1].0];
            legs.push((usize::from(parent.lane), if parent.stayed { 0 } else { frames(round) }));
        }
        legs.reverse();
        let mut path = Loopless::new(unpacked(&self.starts[legs[0].0], self.system.num_latches()));
        for (round, &(lane, frames)) in legs.iter().enumerate() {
            for frame in 0..frames {
                let Some(inputs) = self.admitted(round, lane, frame, path.last()) else { continue };
                let next =
                    self.system.latches().map(|l| self.simulator.value(self.system.latch(l).next) & 1 == 1);
                path.go(inputs, next.collect());
            }
        }
        let inputs = self.admitted(self.parents.len(), lane, frame, path.last());
        path.inputs.push(inputs.unwrap_or_else(|| vec![false; self.system.num_inputs()]));
        Path { states: path.states, inputs: path.inputs }
    }

    /// The inputs that a lane had in a frame, if they were admitted; the simulator has computed with them.
    fn admitted(&mut self, round: usize, lane: usize, frame: usize, state: &[bool]) -> Option<Vec<bool>> {
        let state = spread(state);
        (0..ATTEMPTS).find_map(|attempt| {
            let mut rng = self.rng(round, lane / 64, frame, attempt);
            let bits = (0..self.system.num_inputs()).map(|_| rng.next_u64() >> (lane % 64) & 1 == 1);
            let inputs: Vec<bool> = bits.collect();
            self.simulator.start(&state, &spread(&inputs));
            (self.simulator.admissible() != 0).then_some(inputs)
        })
    }
}

/// How many steps a round has.
fn frames(round: usize) -> usize {
    if round.is_multiple_of(2) { FRAMES } else { 1 }
}

/// The same in all executions of a word.
fn spread(bits: &[bool]) -> Vec<u64> {
    bits.iter().map(|&b| if b { !0 } else { 0 }).collect()
}

fn packed(bits: impl Iterator<Item = bool>) -> Row {
    let mut row = Vec::new();
    for (n, bit) in bits.enumerate() {
        if n.is_multiple_of(GROUP) {
            row.push(0);
        }
        row[n / GROUP] |= u8::from(bit) << (n % GROUP);
    }
    row
}

fn unpacked(row: &Row, latches: usize) -> Vec<bool> {
    (0..latches).map(|n| row[n / GROUP] >> (n % GROUP) & 1 == 1).collect()
}

/// The states of 64 executions, from the values of each latch.
fn rows(latches: &[u64]) -> Vec<Row> {
    (0..64).map(|lane| packed(latches.iter().map(|word| word >> lane & 1 == 1))).collect()
}

/// The values of each latch, from the states of 64 executions.
fn columns(rows: &[Row], latches: usize) -> Vec<u64> {
    let bit = |row: &Row, n: usize| u64::from(row[n / GROUP] >> (n % GROUP) & 1);
    (0..latches)
        .map(|n| rows.iter().enumerate().fold(0, |word, (lane, row)| word | bit(row, n) << lane))
        .collect()
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23)
    })
}

/// A path that comes to no state twice.
struct Loopless {
    states: Vec<Vec<bool>>,
    inputs: Vec<Vec<bool>>,
    at: FxHashMap<Vec<bool>, usize>,
}

impl Loopless {
    fn new(state: Vec<bool>) -> Loopless {
        let at = HashMap::from_iter([(state.clone(), 0)]);
        Loopless { states: vec![state], inputs: Vec::new(), at }
    }

    fn last(&self) -> &[bool] {
        self.states.last().expect("it begins somewhere")
    }

    fn go(&mut self, inputs: Vec<bool>, state: Vec<bool>) {
        if let Some(&back) = self.at.get(&state) {
            self.inputs.truncate(back);
            for gone in self.states.drain(back + 1..) {
                self.at.remove(&gone);
            }
            return;
        }
        self.at.insert(state.clone(), self.states.len());
        self.states.push(state);
        self.inputs.push(inputs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes back to a state goes on from there.
    #[test]
    fn loops_are_cut_out() {
        let state = |n: u8| vec![n & 1 == 1, n & 2 == 2];
        let mut path = Loopless::new(state(0));
        for (input, next) in [(true, 1), (false, 2), (true, 1), (false, 3)] {
            path.go(vec![input], state(next));
        }
        assert_eq!(path.states, [state(0), state(1), state(3)]);
        assert_eq!(path.inputs, [vec![true], vec![false]]);
    }
}
