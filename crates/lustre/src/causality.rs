//! Detection of variables that depend on themselves within a step.
//!
//! A variable depends on what its equation reads outside of `pre`. An output of a called node depends only on
//! the inputs that it needs in the same step, so `a = d(b); b = d(a)` is fine where `d` delays. An array that is
//! defined element by element may read itself: whether its elements go in a circle is seen when their number
//! is known, in [`crate::lower`].
//!
//! JKind takes an equation as a constraint, so `x = y; y = x + 1` is a model, one without executions. Here, too:
//! of each circle one variable is *cut*, which means that it is free and its equation a constraint, and a warning
//! says so. (Kind 2 refuses such a model.)

use crate::ast::{Call, ExprId, ExprKind, UnaryOp};
use crate::source::Findings;
use crate::unit::{Meaning, Program, Role, Slot, Unit, UnitId};

/// Checks all units, and orders the variables of each so that each comes after what it needs.
pub(crate) fn check(program: &mut Program, findings: &mut Findings) {
    let mut causality = Causality {
        program,
        needs: vec![None; program.units.len()],
        orders: Vec::new(),
        cuts: Vec::new(),
        findings,
    };
    causality.orders = vec![Vec::new(); program.units.len()];
    for at in 0..program.units.len() {
        causality.visit(UnitId(at as u32));
    }
    let cuts = causality.cuts;
    program.orders = causality.orders;
    for (unit, slot) in cuts {
        program.units[unit.0 as usize].vars[slot.index()].cut = true;
    }
}

/// For each output the inputs that it needs.
type Needs = Vec<Vec<usize>>;

struct Causality<'a> {
    program: &'a Program,
    needs: Vec<Option<Needs>>,
    orders: Vec<Vec<Slot>>,
    cuts: Vec<(UnitId, Slot)>,
    findings: &'a mut Findings,
}

impl Causality<'_> {
    fn visit(&mut self, id: UnitId) {
        let at = id.0 as usize;
        if self.needs[at].is_some() {
            return;
        }
        let program = self.program;
        let unit = program.unit(id);
        let all: Needs = vec![(0..unit.num_inputs).collect(); unit.num_outputs];
        // For units that call themselves, until they are done; and for those without a body.
        self.needs[at] = Some(all);
        let reads = self.reads_of(unit);
        self.orders[at] = self.order(id, unit, &reads);
        if !unit.imported && !unit.recursive && unit.unsupported.is_none() {
            self.needs[at] = Some(needs(unit, &reads));
        }
    }

    /// The variables that the equation of each variable reads.
    fn reads_of(&mut self, unit: &Unit) -> Vec<Vec<Slot>> {
        let mut reads = vec![Vec::new(); unit.vars.len()];
        for slot in unit.slots() {
            let Some((number, flow)) = unit.var(slot).defined else { continue };
            let equation = &unit.equations[number];
            let several = equation.targets.len() > 1;
            let mut found = Vec::new();
            self.reads(equation.value, several.then_some(flow), &mut found);
            found.sort();
            found.dedup();
            if !equation.targets[flow].1.is_empty() {
                found.retain(|&read| read != slot);
            }
            reads[slot.index()] = found;
        }
        reads
    }

    /// Adds the variables that flow `flow` of an expression reads, or all flows.
    fn reads(&mut self, id: ExprId, flow: Option<usize>, found: &mut Vec<Slot>) {
        let program = self.program;
        match program.ast.kind(id) {
            ExprKind::Name(..) | ExprKind::Last(_) => {
                if let Meaning::Var(slot) = program.meaning(id) {
                    found.push(slot);
                }
            }
            ExprKind::Unary(UnaryOp::Pre, _) => {}
            ExprKind::Call(call) => self.call_reads(id, call, flow, found),
            ExprKind::Condact { clock, call, restart, defaults } => {
                let others = [*clock].into_iter().chain(*restart).chain(defaults.iter().copied());
                others.for_each(|other| self.reads(other, None, found));
                self.call_reads(id, call, flow, found);
            }
            ExprKind::Activate { clock, call, restart } => {
                [*clock].into_iter().chain(*restart).for_each(|other| self.reads(other, None, found));
                self.call_reads(id, call, flow, found);
            }
            ExprKind::Restart { call, every } => {
                self.reads(*every, None, found);
                self.call_reads(id, call, flow, found);
            }
            ExprKind::If(c, a, b) => {
                self.reads(*c, None, found);
                self.reads(*a, flow, found);
                self.reads(*b, flow, found);
            }
            ExprKind::Binary(crate::ast::BinaryOp::Arrow, a, b) => {
                self.reads(*a, flow, found);
                self.reads(*b, flow, found);
            }
            ExprKind::List(parts) => match flow.and_then(|flow| self.program.part(parts, flow)) {
                Some((part, flow)) => self.reads(part, Some(flow), found),
                None => parts.iter().for_each(|part| self.reads(*part, None, found)),
            },
            kind => kind.each_child(&mut |child| self.reads(child, None, found)),
        }
    }

    fn call_reads(&mut self, id: ExprId, call: &Call, flow: Option<usize>, found: &mut Vec<Slot>) {
        let Meaning::Unit(callee) = self.program.meaning(id) else {
            return call.args.iter().for_each(|arg| self.reads(*arg, None, found));
        };
        self.visit(callee);
        let needs = self.needs[callee.0 as usize].clone().expect("just visited");
        let wanted: Vec<usize> = match flow {
            Some(flow) => needs[flow].clone(),
            None => needs.concat(),
        };
        for input in wanted {
            if let Some((arg, flow)) = self.program.part(&call.args, input) {
                self.reads(arg, Some(flow), found);
            }
        }
    }

    fn order(&mut self, id: UnitId, unit: &Unit, reads: &[Vec<Slot>]) -> Vec<Slot> {
        let mut search =
            Search { reads, state: vec![0; unit.vars.len()], order: Vec::new(), circles: Vec::new() };
        unit.slots().for_each(|slot| search.visit(slot));
        for circle in search.circles {
            if self.cuts.contains(&(id, circle[0])) {
                continue;
            }
            self.cuts.push((id, circle[0]));
            let names: Vec<&str> = circle.iter().map(|&slot| &*unit.var(slot).name.name).collect();
            let span = unit.var(circle[0]).name.span;
            let message =
                format!("'{}' depends on itself in the same step: {}", names[0], names.join(" reads "));
            let warning = self.findings.warn(span, message);
            warning.help("put a 'pre' into the circle; as it is, executions are the solutions of the equations, if there are any");
        }
        search.order
    }
}

