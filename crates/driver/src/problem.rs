//! A model as its front end made it, and all that belongs to its meaning: what is claimed, what the claims rest
//! on, what things are called, how the source executes a trace.
//!
//! Every command loads one and asks it; nobody else looks a property up.

use std::sync::{Arc, OnceLock};

use buttress_format::{Aiger, Diagnostic};
use buttress_lustre::{Origin, replay};
use buttress_system::indexed::Indexed;
use buttress_system::words::{self, Fault, PropertyKind, Replay, Span};
use buttress_system::{BitSystem, Branching, Lit, Live, PropertyId, SymbolKind};
use buttress_term::{Sort, TermId};
use buttress_transform::blast::{Blasted, Limits, blast};
use buttress_transform::finite::{Finite, finite};
use buttress_transform::{Then, Way};

use crate::formulas::Formulas;

/// The system on which evidence is checked in the end.
#[derive(Clone)]
pub enum Original {
    Bits(Arc<BitSystem>),
    Words(Arc<words::System>),
    /// Maps, about which something is said for all places.
    Maps(Arc<Indexed>),
}

/// The same with its justice properties.
#[derive(Clone)]
pub enum LiveOriginal {
    Bits(Arc<Live<BitSystem>>),
    Words(Arc<Live<words::System>>),
}

/// The file formats of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    AigerAscii,
    AigerBinary,
    Btor2,
    Vmt,
    Moxi,
    Lustre,
    Cubicle,
    /// Made by a program, not read from a file.
    Built,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::AigerAscii | Format::AigerBinary => "AIGER",
            Format::Btor2 => "BTOR2",
            Format::Vmt => "VMT-LIB",
            Format::Moxi => "MoXI",
            Format::Lustre => "Lustre",
            Format::Cubicle => "Cubicle",
            Format::Built => "built",
        }
    }

    /// Whether steps are written as a relation, conjunct by conjunct.
    pub fn is_relation(self) -> bool {
        matches!(self, Format::Vmt | Format::Moxi)
    }
}

/// A claim of a problem, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClaimId(u32);

impl ClaimId {
    pub fn new(index: usize) -> ClaimId {
        ClaimId(index as u32)
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something that is to be decided.
#[derive(Clone, Debug)]
pub struct Claim {
    pub name: String,
    /// Where it stands in the file: `b0`, `o0`, `j0`.
    pub position: String,
    /// How reports call it.
    pub title: String,
    pub span: Option<Span>,
    /// Of a Lustre model, where it comes from.
    pub origin: Option<Origin>,
    /// Of a formula that was given beside the model, its logic.
    pub logic: Option<Logic>,
    pub asks: Asks,
}

/// A temporal logic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    /// About executions.
    Linear,
    /// About computation trees.
    Branching,
}

/// The question of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asks {
    /// The bad state of this property is never reached.
    Invariant(PropertyId),
    /// It is reached in some execution.
    Reach(PropertyId),
    /// No fair execution meets all signals of this justice property again and again; numbers after those of
    /// justice properties are formulas of temporal logic, which hold on all of them.
    Live { justice: usize },
    /// This formula of computation tree logic holds.
    Tree { formula: usize },
    /// A formula of computation tree logic that says the same as one about executions: whoever decides one of them
    /// decides it.
    Both { justice: usize, formula: usize },
    /// A query of the file that no engine decides yet, and why.
    Unsupported(String),
}

impl Claim {
    /// The property of the system that decides it.
    pub fn property(&self) -> Option<PropertyId> {
        match self.asks {
            Asks::Invariant(property) | Asks::Reach(property) => Some(property),
            Asks::Live { .. } | Asks::Tree { .. } | Asks::Both { .. } | Asks::Unsupported(_) => None,
        }
    }

    /// The justice property that decides it.
    pub fn justice(&self) -> Option<PropertyId> {
        match self.asks {
            Asks::Live { justice } | Asks::Both { justice, .. } => Some(PropertyId::new(justice)),
            Asks::Invariant(_) | Asks::Reach(_) | Asks::Tree { .. } | Asks::Unsupported(_) => None,
        }
    }

