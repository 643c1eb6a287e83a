//! From the numbering of an ASCII file to ours.
//!
//! An ASCII file may number its variables in any way and list its gates in any order. Most files do neither:
//! the definitions are 2, 4, 6, … in order of appearance, and each gate reads variables below it. Such
//! *canonical* files need no table. For the others, each variable gets an entry in one table of literals,
//! whose spare codes say what is still to do:
//!
//! * an even code is our literal for the variable;
//! * an odd code 2g+1 is gate `g` of the file, not yet placed;
//! * [`UNDEFINED`] is a variable without definition.
//!
//! Gates are placed by depth-first search, in the order of the file where that is topological.

use buttress_system::{BitSystem, Lit, Var};

use crate::{Diagnostic, Position};

/// A table over all variables has at most this many entries, and [`SPARSE`] more for each definition.
const SMALL: usize = 1 << 24;
const SPARSE: usize = 16;

/// Our literal for a literal of the file; without a table the numbering is the same.
pub(super) fn translate(table: Option<&[Lit]>, vars: usize, lit: Lit) -> Option<Lit> {
    match table {
        None => (lit.var().index() < vars).then_some(lit),
        Some(table) => match Entry::of(table, lit.var()) {
            Entry::Placed(ours) => Some(ours ^ lit.is_negated()),
            Entry::Waiting(_) | Entry::Undefined => None,
        },
    }
}

/// The state of a variable in the table.
enum Entry {
    Placed(Lit),
    Waiting(usize),
    Undefined,
}

/// The code of an undefined variable. As a waiting gate it would be number 2³¹-1, and there are fewer gates.
fn undefined() -> Lit {
    Lit::from_code(u32::MAX)
}

fn waiting(gate: usize) -> Lit {
    Lit::from_code(gate as u32 * 2 + 1)
}

impl Entry {
    fn of(table: &[Lit], var: Var) -> Entry {
        match table.get(var.index()) {
            Some(&ours) if !ours.is_negated() => Entry::Placed(ours),
            Some(&ours) if ours != undefined() => Entry::Waiting(ours.var().index()),
            _ => Entry::Undefined,
        }
    }
}

/// The literals that the file defines, in order: inputs, latches, gates. The canonical ones at the beginning
/// take no memory.
#[derive(Default)]
pub(super) struct Definitions {
    canonical: usize,
    rest: Vec<Lit>,
}

impl Definitions {
    pub fn push(&mut self, lit: Lit) {
        if self.rest.is_empty() && lit.var().index() == self.canonical + 1 {
            self.canonical += 1;
        } else {
            self.rest.push(lit);
        }
    }

    pub fn get(&self, index: usize) -> Lit {
        match index.checked_sub(self.canonical) {
            None => Var::new(index as u32 + 1).lit(),
            Some(index) => self.rest[index],
        }
    }

    fn len(&self) -> usize {
        self.canonical + self.rest.len()
    }
}

/// The definitions of an ASCII file as they stand there, one a line.
#[derive(Default)]
pub(super) struct Listing {
    pub definitions: Definitions,
    pub inputs: usize,
    pub latches: usize,
    pub gates: Vec<[Lit; 2]>,
    /// The line of the first gate. Inputs and latches follow the header, on line 2.
    pub gates_line: u32,
    /// Some gate reads a variable that is not below it.
    pub unordered: bool,
}

impl Listing {
    pub fn push_gate(&mut self, gate: Lit, operands: [Lit; 2]) {
        self.definitions.push(gate);
        self.unordered |= operands.iter().any(|operand| operand.var() >= gate.var());
        self.gates.push(operands);
    }

