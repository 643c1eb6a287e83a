//! Clocks: what is sampled meets only what is sampled alike.
//!
//! An expression is on the base clock, on one sampling of it (`c`, `not c`, `A(c)`), or, being constant, on any.
//! `when` samples, `merge` puts the samplings of one clock together, `activate` without defaults gives its
//! outputs on its clock. Samplings of samplings are refused. What `pre`, `->` and calls mean on a sampled
//! stream is left out: a unit that has them is checked but not executed.

use crate::ast::{BinaryOp, Clock, ExprId, ExprKind, UnaryOp};
use crate::source::{Findings, Source, Span};
use crate::unit::{Meaning, Program, Unit};

#[derive(Clone, PartialEq, Eq, Debug)]
enum On {
    Any,
    Base,
    Sampled(String),
}

/// Checks all units.
pub(crate) fn check(program: &mut Program, source: &Source, findings: &mut Findings) {
    for at in 0..program.units.len() {
        let unit = &program.units[at];
        let mut clocks = Clocks { program, source, unit, findings, stateful: None };
        clocks.unit();
        if let Some(span) = clocks.stateful {
            program.units[at]
                .unsupported
                .get_or_insert((span, "'pre', '->' and calls on sampled streams".into()));
        }
    }
}

struct Clocks<'a> {
    program: &'a Program,
    source: &'a Source,
    unit: &'a Unit,
    findings: &'a mut Findings,
    /// Where something with memory stands on a sampled stream.
    stateful: Option<Span>,
}

impl Clocks<'_> {
    fn unit(&mut self) {
        for equation in &self.unit.equations {
            let mut found = self.clock(equation.value);
            for (slot, _) in &equation.targets {
                let var = self.unit.var(*slot);
                let wanted = written(&var.clock);
                found = self.meet(found, wanted, self.program.ast.span(equation.value));
            }
        }
        let clauses = self.unit.asserts.iter().map(|&(value, _)| value);
        let properties = self.unit.properties.iter().map(|property| property.value);
        for value in clauses.chain(properties) {
            let found = self.clock(value);
            self.meet(found, On::Base, self.program.ast.span(value));
        }
    }

    fn meet(&mut self, a: On, b: On, span: Span) -> On {
        match (a, b) {
            (On::Any, other) | (other, On::Any) => other,
            (a, b) if a == b => a,
            (a, b) => {
                let error = self.findings.error(span, format!("{} meets {}", show(&a), show(&b)));
                error.help("sample with 'when', or bring samplings together with 'merge'");
                On::Any
            }
        }
    }

    fn together(&mut self, id: ExprId) -> On {
        let mut parts = Vec::new();
        self.program.ast.kind(id).each_child(&mut |child| parts.push(child));
        let span = self.program.ast.span(id);
        parts.into_iter().fold(On::Any, |on, part| {
            let found = self.clock(part);
            self.meet(on, found, span)
        })
    }

    fn clock(&mut self, id: ExprId) -> On {
        let span = self.program.ast.span(id);
        match self.program.ast.kind(id) {
            ExprKind::Name(..) => match self.program.meaning(id) {
                Meaning::Var(slot) => {
                    let var = self.unit.var(slot);
                    if var.constant { On::Any } else { written(&var.clock) }
                }
                _ => On::Any,
            },
            ExprKind::Last(_) => On::Base,
            ExprKind::When(a, clock) => {
                let inner = self.clock(*a);
                if let On::Sampled(_) = inner {
                    self.findings.error(span, "a sampled stream cannot be sampled again");
                }
                written(clock)
            }
            ExprKind::Merge { clock, cases } => {
                for (label, value) in cases {
                    let found = self.clock(*value);
                    let wanted = sampling(&clock.name, &label.name);
                    self.meet(found, wanted, self.program.ast.span(*value));
                }
                On::Base
            }
            ExprKind::Activate { clock, call, .. } => {
                for &arg in &call.args {
                    let found = self.clock(arg);
                    self.meet(found, On::Base, self.program.ast.span(arg));
                }
                self.activation(*clock)
            }
            ExprKind::Unary(UnaryOp::Pre, _)
            | ExprKind::Binary(BinaryOp::Arrow, ..)
            | ExprKind::Call(_)
            | ExprKind::Condact { .. }
            | ExprKind::Restart { .. } => {
                let on = self.together(id);
                if let On::Sampled(_) = on {
                    self.stateful.get_or_insert(span);
                }
                on
            }
            ExprKind::Quantifier { .. } | ExprKind::Any { .. } => On::Any,
            _ => self.together(id),
        }
    }

    /// The clock of `activate N every e`: that of `c`, `not c`, `c = A`, or one that only equal text names.
    fn activation(&self, clock: ExprId) -> On {
        let name = |id: ExprId| match self.program.ast.kind(id) {
            ExprKind::Name(name, _) => Some(name.name.clone()),
            _ => None,
        };
        match self.program.ast.kind(clock) {
            ExprKind::Name(name, _) => sampling(&name.name, "true"),
            ExprKind::Unary(UnaryOp::Not, a) => match name(*a) {
                Some(name) => sampling(&name, "false"),
                None => On::Sampled(self.source.slice(self.program.ast.span(clock)).into()),
            },
            ExprKind::Binary(BinaryOp::Eq, a, b) => match (name(*a), name(*b)) {
                (Some(clock), Some(value)) => sampling(&clock, &value),
                _ => On::Sampled(self.source.slice(self.program.ast.span(clock)).into()),
            },
            _ => On::Sampled(self.source.slice(self.program.ast.span(clock)).into()),
        }
    }
}

fn written(clock: &Clock) -> On {
    match clock {
        Clock::Base => On::Base,
        Clock::On(name) => sampling(&name.name, "true"),
        Clock::NotOn(name) => sampling(&name.name, "false"),
        Clock::Is(value, name) => sampling(&name.name, &value.name),
    }
}

fn sampling(clock: &str, value: &str) -> On {
    On::Sampled(match value {
        "true" => clock.to_string(),
        "false" => format!("not {clock}"),
        value => format!("{value}({clock})"),
    })
}

fn show(on: &On) -> String {
    match on {
        On::Any | On::Base => "a stream on the base clock".into(),
        On::Sampled(clock) => format!("a stream sampled by '{clock}'"),
    }
}
