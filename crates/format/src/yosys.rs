//! Names that Yosys writes next to an AIGER file, as text (`write_aiger -map`, `-vmap`) or as JSON
//! (`-ywmap`).
//!
//! ```text
//! input 1 0 a                                 bit 0 of `a` is input 1
//! invlatch 2 2 cnt                            bit 2 of `cnt` is latch 2, stored inverted
//! init 9 0 free                               input 9 is the value of `free` at the start (with -zinit)
//! output 0 4 o, bad 0 0 p, wire 30 0 w        outputs, properties, literals
//! ```
//!
//! The JSON lists `{"input": 1, "offset": 0, "path": ["\\a"]}` under `inputs`, `seqs` (unconstrained values)
//! and `inits` (values at the start), and in later versions the paths of `asserts` and `assumes`; a path is
//! the hierarchy, from the top. It has no latches, as no witness needs them.
//!
//! Signals that are neither an input, a latch, an output, a property nor a constraint (`wire`) are left out. Bits
//! count as in the source, so `reg [7:4] r` has `r[4]` to `r[7]`, unless Yosys was asked for `-no-startoffset`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use buttress_system::{BitSystem, SymbolKind};
use serde_json::{Map, Value};

use crate::cursor::{Cursor, unreadable};
use crate::{Diagnostic, Position};

const VERSION: &str = "Yosys Witness Aiger Map";

/// A name for a bit of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub kind: SymbolKind,
    /// Which input, latch, … of the model.
    pub index: usize,
    /// The signal, with its hierarchy joined by dots.
    pub base: String,
    /// Which bit of the signal.
    pub bit: u32,
    /// The model stores the negation.
    pub inverted: bool,
    /// Where the name stands, in a text file.
    pub position: Option<Position>,
}

/// Reads a map of either kind: JSON starts with a brace.
pub fn read_names(bytes: impl Read) -> Result<Vec<Name>, Diagnostic> {
    let mut cursor = Cursor::new(bytes);
    let json = cursor.ahead(1 << 10).iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if json { read_json(&mut cursor) } else { read_text(&mut cursor) }
}

/// Names the bits of a system, in place of the symbols that it has.
///
/// A signal whose only bit is bit 0 is named plainly, others `base[bit]`, and inverted bits have a `!` in
/// front. Of several names for one bit the first counts, names that Yosys made up (`$…`) last.
pub fn apply(names: &[Name], system: &mut BitSystem) -> Result<(), Diagnostic> {
    let words: BTreeSet<(SymbolKind, &str)> =
        names.iter().filter(|name| name.bit > 0).map(|name| (name.kind, name.base.as_str())).collect();
    let mut chosen: BTreeMap<(SymbolKind, usize), &Name> = BTreeMap::new();
    for name in names {
        check_index(name, system)?;
        let best = chosen.entry((name.kind, name.index)).or_insert(name);
        if best.is_made_up() && !name.is_made_up() {
            *best = name;
        }
    }
    for (&(kind, index), name) in &chosen {
        let word = words.contains(&(kind, name.base.as_str()));
        system.symbols.replace(kind, index, &name.symbol(word));
    }
    Ok(())
}

impl Name {
    fn is_made_up(&self) -> bool {
        self.base.starts_with('$') || self.base.starts_with("init:$")
    }

    fn symbol(&self, word: bool) -> String {
        let sign = if self.inverted { "!" } else { "" };
        if word { format!("{sign}{}[{}]", self.base, self.bit) } else { format!("{sign}{}", self.base) }
    }
}

fn check_index(name: &Name, system: &BitSystem) -> Result<(), Diagnostic> {
    let (what, count) = match name.kind {
        SymbolKind::Input => ("inputs", system.num_inputs()),
        SymbolKind::Latch => ("latches", system.num_latches()),
        SymbolKind::Output => ("outputs", system.outputs.len()),
        SymbolKind::Bad => ("bad-state properties", bad_states(system)),
        SymbolKind::Constraint => ("constraints", system.constraints.len()),
        SymbolKind::Justice => ("justice properties", system.justice.len()),
        SymbolKind::Fairness => ("fairness constraints", system.fairness.len()),
    };
    if name.index < count {
        return Ok(());
    }
    let place = format!("{}{}", name.kind.letter(), name.index);
    let error = Diagnostic::new(format!("`{}` names {place}, but the model has {count} {what}", name.base));
    let error = error.with_help("the map belongs to another model, or the model was changed after it");
    Err(Diagnostic { position: name.position, ..error })
}

fn bad_states(system: &BitSystem) -> usize {
    system.properties.iter().filter(|property| property.symbol.0 == SymbolKind::Bad).count()
}

