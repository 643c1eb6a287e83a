//! Reports beside verdicts: states that induction could not exclude, the search of an engine, the lemmas that a
//! run left. All of it is replayed on the model here.

#[allow(dead_code)] // the other checker has nothing to say here
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use buttress_format::aiger;
use buttress_system::evidence::{evaluate, value};
use buttress_system::{Bit, BitSource, BitSystem, Lit, PropertyId, Signals, Ternary};
use serde_json::Value;
use support::{Run, Scratch, buttress, root};

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn check(arguments: &[&str], model: &Path) -> Run {
    Run::of(buttress(&root()).arg("check").args(arguments).arg(model))
}

fn report(arguments: &[&str], model: &Path) -> Value {
    let run = check(&[arguments, &["--json"]].concat(), model);
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.all()))
}

/// A model and what its bits are called.
struct NamedCircuit {
    system: BitSystem,
    signals: Signals,
}

type Assigned = BTreeMap<usize, bool>;

impl NamedCircuit {
    fn read(path: &Path) -> NamedCircuit {
        let system = aiger::read_file(path).expect("a model").system;
        let signals = Signals::of(&system);
        NamedCircuit { system, signals }
    }

    fn variable(&self, bit: &Bit) -> usize {
        match bit.source {
            BitSource::Input(i) => self.system.input_lit(i).var().index(),
            BitSource::Latch(l) => self.system.latch_lit(l).var().index(),
        }
    }

    /// The bits behind an object from signal names to values.
    fn bits(&self, object: &Value) -> Assigned {
        let mut bits = Assigned::new();
        for (name, text) in object.as_object().expect("an object") {
            let value: u64 = text.as_str().expect("a string").parse().expect("a number");
            let whole = self.signals.0.iter().find(|s| s.name == *name);
            let signal = whole
                .cloned()
                .or_else(|| self.signals.0.iter().flat_map(|s| s.single_bits()).find(|s| s.name == *name));
            for (position, bit) in signal.expect("a signal of the model").bits.iter().enumerate() {
                bits.insert(self.variable(bit), (value >> position & 1 == 1) != bit.inverted);
            }
        }
        bits
    }

    /// Every variable, with the rest of the latches as given and the rest of the inputs 0.
    fn values(&self, latches: &Assigned, inputs: &Assigned, rest: bool) -> Vec<Ternary> {
        let read = |known: &Assigned, lit: Lit, rest| {
            Ternary::from(known.get(&lit.var().index()).copied().unwrap_or(rest))
        };
        let system = &self.system;
        let row: Vec<Ternary> = system.inputs().map(|i| read(inputs, system.input_lit(i), false)).collect();
        let state: Vec<Ternary> =
            system.latches().map(|l| read(latches, system.latch_lit(l), rest)).collect();
        evaluate(system, &state, &row)
    }

    fn bad(&self, values: &[Ternary], property: usize) -> bool {
        value(values, self.system.property(PropertyId::new(property)).bad) == Ternary::One
    }

    fn allowed(&self, values: &[Ternary]) -> bool {
        self.system.constraints.iter().all(|&c| value(values, c) == Ternary::One)
    }

    fn next(&self, values: &[Ternary]) -> Assigned {
        let known = |l| match value(values, self.system.latch(l).next) {
            Ternary::X => None,
            one => Some((self.system.latch_lit(l).var().index(), one == Ternary::One)),
        };
        self.system.latches().filter_map(known).collect()
    }

    /// Whether the next state has these values.
    fn leads_to(&self, values: &[Ternary], goal: &Assigned) -> bool {
        let latch = |l| self.system.latch_lit(l).var().index();
        let next = |l| value(values, self.system.latch(l).next);
        self.system.latches().all(|l| goal.get(&latch(l)).is_none_or(|&v| next(l) == Ternary::from(v)))
    }
}

/// k states in which the property holds, each the successor of the one before, then one in which it does not.
fn replay_cti(model: &NamedCircuit, property: usize, cti: &Value) {
    let states: Vec<Assigned> =
        cti["states"].as_array().expect("states").iter().map(|s| model.bits(s)).collect();
    let k = cti["k"].as_u64().expect("a number") as usize;
    assert_eq!(states.len(), k + 1, "{cti}");
    for (step, state) in states.iter().enumerate() {
        let values = model.values(state, state, false);
        assert!(model.allowed(&values), "state {step}: {cti}");
        assert_eq!(model.bad(&values, property), step == k, "state {step}: {cti}");
        if let Some(next) = states.get(step + 1) {
            assert!(model.leads_to(&values, next), "state {step}: {cti}");
        }
    }
}

