//! The reasoner for words: one unrolling from the starts, one from anywhere, each in a dialogue with an SMT
//! solver.
//!
//! An unrolling is functional: the state after t steps is a term over the first state and the inputs, shared as
//! the graph of terms shares it, so there are no variables for states in between and no equations to be solved for
//! them. Definitions are written out in the same way. Properties, constraints and lemmas become Booleans at each
//! step; a query is a set of assumptions over these, so nothing is ever taken back.
//!
//! A model is not believed: the path that it stands for is executed by evaluation of the system's own terms, and
//! where it is none, another solver is asked. Distinctness is lazy, as for bits.

mod conjectures;

use std::sync::Arc;

use buttress_solve::sat::Outcome;
use buttress_solve::smt::{Config, Core as _, Model, Session, Solver, Theory};
use buttress_solve::{Stop, Stopped};
use buttress_system::PropertyId;
use buttress_system::words::{Assignment, Simulation, System, WordLemma, WordTrace};
use buttress_term::{Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

use conjectures::Round;

use crate::{Answer, From, Goal, Query, QueryCore, Reasoner, check_each_length};

/// Answers queries about a word-level system.
pub struct Words {
    system: Arc<System>,
    config: Config,
    theory: Theory,
    stop: Stop,
    lemmas: Vec<WordLemma>,
    init: Option<Unrolling>,
    anywhere: Option<Unrolling>,
    last: Option<Last>,
}

/// The last query, for what is read after the verdict.
struct Last {
    path: Option<WordTrace>,
    core: QueryCore<TermId>,
}

impl Words {
    pub fn new(system: Arc<System>, config: Config, stop: &Stop) -> Words {
        let theory = Theory::of(&system.terms);
        let stop = stop.clone();
        Words { system, config, theory, stop, lemmas: Vec::new(), init: None, anywhere: None, last: None }
    }

    /// Which solver answers now.
    pub fn solver(&self) -> Option<&'static str> {
        self.init.iter().chain(&self.anywhere).find_map(|u| u.session.solver())
    }

    /// The unrolling for this query: the one there is, or a new one where it is already too deep.
    fn unrolling(&mut self, query: &Query<'_, Vec<TermId>>) -> Result<&mut Unrolling, Stopped> {
        let slot = match query.from {
            From::Init => &mut self.init,
            From::Anywhere => &mut self.anywhere,
        };
        if slot.as_ref().is_none_or(|u| u.frames.len() > query.steps + 1) {
            let session = Session::new(&self.config, self.theory, &self.stop);
            *slot = Some(Unrolling::new(self.system.clone(), session, query.from, &self.lemmas));
        }
        let unrolling = slot.as_mut().expect("just made");
        while unrolling.frames.len() <= query.steps {
            self.stop.check()?;
            unrolling.extend();
        }
        Ok(unrolling)
    }

    /// `None` where some path leads from a start through these rows of terms of `store`, one for each state, to a
    /// violation; else the terms of each row that were needed.
    pub(crate) fn along(
        &mut self,
        property: PropertyId,
        store: &Terms,
        rows: &[Vec<TermId>],
    ) -> Result<Option<Vec<Vec<TermId>>>, Stopped> {
        let violated = [property];
        let query = Query::new(From::Init, rows.len() - 1, Goal::Bad(&violated));
        let common = self.system.terms.len();
        let unrolling = self.unrolling(&query)?;
        let mut asked = unrolling.asked(&query);
        let mut placed = Vec::new();
        for (step, row) in rows.iter().enumerate() {
            let own: Vec<TermId> = row.iter().map(|&t| unrolling.terms.adopt(store, t, common)).collect();
            placed.push(own.into_iter().map(|t| unrolling.at(t, step)).collect::<Vec<TermId>>());
        }
        asked.safe = placed.concat();
        if unrolling.solve(&asked, &query)?.is_some() {
            return Ok(None);
        }
        let needed = unrolling.session.core(&unrolling.terms)?;
        let of_row = |(row, placed): (&Vec<TermId>, &Vec<TermId>)| {
            row.iter().zip(placed).filter(|(_, at)| needed.contains(at)).map(|(&t, _)| t).collect()
        };
        Ok(Some(rows.iter().zip(&placed).map(of_row).collect()))
    }
}