fn read_text<R: Read>(cursor: &mut Cursor<R>) -> Result<Vec<Name>, Diagnostic> {
    let mut names = Vec::new();
    while cursor.peek().is_some() {
        if cursor.at_line_end() {
            cursor.end_of_line()?;
        } else {
            names.extend(text_line(cursor)?);
        }
    }
    cursor.finish()?;
    Ok(names)
}

fn text_line<R: Read>(cursor: &mut Cursor<R>) -> Result<Option<Name>, Diagnostic> {
    let position = Position { line: cursor.line(), column: 1, offset: cursor.offset() };
    let word = keyword(cursor)?;
    cursor.blank("a number")?;
    let index = cursor.number("the number of a bit in the model")? as usize;
    cursor.blank("a bit")?;
    let bit = cursor.number("a bit of the signal")?;
    cursor.blank("the name of a signal")?;
    if cursor.at_line_end() {
        return Err(cursor.expected("the name of a signal"));
    }
    let name = cursor.rest_of_line();
    let (kind, base, inverted) = match word.as_str() {
        "input" => (SymbolKind::Input, name, false),
        "init" => (SymbolKind::Input, format!("init:{name}"), false),
        "latch" => (SymbolKind::Latch, name, false),
        "invlatch" => (SymbolKind::Latch, name, true),
        "output" => (SymbolKind::Output, name, false),
        "bad" => (SymbolKind::Bad, name, false),
        "wire" => return Ok(None),
        word => return Err(Diagnostic::new(format!("`{word}` is no word of a Yosys map")).at(position)),
    };
    Ok(Some(Name { kind, index, base, bit, inverted, position: Some(position) }))
}

fn keyword<R: Read>(cursor: &mut Cursor<R>) -> Result<String, Diagnostic> {
    let mut word = String::new();
    while let Some(byte @ b'a'..=b'z') = cursor.peek() {
        word.push(char::from(byte));
        cursor.skip(1);
    }
    if word.is_empty() {
        let help = "a Yosys map has lines such as `input 1 0 a`, or is JSON";
        return Err(cursor.expected("a word such as `input` or `latch`").with_help(help));
    }
    Ok(word)
}

/// Hands the cursor's bytes to the JSON parser.
struct Bytes<'a, R>(&'a mut Cursor<R>);

impl<R: Read> Read for Bytes<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let ahead = self.0.ahead(1);
        let count = ahead.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ahead[..count]);
        self.0.skip(count);
        Ok(count)
    }
}

fn read_json<R: Read>(cursor: &mut Cursor<R>) -> Result<Vec<Name>, Diagnostic> {
    let mut bytes = Vec::new();
    Bytes(cursor).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    cursor.finish()?;
    let map: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|error| json_error(&error))?;
    // Versions of Yosys differ in how they write it: "Yosys Witness Aiger Map", "… Aiger map", "… aiger map".
    let version = map.get("version").and_then(Value::as_str);
    if !version.is_some_and(|version| version.eq_ignore_ascii_case(VERSION)) {
        return Err(Diagnostic::new(format!("no Yosys map: its version is not \"{VERSION}\"")));
    }
    let mut names = Vec::new();
    for (list, prefix) in [("inputs", ""), ("seqs", ""), ("inits", "init:")] {
        names.extend(entries(&map, list, |_, entry| input(entry, prefix))?);
    }
    names.extend(entries(&map, "asserts", |index, path| property(SymbolKind::Bad, index, path))?);
    names.extend(entries(&map, "assumes", |index, path| property(SymbolKind::Constraint, index, path))?);
    Ok(names)
}

fn json_error(error: &serde_json::Error) -> Diagnostic {
    let position = Position::text(error.line() as u32, error.column().max(1) as u32);
    let message = error.to_string();
    // The position follows in words; it is shown in front.
    let message = message.split(" at line ").next().unwrap_or(&message);
    Diagnostic::new(format!("malformed JSON: {message}")).at(position)
}

/// The names of a list, which may be absent.
fn entries(
    map: &Map<String, Value>,
    list: &str,
    name: impl Fn(usize, &Value) -> Option<Name>,
) -> Result<Vec<Name>, Diagnostic> {
    let malformed = |index| Diagnostic::new(format!("entry {index} of `{list}` is malformed"));
    let entries = match map.get(list) {
        None => return Ok(Vec::new()),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(Diagnostic::new(format!("`{list}` is not a list"))),
    };
    entries.iter().enumerate().map(|(index, entry)| name(index, entry).ok_or(malformed(index))).collect()
}

fn input(entry: &Value, prefix: &str) -> Option<Name> {
    let number = |key: &str| u32::try_from(entry.get(key)?.as_u64()?).ok();
    let base = format!("{prefix}{}", path(entry.get("path")?)?);
    let (index, bit) = (number("input")? as usize, number("offset")?);
    Some(Name { kind: SymbolKind::Input, index, base, bit, inverted: false, position: None })
}

