//! Pre-images of cubes (Ghilardi & Ranise, "Backward reachability of array-based systems by SMT solving", LMCS
//! 2010).
//!
//! Pre(∃z. c) under a rule with parameters p is ∃z ∃p. guard(p) ∧ c[δ(p)]. Each parameter is one of the processes
//! of the cube or a new one, so that every test i = j between processes is decided, and what remains is a few
//! literals. A guard about all processes is taken for those that are named: more states than there are, never
//! fewer. So is what is left where an input without an equation is dropped.

use std::rc::Rc;

use buttress_solve::Stop;
use buttress_system::indexed::{Indexed, Processes};
use buttress_term::{Node, Op, Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cubes::{Cube, Literals, as_literal, expand};
use crate::problem::Problem;
use crate::simplify::simplify;
use crate::skeleton::lift;

/// Cubes of one pre-image, at most.
const CUBES: usize = 4096;

/// A step, with who takes it.
struct Rule {
    name: String,
    /// Which step of the problem it is.
    number: usize,
    /// Inputs that are processes.
    parameters: Vec<TermId>,
    guard: Vec<TermId>,
    /// Guards over all processes, in terms of index symbols.
    universal: Vec<TermId>,
    after: FxHashMap<TermId, TermId>,
}

/// A cube, and what its processes were before it got its own names.
pub struct RenamedCube {
    pub cube: Cube,
    pub origins: Vec<TermId>,
}

/// More cubes than [`CUBES`] in one pre-image, or a stop that was asked for in it.
pub struct TooMany;

/// A cube of certain processes.
pub struct Placed {
    pub processes: Vec<TermId>,
    pub literals: Vec<TermId>,
}

/// The steps of a system, backwards.
pub struct Steps<'a> {
    pub model: &'a Indexed,
    pub terms: Terms,
    pub size: TermId,
    /// z1, z2, …: the index symbols of the model and more.
    pub processes: Vec<TermId>,
    /// z ≠ z′, 0 ≤ z, z < N, z ≤ z′ as z < z′: what is known of atoms about processes.
    decided: FxHashMap<TermId, TermId>,
    rules: Vec<Rule>,
    /// Without index symbols.
    inputs: FxHashSet<TermId>,
    start: FxHashMap<TermId, TermId>,
    /// The constraints and axioms in the initial states.
    start_facts: Vec<TermId>,
    /// Literals after a rule, before its parameters are put in.
    known: FxHashMap<(TermId, usize), TermId>,
    instances: FxHashMap<(Cube, usize), Rc<Vec<Placed>>>,
    stop: Stop,
}

