//! The variables that a query is about: what it names, what that is a function of, and what belongs to every
//! query.

use super::{ALWAYS, Cdcl};
use crate::sat::{Domains, Lit, Scope};

impl Cdcl {
    /// For queries in rows about ever fewer literals of one large state, as FSIS has them: a query whose literals
    /// are in the last domain keeps that domain, larger than it needs. On PicoJava this takes a quarter of FSIS's
    /// time away, while IC3, whose queries are small, solves less.
    pub fn keeping_domains(mut self) -> Cdcl {
        self.keeps_domains = true;
        self
    }

    #[inline]
    pub(super) fn in_domain(&self, variable: u32) -> bool {
        self.stamp[variable as usize] >= self.query
    }

    /// Stamps what the query depends on.
    pub(super) fn enter_domain(&mut self, assumptions: &[Lit], temporary: &[Lit]) {
        self.heap.clear();
        self.cold = 0;
        if self.last_domain_will_do(assumptions, temporary) {
            return;
        }
        self.query += 1;
        self.domain.clear();
        self.asked =
            if self.scope == Scope::Needed { assumptions.len() + temporary.len() } else { usize::MAX };
        for lit in assumptions.iter().chain(temporary) {
            self.stamp_variable(lit.variable());
        }
        if self.scope == Scope::Everything {
            (0..self.stamp.len() as u32).for_each(|v| self.stamp_variable(v));
        }
        let reach = match self.scope {
            Scope::Near(variables) => variables,
            Scope::Needed | Scope::Everything => usize::MAX,
        };
        let mut next = 0;
        while next < self.domain.len().min(reach) {
            let v = self.domain[next] as usize;
            next += 1;
            for k in self.fanin_range(v) {
                self.stamp_variable(self.fanin[k]);
            }
        }
    }

    /// Whether the last domain may serve again: it holds what the query depends on, and not ten times as much.
    fn last_domain_will_do(&self, assumptions: &[Lit], temporary: &[Lit]) -> bool {
        self.keeps_domains
            && self.scope == Scope::Needed
            && self.asked <= 10 * (assumptions.len() + temporary.len())
            && assumptions.iter().chain(temporary).all(|l| self.in_domain(l.variable()))
    }

    fn fanin_range(&self, v: usize) -> std::ops::Range<usize> {
        if v + 1 < self.fanin_start.len() {
            self.fanin_start[v] as usize..self.fanin_start[v + 1] as usize
        } else {
            0..0
        }
    }

    fn stamp_variable(&mut self, variable: u32) {
        if self.stamp[variable as usize] < self.query {
            self.stamp[variable as usize] = self.query;
            self.domain.push(variable);
        }
    }
}

impl Domains for Cdcl {
    /// Must be called in the order of the variables, before any other domain matters.
    fn depends(&mut self, variables: &[Option<Vec<u32>>]) {
        self.fanin.clear();
        self.fanin_start = vec![0];
        for (v, on) in variables.iter().enumerate() {
            if let Some(on) = on {
                self.fanin.extend(on);
                self.stamp[v] = 0;
            }
            self.fanin_start.push(self.fanin.len() as u32);
        }
        self.always = (0..self.stamp.len() as u32).filter(|&v| self.stamp[v as usize] == ALWAYS).collect();
    }

    fn defined(&mut self, on: &[u32]) {
        let newest = self.always.pop().expect("a new variable belongs to every query until it is defined");
        assert_eq!(newest as usize + 1, self.stamp.len(), "only the newest variable may be defined");
        self.stamp[newest as usize] = 0;
        self.fanin_start.resize(newest as usize + 1, self.fanin.len() as u32);
        self.fanin.extend_from_slice(on);
        self.fanin_start.push(self.fanin.len() as u32);
    }

    fn always(&mut self, variable: u32) {
        let mut todo = vec![variable];
        while let Some(v) = todo.pop() {
            if self.stamp[v as usize] != ALWAYS {
                self.stamp[v as usize] = ALWAYS;
                self.always.push(v);
                todo.extend(self.fanin_range(v as usize).map(|k| self.fanin[k]));
            }
        }
    }
}
