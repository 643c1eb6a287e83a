//! What the cores of all properties say together: the traceability matrix, and how much of the model they cover.

use std::path::Path;

use buttress_system::{ElementId, ElementSet};

use super::report::name;
use super::subject::{Subject, place};
use super::{Finding, Outcome, Proved};

fn proved(findings: &[Finding]) -> Vec<(&Finding, &Proved)> {
    let with_core = findings.iter().filter_map(|finding| match &finding.outcome {
        Outcome::Proved(proved) => Some((finding, &**proved)),
        _ => None,
    });
    with_core.collect()
}

/// Elements that are in no property's core.
pub fn uncovered(subject: &Subject, findings: &[Finding]) -> Vec<ElementId> {
    let covered: ElementSet = proved(findings).iter().flat_map(|(_, p)| p.core.iter().copied()).collect();
    subject.elements.ids().filter(|e| !covered.contains(e)).collect()
}

/// How complete the properties are: what none of them says anything about could be anything.
pub fn print_completeness(subject: &Subject, findings: &[Finding]) {
    let (all, open) = (subject.elements.len(), uncovered(subject, findings));
    let proved = proved(findings).len();
    let percent = 100.0 * (all - open.len()) as f64 / all.max(1) as f64;
    println!(
        "completeness: {} of {all} elements ({percent:.0} %) are in the core of one of {proved} proved properties",
        all - open.len()
    );
    for element in open {
        let label = &subject.elements.get(element).label;
        println!("  in none: {:>8}  {}", place(label), name(subject, element));
    }
}

/// Writes properties × elements; the name decides between CSV and HTML.
pub fn write(path: &Path, subject: &Subject, findings: &[Finding]) -> Result<(), String> {
    let text = match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => csv(subject, findings),
        Some("html") => html(subject, findings),
        _ => return Err(format!("{}: a name that ends with .csv or .html is wanted", path.display())),
    };
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// `must`, `core` or nothing.
fn cell(proved: &Proved, element: ElementId) -> &'static str {
    let must = proved.must.as_ref().is_some_and(|must| must.elements.contains(&element));
    match proved.core.contains(&element) {
        true if must => "must",
        true => "core",
        false => "",
    }
}

fn csv(subject: &Subject, findings: &[Finding]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let proved = proved(findings);
    let mut text = String::from("element,line");
    for (finding, _) in &proved {
        text.push_str(&format!(",{}", quoted(&subject.system.property(finding.property).label.name)));
    }
    for element in subject.elements.ids() {
        let line = subject.elements.get(element).label.span.map_or_else(String::new, |s| s.line.to_string());
        text.push_str(&format!("\n{},{line}", quoted(&name(subject, element))));
        proved.iter().for_each(|(_, p)| text.push_str(&format!(",{}", cell(p, element))));
    }
    text.push('\n');
    text
}

fn html(subject: &Subject, findings: &[Finding]) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let proved = proved(findings);
    let mut head = String::from("<tr><th>element</th><th>place</th>");
    for (finding, _) in &proved {
        head.push_str(&format!("<th>{}</th>", escaped(&subject.title(finding.property))));
    }
    let mut rows = String::new();
    for element in subject.elements.ids() {
        let label = &subject.elements.get(element).label;
        rows.push_str(&format!("<tr><td>{}</td><td>{}</td>", escaped(&label.name), place(label)));
        for (_, p) in &proved {
            let cell = cell(p, element);
            rows.push_str(&format!("<td class=\"{cell}\">{cell}</td>"));
        }
        rows.push_str("</tr>\n");
    }
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{0}</title><style>\
         table{{border-collapse:collapse;font-family:sans-serif}}td,th{{border:1px solid #999;padding:2px 6px}}\
         .core{{background:#cfc}}.must{{background:#6c6}}</style></head>\n<body><h1>{0}</h1>\n<table>{head}</tr>\n{rows}\
         </table></body></html>\n",
        escaped(&subject.path)
    )
}
