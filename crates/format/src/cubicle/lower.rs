//! From a Cubicle file to a system with maps. The meaning of each construct is in the head of [`cubicle`](super).

mod formula;
mod transition;

use std::collections::BTreeMap;

use buttress_system::indexed::{Indexed, Processes};
use buttress_system::words::{Input, Label, Named, Property, PropertyKind, Span, State, System};
use buttress_term::{Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

use super::lexer::{At, Wrong, wrong};
use super::syntax::{Cube, Expr, File, Ident, Kind, Predicate, Variable};
use formula::Scope;

/// A type: its sort, and whether its values are processes.
#[derive(Clone, Debug)]
struct Type {
    name: String,
    sort: Sort,
    process: bool,
}

/// A variable or an array.
#[derive(Clone, Debug)]
struct Symbol {
    variable: TermId,
    arguments: usize,
    result: Type,
    constant: bool,
}

/// The system so far and the names that formulas may use.
struct Lowering<'a> {
    terms: Terms,
    types: FxHashMap<&'a str, Type>,
    constructors: FxHashMap<&'a str, TermId>,
    /// In the order of the file.
    names: Vec<&'a str>,
    symbols: FxHashMap<&'a str, Symbol>,
    predicates: FxHashMap<&'a str, &'a Predicate>,
    /// N.
    size: TermId,
    /// z1, z2, …
    indices: Vec<TermId>,
    /// Inputs that stand for `?`, by variable.
    choices: BTreeMap<String, TermId>,
    constraints: Vec<Named>,
    axioms: Vec<Named>,
}

pub fn lower(file: &File) -> Result<Indexed, Wrong> {
    let mut lowering = Lowering::new(file)?;
    let transitions = lowering.transitions(file)?;
    let (starts, first) = lowering.starts(file)?;
    let properties = lowering.properties(file)?;
    let mut hints = Vec::new();
    for hint in &file.hints {
        hints.extend(lowering.cubes(hint)?);
    }
    lowering.ranges();
    Ok(lowering.finish(transitions, starts, first, properties, hints))
}

fn span(at: At) -> Span {
    Span { line: at.line, column: at.column, end_line: at.line, end_column: at.column + at.length }
}

/// Declares a name; a second declaration is an error.
fn once<'a, T>(map: &mut FxHashMap<&'a str, T>, ident: &'a Ident, value: T) -> Result<(), Wrong> {
    match map.insert(&ident.name, value) {
        None => Ok(()),
        Some(_) => wrong(ident.at, format!("`{}` is declared already", ident.name)),
    }
}

