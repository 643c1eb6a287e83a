//! Formulas of the command line and of files, beside what a model claims itself.

use std::path::PathBuf;

use buttress_driver::{ClaimId, Problem, Refused, read_text};
use buttress_format::{ctl, ltl};

use crate::out;

/// Formulas about executions.
pub fn state_linear(texts: &[String], files: &[PathBuf], problem: &mut Problem) -> Result<(), Refused> {
    for text in texts {
        let formulas = ltl::read(text).map_err(|d| Refused::usage(d.render("--ltl")))?;
        if formulas.is_empty() {
            return Err(Refused::usage("error: --ltl: there is no formula".to_string()));
        }
        problem.state(&formulas, "--ltl")?;
    }
    for file in files {
        let (name, text) = (file.display().to_string(), read_text(file)?);
        let formulas = ltl::read(&text).map_err(|d| d.render(&name))?;
        if formulas.is_empty() {
            out::note(&format!("warning: --ltl-file: {name} has no formula"));
        }
        problem.state(&formulas, &name)?;
    }
    Ok(())
}

/// Formulas about computation trees.
pub fn state_trees(files: &[PathBuf], problem: &mut Problem) -> Result<(), Refused> {
    for file in files {
        let (name, text) = (file.display().to_string(), read_text(file)?);
        let formulas = ctl::read(&text).map_err(|d| d.render(&name))?;
        if formulas.is_empty() {
            out::note(&format!("warning: --ctl: {name} has no formula"));
        }
        problem.state_trees(&formulas, &name)?;
    }
    Ok(())
}

/// What is asked for. Outputs of the old AIGER format are bad states where the file says nothing else. Beside
/// formulas they are names.
pub fn select(problem: &Problem, wanted: &[String]) -> Result<Vec<ClaimId>, Refused> {
    let claims = problem.select(wanted).map_err(|message| Refused::usage(format!("error: {message}")))?;
    let formulas = wanted.is_empty() && problem.claims().iter().any(|claim| claim.logic.is_some());
    let stays = |claim: &ClaimId| !formulas || !problem.claim(*claim).is_output();
    Ok(claims.into_iter().filter(stays).collect())
}
