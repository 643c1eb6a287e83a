//! A CDCL solver for inductive queries: 10⁴ to 10⁶ small questions about one transition relation.
//!
//! General solvers spend their time elsewhere. What IC3 and FSIS ask is tiny, always about the same circuit,
//! and mostly decided by propagation. Three things are made for that (after Su, Yang, Ci, Li, Bu & Huang,
//! "Deeply optimizing the SAT solver for the IC3 algorithm", CAV 2025, and MiniSat, Eén & Sörensson 2003):
//!
//! * **Domains.** [`Domains::depends`] tells which variables a gate is a function of. A query then only decides
//!   and propagates variables that its assumptions depend on, and those that are always in
//!   ([`Domains::always`]: latches in lemmas, the cones of constraints). A gate outside is never assigned, so no
//!   clause that defines it can be in conflict, and any assignment found extends to it by evaluation.
//! * **Temporary clauses** ([`Temporary`]): `¬c` holds for one query only. It carries the literal `¬t` of one
//!   reserved variable, which the query assumes; what is learned from it carries `¬t` too and leaves with it.
//!   No activation literals pile up.
//! * **Assumptions share one decision level**, so a restart never undoes them.
//!
//! The rest is textbook: two watched literals with blockers, first UIP, local minimisation, VSIDS, saved
//! phases, Luby restarts, and a small database of learned clauses, those of low LBD. No preprocessing: the
//! caller's encoding is already reduced.
//!
//! Limits: 2³⁰ words of clauses. Variables are never eliminated, so every one may be assumed at any time.

mod conflicts;
mod domain;

use crate::heap::Heap;
use crate::justification::{Definitions, Justification, Place};
use crate::sat::{Core, Justified, Limited, Lit, Model, Outcome, Patient, Phases, Scope, Solver, Temporary};
use crate::{Stop, Stopped};

/// A clause in the arena: its header's index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ref(u32);

const NONE: Ref = Ref(u32::MAX);
const BINARY: u32 = 1 << 31;

/// Header words before the literals: length and flags, then the LBD.
const HEADER: usize = 2;
const LEARNED: u32 = 1;
const DEAD: u32 = 2;

#[derive(Clone, Copy)]
struct Watch {
    /// Some other literal of the clause: if it is true the clause need not be looked at.
    blocker: Lit,
    /// The clause, with the top bit set where it has two literals.
    clause: u32,
}

/// The state of the search when a decision level began.
#[derive(Clone, Copy)]
struct Level {
    trail: u32,
    cold: u32,
    justification: Place,
}

/// In the domain of every query.
const ALWAYS: u32 = u32::MAX;

const RESTART: u64 = 64;
/// So many learned clauses are never too many; more than a quarter of those given are: small queries rarely use
/// them again.
const FEW_LEARNED: usize = 100;
/// After so many conflicts, a query that justifies its model decides active variables first.
const PATIENCE: u64 = 30;
/// After so many conflicts a query throws out what it learned to no use, and again after so many and some more.
const LONG: u64 = 2000;
const LONGER: u64 = 300;
/// Dead words that are not worth a collection.
const WASTE: usize = 1 << 16;

#[derive(Clone)]
pub struct Cdcl {
    arena: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    level: Vec<u32>,
    reason: Vec<Ref>,
    phase: Vec<bool>,
    seen: Vec<bool>,
    trail: Vec<Lit>,
    head: usize,
    /// How far the domain was searched for open variables that the heap does not hold.
    cold: usize,
    /// Where decision levels begin.
    levels: Vec<Level>,
    heap: Heap,
    learned: Vec<Ref>,
    /// Clauses that were given.
    added: usize,
    /// Words of dead clauses in the arena.
    wasted: usize,
    /// False once the clauses alone are contradictory.
    consistent: bool,

    /// `stamp[v] >= query` if `v` is in the domain of the current query.
    stamp: Vec<u32>,
    query: u32,
    always: Vec<u32>,
    domain: Vec<u32>,
    /// How many literals the query had that the domain was made for; no query has so many where it is not
    /// complete.
    asked: usize,
    keeps_domains: bool,
    /// Dependencies of variable v: `fanin[fanin_start[v] .. fanin_start[v + 1]]`.
    fanin: Vec<u32>,
    fanin_start: Vec<u32>,