impl<'a> Steps<'a> {
    /// `None` where the places of the model are not processes.
    pub fn new(problem: &Problem<'a>, stop: &Stop) -> Option<Steps<'a>> {
        let model = problem.model;
        let Processes { size, inputs } = model.processes.as_ref()?;
        let mut terms = problem.terms.clone();
        let mut rules = Vec::new();
        for (number, step) in problem.steps.iter().enumerate() {
            let roots = step.guard.iter().chain(&step.universal).chain(step.after.values()).copied();
            let read = terms.free_variables(roots);
            rules.push(Rule {
                name: step.name.clone(),
                number,
                parameters: inputs.iter().copied().filter(|i| read.contains(i)).collect(),
                guard: step.guard.clone(),
                universal: step.universal.clone(),
                after: step.after.clone(),
            });
        }
        rules.retain(|rule| {
            model.system.states.iter().any(|s| rule.after.get(&s.variable) != Some(&s.variable))
        });
        let start = problem.start.after.clone();
        let mut start_facts = problem.start.facts.clone();
        for axiom in &model.axioms {
            let fact = terms.replace(axiom.term, &start);
            start_facts.push(simplify(&mut terms, fact));
        }
        let mut steps = Steps {
            model,
            terms,
            size: *size,
            processes: model.indices.clone(),
            decided: FxHashMap::default(),
            rules,
            inputs: model.system.inputs.iter().map(|i| i.variable).filter(|&i| !model.is_index(i)).collect(),
            start,
            start_facts,
            known: FxHashMap::default(),
            instances: FxHashMap::default(),
            stop: stop.clone(),
        };
        steps.decide();
        Some(steps)
    }

    pub fn rules(&self) -> usize {
        self.rules.len()
    }

    /// The name of a rule, and its step of the problem.
    pub fn rule(&self, rule: usize) -> (&str, usize) {
        (&self.rules[rule].name, self.rules[rule].number)
    }

    /// z1, …, zk.
    pub fn processes(&mut self, count: usize) -> Vec<TermId> {
        while self.processes.len() < count {
            let name = format!("z{}", self.processes.len() + 1);
            self.processes.push(self.terms.variable(name, Sort::Int));
            self.decide();
        }
        self.processes[..count].to_vec()
    }

    /// Decides the atoms about processes as such: their range and their order.
    fn decide(&mut self) {
        let (yes, no, zero) = (self.terms.bool(true), self.terms.bool(false), self.terms.int(0));
        for place in 0..self.processes.len() {
            let process = self.processes[place];
            let low = self.terms.app(Op::Le, &[zero, process]);
            let high = self.terms.app(Op::Lt, &[process, self.size]);
            self.decided.extend([(low, yes), (high, yes)]);
            for other in 0..place {
                let other = self.processes[other];
                for (a, b) in [(process, other), (other, process)] {
                    let (same, less) = (self.terms.eq(a, b), self.terms.app(Op::Lt, &[a, b]));
                    let at_most = self.terms.app(Op::Le, &[a, b]);
                    self.decided.extend([(same, no), (at_most, less)]);
                }
            }
        }
    }

    /// A formula about named processes, with what is known of them.
    fn settled(&mut self, formula: TermId) -> TermId {
        let formula = self.terms.reduce(formula);
        let formula = self.terms.substitute(&[formula], &self.decided)[0];
        simplify(&mut self.terms, formula)
    }

    /// The literals of a cube as one formula; processes are distinct and below N.
    pub fn formula(&mut self, cube: &Cube) -> TermId {
        let processes = self.processes(cube.processes);
        let mut parts = self.distinct(&processes);
        parts.extend(&cube.literals);
        self.terms.all(&parts)
    }

    /// These are processes, and no two are one.
    pub fn distinct(&mut self, processes: &[TermId]) -> Vec<TermId> {
        let zero = self.terms.int(0);
        let mut facts = Vec::new();
        for (place, &process) in processes.iter().enumerate() {
            facts.push(self.terms.app(Op::Le, &[zero, process]));
            facts.push(self.terms.app(Op::Lt, &[process, self.size]));
            for &other in &processes[..place] {
                let same = self.terms.eq(process, other);
                facts.push(self.terms.not(same));
            }
        }
        facts
    }

    /// The cubes of a formula over states and the first index symbols.
    pub fn cubes(&mut self, formula: TermId) -> Result<Vec<RenamedCube>, TooMany> {
        let formula = self.settled(formula);
        self.expanded(&[formula])
    }

    /// The predecessors of a cube by a rule.
    pub fn before(&mut self, cube: &Cube, rule: usize) -> Result<Vec<RenamedCube>, TooMany> {
        let mut after = Vec::new();
        for &literal in &cube.literals {
            after.push(self.after(literal, rule));
        }
        if after == cube.literals {
            return Ok(Vec::new());
        }
        let parameters = self.rules[rule].parameters.clone();
        let mut found = Vec::new();
        for choice in choices(parameters.len(), cube.processes) {
            if self.stop.check().is_err() {
                return Err(TooMany);
            }
            let count = choice.iter().map(|c| c + 1).max().unwrap_or(0).max(cube.processes);
            let processes = self.processes(count);
            let by: FxHashMap<TermId, TermId> =
                parameters.iter().zip(&choice).map(|(&p, &c)| (p, processes[c])).collect();
            let Some(formulas) = self.conjuncts(&after, rule, &by, count) else { continue };
            let back: FxHashMap<TermId, TermId> = by
                .iter()
                .filter(|(_, z)| !processes[..cube.processes].contains(z))
                .map(|(&p, &z)| (z, p))
                .collect();
            for mut one in self.expanded(&formulas)? {
                for origin in &mut one.origins {
                    *origin = back.get(origin).copied().unwrap_or(*origin);
                }
                found.push(one);
            }
        }
        Ok(found)
    }

    fn after(&mut self, literal: TermId, rule: usize) -> TermId {
        if let Some(&known) = self.known.get(&(literal, rule)) {
            return known;
        }
        let after = self.terms.replace(literal, &self.rules[rule].after);
        let after = self.terms.reduce(after);
        self.known.insert((literal, rule), after);
        after
    }

    /// guard ∧ c[δ], with processes for the parameters; `None` where it is false.
    fn conjuncts(
        &mut self,
        after: &[TermId],
        rule: usize,
        by: &FxHashMap<TermId, TermId>,
        count: usize,
    ) -> Option<Vec<TermId>> {
        let mut formulas = Vec::new();
        let no = self.terms.bool(false);
        for formula in self.rules[rule].guard.iter().chain(after).copied().collect::<Vec<_>>() {
            let formula = self.terms.replace(formula, by);
            formulas.push(self.settled(formula));
            if formulas.last() == Some(&no) {
                return None;
            }
        }
        for formula in self.rules[rule].universal.clone() {
            for instance in self.everywhere(formula, count) {
                let formula = self.terms.replace(instance, by);
                formulas.push(self.settled(formula));
            }
        }
        (!formulas.contains(&no)).then_some(formulas)
    }

    /// A formula with its index symbols replaced by the first processes, in all ways.
    fn everywhere(&mut self, formula: TermId, count: usize) -> Vec<TermId> {
        let processes = self.processes(count);
        let read = self.terms.free_variables([formula]);
        let own: Vec<TermId> = self.model.indices.iter().copied().filter(|i| read.contains(i)).collect();
        let mut rows: Vec<Vec<TermId>> = vec![Vec::new()];
        for _ in &own {
            let longer = |row: &Vec<TermId>| {
                let row = row.clone();
                processes.iter().map(move |&p| row.iter().copied().chain([p]).collect())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        let instance = |row: &Vec<TermId>| {
            let by = own.iter().copied().zip(row.iter().copied()).collect();
            self.terms.replace(formula, &by)
        };
        rows.iter().map(instance).collect()
    }

    fn expanded(&mut self, formulas: &[TermId]) -> Result<Vec<RenamedCube>, TooMany> {
        let mut lifted = FxHashMap::default();
        let formulas: Vec<TermId> = formulas.iter().map(|&f| lift(&mut self.terms, f, &mut lifted)).collect();
        let formulas: Vec<TermId> = formulas.iter().map(|&f| self.settled(f)).collect();
        let cubes = expand(&mut self.terms, &formulas, CUBES, &self.stop).ok_or(TooMany)?;
        Ok(cubes.into_iter().filter_map(|literals| self.named(literals)).collect())
    }

    /// Without inputs, and with processes named from z1 on.
    fn named(&mut self, literals: Literals) -> Option<RenamedCube> {
        let literals = self.without_inputs(literals.list())?;
        let read = self.terms.free_variables(literals.iter().copied());
        let origins: Vec<TermId> = self.processes.iter().copied().filter(|p| read.contains(p)).collect();
        let processes = self.processes(origins.len());
        let by: FxHashMap<TermId, TermId> = origins.iter().copied().zip(processes).collect();
        let renamed: Vec<TermId> = literals.iter().map(|&l| self.terms.replace(l, &by)).collect();
        let renamed: Vec<TermId> =
            renamed.iter().map(|l| self.decided.get(l).copied().unwrap_or(*l)).collect();
        let literals = Literals::of(&mut self.terms, &renamed)?.list();
        Some(RenamedCube { cube: Cube { processes: origins.len(), literals }, origins })
    }

    /// An input that a literal says the value of is replaced by it; other literals that read inputs are dropped.
    fn without_inputs(&mut self, mut literals: Vec<TermId>) -> Option<Vec<TermId>> {
        loop {
            let mut read = self.terms.free_variables(literals.iter().copied());
            read.retain(|v| self.inputs.contains(v));
            let solved = literals.iter().find_map(|&l| solved(&self.terms, l, &read).map(|by| (l, by)));
            let Some((literal, (variable, value))) = solved else {
                let terms = &self.terms;
                literals.retain(|&l| !terms.free_variables([l]).iter().any(|v| read.contains(v)));
                return Some(literals);
            };
            literals.retain(|&l| l != literal);
            let by = [(variable, value)].into_iter().collect();
            let mut put = Vec::new();
            for &literal in &literals {
                let literal = self.terms.replace(literal, &by);
                put.push(self.settled(literal));
            }
            if put.iter().any(|&l| is_false(&self.terms, l)) {
                return None;
            }
            put.retain(|&l| !is_true(&self.terms, l));
            literals = Literals::of(&mut self.terms, &put)?.list();
        }
    }

    /// The literals of a cube in the initial states.
    pub fn at_start(&mut self, cube: &Cube) -> Vec<TermId> {
        let mut formulas = Vec::new();
        for &literal in &cube.literals {
            let literal = self.terms.replace(literal, &self.start);
            formulas.push(self.settled(literal));
        }
        formulas
    }

    /// The constraints and axioms in the initial states, instantiated with the first processes.
    pub fn start_facts(&mut self, count: usize) -> Vec<TermId> {
        let mut facts = Vec::new();
        for fact in self.start_facts.clone() {
            for instance in self.everywhere(fact, count) {
                facts.push(self.settled(instance));
            }
        }
        facts
    }

    /// The literals of a cube for all ways to give it different ones of the first processes, with these.
    pub fn instances(&mut self, cube: &Cube, count: usize) -> Rc<Vec<Placed>> {
        if let Some(known) = self.instances.get(&(cube.clone(), count)) {
            return known.clone();
        }
        let (own, among) = (self.processes(cube.processes), self.processes(count));
        let mut all = Vec::new();
        for processes in arrangements(cube.processes, &among) {
            let by: FxHashMap<TermId, TermId> = own.iter().copied().zip(processes.iter().copied()).collect();
            let literals = cube.literals.iter().map(|&l| self.terms.replace(l, &by)).collect();
            all.push(Placed { processes, literals });
        }
        let all = Rc::new(all);
        self.instances.insert((cube.clone(), count), all.clone());
        all
    }

    /// For the axioms, all that their index symbols may have to be: processes of a cube, and parameters.
    pub fn places(&mut self, count: usize) -> Vec<TermId> {
        let mut all = self.processes(count);
        all.extend(self.model.processes.iter().flat_map(|p| &p.inputs));
        all
    }
}

fn is_true(terms: &Terms, literal: TermId) -> bool {
    terms.as_constant(literal).and_then(buttress_term::Value::as_bool) == Some(true)
}

fn is_false(terms: &Terms, literal: TermId) -> bool {
    terms.as_constant(literal).and_then(buttress_term::Value::as_bool) == Some(false)
}

/// `input = value`, or an input that is a Boolean.
fn solved(terms: &Terms, literal: TermId, inputs: &[TermId]) -> Option<(TermId, TermId)> {
    let (atom, positive) = as_literal(terms, literal);
    let Node::Apply(Op::Eq, _, &[a, b]) = terms.node(atom) else { return None };
    let fits = |x: TermId, value: TermId| inputs.contains(&x) && !terms.free_variables([value]).contains(&x);
    match positive {
        true if fits(a, b) => Some((a, b)),
        true if fits(b, a) => Some((b, a)),
        _ => None,
    }
}

/// All ways to choose so many different processes, in order.
fn arrangements(count: usize, among: &[TermId]) -> Vec<Vec<TermId>> {
    let mut rows: Vec<Vec<TermId>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |row: &Vec<TermId>| {
            let row = row.clone();
            among
                .iter()
                .filter(|p| !row.contains(p))
                .map(|&p| [row.as_slice(), &[p]].concat())
                .collect::<Vec<Vec<TermId>>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

/// For each parameter one of the processes of a cube or a new one.
fn choices(parameters: usize, processes: usize) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..parameters {
        let mut longer = Vec::new();
        for row in &rows {
            let new = row.iter().map(|c| c + 1).max().unwrap_or(0).max(processes);
            longer.extend((0..=new).map(|choice| row.iter().copied().chain([choice]).collect()));
        }
        rows = longer;
    }
    rows
}
