//! Boolean quantifier elimination by decision diagrams (section 7).
//!
//! The formula of (13) becomes a diagram over the atoms A and the predicates P after the step:
//! `f = facts ∧ ⋀_π ρ(φ[π]) ∧ ⋀ (p ⇔ φ_p[δ]) ∧ T`, with T the lemmas of the theory that are known. A product that
//! implies f is taken from it; its literals over A are given to a solver. If no numbers and maps fit them, the
//! core is a new lemma, for this and all later formulas. If some do, the literals of the product over P are part
//! of the image. Either way f gets smaller, and when it is 0 every abstract state in the image has been met.
//!
//! Instances are taken on demand: at first the identity only. Where numbers and maps fit a product, the other
//! instances are evaluated with them; one that they violate joins f, for this step for good.
//!
//! A product over P is taken as a whole where its literals over A fit together: of the abstract states in it, one
//! is certainly in the image. So the result contains the image, which is what soundness needs; it is larger only
//! where T lacks a lemma that no product has asked for. [`images`](crate::images) is exact, and slower.

use buttress_solve::Stopped;
use buttress_solve::bdd::{Bdd, Bdds, Substitution};
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Core, Model, Session, Solver};
use buttress_term::{Node, Op, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use crate::skeleton::{atoms, is_connective, lift};

/// A step as skeletons.
pub struct Skeleton {
    pub facts: Vec<TermId>,
    pub outputs: Vec<TermId>,
    /// Of each instance, the predicates before the step.
    pub instances: Vec<Vec<TermId>>,
}

impl Skeleton {
    /// Lifts all of it.
    pub fn new(
        terms: &mut Terms,
        facts: &[TermId],
        outputs: &[TermId],
        instances: &[Vec<TermId>],
    ) -> Skeleton {
        let mut known = FxHashMap::default();
        let mut all = |list: &[TermId]| list.iter().map(|&t| lift(terms, t, &mut known)).collect::<Vec<_>>();
        Skeleton {
            facts: all(facts),
            outputs: all(outputs),
            instances: instances.iter().map(|list| all(list)).collect(),
        }
    }
}

/// Diagrams over predicates and atoms.
pub struct Space {
    pub bdds: Bdds,
    /// The variable of each predicate.
    pub predicates: Vec<u32>,
    /// The variable of each atom.
    variables: FxHashMap<TermId, u32>,
    /// The atom of each variable; `None` for predicates.
    atoms: Vec<Option<TermId>>,
    /// The predicate of each variable that is one.
    places: FxHashMap<u32, u32>,
    /// Lemmas of the theory: products that no numbers and maps fit.
    impossible: Vec<Vec<(TermId, bool)>>,
    session: Session,
}

/// A step in diagrams.
pub struct Relation {
    /// facts ∧ ⋀ (p ⇔ φ_p[δ])
    relation: Bdd,
    /// Of each instance, the predicates before the step.
    instances: Vec<Vec<TermId>>,
    /// Those that are used.
    active: Vec<(usize, Substitution)>,
    atoms: Vec<TermId>,
    /// How many lemmas are in `relation`.
    lemmas: usize,
}

impl Space {
    /// For these steps. An atom stands close to the predicate in whose formula it occurs first.
    pub fn new(
        terms: &mut Terms,
        steps: &[Skeleton],
        predicates: usize,
        manager: impl FnOnce(usize) -> Result<Bdds, Stopped>,
        mut session: Session,
    ) -> Result<Space, Stopped> {
        let (mut seen, mut order): (FxHashMap<TermId, ()>, Vec<Option<TermId>>) = Default::default();
        let (mut places, mut variables) = (FxHashMap::default(), FxHashMap::default());
        let mut of_predicate = Vec::new();
        let mut add = |roots: &[TermId], order: &mut Vec<Option<TermId>>| {
            let mut found = Vec::new();
            atoms(terms, roots, &mut found, &mut seen);
            for atom in found {
                variables.insert(atom, order.len() as u32);
                order.push(Some(atom));
            }
        };
        steps.iter().for_each(|step| add(&step.facts, &mut order));
        for place in 0..predicates {
            of_predicate.push(order.len() as u32);
            places.insert(order.len() as u32, place as u32);
            order.push(None);
            for step in steps {
                add(&[step.outputs[place]], &mut order);
                step.instances.iter().for_each(|list| add(&[list[place]], &mut order));
            }
        }
        let all: Vec<TermId> = order.iter().flatten().copied().collect();
        for range in terms.ranges(&all) {
            session.assert(terms, range);
        }
        let bdds = manager(order.len())?;
        let impossible = Vec::new();
        Ok(Space { bdds, predicates: of_predicate, variables, atoms: order, places, impossible, session })
    }

    /// Questions asked about the theory.
    pub fn queries(&self) -> u64 {
        self.session.queries()
    }

    /// How many atoms there are.
    pub fn atoms(&self) -> usize {
        self.variables.len()
    }

    /// How many lemmas of the theory were found.
    pub fn lemmas(&self) -> usize {
        self.impossible.len()
    }

    pub fn relation(&self, terms: &Terms, step: &Skeleton) -> Result<Relation, Stopped> {
        let mut known = FxHashMap::default();
        let mut relation = self.bdds.constant(true);
        for &fact in &step.facts {
            relation = self.bdds.and(&relation, &self.formula(terms, fact, &mut known)?)?;
        }
        for (place, &output) in step.outputs.iter().enumerate() {
            let value = self.formula(terms, output, &mut known)?;
            let letter = self.bdds.variable(self.predicates[place]);
            relation = self.bdds.and(&relation, &self.bdds.equal(&letter, &value)?)?;
        }
        let roots: Vec<TermId> =
            step.facts.iter().chain(&step.outputs).chain(step.instances.iter().flatten()).copied().collect();
        let mut own = Vec::new();
        atoms(terms, &roots, &mut own, &mut FxHashMap::default());
        own.sort_unstable();
        let mut relation = Relation {
            relation,
            instances: step.instances.clone(),
            active: Vec::new(),
            atoms: own,
            lemmas: 0,
        };
        if !relation.instances.is_empty() {
            self.activate(terms, &mut relation, 0)?;
        }
        Ok(relation)
    }

    /// From now on this instance is used.
    fn activate(&self, terms: &Terms, step: &mut Relation, instance: usize) -> Result<(), Stopped> {
        let (mut pairs, mut known) = (Vec::new(), FxHashMap::default());
        for (place, &predicate) in step.instances[instance].iter().enumerate() {
            pairs.push((self.predicates[place], self.formula(terms, predicate, &mut known)?));
        }
        step.active.push((instance, self.bdds.substitution(pairs)));
        Ok(())
    }

    fn formula(
        &self,
        terms: &Terms,
        term: TermId,
        known: &mut FxHashMap<TermId, Bdd>,
    ) -> Result<Bdd, Stopped> {
        if let Some(known) = known.get(&term) {
            return Ok(known.clone());
        }
        let formula = match terms.node(term) {
            Node::Constant(value) => self.bdds.constant(*value == Value::Bool(true)),
            Node::Apply(op, _, operands) if is_connective(terms, op, operands) => {
                let mut parts = Vec::new();
                for &operand in operands {
                    parts.push(self.formula(terms, operand, known)?);
                }
                self.joined(op, &parts)?
            }
            _ => self.bdds.variable(self.variables[&term]),
        };
        known.insert(term, formula.clone());
        Ok(formula)
    }

    fn joined(&self, op: Op, parts: &[Bdd]) -> Result<Bdd, Stopped> {
        let bdds = &self.bdds;
        match op {
            Op::Not => bdds.not(&parts[0]),
            Op::And => parts.iter().try_fold(bdds.constant(true), |all, part| bdds.and(&all, part)),
            Op::Or => parts.iter().try_fold(bdds.constant(false), |any, part| bdds.or(&any, part)),
            Op::Implies => bdds.or(&bdds.not(&parts[0])?, &parts[1]),
            Op::Eq => bdds.equal(&parts[0], &parts[1]),
            Op::Xor => bdds.not(&bdds.equal(&parts[0], &parts[1])?),
            _ => bdds.ite(&parts[0], &parts[1], &parts[2]),
        }
    }

    /// The image of γ_Π(ring) under the step, without the known states.
    pub fn image(
        &mut self,
        terms: &mut Terms,
        step: &mut Relation,
        ring: &Bdd,
        known: &Bdd,
    ) -> Result<Bdd, Stopped> {
        self.catch_up(step)?;
        let mut open = self.bdds.minus(&step.relation, known)?;
        for (_, instance) in &step.active {
            open = self.bdds.and(&open, &self.bdds.compose(ring, instance)?)?;
        }
        let mut image = self.bdds.constant(false);
        while let Some(product) = open.implicant() {
            let literals: Vec<(TermId, bool)> =
                product.iter().filter_map(|&(v, value)| Some((self.atoms[v as usize]?, value))).collect();
            let conflict = self.conflict(terms, &literals)?;
            let violated = match &conflict {
                Some(_) => None,
                None => self.violated(terms, step, ring)?,
            };
            match (conflict, violated) {
                (Some(core), _) => {
                    let excluded = self.product(&core)?;
                    open = self.bdds.minus(&open, &excluded)?;
                    self.impossible.push(core);
                }
                (None, Some(instance)) => {
                    self.activate(terms, step, instance)?;
                    let (_, added) = step.active.last().expect("it was added");
                    open = self.bdds.and(&open, &self.bdds.compose(ring, added)?)?;
                }
                (None, None) => {
                    let after = product.iter().filter(|(v, _)| self.places.contains_key(v)).copied();
                    let after = self.bdds.product(after)?;
                    open = self.bdds.minus(&open, &after)?;
                    image = self.bdds.or(&image, &after)?;
                }
            }
        }
        Ok(image)
    }

    /// An instance that is not used and that the last model violates.
    fn violated(&mut self, terms: &Terms, step: &Relation, ring: &Bdd) -> Result<Option<usize>, Stopped> {
        let waiting: Vec<usize> =
            (0..step.instances.len()).filter(|i| step.active.iter().all(|(a, _)| a != i)).collect();
        let asked: Vec<TermId> = waiting.iter().flat_map(|&i| step.instances[i].iter().copied()).collect();
        let Some(values) = self.session.values(terms, &asked)? else { return Ok(None) };
        for (values, &instance) in values.chunks(self.predicates.len().max(1)).zip(&waiting) {
            let literal = |(&variable, value): (&u32, &Value)| (variable, *value == Value::Bool(true));
            let state = self.bdds.product(self.predicates.iter().zip(values).map(literal))?;
            if self.bdds.minus(&state, ring)?.constant() != Some(false) {
                return Ok(Some(instance));
            }
        }
        Ok(None)
    }

    /// Puts new lemmas about a step's atoms into its relation.
    fn catch_up(&self, step: &mut Relation) -> Result<(), Stopped> {
        for lemma in &self.impossible[step.lemmas..] {
            if lemma.iter().all(|(atom, _)| step.atoms.binary_search(atom).is_ok()) {
                step.relation = self.bdds.minus(&step.relation, &self.product(lemma)?)?;
            }
        }
        step.lemmas = self.impossible.len();
        Ok(())
    }

    fn product(&self, literals: &[(TermId, bool)]) -> Result<Bdd, Stopped> {
        self.bdds.product(literals.iter().map(|(atom, value)| (self.variables[atom], *value)))
    }

    /// Some of these literals that do not fit together, if they do not; as few as can be.
    fn conflict(
        &mut self,
        terms: &mut Terms,
        literals: &[(TermId, bool)],
    ) -> Result<Option<Vec<(TermId, bool)>>, Stopped> {
        let mut core = match self.inconsistent(terms, literals)? {
            None => return Ok(None),
            Some(core) => core,
        };
        let mut place = 0;
        while place < core.len() && core.len() > 2 {
            let mut fewer = core.clone();
            fewer.remove(place);
            match self.inconsistent(terms, &fewer)? {
                Some(smaller) => core = smaller,
                None => place += 1,
            }
        }
        Ok(Some(core))
    }

    fn inconsistent(
        &mut self,
        terms: &mut Terms,
        literals: &[(TermId, bool)],
    ) -> Result<Option<Vec<(TermId, bool)>>, Stopped> {
        let mut assumptions = Vec::new();
        for &(atom, value) in literals {
            assumptions.push(if value { atom } else { terms.not(atom) });
        }
        // ⋀ (¬)a
        if self.session.check(terms, &assumptions)? == Outcome::Sat {
            return Ok(None);
        }
        let core = self.session.core(terms)?;
        let needed = |(_, t): &(usize, &TermId)| core.contains(t);
        let kept = assumptions.iter().enumerate().filter(needed).map(|(place, _)| literals[place]).collect();
        Ok(Some(kept))
    }

    /// A set of abstract states in another manager, where predicate p is variable p.
    pub fn transfer(&self, set: &Bdd, into: &Bdds) -> Result<Bdd, Stopped> {
        let products = crate::images::products(&self.bdds, set)?;
        products.iter().try_fold(into.constant(false), |sum, product| {
            let product = into.product(product.iter().map(|(v, value)| (self.places[v], *value)))?;
            into.or(&sum, &product)
        })
    }
}