    /// The literal that temporary clauses hang on.
    temporary: Option<Lit>,
    from_temporary: Vec<Ref>,
    core: Vec<Lit>,
    in_core: Vec<bool>,
    scratch: Vec<Lit>,
    stop: Stop,
    conflicts: u64,
    propagations: u64,
    scope: Scope,
    /// Conflicts before the current query.
    conflicts_before: u64,
    justification: Option<Justification>,
}

impl Cdcl {
    pub fn new(stop: &Stop) -> Cdcl {
        Cdcl {
            arena: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            phase: Vec::new(),
            seen: Vec::new(),
            trail: Vec::new(),
            head: 0,
            cold: 0,
            levels: Vec::new(),
            heap: Heap::default(),
            learned: Vec::new(),
            added: 0,
            wasted: 0,
            consistent: true,
            stamp: Vec::new(),
            query: 1,
            always: Vec::new(),
            domain: Vec::new(),
            asked: usize::MAX,
            keeps_domains: false,
            fanin: Vec::new(),
            fanin_start: vec![0],
            temporary: None,
            from_temporary: Vec::new(),
            core: Vec::new(),
            in_core: Vec::new(),
            scratch: Vec::new(),
            stop: stop.clone(),
            conflicts: 0,
            propagations: 0,
            scope: Scope::Needed,
            conflicts_before: 0,
            justification: None,
        }
    }

    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    #[inline]
    fn value_of(&self, lit: Lit) -> i8 {
        self.values[lit.code() as usize]
    }

    fn decision_level(&self) -> u32 {
        self.levels.len() as u32
    }

    // ---------------------------------------------------------------------------------- clauses

    fn len(&self, clause: Ref) -> usize {
        (self.arena[clause.0 as usize] >> 2) as usize
    }

