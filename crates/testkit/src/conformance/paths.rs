//! The question that engines ask, answered by enumeration.

use buttress_query::{From, Goal, Path, Query};
use buttress_system::{Lemma, PropertyId};

use crate::reference::{Explicit, Points};

/// Which points a path may visit: the constraints and all lemmas hold at every one of them.
pub struct Hypotheses<'a> {
    explicit: &'a Explicit,
    hold: Points,
}

impl<'a> Hypotheses<'a> {
    pub fn new(explicit: &'a Explicit) -> Hypotheses<'a> {
        Hypotheses { explicit, hold: explicit.allowed.clone() }
    }

    pub fn learn(&mut self, lemma: &Lemma) {
        self.hold = match lemma {
            Lemma::Property(p) => self.hold.minus(self.explicit.bad(*p)),
            Lemma::Clause(clause) => self.hold.and(&self.explicit.clause(clause)),
        };
    }

    fn start(&self, query: &Query<'_>) -> Points {
        match query.from {
            From::Init => self.hold.and(&self.explicit.starts),
            From::Anywhere => self.hold.clone(),
        }
    }

    fn before_last(&self, query: &Query<'_>) -> Points {
        let safe = |hold: Points, &p: &PropertyId| hold.minus(self.explicit.bad(p));
        query.safe_before_last.iter().fold(self.hold.clone(), safe)
    }

    fn goal(&self, query: &Query<'_>) -> Points {
        match query.goal {
            Goal::Bad(properties) => {
                let bad = |p: &PropertyId| self.hold.and(self.explicit.bad(*p));
                properties.iter().map(bad).reduce(|a, b| a.or(&b)).expect("a goal names properties")
            }
            Goal::Cube(cube) => self.hold.and(&self.explicit.cube(&cube.0)),
            Goal::Any => self.hold.clone(),
        }
    }

    /// Whether there is such a path.
    pub fn has_path(&self, query: &Query<'_>) -> bool {
        if query.slack > 0 {
            return query.each_length().any(|query| self.has_path(&query));
        }
        let (before, goal) = (self.before_last(query), self.goal(query));
        let start = self.start(query);
        if query.distinct {
            return start.iter().any(|p| self.simple_path(p, query.steps, 0, &before, &goal));
        }
        let step = |layer: Points, _| self.explicit.successors(&layer.and(&before)).and(&self.hold);
        !(0..query.steps).fold(start, step).and(&goal).is_empty()
    }

    /// Whether a path leads on from this point to the goal without a state that was visited. Up to 64 states.
    fn simple_path(&self, point: usize, steps: usize, visited: u64, before: &Points, goal: &Points) -> bool {
        if steps == 0 {
            return goal.contains(point);
        }
        let state = self.explicit.state(point);
        if visited >> state & 1 == 1 {
            return false;
        }
        let visited = visited | 1 << state;
        let mut next = self.explicit.points_of(self.explicit.next(point)).filter(|&p| self.hold.contains(p));
        before.contains(point) && next.any(|p| self.simple_path(p, steps - 1, visited, before, goal))
    }

    /// Whether this is such a path.
    pub fn is_path(&self, query: &Query<'_>, path: &Path) -> Result<(), String> {
        let query = &query.each_length().find(|q| q.steps + 1 == path.states.len()).unwrap_or(*query);
        let lengths = (path.states.len(), path.inputs.len());
        if lengths != (query.steps + 1, query.steps + 1) {
            return Err(format!("{lengths:?} states and inputs for {} steps", query.steps));
        }
        let number = |row: &[bool]| row.iter().enumerate().fold(0, |n, (b, &v)| n | usize::from(v) << b);
        let states: Vec<usize> = path.states.iter().map(|row| number(row)).collect();
        let point = |t: usize| self.explicit.points_of(states[t]).start + number(&path.inputs[t]);
        let points: Vec<usize> = (0..=query.steps).map(point).collect();
        let (before, last) = (self.before_last(query), query.steps);
        let complaints = [
            (!self.start(query).contains(points[0]), "it starts elsewhere"),
            (!points.iter().all(|&p| self.hold.contains(p)), "a constraint or a lemma fails"),
            (!points[..last].iter().all(|&p| before.contains(p)), "the hypothesis fails"),
            ((0..last).any(|t| self.explicit.next(points[t]) != states[t + 1]), "a state does not follow"),
            (!self.goal(query).contains(points[last]), "it does not end in the goal"),
            (query.distinct && has_duplicates(&states[..last]), "a state comes twice"),
        ];
        complaints.iter().find(|(wrong, _)| *wrong).map_or(Ok(()), |(_, why)| Err(why.to_string()))
    }
}

fn has_duplicates(states: &[usize]) -> bool {
    (0..states.len()).any(|b| states[..b].contains(&states[b]))
}
