//! Writing: inputs, states with their starts, then what the rest reads, operands first.
//!
//! The reference parser wants the value of an `init` before its state, so a state is preceded by what its start
//! reads, other states included. Apart from that inputs, states and properties keep their order, which witnesses
//! count by.

use std::fmt::{self, Write};

use buttress_system::words::{Role, StateId, System};
use buttress_term::{Node, Op, Sort, TermId, Value, Word};
use rustc_hash::FxHashMap;

use super::Btor2;
use super::operators::{Meaning, OPERATORS, bool_of_word, word_of_bool};

/// Something that BTOR2 has no words for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inexpressible(String);

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BTOR2 cannot express {}", self.0)
    }
}

impl std::error::Error for Inexpressible {}

/// The text of a file.
pub fn write(model: &Btor2) -> Result<String, Inexpressible> {
    let mut writer = Writer {
        system: &model.system,
        roles: model.system.roles(),
        text: String::new(),
        last: 0,
        sorts: FxHashMap::default(),
        nodes: FxHashMap::default(),
    };
    writer.variables()?;
    writer.transitions()?;
    writer.statements(model)?;
    Ok(writer.text)
}

struct Writer<'a> {
    system: &'a System,
    roles: Vec<Option<Role>>,
    text: String,
    last: u32,
    sorts: FxHashMap<Sort, u32>,
    nodes: FxHashMap<TermId, u32>,
}

type Written<T> = Result<T, Inexpressible>;

