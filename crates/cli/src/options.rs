//! Which options of `check` go with which models and engines. An option that does not apply is refused by name,
//! with the reason; none is ever ignored. What clap can see from the command line alone it refuses itself.

use buttress_driver::{ClaimId, Format, Kind, Problem, Refused};
use buttress_engine::{Engine, Run, RunWords};
use buttress_indexed::Elimination;

use crate::args::{CheckArgs, Compare};

/// What an option is judged by.
struct Facts<'a> {
    problem: &'a Problem,
    kind: Kind,
    engines: Vec<&'static Engine>,
    args: &'a CheckArgs,
    /// Whether all that is asked for are justice properties.
    live: bool,
    /// Whether all that is asked for are formulas of temporal logic.
    formulas: bool,
    /// Whether some of it are formulas about computation trees.
    trees: bool,
    /// Whether nothing else is asked for.
    only_trees: bool,
}

impl Facts<'_> {
    fn runs(&self, name: &str) -> bool {
        self.engines.iter().any(|e| e.name == name)
    }

    fn any(&self, is: impl Fn(&Engine) -> bool) -> bool {
        self.engines.iter().any(|e| is(e))
    }
}

/// An option: its name, whether it was given, and why it does not apply.
type Row = (&'static str, fn(&CheckArgs) -> bool, fn(&Facts<'_>) -> Option<&'static str>);

const NOT_FOR_JUSTICE: &str =
    "it is not there for justice properties and temporal formulas, and nothing else is asked for";
const NOT_FOR_TREES: &str =
    "it is not there for formulas about computation trees, and nothing else is asked for";
const FOR_MAPS: &str = "it is for models with maps";
const NOT_FOR_MAPS: &str = "it is not there for models with maps";
const NO_FSIS: &str = "it is for FSIS, and no FSIS runs: --engine fsis asks for it";
const NO_SMT: &str = "no SMT solver is asked about a model that fits into bits";
const NEEDS_BITS: &str = "it is there for models that fit into bits only";

