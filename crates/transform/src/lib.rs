//! Who changes the system brings the way back.
//!
//! A transformation takes a system to another one; what it returns is a [`Way`] between them.
//!
//! | transformation | from | to | what it does |
//! |---|---|---|---|
//! | [`constants`] | bits | bits | latches that ternary simulation shows to be constant |
//! | [`cone`] | bits | bits | leaves out what neither a property nor a constraint reads |
//! | [`merge`] | bits | bits | gates that are the same function of latches and inputs are one |
//! | [`sweep`] | bits | bits | signals that are equal in every reachable state are one |
//! | [`merge_equal_states`] | words | words | states that are equal are one |
//! | [`finite`](mod@finite) | words | words | integers with bounds become words of bits |
//! | [`blast`] | words | bits | |
//! | [`raise`](raise()) | bits | words | |
//! | [`monitored_bits`] | bits with justice | bits | a monitor whose bad states are loops, or too many visits |
//! | [`monitored_words`] | words with justice | words | the same |

pub mod blast;
mod cone;
mod constants;
mod equal_states;
pub mod finite;
mod gates;
mod liveness;
mod raise;
mod rebuild;
mod restriction;
mod sweep;
mod way;

use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_system::{BitSystem, PropertyId};

pub use cone::cone;
pub use constants::constants;
pub use equal_states::{Merged, merge_equal_states};
pub use liveness::{monitored_bits, monitored_words};
pub use raise::{Raised, raise};
pub use restriction::Restriction;
pub use sweep::{Sweeping, merge, sweep};
pub use way::{AnyWay, Same, Then, Way, lower_property};

/// Constants first, then the cone of what remains: a constant cuts cones.
pub fn simplify(system: &Arc<BitSystem>, properties: &[PropertyId]) -> AnyWay<BitSystem, BitSystem> {
    let folded = constants(system);
    let sliced = cone(folded.system(), properties);
    Box::new(Then(folded, sliced))
}

/// Then gates of the same function, then signals that are equal in reachable states, and what is left to read once
/// they are one.
pub fn reduce<S: Sweeping>(
    system: &Arc<BitSystem>,
    properties: &[PropertyId],
    make: impl Fn() -> S,
) -> Result<AnyWay<BitSystem, BitSystem>, Stopped> {
    let simplified = simplify(system, properties);
    let merged = with_cone(merge(simplified.system(), &make)?);
    let swept = with_cone(sweep(merged.system(), &make)?);
    Ok(Box::new(Then(simplified, Then(merged, swept))))
}

/// Goes on to the cone of all properties.
fn with_cone(way: Restriction) -> Then<Restriction, Restriction> {
    let kept: Vec<PropertyId> = way.system().property_ids().collect();
    let sliced = cone(way.system(), &kept);
    Then(way, sliced)
}
