//! SMT-LIB 2 as VMT-LIB and MoXI use it: sorts, terms, definitions and enumerations, over names that a model
//! declares.
//!
//! The operators are those of `term/src/op.rs`. A comparison may have more than two operands, an integer that
//! stands among reals is one, and in a logic with reals and without integers every numeral is a real. Functions
//! with parameters are written out where they are used.
//!
//! Refused, with their place: quantifiers.

mod maps;

use buttress_term::script::read_value;
use buttress_term::sexpr::{self, Sexpr, SexprError};
use buttress_term::{MAX_DIGITS, MAX_WIDTH, Op, Sort, TermId, Terms, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;

use crate::{Diagnostic, Position};

/// Where something is wrong, and what.
pub(crate) type Wrong = (usize, String);

pub(crate) fn wrong<T>(at: &Sexpr, message: impl Into<String>) -> Result<T, Wrong> {
    Err((at.offset, message.into()))
}

/// How deep terms may be nested.
pub(crate) const DEEPEST: usize = 2_000;

/// All expressions of a text.
pub(crate) fn expressions(text: &str) -> Result<Vec<Sexpr>, Diagnostic> {
    sexpr::read_all(text).map_err(|error| match error {
        SexprError::Incomplete => Diagnostic::new("the file ends within an expression"),
        SexprError::Unopened(offset) => at(text, offset, "this parenthesis closes nothing"),
    })
}

/// Whether the first thing in a text that is no comment is an expression.
pub(crate) fn begins(text: &str) -> bool {
    let code = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with(';'));
    code.is_some_and(|line| line.starts_with('('))
}

pub(crate) fn at(text: &str, offset: usize, message: &str) -> Diagnostic {
    let start = text[..offset].rfind('\n').map_or(0, |n| n + 1);
    let source = text[start..].lines().next().unwrap_or_default();
    Diagnostic::new(message).at(position(text, offset)).with_source(source)
}

pub(crate) fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line = before.matches('\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let column = before[start..].chars().count() as u32 + 1;
    Position { line, column, offset: offset as u64 }
}

/// The declared names of a script, and the store of their terms.
#[derive(Default)]
pub(crate) struct Smtlib {
    pub terms: Terms,
    /// Variables and definitions without parameters.
    pub names: FxHashMap<String, TermId>,
    macros: FxHashMap<String, Macro>,
    /// The terms of applied macros, so that each application is written out once.
    written_out: FxHashMap<(String, Vec<TermId>), TermId>,
    sorts: FxHashMap<String, Sort>,
    /// Whether a numeral is a real.
    real_numerals: bool,
    /// Whether there is a map or a lambda.
    pub maps: bool,
    /// Whether `(- 3)` and `(/ 1.0 3.0)` are numbers, as what writes terms means them, and not operations on some.
    pub signed_literals: bool,
}

#[derive(Clone)]
struct Macro {
    parameters: Vec<String>,
    body: Sexpr,
}

/// Refuses annotations of whole definitions inside of terms, where they would be ignored.
fn told_above(parts: &[Sexpr]) -> Result<(), Wrong> {
    const ABOVE: [&str; 5] = [":next", ":init", ":trans", ":invar-property", ":live-property"];
    match parts.iter().find(|part| part.atom().is_some_and(|key| ABOVE.contains(&key))) {
        Some(key) => wrong(key, format!("{key} is said of a definition as a whole")),
        None => Ok(()),
    }
}

impl Smtlib {
    pub fn over(terms: Terms) -> Smtlib {
        Smtlib { terms, ..Smtlib::default() }
    }

    /// In a logic that has reals and no integers, numerals are reals.
    pub fn set_logic(&mut self, logic: &Sexpr) {
        let name = logic.atom().unwrap_or_default();
        let reals = ["LRA", "NRA", "RDL"].iter().any(|theory| name.contains(theory));
        self.real_numerals = reals && !name.contains("IRA");
    }

    /// A sort of which nothing is known: see [`vmt`](crate::vmt).
    pub fn declare_sort(&mut self, name: &Sexpr, arity: &Sexpr) -> Result<(), Wrong> {
        if !arity.is("0") {
            return wrong(arity, "sorts with parameters are not taken yet");
        }
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        self.sorts.insert(text.to_string(), Sort::Int);
        Ok(())
    }

