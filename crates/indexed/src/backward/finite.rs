//! A finite instance: a system of n processes, whose states are rows of numbers.
//!
//! Every state has a column for each place of each map. The guards and updates of a rule, for given processes, are
//! programs over these columns. Executions are found by breadth-first search up to a number of states. They are
//! real executions of the system of this size, so that a violation is one; where the search is cut, or values of
//! infinite types are chosen from a few, that there is none means nothing.

use buttress_system::indexed::Indexed;
use buttress_term::{EnumValue, Node, Op, Sort, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::problem::Problem;

/// Values that numbers without a start, or that are chosen, may have.
const NUMBERS: i64 = 2;

/// Starts, and choices of one rule, at most.
const CHOICES: usize = 4096;

pub type Row = Box<[i32]>;

/// An operation on earlier results of the same program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Code {
    Constant(i64),
    Column(u32),
    Apply(Op, [u32; 3]),
}

/// Values computed one after the other.
#[derive(Clone, Default)]
pub struct Program {
    codes: Vec<Code>,
    places: FxHashMap<Code, u32>,
}

/// A rule with its inputs.
struct Move {
    /// Which step of the problem it is.
    rule: usize,
    inputs: FxHashMap<TermId, i64>,
    program: Program,
    guard: u32,
    updates: Vec<(u32, u32)>,
}

impl Move {
    /// The state after it, where its guard holds.
    fn after(&self, row: &Row, results: &mut Vec<i64>) -> Option<Row> {
        self.program.run(row, results);
        if results[self.guard as usize] == 0 {
            return None;
        }
        let mut then = row.clone();
        for &(column, value) in &self.updates {
            let value = results[value as usize].clamp(i64::from(i32::MIN), i64::from(i32::MAX));
            then[column as usize] = value as i32;
        }
        Some(then)
    }
}

/// A system of some size, and the states that were seen.
pub struct Finite<'a> {
    pub size: usize,
    terms: &'a Terms,
    model: &'a Indexed,
    /// The first column of each state.
    columns: FxHashMap<TermId, u32>,
    width: usize,
    moves: Vec<Move>,
    pub states: Vec<Row>,
    /// Of each state, the one before it and the move.
    before: Vec<Option<(u32, u32)>>,
}

impl Program {
    fn add(&mut self, code: Code) -> u32 {
        if let Some(&place) = self.places.get(&code) {
            return place;
        }
        let place = self.codes.len() as u32;
        self.codes.push(code);
        self.places.insert(code, place);
        place
    }

    fn constant(&self, place: u32) -> Option<i64> {
        match self.codes[place as usize] {
            Code::Constant(n) => Some(n),
            _ => None,
        }
    }

    fn apply(&mut self, op: Op, operands: [u32; 3], count: usize) -> u32 {
        let known: Vec<Option<i64>> = operands[..count].iter().map(|&o| self.constant(o)).collect();
        match (op, known.as_slice()) {
            (Op::Ite, [Some(c), ..]) => return operands[if *c != 0 { 1 } else { 2 }],
            (Op::And, [Some(0), _] | [_, Some(0)]) => return self.add(Code::Constant(0)),
            (Op::Or, [Some(1), _] | [_, Some(1)]) => return self.add(Code::Constant(1)),
            (Op::And | Op::Or, [Some(_), None]) => return operands[1],
            (Op::And | Op::Or, [None, Some(_)]) => return operands[0],
            _ => {}
        }
        if let Some(all) = known.iter().copied().collect::<Option<Vec<i64>>>() {
            let get = |i: usize| all.get(i).copied().unwrap_or(0);
            return self.add(Code::Constant(compute(op, [get(0), get(1), get(2)])));
        }
        self.add(Code::Apply(op, operands))
    }

    /// The results, for a state.
    pub fn run(&self, row: &[i32], results: &mut Vec<i64>) {
        results.clear();
        for code in &self.codes {
            let value = match *code {
                Code::Constant(n) => n,
                Code::Column(column) => i64::from(row[column as usize]),
                Code::Apply(op, operands) => compute(op, operands.map(|o| results[o as usize])),
            };
            results.push(value);
        }
    }
}

fn compute(op: Op, [a, b, c]: [i64; 3]) -> i64 {
    match op {
        Op::Not => 1 - a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Implies => (1 - a) | b,
        Op::Xor => a ^ b,
        Op::Eq => i64::from(a == b),
        Op::Distinct => i64::from(a != b),
        Op::Lt => i64::from(a < b),
        Op::Le => i64::from(a <= b),
        Op::Gt => i64::from(a > b),
        Op::Ge => i64::from(a >= b),
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Ite => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        _ => unreachable!("programs have no other operators"),
    }
}

