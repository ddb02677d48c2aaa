//! Reads the JSON that agents print where it is asked for, borrowing from the line, and leniently.
//!
//! A value of another kind than expected reads as absent and never costs the line; neither do halves of surrogate pairs
//! and bytes that are not UTF-8, which become U+FFFD. What is not asked for is skipped and never built. `serde_json`
//! takes any value only where all text in it is UTF-8, and skips the output of tools, which is most of a stream, at a
//! tenth of this speed; the tests compare the two.

use std::borrow::Cow;
use std::str::FromStr;

use memchr::memchr;

use crate::stream::event::Text;
use crate::stream::{LineStatus, MAX_AMOUNT};

/// How deep texts are looked for: a list of blocks, a block, its content, its text.
const DEPTH: usize = 4;

/// Reads one line of a protocol whose lines are JSON objects; else says what became of it.
pub fn line(line: &[u8]) -> Result<Object<'_>, LineStatus> {
    let json = line.trim_ascii();
    if json.is_empty() {
        return Err(LineStatus::Blank);
    }
    if !json.starts_with(b"{") {
        return Err(LineStatus::NotJson(String::from_utf8_lossy(line).into_owned()));
    }
    let mut scanner = Scanner { json, at: 0 };
    let object = scanner.object();
    object.filter(|_| scanner.peek().is_none()).ok_or_else(|| {
        let what = if scanner.at < json.len() { "no JSON" } else { "the line ends too early" };
        LineStatus::Malformed(format!("{what} at byte {}", scanner.at))
    })
}

/// Hands such a line on, where it is one.
pub fn read<'a>(line: &'a [u8], then: impl FnOnce(Object<'a>)) -> LineStatus {
    match self::line(line) {
        Ok(object) => {
            then(object);
            LineStatus::Parsed
        }
        Err(status) => status,
    }
}

/// A value as it is written; empty where there is none. It has been read once, so nothing can be wrong with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<'a>(pub &'a [u8]);

/// The entries of an object, each key as it is written.
#[derive(Debug, Clone, Default)]
pub struct Object<'a>(Vec<(&'a [u8], Json<'a>)>);

impl<'a> Object<'a> {
    /// The value of a key, the last where there are several; `null` is none.
    pub fn get(&self, key: &str) -> Json<'a> {
        let entry = self.0.iter().rfind(|(own, _)| *own == key.as_bytes());
        entry.map(|(_, value)| *value).filter(|value| value.0 != b"null").unwrap_or_default()
    }

    /// All entries, in their order.
    pub fn entries(&self) -> impl Iterator<Item = (&'a [u8], Json<'a>)> {
        self.0.iter().copied()
    }
}

impl<'a> Json<'a> {
    /// Whether there is an object.
    pub fn is_object(self) -> bool {
        self.0.starts_with(b"{")
    }

    /// The object.
    pub fn object(self) -> Object<'a> {
        Scanner { json: self.0, at: 0 }.object().unwrap_or_default()
    }

    /// The value of a key of the object.
    pub fn get(self, key: &str) -> Json<'a> {
        self.object().get(key)
    }

    /// The values of the list.
    pub fn list(self) -> Vec<Json<'a>> {
        self.each(Scanner::value)
    }

    /// The objects of the list.
    pub fn objects(self) -> Vec<Object<'a>> {
        self.each(|scanner| match scanner.peek() {
            Some(b'{') => scanner.object(),
            _ => scanner.value().map(|_| Object::default()),
        })
    }

    fn each<T>(self, read: impl Fn(&mut Scanner<'a>) -> Option<T>) -> Vec<T> {
        let mut list = Vec::new();
        _ = Scanner { json: self.0, at: 0 }.entries(b'[', |scanner| {
            list.push(read(scanner)?);
            Some(())
        });
        list
    }

    /// The string.
    pub fn text(self) -> Option<Text<'a>> {
        let written = self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(match (memchr(b'\\', written), str::from_utf8(written)) {
            (None, Ok(text)) => Cow::Borrowed(text),
            _ => Cow::Owned(unescaped(written, usize::MAX)),
        })
    }

    /// The string, which is a piece of a text: one may end within a surrogate pair, whose `half` begins the next one.
    pub fn piece(self, half: &mut Vec<u8>) -> Option<Text<'a>> {
        let written = self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        let (before, last) = written.split_at(written.len().saturating_sub(6));
        let is_escape = before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0;
        let is_half = is_escape && unit(last).is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
        if half.is_empty() && !is_half {
            return self.text();
        }
        let (whole, rest) = if is_half { (before, last) } else { (written, &[][..]) };
        let whole = [&std::mem::replace(half, rest.to_vec()), whole].concat();
        Some(Cow::Owned(unescaped(&whole, usize::MAX)))
    }

    /// `true` or `false`, also as a string.
    pub fn flag(self) -> Option<bool> {
        self.number().or_else(|| self.text()?.parse().ok())
    }

    /// A number; amounts and counts only, so it reads as one from zero to [`MAX_AMOUNT`].
    pub fn amount(self) -> Option<f64> {
        self.number().filter(|number: &f64| !number.is_nan()).map(|number| number.clamp(0.0, MAX_AMOUNT))
    }

    /// A number as a count.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    pub fn count(self) -> Option<u64> {
        self.amount().map(|amount| amount as u64)
    }

    /// A value that is written in JSON as in Rust.
    pub fn number<T: FromStr>(self) -> Option<T> {
        str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// All texts in what a tool returned or in what failed, a line break between two of them: a string, or those under
    /// the keys that agents use for text, in blocks and objects. Not much more than `limit` bytes are ever built.
    pub fn words(self, limit: usize) -> String {
        let mut words = String::new();
        self.collect(DEPTH, limit, &mut words);
        words
    }

    fn collect(self, depth: usize, limit: usize, words: &mut String) {
        match self.0.first() {
            Some(b'"') => {
                let room = limit.saturating_sub(words.len());
                let text = unescaped(&self.0[1..self.0.len() - 1], room);
                if !words.is_empty() && !text.is_empty() {
                    words.push('\n');
                }
                words.push_str(&text);
            }
            Some(b'[') if depth > 0 => {
                self.list().into_iter().for_each(|entry| entry.collect(depth - 1, limit, words));
            }
            Some(b'{') if depth > 0 => {
                let is_text =
                    |key: &[u8]| matches!(key, b"text" | b"content" | b"output" | b"message" | b"error");
                let texts = self.object().0.into_iter().filter(|(key, _)| is_text(key));
                texts.for_each(|(_, value)| value.collect(depth - 1, limit, words));
            }
            _ => {}
        }
    }
}

