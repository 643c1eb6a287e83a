//! Names that a file gives later: what a line without a symbol is called by an `output`, or by a `uext` that adds
//! no bits, as Yosys writes it for each name of a wire. A state is declared before its names are known, so they
//! are looked up first.
//!
//! Of several names the one that is least deep in the hierarchy counts, the first of those in the file. A name
//! that some input or state has itself is left to it.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

/// By the number of a line, what it is called.
#[derive(Default)]
pub struct Aliases(FxHashMap<u32, Arc<str>>);

impl Aliases {
    /// Lines that are wrong are left to the reader.
    pub fn of(bytes: &[u8]) -> Aliases {
        let (mut best, mut taken) = (FxHashMap::<u32, &str>::default(), FxHashSet::default());
        for line in bytes.split(|&b| b == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
            let words: Vec<&str> =
                line.split_ascii_whitespace().take_while(|word| !word.starts_with(';')).collect();
            let (named, name) = match words[..] {
                [_, "input" | "state", _, name] => {
                    taken.insert(name);
                    continue;
                }
                [_, "output", named, name] | [_, "uext", _, named, "0", name] => (named, name),
                _ => continue,
            };
            let Ok(named) = named.parse::<u32>() else { continue };
            let known = best.entry(named).or_insert(name);
            if depth(name) < depth(known) {
                *known = name;
            }
        }
        let free = best.into_iter().filter(|(_, name)| !taken.contains(name));
        Aliases(free.map(|(line, name)| (line, name.into())).collect())
    }

    pub fn get(&self, line: u32) -> Option<Arc<str>> {
        self.0.get(&line).cloned()
    }
}

/// How deep a name is in the hierarchy; names that a program made up are deeper than all others.
fn depth(name: &str) -> usize {
    if name.contains('$') { usize::MAX } else { name.matches('.').count() }
}
