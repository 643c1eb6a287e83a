//! Files of lemmas: a user's, or what a run that did not come to an end had found.

use std::io::Read;
use std::path::Path;

use buttress_format::aiger;
use buttress_format::fingerprint::Fingerprint;
use buttress_format::lemmas::{self, Lemmas};
use buttress_system::BitSystem;

use crate::model::{Model, open};

/// How the comment with the model's hash begins.
const HASH: &str = "hash of the model: ";

/// Reads lemmas about the model; an error is rendered, with file and position. A file that was written for another
/// model is read all the same, and said to be so: every lemma is proved again before it is used.
pub fn read(model: &Model, path: &Path) -> Result<Lemmas, String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text).map_err(|e| format!("{}: error: {e}", path.display()))?;
    let literal = |n: u32| model.literal(n);
    let lemmas =
        lemmas::read(&text, &model.system, &literal).map_err(|d| d.render(&path.display().to_string()))?;
    if written_for(&text).is_some_and(|hash| hash != hash_of(&model.system)) {
        eprintln!("note: {} was written for another model; what still holds of it is used", path.display());
    }
    Ok(lemmas)
}

fn written_for(text: &str) -> Option<&str> {
    let comments = text.lines().map_while(|line| line.strip_prefix('#'));
    comments.map(str::trim).find_map(|comment| comment.strip_prefix(HASH))
}

/// The comments at the head of a file that a run wrote.
pub fn head(model: &Model, partial: bool, engines: &str) -> Vec<String> {
    let what = match partial {
        true => "partial: not a proof. Lemmas found before the run ended without an answer",
        false => "lemmas of what was proved; those after a ? are inductive only together with the property",
    };
    vec![
        what.to_string(),
        format!("model: {}", model.path),
        format!("{HASH}{}", hash_of(&model.system)),
        format!("found by: {engines}"),
        "to use them: buttress check MODEL --lemmas FILE; every lemma is proved again first".to_string(),
    ]
}

/// Of the model as binary AIGER has it, names included.
fn hash_of(system: &BitSystem) -> String {
    let mut fingerprint = Fingerprint::default();
    aiger::write_binary(system, &[], &mut fingerprint).expect("nothing can fail");
    fingerprint.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_found_again() {
        assert_eq!(written_for("# partial\n# hash of the model: 00ff\n{ a }\n"), Some("00ff"));
        assert_eq!(written_for("a\n# hash of the model: 00ff\n"), None);
    }
}
