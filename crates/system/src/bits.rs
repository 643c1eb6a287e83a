//! The bit-level system: an and-inverter graph with state.
//!
//! # Semantics
//!
//! With latches `x`, inputs `i`, constraints `C(x,i)`, resets `R(x,i)`, next-state functions `F` and one
//! `bad` literal a property, a *trace* is a finite sequence `(x₀,i₀) … (xₙ,iₙ)` such that `R(x₀,i₀)` holds,
//! `x_{t+1} = F(x_t,i_t)`, and `C(x_t,i_t)` holds for every `t ≤ n`, **the last one included**. It violates
//! a property if `bad(xₙ,iₙ)`. Whether the last state has a successor that satisfies the constraints does
//! not matter: a bad state without successor counts.
//!
//! A latch whose reset is its own literal is free at the start. A reset may be any literal (the extension
//! of AIGER certificates); resets must then be stratified, see [`BitSystem::reset_order`]. `bad`,
//! constraints and resets may depend on inputs.
//!
//! # Layout
//!
//! Variables are numbered as in binary AIGER: 0 the constant, then inputs, latches and gates, and a gate
//! only refers to variables below it. A gate takes eight bytes; nothing else is stored for it.

use crate::{ElementId, ElementKind, InputId, LatchId, Lit, Origin, PropertyId, SymbolKind, Symbols, Var};

/// A latch: `next` is its value one step later, `reset` its value at the start (itself: any).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Latch {
    pub next: Lit,
    pub reset: Lit,
}

/// "`bad` is never reached". `symbol` says where its name stands: the bad section or, in the old format,
/// the outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Property {
    pub bad: Lit,
    pub symbol: (SymbolKind, usize),
}

/// The kind of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Constant,
    Input(InputId),
    Latch(LatchId),
    Gate(Lit, Lit),
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct BitSystem {
    inputs: usize,
    latches: Vec<Latch>,
    gates: Vec<[Lit; 2]>,
    pub outputs: Vec<Lit>,
    pub constraints: Vec<Lit>,
    pub properties: Vec<Property>,
    /// Liveness: see [`live`](crate::live).
    pub justice: Vec<Vec<Lit>>,
    pub fairness: Vec<Lit>,
    pub symbols: Symbols,
}

/// Latches whose resets depend on each other in a circle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResetCycle(pub LatchId);

/// Where literals of a system stand in one with more inputs and latches.
#[derive(Clone, Copy, Debug)]
pub struct Shift {
    first_latch: usize,
    first_gate: usize,
    inputs: usize,
    latches: usize,
}

impl Shift {
    pub fn lit(&self, lit: Lit) -> Lit {
        let by = match lit.var().index() {
            v if v < self.first_latch => 0,
            v if v < self.first_gate => self.inputs,
            _ => self.inputs + self.latches,
        };
        Lit::from_code(lit.code() + 2 * by as u32)
    }
}

impl BitSystem {
    /// A system whose latches keep their value and start at 0, until [`set_latch`](Self::set_latch).
    pub fn new(inputs: usize, latches: usize) -> BitSystem {
        let mut system = BitSystem { inputs, ..BitSystem::default() };
        system.latches = (0..latches)
            .map(|l| Latch { next: system.latch_lit(LatchId::new(l)), reset: Lit::FALSE })
            .collect();
        system
    }

    pub fn reserve_gates(&mut self, gates: usize) {
        self.gates.reserve_exact(gates);
    }

    pub fn set_latch(&mut self, latch: LatchId, definition: Latch) {
        self.latches[latch.index()] = definition;
    }

    /// Appends a gate as it is: nothing is folded or shared.
    pub fn push_gate(&mut self, a: Lit, b: Lit) -> Lit {
        let var = Var::new(self.num_vars() as u32);
        debug_assert!(a.var() < var && b.var() < var, "a gate refers to variables below it");
        self.gates.push([a, b]);
        var.lit()
    }

    /// The same system with room for more inputs and latches, after its own, and without its properties; its
    /// symbols stay.
    pub fn widened(&self, inputs: usize, latches: usize) -> (BitSystem, Shift) {
        let first_latch = 1 + self.inputs;
        let shift = Shift { first_latch, first_gate: self.first_gate(), inputs, latches };
        let mut new = BitSystem::new(self.inputs + inputs, self.latches.len() + latches);
        new.gates = self.gates.iter().map(|gate| gate.map(|operand| shift.lit(operand))).collect();
        for (own, latch) in new.latches.iter_mut().zip(&self.latches) {
            *own = Latch { next: shift.lit(latch.next), reset: shift.lit(latch.reset) };
        }
        new.constraints = self.constraints.iter().map(|&c| shift.lit(c)).collect();
        new.symbols = self.symbols.clone();
        (new, shift)
    }

