//! Reading, a line at a time: what stands before is known, what comes after is not.

use std::io::Read;
use std::sync::Arc;

use buttress_system::words::{Label, Named, Property, PropertyKind, Span, StateId, System};
use buttress_term::{MAX_DIGITS, Sort, TermId, Terms, Word, brief};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::aliases::Aliases;
use super::operators::{OPERATORS, Operator, Shape, sort_name, sort_of, to_bool, to_word};
use super::{Btor2, MAX_WIDTH};
use crate::cursor::{Cursor, unreadable};
use crate::{Diagnostic, Position};

pub(super) fn read(mut bytes: impl Read) -> Result<Btor2, Diagnostic> {
    let mut text = Vec::new();
    bytes.read_to_end(&mut text).map_err(|error| unreadable(&error))?;
    let mut reader = Reader {
        aliases: Aliases::of(&text),
        cursor: Cursor::new(&text[..]),
        operators: OPERATORS.iter().map(|o| (o.name, o)).collect(),
        lines: FxHashMap::default(),
        shown: FxHashSet::default(),
        model: Btor2::default(),
    };
    while reader.cursor.peek().is_some() {
        reader.line()?;
    }
    reader.cursor.finish()?;
    stratified(&reader.model.system)?;
    Ok(reader.model)
}

/// Lines were checked one by one; that no state is read by its own `init` is about several.
fn stratified(system: &System) -> Result<(), Diagnostic> {
    system.validate().map_err(|fault| {
        let error = Diagnostic::new(fault.message);
        match fault.span {
            Some(span) => error.at(Position::text(span.line, span.column)),
            None => error,
        }
    })
}

/// The meaning of a line's identifier in later lines.
enum Line {
    Sort(Sort),
    Node(TermId),
    State(StateId),
    /// Nothing: the word says what it is.
    Statement(&'static str),
}

/// An operand, and where it stands.
#[derive(Clone, Copy)]
struct Operand {
    term: TermId,
    at: u64,
}

struct Reader<R> {
    /// What is named only later.
    aliases: Aliases,
    cursor: Cursor<R>,
    operators: FxHashMap<&'static str, &'static Operator>,
    lines: FxHashMap<u32, Line>,
    /// Names that are shown already, with what they show.
    shown: FxHashSet<(TermId, Arc<str>)>,
    model: Btor2,
}

type Parsed<T> = Result<T, Diagnostic>;

impl<R: Read> Reader<R> {
    fn line(&mut self) -> Parsed<()> {
        self.blanks();
        match self.cursor.peek() {
            Some(b'\n' | b'\r') => self.cursor.end_of_line(),
            None => Ok(()),
            Some(b';') => {
                self.cursor.rest_of_line();
                Ok(())
            }
            Some(_) => self.definition(),
        }
    }

    fn definition(&mut self) -> Parsed<()> {
        let at = self.cursor.offset();
        let id = self.cursor.number("the number of a line")?;
        if id == 0 {
            return Err(self.cursor.error_at(at, "lines are numbered from 1"));
        }
        if self.lines.contains_key(&id) {
            return Err(self.cursor.error_at(at, format!("there is a line {id} already")));
        }
        let (at, word) = self.word("what the line says")?;
        let line = self.statement(id, at, &word)?;
        self.end()?;
        self.lines.insert(id, line);
        Ok(())
    }

    fn statement(&mut self, id: u32, at: u64, word: &str) -> Parsed<Line> {
        match word {
            "sort" => self.sort_line(),
            "input" => self.input(id),
            "state" => self.state(id),
            "init" => self.init(),
            "next" => self.next(),
            "bad" => self.bad(),
            "constraint" => self.constraint(),
            "output" => self.output(),
            "fair" => self.fair(),
            "justice" => self.justice(),
            "zero" | "one" | "ones" | "const" | "constd" | "consth" => self.constant(word),
            _ => match self.operators.get(word) {
                Some(&operator) => self.application(operator),
                None => Err(self.unknown(at, word)),
            },
        }
    }

    fn unknown(&mut self, at: u64, word: &str) -> Diagnostic {
        let error = self.cursor.error_at(at, format!("`{word}` is no operator of BTOR2"));
        match word {
            "var" | "root" | "array" | "acond" | "cond" => error
                .with_help("this looks like version 1 of the format, which describes formulas, not systems"),
            _ => error,
        }
    }

    fn sort_line(&mut self) -> Parsed<Line> {
        let sort = self.new_sort()?;
        self.symbol()?;
        Ok(Line::Sort(sort))
    }