    /// The formula of computation tree logic that decides it.
    pub fn tree(&self) -> Option<PropertyId> {
        match self.asks {
            Asks::Tree { formula } | Asks::Both { formula, .. } => Some(PropertyId::new(formula)),
            Asks::Invariant(_) | Asks::Reach(_) | Asks::Live { .. } | Asks::Unsupported(_) => None,
        }
    }

    /// Whether it is an output that stands for a bad state, as in AIGER before 1.9.
    pub fn is_output(&self) -> bool {
        self.property().is_some() && self.position.starts_with(SymbolKind::Output.letter())
    }

    /// Whether it is about more than the states that are reached.
    pub fn is_temporal(&self) -> bool {
        self.justice().or(self.tree()).is_some()
    }

    /// Whether engines on executions and on computation trees may decide it.
    pub(crate) fn is_asked_twice(&self) -> bool {
        matches!(self.asks, Asks::Both { .. })
    }

    /// Whether it is to be reached, not to be avoided.
    pub fn is_goal(&self) -> bool {
        matches!(self.asks, Asks::Reach(_))
    }
}

/// Justice and fairness conditions of words: terms that shall hold infinitely often.
#[derive(Clone, Default)]
pub struct Liveness {
    pub justice: Vec<Vec<TermId>>,
    /// Of each justice property, where it has one.
    pub names: Vec<Option<Arc<str>>>,
    pub fairness: Vec<TermId>,
}

/// The bits of words, integers with bounds among them: both ways in one.
pub type InBits = Then<Arc<Finite>, Arc<Blasted>>;

pub struct Problem {
    /// As the user wrote it.
    pub path: String,
    pub format: Format,
    pub remarks: Vec<Diagnostic>,
    original: Original,
    claims: Vec<Claim>,
    /// The conditions of every proof: an execution ends where one of these is violated, so that a proof says
    /// nothing about later steps.
    conditions: Vec<ClaimId>,
    liveness: Liveness,
    pub(crate) formulas: Formulas,
    source: Option<Arc<replay::Replayer>>,
    /// The literal of each variable of an AIGER file, where it is numbered otherwise.
    numbering: Option<Vec<Lit>>,
    /// The source text of the model, where people can read it.
    pub(crate) text: String,
    in_bits: OnceLock<Result<Arc<InBits>, Fault>>,
}

impl Problem {
    /// Bits that a program made.
    pub fn of_bits(system: BitSystem) -> Problem {
        let claims = system.property_ids().map(|p| bit_claim(&system, p)).collect::<Vec<_>>();
        let all = claims.into_iter().chain(bit_justice(&system)).collect();
        Problem::new(Format::Built, Original::Bits(Arc::new(system)), all)
    }

    /// Words that a program made; an error says what does not fit together.
    pub fn of_words(system: words::System) -> Result<Problem, Fault> {
        system.validate()?;
        Ok(Problem::of_shared_words(Arc::new(system)))
    }

    /// Words that are known to fit together.
    pub(crate) fn of_shared_words(system: Arc<words::System>) -> Problem {
        let claims = word_claims(&system, None);
        Problem::new(Format::Built, Original::Words(system), claims)
    }

    /// Words with justice properties and formulas.
    pub(crate) fn of_live(live: &Live<words::System>) -> Problem {
        let (justice, fairness) = (live.justice.clone(), live.fairness.clone());
        let known = justice.len();
        let liveness = Liveness { justice, names: Vec::new(), fairness };
        let mut problem = Problem::of_shared_words(live.system.clone()).with_liveness(liveness);
        problem.formulas.words.clone_from(&live.formulas);
        problem.claims.extend((0..live.formulas.len()).map(|f| self::live(known + f, None)));
        problem
    }

    pub(crate) fn new(format: Format, original: Original, claims: Vec<Claim>) -> Problem {
        let is_condition = |c: &Claim| c.origin == Some(Origin::Subrange);
        let conditions = (0..claims.len()).filter(|&c| is_condition(&claims[c])).map(ClaimId::new).collect();
        Problem {
            path: String::new(),
            format,
            remarks: Vec::new(),
            original,
            claims,
            conditions,
            liveness: Liveness::default(),
            formulas: Formulas::default(),
            source: None,
            numbering: None,
            text: String::new(),
            in_bits: OnceLock::new(),
        }
    }

