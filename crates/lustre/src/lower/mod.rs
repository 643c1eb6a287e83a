//! From a checked program to a word-level system.
//!
//! | Lustre | system |
//! |---|---|
//! | an equation | one definition for each scalar of its variables, named `path.x.f[2]` |
//! | `pre e` | a state with `next = e`, and any start of its type; a subrange of `e` is a constraint on it |
//! | `a -> b` | `ite(first, a, b)`; `first` is a state that is true at the start only |
//! | a call | an *instance* with a path, `callee~0.`; its inputs are observables |
//! | `condact(c, N(x), d)` | an instance whose states move only where `c` holds; `out = if c then N else (d -> pre out)` |
//! | `restart N every r` | an instance that is in its first step where `r` holds |
//! | `assert e` | a constraint, in every instance: `active => e` |
//! | a contract of the main node | assumptions are constraints, guarantees and modes are properties |
//! | a contract of a called node | assumptions are properties (obligations of the caller), guarantees too |
//! | a contract of an imported node | assumptions are properties; where they hold, guarantees are constraints |
//! | a subrange | of an input: a constraint; of a variable with an equation: a property |
//! | a refinement type | of a free value: a constraint; of a computed one: a property |
//! | an index that is not constant | a property: it is in range; outside, the value is any |
//! | division by zero | any value |
//! | a variable on a circle ([`crate::causality`]) | an input, and its equation a constraint |
//!
//! Constructs that cannot be expressed are refused, with their place and name: see [`Refusal`].

mod data;
mod expr;
mod instance;
mod operators;
mod quantify;
mod refine;

use std::sync::Arc;

use buttress_format::Diagnostic;
use buttress_system::words::{self, Label, Named, Property, PropertyKind, StateId, System};
use buttress_term::{Evaluation, Op, Sort, TermId, Value};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::ast::{Clause, ExprId, Name};
use crate::layout::{Scalar, Tree, call_numbers};
use crate::source::{Findings, Source, Span};
use crate::unit::{Program, UnitId};
use crate::{LustreModel, deep};

use instance::Instance;

/// Something that was read and checked, but has no place in a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub span: Span,
    pub what: String,
    /// It is wrong in every tool, not only beyond this one.
    pub wrong: bool,
}

type Made<T> = Result<T, Refusal>;

/// The value of an expression in scalars.
pub(crate) type Terms = Tree<TermId>;

/// An instance: its place in [`Lowerer::instances`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct InstanceId(usize);

/// The index variables of an array equation, with their values.
pub(crate) type Bound = [(Name, BigInt)];

/// Why something is a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The user stated it.
    Stated,
    /// The user wants to know whether it is reached.
    Goal,
    /// A call must satisfy what the callee assumes.
    Assumption,
    Guarantee,
    /// A guarantee of a mode, where it is active.
    Mode,
    /// In every step some mode is active.
    Coverage,
    Subrange,
    /// The predicate of a refinement type.
    Refinement,
    /// An index that is computed is inside of its array.
    Index,
}

impl Origin {
    pub fn name(self) -> &'static str {
        match self {
            Origin::Stated => "property",
            Origin::Goal => "query of reachability",
            Origin::Assumption => "assumption of a called node",
            Origin::Guarantee => "guarantee",
            Origin::Mode => "mode",
            Origin::Coverage => "modes cover all cases",
            Origin::Subrange => "subrange",
            Origin::Refinement => "refinement type",
            Origin::Index => "array index",
        }
    }
}

/// The system of a model, and where each of its properties comes from.
pub struct Lowered {
    pub system: Arc<System>,
    pub origins: Vec<Origin>,
    pub calls: Vec<Called>,
}

/// A call of a node, not of a contract.
pub struct Called {
    pub unit: UnitId,
    /// The prefix of the names of its variables.
    pub path: String,
    /// When it moves; `None`: in every step.
    pub active: Option<TermId>,
    /// It is in its first step, or in the first after a restart.
    pub first: TermId,
}

/// The system of a model's main node.
pub fn lower(model: &LustreModel) -> Result<Lowered, Vec<Diagnostic>> {
    lowered(model, model.program.main, false)
}