    fn lits(&self, clause: Ref) -> impl Iterator<Item = Lit> + '_ {
        let start = clause.0 as usize + HEADER;
        self.arena[start..start + self.len(clause)].iter().map(|&code| Lit::from_code(code))
    }

    fn allocate(&mut self, lits: &[Lit], flags: u32, lbd: u32) -> Ref {
        let clause = Ref(self.arena.len() as u32);
        assert!(clause.0 < BINARY, "the clause arena is full");
        self.arena.push((lits.len() as u32) << 2 | flags);
        self.arena.push(lbd);
        self.arena.extend(lits.iter().map(|l| l.code()));
        clause
    }

    /// Watches the first two literals.
    fn attach(&mut self, clause: Ref, a: Lit, b: Lit) {
        let tag = if self.len(clause) == 2 { clause.0 | BINARY } else { clause.0 };
        self.watches[a.code() as usize].push(Watch { blocker: b, clause: tag });
        self.watches[b.code() as usize].push(Watch { blocker: a, clause: tag });
    }

    fn detach(&mut self, clause: Ref) {
        self.arena[clause.0 as usize] |= DEAD;
        self.wasted += HEADER + self.len(clause);
        let start = clause.0 as usize + HEADER;
        for code in [self.arena[start], self.arena[start + 1]] {
            let list = &mut self.watches[code as usize];
            if let Some(at) = list.iter().position(|w| w.clause & !BINARY == clause.0) {
                list.swap_remove(at);
            }
        }
    }

    /// Adds a clause at level 0, simplified by what is fixed there.
    fn insert(&mut self, clause: &[Lit], flags: u32) -> Option<Ref> {
        debug_assert_eq!(self.decision_level(), 0);
        let mut lits = std::mem::take(&mut self.scratch);
        lits.clear();
        lits.extend_from_slice(clause);
        lits.sort_unstable();
        lits.dedup();
        let tautology = lits.windows(2).any(|w| w[0] == !w[1]);
        let satisfied = lits.iter().any(|&l| self.value_of(l) > 0);
        lits.retain(|&l| self.value_of(l) == 0);
        let mut added = None;
        if !tautology && !satisfied {
            match lits.as_slice() {
                [] => self.consistent = false,
                [unit] => {
                    self.assign(*unit, NONE);
                    self.consistent &= self.propagate().is_none();
                }
                [a, b, ..] => {
                    let clause = self.allocate(&lits, flags, 0);
                    self.attach(clause, *a, *b);
                    added = Some(clause);
                }
            }
        }
        self.scratch = lits;
        added
    }

    // ------------------------------------------------------------------------------ assignments

    #[inline]
    fn assign(&mut self, lit: Lit, reason: Ref) {
        let variable = lit.variable() as usize;
        self.values[lit.code() as usize] = 1;
        self.values[(!lit).code() as usize] = -1;
        self.level[variable] = self.levels.len() as u32;
        self.reason[variable] = reason;
        self.trail.push(lit);
    }

    fn open_level(&mut self) {
        let justification = self.justification.as_ref().map_or(Place::default(), |j| j.at);
        self.levels.push(Level { trail: self.trail.len() as u32, cold: self.cold as u32, justification });
    }

    fn backtrack(&mut self, level: u32) {
        if self.decision_level() <= level {
            return;
        }
        let Level { trail, cold, justification } = self.levels[level as usize];
        self.justification.iter_mut().for_each(|j| j.back(justification));
        let keep = trail as usize;
        for &lit in &self.trail[keep..] {
            self.values[lit.code() as usize] = 0;
            self.values[(!lit).code() as usize] = 0;
            self.phase[lit.variable() as usize] = !lit.is_negated();
        }
        for &lit in &self.trail[keep..] {
            if self.heap.is_hot(lit.variable()) {
                self.heap.insert(lit.variable());
            }
        }
        self.cold = cold as usize;
        self.trail.truncate(keep);
        self.levels.truncate(level as usize);
        self.head = keep;
    }

    /// Follows the consequences of what was assigned; a clause that is false is a conflict.
    fn propagate(&mut self) -> Option<Ref> {
        let (mut conflict, first) = (None, self.head);
        while conflict.is_none() && self.head < self.trail.len() {
            let falsified = !self.trail[self.head];
            self.head += 1;
            let mut list = std::mem::take(&mut self.watches[falsified.code() as usize]);
            conflict = self.visit(falsified, &mut list);
            self.watches[falsified.code() as usize] = list;
        }
        self.propagations += (self.head - first) as u64;
        conflict
    }

    /// Visits the clauses that watch a literal which became false.
    ///
    /// Nine tenths of a run of IC3 are spent here, so nothing is bounds-checked. Why that is sound: every literal
    /// in the arena and in a watch is of a variable made by `new_var`, which sizes `values`, `watches` and `stamp`
    /// for it; a watch's clause is a header index whose `HEADER + len` words lie inside the arena (`allocate`
    /// writes them at once, and `collect_garbage` rebuilds all watches); `len` is at least 2; `to ≤ from ≤ len`
    /// of the list. Debug builds check each access.
    #[allow(unsafe_code)]
    fn visit(&mut self, falsified: Lit, list: &mut Vec<Watch>) -> Option<Ref> {
        let everything = self.levels.is_empty();
        // A justification may decide what is outside of the domain.
        let closed = !everything && self.justification.is_none();
        let (mut from, mut to) = (0, 0);
        let mut conflict = None;
        let end = list.len();
        while from < end {
            // SAFETY: see above.
            let watch = unsafe { *list.get_unchecked(from) };
            from += 1;
            let blocker = self.value_at(watch.blocker.code());
            // A literal that stays open keeps the clause from being false, or from implying anything.
            let stays_open = blocker == 0 && closed && !self.in_domain(watch.blocker.variable());
            if blocker > 0 || stays_open {
                unsafe { *list.get_unchecked_mut(to) = watch };
                to += 1;
                continue;
            }
            let clause = Ref(watch.clause & !BINARY);
            let (implied, value) = if watch.clause & BINARY != 0 {
                (watch.blocker, blocker)
            } else {
                match self.rewatch(clause, falsified) {
                    None => continue,
                    Some(first) => (first, self.value_at(first.code())),
                }
            };
            unsafe { *list.get_unchecked_mut(to) = Watch { blocker: implied, clause: watch.clause } };
            to += 1;
            if value == 0 {
                if everything || self.in_domain(implied.variable()) {
                    self.assign(implied, clause);
                }
            } else if value < 0 {
                conflict = Some(clause);
                break;
            }
        }
        list.copy_within(from.., to);
        list.truncate(end - (from - to));
        conflict
    }

    /// Watches another literal instead of the false one; where none is free, the other watched literal, which must
    /// hold (or holds already).
    #[inline]
    #[allow(unsafe_code)]
    fn rewatch(&mut self, clause: Ref, falsified: Lit) -> Option<Lit> {
        let start = clause.0 as usize + HEADER;
        debug_assert!(start + self.len(clause) <= self.arena.len());
        // SAFETY: see `visit`. The slice is the clause's literals; `values` and `watches` are other allocations.
        let lits = unsafe {
            let len = (*self.arena.get_unchecked(clause.0 as usize) >> 2) as usize;
            self.arena.get_unchecked_mut(start..start + len)
        };
        let (a, b) = (lits[0], lits[1]);
        let first = a ^ b ^ falsified.code();
        lits[0] = first;
        lits[1] = falsified.code();
        let value = |code: u32| {
            debug_assert!((code as usize) < self.values.len());
            unsafe { *self.values.get_unchecked(code as usize) }
        };
        if value(first) > 0 {
            return Some(Lit::from_code(first));
        }
        for k in 2..lits.len() {
            if value(lits[k]) >= 0 {
                lits.swap(1, k);
                let watch = Watch { blocker: Lit::from_code(first), clause: clause.0 };
                let watched = lits[1] as usize;
                debug_assert!(watched < self.watches.len());
                unsafe { self.watches.get_unchecked_mut(watched) }.push(watch);
                return None;
            }
        }
        Some(Lit::from_code(first))
    }

    #[inline]
    #[allow(unsafe_code)]
    fn value_at(&self, code: u32) -> i8 {
        debug_assert!((code as usize) < self.values.len());
        // SAFETY: literals are of variables made by `new_var`, which sizes `values`.
        unsafe { *self.values.get_unchecked(code as usize) }
    }

    // ----------------------------------------------------------------------------------- search

    /// Only once the assumptions alone have not decided the query: most are decided by then.
    fn fill_heap(&mut self) {
        let Cdcl { heap, always, domain, values, .. } = self;
        let open = always.iter().chain(&*domain).copied().filter(|&v| values[v as usize * 2] == 0);
        heap.fill(open);
    }

    /// Assumes all at level 1; false where that fails, with the core.
    fn assume(&mut self, assumptions: &[Lit]) -> bool {
        debug_assert_eq!(self.decision_level(), 0);
        self.open_level();
        for &lit in assumptions {
            match self.value_of(lit) {
                1 => continue,
                0 => {
                    self.assign(lit, NONE);
                    if let Some(conflict) = self.propagate() {
                        let lits: Vec<Lit> = self.lits(conflict).collect();
                        self.analyze_final(lits.into_iter());
                        return false;
                    }
                }
                _ => {
                    // ¬lit follows from earlier assumptions: they and lit are the core.
                    self.analyze_final(std::iter::once(lit));
                    if !self.in_core[lit.code() as usize] {
                        self.core.push(lit);
                        self.in_core[lit.code() as usize] = true;
                    }
                    return false;
                }
            }
        }
        true
    }

    /// `None` once there were that many conflicts in all.
    fn search(&mut self, assumptions: &[Lit], limit: u64) -> Result<Option<Outcome>, Stopped> {
        if !self.assume(assumptions) {
            return Ok(Some(Outcome::Unsat));
        }
        self.fill_heap();
        let mut restarts = 0;
        let mut budget = RESTART * luby(restarts);
        let mut patience = LONG;
        let mut reduced = self.conflicts;
        loop {
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                match self.decision_level() {
                    0 => {
                        self.consistent = false;
                        return Ok(Some(Outcome::Unsat));
                    }
                    1 => {
                        let lits: Vec<Lit> = self.lits(conflict).collect();
                        self.analyze_final(lits.into_iter());
                        return Ok(Some(Outcome::Unsat));
                    }
                    _ => self.learn(conflict),
                }
                if self.conflicts & 0x3f == 0 {
                    self.stop.check()?;
                }
                if self.conflicts >= limit {
                    return Ok(None);
                }
                budget = budget.saturating_sub(1);
            } else if self.decision_level() == 0 {
                // A unit was learned: the assumptions again.
                if !self.assume(assumptions) {
                    return Ok(Some(Outcome::Unsat));
                }
            } else if budget == 0 {
                restarts += 1;
                budget = RESTART * luby(restarts);
                if self.conflicts - reduced < patience {
                    self.backtrack(1);
                } else {
                    self.backtrack(0);
                    self.reduce();
                    reduced = self.conflicts;
                    patience += LONGER;
                }
            } else {
                match self.pick() {
                    None => return Ok(Some(Outcome::Sat)),
                    Some(decision) => {
                        self.open_level();
                        self.assign(decision, NONE);
                    }
                }
            }
        }
    }

    /// The next decision; `None` where nothing is left to decide.
    fn pick(&mut self) -> Option<Lit> {
        let Some(justification) = &mut self.justification else {
            return self.pick_active().or_else(|| self.pick_any());
        };
        let open = justification.advance(&self.values, &self.phase)?;
        let hard = self.conflicts - self.conflicts_before > PATIENCE;
        if hard { self.pick_active().or(Some(open)) } else { Some(open) }
    }

    /// The most active variable.
    fn pick_active(&mut self) -> Option<Lit> {
        while let Some(variable) = self.heap.pop() {
            if self.values[variable as usize * 2] == 0 && self.in_domain(variable) {
                return Some(Lit::new(variable, !self.phase[variable as usize]));
            }
        }
        None
    }

    /// Where no active one is open, any that others are functions of: the gates follow.
    fn pick_any(&mut self) -> Option<Lit> {
        let total = self.always.len() + self.domain.len();
        while self.cold < total {
            let (at, known) = (self.cold, self.always.len());
            let variable = if at < known { self.always[at] } else { self.domain[at - known] };
            if self.values[variable as usize * 2] == 0 {
                // The search stays here: if this decision is undone, the variable is open again.
                return Some(Lit::new(variable, !self.phase[variable as usize]));
            }
            self.cold += 1;
        }
        None
    }

    fn solve_query(
        &mut self,
        assumptions: &[Lit],
        temporary: Option<&[Lit]>,
        limit: u64,
    ) -> Result<Option<Outcome>, Stopped> {
        self.stop.check()?;
        self.reset();
        if !self.consistent {
            return Ok(Some(Outcome::Unsat));
        }
        if self.learned.len() > FEW_LEARNED.max(self.added / 4) {
            self.reduce();
        } else if self.wasted > WASTE && 2 * self.wasted > self.arena.len() {
            self.collect_garbage();
        }
        self.conflicts_before = self.conflicts;
        self.justification.iter_mut().for_each(|j| j.ask(assumptions, temporary.unwrap_or_default()));
        let Some(clause) = temporary else {
            self.enter_domain(assumptions, &[]);
            return self.search(assumptions, limit);
        };
        let t = self.temporary_literal();
        let mut with_t = Vec::with_capacity(clause.len() + 1);
        with_t.push(!t);
        with_t.extend_from_slice(clause);
        let added = self.insert(&with_t, LEARNED);
        self.from_temporary.extend(added);
        let mut assumed = Vec::with_capacity(assumptions.len() + 1);
        assumed.push(t);
        assumed.extend_from_slice(assumptions);
        self.enter_domain(&assumed, clause);
        self.search(&assumed, limit)
    }

    /// The reserved literal, or a new one where the old one was decided for good.
    fn temporary_literal(&mut self) -> Lit {
        match self.temporary {
            Some(t) if self.value_of(t) == 0 => t,
            _ => {
                let t = self.new_var();
                self.temporary = Some(t);
                t
            }
        }
    }

    /// Forgets the last query: its assignment, core and temporary clauses.
    fn reset(&mut self) {
        self.backtrack(0);
        self.core.drain(..).for_each(|l| self.in_core[l.code() as usize] = false);
        while let Some(clause) = self.from_temporary.pop() {
            self.detach(clause);
        }
    }

    /// Throws out the worse half of the learned clauses and compacts the arena. Within a query, what was learned
    /// from its temporary clause counts, too; that clause itself is the first of them and stays.
    fn reduce(&mut self) {
        let mut learned = std::mem::take(&mut self.learned);
        let own = self.from_temporary.len().min(1);
        learned.extend(self.from_temporary.drain(own..));
        learned.sort_by_key(|c| self.arena[c.0 as usize + 1]);
        for clause in learned.drain(learned.len() / 2..) {
            self.arena[clause.0 as usize] |= DEAD;
        }
        self.collect_garbage();
    }

    /// Copies live clauses to a new arena and rebuilds the watches. Only at level 0, where reasons do not matter.
    fn collect_garbage(&mut self) {
        let old = std::mem::take(&mut self.arena);
        self.wasted = 0;
        self.watches.iter_mut().for_each(Vec::clear);
        self.learned.clear();
        self.from_temporary.clear();
        let temporary = self.temporary.map(|t| (!t).code());
        let mut at = 0;
        while at < old.len() {
            let len = (old[at] >> 2) as usize;
            let lits = &old[at + HEADER..at + HEADER + len];
            let satisfied = lits.iter().any(|&l| self.values[l as usize] > 0);
            if old[at] & DEAD == 0 && !satisfied {
                let clause = Ref(self.arena.len() as u32);
                self.arena.extend_from_slice(&old[at..at + HEADER + len]);
                self.attach(clause, Lit::from_code(lits[0]), Lit::from_code(lits[1]));
                if old[at] & LEARNED != 0 {
                    let passing = temporary.is_some_and(|t| lits.contains(&t));
                    if passing { self.from_temporary.push(clause) } else { self.learned.push(clause) }
                }
            }
            at += HEADER + len;
        }
    }
}

