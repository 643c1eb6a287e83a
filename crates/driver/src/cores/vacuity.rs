//! Vacuity: a part of a property that does not matter.
//!
//! In the formula of the property, the part is replaced by an input that nobody reads elsewhere. If the property
//! still holds, it holds whatever the part says: mostly a sign that something else is wrong, such as a premise that
//! is never true. Of a formula of linear time that is trace vacuity: φ is vacuous in ψ where ∀x φ[ψ ← x] holds, x
//! with a value of its own in each step (Armoni, Fix, Flaisher, Grumberg, Piterman, Tiemeyer & Vardi, *Enhanced
//! vacuity detection in linear temporal logic*, CAV 2003). All places of ψ are replaced at once.
//!
//! A property of infinite executions may hold for no reason of its own: because no execution is fair, or none is
//! infinite. That is asked first, as a justice property without signals.
//!
//! Everything that is told was proved, and checked. Only the largest parts are told.

use std::sync::Arc;

use buttress_solve::Stop;
use buttress_system::ltl::{Ltl, Making, NodeId, Says};
use buttress_system::words::{Label, Property, PropertyKind, Role, System};
use buttress_system::{Live, PropertyId, Question};
use buttress_term::infix::infix;
use buttress_term::{Node, Op, Sort, TermId};
use rustc_hash::FxHashMap;

use super::trials::{Means, decide};
use super::{Anatomy, Reducible};
use crate::problem::ClaimId;

/// What of a property does not matter.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Vacuity {
    /// Why it holds whatever it says, where it does.
    pub barren: Option<Barren>,
    /// Parts, as text, that can be replaced by anything.
    pub unneeded: Vec<String>,
    /// Of an implication that always holds, the premise that is never true.
    pub premise: Option<String>,
}

/// Why every property of infinite executions holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Barren {
    /// There is no execution of so many states.
    Ends(usize),
    /// There is no infinite execution that keeps the constraints and meets the fairness of the file.
    Unfair,
}

/// Looks for parts of a property that was proved.
pub fn vacuity(anatomy: &Anatomy, claim: ClaimId, means: &Means, stop: &Stop) -> Vacuity {
    let claim = anatomy.problem.claim(claim);
    if let Some(property) = claim.property() {
        return Vacuity { unneeded: of_state(&anatomy.system, property, means, stop), ..Vacuity::default() };
    }
    let Some((live, number)) = anatomy.live.as_ref().zip(claim.justice()) else { return Vacuity::default() };
    let barren = barren(live, means, stop);
    if barren.is_some() {
        return Vacuity { barren, ..Vacuity::default() };
    }
    match live.question(number.index()) {
        Some(Question::Justice(own)) => {
            let unneeded = of_justice(live, own, means, stop);
            Vacuity { unneeded, ..Vacuity::default() }
        }
        Some(Question::Formula(formula)) => of_formula(anatomy, live, formula, means, stop),
        None => Vacuity::default(),
    }
}

/// Whether there is no fair execution at all.
pub(super) fn barren(live: &Live<System>, means: &Means, stop: &Stop) -> Option<Barren> {
    let nothing = Live { justice: vec![Vec::new()], formulas: Vec::new(), ..live.clone() };
    let asked = decide(Arc::new(nothing), PropertyId::new(0), means, means.patience, stop);
    let answered = asked.ok()?.answer.filter(|answered| answered.accepted.is_proof())?;
    Some(answered.vacuous().map_or(Barren::Unfair, Barren::Ends))
}

fn of_state(system: &System, property: PropertyId, means: &Means, stop: &Stop) -> Vec<String> {
    let formula = formula(system, property);
    // A property whose `bad` is no negation is its own formula.
    let is_bad = system.properties.iter().any(|p| p.bad == formula);
    let holds_without = |part| {
        let (mut other, claim) = without(system, &[formula], part);
        let bad = if is_bad { claim[0] } else { other.terms.not(claim[0]) };
        let label = Label::new("vacuity");
        other.properties.push(Property { bad, kind: PropertyKind::Invariant, label });
        let asked = PropertyId::new(other.properties.len() - 1);
        holds(other, asked, means, stop)
    };
    let parts = system.terms.operands(formula).to_vec();
    largest(system, parts, holds_without)
}

/// The claimed formula: the equation of the property where it is a variable with one.
fn formula(system: &System, property: PropertyId) -> TermId {
    let bad = system.property(property).bad;
    match system.terms.operands(bad) {
        [inner] if *system.terms.sort(*inner) == Sort::Bool => value(system, *inner),
        _ => bad,
    }
}

/// What a variable is defined by, or the term itself.
fn value(system: &System, term: TermId) -> TermId {
    match system.roles()[term.index()] {
        Some(Role::Definition(d)) => system.definitions[d].value,
        _ => term,
    }
}

