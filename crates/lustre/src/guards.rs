//! A `pre` that is read in the first step is any value of its type, and a warning says so.
//!
//! `->` guards what stands on its right. The guard ends at another `pre`, whose operand is read one step later,
//! and at the arguments of a call, which may be remembered in the callee.

use rustc_hash::FxHashSet;

use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::layout::roots;
use crate::source::Findings;
use crate::unit::Program;

pub(crate) fn check(program: &mut Program, findings: &mut Findings) {
    let mut guarded_pres = FxHashSet::default();
    for unit in &program.units {
        for root in roots(unit) {
            visit(program, root, false, &mut |id, guarded| {
                if guarded {
                    guarded_pres.insert(id);
                } else {
                    warn(program, id, findings);
                }
            });
        }
    }
    program.guarded = guarded_pres;
}

fn warn(program: &Program, id: ExprId, findings: &mut Findings) {
    let span = program.ast.span(id);
    let warning = findings.warn(span, "this 'pre' is not guarded: in the first step it is any value");
    warning.help("give a first value: e -> pre …");
}

/// Tells of every `pre` whether it is guarded.
fn visit(program: &Program, id: ExprId, guarded: bool, tell: &mut dyn FnMut(ExprId, bool)) {
    let kind = program.ast.kind(id);
    match kind {
        ExprKind::Unary(UnaryOp::Pre, a) => {
            tell(id, guarded);
            visit(program, *a, false, tell);
        }
        ExprKind::Binary(BinaryOp::Arrow, a, b) => {
            visit(program, *a, guarded, tell);
            visit(program, *b, true, tell);
        }
        ExprKind::Call(_)
        | ExprKind::Condact { .. }
        | ExprKind::Activate { .. }
        | ExprKind::Restart { .. } => {
            kind.each_child(&mut |child| visit(program, child, false, tell));
        }
        _ => kind.each_child(&mut |child| visit(program, child, guarded, tell)),
    }
}