#[test]
fn the_last_step_failure_is_one() {
    let golden = |name: &str| root().join("tests/golden").join(name);
    let models = [
        example("mutex.aag"),
        example("traffic.aag"),
        example("arbiter.aag"),
        example("fifo-fixed.aag"),
        golden("safe/k-three.aag"),
        golden("safe/distinct-states.aag"),
        golden("unsafe/constraint-delays.aag"),
    ];
    let mut seen = Vec::new();
    for path in models {
        let model = NamedCircuit::read(&path);
        for bound in ["1", "2", "3"] {
            let report = report(&["--engine", "kind", "--show-cti", "--bound", bound], &path);
            for (p, property) in report["properties"].as_array().expect("properties").iter().enumerate() {
                if let Some(cti) = property.get("cti") {
                    assert_eq!(property["verdict"], "undecided");
                    assert_eq!(cti["meaning"], "not a bug: a state that induction could not exclude");
                    replay_cti(&model, p, cti);
                    seen.push(cti["k"].as_u64());
                }
            }
        }
    }
    for k in 1..=3 {
        assert!(seen.contains(&Some(k)), "none for k = {k}");
    }
}

#[test]
fn nothing_is_shown_unasked_or_of_what_was_decided() {
    let run = check(&["--engine", "kind", "--bound", "1"], &example("mutex.aag"));
    assert!(!run.stdout.contains("not a bug"), "{}", run.all());
    let run = check(&["--engine", "ic3", "--engine", "kind", "--show-cti"], &example("mutex.aag"));
    assert!(run.code == 0 && !run.stdout.contains("not a bug"), "{}", run.all());
    let run = check(&["--engine", "kind", "--bound", "2", "--show-cti"], &example("mutex.aag"));
    let expected = "  not a bug: a state that induction could not exclude\n  k = 2: the property holds in 2 states, \
                    then it is violated\n  step ";
    assert!(run.stdout.contains(expected), "{}", run.all());
}

/// Every state told leads where it is said to lead, whatever the latches are that it leaves open; every lemma
/// excludes the state that it was found for.
fn replay_walk(model: &NamedCircuit, property: usize, explanation: &Value) -> (usize, usize) {
    let mut states: BTreeMap<u64, Assigned> = BTreeMap::new();
    let (mut ctis, mut lemmas) = (0, 0);
    for step in explanation["steps"].as_array().expect("steps") {
        let number = step["state"].as_u64();
        match step["step"].as_str().expect("a word") {
            "cti" => {
                let (latches, inputs) = (model.bits(&step["latches"]), model.bits(&step["inputs"]));
                for rest in [false, true] {
                    let values = model.values(&latches, &inputs, rest);
                    assert!(model.allowed(&values), "{step}");
                    match step["leads_to"].as_u64() {
                        Some(next) => assert!(model.leads_to(&values, &states[&next]), "{step}"),
                        None if step["then"].is_object() => {
                            let then = model.values(&model.next(&values), &model.bits(&step["then"]), rest);
                            assert!(model.allowed(&then) && model.bad(&then, property), "{step}");
                        }
                        None => assert!(model.bad(&values, property), "{step}"),
                    }
                }
                let known = states.insert(number.expect("a number"), latches.clone());
                assert!(known.is_none_or(|known| step["again"] == true && known == latches), "{step}");
                ctis += 1;
            }
            "lemma" => {
                let (excluded, state) = (model.bits(&step["excludes"]), &states[&number.expect("a number")]);
                assert!(excluded.iter().all(|(bit, value)| state.get(bit) == Some(value)), "{step}");
                assert_eq!(step["clause"].as_str().expect("text").split(" | ").count(), excluded.len());
                lemmas += 1;
            }
            _ => {}
        }
    }
    (ctis, lemmas)
}

#[test]
fn the_way_of_an_engine_can_be_followed() {
    for engine in ["ic3", "fsis", "monolithic"] {
        for name in ["mutex.aag", "mutex-swapped.aag", "traffic.aag", "arbiter.aag", "fifo.aag"] {
            let model = NamedCircuit::read(&example(name));
            let report = report(&["--engine", engine, "--explain"], &example(name));
            for (p, property) in report["properties"].as_array().expect("properties").iter().enumerate() {
                let explanation = &property["explanation"][0];
                assert_eq!(explanation["engine"], engine);
                if explanation["left_out"]["steps"] != 0 {
                    continue;
                }
                let (ctis, lemmas) = replay_walk(&model, p, explanation);
                assert!(ctis >= lemmas, "{name}: {explanation}");
                let last = explanation["steps"].as_array().and_then(|s| s.last()).expect("an end");
                let expected = if property["verdict"] == "proved" { "converged" } else { "reached" };
                assert_eq!(last["step"], expected, "{engine} {name}");
                if expected == "converged" {
                    let invariant = property["invariant"].as_array().expect("clauses").len();
                    assert!(last["lemmas"].as_u64() <= Some(invariant as u64), "{engine} {name}: {last}");
                }
            }
        }
    }
}

#[test]
fn the_way_is_told_in_words() {
    let run = check(&["--explain"], &example("mutex.aag"));
    assert_eq!(run.code, 0, "{}", run.all());
    for expected in [
        "how IC3 went about b0 both_critical:\n  level 1\n    s1: at0 = 4, at1 = 4\n      violates the property\n",
        " again, at level ",
        "      lemma, up to level ",
        " are equal: ",
        "b0 both_critical: proved (IC3, ",
    ] {
        assert!(run.stdout.contains(expected), "{expected:?}: {}", run.all());
    }
    let run = check(&["--engine", "bmc", "--explain"], &example("mutex.aag"));
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("--explain does not apply: it follows IC3 or FSIS"), "{}", run.all());
}

