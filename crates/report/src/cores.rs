//! Cores in the user's names and places.

use std::fmt::Write;

use buttress_driver::cores::{
    Anatomy, Barren, Branch, CoreFinding, CoreOutcome, Diversity, Fate, Minimal, Needed, Vacuity, place,
};
use buttress_driver::supervise::Spent;
use buttress_system::words::{System, WordTrace};
use buttress_system::{ElementId, ElementSet};
use serde_json::{Map, Value, json};

use crate::json::{Kind, object};
use crate::{count, text};

/// The result for one property, with the additional questions about its core.
pub struct CoreDetails {
    pub finding: CoreFinding,
    /// What of the property does not matter.
    pub vacuity: Option<Vacuity>,
    pub diversity: Option<Diversity>,
}

pub fn text(anatomy: &Anatomy, told: &CoreDetails, listing: Option<bool>) -> String {
    let title = anatomy.title(told.finding.claim);
    match &told.finding.outcome {
        CoreOutcome::Proved(needed) => {
            let mut text = proved(anatomy, title, needed);
            if let Some(colours) = listing {
                text.push_str(&self::listing(anatomy, needed, colours));
            }
            told.vacuity.iter().for_each(|found| text.push_str(&vacuity(found)));
            told.diversity.iter().for_each(|d| text.push_str(&diversity(d)));
            text
        }
        CoreOutcome::Falsified { step, back: None } => {
            format!("{title}: falsified in step {step}; it has no core\n")
        }
        CoreOutcome::Falsified { step, back: Some(back) } => {
            let steps = count(step + 1, "step", "steps");
            format!("{title}: falsified by a lasso of {steps}, back to step {back}; it has no core\n")
        }
        CoreOutcome::Goal => format!("{title}: a goal; it has no core\n"),
        CoreOutcome::Undecided(why) => format!("{title}: undecided: {why}\n"),
        CoreOutcome::Fault(why) => format!("{title}: ERROR: {why}\n"),
    }
}

