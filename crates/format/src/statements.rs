//! A user's lemmas in the language of the model, as texts: Lustre expressions, or SMT-LIB terms for the others.
//!
//! ```text
//! x >= 0                  -- Lustre: a lemma ends with its line or a semicolon
//! { x >= 0; y >= 1 }      -- lemmas in braces are proved together
//! ? x <= y                -- a candidate: used where it can be proved, else left out
//!
//! (>= x 0)                ; SMT-LIB: a lemma is a term, over as many lines as it likes
//! { (>= x 0) (>= y 1) }
//! ```
//!
//! Here they are only told apart: what they mean is for the front ends to say.

use crate::Diagnostic;
use crate::smtlib::at;

/// The language of lemmas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Lustre,
    Smtlib,
}

/// A lemma as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub text: String,
    /// Where it begins in the file, in bytes.
    pub offset: usize,
}

/// The lemmas and candidates of a file.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stated {
    /// In the order in which they are to be proved; most have one lemma.
    pub groups: Vec<Vec<Statement>>,
    /// Lemmas that may be left out.
    pub candidates: Vec<Statement>,
}

impl Stated {
    /// All of them, candidates last.
    pub fn all(&self) -> Vec<&Statement> {
        self.groups.iter().flatten().chain(&self.candidates).collect()
    }
}

pub fn read(text: &str, language: Language) -> Result<Stated, Diagnostic> {
    let stated = Stated::default();
    let mut scanner =
        Scanner { text, language, stated, open: None, candidate: None, start: None, depth: 0, from: 0 };
    scanner.run()?;
    if let Some(here) = scanner.candidate {
        return Err(at(text, here, "a candidate is missing after this '?'"));
    }
    match scanner.open {
        Some((offset, _)) => Err(at(text, offset, "this group is not closed: expected '}'")),
        None => Ok(scanner.stated),
    }
}

