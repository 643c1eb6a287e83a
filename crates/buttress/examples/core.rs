//! Says which equations the proof of each property of a Lustre model needs: `cargo run --example core -- MODEL`.

use buttress::{Model, Stop};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: core MODEL")?;
    let model = Model::load(path)?;
    for (property, needed) in model.cores(&model.plan()?, &Stop::new())? {
        println!("{property} needs {}", needed.join(", "));
    }
    Ok(())
}