fn proved(anatomy: &Anatomy, title: &str, needed: &Needed) -> String {
    let invariants = match needed.invariants {
        0 => String::new(),
        n => format!(" with {n} more"),
    };
    let (engine, strength) = (needed.engine.title, format!("k = {}{invariants}", needed.k));
    let (first, again) = match needed.monitors {
        None => (strength, String::new()),
        Some((whole, core)) => (text::monitor(whole), format!(": {}, {strength}", text::monitor(core))),
    };
    let mut text = format!("{title}: proved by {engine}, {first}\n");
    if let Some(states) = needed.vacuous {
        let _ = writeln!(text, "  VACUOUS: the core leaves no execution of {states} states");
    }
    let (core, all, minimal) = (needed.core.len(), anatomy.elements.len(), minimality(&needed.minimal));
    let _ =
        writeln!(text, "  core: {core} of {all} elements, {minimal}; proved again without the others{again}");
    let width = needed.core.iter().map(|&e| anatomy.name(e).chars().count()).max().unwrap_or(0);
    for &element in &needed.core {
        let mark = if is_must(needed, element) { "must" } else { "" };
        let excerpt = shorten(&anatomy.excerpt(element));
        let (name, place) = (anatomy.name(element), anatomy.place(element));
        let line = format!("    {name:<width$}  {mark:<4}  {place:>8}  {excerpt}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str(&rest(anatomy, needed));
    text
}

fn rest(anatomy: &Anatomy, needed: &Needed) -> String {
    let mut text = String::new();
    let dropped: Vec<String> =
        anatomy.elements.ids().filter(|e| !needed.core.contains(e)).map(|e| anatomy.name(e)).collect();
    if !dropped.is_empty() {
        let _ = writeln!(text, "  not needed: {}", shorten(&dropped.join(", ")));
    }
    let _ = writeln!(text, "  static slice: {}", count(needed.slice.len(), "element", "elements"));
    if let Some(must) = &needed.must {
        let open = match must.undecided.len() {
            0 => String::new(),
            n => format!(", {n} undecided"),
        };
        let _ =
            writeln!(text, "  in every core: {}{open}", count(must.elements.len(), "element", "elements"));
    }
    if let Some(found) = &needed.all {
        let complete = if found.complete { "all" } else { "not all" };
        let (cores, cuts) = (found.cores.len(), found.cuts.len());
        let _ = writeln!(text, "  minimal cores: {cores} ({complete}); minimal cut sets: {cuts}");
        for core in &found.cores {
            let _ = writeln!(text, "    core: {}", names(anatomy, core));
        }
        for cut in &found.cuts {
            let _ = writeln!(text, "    cut: {}", names(anatomy, cut));
        }
    }
    text
}

/// What does not matter.
fn vacuity(found: &Vacuity) -> String {
    let Vacuity { barren, unneeded, premise } = found;
    if let Some(barren) = barren {
        let why = match barren {
            Barren::Unfair => "no execution is fair".to_string(),
            Barren::Ends(states) => format!("there is no execution of {states} states"),
        };
        return format!("  VACUOUS: {why}: it holds whatever it says\n");
    }
    if unneeded.is_empty() {
        return "  vacuity: every subformula of the property matters, as far as was found\n".to_string();
    }
    let line = |part: &String| format!("  VACUOUS: it holds whatever this part of it says: {part}\n");
    let mut text: String = unneeded.iter().map(line).collect();
    if let Some(premise) = premise {
        let _ = writeln!(text, "  VACUOUS: its premise never holds: {premise}");
    }
    text
}

fn diversity(diversity: &Diversity) -> String {
    let mut text = format!("  diversity: {} proofs\n", diversity.cores.len());
    for (who, core) in &diversity.cores {
        let _ = writeln!(text, "    {:>4} elements  {who}", core.len());
    }
    let distances = diversity.distances();
    if !distances.is_empty() {
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        let most = distances.iter().copied().fold(0.0, f64::max);
        let pairs = distances.len();
        let _ = writeln!(text, "    Jaccard distance: mean {mean:.3}, largest {most:.3}, of {pairs} pairs");
    }
    text
}

fn minimality(minimal: &Minimal) -> String {
    let up_to = |undecided: &ElementSet| match undecided.len() {
        0 => String::new(),
        n => format!(" up to {n} undecided"),
    };
    match minimal {
        Minimal::ForThisProof { undecided } => format!("minimal for this proof{}", up_to(undecided)),
        Minimal::Tried { undecided } => format!("minimal{}", up_to(undecided)),
    }
}

fn is_must(needed: &Needed, element: ElementId) -> bool {
    needed.must.as_ref().is_some_and(|must| must.elements.contains(&element))
}

fn names(anatomy: &Anatomy, elements: &ElementSet) -> String {
    elements.iter().map(|&e| anatomy.name(e)).collect::<Vec<_>>().join(", ")
}

/// The text cut to the length of a line.
fn shorten(text: &str) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_string(),
    }
}

/// The lines of the source, each with a mark: `!` in every core, `+` in this core, `-` not needed, nothing where
/// there is no element.
fn listing(anatomy: &Anatomy, needed: &Needed, colours: bool) -> String {
    let mut text = String::new();
    for (number, line) in (1..).zip(anatomy.lines()) {
        let mark = mark(anatomy, needed, number);
        let (on, off) = match (mark, colours) {
            ('!', true) => ("\x1b[1;32m", "\x1b[0m"),
            ('+', true) => ("\x1b[32m", "\x1b[0m"),
            ('-', true) => ("\x1b[2;31m", "\x1b[0m"),
            _ => ("", ""),
        };
        let _ = writeln!(text, "{}", format!("{mark} {on}{line}{off}").trim_end());
    }
    text
}

/// The mark of a line: the highest need of an element on it.
fn mark(anatomy: &Anatomy, needed: &Needed, line: u32) -> char {
    let mut mark = ' ';
    for element in anatomy.elements.ids() {
        let Some(span) = anatomy.elements.get(element).label.span else { continue };
        if !(span.line..=span.end_line).contains(&line) {
            continue;
        }
        mark = match (mark, needed.core.contains(&element)) {
            ('!', _) => '!',
            (_, true) if is_must(needed, element) => '!',
            (_, true) => '+',
            ('+', false) => '+',
            (_, false) => '-',
        };
    }
    mark
}

