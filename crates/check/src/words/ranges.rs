//! Bounds of integers, as the checker finds them itself, so that a system with integers can be checked in bits.
//!
//! Two kinds of bounds are taken up. Constraints of the form `n ≤ x`, `x ≤ n` hold in every step of an execution.
//! Conjuncts of that form in the invariant of a proof are a claim about a state x, and are shown by intervals:
//! with all bounds supposed, every value that `init` and `next` of x can have lies within those of x.
//!
//! ```text
//! range(init x) ⊆ [low x, high x]      range(next x) ⊆ [low x, high x]
//! ```
//!
//! So by induction over steps all bounds hold in every execution; in the first step by the order in which
//! starts read each other. Nothing is searched for here and nothing is shared with the analysis that found the
//! bounds. What intervals decide (`x < 5` where x ≤ 4) counts as decided in every step; of a choice with a decided
//! condition one branch is read.

use buttress_system::words::{Role, State, System, WordProof};
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::{Refusal, require};

/// Wider numbers have no bits here.
const WIDEST: u64 = 4096;

/// All numbers from the first to the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Range(pub BigInt, pub BigInt);

/// A fact about a term that holds in every step.
#[derive(Clone, PartialEq, Debug)]
enum Known {
    Nothing,
    Truth(bool),
    Within(Range),
}

/// The ranges of all terms of a proof.
pub(super) struct Ranges {
    known: Vec<Known>,
    /// Bounds of inputs and states that constraints state, and those that the proof claims.
    pub constrained: Vec<(TermId, Range)>,
    pub claimed: Vec<(TermId, Range)>,
}

impl Known {
    /// Of numbers that are too wide nothing is known: a few squares of squares have more digits than anybody
    /// can write.
    fn within_reason(self) -> Known {
        match self {
            Known::Within(range) if range.width().is_none() => Known::Nothing,
            other => other,
        }
    }
}

impl Range {
    fn point(n: &BigInt) -> Range {
        Range(n.clone(), n.clone())
    }

    fn holds(&self, other: &Range) -> bool {
        self.0 <= other.0 && other.1 <= self.1
    }

    fn joined(&self, other: &Range) -> Range {
        Range((&self.0).min(&other.0).clone(), (&self.1).max(&other.1).clone())
    }

    /// Bits of two's complement that hold all of it.
    pub fn width(&self) -> Option<usize> {
        let bits = |n: &BigInt| if n.is_negative() { (n + 1u8).bits() } else { n.bits() };
        let most = bits(&self.0).max(bits(&self.1)) + 1;
        (most <= WIDEST).then_some(most as usize)
    }

    /// The least and the greatest of what an operation gives at the corners.
    fn corners(&self, other: &Range, op: impl Fn(&BigInt, &BigInt) -> BigInt) -> Range {
        let all = [(&self.0, &other.0), (&self.0, &other.1), (&self.1, &other.0), (&self.1, &other.1)];
        let all = all.map(|(a, b)| op(a, b));
        let (least, most) = (all.iter().min().expect("four"), all.iter().max().expect("four"));
        Range(least.clone(), most.clone())
    }

    fn negated(&self) -> Range {
        Range(-&self.1, -&self.0)
    }

    fn magnitude(&self) -> Range {
        match (self.0.is_negative(), self.1.is_negative()) {
            (false, _) => self.clone(),
            (true, true) => self.negated(),
            (true, false) => Range(BigInt::zero(), self.1.clone().max(-&self.0)),
        }
    }

    /// |a div b| ≤ |a|, and 0 where b is 0.
    fn quotient(&self) -> Range {
        let most = self.magnitude().1;
        Range(-&most, most)
    }

    /// 0 ≤ a mod b < |b|, and a where b is 0; a itself where 0 ≤ a < |b|.
    fn remainder(&self, divisor: &Range) -> Range {
        let size = divisor.magnitude();
        if !self.0.is_negative() && self.1 < size.0 {
            return self.clone();
        }
        let below = Range(BigInt::zero(), (&size.1 - 1u8).max(BigInt::zero()));
        if size.0.is_zero() { below.joined(self) } else { below }
    }

