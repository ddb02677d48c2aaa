//! A text of bounded length that knows how many lines of it were left out.

use crate::stream::words;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    text: String,
    /// The most bytes that are kept.
    most: usize,
    /// Lines that begin after what is kept.
    cut: usize,
}

impl Body {
    /// The beginning of a text.
    pub fn new(most: usize, text: &str) -> Self {
        let mut body = Self { text: String::new(), most, cut: 0 };
        body.push(text);
        body
    }

    /// Adds to its end.
    pub fn push(&mut self, text: &str) {
        let kept = if self.cut > 0 { "" } else { words::clip(text, self.most - self.text.len()) };
        self.text.push_str(kept);
        let rest = &text[kept.len()..];
        if !rest.is_empty() {
            // What is cut in its middle counts as a line, too.
            self.cut = self.cut.max(1) + memchr::memchr_iter(b'\n', rest.as_bytes()).count();
        }
    }

    /// The bytes that are kept.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is nothing in it to be read.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Its first lines without the blank ones around them, and how many lines are left out after them.
    pub fn lines(&self, most: usize) -> (Vec<&str>, usize) {
        let start = self.text.find(|letter: char| !letter.is_whitespace()).unwrap_or(self.text.len());
        let start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let mut lines: Vec<&str> = self.text[start..].trim_end().lines().collect();
        let over = lines.len().saturating_sub(most);
        lines.truncate(most);
        (lines, over + self.cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_in_lines() {
        let body = Body::new(100, "\n\n  a\nb\nc\n\n");
        assert_eq!(body.lines(9), (vec!["  a", "b", "c"], 0));
        assert_eq!(body.lines(2), (vec!["  a", "b"], 1));
    }

    #[test]
    fn it_does_not_grow_beyond_its_bound() {
        let mut body = Body::new(4, "ab\n");
        body.push("äc\nd");
        body.push("\ne");
        assert_eq!(body.len(), 3);
        assert_eq!(body.lines(9), (vec!["ab"], 3));
    }
}
