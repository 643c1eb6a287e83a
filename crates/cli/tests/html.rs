//! `check --report`: one page that needs nothing else, whatever the names of the model are.

#[path = "support/skip.rs"]
mod skipped;
#[allow(dead_code)]
mod support;

use serde_json::Value;
use skipped::skip;
use support::{Run, Scratch, buttress, root};

/// The page of a model.
fn page(name: &str, model: &str, text: &str, more: &[&str]) -> String {
    let scratch = Scratch::new(&format!("html-{name}"));
    std::fs::write(scratch.file(model), text).expect("a file");
    let run = Run::of(buttress(&scratch.0).args(["check", model, "--report", "out.html"]).args(more));
    assert!(run.stdout.contains("report written to out.html"), "{}", run.all());
    std::fs::read_to_string(scratch.file("out.html")).expect("the page")
}

/// The data of the traces of a page.
fn traces(page: &str) -> Vec<Value> {
    let parts = page.split("<script type=\"application/json\">").skip(1);
    parts
        .map(|part| serde_json::from_str(part.split("</script>").next().expect("an end")).expect("JSON"))
        .collect()
}

const HOSTILE: &str = r#"-- </pre></script><script>alert(0)</script>
node main(a: bool) returns (n: bool);
let
  n = a;
  --%PROPERTY "</script><img src=x onerror=alert(1)>" n;
tel
"#;

#[test]
fn what_the_user_wrote_is_text_and_nothing_else() {
    let page = page("hostile", "a&b.lus", HOSTILE, &["--core"]);
    assert!(!page.contains("<img"), "a name became an element");
    // One script with data for the trace, one that draws it.
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
    assert!(page.contains("a&amp;b.lus"));
}

/// A BTOR2 symbol may have any character that is no space, and is in the data of the trace.
#[test]
fn names_cannot_end_the_data() {
    let model = "1 sort bitvec 1\n2 state 1 </script><b>x\n3 zero 1\n4 init 1 2 3\n5 not 1 2\n6 next 1 2 5\n7 bad 2\n";
    let page = page("data", "m.btor2", model, &[]);
    assert_eq!(page.matches("</script>").count(), 2);
    let trace = &traces(&page)[0];
    assert_eq!(trace["rows"][0]["n"], "</script><b>x");
    assert_eq!((&trace["rows"][0]["v"], &trace["bad"]), (&Value::from("01"), &Value::from(1)));
}

#[test]
fn the_page_asks_no_network_for_anything() {
    let page = page("alone", "m.lus", HOSTILE, &[]);
    assert!(page.contains("default-src 'none'"));
    for reference in ["http://", "https://", " src=\"", "<link", "@import", "url("] {
        assert!(!page.contains(reference), "{reference}");
    }
}

#[test]
fn the_line_of_a_property_is_marked_in_every_language() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a model");
    let lustre = page("lustre", "m.lus", &read("examples/lustre/counter8.lus"), &[]);
    assert!(lustre.contains("<span id=\"L8\" data-n=\"8\" class=\"at bad\">"));
    assert!(lustre.contains("<span id=\"L9\" data-n=\"9\" class=\"at good\">"));
    let vmt = "(declare-fun x () Bool)\n(declare-fun y () Bool)\n(define-fun n () Bool (! x :next y))\n\
               (define-fun i () Bool (! (not x) :init true))\n(define-fun t () Bool (! (= y (not x)) :trans true))\n\
               (define-fun p () Bool (! (not x) :invar-property 0))\n";
    assert!(page("vmt", "m.vmt", vmt, &[]).contains("<span id=\"L6\" data-n=\"6\" class=\"at bad\">"));
    let btor2 = page("btor2", "m.btor2", &read("tests/golden/unsafe/justice-in-words.btor2"), &[]);
    assert!(btor2.contains("<span id=\"L22\" data-n=\"22\" class=\"at good\">"));
    let backs: Vec<Value> = traces(&btor2).iter().map(|trace| trace["back"].clone()).collect();
    assert!(backs.len() == 2 && backs.iter().all(Value::is_u64), "{backs:?}");
}

#[test]
fn the_core_of_a_proof_is_coloured() {
    let scratch = Scratch::new("html-core");
    let listed = Run::of(buttress(&root()).env_remove("BUTTRESS_SOLVERS").arg("solvers")).stdout;
    if !listed.lines().any(|line| line.starts_with("z3") && !line.ends_with("not found")) {
        return skip("the_core_of_a_proof_is_coloured", "no SMT solver, scripts/get-solvers brings some");
    }
    let (mut command, out) = (buttress(&root()), scratch.file("out.html"));
    command.env_remove("BUTTRESS_SOLVERS").args([
        "check",
        "--core",
        "examples/lustre/cruise.lus",
        "--report",
    ]);
    let run = Run::of(command.arg(&out));
    let page = std::fs::read_to_string(&out).unwrap_or_else(|_| panic!("{}", run.all()));
    assert!(page.contains("it needs none of 7 elements"), "the warning");
    let line = page.split("id=\"L6\"").nth(1).expect("line 6");
    assert!(line.contains("<mark data-of=\"4\">edge = x and not (false -&gt; pre x);</mark> tel"));
}

/// Three hundred signals of five hundred steps stay under two megabytes.
#[test]
fn long_traces_stay_small() {
    let mut model =
        String::from("1 sort bitvec 1\n2 sort bitvec 16\n3 one 2\n4 zero 2\n5 state 2 count\n6 init 2 5 4\n");
    model += "7 add 2 5 3\n8 next 2 5 7\n";
    for signal in 0..299 {
        let n = 9 + 5 * signal;
        model += &format!("{n} state 2 top.unit{}.word{signal}\n{} init 2 {n} 4\n", signal % 7, n + 1);
        let odd = 1001 + 2 * (signal * 7919 % 30_000);
        let (constant, sum) = (n + 2, n + 3);
        model +=
            &format!("{constant} constd 2 {odd}\n{sum} add 2 {n} {constant}\n{} next 2 {n} {sum}\n", n + 4);
    }
    model += "2000 constd 2 499\n2001 eq 1 5 2000\n2002 bad 2001\n";
    let page = page("long", "m.btor2", &model, &["--engine", "bmc"]);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let trace = &traces(&page)[0];
    assert_eq!((trace["steps"].as_u64(), trace["rows"].as_array().map(Vec::len)), (Some(500), Some(300)));
}