    /// Whether every number here is at most every number there; `None` where it depends.
    fn at_most(&self, other: &Range) -> Option<bool> {
        match () {
            _ if self.1 <= other.0 => Some(true),
            _ if self.0 > other.1 => Some(false),
            _ => None,
        }
    }

    fn equal(&self, other: &Range) -> Option<bool> {
        let apart = self.1 < other.0 || other.1 < self.0;
        let one = self.0 == self.1 && self == other;
        if apart { Some(false) } else { one.then_some(true) }
    }
}

impl Ranges {
    /// The bounds of a system, those that a proof claims among them, or which of these is not shown.
    pub fn of(system: &System, proof: &WordProof, roles: &[Option<Role>]) -> Result<Ranges, Refusal> {
        let conjuncts = system.constraints.iter().flat_map(|c| conjuncts(&system.terms, c.term)).collect();
        let constrained = bounds(&system.terms, conjuncts, |v| {
            matches!(roles[v.index()], Some(Role::Input(_) | Role::State(_)))
        });
        let claims = proof.claim.invariant.clone();
        let claimed = bounds(&proof.terms, claims, |v| match roles[v.index()] {
            Some(Role::State(s)) => {
                goes_on(system.state(s)) && constrained.iter().all(|(bounded, _)| *bounded != v)
            }
            _ => false,
        });
        let mut ranges = Ranges { known: Vec::new(), constrained, claimed };
        ranges.compute(system, &proof.terms, roles);
        ranges
            .claimed
            .iter()
            .try_for_each(|(variable, range)| ranges.shown(system, roles, *variable, range))?;
        Ok(ranges)
    }

    /// range(init) ⊆ range ∧ range(next) ⊆ range
    fn shown(
        &self,
        system: &System,
        roles: &[Option<Role>],
        variable: TermId,
        range: &Range,
    ) -> Result<(), Refusal> {
        let Some(Role::State(s)) = roles[variable.index()] else { unreachable!("states are claimed") };
        let state = system.state(s);
        for given in state.init.into_iter().chain(state.next) {
            let within = self.range(given).is_some_and(|values| range.holds(values));
            require(within, || {
                format!("`{}` does not stay between {} and {}", state.label.name, range.0, range.1)
            })?;
        }
        Ok(())
    }

    pub fn range(&self, term: TermId) -> Option<&Range> {
        match &self.known[term.index()] {
            Known::Within(range) => Some(range),
            _ => None,
        }
    }

    /// The truth of a term, where the bounds decide it.
    pub fn decided(&self, term: TermId) -> Option<bool> {
        match self.known[term.index()] {
            Known::Truth(truth) => Some(truth),
            _ => None,
        }
    }

    /// The truth of an application, where the bounds decide it; `None` for variables and constants.
    pub fn truth(&self, terms: &Terms, term: TermId) -> Option<bool> {
        self.decided(term).filter(|_| matches!(terms.node(term), Node::Apply(..)))
    }

    /// The bounds of a variable with all that it is given; `None` where something has no bounds.
    pub fn held(&self, variable: TermId, given: impl Iterator<Item = TermId>) -> Option<Range> {
        let own = self.range(variable)?.clone();
        given.map(|term| self.range(term)).try_fold(own, |all, next| Some(all.joined(next?)))
    }