/// One object with all that was asked for.
pub fn json(anatomy: &Anatomy, told: &[CoreDetails], uncovered: Option<&[ElementId]>, code: u8) -> String {
    let properties: Vec<Value> = told.iter().map(|told| property(anatomy, told)).collect();
    let elements: Vec<Value> = anatomy.elements.ids().map(|e| element(anatomy, e)).collect();
    let mut report = json!({
        "file": anatomy.problem.path, "elements": elements, "properties": properties, "exit_code": code,
    });
    if let Some(uncovered) = uncovered {
        let names: Vec<String> = uncovered.iter().map(|&e| anatomy.name(e)).collect();
        report["in_no_core"] = json!(names);
    }
    object(Kind::Core, &report)
}

fn element(anatomy: &Anatomy, id: ElementId) -> Value {
    let element = anatomy.elements.get(id);
    let span = element.label.span.map(|s| json!([s.line, s.column, s.end_line, s.end_column]));
    json!({ "name": &*element.label.name, "kind": element.kind.name(), "span": span })
}

fn property(anatomy: &Anatomy, told: &CoreDetails) -> Value {
    let name = &*anatomy.problem.claim(told.finding.claim).name;
    let mut value = match &told.finding.outcome {
        CoreOutcome::Proved(needed) => proved_json(anatomy, name, needed),
        CoreOutcome::Falsified { step, back: None } => {
            json!({ "name": name, "verdict": "falsified", "step": step })
        }
        CoreOutcome::Falsified { step, back } => {
            json!({ "name": name, "verdict": "falsified", "step": step, "back_to_step": back })
        }
        CoreOutcome::Goal => json!({ "name": name, "verdict": "goal" }),
        CoreOutcome::Undecided(why) => json!({ "name": name, "verdict": "undecided", "reason": why }),
        CoreOutcome::Fault(why) => json!({ "name": name, "verdict": "error", "reason": why }),
    };
    if let Some(Vacuity { barren, unneeded, premise }) = &told.vacuity {
        value["does_not_matter"] = json!(unneeded);
        if let Some(premise) = premise {
            value["premise_never_holds"] = json!(premise);
        }
        match barren {
            Some(Barren::Unfair) => value["no_fair_execution"] = json!(true),
            Some(Barren::Ends(states)) => value["no_execution_of_states"] = json!(states),
            None => {}
        }
    }
    if let Some(diversity) = &told.diversity {
        let cores = diversity.cores.iter().map(|(who, core)| json!({"by": who, "elements": core.len()}));
        value["diversity"] = json!({"cores": cores.collect::<Vec<_>>(), "distances": diversity.distances()});
    }
    value
}

fn proved_json(anatomy: &Anatomy, title: &str, needed: &Needed) -> Value {
    let list = |set: &ElementSet| set.iter().map(|&e| json!(anatomy.name(e))).collect::<Vec<Value>>();
    let undecided = match &needed.minimal {
        Minimal::ForThisProof { undecided } if undecided.is_empty() => Value::Null,
        Minimal::ForThisProof { undecided } | Minimal::Tried { undecided } => json!(list(undecided)),
    };
    let must = needed.must.as_ref();
    let must = must.map(|m| json!({ "elements": list(&m.elements), "undecided": list(&m.undecided) }));
    let all = needed.all.as_ref().map(|found| {
        let cores: Vec<Value> = found.cores.iter().map(|core| json!(list(core))).collect();
        let cuts: Vec<Value> = found.cuts.iter().map(|cut| json!(list(cut))).collect();
        json!({ "complete": found.complete, "cores": cores, "cuts": cuts })
    });
    let s = needed.seconds;
    let seconds = |of: fn(&Spent) -> f64| {
        json!({
            "proof": of(&s.proof), "core": of(&s.core), "minimal": of(&s.minimal), "check": of(&s.check),
        })
    };
    let mut value = json!({
        "name": title, "verdict": "proved", "engine": needed.engine.name, "k": needed.k,
        "invariants": needed.invariants, "vacuous": needed.vacuous, "core": list(&needed.core),
        "minimal": minimality(&needed.minimal), "undecided": undecided, "slice": list(&needed.slice),
        "must": must, "all": all,
        "seconds": seconds(|spent| spent.wall),
        "cpu_seconds": seconds(|spent| spent.cpu),
    });
    if let Some((whole, core)) = needed.monitors {
        value["monitor"] = json!(whole);
        value["monitor_of_core"] = json!(core);
    }
    value
}

