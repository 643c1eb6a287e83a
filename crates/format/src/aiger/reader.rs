//! Header, sections and gates; symbols and comments stand in [`tables`](super::tables).
//!
//! Up to the gates both formats are text with one entry a line, so a literal that turns out to be undefined
//! later can still be reported with its line: literals are kept as in the file until all are known.

use std::io::Read;

use buttress_system::{BitSystem, Latch, LatchId, Lit, Property, SymbolKind, Var};

use super::header::Header;
use super::numbering::{Listing, late_error, not_defined, translate};
use super::{Aiger, tables};
use crate::Diagnostic;
use crate::cursor::Cursor;

/// Gates for which memory is reserved at once when nothing speaks for the header.
const UNPROVEN_GATES: u64 = 1 << 16;

pub(super) fn read(source: impl Read, length: Option<u64>) -> Result<Aiger, Diagnostic> {
    let mut cursor = Cursor::new(source);
    let header = Header::read(&mut cursor)?;
    let ascii = header.ascii;
    let gates = plausible_gates(&header, length);
    let mut reader = Reader { cursor, header };
    let (mut system, numbering) = if ascii { reader.ascii(gates)? } else { (reader.binary(gates)?, None) };
    let comments = tables::read(&mut reader.cursor, &reader.header, &mut system.symbols)?;
    reader.cursor.finish()?;
    Ok(Aiger { system, numbering, comments, ascii })
}

/// How many gates to reserve memory for: what the header claims, as far as the file can hold it.
fn plausible_gates(header: &Header, length: Option<u64>) -> usize {
    let bytes_a_gate = if header.ascii { "6 4 2\n".len() as u64 } else { 2 };
    let possible = length.map_or(UNPROVEN_GATES, |length| length / bytes_a_gate);
    u64::from(header.gates).min(possible) as usize
}

struct Reader<R> {
    cursor: Cursor<R>,
    header: Header,
}

/// Literals of one section, as in the file.
struct Section {
    /// The line of the first.
    line: u32,
    lits: Vec<Lit>,
}

/// All that stands between the header (in ASCII, the inputs) and the gates, as in the file.
struct Sections {
    latches: Vec<Latch>,
    outputs: Section,
    bad: Section,
    constraints: Section,
    justice_sizes: Vec<u32>,
    justice: Section,
    fairness: Section,
}

impl<R: Read> Reader<R> {
    fn ascii(&mut self, plausible: usize) -> Result<(BitSystem, Option<Vec<Lit>>), Diagnostic> {
        let mut listing = Listing { inputs: self.header.inputs as usize, ..Listing::default() };
        listing.latches = self.header.latches as usize;
        for _ in 0..self.header.inputs {
            listing.definitions.push(self.definition("an input literal")?);
            self.cursor.end_of_line()?;
        }
        let sections = self.sections(Some(&mut listing))?;
        listing.gates.reserve_exact(plausible);
        listing.gates_line = self.cursor.line();
        for _ in 0..self.header.gates {
            let (gate, operands) = self.ascii_gate()?;
            listing.push_gate(gate, operands);
        }
        let (mut system, table) = listing.resolve()?;
        sections.attach(&self.header, Some(&listing), table.as_deref(), &mut system)?;
        Ok((system, table))
    }

    fn ascii_gate(&mut self) -> Result<(Lit, [Lit; 2]), Diagnostic> {
        let gate = self.definition("the literal of a gate")?;
        self.cursor.blank("the first operand of the gate")?;
        let a = self.literal("the first operand of a gate")?;
        self.cursor.blank("the second operand of the gate")?;
        let b = self.literal("the second operand of a gate")?;
        self.cursor.end_of_line()?;
        Ok((gate, [a, b]))
    }

    fn binary(&mut self, plausible: usize) -> Result<BitSystem, Diagnostic> {
        let sections = self.sections(None)?;
        if self.cursor.crlf() {
            let error = self.cursor.error("a binary file must not have DOS line ends");
            return Err(error.with_help("a transfer in text mode may have damaged it; gates would be wrong"));
        }
        let mut system = BitSystem::new(self.header.inputs as usize, sections.latches.len());
        self.binary_gates(plausible, &mut system)?;
        sections.attach(&self.header, None, None, &mut system)?;
        Ok(system)
    }

