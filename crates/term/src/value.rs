//! Values with their sorts. A [`Word`] is a bit-vector of any width, least significant bit first.

use std::fmt;

/// What a variable may hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Bool,
    BitVec(u32),
}

/// One value of a [`Sort`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Word(Word),
}

/// A bit-vector, least significant bit first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Word(Box<[bool]>);

impl Value {
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Word(word) => Sort::BitVec(word.width()),
        }
    }
}

impl Word {
    /// A word from its bits, least significant first.
    pub fn from_bits(bits: impl IntoIterator<Item = bool>) -> Word {
        Word(bits.into_iter().collect())
    }

    pub fn width(&self) -> u32 {
        self.0.len() as u32
    }

    /// Bits, least significant first.
    pub fn bits(&self) -> &[bool] {
        &self.0
    }

    /// The unsigned number, where it fits.
    pub fn to_u64(&self) -> Option<u64> {
        let significant = self.0.iter().rposition(|&b| b).map_or(0, |i| i + 1);
        let number = |n: u64, &bit: &bool| n << 1 | u64::from(bit);
        (significant <= 64).then(|| self.0[..significant].iter().rev().fold(0, number))
    }

    /// Binary digits, most significant first, as VCD and witness formats want them.
    pub fn binary(&self) -> String {
        self.0.iter().rev().map(|&b| if b { '1' } else { '0' }).collect()
    }

    fn hex(&self) -> String {
        let digit = |nibble: &[bool]| {
            let n = nibble.iter().rev().fold(0, |n, &b| n << 1 | u32::from(b));
            char::from_digit(n, 16).expect("a nibble is below 16")
        };
        self.0.chunks(4).rev().map(digit).collect()
    }
}

/// Words print as unsigned decimals where they fit 64 bits, and in hexadecimal beyond.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => f.pad(if *b { "1" } else { "0" }),
            Value::Word(word) => match word.to_u64() {
                Some(n) => f.pad(&n.to_string()),
                None => f.pad(&format!("0x{}", word.hex())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_print_as_numbers() {
        let word = |n: u64, width: u32| Word::from_bits((0..width).map(|i| i < 64 && n >> i & 1 == 1));
        for n in [0, 1, 5, 10, 255, 65_536] {
            assert_eq!(Value::Word(word(n, 17)).to_string(), n.to_string());
        }
        assert_eq!(Value::Word(word(u64::MAX, 64)).to_string(), u64::MAX.to_string());
        assert_eq!(word(6, 4).binary(), "0110");
    }

    #[test]
    fn wide_words_print_in_hexadecimal() {
        let wide = Word::from_bits((0..66).map(|i| i == 65 || i < 4));
        assert_eq!(wide.to_u64(), None);
        assert_eq!(Value::Word(wide).to_string(), "0x2000000000000000f");
    }
}
