//! Facts and evidence as plain data, and what makes them of a system again.

use std::sync::Arc;

use buttress_engine::{Fact, Told};
use buttress_format::terms::{TermReader, TermWriter, parse_value, write_value};
use buttress_system::indexed::{Indexed, IndexedProof, Instance, Use};
use buttress_system::words::{Part, StateId, System, WordProof, WordTrace};
use buttress_system::{BitSystem, Clause, LatchId, Lit, Proof, PropertyId, Subject, Ternary, Trace};
use buttress_term::{TermId, Terms};
use serde::{Deserialize, Serialize};

/// A fact of the board, or evidence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Packed {
    Proved(PackedProof),
    Excluded {
        property: u32,
        cube: Vec<u32>,
    },
    Failed {
        property: u32,
        cube: Vec<u32>,
    },
    HoldsUpTo {
        property: u32,
        steps: u64,
    },
    Decided {
        property: u32,
    },
    /// Evidence on the original system, and which engine found it.
    Evidence {
        engine: String,
        evidence: PackedEvidence,
    },
    /// Clauses over latches that may hold: what an engine had found when it ended.
    Candidates(Vec<Vec<u32>>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PackedEvidence {
    Proof(PackedProof),
    Trace(PackedTrace),
}

impl PackedEvidence {
    /// The properties that it says it decides.
    pub fn decides(&self) -> Vec<u32> {
        match self {
            PackedEvidence::Proof(proof) => proof.properties().to_vec(),
            PackedEvidence::Trace(trace) => vec![trace.property()],
        }
    }
}

/// Literals are those of the and-inverter graph, terms are texts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PackedProof {
    Bits {
        properties: Vec<u32>,
        k: u32,
        distinct: Option<Vec<u32>>,
        clauses: Vec<Vec<u32>>,
    },
    Words {
        properties: Vec<u32>,
        k: u32,
        /// States, and bits of these.
        distinct: Option<Vec<(u32, Option<u32>)>>,
        invariant: Vec<String>,
    },
    Maps {
        properties: Vec<u32>,
        /// Index symbols of the proof's own: names and sorts.
        own: Vec<(String, String)>,
        clauses: Vec<String>,
        step: Vec<(u32, Vec<String>)>,
        implies: Vec<(u32, Vec<String>)>,
        axioms: Vec<Vec<String>>,
    },
}

/// Values of bits are 0, 1 and 2 for unknown; those of words are texts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PackedTrace {
    Bits { property: u32, initial: Vec<u8>, inputs: Vec<Vec<u8>> },
    Words { property: u32, initial: Vec<Option<String>>, inputs: Vec<Vec<Option<String>>> },
}

impl PackedProof {
    pub fn properties(&self) -> &[u32] {
        match self {
            PackedProof::Bits { properties, .. }
            | PackedProof::Words { properties, .. }
            | PackedProof::Maps { properties, .. } => properties,
        }
    }

    /// With one of its properties each.
    pub fn apart(&self) -> impl Iterator<Item = PackedProof> + '_ {
        self.properties().iter().map(|&property| {
            let mut one = self.clone();
            let (PackedProof::Bits { properties, .. }
            | PackedProof::Words { properties, .. }
            | PackedProof::Maps { properties, .. }) = &mut one;
            *properties = vec![property];
            one
        })
    }

    /// The k of a k-inductive strengthening that holds of any states, distinct or not.
    pub fn plain_k(&self) -> Option<u32> {
        match self {
            PackedProof::Bits { k, distinct: None, .. } | PackedProof::Words { k, distinct: None, .. } => {
                Some(*k)
            }
            _ => None,
        }
    }

    /// Whether it rests on distinct states.
    pub fn has_distinct(&self) -> bool {
        match self {
            PackedProof::Bits { distinct, .. } => distinct.is_some(),
            PackedProof::Words { distinct, .. } => distinct.is_some(),
            PackedProof::Maps { .. } => false,
        }
    }
}

impl PackedTrace {
    /// The property that it says it violates.
    pub fn property(&self) -> u32 {
        let (PackedTrace::Bits { property, .. } | PackedTrace::Words { property, .. }) = self;
        *property
    }
}

