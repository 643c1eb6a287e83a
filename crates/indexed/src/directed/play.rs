//! Executions of small instances, as rows of numbers: a column for each number, and for each place of a map in a
//! window.
//!
//! The values of a map outside its window are unknown, and so is all that depends on them.

use buttress_system::Rng;
use buttress_term::{Node, Op, Sort, TermId, Terms, Value};

use crate::problem::{Problem, Step};

/// Places are numbers from -1 on.
const LOW: i64 = -1;
const PLACES: usize = 9;

/// A value that is not known.
const UNKNOWN: i64 = i64::MIN;

pub type Row = Vec<i64>;

/// Where the columns are, and what other variables are at the moment.
pub struct Play<'a, 'm> {
    problem: &'a Problem<'m>,
    /// For each variable that is a state, its first column and its arguments.
    columns: Vec<Option<(usize, usize)>>,
    width: usize,
    given: Vec<i64>,
}

impl<'a, 'm> Play<'a, 'm> {
    /// `None` where a state is more than numbers, and maps from numbers to them.
    pub fn new(problem: &'a Problem<'m>) -> Option<Play<'a, 'm>> {
        let terms = &problem.terms;
        let mut columns = vec![None; terms.len()];
        let mut width = 0;
        for state in &problem.model.system.states {
            let mut sort = terms.sort(state.variable);
            let mut arguments = 0;
            while let Sort::Array(array) = sort {
                (array.index == Sort::Int).then_some(())?;
                (sort, arguments) = (&array.element, arguments + 1);
            }
            matches!(sort, Sort::Bool | Sort::Int | Sort::Enum(_)).then_some(())?;
            columns[state.variable.index()] = Some((width, arguments));
            width += PLACES.pow(arguments as u32);
        }
        Some(Play { problem, columns, width, given: vec![UNKNOWN; terms.len()] })
    }

