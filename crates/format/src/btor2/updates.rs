//! Where the `init` and the `next` of each state stand: a system has one place for each state.

use buttress_system::words::Span;
use rustc_hash::FxHashMap;

/// The lines that say how a state starts and goes on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Updates {
    pub init: Option<Span>,
    pub next: Option<Span>,
}

/// By the line of each `state`, counted from 1, of a text that was read before.
pub fn updates(text: &str) -> FxHashMap<u32, Updates> {
    let mut lines: FxHashMap<&str, u32> = FxHashMap::default();
    let mut updates: FxHashMap<u32, Updates> = FxHashMap::default();
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.split(';').next().unwrap_or_default();
        let words: Vec<&str> = code.split_ascii_whitespace().take(5).collect();
        match words[..] {
            [id, "state", ..] => drop(lines.insert(id, number)),
            [_, what @ ("init" | "next"), _, state, ..] => {
                let Some(&of) = lines.get(state) else { continue };
                let end_column = code.trim_end().len() as u32 + 1;
                let span = Some(Span { line: number, column: 1, end_line: number, end_column });
                let updates = updates.entry(of).or_default();
                if what == "init" { updates.init = span } else { updates.next = span }
            }
            _ => {}
        }
    }
    updates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_update_has_the_place_of_its_line() {
        let text = "; a counter\n1 sort bitvec 8\n2 state 1 x\n3 zero 1\n4 init 1 2 3 ; at first\n5 next 1 2 2\n6 state 1\n";
        let found = updates(text);
        let span = |line, end_column| Some(Span { line, column: 1, end_line: line, end_column });
        assert_eq!(found[&3], Updates { init: span(5, 13), next: span(6, 13) });
        assert_eq!(found.get(&7), None);
    }
}
