//! The store: every term once.
//!
//! A [`TermId`] is a position, and operands stand before what is made of them. So ids order a term's parts, a
//! copy of a store that was extended keeps all the ids of the original, and a walk over a term is a walk over
//! numbers, without recursion. Constructors share equal terms and check sorts; they rewrite nothing.

use std::fmt;
use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHasher};

use crate::op::{Arity, Indices, Op, Signature};
use crate::value::EnumValue;
use crate::{Sort, Value, Word};

/// A term of one [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    fn new(index: usize) -> TermId {
        TermId(u32::try_from(index).expect("a store holds less than 2^32 terms"))
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node of the term graph.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node<'a> {
    /// A variable with the name it was given. Two variables of one name are two variables.
    Variable(&'a str),
    Constant(&'a Value),
    Apply(Op, Indices, &'a [TermId]),
}

/// Operands that an operator does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TermError {
    pub op: Op,
    pub wanted: String,
    pub got: Vec<Sort>,
}

impl TermError {
    pub(crate) fn new(op: Op, wanted: impl Into<String>, got: &[&Sort]) -> TermError {
        TermError { op, wanted: wanted.into(), got: got.iter().map(|&sort| sort.clone()).collect() }
    }
}

impl fmt::Display for TermError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let got: Vec<String> = self.got.iter().map(Sort::to_string).collect();
        write!(f, "{:?} wants {}, not {}", self.op, self.wanted, got.join(", "))
    }
}

impl std::error::Error for TermError {}

/// The head of a term; the number of a variable or constant is its place in the list of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Head {
    Variable(u32),
    Constant(u32),
    Apply(Op, Indices),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    head: Head,
    sort: u32,
    /// Where its operands end in `operands`; they begin where those of the entry before end.
    end: u32,
}

/// Terms, each stored once.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    entries: Vec<Entry>,
    operands: Vec<TermId>,
    names: Vec<Box<str>>,
    values: Vec<Value>,
    sorts: Vec<Sort>,
    sort_ids: FxHashMap<Sort, u32>,
    value_ids: FxHashMap<Value, TermId>,
    applications: HashTable<TermId>,
}

fn hash_of(head: Head, operands: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    head.hash(&mut hasher);
    operands.hash(&mut hasher);
    hasher.finish()
}

impl Terms {
    pub fn new() -> Terms {
        Terms::default()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether all terms of `base` are here, under the same ids.
    pub fn extends(&self, base: &Terms) -> bool {
        let same = |t: TermId| self.sort(t) == base.sort(t) && self.node(t) == base.node(t);
        self.len() >= base.len() && base.ids().all(same)
    }

    /// All terms, operands before what is made of them.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = TermId> + ExactSizeIterator + use<> {
        (0..self.entries.len()).map(TermId::new)
    }

    pub fn sort(&self, term: TermId) -> &Sort {
        &self.sorts[self.entries[term.index()].sort as usize]
    }

    /// The width of a word.
    pub fn width(&self, term: TermId) -> Option<u32> {
        self.sort(term).width()
    }

    pub fn operands(&self, term: TermId) -> &[TermId] {
        let begin = term.index().checked_sub(1).map_or(0, |before| self.entries[before].end);
        &self.operands[begin as usize..self.entries[term.index()].end as usize]
    }

