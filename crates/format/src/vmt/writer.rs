//! Writes a word-level system as VMT-LIB.
//!
//! A state x becomes a variable with its next value, an input one without. With C the conjunction of the
//! constraints:
//!
//! * `:init` is `⋀ x = init(x)`;
//! * `:trans` is `C ∧ ⋀ x' = next(x)`: what breaks a constraint has no successor;
//! * a property is `C ⇒ ¬bad`: its last state counts only where the constraints hold there, too.
//!
//! Definitions are written out; what occurs several times has a name. An enumeration is an integer, and its range
//! a constraint. Names that the file makes up have a `!` in them.

use std::fmt::Write;

use buttress_system::words::{PropertyKind, System};
use buttress_term::script::Script;
use buttress_term::smtlib::symbol;
use buttress_term::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

pub fn write(system: &System) -> String {
    let mut writer = Writer {
        terms: system.terms.clone(),
        script: Script::new(),
        text: String::new(),
        constraints: Vec::new(),
        now: FxHashMap::default(),
    };
    writer.run(system);
    writer.text
}

struct Writer {
    terms: Terms,
    script: Script,
    text: String,
    /// As texts, the ranges of enumerations among them.
    constraints: Vec<String>,
    /// The terms with definitions written out.
    now: FxHashMap<TermId, TermId>,
}

impl Writer {
    fn run(&mut self, system: &System) {
        for input in &system.inputs {
            self.declare(input.variable);
        }
        let mut names: FxHashSet<String> = FxHashSet::default();
        let mut pairs = Vec::new();
        for state in &system.states {
            let sort = self.terms.sort(state.variable).clone();
            let next = self.terms.variable(format!("{}.next", state.label.name), sort);
            let (now, next) = (self.declare(state.variable), self.declare_plainly(next));
            names.extend([now.clone(), next.clone()]);
            pairs.push((now, next));
        }
        for (number, (now, next)) in pairs.iter().enumerate() {
            let sort = buttress_term::script::sort_text(self.terms.sort(system.states[number].variable));
            let _ = writeln!(self.text, "(define-fun state!{number} () {sort} (! {now} :next {next}))");
        }
        for definition in &system.definitions {
            let value = self.terms.image(definition.value, &mut self.now);
            self.now.insert(definition.variable, value);
        }
        for constraint in &system.constraints {
            let constraint = self.express(constraint.term);
            self.constraints.push(constraint);
        }
        let inits: Vec<_> = system.states.iter().zip(&pairs).map(|(s, (now, _))| (now, s.init)).collect();
        let inits = self.equations(&inits);
        self.annotate("init!", &inits, ":init true");
        let nexts: Vec<_> = system.states.iter().zip(&pairs).map(|(s, (_, next))| (next, s.next)).collect();
        let nexts = self.equations(&nexts);
        let steps = [self.constraints.clone(), nexts].concat();
        self.annotate("trans!", &steps, ":trans true");
        self.properties(system, &mut names);
    }

    /// A variable, with the range of an enumeration as a constraint.
    fn declare(&mut self, variable: TermId) -> String {
        let before = self.text.len();
        let name = self.script.express(&self.terms, variable, &mut self.text);
        let declared = self.text.split_off(before);
        for line in declared.lines() {
            match line.strip_prefix("(assert ").and_then(|rest| rest.strip_suffix(')')) {
                Some(range) => self.constraints.push(range.to_string()),
                None => drop(writeln!(self.text, "{line}")),
            }
        }
        name
    }

    /// A next value: its range is asked for where it is the value.
    fn declare_plainly(&mut self, variable: TermId) -> String {
        let known = self.constraints.len();
        let name = self.declare(variable);
        self.constraints.truncate(known);
        name
    }

    fn express(&mut self, term: TermId) -> String {
        let term = self.terms.image(term, &mut self.now);
        self.script.express(&self.terms, term, &mut self.text)
    }

    fn equations(&mut self, values: &[(&String, Option<TermId>)]) -> Vec<String> {
        let mut equations = Vec::new();
        for (name, value) in values {
            if let Some(value) = value {
                let value = self.express(*value);
                equations.push(format!("(= {name} {value})"));
            }
        }
        equations
    }

    fn annotate(&mut self, name: &str, conjuncts: &[String], annotation: &str) {
        let formula = conjunction(conjuncts);
        let _ = writeln!(self.text, "(define-fun {name} () Bool (! {formula} {annotation}))");
    }

    fn properties(&mut self, system: &System, names: &mut FxHashSet<String>) {
        let inputs: Vec<TermId> = system.inputs.iter().map(|i| i.variable).collect();
        for input in inputs {
            names.insert(self.express(input));
        }
        for (number, property) in system.properties.iter().enumerate() {
            let bad = self.express(property.bad);
            let formula = match self.constraints.is_empty() {
                true => format!("(not {bad})"),
                false => format!("(=> {} (not {bad}))", conjunction(&self.constraints)),
            };
            let own = symbol(&property.label.name);
            let free = !property.label.name.contains('!') && names.insert(own.clone());
            let name = if free { own } else { symbol(&format!("{}!p{number}", property.label.name)) };
            if property.kind == PropertyKind::Cover {
                let _ = writeln!(self.text, "; a goal: a violation is what is wanted");
            }
            let _ = writeln!(self.text, "(define-fun {name} () Bool (! {formula} :invar-property {number}))");
        }
    }
}

fn conjunction(conjuncts: &[String]) -> String {
    match conjuncts {
        [] => "true".to_string(),
        [one] => one.clone(),
        _ => format!("(and {})", conjuncts.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_system::words::{Label, Named, Property};
    use buttress_term::{Op, Sort};

    /// A counter with a constrained step; names that need quotes, and one that is taken.
    fn system() -> System {
        let mut system = System::default();
        let step = system.add_input(Sort::Int, Label::new("step"));
        let count = system.add_state(Sort::Int, Label::new("my count"));
        let variable = system.state(count).variable;
        let terms = &mut system.terms;
        let (zero, ten) = (terms.int(0), terms.int(10));
        let next = terms.app(Op::Add, &[variable, step]);
        let bad = terms.app(Op::Lt, &[variable, zero]);
        let grows = terms.app(Op::Ge, &[step, zero]);
        let other = terms.app(Op::Gt, &[variable, ten]);
        (system.states[0].init, system.states[0].next) = (Some(zero), Some(next));
        system.constraints.push(Named { term: grows, label: Label::new("grows") });
        for (bad, name) in [(bad, "step"), (other, "small")] {
            let label = Label::new(name);
            system.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
        }
        system
    }

    #[test]
    fn what_is_written_is_read() {
        let text = write(&system());
        let read = crate::vmt::read(&text).unwrap_or_else(|d| panic!("{}\n{text}", d.render("m.vmt"))).system;
        let names: Vec<&str> = read.states.iter().map(|s| &*s.label.name).collect();
        assert_eq!(names, ["my count", "trans holds"]);
        let inputs: Vec<&str> = read.inputs.iter().map(|i| &*i.label.name).collect();
        assert_eq!(inputs, ["step"]);
        let properties: Vec<&str> = read.properties.iter().map(|p| &*p.label.name).collect();
        assert_eq!(properties, ["step!p0", "small"]);
        let again = crate::vmt::read(&write(&read)).unwrap_or_else(|d| panic!("{}", d.render("again.vmt")));
        assert_eq!(again.system.properties.len(), 2);
    }
}