    fn new_sort(&mut self) -> Parsed<Sort> {
        let (at, kind) = self.word("`bitvec` or `array`")?;
        match kind.as_str() {
            "bitvec" => {
                let (at, width) = self.number("the width")?;
                match width {
                    0 => Err(self.cursor.error_at(at, "a word has at least one bit")),
                    w if w > MAX_WIDTH => {
                        Err(self.cursor.error_at(at, format!("words have up to {MAX_WIDTH} bits")))
                    }
                    w => Ok(Sort::BitVec(w)),
                }
            }
            "array" => {
                let (at, index) = self.sort()?;
                if index.width().is_none() {
                    return Err(self.cursor.error_at(at, "the index of an array is a word"));
                }
                Ok(Sort::array(index, self.sort()?.1))
            }
            _ => Err(self.cursor.error_at(at, format!("expected `bitvec` or `array`, found `{kind}`"))),
        }
    }

    fn input(&mut self, id: u32) -> Parsed<Line> {
        let (_, sort) = self.sort()?;
        let label = self.label_or_alias(id, "input")?;
        let name = label.name.clone();
        let variable = self.model.system.add_input(sort, label);
        self.shown.insert((variable, name));
        Ok(Line::Node(variable))
    }

    fn state(&mut self, id: u32) -> Parsed<Line> {
        let (_, sort) = self.sort()?;
        let label = self.label_or_alias(id, "state")?;
        let name = label.name.clone();
        let state = self.model.system.add_state(sort, label);
        self.shown.insert((self.model.system.state(state).variable, name));
        Ok(Line::State(state))
    }

    fn init(&mut self) -> Parsed<Line> {
        let (state, at, value) = self.update("init")?;
        let variable = self.model.system.state(state).variable;
        let sort = self.terms().sort(variable).clone();
        let value = match &sort {
            Sort::Array(array) if sort_of(self.terms(), value.term) == array.element => {
                let element = to_word(self.terms(), value.term);
                self.terms().constant_array(array.index.clone(), element)
            }
            _ => self.value(value, &sort)?,
        };
        self.symbol()?;
        match self.model.system.states[state.index()].init.replace(value) {
            None => Ok(Line::Statement("init")),
            Some(_) => Err(self.cursor.error_at(at, "this state has an `init` already")),
        }
    }

    fn next(&mut self) -> Parsed<Line> {
        let (state, at, value) = self.update("next")?;
        let variable = self.model.system.state(state).variable;
        let sort = self.terms().sort(variable).clone();
        let value = self.value(value, &sort)?;
        self.symbol()?;
        match self.model.system.states[state.index()].next.replace(value) {
            None => Ok(Line::Statement("next")),
            Some(_) => Err(self.cursor.error_at(at, "this state has a `next` already")),
        }
    }

    /// Sort, state and value.
    fn update(&mut self, what: &str) -> Parsed<(StateId, u64, Operand)> {
        let (sort_at, sort) = self.sort()?;
        let (at, id) = self.number("the number of a state")?;
        let state = match self.lines.get(&id) {
            Some(&Line::State(state)) => state,
            Some(_) => return Err(self.cursor.error_at(at, format!("line {id} is no state"))),
            None => return Err(self.cursor.error_at(at, format!("there is no line {id} before this one"))),
        };
        let variable = self.model.system.state(state).variable;
        let own = self.terms().sort(variable).clone();
        if own != sort {
            let message =
                format!("{what} is about a {}, the state is a {}", sort_name(&sort), sort_name(&own));
            return Err(self.cursor.error_at(sort_at, message));
        }
        let value = self.operand()?;
        Ok((state, at, value))
    }

    fn value(&mut self, value: Operand, sort: &Sort) -> Parsed<TermId> {
        self.wants("the state", sort, value)?;
        Ok(to_word(self.terms(), value.term))
    }

    fn bad(&mut self) -> Parsed<Line> {
        let bad = self.bit()?;
        let label = self.label(|m| format!("b{}", m.system.properties.len()))?;
        let property = Property { bad, kind: PropertyKind::Invariant, label };
        self.model.system.properties.push(property);
        Ok(Line::Statement("bad"))
    }

    fn constraint(&mut self) -> Parsed<Line> {
        let term = self.bit()?;
        let label = self.label(|m| format!("c{}", m.system.constraints.len()))?;
        self.model.system.constraints.push(Named { term, label });
        Ok(Line::Statement("constraint"))
    }

