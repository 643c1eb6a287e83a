//! Axioms, theorem 3, classical predicate abstraction as a special case, and both ways of elimination side by
//! side.

mod support;

use std::collections::BTreeSet;

use buttress_check::{Refusal, certify_indexed_proof, certify_indexed_trace};
use buttress_indexed::bmc::Paths;
use buttress_indexed::galois::{Abstract, Small};
use buttress_indexed::images::products;
use buttress_indexed::instances::instances;
use buttress_indexed::roles::Roles;
use buttress_indexed::{Conclusion, Elimination, Options, analyse};
use buttress_solve::Stop;
use buttress_solve::smt::{Config, Session, Theory};
use buttress_system::PropertyId;
use buttress_system::indexed::{Indexed, IndexedProof, Instance};
use buttress_term::Op;

use support::{config, model};

fn proof(model: &Indexed, config: &Config) -> Option<IndexedProof> {
    let analysis = analyse(model, &[PropertyId::new(0)], &Options::default(), config, &Stop::new()).unwrap();
    match analysis.conclusions.into_iter().next() {
        Some((_, Conclusion::Proved(proof))) => Some(proof),
        _ => None,
    }
}

fn session(model: &Indexed, config: &Config) -> Session {
    let theory = Theory { enumerations_in_arrays: false, ..Theory::of(&model.system.terms) };
    Session::new(config, theory, &Stop::new())
}

/// A sum of values of a function that is never negative, by an axiom.
fn sums(axiom: &str, property: &str) -> Indexed {
    model(&format!(
        "(declare-fun f (Int) Int) (define-fun sv_f () (-> Int Int) (! f :next f))
(declare-const s Int) (declare-const s_n Int) (define-fun sv_s () Int (! s :next s_n))
(declare-const i Int)
(declare-const w Int) (define-fun ix_w () Int (! w :index true))
(define-fun ax () Bool (! {axiom} :axiom true))
(define-fun init () Bool (! (= s 0) :init true))
(define-fun trans () Bool (! (= s_n (+ s (f i))) :trans true))
(define-fun p () Bool (! (>= s 0) :predicate p))
(define-fun prop () Bool (! {property} :invar-property 0))"
    ))
}

/// Where c may stand for i, what the predicate j = pos(i) says of c is a place for j, and only beside c.
#[test]
fn what_predicates_say_of_a_candidate_is_an_instance_beside_it() {
    let model = model(
        "(declare-fun pos (Int) Int) (define-fun sv_pos () (-> Int Int) (! pos :next pos))
(declare-fun q (Int) Bool) (define-fun sv_q () (-> Int Bool) (! q :next q))
(declare-const c Int) (define-fun sv_c () Int (! c :next c))
(declare-const i Int) (define-fun ix_i () Int (! i :index true))
(declare-const j Int) (define-fun ix_j () Int (! j :index true))
(define-fun init () Bool (! true :init true)) (define-fun trans () Bool (! true :trans true))
(define-fun related () Bool (! (= j (pos i)) :predicate related))
(define-fun said () Bool (! (q j) :predicate said))
(define-fun prop () Bool (! (=> (= c (pos c)) (= c c)) :invar-property 0))",
    );
    let mut terms = model.system.terms.clone();
    let c = model.system.states.iter().find(|s| &*s.label.name == "c").expect("it is declared").variable;
    let pos = model.system.states.iter().find(|s| &*s.label.name == "pos").expect("it is declared").variable;
    let place = terms.app(Op::Select, &[pos, c]);
    let found = instances(&model, &mut terms, &mut Roles::of(&model), &[c]);
    assert!(found.contains(&Instance(vec![c, place])), "{found:?}");
    assert!(!found.contains(&Instance(vec![model.indices[0], place])), "{found:?}");
}

#[test]
fn axioms_are_used_and_a_proof_without_their_instances_is_refused() {
    let Some(config) = config() else { return };
    let with = sums("(> (f w) 0)", "(>= s 0)");
    let proof = proof(&with, &config).expect("sums of positive numbers");
    assert!(certify_indexed_proof(&with, proof.clone(), &mut || session(&with, &config)).is_ok());
    let without = IndexedProof { axioms: Vec::new(), ..proof.clone() };
    let refused = certify_indexed_proof(&with, without, &mut || session(&with, &config));
    assert!(matches!(refused, Err(Refusal::Rejected(_))));
    // The same clauses where the axiom says nothing.
    let weak = sums("(= (f w) (f w))", "(>= s 0)");
    assert!(self::proof(&weak, &config).is_none());
}

