//! Command-line arguments of the subcommands: options with values, then the rest.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// What is wrong with a command line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misuse {
    /// An option that does not exist.
    #[error("unknown option {0}")]
    Unknown(String),
    /// An option without its value, or one that has to be there and is not.
    #[error("{0} is missing, or its value is")]
    Missing(&'static str),
    /// A value that the option does not take.
    #[error("{0} does not take {1:?}")]
    Value(&'static str, String),
    /// One argument too many.
    #[error("unexpected argument {0:?}")]
    Surplus(String),
}

/// One argument: an option by its name, or anything else.
#[derive(Debug, PartialEq, Eq)]
pub struct Argument {
    /// The option's name with its dashes; `None` for what is no option.
    pub name: Option<String>,
    /// The argument as it was given.
    pub value: OsString,
}

/// The arguments still to be read.
pub struct Arguments<I> {
    rest: I,
    /// The value of an option that was written as `--name=value`.
    attached: Option<String>,
    only_operands: bool,
}

impl<I: Iterator<Item = OsString>> Arguments<I> {
    /// Starts reading.
    pub fn new(arguments: I) -> Self {
        Self { rest: arguments, attached: None, only_operands: false }
    }

    /// The next argument. After `--` everything is an operand; `-` alone always is.
    pub fn next(&mut self) -> Result<Option<Argument>, Misuse> {
        if let Some(value) = self.attached.take() {
            return Err(Misuse::Surplus(value));
        }
        let Some(value) = self.rest.next() else { return Ok(None) };
        let option =
            value.to_str().filter(|text| !self.only_operands && text.starts_with('-') && *text != "-");
        let name = match option {
            Some("--") => {
                self.only_operands = true;
                return self.next();
            }
            Some(text) => match text.split_once('=') {
                Some((name, attached)) => {
                    self.attached = Some(attached.to_owned());
                    Some(name.to_owned())
                }
                None => Some(text.to_owned()),
            },
            None => None,
        };
        Ok(Some(Argument { name, value }))
    }

    /// The value of the option that was read last.
    pub fn path(&mut self, option: &'static str) -> Result<PathBuf, Misuse> {
        let attached = self.attached.take().map(OsString::from);
        attached.or_else(|| self.rest.next()).map(PathBuf::from).ok_or(Misuse::Missing(option))
    }

    /// The same, as text.
    pub fn text(&mut self, option: &'static str) -> Result<String, Misuse> {
        Ok(self.path(option)?.to_string_lossy().into_owned())
    }

    /// The same, as a number.
    pub fn number<N: FromStr>(&mut self, option: &'static str) -> Result<N, Misuse> {
        let text = self.text(option)?;
        text.parse().map_err(|_| Misuse::Value(option, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(given: &[&str]) -> Arguments<impl Iterator<Item = OsString> + use<>> {
        Arguments::new(given.iter().map(OsString::from).collect::<Vec<_>>().into_iter())
    }

    fn names(given: &[&str]) -> Vec<Option<String>> {
        let mut arguments = arguments(given);
        std::iter::from_fn(|| arguments.next().unwrap()).map(|argument| argument.name).collect()
    }

    #[test]
    fn options_and_operands_are_told_apart() {
        assert_eq!(names(&["--a", "b", "-", "--", "--c"]), [Some("--a".to_owned()), None, None, None]);
    }

    #[test]
    fn a_value_follows_or_is_attached() {
        for given in [&["--n", "7"][..], &["--n=7"]] {
            let mut arguments = arguments(given);
            assert_eq!(arguments.next().unwrap().unwrap().name.as_deref(), Some("--n"));
            assert_eq!(arguments.number("--n"), Ok(7));
            assert_eq!(arguments.next(), Ok(None));
        }
    }

    #[test]
    fn a_wrong_value_is_named() {
        let mut missing = arguments(&[]);
        assert_eq!(missing.number::<u8>("--n"), Err(Misuse::Missing("--n")));
        let mut wrong = arguments(&["x"]);
        assert_eq!(wrong.number::<u8>("--n"), Err(Misuse::Value("--n", "x".to_owned())));
        let mut unasked = arguments(&["--flag=7"]);
        unasked.next().unwrap();
        assert_eq!(unasked.next(), Err(Misuse::Surplus("7".to_owned())));
    }
}
