//! Clauses, conjectured together. Models that refute one refute many, but the proof that none of thousands fails
//! is hard for a SAT solver that sees one large disjunction. So it is asked of some clauses at a time whether one
//! of them fails, in a way that makes the solver look for models in which as many as possible do: "this one fails"
//! is a variable that is decided to be true, and signals of all clauses that are open are decided against them. On
//! `rast-p00` with 1,000 signals that takes 29 questions, not 4,139. Solvers that look at the cone of some clauses
//! only were tried: their questions are cheaper, but models refute less.
//!
//! Supposed clauses are switched on by assumptions, and those that a block of clauses needs not to fail are
//! remembered: the block is not asked about again before one of them is supposed no more.

use buttress_solve::Stopped;
use buttress_solve::sat::{self, Outcome};
use buttress_system::{BitSystem, Clause};
use rustc_hash::FxHashSet;

use super::{Bits, path_of};
use crate::refuter::ask_all;
use crate::unrolling::{Incremental, Unrolling};
use crate::{Answer, Conjecture, From, Judge, Path, Refuter};

/// Clauses that are asked about in one question of the solver.
const TOGETHER: usize = 64;

/// Clauses that are supposed by one assumption: thousands of assumptions take longer than the search. Where one of
/// them is supposed no more, the others go into so many smaller groups.
const GROUP: usize = 64;
const PARTS: usize = 8;

/// Questions from the same states, of the same length.
pub(super) struct Conjectures<S> {
    from: From,
    steps: usize,
    unrolling: Unrolling<S>,
    /// The supposed clauses, by number; `None` for groups that are supposed no more.
    groups: Vec<Option<Group>>,
    held: Vec<Held>,
}

/// Clauses that hold in every state before the last, where the switch is assumed.
struct Group {
    switch: sat::Lit,
    clauses: Vec<Clause>,
}

/// Clauses that hold in the last state.
struct Held {
    clauses: Vec<Clause>,
    /// Where these groups are supposed.
    needs: Vec<usize>,
}

impl<S: Incremental, M: FnMut() -> S> Refuter<BitSystem, Clause> for Bits<S, M> {
    fn refute(
        &mut self,
        conjecture: &Conjecture<'_, Clause>,
        judge: &mut Judge<'_, Path>,
    ) -> Result<Answer, Stopped> {
        let system = self.system.clone();
        let mut conjectures = match self.conjectures.take() {
            Some(known) if known.from == conjecture.from && known.steps == conjecture.steps => known,
            _ => self.begin(conjecture)?,
        };
        conjectures.suppose(&system, conjecture.supposed);
        let mut held = conjectures.held.iter().flat_map(|held| &held.clauses).cloned().collect();
        let answer = ask_all(conjecture.conjuncts, &mut held, TOGETHER, |some, open| {
            open.iter().for_each(|&c| conjectures.prefer_failing(&system, &conjecture.conjuncts[c]));
            let path = conjectures.one_fails(&system, some)?;
            let refuted = path.as_ref().map(|path| judge(path, open));
            assert_ne!(refuted, Some(false), "a model of a SAT solver refutes a conjecture");
            Ok(path.is_some())
        })?;
        self.conjectures = Some(conjectures);
        Ok(answer)
    }
}

impl<S: Incremental, M: FnMut() -> S> Bits<S, M> {
    fn begin(&mut self, conjecture: &Conjecture<'_, Clause>) -> Result<Conjectures<S>, Stopped> {
        let Conjecture { from, steps, .. } = *conjecture;
        let mut unrolling = Unrolling::new((self.make)(), from, &self.lemmas);
        unrolling.extend(&self.system, steps, &self.stop)?;
        Ok(Conjectures { from, steps, unrolling, groups: Vec::new(), held: Vec::new() })
    }
}

impl<S: Incremental> Conjectures<S> {
    /// From now on these are supposed. Of what holds, that is forgotten which rests on others.
    fn suppose(&mut self, system: &BitSystem, supposed: &[Clause]) {
        let mut new: FxHashSet<&Clause> = supposed.iter().collect();
        let mut parts: Vec<Vec<Clause>> = Vec::new();
        for place in &mut self.groups {
            let Some(group) = place else { continue };
            let size = group.clauses.len();
            group.clauses.retain(|clause| new.remove(clause));
            if group.clauses.len() < size {
                self.unrolling.add_clause(&[!group.switch]);
                parts.extend(group.clauses.chunks((size / PARTS).max(1)).map(<[_]>::to_vec));
                *place = None;
            }
        }
        let new: Vec<Clause> = supposed.iter().filter(|clause| new.contains(clause)).cloned().collect();
        parts.extend(new.chunks(GROUP).map(<[_]>::to_vec));
        parts.into_iter().for_each(|clauses| self.add_group(system, clauses));
        let Conjectures { groups, held, .. } = self;
        held.retain(|held| held.needs.iter().all(|&group| groups[group].is_some()));
    }

    /// switch ⇒ ⋀_{t<n} c(x_t)
    fn add_group(&mut self, system: &BitSystem, clauses: Vec<Clause>) {
        let unrolling = &mut self.unrolling;
        let switch = unrolling.solver.new_var();
        for step in 0..self.steps {
            for clause in &clauses {
                let literals = clause.0.iter().map(|&lit| unrolling.lit(system, lit, step));
                let literals: Vec<sat::Lit> = std::iter::once(!switch).chain(literals).collect();
                unrolling.add_clause(&literals);
            }
        }
        self.groups.push(Some(Group { switch, clauses }));
    }

    /// Where it is up to the solver, the clause fails in the last state.
    fn prefer_failing(&mut self, system: &BitSystem, clause: &Clause) {
        for &lit in &clause.0 {
            let lit = self.unrolling.lit(system, lit, self.steps);
            self.unrolling.solver.prefer(!lit);
        }
    }

    /// A path to where one of these fails: ⋁ fails, and fails ⇒ ¬c(x_n) for each.
    fn one_fails(&mut self, system: &BitSystem, clauses: &[Clause]) -> Result<Option<Path>, Stopped> {
        let Conjectures { unrolling, steps, groups, held, .. } = self;
        let selector = unrolling.solver.new_var();
        let mut some = vec![!selector];
        for clause in clauses {
            let fails = unrolling.solver.new_var();
            unrolling.solver.prefer(fails);
            for &lit in &clause.0 {
                let lit = unrolling.lit(system, lit, *steps);
                unrolling.add_clause(&[!fails, !lit]);
            }
            some.push(fails);
        }
        unrolling.add_clause(&some);
        let supposed =
            || groups.iter().enumerate().filter_map(|(number, g)| Some((number, g.as_ref()?.switch)));
        let assumptions: Vec<sat::Lit> = supposed().map(|(_, switch)| switch).chain([selector]).collect();
        let path = match unrolling.solve(&assumptions, u64::MAX)? {
            Outcome::Sat => Some(path_of(system, unrolling, *steps)),
            Outcome::Unsat => {
                let needed = supposed().filter(|&(_, switch)| unrolling.solver.failed(switch));
                let needs = needed.map(|(number, _)| number).collect();
                held.push(Held { clauses: clauses.to_vec(), needs });
                None
            }
        };
        // Nothing of the question is left.
        some.iter().skip(1).for_each(|&fails| unrolling.add_clause(&[!fails]));
        Ok(path)
    }
}
