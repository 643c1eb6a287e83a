//! Annotations of GitHub Actions: lines on standard output that are shown at the lines of the source. What holds
//! has none.

use buttress_driver::Report;
use buttress_driver::report::{Finding, Outcome};

use crate::{place, text};

pub fn lines(report: &Report) -> String {
    report.properties.iter().filter_map(|finding| line(report, finding)).collect()
}

fn line(report: &Report, finding: &Finding) -> Option<String> {
    let level = match &finding.outcome {
        Outcome::Proved(proved) if proved.vacuous => "warning",
        Outcome::Proved(_) | Outcome::Reached(_) => return None,
        Outcome::Undecided(_) => "warning",
        Outcome::Falsified(_) | Outcome::Unreachable(_) | Outcome::Error { .. } => "error",
    };
    let place = match place::of(report, finding) {
        Some(p) => format!("file={},line={},col={},", property(&p.file), p.line, p.column),
        None => report.file.iter().map(|file| format!("file={},", property(file))).collect(),
    };
    let said = message(&text::grounds(finding));
    Some(format!("::{level} {place}title={}::{said}\n", property(&finding.title)))
}

/// What would end the line is written in hexadecimal.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// In a value also what would end it.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::property;

    #[test]
    fn what_ends_a_value_is_hidden() {
        assert_eq!(property("a%b:c,d\ne"), "a%25b%3Ac%2Cd%0Ae");
    }
}
