//! Execution of the source, without a system: the second opinion about what a model means.
//!
//! A step evaluates every variable of every active instance by its equation, on demand, then all that `pre`
//! remembers. Nothing here knows of [`crate::lower`], and the two are compared on random executions. What they do
//! share: the checked [`Program`], the layout of structures in scalars, and the names of places in the text.
//!
//! Whatever is free (inputs, the start of `pre`, results of a division by zero, …) is asked of [`Choices`], by
//! name.

mod data;
mod eval;
mod live;
mod operators;
mod quantify;
mod random;
mod refine;

use std::cell::RefCell;

use buttress_term::Value;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::ast::{ExprId, Name};
pub use random::Random;

pub use crate::layout::Scalar;
use crate::layout::{Tree, call_numbers};
use crate::lower::Refusal;
use crate::source::{Source, Span};
use crate::unit::{Program, Role, Slot, UnitId};
use crate::{LustreModel, deep};

use live::Live;

/// The value of an expression in scalars.
type Values = Tree<Value>;
type Result<T> = std::result::Result<T, Refusal>;
/// The index variables of an array equation, with their values.
type Bound = [(Name, BigInt)];

/// Who decides what is free.
pub trait Choices {
    /// The value of this name in the current step. What its subrange does not admit violates a constraint.
    fn choose(&mut self, name: &str, scalar: &Scalar) -> Value;
}

/// The values of a step, by the names that the user knows.
#[derive(Clone, Default, Debug)]
pub struct Step {
    /// The variables of all active instances; those of the main node first.
    pub values: Vec<(String, Value)>,
    /// Assertions, assumptions and subranges of free values: does each hold?
    pub constraints: Vec<(String, bool)>,
    pub properties: Vec<(String, bool)>,
}

/// A variable of an instance, or a scalar of one.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its name in a [`Step`].
    pub full_name: String,
    /// The name of its instance; empty for the main node.
    pub path: String,
    pub unit: UnitId,
    /// Its name within its instance.
    pub name: String,
    pub role: Role,
    pub scalar: Scalar,
}

/// The operand of a `pre`, which must be evaluated before a step ends.
struct Remember {
    at: usize,
    value: ExprId,
    bound: Vec<(Name, BigInt)>,
    name: String,
}

/// An expression in an instance.
struct Later {
    at: usize,
    value: ExprId,
    bound: Vec<(Name, BigInt)>,
}

/// One execution of a model.
pub struct Interpreter<'m> {
    program: &'m Program,
    source: &'m Source,
    call_numbers: Vec<u32>,
    live: Vec<Live>,
    /// The instance of each call.
    calls: FxHashMap<(usize, ExprId, String), usize>,
    /// The remembered value of each `pre`.
    memory: FxHashMap<String, Values>,
    /// The last value of each output of a `condact`.
    held: FxHashMap<(String, usize), Values>,
    /// A `condact` that was never active.
    waiting: FxHashMap<String, bool>,
    /// Constants of the file, with their values.
    consts: FxHashMap<u32, Values>,
    known_consts: RefCell<FxHashMap<u32, Option<Value>>>,
    /// The variables that the enclosing refinement types, patterns and quantifiers bind, with their values.
    binders: Vec<(Name, Values)>,
    number: usize,
    /// The signals that occurred in the steps so far.
    signals: Vec<Signal>,
    now: Now,
}

/// The part of the interpreter's state that lasts for one step.
#[derive(Default)]
struct Now {
    elements: FxHashMap<(usize, Slot, Vec<usize>), Option<Values>>,
    remember: Vec<Remember>,
    remembered: FxHashMap<String, Values>,
    clocked: FxHashMap<(String, usize), Values>,
    /// Expressions that are evaluated at the end of the step, for the calls in them.
    later: Vec<Later>,
    waiting: FxHashMap<String, bool>,
    step: Step,
    seen: FxHashMap<String, ()>,
    /// Free values, each chosen once a step.
    chosen: FxHashMap<String, Values>,
}

