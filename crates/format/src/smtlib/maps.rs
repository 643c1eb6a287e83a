//! Maps: the sorts `(-> Int Int)` of SMT-LIB 2.7, lambda and applications `(F x)`, `(_ F x)`; and enumerations.

use buttress_term::sexpr::Sexpr;
use buttress_term::{Sort, TermId};
use rustc_hash::FxHashMap;

use super::{Smtlib, Wrong, wrong};

type Local = FxHashMap<String, TermId>;

impl Smtlib {
    pub fn map_sort(&mut self, arguments: &[Sexpr], result: &Sexpr) -> Result<Sort, Wrong> {
        self.maps = true;
        self.function_sort(arguments, result)
    }

    pub fn function_sort(&mut self, arguments: &[Sexpr], result: &Sexpr) -> Result<Sort, Wrong> {
        let mut sorts = Vec::new();
        for argument in arguments {
            let sort = self.sort(argument)?;
            if sort.as_array().is_some() {
                return wrong(argument, "an argument cannot be a map itself");
            }
            sorts.push(sort);
        }
        Ok(Sort::map(&sorts, self.sort(result)?))
    }

    /// `(declare-datatypes ((State 0)) (((Invalid) (Shared))))`, or one of them by `declare-datatype`.
    pub fn declare_enumerations(&mut self, command: &Sexpr) -> Result<(), Wrong> {
        let what = "an enumeration is declared by names without arguments";
        match command.call() {
            Some(("declare-datatype", [name, constants])) => self.declare_enumeration(name, constants),
            Some((_, [names, bodies])) => {
                let (names, bodies) = (names.list().unwrap_or_default(), bodies.list().unwrap_or_default());
                if names.is_empty() || names.len() != bodies.len() {
                    return wrong(command, what);
                }
                names.iter().zip(bodies).try_for_each(|(name, constants)| match name.list() {
                    Some([name, zero]) if zero.is("0") => self.declare_enumeration(name, constants),
                    _ => wrong(name, what),
                })
            }
            _ => wrong(command, what),
        }
    }

    pub fn declare_enumeration(&mut self, name: &Sexpr, constants: &Sexpr) -> Result<(), Wrong> {
        let constant = |c: &Sexpr| match (c.atom(), c.list()) {
            (Some(name), _) => Some(name.to_string()),
            (_, Some([name])) => name.atom().map(str::to_string),
            _ => None,
        };
        let named: Option<Vec<String>> = constants.list().unwrap_or_default().iter().map(constant).collect();
        let (Some(text), Some(named)) = (name.atom(), named.filter(|n| !n.is_empty())) else {
            return wrong(
                constants,
                "only enumerations are taken: data types whose constructors have no arguments",
            );
        };
        let sort = Sort::enumeration(text, named.iter().cloned());
        for (index, constant) in named.iter().enumerate() {
            let term = self.terms.enum_constant(&sort, index as u32);
            if self.names.insert(constant.clone(), term).is_some() {
                return wrong(constants, format!("{constant} is declared already"));
            }
        }
        self.sorts.insert(text.to_string(), sort);
        Ok(())
    }

    /// `(lambda ((u Int) (v Int)) e)`
    pub(super) fn lambda(
        &mut self,
        text: &Sexpr,
        rest: &[Sexpr],
        local: &Local,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        self.maps = true;
        let [parameters, body] = rest else { return wrong(text, "lambda has parameters and a body") };
        let (mut inner, mut bound) = (local.clone(), Vec::new());
        for parameter in parameters.list().unwrap_or_default() {
            let Some([name, sort]) = parameter.list() else {
                return wrong(parameter, "a parameter is a name and a sort");
            };
            let Some(name) = name.atom() else { return wrong(name, "a name is expected here") };
            let sort = self.sort(sort)?;
            if sort.as_array().is_some() {
                return wrong(parameter, "an argument cannot be a map itself");
            }
            let variable = self.terms.variable(name, sort);
            inner.insert(name.to_string(), variable);
            bound.push(variable);
        }
        if bound.is_empty() {
            return wrong(parameters, "lambda has a parameter");
        }
        let body = self.term(body, &inner, depth + 1)?;
        Ok(bound.iter().rev().fold(body, |body, &variable| self.terms.lambda(variable, body)))
    }

    pub(super) fn is_map(&self, head: &Sexpr, local: &Local) -> bool {
        let named = head.atom().and_then(|name| local.get(name).or_else(|| self.names.get(name)));
        named.is_some_and(|&t| self.terms.sort(t).as_array().is_some())
    }

    /// `(F x y)`
    pub(super) fn call(
        &mut self,
        text: &Sexpr,
        map: &Sexpr,
        arguments: &[Sexpr],
        local: &Local,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        let map_term = self.term(map, local, depth + 1)?;
        let arguments = self.terms_of(arguments, local, depth)?;
        match self.terms.call(map_term, &arguments) {
            Ok(term) => Ok(term),
            Err(_) => wrong(text, format!("{map} is of sort {}", self.terms.sort(map_term))),
        }
    }
}
