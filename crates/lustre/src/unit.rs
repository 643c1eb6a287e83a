//! A node or a contract, resolved: what later phases read instead of the syntax tree.
//!
//! Variables are numbered, blocks have become equations, and every name has a meaning. The parts of a
//! contract and of a body look alike, so that one definition serves nodes, functions and contracts.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, Clause, Clock, ExprId, Ident, Name, NodeKind};
use crate::source::Span;
use crate::types::{Type, TypeId};

/// A unit: its place in [`Program::units`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UnitId(pub u32);

/// A variable of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

impl Slot {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Input,
    Output,
    Local,
    Constant,
    Ghost,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: Ident,
    pub ty: Type,
    pub role: Role,
    /// A `const` input or a local constant: the same in every step.
    pub constant: bool,
    pub clock: Clock,
    /// The equation that defines it, and which of its flows it is.
    pub defined: Option<(usize, usize)>,
    /// It is free, and its equation a constraint: see [`crate::causality`].
    pub cut: bool,
}

#[derive(Clone, Debug)]
pub struct UnitEquation {
    pub targets: Vec<(Slot, Vec<Ident>)>,
    pub value: ExprId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct UnitProperty {
    pub name: Name,
    /// Whether its violation is wanted.
    pub goal: bool,
    pub value: ExprId,
    pub provided: Option<ExprId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Mode {
    pub name: Ident,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
}

/// `import C(args) returns (outs)`
#[derive(Clone, Debug)]
pub struct Import {
    pub unit: UnitId,
    pub types: Vec<Type>,
    pub args: Vec<ExprId>,
    pub outs: Vec<Slot>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Unit {
    pub name: Ident,
    /// `None` for a contract.
    pub kind: Option<NodeKind>,
    pub imported: bool,
    pub recursive: bool,
    pub params: Vec<Name>,
    pub vars: Vec<Var>,
    pub num_inputs: usize,
    pub num_outputs: usize,
    pub equations: Vec<UnitEquation>,
    pub asserts: Vec<(ExprId, Span)>,
    pub properties: Vec<UnitProperty>,
    pub assumes: Vec<Clause>,
    pub guarantees: Vec<Clause>,
    pub modes: Vec<Mode>,
    pub imports: Vec<Import>,
    pub main: Option<Span>,
    pub ivc: Vec<Ident>,
    /// A construct that is read and type-checked but has no meaning here.
    pub unsupported: Option<(Span, String)>,
}

impl Unit {
    pub fn inputs(&self) -> &[Var] {
        &self.vars[..self.num_inputs]
    }

    pub fn outputs(&self) -> &[Var] {
        &self.vars[self.num_inputs..self.num_inputs + self.num_outputs]
    }

    pub fn output_slot(&self, number: usize) -> Slot {
        Slot((self.num_inputs + number) as u32)
    }

    pub fn var(&self, slot: Slot) -> &Var {
        &self.vars[slot.index()]
    }

    pub fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.vars.len() as u32).map(Slot)
    }
}

/// A constant of the file.
#[derive(Debug)]
pub struct Const {
    pub name: Ident,
    pub ty: Type,
    pub value: Option<ExprId>,
}

/// The built-in functions of JKind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    Floor,
    /// `sqrt`, `sin`, …: read, never given a meaning.
    Nonlinear,
}

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    None,
    Var(Slot),
    /// A number that an array equation or a quantifier binds.
    Bound,
    /// A value that a quantifier, a pattern or a refinement binds.
    Binder,
    Const(u32),
    EnumValue(TypeId, u32),
    Constructor(TypeId, u32),
    Unit(UnitId),
    Builtin(Builtin),
}

/// A declared type, resolved.
#[derive(Debug)]
pub struct TypeInfo {
    pub name: Ident,
    pub params: Vec<Name>,
    pub body: TypeInfoBody,
}

#[derive(Debug)]
pub enum TypeInfoBody {
    Free,
    Alias,
    Enum(Vec<Ident>),
    Record(Vec<(Ident, Type)>),
    Data(Vec<(Ident, Vec<(Ident, Type)>)>),
}

/// A model that was read and checked.
#[derive(Debug)]
pub struct Program {
    pub ast: Ast,
    pub types: Vec<TypeInfo>,
    pub consts: Vec<Const>,
    pub units: Vec<Unit>,
    pub main: UnitId,
    /// The type of each expression.
    pub type_of: Vec<Type>,
    /// The meaning of the name at the head of each expression.
    pub meanings: Vec<Meaning>,
    /// The type arguments of calls and constructors of parametric units and types.
    pub type_args: FxHashMap<ExprId, Vec<Type>>,
    /// For each unit its variables so that each comes after those it needs in the same step.
    pub orders: Vec<Vec<Slot>>,
    /// The `pre`s whose value in the first step nobody reads.
    pub guarded: FxHashSet<ExprId>,
}

impl Unit {
    /// All that it says, as expressions.
    pub fn expressions(&self) -> Vec<ExprId> {
        let clauses = self.assumes.iter().chain(&self.guarantees);
        let modes = self.modes.iter().flat_map(|mode| mode.requires.iter().chain(&mode.ensures));
        let mut all: Vec<ExprId> = clauses.chain(modes).map(|clause| clause.value).collect();
        all.extend(self.equations.iter().map(|equation| equation.value));
        all.extend(self.asserts.iter().map(|&(value, _)| value));
        all.extend(self.properties.iter().flat_map(|p| [Some(p.value), p.provided]).flatten());
        all.extend(self.imports.iter().flat_map(|import| import.args.iter().copied()));
        all
    }
}

impl Program {
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[id.0 as usize]
    }

    pub fn ty(&self, id: ExprId) -> &Type {
        &self.type_of[id.0 as usize]
    }

    pub fn meaning(&self, id: ExprId) -> Meaning {
        self.meanings[id.0 as usize]
    }

    pub fn type_info(&self, id: TypeId) -> &TypeInfo {
        &self.types[id.0 as usize]
    }

    /// Which of several expressions gives a flow, and which of its flows it is.
    pub fn part(&self, parts: &[ExprId], mut flow: usize) -> Option<(ExprId, usize)> {
        for &part in parts {
            let flows = self.ty(part).flows().len();
            if flow < flows {
                return Some((part, flow));
            }
            flow -= flows;
        }
        None
    }

    /// The place of a field in its record.
    pub fn field_number(&self, ty: &Type, field: &Ident) -> usize {
        let Type::Record(id, _) = ty.base() else { unreachable!("the checker saw a record") };
        let TypeInfoBody::Record(fields) = &self.type_info(*id).body else { unreachable!("a record") };
        fields.iter().position(|(name, _)| name.name == field.name).expect("the checker found the field")
    }
}

/// Where a mode stands: the imports to go through, then the mode of the last unit.
pub type ModePlace = (Vec<usize>, usize);

/// The mode that `::C::m` names in a unit.
pub fn find_mode(units: &[Unit], unit: &Unit, path: &[Ident]) -> Option<ModePlace> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return Some((Vec::new(), unit.modes.iter().position(|mode| mode.name.name == first.name)?));
    }
    let through = |(at, import): (usize, &Import)| {
        let inner = &units[import.unit.0 as usize];
        if inner.name.name != first.name {
            return None;
        }
        let (mut imports, mode) = find_mode(units, inner, rest)?;
        imports.insert(0, at);
        Some((imports, mode))
    };
    unit.imports.iter().enumerate().find_map(through)
}
