//! Evidence and lemmas as files: witnesses, waveforms, certificates, traces by names.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use buttress_check::{
    Checked, Circuit, Intervention, Pair, Refusal, certify_circuit, certify_round, certify_word_lasso,
    certify_word_round,
};
use buttress_engine::largest_inductive;
use buttress_format::terms::TermWriter;
use buttress_format::{Diagnostic, Position, Waveform, Witness, aiger, btor2, certificate, lemmas, witness};
use buttress_lustre::script::{self, Script, read_value};
use buttress_query::Levels;
use buttress_solve::smt::Config;
use buttress_solve::{Cdcl, Stop};
use buttress_system::words::{System, WordTrace};
use buttress_system::{
    BitSystem, Certified, Clause, Lasso, Live, Monitor, Proof, PropertyId, Subject, SymbolKind, Wave,
};
use buttress_term::{Sort, Value};
use buttress_transform::{Way, monitored_bits};
use serde_json::json;

use crate::Refused;
use crate::answers::Answers;
use crate::codec::ModelHash;
use crate::judge::{Accepted, Judge, Judged};
use crate::load::read_text;
use crate::people;
use crate::plan::Kind;
use crate::problem::{Claim, ClaimId, Format, LiveOriginal, Original, Problem};
use crate::supervise::within;

/// Writes a trace in the format of the model: for AIGER and BTOR2 their witnesses, for others a trace by names.
pub fn write_witness(problem: &Problem, accepted: &Accepted, mut out: &mut dyn Write) -> io::Result<()> {
    let of_formula = accepted.lasso().is_some_and(|(number, _)| number >= problem.num_justice());
    if of_formula || matches!(accepted, Accepted::Trees(_)) {
        let what = "violations of temporal formulas have no file format: --json, --vcd and --fst write them";
        return Err(io::Error::other(what));
    }
    match (accepted, problem.original()) {
        (Accepted::Bits(checked), Original::Bits(system)) => match checked.evidence().lasso() {
            Some(lasso) => witness::write_round(system, lasso, &mut out),
            None => witness::write(system, checked.evidence().trace().expect("a trace"), &mut out),
        },
        (Accepted::Words(checked), Original::Words(system)) if accepted.is_temporal() => {
            let lasso = checked.evidence().lasso().expect("a lasso");
            match problem.format {
                Format::Btor2 | Format::Built => btor2::write_round(system, lasso, &mut out),
                _ => {
                    let claim = problem.claim_of_justice(lasso.justice).expect("it was asked about");
                    write_trace(
                        &problem.claim(claim).name,
                        &script_of(system, &lasso.trace),
                        Some(lasso.back),
                        out,
                    )
                }
            }
        }
        (Accepted::Words(checked), Original::Words(system)) => {
            let trace = checked.evidence().trace().expect("a trace");
            let name = &*system.property(trace.property).label.name;
            match (problem.source(), problem.format) {
                (Some(source), _) => {
                    let script = source.script(trace).expect("it was replayed when it was accepted");
                    write_trace(name, &script, None, out)
                }
                (None, Format::Btor2 | Format::Built) => btor2::write_witness(system, trace, &mut out),
                (None, _) => write_trace(name, &script_of(system, trace), None, out),
            }
        }
        _ => Err(io::Error::other("traces of models with maps have no file format of their own")),
    }
}

/// The values that a trace chooses in each step, by name. Formats whose traces go by names have no states without
/// a `next`: what a step leaves open there is an input.
fn script_of(system: &System, trace: &WordTrace) -> Script {
    let shown = |value: &Option<Value>| value.as_ref().map(buttress_lustre::table::show);
    let row = |step: usize| {
        let names = system.inputs.iter().map(|i| &i.label.name);
        let values = names.zip(&trace.inputs[step]);
        let mut row: BTreeMap<String, String> =
            values.filter_map(|(name, value)| Some((name.to_string(), shown(value)?))).collect();
        if step == 0 {
            for (state, value) in system.states.iter().zip(&trace.initial) {
                if let Some(value) = shown(value) {
                    row.insert(state.label.name.to_string(), value);
                }
            }
        }
        row
    };
    (0..trace.inputs.len()).map(row).collect()
}

