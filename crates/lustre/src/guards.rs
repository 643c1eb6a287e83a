//! A `pre` that is read in the first step is any value of its type, and a warning says so.
//!
//! `->` guards what stands on its right. The guard ends at another `pre`, whose operand is read one step later, and
//! at the arguments of a call, which may be remembered in the callee.

use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::layout::roots;
use crate::source::Findings;
use crate::unit::Program;

pub(crate) fn check(program: &Program, findings: &mut Findings) {
    for unit in &program.units {
        for root in roots(unit) {
            visit(program, root, false, findings);
        }
    }
}

fn visit(program: &Program, id: ExprId, guarded: bool, findings: &mut Findings) {
    let kind = program.ast.kind(id);
    match kind {
        ExprKind::Unary(UnaryOp::Pre, a) => {
            if !guarded {
                let warning = findings.warn(
                    program.ast.span(id),
                    "this 'pre' is not guarded: in the first step it is any value",
                );
                warning.help("give a first value: e -> pre …");
            }
            visit(program, *a, false, findings);
        }
        ExprKind::Binary(BinaryOp::Arrow, a, b) => {
            visit(program, *a, guarded, findings);
            visit(program, *b, true, findings);
        }
        ExprKind::Call(_)
        | ExprKind::Condact { .. }
        | ExprKind::Activate { .. }
        | ExprKind::Restart { .. } => {
            kind.each_child(&mut |child| visit(program, child, false, findings));
        }
        _ => kind.each_child(&mut |child| visit(program, child, guarded, findings)),
    }
}