/// A kind of system whose evidence travels. An error says what does not fit the system.
pub trait Coded: Subject {
    fn pack_proof(&self, proof: &Self::Proof) -> PackedProof;
    fn unpack_proof(&self, proof: PackedProof) -> Result<Self::Proof, String>;
    fn pack_trace(&self, trace: &Self::Trace) -> PackedTrace;
    fn unpack_trace(&self, trace: PackedTrace) -> Result<Self::Trace, String>;
    /// A cube over latches, where the system has some.
    fn unpack_cube(&self, cube: Vec<u32>) -> Result<Vec<Lit>, String>;
}

pub fn pack_fact<B: Coded>(system: &B, fact: &Fact<B::Proof>) -> Packed {
    match fact {
        Fact::Proved(proof) => Packed::Proved(system.pack_proof(proof)),
        Fact::Told { property, told } => {
            let (property, cube) = (number(*property), codes(told.cube()));
            match told {
                Told::Excluded(_) => Packed::Excluded { property, cube },
                Told::Failed(_) => Packed::Failed { property, cube },
            }
        }
        Fact::HoldsUpTo { property, steps } => {
            Packed::HoldsUpTo { property: number(*property), steps: *steps as u64 }
        }
        Fact::Decided { property } => Packed::Decided { property: number(*property) },
    }
}

/// A fact of the board; an error where it is none, or does not fit the system.
pub fn unpack_fact<B: Coded>(system: &B, packed: Packed) -> Result<Fact<B::Proof>, String> {
    let of = |property: u32| known_property(system, property);
    Ok(match packed {
        Packed::Proved(proof) => Fact::Proved(system.unpack_proof(proof)?),
        Packed::Excluded { property, cube } => {
            Fact::Told { property: of(property)?, told: Told::Excluded(system.unpack_cube(cube)?) }
        }
        Packed::Failed { property, cube } => {
            Fact::Told { property: of(property)?, told: Told::Failed(system.unpack_cube(cube)?) }
        }
        Packed::HoldsUpTo { property, steps } => {
            let steps = usize::try_from(steps).map_err(|_| "a number of steps is too large".to_string())?;
            Fact::HoldsUpTo { property: of(property)?, steps }
        }
        Packed::Decided { property } => Fact::Decided { property: of(property)? },
        Packed::Evidence { .. } | Packed::Candidates(_) => return Err("it is no fact".to_string()),
    })
}

fn number(property: PropertyId) -> u32 {
    property.index() as u32
}

fn numbers(properties: &[PropertyId]) -> Vec<u32> {
    properties.iter().map(|&p| number(p)).collect()
}

fn codes(lits: &[Lit]) -> Vec<u32> {
    lits.iter().map(|l| l.code()).collect()
}

fn known_property<S: Subject>(system: &S, property: u32) -> Result<PropertyId, String> {
    let known = (property as usize) < system.num_properties();
    known
        .then(|| PropertyId::new(property as usize))
        .ok_or_else(|| format!("there is no property {property}"))
}

fn known_properties<S: Subject>(system: &S, properties: &[u32]) -> Result<Vec<PropertyId>, String> {
    properties.iter().map(|&p| known_property(system, p)).collect()
}

/// A strengthening that looks this far back is not worth its check.
const DEEPEST_INDUCTION: u32 = 100_000;

fn depth(k: u32) -> Result<u32, String> {
    (1..=DEEPEST_INDUCTION).contains(&k).then_some(k).ok_or_else(|| format!("k is {k}"))
}

fn other_kind() -> String {
    "it is about another kind of system".to_string()
}

impl Coded for BitSystem {
    fn pack_proof(&self, proof: &Proof) -> PackedProof {
        PackedProof::Bits {
            properties: numbers(&proof.properties),
            k: proof.k,
            distinct: proof.distinct.as_ref().map(|d| d.iter().map(|l| l.index() as u32).collect()),
            clauses: proof.invariant.iter().map(|c| codes(&c.0)).collect(),
        }
    }

