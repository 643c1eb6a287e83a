//! An engine's way in words, and as JSON. Obligations are indented: what leads to a state stands below it.

use buttress_engine::Walk;
use buttress_system::InputId;
use serde_json::{Map, Value, json};

use super::names::{Assignment, Names, listed};
use crate::check::{Entry, Story};
use crate::model::Model;

/// Assignments and literals of one line.
const MOST: usize = 24;

/// Steps before the violation that are shown by indentation.
const DEEPEST: usize = 12;

pub fn print(model: &Model, story: &Story) {
    println!("how {} went about {}:", story.engine.title, model.title(story.property));
    let names = Names::of(&model.system);
    let levels = story.head.iter().any(|e| matches!(e.walk, Walk::Level(_)));
    let teller = Teller { names: &names, levels };
    story.head.iter().for_each(|e| teller.print(e));
    if story.left_out > 0 {
        println!("  … {} steps left out …", story.left_out);
    }
    story.tail.iter().for_each(|e| teller.print(e));
}

struct Teller<'a> {
    names: &'a Names<'a>,
    /// Whether this engine has levels to speak of.
    levels: bool,
}

impl Teller<'_> {
    fn print(&self, entry: &Entry) {
        let states = 1 + usize::from(self.levels) + entry.depth.min(DEEPEST);
        let indent = match &entry.walk {
            Walk::Cti { .. } | Walk::Propagated { .. } | Walk::Settled { .. } => states,
            Walk::Lemma { .. } | Walk::Aside { .. } | Walk::Subgoal { .. } => states + 1,
            Walk::Closed { .. } | Walk::Reached { .. } => states + 1,
            _ => 1,
        };
        for line in self.lines(entry) {
            println!("{:width$}{line}", "", width = 2 * indent);
        }
    }

    /// The inputs that are not 0 after a word, if there are any.
    fn with(&self, word: &str, ones: &[InputId]) -> String {
        let inputs = self.names.row(ones);
        if inputs.is_empty() { String::new() } else { format!("{word}{}", listed(&inputs, MOST)) }
    }

    fn lines(&self, entry: &Entry) -> Vec<String> {
        let state = entry.state.map_or(String::new(), |n| format!("s{n}"));
        match &entry.walk {
            Walk::Start => Vec::new(),
            Walk::Level(level) => vec![format!("level {level}")],
            Walk::Cti { level, depth, .. } if entry.again => {
                vec![format!("{state} again{}{}", self.at(*level), far(*depth))]
            }
            Walk::Cti { states, .. } => {
                let with = self.with(" with ", &states.inputs);
                let does = match (entry.toward, &states.after) {
                    (Some(next), _) => format!("leads to s{next}{with}{}", far(entry.depth)),
                    (None, Some(after)) => {
                        format!("leads to a violation{with}{}", self.with(", then ", after))
                    }
                    (None, None) if entry.depth > 0 => format!("leads to a violation{with}"),
                    (None, None) => format!("violates the property{with}"),
                };
                vec![
                    format!("{state}: {}", states_text(&self.names.latches(&states.cube))),
                    format!("  {does}"),
                ]
            }
            Walk::Lemma { level, cube, .. } => {
                let excludes = listed(&self.names.latches(cube), MOST);
                let part = share(cube.len());
                vec![
                    format!("lemma{}: {}", self.up_to(*level), self.lemma(cube)),
                    format!("  excludes {state} and every state with {excludes} ({part})"),
                ]
            }
            Walk::Aside { level, cube } => {
                vec![format!("on the way there{}: {}", self.up_to(*level), self.lemma(cube))]
            }
            Walk::Subgoal { .. } => {
                vec![format!("no lemma excludes {state}: that nothing leads there is the next goal")]
            }
            Walk::Closed { .. } => vec![format!("nothing leads to {state} any more")],
            Walk::Reached { depth } => {
                vec![format!("{state} holds a reset state: a violation at step {depth}")]
            }
            Walk::Propagated { moved: 0, .. } => Vec::new(),
            Walk::Propagated { level, moved, of } => {
                let to = level + 1;
                vec![format!("propagation: {moved} of {of} lemmas of level {level} hold at level {to}, too")]
            }
            Walk::Settled { lemmas: 0 } => Vec::new(),
            Walk::Settled { lemmas: 1 } => {
                vec!["1 lemma is inductive by itself: it holds at every level".to_string()]
            }
            Walk::Settled { lemmas } => {
                vec![format!("{lemmas} lemmas are inductive together: they hold at every level")]
            }
            Walk::Converged { level, lemmas } => vec![self.converged(*level, *lemmas)],
            Walk::StepFails { k, .. } => vec![format!("the step case fails for k = {k}")],
        }
    }

    fn converged(&self, level: usize, lemmas: usize) -> String {
        let what = match lemmas {
            0 => "no lemma is needed".to_string(),
            1 => "1 lemma is inductive and excludes every violation".to_string(),
            n => format!("{n} lemmas are inductive and exclude every violation"),
        };
        match self.levels {
            true => format!("levels {} and {level} are equal: {what}", level - 1),
            false => format!("nothing is left to exclude: {what}"),
        }
    }

    /// The lemma that excludes a cube, cut where it is very long.
    fn lemma(&self, cube: &[buttress_system::Lit]) -> String {
        match cube.len().checked_sub(MOST) {
            None | Some(0) => self.names.lemma(cube),
            Some(more) => format!("{} | {more} more", self.names.lemma(&cube[..MOST])),
        }
    }

    fn at(&self, level: usize) -> String {
        if self.levels { format!(", at level {level}") } else { String::new() }
    }

    fn up_to(&self, level: usize) -> String {
        if self.levels { format!(", up to level {level}") } else { String::new() }
    }
}

