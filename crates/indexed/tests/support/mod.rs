use buttress_solve::smt::{Config, directories, find};
use buttress_system::indexed::Indexed;

/// `None`, and a word about it, where there is no solver.
pub fn config() -> Option<Config> {
    let found = find(&directories());
    if found.is_empty() {
        println!("skipped: no SMT solver");
        return None;
    }
    Some(Config::new(found))
}

#[allow(dead_code, reason = "not every test file reads VMT-LIB")]
pub fn model(text: &str) -> Indexed {
    let read = buttress_format::vmt::read(text).unwrap_or_else(|d| panic!("{}", d.render("model.vmt")));
    read.indexed.expect("a model with maps")
}
