//! `define-system`: variables, formulas and parts.

use buttress_term::sexpr::Sexpr;
use buttress_term::{Sort, TermId};
use rustc_hash::FxHashMap;

use super::Reader;
use crate::smtlib::{Wrong, wrong};

/// A variable with its next value.
#[derive(Clone)]
pub(super) struct Variable {
    pub name: String,
    pub now: TermId,
    pub next: TermId,
}

/// Another system as a part: which, under which name, and the variables that are its inputs and outputs.
pub(super) struct Part {
    pub name: String,
    pub system: usize,
    pub connected: Vec<Variable>,
}

/// A system, over its own variables.
pub(super) struct Defined {
    pub name: String,
    /// Inputs, then outputs, then locals.
    pub variables: Vec<Variable>,
    pub inputs: usize,
    pub outputs: usize,
    pub init: Vec<TermId>,
    pub trans: Vec<TermId>,
    pub inv: Vec<TermId>,
    pub parts: Vec<Part>,
    /// How many variables it has with those of its parts.
    pub size: usize,
}

/// How many variables a system may have with those of its parts.
const LARGEST: usize = 1 << 20;

/// The terms of the names in formulas: `x` and `x'`.
pub(super) type Scope = FxHashMap<String, TermId>;

/// The values of each attribute, in the order of the file.
pub(super) struct Attributes<'a>(Vec<(&'a Sexpr, &'a Sexpr)>);

impl<'a> Attributes<'a> {
    pub fn none() -> Attributes<'static> {
        Attributes(Vec::new())
    }

    /// Pairs of a keyword and a value; those of `once` are not repeated.
    pub fn new(all: &'a [Sexpr], known: &[&str], once: &[&str]) -> Result<Attributes<'a>, Wrong> {
        let mut pairs: Vec<(&Sexpr, &Sexpr)> = Vec::new();
        for pair in all.chunks(2) {
            let key = &pair[0];
            let [_, value] = pair else { return wrong(key, "this attribute has no value") };
            let text = key.atom().unwrap_or_default();
            if !known.contains(&text) {
                return wrong(key, format!("{key} is no attribute of this command"));
            }
            if once.contains(&text) && pairs.iter().any(|(other, _)| other.is(text)) {
                return wrong(key, format!("{text} is there already"));
            }
            pairs.push((key, value));
        }
        Ok(Attributes(pairs))
    }

    pub fn all<'b>(&'b self, key: &'b str) -> impl Iterator<Item = &'a Sexpr> + 'b {
        self.0.iter().filter(move |(k, _)| k.is(key)).map(|&(_, value)| value)
    }
}