/// The trace for viewers of waveforms.
pub fn waveform(problem: &Problem, accepted: &Accepted) -> Waveform {
    match (accepted, problem.original(), problem.source()) {
        (Accepted::Bits(checked), Original::Bits(system), _) if !accepted.is_temporal() => {
            Waveform::of_bits(system, checked.evidence().trace().expect("a trace"))
        }
        (Accepted::Words(checked), Original::Words(system), None) if !accepted.is_temporal() => {
            Waveform::of_words(system, checked.evidence().trace().expect("a trace"))
        }
        _ => {
            let mut waves = people::waves(problem, accepted).expect("a trace");
            waves.waves.extend(accepted.lasso().map(|(_, back)| on_the_way_round(waves.steps, back)));
            Waveform::of_waves(&waves)
        }
    }
}

/// Whether a step is one of those that come again and again.
fn on_the_way_round(steps: usize, back: usize) -> Wave {
    let values = (0..steps).map(|step| Some(Value::Bool(step >= back))).collect();
    Wave { name: "loop".to_string(), sort: Sort::Bool, values, alias: false }
}

/// The outcome of writing a certificate.
pub enum Certificate {
    /// With the claims whose proof it does not have.
    Written { without: Vec<Without> },
    /// There is nothing to write.
    NothingProved,
    /// None of the proofs has one.
    Impossible { without: Vec<Without> },
}

/// A claim whose proof no certificate has.
pub struct Without {
    pub title: String,
    pub why: &'static str,
}

const COMPARES: &str = "its proof compares states for distinctness, which a witness circuit cannot express";
const IN_WORDS: &str = "proofs of liveness about words have no file format";
const FORMULA: &str =
    "a witness circuit is about the properties of the file, and this formula is none of them";
const NO_EXECUTION: &str =
    "it holds since constraints end every execution, for which there is no witness circuit";
const BESIDE_FORMULAS: &str =
    "beside formulas its proof is about their circuits, too: ask for it without them";

/// Writes one certificate for all proofs together: of bits a witness circuit, in binary or as text, of theories
/// and maps a script of their obligations.
pub fn write_certificate(
    answers: &Answers,
    ascii: bool,
    open: &mut dyn FnMut() -> io::Result<Box<dyn Write>>,
) -> io::Result<Certificate> {
    let problem = answers.problem();
    let proofs: Vec<_> = answers.accepted().filter(|(_, accepted)| accepted.is_proof()).collect();
    if proofs.is_empty() {
        return Ok(Certificate::NothingProved);
    }
    if let Original::Bits(system) = problem.original() {
        return circuit(answers, system, ascii, open);
    }
    let title = |claim: ClaimId| problem.claim(claim).title.clone();
    let live = proofs.iter().filter(|(_, accepted)| accepted.is_temporal());
    let live: Vec<Without> = live.map(|&(claim, _)| Without { title: title(claim), why: IN_WORDS }).collect();
    if live.len() == proofs.len() {
        return Ok(Certificate::Impossible { without: live });
    }
    let mut out = open()?;
    match problem.original() {
        Original::Bits(_) => unreachable!("bits have circuits"),
        Original::Words(system) => {
            let proofs: Vec<_> = proofs.iter().filter_map(|(_, a)| a.word_proof()).collect();
            buttress_format::obligations::write(system, &proofs, &mut *out)?;
        }
        Original::Maps(model) => {
            let proofs: Vec<_> = proofs.iter().filter_map(|(_, a)| a.map_proof()).collect();
            buttress_format::quantified::write(model, &proofs, &mut *out)?;
        }
    }
    out.flush()?;
    Ok(Certificate::Written { without: live })
}

/// One circuit for all proved properties together; those whose proof has no circuit are named.
fn circuit(
    answers: &Answers,
    system: &BitSystem,
    ascii: bool,
    open: &mut dyn FnMut() -> io::Result<Box<dyn Write>>,
) -> io::Result<Certificate> {
    let mut without = Vec::new();
    let (safe, bounded) = safe_part(answers, system, &mut without);
    let live = live_parts(answers, system, &mut without);
    if safe.is_none() && live.is_empty() {
        return Ok(Certificate::Impossible { without });
    }
    let justice = live.iter().flat_map(|part| part.proof.proof.properties.iter().map(|p| p.index()));
    let properties = safe.as_ref().map_or(Vec::new(), |proof| proof.properties.clone());
    let certified = Certified { properties, justice: justice.collect() };
    let (circuit, interventions) = match (&safe, live.is_empty()) {
        (Some(proof), true) => {
            let circuit =
                certificate::witness_circuit(system, proof, bounded).expect("no states are compared");
            (circuit, Vec::new())
        }
        _ => certificate::live_circuit(system, safe.as_ref().map(|proof| (proof, bounded)), &live),
    };
    let comments = certificate::comments(system, &certified, &interventions, &answers.problem().path);
    let mut out = open()?;
    match ascii {
        true => aiger::write_ascii(&circuit, &comments, &mut out)?,
        false => aiger::write_binary(&circuit, &comments, &mut out)?,
    }
    out.flush()?;
    Ok(Certificate::Written { without })
}

