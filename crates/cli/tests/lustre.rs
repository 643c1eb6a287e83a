//! Traces of Lustre models as other programs read them: XML in the way of JKind and of Kind 2, JSON, VCD.
//!
//! The readers here follow what JKind's API does with `-xml` (AGREE reads its results so) and the schema of Kind
//! 2's XML, which FRET reads.

#[allow(dead_code)] // the other checker has nothing to say here
mod support;

use std::collections::BTreeMap;

use support::{Run, Scratch, buttress};

const MODEL: &str = "type color = enum { Red, Green };
node inc(n: subrange [0, 3] of int) returns (m: subrange [0, 4] of int);
let m = n + 1; tel
node main(up: bool; c: color) returns (x: subrange [0, 3] of int; ok, fine: bool);
var b: int8; slow: subrange [0, 4] of int;
let
  x = 0 -> if up and pre x < 3 then pre x + 1 else pre x;
  slow = condact(up, inc(x), 0);
  b = (int8 0) -> pre b - (int8 1);
  ok = not (x = 2 and c = Green and b < (int8 0));
  fine = x <= 3;
  --%PROPERTY ok;
  --%PROPERTY fine;
tel
";

fn check(name: &str, arguments: &[&str]) -> Run {
    let scratch = Scratch::new(name);
    std::fs::write(scratch.file("m.lus"), MODEL).expect("a file");
    Run::of(buttress(&scratch.0).arg("check").args(arguments).arg("m.lus"))
}

/// An element of XML: its name, attributes, children and text.
#[derive(Default, Debug)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Element> {
        let name = name.to_string();
        self.children.iter().filter(move |child| child.name == name)
    }

    fn the(&self, name: &str) -> &Element {
        let mut all = self.all(name);
        let found = all.next().unwrap_or_else(|| panic!("no {name} in {}", self.name));
        assert!(all.next().is_none(), "two {name} in {}", self.name);
        found
    }

    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).unwrap_or_else(|| panic!("{} has no {name}", self.name))
    }
}

/// Reads a document: elements, attributes, text, the five entities.
fn read(document: &str) -> Element {
    let body = document.strip_prefix("<?xml version=\"1.0\"?>\n").expect("a declaration");
    let mut rest = body.trim();
    let root = element(&mut rest);
    assert_eq!(rest.trim(), "", "nothing follows the root");
    root
}

fn element(rest: &mut &str) -> Element {
    let (head, after) = rest.strip_prefix('<').expect("an element").split_once('>').expect("a closed tag");
    *rest = after;
    let (head, empty) = head.strip_suffix('/').map_or((head, false), |head| (head, true));
    let (name, mut attributes) = head.split_once(' ').unwrap_or((head, ""));
    let mut read = Element { name: name.to_string(), ..Element::default() };
    while let Some((key, value)) = attributes.trim().split_once("=\"") {
        let (value, more) = value.split_once('"').expect("a closed value");
        read.attributes.insert(key.to_string(), plain(value));
        attributes = more;
    }
    if empty {
        return read;
    }
    loop {
        let (text, _) = rest.split_once('<').expect("an end");
        read.text += &plain(text.trim());
        *rest = &rest[text.len()..];
        if let Some(end) = rest.strip_prefix(&format!("</{name}>")) {
            *rest = end;
            return read;
        }
        let child = element(rest);
        read.children.push(child);
    }
}

fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&amp;", "&")
}

fn property<'a>(results: &'a Element, name: &str) -> &'a Element {
    let mut properties = results.children.iter().filter(|child| child.name == "Property");
    properties.find(|p| p.attribute("name") == name).unwrap_or_else(|| panic!("no property {name}"))
}

/// The values of a signal or stream, by step.
fn values(signal: &Element, step: &str) -> BTreeMap<usize, String> {
    let value = |v: &Element| (v.attribute(step).parse().expect("a step"), v.text.clone());
    signal.all("Value").map(value).collect()
}

