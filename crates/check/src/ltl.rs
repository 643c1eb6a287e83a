//! Formulas of linear temporal logic on an execution that goes round, evaluated as they are defined, step by step:
//! no automaton, no tableau.
//!
//! Without operators of the past the truth of a formula in a step depends on what comes, so it comes round, too.
//! Each operator of the past may need one more round until it does: if its operands come round from step `s` on
//! with period `r`, it does so from `s + r` on (either something in a whole period decides `S`, or nothing does
//! and it stays as it is). So the way round is gone `1 + d` times, with `d` the depth of operators of the past,
//! and the truth of every part comes round in the last of them.

use buttress_system::live::Question;
use buttress_system::ltl::{Ltl, Says};
use buttress_system::{Live, Recurrent};

use crate::{Refusal, require};

/// A property of a system, by its number.
pub(crate) fn asked<S: Recurrent>(live: &Live<S>, number: usize) -> Result<Question<'_, S::Signal>, Refusal> {
    live.question(number).ok_or_else(|| Refusal::Rejected(format!("there is no justice property {number}")))
}

/// Accepts that a formula does not hold in step 0; `steps` has the values of its signals, in their order.
pub(crate) fn fails<A: Copy>(
    formula: &Ltl<A>,
    steps: &[Vec<Option<bool>>],
    back: usize,
) -> Result<(), Refusal> {
    let known: Option<Vec<Vec<bool>>> = steps.iter().map(|row| row.iter().copied().collect()).collect();
    let known = known.ok_or_else(|| Refusal::Rejected("a signal of the formula is unknown".to_string()))?;
    require(!holds(formula, &known, back), || "the formula holds on this execution".to_string())
}

/// How deep operators of the past stand in each other.
fn past_depth<A: Copy>(formula: &Ltl<A>) -> usize {
    let mut depths: Vec<usize> = Vec::new();
    for says in formula.nodes() {
        let below = says.operands().map(|o| depths[o.index()]).max().unwrap_or(0);
        depths.push(below + usize::from(says.is_past()));
    }
    depths[formula.root().index()]
}

/// Whether a formula holds in step 0 of the execution that goes from its last step to the step `back`.
fn holds<A: Copy>(formula: &Ltl<A>, steps: &[Vec<bool>], back: usize) -> bool {
    let round = steps.len() - back;
    let length = steps.len() + past_depth(formula) * round;
    let step = |place: usize| if place < back { place } else { back + (place - back) % round };
    let mut rows: Vec<Vec<bool>> = Vec::new();
    let mut signals = 0..;
    for says in formula.nodes() {
        let row = |node: buttress_system::ltl::NodeId| &rows[node.index()];
        let own: Vec<bool> = match *says {
            Says::Constant(value) => vec![value; length],
            Says::Signal(_) => {
                let signal: usize = signals.next().expect("there is no last number");
                (0..length).map(|place| steps[step(place)][signal]).collect()
            }
            Says::Not(a) => row(a).iter().map(|a| !a).collect(),
            Says::And(a, b) => row(a).iter().zip(row(b)).map(|(a, b)| *a && *b).collect(),
            Says::Or(a, b) => row(a).iter().zip(row(b)).map(|(a, b)| *a || *b).collect(),
            Says::Next(a) => {
                let a = row(a);
                (0..length)
                    .map(|place| a[if place + 1 < length { place + 1 } else { length - round }])
                    .collect()
            }
            Says::Until(a, b) => {
                let (a, b) = (row(a), row(b));
                backwards(length, round, false, |place, next| b[place] || a[place] && next)
            }
            Says::Release(a, b) => {
                let (a, b) = (row(a), row(b));
                backwards(length, round, true, |place, next| b[place] && (a[place] || next))
            }
            Says::Before(a) => forwards(length, false, |place, _| row(a)[place - 1]),
            Says::BeforeIfAny(a) => forwards(length, true, |place, _| row(a)[place - 1]),
            Says::Since(a, b) => {
                let (a, b) = (row(a), row(b));
                forwards(length, b[0], |place, before| b[place] || a[place] && before)
            }
            Says::Trigger(a, b) => {
                let (a, b) = (row(a), row(b));
                forwards(length, b[0], |place, before| b[place] && (a[place] || before))
            }
        };
        rows.push(own);
    }
    rows[formula.root().index()][0]
}

/// From the last step to the first; after the last one comes the first one of the last round. What is supposed
/// there decides only where nothing on the way round does, so going round twice is enough.
fn backwards(length: usize, round: usize, supposed: bool, at: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut row = vec![supposed; length];
    for _ in 0..2 {
        let mut next = row[length - round];
        for place in (0..length).rev() {
            next = at(place, next);
            row[place] = next;
        }
    }
    row
}

fn forwards(length: usize, first: bool, at: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut row = vec![first];
    for place in 1..length {
        row.push(at(place, row[place - 1]));
    }
    row
}

#[cfg(test)]
mod tests {
    use buttress_system::ltl::Making;

    use super::*;

    /// One signal, with these values, the last of which come again from `back` on.
    fn judge(
        values: &[u8],
        back: usize,
        make: impl Fn(&mut Making<char>) -> buttress_system::ltl::NodeId,
    ) -> bool {
        let mut making = Making::default();
        let root = make(&mut making);
        let steps: Vec<Vec<bool>> = values.iter().map(|&v| vec![v == 1]).collect();
        holds(&making.finish(root), &steps, back)
    }

    #[test]
    fn the_future_comes_round() {
        let p = |m: &mut Making<char>| m.add(Says::Signal('p'));
        let recurs = |m: &mut Making<char>| {
            let p = p(m);
            let f = m.eventually(p);
            m.always(f)
        };
        assert!(judge(&[0, 0, 1], 0, recurs));
        assert!(judge(&[0, 0, 1, 0], 2, recurs));
        assert!(!judge(&[0, 1, 0], 2, recurs));
        let next_until = |m: &mut Making<char>| {
            let p = p(m);
            let (x, not) = (m.next(p), m.not(p));
            m.add(Says::Until(not, x))
        };
        assert!(judge(&[0, 0, 1], 2, next_until));
        assert!(!judge(&[0, 0, 0], 1, next_until));
        // The last step's next one is the one that it goes back to.
        let last = |m: &mut Making<char>| {
            let p = p(m);
            let x = m.next(p);
            m.next(x)
        };
        assert!(judge(&[1, 0], 0, last));
        assert!(!judge(&[1, 0], 1, last));
    }

    #[test]
    fn the_past_takes_some_rounds_more() {
        // Always: if p was in both steps before, it is not now; on 1 (0) and (1).
        let bad = |m: &mut Making<char>| {
            let p = m.add(Says::Signal('p'));
            let y = m.add(Says::Before(p));
            let yy = m.add(Says::Before(y));
            let both = m.and(y, yy);
            let not = m.not(p);
            let implies = m.implies(both, not);
            m.always(implies)
        };
        assert!(judge(&[1, 0], 1, bad));
        assert!(!judge(&[1], 0, bad), "the third round is the first in which it fails");
        let since_the_start = |m: &mut Making<char>| {
            let p = m.add(Says::Signal('p'));
            let h = m.historically(p);
            m.eventually(h)
        };
        assert!(judge(&[1, 0], 1, since_the_start));
        assert!(!judge(&[0, 1], 1, since_the_start));
    }
}
