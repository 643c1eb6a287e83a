//! The model that a core leaves: as source, and as a listing of the original with marks.

use std::io::IsTerminal;
use std::path::Path;

use buttress_cores::{Elements, reduced};
use buttress_format::{Btor2, aiger, btor2};
use buttress_system::words::Span;
use buttress_system::{ElementSet, PropertyId};
use buttress_transform::blast::{Limits, blast};

use super::Proved;
use super::prover::{Means, decide};
use super::subject::{Subject, Text};
use buttress_solve::Stop;
use std::sync::{Arc, Mutex};

/// The reduced model in the format of the original. Of Lustre only equations of the main node are dropped, whose variables
/// become inputs; the result is read and proved again before anybody sees it.
pub fn source(
    subject: &Subject,
    property: PropertyId,
    core: &ElementSet,
    means: &Means,
    stop: &Stop,
) -> Result<Vec<u8>, String> {
    match &subject.text {
        Text::Lustre(model) => {
            let dropped = places(&subject.elements, core);
            let text = buttress_lustre::without(model, &dropped)?;
            proved_again(subject, property, &text, means, stop)?;
            Ok(text.into_bytes())
        }
        Text::Lines(_) => {
            let system = reduced(&subject.system, &subject.elements, core);
            let model = Btor2 { system, justice: Vec::new(), fairness: Vec::new() };
            btor2::write(&model).map(String::into_bytes).map_err(|why| why.to_string())
        }
        Text::Bits(_) => {
            let system = Arc::new(reduced(&subject.system, &subject.elements, core));
            let blasted = blast(&system, Limits::default()).map_err(|fault| fault.to_string())?;
            let mut bytes = Vec::new();
            aiger::write_ascii(&blasted.system, &[], &mut bytes).map_err(|error| error.to_string())?;
            Ok(bytes)
        }
    }
}

/// Where the equations of the main node stand that are not in the core.
fn places(elements: &Elements, core: &ElementSet) -> Vec<Span> {
    let dropped = elements.ids().filter(|e| !core.contains(e)).map(|e| &elements.get(e).label);
    dropped.filter(|label| !label.name.contains('~')).filter_map(|label| label.span).collect()
}

/// The text is a model in which the property of this name holds.
fn proved_again(
    subject: &Subject,
    property: PropertyId,
    text: &str,
    means: &Means,
    stop: &Stop,
) -> Result<(), String> {
    let unread = |_| "the reduced source cannot be read".to_string();
    let model = buttress_lustre::read(text.to_string()).map_err(unread)?;
    let system = buttress_lustre::lower(&model).map_err(unread)?.system;
    let name = &subject.system.property(property).label.name;
    let same = system.property_ids().find(|&p| system.property(p).label.name == *name);
    let same = same.ok_or_else(|| format!("the reduced source has no property {name}"))?;
    let proved = Mutex::new(false);
    let keep = |_, answered: super::prover::Answered| {
        *proved.lock().expect("no holder panics") = answered.proof().is_some();
    };
    super::prover::within(stop, None, |own| decide(&system, &[same], means, own, &keep));
    match proved.into_inner().expect("no holder panics") {
        true => Ok(()),
        false => Err("the reduced source could not be proved again".to_string()),
    }
}

/// Writes the reduced source to a file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The lines of the source, each with a mark: `!` in every core, `+` in this core, `-` not needed, nothing where there
/// is no element.
pub fn print(subject: &Subject, proved: &Proved) {
    let colours = std::io::stdout().is_terminal();
    for (number, line) in (1..).zip(subject.lines()) {
        let mark = mark(subject, proved, number);
        let (on, off) = match (mark, colours) {
            ('!', true) => ("\x1b[1;32m", "\x1b[0m"),
            ('+', true) => ("\x1b[32m", "\x1b[0m"),
            ('-', true) => ("\x1b[2;31m", "\x1b[0m"),
            _ => ("", ""),
        };
        println!("{}", format!("{mark} {on}{line}{off}").trim_end());
    }
}

/// What is needed most of the elements on a line.
fn mark(subject: &Subject, proved: &Proved, line: u32) -> char {
    let here = |span: Span| (span.line..=span.end_line).contains(&line);
    let mut mark = ' ';
    for element in subject.elements.ids() {
        let Some(span) = subject.elements.get(element).label.span else { continue };
        if !here(span) {
            continue;
        }
        let must = proved.must.as_ref().is_some_and(|must| must.elements.contains(&element));
        mark = match (mark, proved.core.contains(&element)) {
            ('!', _) => '!',
            (_, true) if must => '!',
            (_, true) => '+',
            ('+', false) => '+',
            (_, false) => '-',
        };
    }
    mark
}