    /// The gates in a topological order, and the table where the file's numbering differs from ours.
    pub fn resolve(&self) -> Result<(BitSystem, Option<Vec<Lit>>), Diagnostic> {
        let mut system = BitSystem::new(self.inputs, self.latches);
        system.reserve_gates(self.gates.len());
        if self.definitions.rest.is_empty() && !self.unordered {
            for &[a, b] in &self.gates {
                system.push_gate(a, b);
            }
            return Ok((system, None));
        }
        let table = self.table()?;
        let seen = vec![false; self.gates.len()];
        let (system, table) = Sorter { listing: self, table, system, seen, path: Vec::new() }.run()?;
        let same = table.iter().enumerate().all(|(var, ours)| ours.code() as usize == 2 * var);
        Ok((system, (!same).then_some(table)))
    }

    /// The table with inputs and latches placed and all gates waiting.
    fn table(&self) -> Result<Vec<Lit>, Diagnostic> {
        let first_gate = self.inputs + self.latches;
        let mut table = vec![undefined(); self.table_length()?];
        table[0] = Lit::FALSE;
        for index in 0..self.definitions.len() {
            let entry = match index.checked_sub(first_gate) {
                None => Var::new(index as u32 + 1).lit(),
                Some(gate) => waiting(gate),
            };
            let lit = self.definitions.get(index);
            let slot = &mut table[lit.var().index()];
            if *slot != undefined() {
                return Err(self.error(index, 0, format!("literal {} is defined twice", lit.code())));
            }
            *slot = entry;
        }
        Ok(table)
    }

    fn table_length(&self) -> Result<usize, Diagnostic> {
        let count = self.definitions.len();
        let largest = (0..count).max_by_key(|&index| self.definitions.get(index));
        let Some(index) = largest else { return Ok(1) };
        let var = self.definitions.get(index).var().index();
        if var > SMALL + SPARSE * count {
            let message = format!("variable {var} is too large for a file with {count} definitions");
            return Err(self.error(index, 0, message).with_help("number the variables more densely"));
        }
        Ok(var + 1)
    }

    /// An error in the line of a definition; field 0 is the defined literal.
    fn error(&self, index: usize, field: usize, message: String) -> Diagnostic {
        let lit = self.definitions.get(index);
        match index.checked_sub(self.inputs + self.latches) {
            None => late_error(index as u32 + 2, &[lit], field, message),
            Some(gate) => {
                let [a, b] = self.gates[gate];
                late_error(self.gates_line.saturating_add(gate as u32), &[lit, a, b], field, message)
            }
        }
    }
}

/// An error in a line that was read before: it is put together again from its literals.
pub(super) fn late_error(line: u32, lits: &[Lit], field: usize, message: String) -> Diagnostic {
    let words: Vec<String> = lits.iter().map(|lit| lit.code().to_string()).collect();
    let column = words[..field].iter().map(|word| word.len() as u32 + 1).sum::<u32>() + 1;
    Diagnostic::new(message).at(Position::text(line, column)).with_source(words.join(" "))
}

pub(super) fn not_defined(lit: Lit) -> String {
    format!("literal {} is not defined: it is no input, latch or gate", lit.code())
}

/// Depth-first search over the gates.
struct Sorter<'a> {
    listing: &'a Listing,
    table: Vec<Lit>,
    system: BitSystem,
    /// Gates that were ever put on the path.
    seen: Vec<bool>,
    /// Gates that wait for the one after them.
    path: Vec<u32>,
}

