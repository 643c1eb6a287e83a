//! The report as JUnit's XML, which every CI server shows: a test for each property. What is undecided is an error
//! there, not a test that was skipped: nobody shall take it for green.

use buttress_driver::Report;
use buttress_driver::report::{Finding, Outcome, Violated};

use crate::element::{DECLARATION, Element};
use crate::{text, trace};

pub fn page(report: &Report) -> String {
    let file = report.file.clone().unwrap_or_default();
    let suite = counted(Element::new("testsuite").with("name", &file), report)
        .of(report.properties.iter().map(|finding| case(&file, finding)));
    let all = counted(Element::new("testsuites").with("name", "buttress"), report).of([suite]);
    format!("{DECLARATION}{}", all.render(0))
}

fn counted(element: Element, report: &Report) -> Element {
    let count = |is: fn(&Outcome) -> bool| report.properties.iter().filter(|f| is(&f.outcome)).count();
    let failures = count(|o| matches!(o, Outcome::Falsified(_) | Outcome::Unreachable(_)));
    let errors = count(|o| matches!(o, Outcome::Undecided(_) | Outcome::Error { .. }));
    element
        .with("tests", report.properties.len())
        .with("failures", failures)
        .with("errors", errors)
        .with("time", seconds(report.seconds))
}

fn seconds(seconds: Option<f64>) -> String {
    format!("{:.3}", seconds.unwrap_or_default())
}

fn case(file: &str, finding: &Finding) -> Element {
    let mut case = Element::new("testcase").with("name", &finding.title).with("classname", file);
    if let Some(line) = finding.line {
        case = case.with("file", file).with("line", line);
    }
    let case = case.with("time", seconds(finding.seconds));
    let said = |name, kind: &str, more: String| {
        Element::text(name, more).with("type", kind).with("message", text::grounds(finding))
    };
    match &finding.outcome {
        Outcome::Proved(_) | Outcome::Reached(_) => case,
        Outcome::Falsified(Violated { trace, .. }) => {
            case.of([said("failure", "falsified", trace::table(trace))])
        }
        Outcome::Unreachable(_) => case.of([said("failure", "unreachable", String::new())]),
        Outcome::Undecided(_) => case.of([said("error", "undecided", String::new())]),
        Outcome::Error { .. } => case.of([said("error", "error", String::new())]),
    }
}