/// 1 1 2 1 1 2 4 …
fn luby(mut i: u64) -> u64 {
    loop {
        let k = 64 - (i + 1).leading_zeros() as u64;
        if i + 1 == (1 << k) - 1 {
            return 1 << (k - 1);
        }
        i -= (1 << (k - 1)) - 1;
    }
}

impl Solver for Cdcl {
    fn new_var(&mut self) -> Lit {
        let variable = self.level.len() as u32;
        self.values.extend([0, 0]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.in_core.extend([false, false]);
        self.level.push(0);
        self.reason.push(NONE);
        self.phase.push(false);
        self.seen.push(false);
        self.stamp.push(ALWAYS);
        self.always.push(variable);
        self.heap.grow();
        self.justification.iter_mut().for_each(|j| j.is_needed.push(false));
        Lit::new(variable, false)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.reset();
        self.added += 1;
        self.justification.iter_mut().for_each(|j| j.required.push(clause.into()));
        if self.consistent {
            self.insert(clause, 0);
        }
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Result<Outcome, Stopped> {
        let outcome = self.solve_query(assumptions, None, u64::MAX)?;
        Ok(outcome.expect("there is no limit"))
    }
}

impl Limited for Cdcl {
    fn solve_limited(
        &mut self,
        assumptions: &[Lit],
        scope: Scope,
        conflicts: u64,
    ) -> Result<Option<Outcome>, Stopped> {
        self.scope = scope;
        let outcome = self.solve_query(assumptions, None, self.conflicts + conflicts);
        self.scope = Scope::Needed;
        outcome
    }

    fn propagations(&self) -> u64 {
        self.propagations
    }
}

impl Patient for Cdcl {
    fn solve_within(&mut self, assumptions: &[Lit], conflicts: u64) -> Result<Option<Outcome>, Stopped> {
        self.solve_query(assumptions, None, self.conflicts.saturating_add(conflicts))
    }
}

impl Temporary for Cdcl {
    fn solve_with(&mut self, assumptions: &[Lit], clause: &[Lit]) -> Result<Outcome, Stopped> {
        let outcome = self.solve_query(assumptions, Some(clause), u64::MAX)?;
        Ok(outcome.expect("there is no limit"))
    }
}

impl Phases for Cdcl {
    /// Ends the last query, whose values would be saved as phases later.
    fn prefer(&mut self, lit: Lit) {
        self.backtrack(0);
        self.phase[lit.variable() as usize] = !lit.is_negated();
    }
}

impl Justified for Cdcl {
    fn justify(&mut self) {
        self.reset();
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        let mut at = 0;
        while at < self.arena.len() {
            let clause = Ref(at as u32);
            clauses.push(self.lits(clause).collect());
            at += HEADER + self.len(clause);
        }
        self.justification = Some(Justification::new(Definitions::new(self.level.len(), &clauses)));
    }
}

impl Model for Cdcl {
    fn value(&mut self, lit: Lit) -> bool {
        let needed = self.justification.as_ref().is_none_or(|j| j.is_needed[lit.variable() as usize]);
        needed && self.value_of(lit) > 0
    }
}

impl Core for Cdcl {
    fn failed(&mut self, assumption: Lit) -> bool {
        self.in_core[assumption.code() as usize]
    }
}