    /// `a ∨ b`, as a gate.
    pub fn push_or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.push_gate(!a, !b)
    }

    /// `a ↔ b`, as three gates.
    pub fn push_equal(&mut self, a: Lit, b: Lit) -> Lit {
        let both = self.push_gate(a, b);
        let neither = self.push_gate(!a, !b);
        self.push_or(both, neither)
    }

    pub fn num_inputs(&self) -> usize {
        self.inputs
    }

    pub fn num_latches(&self) -> usize {
        self.latches.len()
    }

    pub fn num_gates(&self) -> usize {
        self.gates.len()
    }

    pub fn num_vars(&self) -> usize {
        1 + self.inputs + self.latches.len() + self.gates.len()
    }

    pub fn inputs(&self) -> impl ExactSizeIterator<Item = InputId> + use<> {
        (0..self.inputs).map(InputId::new)
    }

    pub fn latches(&self) -> impl ExactSizeIterator<Item = LatchId> + use<> {
        (0..self.latches.len()).map(LatchId::new)
    }

    pub fn latch(&self, latch: LatchId) -> Latch {
        self.latches[latch.index()]
    }

    pub fn gates(&self) -> &[[Lit; 2]] {
        &self.gates
    }

    pub fn property_ids(&self) -> impl ExactSizeIterator<Item = PropertyId> + use<> {
        (0..self.properties.len()).map(PropertyId::new)
    }

    pub fn property(&self, property: PropertyId) -> Property {
        self.properties[property.index()]
    }

    pub fn property_name(&self, property: PropertyId) -> String {
        let (kind, index) = self.property(property).symbol;
        self.symbols.name(kind, index)
    }

    pub fn input_lit(&self, input: InputId) -> Lit {
        Var::new(1 + input.index() as u32).lit()
    }

    pub fn latch_lit(&self, latch: LatchId) -> Lit {
        Var::new((1 + self.inputs + latch.index()) as u32).lit()
    }

    /// The first variable of a gate.
    pub fn first_gate(&self) -> usize {
        1 + self.inputs + self.latches.len()
    }

    pub fn node(&self, var: Var) -> Node {
        let first_latch = 1 + self.inputs;
        match var.index() {
            0 => Node::Constant,
            v if v < first_latch => Node::Input(InputId::new(v - 1)),
            v if v < self.first_gate() => Node::Latch(LatchId::new(v - first_latch)),
            v => {
                let [a, b] = self.gates[v - self.first_gate()];
                Node::Gate(a, b)
            }
        }
    }

    /// The latch that a literal reads, where it is one.
    pub fn as_latch(&self, var: Var) -> Option<LatchId> {
        match self.node(var) {
            Node::Latch(latch) => Some(latch),
            _ => None,
        }
    }

    /// The name of an input or latch; gates and the constant by their number.
    pub fn var_name(&self, var: Var) -> String {
        match self.node(var) {
            Node::Input(i) => self.symbols.name(SymbolKind::Input, i.index()),
            Node::Latch(l) => self.symbols.name(SymbolKind::Latch, l.index()),
            Node::Constant => "0".to_string(),
            Node::Gate(..) => format!("n{}", var.index()),
        }
    }

    /// Marks every variable that the roots depend on within one step.
    pub fn mark_cone(&self, roots: impl IntoIterator<Item = Lit>, marked: &mut [bool]) {
        let mut top = 0;
        for root in roots {
            marked[root.var().index()] = true;
            top = top.max(root.var().index() + 1);
        }
        let first = self.first_gate();
        for var in (first..top).rev().filter(|&v| v >= first) {
            if marked[var] {
                for lit in self.gates[var - first] {
                    marked[lit.var().index()] = true;
                }
            }
        }
    }

    /// Every variable that the roots depend on through any number of steps, resets included.
    pub fn closure(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<bool> {
        let mut marked = vec![false; self.num_vars()];
        let mut todo: Vec<Lit> = roots.into_iter().collect();
        while let Some(lit) = todo.pop() {
            if std::mem::replace(&mut marked[lit.var().index()], true) {
                continue;
            }
            match self.node(lit.var()) {
                Node::Gate(a, b) => todo.extend([a, b]),
                Node::Latch(latch) => todo.extend([self.latch(latch).next, self.latch(latch).reset]),
                Node::Constant | Node::Input(_) => {}
            }
        }
        marked
    }

    /// Latches in an order in which each reset only depends on latches before it (or on itself, or on
    /// inputs): the resets are *stratified*. Otherwise a latch on a circle.
    pub fn reset_order(&self) -> Result<Vec<LatchId>, ResetCycle> {
        let is_function = |l: &LatchId| {
            let reset = self.latch(*l).reset;
            !reset.is_constant() && reset != self.latch_lit(*l)
        };
        let (functional, mut order): (Vec<_>, Vec<_>) = self.latches().partition(is_function);
        if !functional.is_empty() {
            let mut search = ResetSearch { system: self, state: vec![Visit::New; self.num_vars()] };
            order.iter().for_each(|&l| search.state[self.latch_lit(l).var().index()] = Visit::Done);
            functional.into_iter().try_for_each(|l| search.visit(l, &mut order))?;
        }
        Ok(order)
    }

    /// Latches first, then constraints.
    pub fn num_elements(&self) -> usize {
        self.latches.len() + self.constraints.len()
    }

    pub fn element(&self, element: ElementId) -> ElementKind {
        match element.index().checked_sub(self.latches.len()) {
            None => ElementKind::Latch(LatchId::new(element.index())),
            Some(constraint) => ElementKind::Constraint(constraint),
        }
    }

    pub fn element_of(&self, kind: ElementKind) -> ElementId {
        match kind {
            ElementKind::Latch(latch) => ElementId::new(latch.index()),
            ElementKind::Constraint(index) => ElementId::new(self.latches.len() + index),
        }
    }

    pub fn origin(&self, element: ElementId) -> Origin {
        let kind = self.element(element);
        let name = match kind {
            ElementKind::Latch(latch) => self.symbols.name(SymbolKind::Latch, latch.index()),
            ElementKind::Constraint(index) => self.symbols.name(SymbolKind::Constraint, index),
        };
        Origin { name, kind }
    }
}

