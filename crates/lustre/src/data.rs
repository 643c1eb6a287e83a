//! Datatypes whose constructors have arguments: how their values lie in scalars.
//!
//! A value is its constructor, and then the arguments of every constructor, of which only its own mean something.
//! So two values are equal if their constructors are and the arguments of that one are. A field that is selected
//! of another constructor is any value. Datatypes that contain themselves have no layout.

use buttress_term::Sort;

use crate::ast::{Ident, Pattern};
use crate::types::{Type, TypeId};
use crate::unit::{Program, TypeInfoBody};

/// A constructor with its arguments.
pub struct Case {
    pub name: Ident,
    pub fields: Vec<(Ident, Type)>,
}

/// The constructors of a datatype, where some of them have arguments.
pub fn cases(program: &Program, ty: &Type) -> Option<Vec<Case>> {
    let Type::Data(id, args) = ty.base() else { return None };
    let info = program.type_info(*id);
    let TypeInfoBody::Data(constructors) = &info.body else { return None };
    if constructors.iter().all(|(_, fields)| fields.is_empty()) {
        return None;
    }
    let field = |(name, ty): &(Ident, Type)| (name.clone(), ty.substitute(&info.params, args));
    let case = |(name, fields): &(Ident, Vec<(Ident, Type)>)| Case {
        name: name.clone(),
        fields: fields.iter().map(field).collect(),
    };
    Some(constructors.iter().map(case).collect())
}

/// Does a type have such datatypes anywhere?
pub fn has_cases(program: &Program, ty: &Type) -> bool {
    match ty.base() {
        Type::Data(..) => cases(program, ty).is_some(),
        Type::Tuple(parts) | Type::List(parts) => parts.iter().any(|part| has_cases(program, part)),
        Type::Record(..) => part_types(program, ty, 0).iter().any(|part| has_cases(program, part)),
        Type::Array(element, _) => has_cases(program, element),
        _ => false,
    }
}

/// Its constructors as an enumeration.
pub fn tag(program: &Program, id: TypeId, cases: &[Case]) -> Sort {
    let name = program.type_info(id).name.name.to_string();
    Sort::enumeration(name, cases.iter().map(|case| case.name.name.to_string()))
}

/// Which constructor has a field, and which of its fields it is.
pub fn place(cases: &[Case], field: &Ident) -> (usize, usize) {
    let in_case = |case: &Case| case.fields.iter().position(|(name, _)| name.name == field.name);
    let found = cases.iter().enumerate().find_map(|(number, case)| Some((number, in_case(case)?)));
    found.expect("the checker found the field")
}

/// The constructor, or the value of an enumeration, that a pattern names; a variable names none.
pub fn named(program: &Program, ty: &Type, pattern: &Pattern) -> Option<usize> {
    let is = |name: &Ident| name.name == pattern.name.name;
    let (Type::Enum(id) | Type::Data(id, _)) = ty.base() else { return None };
    match &program.type_info(*id).body {
        TypeInfoBody::Enum(values) => values.iter().position(is),
        TypeInfoBody::Data(constructors) => constructors.iter().position(|(name, _)| is(name)),
        _ => None,
    }
}

/// The types of the direct parts of a structure that is no datatype.
pub fn part_types(program: &Program, ty: &Type, parts: usize) -> Vec<Type> {
    match ty.base() {
        Type::Record(id, args) => {
            let info = program.type_info(*id);
            let TypeInfoBody::Record(fields) = &info.body else { unreachable!("a record has fields") };
            fields.iter().map(|(_, ty)| ty.substitute(&info.params, args)).collect()
        }
        Type::Tuple(types) | Type::List(types) => types.to_vec(),
        Type::Array(element, _) => vec![(**element).clone(); parts],
        _ => unreachable!("only structures have parts"),
    }
}
