//! How the parts of a model are called, and what was said about one version of it, said about another.
//!
//! Facts speak of numbers: properties, latches, inputs. Where a model was edited, each goes by its name: of
//! several with one name, the first is the first. What has no counterpart is left out: a literal drops its
//! clause, a value of a trace becomes one that does not matter. Whether the rest holds is for the judge.

use std::collections::BTreeMap;

use buttress_format::terms::without_places;
use buttress_system::SymbolKind;
use serde::{Deserialize, Serialize};

use crate::codec::{Packed, PackedEvidence, PackedProof, PackedTrace, VERSION};
use crate::problem::{Original, Problem};

/// The first record of a log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogHead {
    version: u8,
    /// Where the model was, as an absolute path where there is one.
    path: String,
    properties: Vec<String>,
    /// The variables of a trace at the start, and in every row.
    initial: Vec<String>,
    row: Vec<String>,
    /// The latches of its bits, which clauses are over, and how many inputs come before them.
    latches: Vec<String>,
    inputs: u32,
}

impl LogHead {
    pub fn of(problem: &Problem) -> LogHead {
        let absolute = std::fs::canonicalize(&problem.path);
        let path = absolute.map_or_else(|_| problem.path.clone(), |path| path.display().to_string());
        let (properties, initial, row) = match problem.original() {
            Original::Bits(system) => (
                system.property_ids().map(|p| system.property_name(p)).collect(),
                symbols(system, SymbolKind::Latch, system.num_latches()),
                symbols(system, SymbolKind::Input, system.num_inputs()),
            ),
            Original::Words(system) => of_words(system),
            Original::Maps(model) => of_words(&model.system),
        };
        let bits = problem.bits();
        let latches = bits.map_or_else(Vec::new, |bits| symbols(bits, SymbolKind::Latch, bits.num_latches()));
        let inputs = bits.map_or(0, |bits| bits.num_inputs() as u32);
        LogHead { version: VERSION, path, properties, initial, row, latches, inputs }
    }

    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain data has a form")
    }

    pub fn read(bytes: &[u8]) -> Option<LogHead> {
        let names: LogHead = postcard::from_bytes(bytes).ok()?;
        (names.version == VERSION).then_some(names)
    }

    pub fn property(&self, property: u32) -> &str {
        self.properties.get(property as usize).map_or("a property", |name| name)
    }

    /// Standard input is no file.
    pub fn is_of_the_same_file(&self, other: &LogHead) -> bool {
        self.path == other.path && self.path != "-"
    }

    /// From what these names belong to, to what others do.
    pub fn renaming(&self, other: &LogHead) -> Renaming {
        Renaming {
            properties: matching(&self.properties, &other.properties),
            initial: matching(&self.initial, &other.initial),
            initials: other.initial.len(),
            row: matching(&self.row, &other.row),
            rows: other.row.len(),
            latches: matching(&self.latches, &other.latches),
            inputs: (self.inputs, other.inputs),
        }
    }
}

fn symbols(system: &buttress_system::BitSystem, kind: SymbolKind, count: usize) -> Vec<String> {
    (0..count).map(|index| without_places(&system.symbols.name(kind, index))).collect()
}

type OfWords = (Vec<String>, Vec<String>, Vec<String>);

fn of_words(system: &buttress_system::words::System) -> OfWords {
    let state = |s| without_places(&system.state(s).label.name);
    let inputs = system.inputs.iter().map(|i| without_places(&i.label.name));
    (
        system.properties.iter().map(|p| without_places(&p.label.name)).collect(),
        system.state_ids().map(state).collect(),
        inputs.chain(system.free_states().map(state)).collect(),
    )
}

/// Where each of these is among the others: by name, and of several with one name by order.
fn matching(these: &[String], others: &[String]) -> Vec<Option<u32>> {
    let mut places: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (place, name) in others.iter().enumerate().rev() {
        places.entry(name).or_default().push(place as u32);
    }
    these.iter().map(|name| places.get_mut(&name[..])?.pop()).collect()
}

