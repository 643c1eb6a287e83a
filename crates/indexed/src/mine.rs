//! Predicates that are found in a model: what its property, start, guards and updates compare.
//!
//! The paper leaves this to the user and names it as the next step (section 10). Here every atom of the property,
//! the start and the steps is a candidate, and of an update F := λu. e so is F(u) = e. In each of them,
//!
//! * an input, a bound symbol or an index symbol becomes an index symbol of its role ([`Roles`]), in all ways;
//! * a place t that is computed, such as pos(i) or a scalar that a map is applied to, may become an index symbol
//!   x, and x = t is a candidate then: so from "hd ≤ pos(i)" come "hd ≤ x" and "x = pos(i)";
//! * numbers whose role is ordered somewhere are compared by = and by <;
//! * an enumeration is compared with each of its constants.
//!
//! Predicates that are nowhere in the model come from proofs ([`proofs`](crate::proofs)).
//!
//! Roles without an index symbol in the property get one of their own. How many symbols a role has is the caller's
//! choice: most protocols need one, some two.

use std::collections::{BTreeMap, BTreeSet};

use buttress_system::PropertyId;
use buttress_system::indexed::Indexed;
use buttress_system::words::{Input, Label, Named};
use buttress_term::{Node, Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::backward::linear::normal;
use crate::problem::Problem;
use crate::roles::{Role, Roles};
use crate::simplify::simplify;
use crate::skeleton::{atoms, lift};

/// Places in one atom that become index symbols, at most.
const FLATTENED: usize = 2;

/// Which candidates are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Index symbols of each role.
    pub width: usize,
    /// Also those in which maps are applied to computed places, or that say that numbers differ by a constant.
    pub nested: bool,
    /// Steps over which the property is carried back, for its atoms there.
    pub depth: usize,
}

/// The sets of candidates that are tried, the smallest first.
pub const ROUNDS: [Wanted; 4] = [
    Wanted { width: 1, nested: false, depth: 0 },
    Wanted { width: 2, nested: false, depth: 0 },
    Wanted { width: 2, nested: true, depth: 0 },
    Wanted { width: 2, nested: true, depth: 1 },
];

/// The model with the predicates of each round that has more than the one before.
pub fn rounds(model: &Indexed, property: PropertyId) -> impl Iterator<Item = Indexed> {
    let mut before = None;
    let rounds = ROUNDS.into_iter().map(move |wanted| mined(model, property, wanted));
    rounds.filter(move |round| {
        let count = round.predicates.len();
        before.replace(count) != Some(count)
    })
}

/// The model with predicates of its own. Those that are given are not looked at.
pub fn mined(model: &Indexed, property: PropertyId, wanted: Wanted) -> Indexed {
    let base = Indexed { predicates: Vec::new(), ..model.clone() };
    let mut problem = Problem::new(&base);
    let mut roles = Roles::of(&base);
    let found = found_atoms(&mut problem, property, wanted.depth);
    found.iter().for_each(|&atom| roles.read(&problem.terms, atom));
    let mut own = Vec::new();
    let symbols = symbols(&mut problem, &mut roles, property, wanted.width, &mut own);
    let mut language = Language { roles, symbols, ordered: BTreeSet::new() };
    language.order(&problem.terms, &found);
    let mut predicates = BTreeSet::new();
    for &atom in &found {
        predicates.extend(language.predicates(&base, &mut problem.terms, atom));
    }
    if !wanted.nested {
        predicates.retain(|&p| language.is_flat(&problem.terms, p));
    }
    let (terms, mut more) = (problem.terms, base.clone());
    for (variable, name) in own {
        more.indices.push(variable);
        more.system.inputs.push(Input { variable, label: Label::new(name) });
    }
    extended(&more, terms, predicates)
}

/// The model with more predicates, over terms that extend its own.
pub(crate) fn extended(model: &Indexed, terms: Terms, predicates: BTreeSet<TermId>) -> Indexed {
    let mut more = model.clone();
    more.system.terms = terms;
    for term in predicates {
        let label = Label::new(format!("p{}", more.predicates.len() + 1));
        more.predicates.push(Named { term, label });
    }
    more
}

/// The atoms of the property, the start, the guards and the updates.
fn found_atoms(problem: &mut Problem<'_>, property: PropertyId, depth: usize) -> Vec<TermId> {
    let mut roots = vec![problem.model.system.property(property).bad];
    let mut last = roots.clone();
    for _ in 0..depth {
        // bad[δ]
        let mut before = Vec::new();
        for step in 0..problem.steps.len() {
            let after = problem.steps[step].after.clone();
            before.extend(last.iter().map(|&t| problem.after(t, &after)));
        }
        roots.extend(&before);
        last = before;
    }
    let mut values: Vec<(TermId, TermId)> = Vec::new();
    let states: Vec<TermId> = problem.model.system.states.iter().map(|s| s.variable).collect();
    for step in std::iter::once(&problem.start).chain(&problem.steps) {
        roots.extend(&step.facts);
        roots.extend(&step.universal);
        values.extend(states.iter().filter_map(|s| step.after.get(s).map(|&value| (*s, value))));
    }
    for (state, value) in values {
        roots.extend(assigned(&mut problem.terms, state, value));
    }
    let (mut found, mut seen, mut lifted) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
    for root in roots {
        let root = simplify(&mut problem.terms, root);
        let root = lift(&mut problem.terms, root, &mut lifted);
        atoms(&problem.terms, &[root], &mut found, &mut seen);
    }
    found
}

