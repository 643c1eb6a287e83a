//! Names and types.
//!
//! First the declarations are collected, so that their order in the file does not matter. Then each unit's
//! variables get types, and at last all expressions. Type parameters and empty collections are solved by
//! unification ([`infer`]); there is no coercion between `int` and `real`.
//!
//! Each mistake is reported once: an expression with an error has the type [`Type::Error`], which fits all.

mod constant;
mod expr;
mod infer;
mod resolve;
mod units;

use std::cell::RefCell;

use constant::Known;
pub(crate) use constant::euclidean;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, ExprId, Name, NodeKind, TypeBody};
use crate::source::{Findings, Span};
use crate::types::{Type, TypeId};
use crate::unit::{Const, Meaning, Program, Role, Slot, TypeInfo, Unit, UnitId};

/// A name of the whole file that is a value.
#[derive(Clone, Copy)]
enum Global {
    Const(u32),
    Enum(TypeId, u32),
    Constructor(TypeId, u32),
}

pub(crate) struct Checker<'a> {
    ast: &'a Ast,
    findings: &'a mut Findings,
    type_names: FxHashMap<Name, TypeId>,
    values: FxHashMap<Name, Global>,
    node_names: FxHashMap<Name, UnitId>,
    contract_names: FxHashMap<Name, UnitId>,
    types: Vec<TypeInfo>,
    /// The type that each alias stands for, in terms of its parameters.
    aliases: Vec<Option<Type>>,
    resolving: Vec<bool>,
    consts: Vec<Const>,
    units: Vec<Unit>,
    metas: Vec<Option<Type>>,
    type_of: Vec<Type>,
    meanings: Vec<Meaning>,
    type_args: FxHashMap<ExprId, Vec<Type>>,
    scope: Scope,
    /// Numbers of constants, once they were asked for.
    known_consts: RefCell<FxHashMap<u32, Option<Known>>>,
}

/// A variable that an expression binds.
struct Local {
    name: Name,
    ty: Type,
    /// [`Meaning::Bound`] or [`Meaning::Binder`].
    meaning: Meaning,
}

/// The names in scope.
#[derive(Default)]
struct Scope {
    vars: FxHashMap<Name, Slot>,
    ghosts: FxHashMap<Name, Slot>,
    /// Type parameters.
    params: Vec<Name>,
    /// Bound variables, the innermost last.
    bound: Vec<Local>,
    /// Which unit this is; none for constants and types of the file.
    unit: Option<UnitId>,
    /// In a contract ghosts are visible.
    contract: bool,
    /// Why `pre` and nodes with memory may not stand here.
    stateless: Option<&'static str>,
}

impl Scope {
    fn local(&self, name: &str) -> Option<&Local> {
        self.bound.iter().rev().find(|local| *local.name == *name)
    }

    fn bind(&mut self, name: &Name, ty: &Type) {
        self.bound.push(Local { name: name.clone(), ty: ty.clone(), meaning: Meaning::Binder });
    }

    fn bind_number(&mut self, name: &Name, ty: &Type) {
        self.bound.push(Local { name: name.clone(), ty: ty.clone(), meaning: Meaning::Bound });
    }
}

/// Checks a file; with errors in `findings` the result is not to be used.
pub(crate) fn check(ast: Ast, findings: &mut Findings) -> Option<Program> {
    let mut checker = Checker::new(&ast, findings);
    checker.declare();
    checker.resolve_types();
    checker.declare_consts();
    checker.declare_units();
    checker.check_consts();
    checker.check_units();
    let main = checker.choose_main();
    checker.finish();
    let Checker { types, consts, units, type_of, meanings, type_args, .. } = checker;
    let main = main?;
    let (orders, guarded) = (Vec::new(), FxHashSet::default());
    Some(Program { ast, types, consts, units, main, type_of, meanings, type_args, orders, guarded })
}

