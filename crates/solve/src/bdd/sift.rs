//! Another order of variables while diagrams exist (Rudell, "Dynamic variable ordering for ordered binary decision
//! diagrams", ICCAD 1993): one block of variables after the other, the one with the most nodes first, goes through
//! the whole order and stays where all diagrams together were smallest.
//!
//! A block is some neighbours that stay together, such as a variable and the one for its next value. Neighbouring
//! levels change places by OxiDD's `level_down`. It ends the process where it runs out of nodes, so nothing moves
//! where a swap might: it makes at most two nodes of each on the upper level.

use oxidd::bcdd::BCDDManagerRef;
use oxidd::{HasLevel, LevelNo, Manager, ManagerRef};
use oxidd_core::LevelView;
use oxidd_reorder::level_down;

use crate::Stop;

/// A block turns back where all diagrams have become larger than this many tenths of the smallest so far.
const GROWTH: usize = 12;

/// More blocks are not moved in one go.
const MOST_BLOCKS: usize = 300;

/// Sifts blocks of so many neighbours; ends early where it is asked to.
pub(super) fn sift(manager: &BCDDManagerRef, together: u32, limit: usize, stop: &Stop) {
    manager.with_manager_exclusive(|manager| {
        manager.gc();
        manager.reorder(|manager| Sifting { manager, together, limit }.all(stop));
    });
}

struct Sifting<'a, M> {
    manager: &'a mut M,
    /// Levels of a block.
    together: u32,
    limit: usize,
}

impl<M: Manager> Sifting<'_, M>
where
    M::InnerNode: HasLevel,
{
    fn all(&mut self, stop: &Stop) {
        let blocks = self.manager.num_levels() / self.together;
        // By the variable that each begins with: levels change.
        let mut by_size: Vec<(usize, u32)> = (0..blocks)
            .map(|block| (self.size_of(block), self.manager.level_to_var(block * self.together)))
            .filter(|&(size, _)| size > 0)
            .collect();
        by_size.sort_unstable_by_key(|&(size, variable)| (std::cmp::Reverse(size), variable));
        for (_, variable) in by_size.into_iter().take(MOST_BLOCKS) {
            if stop.check().is_err() {
                return;
            }
            let block = self.manager.var_to_level(variable) / self.together;
            self.place(block, blocks);
        }
    }

    fn size_of(&self, block: u32) -> usize {
        (0..self.together).map(|i| self.manager.level(block * self.together + i).len()).sum()
    }

    fn size(&self) -> usize {
        self.manager.num_inner_nodes()
    }

    /// Moves a block to the nearer end first, then to the other one, then back to the best place.
    fn place(&mut self, from: u32, blocks: u32) {
        let (mut best, mut at) = ((self.size(), from), from);
        let down_first = from >= blocks / 2;
        for down in [down_first, !down_first] {
            loop {
                let end = if down { at + 1 == blocks } else { at == 0 };
                let upper = if down { at } else { at.wrapping_sub(1) };
                if end || !self.swap(upper) {
                    break;
                }
                at = if down { at + 1 } else { at - 1 };
                let size = self.size();
                if size < best.0 {
                    best = (size, at);
                } else if size > best.0 / 10 * GROWTH + 100 {
                    break;
                }
            }
        }
        while at != best.1 {
            let upper = if at < best.1 { at } else { at - 1 };
            if !self.swap(upper) {
                return;
            }
            at = if at < best.1 { at + 1 } else { at - 1 };
        }
    }

    /// A block and the one below it change places, unless that may take more nodes than there are.
    fn swap(&mut self, upper: u32) -> bool {
        let moved = self.size_of(upper) + self.size_of(upper + 1);
        if self.size() + 4 * self.together as usize * moved + 1000 > self.limit {
            return false;
        }
        let first = upper * self.together;
        // Each level of the upper block goes below all of the lower one, the last first.
        for level in (0..self.together).rev() {
            for step in 0..self.together {
                self.down(first + level + step);
            }
        }
        true
    }

    #[allow(unsafe_code)]
    fn down(&mut self, upper: LevelNo) {
        // Safety: this is inside of `reorder`, and nobody else has the manager, of which there is one exclusive
        // reference.
        unsafe { level_down(&*self.manager, upper) };
        self.manager.level(upper).gc();
        self.manager.level(upper + 1).gc();
    }
}