    pub(crate) fn at(self, path: &str, text: String) -> Problem {
        Problem { path: path.to_string(), text, ..self }
    }

    /// With justice properties of words.
    pub(crate) fn with_liveness(mut self, liveness: Liveness) -> Problem {
        let name = |j: usize| liveness.names.get(j).and_then(Option::as_deref);
        self.claims.extend((0..liveness.justice.len()).map(|j| live(j, name(j))));
        Problem { liveness, ..self }
    }

    /// With justice properties that are listed, and why nobody decides them.
    pub(crate) fn with_undecided_liveness(self, liveness: Liveness, why: &str) -> Problem {
        let mut problem = self.with_liveness(liveness);
        let live = problem.claims.iter_mut().filter(|c| matches!(c.asks, Asks::Live { .. }));
        live.for_each(|claim| claim.asks = Asks::Unsupported(why.to_string()));
        problem
    }

    pub(crate) fn with_source(self, source: replay::Replayer) -> Problem {
        Problem { source: Some(Arc::new(source)), ..self }
    }

    pub(crate) fn with_numbering(self, numbering: Option<Vec<Lit>>) -> Problem {
        Problem { numbering, ..self }
    }

    pub(crate) fn with_remarks(self, remarks: Vec<Diagnostic>) -> Problem {
        Problem { remarks, ..self }
    }

    /// Replaces the system of the model by one whose properties begin with those of this one; its own come after
    /// all claims.
    pub fn with_system(&self, system: words::System) -> Problem {
        let known = self.claims.iter().filter(|c| c.property().is_some()).count();
        let system = Arc::new(system);
        let own = word_claims(&system, None).into_iter().skip(known);
        let claims: Vec<Claim> =
            self.claims.iter().filter(|c| c.property().is_some()).cloned().chain(own).collect();
        let new = Problem::new(self.format, Original::Words(system), claims);
        Problem { path: self.path.clone(), text: self.text.clone(), ..new }
    }

    pub fn original(&self) -> &Original {
        &self.original
    }

    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    pub fn claim(&self, id: ClaimId) -> &Claim {
        &self.claims[id.index()]
    }

    pub fn claim_ids(&self) -> impl Iterator<Item = ClaimId> + use<> {
        (0..self.claims.len()).map(ClaimId::new)
    }

    /// The claim that a property of the system decides.
    pub fn claim_of(&self, property: PropertyId) -> Option<ClaimId> {
        self.claim_ids().find(|&c| self.claim(c).property() == Some(property))
    }

    /// The system with its justice properties, where it is one of bits or of words.
    pub fn live(&self) -> Option<LiveOriginal> {
        match &self.original {
            Original::Bits(system) => {
                let formulas = self.formulas.bits.clone();
                Some(LiveOriginal::Bits(Arc::new(Live { formulas, ..Live::of_bits(system) })))
            }
            Original::Words(system) => {
                let Liveness { justice, fairness, .. } = self.liveness.clone();
                let (system, formulas) = (system.clone(), self.formulas.words.clone());
                Some(LiveOriginal::Words(Arc::new(Live { system, justice, fairness, formulas })))
            }
            Original::Maps(_) => None,
        }
    }

    /// The system with its formulas about computation trees, where it is one of bits.
    pub fn branching(&self) -> Option<Arc<Branching>> {
        let Original::Bits(system) = &self.original else { return None };
        let (fairness, formulas) = (system.fairness.clone(), self.formulas.trees.clone());
        Some(Arc::new(Branching { system: system.clone(), fairness, formulas }))
    }

    /// The claim about a formula of computation tree logic.
    pub fn claim_of_tree(&self, formula: usize) -> Option<ClaimId> {
        self.claim_ids().find(|&c| self.claim(c).tree() == Some(PropertyId::new(formula)))
    }

    /// How many justice properties the file has.
    pub(crate) fn num_justice(&self) -> usize {
        match &self.original {
            Original::Bits(system) => system.justice.len(),
            Original::Words(_) | Original::Maps(_) => self.liveness.justice.len(),
        }
    }

    pub(crate) fn add_claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// Replaces the words by the same with more terms.
    pub(crate) fn extend_words(&mut self, system: words::System) {
        self.original = Original::Words(Arc::new(system));
        self.in_bits = OnceLock::new();
    }