/// How far a state is from the violation, where the indentation does not say it.
fn far(depth: usize) -> String {
    if depth > DEEPEST { format!(" ({depth} steps before the violation)") } else { String::new() }
}

fn states_text(latches: &[Assignment]) -> String {
    if latches.is_empty() { "any state".to_string() } else { listed(latches, MOST) }
}

/// Of all states, those in a cube of this many literals.
fn share(literals: usize) -> String {
    match literals {
        0 => "all there are".to_string(),
        n @ 1..=20 => format!("1 in {}", 1u64 << n),
        n => format!("1 in 2^{n}"),
    }
}

pub fn json(model: &Model, story: &Story) -> Value {
    let names = Names::of(&model.system);
    let steps: Vec<Value> = story.entries().map(|e| step(&names, e)).collect();
    let left_out = json!({"after": story.head.len(), "steps": story.left_out});
    json!({"engine": story.engine.name, "steps": steps, "left_out": left_out})
}

fn step(names: &Names<'_>, entry: &Entry) -> Value {
    let object = |assignments: Vec<Assignment>| {
        Value::Object(assignments.into_iter().map(|(n, v)| (n, json!(v))).collect::<Map<_, _>>())
    };
    let state = entry.state;
    match &entry.walk {
        Walk::Start => json!({"step": "start"}),
        Walk::Level(level) => json!({"step": "level", "level": level}),
        Walk::Cti { depth, level, states } => json!({
            "step": "cti", "state": state, "depth": depth, "level": level, "leads_to": entry.toward,
            "again": entry.again, "latches": object(names.latches(&states.cube)),
            "inputs": object(names.inputs(states)),
            "then": states.after.as_ref().map(|after| object(names.row(after))),
        }),
        Walk::Lemma { level, cube, .. } => json!({
            "step": "lemma", "state": state, "level": level, "clause": names.lemma(cube),
            "excludes": object(names.latches(cube)),
        }),
        Walk::Aside { level, cube } => {
            json!({"step": "aside", "level": level, "clause": names.lemma(cube)})
        }
        Walk::Subgoal { .. } => json!({"step": "subgoal", "state": state}),
        Walk::Closed { .. } => json!({"step": "closed", "state": state}),
        Walk::Reached { .. } => json!({"step": "reached", "state": state}),
        Walk::Propagated { level, moved, of } => {
            json!({"step": "propagated", "level": level, "moved": moved, "of": of})
        }
        Walk::Settled { lemmas } => json!({"step": "settled", "lemmas": lemmas}),
        Walk::Converged { level, lemmas } => {
            json!({"step": "converged", "level": level, "lemmas": lemmas})
        }
        Walk::StepFails { k, .. } => json!({"step": "step_fails", "k": k}),
    }
}
