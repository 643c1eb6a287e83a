//! The strongest conjecture C_M that the states seen so far allow, kept compact: equalities to representatives,
//! and a base of the order between these (Definition 2 and Section 3).

use buttress_term::Value;

use super::chains::Numbers;
use super::dag::Dag;
use super::lanes::Lanes;
use super::order::{Order, Template};

/// A conjunct between two terms of a family, by their places in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    Equal(usize, usize),
    Below(usize, usize),
}

/// The values of a family's terms, in one state or, where there are two values, in several.
#[derive(Clone, Debug)]
pub enum Values {
    Binary(Lanes),
    Many(Vec<Value>),
}

impl Values {
    fn binary(&self) -> &Lanes {
        match self {
            Values::Binary(values) => values,
            Values::Many(_) => panic!("values are of the family that they are for"),
        }
    }

    fn many(&self) -> &[Value] {
        match self {
            Values::Many(values) => values,
            Values::Binary(_) => panic!("values are of the family that they are for"),
        }
    }
}

/// The conjectures about one family of terms.
#[derive(Clone)]
pub enum Family {
    Binary(Dag),
    Many(Numbers<Template>),
}

impl Family {
    /// Before any state was seen: all terms are equal.
    pub fn new(template: Template, terms: usize) -> Family {
        match template {
            Template::Implies => Family::Binary(Dag::new(terms)),
            _ => Family::Many(Numbers::new(template, terms)),
        }
    }

    /// Gives up what these states contradict. One that refutes no atom of C_M refutes nothing that follows from
    /// them: it need not be remembered.
    fn refine<'v>(&mut self, states: impl Iterator<Item = &'v Values>) {
        match self {
            Family::Binary(dag) => {
                let states: Vec<&Lanes> =
                    states.map(Values::binary).filter(|values| dag.is_refuted(values)).collect();
                if !states.is_empty() {
                    dag.refine_all(&states);
                }
            }
            Family::Many(numbers) => {
                for values in states.map(Values::many) {
                    if numbers.is_refuted(values) {
                        numbers.refine(values);
                    }
                }
            }
        }
    }

    /// C_M.
    pub fn atoms(&self) -> Vec<Atom> {
        let equal = |(a, b)| Atom::Equal(a, b);
        let below = |(a, b)| Atom::Below(a, b);
        match self {
            Family::Binary(dag) => dag.classes.equalities().map(equal).chain(dag.base().map(below)).collect(),
            Family::Many(n) => n.classes.equalities().map(equal).chain(n.base().map(below)).collect(),
        }
    }

    /// Whether an atom follows from C_M.
    pub fn implies(&self, atom: Atom) -> bool {
        let below = |a, b| match self {
            Family::Binary(dag) => dag.below(a, b),
            Family::Many(numbers) => numbers.below(a, b),
        };
        match atom {
            Atom::Equal(a, b) => below(a, b) && below(b, a),
            Atom::Below(a, b) => below(a, b),
        }
    }

    /// Whether an atom fails in one of these states.
    pub fn is_falsified(&self, atom: Atom, values: &Values) -> bool {
        let below = |a: usize, b: usize| match (self, values) {
            (Family::Binary(_), Values::Binary(lanes)) => lanes.below(a, b),
            (Family::Many(numbers), Values::Many(values)) => numbers.order.below(&values[a], &values[b]),
            _ => panic!("values are of the family that they are for"),
        };
        match atom {
            Atom::Equal(a, b) => !below(a, b) || !below(b, a),
            Atom::Below(a, b) => !below(a, b),
        }
    }

    fn is_refuted(&self, values: &Values) -> bool {
        match self {
            Family::Binary(dag) => dag.is_refuted(values.binary()),
            Family::Many(numbers) => numbers.is_refuted(values.many()),
        }
    }

    fn reduce(&mut self) {
        if let Family::Binary(dag) = self {
            dag.reduce();
        }
    }

    /// Classes, and the length of the longest chain that is known.
    pub fn size(&self) -> (usize, usize) {
        match self {
            Family::Binary(dag) => (dag.classes.len(), super::height(&dag.above)),
            Family::Many(n) => (n.classes.len(), n.sorted.chains.iter().map(Vec::len).max().unwrap_or(0)),
        }
    }
}

/// The conjectures about all families: the conjunction.
#[derive(Clone)]
pub struct Conjectured(pub Vec<Family>);

impl Conjectured {
    /// Gives up what these states contradict, each of them the values of all families.
    pub fn refine(&mut self, states: &[Vec<Values>]) {
        for (number, family) in self.0.iter_mut().enumerate() {
            family.refine(states.iter().map(|values| &values[number]));
        }
    }

    pub fn is_refuted(&self, values: &[Values]) -> bool {
        self.0.iter().zip(values).any(|(family, values)| family.is_refuted(values))
    }

    pub fn reduce(&mut self) {
        self.0.iter_mut().for_each(Family::reduce);
    }

    /// All atoms, with their families.
    pub fn atoms(&self) -> Vec<(usize, Atom)> {
        let numbered = self.0.iter().enumerate();
        numbered.flat_map(|(f, family)| family.atoms().into_iter().map(move |a| (f, a))).collect()
    }
}
