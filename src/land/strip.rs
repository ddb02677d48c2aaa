//! What is no part of an answer, whatever was asked: what a terminal would have acted on, and the thinking that a model
//! prints before its answer.

use std::borrow::Cow;

use super::doubt::{self, Doubt};
use super::target::Target;
use super::text::is_blank;
use crate::stream::one_line;

/// The tags between which models think, as seen in answers of local ones; the first is an element of no language.
const TAGS: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// The answer without that, where the selection has nothing like it; and a doubt where nothing is left.
pub fn text<'a>(answer: &'a str, target: Target<'_>) -> (Cow<'a, str>, Option<Doubt>) {
    let has_escape = answer.contains('\x1b') && !target.selection.rows.iter().any(|row| row.contains('\x1b'));
    let shown =
        if has_escape { Cow::Owned(one_line::without_escapes(answer)) } else { Cow::Borrowed(answer) };
    if is_blank(&shown) && !is_blank(answer) {
        return (Cow::Borrowed(answer), Some(Doubt::Escapes));
    }
    let mut rest: &str = &shown;
    while rest.trim_start().starts_with('<')
        && let Some(behind) = tags(target).find_map(|tag| after(rest, tag))
    {
        rest = behind;
    }
    if rest.len() == shown.len() { (shown, None) } else { (Cow::Owned(rest.to_owned()), None) }
}

/// Whether thinking is left in the lines of an answer: one begins with such a tag, or with the end of it.
pub fn has_thinking(target: Target<'_>, lines: &[String]) -> bool {
    let begins = |line: &str, tag: &str| {
        let rest = line.trim_start().strip_prefix('<').map(|rest| rest.strip_prefix('/').unwrap_or(rest));
        rest.and_then(|rest| without_tag(rest, tag)).is_some()
    };
    lines.iter().any(|line| line.contains('<') && tags(target).any(|tag| begins(line, tag)))
}

/// The tags that mean thinking, beside this text.
fn tags(target: Target<'_>) -> impl Iterator<Item = &'static str> {
    let tags = if doubt::is_markup(target.filetype) { &TAGS[..1] } else { &TAGS };
    let has = move |tag: &str| {
        target.selection.rows.iter().any(|row| row.to_lowercase().contains(&format!("{tag}>")))
    };
    tags.iter().copied().filter(move |tag| !has(tag))
}

/// What comes behind thinking at the beginning of a text, if something does.
fn after<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let mut inner = without_tag(text.trim_start().strip_prefix('<')?, tag)?;
    while let Some((_, behind)) = inner.split_once("</") {
        match without_tag(behind, tag) {
            Some(rest) => return (!is_blank(rest)).then(|| rest.trim_start_matches(['\r', '\n'])),
            None => inner = behind,
        }
    }
    None
}

/// What comes behind a tag of this name and its `>`.
fn without_tag<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let is_one = text.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag));
    text.get(tag.len()..).filter(|_| is_one)?.strip_prefix('>')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::sample;

    #[test]
    fn escapes_and_thinking_go_where_the_selection_has_none() {
        let plain = sample::lines("rust", &["a"]);
        let odd = sample::lines("rust", &["a \x1b[1m", "<think>b</think>"]);
        for (answer, wanted, doubt) in [
            ("\x1b[1;31mlet\x1b[0m a;\n", "let a;\n", None),
            ("\x1b]8;;http://x\x07a\x1b]8;;\x1b\\b\x1b(Bc\x1b7d\x1b", "abcd", None),
            ("\x1b[2K", "\x1b[2K", Some(Doubt::Escapes)),
            ("<think>\nso\n</think>\n\n  ok()\n", "  ok()\n", None),
            (" <Think>a </b></THINK>\n<think>b</think>ok()", "ok()", None),
            ("<think>\nso", "<think>\nso", None),
            ("<think>so</think>\n", "<think>so</think>\n", None),
        ] {
            assert_eq!(text(answer, (&plain).into()), (Cow::Borrowed(wanted), doubt), "{answer:?}");
        }
        for answer in ["\x1b[1mb", "<think>a</think>b"] {
            assert_eq!(text(answer, (&odd).into()), (Cow::Borrowed(answer), None), "{answer:?}");
        }
    }
}