    /// The names of an enumeration, where it is one, and of its constants; what has these names already keeps
    /// them.
    pub fn know_sort(&mut self, sort: &Sort) {
        let Sort::Enum(enumeration) = sort else { return };
        if self.sorts.contains_key(&enumeration.name) {
            return;
        }
        self.sorts.insert(enumeration.name.clone(), sort.clone());
        for (index, constant) in enumeration.constants.iter().enumerate() {
            let term = self.terms.enum_constant(sort, index as u32);
            self.names.entry(constant.clone()).or_insert(term);
        }
    }

    pub fn define_sort(&mut self, name: &Sexpr, parameters: &Sexpr, sort: &Sexpr) -> Result<(), Wrong> {
        if !parameters.list().is_some_and(<[_]>::is_empty) {
            return wrong(parameters, "sorts with parameters are not taken yet");
        }
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        let sort = self.sort(sort)?;
        self.sorts.insert(text.to_string(), sort);
        Ok(())
    }

    /// A function with parameters; the others are terms.
    pub fn define_macro(&mut self, name: &str, parameters: &[Sexpr], body: &Sexpr) {
        let parameter = |p: &Sexpr| p.list().and_then(|p| p.first()?.atom()).map(str::to_string);
        let parameters = parameters.iter().filter_map(parameter).collect();
        self.macros.insert(name.to_string(), Macro { parameters, body: body.clone() });
        self.written_out.retain(|(known, _), _| known != name);
    }

    pub fn is_macro(&self, name: &str) -> bool {
        self.macros.contains_key(name)
    }

    /// A term without local names.
    pub fn closed_term(&mut self, text: &Sexpr) -> Result<TermId, Wrong> {
        self.term(text, &FxHashMap::default(), 0)
    }

    pub fn sort(&mut self, sort: &Sexpr) -> Result<Sort, Wrong> {
        match (sort.atom(), sort.list()) {
            (Some("Bool"), _) => Ok(Sort::Bool),
            (Some("Int"), _) => Ok(Sort::Int),
            (Some("Real"), _) => Ok(Sort::Real),
            (Some(name), _) if self.sorts.contains_key(name) => Ok(self.sorts[name].clone()),
            (_, Some([head, kind, width])) if head.is("_") && kind.is("BitVec") => {
                match width.atom().and_then(|w| w.parse().ok()).filter(|&w: &u32| w > 0 && w <= MAX_WIDTH) {
                    Some(width) => Ok(Sort::BitVec(width)),
                    None => wrong(width, format!("a width is a number from 1 to {MAX_WIDTH}")),
                }
            }
            (_, Some([head, index, element])) if head.is("Array") => {
                Ok(Sort::array(self.sort(index)?, self.sort(element)?))
            }
            (_, Some([head, arguments @ .., result])) if head.is("->") && !arguments.is_empty() => {
                self.map_sort(arguments, result)
            }
            _ => wrong(sort, format!("the sort {sort} is not known")),
        }
    }

    pub fn term(
        &mut self,
        text: &Sexpr,
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        if depth > DEEPEST {
            return wrong(text, format!("terms are nested more than {DEEPEST} deep"));
        }
        if let Some(atom) = text.atom() {
            return self.atom(text, atom, local);
        }
        match text.list() {
            Some([head, rest @ ..]) => match head.atom() {
                Some("let") => self.bind(text, rest, local, depth),
                Some("!") if !rest.is_empty() => {
                    told_above(rest)?;
                    self.term(&rest[0], local, depth + 1)
                }
                Some("_") if rest.first().is_some_and(|f| self.is_map(f, local)) => {
                    self.call(text, &rest[0], &rest[1..], local, depth)
                }
                Some("_") => self.literal_word(text),
                Some("lambda") => self.lambda(text, rest, local, depth),
                Some(_) if self.is_map(head, local) => self.call(text, head, rest, local, depth),
                Some(quantifier @ ("forall" | "exists")) => {
                    wrong(text, format!("{quantifier} is not taken yet: systems without quantifiers only"))
                }
                Some(name) if self.macros.contains_key(name) => self.expand(text, name, rest, local, depth),
                Some(name) => {
                    let operands = self.terms_of(rest, local, depth)?;
                    self.apply(text, name, [0, 0], &operands)
                }
                None => {
                    let operands = self.terms_of(rest, local, depth)?;
                    self.indexed(text, head, &operands)
                }
            },
            _ => wrong(text, "a term is expected here"),
        }
    }

