//! The tools a benchmark compares, and the text in which the user names them.
//!
//! A SPEC is one of
//!
//! - `buttress`, `buttress:ENGINE` or `buttress:ENGINE:EXTRA ARGS`: this very program, run as
//!   `buttress check --engine ENGINE EXTRA ARGS --hwmcc FILE`. An empty ENGINE is the default
//!   one. Exit code 20 means safe, 10 unsafe.
//! - `NAME=COMMAND; safe=COND; unsafe=COND`: a foreign command. Its text ends at the first `;`
//!   outside quotes and is split into words as a shell would split it (single quotes, double
//!   quotes, backslash); no shell runs, so there are no variables, globs or redirections.
//!   `{file}` is replaced inside the words. A condition may be given more than once, and then
//!   one that holds is enough.
//!
//! COND is `exit N`, the exit code, or `/PATTERN/`, searched in every line of the standard and
//! the error output. A pattern is plain text; a leading `^` ties it to the start of a line and
//! a trailing `$` to the end. `\` takes the next character literally (`\/`, `\^`, `\$`, `\\`).
//! There are no other operators, and no pattern spans two lines.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where the file's name goes in a command.
const FILE: &str = "{file}";
/// Exit codes of the hardware model checking competition.
const EXIT_SAFE: i32 = 20;
const EXIT_UNSAFE: i32 = 10;

/// A line pattern: plain text, tied to the start or the end of the line at will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    at_start: bool,
    at_end: bool,
}

impl Pattern {
    /// Whether the line (without its line break) contains the pattern.
    pub fn matches(&self, line: &str) -> bool {
        match (self.at_start, self.at_end) {
            (true, true) => line == self.text,
            (true, false) => line.starts_with(&self.text),
            (false, true) => line.ends_with(&self.text),
            (false, false) => line.contains(&self.text),
        }
    }
}

/// A condition on a finished run for a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The process returned this code.
    Exit(i32),
    /// A line of the output matches.
    Output(Pattern),
}

/// A command line to run on every file, and how to read its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name in the tables.
    pub name: String,
    /// Program and arguments, with `{file}` still in place.
    words: Vec<String>,
    /// Any of these means safe.
    pub safe: Vec<Condition>,
    /// Any of these means unsafe.
    pub unsafe_: Vec<Condition>,
}

/// Why a SPEC was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecError {
    OpenQuote(char),
    TrailingBackslash,
    NoName,
    NoCommand,
    NoFile,
    NoCondition,
    BadClause(String),
    BadCondition(String),
    OpenPattern,
    EmptyPattern,
    AfterCondition(String),
    NoProgram(String),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::OpenQuote(quote) => write!(f, "a {quote} is not closed"),
            SpecError::TrailingBackslash => write!(f, "nothing follows the last backslash"),
            SpecError::NoName => {
                write!(f, "expected `buttress[:ENGINE[:ARGS]]` or `NAME=COMMAND; safe=COND; unsafe=COND`")
            }
            SpecError::NoCommand => write!(f, "the command is empty"),
            SpecError::NoFile => write!(f, "the command does not mention {FILE}"),
            SpecError::NoCondition => write!(f, "neither `safe=` nor `unsafe=` is given"),
            SpecError::BadClause(text) => {
                write!(f, "expected `safe=COND` or `unsafe=COND`, found `{text}`")
            }
            SpecError::BadCondition(text) => {
                write!(f, "expected `exit N` or `/PATTERN/`, found `{text}`")
            }
            SpecError::OpenPattern => write!(f, "a pattern lacks its closing `/`"),
            SpecError::EmptyPattern => write!(f, "a pattern is empty"),
            SpecError::AfterCondition(text) => {
                write!(f, "expected `;` after a condition, found `{text}`")
            }
            SpecError::NoProgram(why) => write!(f, "cannot find this program's own file: {why}"),
        }
    }
}

impl std::error::Error for SpecError {}

impl FromStr for Tool {
    type Err = SpecError;

