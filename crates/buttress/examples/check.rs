//! Checks a file and prints the trace of what is violated: `cargo run --example check -- MODEL`.

use buttress::{Model, Outcome};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: check MODEL")?;
    let model = Model::load(path)?;
    let report = model.check(&model.plan()?).report();
    for finding in &report.properties {
        match &finding.outcome {
            Outcome::Proved(proved) => {
                println!("{}: proved by {}, k = {}", finding.title, proved.by.title, proved.k);
                proved.invariant.iter().for_each(|conjunct| println!("  {conjunct}"));
            }
            Outcome::Falsified(violated) => {
                println!("{}: falsified at step {}", finding.title, violated.step);
                for step in 0..violated.trace.steps {
                    let row = violated.trace.row(step);
                    let cells: Vec<String> =
                        row.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                    println!("  step {step}: {}", cells.join(", "));
                }
            }
            other => println!("{}: {other:?}", finding.title),
        }
    }
    Ok(())
}
