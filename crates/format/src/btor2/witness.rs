//! BTOR2 witnesses, as the hardware model checking competitions ask for them and `btorsim -c` checks them.
//!
//! ```text
//! sat
//! b0                the violated property
//! #0                states at the start
//! 1 0101 count#0    number of the state, from 0, its value in binary, and a name that nobody reads
//! 2 [01] 0011       one element of an array
//! @0                inputs of the step
//! 0 1 enable@0
//! @1
//! .
//! ```
//!
//! Of the states only those without `init` are written, and later those without `next`. As `btorsim` does it, a
//! value that is not given is 0, and so is a digit `x`.
//!
//! # Limits
//!
//! One witness a file, for one property. That of a justice property (`j0`) goes round after its last step, and
//! does not say in which step it then is.

use std::io::{BufWriter, Read, Result as IoResult, Write};
use std::sync::Arc;

use buttress_system::words::{StateId, System, WordTrace};
use buttress_system::{Lasso, PropertyId};
use buttress_term::{ArrayValue, Sort, Value, Word};

use crate::cursor::Cursor;
use crate::{Diagnostic, Witness};

/// Writes a violation. A value that does not matter is left out.
pub fn write_witness(system: &System, trace: &WordTrace, out: &mut impl Write) -> IoResult<()> {
    write_as('b', trace.property.index(), system, trace, out)
}

/// Writes an execution that goes round after its last step.
pub fn write_round(system: &System, lasso: &Lasso<WordTrace>, out: &mut impl Write) -> IoResult<()> {
    write_as('j', lasso.justice, system, &lasso.trace, out)
}

fn write_as(
    kind: char,
    index: usize,
    system: &System,
    trace: &WordTrace,
    out: &mut impl Write,
) -> IoResult<()> {
    let mut out = BufWriter::new(out);
    let free: Vec<StateId> = system.free_states().collect();
    writeln!(out, "sat\n{kind}{index}")?;
    for (step, row) in trace.inputs.iter().enumerate() {
        let (inputs, later) = row.split_at(system.inputs.len());
        writeln!(out, "#{step}")?;
        let state = |s: StateId, value: &Option<Value>, out: &mut _| {
            write_value(s.index(), value, &system.state(s).label.name, '#', step, out)
        };
        if step == 0 {
            let mut open = system.state_ids().filter(|&s| system.state(s).init.is_none());
            open.try_for_each(|s| state(s, &trace.initial[s.index()], &mut out))?;
        } else {
            free.iter().zip(later).try_for_each(|(&s, value)| state(s, value, &mut out))?;
        }
        writeln!(out, "@{step}")?;
        for (i, (input, value)) in system.inputs.iter().zip(inputs).enumerate() {
            write_value(i, value, &input.label.name, '@', step, &mut out)?;
        }
    }
    writeln!(out, ".")?;
    out.flush()
}

fn write_value(
    index: usize,
    value: &Option<Value>,
    name: &str,
    mark: char,
    step: usize,
    out: &mut impl Write,
) -> IoResult<()> {
    let name: String = name.split_whitespace().collect::<Vec<_>>().join("_");
    match value {
        None => Ok(()),
        Some(Value::Array(array)) => elements(array).try_for_each(|(place, element)| {
            writeln!(out, "{index} [{}] {} {name}{mark}{step}", digits(&place), digits(&element))
        }),
        Some(value) => writeln!(out, "{index} {} {name}{mark}{step}", digits(value)),
    }
}

/// The elements that are not 0, which is what elements are that nobody mentions.
fn elements(array: &ArrayValue) -> impl Iterator<Item = (Value, Value)> + '_ {
    let zero = Value::zero(&array.default().sort());
    let default_is_zero = *array.default() == zero;
    let entries = array.entries().iter().map(|(place, element)| (place.clone(), element.clone()));
    let others = (!default_is_zero).then(|| Value::all(array.index_sort())).into_iter().flatten();
    let others = others.filter(|place| !array.entries().contains_key(place));
    entries
        .chain(others.map(|place| (place, array.default().clone())))
        .filter(move |(_, element)| *element != zero)
}

fn digits(value: &Value) -> String {
    match value {
        Value::Word(word) => word.binary(),
        other => other.to_string(),
    }
}