impl Reader<'_> {
    pub(super) fn define_system(&mut self, name: &Sexpr, attributes: &[Sexpr]) -> Result<(), Wrong> {
        let Some(text) = name.atom() else { return wrong(name, "the name of a system is expected here") };
        if self.names.contains_key(text) {
            return wrong(name, format!("the system {text} is defined already"));
        }
        let once = [":input", ":output", ":local", ":init"];
        let known = [&once[..], &[":trans", ":inv", ":subsys"]].concat();
        let attributes = Attributes::new(attributes, &known, &once)?;
        let mut variables = Vec::new();
        let mut scope = Scope::default();
        let mut counts = [0; 3];
        for (count, key) in counts.iter_mut().zip([":input", ":output", ":local"]) {
            for list in attributes.all(key) {
                let declared = self.variables(list)?;
                *count = declared.len();
                for (place, name, sort) in declared {
                    variables.push(self.variable(&mut scope, place, name, &sort)?);
                }
            }
        }
        let init = self.formulas(attributes.all(":init"), &scope, Reads::Now)?;
        let inv = self.formulas(attributes.all(":inv"), &scope, Reads::Now)?;
        let mut trans = self.formulas(attributes.all(":trans"), &scope, Reads::Both)?;
        if trans.len() > 1 {
            trans = vec![self.smt.terms.any(&trans)];
        }
        let mut system = Defined {
            name: text.to_string(),
            size: variables.len(),
            variables,
            inputs: counts[0],
            outputs: counts[1],
            init,
            trans,
            inv,
            parts: Vec::new(),
        };
        for part in attributes.all(":subsys") {
            self.add_part(&mut system, part)?;
        }
        self.names.insert(text.to_string(), self.systems.len());
        self.systems.push(system);
        Ok(())
    }

    /// `((x Int) (y Bool))`
    pub(super) fn variables<'b>(
        &mut self,
        list: &'b Sexpr,
    ) -> Result<Vec<(&'b Sexpr, &'b str, Sort)>, Wrong> {
        let Some(items) = list.list() else { return wrong(list, "a list of variables is expected here") };
        let one = |item: &'b Sexpr| match item.list() {
            Some([name, sort]) if name.atom().is_some() => {
                Ok((item, name.atom().unwrap_or_default(), self.smt.sort(sort)?))
            }
            _ => wrong(item, "a variable is a name and a sort"),
        };
        items.iter().map(one).collect()
    }

    pub(super) fn variable(
        &mut self,
        scope: &mut Scope,
        place: &Sexpr,
        name: &str,
        sort: &Sort,
    ) -> Result<Variable, Wrong> {
        if name.ends_with('\'') {
            return wrong(place, "a name ends in ' only as a next value");
        }
        let variable = self.fresh(name.to_string(), sort);
        if scope.insert(name.to_string(), variable.now).is_some() {
            return wrong(place, format!("there is a variable {name} already"));
        }
        scope.insert(format!("{name}'"), variable.next);
        Ok(variable)
    }

    pub(super) fn fresh(&mut self, name: String, sort: &Sort) -> Variable {
        let now = self.smt.terms.variable(&*name, sort.clone());
        let next = self.smt.terms.variable(format!("{name}'"), sort.clone());
        Variable { name, now, next }
    }

    pub(super) fn formulas<'b>(
        &mut self,
        texts: impl Iterator<Item = &'b Sexpr>,
        scope: &Scope,
        reads: Reads,
    ) -> Result<Vec<TermId>, Wrong> {
        texts.map(|text| self.formula(text, scope, reads)).collect()
    }

    /// A Boolean term, possibly in parentheses of its own.
    pub(super) fn formula(&mut self, text: &Sexpr, scope: &Scope, reads: Reads) -> Result<TermId, Wrong> {
        let mut inner = text;
        while let Some([only]) = inner.list()
            && only.list().is_some()
        {
            inner = only;
        }
        if let (Reads::Now, Some(next)) = (reads, next_value(inner, scope)) {
            return wrong(next, format!("{next} is a next value: this formula is about one state"));
        }
        let term = self.smt.term(inner, scope, 0)?;
        if self.smt.maps {
            return wrong(inner, "maps and lambda are not taken here yet");
        }
        match self.smt.terms.sort(term) {
            Sort::Bool => Ok(term),
            sort => wrong(inner, format!("this is a {sort}, not a formula")),
        }
    }

    /// `(N (S x y))`
    fn add_part(&mut self, system: &mut Defined, text: &Sexpr) -> Result<(), Wrong> {
        let (name, call) = match text.list() {
            Some([name, call]) if name.atom().is_some() => (name.atom().unwrap_or_default(), call),
            _ => return wrong(text, "a part is a name and a system with its variables"),
        };
        let Some((of, arguments)) = call.call() else { return wrong(call, "a system is expected here") };
        let Some(&index) = self.names.get(of) else { return wrong(call, format!("there is no system {of}")) };
        if system.parts.iter().any(|part| part.name == name) {
            return wrong(text, format!("there is a part {name} already"));
        }
        let connected = self.connect(system, &self.systems[index], call, arguments)?;
        let part = &self.systems[index];
        system.size += part.size - part.inputs - part.outputs;
        if system.size > LARGEST {
            return wrong(text, format!("the system has more than {LARGEST} variables"));
        }
        system.parts.push(Part { name: name.to_string(), system: index, connected });
        Ok(())
    }

    fn connect(
        &self,
        system: &Defined,
        part: &Defined,
        call: &Sexpr,
        arguments: &[Sexpr],
    ) -> Result<Vec<Variable>, Wrong> {
        let formal = &part.variables[..part.inputs + part.outputs];
        if formal.len() != arguments.len() {
            let (inputs, outputs) = (part.inputs, part.outputs);
            return wrong(call, format!("{} has {inputs} inputs and {outputs} outputs", part.name));
        }
        let mut connected = Vec::new();
        for (place, (formal, argument)) in formal.iter().zip(arguments).enumerate() {
            let known = |v: &&Variable| argument.is(&v.name);
            let Some(variable) = system.variables.iter().find(known) else {
                return wrong(argument, format!("{argument} is no variable of this system"));
            };
            let given = system.variables[..system.inputs].iter().any(|v| v.now == variable.now);
            if place >= part.inputs && given {
                return wrong(argument, format!("{argument} is an input: a part cannot give it its value"));
            }
            let (expected, sort) = (self.smt.terms.sort(formal.now), self.smt.terms.sort(variable.now));
            if sort != expected {
                return wrong(argument, format!("{argument} is a {sort}, {} is a {expected}", formal.name));
            }
            connected.push(variable.clone());
        }
        Ok(connected)
    }
}

/// The states that a formula may be about.
#[derive(Clone, Copy)]
pub(super) enum Reads {
    /// One state.
    Now,
    /// A state and the next one.
    Both,
}

/// Where a formula reads a next value.
fn next_value<'a>(formula: &'a Sexpr, scope: &Scope) -> Option<&'a Sexpr> {
    let mut todo = vec![formula];
    while let Some(expression) = todo.pop() {
        if expression.atom().is_some_and(|atom| atom.ends_with('\'') && scope.contains_key(atom)) {
            return Some(expression);
        }
        todo.extend(expression.list().unwrap_or_default().iter().rev());
    }
    None
}
