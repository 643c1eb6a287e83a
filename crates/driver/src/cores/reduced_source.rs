//! The model that a core leaves, in the format of the original.

use std::sync::Arc;

use buttress_cores::{Elements, reduced};
use buttress_format::{Btor2, aiger, btor2, vmt};
use buttress_solve::Stop;
use buttress_system::words::Span;
use buttress_system::{ElementSet, PropertyId};
use buttress_transform::Way;
use buttress_transform::blast::{Limits, blast};

use super::Anatomy;
use super::trials::Means;
use crate::load::of_lustre;
use crate::problem::{Format, Original};
use crate::{Refused, check};

/// The reduced model. Of Lustre only equations of the main node are dropped, whose variables become inputs; the
/// result is read and proved again, with all that it rests on, before anybody sees it. Where there is no time for
/// that, it is undecided.
pub fn reduced_source(
    anatomy: &Anatomy,
    property: PropertyId,
    core: &ElementSet,
    means: &Means,
    stop: &Stop,
) -> Result<Vec<u8>, Refused> {
    let fault = |why: String| Refused::fault(format!("error: {why}"));
    let system = || reduced(&anatomy.system, &anatomy.elements, core);
    match (anatomy.problem.original(), anatomy.problem.source(), anatomy.problem.format) {
        (_, Some(source), _) => {
            let text = buttress_lustre::without(source.model(), &places(&anatomy.elements, core));
            let text = text.map_err(fault)?;
            proved_again(anatomy, property, &text, means, stop)?;
            Ok(text.into_bytes())
        }
        (Original::Bits(_), ..) => {
            let blasted =
                blast(&Arc::new(system()), Limits::default()).map_err(|why| fault(why.to_string()))?;
            let mut bytes = Vec::new();
            let written = aiger::write_ascii(blasted.system(), &[], &mut bytes);
            written.map_err(|why| fault(why.to_string()))?;
            Ok(bytes)
        }
        (_, None, Format::Btor2) => {
            let model = Btor2::of(system());
            btor2::write(&model).map(String::into_bytes).map_err(|why| fault(why.to_string()))
        }
        _ => Ok(vmt::write(&system()).into_bytes()),
    }
}

/// Where the equations of the main node stand that are not in the core.
fn places(elements: &Elements, core: &ElementSet) -> Vec<Span> {
    let dropped = elements.ids().filter(|e| !core.contains(e)).map(|e| &elements.get(e).label);
    dropped.filter(|label| !label.name.contains('~')).filter_map(|label| label.span).collect()
}

/// The text is a model in which the property of this name holds.
fn proved_again(
    anatomy: &Anatomy,
    property: PropertyId,
    text: &str,
    means: &Means,
    stop: &Stop,
) -> Result<(), Refused> {
    let fault = |why: String| Refused::fault(format!("error: {why}"));
    let unread = |_| fault("the reduced source cannot be read".to_string());
    let problem = Arc::new(of_lustre(&anatomy.problem.path, text).map_err(unread)?);
    let name = &anatomy.system.property(property).label.name;
    let same = problem.claim_ids().find(|&c| *problem.claim(c).name == **name);
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
