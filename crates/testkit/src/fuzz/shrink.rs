//! Making a failing system smaller while it still fails: properties, constraints, gates, latches and inputs
//! go one by one, until none can.

use buttress_system::{Lit, Var};

use crate::Draft;

/// The smallest system found for which `fails` still holds. It must hold for `draft`.
pub fn shrink(mut draft: Draft, fails: impl Fn(&Draft) -> bool) -> Draft {
    while let Some(smaller) = candidates(&draft).into_iter().find(|c| c.is_stratified() && fails(c)) {
        draft = smaller;
    }
    draft
}

/// One step smaller each: fewer of something, or something simpler.
fn candidates(draft: &Draft) -> Vec<Draft> {
    let mut all = Vec::new();
    if draft.bads.len() > 1 {
        all.extend((0..draft.bads.len()).map(|p| changed(draft, |d| remove(&mut d.bads, p))));
    }
    all.extend((0..draft.constraints.len()).map(|c| changed(draft, |d| remove(&mut d.constraints, c))));
    for var in (1..draft.num_vars()).rev().map(|v| Var::new(v as u32)) {
        all.extend(substitutes(draft, var).map(|by| draft.without_var(var, by)));
    }
    all.extend((0..draft.latches.len()).flat_map(|l| simpler_latches(draft, l)));
    all
}

fn changed(draft: &Draft, change: impl FnOnce(&mut Draft)) -> Draft {
    let mut copy = draft.clone();
    change(&mut copy);
    copy
}

fn remove(lits: &mut Vec<Lit>, at: usize) {
    lits.remove(at);
}

/// The substitutes of a variable: the constants, and a gate's operands.
fn substitutes(draft: &Draft, var: Var) -> impl Iterator<Item = Lit> + use<> {
    let operands = var.index().checked_sub(draft.first_gate()).map(|gate| draft.gates[gate]);
    [Lit::FALSE, Lit::TRUE].into_iter().chain(operands.into_iter().flatten())
}

fn simpler_latches(draft: &Draft, latch: usize) -> Vec<Draft> {
    let own = draft.latch(latch);
    let mut all = Vec::new();
    if draft.latches[latch].reset != Lit::FALSE {
        all.push(changed(draft, |d| d.latches[latch].reset = Lit::FALSE));
    }
    for next in [Lit::FALSE, own] {
        if draft.latches[latch].next.code() > next.code() {
            all.push(changed(draft, |d| d.latches[latch].next = next));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use crate::reference::Explicit;
    use buttress_system::Rng;

    #[test]
    fn what_is_left_still_fails_and_is_small() {
        // "Fails": some property is violated at step 2, and not before.
        let fails = |d: &Draft| Explicit::new(&d.build()).truth().violated.contains(&Some(2));
        let mut shrunk = 0;
        for seed in 0..200 {
            let draft = random::draft(&mut Rng::new(seed));
            if !fails(&draft) {
                continue;
            }
            let small = shrink(draft, fails);
            assert!(fails(&small));
            assert_eq!((small.bads.len(), small.constraints.len() <= 1), (1, true), "seed {seed}");
            assert!(small.gates.len() <= 3 && small.latches.len() <= 3, "seed {seed}: {small:?}");
            shrunk += 1;
        }
        assert!(shrunk >= 10, "{shrunk}");
    }
}
