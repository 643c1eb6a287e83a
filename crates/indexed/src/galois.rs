//! α, γ and the abstract system on small domains, as the paper defines them (sections 3 and 4): executable
//! definitions that the symbolic formulation is tested by.
//!
//! A concrete state is anything; the predicates are a function from a state and values of the index symbols to an
//! abstract state, a bit mask. α(s) = { φ(s, x) | x ∈ X } (1); γ(S) = { s | ∀x: φ(s, x) ∈ S } (2); N_A(S) =
//! α(N_C(γ(S))).

use std::collections::BTreeSet;

/// A set of abstract states; an abstract state has bit p set where predicate p holds.
pub type Abstract = BTreeSet<u32>;

/// A small concrete system with predicates.
pub struct Small<'a, S, X> {
    pub states: &'a [S],
    /// All values of the index symbols.
    pub places: &'a [X],
    pub predicates: &'a dyn Fn(&S, &X) -> u32,
    /// The successors of a state.
    pub next: &'a dyn Fn(&S) -> Vec<S>,
}

impl<S: Clone + Ord, X> Small<'_, S, X> {
    /// α of one state: in general several abstract states.
    pub fn alpha_of(&self, state: &S) -> Abstract {
        self.places.iter().map(|x| (self.predicates)(state, x)).collect()
    }

    pub fn alpha<'s>(&self, states: impl IntoIterator<Item = &'s S>) -> Abstract
    where
        S: 's,
    {
        states.into_iter().flat_map(|s| self.alpha_of(s)).collect()
    }

    pub fn gamma(&self, set: &Abstract) -> BTreeSet<S> {
        self.states.iter().filter(|s| self.alpha_of(s).is_subset(set)).cloned().collect()
    }

    /// N_A
    pub fn image(&self, set: &Abstract) -> Abstract {
        let next: Vec<S> = self.gamma(set).iter().flat_map(|s| (self.next)(s)).collect();
        self.alpha(&next)
    }

    /// R⁰ = α(Q⁰) (5), Rⁱ⁺¹ = Rⁱ ∪ N_A(Rⁱ) (6), to the fixpoint.
    pub fn rings(&self, start: &[S]) -> Vec<Abstract> {
        let mut rings = vec![self.alpha(start)];
        loop {
            let last = rings.last().expect("there is a start");
            let next: Abstract = last.union(&self.image(last)).copied().collect();
            if next == *last {
                return rings;
            }
            rings.push(next);
        }
    }
}