/// The signals of its own are all that a justice property says.
fn of_justice(live: &Live<System>, own: &[TermId], means: &Means, stop: &Stop) -> Vec<String> {
    let own: Vec<TermId> = own.iter().map(|&q| value(&live.system, q)).collect();
    let holds_without = |part| {
        let (system, own) = without(&live.system, &own, part);
        let justice = vec![own];
        let other = Live { system: Arc::new(system), justice, formulas: Vec::new(), ..live.clone() };
        holds(other, PropertyId::new(0), means, stop)
    };
    largest(&live.system, own.clone(), holds_without)
}

/// The system with one input more, which stands for a part of terms; and these.
fn without(system: &System, terms: &[TermId], part: TermId) -> (System, Vec<TermId>) {
    let mut other = system.clone();
    let anything = other.add_input(Sort::Bool, Label::new("anything"));
    let by: FxHashMap<TermId, TermId> = [(part, anything)].into_iter().collect();
    let images = other.terms.substitute(terms, &by);
    (other, images)
}

fn holds<S: Reducible>(system: S, asked: PropertyId, means: &Means, stop: &Stop) -> bool {
    let asked = decide(Arc::new(system), asked, means, means.patience, stop);
    asked.is_ok_and(|asked| asked.answer.is_some_and(|answered| answered.accepted.is_proof()))
}

/// The Boolean parts without which a property holds; of such a part no smaller ones.
fn largest(system: &System, mut todo: Vec<TermId>, holds_without: impl Fn(TermId) -> bool) -> Vec<String> {
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    todo.reverse();
    while let Some(part) = todo.pop() {
        let open = *system.terms.sort(part) == Sort::Bool && system.terms.as_constant(part).is_none();
        if !open || seen.contains(&part) {
            continue;
        }
        seen.push(part);
        if let Node::Apply(Op::Not, _, of) = system.terms.node(part) {
            todo.extend_from_slice(of);
            continue;
        }
        match holds_without(part) {
            true => found.push(infix(&system.terms, part)),
            false => todo.extend(system.terms.operands(part).iter().rev()),
        }
    }
    found
}

fn of_formula(
    anatomy: &Anatomy,
    live: &Live<System>,
    formula: &Ltl<TermId>,
    means: &Means,
    stop: &Stop,
) -> Vacuity {
    let name = |signal: TermId| infix(&anatomy.system.terms, signal);
    let holds_without = |part: NodeId| {
        let mut system = (*live.system).clone();
        let anything = system.add_input(Sort::Bool, Label::new("anything"));
        let formulas = vec![replaced(formula, part, anything)];
        let other = Live { system: Arc::new(system), justice: Vec::new(), formulas, ..live.clone() };
        holds(other, PropertyId::new(0), means, stop)
    };
    let mut found = Vacuity::default();
    let implication = always_implies(formula);
    let mut todo: Vec<NodeId> = formula.says(formula.root()).operands().collect();
    let mut seen = Vec::new();
    while let Some(part) = todo.pop() {
        if seen.contains(&part) || matches!(formula.says(part), Says::Constant(_)) {
            continue;
        }
        seen.push(part);
        // What does not matter negated does not matter.
        if matches!(formula.says(part), Says::Not(_)) || !holds_without(part) {
            todo.extend(formula.says(part).operands());
            continue;
        }
        found.unneeded.push(formula.text(part, &name));
        // With G (¬a ∨ x) for all x, never a.
        let concluded =
            |conclusion: NodeId| conclusion == part || formula.says(conclusion) == Says::Not(part);
        if let Some((premise, _)) = implication.filter(|&(_, conclusion)| concluded(conclusion)) {
            found.premise = Some(formula.text(premise, &name));
        }
    }
    found
}

/// The formula with a signal in the place of a node.
fn replaced(formula: &Ltl<TermId>, part: NodeId, anything: TermId) -> Ltl<TermId> {
    let mut making = Making::default();
    let mut images: Vec<NodeId> = Vec::new();
    for (place, says) in formula.nodes().iter().enumerate() {
        let image = match place == part.index() {
            true => making.add(Says::Signal(anything)),
            false => making.add(says.map(|signal| signal, |node| images[node.index()])),
        };
        images.push(image);
    }
    making.finish(images[formula.root().index()])
}

/// Of G (¬a ∨ b), a and b.
fn always_implies(formula: &Ltl<TermId>) -> Option<(NodeId, NodeId)> {
    let Says::Release(never, always) = formula.says(formula.root()) else { return None };
    let (Says::Constant(false), Says::Or(a, b)) = (formula.says(never), formula.says(always)) else {
        return None;
    };
    let premise = |of: NodeId| match formula.says(of) {
        Says::Not(premise) => Some(premise),
        _ => None,
    };
    premise(a).map(|premise| (premise, b)).or_else(|| premise(b).map(|premise| (premise, a)))
}
