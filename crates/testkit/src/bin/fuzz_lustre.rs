//! `cargo run -p buttress-testkit --release --bin fuzz_lustre -- 100000`
//!
//! So many mutants of random Lustre models, ten of each model, every other one with mild changes only: all are
//! read or refused with a place, and what can be executed means the same to the interpreter and to the
//! translations. A failure prints its seed and the text.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use buttress_system::Rng;
use buttress_testkit::lustre::{Outcome, examine, model, mutate, mutate_mildly, small_model};

const STEPS: usize = 6;
const MUTANTS: u64 = 10;

fn main() -> ExitCode {
    let count: Option<u64> = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let Some(count) = count else {
        eprintln!("usage: fuzz_lustre MUTANTS");
        return ExitCode::from(2);
    };
    let start = Instant::now();
    let mut outcomes: BTreeMap<Outcome, u64> = BTreeMap::new();
    for seed in 0..count.div_ceil(MUTANTS) {
        let mut rng = Rng::new(seed);
        let text = if seed % 4 == 0 { small_model(&mut rng) } else { model(&mut rng) };
        let mutants = (0..MUTANTS.min(count - seed * MUTANTS)).map(|number| match number % 2 {
            0 => mutate(&text, &mut rng),
            _ => mutate_mildly(&text, &mut rng),
        });
        for (mutated, text) in [(false, text.clone())].into_iter().chain(mutants.map(|text| (true, text))) {
            match examine(&text, STEPS, seed) {
                Ok(outcome) if mutated => *outcomes.entry(outcome).or_default() += 1,
                Ok(Outcome::Agreed | Outcome::Finite) => {}
                Ok(outcome) => return failure(seed, &format!("{outcome:?}, but it is well typed"), &text),
                Err(why) => return failure(seed, &why, &text),
            }
        }
    }
    let counts: Vec<String> = outcomes.iter().map(|(outcome, n)| format!("{n} {outcome:?}")).collect();
    println!("{count} mutants in {:.1} s: {}", start.elapsed().as_secs_f64(), counts.join(", "));
    ExitCode::SUCCESS
}

fn failure(seed: u64, why: &str, text: &str) -> ExitCode {
    println!("seed {seed}: {why}\n{text}");
    ExitCode::FAILURE
}
