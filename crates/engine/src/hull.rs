//! The hull of fair cycles by decision diagrams (Emerson & Lei, "Modalities for model checking: branching time
//! strikes back", 1987; its sets are in [`Moves`]): an execution meets all signals again and again if and only if
//! one begins in it.
//!
//! A *lasso* follows the rings: from a start to a step with the first signal, from there to one with the second,
//! and so on, all within the hull. Is the state before this round among those that can be reached from its end, the
//! loop is closed. If not, it was in another strongly connected component, which is not entered again; the next
//! round begins here. So there are no more rounds than components on the way.
//!
//! That there is no lasso is said by what the hull left out, one [wall](buttress_system::Arena) after the other: a
//! step from a state that left at some moment does not lead back to what was kept then, and no step among those that
//! left has the signal. Sets become clauses as covers that may say what they like of states that are not reached.
//!
//! Limits: resets that read inputs, as of IC3; those of [decision diagrams](crate::diagrams).

use buttress_solve::Stopped;
use buttress_solve::bdd::Bdd;
use buttress_system::{Arena, Lit, PropertyId, Reason, Trace};

use crate::diagrams::{Hull, Moves, Point, Scope, Try, in_tries, known};
use crate::dual::LevelsOf;
use crate::fair::{Never, Recurrence};
use crate::{Job, Progress};

/// The row's function.
pub(crate) fn hull(_: &mut LevelsOf<'_>, job: &Job<'_>) -> Result<Option<Recurrence>, Stopped> {
    if job.resets_read_inputs() {
        return Ok(Some(Recurrence::Unknown(Reason::Incomplete("resets read inputs".to_string()))));
    }
    let found = in_tries(job.settings.diagrams, |way| decide(job, way))?;
    Ok(Some(found.unwrap_or_else(|why| Recurrence::Unknown(Reason::Incomplete(why)))))
}

fn decide(job: &Job<'_>, way: Try) -> Result<Recurrence, Stopped> {
    let told =
        |nodes: usize| job.desk.progress(Progress { size: nodes as u64, open: 1, ..Progress::default() });
    let signals: Vec<Lit> = job.properties.iter().map(|&p| job.system.property(p).bad).collect();
    let read = vec![false; job.system.num_inputs()];
    let scope = Scope { system: job.system, roots: Vec::new(), recurring: signals, read };
    let mut moves = Moves::new(scope, way, &told, job.stop)?;
    moves.reach()?;
    let hull = moves.hull(&moves.space.bdds.constant(true))?;
    match moves.point(&moves.space.bdds.and(&moves.start, &hull.states)?) {
        Some(start) => lasso(&moves, &hull, start),
        None => never(&moves, &hull),
    }
}

fn lasso(moves: &Moves<'_>, hull: &Hull, start: Point) -> Result<Recurrence, Stopped> {
    let initial = known(&start.latches);
    let mut path = Path { moves, point: start, inputs: Vec::new() };
    let back = loop {
        let (back, first) = (path.inputs.len(), moves.state(&path.point)?);
        for (signal, rings) in hull.rings.iter().enumerate() {
            path.inward(rings)?;
            path.go(&hull.states, Some(signal))?;
        }
        let way_back = moves.until(&hull.states, &first)?;
        if moves.is_in(&way_back[way_back.len() - 1], &path.point)? {
            path.inward(&way_back)?;
            break back;
        }
    };
    let inputs = path.inputs.iter().map(|row| known(row)).collect();
    Ok(Recurrence::Lasso { trace: Trace { property: PropertyId::new(0), initial, inputs }, back })
}

/// The inputs of the steps that were taken, and where they led.
struct Path<'a> {
    moves: &'a Moves<'a>,
    point: Point,
    inputs: Vec<Vec<bool>>,
}

impl Path<'_> {
    fn go(&mut self, target: &Bdd, signal: Option<usize>) -> Result<(), Stopped> {
        let (inputs, after) = self.moves.go(&self.point, target, signal)?;
        self.inputs.push(inputs);
        self.point = after;
        Ok(())
    }

    /// Goes to the innermost of growing sets.
    fn inward(&mut self, rings: &[Bdd]) -> Result<(), Stopped> {
        while let ring @ 1.. = self.moves.ring_of(rings, &self.point)? {
            self.go(&rings[ring - 1], None)?;
        }
        Ok(())
    }
}

/// Of what shrank away one wall each, in this order; what remains is not reached.
fn never(moves: &Moves<'_>, hull: &Hull) -> Result<Recurrence, Stopped> {
    let (bdds, mut kept, mut arenas) = (&moves.space.bdds, moves.reached.clone(), Vec::new());
    for (to, signal) in &hull.shrinks {
        // Inside are the states that leave now. Those that left before, and those that are not reached, may be.
        let leaving = bdds.minus(&kept, to)?;
        let Ok(set) = moves.space.between(&leaving, &bdds.not(to)?)? else { return Ok(too_large()) };
        let inside = arenas.len() + 1;
        arenas.extend([Arena::Wall { set, inside, outside: inside + 1 }, Arena::Lacks(*signal)]);
        kept = to.clone();
    }
    arenas.push(Arena::Lacks(0));
    let invariant = bdds.minus(&moves.reached, &hull.states)?;
    let Ok(invariant) = moves.space.between(&invariant, &invariant)? else { return Ok(too_large()) };
    Ok(Recurrence::Never(Never { invariant, arenas }))
}

fn too_large() -> Recurrence {
    Recurrence::Unknown(Reason::Incomplete("its walls would take too many clauses".to_string()))
}
