//! The report as one page for a browser (`--report`), complete in itself: it asks no network for anything.
//!
//! Verdicts, proofs, the source and the run are written here as HTML, and can be read without scripts. Traces are
//! data that `page.js` draws as waveforms, only what is in sight, so that long ones are as quick as short ones.
//! All texts of the user go through `maud`, which escapes them; the data of traces is JSON without a `<`, which
//! cannot end its element.
//!
//! Limits: on paper a trace is scaled to the width of the page. Of a long source only what is near to a property
//! or a core is shown.

mod run;
mod source;
mod trace;

use buttress_driver::Report;
use buttress_driver::report::{CoreReport, Count, Finding, Outcome, Proved, Violated};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{count, story, text};
use source::Listing;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub fn page(report: &Report) -> String {
    let source = Listing::of(report);
    let file = report.file.as_deref().unwrap_or("no model");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
                title { (file) ": " (text::summary(report)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (head(report, file))
                    (verdicts(report))
                    div.beside[source.is_some()] {
                        div { @for (place, finding) in report.properties.iter().enumerate() { (details(place, finding)) } }
                        @if let Some(source) = &source { (source.markup()) }
                    }
                    (run::section(report))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn head(report: &Report, file: &str) -> Markup {
    let size = report.size.iter().map(|Count(n, one, many)| count(*n, one, many));
    let size =
        report.format.iter().map(|format| format.to_string()).chain(size).collect::<Vec<_>>().join(", ");
    html! {
        header {
            h1 { (file) }
            p.faint { (size) }
            p { (text::summary(report)) }
            @if let Some(why) = &report.cut_short { p.warning { "The run ended before all was decided: " (why) } }
            @for warning in &report.warnings { p.warning { (warning) } }
            @for error in &report.errors { p.warning.fault { (error) } }
        }
    }
}

/// How a verdict looks, and its word.
fn look(outcome: &Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Proved(proved) if proved.vacuous => ("open", "proved, vacuous"),
        Outcome::Proved(_) => ("good", "proved"),
        Outcome::Falsified(_) => ("bad", "falsified"),
        Outcome::Unreachable(_) => ("bad", "unreachable"),
        Outcome::Reached(_) => ("good", "reached"),
        Outcome::Undecided(_) => ("open", "undecided"),
        Outcome::Error { .. } => ("bad", "error"),
    }
}

/// All properties, one a row.
fn verdicts(report: &Report) -> Markup {
    html! {
        @if report.properties.len() > 1 {
            h2 { "Properties" }
            div.scroll {
                table {
                    tr { th { "verdict" } th { "property" } th { "how" } th.number { "seconds" } }
                    @for (place, finding) in report.properties.iter().enumerate() {
                        tr {
                            td class=(format!("verdict {}", look(&finding.outcome).0)) { (look(&finding.outcome).1) }
                            td { a href=(format!("#p{place}")) { (finding.title) } }
                            td { (text::grounds(finding)) }
                            td.number { @if let Some(seconds) = finding.seconds { (format!("{seconds:.2}")) } }
                        }
                    }
                }
            }
        }
    }
}

/// One property with its evidence.
fn details(place: usize, finding: &Finding) -> Markup {
    let (class, word) = look(&finding.outcome);
    html! {
        article id=(format!("p{place}")) {
            h3 { span class=(format!("verdict {class}")) { (word) } " " (finding.title) }
            p {
                (text::grounds(finding))
                @if let Some(line) = finding.line { " · " a href=(format!("#L{line}")) { "line " (line) } }
                @if let Some(place) = &finding.place { " · " span.mono { (place) } }
                @if let Some(by) = checked_in(&finding.outcome) { span.faint { " · its evidence was checked in " (by) " s" } }
            }
            @for said in &finding.rejected {
                p.warning.fault { "The evidence from " (said.title) " was rejected: " (said.reason) }
            }
            @match &finding.outcome {
                Outcome::Proved(proved) | Outcome::Unreachable(proved) => (proof(place, proved)),
                Outcome::Falsified(violated) | Outcome::Reached(violated) => (violation(&finding.outcome, violated)),
                Outcome::Undecided(open) => {
                    @if let Some(cti) = &open.cti {
                        p.warning { (cti.meaning) }
                        p { "k = " (cti.k) ": the property holds in " (count(cti.k, "state", "states")) ", then it is violated." }
                        (trace::figure(&cti.states, Some(cti.k)))
                    }
                }
                Outcome::Error { .. } => {}
            }
            @for told in &finding.stories {
                details { summary { "The way of " (told.title) } div.scroll { pre { (story::text(&finding.title, told)) } } }
            }
        }
    }
}

fn checked_in(outcome: &Outcome) -> Option<String> {
    let by = match outcome {
        Outcome::Proved(proved) | Outcome::Unreachable(proved) => &proved.by,
        Outcome::Falsified(violated) | Outcome::Reached(violated) => &violated.by,
        Outcome::Undecided(_) | Outcome::Error { .. } => return None,
    };
    by.checking_seconds.map(|seconds| format!("{seconds:.2}"))
}

fn violation(outcome: &Outcome, violated: &Violated) -> Markup {
    // A lasso is wrong as a whole; a goal that is reached is nothing bad.
    let wrong = matches!(outcome, Outcome::Falsified(_)) && violated.back_to_step.is_none();
    html! {
        @for remark in &violated.remarks { p.mono { (remark) } }
        @if let Some(back) = violated.back_to_step { p { "After step " (violated.step) " it goes on with step " (back) ", for ever." } }
        (trace::figure(&violated.trace, wrong.then_some(violated.step)))
    }
}

fn proof(place: usize, proved: &Proved) -> Markup {
    html! {
        @if let Some(states) = proved.states { p.warning { "Vacuous: " (text::vacuity(states)) } }
        @if proved.proved_together.len() > 1 { p { "Proved together: " (proved.proved_together.join(", ")) } }
        @for line in &proved.why { p.mono { (line) } }
        @if !proved.invariant.is_empty() {
            p { "Invariant" @if proved.for_all { ", for all places" } ":" }
            ol.conjuncts { @for conjunct in &proved.invariant { li { code { (conjunct) } } } }
        }
        @if let Some(core) = &proved.core { (core_of(place, core)) }
    }
}

fn core_of(place: usize, core: &CoreReport) -> Markup {
    match core {
        CoreReport::Unknown { reason } => html! { p { "Core: not known: " (reason) } },
        CoreReport::Known { needed, places, elements, slice, warning } => html! {
            p {
                "Core: " (needed.len()) " of " (count(*elements, "element", "elements")) " needed, " (slice)
                " in the static slice. "
                @if places.iter().any(Option::is_some) {
                    button type="button" data-core=(place) aria-pressed="false" { "show this one alone" }
                }
            }
            @if let Some(warning) = warning { p.warning { (warning) } }
            ol.conjuncts {
                @for (name, span) in needed.iter().zip(places) {
                    li {
                        code { (name) }
                        @if let Some(span) = span { " " a.faint href=(format!("#L{}", span.line)) { "line " (span.line) } }
                    }
                }
            }
        },
    }
}