impl<'a> Lowering<'a> {
    fn new(file: &'a File) -> Result<Lowering<'a>, Wrong> {
        let mut terms = Terms::new();
        let taken = |name: &str| file.variables.iter().any(|v| v.name.name == name);
        let size = terms.variable(if taken("N") { "N_processes" } else { "N" }, Sort::Int);
        let mut lowering = Lowering {
            terms,
            types: builtin(),
            constructors: FxHashMap::default(),
            names: Vec::new(),
            symbols: FxHashMap::default(),
            predicates: FxHashMap::default(),
            size,
            indices: Vec::new(),
            choices: BTreeMap::new(),
            constraints: Vec::new(),
            axioms: Vec::new(),
        };
        lowering.declare_types(file)?;
        for variable in &file.variables {
            lowering.declare(variable)?;
        }
        for predicate in &file.predicates {
            once(&mut lowering.predicates, &predicate.name, predicate)?;
        }
        lowering.positive();
        Ok(lowering)
    }

    /// N > 0
    fn positive(&mut self) {
        let zero = self.terms.int(0);
        let term = self.terms.app(Op::Lt, &[zero, self.size]);
        self.constraints.push(Named { term, label: Label::new("there is a process") });
    }

    fn declare_types(&mut self, file: &'a File) -> Result<(), Wrong> {
        for defined in &file.types {
            let name = defined.name.name.clone();
            // Without constructors: as many values as there are numbers, which are only compared.
            let sort = match defined.constructors.is_empty() {
                true => Sort::Int,
                false => Sort::enumeration(&name, defined.constructors.iter().map(|c| &c.name)),
            };
            for (index, constructor) in defined.constructors.iter().enumerate() {
                let constant = self.terms.enum_constant(&sort, index as u32);
                once(&mut self.constructors, constructor, constant)?;
            }
            once(&mut self.types, &defined.name, Type { name, sort, process: false })?;
        }
        Ok(())
    }

    fn declare(&mut self, variable: &'a Variable) -> Result<(), Wrong> {
        let Variable { name, arguments, result, constant } = variable;
        let Some(result) = self.types.get(result.name.as_str()).cloned() else {
            return wrong(result.at, format!("there is no type `{}`", result.name));
        };
        let sort = Sort::map(&vec![Sort::Int; *arguments], result.sort.clone());
        let variable = self.terms.variable(name.name.as_str(), sort);
        let symbol = Symbol { variable, arguments: *arguments, result, constant: *constant };
        self.names.push(&name.name);
        once(&mut self.symbols, name, symbol)
    }

    /// 0 ≤ i < N
    fn is_process(&mut self, i: TermId) -> TermId {
        let zero = self.terms.int(0);
        let low = self.terms.app(Op::Le, &[zero, i]);
        let high = self.terms.app(Op::Lt, &[i, self.size]);
        self.terms.and(low, high)
    }

    /// All of these are processes, and no two are one.
    fn distinct_processes(&mut self, all: &[TermId]) -> Vec<TermId> {
        let mut facts: Vec<TermId> = all.iter().map(|&i| self.is_process(i)).collect();
        for (place, &a) in all.iter().enumerate() {
            for &b in &all[..place] {
                let same = self.terms.eq(b, a);
                facts.push(self.terms.not(same));
            }
        }
        facts
    }

    /// The first so many index symbols.
    fn index_symbols(&mut self, count: usize) -> Vec<TermId> {
        while self.indices.len() < count {
            let name = format!("z{}", self.indices.len() + 1);
            self.indices.push(self.terms.variable(name, Sort::Int));
        }
        self.indices[..count].to_vec()
    }

    /// The cubes of `unsafe`, `invariant` and `candidate`: one for each way to choose among alternatives with a
    /// quantifier of their own.
    fn cubes(&mut self, cube: &Cube) -> Result<Vec<TermId>, Wrong> {
        let mut scope = Scope::default();
        let processes = self.index_symbols(cube.parameters.len());
        scope.bind(&cube.parameters, &processes);
        let (body, count) = self.existential(&cube.body, &scope, cube.parameters.len())?;
        let all = self.index_symbols(count);
        let mut facts = self.distinct_processes(&all);
        facts.push(body);
        Ok(vec![self.terms.all(&facts)])
    }

    fn properties(&mut self, file: &File) -> Result<Vec<Property>, Wrong> {
        let mut properties = Vec::new();
        for (number, cube) in file.unsafe_states.iter().enumerate() {
            let label = Label::at(format!("unsafe_{}", number + 1), span(cube.at));
            for bad in self.cubes(cube)? {
                properties.push(Property { bad, kind: PropertyKind::Invariant, label: label.clone() });
            }
        }
        Ok(properties)
    }

    /// Initial values, and whether more than values is said about the start.
    fn starts(&mut self, file: &File) -> Result<(FxHashMap<TermId, TermId>, Option<TermId>), Wrong> {
        let Some(init) = &file.init else { return Ok((FxHashMap::default(), None)) };
        let (mut starts, mut rest) = (FxHashMap::default(), Vec::new());
        let mut parts = Vec::new();
        conjuncts(&init.body, &mut parts);
        for part in parts {
            match self.equation(part, &init.parameters)? {
                Some((variable, value)) if !starts.contains_key(&variable) => {
                    starts.insert(variable, value);
                }
                _ => rest.push(part),
            }
        }
        if rest.is_empty() {
            return Ok((starts, None));
        }
        let first = self.terms.variable("start", Sort::Bool);
        for part in rest {
            self.say_of_start(first, part, &init.parameters)?;
        }
        Ok((starts, Some(first)))
    }

    /// start ⇒ part
    fn say_of_start(&mut self, first: TermId, part: &Expr, parameters: &[Ident]) -> Result<(), Wrong> {
        let processes = self.index_symbols(parameters.len());
        let mut scope = Scope::default();
        scope.bind(parameters, &processes);
        let said = self.formula(part, &scope)?;
        let read = self.terms.free_variables([said]);
        let universal: Vec<TermId> = processes.into_iter().filter(|p| read.contains(p)).collect();
        let mut given = vec![first];
        for &process in &universal {
            given.push(self.is_process(process));
        }
        let given = self.terms.all(&given);
        let named = Named { term: self.terms.implies(given, said), label: Label::at("init", span(part.at)) };
        match universal.is_empty() {
            true => self.constraints.push(named),
            false => self.axioms.push(named),
        }
        Ok(())
    }

    /// `A[x] = value`, as a start of A, if this is one and the value reads no state.
    fn equation(&mut self, part: &Expr, parameters: &[Ident]) -> Result<Option<(TermId, TermId)>, Wrong> {
        let Kind::Binary("=", left, right) = &part.kind else { return Ok(None) };
        let (target, places) = match &left.kind {
            Kind::Name(name) => (name, Vec::new()),
            Kind::Access(name, places) => (&name.name, places.clone()),
            _ => return Ok(None),
        };
        let distinct = places.iter().enumerate().all(|(n, p)| places[..n].iter().all(|q| q.name != p.name));
        let bound = places.iter().all(|p| parameters.iter().any(|q| q.name == p.name));
        let Some(symbol) = self.symbols.get(target.as_str()).cloned() else { return Ok(None) };
        if !distinct || !bound || symbol.arguments != places.len() {
            return Ok(None);
        }
        let arguments: Vec<TermId> =
            places.iter().map(|p| self.terms.variable(p.name.as_str(), Sort::Int)).collect();
        let mut scope = Scope::default();
        scope.bind(&places, &arguments);
        let Ok(value) = self.value(right, &scope, &symbol.result) else { return Ok(None) };
        if self.terms.free_variables([value]).iter().any(|v| !arguments.contains(v)) {
            return Ok(None);
        }
        let value = arguments.iter().rev().fold(value, |body, &a| self.terms.lambda(a, body));
        Ok(Some((symbol.variable, value)))
    }

    /// Values of type `proc` are processes, in every state: at the start by definition, later by typing.
    fn ranges(&mut self) {
        for name in self.names.clone() {
            let symbol = self.symbols[name].clone();
            if symbol.result.process {
                self.range(name, symbol.variable, symbol.arguments);
            }
        }
        for (name, variable) in self.choices.clone() {
            let symbol = &self.symbols[name.as_str()];
            if symbol.result.process {
                let arguments = symbol.arguments;
                self.range(&name, variable, arguments);
            }
        }
    }

    fn range(&mut self, name: &str, variable: TermId, arguments: usize) {
        let places = self.index_symbols(arguments);
        let given: Vec<TermId> = places.iter().map(|&p| self.is_process(p)).collect();
        let value = self.terms.call(variable, &places).expect("an array takes processes");
        let holds = self.is_process(value);
        let label = Label::new(format!("{name} is a process"));
        if arguments == 0 {
            self.constraints.push(Named { term: holds, label });
        } else {
            let given = self.terms.all(&given);
            let term = self.terms.implies(given, holds);
            self.axioms.push(Named { term, label });
        }
    }

    fn finish(
        mut self,
        transitions: transition::Transitions,
        starts: FxHashMap<TermId, TermId>,
        first: Option<TermId>,
        properties: Vec<Property>,
        hints: Vec<TermId>,
    ) -> Indexed {
        let parameter = |variable: TermId, name: &str| State {
            variable,
            init: None,
            next: Some(variable),
            label: Label::new(name),
        };
        let mut states = vec![parameter(self.size, "N")];
        if let Some(first) = first {
            let (init, next) = (Some(self.terms.bool(true)), Some(self.terms.bool(false)));
            states.push(State { variable: first, init, next, label: Label::new("start") });
        }
        for name in &self.names {
            let symbol = &self.symbols[name];
            let init = starts.get(&symbol.variable).copied();
            let next = Some(transitions.next.get(&symbol.variable).copied().unwrap_or(symbol.variable));
            states.push(State { variable: symbol.variable, init, next, label: Label::new(*name) });
        }
        let mut inputs = transitions.inputs;
        let of_processes = |(name, _): &(&String, &TermId)| {
            let symbol = &self.symbols[name.as_str()];
            symbol.result.process && symbol.arguments == 0
        };
        let chosen = self.choices.iter().filter(of_processes).map(|(_, variable)| *variable);
        let parameters = inputs[1..].iter().map(|i| i.variable);
        let processes = Processes { size: self.size, inputs: parameters.chain(chosen).collect() };
        let choice =
            |(name, variable): (String, TermId)| Input { variable, label: Label::new(format!("any_{name}")) };
        inputs.extend(self.choices.into_iter().map(choice));
        for (place, &variable) in self.indices.iter().enumerate() {
            inputs.push(Input { variable, label: Label::new(format!("z{}", place + 1)) });
        }
        let system = System {
            terms: self.terms,
            inputs,
            states,
            definitions: Vec::new(),
            observables: Vec::new(),
            constraints: self.constraints,
            properties,
        };
        Indexed {
            system,
            indices: self.indices,
            predicates: Vec::new(),
            axioms: self.axioms,
            instantiations: Vec::new(),
            processes: Some(processes),
            hints,
        }
    }
}

fn builtin() -> FxHashMap<&'static str, Type> {
    let named = |name: &'static str, sort: Sort| {
        (name, Type { name: name.to_string(), sort, process: name == "proc" })
    };
    [named("proc", Sort::Int), named("bool", Sort::Bool), named("int", Sort::Int), named("real", Sort::Real)]
        .into_iter()
        .collect()
}

/// The parts of a conjunction.
fn conjuncts<'a>(expr: &'a Expr, parts: &mut Vec<&'a Expr>) {
    match &expr.kind {
        Kind::Binary("&&", left, right) => {
            conjuncts(left, parts);
            conjuncts(right, parts);
        }
        _ => parts.push(expr),
    }
}