    fn output(&mut self) -> Parsed<Line> {
        let term = self.operand()?.term;
        let label = self.label(|m| format!("o{}", m.system.observables.len()))?;
        self.observe(term, label);
        Ok(Line::Statement("output"))
    }

    fn fair(&mut self) -> Parsed<Line> {
        let term = self.bit()?;
        self.symbol()?;
        self.model.fairness.push(term);
        Ok(Line::Statement("fair"))
    }

    fn justice(&mut self) -> Parsed<Line> {
        let (_, count) = self.number("the number of conditions")?;
        let mut conditions = Vec::new();
        for _ in 0..count {
            conditions.push(self.bit()?);
        }
        let name = self.symbol()?;
        self.model.justice.push(conditions);
        self.model.justice_names.push(name);
        Ok(Line::Statement("justice"))
    }

    fn constant(&mut self, word: &str) -> Parsed<Line> {
        let (at, sort) = self.sort()?;
        let Some(width) = sort.width() else {
            return Err(self.cursor.error_at(at, format!("`{word}` is a word, not an array")));
        };
        let value = match word {
            "zero" => Word::zero(width),
            "one" => Word::one(width),
            "ones" => Word::ones(width),
            _ => self.digits(word, width)?,
        };
        let term = self.terms().constant(value);
        self.named(term)
    }

    /// `const`: as many binary digits as the width; `constd` and `consth`: a number that fits.
    fn digits(&mut self, word: &str, width: u32) -> Parsed<Word> {
        let (radix, digits) = match word {
            "const" => (2, "binary digits"),
            "constd" => (10, "a decimal number"),
            _ => (16, "a hexadecimal number"),
        };
        let (at, text) = self.word(digits)?;
        let magnitude = text.strip_prefix('-').filter(|_| radix == 10);
        let plain = magnitude.unwrap_or(&text);
        let wrong = plain.chars().position(|c| !c.is_digit(radix));
        if let Some(position) = wrong.or(plain.is_empty().then_some(0)) {
            let at = at + position as u64 + u64::from(magnitude.is_some());
            return Err(self.cursor.error_at(at, format!("expected {digits}")));
        }
        if radix == 2 && plain.len() != width as usize {
            let message = format!("{} digits for a word of {width} bits", plain.len());
            return Err(self.cursor.error_at(at, message));
        }
        let significant = plain.trim_start_matches('0').len();
        let too_large = format!("{} does not fit into {width} bits", brief(text.to_string()));
        if significant > width as usize {
            return Err(self.cursor.error_at(at, too_large));
        }
        if radix == 10 && significant > MAX_DIGITS {
            return Err(self.cursor.error_at(at, format!("numbers have up to {MAX_DIGITS} digits")));
        }
        let number = BigInt::parse_bytes(plain.as_bytes(), radix).expect("digits of this radix");
        let signed = if magnitude.is_some() { -number } else { number };
        // Of negative numbers, those that two's complement has.
        let fits = match magnitude {
            None => signed.bits() <= u64::from(width),
            Some(_) => (&signed + 1u32).bits() < u64::from(width),
        };
        match fits {
            true => Ok(Word::from_int(&signed, width)),
            false => Err(self.cursor.error_at(at, too_large)),
        }
    }

    fn application(&mut self, operator: &'static Operator) -> Parsed<Line> {
        let (sort_at, sort) = self.sort()?;
        let mut operands = Vec::with_capacity(3);
        for _ in 0..operator.shape.operands() {
            operands.push(self.operand()?);
        }
        let mut indices = [0; 2];
        for index in &mut indices[..operator.shape.indices()] {
            *index = self.number("a number of bits")?.1;
        }
        let result = self.result(operator, &operands, indices)?;
        if result != sort {
            let message = format!(
                "`{}` gives a {} here, not a {}",
                operator.name,
                sort_name(&result),
                sort_name(&sort)
            );
            return Err(self.cursor.error_at(sort_at, message));
        }
        let operands: Vec<TermId> = operands.iter().map(|o| o.term).collect();
        let term = operator.build(&mut self.model.system.terms, indices, &operands);
        self.named(term)
    }