/// All proofs of safety as one; and of how many states no execution is, where that decides.
fn safe_part(
    answers: &Answers,
    system: &BitSystem,
    without: &mut Vec<Without>,
) -> (Option<Proof>, Option<usize>) {
    let problem = answers.problem();
    let safe = answers.accepted().filter(|(_, a)| !a.is_temporal());
    let bounded = safe.filter_map(|(_, a)| a.vacuous()).map(|v| v.states).next();
    let mut all = None;
    for (claim, proof) in answers.accepted().filter_map(|(claim, a)| Some((claim, a.bit_proof()?))) {
        if bounded.is_some() || proof.distinct.is_none() {
            all = Some(match all {
                None => proof.clone(),
                Some(others) => system.and(others, proof),
            });
        } else {
            without.push(Without { title: problem.claim(claim).title.clone(), why: COMPARES });
        }
    }
    (all, bounded)
}

/// The proofs of liveness, each with the systems that it is about.
fn live_parts(
    answers: &Answers,
    system: &BitSystem,
    without: &mut Vec<Without>,
) -> Vec<certificate::LivePart> {
    let problem = answers.problem();
    let mut parts: Vec<certificate::LivePart> = Vec::new();
    for (claim, accepted) in answers.accepted().filter(|(_, a)| a.is_proof() && a.is_temporal()) {
        let claim = problem.claim(claim);
        let mut lacks = |why| without.push(Without { title: claim.title.clone(), why });
        let number = claim.justice().filter(|p| p.index() < problem.num_justice());
        let (Accepted::Bits(checked), Some(number), Some(LiveOriginal::Bits(live))) =
            (accepted, number, problem.live())
        else {
            lacks(FORMULA);
            continue;
        };
        if !live.formulas.is_empty() {
            lacks(BESIDE_FORMULAS);
            continue;
        }
        if accepted.vacuous().is_some() {
            lacks(NO_EXECUTION);
            continue;
        }
        let mut proof = checked.evidence().live_proof().expect("a proof of liveness").clone();
        proof.proof.properties = vec![number];
        let beside = |monitor| BitSystem::clone(monitored_bits(&live, monitor).system());
        let (visits, closed) = match proof.monitor {
            Monitor::Loop => (beside(Monitor::Visits(0)), Some(beside(Monitor::Loop))),
            visits => (beside(visits), None),
        };
        let part = certificate::LivePart { proof, visits, closed };
        match part.lacks(system) {
            Some(why) => lacks(why),
            None => parts.push(part),
        }
    }
    parts
}

/// A trace in a file: an object with the property that it violates and its steps, or the steps alone.
pub struct TraceFile {
    pub property: Option<String>,
    pub steps: Script,
    /// Of an execution that goes round for ever, the step that comes after the last.
    pub back: Option<usize>,
}

/// Reads a trace by names; what is wrong with it is rendered.
pub fn read_trace(file: &Path) -> Result<TraceFile, String> {
    parse_trace(&file.display().to_string(), &read_text(file)?)
}

fn parse_trace(name: &str, text: &str) -> Result<TraceFile, String> {
    let json: serde_json::Value = serde_json::from_str(text).map_err(|e| {
        let at = Position::text(e.line().max(1) as u32, e.column().max(1) as u32);
        let line = text.lines().nth(e.line().saturating_sub(1)).unwrap_or_default();
        Diagnostic::new(format!("a trace is JSON, and this is not: {e}"))
            .at(at)
            .with_source(line)
            .render(name)
    })?;
    let property = json.get("property").and_then(|p| p.as_str()).map(str::to_string);
    let back = json.get("back_to_step").and_then(|back| back.as_u64()).map(|back| back as usize);
    let steps = json.get("steps").unwrap_or(&json).as_array().and_then(|steps| {
        steps.iter().map(|step| step.as_object()?.iter().map(named_text).collect()).collect()
    });
    let help = "a trace has \"steps\", a list of objects from names to values";
    steps.map(|steps| TraceFile { property, steps, back }).ok_or_else(|| Diagnostic::new(help).render(name))
}