/// Reads a JSON text from its beginning on. Each method takes what stands there whole; none where it is not that.
struct Scanner<'a> {
    json: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn object(&mut self) -> Option<Object<'a>> {
        let mut entries = Vec::new();
        self.entries(b'{', |scanner| {
            entries.push((scanner.key()?, scanner.value()?));
            Some(())
        })?;
        Some(Object(entries))
    }

    /// Takes the list or object that `open` begins; `entry` takes each of its entries.
    fn entries(&mut self, open: u8, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(open)?;
        if self.expect(closing(open)).is_some() {
            return Some(());
        }
        loop {
            entry(self)?;
            if self.closes(closing(open))? {
                return Some(());
            }
        }
    }

    /// Takes any value and builds nothing. Nesting costs no stack.
    fn value(&mut self) -> Option<Json<'a>> {
        self.peek();
        let start = self.at;
        // What closes the lists and objects that are open.
        let mut open = Vec::new();
        loop {
            match self.peek() {
                Some(byte @ (b'{' | b'[')) => {
                    self.at += 1;
                    if self.peek() != Some(closing(byte)) {
                        open.push(closing(byte));
                        if byte == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                    self.at += 1;
                }
                Some(b'"') => drop(self.string()?),
                _ => self.scalar()?,
            }
            loop {
                let Some(close) = open.last().copied() else { return Some(Json(&self.json[start..self.at])) };
                if !self.closes(close)? {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    /// What comes next beside white space; takes nothing.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.json.get(self.at) {
            self.at += 1;
        }
        self.json.get(self.at).copied()
    }

    /// Takes this byte, where it comes next.
    fn expect(&mut self, byte: u8) -> Option<()> {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next.then_some(())
    }

    /// Takes a comma or what closes the list or object; whether it was the latter.
    fn closes(&mut self, close: u8) -> Option<bool> {
        let next = self.peek().filter(|next| *next == b',' || *next == close)?;
        self.at += 1;
        Some(next == close)
    }

    fn key(&mut self) -> Option<&'a [u8]> {
        let key = if self.peek() == Some(b'"') { self.string()? } else { return None };
        self.expect(b':')?;
        Some(key)
    }

    /// Takes the string that begins here; what is between its quotes.
    ///
    /// Looks for the closing quote and at the backslashes before it, and at nothing else: most bytes of a stream
    /// are the strings that no caller reads.
    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let mut from = start;
        while let Some(length) = memchr(b'"', &self.json[from..]) {
            let quote = from + length;
            let backslashes = self.json[start..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
            if backslashes % 2 == 0 {
                self.at = quote + 1;
                return Some(&self.json[start..quote]);
            }
            from = quote + 1;
        }
        self.at = self.json.len();
        None
    }

    /// Takes a number, `true`, `false` or `null`; which one is seen where it is read.
    fn scalar(&mut self) -> Option<()> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let length = self.json[self.at..].iter().take_while(is_part).count();
        self.at += length;
        (length > 0).then_some(())
    }
}

fn closing(open: u8) -> u8 {
    if open == b'{' { b'}' } else { b']' }
}

/// What is between the quotes of a string, its escapes resolved; ends soon after `limit` bytes.
fn unescaped(written: &[u8], limit: usize) -> String {
    let mut text = String::new();
    let mut rest = written;
    while text.len() < limit {
        let plain = memchr(b'\\', rest).unwrap_or(rest.len()).min(limit - text.len());
        if plain > 0 {
            text.push_str(&String::from_utf8_lossy(&rest[..plain]));
            rest = &rest[plain..];
        } else if let Some((character, length)) = escape(rest) {
            text.push(character);
            rest = &rest[length..];
        } else {
            break;
        }
    }
    text
}

/// The character that an escape stands for, and the bytes it takes; `rest` begins with its backslash, or is empty.
fn escape(rest: &[u8]) -> Option<(char, usize)> {
    let character = match rest.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return Some(unicode(rest)),
        other if other.is_ascii() => char::from(*other),
        _ => return Some((char::REPLACEMENT_CHARACTER, 1)),
    };
    Some((character, 2))
}

/// A `\uXXXX`, or two of them where they are a surrogate pair; half a pair has no meaning.
fn unicode(rest: &[u8]) -> (char, usize) {
    let Some(first) = unit(rest) else { return (char::REPLACEMENT_CHARACTER, 2) };
    let second = rest.get(6..).and_then(unit);
    match char::decode_utf16([first, second.unwrap_or_default()]).next() {
        Some(Ok(character)) => (character, 6 * character.len_utf16()),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.get(..6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests;
