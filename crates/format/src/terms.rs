//! Terms over the variables of a system as text, and back: SMT-LIB, one term a text.
//!
//! A variable is called as the system calls it, without the place in the file that a front end may have put into
//! the name (`pre@12:8`); of several with one name, the later are numbered. So what is written about a model is
//! read about its edited copy, as far as the names are still there, and whatever lines were added above. Reading
//! goes through the constructors of terms: a text that does not fit the sorts of the model is an error, and so is
//! one that is nested too deeply. What a text may cost grows with its length.

use buttress_system::words::System;
use buttress_term::script::{read_value, value_text};
use buttress_term::sexpr::{self, Sexpr};
use buttress_term::smtlib::Smtlib as Writer;
use buttress_term::{MAX_DIGITS, Node, Sort, TermId, Terms, Value, smtlib};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::smtlib::{DEEPEST, Smtlib};

/// Writes terms of a store that is the system's, or extends it.
pub struct TermWriter<'a>(Writer<'a>);

impl<'a> TermWriter<'a> {
    pub fn new(terms: &'a Terms) -> TermWriter<'a> {
        TermWriter(Writer::with_names(terms, variable_names(terms)))
    }

    pub fn term(&self, term: TermId) -> String {
        self.0.term(term)
    }

    /// A variable of the writer's own, for [`TermReader::declare`]: its name and its sort.
    pub fn declaration(&self, terms: &Terms, variable: TermId) -> (String, String) {
        (bare(self.0.name(variable)).to_string(), buttress_term::smtlib::sort(terms.sort(variable)))
    }
}

/// Reads terms into a store that extends the system's.
pub struct TermReader(Smtlib);

impl TermReader {
    pub fn over(system: &System) -> TermReader {
        let mut smt = Smtlib::over(system.terms.clone());
        smt.signed_literals = true;
        for (label, term) in system.named() {
            smt.names.entry(label.name.to_string()).or_insert(term);
        }
        for (variable, name) in variable_names(&system.terms) {
            smt.names.entry(bare(&smtlib::symbol(&name)).to_string()).or_insert(variable);
        }
        system.terms.ids().for_each(|term| smt.know_sort(system.terms.sort(term)));
        TermReader(smt)
    }

    /// A variable that the system does not have.
    pub fn declare(&mut self, name: &str, sort: &str) -> Result<TermId, String> {
        let sort = self.0.sort(&expression(sort)?).map_err(|(_, message)| message)?;
        let variable = self.0.terms.variable(name, sort);
        self.0.names.insert(name.to_string(), variable);
        Ok(variable)
    }

    pub fn read(&mut self, text: &str) -> Result<TermId, String> {
        self.0.closed_term(&expression(text)?).map_err(|(_, message)| message)
    }

    /// A term that is true or false.
    pub fn claim(&mut self, text: &str) -> Result<TermId, String> {
        let term = self.read(text)?;
        match self.0.terms.sort(term) {
            Sort::Bool => Ok(term),
            sort => Err(format!("a claim is true or false, and this is of sort {sort}")),
        }
    }

    pub fn terms(&self) -> &Terms {
        &self.0.terms
    }

    pub fn into_terms(self) -> Terms {
        self.0.terms
    }

    /// For the reader of VMT-LIB, which knows where in a file a text stands.
    pub(crate) fn smtlib(&mut self) -> &mut Smtlib {
        &mut self.0
    }
}

/// The unique names of variables in texts.
fn variable_names(terms: &Terms) -> Vec<(TermId, String)> {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut named = Vec::new();
    let mut again: FxHashMap<String, usize> = FxHashMap::default();
    for term in terms.ids() {
        let Node::Variable(name) = terms.node(term) else { continue };
        let plain = without_places(name);
        let mut unique = plain.clone();
        while !taken.insert(unique.clone()) {
            let count = again.entry(plain.clone()).or_insert(1);
            *count += 1;
            unique = format!("{plain}~{count}");
        }
        named.push((term, unique));
    }
    named
}

/// A name without the places in it: `pre@12:8` is `pre`.
pub fn without_places(name: &str) -> String {
    let mut parts = name.split('@');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let column = rest.strip_prefix(':').filter(|_| rest.len() < part.len());
        let after = column.map(|c| (c, c.trim_start_matches(|d: char| d.is_ascii_digit())));
        match after {
            Some((column, after)) if after.len() < column.len() => plain.push_str(after),
            _ => {
                plain.push('@');
                plain.push_str(part);
            }
        }
    }
    plain
}

/// A value as text.
pub fn write_value(value: &Value) -> String {
    value_text(value)
}

/// A value of this sort.
pub fn parse_value(text: &str, sort: &Sort) -> Result<Value, String> {
    let text = expression(text)?;
    plain(&text)?;
    let value = read_value(&text, sort).map_err(|bad| bad.to_string())?;
    match value.sort() == *sort {
        true => Ok(value),
        false => Err(format!("a value of {sort} is expected")),
    }
}

/// A value has no names of its own, no long numbers, and is not nested too deeply.
fn plain(text: &Sexpr) -> Result<(), String> {
    let mut todo = vec![(text, 0)];
    while let Some((text, depth)) = todo.pop() {
        if depth > DEEPEST || text.is("let") || text.atom().is_some_and(|a| a.len() > MAX_DIGITS) {
            return Err("a value is expected".to_string());
        }
        todo.extend(text.list().unwrap_or_default().iter().map(|inner| (inner, depth + 1)));
    }
    Ok(())
}

