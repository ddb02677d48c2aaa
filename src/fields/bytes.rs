//! Rows of a buffer as text that JSON can hold, without loss: a byte that is no UTF-8 stands as a character of a plane
//! for private use, and one of these characters as its bytes in the same way. Pure.

use std::borrow::Cow;

/// The character for byte 0.
const FIRST: u32 = 0x10_ff00;

fn byte_of(letter: char) -> Option<u8> {
    u8::try_from(u32::from(letter).checked_sub(FIRST)?).ok()
}

/// Bytes as text.
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let stand_in = |text: &mut String, bytes: &[u8]| {
        text.extend(bytes.iter().filter_map(|byte| char::from_u32(FIRST + u32::from(*byte))));
    };
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match byte_of(letter) {
                Some(_) => stand_in(&mut text, letter.encode_utf8(&mut [0; 4]).as_bytes()),
                None => text.push(letter),
            }
        }
        stand_in(&mut text, chunk.invalid());
    }
    text
}

/// The bytes of such a text.
pub fn unescape(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(|letter| byte_of(letter).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match byte_of(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// Such a text for people and agents, with what is no UTF-8 replaced.
pub fn plain(text: &str) -> String {
    String::from_utf8_lossy(&unescape(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_bytes_come_back(bytes: Vec<u8>, text: String) {
            let mixed = [&bytes, text.as_bytes(), b"\xe9", "\u{10ff41}".as_bytes()].concat();
            let escaped = escape(&mixed);
            prop_assert_eq!(&*unescape(&escaped), &mixed[..]);
        }
    }

    #[test]
    fn what_is_text_stays_as_it_is() {
        assert_eq!(escape("caf\u{e9} \u{1f600}".as_bytes()), "caf\u{e9} \u{1f600}");
        assert_eq!(plain(&escape(b"caf\xe9")), "caf\u{fffd}");
    }
}