/// The system of a model's main node with a definition for each argument of a call, as where calls are replaced by
/// equations.
pub fn lower_with_arguments(model: &LustreModel) -> Result<Lowered, Vec<Diagnostic>> {
    lowered(model, model.program.main, true)
}

/// The system of a node, as if it were the main one.
pub fn lower_node(model: &LustreModel, node: UnitId) -> Result<Lowered, Vec<Diagnostic>> {
    lowered(model, node, false)
}

fn lowered(model: &LustreModel, main: UnitId, arguments: bool) -> Result<Lowered, Vec<Diagnostic>> {
    deep::run(|| {
        let lowerer = Lowerer { main, arguments, ..Lowerer::new(&model.program, &model.source) };
        let lowered = lowerer.run();
        lowered.map_err(|refusal| {
            let mut findings = Findings::default();
            let message = if refusal.wrong {
                refusal.what
            } else {
                format!("{} are read and checked, but not analysed", refusal.what)
            };
            findings.error(refusal.span, message);
            findings.diagnostics(&model.source)
        })
    })
}

/// A state whose next value is still to be made.
struct Pending {
    instance: InstanceId,
    value: ExprId,
    bound: Vec<(Name, BigInt)>,
    states: Tree<StateId>,
}

pub(crate) struct Lowerer<'a> {
    program: &'a Program,
    source: &'a Source,
    system: System,
    origins: Vec<Origin>,
    instances: Vec<Instance>,
    main: UnitId,
    /// Whether arguments of calls are definitions.
    arguments: bool,
    /// True in the first step only.
    first: TermId,
    pending: Vec<Pending>,
    call_numbers: Vec<u32>,
    /// Constants of the file.
    consts: Vec<Option<Terms>>,
    /// Instances, states and choices that belong to a place in the text: each is made once.
    calls: FxHashMap<(InstanceId, ExprId, String), InstanceId>,
    pres: FxHashMap<String, Terms>,
    choices: FxHashMap<String, Terms>,
    /// The variables that the enclosing refinement types, patterns and quantifiers bind, with their values.
    binders: Vec<(Name, Terms)>,
}

