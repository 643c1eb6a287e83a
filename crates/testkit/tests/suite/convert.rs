//! From bits to words and back: the reference on bits against the reference on words, on random systems.

use std::sync::Arc;

use buttress_format::{Btor2, aiger, btor2};
use buttress_system::BitSystem;
use buttress_testkit::random;
use buttress_testkit::reference::Explicit;
use buttress_testkit::word_reference::violations;
use buttress_transform::blast::{Limits, blast};
use buttress_transform::raise;

fn shortest(system: &BitSystem) -> Vec<Option<usize>> {
    Explicit::new(system).truth().violated
}

/// Written as BTOR2 and read again.
fn through_btor2(seed: u64, bits: &BitSystem) -> Btor2 {
    let system = raise(bits).system;
    let text = btor2::write(&Btor2::of(system)).expect("bits are words");
    btor2::read(text.as_bytes()).unwrap_or_else(|e| panic!("seed {seed}: {}\n{text}", e.render("model")))
}

#[test]
fn raised_systems_violate_the_same_properties_at_the_same_steps() {
    let (mut violated, mut holds) = (0, 0);
    for seed in 0..400 {
        let bits = random::system(seed);
        let expected = shortest(&bits);
        assert_eq!(violations(&raise(&bits).system), expected, "seed {seed}");
        violated += expected.iter().flatten().count();
        holds += expected.iter().filter(|step| step.is_none()).count();
    }
    assert!(violated > 100 && holds > 100, "{violated} violated, {holds} hold");
}

#[test]
fn bits_to_words_to_bits_mean_the_same() {
    for seed in 0..400 {
        let bits = random::system(seed);
        let blasted = blast(&Arc::new(through_btor2(seed, &bits).system), Limits::default()).expect("small");
        let mut text = Vec::new();
        aiger::write_binary(&blasted.system, &[], &mut text).expect("memory takes everything");
        let again = aiger::read(&*text).expect("what was written can be read").system;
        assert_eq!(shortest(&again), shortest(&bits), "seed {seed}");
    }
}