#[test]
fn jkind_results_are_read_as_agree_reads_them() {
    let run = check("jkind", &["--xml", "jkind"]);
    assert_eq!(run.code, 10, "{}", run.all());
    let results = read(&run.stdout);
    assert_eq!(results.name, "Results");
    let fine = property(&results, "fine");
    assert_eq!(fine.the("Answer").text, "valid");
    assert!(fine.the("K").text.parse::<u32>().is_ok());
    let ok = property(&results, "ok");
    assert_eq!(ok.the("Answer").text, "falsifiable");
    assert!(["bmc", "kind", "ic3", "fsis", "reach"].contains(&ok.the("Answer").attribute("source")));
    assert_eq!(ok.the("Runtime").attribute("unit"), "sec");
    assert!(ok.the("Runtime").text.parse::<f64>().is_ok());
    let steps: usize = ok.the("K").text.parse().expect("a number");
    let signals: BTreeMap<&str, &Element> =
        ok.the("Counterexample").all("Signal").map(|s| (s.attribute("name"), s)).collect();
    for (name, ty) in [
        ("up", "bool"),
        ("c", "color"),
        ("x", "subrange [0, 3] of int"),
        ("b", "int8"),
        ("inc~0.m", "subrange [0, 4] of int"),
    ] {
        assert_eq!(signals[name].attribute("type"), ty);
    }
    let last = |name: &str| values(signals[name], "time")[&(steps - 1)].clone();
    assert_eq!((last("x"), last("c"), last("ok")), ("2".into(), "Green".into(), "0".into()));
    assert_eq!(last("b"), format!("-{}", steps - 1));
    let (up, called) = (values(signals["up"], "time"), values(signals["inc~0.m"], "time"));
    assert_eq!(up.len(), steps);
    for step in 0..steps {
        assert_eq!(called.contains_key(&step), up[&step] == "1", "inc executes where its clock holds");
    }
}

#[test]
fn kind_2_results_are_read_by_their_schema() {
    let run = check("kind2", &["--xml", "kind2"]);
    assert_eq!(run.code, 10, "{}", run.all());
    let results = read(&run.stdout);
    assert_eq!(results.the("AnalysisStart").attribute("top"), "main");
    results.the("AnalysisStop");
    let range = property(&results, "x in its subrange");
    assert_eq!((range.attribute("source"), range.attribute("line")), ("Generated", "7"));
    let ok = property(&results, "ok");
    assert_eq!((ok.attribute("source"), ok.attribute("scope")), ("PropAnnot", "main"));
    assert_eq!(ok.attribute("line"), "12");
    let order: Vec<&str> = ok.children.iter().map(|child| &child.name[..]).collect();
    assert_eq!(order, ["Runtime", "K", "Answer", "CounterExample"]);
    let steps: usize = ok.the("K").text.parse().expect("a number");
    let main = ok.the("CounterExample").the("Node");
    assert_eq!(main.attribute("name"), "main");
    let stream = |node: &Element, name: &str| {
        let found = node.all("Stream").find(|s| s.attribute("name") == name);
        let found = found.unwrap_or_else(|| panic!("no stream {name}"));
        (found.attributes.clone(), values(found, "instant"))
    };
    let (c, colors) = stream(main, "c");
    assert_eq!((&c["class"][..], &c["type"][..], &c["values"][..]), ("input", "enum", "Red, Green"));
    assert_eq!(colors[&(steps - 1)], "Green");
    let (x, numbers) = stream(main, "x");
    assert_eq!((&x["class"][..], &x["min"][..], &x["max"][..]), ("output", "0", "3"));
    assert_eq!(numbers[&(steps - 1)], "2");
    assert_eq!(stream(main, "ok").1[&(steps - 1)], "false");
    assert_eq!(stream(main, "b").0["class"], "local");
    assert_eq!(stream(main.the("Node"), "m").0["class"], "output");
}