/// The equation of an update: F(u) = e or, of Booleans, F(u) and e.
fn assigned(terms: &mut Terms, state: TermId, mut value: TermId) -> Vec<TermId> {
    let mut place = state;
    while let Node::Apply(Op::Lambda, _, &[parameter, body]) = terms.node(value) {
        place = terms.app(Op::Select, &[place, parameter]);
        value = body;
    }
    match terms.sort(place) {
        _ if place == value => Vec::new(),
        Sort::Bool => vec![place, value],
        Sort::Array(_) => Vec::new(),
        _ => vec![terms.eq(place, value)],
    }
}

/// Index symbols of each role that maps are applied to: those of the property, and new ones.
fn symbols(
    problem: &mut Problem<'_>,
    roles: &mut Roles,
    property: PropertyId,
    width: usize,
    own: &mut Vec<(TermId, String)>,
) -> BTreeMap<Role, Vec<TermId>> {
    let mut symbols: BTreeMap<Role, Vec<TermId>> = BTreeMap::new();
    let system = &problem.model.system;
    for state in &system.states {
        let mut sort = system.terms.sort(state.variable);
        let mut place = 0;
        while let Sort::Array(array) = sort {
            if array.index == Sort::Int {
                symbols.entry(roles.argument(state.variable, place)).or_default();
            }
            (sort, place) = (&array.element, place + 1);
        }
    }
    let read = system.terms.free_variables([system.property(property).bad]);
    for &index in problem.model.indices.iter().filter(|i| read.contains(i)) {
        let role = roles.role(&problem.terms, index);
        if let Some(list) = role.and_then(|r| symbols.get_mut(&r)).filter(|list| list.len() < width) {
            list.push(index);
        }
    }
    for list in symbols.values_mut() {
        while list.len() < width {
            let name = format!("x{}", own.len() + 1);
            let symbol = problem.terms.variable(name.clone(), Sort::Int);
            own.push((symbol, name));
            list.push(symbol);
        }
    }
    symbols
}

/// The predicates to which atoms are generalised, by their symbols and roles.
pub(crate) struct Language {
    roles: Roles,
    symbols: BTreeMap<Role, Vec<TermId>>,
    /// Roles whose numbers are compared by order.
    ordered: BTreeSet<Role>,
}

impl Language {
    /// That of the predicates that a model has.
    pub fn of(model: &Indexed) -> Language {
        let (mut roles, terms) = (Roles::of(model), &model.system.terms);
        let predicates: Vec<TermId> = model.predicates.iter().map(|p| p.term).collect();
        let spoken_of = terms.free_variables(predicates.iter().copied());
        let mut symbols: BTreeMap<Role, Vec<TermId>> = BTreeMap::new();
        for &index in model.indices.iter().filter(|i| spoken_of.contains(i)) {
            if let Some(role) = roles.role(terms, index) {
                symbols.entry(role).or_default().push(index);
            }
        }
        let mut language = Language { roles, symbols, ordered: BTreeSet::new() };
        language.order(terms, &predicates);
        language
    }

    fn order(&mut self, terms: &Terms, atoms: &[TermId]) {
        for &atom in atoms {
            if let Node::Apply(Op::Lt | Op::Le | Op::Gt | Op::Ge, _, &[a, b]) = terms.node(atom) {
                self.ordered.extend([a, b].iter().filter_map(|&t| self.roles.role(terms, t)));
            }
        }
    }

    /// An atom in all ways, in the form that predicates have.
    pub fn predicates(&mut self, model: &Indexed, terms: &mut Terms, atom: TermId) -> BTreeSet<TermId> {
        self.roles.read(terms, atom);
        let mut miner = Miner { model, terms, language: self, predicates: BTreeSet::new() };
        for general in miner.generalised(atom) {
            miner.put(general);
        }
        miner.predicates
    }

    /// Whether it applies maps only to index symbols and to what is next to them, and compares no sums.
    fn is_flat(&self, terms: &Terms, predicate: TermId) -> bool {
        let flat = |t: &TermId| match terms.node(*t) {
            Node::Apply(Op::Select, _, &[_, argument]) => self.is_near(terms, argument),
            _ => true,
        };
        let sum = |t: &TermId| matches!(terms.node(*t), Node::Apply(Op::Add | Op::Sub, ..));
        terms.cone([predicate]).iter().all(flat) && !terms.operands(predicate).iter().any(sum)
    }

    fn is_near(&self, terms: &Terms, place: TermId) -> bool {
        let plain = |t: TermId| terms.as_constant(t).is_some() || self.is_symbol(t);
        match terms.node(place) {
            Node::Apply(Op::Add | Op::Sub, _, operands) => operands.iter().all(|&t| plain(t)),
            _ => plain(place),
        }
    }

