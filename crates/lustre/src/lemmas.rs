//! Lemmas about a model: Boolean expressions over the variables of its main node, as properties that are added to
//! it.
//!
//! The model is read again with `check (lemma);` before the `tel` of its main node, a line for each. So a lemma
//! may use all that an equation of this node may, and means the same. What is added only watches: no lemma can
//! restrict the model, and one that brings constraints of its own (a call of a node with an `assert`) is refused.

use buttress_format::{Diagnostic, Position, Severity};
use buttress_system::PropertyId;
use buttress_system::words::System;
use buttress_term::{Node, Op, TermId, Terms};
use num_bigint::BigInt;

use crate::lexer::{Tok, lex};
use crate::source::Findings;
use crate::{Lowered, LustreModel, lower, read};

/// A model with lemmas.
pub struct Extended {
    pub model: LustreModel,
    pub lowered: Lowered,
    /// The properties of the model as it was, in their order.
    pub own: Vec<PropertyId>,
    /// The properties that the lemmas are.
    pub lemmas: Vec<PropertyId>,
}

/// The number of each wrong lemma, with a diagnostic.
pub type Wrong = Vec<(usize, Diagnostic)>;

/// The text before a lemma in its line.
const BEFORE: &str = "check (";

/// Reads the model again with these expressions, none of which has a line end in it. Where they are wrong: the
/// number of the lemma, with a diagnostic whose column counts from its first character.
pub fn with_lemmas(model: &LustreModel, lemmas: &[&str]) -> Result<Extended, Wrong> {
    let text = model.source.text();
    let Some(tel) = end_of_main(model) else {
        return Err(vec![(0, Diagnostic::new("the main node has no body to state lemmas in"))]);
    };
    let added: String = lemmas.iter().map(|lemma| format!("\n{BEFORE}{lemma});")).collect();
    let extended = format!("{}{added}\n{}", &text[..tel], &text[tel..]);
    let first = text[..tel].matches('\n').count() as u32 + 2;
    let place = |d: Diagnostic| placed(d, first, lemmas);
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let wrong = |all: Vec<Diagnostic>| -> Wrong { all.into_iter().filter(is_error).map(place).collect() };
    let again = read(extended).map_err(wrong)?;
    let lowered = lower(&again).map_err(wrong)?;
    let before = lower(model).map_err(wrong)?.system.constraints.len();
    if lowered.system.constraints.len() != before {
        let restricts = "a lemma may not bring constraints: it calls a node that has some";
        return Err(vec![(0, Diagnostic::new(restricts))]);
    }
    let line = |p: &PropertyId| lowered.system.property(*p).label.span.map(|span| span.line);
    let is_added = |p: &PropertyId| line(p).is_some_and(|l| l >= first && l < first + lemmas.len() as u32);
    let (mut added, own): (Vec<_>, Vec<_>) = lowered.system.property_ids().partition(is_added);
    added.sort_by_key(line);
    if added.len() != lemmas.len() {
        let more = "a lemma may not have obligations of its own, such as an index that must be in range";
        return Err(vec![(0, Diagnostic::new(more))]);
    }
    Ok(Extended { model: again, lowered, own, lemmas: added })
}

/// Reads expressions, Booleans or numbers, over the variables of the main node: a system that has the model's
/// variables, and the terms in it. A number is read as one side of a comparison: that can stand where a lemma can.
pub fn with_terms(model: &LustreModel, texts: &[&str]) -> Result<(System, Vec<TermId>), Wrong> {
    let mut comparisons = vec![None; texts.len()];
    let first = match read_terms(model, texts, &comparisons) {
        Ok(read) => return Ok(read),
        Err(wrong) => wrong,
    };
    let mut wrong: Vec<usize> = first.iter().map(|(number, _)| *number).collect();
    for zero in ["0", "0.0"] {
        wrong.iter().for_each(|&number| comparisons[number] = Some(zero));
        match read_terms(model, texts, &comparisons) {
            Ok(read) => return Ok(read),
            Err(still) => wrong = still.into_iter().map(|(number, _)| number).collect(),
        }
    }
    // That it is not Boolean is the least of what is wrong with it.
    let of = |number: usize| first.iter().filter(move |(n, _)| *n == number).cloned();
    let is_sort = |(_, d): &(usize, Diagnostic)| d.message.contains("expected bool");
    Err(wrong.iter().flat_map(|&n| of(n).filter(|d| !is_sort(d)).chain(of(n).filter(is_sort))).collect())
}