    /// The sort that these operands give, if they may.
    fn result(&mut self, operator: &Operator, operands: &[Operand], indices: [u32; 2]) -> Parsed<Sort> {
        let sorts: Vec<Sort> = operands.iter().map(|o| sort_of(self.terms(), o.term)).collect();
        let bit = Sort::BitVec(1);
        match operator.shape {
            Shape::Words(_) => {
                self.alike(operands, &sorts).and_then(|()| self.word_sort(operands[0], &sorts[0]))
            }
            Shape::Reduction => self.word_sort(operands[0], &sorts[0]).map(|_| bit),
            Shape::Comparison => {
                self.alike(operands, &sorts)?;
                self.word_sort(operands[0], &sorts[0]).map(|_| bit)
            }
            Shape::Equality => self.alike(operands, &sorts).map(|()| bit),
            Shape::Bits => {
                for operand in operands {
                    self.wants("this operator", &bit, *operand)?;
                }
                Ok(bit)
            }
            Shape::Concat => {
                let high = self.width(operands[0], &sorts[0])?;
                let low = self.width(operands[1], &sorts[1])?;
                match high + low <= MAX_WIDTH {
                    true => Ok(Sort::BitVec(high + low)),
                    false => Err(self.cursor.error(format!("words have up to {MAX_WIDTH} bits"))),
                }
            }
            Shape::Ite => {
                self.wants("a condition", &bit, operands[0])?;
                self.alike(&operands[1..], &sorts[1..])?;
                Ok(sorts[1].clone())
            }
            Shape::Read | Shape::Write => self.access(operands, &sorts),
            Shape::Slice => {
                let width = self.width(operands[0], &sorts[0])?;
                let [high, low] = indices;
                match low <= high && high < width {
                    true => Ok(Sort::BitVec(high - low + 1)),
                    false => {
                        Err(self.cursor.error(format!("bits {high} to {low} do not lie within {width} bits")))
                    }
                }
            }
            Shape::Extension => {
                let width = self.width(operands[0], &sorts[0])?;
                match width.checked_add(indices[0]).filter(|&w| w <= MAX_WIDTH) {
                    Some(wide) => Ok(Sort::BitVec(wide)),
                    None => Err(self.cursor.error(format!("words have up to {MAX_WIDTH} bits"))),
                }
            }
        }
    }

    /// `read`: an array and an index; `write`: these and an element.
    fn access(&mut self, operands: &[Operand], sorts: &[Sort]) -> Parsed<Sort> {
        let Some(array) = sorts[0].as_array().cloned() else {
            let message = format!("expected an array, this is a {}", sort_name(&sorts[0]));
            return Err(self.cursor.error_at(operands[0].at, message));
        };
        self.wants("the array", &array.index, operands[1])?;
        match operands.get(2) {
            None => Ok(array.element),
            Some(&element) => {
                self.wants("the array", &array.element, element)?;
                Ok(sorts[0].clone())
            }
        }
    }

    fn alike(&mut self, operands: &[Operand], sorts: &[Sort]) -> Parsed<()> {
        match sorts.iter().position(|sort| *sort != sorts[0]) {
            None => Ok(()),
            Some(other) => {
                let (a, b) = (sort_name(&sorts[0]), sort_name(&sorts[other]));
                let message = format!("this is a {b}, the operand before is a {a}");
                Err(self.cursor.error_at(operands[other].at, message))
            }
        }
    }

    fn word_sort(&mut self, operand: Operand, sort: &Sort) -> Parsed<Sort> {
        self.width(operand, sort).map(Sort::BitVec)
    }

    fn width(&mut self, operand: Operand, sort: &Sort) -> Parsed<u32> {
        match sort.width() {
            Some(width) => Ok(width),
            None => Err(self
                .cursor
                .error_at(operand.at, format!("expected a word, this is an {}", sort_name(sort)))),
        }
    }

    /// Accepts an operand of this sort, as BTOR2 sees it.
    fn wants(&mut self, who: &str, wanted: &Sort, operand: Operand) -> Parsed<()> {
        let found = sort_of(self.terms(), operand.term);
        if found == *wanted {
            return Ok(());
        }
        let message = format!("{who} wants a {}, this is a {}", sort_name(wanted), sort_name(&found));
        Err(self.cursor.error_at(operand.at, message))
    }

    /// A condition, as a Boolean.
    fn bit(&mut self) -> Parsed<TermId> {
        let operand = self.operand()?;
        self.wants("a condition", &Sort::BitVec(1), operand)?;
        Ok(to_bool(self.terms(), operand.term))
    }

