//! Limits on sizes that a short text can claim.
//!
//! A file of a line can declare a word of four billion bits, or have a number of a million digits, which takes
//! time in the square of that to convert. Readers refuse both, where they stand. What is computed has no limit;
//! tables show [a part](brief) of it.

/// The widest word that is read: a number in a line is a claim, not a size.
pub const MAX_WIDTH: u32 = 1 << 20;

/// The longest numeral that is read.
pub const MAX_DIGITS: usize = 10_000;

/// A text in a table: of a long one the beginning and the end, with `…` between them.
pub fn brief(text: String) -> String {
    const MOST: usize = 64;
    let length = text.chars().count();
    if length <= MOST {
        return text;
    }
    let start: String = text.chars().take(MOST / 2).collect();
    let end: String = text.chars().skip(length - MOST / 4).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(brief("12345".to_string()), "12345");
        let long = brief("1234567890".repeat(20_000));
        assert_eq!(long, format!("{}…{}", &"1234567890".repeat(4)[..32], &"1234567890".repeat(2)[4..]));
    }
}
