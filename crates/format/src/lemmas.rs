//! A user's lemmas about a model: clauses over its latches, in the order in which they are to be proved.
//!
//! ```text
//! # a comment
//! !grant0 | !grant1          one lemma: a disjunction
//! { turn | !wait1            lemmas in braces are proved together
//!   !turn | !wait0 }
//! 14 | !cnt[2]               a literal of the file, a bit of a word
//! ? wait0 | wait1            a candidate: used where it can be proved, else left out
//! ```
//!
//! A name is the symbol of a latch, or its position (`l3`); a symbol that begins with `!` (Yosys, `-zinit`) names
//! a bit that is stored inverted, and is written without it. This is how `check -v` prints an invariant, and what
//! [`write`](write()) writes. A clause ends with its line, a `;` or a brace.

use std::collections::BTreeMap;
use std::io;

use buttress_system::{BitSystem, Clause, Lit, Node, SymbolKind};

use crate::{Diagnostic, Position};

/// The content of a file.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Lemmas {
    /// In the order in which they are to be proved.
    pub groups: Vec<Group>,
    /// Lemmas that may be left out.
    pub candidates: Vec<Lemma>,
}

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

impl Lemmas {
    /// All clauses, candidates last.
    pub fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.groups.iter().flat_map(|g| &g.lemmas).chain(&self.candidates).map(|l| &l.clause)
    }
}

/// How the latches of a system are called, both ways.
pub struct LatchNames<'a> {
    system: &'a BitSystem,
    /// Of several latches with one name, the first has it.
    by_name: BTreeMap<String, Lit>,
}

impl<'a> LatchNames<'a> {
    pub fn of(system: &'a BitSystem) -> LatchNames<'a> {
        let mut by_name = BTreeMap::new();
        for latch in system.latches() {
            let symbol = system.symbols.name(SymbolKind::Latch, latch.index());
            let (name, inverted) = plain(&symbol);
            by_name.entry(name.to_string()).or_insert(system.latch_lit(latch) ^ inverted);
        }
        LatchNames { system, by_name }
    }

    /// The latch with this name or position.
    fn lit(&self, name: &str) -> Option<Lit> {
        let position = || {
            let index: usize = name.strip_prefix('l')?.parse().ok()?;
            self.system.latches().nth(index).map(|l| self.system.latch_lit(l))
        };
        self.by_name.get(name).copied().or_else(position)
    }

    /// A literal over a latch: its name where that names it and nothing else, or else its position. Inputs and
    /// gates, which lemmas do not speak of but facts of a proof may, are called by position and by number.
    pub fn literal(&self, lit: Lit) -> String {
        let sign = if lit.is_negated() { "!" } else { "" };
        let latch = match self.system.node(lit.var()) {
            Node::Latch(latch) => latch,
            Node::Input(input) => return format!("{sign}i{}", input.index()),
            Node::Gate(..) | Node::Constant => return format!("{sign}g{}", lit.var().index()),
        };
        let symbol = self.system.symbols.name(SymbolKind::Latch, latch.index());
        let (name, inverted) = plain(&symbol);
        let own = self.system.latch_lit(latch);
        let (text, inverted) = match readable(name) && self.lit(name) == Some(own ^ inverted) {
            true => (name.to_string(), inverted),
            false => (format!("l{}", latch.index()), false),
        };
        if lit.is_negated() == inverted { text } else { format!("!{text}") }
    }

    pub fn clause(&self, lits: &[Lit]) -> String {
        lits.iter().map(|&l| self.literal(l)).collect::<Vec<_>>().join(" | ")
    }

    /// Whether what is written for the clause will be read as it: a position may be another latch's symbol.
    fn is_exact(&self, clause: &Clause) -> bool {
        let reads = |&lit: &Lit| {
            let text = self.literal(lit);
            let negated = text.starts_with('!');
            self.lit(text.trim_start_matches('!')) == Some(lit ^ negated)
        };
        !clause.0.is_empty() && clause.0.iter().all(reads)
    }
}

/// The first name of a symbol, and whether it is stored inverted.
fn plain(symbol: &str) -> (&str, bool) {
    let first = symbol.split_whitespace().next().unwrap_or(symbol);
    match first.strip_prefix('!') {
        Some(rest) => (rest, true),
        None => (first, false),
    }
}

/// Whether a name can stand in a clause: no number, and nothing that ends it.
fn readable(name: &str) -> bool {
    let special = ['#', '{', '}', ';', '|'];
    !name.is_empty()
        && !name.starts_with(['!', '?'])
        && !name.contains(special)
        && name.parse::<u32>().is_err()
}

/// Writes one group of lemmas and candidates, after comments.
pub fn write(
    system: &BitSystem,
    comments: &[String],
    group: &[Clause],
    candidates: &[Clause],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let names = LatchNames::of(system);
    let exact = |c: &&Clause| names.is_exact(c);
    for line in comments {
        writeln!(out, "{}", format!("# {line}").trim_end())?;
    }
    if group.iter().any(|c| names.is_exact(c)) {
        writeln!(out, "{{")?;
        for clause in group.iter().filter(exact) {
            writeln!(out, "  {}", names.clause(&clause.0))?;
        }
        writeln!(out, "}}")?;
    }
    for clause in candidates.iter().filter(exact) {
        writeln!(out, "? {}", names.clause(&clause.0))?;
    }
    Ok(())
}

/// Reads lemmas about this system; `literal` translates literals of the model's file.
pub fn read(
    text: &str,
    system: &BitSystem,
    literal: &dyn Fn(u32) -> Option<Lit>,
) -> Result<Lemmas, Diagnostic> {
    let names = LatchNames::of(system);
    let mut reader = Reader { names, literal, lemmas: Lemmas::default(), open: None };
    for (number, line) in text.lines().enumerate() {
        reader.line(number as u32 + 1, line)?;
    }
    match reader.open {
        Some(_) => Err(Diagnostic::new("a group is not closed: expected '}'")),
        None => Ok(reader.lemmas),
    }
}

struct Reader<'a> {
    names: LatchNames<'a>,
    literal: &'a dyn Fn(u32) -> Option<Lit>,
    lemmas: Lemmas,
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
                    Some(lemmas) => self.lemmas.groups.push(Group { lemmas }),
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
        let blanks = text.len() - text.trim_start().len();
        let candidate = text.trim_start().starts_with('?');
        if candidate && self.open.is_some() {
            let place = Place { offset: place.offset + blanks, ..place };
            return Err(place.error("a candidate stands by itself, not in a group"));
        }
        let skipped = if candidate { blanks + 1 } else { 0 };
        let text = &text[skipped..];
        let mut lits = Vec::new();
        let mut offset = place.offset + skipped;
        for part in text.split('|') {
            lits.push(self.lit(part, Place { offset, ..place })?);
            offset += part.len() + 1;
        }
        let lemma = Lemma { clause: Clause::new(lits), text: text.trim().to_string(), line: place.number };
        match &mut self.open {
            Some(group) => group.push(lemma),
            None if candidate => self.lemmas.candidates.push(lemma),
            None => self.lemmas.groups.push(Group { lemmas: vec![lemma] }),
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
            let system = self.names.system;
            return (self.literal)(number).filter(|l| system.as_latch(l.var()).is_some());
        }
        self.names.lit(name)
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
    use buttress_system::LatchId;

