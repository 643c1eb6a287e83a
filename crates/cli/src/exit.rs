//! Exit codes. Where several apply, the one listed first counts.

/// Evidence was rejected, or our own fault; some property was falsified; some is undecided; all are proved, or all
/// is well.
pub use buttress_driver::exit::{FALSIFIED, FAULT, PROVED, UNDECIDED};

/// Bad usage.
pub const USAGE: u8 = 2;
/// Bad input.
pub const INPUT: u8 = 3;
/// `--strict`: all properties are proved, and something is doubtful all the same.
pub const DOUBTFUL: u8 = 40;

/// Nobody reads what is printed.
pub const PIPE: u8 = 141;

/// `--hwmcc`: all properties proved.
pub const HWMCC_UNSAT: u8 = 20;
/// `--hwmcc`: some property falsified.
pub const HWMCC_SAT: u8 = 10;
/// `--hwmcc`: neither.
pub const HWMCC_UNKNOWN: u8 = 0;