impl<'a> Lowerer<'a> {
    fn new(program: &'a Program, source: &'a Source) -> Lowerer<'a> {
        let mut system = System::default();
        let first = system.add_state(Sort::Bool, Label::new("first~"));
        let (yes, no) = (system.terms.bool(true), system.terms.bool(false));
        system.states[first.index()].init = Some(yes);
        system.states[first.index()].next = Some(no);
        Lowerer {
            program,
            source,
            first: system.state(first).variable,
            system,
            origins: Vec::new(),
            instances: Vec::new(),
            main: program.main,
            arguments: false,
            pending: Vec::new(),
            call_numbers: call_numbers(program),
            consts: vec![None; program.consts.len()],
            calls: FxHashMap::default(),
            pres: FxHashMap::default(),
            choices: FxHashMap::default(),
            binders: Vec::new(),
        }
    }

    fn run(mut self) -> Made<Lowered> {
        self.add_main()?;
        let mut done = 0;
        loop {
            if done < self.instances.len() {
                self.finish_instance(InstanceId(done))?;
                done += 1;
            } else if let Some(pending) = self.pending.pop() {
                self.finish_pre(pending)?;
            } else {
                break;
            }
        }
        let calls = self.instances.iter().skip(1).filter(|i| i.is_call()).map(Instance::called).collect();
        Ok(Lowered { system: Arc::new(self.system), origins: self.origins, calls })
    }

    fn finish_pre(&mut self, pending: Pending) -> Made<()> {
        let value = self.whole(pending.instance, pending.value, &pending.bound)?;
        let active = self.instances[pending.instance.0].clock.active;
        let mut pairs = Vec::new();
        value.zip(&pending.states, &mut |&value, &state| pairs.push((value, state)));
        for (value, state) in pairs {
            let variable = self.system.state(state).variable;
            let next = active.map_or(value, |active| self.system.terms.ite(active, value, variable));
            self.system.states[state.index()].next = Some(next);
        }
        Ok(())
    }

    /// Where something stands, as the system says it.
    fn place(&self, span: Span) -> words::Span {
        let (start, end) = (self.source.position(span.start), self.source.position(span.end));
        words::Span { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }

    fn label(&self, name: String, span: Span) -> Label {
        Label::at(name, self.place(span))
    }

    /// `3:14`, for names of places.
    fn position(&self, span: Span) -> String {
        let position = self.source.position(span.start);
        format!("{}:{}", position.line, position.column)
    }

    fn refuse<T>(&self, span: Span, what: impl Into<String>) -> Made<T> {
        Err(Refusal { span, what: what.into(), wrong: false })
    }

    fn wrong<T>(&self, span: Span, what: impl Into<String>) -> Made<T> {
        Err(Refusal { span, what: what.into(), wrong: true })
    }

    fn unit_of(&self, instance: InstanceId) -> UnitId {
        self.instances[instance.0].unit
    }

    /// A constraint where the instance is active.
    fn constrain(&mut self, instance: InstanceId, term: TermId, name: &str, span: Span) {
        let term = self.when_active(instance, term);
        let label = self.label(format!("{}{name}", self.instances[instance.0].path), span);
        self.system.constraints.push(Named { term, label });
    }

    /// A property of the instance, where it is active.
    fn require(&mut self, instance: InstanceId, origin: Origin, term: TermId, name: &str, span: Span) {
        let term = self.when_active(instance, term);
        let bad = self.system.terms.not(term);
        let label = self.label(format!("{}{name}", self.instances[instance.0].path), span);
        let kind = if origin == Origin::Goal { PropertyKind::Cover } else { PropertyKind::Invariant };
        self.system.properties.push(Property { bad, kind, label });
        self.origins.push(origin);
    }

    fn when_active(&mut self, instance: InstanceId, term: TermId) -> TermId {
        match self.instances[instance.0].clock.active {
            Some(active) => self.system.terms.implies(active, term),
            None => term,
        }
    }

    /// low ≤ x ≤ high
    fn in_range(&mut self, scalar: &Scalar, x: TermId) -> TermId {
        let terms = &mut self.system.terms;
        let mut parts = Vec::new();
        if let Some(low) = &scalar.low {
            let low = terms.int(low.clone());
            parts.push(terms.app(Op::Le, &[low, x]));
        }
        if let Some(high) = &scalar.high {
            let high = terms.int(high.clone());
            parts.push(terms.app(Op::Le, &[x, high]));
        }
        terms.all(&parts)
    }

    /// The value of a term that no variable is in.
    fn closed(&self, term: TermId) -> Option<Value> {
        Evaluation::new(&self.system.terms).value(term)
    }

    /// A free value of this layout in every step, by name; its subranges are constraints.
    fn choice(&mut self, instance: InstanceId, name: &str, layout: &Tree<Scalar>, span: Span) -> Terms {
        let full = format!("{}{name}", self.instances[instance.0].path);
        if let Some(known) = self.choices.get(&full) {
            return known.clone();
        }
        let made = self.inputs(&full, layout, span);
        self.choices.insert(full, made.clone());
        made
    }

    /// Inputs of the system, with their subranges as constraints.
    fn inputs(&mut self, name: &str, layout: &Tree<Scalar>, span: Span) -> Terms {
        layout.map(&mut |scalar| {
            let label = self.label(format!("{name}{}", scalar.suffix), span);
            let variable = self.system.add_input(scalar.sort.clone(), label.clone());
            if scalar.is_ranged() {
                let term = self.in_range(scalar, variable);
                self.system.constraints.push(Named { term, label });
            }
            variable
        })
    }

    /// Free values that stay the same.
    fn constants(&mut self, name: &str, layout: &Tree<Scalar>, span: Span) -> Terms {
        layout.map(&mut |scalar| {
            let label = self.label(format!("{name}{}", scalar.suffix), span);
            let state = self.system.add_state(scalar.sort.clone(), label.clone());
            let variable = self.system.state(state).variable;
            self.system.states[state.index()].next = Some(variable);
            if scalar.is_ranged() {
                let term = self.in_range(scalar, variable);
                self.system.constraints.push(Named { term, label });
            }
            variable
        })
    }

    /// The conjunction of clauses of a contract.
    fn clauses(&mut self, instance: InstanceId, clauses: &[Clause]) -> Made<TermId> {
        let mut parts = Vec::new();
        for clause in clauses {
            parts.push(*self.single(instance, clause.value, &[])?.leaf());
        }
        Ok(self.system.terms.all(&parts))
    }
}
