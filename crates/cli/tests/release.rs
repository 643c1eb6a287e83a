//! What goes into a release: crates whose licences are on the list of `deny.toml`, and a bill of them.

#[allow(dead_code)]
mod support;

use std::process::Command;

use serde_json::Value;
use support::root;

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let list = text.split_once("allow = [").expect("a list").1.split_once(']').expect("its end").0;
    list.split('"').skip(1).step_by(2).map(String::from).collect()
}

/// Whether a licence may be chosen of an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0`.
fn permits(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.trim();
    let first = |word: &str| {
        let mut depth = 0;
        expression.char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            (depth == 0 && expression[at..].starts_with(word)).then_some(at)
        })
    };
    let both = |at: usize, word: &str| {
        (permits(&expression[..at], allowed), permits(&expression[at + word.len()..], allowed))
    };
    match (first(" OR "), first(" AND ")) {
        (Some(at), _) => {
            let (left, right) = both(at, " OR ");
            left || right
        }
        (None, Some(at)) => {
            let (left, right) = both(at, " AND ");
            left && right
        }
        (None, None) => match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) => permits(inner, allowed),
            None => allowed.iter().any(|licence| licence == expression),
        },
    }
}

#[test]
fn expressions_are_read() {
    let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(String::from);
    for good in
        ["MIT", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(permits(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR LGPL-3.0) AND MIT", "Apache-2.0"] {
        assert!(!permits(bad, &allowed), "{bad}");
    }
}

/// Of all crates that the program is made of, and of those that its tests need.
#[test]
fn every_licence_is_on_the_list() {
    let host = Command::new("rustc").arg("-vV").output().expect("rustc runs").stdout;
    let host = String::from_utf8(host).expect("text");
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host]);
    let output = command.current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let (packages, allowed) = (metadata["packages"].as_array().expect("packages"), allowed());
    assert!(packages.len() > 100 && allowed.len() > 5);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default().replace('/', " OR ");
        assert!(permits(&licence, &allowed), "{}: {licence}", package["name"]);
    }
}

#[test]
fn the_bill_of_materials_has_what_is_linked_and_no_more() {
    let output =
        Command::new("python3").arg(root().join("scripts/sbom")).env("CARGO", env!("CARGO")).output();
    let output = output.expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bill: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
    let components = bill["components"].as_array().expect("components");
    let has = |name: &str| components.iter().any(|c| c["name"] == name);
    assert!(has("cadical-sys") && has("clap") && has("buttress-check"));
    assert!(!has("jsonschema") && !has("buttress-testkit"), "what only tests need is in it");
    let unsigned =
        |c: &&Value| c["hashes"].is_null() && !c["name"].as_str().is_some_and(|n| n.starts_with("buttress"));
    assert_eq!(components.iter().find(unsigned), None);
}