fn unless(applies: bool, why: &'static str) -> Option<&'static str> {
    (!applies).then_some(why)
}

const ROWS: &[Row] = &[
    (
        "--property-timeout",
        |a| a.property_timeout.is_some(),
        |f| {
            let alone = f.any(|e| match f.kind {
                Kind::Bits => matches!(e.bits, Some(Run::Inductive(_))) || e.live.is_some(),
                Kind::Theories => matches!(e.words, Some(RunWords::Predicates { .. })),
                Kind::Maps => false,
            });
            unless(alone, "no engine runs that looks at one property at a time")
        },
    ),
    (
        "--core",
        |a| a.core,
        |f| {
            let trees = "a formula about computation trees has no core, and --property does not leave it out";
            unless(f.kind != Kind::Maps, NOT_FOR_MAPS).or_else(|| unless(!f.trees, trees))
        },
    ),
    (
        "--eliminate",
        |a| a.eliminate.is_some(),
        |f| match f.kind {
            Kind::Maps => unless(f.runs("indexed"), "the engine indexed does not run"),
            _ => Some(FOR_MAPS),
        },
    ),
    ("--predicates", |a| a.predicates.is_some(), |f| unless(f.kind == Kind::Maps, FOR_MAPS)),
    (
        "--directed",
        |a| a.directed,
        |f| match f.kind {
            Kind::Maps => unless(f.args.engine.is_empty(), "--engine says already what runs"),
            _ => Some(FOR_MAPS),
        },
    ),
    (
        "--bound",
        |a| a.bound.is_some(),
        |f| {
            let bounded = f.any(|e| {
                !["fsis", "monolithic", "dual", "inv", "indexed", "directed", "backward"].contains(&e.name)
            });
            unless(bounded, "no engine that runs has a bound")
        },
    ),
    (
        "--bmc-stride",
        |a| a.bmc_stride.is_some(),
        |f| match f.kind {
            Kind::Bits => unless(f.runs("bmc"), "BMC does not run"),
            _ => Some(NEEDS_BITS),
        },
    ),
    (
        "--ic3-generalize",
        |a| a.ic3_generalize.is_some(),
        |f| unless(["ic3", "klive", "fair", "iictl"].iter().any(|name| f.runs(name)), "IC3 does not run"),
    ),
    (
        "--ic3-theory",
        |a| a.ic3_theory.is_some(),
        |f| match f.kind {
            Kind::Theories => unless(f.runs("ic3"), "IC3 does not run"),
            _ => Some("it is for models with integers, reals or large arrays"),
        },
    ),
    ("--fsis-down", |a| a.fsis_down.is_some(), fsis),
    ("--fsis-minimal", |a| a.fsis_minimal.is_some(), fsis),
    ("--fsis-generate", |a| a.fsis_generate.is_some(), fsis),
    ("--fsis-share", |a| a.fsis_share.is_some(), fsis_on_bits),
    ("--jobs", |a| a.jobs.is_some(), fsis_on_bits),
    (
        "--lemmas",
        |a| a.lemmas.is_some(),
        |f| unless(f.kind != Kind::Maps, "models with maps take predicates, not lemmas"),
    ),
    (
        "--save-lemmas",
        |a| a.save_lemmas.is_some(),
        |f| unless(f.kind != Kind::Maps, "models with maps take predicates, not lemmas"),
    ),
    (
        "--explain",
        |a| a.explain,
        |f| match f.kind {
            _ if f.only_trees => Some(NOT_FOR_TREES),
            _ if f.live => None,
            Kind::Bits => unless(
                f.any(|e| matches!(e.bits, Some(Run::Inductive(_)))),
                "it follows IC3 or FSIS, and --engine names neither",
            ),
            _ => Some(NEEDS_BITS),
        },
    ),
    ("--show-cti", |a| a.show_cti, |f| unless(f.runs("kind"), "k-induction does not run")),
    (
        "--discover",
        |a| !a.discover.is_empty(),
        |f| match f.kind {
            _ if !f.runs("inv") => {
                Some("it is for the engine inv, which does not run: --engine inv asks for it")
            }
            Kind::Bits => {
                unless(f.args.discover.contains(&Compare::Bool), "bits are Booleans and nothing else")
            }
            _ => None,
        },
    ),
    (
        "--bdd-order",
        |a| a.bdd_order.is_some(),
        |f| unless(on_diagrams(f), "no engine on decision diagrams runs"),
    ),
    (
        "--bdd-nodes",
        |a| a.bdd_nodes.is_some(),
        |f| {
            let eliminates = f.runs("indexed") && f.args.eliminate == Some(Elimination::Diagrams);
            unless(on_diagrams(f) || eliminates, "no engine on decision diagrams runs")
        },
    ),
    (
        "--xml",
        |a| a.xml.is_some(),
        |f| {
            unless(f.problem.format == Format::Lustre, "it is for Lustre models, which JKind and Kind 2 read")
        },
    ),
    (
        "--witness",
        |a| a.witness.is_some(),
        |f| {
            let of_maps =
                "traces of models with maps have no file format: --json, --vcd and --fst write them";
            let of_formulas =
                "violations of temporal formulas have no file format: --json, --vcd and --fst write them";
            unless(f.kind != Kind::Maps, of_maps).or_else(|| unless(!f.formulas, of_formulas))
        },
    ),
    (
        "--certificate",
        |a| a.certificate.is_some(),
        |f| {
            let why =
                "certificates are circuits about AIGER models: `buttress convert` makes one of this model";
            unless(f.kind != Kind::Bits || f.problem.words().is_none(), why)
        },
    ),
    (
        "--all-signals",
        |a| a.all_signals,
        |f| {
            let nameless =
                matches!(f.problem.format, Format::Btor2 | Format::AigerAscii | Format::AigerBinary);
            unless(nameless, "in this format all signals have a name")
        },
    ),
    ("--smooth", |a| a.smooth, polishes),
    (
        "--dont-care",
        |a| a.dont_care,
        |f| {
            let executed = "traces of Lustre models are executed in the source, with all values";
            polishes(f).or_else(|| unless(f.problem.source().is_none(), executed))
        },
    ),
    (
        "--radix",
        |a| a.radix.is_some(),
        |f| unless(f.problem.has_words(), "the model has no words: its values are numbers or Booleans"),
    ),
    ("--smt-log", |a| a.smt_log.is_some(), |f| unless(asks_solvers(f), NO_SMT)),
    ("--smt-patience", |a| a.smt_patience.is_some(), |f| unless(asks_solvers(f), NO_SMT)),
];

fn fsis(facts: &Facts<'_>) -> Option<&'static str> {
    unless(facts.runs("fsis") || facts.runs("dual"), NO_FSIS)
}

fn fsis_on_bits(facts: &Facts<'_>) -> Option<&'static str> {
    match facts.kind {
        Kind::Bits => unless(facts.runs("fsis"), NO_FSIS),
        _ if facts.runs("fsis") => Some("several threads of FSIS help each other on bits only"),
        _ => Some(NO_FSIS),
    }
}

fn polishes(facts: &Facts<'_>) -> Option<&'static str> {
    unless(facts.kind != Kind::Maps, NOT_FOR_MAPS).or_else(|| unless(!facts.only_trees, NOT_FOR_TREES))
}

fn on_diagrams(facts: &Facts<'_>) -> bool {
    ["reach", "dual", "ctl", "hull"].iter().any(|name| facts.runs(name))
}

fn asks_solvers(facts: &Facts<'_>) -> bool {
    facts.kind != Kind::Bits
        || facts.args.core
        || facts.any(|e| matches!(e.words, Some(RunWords::Predicates { .. })) && e.bits.is_none())
}

/// Options that are about proofs and searches of safety.
const NEED_STATES: [&str; 4] = ["--lemmas", "--save-lemmas", "--show-cti", "--discover"];

/// Refuses the first option that does not apply to what is asked for.
pub fn fit(
    args: &CheckArgs,
    problem: &Problem,
    asked: &[ClaimId],
    engines: Vec<&'static Engine>,
) -> Result<(), Refused> {
    let live = !asked.is_empty() && asked.iter().all(|&claim| problem.claim(claim).is_temporal());
    let formulas = !asked.is_empty() && asked.iter().all(|&claim| problem.claim(claim).logic.is_some());
    let is_tree = |claim: &buttress_driver::Claim| claim.tree().is_some() && claim.justice().is_none();
    let trees = asked.iter().any(|&claim| is_tree(problem.claim(claim)));
    let only_trees = trees && asked.iter().all(|&claim| is_tree(problem.claim(claim)));
    let facts = Facts { trees, only_trees, problem, kind: Kind::of(problem), engines, args, live, formulas };
    for (flag, given, misfit) in ROWS {
        let misfit = |facts: &Facts<'_>| match facts.live && NEED_STATES.contains(flag) {
            true => Some(NOT_FOR_JUSTICE),
            false => misfit(facts),
        };
        if given(args)
            && let Some(why) = misfit(&facts)
        {
            return Err(Refused::usage(format!("{}: error: {flag} does not apply: {why}", problem.path)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::ROWS;
    use crate::args::Args;

    /// Options of `check` that go with every model and engine.
    const EVERYWHERE: [&str; 29] = [
        // What formulas may be about is refused where they are stated.
        "--ltl",
        "--ltl-file",
        "--ctl",
        "--deterministic",
        "--board",
        "--cores",
        "--plan",
        "--engine",
        "--property",
        "--cover",
        "--timeout",
        "--memory",
        "--seed",
        "--json",
        "--json-lines",
        "--junit",
        "--sarif",
        "--github",
        "--hwmcc",
        "--vcd",
        "--fst",
        "--report",
        "--strict",
        "--state",
        "--statistics",
        "--verbose",
        "--names",
        "--stop-at-first",
        "--help",
    ];

    #[test]
    fn every_option_of_check_is_in_the_table_or_goes_with_everything() {
        let command = Args::command();
        let check = command.find_subcommand("check").expect("a command");
        let flags: BTreeSet<String> =
            check.get_arguments().filter_map(|a| Some(format!("--{}", a.get_long()?))).collect();
        let rows: BTreeSet<&str> = ROWS.iter().map(|row| row.0).collect();
        for flag in &flags {
            let known = rows.contains(&flag[..]) || EVERYWHERE.contains(&&flag[..]);
            assert!(known, "{flag} is in no table");
        }
        assert!(rows.iter().all(|row| flags.contains(*row)), "rows without an option");
    }
}