/// Some of them as what is compared with a zero.
fn read_terms(
    model: &LustreModel,
    texts: &[&str],
    comparisons: &[Option<&str>],
) -> Result<(System, Vec<TermId>), Wrong> {
    let stated = |(text, zero): (&&str, &Option<&str>)| match zero {
        Some(zero) => format!("({text}) <= {zero}"),
        None => text.to_string(),
    };
    let stated: Vec<String> = texts.iter().zip(comparisons).map(stated).collect();
    let extended = with_lemmas(model, &stated.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut system = (*extended.lowered.system).clone();
    let mut terms = Vec::new();
    for (number, property) in extended.lemmas.iter().enumerate() {
        let bad = system.property(*property).bad;
        let term = match comparisons[number] {
            None => Some(system.terms.not(bad)),
            Some(_) => compared(&system.terms, bad).or_else(|| literal(&mut system.terms, texts[number])),
        };
        let constant = Diagnostic::new("this term reads no variable").at(Position::text(1, 1));
        let wrong = || vec![(number, constant.with_source(texts[number]))];
        terms.push(term.ok_or_else(wrong)?);
    }
    Ok((system, terms))
}

/// The operand that a comparison with a constant, or its negation, compares.
fn compared(terms: &Terms, comparison: TermId) -> Option<TermId> {
    let operands = match terms.node(comparison) {
        Node::Apply(Op::Not, _, &[inner]) => terms.operands(inner),
        _ => terms.operands(comparison),
    };
    operands.iter().copied().find(|&t| terms.as_constant(t).is_none())
}

/// A number by itself: what it is compared with leaves no trace of it.
fn literal(terms: &mut Terms, text: &str) -> Option<TermId> {
    let number: BigInt = text.trim().parse().ok()?;
    Some(terms.int(number))
}

/// Where the `tel` of the main node begins.
fn end_of_main(model: &LustreModel) -> Option<usize> {
    let name = &model.program.unit(model.program.main).name;
    let tokens = lex(model.source.text(), &mut Findings::default());
    let tel = tokens.iter().find(|t| t.tok == Tok::Tel && t.span.start > name.span.start)?;
    Some(tel.span.start as usize)
}

/// The lemma that a diagnostic is about, and the place in it.
fn placed(diagnostic: Diagnostic, first: u32, lemmas: &[&str]) -> (usize, Diagnostic) {
    let Some(at) = diagnostic.position else { return (0, diagnostic) };
    let lemma = (at.line.saturating_sub(first) as usize).min(lemmas.len().saturating_sub(1));
    let column = at.column.saturating_sub(BEFORE.len() as u32).max(1);
    let within = column.min(lemmas[lemma].len() as u32 + 1);
    (lemma, diagnostic.at(Position::text(1, within)).with_source(lemmas[lemma]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttress_term::Sort;

    const M2: &str = "node m2() returns (x, y: int);
var goal: bool;
let
  x = 1 -> pre x + pre y;
  y = 1 -> pre y + pre x;
  goal = y >= 1;
  --%PROPERTY goal;
tel;
node never(a: bool) returns (b: bool);
let
  b = a;
  assert not a;
  --%MAIN
tel;
";

    fn model() -> LustreModel {
        read(M2.replace("  --%MAIN\n", "").replace("goal;\ntel", "goal;\n  --%MAIN\ntel"))
            .expect("it is read")
    }

    #[test]
    fn terms_are_booleans_or_numbers() {
        let (system, terms) = with_terms(&model(), &["x + y", "goal", "x - 1"]).expect("all are right");
        let sorts: Vec<_> = terms.iter().map(|&t| system.terms.sort(t).clone()).collect();
        assert_eq!(sorts, [Sort::Int, Sort::Bool, Sort::Int]);
        let Node::Apply(Op::Add, _, &[x, y]) = system.terms.node(terms[0]) else { panic!("it is a sum") };
        assert!(system.terms.is_variable(x) && system.terms.is_variable(y) && x != y);
        let Err(wrong) = with_terms(&model(), &["goal", "x + z"]) else { panic!("there is no z") };
        assert_eq!(wrong[0].0, 1);
        assert!(wrong[0].1.message.contains('z'), "{}", wrong[0].1.message);
    }

    #[test]
    fn lemmas_are_properties_after_the_models_own() {
        let extended = with_lemmas(&model(), &["x >= 0", "y >= pre x or true"]).expect("both are right");
        assert_eq!((extended.own.len(), extended.lemmas.len()), (1, 2));
        let system = &extended.lowered.system;
        assert_eq!(&*system.property(extended.own[0]).label.name, "goal");
    }

    #[test]
    fn mistakes_are_found_in_the_lemma() {
        for (lemmas, lemma, column, what) in [
            (["x >= 0", "y >= z"], 1, 6, "z"),
            (["x >= ", "y >= 1"], 0, 6, ""),
            (["x + 1", "y >= 1"], 0, 1, "bool"),
        ] {
            let wrong = with_lemmas(&model(), &lemmas).err().expect("refused");
            let (which, diagnostic) = &wrong[0];
            assert_eq!(*which, lemma, "{lemmas:?}: {}", diagnostic.message);
            assert!(diagnostic.message.contains(what), "{}", diagnostic.message);
            assert_eq!(diagnostic.position.expect("it has a place").column, column, "{}", diagnostic.message);
        }
    }

    /// A lemma that restricts the model would prove anything.
    #[test]
    fn a_lemma_with_constraints_is_refused() {
        let wrong = with_lemmas(&model(), &["never(x >= 0) or true"]).err().expect("refused");
        assert!(wrong[0].1.message.contains("constraints"), "{}", wrong[0].1.message);
    }
}
