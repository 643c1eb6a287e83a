//! Whether the parts of a system fit together.

use std::fmt;

use buttress_term::{Node, Op, Sort, TermId};

use super::{Assignment, InitCycle, Label, Role, Span, System};

/// An error in a system, with its place in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub message: String,
    pub span: Option<Span>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

fn fault<T>(label: &Label, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { message: message.into(), span: label.span })
}

/// For each term, what its cone reads; found in one pass over the store.
struct Reads {
    /// A variable that is nothing of this system.
    unknown: Vec<Option<TermId>>,
    /// The last definition, with its variable.
    definition: Vec<Option<(usize, TermId)>>,
}

impl Reads {
    fn new(system: &System) -> Reads {
        let roles = system.roles();
        let mut reads = Reads { unknown: Vec::new(), definition: Vec::new() };
        for term in system.terms.ids() {
            let operands = system.terms.operands(term);
            let unknown = operands.iter().find_map(|t| reads.unknown[t.index()]);
            let definition = operands.iter().filter_map(|t| reads.definition[t.index()]).max();
            let (unknown, definition) = match roles[term.index()] {
                None if system.terms.is_variable(term) => (Some(term), None),
                _ if matches!(system.terms.node(term), Node::Apply(Op::Lambda, ..)) => {
                    let read = system.terms.free_variables([term]);
                    (read.into_iter().find(|v| roles[v.index()].is_none()), definition)
                }
                Some(Role::Definition(d)) => (None, Some((d, term))),
                _ => (unknown, definition),
            };
            reads.unknown.push(unknown);
            reads.definition.push(definition);
        }
        reads
    }
}

impl System {
    /// Variables are variables and stand for one thing each; sorts agree; every variable that is read is an
    /// input, a state or a definition; definitions are in order; the start is stratified.
    pub fn validate(&self) -> Result<(), Fault> {
        self.variables_are_distinct()?;
        let reads = Reads::new(self);
        self.states_fit(&reads)?;
        self.definitions_fit(&reads)?;
        let constraints = self.constraints.iter().map(|c| (c.term, &c.label, "constraint"));
        let properties = self.properties.iter().map(|p| (p.bad, &p.label, "property"));
        for (term, label, what) in constraints.chain(properties) {
            self.fits(term, &Sort::Bool, label, what, &reads)?;
        }
        self.observables.iter().try_for_each(|o| self.known(o.term, &o.label, &reads))?;
        self.start_order().map(drop).or_else(|cycle| self.refuse_cycle(cycle))
    }

    fn variables_are_distinct(&self) -> Result<(), Fault> {
        let mut seen = vec![false; self.terms.len()];
        let inputs = self.inputs.iter().map(|i| (i.variable, &i.label));
        let states = self.states.iter().map(|s| (s.variable, &s.label));
        let definitions = self.definitions.iter().map(|d| (d.variable, &d.label));
        for (variable, label) in inputs.chain(states).chain(definitions) {
            if !self.terms.is_variable(variable) {
                return fault(label, format!("`{}` is not a variable", label.name));
            }
            if std::mem::replace(&mut seen[variable.index()], true) {
                return fault(label, format!("the variable of `{}` stands for two things", label.name));
            }
        }
        Ok(())
    }

    fn states_fit(&self, reads: &Reads) -> Result<(), Fault> {
        for state in &self.states {
            let sort = self.terms.sort(state.variable);
            let fits = |term, what| self.fits(term, sort, &state.label, what, reads);
            state.init.map_or(Ok(()), |term| fits(term, "init"))?;
            state.next.map_or(Ok(()), |term| fits(term, "next"))?;
        }
        Ok(())
    }

    fn definitions_fit(&self, reads: &Reads) -> Result<(), Fault> {
        for (d, definition) in self.definitions.iter().enumerate() {
            let (value, label) = (definition.value, &definition.label);
            self.fits(value, self.terms.sort(definition.variable), label, "definition", reads)?;
            if let Some((_, read)) = reads.definition[value.index()].filter(|(last, _)| *last >= d) {
                let read = self.variable_name(read);
                return fault(label, format!("`{}` reads `{read}`, which is not defined before", label.name));
            }
        }
        Ok(())
    }

    /// Of this sort, and reading only what there is.
    fn fits(&self, term: TermId, sort: &Sort, label: &Label, what: &str, reads: &Reads) -> Result<(), Fault> {
        self.known(term, label, reads)?;
        let found = self.terms.sort(term);
        match found == sort {
            true => Ok(()),
            false => fault(label, format!("the {what} of `{}` is {found}, not {sort}", label.name)),
        }
    }

    fn known(&self, term: TermId, label: &Label, reads: &Reads) -> Result<(), Fault> {
        match reads.unknown[term.index()] {
            None => Ok(()),
            Some(read) => {
                let read = self.variable_name(read);
                fault(label, format!("`{}` reads `{read}`, which the system does not have", label.name))
            }
        }
    }

    pub(crate) fn variable_name(&self, variable: TermId) -> &str {
        match self.terms.node(variable) {
            Node::Variable(name) => name,
            Node::Constant(_) | Node::Apply(..) => unreachable!("only variables are read"),
        }
    }

    fn refuse_cycle(&self, InitCycle(on_circle): InitCycle) -> Result<(), Fault> {
        match on_circle {
            Assignment::State(s) => {
                let label = &self.state(s).label;
                fault(label, format!("the init of `{}` depends on its own value", label.name))
            }
            Assignment::Definition(d) => {
                let label = &self.definitions[d].label;
                fault(label, format!("`{}` is defined by itself", label.name))
            }
        }
    }
}
