//! Every command and every engine on the same random models; a hundred times as many by the program `agree`.

use std::time::Duration;

use buttress_solve::smt::{Config, directories, find};
use buttress_testkit::agree::{Effort, Summary, examine};

fn effort() -> Effort {
    let smt = Config::new(find(&directories()));
    Effort { smt, patience: Duration::from_millis(300), whole: false }
}

/// Models that were decided wrongly once: cores of proofs that compare states; resets that read inputs to no effect.
#[test]
fn what_was_wrong_once_is_right() {
    for seed in [49, 269, 3158] {
        examine(seed, &effort(), &mut Summary::default()).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}
