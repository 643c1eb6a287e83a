//! How structured values lie in scalars: a record is its fields, an array its elements, in order.

use buttress_term::{Sort, Value};
use num_bigint::BigInt;

use crate::ast::{Clause, Name};
use crate::data::{Case, cases, tag};
use crate::table::show;
use crate::types::{Bound, Type, TypeId};
use crate::unit::{Program, TypeInfoBody};

/// A value or a type with its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tree<T> {
    Leaf(T),
    Parts(Vec<Tree<T>>),
}

impl<T> Tree<T> {
    pub fn leaf(&self) -> &T {
        match self {
            Tree::Leaf(leaf) => leaf,
            Tree::Parts(_) => unreachable!("a scalar has no parts"),
        }
    }

    pub fn parts(&self) -> &[Tree<T>] {
        match self {
            Tree::Parts(parts) => parts,
            Tree::Leaf(_) => unreachable!("a structure has parts"),
        }
    }

    /// How many parts there are, itself included.
    pub fn size(&self) -> usize {
        match self {
            Tree::Leaf(_) => 1,
            Tree::Parts(parts) => 1 + parts.iter().map(Tree::size).sum::<usize>(),
        }
    }

    pub fn map<U>(&self, change: &mut dyn FnMut(&T) -> U) -> Tree<U> {
        match self {
            Tree::Leaf(leaf) => Tree::Leaf(change(leaf)),
            Tree::Parts(parts) => Tree::Parts(parts.iter().map(|part| part.map(change)).collect()),
        }
    }

    /// Leaf by leaf; both have the same parts.
    pub fn zip<U, V>(&self, other: &Tree<U>, join: &mut dyn FnMut(&T, &U) -> V) -> Tree<V> {
        match (self, other) {
            (Tree::Leaf(a), Tree::Leaf(b)) => Tree::Leaf(join(a, b)),
            (Tree::Parts(a), Tree::Parts(b)) => {
                assert_eq!(a.len(), b.len(), "values of one type have the same parts");
                Tree::Parts(a.iter().zip(b).map(|(a, b)| a.zip(b, join)).collect())
            }
            _ => unreachable!("values of one type have the same parts"),
        }
    }
}

/// A scalar of a structured variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// The suffix of the variable's name: `.f`, `[2]`.
    pub suffix: String,
    pub sort: Sort,
    /// The bounds of a subrange.
    pub low: Option<BigInt>,
    pub high: Option<BigInt>,
    /// A machine integer with a sign.
    pub signed: bool,
    /// It is the same in every step.
    pub constant: bool,
}

impl Scalar {
    pub fn is_ranged(&self) -> bool {
        self.low.is_some() || self.high.is_some()
    }

    /// A value as Lustre writes it: `true`, `-3`, `1/3`, the name of an enum's value.
    pub fn show(&self, value: &Value) -> String {
        match value {
            Value::Word(word) if self.signed => word.to_signed().to_string(),
            Value::Word(word) => word.to_int().to_string(),
            other => show(other),
        }
    }

    /// Its type, as Lustre writes it.
    pub fn type_name(&self) -> String {
        match (&self.sort, &self.low, &self.high) {
            (Sort::Bool, ..) => "bool".into(),
            (Sort::Real, ..) => "real".into(),
            (Sort::Int, Some(low), Some(high)) => format!("subrange [{low}, {high}] of int"),
            (Sort::Int, ..) => "int".into(),
            (Sort::BitVec(width), ..) => format!("{}int{width}", if self.signed { "" } else { "u" }),
            (Sort::Enum(e), ..) => e.name.clone(),
            (other, ..) => other.to_string(),
        }
    }

    /// Some value that it admits.
    pub fn some_value(&self) -> Value {
        let zero = Value::zero(&self.sort);
        match (&self.low, &self.high) {
            _ if self.admits(&zero) => zero,
            (Some(low), _) if *low > BigInt::ZERO => Value::Int(low.clone()),
            (_, Some(high)) => Value::Int(high.clone()),
            _ => zero,
        }
    }

    /// Is the value of the subrange?
    pub fn admits(&self, value: &Value) -> bool {
        let Value::Int(n) = value else { return true };
        self.low.as_ref().is_none_or(|low| low <= n) && self.high.as_ref().is_none_or(|high| n <= high)
    }
}

/// A structure may have this many parts.
pub const LARGEST: usize = 1 << 18;

