//! Written files read back equal, in both formats; and renumbering a file changes nothing.

use crate::generator::{ascii, binary, random_system};
use buttress_format::aiger;
use buttress_system::{BitSystem, Lit, Rng, Simulator};

#[test]
fn reading_undoes_writing() {
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let system = random_system(&mut rng);
        let comments: Vec<String> = (0..rng.below(3)).map(|line| format!("line {line} ")).collect();
        for bytes in [ascii(&system, &comments), binary(&system, &comments)] {
            let read = aiger::read(&bytes[..]).map_err(|error| error.render("random"));
            let read = read.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
            assert_eq!(read.system, system);
            assert_eq!(read.comments, comments);
            assert_eq!(read.ascii, bytes.starts_with(b"aag"));
            assert_eq!(read.numbering, None);
        }
    }
}

/// The file with its variables renamed and its gates shuffled.
struct Shuffled {
    text: String,
    /// The new variable for each old one.
    names: Vec<usize>,
}

fn shuffle<T>(rng: &mut Rng, items: &mut [T]) {
    for end in (1..items.len()).rev() {
        items.swap(end, rng.below(end + 1));
    }
}

fn renumber(rng: &mut Rng, system: &BitSystem) -> Shuffled {
    let vars = system.num_vars();
    let largest = vars + rng.below(10);
    let mut names: Vec<usize> = (1..=largest).collect();
    shuffle(rng, &mut names);
    names.insert(0, 0);
    let lit = |code: &str| {
        let code: usize = code.parse().expect("a literal");
        (2 * names[code / 2] + code % 2).to_string()
    };
    let text = String::from_utf8(ascii(system, &[])).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let header = lines[0].replacen(&format!("aag {}", vars - 1), &format!("aag {largest}"), 1);
    let words = |line: &str| line.split(' ').map(lit).collect::<Vec<_>>().join(" ");
    // Justice sizes are no literals: such systems are left out by the caller.
    let first_symbol = lines.iter().position(|line| line.starts_with(|c: char| "ilobcjf".contains(c)));
    let end = first_symbol.unwrap_or(lines.len());
    let mut body: Vec<String> = lines[1..end].iter().map(|line| words(line)).collect();
    let first_gate = body.len() - system.num_gates();
    shuffle(rng, &mut body[first_gate..]);
    body.insert(0, header);
    body.extend(lines[end..].iter().map(|line| line.to_string()));
    Shuffled { text: body.join("\n"), names }
}

/// Whether two literals compute the same function: the graphs are equal up to the order of gates.
fn same(one: &BitSystem, a: Lit, other: &BitSystem, b: Lit, rng: &mut Rng) -> bool {
    let (mut left, mut right) = (Simulator::new(one), Simulator::new(other));
    let latches: Vec<u64> = one.latches().map(|_| rng.next_u64()).collect();
    let inputs: Vec<u64> = one.inputs().map(|_| rng.next_u64()).collect();
    left.start(&latches, &inputs);
    right.start(&latches, &inputs);
    left.value(a) == right.value(b)
}

#[test]
fn any_numbering_and_order_of_gates_is_read() {
    let mut rng = Rng::new(2);
    for _ in 0..200 {
        let system = random_system(&mut rng);
        if !system.justice.is_empty() {
            continue;
        }
        let shuffled = renumber(&mut rng, &system);
        let read = aiger::read(shuffled.text.as_bytes()).unwrap_or_else(|e| panic!("{}", e.render("m")));
        assert_eq!(read.system.num_gates(), system.num_gates());
        assert_eq!(read.system.symbols, system.symbols);
        for code in 0..2 * system.num_vars() {
            let name = 2 * shuffled.names[code / 2] + code % 2;
            let ours = read.lit(name as u32).expect("a defined literal");
            assert!(same(&system, Lit::from_code(code as u32), &read.system, ours, &mut rng));
        }
        let (wanted, found) = (system.outputs.iter(), read.system.outputs.iter());
        assert!(wanted.zip(found).all(|(&a, &b)| same(&system, a, &read.system, b, &mut rng)));
        for latch in system.latches() {
            let (a, b) = (system.latch(latch), read.system.latch(latch));
            assert!(same(&system, a.next, &read.system, b.next, &mut rng));
            assert!(same(&system, a.reset, &read.system, b.reset, &mut rng));
        }
        let undefined = 2 * shuffled.names[system.num_vars()];
        assert_eq!(read.lit(undefined as u32), None);
    }
}

#[test]
fn dos_line_ends_and_a_missing_last_one_do_not_matter() {
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let system = random_system(&mut rng);
        let text = String::from_utf8(ascii(&system, &["end".to_string()])).expect("text");
        let dos = aiger::read(text.replace('\n', "\r\n").as_bytes()).expect("DOS");
        assert_eq!((&dos.system, &dos.comments[..]), (&system, &["end".to_string()][..]));
        let cut = aiger::read(text.trim_end_matches('\n').as_bytes()).expect("no newline");
        assert_eq!(cut, aiger::read(text.as_bytes()).expect("newline"));
    }
}

#[test]
fn comments_may_hold_anything() {
    let gia = b"aig 1 1 0 1 0\n2\nc\0\x01n\xff\xfe\0\nproduced\0by\n\n";
    let read = aiger::read(&gia[..]).expect("ABC writes this");
    assert_eq!(read.comments.len(), 3);
    assert_eq!(read.comments[1..], ["produced\0by", ""]);
    for (text, lines) in [("c", 0), ("c\n", 0), ("c\n\n", 1), ("c\na\nb", 2), ("c \n", 1)] {
        let file = format!("aag 0 0 0 0 0\n{text}");
        assert_eq!(aiger::read(file.as_bytes()).expect(text).comments.len(), lines, "{text:?}");
    }
}

#[test]
fn invalid_utf8_in_symbols_is_replaced() {
    let read = aiger::read(&b"aag 1 1 0 0 0\n2\ni0 a\xffb\n"[..]).expect("lossy");
    assert_eq!(read.system.symbols.iter().next().expect("a symbol").2, "a\u{fffd}b");
}

#[test]
fn old_outputs_are_properties_new_ones_are_not() {
    use buttress_system::SymbolKind::{Bad, Output};
    let kinds = |text: &str| -> Vec<_> {
        let read = aiger::read(text.as_bytes()).expect(text);
        read.system.properties.iter().map(|property| property.symbol).collect()
    };
    assert_eq!(kinds("aag 0 0 0 2 0\n0\n1\n"), [(Output, 0), (Output, 1)]);
    assert_eq!(kinds("aag 0 0 0 1 0 0 1 0 0\n0\n1\n"), [(Output, 0)]);
    assert_eq!(kinds("aag 0 0 0 1 0 1\n0\n1\n"), [(Bad, 0)]);
    assert_eq!(kinds("aag 0 0 0 1 0 0 0 1\n0\n1\n1\n"), []);
}