fn named_text((name, value): (&String, &serde_json::Value)) -> Option<(String, String)> {
    let text = match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(_) | serde_json::Value::Number(_) => value.to_string(),
        _ => return None,
    };
    Some((name.clone(), text))
}

/// A trace as a file: what it chooses, so that anybody can execute it.
fn write_trace(property: &str, script: &Script, back: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let value = |text: &String| match text.parse::<i64>() {
        _ if text == "true" || text == "false" => json!(text == "true"),
        Ok(n) => json!(n),
        Err(_) => json!(text),
    };
    let row = |row: &BTreeMap<String, String>| {
        let row = row.iter().map(|(name, text)| (name.clone(), value(text)));
        serde_json::Value::Object(row.collect())
    };
    let steps: Vec<serde_json::Value> = script.iter().map(row).collect();
    let mut file = json!({"property": property, "steps": steps});
    if let Some(back) = back {
        file["back_to_step"] = json!(back);
    }
    writeln!(out, "{file:#}")
}

/// The outcome of checking evidence from a file.
pub enum Judgement {
    /// This was accepted.
    Accepted(String),
    Rejected(String),
    Undecided(String),
}

impl Judgement {
    fn of(result: Result<String, Refusal>) -> Judgement {
        match result {
            Ok(what) => Judgement::Accepted(what),
            Err(Refusal::Rejected(why)) => Judgement::Rejected(why),
            Err(Refusal::Stopped(why)) => Judgement::Undecided(why.to_string()),
        }
    }
}

/// Checks a witness or a certificate, of any tool, against its model.
pub fn verify(problem: &Problem, evidence: &Path, stop: &Stop) -> Result<Judgement, Refused> {
    let name = evidence.display().to_string();
    let mut bytes = Vec::new();
    let read = io::Read::read_to_end(&mut crate::open(evidence)?, &mut bytes);
    read.map_err(|e| format!("{name}: error: {e}"))?;
    // A circuit begins with its format; a witness with its status.
    let is_circuit = bytes.starts_with(b"aag ") || bytes.starts_with(b"aig ");
    match (problem.original(), problem.source()) {
        (Original::Bits(_), _) if is_circuit => judge_circuit(problem, &name, &bytes, stop),
        (Original::Bits(system), _) => {
            let read = witness::read(&bytes[..], system).map_err(|d| d.render(&name))?;
            match read {
                Witness::Round { justice, execution } => {
                    Ok(judge_round(problem, certify_round(&Live::of_bits(system), justice, execution)))
                }
                read => judge_witness(read, problem, system, stop),
            }
        }
        (Original::Words(_), Some(source)) => {
            let text = text_of(&name, bytes)?;
            let trace = parse_trace(&name, &text)?;
            let played = violated_in_source(source.model(), &trace);
            Ok(match played {
                Ok(property) => Judgement::Accepted(format!("the trace violates {property}")),
                Err(why) => Judgement::Rejected(why),
            })
        }
        (Original::Words(system), None) => {
            let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
            let read = if matches!(first, Some(b'{' | b'[')) {
                let trace = parse_trace(&name, &text_of(&name, bytes)?)?;
                if trace.back.is_some() {
                    return judge_lasso_by_names(problem, system, &name, &trace);
                }
                Witness::Violation(trace_by_names(system, &name, &trace)?)
            } else {
                btor2::read_witness(&bytes[..], system, problem.liveness().justice.len())
                    .map_err(|d| d.render(&name))?
            };
            match (read, problem.live()) {
                (Witness::Round { justice, execution }, Some(LiveOriginal::Words(live))) => {
                    Ok(judge_round(problem, certify_word_round(&live, justice, execution)))
                }
                (read, _) => judge_witness(read, problem, system, stop),
            }
        }
        (Original::Maps(_), _) => {
            let why = "traces of models with maps have no file format of their own";
            Err(Refused::usage(format!("{}: error: {why}", problem.path)))
        }
    }
}

