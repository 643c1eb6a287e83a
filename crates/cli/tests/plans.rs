//! Plans: what is built in, what a file says, and more lanes than cores.

#[path = "support/skip.rs"]
mod skip;
#[allow(dead_code)]
mod support;

use support::{Run, Scratch, buttress, root};

fn run(arguments: &[&str]) -> Run {
    Run::of(buttress(&root()).args(arguments))
}

/// What `--toml` prints is a file of plans, with the same plans in it.
#[test]
fn the_plans_that_are_built_in_are_a_file_of_plans() {
    let listed = run(&["plans"]);
    assert!(listed.code == 0 && listed.stdout.contains("bmc (1/8 of the time)"), "{}", listed.all());
    let (scratch, printed) = (Scratch::new("plans"), run(&["plans", "--toml"]));
    let file = scratch.file("plans.toml");
    std::fs::write(&file, printed.stdout).expect("it can be written");
    let file = file.display().to_string();
    assert_eq!(run(&["plans", &file]).stdout, listed.stdout);
    let checked = run(&["check", "examples/mutex.aag", "--plan", &file]);
    assert!(checked.code == 0, "{}", checked.all());
}

/// Eight lanes on one core, and on two: the verdicts are the same.
#[test]
fn more_lanes_than_cores_take_turns() {
    for (model, code) in [("examples/mutex.aag", 0), ("tests/golden/unsafe/several.aag", 10)] {
        for cores in ["1", "2"] {
            let checked = run(&["check", model, "--plan", "bits-8", "--cores", cores, "--timeout", "120"]);
            assert_eq!(checked.code, code, "{model}, {cores} cores: {}", checked.all());
        }
    }
}

/// Solvers stand still while their lane waits, and go on where they were.
#[test]
fn lanes_with_solvers_take_turns() {
    if buttress_solve::smt::find(&buttress_solve::smt::directories()).is_empty() {
        return skip::skip("z3", "scripts/get-solvers brings it");
    }
    let scratch = Scratch::new("plan-solvers");
    let model = |bound: u32| {
        let text = format!(
            "node main(step: int) returns (x: int);\nvar ok: bool;\nlet\n  assert step >= 0 and step <= 3;
  x = 0 -> if pre x < 10 then pre x + step else pre x;\n  ok = x < {bound};\n  --%PROPERTY ok;\ntel\n"
        );
        let file = scratch.file(&format!("{bound}.lus"));
        std::fs::write(&file, text).expect("a file of the test");
        file
    };
    for (bound, code) in [(13, 0), (12, 10)] {
        let mut command = buttress(&root());
        let arguments = ["--plan", "theories-4", "--cores", "1", "--timeout", "120"];
        command.env_remove("BUTTRESS_SOLVERS").arg("check").arg(model(bound)).args(arguments);
        let checked = Run::of(&mut command);
        assert_eq!(checked.code, code, "x < {bound}: {}", checked.all());
    }
}

#[test]
fn a_lane_of_a_file_has_its_settings_unless_the_user_insists() {
    let scratch = Scratch::new("plan-settings");
    let file = scratch.file("plan.toml");
    let text =
        "[[plan]]\nname = \"own\"\nmodel = \"bits\"\nlanes = [{ engine = \"reach\", order = \"file\" }]\n";
    std::fs::write(&file, text).expect("it can be written");
    let file = file.display().to_string();
    let checked = run(&["check", "examples/mutex.aag", "--plan", &file, "--bdd-order", "force"]);
    assert!(checked.code == 0 && checked.stdout.contains("reachability"), "{}", checked.all());
    // No IC3 runs, so that its options are refused.
    let refused = run(&["check", "examples/mutex.aag", "--plan", &file, "--ic3-generalize", "drop"]);
    assert!(
        refused.code == 2 && refused.stderr.contains("--ic3-generalize does not apply"),
        "{}",
        refused.all()
    );
}