    fn unpack_proof(&self, proof: PackedProof) -> Result<Proof, String> {
        let PackedProof::Bits { properties, k, distinct, clauses } = proof else { return Err(other_kind()) };
        let latch = |l: u32| match (l as usize) < self.num_latches() {
            true => Ok(LatchId::new(l as usize)),
            false => Err(format!("there is no latch {l}")),
        };
        let distinct =
            distinct.map(|d| d.into_iter().map(latch).collect::<Result<Vec<_>, _>>()).transpose()?;
        let invariant = clauses.into_iter().map(|c| self.unpack_cube(c).map(Clause::new));
        let invariant = invariant.collect::<Result<Vec<_>, _>>()?;
        Ok(Proof { properties: known_properties(self, &properties)?, k: depth(k)?, distinct, invariant })
    }

    fn pack_trace(&self, trace: &Trace) -> PackedTrace {
        let row = |values: &Vec<Ternary>| values.iter().map(|&v| v as u8).collect();
        PackedTrace::Bits {
            property: number(trace.property),
            initial: row(&trace.initial),
            inputs: trace.inputs.iter().map(row).collect(),
        }
    }

    fn unpack_trace(&self, trace: PackedTrace) -> Result<Trace, String> {
        let PackedTrace::Bits { property, initial, inputs } = trace else { return Err(other_kind()) };
        let value = |v: u8| match v {
            0 => Ok(Ternary::Zero),
            1 => Ok(Ternary::One),
            2 => Ok(Ternary::X),
            _ => Err(format!("{v} is no value of a bit")),
        };
        let row = |row: Vec<u8>, width: usize| match row.len() == width {
            true => row.into_iter().map(value).collect::<Result<Vec<_>, _>>(),
            false => Err("a row of the trace is not as long as it should be".to_string()),
        };
        let inputs = inputs.into_iter().map(|i| row(i, self.num_inputs())).collect::<Result<Vec<_>, _>>()?;
        has_steps(&inputs)?;
        let property = known_property(self, property)?;
        Ok(Trace { property, initial: row(initial, self.num_latches())?, inputs })
    }

    fn unpack_cube(&self, cube: Vec<u32>) -> Result<Vec<Lit>, String> {
        let lit = |code: u32| match ((code >> 1) as usize) < self.num_vars() {
            true => Ok(Lit::from_code(code)),
            false => Err(format!("there is no literal {code}")),
        };
        cube.into_iter().map(lit).collect()
    }
}

fn has_steps<V>(inputs: &[Vec<V>]) -> Result<(), String> {
    if inputs.is_empty() { Err("the trace has no step".to_string()) } else { Ok(()) }
}

impl Coded for System {
    fn pack_proof(&self, proof: &WordProof) -> PackedProof {
        let writer = TermWriter::new(&proof.terms);
        let part = |p: &Part| (p.state.index() as u32, p.bit);
        PackedProof::Words {
            properties: numbers(&proof.claim.properties),
            k: proof.claim.k,
            distinct: proof.claim.distinct.as_ref().map(|d| d.iter().map(part).collect()),
            invariant: proof.claim.invariant.iter().map(|&t| writer.term(t)).collect(),
        }
    }

    fn unpack_proof(&self, proof: PackedProof) -> Result<WordProof, String> {
        let PackedProof::Words { properties, k, distinct, invariant } = proof else {
            return Err(other_kind());
        };
        let part = |(state, bit): (u32, Option<u32>)| match (state as usize) < self.states.len() {
            true => Ok(Part { state: StateId::new(state as usize), bit }),
            false => Err(format!("there is no state {state}")),
        };
        let distinct =
            distinct.map(|d| d.into_iter().map(part).collect::<Result<Vec<_>, _>>()).transpose()?;
        let mut reader = TermReader::over(self);
        let invariant = invariant.iter().map(|text| reader.claim(text)).collect::<Result<Vec<_>, _>>()?;
        let properties = known_properties(self, &properties)?;
        let claim = Proof { properties, k: depth(k)?, distinct, invariant };
        Ok(WordProof { terms: Arc::new(reader.into_terms()), claim })
    }

    fn pack_trace(&self, trace: &WordTrace) -> PackedTrace {
        let row = |values: &Vec<_>| values.iter().map(|v| Option::as_ref(v).map(write_value)).collect();
        PackedTrace::Words {
            property: number(trace.property),
            initial: row(&trace.initial),
            inputs: trace.inputs.iter().map(row).collect(),
        }
    }

