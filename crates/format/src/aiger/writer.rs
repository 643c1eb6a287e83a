//! Both formats, from a [`BitSystem`], whose numbering is that of binary files.
//!
//! * Where the properties are exactly the outputs and there is no justice, they are written as outputs, as
//!   before AIGER 1.9; otherwise as bad-state literals, each with the name it has, wherever that stands.
//! * A system without any property is written without its outputs: a reader would take them for properties.
//! * The binary format orders the two operands of a gate, the larger first.

use std::io::{BufWriter, Result, Write};

use buttress_system::{BitSystem, Latch, Lit, Property, SymbolKind, Var};

/// Writes the ASCII format (`aag`).
pub fn write_ascii(system: &BitSystem, comments: &[String], out: &mut impl Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    let sections = Sections::of(system);
    sections.header("aag", &mut out)?;
    for input in system.inputs() {
        writeln!(out, "{}", system.input_lit(input).code())?;
    }
    for latch in system.latches() {
        write!(out, "{} ", system.latch_lit(latch).code())?;
        write_latch(system.latch(latch), &mut out)?;
    }
    sections.literals(&mut out)?;
    for (index, [a, b]) in system.gates().iter().enumerate() {
        let gate = Var::new((system.first_gate() + index) as u32).lit();
        writeln!(out, "{} {} {}", gate.code(), a.code(), b.code())?;
    }
    sections.symbols(&mut out)?;
    write_comments(comments, &mut out)?;
    out.flush()
}

/// Writes the binary format (`aig`).
pub fn write_binary(system: &BitSystem, comments: &[String], out: &mut impl Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    let sections = Sections::of(system);
    sections.header("aig", &mut out)?;
    for latch in system.latches() {
        write_latch(system.latch(latch), &mut out)?;
    }
    sections.literals(&mut out)?;
    for (index, &[a, b]) in system.gates().iter().enumerate() {
        let gate = Var::new((system.first_gate() + index) as u32).lit();
        let (a, b) = (a.max(b), a.min(b));
        write_delta(gate.code() - a.code(), &mut out)?;
        write_delta(a.code() - b.code(), &mut out)?;
    }
    sections.symbols(&mut out)?;
    write_comments(comments, &mut out)?;
    out.flush()
}

/// The outputs and bad states as they are written. Properties that are the outputs are not written as bad states,
/// too; without properties the outputs are left out, for a reader would take them for some.
struct Sections<'a> {
    system: &'a BitSystem,
    outputs: &'a [Lit],
    bad: &'a [Property],
}

