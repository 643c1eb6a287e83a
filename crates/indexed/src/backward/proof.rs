//! From cubes that are closed under predecessors to a proof: ∀z. ¬c for each cube c, with the instances by which
//! each predecessor is covered, found again from scratch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use buttress_solve::Stopped;
use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Core, Session, Solver};
use buttress_system::PropertyId;
use buttress_system::indexed::{IndexedProof, Instance, Use};
use buttress_term::TermId;
use rustc_hash::FxHashMap;

use super::cubes::{Cube, Literals};
use super::steps::RenamedCube;
use super::{Search, covers};

/// A session with the instances of all cubes as assumptions.
struct Ground {
    session: Session,
    /// The cube, its processes, and the literal that assumes its negation there.
    assumptions: Vec<(usize, Vec<TermId>, TermId)>,
}

impl Search<'_> {
    /// The proof; `None` where a pre-image has too many cubes.
    pub(super) fn prove(
        &mut self,
        property: PropertyId,
        cubes: Vec<Cube>,
    ) -> Result<Option<IndexedProof>, Stopped> {
        let cubes = self.needed(cubes);
        let mut grounds = BTreeMap::new();
        let (mut step, mut implies) = (BTreeSet::new(), BTreeSet::new());
        let bad = self.steps.model.system.property(property).bad;
        let Ok(goals) = self.steps.cubes(bad) else { return self.stop.check().map(|()| None) };
        for found in goals {
            self.cover(&cubes, found, &mut grounds, &mut implies)?;
        }
        for (clause, cube) in cubes.iter().enumerate() {
            // A step that does not change what the cube speaks of.
            step.insert(Use { clause, instance: Instance(self.steps.processes(cube.processes)) });
            for rule in 0..self.steps.rules() {
                let Ok(before) = self.steps.before(cube, rule) else {
                    return self.stop.check().map(|()| None);
                };
                for found in before {
                    self.cover(&cubes, found, &mut grounds, &mut step)?;
                }
            }
        }
        Ok(Some(self.assemble(property, &cubes, step, implies)))
    }

    /// Without cubes that another one covers.
    fn needed(&mut self, cubes: Vec<Cube>) -> Vec<Cube> {
        let mut kept: Vec<Cube> = Vec::new();
        let mut sorted = cubes;
        sorted.sort_by_key(|c| (c.processes, c.literals.len()));
        for cube in sorted {
            let Some(literals) = Literals::of(&mut self.steps.terms, &cube.literals) else { continue };
            let covered =
                kept.iter().any(|k| covers(&mut self.steps, k, &literals, cube.processes).is_some());
            if !covered {
                kept.push(cube);
            }
        }
        kept
    }

    /// The instances of cubes that cover a cube.
    fn cover(
        &mut self,
        cubes: &[Cube],
        found: RenamedCube,
        grounds: &mut BTreeMap<usize, Ground>,
        uses: &mut BTreeSet<Use>,
    ) -> Result<(), Stopped> {
        let RenamedCube { cube, origins } = found;
        let symbols = self.steps.processes(cube.processes);
        let Some(literals) = Literals::of(&mut self.steps.terms, &cube.literals) else { return Ok(()) };
        let origin = |row: &[TermId]| -> Vec<TermId> {
            let place = |z: &TermId| symbols.iter().position(|s| s == z).expect("it is one of them");
            row.iter().map(|z| origins[place(z)]).collect()
        };
        for (number, other) in cubes.iter().enumerate() {
            if let Some(row) = covers(&mut self.steps, other, &literals, cube.processes) {
                uses.insert(Use { clause: number, instance: Instance(origin(&row)) });
                return Ok(());
            }
        }
        let ground = grounds.entry(cube.processes).or_insert_with(|| self.ground(cubes, &symbols));
        for range in self.steps.terms.ranges(&cube.literals) {
            ground.session.assert(&self.steps.terms, range);
        }
        let assumed = ground.assumptions.iter().map(|a| a.2).chain(cube.literals.iter().copied());
        let assumed: Vec<TermId> = assumed.collect();
        // ⋀ ¬d[σ] ∧ c
        if ground.session.check(&self.steps.terms, &assumed)? == Outcome::Sat {
            return Err(Stopped::Solver("a cube was covered and is not any more".to_string()));
        }
        let core: BTreeSet<TermId> = ground.session.core(&self.steps.terms)?.into_iter().collect();
        for (clause, row, _) in ground.assumptions.iter().filter(|a| core.contains(&a.2)) {
            uses.insert(Use { clause: *clause, instance: Instance(origin(row)) });
        }
        Ok(())
    }

    fn ground(&mut self, cubes: &[Cube], symbols: &[TermId]) -> Ground {
        let mut session = (self.sessions)();
        for fact in self.steps.distinct(symbols) {
            session.assert(&self.steps.terms, fact);
        }
        let mut assumptions = Vec::new();
        for (number, cube) in cubes.iter().enumerate() {
            for placed in self.steps.instances(cube, symbols.len()).iter() {
                let all = self.steps.terms.all(&placed.literals);
                let clause = self.steps.terms.not(all);
                for range in self.steps.terms.ranges(&[clause]) {
                    session.assert(&self.steps.terms, range);
                }
                assumptions.push((number, placed.processes.clone(), clause));
            }
        }
        Ground { session, assumptions }
    }

    fn assemble(
        &mut self,
        property: PropertyId,
        cubes: &[Cube],
        step: BTreeSet<Use>,
        implies: BTreeSet<Use>,
    ) -> IndexedProof {
        let mut clauses = Vec::new();
        for cube in cubes {
            let formula = self.steps.formula(cube);
            clauses.push(self.steps.terms.not(formula));
        }
        let most = cubes.iter().map(|c| c.processes).max().unwrap_or(0);
        let indices = self.steps.processes(most.max(self.steps.model.indices.len()));
        let whole = |uses: BTreeSet<Use>| {
            let complete = |u: Use| {
                let rest = indices[u.instance.0.len()..].iter().copied();
                Use {
                    clause: u.clause,
                    instance: Instance(u.instance.0.iter().copied().chain(rest).collect()),
                }
            };
            uses.into_iter().map(complete).collect::<Vec<Use>>()
        };
        let (step, implies) = (whole(step), whole(implies));
        let axioms = self.axiom_instances(most, &indices);
        let terms = Arc::new(self.steps.terms.clone());
        IndexedProof { properties: vec![property], terms, indices, clauses, step, implies, axioms }
    }

    /// The axioms at all processes of a cube and all parameters.
    fn axiom_instances(&mut self, most: usize, indices: &[TermId]) -> Vec<Instance> {
        let places = self.steps.places(most);
        let model = self.steps.model;
        let mut all: BTreeSet<Instance> = BTreeSet::new();
        for axiom in &model.axioms {
            let read = self.steps.terms.free_variables([axiom.term]);
            let mut rows: Vec<FxHashMap<TermId, TermId>> = vec![FxHashMap::default()];
            for &index in model.indices.iter().filter(|i| read.contains(i)) {
                let longer = |row: &FxHashMap<TermId, TermId>| {
                    let with =
                        |&place: &TermId| row.iter().map(|(&a, &b)| (a, b)).chain([(index, place)]).collect();
                    places.iter().map(with).collect::<Vec<FxHashMap<TermId, TermId>>>()
                };
                rows = rows.iter().flat_map(longer).collect();
            }
            for row in rows {
                all.insert(Instance(indices.iter().map(|i| row.get(i).copied().unwrap_or(*i)).collect()));
            }
        }
        all.into_iter().collect()
    }
}
