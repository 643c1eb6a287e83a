//! The Lustre front end: random models, mutants, and the models of others.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use buttress_check::{certify_source_trace, certify_word_trace};
use buttress_lustre::replay::Replayer;
use buttress_system::words::WordTrace;
use buttress_system::{PropertyId, Rng};
use buttress_term::Value;
use buttress_testkit::lustre::{
    Outcome, annotated_means_the_same, decide, examine, model, mutate, mutate_mildly, reduced_means_the_same,
    small_model,
};
use buttress_testkit::tree::{files_below, root};

const LIMIT: Duration = Duration::from_secs(20);

/// 500 random models and 5,000 mutants; 100,000 by the program `fuzz_lustre`.
#[test]
fn random_models_agree_and_mutants_are_refused_with_a_place() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let text = if seed % 4 == 0 { small_model(&mut rng) } else { model(&mut rng) };
        let outcome = examine(&text, 4, seed).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        assert!(outcome >= Outcome::Agreed, "seed {seed} is not well typed:\n{text}");
        for number in 0..10 {
            let mutant =
                if number % 2 == 0 { mutate(&text, &mut rng) } else { mutate_mildly(&text, &mut rng) };
            examine(&mutant, 1, seed).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{mutant}"));
        }
    }
}

/// Formulas that are annotated, and models without some equations, are read again and mean what they meant.
#[test]
fn what_is_written_means_the_same() {
    let (mut formulas, mut reductions) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let text = if seed % 2 == 0 { small_model(&mut rng) } else { model(&mut rng) };
        let told = |why| -> usize { panic!("seed {seed}: {why}\nof\n{text}") };
        formulas += annotated_means_the_same(&text, 5, seed).unwrap_or_else(told);
        reductions += reduced_means_the_same(&text, 5, seed).map(usize::from).unwrap_or_else(told);
    }
    println!("{formulas} formulas, {reductions} reductions");
    assert!(formulas > 400 && reductions > 50, "{formulas} {reductions}");
}

/// The words of an input are as wide as its constraints allow, here a bit; what does not fit ends the execution in
/// the source.
#[test]
fn inputs_that_no_constraint_allows_need_no_words() {
    let text = "node main(x: subrange [-1, 2] of int) returns (y: bool);\n(*@contract assume x <= 0; *)\nlet\n  \
        y = x <= 1;\n  --%PROPERTY y;\ntel;\n";
    for seed in 0..20 {
        let outcome = examine(text, 4, seed).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        assert_eq!(outcome, Outcome::Finite);
    }
}

/// Small models: all engines say what the reference says about the integers, and the source agrees with every
/// trace.
#[test]
fn engines_on_finite_models_agree_with_the_reference() {
    let (mut holds, mut violated, mut late) = (0, 0, 0);
    for seed in 0..150 {
        let text = small_model(&mut Rng::new(seed));
        let decided = decide(&text, LIMIT).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        for property in decided.into_iter().flatten() {
            holds += usize::from(property.is_none());
            violated += usize::from(property.is_some());
            late += usize::from(property.is_some_and(|step| step > 0));
        }
    }
    println!("{holds} hold, {violated} are violated, {late} of them late");
    assert!(holds > 50 && violated > 50 && late > 10, "{holds} {violated} {late}");
}

#[test]
fn the_interpreter_agrees_with_the_system_on_the_examples() {
    let examples = files_below(&root().join("examples/lustre"), "lus");
    assert!(examples.len() >= 12);
    for path in examples {
        let text = fs::read_to_string(&path).expect("the file is text");
        let outcome = examine(&text, 50, 1).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        assert!(outcome >= Outcome::Agreed, "{}", path.display());
    }
}

/// A file in thirty, some steps: seconds. All files and 200 steps by the program `agree_lustre`.
#[test]
fn the_interpreter_agrees_with_the_system_on_a_sample() {
    for path in files_below(&root().join("../shared/bench/lustre"), "lus").iter().step_by(30) {
        let text = fs::read_to_string(path).expect("the file is text");
        examine(&text, 10, 7).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
}

/// A trace is accepted where the source executes it, too; a translation that lies is found out.
#[test]
fn traces_are_replayed_in_the_source() {
    let text = "node m(x: int) returns (y: int);\nvar ok: bool;\nlet y = 0 -> pre y + x; ok = y < 10; --%PROPERTY ok;\ntel";
    let read = || buttress_lustre::read(text.to_string()).expect("it is right");
    let lowered = buttress_lustre::lower(&read()).expect("it can be lowered");
    let system = lowered.system;
    let trace = |xs: &[i64]| WordTrace {
        property: PropertyId::new(0),
        initial: system.states.iter().map(|s| s.init.is_none().then(|| Value::Int(0.into()))).collect(),
        inputs: xs.iter().map(|&x| vec![Some(Value::Int(x.into()))]).collect(),
    };
    let source = Replayer::new(read(), Arc::clone(&system), lowered.origins);
    assert!(certify_source_trace(&system, &source, trace(&[3, 4, 7])).is_ok());
    assert!(certify_source_trace(&system, &source, trace(&[3, 4, 5])).is_err());
    let mut wrong = (*system).clone();
    wrong.properties[0].bad = wrong.terms.bool(true);
    assert!(certify_word_trace(&wrong, trace(&[3, 4, 5])).is_ok());
    assert!(certify_source_trace(&wrong, &source, trace(&[3, 4, 5])).is_err());
}
