//! Signals of an and-inverter graph: latches, in both polarities, and gates that read latches only, which are
//! functions of the state as the latches are. Implications and equalities are clauses of two literals.

use buttress_query::{From, Path};
use buttress_system::{BitSystem, Clause, Lemma, Lit, Rng, Simulator};

use super::conjecture::{Atom, Family, Values};
use super::lanes::Lanes;
use super::order::Template;
use super::scheme::Instances;

/// Steps of random simulation, each of 64 executions.
const STEPS: usize = 16;

/// Half of 64 executions.
const HALF: u64 = u32::MAX as u64;

pub struct BitInstances<'a> {
    simulator: Simulator<'a>,
    literals: Vec<Lit>,
    rng: Rng,
}

impl<'a> BitInstances<'a> {
    /// At most so many signals; gates only where latches leave room, those near to the latches first.
    pub fn new(system: &'a BitSystem, gates: bool, most: usize, seed: u64) -> BitInstances<'a> {
        let mut literals = vec![Lit::FALSE, Lit::TRUE];
        for latch in system.latches() {
            let lit = system.latch_lit(latch);
            literals.extend([lit, !lit]);
        }
        if gates {
            literals.extend(state_gates(system));
        }
        literals.truncate(most.max(2));
        BitInstances { simulator: Simulator::within(system, &literals), literals, rng: Rng::new(seed) }
    }

    /// The values in these of 64 executions.
    fn look(&self, executions: u64) -> Vec<Values> {
        let words = self.literals.iter().map(|&lit| self.simulator.value(lit));
        vec![Values::Binary(Lanes::of_states(words, executions))]
    }

    /// Inputs like these in half of 64 executions, each changed in some; drawn anew in the others. The first has
    /// these.
    fn near(&mut self, inputs: &[bool]) -> Vec<u64> {
        let rng = &mut self.rng;
        let mut changed = |_| {
            let rare = rng.next_u64() & rng.next_u64() & rng.next_u64();
            ((rng.next_u64() & HALF) | (rare & !HALF)) & !1
        };
        row(inputs).into_iter().enumerate().map(|(place, lanes)| lanes ^ changed(place)).collect()
    }

    /// How many literals are compared.
    pub fn terms(&self) -> usize {
        self.literals.len()
    }
}

/// One value in all 64 executions.
fn row(values: &[bool]) -> Vec<u64> {
    values.iter().map(|&value| if value { !0 } else { 0 }).collect()
}

/// The gates that read no input, directly or not.
fn state_gates(system: &BitSystem) -> Vec<Lit> {
    let mut reads_input = vec![false; system.num_vars()];
    let mut found = Vec::new();
    for input in system.inputs() {
        reads_input[system.input_lit(input).var().index()] = true;
    }
    for (gate, &[a, b]) in system.gates().iter().enumerate() {
        let own = system.first_gate() + gate;
        reads_input[own] = reads_input[a.var().index()] || reads_input[b.var().index()];
        if !reads_input[own] {
            found.push(Lit::from_code(2 * own as u32));
        }
    }
    found
}

impl Instances for BitInstances<'_> {
    type Subject = BitSystem;
    type Conjunct = Clause;

    fn families(&self) -> Vec<Family> {
        vec![Family::new(Template::Implies, self.literals.len())]
    }

    fn simulate(&mut self) -> Vec<Vec<Values>> {
        let mut alive = !0;
        let mut seen = Vec::new();
        for step in 0..STEPS {
            match step {
                0 => self.simulator.reset(&mut self.rng),
                _ => self.simulator.step(&mut self.rng),
            }
            alive &= self.simulator.admissible();
            if alive == 0 {
                break;
            }
            seen.push(self.look(alive));
        }
        seen
    }

    /// Shows further counterexamples next to a path. The compared terms read no inputs. So with other inputs in
    /// the last two steps the states before them are the same, and the last one is another counterexample. States
    /// next to those of the path were tried, too, where the hypotheses hold in them: a tenth fewer questions, for
    /// more time.
    fn follow(&mut self, from: From, path: &Path, look: &mut dyn FnMut(Vec<Values>) -> bool) {
        let last = path.states.len() - 1;
        let mut alive = !0;
        let mut inputs = |step: usize| match from == From::Init && step == 0 {
            true => row(&path.inputs[0]),
            false => self.near(&path.inputs[step]),
        };
        match last {
            0 => {
                let inputs = inputs(0);
                self.simulator.start(&row(&path.states[0]), &inputs);
            }
            _ => {
                let (before, inputs) = (inputs(last - 1), inputs(last));
                self.simulator.start(&row(&path.states[last - 1]), &before);
                alive &= self.simulator.admissible();
                self.simulator.step_with(&inputs);
            }
        }
        alive &= self.simulator.admissible();
        while alive != 0 && look(self.look(alive)) {
            let inputs = self.near(&path.inputs[last.saturating_sub(1)]);
            self.simulator.step_with(&inputs);
            alive &= self.simulator.admissible();
        }
    }

    fn conjuncts(&self, _: usize, atom: Atom) -> Vec<Clause> {
        let lit = |term: usize| self.literals[term];
        let implies = |a: Lit, b: Lit| {
            let valid = a == Lit::FALSE || b == Lit::TRUE || a == b;
            let mut open: Vec<Lit> = [!a, b].into_iter().filter(|l| !l.is_constant()).collect();
            // One clause for an implication and its contraposition.
            open.sort_unstable();
            (!valid).then(|| Clause::new(open))
        };
        match atom {
            Atom::Below(a, b) => implies(lit(a), lit(b)).into_iter().collect(),
            Atom::Equal(a, b) => {
                [implies(lit(a), lit(b)), implies(lit(b), lit(a))].into_iter().flatten().collect()
            }
        }
    }

    fn lemmas(&self, conjuncts: &[Clause]) -> Vec<Lemma> {
        conjuncts.iter().cloned().map(Lemma::Clause).collect()
    }
}
