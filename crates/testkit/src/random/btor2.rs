//! Small random BTOR2 models by seed, as text: every operator, arrays, free states, starts that read other states,
//! several properties, constraints. At most seven bits of state and three of input, so that all states can be
//! listed.
//!
//! Soup alone decides itself at step 0. So most states count or turn, perhaps only while some random bit allows
//! it, and most properties ask whether a state has one value.

use std::fmt::Write;

use buttress_system::Rng;

const UNARY: &[&str] = &["not", "inc", "dec", "neg"];
const REDUCTIONS: &[&str] = &["redand", "redor", "redxor"];
const BINARY: &[&str] = &[
    "and", "or", "xor", "nand", "nor", "xnor", "rol", "ror", "sll", "sra", "srl", "add", "mul", "udiv",
    "sdiv", "urem", "srem", "smod", "sub",
];
const COMPARISONS: &[&str] = &[
    "eq", "neq", "ugt", "ugte", "ult", "ulte", "sgt", "sgte", "slt", "slte", "uaddo", "saddo", "sdivo",
    "umulo", "smulo", "usubo", "ssubo",
];
const BITS: &[&str] = &["iff", "implies"];

/// The model of this seed.
pub fn model(seed: u64) -> String {
    let mut draft = Draft::new(Rng::new(seed));
    draft.variables();
    let soup = 4 + draft.rng.below(16);
    (0..soup).for_each(|_| draft.operator());
    draft.transitions();
    draft.claims();
    draft.text
}

/// A word, by line and width.
type Node = (u32, u32);

struct Draft {
    rng: Rng,
    text: String,
    last: u32,
    /// The lines of `bitvec` sorts, by width.
    sorts: Vec<(u32, u32)>,
    nodes: Vec<Node>,
    states: Vec<Node>,
    /// The array state: its sort, its line, the widths of index and element.
    array: Option<(u32, u32, u32, u32)>,
}

impl Draft {
    fn new(rng: Rng) -> Draft {
        Draft {
            rng,
            text: String::new(),
            last: 0,
            sorts: Vec::new(),
            nodes: Vec::new(),
            states: Vec::new(),
            array: None,
        }
    }

    fn line(&mut self, text: &str) -> u32 {
        self.last += 1;
        writeln!(self.text, "{} {text}", self.last).expect("a string takes everything");
        self.last
    }

    fn sort(&mut self, width: u32) -> u32 {
        match self.sorts.iter().find(|(w, _)| *w == width) {
            Some(&(_, line)) => line,
            None => {
                let line = self.line(&format!("sort bitvec {width}"));
                self.sorts.push((width, line));
                line
            }
        }
    }

    /// Adds a word.
    fn node(&mut self, width: u32, word: &str, rest: &str) -> u32 {
        let sort = self.sort(width);
        let line = self.line(&format!("{word} {sort}{rest}"));
        self.nodes.push((line, width));
        line
    }

    fn constant(&mut self, width: u32) -> u32 {
        let value = self.rng.below(1 << width);
        match self.rng.below(4) {
            0 => self.node(width, "const", &format!(" {value:0w$b}", w = width as usize)),
            1 => self.node(width, "consth", &format!(" {value:x}")),
            2 if value == 0 => self.node(width, "zero", ""),
            2 if value == 1 => self.node(width, "one", ""),
            2 if value + 1 == 1 << width => self.node(width, "ones", ""),
            _ => self.node(width, "constd", &format!(" {value}")),
        }
    }

    /// Some word of this width, perhaps inverted, made to fit where there is none.
    fn word(&mut self, width: u32) -> String {
        let fitting: Vec<u32> = self.nodes.iter().filter(|(_, w)| *w == width).map(|(n, _)| *n).collect();
        let line = match fitting.len() {
            0 => self.fitted(width),
            _ if self.rng.one_in(8) => self.fitted(width),
            count => fitting[self.rng.below(count)],
        };
        format!("{}{line}", if self.rng.one_in(6) { "-" } else { "" })
    }

    /// A word cut or extended to this width, or a constant.
    fn fitted(&mut self, width: u32) -> u32 {
        if self.nodes.is_empty() || self.rng.one_in(4) {
            return self.constant(width);
        }
        let (line, from) = self.nodes[self.rng.below(self.nodes.len())];
        if from >= width {
            let low = self.rng.below((from - width + 1) as usize) as u32;
            return self.node(width, "slice", &format!(" {line} {} {low}", low + width - 1));
        }
        let how = if self.rng.one_in(2) { "uext" } else { "sext" };
        self.node(width, how, &format!(" {line} {}", width - from))
    }

    fn variables(&mut self) {
        let mut bits = 0;
        for i in 0..self.rng.below(3) {
            let width = 1 + self.rng.below(2) as u32;
            if bits + width <= 3 {
                bits += width;
                self.node(width, "input", &format!(" in{i}"));
            }
        }
        let mut left = 2 + self.rng.below(4) as u32;
        while left > 0 {
            let width = 1 + self.rng.below(left.min(4) as usize) as u32;
            left -= width;
            self.state(width);
        }
        if self.rng.one_in(5) {
            self.array();
        }
    }

