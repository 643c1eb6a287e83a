//! `check --ctl`: formulas about computation trees.

#[allow(dead_code, reason = "other files of tests use the rest")]
mod support;

use serde_json::Value;
use support::{Run, Scratch, buttress, root};

/// `asked` is the last `ask`; once `lose` comes, it is `lost` for ever.
const MODEL: &str =
    "aag 5 2 2 1 1\n2\n4\n6 4\n8 11\n6\n10 9 3\ni0 lose\ni1 ask\nl0 asked\nl1 lost\no0 answer\n";

const FORMULAS: &str = "# holds\nAG EF asked\nAG(~lost ->\n  EX ~lost)\nback := AG EF ~lost # fails\nAG AF asked\n\
                        AG(lost -> AX lost); E ~lost U answer\nAG(ask -> EX answer)";

fn check(scratch: &Scratch, options: &[&str]) -> Run {
    let mut command = buttress(&root());
    command.arg("check").arg(scratch.file("model.aag")).arg("--ctl").arg(scratch.file("formulas.ctl"));
    Run::of(command.args(options).args(["--timeout", "60"]))
}

fn written(name: &str, formulas: &str) -> Scratch {
    let scratch = Scratch::new(&format!("ctl-{name}"));
    std::fs::write(scratch.file("model.aag"), MODEL).expect("a scratch folder");
    std::fs::write(scratch.file("formulas.ctl"), formulas).expect("a scratch folder");
    scratch
}

fn verdicts(run: &Run) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.all()));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_string();
    let findings = report["properties"].as_array().expect("a list");
    findings.iter().map(|f| (text(f, "position"), text(f, "verdict"))).collect()
}

/// Those that decide formulas about trees, and how reports call them.
const ENGINES: [(&str, &str); 2] = [("ctl", "fair CTL"), ("iictl", "IICTL")];

#[test]
fn formulas_are_properties_and_outputs_are_names() {
    let scratch = written("names", FORMULAS);
    let expected = ["proved", "proved", "falsified", "falsified", "proved", "proved", "proved"];
    let expected: Vec<(String, String)> =
        expected.iter().enumerate().map(|(n, verdict)| (format!("c{n}"), verdict.to_string())).collect();
    // With the engines for executions where these say all, and with those for trees alone.
    for options in [&["--json"][..], &["--json", "--engine", "ctl"], &["--json", "--engine", "iictl"]] {
        let run = check(&scratch, options);
        assert_eq!((run.code, verdicts(&run)), (10, expected.clone()), "{}", run.all());
    }
    for (engine, title) in ENGINES {
        let run = check(&scratch, &["--property", "c0", "--property", "c5", "--engine", engine]);
        assert_eq!(run.code, 0, "{}", run.all());
        assert!(run.stdout.contains(&format!("c0 AG EF asked: proved ({title}, on ")), "{}", run.all());
    }
}

#[test]
fn a_failure_is_a_path_with_remarks() {
    let scratch = written("path", FORMULAS);
    for (engine, title) in ENGINES {
        let run = check(&scratch, &["--property", "back", "-v", "--engine", engine]);
        assert_eq!(run.code, 10, "{}", run.all());
        for line in [
            &format!("c2 back: falsified at step 1 ({title}")[..],
            "  step 0: EF AG lost holds",
            "  step 1: EF !lost does not hold",
            "lost",
        ] {
            assert!(run.stdout.contains(line), "{line}: {}", run.all());
        }
    }
}

#[test]
fn what_does_not_apply_is_refused() {
    let scratch = written("unknown", "AG EF nothing");
    let run = check(&scratch, &[]);
    assert_eq!(run.code, 3, "{}", run.all());
    assert!(
        run.stderr.contains("formulas.ctl:1:7: error: the model has nothing of the name 'nothing'"),
        "{}",
        run.all()
    );
    let scratch = written("open", "AG (lost");
    let run = check(&scratch, &[]);
    assert!(run.stderr.contains("formulas.ctl:1:9: error: expected ')' or an operator"), "{}", run.all());
    let scratch = written("refused", "AG EF lost");
    let run = check(&scratch, &["--engine", "klive"]);
    assert!(run.code == 2 && run.stderr.contains("--engine klive does not run on"), "{}", run.all());
    let run = check(&scratch, &["--witness", "out.wit"]);
    assert!(run.code == 2 && run.stderr.contains("--witness does not apply"), "{}", run.all());
    let other = "examples/lustre/traffic.lus";
    let file = scratch.file("formulas.ctl");
    std::fs::write(&file, "AG EF walk AG(walk -> AX true)").expect("a scratch folder");
    let run = Run::of(buttress(&root()).args(["check", other, "--ctl"]).arg(&file).args([
        "--property",
        "c0",
        "--property",
        "c1",
    ]));
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(run.stdout.contains("is decided of models in bits only"), "{}", run.all());
    assert!(run.stdout.contains("c1 AG(walk -> AX true): proved"), "{}", run.all());
}