fn property(kind: SymbolKind, index: usize, entry: &Value) -> Option<Name> {
    Some(Name { kind, index, base: path(entry)?, bit: 0, inverted: false, position: None })
}

/// The parts of a path, without the backslash that marks names of the source.
fn path(path: &Value) -> Option<String> {
    let part = |part: &Value| Some(part.as_str()?.trim_start_matches('\\').to_string());
    let parts = path.as_array()?.iter().map(part).collect::<Option<Vec<String>>>()?;
    (!parts.is_empty()).then(|| parts.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "input 0 0 clk\ninput 1 0 a\ninput 2 1 a\ninit 3 0 free\noutput 0 0 o\n\
        invlatch 0 0 cnt\nlatch 1 1 cnt\nlatch 2 0 $add$top.v:4$10.A\nlatch 2 0 s.q\nlatch 2 0 q\nwire 30 0 w\n";
    const JSON: &str = r#" {"version": "Yosys Witness Aiger Map", "latch_count": 0, "input_count": 4,
        "clocks": [{"edge": "posedge", "input": 0, "offset": 0, "path": ["\\clk"]}],
        "inputs": [{"input": 0, "offset": 0, "path": ["\\clk"]},
                   {"input": 1, "offset": 0, "path": ["\\s", "\\a"]},
                   {"input": 2, "offset": 1, "path": ["\\s", "\\a"]}],
        "seqs": [], "inits": [{"input": 3, "offset": 0, "path": ["\\free"]}], "asserts": [["\\chk"]]}"#;

    fn model() -> BitSystem {
        let text = "aag 7 4 3 1 0 1\n2\n4\n6\n8\n10 10\n12 12\n14 14\n2\n4\nl2 old\n";
        crate::aiger::read(text.as_bytes()).unwrap().system
    }

    fn symbols(map: &str) -> Vec<String> {
        let mut system = model();
        apply(&read_names(map.as_bytes()).unwrap(), &mut system).unwrap();
        system.symbols.iter().map(|(kind, index, name)| format!("{}{index} {name}", kind.letter())).collect()
    }

    fn problem(map: &str) -> String {
        let read = read_names(map.as_bytes()).and_then(|names| apply(&names, &mut model()));
        read.unwrap_err().render("m")
    }

    #[test]
    fn text_names_inputs_latches_and_outputs() {
        let expected =
            ["i0 clk", "i1 a[0]", "i2 a[1]", "i3 init:free", "l0 !cnt[0]", "l1 cnt[1]", "l2 s.q", "o0 o"];
        assert_eq!(symbols(MAP), expected);
        assert_eq!(symbols(&MAP.replace('\n', "\r\n")), expected);
    }

    #[test]
    fn json_names_inputs_and_properties() {
        assert_eq!(symbols(JSON), ["i0 clk", "i1 s.a[0]", "i2 s.a[1]", "i3 init:free", "l2 old", "b0 chk"]);
    }

    #[test]
    fn made_up_names_will_do_where_there_is_no_other() {
        assert_eq!(symbols("latch 2 0 $x\nlatch 2 0 $y\n"), ["l2 $x"]);
        assert_eq!(symbols("latch 2 4 cnt\n"), ["l2 cnt[4]"]);
    }

    #[test]
    fn errors_have_their_place() {
        let table = [
            ("input 0 0 clk\nlatch 3 0 x\n", "m:2:1: error: `x` names l3, but the model has 3 latches"),
            ("input 0\n", "m:1:8: error: expected a blank and a bit, found the end of the line"),
            ("input x 0 a\n", "m:1:7: error: expected the number of a bit in the model, found `x`"),
            ("\ninput 0 0 \n", "m:2:11: error: expected the name of a signal"),
            ("aag 1 1 0\n", "m:1:1: error: `aag` is no word of a Yosys map"),
            ("0 1\n", "m:1:1: error: expected a word such as `input` or `latch`, found `0`"),
            ("input 99999999999 0 a\n", "is too large"),
            ("{", "m:1:1: error: malformed JSON"),
            ("{}", "m: error: no Yosys map: its version"),
        ];
        for (map, expected) in table {
            let error = problem(map);
            assert!(error.contains(expected), "{map:?}: {error}");
        }
        let bad = |from: &str, to: &str| problem(&JSON.replace(from, to));
        assert!(bad("\"input\": 3", "\"input\": 4").contains("names i4, but the model has 4 inputs"));
        assert!(bad("\"input\": 3", "\"input\": -1").contains("entry 0 of `inits` is malformed"));
        assert!(bad("[\"\\\\free\"]", "[]").contains("entry 0 of `inits` is malformed"));
        assert!(bad("\"seqs\": []", "\"seqs\": 1").contains("`seqs` is not a list"));
    }
}
