//! `check-system`: names for the variables of a system, conditions, and queries that combine them.

use buttress_system::words::Label;
use buttress_term::TermId;
use buttress_term::sexpr::Sexpr;

use super::Reader;
use super::define::{Attributes, Reads, Scope, Variable};
use crate::smtlib::{Wrong, wrong};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Assumption,
    Fairness,
    Reachable,
    Current,
}

const KINDS: [(&str, Kind, Reads); 4] = [
    (":assumption", Kind::Assumption, Reads::Both),
    (":fairness", Kind::Fairness, Reads::Both),
    (":reachable", Kind::Reachable, Reads::Both),
    (":current", Kind::Current, Reads::Now),
];

pub(super) struct Condition {
    pub name: String,
    pub kind: Kind,
    pub term: TermId,
}

pub(super) struct Query {
    pub label: Label,
    /// Its conditions.
    pub of: Vec<usize>,
}

/// A system under the names of a command, and what is asked about it.
pub(super) struct Check {
    pub system: usize,
    pub variables: Vec<Variable>,
    pub conditions: Vec<Condition>,
    pub queries: Vec<Query>,
}

impl Check {
    /// The conditions of a query that are of this kind.
    pub fn of<'a>(&'a self, query: &'a Query, kind: Kind) -> impl Iterator<Item = usize> + 'a {
        query.of.iter().copied().filter(move |&c| self.conditions[c].kind == kind)
    }
}

impl Reader<'_> {
    /// A system that nothing is asked about.
    pub(super) fn unasked(&mut self, system: usize) -> Result<Check, Wrong> {
        let variables = self.renamed(system, &mut Scope::default(), &Attributes::none())?;
        Ok(Check { system, variables, conditions: Vec::new(), queries: Vec::new() })
    }

    pub(super) fn check_system(&mut self, name: &Sexpr, attributes: &[Sexpr]) -> Result<(), Wrong> {
        let Some(&system) = name.atom().and_then(|name| self.names.get(name)) else {
            return wrong(name, format!("there is no system {name}"));
        };
        let once = [":input", ":output", ":local"];
        let repeated = [":assumption", ":fairness", ":reachable", ":current", ":query", ":queries"];
        let attributes = Attributes::new(attributes, &[&once[..], &repeated[..]].concat(), &once)?;
        let mut scope = Scope::default();
        let variables = self.renamed(system, &mut scope, &attributes)?;
        let mut check = Check { system, variables, conditions: Vec::new(), queries: Vec::new() };
        for (key, kind, reads) in KINDS {
            for text in attributes.all(key) {
                self.add_condition(&mut check, text, kind, reads, &scope)?;
            }
        }
        for query in attributes.all(":query") {
            self.add_query(&mut check, query)?;
        }
        for queries in attributes.all(":queries") {
            let Some(all) = queries.list() else {
                return wrong(queries, "a list of queries is expected here");
            };
            if all.len() > 1 && !self.constants.is_empty() {
                let message =
                    "queries that share the values of constants are not taken yet: use `:query` for each";
                return wrong(queries, message);
            }
            all.iter().try_for_each(|query| self.add_query(&mut check, query))?;
        }
        self.checks.push(check);
        Ok(())
    }

    /// The variables of a system, under the names that a command gives them, or else their own.
    fn renamed(
        &mut self,
        system: usize,
        scope: &mut Scope,
        attributes: &Attributes<'_>,
    ) -> Result<Vec<Variable>, Wrong> {
        let defined = &self.systems[system];
        let (inputs, outputs) = (defined.inputs, defined.inputs + defined.outputs);
        let own: Vec<(String, _)> =
            defined.variables.iter().map(|v| (v.name.clone(), self.smt.terms.sort(v.now).clone())).collect();
        let groups =
            [(":input", &own[..inputs]), (":output", &own[inputs..outputs]), (":local", &own[outputs..])];
        let mut variables = Vec::new();
        for (key, own) in groups {
            let Some(list) = attributes.all(key).next() else {
                for (name, sort) in own {
                    let variable = self.fresh(name.clone(), sort);
                    scope.entry(name.clone()).or_insert(variable.now);
                    scope.entry(format!("{name}'")).or_insert(variable.next);
                    variables.push(variable);
                }
                continue;
            };
            let given = self.variables(list)?;
            if given.len() != own.len() {
                return wrong(
                    list,
                    format!("the system has {} variables here, not {}", own.len(), given.len()),
                );
            }
            for ((place, name, sort), (old, expected)) in given.into_iter().zip(own) {
                if sort != *expected {
                    return wrong(place, format!("{name} stands for {old}, which is a {expected}"));
                }
                variables.push(self.variable(scope, place, name, &sort)?);
            }
        }
        Ok(variables)
    }

    fn add_condition(
        &mut self,
        check: &mut Check,
        text: &Sexpr,
        kind: Kind,
        reads: Reads,
        scope: &Scope,
    ) -> Result<(), Wrong> {
        let (name, formula) = match text.list() {
            Some([name, formula]) if name.atom().is_some() => (name.atom().unwrap_or_default(), formula),
            _ => return wrong(text, "a condition is a name and a formula"),
        };
        if check.conditions.iter().any(|c| c.name == name) {
            return wrong(text, format!("there is a condition {name} already"));
        }
        let term = self.formula(formula, scope, reads)?;
        check.conditions.push(Condition { name: name.to_string(), kind, term });
        Ok(())
    }

    /// `(q (a r))`
    fn add_query(&mut self, check: &mut Check, text: &Sexpr) -> Result<(), Wrong> {
        let (name, names) = match text.list() {
            Some([name, names]) if name.atom().is_some() => (name.atom().unwrap_or_default(), names),
            _ => return wrong(text, "a query is a name and a list of conditions"),
        };
        let Some(names) = names.list() else { return wrong(names, "a list of conditions is expected here") };
        if check.queries.iter().any(|query| &*query.label.name == name) {
            return wrong(text, format!("there is a query {name} already"));
        }
        let mut of = Vec::new();
        for condition in names {
            match check.conditions.iter().position(|c| condition.is(&c.name)) {
                Some(index) if !of.contains(&index) => of.push(index),
                Some(_) => {}
                None => return wrong(condition, format!("there is no condition {condition}")),
            }
        }
        let query = Query { label: Label::at(name, self.span(text)), of };
        if check.of(&query, Kind::Current).count() > 1 {
            return wrong(text, "a query has one initial condition");
        }
        check.queries.push(query);
        Ok(())
    }
}
