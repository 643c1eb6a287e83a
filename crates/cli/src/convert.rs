//! `buttress convert`: a model in another format; the name of the file says which.

use std::path::Path;

use buttress_driver::{Refused, Target, convert as converted};

use crate::args::ConvertArgs;
use crate::command::{self, Done, into_file, load_model};
use crate::{exit, out};

pub fn convert(args: ConvertArgs) -> ! {
    command::run(args.limits, false, move |_, _| run(&args))
}

fn run(args: &ConvertArgs) -> Result<Done, Refused> {
    let target = target(&args.output)?;
    let problem = load_model(&args.model, &args.limits)?;
    let bytes = converted(&problem, target)?;
    if !problem.conditions().is_empty() {
        out::note(&format!(
            "{}: note: where a subrange is left, every property of what is written is violated: proofs rest on subranges",
            problem.path
        ));
    }
    into_file(&args.output, |out| out.write_all(&bytes))
        .map_err(|error| Refused::fault(format!("error: {error}")))?;
    Ok(Done { code: exit::PROVED, text: String::new() })
}

/// The name says what is wanted.
fn target(path: &Path) -> Result<Target, Refused> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("aag") => Ok(Target::AigerAscii),
        Some("aig") => Ok(Target::AigerBinary),
        Some("btor2" | "btor") => Ok(Target::Btor2),
        Some("vmt") => Ok(Target::Vmt),
        _ => {
            let wanted = "a name that ends with .aag, .aig, .btor2 or .vmt is wanted";
            Err(Refused::usage(format!("error: {}: {wanted}", path.display())))
        }
    }
}