/// An execution by names that goes round, in violation of a justice property.
fn judge_lasso_by_names(
    problem: &Problem,
    system: &System,
    file: &str,
    trace: &TraceFile,
) -> Result<Judgement, Refused> {
    let wrong = |what: String| Refused::from(format!("{file}: error: {what}"));
    let live: Vec<&Claim> = problem.claims().iter().filter(|c| c.justice().is_some()).collect();
    let claim = match (&trace.property, &live[..]) {
        (None, [only]) => *only,
        (None, _) => return Err(wrong("it does not say which property it violates".to_string())),
        (Some(name), all) => {
            let found = all.iter().find(|claim| claim.name == *name).copied();
            found.ok_or_else(|| wrong(format!("there is no justice property '{name}' in the model")))?
        }
    };
    let justice = claim.justice().expect("one of those that go round");
    let execution = execution_by_names(system, file, justice, trace)?;
    let (Some(LiveOriginal::Words(live)), Some(back)) = (problem.live(), trace.back) else {
        unreachable!("words that go round");
    };
    let lasso = Lasso { justice: justice.index(), trace: execution, back };
    Ok(judge_round(problem, certify_word_lasso(&live, lasso)))
}

fn text_of(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| format!("{name}: error: this is neither a witness nor a text"))
}

/// The property of the source that a trace violates, or what is wrong with it.
fn violated_in_source(model: &buttress_lustre::LustreModel, trace: &TraceFile) -> Result<String, String> {
    let steps = script::play(model, &trace.steps)?.steps;
    let violated = |name: &str| script::violates(&steps, name).map(|()| name.to_string());
    match &trace.property {
        Some(name) => violated(name),
        None => {
            let last = steps.last().ok_or("the trace has no steps")?;
            let name = last.properties.iter().find(|(_, holds)| !holds).map(|(name, _)| name);
            violated(name.ok_or("no property is violated in the last step")?)
        }
    }
}

/// The steps of a file by names, as an execution of the system; of which property does not matter.
pub(crate) fn steps_by_names(system: &System, file: &Path) -> Result<WordTrace, String> {
    let trace = read_trace(file)?;
    if trace.steps.is_empty() {
        return Err(format!("{}: error: the stimulus has no steps", file.display()));
    }
    execution_by_names(system, &file.display().to_string(), PropertyId::new(0), &trace)
}

/// A trace by names, as one of the system. What no name speaks of does not matter.
fn trace_by_names(system: &System, file: &str, trace: &TraceFile) -> Result<WordTrace, String> {
    let wrong = |what: String| format!("{file}: error: {what}");
    let property = match &trace.property {
        None if system.properties.len() == 1 => PropertyId::new(0),
        None => return Err(wrong("it does not say which property it violates".to_string())),
        Some(name) => system
            .property_ids()
            .find(|&p| *system.property(p).label.name == **name)
            .ok_or_else(|| wrong(format!("there is no property '{name}' in the model")))?,
    };
    execution_by_names(system, file, property, trace)
}

fn execution_by_names(
    system: &System,
    file: &str,
    property: PropertyId,
    trace: &TraceFile,
) -> Result<WordTrace, String> {
    let wrong = |what: String| format!("{file}: error: {what}");
    let mut known: BTreeSet<&str> = system.inputs.iter().map(|i| &*i.label.name).collect();
    known.extend(system.states.iter().map(|s| &*s.label.name));
    for (step, row) in trace.steps.iter().enumerate() {
        if let Some(name) = row.keys().find(|name| !known.contains(&name[..])) {
            return Err(wrong(format!("step {step}: there is no '{name}' in the model")));
        }
    }
    let value = |step: usize, name: &str, variable: buttress_term::TermId| -> Result<Option<Value>, String> {
        let Some(text) = trace.steps.get(step).and_then(|row| row.get(name)) else { return Ok(None) };
        let sort = system.terms.sort(variable);
        let value = read_value(text, sort, text.starts_with('-'));
        value.map(Some).ok_or_else(|| wrong(format!("step {step}: '{text}' is no {sort}, which '{name}' is")))
    };
    let states = system.states.iter().map(|s| value(0, &s.label.name, s.variable));
    let row = |step: usize| {
        let inputs = system.inputs.iter().map(|i| value(step, &i.label.name, i.variable));
        let free = system.free_states().map(|s| {
            let state = system.state(s);
            value(step, &state.label.name, state.variable)
        });
        inputs.chain(free).collect::<Result<Vec<_>, _>>()
    };
    Ok(WordTrace {
        property,
        initial: states.collect::<Result<Vec<_>, _>>()?,
        inputs: (0..trace.steps.len()).map(row).collect::<Result<Vec<_>, _>>()?,
    })
}