    fn unpack_trace(&self, trace: PackedTrace) -> Result<WordTrace, String> {
        let PackedTrace::Words { property, initial, inputs } = trace else { return Err(other_kind()) };
        let states: Vec<TermId> = self.states.iter().map(|s| s.variable).collect();
        let free = self.free_states().map(|s| self.state(s).variable);
        let read: Vec<TermId> = self.inputs.iter().map(|i| i.variable).chain(free).collect();
        let row = |row: Vec<Option<String>>, variables: &[TermId]| {
            if row.len() != variables.len() {
                return Err("a row of the trace is not as long as it should be".to_string());
            }
            let value = |(text, variable): (Option<String>, &TermId)| {
                text.map(|text| parse_value(&text, self.terms.sort(*variable))).transpose()
            };
            row.into_iter().zip(variables).map(value).collect::<Result<Vec<_>, _>>()
        };
        let inputs = inputs.into_iter().map(|i| row(i, &read)).collect::<Result<Vec<_>, _>>()?;
        has_steps(&inputs)?;
        Ok(WordTrace { property: known_property(self, property)?, initial: row(initial, &states)?, inputs })
    }

    fn unpack_cube(&self, _: Vec<u32>) -> Result<Vec<Lit>, String> {
        Err(other_kind())
    }
}

impl Coded for Indexed {
    fn pack_proof(&self, proof: &IndexedProof) -> PackedProof {
        let writer = TermWriter::new(&proof.terms);
        let texts = |instance: &Instance| instance.0.iter().map(|&t| writer.term(t)).collect::<Vec<_>>();
        let uses = |uses: &[Use]| uses.iter().map(|u| (u.clause as u32, texts(&u.instance))).collect();
        let own = proof.indices.get(self.indices.len()..).unwrap_or_default();
        PackedProof::Maps {
            properties: numbers(&proof.properties),
            own: own.iter().map(|&v| writer.declaration(&proof.terms, v)).collect(),
            clauses: proof.clauses.iter().map(|&c| writer.term(c)).collect(),
            step: uses(&proof.step),
            implies: uses(&proof.implies),
            axioms: proof.axioms.iter().map(texts).collect(),
        }
    }

    fn unpack_proof(&self, proof: PackedProof) -> Result<IndexedProof, String> {
        let PackedProof::Maps { properties, own, clauses, step, implies, axioms } = proof else {
            return Err(other_kind());
        };
        let mut reader = TermReader::over(&self.system);
        let mut indices = self.indices.clone();
        for (name, sort) in &own {
            indices.push(reader.declare(name, sort)?);
        }
        let clauses = clauses.iter().map(|text| reader.claim(text)).collect::<Result<Vec<_>, _>>()?;
        let fits = |terms: &Terms, by: &[TermId]| {
            let same = by.iter().zip(&indices).all(|(&t, &i)| terms.sort(t) == terms.sort(i));
            same && by.len() == indices.len()
        };
        let mut instance = |texts: &[String]| {
            let by = texts.iter().map(|text| reader.read(text)).collect::<Result<Vec<_>, _>>()?;
            match fits(reader.terms(), &by) {
                true => Ok(Instance(by)),
                false => Err("an instance does not fit the index symbols".to_string()),
            }
        };
        let mut uses = |uses: Vec<(u32, Vec<String>)>| {
            let of = |(clause, texts): (u32, Vec<String>)| match (clause as usize) < clauses.len() {
                true => Ok(Use { clause: clause as usize, instance: instance(&texts)? }),
                false => Err(format!("there is no clause {clause}")),
            };
            uses.into_iter().map(of).collect::<Result<Vec<_>, String>>()
        };
        let (step, implies) = (uses(step)?, uses(implies)?);
        let axioms = axioms.iter().map(|texts| instance(texts)).collect::<Result<Vec<_>, _>>()?;
        let properties = known_properties(self, &properties)?;
        let terms = Arc::new(reader.into_terms());
        Ok(IndexedProof { properties, terms, indices, clauses, step, implies, axioms })
    }

    fn pack_trace(&self, trace: &WordTrace) -> PackedTrace {
        self.system.pack_trace(trace)
    }

    fn unpack_trace(&self, trace: PackedTrace) -> Result<WordTrace, String> {
        self.system.unpack_trace(trace)
    }

    fn unpack_cube(&self, _: Vec<u32>) -> Result<Vec<Lit>, String> {
        Err(other_kind())
    }
}
