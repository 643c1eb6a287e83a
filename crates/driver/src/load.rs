//! Reading a model. The content decides the format; the file's name says only whose errors to report where the
//! content is of no format, such as that of an empty file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use buttress_format::aiger::{self, Aiger};
use buttress_format::moxi::{self, Moxi};
use buttress_format::vmt::{self, Vmt};
use buttress_format::{Btor2, Diagnostic, Severity, btor2, cubicle, yosys};
use buttress_lustre::{Unasked, annotate, replay};
use buttress_system::SymbolKind;
use buttress_system::indexed::Indexed;
use buttress_system::words::Span;

use crate::problem::{Asks, Claim, Format, Liveness, Original, Problem, bit_claim, bit_justice, word_claims};
use crate::{Refused, Why};

/// Where a model comes from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// `-` is standard input.
    pub path: &'a Path,
    /// Names for inputs and latches of an AIGER file: a map written by Yosys.
    pub names: Option<&'a Path>,
    /// Megabytes that the model may need.
    pub memory: Option<u64>,
}

impl<'a> Input<'a> {
    pub fn of(path: &'a Path) -> Input<'a> {
        Input { path, names: None, memory: None }
    }
}

/// Reads a model and checks it; an error is rendered, with file and position.
pub fn load(input: Input<'_>) -> Result<Problem, Refused> {
    let name = input.path.display().to_string();
    let render = |d: Diagnostic| d.render(&name);
    let mut file = BufReader::with_capacity(1 << 16, open(input.path)?);
    let start = file.fill_buf().map_err(|e| format!("{name}: error: cannot read the file: {e}"))?;
    let circuit = start.starts_with(b"aag") || start.starts_with(b"aig");
    if circuit {
        fits_in_memory(&name, start, input.memory)?;
    }
    if circuit && input.path != Path::new("-") {
        // By its path, so that its length is known.
        return Ok(of_aiger(input, aiger::read_file(input.path).map_err(render)?)?);
    }
    // Nothing but comments in sight: the comments are BTOR2's.
    let is_btor2 = btor2::begins(start).unwrap_or(start.starts_with(b";"));
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|e| format!("{name}: error: cannot read the file: {e}"))?;
    let problem = match String::from_utf8(bytes) {
        Ok(text) if !circuit => of_text(input.path, text, is_btor2)?,
        Ok(text) => return Ok(of_aiger(input, aiger::read(text.as_bytes()).map_err(render)?)?),
        Err(bytes) => return Ok(of_aiger(input, aiger::read(bytes.as_bytes()).map_err(render)?)?),
    };
    match (input.names, problem.format) {
        (Some(_), format) if !matches!(format, Format::AigerAscii | Format::AigerBinary) => {
            let format = format.name();
            let message = format!("{name}: error: a {format} file has its own names, --names is for AIGER");
            Err(Refused { why: Why::Usage, message })
        }
        _ => Ok(problem),
    }
}

/// Reads a model from a text; the path is for messages, and says whose errors to report where the text is of no
/// format.
pub fn parse(path: &Path, text: &str) -> Result<Problem, Refused> {
    let is_btor2 = btor2::begins(text.as_bytes()).unwrap_or(text.starts_with(';'));
    if text.starts_with("aag") {
        let name = path.display().to_string();
        let aiger = aiger::read(text.as_bytes()).map_err(|d| d.render(&name))?;
        return Ok(of_aiger(Input::of(path), aiger)?);
    }
    Ok(of_text(path, text.to_string(), is_btor2)?)
}

/// Bytes that each variable of a circuit needs at least, once engines work on it.
const BYTES_A_VARIABLE: u64 = 16;

/// A header of a few bytes may claim what no memory holds.
fn fits_in_memory(name: &str, start: &[u8], megabytes: Option<u64>) -> Result<(), Refused> {
    let line = start.split(|&b| b == b'\n').next().unwrap_or_default();
    let claimed = std::str::from_utf8(line).ok().and_then(|l| l.split(' ').nth(1)?.parse::<u64>().ok());
    match (claimed, megabytes) {
        (Some(variables), Some(limit)) if variables.saturating_mul(BYTES_A_VARIABLE) >> 20 >= limit => {
            let message = format!("{name}: undecided: memory: the model has {variables} variables");
            Err(Refused { why: Why::Undecided, message })
        }
        _ => Ok(()),
    }
}

