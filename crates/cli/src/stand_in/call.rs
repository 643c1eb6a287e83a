//! Command lines of other tools, read by a table of their options. `--option=value` is `--option value`.

use std::fmt;

/// Options, each with the number of words that follow it.
pub type Options = &'static [(&'static str, usize)];

/// The message of a command line that is wrong.
#[derive(Debug)]
pub struct Wrong(pub String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A call: what options were given, and the words that are none.
#[derive(Debug)]
pub struct Call {
    given: Vec<(&'static str, Option<String>)>,
    pub files: Vec<String>,
}

impl Call {
    pub fn read(arguments: &[String], options: Options) -> Result<Call, Wrong> {
        let mut call = Call { given: Vec::new(), files: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with('-') => (name, Some(value.to_string())),
                _ => (word.as_str(), None),
            };
            match options.iter().find(|(option, _)| *option == name) {
                Some((option, 0)) if value.is_none() => call.given.push((option, None)),
                Some((option, 1)) => {
                    let value = value.or_else(|| words.next().cloned());
                    let value = value.ok_or_else(|| Wrong(format!("{name} wants a value")))?;
                    call.given.push((option, Some(value)));
                }
                _ if word.starts_with('-') && word != "-" => return Err(unknown(word, options)),
                _ => call.files.push(word.clone()),
            }
        }
        Ok(call)
    }

    pub fn has(&self, option: &str) -> bool {
        self.given.iter().any(|(name, _)| *name == option)
    }

    /// All values of an option, in order.
    pub fn values<'a>(&'a self, option: &'a str) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(move |(name, _)| *name == option).filter_map(|(_, value)| value.as_deref())
    }

    /// The last value counts.
    pub fn value<'a>(&'a self, option: &'a str) -> Option<&'a str> {
        self.values(option).last()
    }

    pub fn number(&self, option: &str) -> Result<Option<u64>, Wrong> {
        let read =
            |text: &str| text.parse().map_err(|_| Wrong(format!("{option} {text}: a number is wanted")));
        self.value(option).map(read).transpose()
    }

    /// Refuses a value that there is nothing for.
    pub fn only(&self, option: &str, known: &[&str]) -> Result<(), Wrong> {
        let other = self.values(option).find(|value| !known.contains(value));
        other.map_or(Ok(()), |value| {
            Err(Wrong(format!("{option} {value} is not there, only {}", known.join(", "))))
        })
    }

    /// The model.
    pub fn file(&self) -> Result<String, Wrong> {
        match &self.files[..] {
            [file] => Ok(file.clone()),
            [] => Err(Wrong("a model is wanted".into())),
            [_, more, ..] => Err(Wrong(format!("one model is wanted, and nothing else: {more}"))),
        }
    }
}

fn unknown(word: &str, options: Options) -> Wrong {
    let known: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
    Wrong(format!("there is no option {word} here; there are: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::Call;

    fn read(text: &str) -> Result<Call, String> {
        let words: Vec<String> = text.split_whitespace().map(String::from).collect();
        Call::read(&words, &[("-k", 1), ("-x", 0)]).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn options_may_stand_anywhere_and_the_last_counts() {
        let call = read("-k 1 m.aig -x -k=2").expect("it is right");
        assert_eq!((call.number("-k").expect("a number"), call.has("-x")), (Some(2), true));
        assert_eq!(call.file().expect("a file"), "m.aig");
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(read("-y m").expect_err("unknown").contains("no option -y here"));
        assert!(read("-k").expect_err("no value").contains("-k wants a value"));
        assert!(read("-k x m").expect("read").number("-k").expect_err("no number").0.contains("-k x"));
        assert!(read("a b").expect("read").file().expect_err("two files").0.contains("nothing else: b"));
        assert!(read("-x=1 m").expect_err("a value too many").contains("-x=1"));
    }
}