/// For each output the inputs that it reaches.
fn needs(unit: &Unit, reads: &[Vec<Slot>]) -> Needs {
    let reach = |output: usize| {
        let mut seen = vec![false; unit.vars.len()];
        let mut todo = vec![unit.output_slot(output)];
        let mut found = Vec::new();
        while let Some(slot) = todo.pop() {
            if std::mem::replace(&mut seen[slot.index()], true) {
                continue;
            }
            if unit.var(slot).role == Role::Input {
                found.push(slot.index());
            }
            todo.extend(&reads[slot.index()]);
        }
        found.sort_unstable();
        found
    };
    (0..unit.num_outputs).map(reach).collect()
}

/// Depth-first search, with a stack of its own: chains of equations are long.
struct Search<'a> {
    reads: &'a [Vec<Slot>],
    /// 0: not seen, 1: on the way, 2: done.
    state: Vec<u8>,
    order: Vec<Slot>,
    /// Each starts and ends with the variable to cut.
    circles: Vec<Vec<Slot>>,
}

impl Search<'_> {
    fn visit(&mut self, from: Slot) {
        if self.state[from.index()] != 0 {
            return;
        }
        self.state[from.index()] = 1;
        let mut stack = vec![(from, 0)];
        while let Some((slot, next)) = stack.last_mut() {
            let Some(&read) = self.reads[slot.index()].get(*next) else {
                self.state[slot.index()] = 2;
                self.order.push(*slot);
                stack.pop();
                continue;
            };
            *next += 1;
            match self.state[read.index()] {
                0 => {
                    self.state[read.index()] = 1;
                    stack.push((read, 0));
                }
                1 => {
                    let start = stack.iter().position(|&(slot, _)| slot == read).expect("it is on the way");
                    let circle = stack[start..].iter().map(|&(slot, _)| slot).chain([read]);
                    self.circles.push(circle.collect());
                }
                _ => {}
            }
        }
    }
}