/// From one version of a model to another.
pub struct Renaming {
    properties: Vec<Option<u32>>,
    initial: Vec<Option<u32>>,
    initials: usize,
    row: Vec<Option<u32>>,
    rows: usize,
    latches: Vec<Option<u32>>,
    inputs: (u32, u32),
}

fn at(places: &[Option<u32>], index: u32) -> Option<u32> {
    *places.get(index as usize)?
}

impl Renaming {
    /// The message translated to the other version of the model; `None` where nothing is left of it.
    pub fn message(&self, body: Packed) -> Option<Packed> {
        Some(match body {
            Packed::Proved(proof) => Packed::Proved(self.proof(proof)?),
            Packed::Evidence { engine, evidence } => {
                let evidence = match evidence {
                    PackedEvidence::Proof(proof) => {
                        let proof = self.proof(proof)?;
                        (!proof.properties().is_empty()).then_some(PackedEvidence::Proof(proof))?
                    }
                    PackedEvidence::Trace(trace) => PackedEvidence::Trace(self.trace(trace)?),
                };
                Packed::Evidence { engine, evidence }
            }
            Packed::Candidates(clauses) => {
                Packed::Candidates(clauses.iter().filter_map(|c| self.clause(c)).collect())
            }
            // What holds up to some step of the other version nobody knows.
            Packed::HoldsUpTo { .. }
            | Packed::Excluded { .. }
            | Packed::Failed { .. }
            | Packed::Decided { .. } => return None,
        })
    }

    fn known_properties(&self, properties: &[u32]) -> Vec<u32> {
        properties.iter().filter_map(|&p| at(&self.properties, p)).collect()
    }

    fn clause(&self, clause: &[u32]) -> Option<Vec<u32>> {
        let (before, after) = self.inputs;
        let lit = |&code: &u32| {
            let latch = (code >> 1).checked_sub(before.checked_add(1)?)?;
            let variable = at(&self.latches, latch)? + after + 1;
            Some(variable << 1 | code & 1)
        };
        clause.iter().map(lit).collect()
    }

    fn proof(&self, proof: PackedProof) -> Option<PackedProof> {
        Some(match proof {
            PackedProof::Bits { properties, k, distinct, clauses } => PackedProof::Bits {
                properties: self.known_properties(&properties),
                k,
                distinct: distinct.map(|d| d.iter().filter_map(|&l| at(&self.latches, l)).collect()),
                clauses: clauses.iter().filter_map(|c| self.clause(c)).collect(),
            },
            PackedProof::Words { properties, k, distinct, invariant } => {
                let part = |(state, bit): (u32, Option<u32>)| Some((at(&self.initial, state)?, bit));
                PackedProof::Words {
                    properties: self.known_properties(&properties),
                    k,
                    distinct: distinct.map(|d| d.into_iter().filter_map(part).collect()),
                    invariant,
                }
            }
            PackedProof::Maps { properties, own, clauses, step, implies, axioms } => {
                let properties = self.known_properties(&properties);
                PackedProof::Maps { properties, own, clauses, step, implies, axioms }
            }
        })
    }

    fn trace(&self, trace: PackedTrace) -> Option<PackedTrace> {
        const UNKNOWN: u8 = 2;
        Some(match trace {
            PackedTrace::Bits { property, initial, inputs } => PackedTrace::Bits {
                property: at(&self.properties, property)?,
                initial: placed(initial, &self.initial, self.initials, UNKNOWN),
                inputs: inputs.into_iter().map(|row| placed(row, &self.row, self.rows, UNKNOWN)).collect(),
            },
            PackedTrace::Words { property, initial, inputs } => PackedTrace::Words {
                property: at(&self.properties, property)?,
                initial: placed(initial, &self.initial, self.initials, None),
                inputs: inputs.into_iter().map(|row| placed(row, &self.row, self.rows, None)).collect(),
            },
        })
    }
}

/// Values at other places; the rest does not matter.
fn placed<V: Clone>(values: Vec<V>, places: &[Option<u32>], count: usize, unknown: V) -> Vec<V> {
    let mut row = vec![unknown; count];
    for (value, place) in values.into_iter().zip(places) {
        if let Some(slot) = place.and_then(|place| row.get_mut(place as usize)) {
            *slot = value;
        }
    }
    row
}
