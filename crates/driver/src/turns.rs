//! Properties in turn, for engines that look at one at a time.
//!
//! While several properties are open, each is granted a number of queries, in every round more, and starts over in
//! the next: a hard one cannot starve the others, and of all the work on it at most a third is done twice. Who is
//! alone may take as long as it takes. In the first round only what is quick is tried: whoever has a way to make
//! the others easier, which takes time itself, need not spend it on those that are decided at once.

use std::time::{Duration, Instant};

use buttress_solve::{Stop, Stopped};
use buttress_system::PropertyId;
use rustc_hash::FxHashMap;

use crate::supervise::within;

/// What a turn may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grant {
    pub queries: u64,
    /// Whether this is only to see what is decided at once.
    pub quick: bool,
    /// Whether the property has had a turn that was not quick: what it takes time to prepare may be worth it.
    pub again: bool,
}

/// Queries granted in the first of several rounds, and in the second.
const QUICK: u64 = 200;
const SECOND: u64 = 2_000;

/// After so many turns, the first round ends if hardly anything was decided in it.
const SEEN: usize = 24;

/// How many times as many there are in the next.
const GROWTH: u64 = 4;

/// One turn of a property; `Err(Stopped::Budget)` where the queries granted were not enough.
pub(crate) type Turn<'a> = dyn FnMut(PropertyId, Grant, &Stop) -> Result<(), Stopped> + 'a;

/// Who takes turns.
pub(crate) struct Turns<'a> {
    pub properties: Vec<PropertyId>,
    pub is_decided: &'a dyn Fn(PropertyId) -> bool,
    /// How long all turns of one property may take, and who hears that it was not enough.
    pub limit: Option<Duration>,
    pub out_of_time: &'a dyn Fn(PropertyId),
}

/// Gives turns until every property has come to an end, leaving out what is decided meanwhile.
pub(crate) fn in_turns(turns: Turns<'_>, stop: &Stop, turn: &mut Turn<'_>) -> Result<(), Stopped> {
    let Turns { properties: mut open, is_decided, limit, out_of_time } = turns;
    let mut spent: FxHashMap<PropertyId, Duration> = FxHashMap::default();
    let mut timed = |property: PropertyId, grant: Grant| -> Result<(), Stopped> {
        let Some(limit) = limit else { return turn(property, grant, stop) };
        let used = spent.entry(property).or_default();
        let (begin, waited) = (Instant::now(), stop.kept_waiting());
        let ended = within(stop, Some(limit.saturating_sub(*used)), |own| turn(property, grant, own));
        *used += (begin.elapsed() + waited).saturating_sub(stop.kept_waiting());
        match ended {
            Err(Stopped::Time) if !stop.requested() => {
                out_of_time(property);
                Ok(())
            }
            ended => ended,
        }
    };
    let mut grant = Grant { queries: QUICK, quick: open.len() > 1, again: false };
    while !open.is_empty() {
        open.retain(|&p| !is_decided(p));
        let queries = if open.len() > 1 || grant.quick { grant.queries } else { u64::MAX };
        let (mut later, mut turns) = (Vec::new(), 0);
        for property in open {
            let in_vain = grant.quick && turns >= SEEN && later.len() * 8 > turns * 7;
            if is_decided(property) {
                continue;
            }
            if in_vain {
                later.push(property);
                continue;
            }
            turns += 1;
            match timed(property, Grant { queries, ..grant }) {
                Err(Stopped::Budget) => later.push(property),
                ended => ended?,
            }
        }
        open = later;
        let queries = if grant.quick { SECOND } else { grant.queries.saturating_mul(GROWTH) };
        grant = Grant { queries, quick: false, again: !grant.quick };
    }
    Ok(())
}
