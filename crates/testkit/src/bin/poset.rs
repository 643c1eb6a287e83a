//! `cargo run -p buttress-testkit --release --bin poset -- PROCEDURE TERMS MODEL`
//!
//! Measures the time to order the terms of a model by their values in the states of random executions: the
//! Booleans of an AIGER file, the Booleans (`dag`, `chains`, `merge`) or the integers (`int-chains`, `int-merge`)
//! of a Lustre file. Prints one line of JSON:
//!
//! * `dag`: the graph, refined state by state (`buttress_engine::discovery::dag`);
//! * `chains`: the procedure of the paper's Figure 2, once, on the vectors of all states (`chains`);
//! * `merge`: merge sort with peeling on the same vectors (`merge`); the number of its chains is the width.
//!
//! Which states are looked at does not depend on the procedure: all posets of one model and size are the same.

use std::path::Path;
use std::process::ExitCode;

use buttress_engine::discovery::chains::sort;
use buttress_engine::discovery::dag::{Dag, leaves_first};
use buttress_engine::discovery::merge::{decompose, neighbours};
use buttress_engine::discovery::{BitInstances, Instances, Kinds, Lanes, Selection, Values, WordInstances};
use buttress_term::{Sort, Value};

/// States that are looked at, evenly taken from those that were simulated.
const STATES: usize = 256;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [procedure, most, model] = &words[..] else {
        eprintln!("usage: poset dag|chains|merge|int-chains|int-merge TERMS MODEL");
        return ExitCode::from(2);
    };
    let most: usize = most.parse().expect("TERMS is a number");
    match states(Path::new(model), most, procedure.starts_with("int")) {
        Ok(states) => run(procedure, &states),
        Err(why) => {
            eprintln!("{model}: {why}");
            return ExitCode::from(3);
        }
    }
    ExitCode::SUCCESS
}

/// The values of all terms of one family in each state.
fn states(path: &Path, most: usize, numbers: bool) -> Result<Vec<Values>, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let all = match path.extension().is_some_and(|e| e == "lus") {
        true => of_program(&bytes, most, numbers)?,
        false => {
            let aiger = buttress_format::aiger::read(&bytes[..]).map_err(|d| d.message)?;
            BitInstances::new(&aiger.system, true, most, 0)
                .simulate()
                .into_iter()
                .flat_map(|mut v| one_by_one(v.swap_remove(0)))
                .collect()
        }
    };
    let every = all.len().div_ceil(STATES).max(1);
    Ok(all.into_iter().step_by(every).collect())
}

/// The states of a block.
fn one_by_one(values: Values) -> Vec<Values> {
    match values {
        Values::Binary(lanes) => {
            let state = |s| Lanes::of_state((0..lanes.terms()).map(|term| lanes.value(term, s)));
            (0..lanes.states()).map(|s| Values::Binary(state(s))).collect()
        }
        Values::Many(_) => vec![values],
    }
}

fn of_program(bytes: &[u8], most: usize, numbers: bool) -> Result<Vec<Values>, String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let first =
        |all: Vec<buttress_format::Diagnostic>| all.first().map_or(String::new(), |d| d.message.clone());
    let model = buttress_lustre::read(text).map_err(first)?;
    let system = buttress_lustre::lower(&model).map_err(first)?.system;
    let kinds = Kinds { two_valued: !numbers, numbers, others: false };
    let selection = Selection { kinds, most, thresholds: most, ..Selection::default() };
    let mut instances = WordInstances::new(&system, &selection, 0);
    let wanted = if numbers { Sort::Int } else { Sort::Bool };
    let family = instances.terms().iter().position(|(sort, _)| *sort == wanted).ok_or("no such terms")?;
    Ok(instances.simulate().into_iter().map(|mut families| families.swap_remove(family)).collect())
}