    fn binary_gates(&mut self, plausible: usize, system: &mut BitSystem) -> Result<(), Diagnostic> {
        system.reserve_gates(plausible);
        self.cursor.enter_binary();
        for _ in 0..self.header.gates {
            let gate = Var::new(system.num_vars() as u32).lit();
            let start = self.cursor.offset();
            let a = self.below(gate, "first")?;
            if a == gate {
                let message = format!("gate {} depends on itself: its first delta is 0", gate.var().index());
                return Err(self.cursor.error_at(start, message));
            }
            let b = self.below(a, "second")?;
            system.push_gate(a, b);
        }
        self.cursor.leave_binary();
        Ok(())
    }

    /// The literal that lies a delta below another.
    fn below(&mut self, lit: Lit, which: &str) -> Result<Lit, Diagnostic> {
        let start = self.cursor.offset();
        let delta = self.delta()?;
        lit.code().checked_sub(delta).map(Lit::from_code).ok_or_else(|| {
            let message = format!("the {which} delta of a gate, {delta}, exceeds the literal {}", lit.code());
            self.cursor.error_at(start, message)
        })
    }

    /// A number in the binary encoding: seven bits a byte, the lowest first; the last byte is below 128.
    fn delta(&mut self) -> Result<u32, Diagnostic> {
        let start = self.cursor.offset();
        let mut delta = 0;
        for shift in [0, 7, 14, 21, 28] {
            let Some(byte) = self.cursor.bump() else { return Err(self.cursor.expected("a gate")) };
            if shift == 28 && byte > 0x0f {
                break;
            }
            delta |= u32::from(byte & 0x7f) << shift;
            if byte == 0 && shift > 0 {
                return Err(self.cursor.error_at(start, "a delta is encoded with more bytes than it needs"));
            }
            if byte < 0x80 {
                return Ok(delta);
            }
        }
        Err(self.cursor.error_at(start, "a delta exceeds 32 bits"))
    }

    /// Everything up to the gates; the latches' own literals go to the listing, in ASCII.
    fn sections(&mut self, mut listing: Option<&mut Listing>) -> Result<Sections, Diagnostic> {
        let header = self.header;
        let mut latches = Vec::new();
        for _ in 0..header.latches {
            latches.push(self.latch(listing.as_deref_mut())?);
        }
        let outputs = self.section(header.outputs, "an output literal")?;
        let bad = self.section(header.bad, "a bad-state literal")?;
        let constraints = self.section(header.constraints, "a constraint literal")?;
        let justice_sizes = self.justice_sizes()?;
        let justice_literals = justice_sizes.iter().map(|&size| u64::from(size)).sum::<u64>();
        let justice = self.section(justice_literals, "a justice literal")?;
        let fairness = self.section(header.fairness, "a fairness literal")?;
        Ok(Sections { latches, outputs, bad, constraints, justice_sizes, justice, fairness })
    }

    fn latch(&mut self, listing: Option<&mut Listing>) -> Result<Latch, Diagnostic> {
        if let Some(listing) = listing {
            listing.definitions.push(self.definition("a latch literal")?);
            self.cursor.blank("a next-state literal")?;
        }
        let next = self.literal("a next-state literal")?;
        let reset = if self.cursor.at_line_end() {
            Lit::FALSE
        } else {
            self.cursor.blank("a reset literal")?;
            self.literal("a reset literal")?
        };
        self.cursor.end_of_line()?;
        Ok(Latch { next, reset })
    }

    fn section(&mut self, count: impl Into<u64>, what: &str) -> Result<Section, Diagnostic> {
        let mut section = Section { line: self.cursor.line(), lits: Vec::new() };
        for _ in 0..count.into() {
            section.lits.push(self.literal(what)?);
            self.cursor.end_of_line()?;
        }
        Ok(section)
    }

    fn justice_sizes(&mut self) -> Result<Vec<u32>, Diagnostic> {
        let mut sizes = Vec::new();
        for _ in 0..self.header.justice {
            sizes.push(self.cursor.number("the size of a justice property")?);
            self.cursor.end_of_line()?;
        }
        Ok(sizes)
    }

