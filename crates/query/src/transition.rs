//! The transition relation as clauses, once for all queries of one step.
//!
//! A variable of the circuit is the solver's variable of the same number, so literals need no translation, and
//! "x' = next(x,i)" costs nothing: a literal of the next state *is* the literal of the next-state function.
//!
//! Gates that only other gates read are eliminated by resolution where that adds no clause (bounded variable
//! elimination: Eén & Biere 2005). Since gates are functions, eliminating one keeps every other gate a function
//! of what remains, which is what restricting queries to a domain relies on: the dependencies of an eliminated
//! gate go to the gates that read it.
//!
//! Where asked for, the circuit goes on for a moment: the cone of a property and of the constraints once more, over the
//! next state and inputs of its own ([`Ahead`]). Then "violated one step later" is a literal, too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use buttress_solve::sat::{self, Domains};
use buttress_system::{BitSystem, InputId, Lit, PropertyId, Var};

/// The solver's literal of a literal of the circuit.
pub(crate) fn literal(lit: Lit) -> sat::Lit {
    sat::Lit::from_code(lit.code())
}

pub(crate) struct Transition {
    clauses: Vec<Box<[sat::Lit]>>,
    /// What each variable is a function of; `None` for variables that no query may leave out.
    depends: Vec<Option<Vec<u32>>>,
}

/// A property and the constraints one step later, over inputs of their own.
#[derive(Clone)]
pub(crate) struct Ahead {
    /// bad(F(x,i),i′), then C(F(x,i),i′): together, a violation.
    pub(crate) violation: Vec<Lit>,
    /// The inputs i′ that these read, each with its variable.
    pub(crate) inputs: Vec<(InputId, Lit)>,
    /// The gates that they add, after the system's own: output and two inputs.
    gates: Vec<[Lit; 3]>,
}

impl Ahead {
    pub(crate) fn of(system: &BitSystem, property: PropertyId) -> Ahead {
        let bad = system.property(property).bad;
        let now: Vec<Lit> = std::iter::once(bad).chain(system.constraints.iter().copied()).collect();
        let mut marked = vec![false; system.num_vars()];
        system.mark_cone(now.iter().copied(), &mut marked);
        let mut later: Vec<Lit> = (0..system.num_vars() as u32).map(|v| Var::new(v).lit()).collect();
        let mut fresh = (system.num_vars() as u32..).map(|v| Var::new(v).lit());
        let mut next = || fresh.next().expect("variables do not run out");
        for latch in system.latches() {
            later[system.latch_lit(latch).var().index()] = system.latch(latch).next;
        }
        let read = system.inputs().filter(|&i| marked[system.input_lit(i).var().index()]);
        let inputs: Vec<(InputId, Lit)> = read.map(|i| (i, next())).collect();
        inputs.iter().for_each(|&(i, lit)| later[system.input_lit(i).var().index()] = lit);
        let mut gates = Vec::new();
        let first = system.first_gate();
        for (g, &[a, b]) in system.gates().iter().enumerate().filter(|(g, _)| marked[first + g]) {
            let copy = next();
            gates.push([copy, moved(&later, a), moved(&later, b)]);
            later[first + g] = copy;
        }
        let violation = now.iter().map(|&l| moved(&later, l)).collect();
        Ahead { violation, inputs, gates }
    }

    fn num_vars(&self) -> usize {
        self.inputs.len() + self.gates.len()
    }
}

/// A literal one step later.
fn moved(later: &[Lit], lit: Lit) -> Lit {
    later[lit.var().index()] ^ lit.is_negated()
}

/// A clause that elimination may make is not longer than this.
const LONGEST: usize = 16;

impl Transition {
    /// The gates that next-state functions, constraints, resets and properties read, and what is ahead.
    pub(crate) fn new(system: &BitSystem, ahead: Option<&Ahead>) -> Transition {
        let latches = system.latches().flat_map(|l| [system.latch(l).next, system.latch(l).reset]);
        let bads = system.properties.iter().map(|p| p.bad);
        let roots: Vec<Lit> = latches.chain(bads).chain(system.constraints.iter().copied()).collect();
        let mut needed = vec![false; system.num_vars()];
        system.mark_cone(roots.iter().copied(), &mut needed);
        let mut elimination = Elimination::new(system.num_vars() + ahead.map_or(0, Ahead::num_vars));
        let first = system.first_gate();
        for (g, &[a, b]) in system.gates().iter().enumerate().filter(|(g, _)| needed[first + g]) {
            elimination.add_gate((first + g) as u32, a.code(), b.code());
        }
        for [gate, a, b] in ahead.iter().flat_map(|ahead| &ahead.gates) {
            elimination.add_gate(gate.var().index() as u32, a.code(), b.code());
        }
        elimination.keep(roots.iter().chain(ahead.iter().flat_map(|ahead| &ahead.violation)));
        elimination.run();
        elimination.finish()
    }

    pub(crate) fn num_variables(&self) -> usize {
        self.depends.len()
    }

    /// What the variable is a function of.
    pub(crate) fn depends(&self, variable: u32) -> &[u32] {
        self.depends[variable as usize].as_deref().unwrap_or_default()
    }

    /// Gives everything to a solver that has no variables yet.
    pub(crate) fn load(&self, solver: &mut impl Domains) {
        for _ in &self.depends {
            solver.new_var();
        }
        solver.depends(&self.depends);
        // Literal 0 is false.
        solver.add_clause(&[sat::Lit::from_code(1)]);
        self.clauses.iter().for_each(|clause| solver.add_clause(clause));
    }
}