    fn compute(&mut self, system: &System, terms: &Terms, roles: &[Option<Role>]) {
        let mut leaves = vec![Known::Nothing; terms.len()];
        for (variable, range) in self.constrained.iter().chain(&self.claimed) {
            leaves[variable.index()] = Known::Within(range.clone());
        }
        for term in terms.ids() {
            let known = match (terms.node(term), roles[term.index()]) {
                (Node::Constant(Value::Int(n)), _) => Known::Within(Range::point(n)),
                (Node::Constant(Value::Bool(truth)), _) => Known::Truth(*truth),
                (Node::Constant(_), _) => Known::Nothing,
                (Node::Variable(_), Some(Role::Definition(d))) => {
                    let value = system.definitions[d].value;
                    self.known.get(value.index()).cloned().unwrap_or(Known::Nothing)
                }
                (Node::Variable(_), _) => leaves[term.index()].clone(),
                (Node::Apply(op, _, operands), _) => self.apply(terms, op, operands),
            };
            self.known.push(known);
        }
    }

    fn apply(&self, terms: &Terms, op: Op, operands: &[TermId]) -> Known {
        let args: Vec<&Known> = operands.iter().map(|t| &self.known[t.index()]).collect();
        let truth = |n: usize| match args[n] {
            Known::Truth(truth) => Some(*truth),
            _ => None,
        };
        let known = |truth: Option<bool>| truth.map_or(Known::Nothing, Known::Truth);
        match op {
            Op::Not => known(truth(0).map(|t| !t)),
            Op::And => known(decided((0..args.len()).map(truth), false)),
            Op::Or => known(decided((0..args.len()).map(truth), true)),
            Op::Implies => known(decided([truth(0).map(|t| !t), truth(1)].into_iter(), true)),
            Op::Ite => match (truth(0), args[1], args[2]) {
                (Some(true), then, _) => then.clone(),
                (Some(false), _, other) => other.clone(),
                (None, Known::Within(a), Known::Within(b)) => Known::Within(a.joined(b)),
                (None, a, b) if a == b => a.clone(),
                _ => Known::Nothing,
            },
            Op::BvToInt | Op::BvToNat => {
                let width = terms.width(operands[0]).expect("the sort rule wants a word");
                if u64::from(width) >= WIDEST {
                    return Known::Nothing;
                }
                let all = BigInt::one() << width;
                Known::Within(match op == Op::BvToInt {
                    true => Range(-(&all / 2u8), all / 2u8 - 1u8),
                    false => Range(BigInt::zero(), all - 1u8),
                })
            }
            _ => {
                let within = |known: &&Known| match known {
                    Known::Within(range) => Some(range.clone()),
                    _ => None,
                };
                args.iter()
                    .map(within)
                    .collect::<Option<Vec<Range>>>()
                    .map_or(Known::Nothing, |a| numeric(op, &a).within_reason())
            }
        }
    }
}

/// `or` where `decisive` is true, else `and`.
fn decided(mut parts: impl Iterator<Item = Option<bool>> + Clone, decisive: bool) -> Option<bool> {
    match parts.clone().any(|part| part == Some(decisive)) {
        true => Some(decisive),
        false => parts.all(|part| part == Some(!decisive)).then_some(!decisive),
    }
}

/// Operators on integers.
fn numeric(op: Op, args: &[Range]) -> Known {
    let fold = |join: fn(&Range, &Range) -> Range| {
        Known::Within(args[1..].iter().fold(args[0].clone(), |sum, next| join(&sum, next)))
    };
    let known = |truth: Option<bool>| truth.map_or(Known::Nothing, Known::Truth);
    match (op, args) {
        (Op::Add, _) => fold(|a, b| Range(&a.0 + &b.0, &a.1 + &b.1)),
        (Op::Mul, _) => fold(|a, b| a.corners(b, |x, y| x * y)),
        (Op::Sub, [a, b]) => Known::Within(Range(&a.0 - &b.1, &a.1 - &b.0)),
        (Op::Neg, [a]) => Known::Within(a.negated()),
        (Op::Abs, [a]) => Known::Within(a.magnitude()),
        (Op::IntDiv, [a, _]) => Known::Within(a.quotient()),
        (Op::IntMod, [a, b]) => Known::Within(a.remainder(b)),
        (Op::Le, [a, b]) | (Op::Ge, [b, a]) => known(a.at_most(b)),
        (Op::Lt, [b, a]) | (Op::Gt, [a, b]) => known(a.at_most(b).map(|truth| !truth)),
        (Op::Eq, [a, b]) => known(a.equal(b)),
        _ => Known::Nothing,
    }
}