impl Sorter<'_> {
    fn run(mut self) -> Result<(BitSystem, Vec<Lit>), Diagnostic> {
        for gate in 0..self.listing.gates.len() {
            if !self.seen[gate] {
                self.place(gate)?;
            }
        }
        Ok((self.system, self.table))
    }

    /// Places a gate, after those it depends on.
    fn place(&mut self, gate: usize) -> Result<(), Diagnostic> {
        self.enter(gate)?;
        while let Some(&gate) = self.path.last() {
            match self.first_waiting(gate as usize)? {
                Some(operand) => self.enter(operand)?,
                None => {
                    self.path.pop();
                    self.push(gate as usize);
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, gate: usize) -> Result<(), Diagnostic> {
        if std::mem::replace(&mut self.seen[gate], true) {
            // It was seen and still waits, so it is on the path.
            let var = self.definition(gate).var().index();
            let message = format!("gates depend on each other in a circle through variable {var}");
            return Err(self.error(gate, 0, message));
        }
        self.path.push(gate as u32);
        Ok(())
    }

    fn first_waiting(&self, gate: usize) -> Result<Option<usize>, Diagnostic> {
        for (field, operand) in self.listing.gates[gate].into_iter().enumerate() {
            match Entry::of(&self.table, operand.var()) {
                Entry::Placed(_) => {}
                Entry::Waiting(other) => return Ok(Some(other)),
                Entry::Undefined => return Err(self.error(gate, field + 1, not_defined(operand))),
            }
        }
        Ok(None)
    }

    fn push(&mut self, gate: usize) {
        let ours = |lit: Lit| self.table[lit.var().index()] ^ lit.is_negated();
        let [a, b] = self.listing.gates[gate].map(ours);
        let var = self.definition(gate).var();
        self.table[var.index()] = self.system.push_gate(a, b);
    }

    fn definition(&self, gate: usize) -> Lit {
        self.listing.definitions.get(self.first_gate() + gate)
    }

    fn error(&self, gate: usize, field: usize, message: String) -> Diagnostic {
        self.listing.error(self.first_gate() + gate, field, message)
    }

    fn first_gate(&self) -> usize {
        self.listing.inputs + self.listing.latches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(code: u32) -> Lit {
        Lit::from_code(code)
    }

    fn listing(inputs: &[u32], gates: &[[u32; 3]]) -> Listing {
        let mut listing = Listing { inputs: inputs.len(), gates_line: 2, ..Listing::default() };
        inputs.iter().for_each(|&code| listing.definitions.push(lit(code)));
        gates.iter().for_each(|g| listing.push_gate(lit(g[0]), [lit(g[1]), lit(g[2])]));
        listing
    }

    #[test]
    fn canonical_files_need_no_table() {
        let (system, table) = listing(&[2, 4], &[[6, 2, 4], [8, 7, 3]]).resolve().unwrap();
        assert_eq!((system.num_gates(), table), (2, None));
    }

    #[test]
    fn gates_listed_backwards_are_sorted() {
        let (system, table) = listing(&[10, 2], &[[6, 9, 3], [8, 11, 2]]).resolve().unwrap();
        assert_eq!(system.gates(), [[lit(3), lit(4)], [lit(7), lit(5)]]);
        let table = table.unwrap();
        let ours = |code| translate(Some(&table), system.num_vars(), lit(code)).map(Lit::code);
        assert_eq!([10, 3, 8, 7, 1].map(ours), [2, 5, 6, 9, 1].map(Some));
        assert_eq!([4, 5, 12].map(ours), [None; 3]);
    }

    #[test]
    fn lines_in_another_order_keep_a_canonical_numbering() {
        let (system, table) = listing(&[2, 4], &[[8, 6, 2], [6, 2, 4]]).resolve().unwrap();
        assert_eq!(system.gates(), [[lit(2), lit(4)], [lit(6), lit(2)]]);
        assert_eq!(table, None);
    }

    #[test]
    fn a_chain_of_many_gates_needs_no_deep_stack() {
        let count = 200_000;
        let gates: Vec<[u32; 3]> = (0..count).map(|g| [2 * (count - g) + 2, 2 * (count - g), 2]).collect();
        let (system, table) = listing(&[2], &gates).resolve().unwrap();
        assert_eq!((system.num_gates(), table), (count as usize, None));
    }

    #[test]
    fn circles_are_named() {
        let error = listing(&[2], &[[4, 6, 2], [6, 8, 2], [8, 7, 2]]).resolve().err().unwrap();
        assert_eq!(error.message, "gates depend on each other in a circle through variable 3");
        assert_eq!(error.position.unwrap().line, 3);
    }
}
