//! The way from one system to another and back: who changes the system brings it.
//!
//! A transformation takes a system to another, of the same kind or not. Evidence about the new system becomes
//! evidence about the old, lemmas about the old become lemmas about the new. A transformation that relied on a
//! fact (a constant latch, the bounds of an integer) puts it into the proof on the way back, so that
//! `buttress-check`, which only knows the original system, can follow. Ways compose ([`Then`]), over any pair of
//! kinds.

use std::sync::Arc;

use buttress_system::{Lit, PropertyId, Subject};

pub trait Way: Send + Sync {
    type Old: Subject;
    type New: Subject;

    /// Where it leads.
    fn system(&self) -> &Arc<Self::New>;

    /// A property of the new system, in the old.
    fn property(&self, property: PropertyId) -> PropertyId;

    fn trace(&self, trace: <Self::New as Subject>::Trace) -> <Self::Old as Subject>::Trace;

    /// A path that starts in any state, not where executions do.
    fn path(&self, path: <Self::New as Subject>::Trace) -> <Self::Old as Subject>::Trace;

    fn proof(&self, proof: <Self::New as Subject>::Proof) -> <Self::Old as Subject>::Proof;

    /// The literal of an input or a latch, where both systems have them.
    fn literal(&self, lit: Lit) -> Option<Lit>;

    /// The way down: what each lemma about the old system says about the new; `None` where it speaks of what is
    /// gone, or says nothing there.
    fn lower(&self, lemmas: &[<Self::Old as Subject>::Lemma]) -> Vec<Option<<Self::New as Subject>::Lemma>>;
}

/// A way whose steps nobody need know.
pub type AnyWay<O, N> = Box<dyn Way<Old = O, New = N>>;

/// A property of the old system, in the new; `None` where it is gone.
pub fn lower_property<W: Way + ?Sized>(way: &W, property: PropertyId) -> Option<PropertyId> {
    let lowered = way.lower(&[W::Old::lemma(property)]).pop().flatten()?;
    W::New::as_property(&lowered)
}

/// No way at all: the system as it is.
pub struct Same<S>(pub Arc<S>);

impl<S: Subject> Way for Same<S> {
    type Old = S;
    type New = S;

    fn system(&self) -> &Arc<S> {
        &self.0
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        property
    }

    fn trace(&self, trace: S::Trace) -> S::Trace {
        trace
    }

    fn path(&self, path: S::Trace) -> S::Trace {
        path
    }

    fn proof(&self, proof: S::Proof) -> S::Proof {
        proof
    }

    fn literal(&self, lit: Lit) -> Option<Lit> {
        Some(lit)
    }

    fn lower(&self, lemmas: &[S::Lemma]) -> Vec<Option<S::Lemma>> {
        lemmas.iter().cloned().map(Some).collect()
    }
}

/// First the one, then the other.
pub struct Then<A, B>(pub A, pub B);

impl<A: Way, B: Way<Old = A::New>> Way for Then<A, B> {
    type Old = A::Old;
    type New = B::New;

    fn system(&self) -> &Arc<B::New> {
        self.1.system()
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        self.0.property(self.1.property(property))
    }

    fn trace(&self, trace: <B::New as Subject>::Trace) -> <A::Old as Subject>::Trace {
        self.0.trace(self.1.trace(trace))
    }

    fn path(&self, path: <B::New as Subject>::Trace) -> <A::Old as Subject>::Trace {
        self.0.path(self.1.path(path))
    }

    fn proof(&self, proof: <B::New as Subject>::Proof) -> <A::Old as Subject>::Proof {
        self.0.proof(self.1.proof(proof))
    }

    fn literal(&self, lit: Lit) -> Option<Lit> {
        self.0.literal(self.1.literal(lit)?)
    }

    fn lower(&self, lemmas: &[<A::Old as Subject>::Lemma]) -> Vec<Option<<B::New as Subject>::Lemma>> {
        let between = self.0.lower(lemmas);
        let kept: Vec<_> = between.iter().flatten().cloned().collect();
        let mut lowered = self.1.lower(&kept).into_iter();
        between.into_iter().map(|lemma| lemma.and_then(|_| lowered.next().flatten())).collect()
    }
}

/// A way behind a pointer.
macro_rules! behind {
    ($pointer:ty) => {
        impl<W: Way + ?Sized> Way for $pointer {
            type Old = W::Old;
            type New = W::New;

            fn system(&self) -> &Arc<W::New> {
                (**self).system()
            }

            fn property(&self, property: PropertyId) -> PropertyId {
                (**self).property(property)
            }

            fn trace(&self, trace: <W::New as Subject>::Trace) -> <W::Old as Subject>::Trace {
                (**self).trace(trace)
            }

            fn path(&self, path: <W::New as Subject>::Trace) -> <W::Old as Subject>::Trace {
                (**self).path(path)
            }

            fn proof(&self, proof: <W::New as Subject>::Proof) -> <W::Old as Subject>::Proof {
                (**self).proof(proof)
            }

            fn literal(&self, lit: Lit) -> Option<Lit> {
                (**self).literal(lit)
            }

            fn lower(
                &self,
                lemmas: &[<W::Old as Subject>::Lemma],
            ) -> Vec<Option<<W::New as Subject>::Lemma>> {
                (**self).lower(lemmas)
            }
        }
    };
}

behind!(Box<W>);
behind!(Arc<W>);
behind!(&W);