    /// The claim about a justice property, or a formula.
    pub fn claim_of_justice(&self, justice: usize) -> Option<ClaimId> {
        self.claim_ids().find(|&c| self.claim(c).justice() == Some(PropertyId::new(justice)))
    }

    pub fn liveness(&self) -> &Liveness {
        &self.liveness
    }

    pub fn conditions(&self) -> &[ClaimId] {
        &self.conditions
    }

    /// The Lustre source, where there is one.
    pub fn source(&self) -> Option<&Arc<replay::Replayer>> {
        self.source.as_ref()
    }

    /// The replay of traces in the language of the user, for a model in Lustre.
    pub(crate) fn replay(&self) -> Option<Arc<dyn Replay>> {
        self.source.clone().map(|source| source as Arc<dyn Replay>)
    }

    /// Whether there are signals of several bits, or bits whose names make some.
    pub fn has_words(&self) -> bool {
        let system = match &self.original {
            Original::Bits(_) => return true,
            Original::Words(system) => system,
            Original::Maps(model) => &model.system,
        };
        let is_word = |term| matches!(system.terms.sort(term), Sort::BitVec(width) if *width > 1);
        let inputs = system.inputs.iter().map(|input| input.variable);
        let named = system.definitions.iter().map(|definition| definition.value);
        let mut all = inputs.chain(system.states.iter().map(|state| state.variable)).chain(named);
        all.any(is_word)
    }

    /// The system in words, where it is one.
    pub fn words(&self) -> Option<&Arc<words::System>> {
        match &self.original {
            Original::Words(system) => Some(system),
            Original::Bits(_) | Original::Maps(_) => None,
        }
    }

    /// The ways from words to bits, made when somebody first asks; or else why there are none.
    pub fn in_bits(&self) -> Result<&Arc<InBits>, &Fault> {
        let make = || match &self.original {
            Original::Words(system) => lower_to_bits(system),
            Original::Bits(_) => Err(fault("the model is in bits")),
            Original::Maps(_) => Err(fault("maps are not bits")),
        };
        self.in_bits.get_or_init(make).as_ref()
    }

    /// The bits that engines run on, where the model has some.
    pub fn bits(&self) -> Option<&Arc<BitSystem>> {
        match &self.original {
            Original::Bits(system) => Some(system),
            Original::Words(_) => self.in_bits().ok().map(|way| way.system()),
            Original::Maps(_) => None,
        }
    }

    /// The circuit as its file has it.
    pub(crate) fn aiger(&self) -> Option<Aiger> {
        let Original::Bits(system) = &self.original else { return None };
        let (system, numbering) = ((**system).clone(), self.numbering.clone());
        Some(Aiger { system, numbering, comments: Vec::new(), ascii: self.format == Format::AigerAscii })
    }

    /// A literal of an AIGER file.
    pub fn literal(&self, code: u32) -> Option<Lit> {
        let Original::Bits(system) = &self.original else { return None };
        let variable = (code >> 1) as usize;
        let known = match &self.numbering {
            Some(numbering) => *numbering.get(variable)?,
            None => Some(Lit::from_code(code & !1)).filter(|_| variable < system.num_vars())?,
        };
        Some(known ^ (code & 1 == 1))
    }

