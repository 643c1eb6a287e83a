//! S-expressions: the syntax of SMT-LIB 2, VMT-LIB and of what solvers answer.
//!
//! The reader is iterative, keeps the place of everything, and knows comments, strings and quoted symbols. It is
//! told apart from a text that is merely not complete yet, so that a pipe can be read answer by answer.

use std::fmt;

/// A symbol, numeral, keyword or string, or a list, with the byte where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sexpr {
    pub offset: usize,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A token; a quoted symbol without its bars.
    Atom(String),
    /// Without its quotes.
    Text(String),
    List(Vec<Sexpr>),
}

/// Why there is no expression here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SexprError {
    /// The text ends too early: more may come.
    Incomplete,
    /// A closing parenthesis too many, at this byte.
    Unopened(usize),
}

impl Sexpr {
    pub fn atom(&self) -> Option<&str> {
        match &self.kind {
            Kind::Atom(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexpr]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    /// A list by its first atom and the rest.
    pub fn call(&self) -> Option<(&str, &[Sexpr])> {
        let (head, rest) = self.list()?.split_first()?;
        Some((head.atom()?, rest))
    }

    pub fn is(&self, text: &str) -> bool {
        self.atom() == Some(text)
    }
}

/// Deep lists are taken apart without recursion.
impl Drop for Sexpr {
    fn drop(&mut self) {
        let Kind::List(items) = &mut self.kind else { return };
        let mut todo = std::mem::take(items);
        while let Some(mut item) = todo.pop() {
            if let Kind::List(items) = &mut item.kind {
                todo.append(items);
            }
        }
    }
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Atom(text) => f.write_str(text),
            Kind::Text(text) => write!(f, "\"{text}\""),
            Kind::List(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { " " })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// All expressions of a text.
pub fn read_all(text: &str) -> Result<Vec<Sexpr>, SexprError> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(start) = skip(text, from) {
        let (sexpr, end) = read(text, start)?;
        all.push(sexpr);
        from = end;
    }
    Ok(all)
}

/// The expression that begins at or after this byte, and where it ends.
pub fn read(text: &str, from: usize) -> Result<(Sexpr, usize), SexprError> {
    let mut open: Vec<(usize, Vec<Sexpr>)> = Vec::new();
    let mut at = from;
    loop {
        let offset = skip(text, at).ok_or(SexprError::Incomplete)?;
        let kind = match text.as_bytes()[offset] {
            b'(' => {
                open.push((offset, Vec::new()));
                at = offset + 1;
                continue;
            }
            b')' => {
                let (offset, items) = open.pop().ok_or(SexprError::Unopened(offset))?;
                at = skip(text, at).expect("a parenthesis is there") + 1;
                match open.last_mut() {
                    Some((_, outer)) => outer.push(Sexpr { offset, kind: Kind::List(items) }),
                    None => return Ok((Sexpr { offset, kind: Kind::List(items) }, at)),
                }
                continue;
            }
            b'"' => Kind::Text(quoted(text, offset, '"', &mut at)?),
            b'|' => Kind::Atom(quoted(text, offset, '|', &mut at)?),
            _ => {
                let ends = |c: char| c.is_whitespace() || "()\";|".contains(c);
                let rest = &text[offset..];
                // The last token of a text may go on.
                let end = rest.find(ends).ok_or(SexprError::Incomplete)?;
                at = offset + end;
                Kind::Atom(rest[..end].to_string())
            }
        };
        match open.last_mut() {
            Some((_, outer)) => outer.push(Sexpr { offset, kind }),
            None => return Ok((Sexpr { offset, kind }, at)),
        }
    }
}

/// The first byte that is neither white space nor comment.
fn skip(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        match text.as_bytes().get(at)? {
            b';' => at += text[at..].find('\n')?,
            _ => return Some(at),
        }
    }
}

/// The text between two marks; a doubled quotation mark stands for one.
fn quoted(text: &str, offset: usize, mark: char, at: &mut usize) -> Result<String, SexprError> {
    let mut content = String::new();
    let mut from = offset + 1;
    loop {
        let end = text[from..].find(mark).ok_or(SexprError::Incomplete)?;
        content.push_str(&text[from..from + end]);
        from += end + 1;
        if mark == '"' && text[from..].starts_with('"') {
            content.push('"');
            from += 1;
            continue;
        }
        *at = from;
        return Ok(content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_strings_quotes_and_comments() {
        let all = read_all("; c\n(a |b c| \"d \"\" e\" (f)) ; end\n g\n").unwrap();
        assert_eq!(all.len(), 2);
        let items = all[0].list().unwrap();
        assert_eq!(items[1].atom(), Some("b c"));
        assert_eq!(items[2].kind, Kind::Text("d \" e".to_string()));
        assert_eq!((all[0].offset, items[3].offset), (4, 22));
        assert!(all[1].is("g"));
    }

    #[test]
    fn what_is_not_complete_is_no_error() {
        for text in ["", "(a", "sa", "(a |b", "\"x", "; only a comment"] {
            assert_eq!(read(text, 0).unwrap_err(), SexprError::Incomplete, "{text}");
        }
        assert_eq!(read(" )", 0).unwrap_err(), SexprError::Unopened(1));
        assert_eq!(read("sat\n", 0).unwrap().0.atom(), Some("sat"));
    }

    #[test]
    fn depth_is_no_danger() {
        let text = "(".repeat(200_000) + &")".repeat(200_000);
        assert!(read(&text, 0).is_ok());
    }
}