    fn state(&mut self, width: u32) {
        let start = match self.rng.below(6) {
            0 => None,
            // Another state, as it starts.
            1 if !self.states.is_empty() => {
                let (line, from) = self.states[self.rng.below(self.states.len())];
                (from == width).then_some(line).or_else(|| Some(self.constant(width)))
            }
            _ => Some(self.constant(width)),
        };
        let name = format!(" s{}", self.states.len());
        let line = self.node(width, "state", &name);
        self.states.push((line, width));
        if let Some(start) = start {
            let sort = self.sort(width);
            self.line(&format!("init {sort} {line} {start}"));
        }
    }

    /// Two places of one bit.
    fn array(&mut self) {
        let (index, element) = (self.sort(1), self.sort(1));
        let start = self.constant(1);
        let sort = self.line(&format!("sort array {index} {element}"));
        let line = self.line(&format!("state {sort} memory"));
        if !self.rng.one_in(3) {
            self.line(&format!("init {sort} {line} {start}"));
        }
        self.array = Some((sort, line, 1, 1));
    }

    fn operator(&mut self) {
        let width = 1 + self.rng.below(4) as u32;
        let pick = |rng: &mut Rng, names: &[&'static str]| names[rng.below(names.len())];
        match self.rng.below(12) {
            0 => {
                let (name, a) = (pick(&mut self.rng, UNARY), self.word(width));
                self.node(width, name, &format!(" {a}"));
            }
            1 => {
                let (name, a) = (pick(&mut self.rng, REDUCTIONS), self.word(width));
                self.node(1, name, &format!(" {a}"));
            }
            2..=4 => {
                let (name, a, b) = (pick(&mut self.rng, BINARY), self.word(width), self.word(width));
                self.node(width, name, &format!(" {a} {b}"));
            }
            5..=7 => {
                let (name, a, b) = (pick(&mut self.rng, COMPARISONS), self.word(width), self.word(width));
                self.node(1, name, &format!(" {a} {b}"));
            }
            8 => {
                let (name, a, b) = (pick(&mut self.rng, BITS), self.word(1), self.word(1));
                self.node(1, name, &format!(" {a} {b}"));
            }
            9 => {
                let low = 1 + self.rng.below(2) as u32;
                let (a, b) = (self.word(width), self.word(low));
                self.node(width + low, "concat", &format!(" {a} {b}"));
            }
            10 => {
                let (c, a, b) = (self.word(1), self.word(width), self.word(width));
                self.node(width, "ite", &format!(" {c} {a} {b}"));
            }
            _ => self.read(width),
        }
    }

    fn read(&mut self, width: u32) {
        match self.array {
            Some((_, line, index, element)) => {
                let place = self.word(index);
                self.node(element, "read", &format!(" {line} {place}"));
            }
            None => drop(self.fitted(width)),
        }
    }

    fn transitions(&mut self) {
        for (line, width) in self.states.clone() {
            if self.rng.one_in(9) {
                continue;
            }
            let next = self.next(line, width);
            let sort = self.sort(width);
            self.line(&format!("next {sort} {line} {next}"));
        }
        if let Some((sort, line, index, element)) = self.array {
            let (place, value, when) = (self.word(index), self.word(element), self.word(1));
            let written = self.line(&format!("write {sort} {line} {place} {value}"));
            let next = self.line(&format!("ite {sort} {when} {written} {line}"));
            self.line(&format!("next {sort} {line} {next}"));
        }
    }

    /// A count, a turn, or anything; perhaps only while some bit is 1.
    fn next(&mut self, line: u32, width: u32) -> String {
        let next = match self.rng.below(4) {
            0 => return self.word(width),
            1 => {
                let step = self.constant(width);
                self.node(width, "add", &format!(" {line} {step}"))
            }
            2 => self.node(width, "inc", &format!(" {line}")),
            _ => {
                let by = self.constant(width);
                self.node(width, "rol", &format!(" {line} {by}"))
            }
        };
        if self.rng.one_in(2) {
            let when = self.word(1);
            return self.node(width, "ite", &format!(" {when} {next} {line}")).to_string();
        }
        next.to_string()
    }

    fn claims(&mut self) {
        for _ in 0..1 + self.rng.below(3) {
            let bad = if self.rng.one_in(4) { self.word(1) } else { self.has_value().to_string() };
            self.line(&format!("bad {bad}"));
        }
        if self.rng.one_in(3) {
            let excluded = if self.rng.one_in(3) { self.word(1) } else { self.has_value().to_string() };
            let flipped = match excluded.strip_prefix('-') {
                Some(plain) => plain.to_string(),
                None => format!("-{excluded}"),
            };
            self.line(&format!("constraint {flipped}"));
        }
    }

    /// Whether a state has one value, and perhaps another one, too.
    fn has_value(&mut self) -> u32 {
        let ask = |draft: &mut Draft| {
            let (line, width) = draft.states[draft.rng.below(draft.states.len())];
            let value = draft.constant(width);
            draft.node(1, "eq", &format!(" {line} {value}"))
        };
        let first = ask(self);
        if self.rng.one_in(2) {
            return first;
        }
        let second = ask(self);
        self.node(1, "and", &format!(" {first} {second}"))
    }
}