/// The values of variables while a term is compiled to a program.
struct Bound<'a> {
    values: &'a FxHashMap<TermId, i64>,
    parameters: Vec<(TermId, u32)>,
}

impl<'a> Finite<'a> {
    /// `None` where the system has terms that rows of numbers cannot hold.
    pub fn new(problem: &'a Problem<'_>, size: usize) -> Option<Finite<'a>> {
        let model = problem.model;
        let (mut columns, mut width) = (FxHashMap::default(), 0u32);
        for state in &model.system.states {
            let (_, arguments) = problem.terms.sort(state.variable).after_arguments();
            columns.insert(state.variable, width);
            width += (size as u32).checked_pow(arguments as u32)?;
        }
        let mut finite = Finite {
            size,
            terms: &problem.terms,
            model,
            columns,
            width: width as usize,
            moves: Vec::new(),
            states: Vec::new(),
            before: Vec::new(),
        };
        finite.moves = finite.moves(problem)?;
        finite.states = finite.starts(problem)?;
        finite.before = vec![None; finite.states.len()];
        Some(finite)
    }

    /// Values of a variable that is not given.
    fn domain(&self, variable: TermId, process: bool) -> Option<Vec<i64>> {
        Some(match self.terms.sort(variable).after_arguments().0 {
            Sort::Bool => vec![0, 1],
            Sort::Enum(e) => (0..e.constants.len() as i64).collect(),
            Sort::Int if process => (0..self.size as i64).collect(),
            Sort::Int | Sort::Real => (0..NUMBERS).collect(),
            _ => return None,
        })
    }

    fn moves(&self, problem: &Problem<'_>) -> Option<Vec<Move>> {
        let processes = self.model.processes.as_ref()?;
        let mut moves = Vec::new();
        for (rule, step) in problem.steps.iter().enumerate() {
            let roots = step.guard.iter().chain(&step.universal).chain(step.after.values()).copied();
            let read = self.terms.free_variables(roots);
            let mut rows: Vec<FxHashMap<TermId, i64>> = vec![given(self.terms, &step.choice)?];
            for input in &self.model.system.inputs {
                let variable = input.variable;
                if !read.contains(&variable)
                    || self.model.is_index(variable)
                    || rows[0].contains_key(&variable)
                {
                    continue;
                }
                if self.terms.sort(variable).as_array().is_some() {
                    return None;
                }
                let domain = self.domain(variable, processes.inputs.contains(&variable))?;
                rows = product(&rows, variable, &domain)?;
            }
            for row in rows {
                moves.extend(self.instance(rule, step, row)?);
            }
        }
        Some(moves)
    }

    /// A rule for these inputs, unless its guard is false.
    fn instance(
        &self,
        rule: usize,
        step: &crate::problem::Step,
        mut inputs: FxHashMap<TermId, i64>,
    ) -> Option<Option<Move>> {
        inputs.insert(self.model.processes.as_ref()?.size, self.size as i64);
        let mut program = Program::default();
        let mut guard = program.add(Code::Constant(1));
        for &fact in &step.guard {
            let fact =
                self.scalar(&mut program, fact, &mut Bound { values: &inputs, parameters: Vec::new() })?;
            guard = program.apply(Op::And, [guard, fact, 0], 2);
        }
        for &claim in &step.universal {
            let fact = self.everywhere(&mut program, claim, &inputs)?;
            guard = program.apply(Op::And, [guard, fact, 0], 2);
        }
        if program.constant(guard) == Some(0) {
            return Some(None);
        }
        let mut updates = Vec::new();
        for state in &self.model.system.states {
            let next = step.after[&state.variable];
            if next == state.variable {
                continue;
            }
            let mut bound = Bound { values: &inputs, parameters: Vec::new() };
            let (_, arguments) = self.terms.sort(state.variable).after_arguments();
            for (offset, place) in self.places(arguments).into_iter().enumerate() {
                let place: Vec<u32> = place.iter().map(|&p| program.add(Code::Constant(p))).collect();
                let value = self.value(&mut program, next, &place, &mut bound)?;
                let column = self.columns[&state.variable] + offset as u32;
                if program.codes[value as usize] != Code::Column(column) {
                    updates.push((column, value));
                }
            }
        }
        Some(Some(Move { rule, inputs, program, guard, updates }))
    }

    /// A claim for all processes.
    fn everywhere(&self, program: &mut Program, term: TermId, given: &FxHashMap<TermId, i64>) -> Option<u32> {
        let read = self.terms.free_variables([term]);
        let own: Vec<TermId> = self.model.indices.iter().copied().filter(|i| read.contains(i)).collect();
        let mut all = program.add(Code::Constant(1));
        for place in self.places(own.len()) {
            let mut values = given.clone();
            values.extend(own.iter().copied().zip(place));
            let part = self.scalar(program, term, &mut Bound { values: &values, parameters: Vec::new() })?;
            all = program.apply(Op::And, [all, part, 0], 2);
        }
        Some(all)
    }

    /// All places of a map with so many arguments, in the order of its columns.
    fn places(&self, arguments: usize) -> Vec<Vec<i64>> {
        let mut rows: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..arguments {
            let longer = |row: &Vec<i64>| {
                (0..self.size as i64).map(|p| [row.as_slice(), &[p]].concat()).collect::<Vec<_>>()
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        rows
    }

    fn scalar(&self, program: &mut Program, term: TermId, bound: &mut Bound<'_>) -> Option<u32> {
        self.value(program, term, &[], bound)
    }

    /// The value of a term, applied to these places if it is a map.
    fn value(
        &self,
        program: &mut Program,
        term: TermId,
        places: &[u32],
        bound: &mut Bound<'_>,
    ) -> Option<u32> {
        match self.terms.node(term) {
            Node::Constant(value) => Some(program.add(Code::Constant(number(value)?))),
            Node::Variable(_) => {
                if let Some((_, place)) = bound.parameters.iter().rev().find(|(p, _)| *p == term) {
                    return Some(*place);
                }
                if let Some(&n) = bound.values.get(&term) {
                    return Some(program.add(Code::Constant(n)));
                }
                let mut column = 0;
                for &place in places {
                    column = column * self.size as i64 + program.constant(place)?;
                }
                let first = *self.columns.get(&term)?;
                Some(program.add(Code::Column(first + column as u32)))
            }
            Node::Apply(Op::Select, _, &[map, place]) => {
                let place = self.scalar(program, place, bound)?;
                self.value(program, map, &[&[place], places].concat(), bound)
            }
            Node::Apply(Op::Lambda, _, &[parameter, body]) => {
                bound.parameters.push((parameter, places[0]));
                let value = self.value(program, body, &places[1..], bound);
                bound.parameters.pop();
                value
            }
            Node::Apply(Op::Ite, _, &[condition, then, other]) => {
                let condition = self.scalar(program, condition, bound)?;
                if let Some(known) = program.constant(condition) {
                    return self.value(program, if known != 0 { then } else { other }, places, bound);
                }
                let then = self.value(program, then, places, bound)?;
                let other = self.value(program, other, places, bound)?;
                Some(program.apply(Op::Ite, [condition, then, other], 3))
            }
            Node::Apply(op, _, operands) => self.operation(program, op, operands, bound),
        }
    }

    fn operation(
        &self,
        program: &mut Program,
        op: Op,
        operands: &[TermId],
        bound: &mut Bound<'_>,
    ) -> Option<u32> {
        let mut values = Vec::new();
        for &operand in operands {
            values.push(self.scalar(program, operand, bound)?);
        }
        match op {
            Op::Not => Some(program.apply(op, [values[0], 0, 0], 1)),
            Op::And | Op::Or | Op::Add => {
                let (&first, rest) = values.split_first()?;
                Some(rest.iter().fold(first, |all, &v| program.apply(op, [all, v, 0], 2)))
            }
            Op::Implies | Op::Xor | Op::Eq | Op::Distinct | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Sub
                if values.len() == 2 =>
            {
                Some(program.apply(op, [values[0], values[1], 0], 2))
            }
            _ => None,
        }
    }

    fn starts(&self, problem: &Problem<'_>) -> Option<Vec<Row>> {
        let size = self.model.processes.as_ref()?.size;
        let mut rows: Vec<Vec<i32>> = vec![vec![0; self.width]];
        let given: FxHashMap<TermId, i64> = [(size, self.size as i64)].into_iter().collect();
        for state in &self.model.system.states {
            let first = self.columns[&state.variable] as usize;
            let (_, arguments) = self.terms.sort(state.variable).after_arguments();
            let places = self.places(arguments);
            let columns = first..first + places.len();
            match problem.start.after.get(&state.variable) {
                _ if state.variable == size => put(&mut rows, columns, &[self.size as i64]),
                Some(&init) => {
                    for (column, place) in columns.zip(places) {
                        let value = self.initial(init, &place, &given)?;
                        put(&mut rows, column..column + 1, &[value]);
                    }
                }
                None if self.is_process(state.variable) => {
                    columns
                        .for_each(|c| put(&mut rows, c..c + 1, &(0..self.size as i64).collect::<Vec<_>>()));
                }
                // Other maps are one value: there are too many of them, and scalars make the difference.
                None if arguments > 0 => put(&mut rows, columns, &self.domain(state.variable, false)?[..1]),
                None => put(&mut rows, columns, &self.domain(state.variable, false)?),
            }
        }
        self.admissible(rows, &given)
    }

    /// The value of an `init` at a place.
    fn initial(&self, init: TermId, place: &[i64], given: &FxHashMap<TermId, i64>) -> Option<i64> {
        let mut program = Program::default();
        let place: Vec<u32> = place.iter().map(|&p| program.add(Code::Constant(p))).collect();
        let mut bound = Bound { values: given, parameters: Vec::new() };
        let value = self.value(&mut program, init, &place, &mut bound)?;
        program.constant(value)
    }

    /// Those starts of which constraints and axioms hold.
    fn admissible(&self, mut rows: Vec<Vec<i32>>, given: &FxHashMap<TermId, i64>) -> Option<Vec<Row>> {
        let mut program = Program::default();
        let mut all = program.add(Code::Constant(1));
        let state_only = |t: TermId| crate::problem::reads_inputs(self.model, t).is_none();
        let axioms = self.model.axioms.iter().map(|a| a.term).filter(|&t| state_only(t));
        let constraints = self.model.system.constraints.iter().map(|c| c.term).filter(|&t| state_only(t));
        for term in constraints.chain(axioms) {
            let fact = self.everywhere(&mut program, term, given)?;
            all = program.apply(Op::And, [all, fact, 0], 2);
        }
        let mut results = Vec::new();
        rows.retain(|row| {
            program.run(row, &mut results);
            results[all as usize] != 0
        });
        Some(rows.into_iter().map(Vec::into_boxed_slice).collect())
    }

    /// Whether a state holds processes: a constraint or an axiom of the model says so.
    fn is_process(&self, variable: TermId) -> bool {
        let Some(processes) = &self.model.processes else { return false };
        let says = |t: TermId| {
            self.terms.cone([t]).into_iter().any(|part| match self.terms.node(part) {
                Node::Apply(Op::Lt, _, &[a, b]) if b == processes.size => {
                    let mut map = a;
                    while let Node::Apply(Op::Select, _, &[inner, _]) = self.terms.node(map) {
                        map = inner;
                    }
                    map == variable
                }
                _ => false,
            })
        };
        let constraints = self.model.system.constraints.iter().map(|c| c.term);
        constraints.chain(self.model.axioms.iter().map(|a| a.term)).any(says)
    }

    /// Executions, breadth first, until there are so many states.
    pub fn explore(&mut self, limit: usize, stopped: &dyn Fn() -> bool) {
        let mut known: FxHashSet<Row> = self.states.iter().cloned().collect();
        let mut next = 0;
        while next < self.states.len() && self.states.len() < limit && !(next % 256 == 0 && stopped()) {
            self.expand(next, None, &mut known);
            next += 1;
        }
    }

    /// Executions by these rules, in this order, until there are so many states.
    pub fn follow(&mut self, rules: &[usize], limit: usize) {
        let mut next = 0;
        for &rule in rules {
            let (mut known, end) = (FxHashSet::default(), self.states.len());
            while next < end && self.states.len() < limit {
                self.expand(next, Some(rule), &mut known);
                next += 1;
            }
        }
    }

    /// The successors of a state, by one rule or all, that are not known.
    fn expand(&mut self, state: usize, rule: Option<usize>, known: &mut FxHashSet<Row>) {
        let (row, mut results) = (self.states[state].clone(), Vec::new());
        for (number, step) in self.moves.iter().enumerate() {
            if rule.is_some_and(|r| r != step.rule) {
                continue;
            }
            let Some(then) = step.after(&row, &mut results) else { continue };
            if known.insert(then.clone()) {
                self.states.push(then);
                self.before.push(Some((state as u32, number as u32)));
            }
        }
    }

    /// The states after one of these rules, each with the rule and the processes that it is of.
    pub fn successors(&self, row: &Row, rules: &[usize]) -> Vec<(usize, Vec<usize>, Row)> {
        let mut results = Vec::new();
        let mut found = Vec::new();
        for step in self.moves.iter().filter(|step| rules.contains(&step.rule)) {
            let Some(then) = step.after(row, &mut results) else { continue };
            let processes = self.model.processes.iter().flat_map(|p| &p.inputs);
            let who = processes.filter_map(|input| step.inputs.get(input)).map(|&p| p as usize).collect();
            found.push((step.rule, who, then));
        }
        found
    }

    /// A state without one of its processes, as a row of the instance that has one less; those behind it move up.
    /// `None` where something that is left names it.
    pub fn without(&self, row: &Row, process: usize) -> Option<Row> {
        let size = self.model.processes.as_ref()?.size;
        let gone = process as i64;
        let mut left = Vec::new();
        for state in &self.model.system.states {
            let (_, arguments) = self.terms.sort(state.variable).after_arguments();
            let first = self.columns[&state.variable] as usize;
            let names = self.is_process(state.variable);
            for (offset, place) in self.places(arguments).into_iter().enumerate() {
                if place.contains(&gone) {
                    continue;
                }
                let value = row[first + offset];
                left.push(match i64::from(value) {
                    _ if state.variable == size => value - 1,
                    named if names && named == gone => return None,
                    named if names && named > gone => value - 1,
                    _ => value,
                });
            }
        }
        Some(left.into_boxed_slice())
    }

    /// The program of a formula over states and index symbols, which are these processes.
    pub fn program(
        &self,
        terms: &Terms,
        formula: TermId,
        places: &FxHashMap<TermId, i64>,
    ) -> Option<(Program, u32)> {
        let view = Finite {
            terms,
            moves: Vec::new(),
            states: Vec::new(),
            before: Vec::new(),
            columns: self.columns.clone(),
            ..*self
        };
        let mut given = places.clone();
        given.insert(self.model.processes.as_ref()?.size, self.size as i64);
        let mut program = Program::default();
        let value =
            view.scalar(&mut program, formula, &mut Bound { values: &given, parameters: Vec::new() })?;
        Some((program, value))
    }

    /// The inputs of each step up to a state, and the first state.
    pub fn way(&self, state: usize) -> (&Row, Vec<&FxHashMap<TermId, i64>>) {
        let (mut state, mut inputs) = (state, Vec::new());
        while let Some((before, number)) = self.before[state] {
            inputs.push(&self.moves[number as usize].inputs);
            state = before as usize;
        }
        inputs.reverse();
        (&self.states[state], inputs)
    }

    /// The value of a state in a row, as a table if it is a map.
    pub fn table(&self, variable: TermId, row: &[i32]) -> Value {
        let (result, arguments) = self.terms.sort(variable).after_arguments();
        let first = self.columns[&variable] as usize;
        let mut table = Value::zero(self.terms.sort(variable));
        for (offset, place) in self.places(arguments).into_iter().enumerate() {
            let element = value(result, i64::from(row[first + offset]));
            let place: Vec<Value> = place.iter().map(|&p| Value::Int(p.into())).collect();
            table = crate::bmc::written(table, &place, element);
        }
        table
    }
}

/// Each row with each of these values in all these columns.
fn put(rows: &mut Vec<Vec<i32>>, columns: std::ops::Range<usize>, values: &[i64]) {
    let with = |row: &Vec<i32>, value: i64| {
        let mut row = row.clone();
        row[columns.clone()].fill(value as i32);
        row
    };
    let longer = rows.iter().flat_map(|row| values.iter().map(|&v| with(row, v)).collect::<Vec<_>>());
    *rows = longer.take(CHOICES).collect();
}

/// A number as a value of a sort.
pub fn value(sort: &Sort, n: i64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(n != 0),
        Sort::Enum(e) => Value::Enum(EnumValue { sort: e.clone(), index: n as u32 }),
        Sort::Real => Value::Real(num_rational::BigRational::from_integer(n.into())),
        _ => Value::Int(n.into()),
    }
}

/// A value as a number.
fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Enum(e) => Some(i64::from(e.index)),
        Value::Int(n) => i64::try_from(n).ok(),
        Value::Real(n) if n.is_integer() => i64::try_from(n.to_integer()).ok(),
        _ => None,
    }
}

fn given(terms: &Terms, choice: &FxHashMap<TermId, TermId>) -> Option<FxHashMap<TermId, i64>> {
    choice.iter().map(|(&input, &value)| Some((input, number(terms.as_constant(value)?)?))).collect()
}

fn product(
    rows: &[FxHashMap<TermId, i64>],
    variable: TermId,
    domain: &[i64],
) -> Option<Vec<FxHashMap<TermId, i64>>> {
    if rows.len() * domain.len() > CHOICES {
        return None;
    }
    let with = |row: &FxHashMap<TermId, i64>, &value: &i64| {
        let mut row = row.clone();
        row.insert(variable, value);
        row
    };
    Some(rows.iter().flat_map(|row| domain.iter().map(move |value| with(row, value))).collect())
}