/// Depth-first search through resets and the gates between them.
struct ResetSearch<'a> {
    system: &'a BitSystem,
    state: Vec<Visit>,
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

impl ResetSearch<'_> {
    /// Appends the latch to `order` after all that its reset reads.
    fn visit(&mut self, latch: LatchId, order: &mut Vec<LatchId>) -> Result<(), ResetCycle> {
        let mut stack = vec![self.system.latch_lit(latch).var()];
        while let Some(&var) = stack.last() {
            match self.state[var.index()] {
                Visit::Done => drop(stack.pop()),
                Visit::New => {
                    self.state[var.index()] = Visit::Open;
                    self.push_operands(var, &mut stack)?;
                }
                Visit::Open => {
                    self.state[var.index()] = Visit::Done;
                    order.extend(self.system.as_latch(var));
                    stack.pop();
                }
            }
        }
        Ok(())
    }

    fn push_operands(&self, var: Var, stack: &mut Vec<Var>) -> Result<(), ResetCycle> {
        let operands = match self.system.node(var) {
            Node::Gate(a, b) => vec![a.var(), b.var()],
            Node::Latch(latch) => vec![self.system.latch(latch).reset.var()],
            Node::Constant | Node::Input(_) => Vec::new(),
        };
        for operand in operands {
            match self.state[operand.index()] {
                Visit::New => stack.push(operand),
                Visit::Done => {}
                // An open latch is being defined by its own reset; a gate is acyclic by itself.
                Visit::Open => {
                    let on_circle = stack.iter().rev().find_map(|&v| self.system.as_latch(v));
                    return Err(ResetCycle(on_circle.expect("a circle of resets goes through a latch")));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_are_ordered_or_refused() {
        let mut system = BitSystem::new(0, 3);
        let lits: Vec<Lit> = system.latches().map(|l| system.latch_lit(l)).collect();
        let set =
            |s: &mut BitSystem, l: usize, reset| s.set_latch(LatchId::new(l), Latch { next: lits[l], reset });
        set(&mut system, 0, !lits[1]);
        set(&mut system, 1, lits[2]);
        set(&mut system, 2, lits[2]);
        let order: Vec<usize> = system.reset_order().unwrap().iter().map(|l| l.index()).collect();
        assert_eq!(order, [2, 1, 0]);
        set(&mut system, 2, lits[0]);
        assert!(system.reset_order().is_err());
        // A negated self-reset is a circle too, not an uninitialised latch.
        set(&mut system, 2, !lits[2]);
        assert!(system.reset_order().is_err());
    }

    #[test]
    fn elements_are_latches_then_constraints() {
        let mut system = BitSystem::new(1, 2);
        system.constraints.push(Lit::TRUE);
        system.symbols.insert(SymbolKind::Constraint, 0, "env");
        assert_eq!(system.num_elements(), 3);
        assert_eq!(system.origin(ElementId::new(1)).name, "l1");
        assert_eq!(system.origin(ElementId::new(2)).name, "env");
        for e in 0..3 {
            let id = ElementId::new(e);
            assert_eq!(system.element_of(system.element(id)), id);
        }
    }
}
