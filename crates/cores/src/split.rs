//! Equations cut into their subexpressions, each a definition of its own: the finest elements (Section 5.1 of the
//! paper has the user write auxiliary variables for this).

use buttress_system::words::{Definition, Label, Named, System};
use buttress_term::smtlib::Smtlib;
use buttress_term::{Node, Op, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::Part;

/// The system with a definition for every operator of an equation before it, named after the equation and its
/// text.
pub fn split(system: &System) -> System {
    let mut new = System { definitions: Vec::new(), ..system.clone() };
    let texts = Smtlib::new(&system.terms);
    for definition in &system.definitions {
        let mut image = FxHashMap::default();
        for part in system.terms.cone([definition.value]) {
            if part != definition.value && !system.terms.operands(part).is_empty() {
                let value = new.terms.image(part, &mut image);
                let label = part_label(&texts, &definition.label, part);
                let variable = new.add_definition(value, label);
                image.insert(part, variable);
            }
        }
        let value = new.terms.image(definition.value, &mut image);
        new.definitions.push(Definition { value, ..definition.clone() });
    }
    new
}

/// A system in which what a relation demands is said conjunct by conjunct. VMT-LIB and MoXI have relations: what
/// no function gives is a state that holds as long as every step was one of the relation, and a constraint demands
/// it.
///
/// * Such a state's `next` is x ∧ c₁ ∧ … ∧ cₙ. Each cᵢ becomes a definition: without it, its variable is free, so
///   that cᵢ demands nothing.
/// * A constraint (x ⇒ c₁ ∧ … ∧ cₙ), or the conjunction by itself, becomes one for each cᵢ.
pub struct Relation {
    pub system: System,
    /// Parts that the user did not write: the states that carry the relation, and the `next` of states that is an
    /// input for the next value.
    pub carriers: Vec<Part>,
}

impl Relation {
    pub fn of(system: &System) -> Relation {
        let new = System { constraints: Vec::new(), ..system.clone() };
        let mut relation = Relation { system: new, carriers: Vec::new() };
        for (id, state) in system.state_ids().zip(&system.states) {
            if system.inputs.iter().any(|input| Some(input.variable) == state.next) {
                relation.carriers.push(Part::Next(id));
            }
        }
        let texts = Smtlib::new(&system.terms);
        for constraint in &system.constraints {
            relation.split_constraint(system, constraint, &texts);
        }
        relation
    }

    fn split_constraint(&mut self, system: &System, constraint: &Named, texts: &Smtlib<'_>) {
        let (condition, parts) = as_implication(&system.terms, constraint.term);
        self.carriers.extend(condition.into_iter().flat_map(|c| parts_of(system, c)));
        if let [demanded] = parts[..]
            && self.split_demanded(system, demanded, constraint, texts)
        {
            self.carriers.push(Part::Constraint(self.system.constraints.len()));
            self.system.constraints.push(constraint.clone());
            return;
        }
        for &part in &parts {
            let term = condition.map_or(part, |c| self.system.terms.implies(c, part));
            let label = part_label(texts, &constraint.label, part);
            self.system.constraints.push(Named { term, label });
        }
    }

    /// The conjuncts of the `next` of a state that a constraint demands.
    fn split_demanded(
        &mut self,
        system: &System,
        demanded: TermId,
        constraint: &Named,
        texts: &Smtlib<'_>,
    ) -> bool {
        let state = system.state_ids().find(|&s| system.state(s).variable == demanded);
        let Some((state, next)) = state.and_then(|s| Some((s, system.state(s).next?))) else { return false };
        let parts = conjuncts(&system.terms, next);
        if !parts.contains(&demanded) {
            return false;
        }
        let mut all = vec![demanded];
        for part in parts.into_iter().filter(|&part| part != demanded) {
            let label = part_label(texts, &constraint.label, part);
            all.push(self.system.add_definition(part, label));
        }
        self.system.states[state.index()].next = Some(self.system.terms.all(&all));
        self.carriers.extend(parts_of(system, demanded));
        true
    }
}

/// Of the state with this variable.
fn parts_of(system: &System, variable: TermId) -> Vec<Part> {
    let states = system.state_ids().filter(|&s| system.state(s).variable == variable);
    states.flat_map(|s| [Part::Init(s), Part::Next(s)]).collect()
}

/// x and c₁ … cₙ of x ⇒ c₁ ∧ … ∧ cₙ, or only the latter.
fn as_implication(terms: &Terms, term: TermId) -> (Option<TermId>, Vec<TermId>) {
    if let Node::Apply(Op::Implies, _, &[condition, conclusion]) = terms.node(term) {
        return (Some(condition), conjuncts(terms, conclusion));
    }
    (None, conjuncts(terms, term))
}

/// The parts of nested conjunctions.
fn conjuncts(terms: &Terms, term: TermId) -> Vec<TermId> {
    let (mut parts, mut todo) = (Vec::new(), vec![term]);
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::Apply(Op::And, _, operands) => todo.extend(operands.iter().rev()),
            _ => parts.push(term),
        }
    }
    parts
}

fn part_label(texts: &Smtlib<'_>, of: &Label, part: TermId) -> Label {
    const MOST: usize = 60;
    let text = texts.term(part);
    let text = match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text,
    };
    Label { name: format!("{} / {text}", of.name).into(), span: of.span }
}
