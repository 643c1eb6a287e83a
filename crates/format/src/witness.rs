//! AIGER witnesses, as the hardware model checking competitions ask for them and `aigsim -c -w` checks them.
//!
//! ```text
//! 1             the property is violated (0: it holds, 2: unknown)
//! b0            which one
//! 01x           the latches at the start
//! 10            the inputs at each step
//! 11
//! .
//! ```
//!
//! A value `x` says that either will do. Lines that start with `c` are comments.
//!
//! # Limits
//!
//! One witness a file, for one property. `aigsim` accepts a trace that violates its property before the last
//! step; it is read as it stands, and whether its last step is bad is for the checker to say.
//!
//! The witness of a justice property (`j0`) is an execution that goes round: the state after its last step is one
//! that it has been in before. In which step the file does not say, and `aigsim` looks for it; it compares all
//! latches, also those that the property does not depend on.

use std::io::{BufWriter, Read, Result as IoResult, Write};

use buttress_system::evidence::{evaluate, value};
use buttress_system::{BitSystem, Lasso, PropertyId, SymbolKind, Ternary, Trace};

use crate::Diagnostic;
use crate::cursor::Cursor;
use crate::vectors::{dot, skip_comments, vector};

/// The contents of a witness file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness<T = Trace> {
    Violation(T),
    /// An execution that goes round, in violation of a justice property; where it goes back to is not said.
    Round {
        justice: usize,
        execution: T,
    },
    Safe,
    Unknown,
}

/// Writes a violation. Properties count from 0 whether the model has them as bad states or as outputs.
pub fn write(system: &BitSystem, trace: &Trace, out: &mut impl Write) -> IoResult<()> {
    write_as('b', trace.property.index(), system, trace, out)
}

/// Writes an execution that goes round after its last step, as often round as it takes until all latches come
/// back.
pub fn write_round(system: &BitSystem, lasso: &Lasso, out: &mut impl Write) -> IoResult<()> {
    let Lasso { justice, trace, .. } = whole(system, lasso);
    write_as('j', justice, system, &trace, out)
}

/// Steps that a lasso may take for the sake of latches that nobody reads.
const MOST_STEPS: usize = 100_000;

/// The same execution round so many times that all latches come back, not only those that the property depends on:
/// other tools compare them all. As it is, where that takes too long.
fn whole(system: &BitSystem, lasso: &Lasso) -> Lasso {
    let Lasso { justice, trace, back } = lasso;
    let (stem, round) = trace.inputs.split_at(*back);
    let next = |latches: Vec<Ternary>, inputs: &Vec<Ternary>| {
        let values = evaluate(system, &latches, inputs);
        system.latches().map(|l| value(&values, system.latch(l).next)).collect::<Vec<_>>()
    };
    let mut rounds = vec![stem.iter().fold(trace.initial.clone(), next)];
    while stem.len() + rounds.len() * round.len() <= MOST_STEPS {
        let after = round.iter().fold(rounds[rounds.len() - 1].clone(), next);
        if let Some(first) = rounds.iter().position(|before| *before == after) {
            let inputs = stem.iter().chain(round.iter().cycle().take(rounds.len() * round.len()));
            let trace = Trace { inputs: inputs.cloned().collect(), ..trace.clone() };
            return Lasso { justice: *justice, trace, back: back + first * round.len() };
        }
        rounds.push(after);
    }
    lasso.clone()
}

fn write_as(
    kind: char,
    index: usize,
    system: &BitSystem,
    trace: &Trace,
    out: &mut impl Write,
) -> IoResult<()> {
    debug_assert_eq!(trace.initial.len(), system.num_latches(), "a value a latch");
    let mut out = BufWriter::new(out);
    writeln!(out, "1\n{kind}{index}")?;
    write_values(&trace.initial, &mut out)?;
    trace.inputs.iter().try_for_each(|values| write_values(values, &mut out))?;
    writeln!(out, ".")?;
    out.flush()
}

fn write_values(values: &[Ternary], out: &mut impl Write) -> IoResult<()> {
    writeln!(out, "{}", values.iter().map(|value| value.digit()).collect::<String>())
}

pub fn read(bytes: impl Read, system: &BitSystem) -> Result<Witness, Diagnostic> {
    let mut cursor = Cursor::new(bytes);
    let witness = match status(&mut cursor)? {
        b'1' => violation(&mut cursor, system)?,
        status => {
            no_trace(&mut cursor, system)?;
            if status == b'0' { Witness::Safe } else { Witness::Unknown }
        }
    };
    nothing_left(&mut cursor)?;
    cursor.finish()?;
    Ok(witness)
}

