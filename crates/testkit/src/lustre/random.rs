//! Random models that are well typed: a few nodes that call each other, over Booleans, numbers, enums, records,
//! arrays and machine integers, with memory, clocks and contracts. Small ones have finitely many states, few
//! enough to list.

use std::fmt::Write;

use buttress_system::Rng;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Bool,
    Int,
    Real,
    Color,
    Pair,
    Row,
    Byte,
    Small,
    /// Of small models.
    Tiny,
    Bits,
}

const TYPES: [Type; 8] =
    [Type::Bool, Type::Int, Type::Real, Type::Color, Type::Pair, Type::Row, Type::Byte, Type::Small];
const FEW: [Type; 5] = [Type::Bool, Type::Tiny, Type::Color, Type::Bits, Type::Tiny];

impl Type {
    fn text(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Real => "real",
            Type::Color => "color",
            Type::Pair => "pair",
            Type::Row => "int^3",
            Type::Byte => "int8",
            Type::Small => "subrange [-2, 5] of int",
            Type::Tiny => "subrange [-1, 2] of int",
            Type::Bits => "bool^2",
        }
    }

    /// A subrange is an integer wherever it is read.
    fn base(self) -> Type {
        if matches!(self, Type::Small | Type::Tiny) { Type::Int } else { self }
    }
}

struct Node {
    name: String,
    inputs: Vec<Type>,
    output: Type,
}

struct Maker<'r> {
    rng: &'r mut Rng,
    small: bool,
    nodes: Vec<Node>,
    /// Variables that may be read now, and all of them.
    ready: Vec<(String, Type)>,
    all: Vec<(String, Type)>,
}

/// A model of one to four nodes.
pub fn model(rng: &mut Rng) -> String {
    let mut text = String::from(
        "type color = enum { Red, Green, Blue };\ntype pair = struct { a: int; b: bool };\nconst K: int = 3;\nconst F: int;\n",
    );
    let mut maker = Maker { rng, small: false, nodes: Vec::new(), ready: Vec::new(), all: Vec::new() };
    for number in 0..=maker.rng.below(4) {
        text += &maker.node(number);
    }
    text
}

/// A model of one or two nodes with few states, most of the time.
pub fn small_model(rng: &mut Rng) -> String {
    let mut text = String::from("type color = enum { Red, Green, Blue };\nconst K: int = 2;\n");
    let mut maker = Maker { rng, small: true, nodes: Vec::new(), ready: Vec::new(), all: Vec::new() };
    for number in 0..=maker.rng.below(2) {
        text += &maker.node(number);
    }
    text
}