    fn terms(&self) -> &'a Terms {
        &self.problem.terms
    }

    /// A random value; numbers are from -1 up to a size.
    fn random(&self, sort: &Sort, size: usize, rng: &mut Rng) -> i64 {
        match sort {
            Sort::Bool => rng.below(2) as i64,
            Sort::Enum(e) => rng.below(e.constants.len()) as i64,
            _ => rng.below(size + 2) as i64 - 1,
        }
    }

    pub fn give(&mut self, variable: TermId, value: i64) {
        self.given[variable.index()] = value;
    }

    /// A first state in which parameters are the size.
    pub fn start(&mut self, size: usize, rng: &mut Rng) -> Option<Row> {
        let mut row = vec![UNKNOWN; self.width];
        for state in &self.problem.model.system.states {
            let (first, arguments) = self.columns[state.variable.index()]?;
            let sort = self.terms().sort(state.variable).after_arguments().0;
            let parameter = state.next == Some(state.variable) && arguments == 0 && *sort == Sort::Int;
            for column in &mut row[first..first + PLACES.pow(arguments as u32)] {
                *column = if parameter { size as i64 } else { self.random(sort, size, rng) };
            }
        }
        let problem = self.problem;
        self.follow(&row, &problem.start)
    }

    /// A state after some step, with random inputs.
    pub fn step(&mut self, row: &Row, size: usize, rng: &mut Rng) -> Option<Row> {
        let problem = self.problem;
        let step = &problem.steps[rng.below(problem.steps.len())];
        for input in problem.model.system.inputs.iter().filter(|i| !problem.model.is_index(i.variable)) {
            let sort = self.terms().sort(input.variable);
            let (now, then) = (self.random(sort, size, rng), self.random(sort, size, rng));
            self.give(input.variable, now);
            if let Some(&later) = step.after.get(&input.variable) {
                self.give(later, then);
            }
        }
        self.follow(row, step)
    }

    /// The state after a step, where its facts hold.
    fn follow(&mut self, row: &Row, step: &Step) -> Option<Row> {
        for &fact in &step.facts {
            (self.value(row, fact)? == 1).then_some(())?;
        }
        let mut next = row.clone();
        for state in &self.problem.model.system.states {
            match step.after.get(&state.variable) {
                Some(&value) if value != state.variable => {
                    let (first, arguments) = self.columns[state.variable.index()]?;
                    self.fill(row, value, arguments, &mut next[first..first + PLACES.pow(arguments as u32)]);
                }
                _ => {}
            }
        }
        Some(next)
    }

    /// The values of a map at all places of the window, those of the last argument side by side.
    fn fill(&mut self, row: &Row, value: TermId, arguments: usize, columns: &mut [i64]) {
        let Some(rest) = arguments.checked_sub(1) else {
            columns[0] = self.value(row, value).unwrap_or(UNKNOWN);
            return;
        };
        let size = PLACES.pow(rest as u32);
        match self.terms().node(value) {
            Node::Apply(Op::Lambda, _, &[parameter, body]) => {
                for place in 0..PLACES {
                    self.give(parameter, LOW + place as i64);
                    self.fill(row, body, rest, &mut columns[place * size..(place + 1) * size]);
                }
            }
            Node::Variable(_) if self.columns[value.index()].is_some_and(|(_, own)| own == arguments) => {
                let (first, _) = self.columns[value.index()].expect("it was looked at");
                columns.copy_from_slice(&row[first..first + columns.len()]);
            }
            _ => columns.fill(UNKNOWN),
        }
    }

    /// The value of a term that is no map.
    pub fn value(&self, row: &Row, term: TermId) -> Option<i64> {
        let known = |value: i64| (value != UNKNOWN).then_some(value);
        match self.terms().node(term) {
            Node::Constant(value) => number(value),
            Node::Variable(_) => match self.columns[term.index()] {
                Some((column, 0)) => known(row[column]),
                Some(_) => None,
                None => known(self.given[term.index()]),
            },
            Node::Apply(Op::Select, ..) => self.applied(row, term),
            Node::Apply(Op::Ite, _, &[condition, then, other]) => {
                self.value(row, if self.value(row, condition)? == 1 { then } else { other })
            }
            Node::Apply(op @ (Op::And | Op::Or), _, operands) => {
                let (stop, mut all) = (i64::from(op == Op::Or), Some(i64::from(op == Op::And)));
                for &operand in operands {
                    match self.value(row, operand) {
                        Some(value) if value == stop => return Some(stop),
                        Some(_) => {}
                        None => all = None,
                    }
                }
                all
            }
            Node::Apply(op, _, operands) => self.computed(row, op, operands),
        }
    }

    fn computed(&self, row: &Row, op: Op, operands: &[TermId]) -> Option<i64> {
        if let &[a] = operands {
            let a = self.value(row, a)?;
            return match op {
                Op::Not => Some(1 - a),
                Op::Neg => a.checked_neg(),
                _ => None,
            };
        }
        let mut total = self.value(row, *operands.first()?)?;
        let (mut order, mut last) = (true, total);
        for &operand in &operands[1..] {
            let next = self.value(row, operand)?;
            match op {
                Op::Add => total = total.checked_add(next)?,
                Op::Sub => total = total.checked_sub(next)?,
                Op::Eq => order &= last == next,
                Op::Lt => order &= last < next,
                Op::Le => order &= last <= next,
                Op::Gt => order &= last > next,
                Op::Ge => order &= last >= next,
                Op::Xor => order = last != next,
                Op::Implies => order = last == 0 || next == 1,
                Op::Distinct if operands.len() == 2 => order = last != next,
                _ => return None,
            }
            last = next;
        }
        Some(if matches!(op, Op::Add | Op::Sub) { total } else { i64::from(order) })
    }

    fn applied(&self, row: &Row, term: TermId) -> Option<i64> {
        let (mut map, mut offset, mut scale, mut count) = (term, 0, 1, 0);
        while let Node::Apply(Op::Select, _, &[inner, place]) = self.terms().node(map) {
            let place = usize::try_from(self.value(row, place)?.checked_sub(LOW)?).ok()?;
            (place < PLACES).then_some(())?;
            offset += place * scale;
            (scale, count, map) = (scale * PLACES, count + 1, inner);
        }
        let (first, arguments) = (*self.columns.get(map.index())?)?;
        (arguments == count && row[first + offset] != UNKNOWN).then(|| row[first + offset])
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Int(value) => i64::try_from(value).ok(),
        Value::Enum(value) => Some(i64::from(value.index)),
        _ => None,
    }
}