impl<'m> Interpreter<'m> {
    /// Before the first step.
    pub fn new(model: &'m LustreModel) -> Interpreter<'m> {
        Interpreter {
            program: &model.program,
            source: &model.source,
            call_numbers: call_numbers(&model.program),
            live: Vec::new(),
            calls: FxHashMap::default(),
            memory: FxHashMap::default(),
            held: FxHashMap::default(),
            waiting: FxHashMap::default(),
            consts: FxHashMap::default(),
            known_consts: RefCell::default(),
            binders: Vec::new(),
            number: 0,
            signals: Vec::new(),
            now: Now::default(),
        }
    }

    /// Executes one step; what has no meaning here is refused, as by [`crate::lower`].
    pub fn step(&mut self, choices: &mut (dyn Choices + Send)) -> std::result::Result<Step, String> {
        deep::run(|| self.execute(choices)).map_err(|refusal| refusal.what)
    }

    /// All that was shown in the steps so far.
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// All that was shown in the steps so far: of the main node first, then instance by instance.
    pub fn into_signals(self) -> Vec<Signal> {
        self.signals
    }

    fn execute(&mut self, choices: &mut dyn Choices) -> Result<Step> {
        self.now = Now::default();
        self.live.iter_mut().for_each(Live::rest);
        if self.live.is_empty() {
            self.add_main()?;
        }
        self.live[0].enter(true, self.number == 0);
        self.enter_imports(0);
        let mut done = 0;
        loop {
            if done < self.live.len() {
                if self.live[done].active {
                    self.finish_live(done, choices)?;
                }
                done += 1;
            } else if let Some(late) = self.late_instance() {
                self.finish_live(late, choices)?;
            } else if let Some(later) = self.now.later.pop() {
                self.evaluate(later, choices)?;
            } else if let Some(remember) = self.now.remember.pop() {
                let value = self.whole(remember.at, remember.value, &remember.bound, choices)?;
                self.now.remembered.insert(remember.name, value);
            } else {
                break;
            }
        }
        self.number += 1;
        self.memory.extend(std::mem::take(&mut self.now.remembered));
        self.held.extend(std::mem::take(&mut self.now.clocked));
        self.waiting.extend(std::mem::take(&mut self.now.waiting));
        Ok(std::mem::take(&mut self.now.step))
    }

    /// An instance that became active after its turn: its call stands in a `pre`.
    fn late_instance(&self) -> Option<usize> {
        self.live.iter().position(|live| live.active && !live.finished)
    }

    fn position(&self, span: Span) -> String {
        let position = self.source.position(span.start);
        format!("{}:{}", position.line, position.column)
    }

    fn refuse<T>(&self, span: Span, what: impl Into<String>) -> Result<T> {
        Err(Refusal { span, what: what.into(), wrong: false })
    }

    /// Adds the subranges of a remembered value to the constraints of this step.
    fn within(&mut self, name: &str, layout: &Tree<Scalar>, known: &Values) {
        if self.now.seen.insert(name.to_string(), ()).is_some() {
            return;
        }
        layout.zip(known, &mut |scalar, value| {
            if scalar.is_ranged() {
                self.now.step.constraints.push((format!("{name}{}", scalar.suffix), scalar.admits(value)));
            }
        });
    }

    /// A free value, with its subranges as constraints of this step.
    fn choose(&mut self, name: &str, layout: &Tree<Scalar>, choices: &mut dyn Choices) -> Values {
        if let Some(known) = self.now.chosen.get(name) {
            return known.clone();
        }
        let chosen = layout.map(&mut |scalar| {
            let full = format!("{name}{}", scalar.suffix);
            let value = choices.choose(&full, scalar);
            if scalar.is_ranged() {
                self.now.step.constraints.push((full, scalar.admits(&value)));
            }
            value
        });
        self.now.chosen.insert(name.to_string(), chosen.clone());
        chosen
    }
}