    pub fn node(&self, term: TermId) -> Node<'_> {
        match self.entries[term.index()].head {
            Head::Variable(name) => Node::Variable(&self.names[name as usize]),
            Head::Constant(value) => Node::Constant(&self.values[value as usize]),
            Head::Apply(op, indices) => Node::Apply(op, indices, self.operands(term)),
        }
    }

    pub fn is_variable(&self, term: TermId) -> bool {
        matches!(self.entries[term.index()].head, Head::Variable(_))
    }

    pub fn as_constant(&self, term: TermId) -> Option<&Value> {
        match self.node(term) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// A new variable, whatever others are called.
    pub fn variable(&mut self, name: impl Into<Box<str>>, sort: Sort) -> TermId {
        self.names.push(name.into());
        let head = Head::Variable(self.names.len() as u32 - 1);
        self.push(head, sort, &[])
    }

    pub fn constant(&mut self, value: impl Into<Value>) -> TermId {
        let value = value.into();
        if let Some(&known) = self.value_ids.get(&value) {
            return known;
        }
        self.values.push(value.clone());
        let term = self.push(Head::Constant(self.values.len() as u32 - 1), value.sort(), &[]);
        self.value_ids.insert(value, term);
        term
    }

    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(value)
    }

    /// A word; `n` is taken modulo 2^width.
    pub fn word(&mut self, n: u64, width: u32) -> TermId {
        self.constant(Word::from_u64(n, width))
    }

    pub fn int(&mut self, n: impl Into<BigInt>) -> TermId {
        self.constant(n.into())
    }

    /// The constant at this place of an enumeration.
    pub fn enum_constant(&mut self, sort: &Sort, index: u32) -> TermId {
        match sort {
            Sort::Enum(e) if (index as usize) < e.constants.len() => {
                self.constant(Value::Enum(EnumValue { sort: e.clone(), index }))
            }
            _ => panic!("{sort} has no constant {index}"),
        }
    }

    /// `op` applied to these operands.
    pub fn apply(&mut self, op: Op, operands: &[TermId]) -> Result<TermId, TermError> {
        self.apply_indexed(op, [0, 0], operands)
    }

    /// `(_ op i j)` applied to these operands.
    pub fn apply_indexed(
        &mut self,
        op: Op,
        indices: Indices,
        operands: &[TermId],
    ) -> Result<TermId, TermError> {
        match self.find(op, indices, operands) {
            Some(known) => Ok(known),
            None => {
                let sort = self.sort_of(op, indices, operands)?;
                Ok(self.insert(op, indices, operands, sort))
            }
        }
    }

    /// The array that holds `element` at every place of `index`.
    pub fn constant_array(&mut self, index: Sort, element: TermId) -> TermId {
        let sort = Sort::array(index, self.sort(element).clone());
        let indices = [self.sort_id(sort.clone()), 0];
        self.find(Op::ConstArray, indices, &[element])
            .unwrap_or_else(|| self.insert(Op::ConstArray, indices, &[element], sort))
    }

    /// λ parameter. body: the array that holds the body, which may read the parameter, at the place that is the
    /// parameter. The parameter is a variable that nothing else binds.
    pub fn lambda(&mut self, parameter: TermId, body: TermId) -> TermId {
        assert!(self.is_variable(parameter), "a lambda binds a variable");
        let sort = Sort::array(self.sort(parameter).clone(), self.sort(body).clone());
        let operands = [parameter, body];
        self.find(Op::Lambda, [0, 0], &operands)
            .unwrap_or_else(|| self.insert(Op::Lambda, [0, 0], &operands, sort))
    }

    fn find(&self, op: Op, indices: Indices, operands: &[TermId]) -> Option<TermId> {
        let head = Head::Apply(op, indices);
        let same = |&t: &TermId| self.entries[t.index()].head == head && self.operands(t) == operands;
        self.applications.find(hash_of(head, operands), same).copied()
    }

    fn insert(&mut self, op: Op, indices: Indices, operands: &[TermId], sort: Sort) -> TermId {
        let head = Head::Apply(op, indices);
        let term = self.push(head, sort, operands);
        let mut applications = std::mem::take(&mut self.applications);
        let rehash = |&t: &TermId| hash_of(self.entries[t.index()].head, self.operands(t));
        applications.insert_unique(hash_of(head, operands), term, rehash);
        self.applications = applications;
        term
    }

    fn sort_of(&self, op: Op, indices: Indices, operands: &[TermId]) -> Result<Sort, TermError> {
        let args: Vec<&Sort> = operands.iter().map(|&t| self.sort(t)).collect();
        let (fits, wanted) = match op.arity() {
            Arity::Exactly(n) => (args.len() == n, format!("{n} operands")),
            Arity::AtLeast(n) => (args.len() >= n, format!("at least {n} operands")),
        };
        if !fits {
            return Err(TermError::new(op, wanted, &args));
        }
        (op.row().sort)(&Signature { op, indices, args: &args })
    }

    fn push(&mut self, head: Head, sort: Sort, operands: &[TermId]) -> TermId {
        let term = TermId::new(self.entries.len());
        let sort = self.sort_id(sort);
        self.operands.extend_from_slice(operands);
        let end = u32::try_from(self.operands.len()).expect("a store holds less than 2^32 operands");
        self.entries.push(Entry { head, sort, end });
        term
    }

    fn sort_id(&mut self, sort: Sort) -> u32 {
        let next = self.sorts.len() as u32;
        let id = *self.sort_ids.entry(sort.clone()).or_insert(next);
        if id == next {
            self.sorts.push(sort);
        }
        id
    }
}

