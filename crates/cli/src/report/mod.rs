//! Reports. Every verdict in them comes from a `Checked`.

pub mod hwmcc;
pub mod json;
pub mod names;
pub mod story;
pub mod text;
pub mod trace;
pub mod words;
pub mod xml;
