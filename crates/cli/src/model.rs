//! Loading a model. The content decides the format, never the file's name.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use buttress_format::aiger::{self, Aiger};
use buttress_format::{Diagnostic, yosys};
use buttress_system::{BitSystem, Lit, PropertyId, SymbolKind};

use crate::args::ModelArgs;

/// A model as the front end produced it.
pub struct Model {
    /// As the user wrote it.
    pub path: String,
    pub system: Arc<BitSystem>,
    pub ascii: bool,
    /// The literal of each variable of the file, where it is numbered otherwise.
    numbering: Option<Vec<Lit>>,
}

/// Reads a model, with names where they are given; an error is rendered, with file and position.
pub fn load(args: &ModelArgs) -> Result<Model, String> {
    let mut aiger = load_aiger(&args.file)?;
    if let Some(names) = &args.names {
        let named = |d: Diagnostic| d.render(&names.display().to_string());
        let read = yosys::read_names(open(names)?).map_err(named)?;
        yosys::apply(&read, &mut aiger.system).map_err(named)?;
    }
    let path = args.file.display().to_string();
    refuse_reset_cycles(&path, &aiger.system)?;
    let Aiger { system, numbering, ascii, .. } = aiger;
    Ok(Model { path, system: Arc::new(system), ascii, numbering })
}

/// A model whose resets depend on themselves may have no start at all: refused, not guessed.
fn refuse_reset_cycles(path: &str, system: &BitSystem) -> Result<(), String> {
    let Err(cycle) = system.reset_order() else { return Ok(()) };
    let name = system.symbols.name(SymbolKind::Latch, cycle.0.index());
    Err(Diagnostic::new(format!("the reset of latch {name} depends on itself")).render(path))
}

/// Reads a circuit as it is: a certificate's resets are judged by its check.
pub fn load_aiger(path: &Path) -> Result<Aiger, String> {
    let read = if path == Path::new("-") { aiger::read(io::stdin().lock()) } else { aiger::read_file(path) };
    read.map_err(|diagnostic| diagnostic.render(&path.display().to_string()))
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

impl Model {
    /// A literal of the file.
    pub fn literal(&self, code: u32) -> Option<Lit> {
        let variable = (code >> 1) as usize;
        let known = match &self.numbering {
            Some(numbering) => *numbering.get(variable)?,
            None => Some(Lit::from_code(code & !1)).filter(|_| variable < self.system.num_vars())?,
        };
        Some(known ^ (code & 1 == 1))
    }

    /// The properties with these names, in the order of the file; all where none is named.
    pub fn properties(&self, wanted: &[String]) -> Result<Vec<PropertyId>, String> {
        if wanted.is_empty() {
            return Ok(self.system.property_ids().collect());
        }
        let mut found = wanted.iter().map(|name| self.named(name)).collect::<Result<Vec<_>, _>>()?;
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
        let (kind, index) = self.system.property(property).symbol;
        format!("{}{index}", kind.letter())
    }

    /// How reports call a property: its position, and its symbol where it has one.
    pub fn title(&self, property: PropertyId) -> String {
        let (kind, index) = self.system.property(property).symbol;
        match self.system.symbols.get(kind, index) {
            Some(name) => format!("{} {name}", self.position(property)),
            None => self.position(property),
        }
    }
}