#[test]
fn what_is_no_plan_is_refused() {
    let other = run(&["check", "examples/mutex.aag", "--plan", "processes"]);
    assert!(
        other.code == 2 && other.stderr.contains("the plan processes is for processes"),
        "{}",
        other.all()
    );
    let unknown = run(&["check", "examples/mutex.aag", "--plan", "bits-3"]);
    assert!(unknown.code == 3 && unknown.stderr.contains("built in: bits, bits-many"), "{}", unknown.all());
    let both = run(&["check", "examples/mutex.aag", "--plan", "bits", "--engine", "ic3"]);
    assert!(both.code == 2 && both.stderr.contains("cannot be used with"), "{}", both.all());
    let scratch = Scratch::new("plan-wrong");
    let file = scratch.file("plan.toml");
    std::fs::write(&file, "[[plan]]\nname = \"x\"\nmodel = \"bits\"\nlanes = [{ engine = \"bdd\" }]\n")
        .expect("written");
    let file = file.display().to_string();
    for command in [vec!["plans", &file], vec!["check", "examples/mutex.aag", "--plan", &file]] {
        let wrong = run(&command);
        assert!(wrong.code == 3 && wrong.stderr.contains(":4:"), "{}", wrong.all());
        assert!(wrong.stderr.contains("there is no engine bdd"), "{}", wrong.all());
    }
    let maps = run(&[
        "check",
        "tests/golden/cubicle/exclusion.cub",
        "--plan",
        &scratch.file("none").display().to_string(),
    ]);
    assert!(maps.code == 3, "{}", maps.all());
}

/// The same bytes in every run, on one processor and on all, beside others and alone.
#[test]
fn what_is_deterministic_is_the_same_to_the_byte() {
    let models = [
        "examples/mutex.aag",
        "examples/arbiter.aag",
        "examples/link.btor2",
        "tests/golden/unsafe/several.aag",
    ];
    for model in models {
        let checked = ["check", "--deterministic", "--seed", "3", "--plan", "bits-8", "--json", model];
        let first = run(&checked);
        assert!(first.stdout.contains("\"verdict\"") && !first.stdout.contains("seconds"), "{}", first.all());
        let others: Vec<_> = (0..4).map(|_| std::thread::spawn(move || run(&checked))).collect();
        for other in others {
            let other = other.join().expect("no panic");
            assert_eq!((other.code, other.all()), (first.code, first.all()), "{model}");
        }
    }
}

#[test]
fn what_is_deterministic_is_so_with_solvers() {
    if buttress_solve::smt::find(&buttress_solve::smt::directories()).is_empty() {
        return skip::skip("z3", "scripts/get-solvers brings it");
    }
    for model in
        ["examples/lustre/thermostat.lus", "examples/lustre/gearbox.lus", "examples/indexed/running.vmt"]
    {
        let checked = || {
            let mut command = buttress(&root());
            let arguments = ["check", "--deterministic", "-v", "--show-cti", "--timeout", "300", model];
            let arguments = arguments.iter().filter(|a| !model.ends_with(".vmt") || **a != "--show-cti");
            Run::of(command.env_remove("BUTTRESS_SOLVERS").args(arguments)).all()
        };
        let (first, second) = (checked(), checked());
        assert!(first.contains("proved") || first.contains("falsified"), "{first}");
        assert_eq!(first, second, "{model}");
    }
}

/// What depends on the clock does not go with it, and is refused by name.
#[test]
fn what_depends_on_the_clock_is_not_deterministic() {
    for (option, value) in
        [("--cores", "2"), ("--property-timeout", "3"), ("--stop-at-first", ""), ("--core", "")]
    {
        let mut arguments = vec!["check", "--deterministic", option];
        arguments.extend(Some(value).filter(|value| !value.is_empty()));
        let refused = run(&[&arguments[..], &["examples/mutex.aag"]].concat());
        assert!(refused.code == 2 && refused.stderr.contains(option), "{}", refused.all());
    }
}
