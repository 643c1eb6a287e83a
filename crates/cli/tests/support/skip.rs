//! Tests that cannot run for want of a program are said and counted: `scripts/test` prints how many there were.

use std::io::Write;

pub fn skip(test: &str, why: &str) {
    eprintln!("skipped: {test}: {why}");
    if let Some(list) = std::env::var_os("BUTTRESS_SKIPPED") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(list).expect("a list");
        list.write_all(format!("{test}: {why}\n").as_bytes()).expect("a line");
    }
}
