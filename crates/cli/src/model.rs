//! Loading a model. The content decides the format; the file's name says only whose errors to report where the content
//! is of no format, such as that of an empty file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use buttress_format::aiger::{self, Aiger};
use buttress_format::moxi::{self, Moxi};
use buttress_format::vmt::{self, Vmt};
use buttress_format::{Btor2, Diagnostic, Position, btor2, cubicle, yosys};
use buttress_lustre::{Origin, replay};
use buttress_system::indexed::Indexed;
use buttress_system::words::{self, Fault, PropertyKind, Span};
use buttress_system::{BitSystem, Lit, PropertyId, SymbolKind};
use buttress_term::TermId;
use buttress_transform::blast::{Blasted, Limits, blast, names_only};
use buttress_transform::finite::Finite;

use crate::args::ModelArgs;
use crate::{exit, lustre};

/// A file, as its front end read it.
pub enum Source {
    Bits(Aiger),
    Words(Words),
}

/// A word-level model, whatever the front end.
pub struct Words {
    pub system: Arc<words::System>,
    /// What reports call the format.
    pub format: &'static str,
    /// Of each liveness property, what shall hold infinitely often.
    pub justice: Vec<Vec<TermId>>,
    pub fairness: Vec<TermId>,
    /// The source, where the front end can execute it, and where properties come from.
    pub source: Option<Box<(buttress_lustre::Model, Vec<Origin>)>>,
    /// What is said for all places, where the model has maps.
    pub indexed: Option<Arc<Indexed>>,
}

/// A model that engines can run on: bits, and the words that they stand for where the front end gave words.
pub struct Model {
    /// As the user wrote it.
    pub path: String,
    /// What engines run on.
    pub system: Arc<BitSystem>,
    /// What the user wrote and what evidence is checked on, if it is not the bits.
    pub words: Option<Arc<Blasted>>,
    /// What the words were made of, if they stand for integers, too.
    pub integers: Option<Arc<Finite>>,
    /// Whether bits cannot hold it: then `system` has the names of properties and nothing else.
    pub beyond_bits: bool,
    /// What is said for all places, where the model has maps; then it is beyond bits.
    pub indexed: Option<Arc<Indexed>>,
    /// What replays traces in the language of the user.
    pub source: Option<Arc<replay::Source>>,
    /// Whether it is written as a relation: VMT-LIB and MoXI.
    pub is_relation: bool,
    /// Liveness properties, which are only listed.
    pub liveness: usize,
    /// Properties that are to be reached.
    covers: Vec<PropertyId>,
    /// The literal of each variable of the file, where it is numbered otherwise.
    numbering: Option<Vec<Lit>>,
}

/// Why a command ends before it begins: an exit code and a message.
pub type Refused = (u8, String);

/// Reads a model, with names where they are given, and takes it to bits; what bits cannot hold stays in words, where
/// something can decide those.
pub fn load(args: &ModelArgs, words_will_do: bool) -> Result<Model, Refused> {
    let path = args.file.display().to_string();
    match read(args).map_err(|message| (exit::INPUT, message))? {
        Source::Bits(aiger) => Ok(Model::of_bits(path, aiger)),
        Source::Words(words) => Model::of_words(path, words, words_will_do),
    }
}

/// Reads a model, with names where they are given; an error is rendered, with file and position.
pub fn read(args: &ModelArgs) -> Result<Source, String> {
    let path = args.file.display().to_string();
    let mut source = read_file(&args.file)?;
    match &mut source {
        Source::Bits(aiger) => {
            if let Some(names) = &args.names {
                let named = |d: Diagnostic| d.render(&names.display().to_string());
                let read = yosys::read_names(open(names)?).map_err(named)?;
                yosys::apply(&read, &mut aiger.system).map_err(named)?;
            }
            refuse_reset_cycles(&path, &aiger.system)?;
        }
        Source::Words(words) if args.names.is_some() => {
            return Err(format!(
                "{path}: error: a {} file has its own names, --names is for AIGER",
                words.format
            ));
        }
        Source::Words(_) => {}
    }
    Ok(source)
}

/// Reads a file; its content decides the format.
pub fn read_file(path: &Path) -> Result<Source, String> {
    let name = path.display().to_string();
    let render = |d: Diagnostic| d.render(&name);
    let mut file = BufReader::with_capacity(1 << 16, open(path)?);
    let start = file.fill_buf().map_err(|e| format!("{name}: error: cannot read the file: {e}"))?;
    // Nothing but comments in sight: the comments are BTOR2's.
    if btor2::begins(start).unwrap_or(start.starts_with(b";")) {
        return btor2::read(file).map(|model| Source::Words(model.into())).map_err(render);
    }
    let circuit = start.starts_with(b"aag") || start.starts_with(b"aig");
    if circuit && path != Path::new("-") {
        // By its path, so that its length is known.
        return aiger::read_file(path).map(Source::Bits).map_err(render);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|e| format!("{name}: error: cannot read the file: {e}"))?;
    match std::str::from_utf8(&bytes) {
        Ok(text) if !circuit && cubicle::looks_like(text) => {
            cubicle::read(text).map(|model| Source::Words(model.into())).map_err(render)
        }
        Ok(text) if !circuit && buttress_lustre::looks_like(text) => {
            lustre::words(&name, text.to_string()).map(Source::Words)
        }
        Ok(text) if !circuit && moxi::looks_like(text) => {
            moxi::read(text).map(|model| Source::Words(model.into())).map_err(render)
        }
        Ok(text) if !circuit && vmt::looks_like(text) => {
            vmt::read(text).map(|model| Source::Words(model.into())).map_err(render)
        }
        Ok(text) if !circuit => of_no_format(path, text),
        _ => aiger::read(&bytes[..]).map(Source::Bits).map_err(render),
    }
}