    fn from_str(spec: &str) -> Result<Tool, SpecError> {
        let spec = spec.trim();
        match spec.strip_prefix("buttress") {
            Some("") => own(spec, "", ""),
            Some(rest) if rest.starts_with(':') => {
                let (engine, extra) = rest[1..].split_once(':').unwrap_or((&rest[1..], ""));
                own(spec, engine.trim(), extra)
            }
            _ => foreign(spec),
        }
    }
}

impl Tool {
    /// The program and the arguments for one file.
    pub fn command_line(&self, file: &str) -> Vec<String> {
        self.words.iter().map(|w| w.replace(FILE, file)).collect()
    }

    /// The program could be started: it is a file, named by path or found on `PATH`.
    pub fn is_installed(&self) -> bool {
        let program = Path::new(self.program());
        if program.components().count() > 1 {
            return program.is_file();
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    }

    /// The program's name or path.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }
}

/// This very program with one engine.
fn own(name: &str, engine: &str, extra: &str) -> Result<Tool, SpecError> {
    let mut words = vec![own_program()?, "check".to_owned()];
    if !engine.is_empty() {
        words.extend(["--engine".to_owned(), engine.to_owned()]);
    }
    words.extend(split_words(extra)?);
    words.extend(["--hwmcc".to_owned(), FILE.to_owned()]);
    Ok(Tool {
        name: name.to_owned(),
        words,
        safe: vec![Condition::Exit(EXIT_SAFE)],
        unsafe_: vec![Condition::Exit(EXIT_UNSAFE)],
    })
}

/// The path of the running program.
fn own_program() -> Result<String, SpecError> {
    let path: PathBuf = std::env::current_exe().map_err(|error| SpecError::NoProgram(error.to_string()))?;
    path.into_os_string().into_string().map_err(|_| SpecError::NoProgram("its path is not UTF-8".to_owned()))
}

/// `NAME=COMMAND; safe=COND; unsafe=COND`.
fn foreign(spec: &str) -> Result<Tool, SpecError> {
    let (name, rest) = spec.split_once('=').ok_or(SpecError::NoName)?;
    let name = name.trim();
    if name.is_empty() || name.contains([';', '\n']) {
        return Err(SpecError::NoName);
    }
    let (command, mut clauses) = split_command(rest)?;
    let mut tool =
        Tool { name: name.to_owned(), words: split_words(command)?, safe: Vec::new(), unsafe_: Vec::new() };
    while !clauses.trim_start().is_empty() {
        clauses = clause(clauses.trim_start(), &mut tool)?;
    }
    complete(tool)
}

/// Refuses a tool that could not run or could not answer.
fn complete(tool: Tool) -> Result<Tool, SpecError> {
    if tool.program().is_empty() {
        Err(SpecError::NoCommand)
    } else if !tool.words.iter().any(|word| word.contains(FILE)) {
        Err(SpecError::NoFile)
    } else if tool.safe.is_empty() && tool.unsafe_.is_empty() {
        Err(SpecError::NoCondition)
    } else {
        Ok(tool)
    }
}

/// Splits at the first `;` outside quotes: the command, and the clauses behind it.
fn split_command(text: &str) -> Result<(&str, &str), SpecError> {
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (None, ';') => return Ok((&text[..at], &text[at + 1..])),
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                chars.next();
            }
            _ => {}
        }
    }
    quote.map_or(Ok((text, "")), |open| Err(SpecError::OpenQuote(open)))
}

/// Splits a command into words as a shell would, without expanding anything.
fn split_words(text: &str) -> Result<Vec<String>, SpecError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\'' => single_quoted(&mut chars, word)?,
            '"' => double_quoted(&mut chars, word)?,
            '\\' => word.push(chars.next().ok_or(SpecError::TrailingBackslash)?),
            _ => word.push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Everything up to the closing quote is literal.
fn single_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), SpecError> {
    for c in chars {
        if c == '\'' {
            return Ok(());
        }
        word.push(c);
    }
    Err(SpecError::OpenQuote('\''))
}

