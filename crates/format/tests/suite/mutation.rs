//! Damaged files: whatever the bytes, a reader answers, and quickly.

use std::time::{Duration, Instant};

use crate::generator::{ascii, binary, random_system};
use buttress_format::{aiger, stimulus, witness, yosys};
use buttress_system::{BitSystem, Rng};

/// Bytes that mean something in some format.
const TELLING: &[u8] = b"0123456789 \n\r.xbcjilof{}[]\",:;-@#\x00\x7f\x80\xff";

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        let byte = if rng.one_in(4) { rng.next_u64() as u8 } else { TELLING[rng.below(TELLING.len())] };
        match rng.below(5) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            3 => bytes.extend_from_within(..at.min(20)),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
}

/// Reads `count` mutations of files, and returns how many were refused.
pub fn survive(
    count: usize,
    seed: u64,
    file: impl Fn(&mut Rng) -> Vec<u8>,
    read: impl Fn(&[u8]) -> bool,
) -> usize {
    let mut rng = Rng::new(seed);
    let mut refused = 0;
    for _ in 0..count {
        let mut bytes = file(&mut rng);
        mutate(&mut rng, &mut bytes);
        let start = Instant::now();
        refused += usize::from(!read(&bytes));
        let time = start.elapsed();
        assert!(time < Duration::from_secs(5), "{time:?} for {:?}", String::from_utf8_lossy(&bytes));
    }
    refused
}

/// Reads a model; what is accepted must also be written and read again.
fn model(bytes: &[u8]) -> bool {
    match aiger::read(bytes) {
        Err(error) => {
            let text = error.render("m");
            assert!(text.starts_with("m:") && text.contains("error: "), "{text}");
            assert!(error.position.is_some(), "{text}");
            false
        }
        Ok(read) if read.system.num_inputs() > 1000 => true,
        Ok(read) => {
            let text = ascii(&read.system, &read.comments);
            assert_eq!(aiger::read(&text[..]).expect("what we write").system, read.system);
            true
        }
    }
}

#[test]
fn damaged_ascii_models() {
    let refused = survive(10_000, 1, |rng| ascii(&random_system(rng), &["c".to_string()]), model);
    assert!(refused > 5_000, "{refused}");
}

#[test]
fn damaged_binary_models() {
    let refused = survive(10_000, 2, |rng| binary(&random_system(rng), &["c".to_string()]), model);
    assert!(refused > 5_000, "{refused}");
}

fn small() -> BitSystem {
    aiger::read("aag 4 2 2 0 0 2\n2\n4\n6 6\n8 8 8\n6\n8\n".as_bytes()).expect("a model").system
}

#[test]
fn damaged_witnesses_and_stimuli() {
    let text = "1\nb1\n0x\n10\nc go\n11\n0x\n.\n";
    survive(5_000, 3, |_| text.into(), |bytes| witness::read(bytes, &small()).is_ok());
    survive(5_000, 4, |_| text[8..].into(), |bytes| stimulus::read(bytes, &small()).is_ok());
}

#[test]
fn damaged_names() {
    let map = "input 0 0 clk\ninput 1 1 a\ninvlatch 0 0 cnt\nlatch 1 1 cnt\nlatch 1 0 s.q\n";
    let json = r#"{"version": "Yosys Witness Aiger Map", "inputs":
        [{"input": 0, "offset": 0, "path": ["\\s", "\\clk"]}], "seqs": [], "asserts": [["\\p"], ["\\q"]]}"#;
    for text in [map, json] {
        let apply = |bytes: &[u8]| {
            yosys::read_names(bytes).and_then(|names| yosys::apply(&names, &mut small())).is_ok()
        };
        survive(5_000, 5, |_| text.into(), apply);
    }
}
