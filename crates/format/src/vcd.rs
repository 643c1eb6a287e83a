//! Value Change Dump of a [`Waveform`]. Reference: IEEE 1364-2005, section 18; enumerations are strings, as GTKWave
//! reads them.

use std::io::{BufWriter, Result, Write};

use buttress_term::Sort;

use crate::waveform::{Level, STEP, Variable, Waveform, way};

/// Declares the signals and writes what changes in each row.
pub(crate) fn write(waveform: &Waveform, out: &mut dyn Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    write_definitions(&waveform.variables, &mut out)?;
    let clock = code(waveform.clock());
    let mut shown: &[Level] = &[];
    for (step, row) in waveform.rows.iter().enumerate() {
        write_changes(step, shown, row, &clock, &mut out)?;
        writeln!(out, "#{}\n0{clock}", STEP * step + STEP / 2)?;
        shown = row;
    }
    writeln!(out, "#{}", STEP * waveform.rows.len())?;
    out.flush()
}

/// The shortest strings of printable characters, in order.
fn code(mut index: usize) -> String {
    const FIRST: u8 = b'!';
    const COUNT: usize = (b'~' - b'!') as usize + 1;
    let mut code = String::new();
    loop {
        code.push(char::from(FIRST + (index % COUNT) as u8));
        match (index / COUNT).checked_sub(1) {
            Some(rest) => index = rest,
            None => return code,
        }
    }
}

fn write_definitions(variables: &[Variable], out: &mut impl Write) -> Result<()> {
    writeln!(out, "$version Buttress $end\n$timescale 1 ns $end\n$scope module model $end")?;
    let mut open: &[String] = &[];
    for Variable { scopes, name, sort, index } in variables {
        change_scope(open, scopes, out)?;
        open = scopes;
        let code = code(*index);
        match sort {
            Sort::BitVec(width) if *width > 1 => {
                writeln!(out, "$var wire {width} {code} {name} [{}:0] $end", width - 1)?
            }
            Sort::Int | Sort::Real => writeln!(out, "$var real 64 {code} {name} $end")?,
            Sort::Enum(_) => writeln!(out, "$var string 1 {code} {name} $end")?,
            _ => writeln!(out, "$var wire 1 {code} {name} $end")?,
        }
    }
    change_scope(open, &[], out)?;
    writeln!(out, "$upscope $end\n$enddefinitions $end")
}

fn change_scope(from: &[String], to: &[String], out: &mut impl Write) -> Result<()> {
    let (closed, opened) = way(from, to);
    (0..closed).try_for_each(|_| writeln!(out, "$upscope $end"))?;
    opened.iter().try_for_each(|scope| writeln!(out, "$scope module {scope} $end"))
}

/// A level as a change says it; nothing where a number is unknown.
fn change(level: &Level) -> Option<String> {
    match level {
        Level::Bits(digits) if digits.len() == 1 => Some(digits.clone()),
        Level::Bits(digits) => Some(format!("b{digits} ")),
        Level::Number(number) => Some(format!("r{number} ")),
        Level::Name(name) => Some(format!("s{name} ")),
        Level::Unknown => None,
    }
}

fn write_changes(
    step: usize,
    before: &[Level],
    now: &[Level],
    clock: &str,
    out: &mut impl Write,
) -> Result<()> {
    writeln!(out, "#{}", STEP * step)?;
    if step == 0 {
        writeln!(out, "$dumpvars")?;
    }
    for (index, level) in now.iter().enumerate().filter(|(index, level)| before.get(*index) != Some(*level)) {
        if let Some(change) = change(level) {
            writeln!(out, "{change}{}", code(index))?;
        }
    }
    writeln!(out, "1{clock}")?;
    if step == 0 {
        writeln!(out, "$end")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::aiger;
    use crate::witness::{self, Witness};

    fn dump(model: &str, witness: &str) -> String {
        let system = aiger::read(model.as_bytes()).unwrap().system;
        let Ok(Witness::Violation(trace)) = witness::read(witness.as_bytes(), &system) else { panic!() };
        let mut text = Vec::new();
        write(&Waveform::of_bits(&system, &trace), &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    /// A two-bit counter with an enable that is bad at 2; the high bit is stored inverted.
    const COUNTER: &str = "aag 6 1 2 0 3 1\n2\n4 9\n6 13 1\n12\n\
        8 11 11\n10 4 2\n12 7 5\n\
        i0 top.en able\nl0 top.s.cnt[0]\nl1 !top.s.cnt[1]\nb0 top.bad state\n";

    #[test]
    fn only_changes_are_dumped() {
        let text = dump(COUNTER, "1\nb0\n01\n1\n1\nx\n.\n");
        let expected = "$version Buttress $end\n$timescale 1 ns $end\n$scope module model $end\n\
            $var wire 1 $ clock $end\n$scope module top $end\n$var wire 1 ! en $end\n$var wire 1 # bad_state $end\n\
            $scope module s $end\n$var wire 2 \" cnt [1:0] $end\n$upscope $end\n$upscope $end\n\
            $upscope $end\n$enddefinitions $end\n\
            #0\n$dumpvars\n1!\nb00 \"\n0#\n1$\n$end\n#5\n0$\n#10\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("\n#20\nx!\n"), "{text}");
        assert!(text.ends_with("\n#30\n"), "{text}");
    }

    #[test]
    fn names_are_made_legal_and_distinct() {
        let model = "aag 3 3 0 0 0 1\n2\n4\n6\n2\ni0 a b\ni1 é\ni2 ..\nb0 a\n";
        let text = dump(model, "1\nb0\n\n111\n.\n");
        for line in ["1 ! a $end", "1 \" _ $end", "1 # __2 $end", "1 $ a_2 $end"] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn codes_are_short_and_distinct() {
        assert_eq!([0, 1, 93, 94, 95, 94 + 94 * 94].map(code), ["!", "\"", "~", "!!", "\"!", "!!!"]);
        let all: BTreeSet<String> = (0..20_000).map(code).collect();
        assert_eq!(all.len(), 20_000);
    }

    #[test]
    fn scopes_are_closed_as_often_as_opened() {
        let deep = "x.".repeat(1000);
        let model = format!("aag 3 3 0 0 0 1\n2\n4\n6\n2\ni0 a.b.c\ni1 {deep}y\ni2 a.d.c\n");
        let text = dump(&model, "1\nb0\n\n111\n.\n");
        assert_eq!(text.matches("$scope").count(), text.matches("$upscope").count());
        assert_eq!(text.matches("$scope module a $end").count(), 1);
    }
}
