//! Maps in VMT-LIB: the sorts `(-> Int Int)` of SMT-LIB 2.7, functions with arguments, lambda, and four
//! annotations.
//!
//! * `:index true` on a variable without next value: an index symbol. Properties that read it hold for all its
//!   values.
//! * `:predicate NAME`: a predicate over states and index symbols.
//! * `:axiom true`: what holds in every state, for all values of the index symbols that it reads.
//! * `:instantiate true`: a term that index symbols are to be replaced by, besides those that are found.
//!
//! An application is `(F x)`, `(_ F x)` or, of an array, `(select F x)`. A model with any of these is an
//! [`Indexed`] one. In such a model a start may be given in terms of inputs and other states, as long as none
//! depends on itself.

use buttress_system::indexed::Indexed;
use buttress_system::words::{Label, Named, System};
use buttress_term::sexpr::Sexpr;
use buttress_term::{Sort, TermId, Terms};

use super::Reader;
use crate::relation::{Values, depends};
use crate::smtlib::{Wrong, wrong};

/// The annotations of a model with maps.
#[derive(Default)]
pub(super) struct Annotations {
    indices: Vec<TermId>,
    predicates: Vec<Named>,
    axioms: Vec<Named>,
    instantiations: Vec<TermId>,
}

impl Annotations {
    pub fn indexed(self, system: &System) -> Indexed {
        let Annotations { indices, predicates, axioms, instantiations } = self;
        Indexed {
            system: system.clone(),
            indices,
            predicates,
            axioms,
            instantiations,
            processes: None,
            hints: Vec::new(),
        }
    }
}

impl Reader {
    pub(super) fn declare_map(
        &mut self,
        name: &Sexpr,
        parameters: &Sexpr,
        sort: &Sexpr,
    ) -> Result<(), Wrong> {
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        let Some(parameters) = parameters.list() else { return wrong(parameters, "sorts are expected here") };
        let sort = self.smt.function_sort(parameters, sort)?;
        self.is_new(name, text)?;
        self.add_variable(text, sort);
        self.functions.push(self.smt.names[text]);
        Ok(())
    }

    pub(super) fn annotate_maps(
        &mut self,
        name: &str,
        term: TermId,
        key: &str,
        value: &Sexpr,
    ) -> Result<(), Wrong> {
        let boolean = *self.smt.terms.sort(term) == Sort::Bool;
        let named = |name: &str| Named { term, label: Label::new(name) };
        match key {
            ":index" if !self.smt.terms.is_variable(term) || self.next.iter().any(|(s, _)| *s == term) => {
                return wrong(value, "an index symbol is a variable without a next value");
            }
            ":index" if self.smt.terms.sort(term).as_array().is_some() => {
                return wrong(value, "an index symbol is no map");
            }
            ":index" => self.maps.indices.push(term),
            ":predicate" | ":axiom" if !boolean => return wrong(value, "this is said of a Boolean term"),
            ":predicate" => self.maps.predicates.push(named(value.atom().unwrap_or(name))),
            ":axiom" => self.maps.axioms.push(named(name)),
            ":instantiate" => self.maps.instantiations.push(term),
            _ => return Ok(()),
        }
        self.smt.maps = true;
        Ok(())
    }
}

/// Whether a start may have this value: none depends on itself, given the starts so far.
pub(super) fn acyclic(terms: &Terms, starts: &Values, variable: TermId, value: TermId) -> bool {
    !depends(terms, value, variable, |read| starts.get(&read).copied())
}

#[cfg(test)]
mod tests {
    use super::super::read;

    pub const RUNNING: &str = "(declare-const F (-> Int Int)) (declare-const F_n (-> Int Int))
(define-fun sv_F () (-> Int Int) (! F :next F_n))
(declare-const i Int)
(declare-const x Int) (define-fun ix_x () Int (! x :index true))
(define-fun init () Bool (! (= F (lambda ((u Int)) u)) :init true))
(define-fun trans () Bool (! (= F_n (lambda ((u Int)) (ite (= u i) (F (+ i 1)) (F u)))) :trans true))
(define-fun p () Bool (! (>= (F x) 0) :predicate p))
(define-fun q () Bool (! (>= x 0) :predicate q))
(define-fun prop () Bool (! (=> (>= x 0) (>= (F x) 0)) :invar-property 0))
";

    #[test]
    fn the_running_example_is_read() {
        let model = read(RUNNING).unwrap_or_else(|d| panic!("{}", d.render("running.vmt")));
        let indexed = model.indexed.expect("it has maps");
        assert_eq!((indexed.indices.len(), indexed.predicates.len()), (1, 2));
        assert_eq!((indexed.system.states.len(), indexed.system.inputs.len()), (1, 2));
        assert!(indexed.system.constraints.is_empty() && indexed.system.states[0].init.is_some());
    }

    #[test]
    fn other_spellings_of_maps() {
        let text = "(declare-datatypes ((M 0)) (((idle) (busy))))
(declare-fun .f (Int Int) M) (declare-fun .f_n (Int Int) M)
(declare-fun a () (Array Int Int)) (declare-fun a_n () (Array Int Int))
(declare-const N Int) (declare-const x Int)
(define-fun .sf () (-> Int Int M) (! .f :next .f_n))
(define-fun .sa () (Array Int Int) (! a :next a_n))
(define-fun .sN () Int (! N :next N))
(define-fun .x () Int (! x :index true))
(define-fun i () Bool (! (and (= .f (lambda ((u Int) (v Int)) idle)) (= a (lambda ((u Int)) N))) :init true))
(define-fun t () Bool (! (and (= a_n (store a N 3)) (= .f_n (lambda ((u Int) (v Int)) (ite (= u v) (_ .f u N) busy)))) :trans true))
(define-fun p () Bool (! (or (= (.f x N) idle) (= (select a x) N)) :invar-property 0))";
        let model = read(text).unwrap_or_else(|d| panic!("{}", d.render("m.vmt")));
        let system = model.indexed.expect("it has maps").system;
        assert_eq!((system.states.len(), system.constraints.len()), (3, 0));
        assert!(system.states.iter().all(|s| s.next.is_some()));
    }

    #[test]
    fn what_is_wrong_with_maps_is_said_where_it_is() {
        for (text, line, column) in [
            ("(declare-const F (-> (-> Int Int) Int))", 1, 22),
            ("(declare-const F (-> Int Int))\n(define-fun p () Bool (F true))", 2, 23),
            ("(define-fun p () (-> Int Int) (lambda () 1))", 1, 39),
            ("(declare-const x Int)\n(define-fun p () Int (! x :predicate p))", 2, 38),
            ("(declare-const F (-> Int Int))\n(define-fun p () (-> Int Int) (! F :index true))", 2, 43),
            ("(declare-datatypes ((M 1)) (((idle))))", 1, 21),
        ] {
            let told = read(text).err().expect("refused").render("m.vmt");
            assert!(told.starts_with(&format!("m.vmt:{line}:{column}:")), "{text}: {told}");
        }
    }
}
