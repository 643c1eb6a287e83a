//! Implicit predicate abstraction (Cimatti, Griggio, Mover & Tonetta, "IC3 modulo theories via implicit predicate
//! abstraction", TACAS 2014), without interpolants.
//!
//! Two states are the same to the abstraction where all predicates of a vocabulary P agree on them: EQ_P(X, X̄).
//! The paper asks whether a clause ¬c is inductive relative to F by
//!
//! > F(X) ∧ ¬c(X) ∧ EQ_P(X, X̄) ∧ T(X̄, X̄′) ∧ EQ_P(X̄′, X′) ∧ c(X′).
//!
//! F and c are made of predicates, so X̄ may stand for X and X̄′ for X′: the query is that of the concrete system,
//! as [`Regions`] has it. What is abstract is the predecessor: not a part of a pre-image, but the truth of every
//! predicate in the model, so a chain of obligations may be no path.
//!
//! # Refinement
//!
//! A chain c₀, …, cₙ is asked for as a path, by unrolling; if there is none, the core says which literals Kᵢ ⊆ cᵢ
//! were needed. Instead of interpolants, the chain is walked from its end by exact pre-images (model-based
//! projection): d is a part of the states in Kᵢ₊₁ from where the rest of the chain leads to a violation. Where Kᵢ
//! ∧ Aᵢ ∧ C ∧ T ∧ d′ has no model, the literals of d in its core join the vocabulary, and their negation joins
//! Aᵢ₊₁; likewise A₀, where no start is in d. When the end of the chain excludes the violation, A₀, …, Aₙ are a
//! sequence interpolant made of the vocabulary, so this chain does not come again. That may take many steps, or go
//! on forever: the walk ends early where something was found.
//!
//! The vocabulary starts with the Boolean states and the comparisons of the source that speak of states alone.
//!
//! A predecessor leaves out predicates that share no state with what made the step possible. Should a refinement
//! find nothing new for that reason, all predecessors after it name the whole vocabulary.

use std::fmt;
use std::str::FromStr;

use buttress_solve::Stopped;
use buttress_system::{Lit, PropertyId, Var};
use buttress_term::{Node, Sort, TermId};
use rustc_hash::FxHashSet;

use crate::Answer;
use crate::implicant::{Implicant, evaluation};
use crate::regions::{Last, Regions};
use crate::words::Words;

/// The form of predecessors, in a reasoner about words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preimages {
    /// Exact parts of pre-images, by model-based projection.
    #[default]
    Projection,
    /// The truth of all predicates, refined where that is not enough.
    Abstraction,
}

impl fmt::Display for Preimages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Preimages::Projection => "projection",
            Preimages::Abstraction => "abstraction",
        })
    }
}

impl FromStr for Preimages {
    type Err = String;

    fn from_str(text: &str) -> Result<Preimages, String> {
        match text {
            "projection" => Ok(Preimages::Projection),
            "abstraction" => Ok(Preimages::Abstraction),
            _ => Err("expected projection or abstraction".to_string()),
        }
    }
}

/// The additional state of a reasoner with abstract predecessors.
pub(crate) struct Abstraction {
    /// Asks for paths along chains.
    paths: Words,
    /// Whether predecessors name every predicate, not only those that share a state with the reasons of the step.
    whole: bool,
}

/// How many parts of pre-images a refinement looks at, at least.
const WALK: usize = 40;

impl Abstraction {
    pub(crate) fn new(paths: Words) -> Abstraction {
        Abstraction { paths, whole: false }
    }
}

impl Regions {
    /// The predicates that there are from the start.
    pub(crate) fn seed_vocabulary(&mut self) {
        let system = self.system.clone();
        for state in &system.states {
            if *self.terms.sort(state.variable) == Sort::Bool {
                let _ = self.atoms.term(&self.terms, state.variable, true);
            }
        }
        let mut roots = self.roots();
        for state in &system.states {
            let init = state.init.map(|init| self.terms.image(init, &mut self.now));
            if let Some(init) = init.filter(|_| !self.is_bool(state.variable)) {
                roots.push(self.terms.eq(state.variable, init));
            }
        }
        for term in self.terms.cone(roots) {
            if self.is_atom(term) && self.is_plain(term) {
                let _ = self.atoms.term(&self.terms, term, true);
            }
        }
        self.atoms.choose_all();
    }

    fn is_bool(&self, term: TermId) -> bool {
        *self.terms.sort(term) == Sort::Bool
    }

    /// Whether the term compares what is neither a Boolean nor a number: for numbers there are bounds.
    fn is_atom(&self, term: TermId) -> bool {
        let Node::Apply(_, _, operands) = self.terms.node(term) else { return false };
        let other = |t: &TermId| !self.is_bool(*t) && !self.terms.sort(*t).is_numeric();
        self.is_bool(term) && operands.iter().all(other)
    }

