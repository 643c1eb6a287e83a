//! A generator of small random systems with everything that AIGER can say.

use buttress_system::{BitSystem, Latch, Lit, Property, Rng, SymbolKind};

pub fn random_system(rng: &mut Rng) -> BitSystem {
    let mut system = BitSystem::new(rng.below(5), rng.below(5));
    for _ in 0..rng.below(200) {
        let (a, b) = (random_lit(rng, &system), random_lit(rng, &system));
        // Binary files order the operands.
        system.push_gate(a.max(b), a.min(b));
    }
    random_latches(rng, &mut system);
    system.outputs = random_lits(rng, &system);
    system.constraints = random_lits(rng, &system);
    system.fairness = random_lits(rng, &system);
    system.justice = (0..rng.below(3)).map(|_| random_lits(rng, &system)).collect();
    let bad = random_lits(rng, &system);
    let old = bad.is_empty() && system.justice.is_empty();
    let (kind, lits) = if old { (SymbolKind::Output, &system.outputs) } else { (SymbolKind::Bad, &bad) };
    let property = |(index, &bad)| Property { bad, symbol: (kind, index) };
    system.properties = lits.iter().enumerate().map(property).collect();
    random_symbols(rng, &mut system);
    system
}

fn random_lit(rng: &mut Rng, system: &BitSystem) -> Lit {
    Lit::from_code(rng.below(2 * system.num_vars()) as u32)
}

fn random_lits(rng: &mut Rng, system: &BitSystem) -> Vec<Lit> {
    (0..rng.below(4)).map(|_| random_lit(rng, system)).collect()
}

/// Resets are constant, free or functions, as long as these are stratified.
fn random_latches(rng: &mut Rng, system: &mut BitSystem) {
    for latch in system.latches() {
        let next = random_lit(rng, system);
        let reset = match rng.below(4) {
            0 => Lit::FALSE,
            1 => Lit::TRUE,
            2 => system.latch_lit(latch),
            _ => random_lit(rng, system),
        };
        system.set_latch(latch, Latch { next, reset });
        if system.reset_order().is_err() {
            system.set_latch(latch, Latch { next, reset: Lit::FALSE });
        }
    }
}

fn random_symbols(rng: &mut Rng, system: &mut BitSystem) {
    let bad = system.properties.iter().filter(|property| property.symbol.0 == SymbolKind::Bad).count();
    let counts = [
        system.num_inputs(),
        system.num_latches(),
        system.outputs.len(),
        bad,
        system.constraints.len(),
        system.justice.len(),
        system.fairness.len(),
    ];
    let names = ["a", "top.s[3]", "= 14", "with two  blanks ", "größe→0", "!q[1] !s.q[1]", "0"];
    for (kind, count) in SymbolKind::ALL.into_iter().zip(counts) {
        for index in (0..count).filter(|_| rng.one_in(2)).collect::<Vec<_>>() {
            system.symbols.insert(kind, index, names[rng.below(names.len())]);
        }
    }
}

pub fn ascii(system: &BitSystem, comments: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    buttress_format::aiger::write_ascii(system, comments, &mut bytes).expect("memory takes it");
    bytes
}

pub fn binary(system: &BitSystem, comments: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    buttress_format::aiger::write_binary(system, comments, &mut bytes).expect("memory takes it");
    bytes
}
