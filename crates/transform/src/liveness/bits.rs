//! A monitor beside bits.

use std::sync::Arc;

use buttress_system::{
    BitSystem, InputId, Lasso, Latch, LatchId, Lemma, Lit, Live, LiveProof, Monitor, Proof, Property,
    PropertyId, Shift, SymbolKind, Ternary, Trace, Unfolds,
};

use super::{owners, recurring};
use crate::Way;

/// Bits with a monitor beside them.
struct Monitored {
    live: Arc<Live<BitSystem>>,
    /// The input of the monitor that keeps a state, where it has one; guesses about formulas come before it.
    save: usize,
    monitor: Monitor,
    /// The justice property that each property is about.
    owners: Vec<usize>,
    system: Arc<BitSystem>,
}

/// The way to a system whose property `j` is about justice property `j`; with [`Monitor::Arenas`], to one whose
/// properties are the signals of one justice property after the other, as bad states.
pub fn monitored_bits(
    live: &Arc<Live<BitSystem>>,
    monitor: Monitor,
) -> impl Way<Old = Live<BitSystem>, New = BitSystem> + use<> {
    let unfolded = BitSystem::unfolded(live);
    let system = match monitor {
        Monitor::Loop => with_loop(&unfolded),
        Monitor::Visits(k) => with_visits(&unfolded, k),
        Monitor::Arenas => with_signals(&unfolded),
    };
    let save = unfolded.system.num_inputs();
    let owners = match monitor {
        Monitor::Arenas => owners(&unfolded),
        Monitor::Loop | Monitor::Visits(_) => (0..unfolded.justice.len()).collect(),
    };
    Monitored { live: live.clone(), save, monitor, owners, system: Arc::new(system) }
}

/// The system with room for a monitor.
struct Beside<'a> {
    live: &'a Live<BitSystem>,
    new: BitSystem,
    shift: Shift,
    /// The next latch of the monitor.
    next: usize,
}