    fn terms_of(
        &mut self,
        texts: &[Sexpr],
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<Vec<TermId>, Wrong> {
        texts.iter().map(|t| self.term(t, local, depth + 1)).collect()
    }

    fn atom(&mut self, text: &Sexpr, atom: &str, local: &FxHashMap<String, TermId>) -> Result<TermId, Wrong> {
        if let Some(&term) = local.get(atom).or_else(|| self.names.get(atom)) {
            return Ok(term);
        }
        let number = |a: &str| a.starts_with(|c: char| c.is_ascii_digit());
        if number(atom) && atom.len() > MAX_DIGITS {
            return wrong(text, format!("numbers have up to {MAX_DIGITS} digits"));
        }
        let value = match atom {
            "true" | "false" => Some(Value::Bool(atom == "true")),
            _ if atom.starts_with("#b") => return self.digits(text, 1),
            _ if atom.starts_with("#x") => return self.digits(text, 4),
            _ if number(atom) && (self.real_numerals || atom.contains('.')) => {
                read_value(text, &Sort::Real).ok()
            }
            _ if number(atom) => read_value(text, &Sort::Int).ok(),
            _ => None,
        };
        match value {
            Some(value) => Ok(self.terms.constant(value)),
            None => wrong(text, format!("{atom} is not declared")),
        }
    }

    /// `#b0101` or `#x5`: so many bits a digit.
    fn digits(&mut self, text: &Sexpr, bits: usize) -> Result<TermId, Wrong> {
        let digits = text.atom().map_or(0, |atom| atom.len() - 2);
        self.word(text, u32::try_from(bits.saturating_mul(digits)).unwrap_or(u32::MAX))
    }

    /// `(_ bv5 8)`
    fn literal_word(&mut self, text: &Sexpr) -> Result<TermId, Wrong> {
        let parts = text.list().unwrap_or_default();
        let width = parts.get(2).and_then(|width| width.atom()?.parse().ok());
        match parts.get(1).and_then(Sexpr::atom) {
            Some(number) if number.len() > MAX_DIGITS => {
                wrong(text, format!("numbers have up to {MAX_DIGITS} digits"))
            }
            _ => self.word(text, width.unwrap_or(0)),
        }
    }

    fn word(&mut self, text: &Sexpr, width: u32) -> Result<TermId, Wrong> {
        if width > MAX_WIDTH {
            return wrong(text, format!("words have up to {MAX_WIDTH} bits"));
        }
        match (width > 0).then(|| read_value(text, &Sort::BitVec(width)).ok()).flatten() {
            Some(value) => Ok(self.terms.constant(value)),
            None => wrong(text, format!("{text} is not known")),
        }
    }

    fn bind(
        &mut self,
        text: &Sexpr,
        rest: &[Sexpr],
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        let [bindings, body] = rest else { return wrong(text, "let has bindings and a body") };
        let mut inner = local.clone();
        for binding in bindings.list().unwrap_or_default() {
            match binding.list() {
                Some([name, value]) if name.atom().is_some() => {
                    let value = self.term(value, local, depth + 1)?;
                    inner.insert(name.atom().unwrap_or_default().to_string(), value);
                }
                _ => return wrong(binding, "a binding is a name and a term"),
            }
        }
        self.term(body, &inner, depth + 1)
    }

    fn expand(
        &mut self,
        text: &Sexpr,
        name: &str,
        rest: &[Sexpr],
        local: &FxHashMap<String, TermId>,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        let Macro { parameters, body } = self.macros[name].clone();
        if parameters.len() != rest.len() {
            return wrong(text, format!("{name} has {} arguments", parameters.len()));
        }
        let application = (name.to_string(), self.terms_of(rest, local, depth)?);
        if let Some(&known) = self.written_out.get(&application) {
            return Ok(known);
        }
        let inner = parameters.into_iter().zip(application.1.iter().copied()).collect();
        let term = self.term(&body, &inner, depth + 1)?;
        self.written_out.insert(application, term);
        Ok(term)
    }

    /// `((_ extract 7 4) x)`, `((as const (Array Int Int)) 0)`
    fn indexed(&mut self, text: &Sexpr, head: &Sexpr, operands: &[TermId]) -> Result<TermId, Wrong> {
        match head.list() {
            Some([first, constant, sort]) if first.is("as") && constant.is("const") => {
                match (self.sort(sort)?, operands) {
                    (Sort::Array(array), &[element]) if *self.terms.sort(element) == array.element => {
                        Ok(self.terms.constant_array(array.index.clone(), element))
                    }
                    _ => wrong(text, "a constant array has one element of its sort"),
                }
            }
            Some([first, name, numbers @ ..]) if first.is("_") && numbers.len() <= 2 => {
                let mut indices = [0, 0];
                for (index, number) in indices.iter_mut().zip(numbers) {
                    match number.atom().and_then(|n| n.parse().ok()) {
                        Some(n) => *index = n,
                        None => return wrong(number, "an index is a number"),
                    }
                }
                self.apply(text, name.atom().unwrap_or_default(), indices, operands)
            }
            _ => wrong(head, format!("{head} is not known")),
        }
    }

    /// The first operator of this name that takes these operands; chains and folds of binary ones.
    fn apply(
        &mut self,
        text: &Sexpr,
        name: &str,
        indices: [u32; 2],
        operands: &[TermId],
    ) -> Result<TermId, Wrong> {
        let name = if name == "!=" { "distinct" } else { name };
        let operands = &self.widened(name, operands);
        if let Some(number) = self.signed_literal(name, operands) {
            return Ok(self.terms.constant(number));
        }
        for op in Op::named(name) {
            if let Ok(term) = self.terms.apply_indexed(op, indices, operands) {
                return match self.terms.width(term) {
                    Some(width) if width > MAX_WIDTH => {
                        wrong(text, format!("words have up to {MAX_WIDTH} bits"))
                    }
                    _ => Ok(term),
                };
            }
        }
        if operands.len() > 2 {
            let chain = matches!(name, "=" | "<" | "<=" | ">" | ">=");
            let pair = |reader: &mut Smtlib, a, b| reader.apply(text, name, indices, &[a, b]);
            if chain {
                let mut links = Vec::new();
                for window in operands.windows(2) {
                    links.push(pair(self, window[0], window[1])?);
                }
                return Ok(self.terms.all(&links));
            }
            if name == "=>" {
                let last = operands[operands.len() - 1];
                return operands[..operands.len() - 1].iter().rev().try_fold(last, |b, &a| pair(self, a, b));
            }
            return operands[1..].iter().try_fold(operands[0], |a, &b| pair(self, a, b));
        }
        let sorts: Vec<String> = operands.iter().map(|&t| self.terms.sort(t).to_string()).collect();
        wrong(text, format!("there is no operator {name} on {}", sorts.join(", ")))
    }

    /// The number that an operation on numbers writes.
    fn signed_literal(&self, name: &str, operands: &[TermId]) -> Option<Value> {
        let number = |t: TermId| self.terms.as_constant(t);
        match (self.signed_literals, name, operands) {
            (true, "-", &[of]) => match number(of)? {
                Value::Int(n) => Some(Value::Int(-n)),
                Value::Real(q) => Some(Value::Real(-q)),
                _ => None,
            },
            (true, "/", &[of, by]) => match (number(of)?, number(by)?) {
                (Value::Real(of), Value::Real(by)) if !by.is_zero() => Some(Value::Real(of / by)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Integers that stand among reals are reals, as many writers have it.
    fn widened(&mut self, name: &str, operands: &[TermId]) -> Vec<TermId> {
        let real = |t: &TermId| *self.terms.sort(*t) == Sort::Real;
        let mixed = name == "/" || operands.iter().any(real);
        if !mixed || matches!(name, "ite" | "select" | "store" | "to_int" | "is_int") {
            return operands.to_vec();
        }
        operands.iter().map(|&t| self.as_sort(t, &Sort::Real)).collect()
    }

    /// An integer as a real, where one is expected.
    pub fn as_sort(&mut self, term: TermId, expected: &Sort) -> TermId {
        match (self.terms.sort(term), self.terms.as_constant(term)) {
            (Sort::Int, Some(Value::Int(n))) if *expected == Sort::Real => {
                let n: BigInt = n.clone();
                self.terms.constant(Value::Real(BigRational::from(n)))
            }
            (Sort::Int, _) if *expected == Sort::Real => self.terms.app(Op::ToReal, &[term]),
            _ => term,
        }
    }
}