fn run(procedure: &str, states: &[Values]) {
    let (vectors, terms) = vectors(states);
    let start = cpu_seconds();
    let mut compared = 0_u64;
    let below = &mut |a: usize, b: usize| {
        compared += 1;
        vectors[a].below(&vectors[b])
    };
    let (chains, base) = match procedure {
        "dag" => (None, refined(states)),
        "chains" | "int-chains" => {
            let sorted = sort(vectors.len(), below);
            (Some(sorted.chains.len()), sorted.base())
        }
        _ => {
            let chains = decompose(&(0..vectors.len()).collect::<Vec<_>>(), below);
            let mut base = neighbours(&chains, below);
            base.extend(chains.iter().flat_map(|chain| chain.windows(2).map(|pair| (pair[0], pair[1]))));
            (Some(chains.len()), base)
        }
    };
    let seconds = cpu_seconds() - start;
    let (height, level) = levels(vectors.len(), &base);
    println!(
        "{{\"terms\": {terms}, \"states\": {}, \"classes\": {}, \"chains\": {}, \"height\": {height}, \"level\": {level}, \
         \"edges\": {}, \"comparisons\": {compared}, \"seconds\": {seconds:.4}}}",
        states.len(),
        vectors.len(),
        chains.map_or("null".to_string(), |n| n.to_string()),
        base.len(),
    );
}

/// Seconds that this thread has run, by Linux; other processes do not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// The values of a class in all states.
enum Vector {
    Bits(Vec<u64>),
    Numbers(Vec<Value>),
}

impl Vector {
    fn below(&self, other: &Vector) -> bool {
        match (self, other) {
            (Vector::Bits(a), Vector::Bits(b)) => a.iter().zip(b).all(|(a, b)| a & !b == 0),
            (Vector::Numbers(a), Vector::Numbers(b)) => a.iter().zip(b).all(|(a, b)| a <= b),
            _ => panic!("all vectors are of one family"),
        }
    }
}

/// The different vectors, in the order of their first terms, and the number of terms.
fn vectors(states: &[Values]) -> (Vec<Vector>, usize) {
    let terms = match states.first() {
        Some(Values::Binary(lanes)) => lanes.terms(),
        Some(Values::Many(values)) => values.len(),
        None => 0,
    };
    let mut met = std::collections::BTreeSet::new();
    let of = |term: usize| -> Vec<Value> {
        let value = |state: &Values| match state {
            Values::Binary(lanes) => Value::Bool(lanes.value(term, 0)),
            Values::Many(values) => values[term].clone(),
        };
        states.iter().map(value).collect()
    };
    let different = (0..terms).map(of).filter(|vector| met.insert(vector.clone()));
    (different.map(packed).collect(), terms)
}

fn packed(values: Vec<Value>) -> Vector {
    let bit = |value: &Value| match value {
        Value::Bool(b) => Some(u64::from(*b)),
        _ => None,
    };
    match values.iter().map(bit).collect::<Option<Vec<u64>>>() {
        Some(bits) => {
            Vector::Bits(bits.chunks(64).map(|c| c.iter().fold(0, |word, bit| word << 1 | bit)).collect())
        }
        None => Vector::Numbers(values),
    }
}

/// The edges of the graph after all states, reduced.
fn refined(states: &[Values]) -> Vec<(usize, usize)> {
    let mut dag = None;
    for state in states {
        let Values::Binary(lanes) = state else { panic!("the graph is for Booleans") };
        let dag = dag.get_or_insert_with(|| Dag::new(lanes.terms()));
        if dag.is_refuted(lanes) {
            dag.refine_all(&[lanes]);
        }
    }
    let mut dag = dag.unwrap_or_else(|| Dag::new(0));
    dag.reduce();
    dag.above.iter().enumerate().flat_map(|(a, above)| above.iter().map(move |&b| (a, b))).collect()
}

/// The height, and the size of the largest level: an antichain, so the width is at least that.
fn levels(n: usize, base: &[(usize, usize)]) -> (usize, usize) {
    let mut above = vec![Vec::new(); n];
    base.iter().for_each(|&(a, b)| above[a].push(b));
    let mut height = vec![0_usize; n];
    let mut count = vec![0_usize; n + 1];
    for node in leaves_first(&above) {
        height[node] = 1 + above[node].iter().map(|&a| height[a]).max().unwrap_or(0);
        count[height[node]] += 1;
    }
    (height.into_iter().max().unwrap_or(0), count.into_iter().max().unwrap_or(0))
}
