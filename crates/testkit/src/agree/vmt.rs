//! Small random models in VMT-LIB: Booleans, words, integers that stay small because each step takes a remainder,
//! and arrays from integers to Booleans that are read and written at such integers.

use std::fmt::Write;

use buttress_system::Rng;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Bool,
    Word(u32),
    /// A remainder by this.
    Int(usize),
    Array,
}

impl Sort {
    fn text(self) -> String {
        match self {
            Sort::Bool => "Bool".to_string(),
            Sort::Word(width) => format!("(_ BitVec {width})"),
            Sort::Int(_) => "Int".to_string(),
            Sort::Array => "(Array Int Bool)".to_string(),
        }
    }
}

struct Maker {
    rng: Rng,
    /// Names that may be read.
    known: Vec<(String, Sort)>,
}

pub fn model(seed: u64) -> String {
    let mut maker = Maker { rng: Rng::new(seed), known: Vec::new() };
    let states: Vec<(String, Sort)> =
        (0..1 + maker.rng.below(3)).map(|s| (format!("s{s}"), maker.sort())).collect();
    let inputs: Vec<(String, Sort)> =
        (0..maker.rng.below(3)).map(|i| (format!("i{i}"), maker.input_sort())).collect();
    maker.known = states.iter().chain(&inputs).cloned().collect();
    let mut text = String::new();
    for (name, sort) in &maker.known {
        let _ = writeln!(text, "(declare-fun {name} () {})", sort.text());
    }
    for (name, sort) in &states {
        let _ = writeln!(text, "(declare-fun {name}.next () {})", sort.text());
        let _ = writeln!(text, "(define-fun .{name} () {} (! {name} :next {name}.next))", sort.text());
    }
    let starts: Vec<String> = states.iter().filter_map(|(name, sort)| maker.start(name, *sort)).collect();
    let _ = writeln!(text, "(define-fun .init () Bool (! {} :init true))", all(&starts));
    let mut steps: Vec<String> =
        states.iter().map(|(name, sort)| format!("(= {name}.next {})", maker.step(*sort))).collect();
    if maker.rng.one_in(4) {
        steps.push(maker.boolean(2));
    }
    let _ = writeln!(text, "(define-fun .trans () Bool (! {} :trans true))", all(&steps));
    for property in 0..1 + maker.rng.below(2) {
        let claim = maker.claim();
        let _ = writeln!(text, "(define-fun .p{property} () Bool (! {claim} :invar-property {property}))");
    }
    text
}

fn all(parts: &[String]) -> String {
    match parts {
        [] => "true".to_string(),
        [one] => one.clone(),
        many => format!("(and {})", many.join(" ")),
    }
}

impl Maker {
    fn sort(&mut self) -> Sort {
        match self.rng.below(6) {
            0 | 1 => Sort::Bool,
            2 => Sort::Word(2 + self.rng.below(3) as u32),
            3 | 4 => Sort::Int(2 + self.rng.below(4)),
            _ => Sort::Array,
        }
    }

    /// Inputs are few bits: all of them are listed.
    fn input_sort(&mut self) -> Sort {
        if self.rng.one_in(2) { Sort::Bool } else { Sort::Word(2) }
    }

    /// Booleans and words may start anywhere.
    fn start(&mut self, name: &str, sort: Sort) -> Option<String> {
        Some(match sort {
            Sort::Bool | Sort::Word(_) if self.rng.one_in(5) => return None,
            Sort::Bool => format!("(= {name} {})", self.rng.one_in(2)),
            Sort::Word(width) => format!("(= {name} {})", word(self.rng.below(1 << width), width)),
            Sort::Int(below) => format!("(= {name} {})", self.rng.below(below)),
            Sort::Array => format!("(= {name} ((as const (Array Int Bool)) {}))", self.rng.one_in(2)),
        })
    }

    fn step(&mut self, sort: Sort) -> String {
        match sort {
            Sort::Bool => self.boolean(3),
            Sort::Word(width) => self.word(width, 3),
            Sort::Int(below) => format!("(mod {} {below})", self.integer(3)),
            Sort::Array => self.array(2),
        }
    }

