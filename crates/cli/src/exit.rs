//! Exit codes. Where several apply, the one listed first counts.

/// Bad usage.
pub const USAGE: u8 = 2;
/// Bad input.
pub const INPUT: u8 = 3;
/// Evidence was rejected, or our own fault.
pub const FAULT: u8 = 1;
/// Some property was falsified.
pub const FALSIFIED: u8 = 10;
/// Some property is undecided.
pub const UNDECIDED: u8 = 30;
/// `--strict`: all properties are proved, and something is doubtful all the same.
pub const DOUBTFUL: u8 = 40;
/// All properties are proved; or all is well.
pub const PROVED: u8 = 0;

/// Nobody reads what is printed.
pub const PIPE: u8 = 141;

/// `--hwmcc`: all properties proved.
pub const HWMCC_UNSAT: u8 = 20;
/// `--hwmcc`: some property falsified.
pub const HWMCC_SAT: u8 = 10;
/// `--hwmcc`: neither.
pub const HWMCC_UNKNOWN: u8 = 0;