/// What is said of a hardware design.
const DESIGN: &str = "unknown format; Verilog and VHDL go through yosys, which writes BTOR2 (`write_btor`) or AIGER (`write_aiger`)";

/// A text, by what it looks like; or else what the reader of its name says about it.
fn of_text(path: &Path, text: String, is_btor2: bool) -> Result<Problem, String> {
    let name = path.display().to_string();
    let render = |d: Diagnostic| d.render(&name);
    let ending = path.extension().and_then(|extension| extension.to_str());
    let problem = match ending {
        _ if is_btor2 => of_btor2(btor2::read(text.as_bytes()).map_err(render)?),
        _ if cubicle::looks_like(&text) => of_cubicle(cubicle::read(&text).map_err(render)?),
        _ if buttress_lustre::looks_like(&text) => of_lustre(&name, &text)?,
        _ if moxi::looks_like(&text) => of_moxi(moxi::read(&text).map_err(render)?),
        _ if vmt::looks_like(&text) => of_vmt(vmt::read(&text).map_err(render)?, &text),
        Some("lus") => of_lustre(&name, &text)?,
        Some("vmt") => of_vmt(vmt::read(&text).map_err(render)?, &text),
        Some("cub") => of_cubicle(cubicle::read(&text).map_err(render)?),
        Some("btor" | "btor2") => of_btor2(btor2::read(text.as_bytes()).map_err(render)?),
        Some("aag" | "aig") => of_bits(aiger::read(text.as_bytes()).map_err(render)?),
        _ if text.trim().is_empty() => return Err(Diagnostic::new("the file is empty").render(&name)),
        Some("v" | "sv" | "vhd" | "vhdl") => return Err(Diagnostic::new(DESIGN).render(&name)),
        _ => of_bits(aiger::read(text.as_bytes()).map_err(render)?),
    };
    Ok(problem.at(&name, text))
}

/// Whether a file in a directory of models is one of them: by its name, or, where scripts have the same names, by
/// what it says.
pub fn is_named_as_model(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("aag" | "aig" | "btor" | "btor2" | "lus" | "vmt" | "moxi" | "cub") => true,
        Some("smt2") => read_text(path).is_ok_and(|text| moxi::looks_like(&text) || text.contains(":next")),
        _ => false,
    }
}

/// Whether a file is a model and not a list of models: by its name, or else by what it says.
pub fn is_model(path: &Path) -> io::Result<bool> {
    if is_named_as_model(path) {
        return Ok(true);
    }
    let bytes = std::fs::read(path)?;
    let circuit = [&b"aag "[..], b"aig "].iter().any(|start| bytes.starts_with(start));
    let Ok(text) = String::from_utf8(bytes) else { return Ok(circuit) };
    let looks = [cubicle::looks_like, buttress_lustre::looks_like, moxi::looks_like, vmt::looks_like];
    Ok(circuit || text.starts_with("1 sort ") || looks.iter().any(|looks| looks(&text)))
}

/// A circuit, with names where they are given.
fn of_aiger(input: Input<'_>, mut aiger: Aiger) -> Result<Problem, String> {
    let name = input.path.display().to_string();
    if let Some(names) = input.names {
        let named = |d: Diagnostic| d.render(&names.display().to_string());
        let read = yosys::read_names(open(names)?).map_err(named)?;
        yosys::apply(&read, &mut aiger.system).map_err(named)?;
    }
    // A model whose resets depend on themselves may have no start at all: refused, not guessed.
    if let Err(cycle) = aiger.system.reset_order() {
        let latch = aiger.system.symbols.name(SymbolKind::Latch, cycle.0.index());
        return Err(Diagnostic::new(format!("the reset of latch {latch} depends on itself")).render(&name));
    }
    Ok(of_bits(aiger).at(&name, String::new()))
}

fn of_bits(aiger: Aiger) -> Problem {
    let Aiger { system, numbering, ascii, .. } = aiger;
    let claims = system.property_ids().map(|p| bit_claim(&system, p));
    let claims = claims.chain(bit_justice(&system)).collect();
    let format = if ascii { Format::AigerAscii } else { Format::AigerBinary };
    Problem::new(format, Original::Bits(Arc::new(system)), claims).with_numbering(numbering)
}

fn of_btor2(model: Btor2) -> Problem {
    let Btor2 { system, justice, justice_names: names, fairness } = model;
    let system = Arc::new(system);
    let claims = word_claims(&system, None);
    let problem = Problem::new(Format::Btor2, Original::Words(system), claims);
    problem.with_liveness(Liveness { justice, names, fairness })
}