    /// The claims with these names, positions or numbers, and those that all others rest on, in the order of the
    /// file; all where none is named.
    pub fn select(&self, wanted: &[String]) -> Result<Vec<ClaimId>, String> {
        if wanted.is_empty() {
            return Ok(self.claim_ids().collect());
        }
        let mut found = wanted.iter().map(|name| self.named(name)).collect::<Result<Vec<_>, _>>()?;
        found.extend(&self.conditions);
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn named(&self, wanted: &str) -> Result<ClaimId, String> {
        let by = |is: &dyn Fn(&Claim) -> bool| self.claim_ids().find(|&c| is(self.claim(c)));
        let named = by(&|c| c.name == wanted);
        let placed = || by(&|c| c.position == wanted);
        let numbered = || self.claim_ids().nth(wanted.parse().ok()?);
        named.or_else(placed).or_else(numbered).ok_or_else(|| {
            let known: Vec<&str> = self.claims.iter().map(|c| &c.title[..]).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            let near = nearest(wanted, self.claims.iter().map(|c| &c.name[..]));
            let near = near.map(|name| format!(", did you mean '{name}'?")).unwrap_or_default();
            format!("there is no property '{wanted}'{near}; there are: {known}")
        })
    }

    /// Treats these claims as goals: reaching one is what is wanted. `all` names all that a user stated. What
    /// other claims rest on stays a condition.
    pub fn cover(&mut self, wanted: &[String]) -> Result<(), String> {
        let all = wanted.iter().any(|name| name == "all");
        let mut goals = Vec::new();
        for name in wanted.iter().filter(|name| *name != "all") {
            let claim = self.named(name)?;
            let title = &self.claim(claim).title;
            if self.conditions.contains(&claim) {
                return Err(format!("{title} is what all proofs rest on, and no goal"));
            }
            if self.claim(claim).is_temporal() {
                return Err(format!("{title} is about what happens again and again, and no goal"));
            }
            goals.push(claim);
        }
        if all {
            goals.extend(self.claim_ids().filter(|c| !self.conditions.contains(c)));
        }
        for claim in goals {
            let asks = &mut self.claims[claim.index()].asks;
            if let Asks::Invariant(property) = *asks {
                *asks = Asks::Reach(property);
            }
        }
        Ok(())
    }
}

/// The name that is most like this one, where one is much like it.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.7;
    let like = names.map(|name| (strsim::jaro(wanted, name), name)).filter(|(like, _)| *like > ALIKE);
    like.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

pub(crate) fn lower_to_bits(system: &Arc<words::System>) -> Result<Arc<InBits>, Fault> {
    let finite = Arc::new(finite(system)?);
    let blasted = Arc::new(blast(finite.system(), Limits::default())?);
    Ok(Arc::new(Then(finite, blasted)))
}

fn fault(message: &str) -> Fault {
    Fault { message: message.to_string(), span: None }
}

fn live(justice: usize, symbol: Option<&str>) -> Claim {
    let position = format!("j{justice}");
    let symbol = symbol.filter(|name| *name != position);
    let title = symbol.map_or_else(|| position.clone(), |name| format!("{position} {name}"));
    let name = symbol.map_or_else(|| position.clone(), str::to_string);
    Claim { name, position, title, span: None, origin: None, logic: None, asks: Asks::Live { justice } }
}

/// The justice properties of bits.
pub(crate) fn bit_justice(system: &BitSystem) -> Vec<Claim> {
    let symbol = |j: usize| system.symbols.get(SymbolKind::Justice, j);
    (0..system.justice.len()).map(|j| live(j, symbol(j))).collect()
}

pub(crate) fn bit_claim(system: &BitSystem, property: PropertyId) -> Claim {
    let (kind, index) = system.property(property).symbol;
    let position = format!("{}{index}", kind.letter());
    let symbol = system.symbols.get(kind, index).filter(|name| **name != position);
    let title = symbol.map_or_else(|| position.clone(), |name| format!("{position} {name}"));
    let name = system.property_name(property);
    Claim { name, position, title, span: None, origin: None, logic: None, asks: Asks::Invariant(property) }
}

/// The properties of a system, with where they come from in a Lustre source.
pub(crate) fn word_claims(system: &words::System, origins: Option<&[Origin]>) -> Vec<Claim> {
    let claim = |property: PropertyId| {
        let words::Property { kind, label, .. } = system.property(property);
        let position = format!("{}{}", SymbolKind::Bad.letter(), property.index());
        let title = match (origins, label.span) {
            (Some(_), Some(span)) => format!("{} (line {})", label.name, span.line),
            _ if *label.name == *position => position.clone(),
            _ => format!("{position} {}", label.name),
        };
        let asks = match kind {
            PropertyKind::Cover => Asks::Reach(property),
            PropertyKind::Invariant => Asks::Invariant(property),
        };
        let origin = origins.map(|origins| origins[property.index()]);
        Claim { name: label.name.to_string(), position, title, span: label.span, origin, logic: None, asks }
    };
    system.property_ids().map(claim).collect()
}