/// A backslash escapes the four characters a shell lets it escape, and is literal otherwise.
fn double_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), SpecError> {
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match chars.next() {
                Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                Some(next) => word.extend(['\\', next]),
                None => break,
            },
            _ => word.push(c),
        }
    }
    Err(SpecError::OpenQuote('"'))
}

/// Reads one `safe=COND` or `unsafe=COND` into the tool; the rest of the text comes back.
fn clause<'a>(text: &'a str, tool: &mut Tool) -> Result<&'a str, SpecError> {
    let bad = || SpecError::BadClause(excerpt(text));
    let (key, rest) = text.split_once('=').ok_or_else(bad)?;
    let conditions = match key.trim() {
        "safe" => &mut tool.safe,
        "unsafe" => &mut tool.unsafe_,
        _ => return Err(bad()),
    };
    let (condition, rest) = condition(rest.trim_start())?;
    conditions.push(condition);
    match rest.trim_start() {
        "" => Ok(""),
        rest => rest.strip_prefix(';').ok_or_else(|| SpecError::AfterCondition(excerpt(rest))),
    }
}

/// Reads a condition; the rest of the text comes back.
fn condition(text: &str) -> Result<(Condition, &str), SpecError> {
    if let Some(body) = text.strip_prefix('/') {
        let (pattern, rest) = pattern(body)?;
        return Ok((Condition::Output(pattern), rest));
    }
    let end = text.find(';').unwrap_or(text.len());
    let code = text[..end].trim().strip_prefix("exit ");
    match code.and_then(|code| code.trim().parse().ok()) {
        Some(code) => Ok((Condition::Exit(code), &text[end..])),
        None => Err(SpecError::BadCondition(excerpt(&text[..end]))),
    }
}

/// Reads a pattern up to its closing `/`; the rest of the text comes back.
fn pattern(body: &str) -> Result<(Pattern, &str), SpecError> {
    let at_start = body.starts_with('^');
    let mut text = String::new();
    let mut at_end = false;
    let mut chars = body[usize::from(at_start)..].chars();
    loop {
        let c = chars.next().ok_or(SpecError::OpenPattern)?;
        match c {
            '/' => break,
            '$' if chars.as_str().starts_with('/') => at_end = true,
            '\\' => text.push(chars.next().ok_or(SpecError::OpenPattern)?),
            _ => text.push(c),
        }
    }
    if text.is_empty() {
        return Err(SpecError::EmptyPattern);
    }
    let pattern = Pattern { text, at_start, at_end };
    Ok((pattern, chars.as_str()))
}

