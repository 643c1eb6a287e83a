//! Lanes for formulas of computation tree logic: engines that see the system as it is, with all formulas.

use buttress_check::Refusal;
use buttress_engine::{Job, RunTrees};
use buttress_query::Levels;
use buttress_solve::{Cdcl, Stop, Stopped};
use buttress_system::ctl::Satisfied;
use buttress_system::{Branching, Lit, PropertyId};
use buttress_transform::{Same, Way};

use super::Ground;
use crate::event::LaneId;
use crate::judge::Judged;
use crate::office::{Clerk, Office, asked};
use crate::people::Shown;
use crate::plan::Lemmas;
use crate::told::ClauseVerdict;

impl Ground for Branching {
    type Ways = Same<Branching>;

    fn ways<O: Judged>(office: &Office<'_, O, Branching>) -> Same<Branching> {
        Same(office.base.system().clone())
    }

    fn inductive<O: Judged>(
        _: &Office<'_, O, Branching>,
        _: &Same<Branching>,
        _: &Lemmas,
    ) -> Result<Satisfied, Refusal> {
        Err(Refusal::Rejected("formulas take no lemmas".to_string()))
    }

    fn count(_: &Satisfied) -> usize {
        0
    }

    /// That a formula holds strengthens nothing.
    fn strengthening(&self, _: u32, _: &[PropertyId]) -> Option<Satisfied> {
        None
    }

    type ToldBefore = ();

    /// Nobody tells clauses.
    fn confirm<O: Judged>(
        _: &Office<'_, O, Branching>,
        _: &Same<Branching>,
        _: &mut (),
        _: PropertyId,
        cubes: &[Vec<Lit>],
    ) -> Result<Vec<ClauseVerdict>, Stopped> {
        Ok(vec![ClauseVerdict::Wrong; cubes.len()])
    }

    fn believe<O: Judged>(
        _: &Office<'_, O, Branching>,
        _: &Same<Branching>,
        _: &mut (),
        _: PropertyId,
        _: &[Lit],
    ) {
    }

    fn run<O: Judged + Shown>(
        office: &Office<'_, O, Branching>,
        ways: &Same<Branching>,
        id: LaneId,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        let lane = &office.plan.lanes[id];
        let desk = Clerk::new(office, id, ways, Vec::new());
        let job = Job {
            system: &**ways.system(),
            properties: asked(office, ways),
            settings: lane.settings,
            distinct: false,
            seed: lane.seed,
            shares: false,
            desk: &desk,
            stop,
        };
        match lane.engine.trees.expect("plans have lanes that can run") {
            RunTrees::Symbolic(run) => run(&job),
            RunTrees::Inductive(run) => run(&mut |own| Box::new(Levels::new(own, || Cdcl::new(stop))), &job),
        }
    }
}
