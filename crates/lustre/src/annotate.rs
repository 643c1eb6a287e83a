//! Invariants in a copy of the source, as one assertion (Kahsai, Ge & Tinelli, NFM 2011, Section 4), and whether
//! they still belong there.
//!
//! To Lustre an assertion is an assumption. It was proved of the source as it was; after an edit nobody has proved
//! it. So it stands between two comments, of which the first has a hash of the source without it: [`is_stale`]
//! compares.

use buttress_format::fingerprint::Fingerprint;

use crate::LustreModel;
use crate::lexer;
use crate::source::Findings;

const BEGIN: &str = "-- buttress invariants of model ";
const END: &str = "-- buttress end";

/// The source with the conjunction of these formulas as an assertion of its main node, `true` where there are
/// none. `None` where the main node has no body.
pub fn annotate(model: &LustreModel, formulas: &[String]) -> Option<String> {
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
    let (before, after) = text.split_at(body);
    let stamp = stamp(&format!("{before}\n{after}"));
    Some(format!("{before}\n{BEGIN}{stamp}\n  assert {conjunction};\n{END}\n{after}"))
}

/// Whether a text has an assertion of [`annotate`] that was made for another text.
pub fn is_stale(text: &str) -> bool {
    let stamps = text.lines().filter_map(|line| line.trim().strip_prefix(BEGIN));
    let own = stamp(text);
    stamps.into_iter().any(|stamp| stamp.trim() != own)
}

/// Of the text without what [`annotate`] put there. White space does not count, but the ends of lines do: they are
/// the ends of comments.
fn stamp(text: &str) -> String {
    let mut inside = false;
    let mut plain = String::new();
    for line in text.lines().map(str::trim) {
        inside |= line.starts_with(BEGIN);
        if !inside && !line.is_empty() {
            plain.extend(line.split_whitespace().flat_map(|word| [word, " "]).chain(["\n"]));
        }
        inside &= line != END;
    }
    Fingerprint::of(&plain).to_string()
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
        let commented = annotated.replace("  y = x", "  -- the memory\n  y = x");
        let model =
            crate::read(commented.replace("-- buttress", "-- another")).unwrap_or_else(|_| panic!("a model"));
        let annotated = annotate(&model, &[]).expect("it has a body");
        assert!(!is_stale(&annotated) && is_stale(&annotated.replace("memory\n", "memory ")));
        assert!(annotate(&model, &[]).expect("it has a body").contains("assert true;"));
    }
}
