//! Printers: of a [`Report`](buttress_driver::Report), and of what other commands find. They decide nothing.

pub mod cores;
pub mod element;
pub mod github;
pub mod html;
pub mod invariants;
pub mod json;
pub mod junit;
pub mod kind2;
pub mod matrix;
pub mod place;
pub mod sarif;
pub mod story;
pub mod text;
pub mod trace;
pub mod xml;

/// `1 clause`, `2 clauses`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