impl Writer<'_> {
    fn variables(&mut self) -> Written<()> {
        for input in &self.system.inputs {
            let sort = self.sort(self.system.terms.sort(input.variable))?;
            let line = self.line(format_args!("input {sort}{}", symbol(&input.label.name, "")));
            self.nodes.insert(input.variable, line);
        }
        self.system.states.iter().try_for_each(|state| self.node(state.variable).map(drop))
    }

    fn transitions(&mut self) -> Written<()> {
        for state in &self.system.states {
            if let Some(next) = state.next {
                let value = self.node(next)?;
                let (sort, state) = self.typed(state.variable)?;
                self.line(format_args!("next {sort} {state} {value}"));
            }
        }
        Ok(())
    }

    fn statements(&mut self, model: &Btor2) -> Written<()> {
        for (o, observable) in self.system.observables.iter().enumerate() {
            let node = self.node(observable.term)?;
            self.line(format_args!("output {node}{}", symbol(&observable.label.name, &format!("o{o}"))));
        }
        for (c, constraint) in self.system.constraints.iter().enumerate() {
            let node = self.node(constraint.term)?;
            self.line(format_args!("constraint {node}{}", symbol(&constraint.label.name, &format!("c{c}"))));
        }
        for (b, property) in self.system.properties.iter().enumerate() {
            let node = self.node(property.bad)?;
            self.line(format_args!("bad {node}{}", symbol(&property.label.name, &format!("b{b}"))));
        }
        for &fair in &model.fairness {
            let node = self.node(fair)?;
            self.line(format_args!("fair {node}"));
        }
        for (j, conditions) in model.justice.iter().enumerate() {
            let name = model.justice_names.get(j).and_then(Option::as_deref);
            let name = name.map_or_else(String::new, |name| symbol(name, &format!("j{j}")));
            let nodes = conditions.iter().map(|&c| self.node(c)).collect::<Written<Vec<u32>>>()?;
            let list: String = nodes.iter().map(|n| format!(" {n}")).collect();
            self.line(format_args!("justice {}{list}{name}", nodes.len()));
        }
        Ok(())
    }

    fn line(&mut self, text: fmt::Arguments<'_>) -> u32 {
        self.last += 1;
        writeln!(self.text, "{} {text}", self.last).expect("a string takes everything");
        self.last
    }

    fn sort(&mut self, sort: &Sort) -> Written<u32> {
        let sort = if *sort == Sort::Bool { &Sort::BitVec(1) } else { sort };
        if let Some(&known) = self.sorts.get(sort) {
            return Ok(known);
        }
        let line = match sort {
            Sort::BitVec(width) => self.line(format_args!("sort bitvec {width}")),
            Sort::Array(array) => {
                let (index, element) = (self.sort(&array.index)?, self.sort(&array.element)?);
                self.line(format_args!("sort array {index} {element}"))
            }
            _ => return Err(Inexpressible(format!("the sort {sort}"))),
        };
        self.sorts.insert(sort.clone(), line);
        Ok(line)
    }

    /// The lines of a node and of its sort.
    fn typed(&mut self, term: TermId) -> Written<(u32, u32)> {
        let sort = self.sort(self.system.terms.sort(term))?;
        Ok((sort, self.nodes[&term]))
    }

    /// The line of a term, written with all that it reads.
    fn node(&mut self, root: TermId) -> Written<u32> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            let before = stack.len();
            if !self.nodes.contains_key(&term) {
                stack.extend(self.reads(term).into_iter().filter(|t| !self.nodes.contains_key(t)));
            }
            if stack.len() == before {
                if !self.nodes.contains_key(&term) {
                    let line = self.write(term)?;
                    self.nodes.insert(term, line);
                }
                stack.pop();
            }
        }
        Ok(self.nodes[&root])
    }

    /// The terms that must be written before this one.
    fn reads(&self, term: TermId) -> Vec<TermId> {
        let terms = &self.system.terms;
        match self.roles.get(term.index()).copied().flatten() {
            Some(Role::Definition(d)) => vec![self.system.definitions[d].value],
            Some(Role::State(s)) => self.start(s).into_iter().collect(),
            _ => match bool_of_word(terms, term).or_else(|| word_of_bool(terms, term)) {
                Some(other_view) => vec![other_view],
                None => terms.operands(term).to_vec(),
            },
        }
    }

    /// The value of the `init` line: of an array that is filled, the element.
    fn start(&self, state: StateId) -> Option<TermId> {
        let init = self.system.state(state).init?;
        Some(match self.system.terms.node(init) {
            Node::Apply(Op::ConstArray, _, &[element]) => element,
            _ => init,
        })
    }

    /// All that it reads is written.
    fn write(&mut self, term: TermId) -> Written<u32> {
        let terms = &self.system.terms;
        match self.roles.get(term.index()).copied().flatten() {
            Some(Role::Definition(d)) => return Ok(self.nodes[&self.system.definitions[d].value]),
            Some(Role::State(s)) => return self.state(s),
            Some(Role::Input(_)) | None => {}
        }
        if let Some(other_view) = bool_of_word(terms, term).or_else(|| word_of_bool(terms, term)) {
            return Ok(self.nodes[&other_view]);
        }
        match terms.node(term) {
            Node::Variable(name) => unreachable!("`{name}` is of the system, and inputs come first"),
            Node::Constant(value) => self.constant(value),
            Node::Apply(op, indices, operands) => {
                let operands: Vec<u32> = operands.iter().map(|t| self.nodes[t]).collect();
                let sort = self.sort(terms.sort(term))?;
                self.application(op, indices, sort, &operands)
            }
        }
    }

    fn state(&mut self, id: StateId) -> Written<u32> {
        let state = self.system.state(id);
        let sort = self.sort(self.system.terms.sort(state.variable))?;
        let line = self.line(format_args!("state {sort}{}", symbol(&state.label.name, "")));
        if let Some(start) = self.start(id) {
            let value = self.nodes[&start];
            self.line(format_args!("init {sort} {line} {value}"));
        }
        Ok(line)
    }

    fn constant(&mut self, value: &Value) -> Written<u32> {
        let sort = self.sort(&value.sort())?;
        let word = match value {
            Value::Bool(b) => Word::from_u64(u64::from(*b), 1),
            Value::Word(word) => word.clone(),
            other => return Err(Inexpressible(format!("the constant {other}"))),
        };
        Ok(match () {
            _ if word.is_zero() => self.line(format_args!("zero {sort}")),
            _ if word.to_u64() == Some(1) => self.line(format_args!("one {sort}")),
            _ if word.not().is_zero() => self.line(format_args!("ones {sort}")),
            _ => self.line(format_args!("const {sort} {}", word.binary())),
        })
    }

    fn application(&mut self, op: Op, indices: [u32; 2], sort: u32, operands: &[u32]) -> Written<u32> {
        match op {
            Op::Distinct => self.distinct(sort, operands),
            Op::BvComp => Ok(self.operator("eq", sort, operands, &[])),
            Op::BvExtract => Ok(self.operator("slice", sort, operands, &indices)),
            Op::BvZeroExtend | Op::BvSignExtend => {
                Ok(self.operator(name(op).expect("in the table"), sort, operands, &indices[..1]))
            }
            Op::And | Op::Or if operands.len() == 1 => Ok(operands[0]),
            Op::And | Op::Or => {
                let name = name(op).expect("in the table");
                let join = |a, &b: &u32| self.operator(name, sort, &[a, b], &[]);
                Ok(operands[1..].iter().fold(operands[0], join))
            }
            _ => match name(op) {
                Some(name) => Ok(self.operator(name, sort, operands, &[])),
                None => Err(Inexpressible(format!("the operator {op:?}"))),
            },
        }
    }

    fn distinct(&mut self, sort: u32, operands: &[u32]) -> Written<u32> {
        let mut all = None;
        for (i, &a) in operands.iter().enumerate() {
            for &b in &operands[i + 1..] {
                let differ = self.operator("neq", sort, &[a, b], &[]);
                all = Some(match all {
                    None => differ,
                    Some(before) => self.operator("and", sort, &[before, differ], &[]),
                });
            }
        }
        Ok(all.expect("at least two operands"))
    }

    fn operator(&mut self, name: &str, sort: u32, operands: &[u32], indices: &[u32]) -> u32 {
        let numbers: String = operands.iter().chain(indices).map(|n| format!(" {n}")).collect();
        self.line(format_args!("{name} {sort}{numbers}"))
    }
}

/// The operator of BTOR2 that means this one.
fn name(op: Op) -> Option<&'static str> {
    let means = |meaning: Meaning| match meaning {
        Meaning::Word(other) | Meaning::Bool(other) => other == op,
        Meaning::Logic(word, bool, negated) => word == op || (bool == op && !negated),
        Meaning::Equal => op == Op::Eq,
        Meaning::Same => op == Op::Ite,
        Meaning::Count(_) | Meaning::Unequal => false,
    };
    // `iff` means equality, too, of bits only: `eq` is always right.
    let row = OPERATORS.iter().find(|row| means(row.meaning) && row.name != "iff");
    row.map(|row| row.name)
}

/// A name behind a blank, as one word; nothing where it is the one that a reader makes up.
fn symbol(name: &str, made_up: &str) -> String {
    if name.is_empty() || name == made_up {
        return String::new();
    }
    let word: String =
        name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let guard = if word.starts_with(';') { "_" } else { "" };
    format!(" {guard}{word}")
}
