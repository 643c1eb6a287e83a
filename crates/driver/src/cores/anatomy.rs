//! A model taken apart: the system as the front end made it, in words, whatever the format, and its elements,
//! which can be left out one by one.

use std::sync::Arc;

use buttress_cores::{
    Element, Elements, Granularity, Kind, Part, Relation, live_words_of, proof_in_words, split,
    with_fairness, words_of,
};
use buttress_format::btor2;
use buttress_lustre::unit::Program;
use buttress_system::words::{Label, Span, System, WordProof};
use buttress_system::{ElementId, Live, SymbolKind};
use buttress_term::infix::infix;

use crate::judge::Accepted;
use crate::problem::{ClaimId, Format, LiveOriginal, Original, Problem};
use crate::{Refused, Why};

pub struct Anatomy {
    pub problem: Arc<Problem>,
    pub system: Arc<System>,
    /// The same with what is asked of infinite executions, where that is asked: fairness is among the elements.
    pub live: Option<Arc<Live<System>>>,
    pub elements: Elements,
    /// Whether the system has more terms than the model: then proofs about the model say nothing about its
    /// elements.
    pub is_refined: bool,
}

/// How fine the elements of a Lustre model are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fineness {
    /// Equations, asserts, clauses of contracts.
    Equations,
    /// Each variable by itself, and each argument of a call, as if calls were replaced by equations; asserts are
    /// always there.
    Flattened,
    /// Each operator of each equation; asserts are always there.
    Subexpressions,
}

impl Anatomy {
    /// For these claims.
    pub fn of(problem: &Arc<Problem>, fineness: Fineness, claims: &[ClaimId]) -> Result<Anatomy, Refused> {
        let (system, elements) = match problem.original() {
            Original::Bits(bits) => with_elements(words_of(bits), Granularity::States),
            Original::Maps(_) => {
                let message = format!("{}: error: cores of models with maps are not there yet", problem.path);
                return Err(Refused { why: Why::Usage, message });
            }
            Original::Words(system) => of_words(problem, system, fineness)?,
        };
        let is_refined = problem.source().is_some() && fineness != Fineness::Equations;
        let (problem, system) = (problem.clone(), Arc::new(system));
        let anatomy = Anatomy { problem, system, live: None, elements, is_refined };
        match claims.iter().any(|&claim| anatomy.problem.claim(claim).justice().is_some()) {
            true => anatomy.with_liveness(),
            false => Ok(anatomy),
        }
    }

    fn with_liveness(self) -> Result<Anatomy, Refused> {
        if self.is_refined {
            let why = "--granularity does not apply: formulas speak of what equations define";
            return Err(Refused::usage(format!("{}: error: {why}", self.problem.path)));
        }
        let live = match self.problem.live() {
            Some(LiveOriginal::Bits(bits)) => live_words_of(&bits),
            Some(LiveOriginal::Words(words)) => Live { system: self.system, ..(*words).clone() },
            None => unreachable!("a model with maps is not taken apart"),
        };
        let name = |f| match self.problem.original() {
            Original::Bits(bits) => Label::new(bits.symbols.name(SymbolKind::Fairness, f).to_string()),
            _ => Label::new(format!("f{f}")),
        };
        let (live, elements) = with_fairness(live, self.elements, name);
        Ok(Anatomy { system: live.system.clone(), live: Some(Arc::new(live)), elements, ..self })
    }

    /// Evidence about the model, as a proof about its elements; none where it compares states, of which no element
    /// speaks.
    pub fn proof(&self, accepted: &Accepted) -> Option<WordProof> {
        match self.problem.original() {
            Original::Bits(bits) => {
                let proof = accepted.bit_proof().filter(|proof| proof.distinct.is_none())?;
                Some(proof_in_words(bits, &self.system, proof))
            }
            Original::Words(_) if self.is_refined => accepted.word_proof().cloned(),
            Original::Words(system) => Some(self.adopted(system, accepted.word_proof()?)),
            Original::Maps(_) => None,
        }
    }

    /// A proof about the model, about what was made of it.
    fn adopted(&self, system: &System, proof: &WordProof) -> WordProof {
        if self.system.terms.len() == system.terms.len() {
            return proof.clone();
        }
        let mut terms = self.system.terms.clone();
        let mut claim = proof.claim.clone();
        for conjunct in &mut claim.invariant {
            *conjunct = terms.adopt(&proof.terms, *conjunct, system.terms.len());
        }
        WordProof { terms: Arc::new(terms), claim }
    }

    pub fn name(&self, element: ElementId) -> String {
        self.elements.get(element).label.name.to_string()
    }

    /// `12:3`, or nothing.
    pub fn place(&self, element: ElementId) -> String {
        place(&self.elements.get(element).label)
    }

