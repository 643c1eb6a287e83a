//! Transitions: guards as constraints and axioms, updates as next values.

use buttress_system::words::{Input, Label, Named};
use buttress_term::{Sort, TermId};
use rustc_hash::FxHashMap;

use super::super::lexer::{Wrong, wrong};
use super::super::syntax::{Assigned, Expr, File, Ident, Kind, Quantifier, Transition, Update};
use super::formula::Scope;
use super::{Lowering, Symbol, conjuncts, span};

/// The inputs and next values of all transitions together.
pub struct Transitions {
    pub inputs: Vec<Input>,
    /// Next values of what some transition changes.
    pub next: FxHashMap<TermId, TermId>,
}

impl Lowering<'_> {
    pub fn transitions(&mut self, file: &File) -> Result<Transitions, Wrong> {
        let sort = Sort::enumeration("rule", rule_names(file));
        let rule = self.terms.variable("rule", sort.clone());
        let most = file.transitions.iter().map(|t| t.parameters.len()).max().unwrap_or(0);
        let parameters: Vec<TermId> =
            (1..=most).map(|n| self.terms.variable(format!("p{n}"), Sort::Int)).collect();
        let mut next: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (number, transition) in file.transitions.iter().enumerate() {
            let chosen = self.terms.enum_constant(&sort, number as u32 + 1);
            let chosen = self.terms.eq(rule, chosen);
            let processes = &parameters[..transition.parameters.len()];
            let mut scope = Scope::default();
            scope.bind(&transition.parameters, processes);
            self.guard(transition, chosen, processes, &scope)?;
            let mut targets: Vec<&str> = Vec::new();
            for update in &transition.updates {
                if targets.contains(&update.target.name.as_str()) {
                    let name = &update.target.name;
                    return wrong(update.target.at, format!("`{name}` is assigned already"));
                }
                targets.push(&update.target.name);
                let (variable, value) = self.update(update, &scope)?;
                let before = next.get(&variable).copied().unwrap_or(variable);
                next.insert(variable, self.chosen_map(chosen, value, before));
            }
        }
        let mut inputs = vec![Input { variable: rule, label: Label::new("rule") }];
        let input =
            |(n, &variable): (usize, &TermId)| Input { variable, label: Label::new(format!("p{}", n + 1)) };
        inputs.extend(parameters.iter().enumerate().map(input));
        Ok(Transitions { inputs, next })
    }

    /// `if chosen then value else before`
    fn chosen_map(&mut self, chosen: TermId, value: TermId, before: TermId) -> TermId {
        self.terms.ite(chosen, value, before)
    }

    /// chosen ⇒ the parameters are distinct processes and the guard holds; what it says of all others is an axiom.
    fn guard(
        &mut self,
        transition: &Transition,
        chosen: TermId,
        processes: &[TermId],
        scope: &Scope,
    ) -> Result<(), Wrong> {
        let mut facts = self.distinct_processes(processes);
        let mut parts = Vec::new();
        transition.requires.iter().for_each(|requires| conjuncts(requires, &mut parts));
        for part in parts {
            match &part.kind {
                Kind::Quantified(Quantifier::ForallOther, names, body) => {
                    self.universal(transition, chosen, processes, (names, body), scope)?;
                }
                Kind::Quantified(..) => {
                    return wrong(part.at, "of quantifiers a guard has `forall_other` only");
                }
                _ => facts.push(self.formula(part, scope)?),
            }
        }
        if !facts.is_empty() {
            let guard = self.terms.all(&facts);
            let label = Label::at(transition.name.name.as_str(), span(transition.name.at));
            self.constraints.push(Named { term: self.terms.implies(chosen, guard), label });
        }
        Ok(())
    }

    /// chosen ∧ z is another process ⇒ body. A second quantifier within is a guard of its own, for the same
    /// others.
    fn universal(
        &mut self,
        transition: &Transition,
        chosen: TermId,
        processes: &[TermId],
        (names, body): (&[Ident], &Expr),
        scope: &Scope,
    ) -> Result<(), Wrong> {
        let others = self.index_symbols(names.len());
        let mut inner = scope.clone();
        inner.bind(names, &others);
        let all: Vec<TermId> = processes.iter().chain(&others).copied().collect();
        let mut parts = Vec::new();
        conjuncts(body, &mut parts);
        let mut said = Vec::new();
        for part in parts {
            match &part.kind {
                Kind::Quantified(Quantifier::ForallOther, names, body) => {
                    self.universal(transition, chosen, processes, (names, body), scope)?;
                }
                _ => said.push(self.formula(part, &inner)?),
            }
        }
        let said = self.terms.all(&said);
        let mut given = self.distinct_processes(&all);
        given.push(chosen);
        let given = self.terms.all(&given);
        let label = Label::at(transition.name.name.as_str(), span(transition.name.at));
        self.axioms.push(Named { term: self.terms.implies(given, said), label });
        Ok(())
    }

    /// The variable and its value after the step.
    fn update(&mut self, update: &Update, scope: &Scope) -> Result<(TermId, TermId), Wrong> {
        let Update { target, places, value } = update;
        let Some(symbol) = self.symbols.get(target.name.as_str()).cloned() else {
            return wrong(target.at, format!("`{}` is not declared", target.name));
        };
        if symbol.constant {
            return wrong(target.at, format!("`{}` is a constant", target.name));
        }
        if symbol.arguments != places.len() {
            let wanted = symbol.arguments;
            return wrong(target.at, format!("`{}` takes {wanted} processes", target.name));
        }
        match value {
            Assigned::Expr(value) => self.write(&symbol, update, value, scope),
            Assigned::Case(cases) => self.cases(&symbol, update, cases, scope),
        }
    }

    /// `A[x, y] := value`, for parameters x and y.
    fn write(
        &mut self,
        symbol: &Symbol,
        update: &Update,
        value: &Expr,
        scope: &Scope,
    ) -> Result<(TermId, TermId), Wrong> {
        let places = self.places(&update.target, &update.places, scope)?;
        let value = self.assigned(symbol, update, value, scope, &places)?;
        if places.is_empty() {
            return Ok((symbol.variable, value));
        }
        let here: Vec<TermId> = places.iter().map(|_| self.terms.variable("j", Sort::Int)).collect();
        let same: Vec<TermId> = here.iter().zip(&places).map(|(&h, &p)| self.terms.eq(h, p)).collect();
        let same = self.terms.all(&same);
        let before = self.terms.call(symbol.variable, &here).expect("an array takes processes");
        let body = self.terms.ite(same, value, before);
        Ok((symbol.variable, self.lambda(&here, body)))
    }

    /// `A[i, j] := case | …`, for all i and j.
    fn cases(
        &mut self,
        symbol: &Symbol,
        update: &Update,
        cases: &[(Option<Expr>, Expr)],
        scope: &Scope,
    ) -> Result<(TermId, TermId), Wrong> {
        if let Some(taken) = update.places.iter().find(|p| scope.contains(&p.name)) {
            return wrong(taken.at, format!("`{}` is a parameter already", taken.name));
        }
        let here: Vec<TermId> =
            update.places.iter().map(|p| self.terms.variable(p.name.as_str(), Sort::Int)).collect();
        let mut inner = scope.clone();
        inner.bind(&update.places, &here);
        let mut body: Option<TermId> = None;
        for (condition, value) in cases.iter().rev() {
            let value = self.assigned(symbol, update, value, &inner, &here)?;
            body = match (condition, body) {
                (Some(condition), Some(otherwise)) => {
                    let condition = self.formula(condition, &inner)?;
                    Some(self.terms.ite(condition, value, otherwise))
                }
                _ => Some(value),
            };
        }
        let body = body.expect("a case distinction has a last case");
        Ok((symbol.variable, self.lambda(&here, body)))
    }

    fn lambda(&mut self, parameters: &[TermId], body: TermId) -> TermId {
        parameters.iter().rev().fold(body, |body, &p| self.terms.lambda(p, body))
    }

    /// A value, or any: an input for each variable, a map for an array.
    fn assigned(
        &mut self,
        symbol: &Symbol,
        update: &Update,
        value: &Expr,
        scope: &Scope,
        places: &[TermId],
    ) -> Result<TermId, Wrong> {
        if !matches!(value.kind, Kind::Any) {
            return self.value(value, scope, &symbol.result);
        }
        let name = &update.target.name;
        let any = match self.choices.get(name) {
            Some(&any) => any,
            None => {
                let sort = self.terms.sort(symbol.variable).clone();
                let any = self.terms.variable(format!("any_{name}"), sort);
                self.choices.insert(name.clone(), any);
                any
            }
        };
        Ok(self.terms.call(any, places).expect("an array takes processes"))
    }
}

/// `idle` and the transitions; a name that occurs twice gets a number.
fn rule_names(file: &File) -> Vec<String> {
    let mut names = vec!["idle".to_string()];
    for transition in &file.transitions {
        let (name, mut candidate, mut number) = (&transition.name.name, transition.name.name.clone(), 1);
        while names.contains(&candidate) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        names.push(candidate);
    }
    names
}