    /// A property that often holds for a reason: bounds, or anything.
    fn claim(&mut self) -> String {
        let numbers: Vec<(String, usize)> = self
            .known
            .iter()
            .filter_map(|(name, sort)| match sort {
                Sort::Int(below) => Some((name.clone(), *below)),
                _ => None,
            })
            .collect();
        match numbers.first() {
            Some((name, below)) if self.rng.one_in(3) => {
                format!("(and (<= 0 {name}) (< {name} {}))", below - usize::from(self.rng.one_in(3)))
            }
            _ if self.rng.one_in(2) => format!("(or {} {})", self.boolean(2), self.boolean(2)),
            _ => self.boolean(2),
        }
    }

    fn named(&mut self, is: impl Fn(Sort) -> bool) -> Option<String> {
        let fitting: Vec<&String> = self.known.iter().filter(|(_, s)| is(*s)).map(|(n, _)| n).collect();
        if fitting.is_empty() { None } else { Some(fitting[self.rng.below(fitting.len())].clone()) }
    }

    fn boolean(&mut self, depth: usize) -> String {
        if depth == 0 {
            let constant = self.rng.one_in(2).to_string();
            return self.named(|s| s == Sort::Bool).unwrap_or(constant);
        }
        let deeper = depth - 1;
        match self.rng.below(9) {
            0 => format!("(not {})", self.boolean(deeper)),
            1 => format!("(and {} {})", self.boolean(deeper), self.boolean(deeper)),
            2 => format!("(or {} {})", self.boolean(deeper), self.boolean(deeper)),
            3 => format!("(xor {} {})", self.boolean(deeper), self.boolean(deeper)),
            4 => format!("(= {} {})", self.integer(deeper), self.integer(deeper)),
            5 => format!("(< {} {})", self.integer(deeper), self.integer(deeper)),
            6 => format!("(bvult {} {})", self.word(2, deeper), self.word(2, deeper)),
            7 => format!("(select {} {})", self.array(deeper.min(1)), self.integer(deeper)),
            _ => self.boolean(0),
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            let constant = self.rng.below(4).to_string();
            return self.named(|s| matches!(s, Sort::Int(_))).unwrap_or(constant);
        }
        let deeper = depth - 1;
        match self.rng.below(6) {
            0 => format!("(+ {} {})", self.integer(deeper), self.integer(deeper)),
            1 => format!("(- {} {})", self.integer(deeper), self.integer(deeper)),
            2 => format!("(ite {} {} {})", self.boolean(deeper), self.integer(deeper), self.integer(deeper)),
            3 => format!("(mod {} {})", self.integer(deeper), 2 + self.rng.below(3)),
            4 => format!("(+ {} 1)", self.integer(deeper)),
            _ => self.integer(0),
        }
    }

    fn word(&mut self, width: u32, depth: usize) -> String {
        if depth == 0 {
            let constant = word(self.rng.below(1 << width), width);
            return self.named(|s| s == Sort::Word(width)).unwrap_or(constant);
        }
        let deeper = depth - 1;
        match self.rng.below(5) {
            0 => format!("(bvadd {} {})", self.word(width, deeper), self.word(width, deeper)),
            1 => format!("(bvand {} {})", self.word(width, deeper), self.word(width, deeper)),
            2 => format!("(bvsub {} {})", self.word(width, deeper), word(1, width)),
            3 => format!(
                "(ite {} {} {})",
                self.boolean(deeper),
                self.word(width, deeper),
                self.word(width, deeper)
            ),
            _ => self.word(width, 0),
        }
    }

    /// A random array. Stores are at a remainder, so that places are few.
    fn array(&mut self, depth: usize) -> String {
        let constant = format!("((as const (Array Int Bool)) {})", self.rng.one_in(2));
        let known = self.named(|s| s == Sort::Array).unwrap_or(constant);
        if depth == 0 || self.rng.one_in(4) {
            return known;
        }
        format!("(store {known} (mod {} 3) {})", self.integer(1), self.boolean(1))
    }
}

fn word(value: usize, width: u32) -> String {
    format!("(_ bv{value} {width})")
}