#[test]
fn json_has_values_in_their_types() {
    let run = check("json", &["--json", "--property", "ok"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let ok = report["properties"].as_array().expect("a list").iter().find(|p| p["name"] == "ok").expect("ok");
    assert_eq!((&ok["line"], &ok["origin"]), (&serde_json::json!(12), &serde_json::json!("property")));
    let trace = ok["trace"].as_array().expect("steps");
    let last = trace.last().expect("a step");
    assert_eq!(last["x"], 2);
    assert_eq!(last["c"], "Green");
    assert_eq!(last["ok"], false);
    assert_eq!(last["b"], 1 - trace.len() as i64);
}

#[test]
fn waveforms_have_the_names_of_the_source() {
    let scratch = Scratch::new("lustre-vcd");
    std::fs::write(scratch.file("m.lus"), MODEL).expect("a file");
    let run = Run::of(buttress(&scratch.0).args(["check", "--vcd", "w.vcd", "m.lus"]));
    let text = std::fs::read_to_string(scratch.file("w.vcd")).unwrap_or_else(|_| panic!("{}", run.all()));
    assert!(text.contains(" up $end") && text.contains("$scope module inc"), "{text}");
    assert!(text.contains("sGreen "), "{text}");
}

/// A trace is a file that `verify` and `simulate` execute in the source; a wrong one is refused, and says where.
#[test]
fn traces_are_files_that_can_be_executed() {
    let scratch = Scratch::new("lustre-trace");
    std::fs::write(scratch.file("m.lus"), MODEL).expect("a file");
    let run = Run::of(buttress(&scratch.0).args(["check", "--witness", "w.json", "m.lus"]));
    let text = std::fs::read_to_string(scratch.file("w.json")).unwrap_or_else(|_| panic!("{}", run.all()));
    let verify = |name: &str, text: &str| {
        std::fs::write(scratch.file(name), text).expect("a file");
        let run = Run::of(buttress(&scratch.0).args(["verify", "m.lus", name]));
        (run.code, run.all())
    };
    let (code, said) = verify("right.json", &text);
    assert!(code == 0 && said.contains("accepted: the trace violates ok"), "{said}");
    let (code, said) = verify("other.json", &text.replace("\"ok\"", "\"fine\""));
    assert!(code == 1 && said.contains("'fine' is not violated in the last step"), "{said}");
    let (code, said) = verify("red.json", &text.replace("Green", "Blue"));
    assert!(code == 1 && said.contains("'Blue' is no color, which 'c' is"), "{said}");
    let (code, said) = verify("computed.json", &text.replacen("\"c\":", "\"x\": 1, \"c\":", 1));
    assert!(code == 1 && said.contains("step 0: 'x' is 0 in the source, but 1 in the trace"), "{said}");
    let (code, said) = verify("broken.json", "{\"steps\": [\n{]}");
    assert!(code == 3 && said.contains("broken.json:2:"), "{said}");
    let (code, said) = verify("odd.json", "{\"steps\": 3}");
    assert!(code == 3 && said.contains("a trace has \"steps\""), "{said}");
    let play = ["simulate", "--stimulus", "w.json", "--vcd", "w.vcd", "m.lus"];
    let run = Run::of(buttress(&scratch.0).args(play));
    assert!(run.code == 0 && run.stdout.contains("ok is violated"), "{}", run.all());
    assert!(std::fs::read_to_string(scratch.file("w.vcd")).expect("a waveform").contains(" up $end"));
}

#[test]
fn xml_is_for_lustre() {
    let scratch = Scratch::new("lustre-xml");
    std::fs::write(scratch.file("m.aag"), "aag 0 0 0 1 0\n0\n").expect("a file");
    let run = Run::of(buttress(&scratch.0).args(["check", "--xml", "jkind", "m.aag"]));
    assert_eq!(run.code, 2, "{}", run.all());
}
