//! SMT-LIB text against evaluation, judged by a solver: `z3`, where it is on the path.
//!
//! For every operator and some operands, "the operands have these values and the result is not what evaluation
//! says" is unsatisfiable; with "is" instead of "is not" it is satisfiable.

use std::io::Write;
use std::process::{Command, Stdio};

use buttress_term::smtlib::Smtlib;
use buttress_term::{ArrayValue, Evaluation, Op, Sort, TermId, Terms, Value, Word};
use num_bigint::BigInt;
use num_rational::BigRational;

fn solve(script: &str) -> Option<String> {
    let mut z3 = Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    z3.stdin.take()?.write_all(script.as_bytes()).ok()?;
    Some(String::from_utf8_lossy(&z3.wait_with_output().ok()?.stdout).trim().to_string())
}

fn script(terms: &Terms, claim: TermId) -> String {
    let text = Smtlib::new(terms);
    format!("(set-logic ALL)\n{}(assert {})\n(check-sat)\n", text.declarations([claim]), text.term(claim))
}

/// The operands of one kind, and values for them.
struct Operands {
    variables: Vec<TermId>,
    rows: Vec<Vec<Value>>,
}

fn words(terms: &mut Terms, width: u32) -> Operands {
    let variables = vec![terms.variable("a", Sort::BitVec(width)), terms.variable("b", Sort::BitVec(width))];
    let word = |n: u64| Value::Word(Word::from_u64(n, width));
    let (low, high) = (1u64 << (width - 1), u64::MAX);
    let pairs =
        [(5, 3), (3, 0), (low, high), (high, 2), (0, 0), (low, 1), (7, high - 1), (9, 17), (low, low)];
    Operands { variables, rows: pairs.map(|(a, b)| vec![word(a), word(b)]).to_vec() }
}

fn numbers(terms: &mut Terms, sort: Sort) -> Operands {
    let is_int = sort == Sort::Int;
    let variables = vec![terms.variable("x", sort.clone()), terms.variable("y", sort)];
    let number = |n: i64| match is_int {
        true => Value::Int(n.into()),
        false => Value::Real(BigRational::new(n.into(), BigInt::from(3))),
    };
    // No zeros: what division by zero is, SMT-LIB leaves open.
    let pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (1, 5), (6, 6)];
    Operands { variables, rows: pairs.map(|(x, y)| vec![number(x), number(y)]).to_vec() }
}

fn others(terms: &mut Terms) -> Operands {
    let colour = Sort::enumeration("colour", ["red", "green", "blue sky"]);
    let memory = Sort::array(Sort::BitVec(2), colour.clone());
    let variables = vec![
        terms.variable("p", Sort::Bool),
        terms.variable("q", Sort::Bool),
        terms.variable("m", memory),
        terms.variable("i", Sort::BitVec(2)),
        terms.variable("c|d", colour.clone()),
    ];
    let row = |n: u32| {
        let at = |i: u32| Value::Word(Word::from_u64(u64::from(i), 2));
        let constant = |c: usize| Value::all(&colour).nth(c % 3).expect("a constant");
        let mut memory = ArrayValue::constant(Sort::BitVec(2), constant(0));
        memory.set(at(n % 4), constant(n as usize));
        let bit = |i: u32| Value::Bool(n >> i & 1 == 1);
        vec![bit(0), bit(1), Value::array(memory), at(n / 2 % 4), constant(n as usize / 2)]
    };
    Operands { variables, rows: (0..8).map(row).collect() }
}

/// Every application of an operator to up to three of the variables, and of `not` and the like to those.
fn applications(terms: &mut Terms, variables: &[TermId]) -> Vec<TermId> {
    let mut made = Vec::new();
    for op in Op::all() {
        for &a in variables {
            made.extend(terms.apply(op, &[a]));
            made.extend([[2, 0], [0, 0]].iter().flat_map(|&indices| terms.apply_indexed(op, indices, &[a])));
            for &b in variables {
                made.extend(terms.apply(op, &[a, b]));
                made.extend(variables.iter().flat_map(|&c| terms.apply(op, &[a, b, c])));
            }
        }
    }
    made.sort();
    made.dedup();
    made
}

/// Some row of values, and a result that is (or is not) what evaluation says.
fn claim(terms: &mut Terms, operands: &Operands, made: &[TermId], differs: bool) -> TermId {
    let mut disjuncts = Vec::new();
    for row in &operands.rows {
        let mut evaluation = Evaluation::new(terms);
        operands.variables.iter().zip(row).for_each(|(&v, value)| evaluation.assign(v, Some(value.clone())));
        let results: Vec<Value> = made.iter().map(|&t| evaluation.value(t).expect("known")).collect();
        let mut fixed = Vec::new();
        for (&variable, value) in operands.variables.iter().zip(row) {
            let value = terms.constant(value.clone());
            fixed.push(terms.eq(variable, value));
        }
        let mut equal = Vec::new();
        for (&term, result) in made.iter().zip(results) {
            let result = terms.constant(result);
            equal.push(terms.eq(term, result));
        }
        let all = terms.all(&equal);
        fixed.push(if differs { terms.not(all) } else { all });
        disjuncts.push(terms.all(&fixed));
    }
    if differs { terms.any(&disjuncts) } else { disjuncts[0] }
}

#[test]
fn a_solver_reads_what_evaluation_means() {
    let kinds: [fn(&mut Terms) -> Operands; 6] = [
        |t| words(t, 1),
        |t| words(t, 3),
        |t| words(t, 8),
        |t| numbers(t, Sort::Int),
        |t| numbers(t, Sort::Real),
        others,
    ];
    for kind in kinds {
        let mut terms = Terms::new();
        let operands = kind(&mut terms);
        let made = applications(&mut terms, &operands.variables);
        for (differs, wanted) in [(true, "unsat"), (false, "sat")] {
            let claim = claim(&mut terms, &operands, &made, differs);
            let Some(answer) = solve(&script(&terms, claim)) else {
                println!("no z3: nothing was compared");
                return;
            };
            assert_eq!(
                answer,
                wanted,
                "of {} terms over {:?}",
                made.len(),
                terms.sort(operands.variables[0])
            );
        }
    }
}
