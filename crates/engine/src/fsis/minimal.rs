//! A minimal subset that satisfies a monotone predicate (Bradley & Manna, FMCAD 2007, Section IV-B, Figs. 1–4).
//!
//! Given `p` with `p(S)`, `¬p(∅)` and `p(A) ⇒ p(B)` for `A ⊆ B`, find `V ⊆ S` with `p(V)` such that no element can
//! be left out. All three forms are generic over the predicate, count nothing themselves, and ask `p(S)` once.
//!
//! | form | queries |
//! |---|---|
//! | [`linear`] | 1 + \|S\| |
//! | [`optimal`] | O((m−1) + m·lg(n/m)) for n = \|S\|, m = \|V\| (Theorem 2); no method can do with fewer than Ω(m + m·lg((n−m)/m)) (Theorem 3) |
//! | [`with_cores`] | as `optimal`, fewer where `p` tells which part of its argument it needed |
//!
//! The recursion's contracts (Fig. 3) are debug assertions: before, `¬p(sup)` and `p(sup ∪ S₀)`; after, `p(sup ∪
//! V)`, `V ⊆ S₀`, and `¬p(sup ∪ V ∖ {e})` for each e in V. They cost no queries: all five follow, by monotonicity,
//! from answers that the recursion got, and a debug build remembers these (`Known`).

/// The answer of a predicate: `None` for false; for true, a part of its argument that is enough.
pub type Answer<T> = Option<Vec<T>>;

/// A monotone predicate that tells which part of its argument it needed.
pub type Predicate<'a, T, E> = dyn FnMut(&[T]) -> Result<Answer<T>, E> + 'a;

/// Fig. 1: leaves out one element after the other.
pub fn linear<T: Copy + PartialEq, E>(
    set: &[T],
    p: &mut dyn FnMut(&[T]) -> Result<bool, E>,
) -> Result<Option<Vec<T>>, E> {
    if !p(set)? {
        return Ok(None);
    }
    let mut kept = set.to_vec();
    for &element in set {
        let without: Vec<T> = kept.iter().copied().filter(|&e| e != element).collect();
        if p(&without)? {
            kept = without;
        }
    }
    Ok(Some(kept))
}

/// Fig. 2: halves the set, each half minimised with the other as support.
pub fn optimal<T: Copy + PartialEq, E>(
    set: &[T],
    p: &mut dyn FnMut(&[T]) -> Result<bool, E>,
) -> Result<Option<Vec<T>>, E> {
    with_cores(set, &mut |s: &[T]| Ok(p(s)?.then(|| s.to_vec())))
}

/// Fig. 4: as [`optimal`], shrinking to what the predicate says it needed.
pub fn with_cores<T: Copy + PartialEq, E>(
    set: &[T],
    p: &mut Predicate<'_, T, E>,
) -> Result<Option<Vec<T>>, E> {
    let Some(enough) = p(set)? else { return Ok(None) };
    if enough.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut known = Known::default();
    known.answered(set, Some(&enough));
    // ¬p(∅) is the caller's word.
    known.answered(&[], None);
    recurse(&[], &enough, p, &mut known).map(|(minimal, _)| Some(minimal))
}

/// The answers so far; empty in release builds.
struct Known<T> {
    holds: Vec<Vec<T>>,
    fails: Vec<Vec<T>>,
}

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known { holds: Vec::new(), fails: Vec::new() }
    }
}

impl<T: Copy + PartialEq> Known<T> {
    fn answered(&mut self, set: &[T], answer: Option<&[T]>) {
        if cfg!(debug_assertions) {
            match answer {
                Some(enough) => self.holds.push(enough.to_vec()),
                None => self.fails.push(set.to_vec()),
            }
        }
    }

    /// Whether p of this set follows.
    fn holds(&self, set: &[T]) -> bool {
        self.holds.iter().any(|part| part.iter().all(|e| set.contains(e)))
    }

    /// Whether ¬p of this set follows.
    fn fails(&self, set: &[T]) -> bool {
        self.fails.iter().any(|whole| set.iter().all(|e| whole.contains(e)))
    }

    /// ¬p(sup ∪ V ∖ {e}) for each e in V
    fn is_minimal(&self, support: &[T], minimal: &[T]) -> bool {
        minimal.iter().all(|&e| {
            let rest: Vec<T> = minimal.iter().copied().filter(|&other| other != e).collect();
            self.fails(&union(support, &rest))
        })
    }
}

/// `min(p, sup, S₀)`: a minimal V ⊆ S₀ with p(sup ∪ V), and the part of the support that is still needed.
fn recurse<T: Copy + PartialEq, E>(
    support: &[T],
    set: &[T],
    p: &mut Predicate<'_, T, E>,
    known: &mut Known<T>,
) -> Result<(Vec<T>, Vec<T>), E> {
    debug_assert!(known.fails(support), "the support alone is not enough");
    debug_assert!(known.holds(&union(support, set)), "with the set it is");
    let (minimal, needed) = halve(support, set, p, known)?;
    debug_assert!(minimal.iter().all(|e| set.contains(e)), "what is found is a part of the set");
    debug_assert!(known.holds(&union(&needed, &minimal)), "it is enough");
    debug_assert!(known.is_minimal(&needed, &minimal), "it is minimal");
    Ok((minimal, needed))
}

