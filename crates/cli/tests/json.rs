//! Everything that is printed as JSON is as the schema in `docs/schema` says, whatever the command, the model and
//! the answer.

#[allow(dead_code)]
mod support;

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::Value;
use support::{Run, Scratch, buttress, root};

fn schema() -> Validator {
    let text = std::fs::read_to_string(root().join("docs/schema/report.json")).expect("the schema");
    jsonschema::validator_for(&serde_json::from_str(&text).expect("JSON")).expect("a schema")
}

/// What is wrong with an object: of the alternatives of the schema, what is said about that of its report.
fn complaints(schema: &Validator, object: &Value) -> Vec<String> {
    let root = schema.iter_errors(object);
    root.map(|error| format!("{} at {}: {}", object["report"], error.instance_path, error)).collect()
}

/// Runs a command and holds the objects that it prints against the schema.
fn valid(schema: &Validator, words: &[&str], files: &[&Path]) -> Vec<Value> {
    let run = Run::of(buttress(&root()).env_remove("BUTTRESS_SOLVERS").args(words).args(files));
    let objects: Vec<Value> = match words.contains(&"--json-lines") {
        true => {
            run.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
        }
        false => {
            vec![serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{words:?}: {}", run.all()))]
        }
    };
    for object in &objects {
        let wrong = complaints(schema, object);
        assert!(wrong.is_empty(), "{words:?} {files:?}\n{}\n{object:#}", wrong.join("\n"));
        assert_eq!(object["version"], 1);
        let code = object.get("exit_code").and_then(Value::as_i64);
        assert!(code.is_none_or(|code| code == i64::from(run.code)), "{words:?}: {}", run.all());
    }
    objects
}

/// The models of a folder, those in folders within it included.
fn models(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        match path.is_dir() {
            true => found.extend(models(&path)),
            false if ["expect", "map", "ctl", "txt", "json"].contains(&&ending[..]) => {}
            false => found.push(path),
        }
    }
    found.sort();
    found
}

#[test]
fn the_report_of_every_golden_model() {
    let schema = schema();
    let all = models(&root().join("tests/golden"));
    assert!(all.len() > 90, "{}", all.len());
    let mut verdicts: Vec<String> = Vec::new();
    for model in &all {
        let options = ["check", "--json", "--timeout", "1", "--show-cti"];
        let maps = ["cub", "vmt", "moxi"].iter().any(|e| model.extension().is_some_and(|of| of == *e));
        let objects = valid(&schema, &options[..if maps { 4 } else { 5 }], &[model]);
        let found = objects[0]["properties"].as_array().cloned().unwrap_or_default();
        verdicts.extend(found.iter().map(|f| f["verdict"].to_string()));
    }
    for verdict in ["proved", "falsified", "undecided", "reached", "unreachable"] {
        assert!(verdicts.contains(&format!("\"{verdict}\"")), "no model is {verdict}");
    }
}

#[test]
fn lines_end_with_the_report() {
    let (schema, traffic) = (schema(), root().join("examples/traffic.aag"));
    let objects = valid(&schema, &["check", "--json-lines"], &[&traffic]);
    let kinds: Vec<&str> = objects.iter().filter_map(|o| o["report"].as_str()).collect();
    assert_eq!(kinds.last(), Some(&"check"));
    assert_eq!(kinds.iter().filter(|kind| **kind == "property").count(), 3, "{kinds:?}");
    let counter = root().join("examples/lustre/counter8.lus");
    let objects =
        valid(&schema, &["check", "--json-lines", "--timeout", "3", "--engine", "bmc"], &[&counter]);
    assert!(objects.iter().any(|o| o["report"] == "progress"), "{objects:#?}");
    let missing = valid(&schema, &["check", "--json-lines"], &[Path::new("nowhere.aag")]);
    assert_eq!(missing[0]["report"], "error");
}

#[test]
fn explanations_liveness_and_goals() {
    let schema = schema();
    let model = |name: &str| root().join(name);
    valid(&schema, &["check", "--json", "--explain"], &[&model("examples/mutex-swapped.aag")]);
    valid(
        &schema,
        &["check", "--json", "--ltl", "G F (both_open | !both_open)"],
        &[&model("examples/traffic.aag")],
    );
    valid(&schema, &["check", "--json", "--core"], &[&model("examples/lustre/cruise.lus")]);
    valid(
        &schema,
        &["check", "--json", "--cover", "all", "--bound", "9"],
        &[&model("examples/link-cover.btor2")],
    );
    valid(&schema, &["check", "--json", "--deterministic"], &[&model("examples/fifo.aag")]);
}

