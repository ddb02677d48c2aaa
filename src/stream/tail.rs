//! The end of a text of any length: what is kept of standard error output and of lines outside the protocol.

use std::collections::VecDeque;

/// Keeps the last bytes that it was given; see [`Tail::text`].
#[derive(Debug, Clone)]
pub struct Tail {
    limit: usize,
    bytes: VecDeque<u8>,
    cut: bool,
}

impl Default for Tail {
    /// 10 KB, as much of standard error output as an error quotes.
    fn default() -> Self {
        Self::with_limit(10_000)
    }
}

impl Tail {
    /// Keeps at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, bytes: VecDeque::new(), cut: false }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let surplus = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.cut |= surplus > 0 || kept.len() < bytes.len();
        self.bytes.drain(..surplus);
        self.bytes.extend(kept);
    }

    /// What was kept; begins with an ellipsis where something before it is missing.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        // A character that was cut in half at the beginning is no text.
        let start =
            if self.cut { bytes.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count() } else { 0 };
        let text = String::from_utf8_lossy(&bytes[start..]);
        if self.cut { format!("…{text}") } else { text.into_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_where_it_was_cut() {
        let mut tail = Tail::with_limit(4);
        tail.push(b"abc");
        tail.push(b"def");
        assert_eq!(tail.text(), "…cdef");
        tail.push("äöü".as_bytes());
        assert_eq!(tail.text(), "…öü");
    }

    #[test]
    fn leaves_half_a_character_out() {
        let mut tail = Tail::with_limit(3);
        tail.push("äöü".as_bytes());
        assert_eq!(tail.text(), "…ü");
    }
}
