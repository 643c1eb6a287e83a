//! Broken models: what a user types by mistake, and what nobody types.

use buttress_system::Rng;

/// Words to put where they do not belong.
const WORDS: &[&str] = &[
    "pre",
    "->",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "=",
    "node",
    "let",
    "tel",
    "if",
    "then",
    "else",
    "int",
    "real",
    "bool",
    "0",
    "1",
    "-1",
    "1.5",
    "x",
    "y",
    "when",
    "merge",
    "condact(",
    "(*@contract",
    "*)",
    "--%PROPERTY",
    "'",
    "^",
    ":=",
    "::",
    "@<",
    "any",
    "div 0",
    "mod",
    "not",
    "99999999999999999999",
    "[99]",
    ".f",
    "frame (",
    "fi",
    "activate",
    "every",
    "é",
    "\"",
    "\0",
];

/// One to four changes.
pub fn mutate(text: &str, rng: &mut Rng) -> String {
    let mut text = text.to_string();
    for _ in 0..=rng.below(4) {
        text = change(&text, rng);
    }
    text
}

fn change(text: &str, rng: &mut Rng) -> String {
    let words = places(text);
    if words.len() < 4 {
        return format!("{text} {}", WORDS[rng.below(WORDS.len())]);
    }
    let (start, end) = words[rng.below(words.len())];
    let (other_start, other_end) = words[rng.below(words.len())];
    let (before, word, after) = (&text[..start], &text[start..end], &text[end..]);
    match rng.below(6) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{word} {word}{after}"),
        2 => format!("{before}{}{after}", &text[other_start..other_end]),
        3 => format!("{before}{} {word}{after}", WORDS[rng.below(WORDS.len())]),
        4 => format!("{before}{}{after}", WORDS[rng.below(WORDS.len())]),
        _ => before.to_string() + if rng.one_in(4) { "" } else { after },
    }
}

/// The words and marks of a text.
fn places(text: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() || c == '_' {
            start.get_or_insert(at);
            continue;
        }
        places.extend(start.take().map(|start| (start, at)));
        if !c.is_whitespace() {
            places.push((at, at + c.len_utf8()));
        }
    }
    places.extend(start.map(|start| (start, text.len())));
    places
}