/// Reads a witness of a model with so many justice properties.
pub fn read_witness(
    bytes: impl Read,
    system: &System,
    justice: usize,
) -> Result<Witness<WordTrace>, Diagnostic> {
    let mut reader = Reader { cursor: Cursor::new(bytes), system, justice };
    reader.skip_comments();
    let (at, status) = reader.word("`sat`")?;
    let witness = match status.as_str() {
        "sat" => {
            reader.cursor.end_of_line()?;
            match reader.property()? {
                (b'j', justice) => Witness::Round { justice, execution: reader.trace(justice)? },
                (_, property) => Witness::Violation(reader.trace(property)?),
            }
        }
        "unsat" => Witness::Safe,
        "unknown" => Witness::Unknown,
        other => {
            let message = format!("expected `sat`, `unsat` or `unknown`, found `{other}`");
            return Err(reader.cursor.error_at(at, message));
        }
    };
    reader.cursor.finish()?;
    Ok(witness)
}

struct Reader<'a, R> {
    cursor: Cursor<R>,
    system: &'a System,
    justice: usize,
}

impl<R: Read> Reader<'_, R> {
    fn trace(&mut self, property: usize) -> Result<WordTrace, Diagnostic> {
        let mut initial = zeros(self.system.states.iter().map(|s| self.system.terms.sort(s.variable)));
        let mut given = vec![false; initial.len()];
        let mut inputs: Vec<Vec<Option<Value>>> = Vec::new();
        loop {
            self.skip_comments();
            match self.cursor.peek() {
                Some(b'.') => break,
                Some(b'#') => {
                    let step = self.frame(inputs.len(), "states")?;
                    self.states(step, &mut initial, &mut given, &mut inputs)?;
                }
                Some(b'@') => {
                    let step = self.frame(inputs.len(), "inputs")?;
                    if step == inputs.len() {
                        inputs.push(self.row());
                    }
                    self.inputs(&mut inputs[step])?;
                }
                _ => return Err(self.cursor.expected("`#` and a step, `@` and a step, or a dot")),
            }
        }
        self.cursor.skip(1);
        self.cursor.end_of_line()?;
        if inputs.is_empty() {
            return Err(self.cursor.error("the witness has no step: a violation takes at least one"));
        }
        // What follows from an `init` is left to it, unless the witness says otherwise.
        for (s, state) in self.system.states.iter().enumerate() {
            if state.init.is_some() && !given[s] {
                initial[s] = None;
            }
        }
        Ok(WordTrace { property: PropertyId::new(property), initial, inputs })
    }

    /// `b` or `j`, and the number of the property.
    fn property(&mut self) -> Result<(u8, usize), Diagnostic> {
        self.skip_comments();
        let kind = match self.cursor.peek() {
            Some(kind @ (b'b' | b'j')) => kind,
            _ => return Err(self.cursor.expected("the violated property (such as `b0`)")),
        };
        self.cursor.skip(1);
        let at = self.cursor.offset();
        let index = self.cursor.number("the number of a property")? as usize;
        let count = if kind == b'j' { self.justice } else { self.system.properties.len() };
        if index >= count {
            let message = format!("property {index} does not exist: the model has {count}");
            return Err(self.cursor.error_at(at, message));
        }
        self.blanks();
        if !self.cursor.at_line_end() {
            return Err(self.cursor.error("only witnesses for a single property are read"));
        }
        self.cursor.end_of_line()?;
        Ok((kind, index))
    }

    /// `#t` or `@t`: of the step that goes on, or the next one.
    fn frame(&mut self, known: usize, what: &str) -> Result<usize, Diagnostic> {
        self.cursor.skip(1);
        let at = self.cursor.offset();
        let step = self.cursor.number("a step")? as usize;
        if step != known && step + 1 != known {
            let message = format!("the {what} of step {step} do not stand where step {known} begins");
            return Err(self.cursor.error_at(at, message));
        }
        self.blanks();
        self.cursor.end_of_line()?;
        Ok(step)
    }

    /// The states of a step: of step 0 all may be given, later those without `next`. Others follow from the rest,
    /// and what is said about them is not looked at.
    fn states(
        &mut self,
        step: usize,
        initial: &mut [Option<Value>],
        given: &mut [bool],
        inputs: &mut Vec<Vec<Option<Value>>>,
    ) -> Result<(), Diagnostic> {
        if step > 0 && step == inputs.len() {
            inputs.push(self.row());
        }
        let system = self.system;
        let free: Vec<StateId> = system.free_states().collect();
        while self.assignment_ahead() {
            let s = self.index(system.states.len(), "states")?;
            let sort = system.terms.sort(system.states[s].variable);
            let place = free.iter().position(|f| f.index() == s);
            match (step, place) {
                (0, _) => {
                    self.assign(sort, &mut initial[s])?;
                    given[s] = true;
                }
                (_, Some(place)) => self.assign(sort, &mut inputs[step][system.inputs.len() + place])?,
                (_, None) => self.assign(sort, &mut Some(Value::zero(sort)))?,
            }
        }
        Ok(())
    }

    fn inputs(&mut self, row: &mut [Option<Value>]) -> Result<(), Diagnostic> {
        while self.assignment_ahead() {
            let i = self.index(self.system.inputs.len(), "inputs")?;
            let sort = self.system.terms.sort(self.system.inputs[i].variable);
            self.assign(sort, &mut row[i])?;
        }
        Ok(())
    }

    /// One value, or one element of an array.
    fn assign(&mut self, sort: &Sort, value: &mut Option<Value>) -> Result<(), Diagnostic> {
        self.blanks();
        if let (Sort::Array(array), Some(Value::Array(before))) = (sort, value.as_mut()) {
            if self.cursor.peek() != Some(b'[') {
                return Err(self.cursor.expected("the index of an array element, `[` and binary digits"));
            }
            self.cursor.skip(1);
            let index = self.digits(&array.index)?;
            if self.cursor.bump() != Some(b']') {
                return Err(self.cursor.error("expected `]` after the index"));
            }
            let element = self.digits(&array.element)?;
            ArrayValue::set(Arc::make_mut(before), index, element);
        } else {
            *value = Some(self.digits(sort)?);
        }
        self.cursor.rest_of_line();
        Ok(())
    }

    fn digits(&mut self, sort: &Sort) -> Result<Value, Diagnostic> {
        self.blanks();
        let at = self.cursor.offset();
        let mut bits = Vec::new();
        while let Some(digit) = self.cursor.peek().filter(|b| b"01xX".contains(b)) {
            bits.push(digit == b'1');
            self.cursor.skip(1);
        }
        if bits.is_empty() {
            return Err(self.cursor.expected("binary digits"));
        }
        let width = sort.width().unwrap_or(1) as usize;
        if bits.len() != width {
            return Err(self
                .cursor
                .error_at(at, format!("{} digits for a word of {width} bits", bits.len())));
        }
        match sort {
            Sort::Bool => Ok(Value::Bool(bits[0])),
            Sort::BitVec(_) => Ok(Value::Word(Word::from_bits(bits.into_iter().rev()))),
            _ => Err(self.cursor.error_at(at, format!("there are no digits for {sort}"))),
        }
    }

    fn index(&mut self, count: usize, what: &str) -> Result<usize, Diagnostic> {
        let at = self.cursor.offset();
        let index = self.cursor.number("a number")? as usize;
        match index < count {
            true => Ok(index),
            false => {
                let message = format!("there is no number {index}: the model has {count} {what}");
                Err(self.cursor.error_at(at, message))
            }
        }
    }

    /// A step with nothing given yet.
    fn row(&self) -> Vec<Option<Value>> {
        let terms = &self.system.terms;
        let inputs = self.system.inputs.iter().map(|i| terms.sort(i.variable));
        zeros(inputs.chain(self.system.free_states().map(|s| terms.sort(self.system.state(s).variable))))
    }

    fn assignment_ahead(&mut self) -> bool {
        self.skip_comments();
        self.cursor.peek().is_some_and(|b| b.is_ascii_digit())
    }

    fn skip_comments(&mut self) {
        loop {
            self.blanks();
            match self.cursor.peek() {
                Some(b';' | b'\n' | b'\r') => drop(self.cursor.rest_of_line()),
                _ => return,
            }
        }
    }

    fn word(&mut self, what: &str) -> Result<(u64, String), Diagnostic> {
        let at = self.cursor.offset();
        let mut word = String::new();
        while let Some(letter) = self.cursor.peek().filter(u8::is_ascii_graphic) {
            word.push(char::from(letter));
            self.cursor.skip(1);
        }
        if word.is_empty() { Err(self.cursor.expected(what)) } else { Ok((at, word)) }
    }

    fn blanks(&mut self) {
        while matches!(self.cursor.peek(), Some(b' ' | b'\t')) {
            self.cursor.skip(1);
        }
    }
}

fn zeros<'s>(sorts: impl Iterator<Item = &'s Sort>) -> Vec<Option<Value>> {
    sorts.map(|sort| Some(Value::zero(sort))).collect()
}
