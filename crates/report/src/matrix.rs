//! Tables over the cores of all properties: the traceability matrix, and how much of the model they cover.

use std::fmt::Write;
use std::path::Path;

use buttress_driver::cores::{Anatomy, CoreFinding, CoreOutcome, Needed};
use buttress_system::{ElementId, ElementSet};

use crate::cores::CoreDetails;

fn proved(told: &[CoreDetails]) -> Vec<(&CoreFinding, &Needed)> {
    let with_core = told.iter().filter_map(|told| match &told.finding.outcome {
        CoreOutcome::Proved(needed) => Some((&told.finding, &**needed)),
        _ => None,
    });
    with_core.collect()
}

/// Elements that are in no property's core.
pub fn uncovered(anatomy: &Anatomy, told: &[CoreDetails]) -> Vec<ElementId> {
    let covered: ElementSet = proved(told).iter().flat_map(|(_, p)| p.core.iter().copied()).collect();
    anatomy.elements.ids().filter(|e| !covered.contains(e)).collect()
}

/// How complete the properties are: what none of them says anything about could be anything.
pub fn completeness(anatomy: &Anatomy, told: &[CoreDetails]) -> String {
    let (all, open) = (anatomy.elements.len(), uncovered(anatomy, told));
    let proved = proved(told).len();
    let percent = 100.0 * (all - open.len()) as f64 / all.max(1) as f64;
    let mut text = format!(
        "completeness: {} of {all} elements ({percent:.0} %) are in the core of one of {proved} proved properties\n",
        all - open.len()
    );
    for element in open {
        let _ = writeln!(text, "  in none: {:>8}  {}", anatomy.place(element), anatomy.name(element));
    }
    text
}

/// Writes properties × elements; the name decides between CSV and HTML.
pub fn write(path: &Path, anatomy: &Anatomy, told: &[CoreDetails]) -> Result<(), String> {
    let text = match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => csv(anatomy, told),
        Some("html") => html(anatomy, told),
        _ => return Err(format!("{}: a name that ends with .csv or .html is wanted", path.display())),
    };
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// `must`, `core` or nothing.
fn cell(needed: &Needed, element: ElementId) -> &'static str {
    let must = needed.must.as_ref().is_some_and(|must| must.elements.contains(&element));
    match needed.core.contains(&element) {
        true if must => "must",
        true => "core",
        false => "",
    }
}

fn csv(anatomy: &Anatomy, told: &[CoreDetails]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let proved = proved(told);
    let mut text = String::from("element,line");
    for (finding, _) in &proved {
        text.push_str(&format!(",{}", quoted(&anatomy.problem.claim(finding.claim).name)));
    }
    for element in anatomy.elements.ids() {
        let line = anatomy.elements.get(element).label.span.map_or_else(String::new, |s| s.line.to_string());
        text.push_str(&format!("\n{},{line}", quoted(&anatomy.name(element))));
        proved.iter().for_each(|(_, p)| text.push_str(&format!(",{}", cell(p, element))));
    }
    text.push('\n');
    text
}

fn html(anatomy: &Anatomy, told: &[CoreDetails]) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let proved = proved(told);
    let mut head = String::from("<tr><th>element</th><th>place</th>");
    for (finding, _) in &proved {
        head.push_str(&format!("<th>{}</th>", escaped(anatomy.title(finding.claim))));
    }
    let mut rows = String::new();
    for element in anatomy.elements.ids() {
        let label = &anatomy.elements.get(element).label;
        rows.push_str(&format!("<tr><td>{}</td><td>{}</td>", escaped(&label.name), anatomy.place(element)));
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
        escaped(&anatomy.problem.path)
    )
}