/// The numbers that types depend on, in some instance.
pub trait Numbers {
    fn number(&mut self, id: crate::ast::ExprId) -> Option<BigInt>;
}

/// The scalars of a type; the name of what has none here, otherwise.
pub fn layout(program: &Program, ty: &Type, numbers: &mut dyn Numbers) -> Result<Tree<Scalar>, String> {
    Layout { program, numbers, suffix: String::new(), scalars: 0, inside: Vec::new() }.tree(ty)
}

struct Layout<'a> {
    program: &'a Program,
    numbers: &'a mut dyn Numbers,
    suffix: String,
    scalars: usize,
    /// The datatypes that the part is in.
    inside: Vec<TypeId>,
}

impl Layout<'_> {
    fn scalar(&self, sort: Sort) -> Tree<Scalar> {
        let suffix = self.suffix.clone();
        Tree::Leaf(Scalar { suffix, sort, low: None, high: None, signed: false, constant: false })
    }

    fn bound(&mut self, bound: &Bound) -> Result<Option<BigInt>, String> {
        match bound {
            Bound::Open => Ok(None),
            Bound::Known(n) => Ok(Some(n.clone())),
            Bound::Expr(id) => self
                .numbers
                .number(*id)
                .map(Some)
                .ok_or("a subrange with bounds that are not constant".into()),
        }
    }

    fn part(&mut self, suffix: &str, ty: &Type) -> Result<Tree<Scalar>, String> {
        let length = self.suffix.len();
        self.suffix += suffix;
        let tree = self.tree(ty);
        self.suffix.truncate(length);
        tree
    }

    fn tree(&mut self, ty: &Type) -> Result<Tree<Scalar>, String> {
        self.scalars += 1;
        if self.scalars > LARGEST {
            return Err(format!("structures of more than {LARGEST} parts"));
        }
        Ok(match ty {
            Type::Bool => self.scalar(Sort::Bool),
            Type::Int => self.scalar(Sort::Int),
            Type::Real => self.scalar(Sort::Real),
            Type::Machine(machine) => self
                .scalar(Sort::BitVec(machine.width))
                .map(&mut |scalar| Scalar { signed: machine.signed, ..scalar.clone() }),
            Type::Data(id, _) => match cases(self.program, ty) {
                Some(cases) => self.datatype(*id, &cases)?,
                None => self.scalar(enumeration(self.program, *id)?),
            },
            Type::Enum(id) => self.scalar(enumeration(self.program, *id)?),
            Type::Range(low, high) => {
                let (low, high) = (self.bound(low)?, self.bound(high)?);
                Tree::Leaf(Scalar {
                    suffix: self.suffix.clone(),
                    sort: Sort::Int,
                    low,
                    high,
                    signed: false,
                    constant: false,
                })
            }
            Type::Record(id, args) => {
                let info = self.program.type_info(*id);
                let TypeInfoBody::Record(fields) = &info.body else { unreachable!("a record has fields") };
                let part = |(name, ty): &(crate::ast::Ident, Type)| {
                    self.part(&format!(".{}", name.name), &ty.substitute(&info.params, args))
                };
                Tree::Parts(fields.iter().map(part).collect::<Result<_, _>>()?)
            }
            Type::Tuple(parts) | Type::List(parts) => {
                let part = |(at, ty): (usize, &Type)| self.part(&format!("[{at}]"), ty);
                Tree::Parts(parts.iter().enumerate().map(part).collect::<Result<_, _>>()?)
            }
            Type::Array(element, size) => {
                let size = self.size(*size)?;
                let part = |at: usize| self.part(&format!("[{at}]"), element);
                Tree::Parts((0..size).map(part).collect::<Result<_, _>>()?)
            }
            Type::Refined(..) if !self.inside.is_empty() => {
                return Err("refinement types inside of datatypes".into());
            }
            Type::Refined(base, ..) => self.tree(base)?,
            Type::Set(_) => return Err("sets".into()),
            Type::Map(..) => return Err("maps".into()),
            Type::Free(_) => return Err("types without a definition".into()),
            Type::Param(_) => return Err("type parameters of the main node".into()),
            Type::Meta(_) | Type::Error => return Err("a type that is not known".into()),
        })
    }

    /// The constructor, then the arguments of each.
    fn datatype(&mut self, id: TypeId, cases: &[Case]) -> Result<Tree<Scalar>, String> {
        if self.inside.contains(&id) {
            return Err("datatypes that contain themselves".into());
        }
        self.inside.push(id);
        let mut parts = vec![self.scalar(tag(self.program, id, cases))];
        for case in cases {
            let field = |(name, ty): &(crate::ast::Ident, Type)| {
                self.part(&format!(".{}.{}", case.name.name, name.name), ty)
            };
            parts.push(Tree::Parts(case.fields.iter().map(field).collect::<Result<_, _>>()?));
        }
        self.inside.pop();
        Ok(Tree::Parts(parts))
    }

    fn size(&mut self, size: crate::types::Size) -> Result<usize, String> {
        let number = match size {
            crate::types::Size::Known(n) => return Ok(n),
            crate::types::Size::Expr(id) => self.numbers.number(id),
        };
        let fits = number.and_then(|n| usize::try_from(n).ok()).filter(|n| (1..=1 << 20).contains(n));
        fits.ok_or("arrays whose size is not a constant".into())
    }
}