impl<'a> Sections<'a> {
    fn of(system: &'a BitSystem) -> Sections<'a> {
        let (mut outputs, mut bad) = (&system.outputs[..], &system.properties[..]);
        if system.justice.is_empty() && are_the_outputs(bad, outputs) {
            bad = &[];
        } else if system.justice.is_empty() && bad.is_empty() {
            outputs = &[];
        }
        Sections { system, outputs, bad }
    }

    fn count(&self, kind: SymbolKind) -> usize {
        match kind {
            SymbolKind::Input => self.system.num_inputs(),
            SymbolKind::Latch => self.system.num_latches(),
            SymbolKind::Output => self.outputs.len(),
            SymbolKind::Bad => self.bad.len(),
            SymbolKind::Constraint => self.system.constraints.len(),
            SymbolKind::Justice => self.system.justice.len(),
            SymbolKind::Fairness => self.system.fairness.len(),
        }
    }

    fn header(&self, magic: &str, out: &mut impl Write) -> Result<()> {
        let [inputs, latches, outputs, rest @ ..] = SymbolKind::ALL.map(|kind| self.count(kind));
        let mut counts = vec![self.system.num_vars() - 1, inputs, latches, outputs, self.system.num_gates()];
        counts.extend(rest);
        let needed = counts.iter().rposition(|&count| count > 0).map_or(5, |last| (last + 1).max(5));
        write!(out, "{magic}")?;
        counts[..needed].iter().try_for_each(|count| write!(out, " {count}"))?;
        writeln!(out)
    }

    fn literals(&self, out: &mut impl Write) -> Result<()> {
        let system = self.system;
        let bad = self.bad.iter().map(|property| &property.bad);
        for lit in self.outputs.iter().chain(bad).chain(&system.constraints) {
            writeln!(out, "{}", lit.code())?;
        }
        for lits in &system.justice {
            writeln!(out, "{}", lits.len())?;
        }
        for lit in system.justice.iter().flatten().chain(&system.fairness) {
            writeln!(out, "{}", lit.code())?;
        }
        Ok(())
    }

    fn symbols(&self, out: &mut impl Write) -> Result<()> {
        for kind in SymbolKind::ALL {
            for index in 0..self.count(kind) {
                if let Some(name) = self.symbol(kind, index) {
                    writeln!(out, "{}{index} {}", kind.letter(), name.replace('\n', "_"))?;
                }
            }
        }
        Ok(())
    }

    fn symbol(&self, kind: SymbolKind, index: usize) -> Option<&str> {
        let (kind, index) = if kind == SymbolKind::Bad { self.bad[index].symbol } else { (kind, index) };
        self.system.symbols.get(kind, index)
    }
}

fn are_the_outputs(properties: &[Property], outputs: &[Lit]) -> bool {
    let output = |(index, &bad)| Property { bad, symbol: (SymbolKind::Output, index) };
    properties.iter().copied().eq(outputs.iter().enumerate().map(output))
}

fn write_latch(latch: Latch, out: &mut impl Write) -> Result<()> {
    match latch.reset {
        Lit::FALSE => writeln!(out, "{}", latch.next.code()),
        reset => writeln!(out, "{} {}", latch.next.code(), reset.code()),
    }
}

fn write_delta(mut delta: u32, out: &mut impl Write) -> Result<()> {
    while delta >= 0x80 {
        out.write_all(&[delta as u8 | 0x80])?;
        delta >>= 7;
    }
    out.write_all(&[delta as u8])
}

fn write_comments(comments: &[String], out: &mut impl Write) -> Result<()> {
    if !comments.is_empty() {
        writeln!(out, "c")?;
    }
    comments.iter().try_for_each(|line| writeln!(out, "{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aiger::read;

    fn ascii(system: &BitSystem) -> String {
        let mut text = Vec::new();
        write_ascii(system, &[], &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_property_takes_its_name_along() {
        let mut system = BitSystem::new(1, 0);
        system.symbols.insert(SymbolKind::Bad, 7, "deadlock");
        system.symbols.insert(SymbolKind::Output, 0, "gone");
        system.properties = vec![Property { bad: Lit::from_code(3), symbol: (SymbolKind::Bad, 7) }];
        assert_eq!(ascii(&system), "aag 1 1 0 0 0 1\n2\n3\nb0 deadlock\n");
    }

    #[test]
    fn changed_outputs_become_bad_states() {
        let mut system = read("aag 1 1 0 1 0\n2\n3\no0 p\n".as_bytes()).unwrap().system;
        assert_eq!(ascii(&system), "aag 1 1 0 1 0\n2\n3\no0 p\n");
        system.properties[0].bad = Lit::from_code(2);
        assert_eq!(ascii(&system), "aag 1 1 0 1 0 1\n2\n3\n2\no0 p\nb0 p\n");
    }

    #[test]
    fn outputs_do_not_turn_into_properties() {
        let mut system = BitSystem::new(1, 0);
        system.outputs = vec![Lit::from_code(2)];
        assert_eq!(ascii(&system), "aag 1 1 0 0 0\n2\n");
        system.justice = vec![vec![]];
        assert_eq!(ascii(&system), "aag 1 1 0 1 0 0 0 1\n2\n2\n0\n");
    }

    #[test]
    fn deltas_take_seven_bits_a_byte() {
        let encode = |delta| {
            let mut bytes = Vec::new();
            write_delta(delta, &mut bytes).unwrap();
            bytes
        };
        assert_eq!(encode(0x7f), [0x7f]);
        assert_eq!(encode(0x80), [0x80, 0x01]);
        assert_eq!(encode(u32::MAX), [0xff, 0xff, 0xff, 0xff, 0x0f]);
    }
}
