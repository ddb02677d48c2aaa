//! Bytes in arbitrary chunks become lines.
//!
//! Splits on `\n` alone, strips a `\r` before it and a byte-order mark at the very start, and hands out lines
//! without a copy where a chunk holds them whole. A line beyond the limit is dropped and reported; what is kept
//! of a line never exceeds the limit, and the memory of a long line is given back after it.

/// The longest line that is read: 256 MiB.
pub const LONGEST: usize = 256 << 20;

/// Buffers up to this size are kept for the next line.
const MAX_IDLE_BUFFER: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What the splitter found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line without its line end.
    Whole(&'a [u8]),
    /// A line that was too long; it is gone.
    Oversized,
}

/// Splits one stream; see the module.
#[derive(Debug)]
pub struct Lines {
    limit: usize,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// Whether that line has grown beyond the limit.
    overflown: bool,
    /// Whether no line has been handed out yet.
    first: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Self::with_limit(LONGEST)
    }
}

impl Lines {
    /// A splitter with another limit on the length of a line, in bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, partial: Vec::new(), overflown: false, first: true }
    }

    /// Takes the next bytes and hands out every line that they complete.
    pub fn push(&mut self, mut chunk: &[u8], each: &mut dyn FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (head, tail) = (&chunk[..end], &chunk[end + 1..]);
            if self.partial.is_empty() && !self.overflown {
                self.hand_out(head, each);
            } else {
                self.append(head);
                self.flush(each);
            }
            chunk = tail;
        }
        self.append(chunk);
    }

    /// Hands out a last line that has no line end.
    pub fn finish(&mut self, each: &mut dyn FnMut(Line<'_>)) {
        if !self.partial.is_empty() || self.overflown {
            self.flush(each);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.overflown {
            return;
        }
        let length = self.partial.len() + bytes.len();
        if length > self.limit {
            self.overflown = true;
            self.partial = Vec::new();
            return;
        }
        // A long line grows by a quarter, not by doubling: that bounds the memory at 1.25 times its length.
        if length > self.partial.capacity() && length > MAX_IDLE_BUFFER {
            let room = (length + length / 4).min(self.limit);
            self.partial.reserve_exact(room - self.partial.len());
        }
        self.partial.extend_from_slice(bytes);
    }

    fn flush(&mut self, each: &mut dyn FnMut(Line<'_>)) {
        let mut line = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.overflown) {
            self.first = false;
            each(Line::Oversized);
            return;
        }
        self.hand_out(&line, each);
        if line.capacity() <= MAX_IDLE_BUFFER {
            line.clear();
            self.partial = line;
        }
    }

    fn hand_out(&mut self, line: &[u8], each: &mut dyn FnMut(Line<'_>)) {
        if line.len() > self.limit {
            self.first = false;
            each(Line::Oversized);
            return;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mark: &[u8] = if std::mem::take(&mut self.first) { BYTE_ORDER_MARK } else { b"" };
        each(Line::Whole(line.strip_prefix(mark).unwrap_or(line)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]], limit: usize) -> Vec<String> {
        let mut lines = Lines::with_limit(limit);
        let mut found = Vec::new();
        let mut each = |line: Line<'_>| {
            found.push(match line {
                Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                Line::Oversized => "OVERSIZED".to_owned(),
            });
        };
        for chunk in chunks {
            lines.push(chunk, &mut each);
        }
        lines.finish(&mut each);
        found
    }

    /// However the bytes arrive: in one chunk, in any two, one by one.
    #[test]
    fn the_same_bytes_are_the_same_lines() {
        for (bytes, expected) in [
            ("a\u{2028}b\n\nc\rd\n", &["a\u{2028}b", "", "c\rd"][..]),
            ("a\nb", &["a", "b"]),
            ("\u{feff}a\r\n\u{feff}b\r\n", &["a", "\u{feff}b"]),
            ("123456789\nf\n", &["OVERSIZED", "f"]),
            ("12345678\n123456789", &["12345678", "OVERSIZED"]),
        ] {
            let bytes = bytes.as_bytes();
            for at in 0..bytes.len() {
                let (head, tail) = bytes.split_at(at);
                assert_eq!(split(&[head, tail], 8), expected, "{bytes:?} at {at}");
            }
            assert_eq!(split(&bytes.chunks(1).collect::<Vec<_>>(), 8), expected, "{bytes:?}");
        }
    }

    #[test]
    fn gives_the_memory_of_a_long_line_back() {
        let mut lines = Lines::default();
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..8 {
            lines.push(&chunk, &mut |_| {});
        }
        assert!(lines.partial.capacity() <= (10 << 20) + (1 << 20));
        lines.push(b"\n", &mut |_| {});
        assert_eq!(lines.partial.capacity(), 0);
    }
}
