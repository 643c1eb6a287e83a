//! Why a property does not follow (sections 5 and 6 of the paper). It may be false, which BMC tells by a trace. Or the predicates
//! are too weak, or the instances, or no finite set of instances is enough.
//!
//! The answer that leaves it open is a state at the places that were asked about. It is made a whole one, with tables for maps, and the
//! invariant is asked about at all its places: a question without quantifiers, because the tables are constants. If the
//! invariant holds of it, more instances do not help: what the predicates say does not exclude a violation. If not, it fails
//! at some place that no instance names. That no finite set would do is never told: nobody can enumerate them.

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Model, Session, Solver};
use buttress_term::{TermId, Value};
use rustc_hash::FxHashMap;

use crate::bmc::{application, everywhere, written};
use crate::reach::Reach;

/// What is too weak.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Weakness {
    /// A state in which the invariant holds at all places violates the property.
    Predicates,
    /// The state that was found violates the invariant at this place, which no instance names.
    Instances(Vec<(TermId, Value)>),
    /// The one or the other.
    Unclear,
}

impl Reach<'_, '_> {
    /// What the last answer of a session that knows these terms tells about clauses.
    pub(crate) fn weakness(
        &mut self,
        session: &mut Session,
        known: &[TermId],
        clauses: &[TermId],
    ) -> Result<Weakness, Stopped> {
        let Some(state) = self.whole(session, known)? else { return Ok(Weakness::Unclear) };
        let mut asked = Session::new(self.config, self.problem.theory(), self.stop);
        let indices = self.problem.model.indices.clone();
        let terms = &mut self.problem.terms;
        for &clause in clauses {
            let there = terms.replace(clause, &state);
            let there = terms.reduce(there);
            let violated = terms.not(there);
            // ¬c(s, X)
            if asked.check(terms, &[violated])? == Outcome::Unsat {
                continue;
            }
            let Some(values) = asked.values(terms, &indices)? else { return Ok(Weakness::Unclear) };
            let read = terms.free_variables([clause]);
            let places = indices.into_iter().zip(values).filter(|(i, _)| read.contains(i));
            return Ok(Weakness::Instances(places.collect()));
        }
        Ok(Weakness::Predicates)
    }

    /// The state of an answer: maps are what it says where they are applied, and everywhere else one of these values.
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
        for (term, map, places) in applied {
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
