//! A user's lemmas about a model: clauses over its latches, in the order in which they are to be proved.
//!
//! ```text
//! # a comment
//! !grant0 | !grant1          one lemma: a disjunction
//! { turn | !wait1            lemmas in braces are proved together
//!   !turn | !wait0 }
//! 14 | !cnt[2]               a literal of the file, a bit of a word
//! ```
//!
//! A name is the symbol of a latch, or its position (`l3`); a symbol that begins with `!` (Yosys, `-zinit`) names a bit
//! that is stored inverted, and is written without it. This is how `check -v` prints an invariant. A clause ends with
//! its line, a `;` or a brace.

use buttress_system::{BitSystem, Clause, LatchId, Lit, SymbolKind};

use crate::{Diagnostic, Position};

/// Lemmas that are proved together; most groups have one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    pub lemmas: Vec<Lemma>,
}

/// A clause as the user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    pub clause: Clause,
    pub text: String,
    pub line: u32,
}

/// Reads lemmas about this system; `literal` translates literals of the model's file.
pub fn read(
    text: &str,
    system: &BitSystem,
    literal: &dyn Fn(u32) -> Option<Lit>,
) -> Result<Vec<Group>, Diagnostic> {
    let mut reader = Reader { system, literal, groups: Vec::new(), open: None };
    for (number, line) in text.lines().enumerate() {
        reader.line(number as u32 + 1, line)?;
    }
    match reader.open {
        Some(_) => Err(Diagnostic::new("a group is not closed: expected '}'")),
        None => Ok(reader.groups),
    }
}

struct Reader<'a> {
    system: &'a BitSystem,
    literal: &'a dyn Fn(u32) -> Option<Lit>,
    groups: Vec<Group>,
    /// The group whose brace is open.
    open: Option<Vec<Lemma>>,
}

impl Reader<'_> {
    fn line(&mut self, number: u32, line: &str) -> Result<(), Diagnostic> {
        let content = line.split('#').next().unwrap_or("");
        let mut start = 0;
        for (at, mark) in content.match_indices(['{', '}', ';']).chain([(content.len(), "")]) {
            let here = |offset: usize| Place { number, line, offset };
            self.clause(&content[start..at], here(start))?;
            start = at + mark.len();
            match mark {
                "{" if self.open.is_some() => return Err(here(at).error("groups do not nest")),
                "{" => self.open = Some(Vec::new()),
                "}" => match self.open.take() {
                    None => return Err(here(at).error("there is no group to close")),
                    Some(lemmas) if lemmas.is_empty() => return Err(here(at).error("the group is empty")),
                    Some(lemmas) => self.groups.push(Group { lemmas }),
                },
                _ => {}
            }
        }
        Ok(())
    }

    fn clause(&mut self, text: &str, place: Place<'_>) -> Result<(), Diagnostic> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let mut lits = Vec::new();
        let mut offset = place.offset;
        for part in text.split('|') {
            lits.push(self.lit(part, Place { offset, ..place })?);
            offset += part.len() + 1;
        }
        let lemma = Lemma { clause: Clause::new(lits), text: text.trim().to_string(), line: place.number };
        match &mut self.open {
            Some(group) => group.push(lemma),
            None => self.groups.push(Group { lemmas: vec![lemma] }),
        }
        Ok(())
    }

    fn lit(&self, part: &str, place: Place<'_>) -> Result<Lit, Diagnostic> {
        let offset = place.offset + (part.len() - part.trim_start().len());
        let place = Place { offset, ..place };
        let mut name = part.trim();
        let mut negated = false;
        while let Some(rest) = name.strip_prefix('!') {
            name = rest.trim_start();
            negated = !negated;
        }
        if name.is_empty() {
            return Err(place.error("expected the name of a latch"));
        }
        match self.latch(name) {
            Some(lit) => Ok(lit ^ negated),
            None => Err(place.error(format!("there is no latch '{name}'"))),
        }
    }

    fn latch(&self, name: &str) -> Option<Lit> {
        if let Ok(number) = name.parse::<u32>() {
            return (self.literal)(number).filter(|l| self.system.as_latch(l.var()).is_some());
        }
        let named = |l: LatchId| {
            let symbol = self.system.symbols.name(SymbolKind::Latch, l.index());
            let first = symbol.split_whitespace().next()?.to_string();
            let inverted = first.strip_prefix('!');
            (inverted.unwrap_or(&first) == name).then(|| self.system.latch_lit(l) ^ inverted.is_some())
        };
        let position = || {
            let index: usize = name.strip_prefix('l')?.parse().ok()?;
            self.system.latches().nth(index).map(|l| self.system.latch_lit(l))
        };
        self.system.latches().find_map(named).or_else(position)
    }
}

/// Where in the file.
#[derive(Clone, Copy)]
struct Place<'a> {
    number: u32,
    line: &'a str,
    /// Bytes into the line.
    offset: usize,
}

impl Place<'_> {
    fn error(self, message: impl Into<String>) -> Diagnostic {
        let column = self.line[..self.offset].chars().count() as u32 + 1;
        let position = Position { line: self.number, column, offset: 0 };
        Diagnostic::new(message).at(position).with_source(self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system() -> BitSystem {
        let mut system = BitSystem::new(1, 3);
        system.symbols.insert(SymbolKind::Latch, 0, "a");
        system.symbols.insert(SymbolKind::Latch, 1, "!b[0] alias");
        system
    }

    fn read_all(text: &str) -> Result<Vec<Group>, Diagnostic> {
        read(text, &system(), &|n| Some(Lit::from_code(n)))
    }

    #[test]
    fn clauses_and_groups() {
        let system = system();
        let lit = |l: usize| system.latch_lit(LatchId::new(l));
        let groups = read_all("a | !b[0] # comment\n\n{ !a; l2\n !!a }\n5\n").unwrap();
        let clauses: Vec<Vec<&[Lit]>> =
            groups.iter().map(|g| g.lemmas.iter().map(|l| &*l.clause.0).collect()).collect();
        // b[0] is stored inverted, so !b[0] is the latch itself.
        assert_eq!(clauses[0], [&[lit(0), lit(1)][..]]);
        assert_eq!(clauses[1], [&[!lit(0)][..], &[lit(2)], &[lit(0)]]);
        assert_eq!(clauses[2], [&[!lit(0)][..]]);
        assert_eq!(groups[1].lemmas[2].line, 4);
    }

    #[test]
    fn mistakes_have_a_position() {
        for (text, message, line, column) in [
            ("a |", "expected the name", 1, 4),
            ("a\n  zz | a", "no latch 'zz'", 2, 3),
            ("{ { a } }", "do not nest", 1, 3),
            ("a }", "no group to close", 1, 3),
            ("{ }", "group is empty", 1, 3),
            ("2", "no latch '2'", 1, 1),
        ] {
            let error = read_all(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {}", error.message);
            let at = error.position.unwrap();
            assert_eq!((at.line, at.column), (line, column), "{text}");
        }
        assert!(read_all("{ a").unwrap_err().message.contains("not closed"));
    }
}