/// Constructors for those who know their sorts: a wrong one is a bug, and an assertion.
impl Terms {
    pub fn app(&mut self, op: Op, operands: &[TermId]) -> TermId {
        self.apply(op, operands).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    pub fn not(&mut self, a: TermId) -> TermId {
        self.app(Op::Not, &[a])
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.app(Op::And, &[a, b])
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.app(Op::Or, &[a, b])
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        self.app(Op::Implies, &[a, b])
    }

    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.app(Op::Eq, &[a, b])
    }

    pub fn ite(&mut self, condition: TermId, then: TermId, other: TermId) -> TermId {
        self.app(Op::Ite, &[condition, then, other])
    }

    /// Bits `low..=high`.
    pub fn extract(&mut self, word: TermId, high: u32, low: u32) -> TermId {
        let bits = self.apply_indexed(Op::BvExtract, [high, low], &[word]);
        bits.unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// The conjunction of a list: true of none, itself of one.
    pub fn all(&mut self, conjuncts: &[TermId]) -> TermId {
        match conjuncts {
            [] => self.bool(true),
            [one] => *one,
            _ => self.app(Op::And, conjuncts),
        }
    }

    /// The disjunction of a list: false of none, itself of one.
    pub fn any(&mut self, disjuncts: &[TermId]) -> TermId {
        match disjuncts {
            [] => self.bool(false),
            [one] => *one,
            _ => self.app(Op::Or, disjuncts),
        }
    }

    /// The word of one bit that is 1 if the Boolean is true.
    pub fn bool_to_bit(&mut self, a: TermId) -> TermId {
        let (one, zero) = (self.word(1, 1), self.word(0, 1));
        self.ite(a, one, zero)
    }

    /// Whether this word of one bit is 1.
    pub fn bit_to_bool(&mut self, a: TermId) -> TermId {
        let one = self.word(1, 1);
        self.eq(a, one)
    }
}

/// Walks.
impl Terms {
    /// The terms that these roots are made of, themselves included, operands first.
    pub fn cone(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
        let mut marked = vec![false; self.entries.len()];
        let mut cone = Vec::new();
        let mut todo: Vec<TermId> = roots.into_iter().collect();
        while let Some(term) = todo.pop() {
            if !std::mem::replace(&mut marked[term.index()], true) {
                cone.push(term);
                todo.extend_from_slice(self.operands(term));
            }
        }
        cone.sort_unstable();
        cone
    }

    /// The variables that these roots read and that no lambda of theirs binds, in the order of their making.
    pub fn free_variables(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
        let roots: Vec<TermId> = roots.into_iter().collect();
        let cone = self.cone(roots.iter().copied());
        if cone.iter().any(|&t| matches!(self.entries[t.index()].head, Head::Apply(Op::Lambda, _))) {
            let mut variables: Vec<TermId> = roots.iter().flat_map(|&root| self.unbound(root)).collect();
            variables.sort_unstable();
            variables.dedup();
            return variables;
        }
        cone.into_iter().filter(|&t| self.is_variable(t)).collect()
    }

