//! Random BTOR2 models: every engine against the reference on words, and the writer against the reader.

use std::collections::BTreeSet;
use std::time::Duration;

use buttress_format::btor2;
use buttress_system::Rng;
use buttress_system::waves::values;
use buttress_system::words::random_execution;
use buttress_testkit::fuzz::words::examine;
use buttress_testkit::random;
use buttress_testkit::word_reference::violations;

const LIMIT: Duration = Duration::from_secs(20);

/// How often properties hold, are violated, and are violated late.
#[derive(Default, Debug)]
struct Mixture {
    holds: usize,
    violated: usize,
    late: usize,
}

fn range(seeds: std::ops::Range<u64>) {
    let mut mixture = Mixture::default();
    for seed in seeds {
        let text = random::btor2::model(seed);
        let examined = examine(&text, LIMIT).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        for violated in examined {
            match violated {
                None => mixture.holds += 1,
                Some(step) => {
                    mixture.violated += 1;
                    mixture.late += usize::from(step > 1);
                }
            }
        }
    }
    println!("{mixture:?}");
    assert!(mixture.holds > 200 && mixture.violated > 200 && mixture.late > 50, "{mixture:?}");
}

#[test]
fn first_thousand() {
    range(0..1000);
}

#[test]
fn second_thousand() {
    range(1000..2000);
}

/// The generator leaves no operator out.
#[test]
fn every_operator_occurs() {
    let words = |text: String| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.split(' ').nth(1)?.to_string())).collect()
    };
    let used: BTreeSet<String> = (0..300).flat_map(|seed| words(random::btor2::model(seed))).collect();
    let all = "sort input state init next bad constraint zero one ones const constd consth not inc dec neg redand redor \
               redxor slice sext uext iff implies eq neq ugt ugte ult ulte sgt sgte slt slte and or xor nand nor xnor rol \
               ror sll sra srl add mul udiv sdiv urem srem smod sub uaddo saddo sdivo umulo smulo usubo ssubo concat read \
               ite write";
    let missing: Vec<&str> = all.split_whitespace().filter(|word| !used.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn written_models_mean_the_same() {
    for seed in 0..500 {
        let text = random::btor2::model(seed);
        let model = btor2::read(text.as_bytes()).expect("a model");
        let written = btor2::write(&model).expect("what was read can be written");
        let again =
            btor2::read(written.as_bytes()).unwrap_or_else(|e| panic!("seed {seed}: {}", e.render("m")));
        let execution = random_execution(&model.system, 20, &mut Rng::new(seed));
        let bads = |m: &buttress_format::Btor2| {
            let bads: Vec<_> = m.system.properties.iter().map(|p| p.bad).collect();
            values(&m.system, &execution, &bads)
        };
        assert!(bads(&model) == bads(&again), "seed {seed}\n{text}\n{written}");
    }
}

/// The reference itself, on a counter that needs five steps and a constraint that ends everything.
#[test]
fn the_reference_counts_steps() {
    let head = "1 sort bitvec 3\n2 sort bitvec 1\n3 state 1 c\n4 zero 1\n5 init 1 3 4\n6 inc 1 3\n7 next 1 3 6\n\
        8 constd 1 5\n9 eq 2 3 8\n10 bad 9\n";
    let of = |text: &str| violations(&btor2::read(text.as_bytes()).expect("a model").system);
    assert_eq!(of(head), [Some(5)]);
    assert_eq!(of(&format!("{head}11 ult 2 3 8\n12 constraint 11\n")), [None]);
}