/// A text that looks like nothing we know: what the reader of its name says about it.
fn of_no_format(path: &Path, text: &str) -> Result<Source, String> {
    let name = path.display().to_string();
    let render = |d: Diagnostic| d.render(&name);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("lus") => lustre::words(&name, text.to_string()).map(Source::Words),
        Some("vmt") => vmt::read(text).map(|model| Source::Words(model.into())).map_err(render),
        Some("cub") => cubicle::read(text).map(|model| Source::Words(model.into())).map_err(render),
        Some("btor" | "btor2") => {
            btor2::read(text.as_bytes()).map(|model| Source::Words(model.into())).map_err(render)
        }
        other if text.trim().is_empty() && !matches!(other, Some("aag" | "aig")) => {
            Err(Diagnostic::new("the file is empty").render(&name))
        }
        _ => aiger::read(text.as_bytes()).map(Source::Bits).map_err(render),
    }
}

impl From<Btor2> for Words {
    fn from(model: Btor2) -> Words {
        let Btor2 { system, justice, fairness } = model;
        Words { system: Arc::new(system), format: "BTOR2", justice, fairness, source: None, indexed: None }
    }
}

impl From<Vmt> for Words {
    fn from(model: Vmt) -> Words {
        let Vmt { system, live, indexed } = model;
        let justice = live.into_iter().map(|term| vec![term]).collect();
        let indexed = indexed.map(Arc::new);
        Words { system, format: "VMT-LIB", justice, fairness: Vec::new(), source: None, indexed }
    }
}

impl From<Moxi> for Words {
    fn from(model: Moxi) -> Words {
        let Moxi { system, justice } = model;
        Words { system, format: "MoXI", justice, fairness: Vec::new(), source: None, indexed: None }
    }
}

/// A Cubicle file.
impl From<Indexed> for Words {
    fn from(model: Indexed) -> Words {
        let (system, indexed) = (Arc::new(model.system.clone()), Some(Arc::new(model)));
        Words { system, format: "Cubicle", justice: Vec::new(), fairness: Vec::new(), source: None, indexed }
    }
}

/// A model whose resets depend on themselves may have no start at all: refused, not guessed.
fn refuse_reset_cycles(path: &str, system: &BitSystem) -> Result<(), String> {
    let Err(cycle) = system.reset_order() else { return Ok(()) };
    let name = system.symbols.name(SymbolKind::Latch, cycle.0.index());
    Err(Diagnostic::new(format!("the reset of latch {name} depends on itself")).render(path))
}

/// A word-level model that engines on bits cannot take, and what would help.
pub fn beyond_bits(path: &str, fault: Fault) -> Refused {
    let help = "bits cannot hold this: `check` decides it with an SMT solver, `scripts/get-solvers` brings some, and \
                `solvers` lists what is found";
    let error = Diagnostic::new(fault.message).with_help(help);
    let error = match fault.span {
        Some(span) => error.at(Position { line: span.line, column: span.column, offset: 0 }),
        None => error,
    };
    (exit::UNDECIDED, error.render(path))
}

pub fn open(path: &Path) -> Result<Box<dyn Read>, String> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(format!("{}: error: {error}", path.display())),
    }
}

fn position(system: &BitSystem, property: PropertyId) -> String {
    let (kind, index) = system.property(property).symbol;
    format!("{}{index}", kind.letter())
}

/// The position of a property, and its symbol where it has one.
pub fn property_title(system: &BitSystem, property: PropertyId) -> String {
    let (kind, index) = system.property(property).symbol;
    let position = position(system, property);
    match system.symbols.get(kind, index).filter(|name| **name != position) {
        Some(name) => format!("{position} {name}"),
        None => position,
    }
}

impl Model {
    pub fn of_bits(path: String, aiger: Aiger) -> Model {
        let Aiger { system, numbering, .. } = aiger;
        let liveness = system.justice.len();
        Model {
            path,
            system: Arc::new(system),
            words: None,
            integers: None,
            beyond_bits: false,
            indexed: None,
            source: None,
            is_relation: false,
            liveness,
            covers: Vec::new(),
            numbering,
        }
    }