#[test]
fn every_other_command() {
    let schema = schema();
    let (traffic, counter) =
        (root().join("examples/traffic.aag"), root().join("examples/lustre/counter8.lus"));
    let (link, cruise) =
        (root().join("examples/link-fixed.btor2"), root().join("examples/lustre/cruise.lus"));
    valid(&schema, &["core", "--json", "--must", "--all", "--completeness"], &[&traffic]);
    valid(&schema, &["core", "--json", "--vacuity", "--diversity"], &[&link]);
    valid(&schema, &["core", "--json"], &[&counter]);
    let dead = valid(&schema, &["dead", "--json"], &[&cruise]);
    assert!(!dead[0]["branches"].as_array().expect("branches").is_empty(), "{dead:#?}");
    valid(&schema, &["conflict", "--json", "--steps", "3"], &[&traffic]);
    let ended = root().join("tests/golden/unsafe/no-successor.aag");
    valid(&schema, &["conflict", "--json"], &[&ended]);
    valid(&schema, &["invariants", "--json", "--rank", "--verify"], &[&counter]);
    valid(&schema, &["invariants", "--json"], &[&traffic]);
    valid(&schema, &["prove", "--json"], &[&traffic]);
    let prove = valid(&schema, &["prove", "--json"], &[&root().join("examples/mutex.aag")]);
    assert!(prove[0]["properties"][0]["states"].is_object(), "{prove:#?}");
    valid(&schema, &["prove", "--json"], &[&counter]);
    valid(&schema, &["info", "--json"], &[&counter]);
    valid(&schema, &["info", "--json"], &[&traffic]);
    valid(&schema, &["simulate", "--json", "--steps", "3"], &[&counter]);
    valid(&schema, &["batch", "--json"], &[&traffic, &counter]);
}

/// Whatever is wrong, the object says it.
#[test]
fn errors_are_objects() {
    let (schema, scratch) = (schema(), Scratch::new("json-errors"));
    let (nowhere, traffic) = (Path::new("nowhere.lus"), root().join("examples/traffic.aag"));
    std::fs::write(scratch.file("wrong.lus"), "node main() returns (a: bool);\nlet a = b; tel\n")
        .expect("a file");
    let wrong = scratch.file("wrong.lus");
    for command in ["check", "core", "dead", "conflict", "invariants", "prove", "info", "simulate"] {
        for file in [nowhere, &wrong] {
            let objects = valid(&schema, &[command, "--json"], &[file]);
            assert_eq!(
                (&objects[0]["report"], &objects[0]["exit_code"]),
                (&"error".into(), &3.into()),
                "{command}"
            );
        }
    }
    for options in [["--property", "nothing"], ["--predicates", "auto"]] {
        let objects = valid(&schema, &[&["check", "--json"], &options[..]].concat(), &[&traffic]);
        assert_eq!(objects[0]["exit_code"], 2, "{options:?}");
    }
}

/// The schema refuses what is not there.
#[test]
fn the_schema_says_something() {
    let schema = schema();
    let mut report = valid(&schema, &["check", "--json"], &[&root().join("examples/traffic.aag")]).remove(0);
    report["properties"][0]["verdict"] = "perhaps".into();
    assert!(!schema.is_valid(&report));
    report["properties"][0]["verdict"] = "proved".into();
    assert!(schema.is_valid(&report));
    report["more"] = 1.into();
    assert!(!schema.is_valid(&report));
}

#[test]
fn reports_for_servers_and_hosts() {
    let scratch = Scratch::new("servers");
    let run = Run::of(
        buttress(&root().join("examples"))
            .args(["check", "link.btor2", "--github", "--engine", "bmc", "--junit"])
            .arg(scratch.file("junit.xml"))
            .arg("--sarif")
            .arg(scratch.file("out.sarif")),
    );
    let annotation = "::error file=link.v,line=33,col=5,title=b0 no_overflow::falsified at step 5 (BMC)";
    assert!(run.code == 10 && run.stdout.lines().any(|line| line == annotation), "{}", run.all());
    let junit = std::fs::read_to_string(scratch.file("junit.xml")).expect("the file");
    assert!(junit.contains("tests=\"1\" failures=\"1\" errors=\"0\""), "{junit}");
    assert!(junit.contains("<failure type=\"falsified\" message=\"falsified at step 5 (BMC)\">"), "{junit}");
    let sarif = std::fs::read_to_string(scratch.file("out.sarif")).expect("the file");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["kind"], &result["level"]),
        (&"falsified".into(), &"fail".into(), &"error".into())
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"link.v".into(), &33.into())
    );
    // What is proved is a test that passes and a result without a complaint; what is undecided is no success.
    let path = scratch.file("junit.xml");
    let run = Run::of(
        buttress(&root())
            .args(["check", "examples/mutex.aag", "--engine", "bmc", "--bound", "3", "--junit"])
            .arg(&path),
    );
    let junit = std::fs::read_to_string(&path).expect("the file");
    assert!(
        run.code == 30 && junit.contains("errors=\"1\"") && junit.contains("<error type=\"undecided\""),
        "{junit}"
    );
}
