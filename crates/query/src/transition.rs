//! The transition relation as clauses, once for all queries of one step.
//!
//! A variable of the circuit is the solver's variable of the same number, so literals need no translation, and
//! "x' = next(x,i)" costs nothing: a literal of the next state *is* the literal of the next-state function.
//!
//! Gates that only other gates read are eliminated where that adds no clause (see `elimination`).
//!
//! Where asked for, the circuit goes on for a moment: the cone of a property and of the constraints once more,
//! over the next state and inputs of its own ([`Ahead`]). Then "violated one step later" is a literal, too.

use buttress_solve::sat::{self, Domains};
use buttress_system::{BitSystem, InputId, Lit, PropertyId, Var};

use crate::elimination::Elimination;

/// The solver's literal of a literal of the circuit.
pub(crate) fn literal(lit: Lit) -> sat::Lit {
    sat::Lit::from_code(lit.code())
}

#[derive(Default)]
pub(crate) struct Transition {
    clauses: Vec<Box<[sat::Lit]>>,
    /// The variables that each variable is a function of; `None` for variables that no query may leave out.
    depends: Vec<Option<Vec<u32>>>,
}

/// A property and the constraints one step later, over inputs of their own.
#[derive(Clone)]
pub(crate) struct Ahead {
    pub(crate) property: PropertyId,
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
        Ahead { property, violation, inputs, gates }
    }

    fn num_vars(&self) -> usize {
        self.inputs.len() + self.gates.len()
    }
}

/// A literal one step later.
fn moved(later: &[Lit], lit: Lit) -> Lit {
    later[lit.var().index()] ^ lit.is_negated()
}

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
        let (clauses, depends) = elimination.finish();
        Transition { clauses, depends }
    }

    pub(crate) fn num_variables(&self) -> usize {
        self.depends.len()
    }

    /// The variables that this one is a function of.
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
