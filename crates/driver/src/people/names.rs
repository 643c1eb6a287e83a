//! Sets of states in the user's names: a word where all its bits are known, else bit by bit.

use buttress_format::lemmas;
use buttress_query::Predecessor;
use buttress_system::{BitSystem, InputId, Lit, Signal, Signals, Ternary};

/// How the signals of a system are called.
pub struct Names<'a> {
    system: &'a BitSystem,
    signals: Signals,
    lemmas: lemmas::LatchNames<'a>,
}

type Assignment = (String, String);

impl<'a> Names<'a> {
    pub fn of(system: &'a BitSystem) -> Names<'a> {
        Names { system, signals: Signals::of(system), lemmas: lemmas::LatchNames::of(system) }
    }

    /// The lemma that excludes the cube, as a file of lemmas has it.
    pub fn lemma(&self, cube: &[Lit]) -> String {
        let clause: Vec<Lit> = cube.iter().map(|&l| !l).collect();
        self.lemmas.clause(&clause)
    }

    /// The assignments of a cube to latches.
    pub fn latches(&self, cube: &[Lit]) -> Vec<Assignment> {
        self.assignments(cube, false)
    }

    /// The inputs of a step: those that are named are 1, all others 0.
    pub fn inputs(&self, states: &Predecessor) -> Vec<Assignment> {
        self.row(&states.inputs)
    }

    /// The inputs that are not 0, where these are 1.
    pub fn row(&self, ones: &[InputId]) -> Vec<Assignment> {
        let ones = |i| ones.contains(&i);
        let lits = self.system.inputs().map(|i| self.system.input_lit(i) ^ !ones(i));
        let mut all = self.assignments(&lits.collect::<Vec<_>>(), true);
        all.retain(|(_, value)| value != "0");
        all
    }

    fn assignments(&self, lits: &[Lit], inputs: bool) -> Vec<Assignment> {
        let mut latches = vec![Ternary::X; self.system.num_latches()];
        let mut row = vec![Ternary::X; self.system.num_inputs()];
        for lit in lits {
            let value = Ternary::from(!lit.is_negated());
            match self.system.as_latch(lit.var()) {
                Some(latch) => latches[latch.index()] = value,
                None => row[lit.var().index() - 1] = value,
            }
        }
        let wanted = self.signals.0.iter().filter(|s| s.is_input() == inputs);
        wanted.flat_map(|s| signal(s, &latches, &row)).collect()
    }
}

/// The signal where it is known, or else those of its bits that are.
fn signal(signal: &Signal, latches: &[Ternary], inputs: &[Ternary]) -> Vec<Assignment> {
    if let Some(value) = signal.value(latches, inputs) {
        return vec![(signal.name.clone(), value.to_string())];
    }
    let known = |bit: Signal| {
        let value = bit.value(latches, inputs)?;
        Some((bit.name.clone(), value.to_string()))
    };
    signal.single_bits().filter_map(known).collect()
}

/// `a = 1, b = 3`, at most so many.
pub fn listed(assignments: &[Assignment], most: usize) -> String {
    let shown: Vec<String> = assignments.iter().take(most).map(|(n, v)| format!("{n} = {v}")).collect();
    let more = assignments.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &more
}
