//! What is no part of an answer, whatever was asked: what a terminal would have acted on, and the thinking that a model
//! prints before its answer.

use std::borrow::Cow;

use super::doubt::Doubt;
use super::text::is_blank;
use crate::request::Selection;

/// The tags between which models think, as seen in answers of local ones.
const TAGS: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// The answer without that, where the selection has nothing like it; and a doubt where it cannot be told apart.
pub fn text<'a>(answer: &'a str, selection: &Selection) -> (Cow<'a, str>, Option<Doubt>) {
    let has = |pattern: &str| selection.rows.iter().any(|row| row.contains(pattern));
    let shown = if answer.contains('\x1b') && !has("\x1b") {
        Cow::Owned(without_escapes(answer))
    } else {
        Cow::Borrowed(answer)
    };
    if is_blank(&shown) && !is_blank(answer) {
        return (Cow::Borrowed(answer), Some(Doubt::Escapes));
    }
    let Some(tag) = TAGS.into_iter().find(|tag| shown.contains(&format!("</{tag}>")) || opens(&shown, tag))
    else {
        return (shown, None);
    };
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    if has(&open) || has(&close) {
        return (shown, None);
    }
    match shown.split_once(&close) {
        Some((_, rest)) if opens(&shown, tag) && !is_blank(rest) => {
            (Cow::Owned(rest.trim_start_matches(['\r', '\n']).to_owned()), None)
        }
        // The half of it that has no beginning: on a line of its own it is no text that names the tag.
        Some(_) if !opens(&shown, tag) && !shown.lines().any(|line| line.trim() == close) => (shown, None),
        _ => (shown, Some(Doubt::Thinking)),
    }
}

fn opens(text: &str, tag: &str) -> bool {
    text.trim_start().strip_prefix('<').and_then(|rest| rest.strip_prefix(tag)?.strip_prefix('>')).is_some()
}

/// Text without the escape sequences of ECMA-48: control sequences, strings such as titles and links, and the rest.
fn without_escapes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        if letter != '\x1b' {
            shown.push(letter);
            continue;
        }
        match rest.next() {
            Some('[') => _ = rest.find(|letter| ('@'..='~').contains(letter)),
            Some(']' | 'P' | 'X' | '^' | '_') => {
                let mut before = ' ';
                // The end is BEL, or ESC and a backslash.
                _ = rest.find(|letter| {
                    let is_end = *letter == '\x07' || before == '\x1b';
                    before = *letter;
                    is_end
                });
            }
            Some(' '..='/') => _ = rest.find(|letter| ('0'..='~').contains(letter)),
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::sample;

    #[test]
    fn escapes_and_thinking_go_where_the_selection_has_none() {
        let plain = sample::lines("rust", &["a"]).selection;
        let odd = sample::lines("rust", &["a \x1b[1m", "<think>b</think>"]).selection;
        let table = [
            ("\x1b[1;31mlet\x1b[0m a;\n", "let a;\n", None),
            ("\x1b]8;;http://x\x07a\x1b]8;;\x1b\\b\x1b(Bc\x1b7d\x1b", "abcd", None),
            ("\x1b[2K", "\x1b[2K", Some(Doubt::Escapes)),
            ("<think>\nso\n</think>\n\n  ok()\n", "  ok()\n", None),
            (" <thinking>so</thinking>ok()", "ok()", None),
            ("<think>\nso", "<think>\nso", Some(Doubt::Thinking)),
            ("<think>so</think>\n", "<think>so</think>\n", Some(Doubt::Thinking)),
            ("so\n</think>\nok()", "so\n</think>\nok()", Some(Doubt::Thinking)),
            ("ends = ['</think>']", "ends = ['</think>']", None),
            ("if a < think > b", "if a < think > b", None),
        ];
        for (answer, wanted, doubt) in table {
            assert_eq!(text(answer, &plain), (Cow::Borrowed(wanted), doubt), "{answer:?}");
            if doubt != Some(Doubt::Escapes) {
                assert_eq!(text(answer, &odd).1, None, "{answer:?}");
            }
        }
        assert_eq!(text("\x1b[1mb", &odd).0, "\x1b[1mb");
    }
}
