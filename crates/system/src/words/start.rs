//! The order in which the values of step 0 can be computed.

use buttress_term::TermId;

use super::{Role, StateId, System};

/// Something that gets its value in step 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assignment {
    State(StateId),
    Definition(usize),
}

/// A state whose `init` reads its own value, perhaps through others, or a definition that reads itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitCycle(pub Assignment);

impl System {
    /// All states and definitions, in an order in which `init` and `value` terms read only inputs and what
    /// stands before: the system is *stratified*. Otherwise something on a circle.
    pub fn start_order(&self) -> Result<Vec<Assignment>, InitCycle> {
        let mut search = Search {
            system: self,
            roles: self.roles(),
            visits: vec![Visit::New; self.terms.len()],
            order: Vec::with_capacity(self.states.len() + self.definitions.len()),
        };
        let states = self.states.iter().map(|s| s.variable);
        let definitions = self.definitions.iter().map(|d| d.variable);
        states.chain(definitions).try_for_each(|variable| search.visit(variable))?;
        Ok(search.order)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Depth-first search through terms, and through variables to what gives them their value.
struct Search<'a> {
    system: &'a System,
    roles: Vec<Option<Role>>,
    visits: Vec<Visit>,
    order: Vec<Assignment>,
}

impl Search<'_> {
    fn visit(&mut self, variable: TermId) -> Result<(), InitCycle> {
        let mut stack = vec![variable];
        while let Some(&term) = stack.last() {
            match self.visits[term.index()] {
                Visit::Done => drop(stack.pop()),
                Visit::New => {
                    self.visits[term.index()] = Visit::Open;
                    self.push_read(term, &mut stack)?;
                }
                Visit::Open => {
                    self.visits[term.index()] = Visit::Done;
                    self.order.extend(self.assignment(term));
                    stack.pop();
                }
            }
        }
        Ok(())
    }

    fn assignment(&self, term: TermId) -> Option<Assignment> {
        match self.roles[term.index()]? {
            Role::Input(_) => None,
            Role::State(s) => Some(Assignment::State(s)),
            Role::Definition(d) => Some(Assignment::Definition(d)),
        }
    }

    fn push_read(&self, term: TermId, stack: &mut Vec<TermId>) -> Result<(), InitCycle> {
        let defined = match self.assignment(term) {
            None => None,
            Some(Assignment::State(s)) => self.system.state(s).init,
            Some(Assignment::Definition(d)) => Some(self.system.definitions[d].value),
        };
        for &read in self.system.terms.operands(term).iter().chain(&defined) {
            match self.visits[read.index()] {
                Visit::New => stack.push(read),
                Visit::Done => {}
                Visit::Open => return Err(self.circle(read, stack)),
            }
        }
        Ok(())
    }

    /// The open terms from `closed` on are a circle. Terms are acyclic, so it goes through a variable; a state on
    /// it says more than a definition.
    fn circle(&self, closed: TermId, stack: &[TermId]) -> InitCycle {
        let open = stack.iter().filter(|t| self.visits[t.index()] == Visit::Open);
        let circle = open.skip_while(|&&t| t != closed).filter_map(|&t| self.assignment(t));
        let state_first = |a: &Assignment| matches!(a, Assignment::Definition(_));
        InitCycle(circle.min_by_key(state_first).expect("a circle goes through a variable"))
    }
}
