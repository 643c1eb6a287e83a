//! Invariants in a copy of the source, as one assertion (Kahsai, Ge & Tinelli, NFM 2011, Section 4), and whether they still belong
//! there.
//!
//! To Lustre an assertion is an assumption. It was proved of the source as it was; after an edit nobody has proved it. So it
//! stands between two comments, of which the first has a hash of the source without it: [`is_stale`] compares.

use crate::Model;
use crate::lexer;
use crate::source::Findings;

const BEGIN: &str = "-- buttress invariants of model ";
const END: &str = "-- buttress end";

/// The source with the conjunction of these formulas as an assertion of its main node, `true` where there are none. `None`
/// where the main node has no body.
pub fn annotate(model: &Model, formulas: &[String]) -> Option<String> {
    let text = model.source.text();
    let main = model.program.unit(model.program.main).name.span.start;
    let tokens = lexer::lex(text, &mut Findings::default());
    let word = |token: &&lexer::Token| {
        token.span.start > main && &text[token.span.start as usize..token.span.end as usize] == "let"
    };
    let body = tokens.iter().find(word)?.span.end as usize;
    let conjunction = match formulas {
        [] => "true".to_string(),
        some => some.iter().map(|f| format!("({f})")).collect::<Vec<_>>().join("\n    and "),
    };
    let block = format!("\n{BEGIN}{:016x}\n  assert {conjunction};\n{END}\n", hash(&plain(text)));
    Some(format!("{}{block}{}", &text[..body], &text[body..]))
}

/// Whether a text has an assertion of [`annotate`] that was made for another text.
pub fn is_stale(text: &str) -> bool {
    let stamps = text.lines().filter_map(|line| line.trim().strip_prefix(BEGIN));
    let own = format!("{:016x}", hash(&plain(text)));
    stamps.into_iter().any(|stamp| stamp.trim() != own)
}

/// The text without what [`annotate`] put there. An edit of white space is none.
fn plain(text: &str) -> String {
    let mut inside = false;
    let mut words = Vec::new();
    for line in text.lines() {
        let line_ = line.trim();
        inside |= line_.starts_with(BEGIN);
        if !inside {
            words.extend(line_.split_whitespace());
        }
        inside &= line_ != END;
    }
    words.join(" ")
}

/// FNV-1a: it tells edits apart, not attacks.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "node main(x: bool) returns (y: bool);\nlet\n  y = x -> pre y;\ntel\n";

    #[test]
    fn a_stamp_fits_until_somebody_edits() {
        let model = crate::read(TEXT.to_string()).unwrap_or_else(|_| panic!("a model"));
        let annotated = annotate(&model, &["y or not y".to_string()]).expect("it has a body");
        assert!(annotated.contains("assert (y or not y);"), "{annotated}");
        assert!(crate::read(annotated.clone()).is_ok());
        assert!(!is_stale(&annotated) && !is_stale(TEXT));
        assert!(!is_stale(&annotated.replace("  y = x", "    y =  x")));
        assert!(is_stale(&annotated.replace("pre y", "not pre y")));
        assert!(annotate(&model, &[]).expect("it has a body").contains("assert true;"));
    }
}