/// The body of the recursion.
fn halve<T: Copy + PartialEq, E>(
    support: &[T],
    set: &[T],
    p: &mut Predicate<'_, T, E>,
    known: &mut Known<T>,
) -> Result<(Vec<T>, Vec<T>), E> {
    if set.len() <= 1 {
        return Ok((set.to_vec(), support.to_vec()));
    }
    let (left, right) = set.split_at(set.len() / 2);
    for half in [left, right] {
        let asked = union(support, half);
        let answer = p(&asked)?;
        known.answered(&asked, answer.as_deref());
        if let Some(enough) = answer {
            debug_assert!(enough.iter().all(|e| asked.contains(e)), "the answer is a part of the question");
            return recurse(&intersection(support, &enough), &intersection(half, &enough), p, known);
        }
    }
    // Both halves are needed: first the left with the right as support, then the right with what is left.
    let (minimal_left, support_left) = recurse(&union(support, right), left, p, known)?;
    let support = intersection(support, &support_left);
    let right = intersection(right, &support_left);
    let (minimal_right, support_right) = recurse(&union(&support, &minimal_left), &right, p, known)?;
    Ok((union(&minimal_left, &minimal_right), intersection(&support, &support_right)))
}

fn union<T: Copy + PartialEq>(a: &[T], b: &[T]) -> Vec<T> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|e| !a.contains(e)));
    all
}

fn intersection<T: Copy + PartialEq>(a: &[T], b: &[T]) -> Vec<T> {
    a.iter().copied().filter(|e| b.contains(e)).collect()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use buttress_system::Rng;

    use super::*;

    /// A random monotone predicate: contains one of some random sets.
    fn predicate(rng: &mut Rng, n: usize) -> Vec<Vec<usize>> {
        (0..1 + rng.below(4)).map(|_| (0..1 + rng.below(5)).map(|_| rng.below(n)).collect()).collect()
    }

    fn holds(sets: &[Vec<usize>], s: &[usize]) -> bool {
        sets.iter().any(|set| set.iter().all(|e| s.contains(e)))
    }

    fn assert_minimal(sets: &[Vec<usize>], v: &[usize]) {
        assert!(holds(sets, v));
        for e in v {
            let without: Vec<usize> = v.iter().copied().filter(|x| x != e).collect();
            assert!(!holds(sets, &without), "{v:?} is not minimal for {sets:?}");
        }
    }

    #[test]
    fn all_three_forms_are_minimal() {
        let mut rng = Rng::new(7);
        for _ in 0..2000 {
            let n = 1 + rng.below(40);
            let sets = predicate(&mut rng, n);
            let all: Vec<usize> = (0..n).collect();
            let mut plain = |s: &[usize]| Ok::<_, Infallible>(holds(&sets, s));
            assert_minimal(&sets, &linear(&all, &mut plain).unwrap().unwrap());
            assert_minimal(&sets, &optimal(&all, &mut plain).unwrap().unwrap());
            let mut core = |s: &[usize]| {
                let enough = sets.iter().find(|set| set.iter().all(|e| s.contains(e)));
                Ok::<_, Infallible>(enough.map(|set| intersection(s, set)))
            };
            assert_minimal(&sets, &with_cores(&all, &mut core).unwrap().unwrap());
        }
    }

    #[test]
    fn a_predicate_that_never_holds_has_no_subset() {
        assert_eq!(linear(&[1, 2], &mut |_| Ok::<_, Infallible>(false)), Ok(None));
        assert_eq!(optimal(&[1, 2], &mut |_| Ok::<_, Infallible>(false)), Ok(None));
    }

    /// Theorem 3: with one minimal subset, each of its m elements takes a query, and the answers must tell the
    /// C(n,m) subsets apart. The bound is about the worst case, so the most queries over many subsets are
    /// compared.
    #[test]
    fn no_form_does_with_fewer_queries_than_the_theorem_says() {
        let mut rng = Rng::new(5);
        for n in [8_usize, 16, 64] {
            for m in [1_usize, 2, 4] {
                let all: Vec<usize> = (0..n).collect();
                let mut most = [0_u32; 2];
                for _ in 0..300 {
                    let mut order = all.clone();
                    rng.shuffle(&mut order);
                    let sets = vec![order[..m].to_vec()];
                    for (form, most) in [linear::<usize, Infallible>, optimal].into_iter().zip(&mut most) {
                        let mut queries = 0;
                        let found = form(&all, &mut |s: &[usize]| {
                            queries += 1;
                            Ok(holds(&sets, s))
                        });
                        assert_eq!(found.unwrap().unwrap().len(), m);
                        assert!(queries >= m as u32, "{queries} queries for n = {n}, m = {m}");
                        *most = (*most).max(queries);
                    }
                }
                let subsets: f64 = (0..m).map(|i| ((n - i) as f64 / (m - i) as f64).log2()).sum();
                assert!(most.iter().all(|&q| f64::from(q) >= subsets), "{most:?} for n = {n}, m = {m}");
                assert!(n < 16 * m || most[1] < most[0], "the optimal form asks less often: {most:?}");
            }
        }
    }

    /// Theorem 2, with the constant 2 that two queries a split cost.
    #[test]
    fn the_optimal_form_asks_as_often_as_the_theorem_says() {
        let mut rng = Rng::new(3);
        for n in [8, 64, 256, 1024] {
            for m in [1, 2, 4, 8] {
                let wanted: Vec<usize> = (0..m).map(|_| rng.below(n)).collect();
                let sets = vec![wanted.clone()];
                let all: Vec<usize> = (0..n).collect();
                let mut queries = 0;
                let mut count = |s: &[usize]| {
                    queries += 1;
                    Ok::<_, Infallible>(holds(&sets, s))
                };
                let minimal = optimal(&all, &mut count).unwrap().unwrap();
                let m = minimal.len() as f64;
                let bound = 1.0 + 2.0 * ((m - 1.0) + m * (n as f64 / m).log2().ceil());
                assert!(f64::from(queries) <= bound, "{queries} queries for n = {n}, m = {m}, bound {bound}");
            }
        }
    }
}
