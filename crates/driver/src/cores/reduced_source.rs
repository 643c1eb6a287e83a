//! The model that a core leaves, in the format of the original.

use std::sync::Arc;

use buttress_cores::{Elements, reduced, reduced_live};
use buttress_format::{Btor2, aiger, btor2, vmt};
use buttress_solve::Stop;
use buttress_system::words::{Definition, Fault, Span, System};
use buttress_system::{BitSystem, ElementSet, Lit, Live, Monitor, SymbolKind};
use buttress_term::TermId;
use buttress_transform::blast::{Limits, blast};
use buttress_transform::{Way, monitored_words};

use super::Anatomy;
use super::trials::Means;
use crate::load::of_lustre;
use crate::problem::{ClaimId, Format, Original};
use crate::{Refused, check};

/// The reduced model. Of Lustre only equations of the main node are dropped, whose variables become inputs; the
/// result is read and proved again, with all that it rests on, before anybody sees it. Where there is no time for
/// that, it is undecided.
///
/// Of liveness the justice properties are written, with the fairness of the core; a formula is no part of a model.
pub fn reduced_source(
    anatomy: &Anatomy,
    claim: ClaimId,
    core: &ElementSet,
    means: &Means,
    stop: &Stop,
) -> Result<Vec<u8>, Refused> {
    if anatomy.problem.claim(claim).logic.is_some() {
        let why = "--reduced does not apply: a formula is no part of a model";
        return Err(Refused::usage(format!("{}: error: {why}", anatomy.problem.path)));
    }
    let fault = |why: String| Refused::fault(format!("error: {why}"));
    let system = || reduced(&anatomy.system, &anatomy.elements, core);
    let live = || anatomy.live.as_ref().map(|live| fair_only(live, &anatomy.elements, core));
    match (anatomy.problem.original(), anatomy.problem.source(), anatomy.problem.format) {
        (_, Some(source), _) => {
            let text = buttress_lustre::without(source.model(), &places(&anatomy.elements, core));
            let text = text.map_err(fault)?;
            proved_again(anatomy, claim, &text, means, stop)?;
            Ok(text.into_bytes())
        }
        (Original::Bits(names), ..) => {
            let bits = match live() {
                Some(live) => justice_in_bits(&live, names),
                None => blast(&Arc::new(system()), Limits::default()).map(|way| (**way.system()).clone()),
            };
            let mut bytes = Vec::new();
            let bits = bits.map_err(|why| fault(why.to_string()))?;
            let written = aiger::write_ascii(&bits, &[], &mut bytes);
            written.map_err(|why| fault(why.to_string()))?;
            Ok(bytes)
        }
        (_, None, Format::Btor2) => {
            let model = match live() {
                Some(Live { system, justice, fairness, .. }) => {
                    let justice_names = anatomy.problem.liveness().names.clone();
                    Btor2 { system: Arc::unwrap_or_clone(system), justice, justice_names, fairness }
                }
                None => Btor2::of(system()),
            };
            btor2::write(&model).map(String::into_bytes).map_err(|why| fault(why.to_string()))
        }
        _ if anatomy.live.is_some() => {
            let (path, format) = (&anatomy.problem.path, anatomy.problem.format.name());
            let why = "--reduced does not apply: justice properties are not written as";
            Err(Refused::usage(format!("{path}: error: {why} {format}")))
        }
        _ => Ok(vmt::write(&system()).into_bytes()),
    }
}

/// The model of a core, with the fairness that belongs to it as the model had it.
fn fair_only(live: &Live<System>, elements: &Elements, core: &ElementSet) -> Live<System> {
    let reduced = reduced_live(live, elements, core);
    let mut system = Arc::unwrap_or_clone(reduced.system);
    let is_own = |variable: &TermId| live.fairness.contains(variable);
    let (own, definitions) = system.definitions.into_iter().partition(|d| is_own(&d.variable));
    let own: Vec<Definition> = own;
    system.definitions = definitions;
    system.inputs.retain(|input| !is_own(&input.variable));
    let fairness = own.iter().map(|definition| definition.value).collect();
    Live { system: Arc::new(system), fairness, ..reduced }
}

/// A model in bits that says nothing but what must happen again and again.
fn justice_in_bits(live: &Live<System>, names: &BitSystem) -> Result<BitSystem, Fault> {
    // Fairness, as if it were one more justice property.
    let mut lists = live.justice.clone();
    lists.push(live.fairness.clone());
    let plain = Live { justice: lists.clone(), fairness: Vec::new(), ..live.clone() };
    let beside = monitored_words(&Arc::new(plain), Monitor::Arenas);
    let mut bits = (**blast(beside.system(), Limits::default())?.system()).clone();
    let mut signals = std::mem::take(&mut bits.properties).into_iter().map(|signal| signal.bad);
    let mut taken = |own: &Vec<TermId>| {
        // Where there is none, the one that always holds.
        let mut found: Vec<Lit> = signals.by_ref().take(own.len().max(1)).collect();
        found.truncate(own.len());
        found
    };
    let mut found: Vec<Vec<Lit>> = lists.iter().map(&mut taken).collect();
    bits.fairness = found.pop().expect("the last one");
    bits.justice = found;
    let of_signals = std::mem::take(&mut bits.symbols);
    let stays = of_signals.iter().filter(|(kind, ..)| *kind != SymbolKind::Bad);
    let justice = names.symbols.iter().filter(|(kind, ..)| *kind == SymbolKind::Justice);
    for (kind, index, name) in stays.chain(justice) {
        bits.symbols.insert(kind, index, name);
    }
    Ok(bits)
}

/// Where the equations of the main node stand that are not in the core.
fn places(elements: &Elements, core: &ElementSet) -> Vec<Span> {
    let dropped = elements.ids().filter(|e| !core.contains(e)).map(|e| &elements.get(e).label);
    dropped.filter(|label| !label.name.contains('~')).filter_map(|label| label.span).collect()
}

/// The text is a model in which the property of this name holds.
fn proved_again(
    anatomy: &Anatomy,
    claim: ClaimId,
    text: &str,
    means: &Means,
    stop: &Stop,
) -> Result<(), Refused> {
    let fault = |why: String| Refused::fault(format!("error: {why}"));
    let unread = |_| fault("the reduced source cannot be read".to_string());
    let problem = Arc::new(of_lustre(&anatomy.problem.path, text).map_err(unread)?);
    let name = &anatomy.problem.claim(claim).name;
    let same = problem.claim_ids().find(|&c| problem.claim(c).name == *name);
    let same = same.ok_or_else(|| fault(format!("the reduced source has no property {name}")))?;
    let mut claims = problem.conditions().to_vec();
    claims.extend(Some(same).filter(|c| !problem.conditions().contains(c)));
    let plan = means.choice.plan(&problem, &claims)?;
    let answers = check(&problem, &claims, &plan, stop);
    let proved = answers.accepted().any(|(claim, accepted)| claim == same && accepted.is_proof());
    match stop.reason() {
        _ if proved => Ok(()),
        Some(why) => {
            Err(Refused::undecided(format!("undecided: {why} while the reduced source was proved again")))
        }
        None => Err(fault("the reduced source could not be proved again".to_string())),
    }
}