    /// A node; with a minus, its bits inverted.
    fn operand(&mut self) -> Parsed<Operand> {
        self.blanks();
        let at = self.cursor.offset();
        let negated = self.cursor.peek() == Some(b'-');
        if negated {
            self.cursor.skip(1);
        }
        let id = self.cursor.number("the number of a line")?;
        let term = match self.lines.get(&id) {
            Some(&Line::Node(term)) => term,
            Some(&Line::State(state)) => self.model.system.state(state).variable,
            Some(Line::Sort(_)) => {
                return Err(self.cursor.error_at(at, format!("line {id} is a sort, no value")));
            }
            Some(Line::Statement(what)) => {
                let message = format!("line {id} is `{what}`, no value");
                return Err(self.cursor.error_at(at, message));
            }
            None => return Err(self.cursor.error_at(at, format!("there is no line {id} before this one"))),
        };
        if !negated {
            return Ok(Operand { term, at });
        }
        let sort = sort_of(self.terms(), term);
        self.width(Operand { term, at }, &sort)?;
        let term = OPERATORS[0].build(self.terms(), [0; 2], &[term]);
        Ok(Operand { term, at })
    }

    fn sort(&mut self) -> Parsed<(u64, Sort)> {
        let (at, id) = self.number("the number of a sort")?;
        match self.lines.get(&id) {
            Some(Line::Sort(sort)) => Ok((at, sort.clone())),
            Some(_) => Err(self.cursor.error_at(at, format!("line {id} is no sort"))),
            None => Err(self.cursor.error_at(at, format!("there is no line {id} before this one"))),
        }
    }

    /// An operator or a constant is shown where it has a name.
    fn named(&mut self, term: TermId) -> Parsed<Line> {
        if let Some(name) = self.symbol()? {
            let span = self.span();
            self.observe(term, Label::at(name, span));
        }
        Ok(Line::Node(term))
    }

    /// In words, as the user wrote it.
    fn observe(&mut self, term: TermId, label: Label) {
        let term = to_word(self.terms(), term);
        if self.shown.insert((term, label.name.clone())) {
            self.model.system.observables.push(Named { term, label });
        }
    }

    /// The symbol at the end of a line, or a name made up.
    fn label(&mut self, made_up: impl Fn(&Btor2) -> String) -> Parsed<Label> {
        let name = self.symbol()?.unwrap_or_else(|| made_up(&self.model).into());
        Ok(Label::at(name, self.span()))
    }

    /// The symbol, or what the line is called later, or its number.
    fn label_or_alias(&mut self, id: u32, what: &str) -> Parsed<Label> {
        let alias = self.aliases.get(id);
        self.label(|_| alias.as_ref().map_or_else(|| format!("{what}{id}"), |alias| alias.to_string()))
    }

    /// From the first column to here, where the symbol ends.
    fn span(&self) -> Span {
        let line = self.cursor.line();
        Span { line, column: 1, end_line: line, end_column: self.cursor.column() }
    }

    fn symbol(&mut self) -> Parsed<Option<Arc<str>>> {
        self.blanks();
        if self.cursor.at_line_end() || self.cursor.peek() == Some(b';') {
            return Ok(None);
        }
        self.word("a symbol").map(|(_, symbol)| Some(symbol.into()))
    }

    /// Nothing but a comment is left on the line.
    fn end(&mut self) -> Parsed<()> {
        self.blanks();
        match self.cursor.peek() {
            Some(b';') => {
                self.cursor.rest_of_line();
                Ok(())
            }
            _ => self.cursor.end_of_line(),
        }
    }

    fn number(&mut self, what: &str) -> Parsed<(u64, u32)> {
        self.blanks();
        let at = self.cursor.offset();
        Ok((at, self.cursor.number(what)?))
    }

    /// The text up to the next blank. Bytes that are not UTF-8 are replaced.
    fn word(&mut self, what: &str) -> Parsed<(u64, String)> {
        self.blanks();
        if self.cursor.at_line_end() {
            return Err(self.cursor.expected(what));
        }
        let at = self.cursor.offset();
        let mut bytes = Vec::new();
        while let Some(byte) = self.cursor.peek().filter(|b| !b" \t\r\n".contains(b)) {
            bytes.push(byte);
            self.cursor.skip(1);
        }
        Ok((at, String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn blanks(&mut self) {
        while matches!(self.cursor.peek(), Some(b' ' | b'\t')) {
            self.cursor.skip(1);
        }
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.model.system.terms
    }
}

impl Shape {
    fn operands(self) -> usize {
        match self {
            Shape::Words(count) => count,
            Shape::Reduction | Shape::Slice | Shape::Extension => 1,
            Shape::Comparison | Shape::Equality | Shape::Bits | Shape::Concat | Shape::Read => 2,
            Shape::Ite | Shape::Write => 3,
        }
    }

    fn indices(self) -> usize {
        match self {
            Shape::Slice => 2,
            Shape::Extension => 1,
            _ => 0,
        }
    }
}
