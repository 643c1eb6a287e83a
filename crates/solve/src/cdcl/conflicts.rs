//! What a conflict teaches: a clause by the first unique implication point, or the assumptions that it follows
//! from.

use super::{Cdcl, HEADER, LEARNED, NONE, Ref};
use crate::sat::Lit;

impl Cdcl {
    /// First unique implication point: the learned clause (asserting literal first) and where to go back to.
    fn analyze(&mut self, conflict: Ref) -> (Vec<Lit>, u32) {
        let mut clause = vec![Lit::new(0, false)];
        let mut open = 0;
        let mut at = self.trail.len();
        let mut reason = conflict;
        loop {
            for k in 0..self.len(reason) {
                let lit = Lit::from_code(self.arena[reason.0 as usize + HEADER + k]);
                let variable = lit.variable() as usize;
                if self.seen[variable] || self.level[variable] == 0 || self.value_of(lit) > 0 {
                    continue;
                }
                self.seen[variable] = true;
                self.heap.bump(lit.variable());
                if self.level[variable] == self.decision_level() {
                    open += 1;
                } else {
                    clause.push(lit);
                }
            }
            let pivot = loop {
                at -= 1;
                let lit = self.trail[at];
                if self.seen[lit.variable() as usize] {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                clause[0] = !pivot;
                break;
            }
            self.seen[pivot.variable() as usize] = false;
            reason = self.reason[pivot.variable() as usize];
        }
        self.minimize(&mut clause);
        let back = self.asserting_level(&mut clause);
        (clause, back)
    }

    /// Drops literals that the others imply; clears the marks.
    fn minimize(&mut self, clause: &mut Vec<Lit>) {
        let marked: Vec<Lit> = clause.clone();
        let mut kept = vec![clause[0]];
        for &lit in &clause[1..] {
            let reason = self.reason[lit.variable() as usize];
            let implied = reason != NONE
                && self.lits(reason).all(|l| {
                    let v = l.variable() as usize;
                    v == lit.variable() as usize || self.seen[v] || self.level[v] == 0
                });
            if !implied {
                kept.push(lit);
            }
        }
        marked.iter().for_each(|l| self.seen[l.variable() as usize] = false);
        *clause = kept;
    }

    /// Moves a literal of the highest remaining level to the second place.
    fn asserting_level(&self, clause: &mut [Lit]) -> u32 {
        if clause.len() == 1 {
            return 0;
        }
        let level = |l: &Lit| self.level[l.variable() as usize];
        let highest = (1..clause.len()).max_by_key(|&i| level(&clause[i])).expect("two literals");
        clause.swap(1, highest);
        level(&clause[1])
    }

    fn lbd(&self, clause: &[Lit]) -> u32 {
        let mut levels: Vec<u32> = clause.iter().map(|l| self.level[l.variable() as usize]).collect();
        levels.sort_unstable();
        levels.dedup();
        levels.len() as u32
    }

    pub(super) fn learn(&mut self, conflict: Ref) {
        let (clause, back) = self.analyze(conflict);
        let lbd = self.lbd(&clause);
        self.backtrack(back);
        if let [unit] = clause[..] {
            self.assign(unit, NONE);
        } else {
            let learned = self.allocate(&clause, LEARNED, lbd);
            self.attach(learned, clause[0], clause[1]);
            self.assign(clause[0], learned);
            let temporary = self.temporary.is_some_and(|t| clause.contains(&!t));
            if temporary { self.from_temporary.push(learned) } else { self.learned.push(learned) }
        }
        self.heap.decay();
    }

    /// The assumptions that a conflict at their level, or a false assumption, follows from.
    pub(super) fn analyze_final(&mut self, start: impl Iterator<Item = Lit>) {
        let mut todo = 0;
        for lit in start {
            let variable = lit.variable() as usize;
            if self.level[variable] > 0 && !std::mem::replace(&mut self.seen[variable], true) {
                todo += 1;
            }
        }
        for at in (0..self.trail.len()).rev() {
            if todo == 0 {
                break;
            }
            let lit = self.trail[at];
            let variable = lit.variable() as usize;
            if !std::mem::replace(&mut self.seen[variable], false) {
                continue;
            }
            todo -= 1;
            match self.reason[variable] {
                NONE => self.core.push(lit),
                reason => {
                    for k in 0..self.len(reason) {
                        let v = (self.arena[reason.0 as usize + HEADER + k] >> 1) as usize;
                        if v != variable && self.level[v] > 0 && !std::mem::replace(&mut self.seen[v], true) {
                            todo += 1;
                        }
                    }
                }
            }
        }
        self.core.iter().for_each(|l| self.in_core[l.code() as usize] = true);
    }
}
