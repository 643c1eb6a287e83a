//! Maps in VMT-LIB: the sorts `(-> Int Int)` of SMT-LIB 2.7, functions with arguments, lambda, and four annotations.
//!
//! * `:index true` on a variable without next value: an index symbol. Properties that read it hold for all its values.
//! * `:predicate NAME`: a predicate over states and index symbols.
//! * `:axiom true`: what holds in every state, for all values of the index symbols that it reads.
//! * `:instantiate true`: a term that index symbols are to be replaced by, besides those that are found.
//!
//! An application is `(F x)`, `(_ F x)` or, of an array, `(select F x)`. A model with any of these is an [`Indexed`] one.
//! In such a model a start may be given in terms of inputs and other states, as long as none depends on itself.

use buttress_system::indexed::Indexed;
use buttress_system::words::{Label, Named, System};
use buttress_term::sexpr::Sexpr;
use buttress_term::{Sort, TermId, Terms};
use rustc_hash::FxHashMap;

use super::{Reader, Values, Wrong, wrong};

/// What the annotations say.
#[derive(Default)]
pub(super) struct Annotations {
    /// Whether there is a map, a lambda or an annotation.
    pub used: bool,
    indices: Vec<TermId>,
    predicates: Vec<Named>,
    axioms: Vec<Named>,
    instantiations: Vec<TermId>,
}

impl Annotations {
    pub fn indexed(self, system: &System) -> Indexed {
        let Annotations { indices, predicates, axioms, instantiations, .. } = self;
        Indexed { system: system.clone(), indices, predicates, axioms, instantiations }
    }
}

type Local = FxHashMap<String, TermId>;

impl Reader {
    pub(super) fn declare_map(
        &mut self,
        name: &Sexpr,
        parameters: &Sexpr,
        sort: &Sexpr,
    ) -> Result<(), Wrong> {
        let Some(text) = name.atom() else { return wrong(name, "a name is expected here") };
        let Some(parameters) = parameters.list() else { return wrong(parameters, "sorts are expected here") };
        let sort = self.map_sort(parameters, sort)?;
        self.add_variable(text, sort);
        Ok(())
    }

    pub(super) fn map_sort(&mut self, arguments: &[Sexpr], result: &Sexpr) -> Result<Sort, Wrong> {
        self.maps.used = true;
        let mut sorts = Vec::new();
        for argument in arguments {
            let sort = self.sort(argument)?;
            if sort.as_array().is_some() {
                return wrong(argument, "an argument cannot be a map itself");
            }
            sorts.push(sort);
        }
        Ok(Sort::map(&sorts, self.sort(result)?))
    }

    /// `(declare-datatypes ((State 0)) (((Invalid) (Shared))))`, or one of them by `declare-datatype`.
    pub(super) fn declare_enumerations(&mut self, command: &Sexpr) -> Result<(), Wrong> {
        let what = "an enumeration is declared by names without arguments";
        match command.call() {
            Some(("declare-datatype", [name, constants])) => self.declare_enumeration(name, constants),
            Some((_, [names, bodies])) => {
                let (names, bodies) = (names.list().unwrap_or_default(), bodies.list().unwrap_or_default());
                if names.is_empty() || names.len() != bodies.len() {
                    return wrong(command, what);
                }
                names.iter().zip(bodies).try_for_each(|(name, constants)| match name.list() {
                    Some([name, zero]) if zero.is("0") => self.declare_enumeration(name, constants),
                    _ => wrong(name, what),
                })
            }
            _ => wrong(command, what),
        }
    }

    fn declare_enumeration(&mut self, name: &Sexpr, constants: &Sexpr) -> Result<(), Wrong> {
        let constant = |c: &Sexpr| match (c.atom(), c.list()) {
            (Some(name), _) => Some(name.to_string()),
            (_, Some([name])) => name.atom().map(str::to_string),
            _ => None,
        };
        let named: Option<Vec<String>> = constants.list().unwrap_or_default().iter().map(constant).collect();
        let (Some(text), Some(named)) = (name.atom(), named.filter(|n| !n.is_empty())) else {
            return wrong(constants, "an enumeration has constants without arguments");
        };
        let sort = Sort::enumeration(text, named.iter().cloned());
        for (index, constant) in named.iter().enumerate() {
            let term = self.terms.enum_constant(&sort, index as u32);
            if self.names.insert(constant.clone(), term).is_some() {
                return wrong(constants, format!("{constant} is declared already"));
            }
        }
        self.sorts.insert(text.to_string(), sort);
        Ok(())
    }