fn judge_witness<S: Judged>(
    read: Witness<S::Trace>,
    problem: &Problem,
    system: &Arc<S>,
    stop: &Stop,
) -> Result<Judgement, Refused> {
    let trace = match read {
        Witness::Violation(trace) => trace,
        Witness::Safe => {
            return Ok(Judgement::Undecided("it claims that the property holds, but proves nothing".into()));
        }
        Witness::Unknown => return Ok(Judgement::Undecided("it claims nothing".into())),
        Witness::Round { .. } => unreachable!("who goes round is judged otherwise"),
    };
    let judge = Judge { system: system.clone(), replay: None, in_bits: true, smt: Config::new(Vec::new()) };
    let checked = S::certify_trace(&judge, trace, stop);
    Ok(Judgement::of(checked.map(|accepted| {
        let claim = problem.claim_of(accepted.properties()[0]).expect("a property of the model");
        format!("the trace violates {}", problem.claim(claim).name)
    })))
}

/// An execution that goes round, in violation of a justice property.
fn judge_round<P, T>(problem: &Problem, checked: Result<Checked<P, T>, Refusal>) -> Judgement {
    Judgement::of(checked.map(|checked| {
        let claim = problem.claim_of_justice(checked.properties()[0].index()).expect("it is in the model");
        let back = checked.evidence().lasso().expect("it goes round").back;
        format!("the trace violates {}, round and round from step {back}", problem.claim(claim).name)
    }))
}

fn judge_circuit(problem: &Problem, name: &str, bytes: &[u8], stop: &Stop) -> Result<Judgement, Refused> {
    let model = problem.aiger().expect("circuits are about bits");
    let circuit = aiger::read(bytes).map_err(|d| d.render(name))?;
    match read_circuit(&circuit, &model) {
        Err(diagnostic) => Ok(Judgement::Rejected(diagnostic.render(name))),
        Ok((certified, pairs, interventions)) => {
            let circuit = Circuit { system: &circuit.system, pairs: &pairs, interventions: &interventions };
            let checked = certify_circuit(&model.system, circuit, certified, stop);
            Ok(Judgement::of(checked.map(|accepted| proved_by_circuit(&model.system, accepted.certified()))))
        }
    }
}

type Beside = (Certified, Vec<Pair>, Vec<Intervention>);

/// What a circuit is for, and how it stands beside the model.
fn read_circuit(circuit: &aiger::Aiger, model: &aiger::Aiger) -> Result<Beside, Diagnostic> {
    let certified = certificate::certified(circuit, &model.system)?;
    let pairs = certificate::mapping(circuit, model)?.into_iter();
    let pairs = pairs.map(|(witness, model)| Pair { witness, model }).collect();
    let second = certificate::interventions(circuit)?.into_iter();
    let second = second.map(|(second, replaced)| Intervention { second, replaced }).collect();
    Ok((certified, pairs, second))
}

fn proved_by_circuit(model: &BitSystem, certified: &Certified) -> String {
    let safe = certified.properties.iter().map(|&p| model.property_name(p));
    let live = certified.justice.iter().map(|&j| model.symbols.name(SymbolKind::Justice, j));
    match safe.chain(live).collect::<Vec<String>>() {
        names if names.is_empty() => "the model has no property, there is nothing to prove".to_string(),
        names => format!("the circuit proves {}", names.join(", ")),
    }
}

/// How the comment with the model's hash begins.
const HASH: &str = "hash of the model: ";

/// How long lemmas to be written may be sorted into inductive ones and others.
const SORTING: Duration = Duration::from_secs(5);

/// Reads lemmas about the bits of a model; an error is rendered, with file and position. A file that was written
/// for another model is read all the same: every lemma is proved again before it is used. The second is a note
/// that says so.
pub fn read_clauses(problem: &Problem, path: &Path) -> Result<(lemmas::Lemmas, Option<String>), String> {
    let text = read_text(path)?;
    let name = path.display().to_string();
    let system = problem.bits().ok_or_else(|| format!("{name}: error: the model has no bits"))?;
    let literal = |n: u32| problem.literal(n);
    let read = lemmas::read(&text, system, &literal).map_err(|d| d.render(&name))?;
    let other = written_for(&text, '#').is_some_and(|hash| hash != ModelHash::of(problem).to_string());
    let note =
        other.then(|| format!("note: {name} was written for another model; what still holds of it is used"));
    Ok((read, note))
}