impl Reasoner<System> for Words {
    fn learn(&mut self, lemma: &WordLemma) {
        for unrolling in self.init.iter_mut().chain(&mut self.anywhere) {
            unrolling.learn(lemma);
        }
        self.lemmas.push(lemma.clone());
    }

    fn check(&mut self, query: &Query<'_, Vec<TermId>>) -> Result<Answer, Stopped> {
        if query.slack > 0 {
            return check_each_length(self, query);
        }
        let unrolling = self.unrolling(query)?;
        let asked = unrolling.asked(query);
        let path = unrolling.solve(&asked, query)?;
        let answer = if path.is_some() { Answer::Fails } else { Answer::Holds };
        let core = match answer {
            Answer::Holds => unrolling.core(&asked)?,
            Answer::Fails => QueryCore { goal: Vec::new(), safe_before_last: false, distinct: false },
        };
        self.last = Some(Last { path, core });
        Ok(answer)
    }

    fn path(&mut self) -> WordTrace {
        self.last.as_ref().and_then(|last| last.path.clone()).expect("read after a path was found")
    }

    fn core(&mut self) -> QueryCore<TermId> {
        self.last.as_ref().expect("read after a verdict").core.clone()
    }

    fn clauses(&self) -> u64 {
        self.init.iter().chain(&self.anywhere).map(|u| u.facts).sum()
    }
}

/// The assumptions of a query.
struct Asked {
    safe: Vec<TermId>,
    /// Terms of the system, one of which holds at the last step, with what says so.
    goal: Vec<(Vec<TermId>, TermId)>,
    distinct: Option<TermId>,
}

impl Asked {
    fn assumptions(&self) -> Vec<TermId> {
        let goal = self.goal.iter().map(|(_, at)| *at);
        self.safe.iter().copied().chain(goal).chain(self.distinct).collect()
    }
}

/// Steps of the system in one dialogue.
struct Unrolling {
    system: Arc<System>,
    /// The system's, and those of all steps.
    terms: Terms,
    session: Session,
    from: From,
    lemmas: Vec<WordLemma>,
    /// The term of each term of the system at each step.
    frames: Vec<FxHashMap<TermId, TermId>>,
    /// The variables of each step: inputs, and states that are free.
    free: Vec<Vec<TermId>>,
    /// Assumed where states are to differ.
    distinct: TermId,
    /// The conjectures that are supposed at present.
    round: Option<Round>,
    facts: u64,
}

impl Unrolling {
    fn new(system: Arc<System>, session: Session, from: From, lemmas: &[WordLemma]) -> Unrolling {
        let mut terms = system.terms.clone();
        let distinct = terms.variable("distinct states", Sort::Bool);
        let lemmas = lemmas.to_vec();
        let (frames, free) = (Vec::new(), Vec::new());
        Unrolling { system, terms, session, from, lemmas, frames, free, distinct, round: None, facts: 0 }
    }

    /// Adds a step: its inputs, its states, and what holds in it.
    fn extend(&mut self) {
        let step = self.frames.len();
        let mut frame = FxHashMap::default();
        let mut free = Vec::new();
        let system = self.system.clone();
        for input in &system.inputs {
            free.push(self.variable(input.variable, step, &mut frame));
        }
        match (step, self.from) {
            (0, From::Init) => self.start(&mut frame, &mut free),
            (0, From::Anywhere) => {
                for state in &system.states {
                    free.push(self.variable(state.variable, step, &mut frame));
                }
            }
            _ => self.step(&mut frame, &mut free),
        }
        for definition in &system.definitions {
            let value = self.terms.image(definition.value, &mut frame);
            frame.insert(definition.variable, value);
        }
        for constraint in &system.constraints {
            let holds = self.terms.image(constraint.term, &mut frame);
            self.assert(holds);
        }
        self.frames.push(frame);
        self.free.push(free);
        for lemma in self.lemmas.clone() {
            self.assert_lemma(&lemma, step);
        }
    }

