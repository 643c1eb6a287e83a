//! Names from the file. What has no symbol is called by its position, as AIGER does: `i0`, `l3`, `b1`.

use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolKind {
    Input,
    Latch,
    Output,
    Bad,
    Constraint,
    Justice,
    Fairness,
}

impl SymbolKind {
    pub const ALL: [SymbolKind; 7] = [
        SymbolKind::Input,
        SymbolKind::Latch,
        SymbolKind::Output,
        SymbolKind::Bad,
        SymbolKind::Constraint,
        SymbolKind::Justice,
        SymbolKind::Fairness,
    ];

    /// The letter of the AIGER symbol table.
    pub fn letter(self) -> char {
        match self {
            SymbolKind::Input => 'i',
            SymbolKind::Latch => 'l',
            SymbolKind::Output => 'o',
            SymbolKind::Bad => 'b',
            SymbolKind::Constraint => 'c',
            SymbolKind::Justice => 'j',
            SymbolKind::Fairness => 'f',
        }
    }

    pub fn from_letter(letter: u8) -> Option<SymbolKind> {
        SymbolKind::ALL.into_iter().find(|kind| kind.letter() == char::from(letter))
    }
}

/// The symbol table, sparse.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Symbols(BTreeMap<(SymbolKind, u32), Box<str>>);

impl Symbols {
    /// Names position `index`; false where it already has a name, which stays.
    pub fn insert(&mut self, kind: SymbolKind, index: usize, name: &str) -> bool {
        let key = (kind, index as u32);
        let fresh = !self.0.contains_key(&key);
        if fresh {
            self.0.insert(key, name.into());
        }
        fresh
    }

    /// Names position `index`, in place of what the file says.
    pub fn replace(&mut self, kind: SymbolKind, index: usize, name: &str) {
        self.0.insert((kind, index as u32), name.into());
    }

    pub fn get(&self, kind: SymbolKind, index: usize) -> Option<&str> {
        self.0.get(&(kind, index as u32)).map(|name| &**name)
    }

    /// The symbol, or the position (`l3`) where there is none.
    pub fn name(&self, kind: SymbolKind, index: usize) -> String {
        match self.get(kind, index) {
            Some(name) => name.to_string(),
            None => format!("{}{index}", kind.letter()),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (SymbolKind, usize, &str)> {
        self.0.iter().map(|(&(kind, index), name)| (kind, index as usize, &**name))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