#[test]
fn a_trace_satisfies_the_axioms_at_every_place() {
    let Some(config) = config() else { return };
    let model = sums("(> (f w) 0)", "(< s 5)");
    let mut paths = Paths::new(&model, &config, &Stop::new());
    let trace = (0..8).find_map(|_| paths.violation(PropertyId::new(0)).unwrap()).expect("5 is reached");
    assert!(certify_indexed_trace(&model, trace.clone(), &mut || session(&model, &config)).is_ok());
    // A function that is 0 where the trace does not look.
    let mut broken = trace;
    let f = model.system.states.iter().position(|s| &*s.label.name == "f").unwrap();
    let Some(buttress_term::Value::Array(table)) = &broken.initial[f] else { panic!("a table") };
    let zero = buttress_term::Value::Int(0.into());
    let mut other = buttress_term::ArrayValue::constant(buttress_term::Sort::Int, zero);
    for n in -100..100 {
        let place = buttress_term::Value::Int(n.into());
        let value = table.get(&place).clone();
        other.set(place, value);
    }
    broken.initial[f] = Some(buttress_term::Value::array(other));
    let refused = certify_indexed_trace(&model, broken, &mut || session(&model, &config));
    assert!(matches!(refused, Err(Refusal::Rejected(why)) if why.contains("axiom")));
}

/// The successors of a state.
type Next<'a> = &'a dyn Fn(&[i32; 3]) -> Vec<[i32; 3]>;

