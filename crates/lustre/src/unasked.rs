//! Questions of a file that nobody answers: properties of nodes that the main node does not call.
//!
//! A report that leaves these out would call a model proved of which the user asked more.

use buttress_system::words;

use crate::LustreModel;
use crate::ast::NodeKind;
use crate::layout::clause_name;
use crate::source::Span;
use crate::unit::{Meaning, Unit, UnitId};

/// A question without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unasked {
    /// With the name of its node before it.
    pub name: String,
    pub span: words::Span,
}

impl LustreModel {
    /// The questions of the file that are no properties of the system, in the order of the text.
    pub fn unasked(&self) -> Vec<Unasked> {
        let called = self.called();
        let mut found: Vec<(Span, Unasked)> = Vec::new();
        for (at, unit) in self.program.units.iter().enumerate() {
            let own = unit.kind.is_some_and(|kind| kind != NodeKind::Lemma) && !unit.imported;
            if own && !called[at] {
                let asked = self.claims(unit).into_iter();
                let asked = asked.map(|(name, span)| (span, format!("{}{name}", dotted(unit))));
                found.extend(asked.map(|(span, name)| (span, Unasked { name, span: self.place(span) })));
            }
        }
        found.sort_by_key(|(span, _)| (span.start, span.end));
        found.into_iter().map(|(_, unasked)| unasked).collect()
    }

    /// The proof obligations of a node with a body: its properties and its contracts.
    fn claims(&self, unit: &Unit) -> Vec<(String, Span)> {
        let mut claims: Vec<(String, Span)> =
            unit.properties.iter().map(|property| (property.name.to_string(), property.span)).collect();
        let guarantees = unit.guarantees.iter().enumerate();
        claims.extend(guarantees.map(|(n, clause)| (clause_name("guarantee", clause, n), clause.span)));
        for mode in &unit.modes {
            let ensures = mode.ensures.iter().enumerate();
            let name = |(n, clause)| format!("{}.{}", mode.name.name, clause_name("ensure", clause, n));
            claims.extend(ensures.map(|(n, clause)| (name((n, clause)), clause.span)));
        }
        for import in &unit.imports {
            let contract = self.program.unit(import.unit);
            let inner = self.claims(contract).into_iter();
            claims.extend(inner.map(|(name, _)| (format!("{}{name}", dotted(contract)), import.span)));
        }
        claims
    }

    /// Which units the main node calls or imports, through others or not; itself among them.
    fn called(&self) -> Vec<bool> {
        let mut called = vec![false; self.program.units.len()];
        let mut todo = vec![self.program.main];
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut called[id.0 as usize], true) {
                todo.extend(self.callees(self.program.unit(id)));
            }
        }
        called
    }

    fn callees(&self, unit: &Unit) -> Vec<UnitId> {
        let mut found: Vec<UnitId> = unit.imports.iter().map(|import| import.unit).collect();
        let mut todo = unit.expressions();
        while let Some(id) = todo.pop() {
            if let Meaning::Unit(callee) = self.program.meaning(id) {
                found.push(callee);
            }
            self.program.ast.kind(id).each_child(&mut |child| todo.push(child));
        }
        found
    }

    fn place(&self, span: Span) -> words::Span {
        let (start, end) = (self.source.position(span.start), self.source.position(span.end));
        words::Span { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

fn dotted(unit: &Unit) -> String {
    format!("{}.", unit.name.name)
}

#[cfg(test)]
mod tests {
    const TEXT: &str = r#"node inner(a: bool) returns (b: bool);
let
  b = a;
  --%PROPERTY b;
  check reachable "both" a and b;
tel
contract held(a: bool) returns (b: bool);
let
  guarantee "same" a = b;
  mode up ( require a; ensure b; );
tel
node lonely(a: bool) returns (b: bool);
(*@contract guarantee b => a; import held(a) returns (b); *)
let
  b = a;
  --%PROPERTY b;
  check "never" not b;
tel
node main(a: bool) returns (b: bool);
let
  b = inner(a);
  check reachable "far" b;
  check reachable a from 3;
tel
"#;

    fn asked(text: &str) -> Vec<(String, u32)> {
        let model = crate::read(text.to_string()).map_err(|found| found[0].render("m")).unwrap();
        model.unasked().into_iter().map(|u| (u.name, u.span.line)).collect()
    }

    #[test]
    fn questions_that_are_no_properties_are_told() {
        let expected = [
            ("lonely.guarantee[1]", 13),
            ("lonely.held.same", 13),
            ("lonely.held.up.ensure[1]", 13),
            ("lonely.b", 16),
            ("lonely.never", 17),
        ];
        let expected = expected.map(|(name, line)| (name.to_string(), line));
        assert_eq!(asked(TEXT), expected);
    }

    /// Properties of a node that the main node calls, through others or in a `pre`, are asked of its calls.
    #[test]
    fn properties_of_called_nodes_are_asked() {
        let called = TEXT.replace("b = inner(a);", "b = inner(true -> pre lonely(a));");
        assert_eq!(asked(&called), []);
        let main = TEXT.replace("  --%PROPERTY b;\n  check \"never\"", "  --%MAIN;\n  check \"never\"");
        let names: Vec<String> = asked(&main).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["inner.b", "inner.both", "main.far", "main.a"].map(String::from).to_vec());
    }
}
