//! The lemmas of each level, each kept only at the highest level that it holds at.

use buttress_system::Lit;

#[derive(Clone, Debug)]
pub(super) struct Lemma {
    /// Sorted; the lemma is its negation.
    pub cube: Vec<Lit>,
    signature: u64,
}

/// `own[i]` are the lemmas whose highest level is i; `F_i` is `own[i] ∪ own[i+1] ∪ …`.
#[derive(Default)]
pub(super) struct Frames {
    own: Vec<Vec<Lemma>>,
    /// Lemmas that solvers hold although a stronger one came: by level.
    pub stale: Vec<usize>,
}

/// One bit a literal: a subset's signature is a subset.
fn signature(cube: &[Lit]) -> u64 {
    cube.iter().fold(0, |s, l| s | 1 << (l.code().wrapping_mul(0x9E37_79B9) >> 26))
}

/// Whether sorted `a` is a subset of sorted `b`.
fn subset(a: &[Lit], b: &[Lit]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|l| rest.any(|m| m == l))
}

impl Lemma {
    fn new(cube: Vec<Lit>) -> Lemma {
        let signature = signature(&cube);
        Lemma { cube, signature }
    }

    /// Whether this lemma makes the other superfluous.
    fn subsumes(&self, other: &[Lit], other_signature: u64) -> bool {
        self.signature & !other_signature == 0 && subset(&self.cube, other)
    }
}

impl Frames {
    /// Adds a level; the first one makes level 0, which has no lemmas, too.
    pub fn push(&mut self) {
        if self.own.is_empty() {
            self.own.push(Vec::new());
            self.stale.push(0);
        }
        self.own.push(Vec::new());
        self.stale.push(0);
    }

    pub fn top(&self) -> usize {
        self.own.len().saturating_sub(1)
    }

    pub fn len(&self) -> usize {
        self.own.iter().map(Vec::len).sum()
    }

    pub fn own(&self, level: usize) -> &[Lemma] {
        &self.own[level]
    }

    /// Takes a level's own lemmas, smallest first.
    pub fn take(&mut self, level: usize) -> Vec<Lemma> {
        let mut lemmas = std::mem::take(&mut self.own[level]);
        lemmas.sort_by_key(|l| l.cube.len());
        lemmas
    }

    pub fn put_back(&mut self, level: usize, lemma: Lemma) {
        self.own[level].push(lemma);
    }

    /// Whether a lemma of `F_level` excludes all states of the cube.
    pub fn excludes(&self, level: usize, cube: &[Lit]) -> bool {
        let s = signature(cube);
        self.own[level..].iter().flatten().any(|l| l.subsumes(cube, s))
    }

    /// A lemma of exactly this level that excludes the cube.
    pub fn parent(&self, level: usize, cube: &[Lit]) -> Option<&Lemma> {
        let s = signature(cube);
        self.own[level].iter().find(|l| l.subsumes(cube, s))
    }

    /// Adds a lemma with this highest level; weaker ones up to there go.
    pub fn add(&mut self, level: usize, cube: Vec<Lit>) {
        let lemma = Lemma::new(cube);
        for below in 1..=level {
            let before = self.own[below].len();
            self.own[below].retain(|old| !lemma.subsumes(&old.cube, old.signature));
            let gone = before - self.own[below].len();
            (1..=below).for_each(|l| self.stale[l] += gone);
        }
        self.own[level].push(lemma);
    }

    /// All lemmas of `F_level`.
    pub fn lemmas(&self, level: usize) -> impl Iterator<Item = &[Lit]> {
        self.own[level..].iter().flatten().map(|l| l.cube.as_slice())
    }
}
