//! Quantifier instantiation (section 6): which terms index symbols are replaced by.
//!
//! γ_Π(S) = { s | ∀π ∈ Π: ⟨φ[π/X]⟩ ∈ S } ⊇ γ(S). Π is the product, over the index symbols, of the subexpressions
//! of the predicates and next-state expressions that have the role of the symbol ([`Roles`]); the identity is
//! always in it, so Π is never empty. Where the product is large, only arguments of maps are taken. Any Π is sound
//! (theorem 4).

use buttress_system::indexed::{Indexed, Instance};
use buttress_term::{Node, Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::roles::Roles;

/// More instances than this are not wanted where fewer will do.
const MANY: usize = 48;

/// The instances for a formula made of these terms.
pub fn instances(model: &Indexed, terms: &mut Terms, roles: &mut Roles, roots: &[TermId]) -> Vec<Instance> {
    let any = candidates(model, terms, roles, roots, false);
    let product: usize = any.iter().map(Vec::len).product();
    let choices = if product <= MANY { any } else { candidates(model, terms, roles, roots, true) };
    let mut all = choices.iter().fold(vec![Instance(Vec::new())], |partial, own| extended(&partial, own));
    for instance in derived(model, terms, roles, &choices) {
        if !all.contains(&instance) {
            all.push(instance);
        }
    }
    all
}

/// Each of these with each choice for the next index symbol.
fn extended(partial: &[Instance], choices: &[TermId]) -> Vec<Instance> {
    let longer = |p: &Instance| {
        let p = p.clone();
        choices.iter().map(move |&c| Instance(p.0.iter().copied().chain([c]).collect()))
    };
    partial.iter().flat_map(longer).collect()
}

/// Where a predicate relates two index symbols, such as j = pos(i): what it says of a candidate for the one,
/// pos(c), is an instance of the others, together with that candidate only.
fn derived(model: &Indexed, terms: &mut Terms, roles: &mut Roles, choices: &[Vec<TermId>]) -> Vec<Instance> {
    let mut all: Vec<Instance> = Vec::new();
    for (place, own) in choices.iter().enumerate() {
        for &candidate in own.iter().skip(1) {
            let by = [(model.indices[place], candidate)].into_iter().collect();
            let said: Vec<TermId> = model.predicates.iter().map(|p| terms.replace(p.term, &by)).collect();
            let more = candidates(model, terms, roles, &said, false);
            let mut partial = vec![Instance(Vec::new())];
            for (other, &index) in model.indices.iter().enumerate() {
                let options: Vec<TermId> = match other == place {
                    true => vec![candidate],
                    false => about(terms, &more[other], index, candidate),
                };
                partial = extended(&partial, &options);
            }
            all.extend(partial);
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The index symbol itself, and of these terms those that speak of a candidate for another one.
fn about(terms: &Terms, among: &[TermId], index: TermId, candidate: TermId) -> Vec<TermId> {
    let speaks = |t: &TermId| *t != index && terms.cone([*t]).contains(&candidate);
    std::iter::once(index).chain(among.iter().copied().filter(speaks)).collect()
}

/// For each index symbol itself and what may stand for it.
fn candidates(
    model: &Indexed,
    terms: &Terms,
    roles: &mut Roles,
    roots: &[TermId],
    arguments_only: bool,
) -> Vec<Vec<TermId>> {
    let cone = terms.cone(roots.iter().copied());
    let is_argument = |t: TermId| {
        cone.iter()
            .any(|&c| matches!(terms.node(c), Node::Apply(Op::Select, _, &[_, argument]) if argument == t))
    };
    let mut all = Vec::new();
    let spoken_of = terms.free_variables(model.predicates.iter().chain(&model.axioms).map(|p| p.term));
    for &index in &model.indices {
        if !spoken_of.contains(&index) {
            all.push(vec![index]);
            continue;
        }
        let (sort, role) = (terms.sort(index).clone(), roles.role(terms, index));
        let mut own = vec![index];
        let found = cone.iter().chain(&model.instantiations).copied();
        for term in found {
            let given = model.instantiations.contains(&term);
            let fits = *terms.sort(term) == sort
                && term != index
                && (given || is_place(terms, term))
                && (given || roles.role(terms, term) == role && role.is_some())
                && (given || !arguments_only || is_argument(term));
            if fits && !own.contains(&term) {
                own.push(term);
            }
        }
        all.push(own);
    }
    all
}

/// Variables, applications and sums: no case distinctions, no plain numbers, nothing Boolean that is composed.
fn is_place(terms: &Terms, term: TermId) -> bool {
    match terms.node(term) {
        Node::Constant(_) => false,
        Node::Variable(_) => true,
        Node::Apply(Op::Select | Op::Add | Op::Sub, ..) => {
            *terms.sort(term) != Sort::Bool
                && !terms.cone([term]).iter().any(|&t| matches!(terms.node(t), Node::Apply(Op::Ite, ..)))
        }
        Node::Apply(..) => false,
    }
}

/// Instances of the axioms for a formula made of these terms: each axiom's own index symbols are replaced, others
/// stay.
pub fn axiom_instances(model: &Indexed, terms: &Terms, roles: &mut Roles, roots: &[TermId]) -> Vec<Instance> {
    let candidates = candidates(model, terms, roles, roots, false);
    let mut all: Vec<Instance> = Vec::new();
    for axiom in &model.axioms {
        let read = terms.free_variables([axiom.term]);
        let mut partial = vec![Instance(Vec::new())];
        for (&index, candidates) in model.indices.iter().zip(&candidates) {
            let choices: &[TermId] = if read.contains(&index) { candidates } else { &[index] };
            partial = extended(&partial, choices);
        }
        all.extend(partial);
    }
    all.sort();
    all.dedup();
    all
}

/// The substitution of an instance: index symbols to terms.
pub fn substitution(model: &Indexed, instance: &Instance) -> FxHashMap<TermId, TermId> {
    model.indices.iter().copied().zip(instance.0.iter().copied()).collect()
}