    fn system() -> BitSystem {
        let mut system = BitSystem::new(1, 3);
        system.symbols.insert(SymbolKind::Latch, 0, "a");
        system.symbols.insert(SymbolKind::Latch, 1, "!b[0] alias");
        system
    }

    fn read_all(text: &str) -> Result<Lemmas, Diagnostic> {
        read(text, &system(), &|n| Some(Lit::from_code(n)))
    }

    #[test]
    fn clauses_and_groups() {
        let system = system();
        let lit = |l: usize| system.latch_lit(LatchId::new(l));
        let groups = read_all("a | !b[0] # comment\n\n{ !a; l2\n !!a }\n5\n").unwrap().groups;
        let clauses: Vec<Vec<&[Lit]>> =
            groups.iter().map(|g| g.lemmas.iter().map(|l| &*l.clause.0).collect()).collect();
        // b[0] is stored inverted, so !b[0] is the latch itself.
        assert_eq!(clauses[0], [&[lit(0), lit(1)][..]]);
        assert_eq!(clauses[1], [&[!lit(0)][..], &[lit(2)], &[lit(0)]]);
        assert_eq!(clauses[2], [&[!lit(0)][..]]);
        assert_eq!(groups[1].lemmas[2].line, 4);
    }

    #[test]
    fn candidates_are_apart() {
        let lemmas = read_all("? a | l2\na\n?b[0]").unwrap();
        assert_eq!((lemmas.groups.len(), lemmas.candidates.len()), (1, 2));
        assert_eq!(lemmas.candidates[0].text, "a | l2");
        assert_eq!(lemmas.clauses().count(), 3);
    }

    /// Names that are taken, hold marks of the syntax or look like numbers give way to positions.
    #[test]
    fn what_is_written_is_read() {
        let mut system = BitSystem::new(1, 7);
        for (latch, name) in ["a", "!b[0] alias", "a", "7", "x|y", "?z", "!"].iter().enumerate() {
            system.symbols.insert(SymbolKind::Latch, latch, name);
        }
        let lits: Vec<Lit> = system.latches().map(|l| system.latch_lit(l)).collect();
        let all = [Clause::new(lits.iter().map(|&l| !l)), Clause::new(lits), Clause::new([])];
        let mut text = Vec::new();
        write(&system, &["partial".to_string()], &all, &all[..1], &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().next(), Some("# partial"));
        assert!(text.contains("!a | b[0] | !l2 | !l3"), "{text}");
        let read = read(&text, &system, &|n| Some(Lit::from_code(n))).unwrap();
        let clauses: Vec<&Clause> = read.clauses().collect();
        assert_eq!(clauses, [&all[0], &all[1], &all[0]]);
    }

    /// A position that is another latch's symbol cannot be written; the clause is left out.
    #[test]
    fn what_cannot_be_named_is_left_out() {
        let mut system = BitSystem::new(0, 2);
        system.symbols.insert(SymbolKind::Latch, 0, "5");
        system.symbols.insert(SymbolKind::Latch, 1, "l0");
        let unit = |l: usize| Clause::new([system.latch_lit(LatchId::new(l))]);
        let mut text = Vec::new();
        write(&system, &[], &[unit(0), unit(1)], &[], &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "{\n  l0\n}\n");
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
            ("{ a; ? a }", "stands by itself", 1, 6),
            (" ? a | zz", "no latch 'zz'", 1, 8),
        ] {
            let error = read_all(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {}", error.message);
            let at = error.position.unwrap();
            assert_eq!((at.line, at.column), (line, column), "{text}");
        }
        assert!(read_all("{ a").unwrap_err().message.contains("not closed"));
    }
}
