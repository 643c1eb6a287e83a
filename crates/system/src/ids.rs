//! Typed indices, and the elements that a validity core is made of.

use std::collections::BTreeSet;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            pub fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("ids fit 32 bits"))
            }

            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use id;

id!(
    /// An input, in the order of the file.
    InputId
);
id!(
    /// A latch, in the order of the file.
    LatchId
);
id!(
    /// A property, in the order of the file.
    PropertyId
);
id!(
    /// A part of the model that a proof may need: see [`ElementKind`].
    ElementId
);

pub type ElementSet = BTreeSet<ElementId>;

/// An element of a [`BitSystem`](crate::BitSystem): a latch (its next-state function and its reset together), or a
/// constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementKind {
    Latch(LatchId),
    Constraint(usize),
}

/// Where an element comes from, in the user's words. Computed on demand: a system of ten million gates
/// stores none of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The symbol of the file, or the position such as `l3`.
    pub name: String,
    pub kind: ElementKind,
}
