//! The story of an engine in words. Obligations are indented: what leads to a state stands below it.

use std::fmt::Write;

use buttress_driver::people::listed;
use buttress_driver::report::{Assignments, EpisodeReport, StoryReport};

/// Assignments of one line.
const MOST: usize = 24;

/// Steps before the violation that are shown by indentation.
const DEEPEST: usize = 12;

pub fn text(title: &str, story: &StoryReport) -> String {
    let mut text = format!("how {} went about {title}:\n", story.title);
    let levels = story.steps.iter().any(|e| matches!(e, EpisodeReport::Level { .. }));
    for (number, episode) in story.steps.iter().enumerate() {
        if story.left_out.steps > 0 && number == story.left_out.after {
            let _ = writeln!(text, "  … {} steps left out …", story.left_out.steps);
        }
        let indent = 2 * indent(episode, levels);
        for line in lines(episode, levels) {
            let _ = writeln!(text, "{:indent$}{line}", "");
        }
    }
    text
}

fn indent(episode: &EpisodeReport, levels: bool) -> usize {
    let at = |depth: &usize| 1 + usize::from(levels) + (*depth).min(DEEPEST);
    match episode {
        EpisodeReport::Cti { depth, .. } => at(depth),
        EpisodeReport::Propagated { .. } | EpisodeReport::Settled { .. } => at(&0),
        EpisodeReport::Lemma { depth, .. }
        | EpisodeReport::Aside { depth, .. }
        | EpisodeReport::Subgoal { depth, .. }
        | EpisodeReport::Closed { depth, .. }
        | EpisodeReport::Reached { depth, .. } => at(depth) + 1,
        EpisodeReport::Level { .. } | EpisodeReport::Converged { .. } => 1,
    }
}

fn lines(episode: &EpisodeReport, levels: bool) -> Vec<String> {
    let at = |level: &usize| if levels { format!(", at level {level}") } else { String::new() };
    let up_to = |level: &usize| if levels { format!(", up to level {level}") } else { String::new() };
    match episode {
        EpisodeReport::Level { level } => vec![format!("level {level}")],
        EpisodeReport::Cti { state, level, depth, again: true, .. } => {
            vec![format!("{} again{}{}", named(state), at(level), far(*depth))]
        }
        EpisodeReport::Cti { state, depth, leads_to, latches, inputs, then, .. } => {
            let with = assigned(" with ", inputs);
            let does = match (leads_to, then) {
                (Some(next), _) => format!("leads to s{next}{with}{}", far(*depth)),
                (None, Some(after)) => format!("leads to a violation{with}{}", assigned(", then ", after)),
                (None, None) if *depth > 0 => format!("leads to a violation{with}"),
                (None, None) => format!("violates the property{with}"),
            };
            let states = if latches.is_empty() { "any state".to_string() } else { listed(latches, MOST) };
            vec![format!("{}: {states}", named(state)), format!("  {does}")]
        }
        EpisodeReport::Lemma { state, level, clause, excludes, literals, .. } => vec![
            format!("lemma{}: {clause}", up_to(level)),
            format!(
                "  excludes {} and every state with {} ({})",
                named(state),
                listed(excludes, MOST),
                share(*literals)
            ),
        ],
        EpisodeReport::Aside { level, clause, .. } => {
            vec![format!("on the way there{}: {clause}", up_to(level))]
        }
        EpisodeReport::Subgoal { state, .. } => {
            vec![format!("no lemma excludes {}: that nothing leads there is the next goal", named(state))]
        }
        EpisodeReport::Closed { state, .. } => vec![format!("nothing leads to {} any more", named(state))],
        EpisodeReport::Reached { state, depth } => {
            vec![format!("{} holds a reset state: a violation at step {depth}", named(state))]
        }
        EpisodeReport::Propagated { moved: 0, .. } | EpisodeReport::Settled { lemmas: 0 } => Vec::new(),
        EpisodeReport::Propagated { level, moved, of } => {
            let to = level + 1;
            vec![format!("propagation: {moved} of {of} lemmas of level {level} hold at level {to}, too")]
        }
        EpisodeReport::Settled { lemmas: 1 } => {
            vec!["1 lemma is inductive by itself: it holds at every level".to_string()]
        }
        EpisodeReport::Settled { lemmas } => {
            vec![format!("{lemmas} lemmas are inductive together: they hold at every level")]
        }
        EpisodeReport::Converged { level, lemmas } => vec![converged(*level, *lemmas, levels)],
    }
}

fn named(state: &Option<usize>) -> String {
    state.map_or(String::new(), |n| format!("s{n}"))
}

/// The inputs that are not 0 after a word, if there are any.
fn assigned(word: &str, inputs: &Assignments) -> String {
    if inputs.is_empty() { String::new() } else { format!("{word}{}", listed(inputs, MOST)) }
}

fn converged(level: usize, lemmas: usize, levels: bool) -> String {
    let what = match lemmas {
        0 => "no lemma is needed".to_string(),
        1 => "1 lemma is inductive and excludes every violation".to_string(),
        n => format!("{n} lemmas are inductive and exclude every violation"),
    };
    match levels {
        true => format!("levels {} and {level} are equal: {what}", level - 1),
        false => format!("nothing is left to exclude: {what}"),
    }
}

/// How far a state is from the violation, where the indentation does not say it.
fn far(depth: usize) -> String {
    if depth > DEEPEST { format!(" ({depth} steps before the violation)") } else { String::new() }
}

/// Of all states, those in a cube of this many literals.
fn share(literals: usize) -> String {
    match literals {
        0 => "all there are".to_string(),
        n @ 1..=20 => format!("1 in {}", 1u64 << n),
        n => format!("1 in 2^{n}"),
    }
}