    /// A literal that the header leaves room for.
    fn literal(&mut self, what: &str) -> Result<Lit, Diagnostic> {
        let start = self.cursor.offset();
        let lit = Lit::from_code(self.cursor.number(what)?);
        if lit.var().index() > self.header.variables as usize {
            let (code, variables) = (lit.code(), self.header.variables);
            let message = format!("literal {code} is out of range: the largest variable is {variables}");
            return Err(self.cursor.error_at(start, message));
        }
        Ok(lit)
    }

    /// A literal that may be defined: positive, and no constant.
    fn definition(&mut self, what: &str) -> Result<Lit, Diagnostic> {
        let start = self.cursor.offset();
        let lit = self.literal(what)?;
        let problem = match lit {
            lit if lit.is_constant() => "the constants cannot be defined",
            lit if lit.is_negated() => "only even literals can be defined",
            _ => return Ok(lit),
        };
        Err(self.cursor.error_at(start, format!("literal {} cannot be {what}: {problem}", lit.code())))
    }
}

impl Sections {
    /// Puts everything into the system, in our numbering. The listing says how an ASCII file numbers its
    /// latches.
    fn attach(
        self,
        header: &Header,
        listing: Option<&Listing>,
        table: Option<&[Lit]>,
        system: &mut BitSystem,
    ) -> Result<(), Diagnostic> {
        let ours = Translation { table, vars: system.num_vars() };
        for (index, latch) in self.latches.iter().enumerate() {
            let lit = |lit, reset| {
                ours.lit(lit).ok_or_else(|| self.latch_error(listing, index, reset, not_defined(lit)))
            };
            let latch = Latch { next: lit(latch.next, false)?, reset: lit(latch.reset, true)? };
            system.set_latch(LatchId::new(index), latch);
        }
        system.outputs = ours.section(&self.outputs)?;
        let bad = ours.section(&self.bad)?;
        system.properties = properties(header, &system.outputs, &bad);
        system.constraints = ours.section(&self.constraints)?;
        system.justice = split(&ours.section(&self.justice)?, &self.justice_sizes);
        system.fairness = ours.section(&self.fairness)?;
        Ok(())
    }

    /// An error in the line of a latch, at its reset or else at its next state.
    fn latch_error(&self, listing: Option<&Listing>, latch: usize, reset: bool, text: String) -> Diagnostic {
        let own = listing.map(|listing| listing.definitions.get(listing.inputs + latch));
        let line = 2 + listing.map_or(0, |listing| listing.inputs) + latch;
        let definition = self.latches[latch];
        let mut lits: Vec<Lit> = own.into_iter().chain([definition.next]).collect();
        let field = lits.len() - usize::from(!reset);
        lits.push(definition.reset);
        late_error(line as u32, &lits, field, text)
    }
}

/// Outputs where there is nothing else to decide, as before AIGER 1.9.
fn properties(header: &Header, outputs: &[Lit], bad: &[Lit]) -> Vec<Property> {
    let old = header.bad == 0 && header.justice == 0;
    let (kind, lits) = if old { (SymbolKind::Output, outputs) } else { (SymbolKind::Bad, bad) };
    lits.iter().enumerate().map(|(index, &bad)| Property { bad, symbol: (kind, index) }).collect()
}

fn split(lits: &[Lit], sizes: &[u32]) -> Vec<Vec<Lit>> {
    let mut rest = lits;
    let take = |&size: &u32| {
        let (property, after) = rest.split_at(size as usize);
        rest = after;
        property.to_vec()
    };
    sizes.iter().map(take).collect()
}

struct Translation<'a> {
    table: Option<&'a [Lit]>,
    vars: usize,
}

impl Translation<'_> {
    fn lit(&self, lit: Lit) -> Option<Lit> {
        translate(self.table, self.vars, lit)
    }

    fn section(&self, section: &Section) -> Result<Vec<Lit>, Diagnostic> {
        let ours = |(index, &lit): (usize, &Lit)| {
            let line = section.line.saturating_add(index as u32);
            self.lit(lit).ok_or_else(|| late_error(line, &[lit], 0, not_defined(lit)))
        };
        section.lits.iter().enumerate().map(ours).collect()
    }
}
