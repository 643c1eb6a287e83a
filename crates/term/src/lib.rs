//! Sorts and values: what a variable of a model may hold, and how a person writes it.
//!
//! This is the lowest room of the house: it knows of no system, no solver and no file. The path from
//! AIGER to a verdict makes no terms at all (bits live in `buttress-system`), so what stands here is what
//! that path shares with every later one: the [`Sort`] of a signal and its [`Value`] in a trace.
//! Hash-consed terms over these sorts belong here too, next to them, when a word-level format needs them.

mod value;

pub use value::{Sort, Value, Word};
