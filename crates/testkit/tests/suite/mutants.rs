//! The list of faults that `tests/mutants/run` plants does not go stale.

use std::process::Command;

use buttress_testkit::tree::root;

#[test]
fn every_fault_has_its_place_in_the_source() {
    let done = Command::new("python3").arg(root().join("tests/mutants/run")).arg("--check").output();
    let done = done.expect("python3 runs the list");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
