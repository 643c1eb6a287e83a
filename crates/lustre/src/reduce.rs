//! A model without some equations of its main node, as source: their variables become inputs, and nodes that
//! nobody calls any more disappear (Figures 1 and 2 of Ghassabani, Gacek & Whalen, FSE 2016).
//!
//! The text is edited token by token, so what stays looks as it did. Equations of called nodes stay: more
//! equations than a core has never hurt. Refused: main nodes with contracts, local constants or `const` inputs.

use std::ops::Range;

use buttress_system::words;

use crate::LustreModel;
use crate::lexer::{Tok, Token, lex};
use crate::source::{Findings, Span};

/// The text without the equations of the main node at these places.
pub fn without(model: &LustreModel, dropped: &[words::Span]) -> Result<String, String> {
    let text = model.source.text();
    let main = model.program.unit(model.program.main);
    let gone: Vec<_> = main.equations.iter().filter(|e| dropped.contains(&place(model, e.span))).collect();
    if gone.is_empty() {
        return Ok(text.to_string());
    }
    let names: Vec<&str> =
        gone.iter().flat_map(|e| &e.targets).map(|(slot, _)| &*main.var(*slot).name.name).collect();
    let tokens = lex(text, &mut Findings::default());
    let at = tokens.iter().position(|t| t.span == main.name.span).ok_or("the main node has no name here")?;
    let mut header = Header { text, tokens: &tokens, at: at + 1 };
    let begin = main.name.span.end as usize;
    let (declared, end) = header.read()?;
    let mut edits = vec![(begin..end, declared.written(&names))];
    edits.extend(gone.iter().map(|e| (e.span.start as usize..e.span.end as usize, String::new())));
    edits.extend(annotations(&tokens).map(|range| (range, String::new())));
    Ok(uncalled_removed(&edited(text, edits), &main.name.name))
}

fn place(model: &LustreModel, span: Span) -> words::Span {
    let (start, end) = (model.source.position(span.start), model.source.position(span.end));
    words::Span { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
}

/// Replaces ranges, which do not overlap; lines that become empty go.
fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut new, mut from) = (String::new(), 0);
    for (range, by) in edits {
        new.push_str(&text[from..range.start]);
        if by.is_empty() && new.lines().last().is_some_and(|line| line.trim().is_empty()) {
            new.truncate(new.trim_end_matches([' ', '\t']).len());
            let rest = &text[range.end..];
            let blank = rest.find('\n').filter(|&at| rest[..at].trim().is_empty());
            from = range.end + blank.map_or(0, |at| at + 1);
            continue;
        }
        new.push_str(&by);
        from = range.end;
    }
    new.push_str(&text[from..]);
    new
}

/// `--%IVC …;`: what it names may be no equation any more.
fn annotations(tokens: &[Token]) -> impl Iterator<Item = Range<usize>> + '_ {
    let begins = tokens.iter().enumerate().filter(|(_, t)| t.tok == Tok::Ivc);
    begins.filter_map(|(at, begin)| {
        let end = tokens[at..].iter().find(|t| t.tok == Tok::Semi)?;
        Some(begin.span.start as usize..end.span.end as usize)
    })
}

/// Names with the text of their type.
type Declarations = Vec<(String, String)>;

#[derive(Default)]
struct Declared {
    inputs: Declarations,
    outputs: Declarations,
    locals: Declarations,
}

impl Declared {
    /// The header of the node: everything between its name and its equations.
    fn written(mut self, moved: &[&str]) -> String {
        let is_moved = |(name, _): &(String, String)| moved.contains(&name.as_str());
        for list in [&mut self.outputs, &mut self.locals] {
            self.inputs.extend(list.iter().filter(|d| is_moved(d)).cloned());
            list.retain(|d| !is_moved(d));
        }
        if self.outputs.is_empty() && !self.locals.is_empty() {
            self.outputs.push(self.locals.remove(0));
        }
        let list = |declarations: &Declarations| {
            let each: Vec<String> = declarations.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
            each.join("; ")
        };
        let locals: String = self.locals.iter().map(|(name, ty)| format!("var {name}: {ty};\n")).collect();
        format!("({}) returns ({});\n{locals}let", list(&self.inputs), list(&self.outputs))
    }
}

struct Header<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
}

