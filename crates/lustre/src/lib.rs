//! Lustre.
pub mod ast;
mod blocks;
mod check;
pub mod lexer;
mod parser;
pub mod source;
pub mod types;
pub mod unit;

pub fn parse(text: &str) -> (Option<unit::Program>, source::Findings) {
    let mut f = source::Findings::default();
    let tokens = lexer::lex(text, &mut f);
    let mut ast = parser::parse(text, &tokens, &mut f);
    if f.has_errors() { return (None, f); }
    blocks::flatten(&mut ast, &mut f);
    if f.has_errors() { return (None, f); }
    let p = check::check(ast, &mut f);
    (p, f)
}