/// The naive strengthening ends with the same verdict, and many more clauses.
#[test]
fn monolithic_strengthening_is_the_worst_case_of_fsis() {
    let clauses = |engine: &str| {
        let report = report(&["--engine", engine], &example("mutex.aag"));
        assert_eq!(report["properties"][0]["verdict"], "proved", "{engine}");
        report["properties"][0]["invariant"].as_array().expect("clauses").len()
    };
    let (fsis, monolithic) = (clauses("fsis"), clauses("monolithic"));
    assert!(monolithic > 2 * fsis, "{fsis} clauses by FSIS, {monolithic} without lemmas");
}

fn states_to_exclude(arguments: &[&str], model: &Path) -> usize {
    let report = report(&[arguments, &["--engine", "ic3", "--explain"]].concat(), model);
    assert_eq!(report["properties"][0]["verdict"], "proved", "{report}");
    let steps = report["properties"][0]["explanation"][0]["steps"].as_array().expect("steps").clone();
    steps.iter().filter(|s| s["step"] == "cti").count()
}

#[test]
fn what_a_run_left_helps_the_next() {
    let scratch = Scratch::new("partial");
    let (model, file) = (example("mutex.aag"), scratch.file("lemmas"));
    let path = file.to_str().expect("a path");
    let run = check(&["--engine", "ic3", "--bound", "5", "--save-lemmas", path], &model);
    assert_eq!(run.code, 30, "{}", run.all());
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(text.starts_with("# partial: not a proof"), "{text}");
    for comment in ["# model: ", "# hash of the model: ", "# found by: IC3"] {
        assert!(text.contains(comment), "{text}");
    }
    let (before, after) = (states_to_exclude(&[], &model), states_to_exclude(&["--lemmas", path], &model));
    assert!(after * 2 < before, "{before} states to exclude, then {after}");
    let run = check(&["--engine", "ic3", "--lemmas", path], &model);
    assert!(run.stdout.starts_with("lemmas: ") && run.stderr.is_empty(), "{}", run.all());
    // `prove` reads the same file; the candidates may fail without harm.
    let run = Run::of(buttress(&root()).args(["prove", "--lemmas", path]).arg(&model));
    assert!(run.stdout.starts_with("candidates: "), "{}", run.all());
    assert!(!run.stdout.contains("the lemma of line"), "{}", run.all());
}

#[test]
fn all_that_a_proof_needs_is_enough_for_prove() {
    let scratch = Scratch::new("saved");
    let file = scratch.file("lemmas");
    let path = file.to_str().expect("a path");
    // FSIS supposes its property, so its clauses need not be inductive without it.
    for (engine, model) in [("ic3", "mutex.aag"), ("ic3", "traffic.aag")] {
        let run = check(&["--engine", engine, "--save-lemmas", path], &example(model));
        assert_eq!(run.code, 0, "{}", run.all());
        let text = std::fs::read_to_string(&file).expect("it was written");
        assert!(!text.contains("partial"), "{text}");
        let run = Run::of(buttress(&root()).args(["prove", "--lemmas", path]).arg(example(model)));
        assert_eq!(run.code, 0, "{}", run.all());
    }
}

/// Lemmas are hints: false ones cost nothing but their check, and never an answer.
#[test]
fn lemmas_of_another_model_are_hints() {
    let scratch = Scratch::new("hints");
    let file = scratch.file("lemmas");
    let path = file.to_str().expect("a path");
    check(&["--engine", "ic3", "--save-lemmas", path], &example("mutex.aag"));
    for engine in ["bmc", "kind", "ic3", "fsis"] {
        let run = check(&["--engine", engine, "--lemmas", path], &example("mutex-swapped.aag"));
        assert!(run.code == 10 && run.stdout.contains("falsified at step"), "{}", run.all());
        assert!(run.stderr.contains("was written for another model"), "{}", run.all());
    }
    std::fs::write(&file, "at0[2]\n!at0[2]\n").expect("a file");
    let run = check(&["--lemmas", path], &example("mutex.aag"));
    assert!(run.code == 0 && run.stdout.contains("lemmas: 0 of 2"), "{}", run.all());
    std::fs::write(&file, "at0[2] | zz\n").expect("a file");
    let run = check(&["--lemmas", path], &example("mutex.aag"));
    assert!(run.code == 3 && run.stderr.contains(":1:10: error: there is no latch 'zz'"), "{}", run.all());
    std::fs::write(&file, "n >= n\n").expect("a file");
    let run = check(&["--lemmas", path], &example("lustre/counter8.lus"));
    assert!(run.code == 3 && run.stderr.contains("this model is decided in bits"), "{}", run.all());
}