    fn is_symbol(&self, term: TermId) -> bool {
        self.symbols.values().any(|list| list.contains(&term))
    }

    fn role(&mut self, terms: &Terms, term: TermId) -> Option<Role> {
        self.roles.role(terms, term)
    }

    /// The index symbols of the role of a term.
    fn symbols(&mut self, terms: &Terms, term: TermId) -> Option<Vec<TermId>> {
        let role = self.role(terms, term)?;
        self.symbols.get(&role).cloned()
    }
}

struct Miner<'a> {
    model: &'a Indexed,
    terms: &'a mut Terms,
    language: &'a mut Language,
    predicates: BTreeSet<TermId>,
}

impl Miner<'_> {
    /// An atom over states and index symbols only, in all ways.
    fn generalised(&mut self, atom: TermId) -> Vec<TermId> {
        let states: BTreeSet<TermId> = self.model.system.states.iter().map(|s| s.variable).collect();
        let mut partial: Vec<TermId> = vec![atom];
        for variable in self.terms.free_variables([atom]) {
            if states.contains(&variable) {
                continue;
            }
            let Some(list) = self.language.symbols(self.terms, variable) else { return Vec::new() };
            partial = self.each(&partial, variable, &list);
        }
        let mut all: BTreeSet<TermId> = partial.iter().copied().collect();
        for _ in 0..FLATTENED {
            let mut new = Vec::new();
            for atom in partial {
                new.extend(self.flattened(atom));
            }
            new.retain(|&t| all.insert(t));
            partial = new;
        }
        all.into_iter().collect()
    }

    /// Each of these with each symbol for a variable.
    fn each(&mut self, atoms: &[TermId], variable: TermId, symbols: &[TermId]) -> Vec<TermId> {
        let mut new = Vec::new();
        for &atom in atoms {
            for &symbol in symbols {
                new.push(self.terms.replace(atom, &[(variable, symbol)].into_iter().collect()));
            }
        }
        new
    }

    /// An atom with one computed place replaced by a symbol, and what says that it is this place.
    fn flattened(&mut self, atom: TermId) -> Vec<TermId> {
        let mut new = Vec::new();
        let cone = self.terms.cone([atom]);
        let is_argument = |terms: &Terms, t: TermId| {
            cone.iter().any(|&c| matches!(terms.node(c), Node::Apply(Op::Select, _, &[_, a]) if a == t))
        };
        for &term in &cone {
            let computed = match self.terms.node(term) {
                Node::Apply(Op::Select, ..) => *self.terms.sort(term) == Sort::Int,
                Node::Apply(Op::Add | Op::Sub, ..) => is_argument(self.terms, term),
                Node::Variable(_) => !self.language.is_symbol(term) && is_argument(self.terms, term),
                _ => false,
            };
            let Some(list) = self.language.symbols(self.terms, term).filter(|_| computed) else { continue };
            for symbol in list {
                new.push(self.terms.substitute(&[atom], &[(term, symbol)].into_iter().collect())[0]);
                new.push(self.terms.eq(symbol, term));
            }
        }
        new
    }

    /// An atom in the form that predicates have.
    fn put(&mut self, atom: TermId) {
        let (op, a, b) = match self.terms.node(atom) {
            Node::Apply(op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge), _, &[a, b]) => (op, a, b),
            _ => return self.keep(atom),
        };
        match self.terms.sort(a).clone() {
            Sort::Int if op != Op::Eq && [a, b].iter().any(|&t| self.terms.as_constant(t).is_some()) => {
                self.compare(atom);
            }
            Sort::Int => {
                let same = self.terms.eq(a.min(b), a.max(b));
                self.compare(same);
                let roles = [a, b].map(|t| self.language.role(self.terms, t));
                if op != Op::Eq || roles.iter().flatten().any(|r| self.language.ordered.contains(r)) {
                    let (less, more) = (self.terms.app(Op::Lt, &[a, b]), self.terms.app(Op::Lt, &[b, a]));
                    self.compare(less);
                    self.compare(more);
                }
            }
            sort @ Sort::Enum(_) => {
                let Sort::Enum(e) = &sort else { return };
                for term in
                    [a, b].into_iter().filter(|&t| self.terms.as_constant(t).is_none()).collect::<Vec<_>>()
                {
                    for constant in 0..e.constants.len() as u32 {
                        let constant = self.terms.enum_constant(&sort, constant);
                        let equal = self.terms.eq(term, constant);
                        self.keep(equal);
                    }
                }
            }
            _ => self.keep(atom),
        }
    }

    fn compare(&mut self, atom: TermId) {
        if matches!(self.terms.node(atom), Node::Apply(_, _, &[a, b]) if a == b) {
            return;
        }
        let atom = normal(self.terms, atom, true).unwrap_or(atom);
        self.keep(atom);
    }

    fn keep(&mut self, atom: TermId) {
        let atom = simplify(self.terms, atom);
        if self.terms.as_constant(atom).is_none() {
            self.predicates.insert(atom);
        }
    }
}
