//! Random systems: every engine alone and all together, against the reference. Four tests, so that two cores
//! are busy; and one that keeps the random systems interesting.

use std::sync::Arc;
use std::time::Duration;

use buttress_testkit::fuzz::{Summary, examine, fsis_lineups, lineups};
use buttress_testkit::random;

const LIMIT: Duration = Duration::from_secs(20);
const SYSTEMS: u64 = 1000;

fn range(from: u64) -> Summary {
    let (mut summary, lineups) = (Summary::default(), lineups());
    for seed in from..from + SYSTEMS {
        match examine(&Arc::new(random::system(seed)), &lineups, LIMIT) {
            Ok(examination) => summary.add(&examination),
            Err(why) => panic!("seed {seed}: {why} (the binary `fuzz` shrinks it)"),
        }
    }
    println!("{summary}");
    summary
}

/// A set in which all is decided at once would test nothing.
fn is_balanced(summary: &Summary) {
    let safe = summary.safe as f64 / summary.properties() as f64;
    assert!((0.3..0.7).contains(&safe), "{safe} of the properties hold");
    assert!(summary.share_of_long_traces(2) > 0.3, "too many are violated at once");
    assert!(summary.share_of_long_traces(6) > 0.03, "no long traces");
    assert!(summary.share_of_deep_proofs(2) > 0.2, "too many are inductive as they stand");
    assert!(summary.share_of_deep_proofs(5) > 0.03, "no deep proofs");
    assert!(summary.distinct > 20 && summary.together > 50, "no proofs of this kind");
    assert!(summary.ending > 10 && summary.empty > 5, "constraints end no executions");
}

/// FSIS in its other ways, in two and four threads, and with k-induction.
#[test]
fn fsis_in_all_its_ways() {
    let lineups = fsis_lineups();
    for seed in 5000..5600 {
        if let Err(why) = examine(&Arc::new(random::system(seed)), &lineups, LIMIT) {
            panic!("seed {seed}: {why}");
        }
    }
}

#[test]
fn first_thousand() {
    is_balanced(&range(0));
}

#[test]
fn second_thousand() {
    is_balanced(&range(1000));
}

#[test]
fn third_thousand() {
    is_balanced(&range(2000));
}

#[test]
fn fourth_thousand() {
    is_balanced(&range(4000));
}
