//! Lines outside the protocol: the text of last resort, and something to show with an error.

use crate::stream::tail::Tail;

/// The most of them that may still count as a text, in bytes.
const WHOLE: usize = 4 << 20;
/// What is kept of them to be shown, in bytes.
const END: usize = 1000;

/// See the module.
#[derive(Debug, Clone)]
pub struct NonProtocolOutput {
    /// All of them, joined; `None` where they are too many.
    whole: Option<String>,
    end: Tail,
}

impl Default for NonProtocolOutput {
    fn default() -> Self {
        Self { whole: Some(String::new()), end: Tail::with_limit(END) }
    }
}

impl NonProtocolOutput {
    /// Adds a line.
    pub fn push(&mut self, line: &str) {
        self.end.push(line.as_bytes());
        self.end.push(b"\n");
        self.keep(line);
    }

    /// Adds a line that explains no error.
    pub fn keep(&mut self, line: &str) {
        let Some(whole) = &mut self.whole else { return };
        if whole.len() + line.len() > WHOLE {
            self.whole = None;
            return;
        }
        if !whole.is_empty() {
            whole.push('\n');
        } else if line.trim().is_empty() {
            return;
        }
        whole.push_str(line);
    }

    /// All lines, joined by newlines, without blank ones at the ends; `None` where they were too many to keep.
    pub fn whole(&self) -> Option<&str> {
        self.whole.as_deref().map(str::trim_end)
    }

    /// The end of them.
    pub fn end(&self) -> String {
        self.end.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_no_text_but_its_end_is_kept() {
        let mut other_output = NonProtocolOutput::default();
        other_output.push("one");
        other_output.push("two");
        assert_eq!((other_output.whole(), other_output.end().as_str()), (Some("one\ntwo"), "one\ntwo\n"));
        other_output.push(&"x".repeat(WHOLE));
        other_output.push("the end");
        assert_eq!(other_output.whole(), None);
        assert!(other_output.end().ends_with("the end\n") && other_output.end().len() < 2 * END);
    }
}