struct Scanner<'a> {
    text: &'a str,
    language: Language,
    stated: Stated,
    /// The group whose brace is open, and where it is.
    open: Option<(usize, Vec<Statement>)>,
    /// Where a '?' says that what follows is a candidate.
    candidate: Option<usize>,
    /// Where the lemma that is being read begins, and how deep in it we are.
    start: Option<usize>,
    depth: usize,
    from: usize,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), Diagnostic> {
        while let Some(mark) = self.text[self.from..].chars().next() {
            let here = self.from;
            self.from += mark.len_utf8();
            match (self.language, mark) {
                (Language::Lustre, '-') if self.text[here..].starts_with("--") => self.comment(here),
                (Language::Smtlib, ';') => self.comment(here),
                (Language::Lustre, ';' | '\n') => self.end(here),
                (Language::Smtlib, '|' | '"') => self.quoted(here, mark),
                (Language::Smtlib, ' ' | '\t' | '\n' | '\r') if self.depth == 0 => self.end(here),
                (_, mark) if mark.is_whitespace() => {}
                (_, '{') if self.start.is_none() => self.begin_group(here)?,
                (_, '}') if self.depth == 0 => self.end_group(here)?,
                (_, '?') if self.start.is_none() => self.begin_candidate(here)?,
                (_, '(' | '[' | '{') => {
                    self.begin(here);
                    self.depth += 1;
                }
                (_, ')' | ']' | '}') => self.close(here, mark)?,
                _ => self.begin(here),
            }
        }
        if self.depth > 0 && self.language == Language::Smtlib {
            return Err(at(self.text, self.start.unwrap_or(0), "this term is not closed: expected ')'"));
        }
        self.end(self.text.len());
        Ok(())
    }

    fn begin(&mut self, here: usize) {
        self.start.get_or_insert(here);
    }

    /// To the end of the line; in Lustre it also ends the lemma.
    fn comment(&mut self, here: usize) {
        if self.depth == 0 || self.language == Language::Lustre {
            self.end(here);
        }
        let rest = &self.text[self.from..];
        self.from += rest.find('\n').unwrap_or(rest.len());
    }

    /// A symbol between bars, or a string: nothing in it counts.
    fn quoted(&mut self, here: usize, mark: char) {
        self.begin(here);
        let rest = &self.text[self.from..];
        self.from += rest.find(mark).map_or(rest.len(), |n| n + mark.len_utf8());
    }

    fn close(&mut self, here: usize, mark: char) -> Result<(), Diagnostic> {
        if self.depth == 0 {
            return Err(at(self.text, here, "this closes nothing"));
        }
        self.depth -= 1;
        if self.depth == 0 && self.language == Language::Smtlib {
            self.end(here + mark.len_utf8());
        }
        Ok(())
    }

    /// The lemma that is being read, if there is one, ends before this byte.
    fn end(&mut self, before: usize) {
        self.depth = 0;
        let Some(offset) = self.start.take() else { return };
        let text = self.text[offset..before].trim_end().to_string();
        let statement = Statement { text, offset };
        match (&mut self.open, self.candidate.take()) {
            (Some((_, group)), _) => group.push(statement),
            (None, Some(_)) => self.stated.candidates.push(statement),
            (None, None) => self.stated.groups.push(vec![statement]),
        }
    }

    fn begin_candidate(&mut self, here: usize) -> Result<(), Diagnostic> {
        match (&self.open, self.candidate.replace(here)) {
            (Some(_), _) => Err(at(self.text, here, "a candidate stands by itself, not in a group")),
            (None, Some(_)) => Err(at(self.text, here, "a candidate has one '?'")),
            (None, None) => Ok(()),
        }
    }

    fn begin_group(&mut self, here: usize) -> Result<(), Diagnostic> {
        match (&self.open, self.candidate) {
            (Some(_), _) => Err(at(self.text, here, "groups do not nest")),
            (None, Some(_)) => Err(at(self.text, here, "a candidate stands by itself, not in a group")),
            (None, None) => {
                self.open = Some((here, Vec::new()));
                Ok(())
            }
        }
    }

    fn end_group(&mut self, here: usize) -> Result<(), Diagnostic> {
        self.end(here);
        match self.open.take() {
            None => Err(at(self.text, here, "there is no group to close")),
            Some((_, group)) if group.is_empty() => Err(at(self.text, here, "the group is empty")),
            Some((_, group)) => {
                self.stated.groups.push(group);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, language: Language) -> Vec<Vec<String>> {
        let stated = read(text, language).unwrap_or_else(|d| panic!("{}", d.render("lemmas")));
        stated.groups.into_iter().map(|g| g.into_iter().map(|s| s.text).collect()).collect()
    }

    #[test]
    fn lustre_lemmas_end_with_their_line_or_a_semicolon() {
        let text = "-- first\nx >= 0 -- why\n{ r = T { a = 1 }; y >= 1\n #(a, b) }\nx - -1 > y; b\n";
        let expected: [&[&str]; 4] =
            [&["x >= 0"], &["r = T { a = 1 }", "y >= 1", "#(a, b)"], &["x - -1 > y"], &["b"]];
        assert_eq!(texts(text, Language::Lustre), expected);
    }

    #[test]
    fn terms_go_over_lines() {
        let text = "; first\n(>= x\n  0) b { (= |a } b| ; why\n 1)(not b) }|c d|";
        let expected: [&[&str]; 4] =
            [&["(>= x\n  0)"], &["b"], &["(= |a } b| ; why\n 1)", "(not b)"], &["|c d|"]];
        assert_eq!(texts(text, Language::Smtlib), expected);
    }

    #[test]
    fn candidates_may_be_left_out() {
        for (text, language) in
            [("? x >= 0\ny\n?b; c", Language::Lustre), ("? (>= x\n 0) y ?b c", Language::Smtlib)]
        {
            let stated = read(text, language).unwrap_or_else(|d| panic!("{}", d.render("lemmas")));
            let [first, second] = &stated.candidates[..] else { panic!("{stated:?}") };
            assert!(first.text.contains('x') && second.text == "b", "{stated:?}");
            assert_eq!(stated.groups.len(), 2, "{stated:?}");
        }
    }

    #[test]
    fn mistakes_have_a_position() {
        for (language, text, message, line, column) in [
            (Language::Lustre, "x\n{ { y } }", "do not nest", 2, 3),
            (Language::Lustre, "x }", "no group to close", 1, 3),
            (Language::Lustre, "{ }", "is empty", 1, 3),
            (Language::Lustre, "{ x", "not closed", 1, 1),
            (Language::Lustre, "{ ? x }", "by itself", 1, 3),
            (Language::Lustre, "? { x }", "by itself", 1, 3),
            (Language::Lustre, "x; ?", "is missing", 1, 4),
            (Language::Smtlib, "? ? x", "one '?'", 1, 3),
            (Language::Smtlib, "(>= x", "not closed", 1, 1),
            (Language::Smtlib, "a )", "closes nothing", 1, 3),
        ] {
            let error = read(text, language).unwrap_err();
            assert!(error.message.contains(message), "{text}: {}", error.message);
            let at = error.position.unwrap();
            assert_eq!((at.line, at.column), (line, column), "{text}");
        }
    }
}