    /// A variable of its own for a step.
    fn variable(&mut self, of: TermId, step: usize, frame: &mut FxHashMap<TermId, TermId>) -> TermId {
        let name = match self.terms.node(of) {
            buttress_term::Node::Variable(name) => format!("{name}@{step}"),
            _ => unreachable!("inputs and states are variables"),
        };
        let sort = self.terms.sort(of).clone();
        let variable = self.terms.variable(name, sort);
        frame.insert(of, variable);
        variable
    }

    /// Each state by its `init`, in an order in which all that it reads is there.
    fn start(&mut self, frame: &mut FxHashMap<TermId, TermId>, free: &mut Vec<TermId>) {
        let system = self.system.clone();
        let order = system.start_order().expect("the system was validated when it was read");
        for assignment in order {
            let (variable, value) = match assignment {
                Assignment::State(s) => (system.state(s).variable, system.state(s).init),
                Assignment::Definition(d) => {
                    (system.definitions[d].variable, Some(system.definitions[d].value))
                }
            };
            match value {
                Some(value) => {
                    let image = self.terms.image(value, frame);
                    frame.insert(variable, image);
                }
                None => free.push(self.variable(variable, 0, frame)),
            }
        }
    }

    /// Each state by its `next`, read in the step before.
    fn step(&mut self, frame: &mut FxHashMap<TermId, TermId>, free: &mut Vec<TermId>) {
        let system = self.system.clone();
        let step = self.frames.len();
        for state in &system.states {
            match state.next {
                Some(next) => {
                    let image = self.terms.image(next, &mut self.frames[step - 1]);
                    frame.insert(state.variable, image);
                }
                None => free.push(self.variable(state.variable, step, frame)),
            }
        }
    }

    fn assert(&mut self, fact: TermId) {
        self.session.assert(&self.terms, fact);
        self.facts += 1;
    }

    fn at(&mut self, term: TermId, step: usize) -> TermId {
        self.terms.image(term, &mut self.frames[step])
    }

    /// ¬bad at a step.
    fn safe(&mut self, property: PropertyId, step: usize) -> TermId {
        let bad = self.at(self.system.property(property).bad, step);
        self.terms.not(bad)
    }

    fn learn(&mut self, lemma: &WordLemma) {
        (0..self.frames.len()).for_each(|step| self.assert_lemma(lemma, step));
        self.lemmas.push(lemma.clone());
    }

    fn assert_lemma(&mut self, lemma: &WordLemma, step: usize) {
        let fact = match lemma {
            WordLemma::Property(property) => self.safe(*property, step),
            WordLemma::Term(store, term) => {
                let term = self.terms.adopt(store, *term, self.system.terms.len());
                self.at(term, step)
            }
        };
        self.assert(fact);
    }

    fn asked(&mut self, query: &Query<'_, Vec<TermId>>) -> Asked {
        let supposed = query.safe_before_last.iter();
        let supposed = supposed.flat_map(|&p| (0..query.steps).map(move |t| (p, t)));
        let safe = supposed.map(|(p, t)| self.safe(p, t)).collect();
        let goal = match query.goal {
            Goal::Bad(properties) => vec![properties.iter().map(|&p| self.system.property(p).bad).collect()],
            Goal::Cube(cube) => cube.iter().map(|&term| vec![term]).collect(),
            Goal::Any => Vec::new(),
        };
        let goal = goal.into_iter().map(|terms| self.one_of(terms, query.steps)).collect();
        Asked { safe, goal, distinct: query.distinct.then_some(self.distinct) }
    }

    /// One of these terms holds at a step.
    fn one_of(&mut self, terms: Vec<TermId>, step: usize) -> (Vec<TermId>, TermId) {
        let images: Vec<TermId> = terms.iter().map(|&term| self.at(term, step)).collect();
        let at = if let [image] = images[..] { image } else { self.terms.any(&images) };
        (terms, at)
    }

