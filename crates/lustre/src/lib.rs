//! Lustre, as JKind and Kind 2 read it.
//!
//! ```text
//! text ─lexer─▶ tokens ─parser─▶ Ast ─blocks─▶ Ast without blocks ─check─▶ Program ─clocks, causality, guards─▶ Program
//!                                                                                            ├─lower─▶ System
//!                                                                                            └─interpret─▶ steps
//! ```
//!
//! Every phase collects what is wrong and goes on; [`read`] answers with a [`LustreModel`] or with all
//! diagnostics. Phases recurse as deeply as expressions are nested ([`parser::DEPTH`]), so they run on a stack of
//! their own.

pub mod annotate;
pub mod ast;
mod blocks;
mod causality;
mod check;
mod clocks;
mod data;
mod deep;
pub mod express;
mod guards;
pub mod interpret;
mod layout;
mod lemmas;
mod lexer;
mod lower;
mod parser;
mod quantify;
mod queries;
mod reduce;
mod refinement;
pub mod replay;
pub mod script;
pub mod source;
pub mod table;
pub mod types;
mod unasked;
pub mod unit;
pub mod write;

use buttress_format::Diagnostic;

pub use lemmas::{Extended, with_lemmas, with_terms};
pub use lower::{Called, Lowered, Origin, lower, lower_node, lower_with_arguments};
pub use reduce::without;
pub use unasked::Unasked;

use source::{Findings, Source, Span};
use unit::Program;

/// A model that was read and checked.
pub struct LustreModel {
    pub source: Source,
    pub program: Program,
    /// Warnings and notes, in the order of the text.
    pub remarks: Vec<Diagnostic>,
}

/// Does a text look like Lustre? Readers decide by content.
pub fn looks_like(text: &str) -> bool {
    let mut findings = Findings::default();
    let start: String = text.chars().take(1 << 16).collect();
    let tokens = lexer::lex(&start, &mut findings);
    let first = tokens.first().map(|token| &start[token.span.start as usize..token.span.end as usize]);
    let words = [
        "node",
        "function",
        "type",
        "const",
        "contract",
        "datatype",
        "lemma",
        "transparent",
        "opaque",
        "include",
        "param",
    ];
    first.is_some_and(|word| words.contains(&word) || word.starts_with("(*@contract"))
}

/// Reads and checks a model. On an error all diagnostics are returned, warnings included.
pub fn read(text: String) -> Result<LustreModel, Vec<Diagnostic>> {
    deep::run(|| {
        let source = Source::new(text);
        let mut findings = Findings::default();
        match analyse(&source, &mut findings) {
            Some(program) if !findings.has_errors() => {
                let remarks = findings.diagnostics(&source);
                Ok(LustreModel { source, program, remarks })
            }
            _ => Err(findings.diagnostics(&source)),
        }
    })
}

/// The phases; a phase with errors is the last.
fn analyse(source: &Source, findings: &mut Findings) -> Option<Program> {
    if source.text().len() > u32::MAX as usize / 2 {
        findings.error(Span::default(), "this file is too large");
        return None;
    }
    let tokens = lexer::lex(source.text(), findings);
    let mut ast = parser::parse(source.text(), &tokens, findings);
    if findings.has_errors() {
        return None;
    }
    queries::spell_out(&mut ast, findings);
    blocks::flatten(&mut ast, findings);
    let mut program = check::check(ast, findings)?;
    if findings.has_errors() {
        return None;
    }
    clocks::check(&mut program, source, findings);
    causality::check(&mut program, findings);
    guards::check(&mut program, findings);
    Some(program)
}