struct Elimination {
    /// Sorted codes; empty where it was removed.
    clauses: Vec<Vec<u32>>,
    /// Clauses of a literal, some of them removed since.
    occurrences: Vec<Vec<u32>>,
    depends: Vec<Option<Vec<u32>>>,
    readers: Vec<Vec<u32>>,
    frozen: Vec<bool>,
}

impl Elimination {
    fn new(vars: usize) -> Elimination {
        Elimination {
            clauses: Vec::new(),
            occurrences: vec![Vec::new(); 2 * vars],
            depends: vec![Some(Vec::new()); vars],
            readers: vec![Vec::new(); vars],
            frozen: vec![true; vars],
        }
    }

    /// These are not eliminated.
    fn keep<'a>(&mut self, roots: impl Iterator<Item = &'a Lit>) {
        roots.for_each(|l| self.frozen[l.var().index()] = true);
    }

    /// g ↔ a ∧ b
    fn add_gate(&mut self, gate: u32, a: u32, b: u32) {
        self.frozen[gate as usize] = false;
        let g = 2 * gate;
        self.add(vec![g ^ 1, a]);
        self.add(vec![g ^ 1, b]);
        self.add(vec![g, a ^ 1, b ^ 1]);
        for v in [a >> 1, b >> 1] {
            self.readers[v as usize].push(gate);
        }
        self.depends[gate as usize] = Some(vec![a >> 1, b >> 1]);
    }

    fn add(&mut self, mut clause: Vec<u32>) {
        clause.sort_unstable();
        clause.dedup();
        let index = self.clauses.len() as u32;
        clause.iter().for_each(|&l| self.occurrences[l as usize].push(index));
        self.clauses.push(clause);
    }

    fn run(&mut self) {
        let mut queue: BinaryHeap<Reverse<(usize, u32)>> = BinaryHeap::new();
        let open = (0..self.frozen.len() as u32).filter(|&v| !self.frozen[v as usize]);
        queue.extend(open.map(|v| Reverse((self.cost(v), v))));
        while let Some(Reverse((cost, variable))) = queue.pop() {
            if self.frozen[variable as usize] || self.cost(variable) > cost {
                continue;
            }
            if let Some(resolvents) = self.resolvents(variable) {
                self.eliminate(variable, resolvents);
                for v in self.depends[variable as usize].clone().into_iter().flatten() {
                    if !self.frozen[v as usize] {
                        queue.push(Reverse((self.cost(v), v)));
                    }
                }
            }
        }
    }

    fn cost(&self, variable: u32) -> usize {
        let v = 2 * variable as usize;
        self.occurrences[v].len() * self.occurrences[v + 1].len()
    }

    fn live(&mut self, lit: u32) -> Vec<u32> {
        let clauses = &self.clauses;
        self.occurrences[lit as usize].retain(|&c| clauses[c as usize].contains(&lit));
        self.occurrences[lit as usize].clone()
    }

    /// All resolvents on the variable, unless they are more than the clauses they replace.
    fn resolvents(&mut self, variable: u32) -> Option<Vec<Vec<u32>>> {
        let (positive, negative) = (self.live(2 * variable), self.live(2 * variable + 1));
        let limit = positive.len() + negative.len();
        if positive.len() > 12 && negative.len() > 12 {
            return None;
        }
        let mut made = Vec::new();
        for &p in &positive {
            for &n in &negative {
                let resolvent = resolve(&self.clauses[p as usize], &self.clauses[n as usize], variable);
                if let Some(clause) = resolvent {
                    if made.len() == limit || clause.len() > LONGEST {
                        return None;
                    }
                    made.push(clause);
                }
            }
        }
        Some(made)
    }

    fn eliminate(&mut self, variable: u32, resolvents: Vec<Vec<u32>>) {
        for lit in [2 * variable, 2 * variable + 1] {
            for clause in std::mem::take(&mut self.occurrences[lit as usize]) {
                self.clauses[clause as usize].clear();
            }
        }
        resolvents.into_iter().for_each(|clause| self.add(clause));
        self.frozen[variable as usize] = true;
        let below = self.depends[variable as usize].clone().unwrap_or_default();
        for reader in std::mem::take(&mut self.readers[variable as usize]) {
            let Some(on) = &mut self.depends[reader as usize] else { continue };
            on.retain(|&v| v != variable);
            for &v in &below {
                if !on.contains(&v) {
                    on.push(v);
                    self.readers[v as usize].push(reader);
                }
            }
        }
    }

    fn finish(self) -> Transition {
        let clause = |codes: Vec<u32>| codes.into_iter().map(sat::Lit::from_code).collect();
        let clauses = self.clauses.into_iter().filter(|c| !c.is_empty()).map(clause).collect();
        Transition { clauses, depends: self.depends }
    }
}

/// The resolvent of two sorted clauses, unless it is a tautology.
fn resolve(positive: &[u32], negative: &[u32], variable: u32) -> Option<Vec<u32>> {
    let mut resolvent: Vec<u32> =
        positive.iter().chain(negative).copied().filter(|l| l >> 1 != variable).collect();
    resolvent.sort_unstable();
    resolvent.dedup();
    let tautology = resolvent.windows(2).any(|w| w[0] ^ 1 == w[1]);
    (!tautology).then_some(resolvent)
}