fn status<R: Read>(cursor: &mut Cursor<R>) -> Result<u8, Diagnostic> {
    skip_comments(cursor);
    match cursor.peek() {
        Some(status @ b'0'..=b'2') => {
            cursor.skip(1);
            cursor.end_of_line()?;
            Ok(status)
        }
        _ => Err(cursor.expected("`1` (violated), `0` (safe) or `2` (unknown)")),
    }
}

/// What a witness is about.
enum About {
    Bad(usize),
    Justice(usize),
}

fn violation<R: Read>(cursor: &mut Cursor<R>, system: &BitSystem) -> Result<Witness, Diagnostic> {
    Ok(match property(cursor, system)? {
        About::Bad(index) => Witness::Violation(trace(cursor, system, PropertyId::new(index))?),
        About::Justice(justice) => {
            let execution = trace(cursor, system, PropertyId::new(justice))?;
            Witness::Round { justice, execution }
        }
    })
}

fn trace<R: Read>(
    cursor: &mut Cursor<R>,
    system: &BitSystem,
    property: PropertyId,
) -> Result<Trace, Diagnostic> {
    skip_comments(cursor);
    let initial = vector(cursor, system.num_latches(), "latches")?;
    let mut inputs = Vec::new();
    skip_comments(cursor);
    while !dot(cursor)? {
        if cursor.peek().is_none() {
            return Err(cursor.expected("a step or a line with a dot"));
        }
        inputs.push(vector(cursor, system.num_inputs(), "inputs")?);
        skip_comments(cursor);
    }
    if inputs.is_empty() {
        return Err(cursor.error("the witness has no step: a violation takes at least one"));
    }
    Ok(Trace { property, initial, inputs })
}

/// `b0` or `j0`; for models that have outputs as properties also `o0`.
fn property<R: Read>(cursor: &mut Cursor<R>, system: &BitSystem) -> Result<About, Diagnostic> {
    skip_comments(cursor);
    let start = cursor.offset();
    let kind = match cursor.peek() {
        Some(letter @ (b'b' | b'o' | b'j')) => letter,
        _ => return Err(cursor.expected("the violated property (such as `b0`)")),
    };
    cursor.skip(1);
    let index = cursor.number("the number of a property")?;
    let by_output = system.properties.iter().all(|property| property.symbol.0 == SymbolKind::Output);
    if kind == b'o' && !by_output {
        let message = format!("o{index} is an output, no property: the model has bad-state properties");
        return Err(cursor.error_at(start, message));
    }
    let count = if kind == b'j' { system.justice.len() } else { system.properties.len() };
    if index as usize >= count {
        return Err(cursor.error_at(start, format!("property {index} does not exist: the model has {count}")));
    }
    if matches!(cursor.peek(), Some(b'b' | b'o' | b'j')) {
        return Err(cursor.error("only witnesses for a single property are supported"));
    }
    cursor.end_of_line()?;
    Ok(if kind == b'j' { About::Justice(index as usize) } else { About::Bad(index as usize) })
}

/// Reads the rest of a file without a trace: after `0` or `2`, the property's name and a dot.
fn no_trace<R: Read>(cursor: &mut Cursor<R>, system: &BitSystem) -> Result<(), Diagnostic> {
    skip_comments(cursor);
    if matches!(cursor.peek(), Some(b'b' | b'o' | b'j')) {
        property(cursor, system)?;
        skip_comments(cursor);
    }
    dot(cursor).map(drop)
}