/// An enum, or a data type whose constructors have no arguments.
pub fn enumeration(program: &Program, id: crate::types::TypeId) -> Result<Sort, String> {
    let info = program.type_info(id);
    let name = info.name.name.to_string();
    match &info.body {
        TypeInfoBody::Enum(values) => Ok(Sort::enumeration(name, values.iter().map(|v| v.name.to_string()))),
        TypeInfoBody::Data(constructors) if constructors.iter().all(|(_, fields)| fields.is_empty()) => {
            Ok(Sort::enumeration(name, constructors.iter().map(|(c, _)| c.name.to_string())))
        }
        _ => Err("datatypes whose constructors have arguments".into()),
    }
}

/// The type of an expression in an instance.
pub fn instance_type(
    program: &Program,
    id: crate::ast::ExprId,
    unit: &crate::unit::Unit,
    types: &[Type],
) -> Type {
    let ty = program.ty(id);
    if unit.params.is_empty() { ty.clone() } else { ty.substitute(&unit.params, types) }
}

/// How calls are told apart: the calls of each unit are numbered for each callee, in the order of the text.
pub fn call_numbers(program: &Program) -> Vec<u32> {
    let mut numbers = vec![0; program.ast.exprs.len()];
    let mut seen: rustc_hash::FxHashMap<(crate::source::Span, crate::unit::UnitId), u32> =
        rustc_hash::FxHashMap::default();
    let mut owners = vec![crate::source::Span::default(); program.ast.exprs.len()];
    for unit in &program.units {
        let mut todo = roots(unit);
        while let Some(id) = todo.pop() {
            owners[id.0 as usize] = unit.name.span;
            program.ast.kind(id).each_child(&mut |child| todo.push(child));
        }
    }
    let mut calls: Vec<(u32, usize)> = Vec::new();
    for at in 0..program.ast.exprs.len() {
        if let crate::unit::Meaning::Unit(_) = program.meanings[at] {
            calls.push((program.ast.exprs[at].span.start, at));
        }
    }
    calls.sort_unstable();
    for (_, at) in calls {
        let crate::unit::Meaning::Unit(callee) = program.meanings[at] else { continue };
        let number = seen.entry((owners[at], callee)).or_insert(0);
        numbers[at] = *number;
        *number += 1;
    }
    numbers
}

/// All expressions of a unit that are no part of another one.
pub fn roots(unit: &crate::unit::Unit) -> Vec<crate::ast::ExprId> {
    let modes = unit.modes.iter().flat_map(|mode| mode.requires.iter().chain(&mode.ensures));
    let clauses = unit.assumes.iter().chain(&unit.guarantees).chain(modes).map(|clause| clause.value);
    let equations = unit.equations.iter().map(|equation| equation.value);
    let asserts = unit.asserts.iter().map(|&(value, _)| value);
    let properties =
        unit.properties.iter().flat_map(|property| [Some(property.value), property.provided]).flatten();
    let imports = unit.imports.iter().flat_map(|import| import.args.iter().copied());
    clauses.chain(equations).chain(asserts).chain(properties).chain(imports).collect()
}

/// `assume[1]`, or the name that the user gave.
pub fn clause_name(kind: &str, clause: &Clause, number: usize) -> String {
    match &clause.name {
        Some(name) => name.to_string(),
        None => format!("{kind}[{}]", number + 1),
    }
}

/// `[0][2]` for the index variables of an array equation.
pub fn bound_name(bound: &[(Name, BigInt)]) -> String {
    bound.iter().map(|(_, n)| format!("[{n}]")).collect()
}
