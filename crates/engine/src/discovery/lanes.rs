//! The values of Boolean terms in up to 64 states, one a bit of a word.

/// Bits beyond the number of states are zero.
#[derive(Clone, Debug)]
pub struct Lanes {
    words: Vec<u64>,
    states: usize,
}

impl Lanes {
    /// The values of all terms in one state.
    pub fn of_state(values: impl Iterator<Item = bool>) -> Lanes {
        Lanes { words: values.map(u64::from).collect(), states: 1 }
    }

    /// Those of 64 states that count, at least one; the others become copies of one that does.
    pub fn of_states(words: impl Iterator<Item = u64>, counts: u64) -> Lanes {
        assert_ne!(counts, 0, "a state counts");
        let one = counts.trailing_zeros();
        let copied = |word: u64| if word >> one & 1 == 1 { !counts } else { 0 };
        Lanes { words: words.map(|word| (word & counts) | copied(word)).collect(), states: 64 }
    }

    pub fn terms(&self) -> usize {
        self.words.len()
    }

    pub fn states(&self) -> usize {
        self.states
    }

    pub fn value(&self, term: usize, state: usize) -> bool {
        self.words[term] >> state & 1 == 1
    }

    /// The values of a term in all states.
    pub fn of(&self, term: usize) -> u64 {
        self.words[term]
    }

    /// Whether `a` is at most `b` in all states.
    pub fn below(&self, a: usize, b: usize) -> bool {
        self.words[a] & !self.words[b] == 0
    }
}