/// Whether both the start and the steps of a state are given.
fn goes_on(state: &State) -> bool {
    state.init.is_some() && state.next.is_some()
}

fn conjuncts(terms: &Terms, term: TermId) -> Vec<TermId> {
    match terms.node(term) {
        Node::Apply(Op::And, _, parts) => parts.iter().flat_map(|&part| conjuncts(terms, part)).collect(),
        _ => vec![term],
    }
}

/// Integers with a lower and an upper bound among these terms. Bounds that contradict each other leave no
/// execution: any range will do.
fn bounds(terms: &Terms, of: Vec<TermId>, counts: impl Fn(TermId) -> bool) -> Vec<(TermId, Range)> {
    let (mut lows, mut highs) = (std::collections::BTreeMap::new(), std::collections::BTreeMap::new());
    for term in of {
        let Node::Apply(Op::Le, _, &[a, b]) = terms.node(term) else { continue };
        match (terms.as_constant(a), terms.as_constant(b)) {
            (Some(Value::Int(n)), None) if terms.is_variable(b) && counts(b) => {
                let low = lows.entry(b).or_insert_with(|| n.clone());
                *low = (*low).clone().max(n.clone());
            }
            (None, Some(Value::Int(n))) if terms.is_variable(a) && counts(a) => {
                let high = highs.entry(a).or_insert_with(|| n.clone());
                *high = (*high).clone().min(n.clone());
            }
            _ => {}
        }
    }
    let both = lows.into_iter().filter_map(|(variable, low)| Some((variable, low, highs.remove(&variable)?)));
    let range = |low: BigInt, high: BigInt| {
        if low <= high { Range(low, high) } else { Range::point(&BigInt::zero()) }
    };
    both.map(|(variable, low, high)| (variable, range(low, high))).collect()
}

/// Whether a term is an integer.
pub(super) fn is_int(terms: &Terms, term: TermId) -> bool {
    *terms.sort(term) == Sort::Int
}

#[cfg(test)]
mod tests {
    use num_integer::Integer;

    use super::*;

    /// The result of an operation on numbers of the ranges lies within the range that it gives.
    #[test]
    fn results_lie_within() {
        let ranges: Vec<(i64, i64)> =
            (-3..=3).flat_map(|low| (low..=3).map(move |high| (low, high))).collect();
        for (&(a, b), &(c, d)) in ranges.iter().flat_map(|x| ranges.iter().map(move |y| (x, y))) {
            let args = [Range(a.into(), b.into()), Range(c.into(), d.into())];
            for (n, m) in (a..=b).flat_map(|n| (c..=d).map(move |m| (n, m))) {
                let rest = if m == 0 { n } else { n.mod_floor(&m.abs()) };
                let quotient = if m == 0 { 0 } else { (n - rest) / m };
                let exact = [
                    (Op::Add, n + m),
                    (Op::Sub, n - m),
                    (Op::Mul, n * m),
                    (Op::IntDiv, quotient),
                    (Op::IntMod, rest),
                ];
                for (op, result) in exact {
                    let Known::Within(range) = numeric(op, &args) else { panic!("{op:?} has a range") };
                    assert!(range.holds(&Range::point(&result.into())), "{op:?} {n} {m}: {range:?}");
                }
                let truths =
                    [(Op::Le, n <= m), (Op::Lt, n < m), (Op::Ge, n >= m), (Op::Gt, n > m), (Op::Eq, n == m)];
                for (op, truth) in truths {
                    let known = numeric(op, &args);
                    assert!(known == Known::Nothing || known == Known::Truth(truth), "{op:?} {n} {m}");
                }
            }
        }
    }
}
