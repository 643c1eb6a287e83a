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

/// Words that may stand for each other, so that most of a model stays well typed.
const CLASSES: &[&[&str]] = &[
    &["+", "-", "*"],
    &["div", "mod"],
    &["<", "<=", ">", ">=", "=", "<>"],
    &["and", "or", "xor", "=>"],
    &["true", "false"],
    &["0", "1", "2", "3", "7", "-1", "100"],
];

/// Texts that may stand around a name.
const WRAPS: &[(&str, &str)] =
    &[("(", ")"), ("pre ", ""), ("(0 -> pre ", ")"), ("not ", ""), ("-", ""), ("(if true then ", " else 1)")];

/// One or two changes that keep most of a model as it is: a name by another name, an operator by one of its kind,
/// a number by another, a name with something around it, an equation twice or not at all. Many of these models
/// pass the parser and the types, and come to clocks, circles and executions.
pub fn mutate_mildly(text: &str, rng: &mut Rng) -> String {
    let mut text = text.to_string();
    for _ in 0..=rng.below(2) {
        text = mild_change(&text, rng);
    }
    text
}

fn mild_change(text: &str, rng: &mut Rng) -> String {
    let places = tokens(text);
    let word = |&(start, end): &(usize, usize)| &text[start..end];
    let names: Vec<(usize, usize)> = places.iter().copied().filter(|place| is_name(word(place))).collect();
    let kinds: Vec<((usize, usize), &[&str])> = places
        .iter()
        .filter_map(|place| {
            CLASSES.iter().find(|class| class.contains(&word(place))).map(|class| (*place, *class))
        })
        .collect();
    let put = |(start, end): (usize, usize), new: &str| format!("{}{new}{}", &text[..start], &text[end..]);
    match rng.below(6) {
        0 | 1 if !kinds.is_empty() => {
            let (place, class) = kinds[rng.below(kinds.len())];
            put(place, class[rng.below(class.len())])
        }
        2 | 3 if !names.is_empty() => {
            let other = names[rng.below(names.len())];
            put(names[rng.below(names.len())], word(&other))
        }
        4 if !names.is_empty() => {
            let (name, (before, after)) = (names[rng.below(names.len())], WRAPS[rng.below(WRAPS.len())]);
            put(name, &format!("{before}{}{after}", word(&name)))
        }
        _ => {
            let ends: Vec<usize> = text.match_indices(';').map(|(at, _)| at + 1).collect();
            let Some(last) = ends.len().checked_sub(2) else { return text.to_string() };
            let at = rng.below(last + 1);
            let piece = (ends[at], ends[at + 1]);
            put(piece, &if rng.one_in(2) { String::new() } else { text[piece.0..piece.1].repeat(2) })
        }
    }
}

/// A name that is not a word of the language.
fn is_name(word: &str) -> bool {
    const RESERVED: &[&str] = &[
        "node",
        "function",
        "returns",
        "var",
        "let",
        "tel",
        "const",
        "type",
        "int",
        "bool",
        "real",
        "subrange",
        "of",
        "if",
        "then",
        "else",
        "and",
        "or",
        "xor",
        "not",
        "pre",
        "div",
        "mod",
        "true",
        "false",
        "enum",
        "struct",
        "merge",
        "when",
        "condact",
        "activate",
        "every",
        "restart",
        "PROPERTY",
        "MAIN",
        "assume",
        "guarantee",
        "contract",
    ];
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !RESERVED.contains(&word)
}

/// Words, numbers and operators of a text; operators of several marks are one.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (start, end) in places(text) {
        match merged.last_mut() {
            Some(last) if last.1 == start && CLASSES.iter().any(|c| c.contains(&&text[last.0..end])) => {
                last.1 = end
            }
            _ => merged.push((start, end)),
        }
    }
    merged
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