impl<'a> Beside<'a> {
    fn new(live: &'a Live<BitSystem>, inputs: usize, latches: usize) -> Beside<'a> {
        let (new, shift) = live.system.widened(inputs, latches);
        Beside { live, new, shift, next: live.system.num_latches() }
    }

    /// A literal of the system.
    fn lit(&self, lit: Lit) -> Lit {
        self.shift.lit(lit)
    }

    /// Latches of the monitor that start with 0, and their names.
    fn take(&mut self, names: impl IntoIterator<Item = String>) -> Vec<LatchId> {
        let mut taken = Vec::new();
        for name in names {
            self.new.symbols.insert(SymbolKind::Latch, self.next, &name);
            taken.push(LatchId::new(self.next));
            self.next += 1;
        }
        taken
    }

    /// One for each signal of each property.
    fn seen(&mut self) -> Vec<Vec<LatchId>> {
        let signals = |j: usize| self.live.signals(j).count();
        let counts: Vec<usize> = (0..self.live.justice.len()).map(signals).collect();
        let names = |(j, n)| (0..n).map(move |i| format!("seen.{i} of j{j}"));
        counts.into_iter().enumerate().map(|of| self.take(names(of))).collect()
    }

    fn define(&mut self, latch: LatchId, next: Lit, reset: Lit) {
        self.new.set_latch(latch, Latch { next, reset });
    }

    /// `first ∧ …`, one after the other.
    fn all(&mut self, first: Lit, others: impl IntoIterator<Item = Lit>) -> Lit {
        others.into_iter().fold(first, |all, lit| self.new.push_gate(all, lit))
    }

    /// The signals of a property.
    fn signals(&self, justice: usize) -> Vec<Lit> {
        self.live.signals(justice).map(|lit| self.lit(lit)).collect()
    }

    fn bad(&mut self, justice: usize, bad: Lit) {
        self.new.properties.push(Property { bad, symbol: (SymbolKind::Bad, justice) });
        self.new.symbols.insert(SymbolKind::Bad, justice, &format!("j{justice}"));
    }
}

/// The latches that a property depends on, constraints included.
fn depends_on(live: &Live<BitSystem>, justice: usize) -> Vec<bool> {
    let system = &live.system;
    let cone = system.closure(live.signals(justice).chain(system.constraints.iter().copied()));
    system.latches().map(|l| cone[system.latch_lit(l).var().index()]).collect()
}

fn num_signals(live: &Live<BitSystem>) -> usize {
    (0..live.justice.len()).map(|j| live.signals(j).count()).sum()
}

fn with_loop(live: &Live<BitSystem>) -> BitSystem {
    let old = &live.system;
    let compared: Vec<Vec<bool>> = (0..live.justice.len()).map(|j| depends_on(live, j)).collect();
    let kept: Vec<LatchId> = old.latches().filter(|l| compared.iter().any(|c| c[l.index()])).collect();
    let mut beside = Beside::new(live, 1, 1 + num_signals(live) + kept.len());
    beside.new.symbols.insert(SymbolKind::Input, old.num_inputs(), "save");
    let save = beside.new.input_lit(InputId::new(old.num_inputs()));
    let saved_latch = beside.take(["saved".to_string()])[0];
    let seen = beside.seen();
    let name = |l: &LatchId| format!("kept.{}", old.symbols.name(SymbolKind::Latch, l.index()));
    let copies = beside.take(kept.iter().map(name));
    let saved = beside.new.latch_lit(saved_latch);
    let now = beside.new.push_gate(save, !saved);
    let since = beside.new.push_or(saved, save);
    beside.define(saved_latch, since, Lit::FALSE);
    let mut same = vec![None; old.num_latches()];
    for (&latch, &copy) in kept.iter().zip(&copies) {
        let (own, kept) = (beside.new.latch_lit(latch), beside.new.latch_lit(copy));
        let hold = beside.new.push_gate(kept, !now);
        let take = beside.new.push_gate(own, now);
        let next = beside.new.push_or(hold, take);
        let reset = Some(old.latch(latch).reset).filter(|r| r.is_constant());
        beside.define(copy, next, reset.unwrap_or(kept));
        same[latch.index()] = Some(beside.new.push_equal(kept, own));
    }
    for (j, seen) in seen.iter().enumerate() {
        for (&latch, signal) in seen.iter().zip(beside.signals(j)) {
            let own = beside.new.latch_lit(latch);
            let met = beside.new.push_or(own, signal);
            let next = beside.new.push_gate(met, since);
            beside.define(latch, next, Lit::FALSE);
        }
    }
    for (j, seen) in seen.iter().enumerate() {
        let seen: Vec<Lit> = seen.iter().map(|&l| beside.new.latch_lit(l)).collect();
        let same = same.iter().zip(&compared[j]).filter(|(_, compared)| **compared).filter_map(|(s, _)| *s);
        let bad = beside.all(saved, seen.into_iter().chain(same));
        beside.bad(j, bad);
    }
    beside.new
}

fn with_visits(live: &Live<BitSystem>, k: u32) -> BitSystem {
    let properties = live.justice.len();
    let mut beside = Beside::new(live, 0, num_signals(live) + properties * k as usize);
    let seen = beside.seen();
    let name = |n: u32| (0..properties).map(move |j| format!("count.{n} of j{j}"));
    let counts: Vec<Vec<LatchId>> = (1..=k).map(|n| beside.take(name(n))).collect();
    for (j, seen) in seen.iter().enumerate() {
        let signals = beside.signals(j);
        let met: Vec<Lit> = seen
            .iter()
            .zip(signals)
            .map(|(&latch, signal)| {
                let own = beside.new.latch_lit(latch);
                beside.new.push_or(own, signal)
            })
            .collect();
        let visit = match met.split_first() {
            None => Lit::TRUE,
            Some((&first, others)) => beside.all(first, others.iter().copied()),
        };
        for (&latch, &met) in seen.iter().zip(&met) {
            let next = beside.new.push_gate(met, !visit);
            beside.define(latch, next, Lit::FALSE);
        }
        let mut before = Lit::TRUE;
        for level in &counts {
            let own = beside.new.latch_lit(level[j]);
            let up = beside.new.push_gate(before, visit);
            let next = beside.new.push_or(own, up);
            beside.define(level[j], next, Lit::FALSE);
            before = own;
        }
        let bad = beside.new.push_gate(before, visit);
        beside.bad(j, bad);
    }
    beside.new
}

/// The system as it is.
fn with_signals(live: &Live<BitSystem>) -> BitSystem {
    let mut new = (*live.system).clone();
    new.properties.clear();
    for j in 0..live.justice.len() {
        for bad in recurring(live, j, Lit::TRUE) {
            let symbol = (SymbolKind::Bad, new.properties.len());
            new.properties.push(Property { bad, symbol });
        }
    }
    new
}

impl Way for Monitored {
    type Old = Live<BitSystem>;
    type New = BitSystem;

    fn system(&self) -> &Arc<BitSystem> {
        &self.system
    }

    fn property(&self, property: PropertyId) -> PropertyId {
        PropertyId::new(self.owners[property.index()])
    }

    /// Back to where the state was kept; the last state, which is the same, is not gone through twice. A path with
    /// many visits, and one without a monitor, is none that goes round: nothing is known of where it goes back to.
    fn trace(&self, trace: Trace) -> Lasso {
        let (inputs, latches) = (self.live.system.num_inputs(), self.live.system.num_latches());
        let saves = |row: &Vec<Ternary>| row.get(self.save) == Some(&Ternary::One);
        let back = trace.inputs.iter().position(saves).unwrap_or(0);
        let Trace { property, mut initial, inputs: mut rows } = trace;
        let property = self.property(property);
        initial.truncate(latches);
        if self.monitor != Monitor::Arenas {
            rows.pop();
        }
        rows.iter_mut().for_each(|row| row.truncate(inputs));
        Lasso { justice: property.index(), trace: Trace { property, initial, inputs: rows }, back }
    }

    fn path(&self, path: Trace) -> Lasso {
        self.trace(path)
    }

    fn proof(&self, mut proof: Proof) -> LiveProof<Proof> {
        proof.properties.iter_mut().for_each(|p| *p = self.property(*p));
        LiveProof::new(self.monitor, proof)
    }

    fn literal(&self, _: Lit) -> Option<Lit> {
        None
    }

    fn lower(&self, lemmas: &[PropertyId]) -> Vec<Option<Lemma>> {
        let first = |p: &PropertyId| self.owners.iter().position(|&owner| owner == p.index());
        lemmas.iter().map(|p| Some(Lemma::Property(PropertyId::new(first(p)?)))).collect()
    }
}
