//! Cubicle: array-based systems of any number of processes (Conchon, Goel, Krstić, Mebsout, Zaïdi, "Cubicle: a
//! parallel SMT-based model checker for parameterized systems", CAV 2012).
//!
//! [`lexer`] and [`parser`] make a [`syntax::File`], [`lower`] makes an [`Indexed`] of it. What the words mean:
//!
//! * Processes are the numbers 0 ≤ i < N. N is a parameter: a state that never changes and starts anywhere above
//!   0.
//! * A step is one transition with processes for its parameters, which are distinct, or none (`idle`): the input
//!   `rule` says which, the inputs `p1`, `p2`, … who. Guards are constraints `rule = t ⇒ guard`.
//! * `forall_other z. g` is an axiom: `rule = t ⇒ g` for all processes that are no parameters of t.
//! * `unsafe (x y) { c }` is a property: never c, for distinct processes.
//! * `init (x y) { c }` holds for all processes. An equation between a variable and a value is its start; the rest
//!   is said of the first step, which the state `start` marks.
//! * `invariant` and `candidate` are hints: cubes that may be unreachable. Nothing is assumed because of them.
//! * A variable of type `proc` is a process at the start; `?` and `.` are any value of their type.

mod lexer;
mod lower;
mod parser;
mod syntax;
#[cfg(test)]
mod tests;

use buttress_system::indexed::Indexed;

use crate::Diagnostic;
use lexer::Token;

/// Whether this is a Cubicle file: it declares a transition, `transition t (`, and has no word that Cubicle has
/// not.
pub fn looks_like(text: &str) -> bool {
    let Ok(tokens) = lexer::tokens(text) else { return false };
    tokens.windows(3).any(|three| match [&three[0].token, &three[1].token, &three[2].token] {
        [Token::Name(word), Token::Name(_) | Token::Capital(_), Token::Sign("(" | "{")] => {
            word == "transition"
        }
        _ => false,
    })
}

/// Reads a model.
pub fn read(text: &str) -> Result<Indexed, Diagnostic> {
    let located = |wrong: lexer::Wrong| {
        let line = text.lines().nth(wrong.at.line as usize - 1).unwrap_or_default();
        let position = crate::Position::text(wrong.at.line, wrong.at.column);
        Diagnostic::new(wrong.message).at(position).with_length(wrong.at.length.max(1)).with_source(line)
    };
    let file = lexer::tokens(text).and_then(parser::parse).map_err(located)?;
    lower::lower(&file).map_err(located)
}