/// A branch of an equation; nothing of one that is reached, unless its inputs are wanted.
pub fn branch(anatomy: &Anatomy, branch: &Branch, vectors: bool) -> String {
    let (at, name, condition) = (place(&branch.label), &branch.label.name, &branch.condition);
    match &branch.fate {
        Fate::Dead(core) => {
            let because = match core {
                Some(core) if core.is_empty() => "because of itself".to_string(),
                Some(core) => format!("because of {}", names(anatomy, core)),
                None => "proved; the reason was not found".to_string(),
            };
            format!("{at} {name}: never {condition}\n  {because}\n")
        }
        Fate::Reached(trace) if vectors => {
            format!("{at} {name}: reached {condition}\n{}", vector(&anatomy.system, trace))
        }
        Fate::Reached(_) => String::new(),
        Fate::Undecided(why) => format!("{at} {name}: undecided {condition}: {why}\n"),
    }
}

/// The inputs that lead to a branch, step by step: names and values.
fn inputs(system: &System, trace: &WordTrace) -> Vec<Vec<(String, String)>> {
    let row = |row: &Vec<Option<buttress_term::Value>>| {
        let shown =
            |value: &Option<_>| value.as_ref().map_or_else(|| "any".into(), buttress_lustre::table::show);
        let values = system.inputs.iter().zip(row);
        values.map(|(input, value)| (input.label.name.to_string(), shown(value))).collect()
    };
    trace.inputs.iter().map(row).collect()
}

/// The inputs that lead to a branch, a line a step.
fn vector(system: &System, trace: &WordTrace) -> String {
    let mut text = String::new();
    for (step, row) in inputs(system, trace).iter().enumerate() {
        let shown: Vec<String> = row.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(text, "  step {step}: {}", shown.join(", "));
    }
    text
}

/// A branch of an equation, whatever became of it.
pub fn branch_json(anatomy: &Anatomy, branch: &Branch) -> Value {
    let mut object = json!({
        "at": place(&branch.label), "name": &*branch.label.name, "condition": branch.condition,
    });
    let mut set = |key: &str, value: Value| object[key] = value;
    match &branch.fate {
        Fate::Dead(core) => {
            let names = |core: &ElementSet| core.iter().map(|&e| anatomy.name(e)).collect::<Vec<_>>();
            set("fate", json!("dead"));
            set("because_of", json!(core.as_ref().map(names)));
        }
        Fate::Reached(trace) => {
            let object = |row: Vec<(String, String)>| {
                row.into_iter().map(|(name, value)| (name, json!(value))).collect::<Map<_, _>>()
            };
            let rows: Vec<_> = inputs(&anatomy.system, trace).into_iter().map(object).collect();
            set("fate", json!("reached"));
            set("inputs", json!(rows));
        }
        Fate::Undecided(why) => {
            set("fate", json!("undecided"));
            set("reason", json!(why));
        }
    }
    object
}

pub fn dead_json(anatomy: &Anatomy, branches: Vec<Value>, code: u8) -> String {
    object(Kind::Dead, &json!({"file": anatomy.problem.path, "branches": branches, "exit_code": code}))
}

/// Elements that contradict each other and for how many states; or that there are executions.
pub fn conflict_json(
    anatomy: &Anatomy,
    found: Option<(&ElementSet, usize)>,
    asked: usize,
    code: u8,
) -> String {
    let elements = |core: &ElementSet| core.iter().map(|&e| element(anatomy, e)).collect::<Vec<_>>();
    let conflict = found.map(|(core, states)| json!({"states": states, "because_of": elements(core)}));
    let path = &anatomy.problem.path;
    object(
        Kind::Conflict,
        &json!({"file": path, "asked_for_states": asked, "conflict": conflict, "exit_code": code}),
    )
}

/// Elements that contradict each other.
pub fn conflict(anatomy: &Anatomy, core: &ElementSet, states: usize, with: &str) -> String {
    let path = &anatomy.problem.path;
    let mut text = format!("{path}: conflict: there is no execution of {states} states{with}\n");
    let _ = writeln!(text, "  because of {} of {} elements:", core.len(), anatomy.elements.len());
    for &element in core {
        let (name, place, excerpt) =
            (anatomy.name(element), anatomy.place(element), anatomy.excerpt(element));
        let _ = writeln!(text, "    {name}  {place}  {excerpt}");
    }
    text
}