impl Maker<'_> {
    fn pick(&mut self) -> Type {
        let types: &[Type] = if self.small { &FEW } else { &TYPES };
        types[self.rng.below(types.len())]
    }

    fn node(&mut self, number: usize) -> String {
        let (inputs, locals) = if self.small { (2, 3) } else { (3, 5) };
        let inputs: Vec<Type> = (0..1 + self.rng.below(inputs)).map(|_| self.pick()).collect();
        let locals: Vec<Type> = (0..self.rng.below(locals)).map(|_| self.pick()).collect();
        let output = self.pick();
        let name = format!("n{number}");
        let var = |prefix: &str, types: &[Type]| -> Vec<(String, Type)> {
            types.iter().enumerate().map(|(i, ty)| (format!("{prefix}{i}"), *ty)).collect()
        };
        let (inputs_named, locals_named) = (var("x", &inputs), var("v", &locals));
        self.ready = inputs_named.clone();
        self.all = inputs_named.clone();
        let declare = |vars: &[(String, Type)]| {
            vars.iter().map(|(n, ty)| format!("{n}: {}", ty.text())).collect::<Vec<_>>().join("; ")
        };
        let mut text = format!("node {name}({}) returns (y: {});\n", declare(&inputs_named), output.text());
        if self.rng.one_in(3) {
            let _ = writeln!(
                text,
                "(*@contract assume {}; guarantee {}; *)",
                self.expr(Type::Bool, 1),
                self.expr(Type::Bool, 1)
            );
        }
        self.all =
            inputs_named.iter().chain(&locals_named).cloned().chain([("y".to_string(), output)]).collect();
        if !locals_named.is_empty() {
            let _ = writeln!(text, "var {};", declare(&locals_named));
        }
        text += "let\n";
        for (name, ty) in locals_named.into_iter().chain([("y".to_string(), output)]) {
            let value = self.expr(ty.base(), 3);
            let _ = writeln!(text, "  {name} = {value};");
            self.ready.push((name, ty));
        }
        if self.rng.one_in(3) {
            let _ = writeln!(text, "  assert {};", self.expr(Type::Bool, 2));
        }
        let _ = writeln!(text, "  --%PROPERTY {};", self.expr(Type::Bool, 2));
        self.nodes.push(Node { name, inputs, output });
        text + "tel;\n"
    }

    fn expr(&mut self, ty: Type, depth: usize) -> String {
        if depth == 0 || self.rng.one_in(5) {
            return self.atom(ty);
        }
        let deeper = depth - 1;
        match self.rng.below(8) {
            0 => format!(
                "(if {} then {} else {})",
                self.expr(Type::Bool, deeper),
                self.expr(ty, deeper),
                self.expr(ty, deeper)
            ),
            1 => format!("({} -> {})", self.expr(ty, deeper), self.expr(ty, deeper)),
            2 => self.memory(ty, deeper),
            3 => self.call(ty, deeper).unwrap_or_else(|| self.operator(ty, deeper)),
            _ => self.operator(ty, deeper),
        }
    }

    /// `pre` may read what is not ready yet.
    fn memory(&mut self, ty: Type, depth: usize) -> String {
        let known: Vec<String> =
            self.all.iter().filter(|(_, t)| t.base() == ty).map(|(n, _)| n.clone()).collect();
        if self.small && ty == Type::Int && known.is_empty() {
            return self.atom(ty);
        }
        // Of small models only what has a subrange remembers numbers.
        if known.is_empty() || (self.rng.one_in(3) && !(self.small && ty == Type::Int)) {
            return format!("(pre {})", self.expr(ty, depth));
        }
        let name = &known[self.rng.below(known.len())];
        if self.rng.one_in(2) {
            format!("(pre {name})")
        } else {
            format!("({} -> pre {name})", self.atom(ty))
        }
    }

    fn call(&mut self, ty: Type, depth: usize) -> Option<String> {
        let fitting: Vec<usize> =
            (0..self.nodes.len()).filter(|&n| self.nodes[n].output.base() == ty).collect();
        if fitting.is_empty() {
            return None;
        }
        let node = fitting[self.rng.below(fitting.len())];
        let (name, inputs) = (self.nodes[node].name.clone(), self.nodes[node].inputs.clone());
        let args: Vec<String> = inputs.iter().map(|ty| self.expr(ty.base(), depth.min(1))).collect();
        let args = args.join(", ");
        let (clock, first) = (self.expr(Type::Bool, 1), self.atom(ty));
        Some(match self.rng.below(4) {
            0 if !self.small || ty != Type::Int => format!("condact({clock}, {name}({args}), {first})"),
            1 => format!("(restart {name} every {clock})({args})"),
            _ => format!("{name}({args})"),
        })
    }

    fn atom(&mut self, ty: Type) -> String {
        let known: Vec<String> =
            self.ready.iter().filter(|(_, t)| t.base() == ty).map(|(n, _)| n.clone()).collect();
        if !known.is_empty() && !self.rng.one_in(4) {
            return known[self.rng.below(known.len())].clone();
        }
        match ty {
            Type::Bool => if self.rng.one_in(2) { "true" } else { "false" }.into(),
            Type::Int | Type::Small | Type::Tiny => match self.rng.below(6) {
                0 => "K".into(),
                1 if !self.small => "F".into(),
                n if self.small => ["0", "1", "2", "(-1)", "3"][n % 5].into(),
                n => format!("{}", n as i64 * 3 - 8).replace('-', "0 - "),
            },
            Type::Real => format!("{}.{}", self.rng.below(9), self.rng.below(99)),
            Type::Color => ["Red", "Green", "Blue"][self.rng.below(3)].into(),
            Type::Pair => format!("pair {{ a = {}; b = {} }}", self.rng.below(9), self.rng.one_in(2)),
            Type::Row => format!("[{}, 2, K]", self.rng.below(9)),
            Type::Byte => format!("(int8 {})", self.rng.below(128)),
            Type::Bits => format!("[{}, {}]", self.rng.one_in(2), self.rng.one_in(2)),
        }
    }

    fn operator(&mut self, ty: Type, depth: usize) -> String {
        let sub = |maker: &mut Self, ty| maker.expr(ty, depth);
        match ty {
            Type::Bool => self.boolean(depth),
            Type::Int if self.small => {
                let op = ["+", "-", "*", "+"][self.rng.below(4)];
                match self.rng.below(4) {
                    0 => format!("({} {} K)", sub(self, Type::Int), ["div", "mod"][self.rng.below(2)]),
                    _ => format!("({} {op} {})", sub(self, Type::Int), sub(self, Type::Int)),
                }
            }
            Type::Int | Type::Small | Type::Tiny => match self.rng.below(7) {
                0 => format!("{}.a", self.parenthesis(Type::Pair, depth)),
                1 => format!("{}[{}]", self.parenthesis(Type::Row, depth), self.index(depth, 3)),
                2 => format!("floor({})", sub(self, Type::Real)),
                3 => format!("(int {})", self.parenthesis(Type::Byte, depth)),
                n => {
                    let op = ["+", "-", "*", "div", "mod"][(n + self.rng.below(5)) % 5];
                    format!("({} {op} {})", sub(self, Type::Int), sub(self, Type::Int))
                }
            },
            Type::Real => {
                let op = ["+", "-", "*", "/"][self.rng.below(4)];
                if self.rng.one_in(5) {
                    format!("real({})", sub(self, Type::Int))
                } else {
                    format!("({} {op} {})", sub(self, Type::Real), sub(self, Type::Real))
                }
            }
            Type::Color => {
                format!("(if {} then {} else Green)", sub(self, Type::Bool), sub(self, Type::Color))
            }
            Type::Pair => format!("({}){{ a := {} }}", sub(self, Type::Pair), sub(self, Type::Int)),
            Type::Row => {
                format!("({})[{} := {}]", sub(self, Type::Row), self.rng.below(3), sub(self, Type::Int))
            }
            Type::Bits => {
                format!("({})[{} := {}]", sub(self, Type::Bits), self.rng.below(2), sub(self, Type::Bool))
            }
            Type::Byte => {
                let op = ["+", "-", "*", "&&", "||", "div", "mod", "lsh", "rsh"][self.rng.below(9)];
                format!("({} {op} {})", sub(self, Type::Byte), sub(self, Type::Byte))
            }
        }
    }

    /// An index: a variable, or something that is inside. (A constant that is outside is an error.)
    fn index(&mut self, depth: usize, size: usize) -> String {
        let is_int = |(_, ty): &&(String, Type)| ty.base() == Type::Int;
        let known: Vec<String> = self.ready.iter().filter(is_int).map(|(name, _)| name.clone()).collect();
        match known.is_empty() || self.rng.one_in(3) {
            true => format!("(({}) mod {size})", self.expr(Type::Int, depth)),
            false => known[self.rng.below(known.len())].clone(),
        }
    }

    fn parenthesis(&mut self, ty: Type, depth: usize) -> String {
        format!("({})", self.expr(ty, depth))
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.rng.below(5) {
            0 => format!("(not {})", self.expr(Type::Bool, depth)),
            1 if self.small && self.rng.one_in(2) => {
                format!("({})[{}]", self.expr(Type::Bits, depth), self.index(depth, 2))
            }
            1 => {
                let ty = self.pick().base();
                format!("({} = {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            2 => {
                let ty = match self.small {
                    true => Type::Int,
                    false => [Type::Int, Type::Real, Type::Byte][self.rng.below(3)],
                };
                let op = ["<", "<=", ">", ">="][self.rng.below(4)];
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            _ => {
                let op = ["and", "or", "xor", "=>"][self.rng.below(4)];
                format!("({} {op} {})", self.expr(Type::Bool, depth), self.expr(Type::Bool, depth))
            }
        }
    }
}
