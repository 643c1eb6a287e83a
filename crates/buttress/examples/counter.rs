//! Builds a counter of 8 bits that wraps at 200, and proves that it stays below.

use buttress::system::words::{Label, System};
use buttress::term::{Op, Sort};
use buttress::{Model, Outcome};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut system = System::default();
    let enable = system.add_input(Sort::Bool, Label::new("enable"));
    let count = system.add_state(Sort::BitVec(8), Label::new("count"));
    let now = system.state(count).variable;
    let terms = &mut system.terms;
    let (zero, one, last) = (terms.word(0, 8), terms.word(1, 8), terms.word(199, 8));
    let (wraps, more) = (terms.eq(now, last), terms.app(Op::BvAdd, &[now, one]));
    let stepped = terms.ite(wraps, zero, more);
    let next = terms.ite(enable, stepped, now);
    let bad = terms.app(Op::BvUgt, &[now, last]);
    system.states[count.index()].init = Some(zero);
    system.states[count.index()].next = Some(next);
    system.add_property(bad, Label::new("below 200"));

    let model = Model::of_words(system)?;
    let report = model.check(&model.plan()?).report();
    let Outcome::Proved(proved) = &report.properties[0].outcome else { return Err("not proved".into()) };
    println!("{}: proved by {}", report.properties[0].name, proved.by.title);
    Ok(())
}