    /// A path, if there is one.
    fn solve(&mut self, asked: &Asked, query: &Query<'_, Vec<TermId>>) -> Result<Option<WordTrace>, Stopped> {
        let assumptions = asked.assumptions();
        loop {
            if self.session.check(&self.terms, &assumptions)? == Outcome::Unsat {
                return Ok(None);
            }
            let Some(path) = self.read_path(query.steps)? else { continue };
            match self.execute(&path, asked) {
                Err(why) => self.session.distrust(&why)?,
                Ok(states) if query.distinct && self.separate(&states) => {}
                Ok(_) => return Ok(Some(path)),
            }
        }
    }

    /// The values of the model.
    fn read_path(&mut self, steps: usize) -> Result<Option<WordTrace>, Stopped> {
        let variables: Vec<TermId> = self.free[..=steps].concat();
        let Some(values) = self.session.values(&self.terms, &variables)? else { return Ok(None) };
        let values: FxHashMap<TermId, Value> = variables.into_iter().zip(values).collect();
        let value = |step: usize, of: TermId| values.get(&self.frames[step][&of]).cloned();
        let initial = self.system.states.iter().map(|s| value(0, s.variable)).collect();
        let free: Vec<TermId> = self.system.free_states().map(|s| self.system.state(s).variable).collect();
        let inputs: Vec<TermId> = self.system.inputs.iter().map(|i| i.variable).chain(free).collect();
        let inputs = (0..=steps).map(|t| inputs.iter().map(|&v| value(t, v)).collect()).collect();
        Ok(Some(WordTrace { property: PropertyId::new(0), initial, inputs }))
    }

    /// The states of the path, if it is one that leads to the goal.
    fn execute(&self, path: &WordTrace, asked: &Asked) -> Result<Vec<Vec<Option<Value>>>, String> {
        let mut simulation = Simulation::new(&self.system);
        let mut states = Vec::new();
        for (step, row) in path.inputs.iter().enumerate() {
            match step {
                0 => simulation.start(&path.initial, row),
                _ => simulation.step(row),
            }
            let broken = self.system.constraints.iter().find(|c| simulation.bool(c.term) != Some(true));
            if let Some(broken) = broken {
                return Err(format!("{} does not hold in step {step}", broken.label.name));
            }
            states.push(simulation.states());
        }
        let mut holds = |term: &TermId| simulation.bool(*term) == Some(true);
        let reached = asked.goal.iter().all(|(terms, _)| terms.iter().any(&mut holds));
        if reached { Ok(states) } else { Err("it does not lead to the goal".to_string()) }
    }

    /// Tells apart all equal states of the path before its last; false where there are none.
    fn separate(&mut self, states: &[Vec<Option<Value>>]) -> bool {
        let mut pairs = Vec::new();
        for b in 1..states.len() - 1 {
            pairs.extend((0..b).filter(|&a| states[a] == states[b]).map(|a| (a, b)));
        }
        pairs.iter().for_each(|&(a, b)| self.tell_apart(a, b));
        !pairs.is_empty()
    }

    /// distinct ⇒ x_a ≠ x_b
    fn tell_apart(&mut self, a: usize, b: usize) {
        let system = self.system.clone();
        let mut different = Vec::new();
        for state in &system.states {
            let (x, y) = (self.frames[a][&state.variable], self.frames[b][&state.variable]);
            different.push(self.terms.app(Op::Distinct, &[x, y]));
        }
        let different = self.terms.any(&different);
        let fact = self.terms.implies(self.distinct, different);
        self.assert(fact);
    }

    fn core(&mut self, asked: &Asked) -> Result<QueryCore<TermId>, Stopped> {
        let needed = self.session.core(&self.terms)?;
        let goal =
            asked.goal.iter().filter(|(_, at)| needed.contains(at)).map(|(terms, _)| terms[0]).collect();
        let safe_before_last = asked.safe.iter().any(|s| needed.contains(s));
        Ok(QueryCore { goal, safe_before_last, distinct: needed.contains(&self.distinct) })
    }
}