/// The start of a text, for an error message.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(spec: &str) -> Tool {
        spec.parse().expect(spec)
    }

    fn error(spec: &str) -> SpecError {
        spec.parse::<Tool>().expect_err(spec)
    }

    fn output(text: &str, at_start: bool, at_end: bool) -> Condition {
        let text = text.to_owned();
        Condition::Output(Pattern { text, at_start, at_end })
    }

    #[test]
    fn own_engines() {
        let plain = tool("buttress").command_line("m.aig");
        assert_eq!(plain[1..], ["check", "--hwmcc", "m.aig"]);
        let engine = tool("buttress:ic3:--seed 7 --name 'a b'");
        assert_eq!(engine.name, "buttress:ic3:--seed 7 --name 'a b'");
        let words = engine.command_line("m.aig");
        let expected = ["--engine", "ic3", "--seed", "7", "--name", "a b", "--hwmcc", "m.aig"];
        assert_eq!(words[2..], expected);
        assert_eq!(engine.safe, [Condition::Exit(20)]);
        assert_eq!(engine.unsafe_, [Condition::Exit(10)]);
        let default = tool("buttress::--quiet").command_line("m");
        assert_eq!(default[1..], ["check", "--quiet", "--hwmcc", "m"]);
    }

    #[test]
    fn foreign_with_exit_codes() {
        let rival = tool("rival=rival -e ic3 {file}; safe=exit 20; unsafe=exit 10");
        assert_eq!(rival.name, "rival");
        assert_eq!(rival.command_line("a b.aig"), ["rival", "-e", "ic3", "a b.aig"]);
        assert_eq!(rival.safe, [Condition::Exit(20)]);
    }

    #[test]
    fn semicolons_inside_quotes_belong_to_the_command() {
        let abc = tool(
            "abc=berkeley-abc -q \"&r {file}; &put; fold; pdr\"; \
             safe=/Property proved/; unsafe=/was asserted/;",
        );
        let words = abc.command_line("m.aig");
        assert_eq!(words, ["berkeley-abc", "-q", "&r m.aig; &put; fold; pdr"]);
        assert_eq!(abc.safe, [output("Property proved", false, false)]);
        assert_eq!(abc.unsafe_, [output("was asserted", false, false)]);
    }

    #[test]
    fn patterns_hold_any_character() {
        let t = tool(r"t=t {file}; safe=/^it's; a\/b$/; safe=/\^x\$/; unsafe=exit 1");
        let expected = [output("it's; a/b", true, true), output("^x$", false, false)];
        assert_eq!(t.safe, expected);
        assert_eq!(tool("t=t {file};safe=/a$b/").safe, [output("a$b", false, false)]);
    }

    #[test]
    fn patterns_match_lines() {
        let matches = |pattern: &str, line: &str| match &tool(&format!("t=t {{file}};safe={pattern}")).safe[0]
        {
            Condition::Output(p) => p.matches(line),
            Condition::Exit(_) => false,
        };
        assert!(matches("/ok/", "all ok here"));
        assert!(!matches("/^ok/", "all ok"));
        assert!(matches("/ok$/", "all ok"));
        assert!(matches("/^ok$/", "ok") && !matches("/^ok$/", "ok "));
        assert!(!matches("/o.k/", "oxk"), "a dot is a dot");
    }

    #[test]
    fn words_as_a_shell_splits_them() {
        let split = |text| split_words(text).expect("words");
        assert_eq!(split(r#"a 'b "c'  "d 'e" f\ g"#), ["a", "b \"c", "d 'e", "f g"]);
        assert_eq!(split(r#""a\"b\\c\n" x''y"#), [r#"a"b\c\n"#, "xy"]);
        assert_eq!(split("'' a"), ["", "a"]);
        assert!(split("  ").is_empty());
    }

    #[test]
    fn bad_specs_are_explained() {
        assert_eq!(error("butress"), SpecError::NoName);
        assert_eq!(error("=x {file}; safe=exit 1"), SpecError::NoName);
        assert_eq!(error("a=; safe=exit 1"), SpecError::NoCommand);
        assert_eq!(error("a=x; safe=exit 1"), SpecError::NoFile);
        assert_eq!(error("a=x {file}"), SpecError::NoCondition);
        assert_eq!(error("a=x 'y {file}; safe=exit 1"), SpecError::OpenQuote('\''));
        assert_eq!(error("a=x {file}\\"), SpecError::TrailingBackslash);
        assert_eq!(error("a=x {file}; safe=/p"), SpecError::OpenPattern);
        assert_eq!(error("a=x {file}; safe=/^$/"), SpecError::EmptyPattern);
        assert_eq!(error("a=x {file}; holds=exit 1"), SpecError::BadClause("holds=exit 1".into()));
        assert_eq!(error("a=x {file}; safe=exit x"), SpecError::BadCondition("exit x".into()));
        assert_eq!(error("a=x {file}; safe=/p/ q"), SpecError::AfterCondition("q".into()));
        assert_eq!(error("buttress:ic3:'x"), SpecError::OpenQuote('\''));
    }

    #[test]
    fn programs_are_looked_up() {
        assert!(tool("a=sh {file}; safe=exit 1").is_installed());
        assert!(tool("a=/bin/sh {file}; safe=exit 1").is_installed());
        assert!(!tool("a=no-such-program-here {file}; safe=exit 1").is_installed());
        assert!(tool("buttress").is_installed());
    }
}
