//! Liveness as safety: a system with justice properties becomes one with a monitor beside it, whose bad states say
//! that a justice property may be violated.
//!
//! What stands where is fixed by [`buttress_system::live`], where the papers are named, too. With
//! [`Monitor::Loop`] every engine for safety decides justice properties: a shortest path to a bad state is a
//! shortest lasso, one step longer, and BMC behind it has the encoding of linear size of Biere, Heljanko,
//! Junttila, Latvala & Schuppan, "Linear encodings of bounded LTL model checking", LMCS 2006. With
//! [`Monitor::Visits`] a proof is one of liveness, and a path to a bad state is only a path.
//!
//! Formulas are unfolded first: [`buttress_system::ltl`]. A lasso loses what the tableau guessed.
//!
//! Limits: what is compared is never less than what the property depends on, though an invariant may make some of
//! it constant. Stabilising constraints are not looked for.

use buttress_system::{Live, Recurrent};

mod bits;
mod words;

pub use bits::monitored_bits;
pub use words::monitored_words;

/// What a violation of a property meets again and again; without signals, what always holds.
fn recurring<S: Recurrent>(live: &Live<S>, justice: usize, always: S::Signal) -> Vec<S::Signal> {
    let signals: Vec<S::Signal> = live.signals(justice).collect();
    if signals.is_empty() { vec![always] } else { signals }
}

/// The justice property of each of the signals that [`recurring`] lists.
fn owners<S: Recurrent>(live: &Live<S>) -> Vec<usize> {
    let of = |j: usize| std::iter::repeat_n(j, live.signals(j).count().max(1));
    (0..live.justice.len()).flat_map(of).collect()
}
