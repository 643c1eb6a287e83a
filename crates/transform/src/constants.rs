//! Constant latches, by ternary simulation from the resets to a fixpoint.
//!
//! With unknown inputs, `s₀` = resets and `s_{j+1} = s_j ⊔ F(s_j)`; a latch that is still known at the
//! fixpoint holds that value in every reachable state, and the facts together are inductive. The constraints
//! are not used. A budget bounds the work on designs with long counters; past it no latch counts as constant.

use std::sync::Arc;

use buttress_system::evidence::{evaluate, value};
use buttress_system::{BitSystem, LatchId, Lit, Ternary};

use crate::Restriction;
use crate::restriction::Equalities;

/// Gate evaluations before giving up.
const BUDGET: usize = 400_000_000;

/// The system without its constant latches.
pub fn constants(system: &Arc<BitSystem>) -> Restriction {
    let fixpoint = fixpoint(system);
    let known = |l: LatchId| fixpoint[l.index()].known();
    let fact = |l: LatchId| Some((system.latch_lit(l).var(), Lit::constant(known(l)?)));
    let facts: Vec<_> = system.latches().filter_map(fact).collect();
    let constants = Equalities { equal: facts.clone(), facts };
    let latches = system.latches().filter(|&l| known(l).is_none()).collect();
    let properties = system.property_ids().collect();
    Restriction::new(system, system.inputs().collect(), latches, constants, properties)
}

fn fixpoint(system: &BitSystem) -> Vec<Ternary> {
    let unknown = vec![Ternary::X; system.num_inputs()];
    let mut state = reset_state(system);
    let mut work = 0;
    loop {
        work += system.num_vars();
        if work > BUDGET {
            return vec![Ternary::X; system.num_latches()];
        }
        let values = evaluate(system, &state, &unknown);
        let mut changed = false;
        for latch in system.latches() {
            let current = &mut state[latch.index()];
            if *current != Ternary::X && *current != value(&values, system.latch(latch).next) {
                *current = Ternary::X;
                changed = true;
            }
        }
        if !changed {
            return state;
        }
    }
}

/// Constant resets; functional ones count as unknown.
fn reset_state(system: &BitSystem) -> Vec<Ternary> {
    let known = |l: LatchId| match system.latch(l).reset {
        reset if reset.is_constant() => Ternary::from(reset.is_negated()),
        _ => Ternary::X,
    };
    system.latches().map(known).collect()
}
