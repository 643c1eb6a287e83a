//! The common frame of all commands: a model is loaded under limits, a question is asked of it, the answer is
//! printed, and an exit code tells it. With `--json` an error is an object on standard output, too.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use buttress_driver::supervise::{Limits, supervise};
use buttress_driver::{Input, Problem, Refused, Why, load};
use buttress_format::Diagnostic;
use buttress_report::json;
use buttress_solve::smt::{Config, directories, find};
use buttress_solve::{Stop, Stopped};

use crate::args::{LimitArgs, ModelArgs};
use crate::{exit, out};

/// The final text of a command, and its exit code.
pub struct Done {
    pub code: u8,
    pub text: String,
}

impl LimitArgs {
    pub fn limits(&self) -> Limits {
        Limits::new(self.timeout, self.memory)
    }
}

/// Loads a model, and prints what was noticed while reading it.
pub fn load_model(args: &ModelArgs, limits: &LimitArgs) -> Result<Arc<Problem>, Refused> {
    let input = Input { path: &args.file, names: args.names.as_deref(), memory: limits.memory };
    let problem = load(input)?;
    print_remarks(&problem.path, &problem.remarks);
    Ok(Arc::new(problem))
}

/// So many remarks of one kind are shown.
const ALIKE: usize = 3;

/// Shows the first of each kind, and says how many there are.
fn print_remarks(path: &str, remarks: &[Diagnostic]) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for remark in remarks {
        let count = seen.entry(&remark.message).or_default();
        *count += 1;
        if *count <= ALIKE {
            out::note(&remark.render(path));
        }
    }
    for (message, count) in seen.into_iter().filter(|(_, count)| *count > ALIKE) {
        out::note(&format!("{path}: {} more like this, `buttress info` shows all: {message}", count - ALIKE));
    }
}

/// The SMT solvers of this machine, within limits.
pub fn solvers(limits: &LimitArgs, log: Option<&Path>, patience: Option<Duration>, seed: u64) -> Config {
    let mut smt = Config::new(find(&directories()));
    smt.patience = patience.unwrap_or(smt.patience);
    smt.memory = limits.memory;
    smt.log = log.map(Path::to_path_buf);
    smt.seed = seed;
    smt
}

pub fn exit_code(refused: &Refused) -> u8 {
    match refused.why {
        Why::Usage => exit::USAGE,
        Why::Input => exit::INPUT,
        Why::Undecided => exit::UNDECIDED,
        Why::Fault => exit::FAULT,
    }
}

/// Says why a command does not do what it was asked to.
pub fn refuse(refused: &Refused, as_json: bool) -> u8 {
    let code = exit_code(refused);
    out::note(&refused.message);
    if as_json {
        out::print(&json::object(json::Kind::Error, &json::error(&refused.message, code)));
    }
    code
}

/// The first Ctrl-C stops the run and reports; the second ends the process.
pub fn interrupt_on_ctrl_c(stop: &Stop) {
    let stop = stop.clone();
    let handler = move || {
        if stop.reason() == Some(Stopped::Interrupted) {
            std::process::exit(exit::UNDECIDED.into());
        }
        stop.request(&Stopped::Interrupted);
    };
    ctrlc::set_handler(handler).expect("the handler is set once");
}

/// Does work under limits, prints what it has to say, and ends the process: work that did not come to rest must
/// not keep it. What is said meanwhile is printed as it comes.
pub fn run(
    limits: LimitArgs,
    as_json: bool,
    work: impl FnOnce(&Stop, &dyn Fn(String)) -> Result<Done, Refused> + Send + 'static,
) -> ! {
    let stop = Stop::new();
    interrupt_on_ctrl_c(&stop);
    let mut hear = |text: String| -> Result<(), std::convert::Infallible> {
        out::print(&text);
        Ok(())
    };
    let done = supervise(
        &limits.limits(),
        &stop,
        move |stop, teller| work(stop, &|text| teller.tell(text)),
        &mut hear,
        &mut || Ok(()),
    );
    let code = match done {
        Ok(Some(Ok(done))) => {
            out::print(&done.text);
            done.code
        }
        Ok(Some(Err(refused))) => refuse(&refused, as_json),
        Ok(None) => {
            let refused = match stop.reason() {
                Some(why) => Refused::undecided(format!("undecided: {why}")),
                None => Refused::fault("error: the work ended without an answer"),
            };
            if !as_json && refused.why == Why::Undecided {
                out::line(&refused.message);
                exit::UNDECIDED
            } else {
                refuse(&refused, as_json)
            }
        }
    };
    std::process::exit(code.into())
}

/// Writes a file; `-` is standard output.
pub fn into_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), String> {
    let written = open_for_writing(path).and_then(|mut file| {
        write(&mut *file)?;
        file.flush()
    });
    written.map_err(|error| format!("{}: {error}", path.display()))
}

pub fn open_for_writing(path: &Path) -> std::io::Result<Box<dyn Write>> {
    Ok(match path == Path::new("-") {
        true => Box::new(std::io::stdout()),
        false => Box::new(std::io::BufWriter::new(std::fs::File::create(path)?)),
    })
}

/// The name given, with something before its ending.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{suffix}{extension}"))
}

/// A fault before a violation before a property that stayed open before all proved.
pub fn more_severe(a: u8, b: u8) -> u8 {
    let order = [exit::FAULT, exit::FALSIFIED, exit::UNDECIDED, exit::PROVED];
    order.into_iter().find(|c| [a, b].contains(c)).unwrap_or(exit::FAULT)
}