/// The only expression of a text.
fn expression(text: &str) -> Result<Sexpr, String> {
    // A token ends with what comes after it.
    let all = sexpr::read_all(&format!("{text}\n")).map_err(|_| "parentheses do not match".to_string())?;
    match <[Sexpr; 1]>::try_from(all) {
        Ok([one]) => Ok(one),
        Err(all) => Err(format!("one expression is expected, and there are {}", all.len())),
    }
}

/// A symbol without its bars.
fn bare(symbol: &str) -> &str {
    symbol.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).unwrap_or(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_system::words::Label;
    use buttress_term::Op;

    fn system() -> System {
        let mut system = System::default();
        let colour = Sort::enumeration("Colour", ["red", "green"]);
        system.add_state(Sort::Int, Label::new("n"));
        system.add_state(Sort::BitVec(4), Label::new("w"));
        system.add_state(Sort::Int, Label::new("n"));
        system.add_state(colour, Label::new("a colour"));
        system.add_state(Sort::array(Sort::Int, Sort::Bool), Label::new("seen"));
        system
    }

    #[test]
    fn what_is_written_is_read() {
        let system = system();
        let mut terms = system.terms.clone();
        let v: Vec<TermId> = system.states.iter().map(|s| s.variable).collect();
        let below = terms.app(Op::Lt, &[v[0], v[2]]);
        let zero = terms.word(0, 4);
        let word = terms.eq(v[1], zero);
        let sum = terms.app(Op::BvUaddo, &[v[1], v[1]]);
        let green = {
            let colour = terms.sort(v[3]).clone();
            terms.enum_constant(&colour, 1)
        };
        let is_green = terms.eq(v[3], green);
        let seen = terms.app(Op::Select, &[v[4], v[2]]);
        let all = [below, word, is_green, seen];
        let texts: Vec<String> = all.iter().chain([&sum]).map(|&t| TermWriter::new(&terms).term(t)).collect();
        let mut reader = TermReader::over(&system);
        let read: Vec<TermId> = texts.iter().map(|t| reader.claim(t).unwrap()).collect();
        let again: Vec<String> = read.iter().map(|&t| TermWriter::new(reader.terms()).term(t)).collect();
        assert_eq!(texts[..4], again[..4]);
        assert!(reader.into_terms().extends(&system.terms));
    }

    /// Not as operations on numbers: who reads bounds looks for numbers.
    #[test]
    fn negative_numbers_are_numbers() {
        let system = system();
        let mut terms = system.terms.clone();
        let n = system.states[0].variable;
        let third = terms.constant(Value::Real(num_rational::BigRational::new((-1).into(), 3.into())));
        let real = terms.app(Op::ToReal, &[n]);
        let (minus, above) = (terms.int(-3), terms.app(Op::Ge, &[real, third]));
        let bound = terms.app(Op::Ge, &[n, minus]);
        let mut reader = TermReader::over(&system);
        for term in [bound, above] {
            let read = reader.claim(&TermWriter::new(&terms).term(term)).unwrap();
            let constant = reader.terms().operands(read)[1];
            assert_eq!(reader.terms().as_constant(constant), terms.as_constant(terms.operands(term)[1]));
        }
    }

    #[test]
    fn places_are_no_part_of_a_name() {
        for (name, plain) in [
            ("pre@12:8", "pre"),
            ("sub@3:1.pre@12:8", "sub.pre"),
            ("a@b", "a@b"),
            ("a@1:b", "a@1:b"),
            ("@1", "@1"),
            ("é@1:2", "é"),
        ] {
            assert_eq!(without_places(name), plain);
        }
    }

    #[test]
    fn texts_that_do_not_fit_are_refused() {
        let mut reader = TermReader::over(&system());
        let deep = format!("{}{}", "(not ".repeat(100_000), ")".repeat(100_000));
        for text in ["", "(", "(= n w)", "n", "(= n n) (= n n)", "(and", "(f n)", "(_ bv1 4294967295)", &deep]
        {
            assert!(reader.claim(text).is_err(), "{}", &text[..text.len().min(40)]);
        }
        assert!(reader.declare("x", "(Array Int").is_err());
    }

    #[test]
    fn values_are_read_by_their_sort() {
        let colour = Sort::enumeration("Colour", ["red", "green"]);
        let mut table = buttress_term::ArrayValue::constant(Sort::Int, Value::Bool(false));
        table.set(Value::Int((-3).into()), Value::Bool(true));
        for value in [Value::Bool(true), Value::Int((-7).into()), Value::zero(&colour), Value::array(table)] {
            assert_eq!(parse_value(&write_value(&value), &value.sort()), Ok(value));
        }
        let bomb = format!("{}0{}", "(let ((a (+ a a))) ".repeat(60), ")".repeat(60));
        for text in ["5", "#b11111", "(store 1 2", &bomb] {
            assert!(parse_value(text, &Sort::Bool).is_err(), "{text}");
        }
        assert!(parse_value("7", &colour).is_err());
    }
}