    /// `(lambda ((u Int) (v Int)) e)`
    pub(super) fn lambda(
        &mut self,
        text: &Sexpr,
        rest: &[Sexpr],
        local: &Local,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        self.maps.used = true;
        let [parameters, body] = rest else { return wrong(text, "lambda has parameters and a body") };
        let (mut inner, mut bound) = (local.clone(), Vec::new());
        for parameter in parameters.list().unwrap_or_default() {
            let Some([name, sort]) = parameter.list() else {
                return wrong(parameter, "a parameter is a name and a sort");
            };
            let Some(name) = name.atom() else { return wrong(name, "a name is expected here") };
            let sort = self.sort(sort)?;
            if sort.as_array().is_some() {
                return wrong(parameter, "an argument cannot be a map itself");
            }
            let variable = self.terms.variable(name, sort);
            inner.insert(name.to_string(), variable);
            bound.push(variable);
        }
        if bound.is_empty() {
            return wrong(parameters, "lambda has a parameter");
        }
        let body = self.term(body, &inner, depth + 1)?;
        Ok(bound.iter().rev().fold(body, |body, &variable| self.terms.lambda(variable, body)))
    }

    pub(super) fn is_map(&self, head: &Sexpr, local: &Local) -> bool {
        let named = head.atom().and_then(|name| local.get(name).or_else(|| self.names.get(name)));
        named.is_some_and(|&t| self.terms.sort(t).as_array().is_some())
    }

    /// `(F x y)`
    pub(super) fn call(
        &mut self,
        text: &Sexpr,
        map: &Sexpr,
        arguments: &[Sexpr],
        local: &Local,
        depth: usize,
    ) -> Result<TermId, Wrong> {
        let map_term = self.term(map, local, depth + 1)?;
        let arguments = self.terms_of(arguments, local, depth)?;
        match self.terms.call(map_term, &arguments) {
            Ok(term) => Ok(term),
            Err(_) => wrong(text, format!("{map} is of sort {}", self.terms.sort(map_term))),
        }
    }

    pub(super) fn annotate_maps(
        &mut self,
        name: &str,
        term: TermId,
        key: &str,
        value: &Sexpr,
    ) -> Result<(), Wrong> {
        let boolean = *self.terms.sort(term) == Sort::Bool;
        let named = |name: &str| Named { term, label: Label::new(name) };
        match key {
            ":index" if !self.terms.is_variable(term) || self.next.iter().any(|(s, _)| *s == term) => {
                return wrong(value, "an index symbol is a variable without a next value");
            }
            ":index" if self.terms.sort(term).as_array().is_some() => {
                return wrong(value, "an index symbol is no map");
            }
            ":index" => self.maps.indices.push(term),
            ":predicate" | ":axiom" if !boolean => return wrong(value, "this is said of a Boolean term"),
            ":predicate" => self.maps.predicates.push(named(value.atom().unwrap_or(name))),
            ":axiom" => self.maps.axioms.push(named(name)),
            ":instantiate" => self.maps.instantiations.push(term),
            _ => return Ok(()),
        }
        self.maps.used = true;
        Ok(())
    }
}

/// Whether a start may have this value: none depends on itself, given the starts so far.
pub(super) fn acyclic(terms: &Terms, starts: &Values, variable: TermId, value: TermId) -> bool {
    let (mut todo, mut seen) = (vec![value], Vec::new());
    while let Some(term) = todo.pop() {
        for read in terms.free_variables([term]) {
            if read == variable {
                return false;
            }
            if !seen.contains(&read) {
                seen.push(read);
                todo.extend(starts.get(&read));
            }
        }
    }
    true
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