const LIVE_MAPS: &str = "liveness of models with maps is not decided yet";

fn of_vmt(model: Vmt, text: &str) -> Problem {
    let Vmt { system, live, indexed } = model;
    let (names, justice) = live.into_iter().map(|(name, term)| (Some(name.into()), vec![term])).unzip();
    let liveness = Liveness { justice, names, fairness: Vec::new() };
    let placed = |claim: Claim| Claim { span: claim.span.or(definition(text, &claim.name)), ..claim };
    let claims = word_claims(&system, None).into_iter().map(placed).collect();
    match indexed {
        None => Problem::new(Format::Vmt, Original::Words(system), claims).with_liveness(liveness),
        Some(maps) => Problem::new(Format::Vmt, Original::Maps(Arc::new(maps)), claims)
            .with_undecided_liveness(liveness, LIVE_MAPS),
    }
}

/// The line that begins with the definition of this name, for people.
fn definition(text: &str, name: &str) -> Option<Span> {
    let defines = |line: &str| {
        let rest = line.trim_start().strip_prefix("(define-fun ")?.trim_start();
        let rest = rest
            .strip_prefix('|')
            .map_or(rest.strip_prefix(name), |rest| rest.strip_prefix(name)?.strip_prefix('|'))?;
        rest.starts_with(char::is_whitespace).then_some(())
    };
    let (line, text) = (1..).zip(text.lines()).find(|(_, line)| defines(line).is_some())?;
    let column = 1 + text.chars().take_while(|c| c.is_whitespace()).count() as u32;
    Some(Span { line, column, end_line: line, end_column: 1 + text.chars().count() as u32 })
}

fn of_moxi(model: Moxi) -> Problem {
    let Moxi { system, justice, justice_names } = model;
    let names = justice_names.into_iter().map(|name| Some(name.into())).collect();
    let claims = word_claims(&system, None);
    let problem = Problem::new(Format::Moxi, Original::Words(system), claims);
    problem.with_liveness(Liveness { justice, names, fairness: Vec::new() })
}

fn of_cubicle(model: Indexed) -> Problem {
    let claims = word_claims(&model.system, None);
    Problem::new(Format::Cubicle, Original::Maps(Arc::new(model)), claims)
}

pub(crate) fn of_lustre(path: &str, text: &str) -> Result<Problem, String> {
    let rendered = |all: Vec<Diagnostic>| all.iter().map(|d| d.render(path)).collect::<Vec<_>>().join("\n");
    let mut model = buttress_lustre::read(text.to_string()).map_err(rendered)?;
    let mut remarks = std::mem::take(&mut model.remarks);
    if annotate::is_stale(text) {
        remarks.push(Diagnostic::new(
            "the model was edited after its invariants were written into it: their assertion is now an assumption that \
             nobody has proved",
        )
            .with_severity(Severity::Warning));
    }
    let lowered = buttress_lustre::lower(&model).map_err(rendered)?;
    let mut claims = word_claims(&lowered.system, Some(&lowered.origins));
    claims
        .extend(model.unasked().into_iter().enumerate().map(|(number, query)| unasked_claim(number, query)));
    let problem = Problem::new(Format::Lustre, Original::Words(lowered.system.clone()), claims);
    let source = replay::Replayer::new(model, lowered.system, lowered.origins);
    Ok(problem.with_source(source).with_remarks(remarks))
}

/// A question of a Lustre file that is no property of its system.
fn unasked_claim(number: usize, query: Unasked) -> Claim {
    let why = "the main node does not call its node";
    let title = format!("{} (line {})", query.name, query.span.line);
    let asks = Asks::Unsupported(why.to_string());
    let position = format!("q{number}");
    Claim { name: query.name, position, title, span: Some(query.span), origin: None, logic: None, asks }
}

/// A file, or standard input.
pub fn open(path: &Path) -> Result<Box<dyn Read>, String> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(format!("{}: error: {error}", path.display())),
    }
}

/// The text of a file, or of standard input.
pub fn read_text(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let read = open(path)?.read_to_string(&mut text);
    read.map_err(|error| format!("{}: error: {error}", path.display()))?;
    Ok(text)
}

/// A message about a file that cannot be read.
impl From<String> for Refused {
    fn from(message: String) -> Refused {
        Refused { why: Why::Input, message }
    }
}
