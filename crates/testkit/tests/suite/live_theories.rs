//! Liveness beyond bits, by SMT, against cycles that are listed: small automata over integers whose bounds
//! nobody is told. Where there is no solver, this says so and tests nothing.

use std::sync::Arc;
use std::time::Duration;

use buttress_check::{Refusal, certify_theory_live_proof};
use buttress_driver::{Choice, Ended, Event, parse};
use buttress_format::vmt;
use buttress_solve::Stop;
use buttress_solve::smt::{Config, Session, Theory, directories, find};
use buttress_system::words::WordProof;
use buttress_system::{Live, LiveProof, Monitor, PropertyId, Rng};
use buttress_testkit::drive::drive;
use buttress_transform::{Way, monitored_words};

use crate::skip::skip;

const LIMIT: Duration = Duration::from_secs(10);

fn solvers() -> Option<Config> {
    let smt = Config::new(find(&directories()));
    if smt.solvers.is_empty() {
        skip("live theories", "there is no SMT solver, scripts/get-solvers brings two");
        return None;
    }
    Some(smt)
}

/// States with two steps each, and those that a live property excludes from some time on.
struct Automaton {
    steps: Vec<[usize; 2]>,
    met: Vec<bool>,
}

impl Automaton {
    fn random(rng: &mut Rng) -> Automaton {
        let states = 2 + rng.below(4);
        // Mostly onwards, so that there are few cycles.
        let step = |rng: &mut Rng, from: usize| match rng.below(4) {
            0 => rng.below(states),
            _ => (from + rng.below(2)).min(states - 1),
        };
        let steps = (0..states).map(|s| [step(rng, s), step(rng, s)]).collect();
        Automaton { steps, met: (0..states).map(|_| rng.one_in(3)).collect() }
    }

    fn text(&self) -> String {
        let mut next = "x".to_string();
        let mut met = "false".to_string();
        for (state, [a, b]) in self.steps.iter().enumerate() {
            next = format!("(ite (= x {state}) (ite go {a} {b}) {next})");
            if self.met[state] {
                met = format!("(or (= x {state}) {met})");
            }
        }
        format!(
            "(declare-fun x () Int)(declare-fun y () Int)(declare-fun go () Bool)
             (define-fun .x () Int (! x :next y))
             (define-fun .i () Bool (! (= x 0) :init true))
             (define-fun .t () Bool (! (= y {next}) :trans true))
             (define-fun p () Bool (! (not {met}) :live-property 0))"
        )
    }

    fn reached(&self, from: usize) -> Vec<bool> {
        let (mut seen, mut todo) = (vec![false; self.steps.len()], self.steps[from].to_vec());
        while let Some(state) = todo.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                todo.extend(self.steps[state]);
            }
        }
        seen
    }

    /// Whether no execution comes back to a state that is met.
    fn holds(&self) -> bool {
        let mut reached = self.reached(0);
        reached[0] = true;
        (0..self.steps.len()).all(|s| !(reached[s] && self.met[s] && self.reached(s)[s]))
    }
}

#[test]
fn live_properties_of_integers_against_cycles() {
    let Some(smt) = solvers() else { return };
    let (mut proved, mut violated, mut open) = (0, 0, 0);
    for seed in 0..40 {
        let automaton = Automaton::random(&mut Rng::new(seed));
        let problem = Arc::new(parse("random.vmt".as_ref(), &automaton.text()).expect("a model"));
        let choice = Choice { smt: smt.clone(), in_words: true, ..Choice::default() };
        let mut verdict = None;
        for event in drive(&problem, &choice, Some(LIMIT)).0 {
            match event {
                Event::Decided { accepted, .. } => verdict = Some(accepted.is_proof()),
                Event::Rejected { why, .. } => panic!("seed {seed}: evidence was rejected: {why}"),
                Event::Ended { how: Ended::Panicked(why), .. } => panic!("seed {seed}: {why}"),
                _ => {}
            }
        }
        match verdict {
            Some(holds) => {
                assert_eq!(holds, automaton.holds(), "seed {seed}: {}", automaton.text());
                *(if holds { &mut proved } else { &mut violated }) += 1;
            }
            None => open += 1,
        }
    }
    println!("{proved} proved, {violated} violated, {open} open");
    assert!(proved > 5 && violated > 5 && open < 5, "{proved} proved, {violated} violated, {open} open");
}

/// A counter that grows for ever comes back to no state, and still meets everything again and again.
#[test]
fn that_no_loop_is_closed_proves_nothing_of_integers() {
    let Some(smt) = solvers() else { return };
    let text = "(declare-fun x () Int)(declare-fun y () Int)(define-fun .x () Int (! x :next y))
        (define-fun .i () Bool (! (= x 0) :init true))(define-fun .t () Bool (! (= y (+ x 1)) :trans true))
        (define-fun p () Bool (! (< x 0) :live-property 0))";
    let model = vmt::read(text).unwrap_or_else(|d| panic!("{}", d.render("counter.vmt")));
    let justice = model.live.iter().map(|(_, signal)| vec![*signal]).collect();
    let live = Live { system: model.system, justice, fairness: Vec::new(), formulas: Vec::new() };
    let live = Arc::new(live);
    let way = monitored_words(&live, Monitor::Loop);
    let mut beside = (**way.system()).clone();
    let ahead = vmt::read_claim("(=> saved (< kept.x x))", 0, &mut beside);
    let ahead = ahead.unwrap_or_else(|d| panic!("{}", d.render("invariant")));
    let mut proof = WordProof::of_properties(way.system(), vec![PropertyId::new(0)], 1);
    proof.claim.invariant = vec![ahead];
    proof.terms = Arc::new(beside.terms.clone());
    let (theory, stop) = (Theory::of(&beside.terms), Stop::new());
    let mut start = || Session::new(&smt, theory, &stop);
    let judged = certify_theory_live_proof(&live, LiveProof::new(Monitor::Loop, proof), &mut start);
    match judged {
        Err(Refusal::Rejected(why)) => assert!(why.contains("need not come back"), "{why}"),
        other => panic!("{other:?}"),
    }
}
