//! Why a property does not follow (sections 5 and 6 of the paper). It may be false, which BMC tells by a trace. Or
//! the predicates are too weak, or the instances, or no finite set of instances is enough.
//!
//! The answer that leaves it open is a state at the places that were asked about. It is made a whole one, with
//! tables for maps, and the invariant is asked about at all its places: a question without quantifiers, because
//! the tables are constants. If the invariant holds of it, more instances do not help: what the predicates say
//! does not exclude a violation. If not, it is put in at the place where it fails, and asked again; where no
//! answer is left, instances were missing. Instances that are missing on the way to the invariant are looked for
//! in [`missing_instances`](crate::missing_instances). That no finite set would do is never told.

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Model, Session, Solver};
use buttress_system::indexed::Indexed;
use buttress_system::words::Named;
use buttress_term::infix::{of_maps, part_of_maps};
use buttress_term::{TermId, Value};
use rustc_hash::FxHashMap;

use crate::bmc::{application, everywhere, written};
use crate::conclude::Ground;
use crate::reach::Reach;

/// Places at which the invariant is put in, one after the other, at most.
const PLACES: usize = 12;

/// Values of index symbols.
pub type Place = Vec<(TermId, Value)>;

/// The reason why the abstraction does not prove a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Weakness {
    /// A state in which the invariant holds at all places violates the property.
    Predicates,
    /// The invariant excludes a violation by itself at these places, which no instance names.
    Instances(Vec<Place>),
    /// An earlier iteration of the fixpoint excludes at these places, which no instance names, the steps that lead
    /// to a violation.
    Inside(Vec<Place>),
    /// The one or the other.
    Unclear,
}

impl Weakness {
    /// The reason in words, with the abstract state that is not excluded: the values of the model's predicates.
    pub fn explain(&self, model: &Indexed, values: &[bool]) -> String {
        let (reason, state) = (self.reason(model), abstract_state(model, values));
        format!("{reason}; this abstract state is not excluded: {state}")
    }

    /// Which of the reasons of the paper it is.
    fn reason(&self, model: &Indexed) -> String {
        match self {
        Weakness::Predicates => {
            "the predicates are too weak: a state of which the invariant holds at all places violates the property"
                .to_string()
        }
        Weakness::Instances(at) => format!(
            "the instances are too weak: the invariant excludes a violation by itself, at {}, which no instance names",
            places(model, at)
        ),
        Weakness::Inside(at) => format!(
            "the instances are too weak on the way to the invariant: what was reached before excludes at {}, which no instance names, a step that leads to a violation",
            places(model, at)
        ),
        Weakness::Unclear => "the predicates or their instances are too weak".to_string(),
    }
    }
}

fn places(model: &Indexed, places: &[Place]) -> String {
    let one = |(i, value): &(TermId, Value)| format!("{} = {value}", of_maps(&model.system.terms, *i));
    let at: Vec<String> =
        places.iter().map(|p| p.iter().map(one).collect::<Vec<_>>().join(" and ")).collect();
    at.join(", or ")
}

/// The predicates that hold and those that do not.
fn abstract_state(model: &Indexed, values: &[bool]) -> String {
    let literal = |(predicate, &value): (&Named, &bool)| {
        let written = part_of_maps(&model.system.terms, predicate.term);
        if value { written } else { format!("!({written})") }
    };
    let literals: Vec<String> = model.predicates.iter().zip(values).map(literal).collect();
    literals.join(", ")
}

impl Reach<'_, '_> {
    /// Why a question whether clauses exclude `bad`, which was just answered, was answered so.
    pub(crate) fn weakness(
        &mut self,
        ground: &mut Ground,
        clauses: &[TermId],
        bad: TermId,
    ) -> Result<Weakness, Stopped> {
        let mut known: Vec<TermId> = ground.facts.clone();
        known.extend(ground.literals.iter().map(|l| l.2).chain([bad]));
        let mut places = Vec::new();
        while places.len() < PLACES {
            let Some(state) = self.whole(&mut ground.session, &known)? else { break };
            let Some((clause, place)) = self.violated(clauses, &state)? else {
                return Ok(Weakness::Predicates);
            };
            let terms = &mut self.problem.terms;
            let by = place.iter().map(|(i, value)| (*i, terms.constant(value.clone()))).collect();
            let there = terms.replace(clause, &by);
            for fact in terms.ranges(&[there]).into_iter().chain([there]) {
                ground.session.assert(terms, fact);
            }
            known.push(there);
            places.push(place);
            // ⋀_π ρ*[π] ∧ ⋀ c[place] ∧ bad
            if ground.check(&self.problem.terms, bad)? == Outcome::Unsat {
                return Ok(Weakness::Instances(places));
            }
        }
        Ok(Weakness::Unclear)
    }

    /// A clause that a state violates, and where.
    fn violated(
        &mut self,
        clauses: &[TermId],
        state: &FxHashMap<TermId, TermId>,
    ) -> Result<Option<(TermId, Place)>, Stopped> {
        let mut session = Session::new(self.config, self.problem.theory(), self.stop);
        let indices = self.problem.model.indices.clone();
        let terms = &mut self.problem.terms;
        for &clause in clauses {
            let there = terms.replace(clause, state);
            let there = terms.reduce(there);
            let violated = terms.not(there);
            // ¬c(s, X)
            if session.check(terms, &[violated])? == Outcome::Sat {
                let gone = || Stopped::Solver("its model is gone".to_string());
                let values = session.values(terms, &indices)?.ok_or_else(gone)?;
                let read = terms.free_variables([clause]);
                let places = indices.into_iter().zip(values).filter(|(i, _)| read.contains(i));
                return Ok(Some((clause, places.collect())));
            }
        }
        Ok(None)
    }

    /// The state of an answer: maps are what it says where they are applied, and everywhere else the last of these
    /// values.
    fn whole(
        &mut self,
        session: &mut Session,
        known: &[TermId],
    ) -> Result<Option<FxHashMap<TermId, TermId>>, Stopped> {
        let terms = &mut self.problem.terms;
        let applied: Vec<_> =
            terms.cone(known.iter().copied()).into_iter().filter_map(|t| application(terms, t)).collect();
        let states: Vec<TermId> = self.problem.model.system.states.iter().map(|s| s.variable).collect();
        let is_map = |t: &TermId| terms.sort(*t).as_array().is_some();
        let mut asked: Vec<TermId> = states.iter().copied().filter(|t| !is_map(t)).collect();
        applied.iter().for_each(|(term, _, places)| asked.extend(places.iter().chain([term])));
        let Some(values) = session.values(terms, &asked)? else { return Ok(None) };
        let values: FxHashMap<TermId, Value> = asked.into_iter().zip(values).collect();
        let mut tables: FxHashMap<TermId, Value> = FxHashMap::default();
        // What was put in last is what other places are like.
        for (term, map, places) in applied.into_iter().rev() {
            let places: Vec<Value> = places.iter().map(|p| values[p].clone()).collect();
            let before = tables.remove(&map).unwrap_or_else(|| everywhere(terms.sort(map), &values[&term]));
            tables.insert(map, written(before, &places, values[&term].clone()));
        }
        let mut state = FxHashMap::default();
        for variable in states {
            let value = tables.get(&variable).or_else(|| values.get(&variable)).cloned();
            let value = value.unwrap_or_else(|| Value::zero(terms.sort(variable)));
            state.insert(variable, terms.constant(value));
        }
        Ok(Some(state))
    }
}