fn nothing_left<R: Read>(cursor: &mut Cursor<R>) -> Result<(), Diagnostic> {
    loop {
        match cursor.peek() {
            None => return Ok(()),
            Some(b'c' | b'\n' | b'\r') => drop(cursor.rest_of_line()),
            Some(_) => return Err(cursor.expected("nothing but comments after the witness")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aiger;

    /// Two inputs, three latches, two bad states.
    fn model() -> BitSystem {
        let text = "aag 5 2 3 0 0 2\n2\n4\n6 6\n8 8 8\n10 10 1\n6\n8\n";
        aiger::read(text.as_bytes()).unwrap().system
    }

    fn outputs() -> BitSystem {
        aiger::read("aag 0 0 0 2 0\n0\n1\n".as_bytes()).unwrap().system
    }

    const GOOD: &str = "1\nb1\n01x\n10\nxx\n.\n";

    #[test]
    fn what_is_written_is_read() {
        let Ok(Witness::Violation(trace)) = read(GOOD.as_bytes(), &model()) else { panic!("{GOOD}") };
        assert_eq!((trace.property.index(), trace.last_step()), (1, 1));
        assert_eq!(trace.initial, [Ternary::Zero, Ternary::One, Ternary::X]);
        let mut text = Vec::new();
        write(&model(), &trace, &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), GOOD);
    }

    #[test]
    fn a_lasso_is_written_and_read() {
        let text = "aag 1 0 1 0 0 0 0 1\n2 3\n1\n2\n";
        let system = aiger::read(text.as_bytes()).unwrap().system;
        let good = "1\nj0\n0\n\n\n.\n";
        let Ok(Witness::Round { justice: 0, execution: trace }) = read(good.as_bytes(), &system) else {
            panic!("{good}")
        };
        assert_eq!(trace.inputs.len(), 2);
        let mut written = Vec::new();
        write_round(&system, &Lasso { justice: 0, trace, back: 0 }, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), good);
    }

    #[test]
    fn comments_and_dos_line_ends_do_not_matter() {
        let text = "c by hand\r\n1\r\nc which\r\nb1\r\nc start\r\n01x\r\nc go\r\n10\r\nxx\r\n.\r\n\r\nc end";
        assert_eq!(read(text.as_bytes(), &model()), read(GOOD.as_bytes(), &model()));
    }

    #[test]
    fn without_inputs_and_latches_lines_are_blank() {
        for name in ["b1", "o1"] {
            let text = format!("1\n{name}\n\n\n\n.\n");
            let Ok(Witness::Violation(trace)) = read(text.as_bytes(), &outputs()) else { panic!("{text}") };
            assert_eq!((trace.property.index(), trace.inputs.len()), (1, 2));
        }
    }

    #[test]
    fn other_answers_have_no_trace() {
        for text in ["0\n", "0", "0\nb1\n.\n", "c\n0\nb0\nc x\n.\n"] {
            assert_eq!(read(text.as_bytes(), &model()), Ok(Witness::Safe), "{text}");
        }
        assert_eq!(read("2\nb0\n.\n".as_bytes(), &model()), Ok(Witness::Unknown));
    }

    #[test]
    fn errors_have_their_place() {
        let table = [
            (
                "",
                "w:1:1: error: the file ends where `1` (violated), `0` (safe) or `2` (unknown) was expected",
            ),
            ("sat\n", "w:1:1: error: expected `1` (violated)"),
            ("3\n", "w:1:1: error: expected `1` (violated)"),
            ("11\n", "w:1:2: error: expected the end of the line"),
            ("1\n", "w:2:1: error: the file ends where the violated property"),
            ("1\n01x\n", "w:2:1: error: expected the violated property (such as `b0`), found `0`"),
            ("1\nj0\n", "w:2:1: error: property 0 does not exist: the model has 0"),
            ("1\no0\n", "w:2:1: error: o0 is an output"),
            ("1\nb2\n", "w:2:1: error: property 2 does not exist: the model has 2"),
            ("1\nb\n", "w:2:2: error: expected the number of a property"),
            ("1\nb0b1\n", "w:2:3: error: only witnesses for a single property"),
            ("1\nb0\n01\n", "w:3:3: error: 2 values for 3 latches"),
            ("1\nb0\n0112\n", "w:3:4: error: expected the end of the line after the values of 3 latches"),
            ("1\nb0\n\n10\n.\n", "w:3:1: error: expected `0`, `1` or `x` for each of 3 latches"),
            ("1\nb0\n000\n1\n", "w:4:2: error: 1 values for 2 inputs"),
            ("1\nb0\n000\n1?\n", "w:4:2: error: expected `0`, `1` or `x` for each of 2 inputs, found `?`"),
            (
                "1\nb0\n000\n10\n",
                "w:5:1: error: the file ends where a step or a line with a dot was expected",
            ),
            ("1\nb0\n000\n.\n", "the witness has no step"),
            ("1\nb0\n000\n10\n.\n0\n", "w:6:1: error: expected nothing but comments after the witness"),
            ("0\nb7\n.\n", "w:2:1: error: property 7 does not exist"),
        ];
        for (text, expected) in table {
            let error = read(text.as_bytes(), &model()).unwrap_err().render("w");
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
