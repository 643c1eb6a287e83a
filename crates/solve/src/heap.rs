//! A binary heap of variables by activity (VSIDS: Moskewicz et al. 2001), refilled for each query that needs it.

#[derive(Clone, Default)]
pub(crate) struct Heap {
    heap: Vec<u32>,
    /// Position in the heap, or `OUT`.
    position: Vec<u32>,
    activity: Vec<f64>,
    increment: f64,
}

const OUT: u32 = u32::MAX;
const DECAY: f64 = 1.0 / 0.95;
const RESCALE: f64 = 1e100;
/// 0.95²⁰⁰: some 200 conflicts ago counts as recent.
const HOT: f64 = 3.5e-5;

impl Heap {
    pub(crate) fn grow(&mut self) {
        self.position.push(OUT);
        self.activity.push(0.0);
        if self.increment == 0.0 {
            self.increment = 1.0;
        }
    }

    pub(crate) fn clear(&mut self) {
        for v in self.heap.drain(..) {
            self.position[v as usize] = OUT;
        }
    }

    /// Replaces the content by those of these variables that took part in a recent conflict.
    pub(crate) fn fill(&mut self, variables: impl Iterator<Item = u32>) {
        self.clear();
        for v in variables {
            if self.is_hot(v) {
                self.position[v as usize] = self.heap.len() as u32;
                self.heap.push(v);
            }
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.down(at);
        }
    }

    pub(crate) fn insert(&mut self, variable: u32) {
        if self.position[variable as usize] == OUT {
            self.position[variable as usize] = self.heap.len() as u32;
            self.heap.push(variable);
            self.up(self.heap.len() - 1);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        let top = *self.heap.first()?;
        let last = self.heap.pop().expect("not empty");
        self.position[top as usize] = OUT;
        if !self.heap.is_empty() {
            self.heap[0] = last;
            self.position[last as usize] = 0;
            self.down(0);
        }
        Some(top)
    }

    pub(crate) fn bump(&mut self, variable: u32) {
        self.activity[variable as usize] += self.increment;
        if self.activity[variable as usize] > RESCALE {
            self.activity.iter_mut().for_each(|a| *a /= RESCALE);
            self.increment /= RESCALE;
        }
        match self.position[variable as usize] {
            OUT => self.insert(variable),
            at => self.up(at as usize),
        }
    }

    /// Whether the variable took part in a recent conflict.
    pub(crate) fn is_hot(&self, variable: u32) -> bool {
        self.activity[variable as usize] > self.increment * HOT
    }

    pub(crate) fn decay(&mut self) {
        self.increment *= DECAY;
    }

    fn above(&self, a: u32, b: u32) -> bool {
        self.activity[a as usize] > self.activity[b as usize]
    }

    fn up(&mut self, mut at: usize) {
        let variable = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.above(variable, self.heap[parent]) {
                break;
            }
            self.heap[at] = self.heap[parent];
            self.position[self.heap[at] as usize] = at as u32;
            at = parent;
        }
        self.heap[at] = variable;
        self.position[variable as usize] = at as u32;
    }

    fn down(&mut self, mut at: usize) {
        let variable = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.above(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.above(self.heap[child], variable) {
                break;
            }
            self.heap[at] = self.heap[child];
            self.position[self.heap[at] as usize] = at as u32;
            at = child;
        }
        self.heap[at] = variable;
        self.position[variable as usize] = at as u32;
    }
}