/// The hash in the comments that a file begins with; clauses have other comments than terms.
fn written_for(text: &str, comment: char) -> Option<&str> {
    let comments = text.lines().map_while(|line| line.strip_prefix(comment));
    comments.map(str::trim).find_map(|comment| comment.strip_prefix(HASH))
}

/// Whether a text is a file of clauses that [`write_lemmas`] wrote.
pub fn is_saved(text: &str) -> bool {
    written_for(text, '#').is_some()
}

/// Whether a text is a file of terms that [`write_lemmas`] wrote: SMT-LIB, whatever the language of the model.
pub(crate) fn is_saved_terms(text: &str) -> bool {
    written_for(text, ';').is_some()
}

/// Writes what was found, in the language of what engines work on: see [`write_clauses`]; of a model beyond bits
/// the conjuncts of all proofs, as candidates. How many of each.
pub fn write_lemmas(answers: &Answers, out: &mut dyn Write) -> io::Result<(usize, usize)> {
    match (Kind::of(answers.problem()), answers.problem().words()) {
        (Kind::Theories, Some(_)) => write_terms(answers, out),
        _ => write_clauses(answers, out),
    }
}

fn write_terms(answers: &Answers, out: &mut dyn Write) -> io::Result<(usize, usize)> {
    let problem = answers.problem();
    let proofs = answers.accepted().filter_map(|(claim, a)| Some((claim, a.word_proof()?)));
    let (mut texts, mut finders) = (BTreeSet::new(), BTreeSet::new());
    for (claim, proof) in proofs {
        let writer = TermWriter::new(&proof.terms);
        texts.extend(proof.claim.invariant.iter().map(|&term| writer.term(term)));
        finders.extend(answers.found_by(claim).map(|engine| engine.title));
    }
    let head = head("lemmas of what was proved; each may need the others, or the property", problem, finders);
    head.iter().try_for_each(|line| writeln!(out, "; {line}"))?;
    texts.iter().try_for_each(|text| writeln!(out, "? {text}"))?;
    Ok((0, texts.len()))
}

/// The comments that a file of lemmas begins with.
fn head(what: &str, problem: &Problem, finders: BTreeSet<&str>) -> [String; 5] {
    [
        what.to_string(),
        format!("model: {}", problem.path),
        format!("{HASH}{}", ModelHash::of(problem)),
        format!("found by: {}", finders.into_iter().collect::<Vec<_>>().join(", ")),
        "to use them: buttress check MODEL --lemmas FILE; every lemma is proved again first".to_string(),
    ]
}

/// Writes everything that was found: the clauses of proofs, and what undecided runs left. What is inductive of it
/// together is written as one group, the rest as candidates; how many of each.
fn write_clauses(answers: &Answers, out: &mut dyn Write) -> io::Result<(usize, usize)> {
    let problem = answers.problem();
    let Some(system) = problem.bits() else { return Err(io::Error::other("the model has no bits")) };
    let all: BTreeSet<Clause> = answers.clauses().map(|(_, clause)| clause.clone()).collect();
    let all: Vec<Clause> = all.into_iter().collect();
    let kept: BTreeSet<usize> = within(&Stop::new(), Some(SORTING), |stop| {
        let mut levels = Levels::new(system.clone(), || Cdcl::new(stop));
        largest_inductive(&mut levels, &all).unwrap_or_default().into_iter().collect()
    });
    let (mut group, mut candidates) = (Vec::new(), Vec::new());
    for (position, clause) in all.into_iter().enumerate() {
        if kept.contains(&position) { group.push(clause) } else { candidates.push(clause) }
    }
    let finders: BTreeSet<&str> = answers.clauses().map(|(engine, _)| engine.title).collect();
    let what = match answers.open() > 0 {
        true => "partial: not a proof. Lemmas found before the run ended without an answer",
        false => "lemmas of what was proved; those after a ? are inductive only together with the property",
    };
    lemmas::write(system, &head(what, problem, finders), &group, &candidates, out)?;
    Ok((group.len(), candidates.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_found_again() {
        assert_eq!(written_for("# partial\n# hash of the model: 00ff\n{ a }\n", '#'), Some("00ff"));
        assert_eq!(written_for("a\n# hash of the model: 00ff\n", '#'), None);
        assert_eq!(written_for("; hash of the model: 00ff\n", ';'), Some("00ff"));
    }
}
