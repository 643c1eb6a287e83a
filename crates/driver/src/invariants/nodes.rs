//! Modular discovery (Section 5 of the KIND-INV paper): what holds of a node is found once, on the node, and
//! carried over to every call.
//!
//! With `x` the variables of a node, `ψ(x)` an invariant of it as if it were the main node, and `p.x` the
//! variables of a call p that moves where `a` holds: `a ⇒ ψ(p.x)`. "The first step" is that of the call: its own
//! first, or the first after a restart. As a main node it may suppose its assumptions, and the subranges of its
//! inputs, and is restarted by nobody; a call is not like that. So what is carried over is a conjecture about the
//! call, and holds only once it was checked, on the whole model, together with what was accepted before. Where the
//! check refuses it for a call, that call goes without.

use std::collections::BTreeMap;
use std::sync::Arc;

use buttress_check::Refusal;
use buttress_engine::discovery::{Found, WordInstances, discover as look};
use buttress_lustre::{Called, Lowered, LustreModel, lower, lower_node};
use buttress_query::{Relation, Words as Reasoner};
use buttress_solve::Stopped;
use buttress_system::Proof;
use buttress_system::words::{System, WordProof};
use buttress_term::{Node, TermId, Terms};
use rustc_hash::FxHashMap;

use super::Carried;
use super::words::Desk;
use crate::statements::names;

/// The nodes that a model calls.
pub struct Nodes<'a> {
    model: &'a LustreModel,
    /// Calls, by node.
    calls: BTreeMap<u32, Vec<Called>>,
}

/// Found of a node, a conjunction for each k.
struct OfNode {
    system: Arc<System>,
    found: Vec<(usize, Arc<Terms>, Vec<TermId>)>,
}

impl<'a> Nodes<'a> {
    /// Of a model that is analysed: it was lowered before, to the same terms.
    pub fn of(model: &'a LustreModel) -> Nodes<'a> {
        let Ok(Lowered { calls: all, .. }) = lower(model) else { panic!("it was lowered before") };
        let mut calls: BTreeMap<u32, Vec<Called>> = BTreeMap::new();
        all.into_iter().for_each(|call| calls.entry(call.unit.0).or_default().push(call));
        Nodes { model, calls }
    }

    /// The variables of each call.
    pub fn settled(&self, system: &System) -> FxHashMap<TermId, usize> {
        let calls: FxHashMap<&str, usize> =
            self.calls.values().flatten().enumerate().map(|(n, call)| (&*call.path, n)).collect();
        let part = |(name, variable): (&str, TermId)| {
            let path = name.rfind('.').map(|dot| &name[..=dot])?;
            Some((variable, *calls.get(path)?)).filter(|_| system.terms.is_variable(variable))
        };
        names(system).into_iter().filter_map(part).collect()
    }
}

impl Desk<'_> {
    /// Looks at each node, and tries what it found on its calls.
    pub fn carry_over(&mut self, nodes: &Nodes<'_>) {
        for calls in nodes.calls.values() {
            let node = nodes.model.program.unit(calls[0].unit).name.name.to_string();
            let mut carried = Carried { node, ..Carried::default() };
            let ended = match lower_node(nodes.model, calls[0].unit) {
                Ok(Lowered { system, .. }) => self.carry_node(&system, calls, &mut carried),
                Err(wrong) => {
                    carried.unfit = wrong.first().map(|diagnostic| diagnostic.message.to_string());
                    Ok(())
                }
            };
            self.discovered.nodes.push(carried);
            if let Err(why) = ended {
                self.discovered.stopped = Some(why);
                return;
            }
        }
    }

    fn carry_node(&mut self, node: &System, calls: &[Called], carried: &mut Carried) -> Result<(), Stopped> {
        let of_node = self.of_node(node)?;
        carried.invariants = of_node.found.iter().map(|(_, _, formulas)| formulas.len()).sum();
        for call in calls {
            match self.accept_for(&of_node, call)? {
                true => carried.calls += 1,
                false => carried.refused += 1,
            }
        }
        Ok(())
    }

    fn of_node(&self, system: &System) -> Result<OfNode, Stopped> {
        let mut instances = WordInstances::new(system, &self.search.selection, self.search.seed);
        let mut reasoner = Reasoner::new(instances.system().clone(), self.search.smt.clone(), self.stop);
        let mut found = Vec::new();
        let tell = &mut |instances: &WordInstances, new: Found<Relation>| {
            let (terms, formulas) = instances.formulas(&new.conjuncts);
            found.push((new.k, terms, formulas));
            true
        };
        look(&mut reasoner, &mut instances, &self.search.options, tell)?;
        Ok(OfNode { system: instances.system().clone(), found })
    }

    /// Whether what is known of the node holds of this call.
    fn accept_for(&mut self, of_node: &OfNode, call: &Called) -> Result<bool, Stopped> {
        for (k, terms, formulas) in &of_node.found {
            let (terms, invariant) = lifted(&self.judge.system, &of_node.system, terms, formulas, call);
            if invariant.is_empty() {
                continue;
            }
            let claim =
                Proof { properties: Vec::new(), k: *k as u32, distinct: None, invariant: invariant.clone() };
            let new = WordProof { terms: terms.clone(), claim };
            match self.certify(self.proof.clone().and(&self.judge.system, &new)) {
                Ok(proof) => {
                    self.proof = proof;
                    self.show(&terms, &invariant, *k);
                }
                Err(Refusal::Rejected(_)) => return Ok(false),
                Err(Refusal::Stopped(why)) => return Err(why),
            }
        }
        Ok(true)
    }
}

/// `active ⇒ ψ(p.x)` for each formula whose variables the call has.
fn lifted(
    main: &System,
    node: &System,
    from: &Terms,
    formulas: &[TermId],
    call: &Called,
) -> (Arc<Terms>, Vec<TermId>) {
    let (here, first) = (names(main), names(node)["first~"]);
    let known = |term: TermId| match from.node(term) {
        _ if term == first => Some(call.first),
        Node::Variable(name) => here.get(&*format!("{}{name}", call.path)).copied(),
        _ => None,
    };
    let (mut terms, mut images, mut lifted) = (main.terms.clone(), FxHashMap::default(), Vec::new());
    for &formula in formulas {
        let is_lost = |t: &TermId| from.is_variable(*t) && known(*t).is_none();
        if from.cone([formula]).iter().any(is_lost) {
            continue;
        }
        let formula = terms.adopt_with(from, formula, &mut images, known);
        lifted.push(call.active.map_or(formula, |active| terms.implies(active, formula)));
    }
    (Arc::new(terms), lifted)
}