    /// The source text of an element, on one line; of fairness in words, what shall hold again and again.
    pub fn excerpt(&self, element: ElementId) -> String {
        let element = self.elements.get(element);
        match (element.label.span, &element.parts[..]) {
            (Some(span), _) => self.text_at(span),
            (None, &[Part::Definition(d)])
                if element.kind == Kind::Fairness && self.problem.words().is_some() =>
            {
                infix(&self.system.terms, self.system.definitions[d].value)
            }
            (None, _) => String::new(),
        }
    }

    fn text_at(&self, span: Span) -> String {
        let lines: Vec<&str> = self.problem.text.lines().collect();
        let line = |number: u32| lines.get(number as usize - 1).copied().unwrap_or("");
        let mut text = String::new();
        for number in span.line..=span.end_line {
            let line = line(number);
            let end = if number == span.end_line { span.end_column as usize - 1 } else { line.len() };
            let start = if number == span.line { span.column as usize - 1 } else { 0 };
            text.push_str(line.get(start..end.min(line.len())).unwrap_or(""));
            text.push(' ');
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub fn title(&self, claim: ClaimId) -> &str {
        &self.problem.claim(claim).title
    }

    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.problem.text.lines()
    }
}

/// `12:3`, or nothing.
pub fn place(label: &Label) -> String {
    label.span.map_or_else(String::new, |span| format!("{}:{}", span.line, span.column))
}

fn with_elements(system: System, granularity: Granularity) -> (System, Elements) {
    let elements = Elements::of(&system, granularity);
    (system, elements)
}

/// Where the format is a relation, its conjuncts are told apart; where each line has its place, it is named.
fn of_words(problem: &Problem, system: &System, fineness: Fineness) -> Result<(System, Elements), Refused> {
    let lines = || with_elements(system.clone(), Granularity::Lines);
    match (problem.format, problem.source()) {
        (Format::Lustre, Some(source)) => of_lustre(problem, source.model(), system, fineness),
        (Format::Btor2, _) => {
            let places = btor2::updates(&problem.text);
            let (system, elements) = lines();
            let elements = elements.placed(|kind, label| match kind {
                Kind::Init => places.get(&label.span?.line)?.init,
                Kind::Next => places.get(&label.span?.line)?.next,
                _ => None,
            });
            Ok((system, elements))
        }
        (format, _) if format.is_relation() => Ok(of_relation(system)),
        _ => Ok(lines()),
    }
}

fn of_lustre(
    problem: &Problem,
    model: &buttress_lustre::LustreModel,
    system: &System,
    fineness: Fineness,
) -> Result<(System, Elements), Refused> {
    let (system, granularity) = match fineness {
        Fineness::Equations => (system.clone(), Granularity::Equations),
        Fineness::Flattened => {
            let lowered = buttress_lustre::lower_with_arguments(model);
            let lowered = lowered.map_err(|found| found[0].render(&problem.path))?;
            ((*lowered.system).clone(), Granularity::Flattened)
        }
        Fineness::Subexpressions => (split(system), Granularity::Flattened),
    };
    let (system, elements) = with_elements(system, granularity);
    Ok((system, annotated(&model.program, elements)))
}

/// A system that is written as a relation, conjunct by conjunct, and the conjuncts.
fn of_relation(system: &System) -> (System, Elements) {
    let Relation { system, carriers } = Relation::of(system);
    let all = Elements::of(&system, Granularity::Lines);
    let elements = all.only(|element| !element.parts.iter().any(|part| carriers.contains(part)));
    (system, elements)
}

/// Where a node has an annotation `--%IVC`, of all equations only those of the variables that it names.
fn annotated(program: &Program, elements: Elements) -> Elements {
    if program.units.iter().all(|unit| unit.ivc.is_empty()) {
        return elements;
    }
    let main = program.unit(program.main).name.name.to_string();
    elements.only(|element| element.kind == Kind::Equation && is_named(program, &main, element))
}

fn is_named(program: &Program, main: &str, element: &Element) -> bool {
    element.label.name.split(", ").any(|name| {
        let (path, variable) = qualified(name);
        let node = path.rsplit('.').next().and_then(|part| part.split('~').next()).filter(|n| !n.is_empty());
        let unit = program.units.iter().find(|unit| *unit.name.name == *node.unwrap_or(main));
        unit.is_some_and(|unit| unit.ivc.iter().any(|ident| *ident.name == *variable))
    })
}

/// The instance that a variable belongs to, and its own name without fields.
fn qualified(name: &str) -> (&str, &str) {
    let begin = name.rfind('~').and_then(|at| name[at..].find('.').map(|dot| at + dot + 1)).unwrap_or(0);
    let own = &name[begin..];
    (&name[..begin.saturating_sub(1)], own.split(['.', '[']).next().unwrap_or(own))
}