/// Theorem 3: a formula over the predicates that is inductive contains all reachable abstract states; and these
/// are inductive themselves. All 256 sets over two systems on a small domain.
#[test]
fn every_inductive_formula_over_the_predicates_is_found() {
    let states: Vec<[i32; 3]> = (0..27).map(|n| [n % 3, n / 3 % 3, n / 9]).collect();
    let predicates =
        |s: &[i32; 3], x: &usize| u32::from(s[*x] > 0) | u32::from(*x > 0) << 1 | u32::from(s[*x] == 2) << 2;
    let copies = |s: &[i32; 3]| {
        (0..2)
            .map(|i| {
                let mut n = *s;
                n[i] = s[i + 1];
                n
            })
            .collect::<Vec<_>>()
    };
    let counts = |s: &[i32; 3]| {
        (0..3)
            .map(|i| {
                let mut n = *s;
                n[i] = (s[i] + 1).min(i as i32);
                n
            })
            .collect()
    };
    let systems: [Next<'_>; 2] = [&copies, &counts];
    let mut inductive_sets = 0;
    for (next, start) in systems.iter().flat_map(|n| [[0, 0, 0], [0, 1, 2], [0, 0, 1]].map(|s| (*n, s))) {
        let small = Small { states: &states, places: &[0, 1, 2], predicates: &predicates, next };
        let reached = small.rings(&[start]).pop().expect("rings");
        for set in (0u32..256).map(|set| (0..8).filter(|s| set >> s & 1 == 1).collect::<Abstract>()) {
            let concrete: BTreeSet<[i32; 3]> = small.gamma(&set);
            let closed = concrete.iter().all(|s| next(s).iter().all(|t| concrete.contains(t)));
            let inductive = concrete.contains(&start) && closed;
            inductive_sets += u32::from(inductive);
            assert!(!inductive || reached.is_subset(&set), "{set:?} is inductive, {reached:?} is not in it");
            assert!(set != reached || inductive, "{reached:?} is not inductive");
        }
    }
    assert!(inductive_sets > 20, "{inductive_sets}");
}

const COUNTER: &str = "(declare-const x Int) (declare-const x_n Int) (define-fun sv_x () Int (! x :next x_n))
(declare-const up Bool)
(define-fun init () Bool (! (= x 0) :init true))
(define-fun trans () Bool (! (= x_n (ite (and up (< x 10)) (+ x 1) x)) :trans true))
(define-fun p () Bool (! (<= 0 x) :predicate p))
(define-fun q () Bool (! (<= x 10) :predicate q))
(define-fun r () Bool (! (= x 5) :predicate r))
(define-fun prop () Bool (! (and (<= 0 x) (<= x 10)) :invar-property 0))";

/// No index symbols: the abstract states of a number, by enumeration of its values, one for each.
#[test]
fn classical_predicate_abstraction_is_the_case_without_index_symbols() {
    let Some(config) = config() else { return };
    let model = model(COUNTER);
    assert!(model.indices.is_empty());
    let proof = proof(&model, &config).expect("it stays in its bounds");
    assert!(certify_indexed_proof(&model, proof.clone(), &mut || session(&model, &config)).is_ok());
    assert!(proof.step.iter().all(|used| used.instance.0.is_empty()));
    let states: Vec<i32> = (-3..14).collect();
    let predicates =
        |x: &i32, _: &()| u32::from(*x >= 0) | u32::from(*x <= 10) << 1 | u32::from(*x == 5) << 2;
    let next = |x: &i32| vec![*x, if *x < 10 { x + 1 } else { *x }];
    let small = Small { states: &states, places: &[()], predicates: &predicates, next: &next };
    assert!(states.iter().all(|s| small.alpha_of(s).len() == 1));
    let rings = small.rings(&[0]);
    for elimination in [Elimination::Diagrams, Elimination::Solutions] {
        assert_eq!(symbolic(&model, &config, elimination, 3), rings);
    }
}

/// The rings as sets of abstract states.
fn symbolic(model: &Indexed, config: &Config, elimination: Elimination, predicates: u32) -> Vec<Abstract> {
    let options = Options { elimination, ..Options::default() };
    let analysis = analyse(model, &[], &options, config, &Stop::new()).unwrap();
    let reached = &analysis.reached;
    let listed = |ring| {
        let all = products(&reached.bdds, ring).unwrap();
        let fits = |state: &u32| {
            all.iter().any(|product| product.iter().all(|&(p, value)| (state >> p & 1 == 1) == value))
        };
        (0..1 << predicates).filter(fits).collect::<Abstract>()
    };
    reached.rings.iter().map(listed).collect()
}

const EXCLUSION: &str = "(declare-datatypes ((M 0)) (((idle) (wants) (critical))))
(declare-fun pc (Int) M) (declare-fun pc_n (Int) M) (define-fun sv_pc () (-> Int M) (! pc :next pc_n))
(declare-const lock Bool) (declare-const lock_n Bool) (define-fun sv_l () Bool (! lock :next lock_n))
(declare-const c Int)
(define-fun enters () Bool (and (= (pc c) wants) (not lock)))
(define-fun leaves () Bool (= (pc c) critical))
(define-fun init () Bool (! (and (= pc (lambda ((u Int)) idle)) (not lock)) :init true))
(define-fun trans () Bool (! (and
  (= pc_n (lambda ((u Int)) (ite (not (= u c)) (pc u) (ite enters critical (ite leaves idle wants)))))
  (= lock_n (ite enters true (ite leaves false lock)))) :trans true))
(declare-const i Int) (define-fun ix_i () Int (! i :index true))
(declare-const j Int) (define-fun ix_j () Int (! j :index true))
(define-fun p () Bool (! (= (pc i) critical) :predicate p))
(define-fun q () Bool (! (= (pc j) critical) :predicate q))
(define-fun r () Bool (! (= i j) :predicate r))
(define-fun s () Bool (! lock :predicate s))
(define-fun prop () Bool (! (=> (and (= (pc i) critical) (= (pc j) critical)) (= i j)) :invar-property 0))";

/// crit(i), crit(j) and i = j: the example of the introduction. Both eliminations give the same rings.
#[test]
fn both_eliminations_agree() {
    let Some(config) = config() else { return };
    let model = model(EXCLUSION);
    let rings = symbolic(&model, &config, Elimination::Diagrams, 4);
    assert_eq!(rings, symbolic(&model, &config, Elimination::Solutions, 4));
    assert!(rings.len() > 1);
    let proof = proof(&model, &config).expect("a lock excludes");
    assert!(certify_indexed_proof(&model, proof, &mut || session(&model, &config)).is_ok());
    let running = self::model(include_str!("../../../examples/indexed/running.vmt"));
    let rings = symbolic(&running, &config, Elimination::Diagrams, 2);
    assert_eq!(rings, symbolic(&running, &config, Elimination::Solutions, 2));
}

/// A place that is a plain number is not found; `:instantiate` names it, and with it the proof is there.
#[test]
fn a_term_that_the_user_names_is_an_instance() {
    let Some(config) = config() else { return };
    let text = |named: &str| {
        format!(
            "(declare-const F (-> Int Int)) (define-fun sv_F () (-> Int Int) (! F :next F))
(declare-const s Int) (declare-const s_n Int) (define-fun sv_s () Int (! s :next s_n))
(declare-const x Int) (define-fun ix_x () Int (! x :index true))
(define-fun init () Bool (! (and (= F (lambda ((u Int)) 1)) (= s 0)) :init true))
(define-fun trans () Bool (! (= s_n (F 5)) :trans true))
(define-fun p () Bool (! (>= (F x) 0) :predicate p))
(define-fun q () Bool (! (>= s 0) :predicate q))
{named}
(define-fun prop () Bool (! (>= s 0) :invar-property 0))"
        )
    };
    let property = PropertyId::new(0);
    let proved = |text: &str| {
        let analysis =
            analyse(&model(text), &[property], &Options::default(), &config, &Stop::new()).unwrap();
        matches!(analysis.conclusions[0].1, Conclusion::Proved(_))
    };
    assert!(!proved(&text("")));
    assert!(proved(&text("(define-fun five () Int (! 5 :instantiate true))")));
}