    /// The roots with terms replaced, all at once: what is put in is not searched again. A term and its
    /// replacement have one sort.
    pub fn substitute(&mut self, roots: &[TermId], by: &FxHashMap<TermId, TermId>) -> Vec<TermId> {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in self.cone(roots.iter().copied()) {
            let new = match by.get(&term) {
                Some(&new) => {
                    assert_eq!(self.sort(term), self.sort(new), "a replacement has the same sort");
                    new
                }
                None => self.rebuilt(term, &image),
            };
            image.insert(term, new);
        }
        roots.iter().map(|root| image[root]).collect()
    }

    /// The image of a root under a replacement that is extended by all that is below the root: for many roots
    /// under one replacement, each term once.
    pub fn image(&mut self, root: TermId, image: &mut FxHashMap<TermId, TermId>) -> TermId {
        let mut todo = vec![root];
        while let Some(&term) = todo.last() {
            let before = todo.len();
            if !image.contains_key(&term) {
                todo.extend(self.operands(term).iter().filter(|t| !image.contains_key(t)));
                if todo.len() > before {
                    continue;
                }
                let new = self.rebuilt(term, image);
                image.insert(term, new);
            }
            todo.pop();
        }
        image[&root]
    }

    /// A term of another store, whose first `common` terms are those of this one. It reads no other variables.
    pub fn adopt(&mut self, from: &Terms, root: TermId, common: usize) -> TermId {
        self.adopt_with(from, root, &mut FxHashMap::default(), |term| (term.index() < common).then_some(term))
    }

    /// A term of another store. `known` says what here stands for terms there, for every variable at least;
    /// `images` remembers what was adopted.
    pub fn adopt_with(
        &mut self,
        from: &Terms,
        root: TermId,
        images: &mut FxHashMap<TermId, TermId>,
        known: impl Fn(TermId) -> Option<TermId>,
    ) -> TermId {
        let mut todo = vec![root];
        while let Some(&term) = todo.last() {
            let before = todo.len();
            if !images.contains_key(&term) {
                let stands = known(term);
                if stands.is_none() {
                    todo.extend(from.operands(term).iter().filter(|t| !images.contains_key(t)));
                }
                if todo.len() > before {
                    continue;
                }
                let image = stands.unwrap_or_else(|| self.copied(from, term, images));
                images.insert(term, image);
            }
            todo.pop();
        }
        images[&root]
    }

    /// A term of another store, whose operands are here.
    fn copied(&mut self, from: &Terms, term: TermId, images: &FxHashMap<TermId, TermId>) -> TermId {
        let operands: Vec<TermId> = from.operands(term).iter().map(|t| images[t]).collect();
        self.apply_as(from, term, &operands)
    }

    /// Applies the operator of a term of another store to operands of this one, of the sorts that it has there.
    pub fn apply_as(&mut self, from: &Terms, term: TermId, operands: &[TermId]) -> TermId {
        match from.node(term) {
            Node::Variable(name) => panic!("the variable {name} is not common"),
            Node::Constant(value) => self.constant(value.clone()),
            Node::Apply(Op::ConstArray, ..) => {
                let index = from.sort(term).as_array().expect("an array").index.clone();
                self.constant_array(index, operands[0])
            }
            Node::Apply(Op::Lambda, ..) => self.lambda(operands[0], operands[1]),
            Node::Apply(op, indices, _) => {
                self.apply_indexed(op, indices, operands).expect("its sorts fitted there")
            }
        }
    }

    fn rebuilt(&mut self, term: TermId, image: &FxHashMap<TermId, TermId>) -> TermId {
        let operands: Vec<TermId> = self.operands(term).iter().map(|t| image[t]).collect();
        self.with_operands(term, &operands)
    }

    /// A term with other operands, of the same sorts.
    pub fn with_operands(&mut self, term: TermId, operands: &[TermId]) -> TermId {
        match self.entries[term.index()].head {
            Head::Apply(op, indices) if operands != self.operands(term) => {
                let sort = self.sort(term).clone();
                self.find(op, indices, operands).unwrap_or_else(|| self.insert(op, indices, operands, sort))
            }
            _ => term,
        }
    }
}