    /// The same for words; what bits cannot hold stays in words, where something can decide those.
    pub fn of_words(path: String, words: Words, words_will_do: bool) -> Result<Model, Refused> {
        // Finite: to bits. Else: for engines on words.
        let (indexed, is_relation) = (words.indexed, words.source.is_none() && words.format != "BTOR2");
        let bits = match &indexed {
            Some(_) => Err(Fault { message: "maps are not bits".to_string(), span: None }),
            None => buttress_transform::finite::finite(&words.system)
                .and_then(|finite| Ok((blast(&finite.system, Limits::default())?, finite))),
        };
        let (blasted, integers) = match bits {
            Ok((blasted, finite)) => (blasted, Some(Arc::new(finite))),
            Err(_) if words_will_do => (names_only(&words.system), None),
            Err(fault) => return Err(self::beyond_bits(&path, fault)),
        };
        let cover = |&p: &PropertyId| words.system.property(p).kind == PropertyKind::Cover;
        let covers = words.system.property_ids().filter(cover).collect();
        let (system, liveness) = (blasted.system.clone(), words.justice.len());
        let source = words.source.map(|source| {
            let (model, origins) = *source;
            Arc::new(replay::Source::new(model, words.system.clone(), origins))
        });
        let (words, beyond_bits) = (Some(Arc::new(blasted)), integers.is_none());
        let numbering = None;
        Ok(Model {
            path,
            system,
            words,
            integers,
            beyond_bits,
            indexed,
            source,
            is_relation,
            liveness,
            covers,
            numbering,
        })
    }

    /// The system that proofs about words speak of.
    pub fn proved(&self) -> Option<&words::System> {
        match &self.integers {
            Some(finite) => Some(finite.original()),
            None => self.words.as_ref().map(|words| &**words.words()),
        }
    }

    /// A literal of the file.
    pub fn literal(&self, code: u32) -> Option<Lit> {
        let variable = (code >> 1) as usize;
        let known = match &self.numbering {
            Some(numbering) => *numbering.get(variable)?,
            None if self.words.is_some() => return None,
            None => Some(Lit::from_code(code & !1)).filter(|_| variable < self.system.num_vars())?,
        };
        Some(known ^ (code & 1 == 1))
    }

    /// What every proof rests on: an execution ends where a subrange is left, so that it says nothing about later steps.
    pub fn conditions(&self) -> impl Iterator<Item = PropertyId> + '_ {
        let source = self.source.iter();
        source.flat_map(|source| {
            self.system.property_ids().filter(|&property| source.origin(property) == Origin::Subrange)
        })
    }

    /// The properties with these names and those that all others rest on, in the order of the file; all where none is
    /// named.
    pub fn properties(&self, wanted: &[String]) -> Result<Vec<PropertyId>, String> {
        if wanted.is_empty() {
            return Ok(self.system.property_ids().collect());
        }
        let mut found = wanted.iter().map(|name| self.named(name)).collect::<Result<Vec<_>, _>>()?;
        found.extend(self.conditions());
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn named(&self, wanted: &str) -> Result<PropertyId, String> {
        self.property(wanted).ok_or_else(|| {
            let known: Vec<String> = self.system.property_ids().map(|p| self.title(p)).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            format!("error: there is no property '{wanted}'; there are: {known}")
        })
    }

    /// The property with this name or position.
    fn property(&self, wanted: &str) -> Option<PropertyId> {
        let system = &self.system;
        let named = system.property_ids().find(|&p| system.property_name(p) == wanted);
        let placed = || system.property_ids().find(|&p| self.position(p) == wanted);
        let numbered = || {
            let index: usize = wanted.parse().ok()?;
            system.property_ids().nth(index)
        };
        named.or_else(placed).or_else(numbered)
    }

    /// Where the property stands in the file: `b0`, or `o0` in the old format.
    pub fn position(&self, property: PropertyId) -> String {
        position(&self.system, property)
    }

    /// How reports call a property: its position, and its symbol where it has one. In a source that people write, its
    /// name and line.
    pub fn title(&self, property: PropertyId) -> String {
        match (&self.source, self.place(property)) {
            (Some(_), Some(span)) => format!("{} (line {})", self.system.property_name(property), span.line),
            _ => property_title(&self.system, property),
        }
    }

    /// Where the user stated a property.
    pub fn place(&self, property: PropertyId) -> Option<Span> {
        self.words.as_ref()?.words().property(property).label.span
    }

    /// Treats these properties as goals: reaching one is what is wanted. `all` names all of them.
    pub fn cover(&mut self, wanted: &[String]) -> Result<(), String> {
        if wanted.is_empty() {
            return Ok(());
        }
        let all = wanted.iter().any(|name| name == "all");
        self.covers.extend(self.properties(if all { &[] } else { wanted })?);
        Ok(())
    }

    /// Whether the property is to be reached, not to be avoided.
    pub fn is_cover(&self, property: PropertyId) -> bool {
        self.covers.contains(&property)
    }
}
