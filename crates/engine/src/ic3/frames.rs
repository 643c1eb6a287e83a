//! The lemmas of each level, each kept only at the highest level that it holds at.

use buttress_system::Lit;

#[derive(Clone, Debug)]
pub(super) struct Lemma {
    /// Sorted; the lemma is its negation.
    pub cube: Vec<Lit>,
    signature: u64,
}

/// `own[i]` are the lemmas whose highest level is i; `F_i` is `own[i] ∪ own[i+1] ∪ … ∪ forever`.
#[derive(Default)]
pub(super) struct Frames {
    own: Vec<Vec<Lemma>>,
    /// Lemmas that are inductive together: they hold at every level.
    forever: Vec<Lemma>,
    /// Lemmas that solvers hold although a stronger one came: by level.
    pub stale: Vec<usize>,
    /// No level below this one has changed since lemmas were last moved up.
    pub changed: usize,
    /// A level below the top that lost its last own lemma: its frame equals the next.
    empty: Option<usize>,
}

/// Where a cube is excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Excluded {
    /// Up to this level.
    UpTo(usize),
    Forever,
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

    /// Whether no state of the sorted cube satisfies the lemma.
    pub fn excludes(&self, cube: &[Lit]) -> bool {
        self.subsumes(cube, signature(cube))
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
            self.changed = 1;
        }
        self.own.push(Vec::new());
        self.stale.push(0);
    }

    pub fn top(&self) -> usize {
        self.own.len().saturating_sub(1)
    }

    pub fn len(&self) -> usize {
        self.own.iter().map(Vec::len).sum::<usize>() + self.forever.len()
    }

    pub fn own(&self, level: usize) -> &[Lemma] {
        &self.own[level]
    }

    /// A level's own lemmas, smallest first.
    pub fn sorted(&mut self, level: usize) -> Vec<Lemma> {
        self.own[level].sort_by_key(|l| l.cube.len());
        self.own[level].clone()
    }

    /// Whether the level still has this lemma.
    pub fn has(&self, level: usize, lemma: &Lemma) -> bool {
        self.own[level].iter().any(|l| l.signature == lemma.signature && l.cube == lemma.cube)
    }

    /// Where, from this level on, a lemma excludes all states of the cube.
    pub fn excludes(&self, level: usize, cube: &[Lit]) -> Option<Excluded> {
        let s = signature(cube);
        let by = |lemmas: &[Lemma]| lemmas.iter().any(|l| l.subsumes(cube, s));
        if by(&self.forever) {
            return Some(Excluded::Forever);
        }
        (level..=self.top()).rev().find(|&l| by(&self.own[l])).map(Excluded::UpTo)
    }

    /// A lemma of exactly this level that excludes the cube.
    pub fn parent(&self, level: usize, cube: &[Lit]) -> Option<&Lemma> {
        let s = signature(cube);
        self.own[level].iter().find(|l| l.subsumes(cube, s))
    }

    /// Adds a lemma with this highest level; weaker ones up to there go. Returns the lowest level that does not
    /// have it yet, or a stronger one.
    pub fn add(&mut self, level: usize, cube: Vec<Lit>) -> usize {
        let lemma = Lemma::new(cube);
        let mut from = 1;
        for below in (1..=level).rev() {
            if self.own[below].iter().any(|old| old.subsumes(&lemma.cube, lemma.signature)) {
                from = below + 1;
            }
            self.drop_weaker(below, &lemma, from <= below);
            if from > below {
                break;
            }
        }
        self.own[level].push(lemma);
        self.changed = self.changed.min(from);
        from
    }

    /// Drops what the lemma makes superfluous at this level; solvers that get the lemma keep it as ballast.
    fn drop_weaker(&mut self, level: usize, lemma: &Lemma, ballast: bool) {
        let before = self.own[level].len();
        self.own[level].retain(|old| !lemma.subsumes(&old.cube, old.signature));
        let gone = before - self.own[level].len();
        if ballast {
            (1..=level).for_each(|l| self.stale[l] += gone);
        }
        if gone > 0 && self.own[level].is_empty() && level < self.top() {
            self.empty = Some(level);
        }
    }

    /// The lemmas that hold forever, in the order in which they were found to.
    pub fn forever(&self) -> impl ExactSizeIterator<Item = &[Lit]> {
        self.forever.iter().map(|l| l.cube.as_slice())
    }

    /// Moves a lemma of the top level to those that hold forever.
    pub fn keep_forever(&mut self, lemma: Lemma) {
        let top = self.top();
        self.own[top].retain(|l| l.cube != lemma.cube);
        self.forever.push(lemma);
    }

    /// A level below the top that has no lemma of its own.
    pub fn converged(&self) -> Option<usize> {
        self.empty.filter(|&level| self.own[level].is_empty())
    }

    /// The lemmas of `F_level` that do not hold forever.
    pub fn lemmas(&self, level: usize) -> impl Iterator<Item = &[Lit]> {
        self.own[level..].iter().flatten().map(|l| l.cube.as_slice())
    }

    /// All lemmas of `F_level`.
    pub fn all(&self, level: usize) -> impl Iterator<Item = &[Lit]> {
        self.lemmas(level).chain(self.forever())
    }
}
