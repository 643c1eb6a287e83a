//! `buttress sby`: how SymbiYosys is told to use Buttress. Its engines have fixed names, but where each program is
//! comes from the command line or the environment, so that Buttress can stand in for several (`stand_in`).

use std::fmt::Write;
use std::process::ExitCode;

use crate::args::{SbyArgs, SbyMode};
use crate::{exit, out};

/// An engine of SymbiYosys: its line in `[engines]`, the variable that says where its program is, whom we stand in
/// for.
struct Line {
    line: &'static str,
    variable: &'static str,
    name: &'static str,
}

const SUPROVE: Line = Line { line: "aiger suprove", variable: "SUPROVE", name: "suprove" };
const RIC3: Line = Line { line: "aiger rIC3", variable: "RIC3", name: "rIC3" };
const BTORMC: Line = Line { line: "btor btormc", variable: "BTORMC", name: "btormc" };
const AIGBMC: Line = Line { line: "aiger aigbmc", variable: "AIGBMC", name: "aigbmc" };

/// The engines of each mode, the best first.
const ENGINES: &[(SbyMode, &str, &[Line])] = &[
    (SbyMode::Prove, "prove", &[SUPROVE, RIC3]),
    (SbyMode::Live, "live", &[SUPROVE]),
    (SbyMode::Bmc, "bmc", &[BTORMC, AIGBMC]),
    (SbyMode::Cover, "cover", &[BTORMC]),
];

pub fn sby(args: &SbyArgs) -> ExitCode {
    let program =
        std::env::current_exe().map_or_else(|_| "buttress".into(), |path| path.display().to_string());
    out::print(&text(args.mode, &program));
    exit::PROVED.into()
}

/// Without `vcd_sim`, sby would ask an SMT solver or `btorsim` for the waveforms of our traces.
/// The text has two parts: what belongs into the `.sby` file, and what into the shell that calls `sby`.
fn text(mode: Option<SbyMode>, program: &str) -> String {
    let chosen = || ENGINES.iter().filter(move |(of, ..)| mode.is_none_or(|mode| mode == *of));
    let mut text = String::from("# In the .sby file:\n");
    for (_, name, lines) in chosen() {
        let _ = writeln!(text, "\n[options]\nmode {name}\nvcd_sim on\n\n[engines]");
        for (nth, Line { line, .. }) in lines.iter().enumerate() {
            let _ = writeln!(text, "{}{line}", if nth == 0 { "" } else { "# or: " });
        }
    }
    text.push_str("\n# In the shell that calls sby:\n\n");
    let mut variables: Vec<(&str, &str)> =
        chosen().flat_map(|row| row.2.iter().map(|l| (l.variable, l.name))).collect();
    variables.sort_unstable();
    variables.dedup();
    for (variable, name) in variables {
        let _ = writeln!(text, "export {variable}=\"{program} as {name}\"");
    }
    text
}
