//! Reads the JSON that agents print: in one pass, borrowing from the line, and leniently.
//!
//! A value of another kind than expected reads as absent and never costs the line; neither do halves of surrogate pairs
//! and bytes that are not UTF-8, which become U+FFFD. Values that no caller reads are skipped and never built.
//! `serde_json` takes a value of any kind only where all text in it is UTF-8, hence a reader of our own, which the tests
//! compare with it. `object!` makes a structure and its reader from one table.

mod raw;
mod shape;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use memchr::memchr;

pub use raw::Raw;
pub(in crate::agent) use shape::object;
pub use shape::{FromJson, Object};

use crate::stream::{LineStatus, MAX_AMOUNT};

/// How deep a value may be nested that is skipped: a bound on memory, as nesting costs no stack.
const DEEPEST: usize = 1_000_000;

/// Why a text is no JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct Malformed {
    what: &'static str,
    at: usize,
}

/// What reading gives.
pub type Read<T> = Result<T, Malformed>;

/// Reads one line of a protocol whose lines are JSON objects; else says what became of it.
pub fn line<'a, T: FromJson<'a>>(line: &'a [u8]) -> Result<T, LineStatus> {
    let json = line.trim_ascii();
    if json.is_empty() {
        return Err(LineStatus::Blank);
    }
    if !json.starts_with(b"{") {
        let text = String::from_utf8_lossy(line).into_owned();
        return Err(LineStatus::NotJson { reason: "no JSON object".to_owned(), text });
    }
    let mut reader = Reader::new(json);
    let value = T::read(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|malformed| LineStatus::Malformed(malformed.to_string()))
}

/// A JSON text, read from its beginning to its end. Each method takes the next value whole, whatever it is.
#[derive(Debug)]
pub struct Reader<'a> {
    json: &'a [u8],
    at: usize,
    /// What closes the lists and objects that are being skipped.
    open: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of `json`.
    pub fn new(json: &'a [u8]) -> Self {
        Self { json, at: 0, open: Vec::new() }
    }

    /// Takes an object: hands each key to `entry`, which takes its value. A key that is written with escapes is
    /// handed out as it is written.
    pub fn object(&mut self, mut entry: impl FnMut(&mut Self, &'a [u8]) -> Read<()>) -> Read<()> {
        if self.peek() != Some(b'{') {
            return self.skip();
        }
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            entry(self, key)?;
            if self.closes(b'}')? {
                return Ok(());
            }
        }
    }

    /// Takes a list: `entry` takes each of its values.
    pub fn list(&mut self, mut entry: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        if self.peek() != Some(b'[') {
            return self.skip();
        }
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            entry(self)?;
            if self.closes(b']')? {
                return Ok(());
            }
        }
    }

    /// Takes a string.
    pub fn text(&mut self) -> Read<Option<Cow<'a, str>>> {
        if self.peek() != Some(b'"') {
            return self.skip().map(|()| None);
        }
        let written = self.string()?;
        Ok(Some(match (memchr(b'\\', written), str::from_utf8(written)) {
            (None, Ok(text)) => Cow::Borrowed(text),
            (None, Err(_)) => String::from_utf8_lossy(written),
            (Some(_), _) => Cow::Owned(raw::unescaped(written, usize::MAX)),
        }))
    }

    /// Takes `true` or `false`.
    pub fn flag(&mut self) -> Read<Option<bool>> {
        let flag = match self.peek() {
            Some(b't') => Some(true),
            Some(b'f') => Some(false),
            _ => None,
        };
        self.skip().map(|()| flag)
    }

    /// Takes a number; amounts and counts only, so it reads as one from zero to [`MAX_AMOUNT`].
    pub fn number(&mut self) -> Read<Option<f64>> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.digits().map(|number| Some(number.clamp(0.0, MAX_AMOUNT))),
            _ => self.skip().map(|()| None),
        }
    }

    /// Takes a number as a count.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    pub fn count(&mut self) -> Read<Option<u64>> {
        Ok(self.number()?.map(|number| number as u64))
    }

    /// Takes any value as it is written.
    pub fn raw(&mut self) -> Read<Raw<'a>> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(Raw(&self.json[start..self.at]))
    }

    /// What the next value begins with; takes nothing.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.json.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Takes any value and builds nothing. Nesting costs no stack.
    pub fn skip(&mut self) -> Read<()> {
        let outermost = self.open.len();
        loop {
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    if self.peek() != Some(b'}') {
                        self.nest(b'}')?;
                        self.key()?;
                        continue;
                    }
                    self.at += 1;
                }
                Some(b'[') => {
                    self.at += 1;
                    if self.peek() != Some(b']') {
                        self.nest(b']')?;
                        continue;
                    }
                    self.at += 1;
                }
                Some(b'"') => drop(self.string()?),
                Some(b'-' | b'0'..=b'9') => drop(self.digits()?),
                Some(b't') => self.word(b"true")?,
                Some(b'f') => self.word(b"false")?,
                Some(b'n') => self.word(b"null")?,
                _ => return Err(self.malformed("no value")),
            }
            loop {
                if self.open.len() == outermost {
                    return Ok(());
                }
                let close = self.open[self.open.len() - 1];
                if !self.closes(close)? {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                self.open.pop();
            }
        }
    }

    /// Nothing but white space may follow.
    pub fn end(&mut self) -> Read<()> {
        if self.peek().is_some() { Err(self.malformed("something after the object")) } else { Ok(()) }
    }

    fn nest(&mut self, close: u8) -> Read<()> {
        if self.open.len() == DEEPEST {
            return Err(self.malformed("nested too deeply"));
        }
        self.open.push(close);
        Ok(())
    }

    /// Takes a comma or what closes the list or object; whether it was the latter.
    fn closes(&mut self, close: u8) -> Read<bool> {
        let next = self.peek();
        if next != Some(b',') && next != Some(close) {
            return Err(self.malformed("no comma and no end"));
        }
        self.at += 1;
        Ok(next == Some(close))
    }

    fn key(&mut self) -> Read<&'a [u8]> {
        if self.peek() != Some(b'"') {
            return Err(self.malformed("no key"));
        }
        let key = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.malformed("no colon"));
        }
        self.at += 1;
        Ok(key)
    }

    /// Takes the string that begins here; what is between its quotes.
    ///
    /// Looks for the closing quote and at the backslashes before it, and at nothing else: most bytes of a stream
    /// are the strings that no caller reads.
    fn string(&mut self) -> Read<&'a [u8]> {
        let start = self.at + 1;
        let mut from = start;
        while let Some(length) = memchr(b'"', &self.json[from..]) {
            let quote = from + length;
            let backslashes = self.json[start..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
            if backslashes % 2 == 0 {
                self.at = quote + 1;
                return Ok(&self.json[start..quote]);
            }
            from = quote + 1;
        }
        self.at = self.json.len();
        Err(self.malformed("no end of a string"))
    }

    fn digits(&mut self) -> Read<f64> {
        let rest = &self.json[self.at..];
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let digits = &rest[..rest.iter().take_while(|byte| is_part(byte)).count()];
        let number = str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.malformed("no number"))?;
        self.at += digits.len();
        Ok(number)
    }

    fn word(&mut self, word: &[u8]) -> Read<()> {
        if !self.json[self.at..].starts_with(word) {
            return Err(self.malformed("no value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn malformed(&self, what: &'static str) -> Malformed {
        let what = if self.at >= self.json.len() { "the line ends too early" } else { what };
        Malformed { what, at: self.at }
    }
}