    /// The truth of the vocabulary before the last step.
    pub(crate) fn abstract_state(&mut self) -> Vec<Lit> {
        let reasons = self.reasons();
        self.update();
        let mut evaluation = evaluation(&self.terms, &self.last.values);
        let mut state = Vec::new();
        for atom in self.atoms.chosen() {
            let term = self.predicates[atom][0];
            let matters = || self.terms.free_variables([term]).iter().any(|v| reasons.contains(v));
            if self.abstraction.as_ref().is_some_and(|a| a.whole) || matters() {
                let truth = evaluation.bool(term).expect("all variables have values");
                state.push(Var::new(atom as u32 + 1).lit() ^ !truth);
            }
        }
        state
    }

    /// The states that made the last step possible.
    fn reasons(&mut self) -> FxHashSet<TermId> {
        let formulas = self.formulas();
        let values = std::mem::take(&mut self.last.values);
        let found = Implicant::collect(&mut self.terms, &values, &formulas);
        self.last.values = values;
        let sums = found.constraints.iter().flat_map(|c| c.sum.coefficients.keys());
        let all = found.booleans.keys().chain(found.others.keys()).chain(sums).copied();
        self.terms.free_variables(all).into_iter().collect()
    }

    /// Whether some path leads from a start through these cubes to a violation; where none does, the vocabulary
    /// grows.
    pub(crate) fn refine(&mut self, property: PropertyId, chain: &[&[Lit]]) -> Result<bool, Stopped> {
        let mut rows = Vec::new();
        for cube in chain {
            rows.push(cube.iter().map(|&l| self.literal(l, 0)).collect::<Vec<TermId>>());
        }
        let abstraction = self.abstraction.as_mut().expect("predecessors are abstract");
        let Some(needed) = abstraction.paths.along(property, &self.terms, &rows)? else { return Ok(true) };
        let keep = |(cube, row): (&&[Lit], &Vec<TermId>), needed: &Vec<TermId>| -> Vec<Lit> {
            cube.iter().zip(row).filter(|(_, t)| needed.contains(t)).map(|(&l, _)| l).collect()
        };
        let kept: Vec<Vec<Lit>> =
            chain.iter().zip(&rows).zip(&needed).map(|(pair, needed)| keep(pair, needed)).collect();
        let grown = self.walk(property, &kept)?;
        let abstraction = self.abstraction.as_mut().expect("predecessors are abstract");
        match grown || !std::mem::replace(&mut abstraction.whole, true) {
            true => Ok(false),
            false => Err(Stopped::Solver("no predicate excludes a chain that is no path".to_string())),
        }
    }

    /// Walks the chain from its end; whether the vocabulary grew.
    fn walk(&mut self, property: PropertyId, chain: &[Vec<Lit>]) -> Result<bool, Stopped> {
        let last = chain.len() - 1;
        let mut excluded: Vec<Vec<Vec<Lit>>> = vec![Vec::new(); chain.len()];
        // goals[i] is where the way from chain[last - i] on leads to a violation.
        let mut goals: Vec<Vec<Lit>> = Vec::new();
        let mut grown = false;
        for tried in 0.. {
            if grown && tried >= WALK {
                break;
            }
            let place = last.checked_sub(goals.len());
            let answer = match place {
                Some(place) => self.goes_on(property, &chain[place], &excluded[place], goals.last())?,
                None => self.starts_in(goals.last().expect("a chain has a state"))?,
            };
            match (answer, place) {
                (Answer::Fails, Some(place)) => {
                    let part = self.projected()?;
                    goals.push(chain[place].iter().copied().chain(part).collect());
                }
                (Answer::Fails, None) => break,
                (Answer::Holds, _) => {
                    if goals.pop().is_none() {
                        break;
                    }
                    let core = self.needed_of_goal();
                    grown |= self.atoms.choose(&core);
                    excluded[last - goals.len()].push(core);
                }
            }
        }
        Ok(grown)
    }

    /// I ∧ C ∧ d
    fn starts_in(&mut self, goal: &[Lit]) -> Result<Answer, Stopped> {
        self.count()?;
        self.last = Last::default();
        self.goal(goal, 0);
        self.solve(self.levels_from(0))
    }

    /// Kᵢ ∧ Aᵢ ∧ C ∧ T ∧ d′, at the end Kₙ ∧ Aₙ ∧ C ∧ bad
    fn goes_on(
        &mut self,
        property: PropertyId,
        cube: &[Lit],
        excluded: &[Vec<Lit>],
        goal: Option<&Vec<Lit>>,
    ) -> Result<Answer, Stopped> {
        self.count()?;
        self.last = Last::default();
        let mut assumptions = Vec::new();
        for &lit in cube {
            assumptions.push(self.literal(lit, 0));
        }
        for other in excluded {
            assumptions.push(self.clause(other));
        }
        match goal {
            Some(goal) => self.goal(goal, 1),
            None => self.last.formulas = vec![self.bad(property, 0)],
        }
        self.solve(assumptions)
    }
}