impl Header<'_> {
    fn tok(&self) -> Tok {
        self.tokens[self.at].tok
    }

    fn expect(&mut self, tok: Tok) -> Result<(), String> {
        if self.tok() != tok {
            return Err(format!("{} in the head of the main node is not taken here", self.tok().describe()));
        }
        self.at += 1;
        Ok(())
    }

    /// All declarations, and where `let` ends.
    fn read(&mut self) -> Result<(Declared, usize), String> {
        let mut declared = Declared::default();
        self.expect(Tok::LParen)?;
        declared.inputs = self.list(Tok::RParen)?;
        self.expect(Tok::RParen)?;
        self.expect(Tok::Returns)?;
        self.expect(Tok::LParen)?;
        declared.outputs = self.list(Tok::RParen)?;
        self.expect(Tok::RParen)?;
        if self.tok() == Tok::Semi {
            self.at += 1;
        }
        while self.tok() == Tok::Var {
            self.at += 1;
            while self.tok() == Tok::Ident {
                declared.locals.extend(self.group(Tok::Semi)?);
                self.expect(Tok::Semi)?;
            }
        }
        let end = self.tokens[self.at].span.end as usize;
        self.expect(Tok::Let)?;
        Ok((declared, end))
    }

    fn list(&mut self, close: Tok) -> Result<Declarations, String> {
        let mut declarations = Vec::new();
        while self.tok() != close {
            declarations.extend(self.group(close)?);
            if self.tok() == Tok::Semi {
                self.at += 1;
            }
        }
        Ok(declarations)
    }

    /// `a, b: type`
    fn group(&mut self, close: Tok) -> Result<Declarations, String> {
        let mut names = Vec::new();
        loop {
            let span = self.tokens[self.at].span;
            self.expect(Tok::Ident)?;
            names.push(self.text[span.start as usize..span.end as usize].to_string());
            match self.tok() {
                Tok::Comma => self.at += 1,
                _ => break,
            }
        }
        self.expect(Tok::Colon)?;
        let (begin, mut depth) = (self.tokens[self.at].span.start as usize, 0);
        let mut end = begin;
        while depth > 0 || (self.tok() != Tok::Semi && self.tok() != close) {
            match self.tok() {
                Tok::LParen | Tok::LBracket | Tok::LBrace => depth += 1,
                Tok::RParen | Tok::RBracket | Tok::RBrace => depth -= 1,
                Tok::End => return Err("the head of the main node does not end".to_string()),
                _ => {}
            }
            end = self.tokens[self.at].span.end as usize;
            self.at += 1;
        }
        let ty = &self.text[begin..end];
        Ok(names.into_iter().map(|name| (name, ty.to_string())).collect())
    }
}

/// Nodes whose names are read nowhere but in themselves go, one after the other.
fn uncalled_removed(text: &str, main: &str) -> String {
    let tokens = lex(text, &mut Findings::default());
    let slice = |t: &Token| &text[t.span.start as usize..t.span.end as usize];
    for (at, token) in tokens.iter().enumerate() {
        let is_node = matches!(token.tok, Tok::Node | Tok::Function);
        let Some(name) = tokens.get(at + 1).filter(|t| is_node && t.tok == Tok::Ident) else { continue };
        let Some(length) = tokens[at..].iter().position(|t| t.tok == Tok::Tel) else { continue };
        let mut last = at + length;
        if tokens.get(last + 1).is_some_and(|t| matches!(t.tok, Tok::Semi | Tok::Dot)) {
            last += 1;
        }
        let outside = tokens[..at].iter().chain(&tokens[last + 1..]);
        let called = outside.filter(|t| t.tok == Tok::Ident).any(|t| slice(t) == slice(name));
        if !called && slice(name) != main {
            let range = token.span.start as usize..tokens[last].span.end as usize;
            return uncalled_removed(&edited(text, vec![(range, String::new())]), main);
        }
    }
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "node f(x: real) returns (z: real);\nlet z = x; tel\n\n\
        node main(x: real) returns (a, b: real);\nvar ok: bool; n: subrange [0, 3] of int;\nlet\n  a = f(x);\n  \
        b = if a >= 0.0 then a else -a;\n  n = 0;\n  ok = b >= 0.0;\n  --%PROPERTY ok;\n  --%IVC a, b;\n  --%MAIN;\ntel\n";

    fn spans(model: &LustreModel, names: &[&str]) -> Vec<words::Span> {
        let unit = model.program.unit(model.program.main);
        let wanted = |slot| names.contains(&&*unit.var(slot).name.name);
        let chosen = unit.equations.iter().filter(|e| wanted(e.targets[0].0));
        chosen.map(|e| place(model, e.span)).collect()
    }

    fn read(text: &str) -> LustreModel {
        crate::read(text.to_string()).unwrap_or_else(|found| panic!("{text}\n{}", found[0].render("m.lus")))
    }

    #[test]
    fn dropped_equations_become_inputs() {
        let model = read(MODEL);
        let text = without(&model, &spans(&model, &["a", "n"])).expect("it can be written");
        let expected = "node main(x: real; a: real; n: subrange [0, 3] of int) returns (b: real);\nvar ok: bool;\nlet\n  \
            b = if a >= 0.0 then a else -a;\n  ok = b >= 0.0;\n  --%PROPERTY ok;\n  --%MAIN;\ntel\n";
        assert_eq!(text.trim_start(), expected);
        read(&text);
    }

    #[test]
    fn without_outputs_a_local_becomes_one() {
        let model = read(MODEL);
        let text = without(&model, &spans(&model, &["a", "b"])).expect("it can be written");
        assert!(text.contains("returns (ok: bool);"), "{text}");
        read(&text);
        assert_eq!(without(&model, &[]).expect("nothing changes"), MODEL);
    }

    #[test]
    fn what_it_does_not_take_is_refused() {
        let text = "node main(const n: int) returns (a: int);\nlet a = n; --%PROPERTY a = n; --%MAIN; tel\n";
        let model = read(text);
        assert!(without(&model, &spans(&model, &["a"])).is_err());
    }
}
