//! Text as JSON writes it, and as it is meant.

use memchr::memchr;

use super::Reader;
use crate::stream::event::Output;

/// A value as it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Raw<'a>(pub(super) &'a [u8]);

impl<'a> Raw<'a> {
    /// The value as it is written.
    pub fn written(self) -> &'a [u8] {
        self.0
    }

    /// The value as what a tool returned.
    pub fn output(self) -> Output<'a> {
        Output(self.0)
    }

    /// The beginning of the text in a value that is a string, or a list of blocks whose `text` is a string; not much
    /// more than `limit` bytes of it are ever built, however long the value is. Blocks are not followed into each
    /// other, so each byte is read once and nesting costs no stack.
    pub fn beginning(self, limit: usize) -> String {
        if let Some(written) = self.0.strip_prefix(b"\"") {
            return unescaped(written.strip_suffix(b"\"").unwrap_or(written), limit);
        }
        let mut text = String::new();
        // It has been read once, as a part of its line, so nothing can be wrong with it.
        _ = Reader::new(self.0).list(|block| {
            block.object(|block, key| {
                if key != b"text" || text.len() >= limit || block.peek() != Some(b'"') {
                    return block.skip();
                }
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&unescaped(block.string()?, limit.saturating_sub(text.len())));
                Ok(())
            })
        });
        text
    }
}

/// What is between the quotes of a string, its escapes resolved; ends soon after `limit` bytes.
pub fn unescaped(written: &[u8], limit: usize) -> String {
    let mut text = String::new();
    let mut rest = written;
    while text.len() < limit {
        let plain = memchr(b'\\', rest).unwrap_or(rest.len());
        if plain > 0 {
            let plain = plain.min(limit - text.len());
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
    let units = [first, second.unwrap_or_default()];
    match char::decode_utf16(units).next() {
        Some(Ok(character)) => (character, 6 * character.len_utf16()),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, &digit| {
        let digit = char::from(digit).to_digit(16).and_then(|digit| u16::try_from(digit).ok())?;
        Some(unit * 16 + digit)
    })
}