impl<'a> Checker<'a> {
    fn new(ast: &'a Ast, findings: &'a mut Findings) -> Checker<'a> {
        let num_types = ast.types.len();
        Checker {
            ast,
            findings,
            type_names: FxHashMap::default(),
            values: FxHashMap::default(),
            node_names: FxHashMap::default(),
            contract_names: FxHashMap::default(),
            types: Vec::new(),
            aliases: vec![None; num_types],
            resolving: vec![false; num_types],
            consts: Vec::new(),
            units: Vec::new(),
            metas: Vec::new(),
            type_of: vec![Type::Error; ast.exprs.len()],
            meanings: vec![Meaning::None; ast.exprs.len()],
            type_args: FxHashMap::default(),
            scope: Scope::default(),
            known_consts: RefCell::default(),
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Type {
        self.findings.error(span, message);
        Type::Error
    }

    fn error_help(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Type {
        self.findings.error(span, message).help(help);
        Type::Error
    }

    /// All names of the file.
    fn declare(&mut self) {
        for (at, decl) in self.ast.types.iter().enumerate() {
            let id = TypeId(at as u32);
            if self.type_names.insert(decl.name.name.clone(), id).is_some() {
                self.error(decl.name.span, format!("the type '{}' is declared twice", decl.name.name));
            }
            match &decl.body {
                TypeBody::Enum(values) => {
                    for (number, value) in values.iter().enumerate() {
                        self.declare_value(&value.name, value.span, Global::Enum(id, number as u32));
                    }
                }
                TypeBody::Data(constructors) => {
                    for (number, constructor) in constructors.iter().enumerate() {
                        let global = Global::Constructor(id, number as u32);
                        self.declare_value(&constructor.name.name, constructor.name.span, global);
                    }
                }
                TypeBody::Free | TypeBody::Alias(_) | TypeBody::Record(_) => {}
            }
        }
        for (at, decl) in self.ast.consts.iter().enumerate() {
            self.declare_value(&decl.name.name, decl.name.span, Global::Const(at as u32));
        }
        let nodes = self.ast.nodes.len();
        for (at, node) in self.ast.nodes.iter().enumerate() {
            if self.node_names.insert(node.name.name.clone(), UnitId(at as u32)).is_some() {
                self.error(node.name.span, format!("the node '{}' is declared twice", node.name.name));
            }
        }
        for (at, contract) in self.ast.contracts.iter().enumerate() {
            let id = UnitId((nodes + at) as u32);
            if self.contract_names.insert(contract.name.name.clone(), id).is_some() {
                self.error(
                    contract.name.span,
                    format!("the contract '{}' is declared twice", contract.name.name),
                );
            }
        }
    }

    fn declare_value(&mut self, name: &Name, span: Span, global: Global) {
        if self.values.insert(name.clone(), global).is_some() {
            self.error(span, format!("'{name}' is declared twice: as a constant or a value of a type"));
        }
    }

    /// `--%MAIN`, or the last node that is not imported and no lemma.
    fn choose_main(&mut self) -> Option<UnitId> {
        let marked: Vec<(UnitId, Span)> = self
            .units
            .iter()
            .enumerate()
            .filter_map(|(at, unit)| Some((UnitId(at as u32), unit.main?)))
            .collect();
        if let [_, (second, span), ..] = marked[..] {
            let name = self.units[second.0 as usize].name.name.clone();
            let first = self.units[marked[0].0.0 as usize].name.name.clone();
            self.findings.warn(span, format!("'{name}' is a second main node; '{first}' is taken"));
        }
        let executes = |unit: &Unit| unit.kind.is_some_and(|kind| kind != NodeKind::Lemma) && !unit.imported;
        let last =
            |accept: &dyn Fn(&Unit) -> bool| self.units.iter().rposition(accept).map(|at| UnitId(at as u32));
        let marked = marked.first().map(|&(id, _)| id);
        let chosen = marked.or_else(|| last(&executes)).or_else(|| last(&|unit| unit.kind.is_some()));
        if chosen.is_none() && !self.findings.has_errors() {
            self.error(Span::default(), "there is no node in this file");
        }
        chosen
    }

    /// Puts what unification found into the tables.
    fn finish(&mut self) {
        for at in 0..self.type_of.len() {
            self.type_of[at] = self.zonk(&self.type_of[at]);
        }
        for at in 0..self.consts.len() {
            self.consts[at].ty = self.zonk(&self.consts[at].ty);
        }
        for at in 0..self.units.len() {
            for slot in 0..self.units[at].vars.len() {
                self.units[at].vars[slot].ty = self.zonk(&self.units[at].vars[slot].ty);
            }
        }
        let keys: Vec<ExprId> = self.type_args.keys().copied().collect();
        for key in keys {
            let args: Vec<Type> = self.type_args[&key].iter().map(|ty| self.zonk(ty)).collect();
            if args.iter().any(|ty| matches!(ty, Type::Meta(_))) {
                self.error_help(
                    self.ast.span(key),
                    "the type of this cannot be told",
                    "give type arguments: f@<int>(…)",
                );
            }
            self.type_args.insert(key, args);
        }
    }

    fn role_word(role: Role) -> &'static str {
        match role {
            Role::Input => "an input",
            Role::Output => "an output",
            Role::Local => "a local variable",
            Role::Constant => "a constant",
            Role::Ghost => "a ghost variable",
        }
    }
}
