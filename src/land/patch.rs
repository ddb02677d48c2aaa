//! An answer that is a patch of the selected text, and not the text: the hunks of a unified diff, or blocks of SEARCH and
//! REPLACE. The forms are those that models write, seen in answers: line numbers are not to be trusted, and the space
//! before an empty row is missing.

use super::is_prose;
use super::target::Target;
use super::text::is_blank;

/// Rows that take the place of others, in the order of the text.
#[derive(Debug, PartialEq, Eq)]
pub struct Patch(Vec<Hunk>);

#[derive(Debug, Default, PartialEq, Eq)]
struct Hunk {
    old: Vec<String>,
    new: Vec<String>,
}

impl Patch {
    /// What the lines of an answer are a patch of; none where they are no patch, or where the text is of patches itself.
    /// `language` is that of the fence around them.
    pub fn of(target: Target<'_>, lines: &[String], language: &str) -> Option<Self> {
        let is_of_patches = |line: &String| is_header(line) || is_mark(line, "SEARCH");
        if matches!(target.filetype, "diff" | "patch" | "gitcommit" | "mail")
            || target.selection.rows.iter().any(is_of_patches)
        {
            return None;
        }
        // Text may show a diff, behind rows of its own.
        let is_shown = || {
            is_prose(target.filetype)
                && !lines.iter().find(|line| !is_blank(line)).is_some_and(|line| begins(line))
        };
        let is_named = matches!(language, "diff" | "patch" | "udiff");
        let hunks = if lines.iter().any(|line| is_mark(line, "SEARCH")) {
            blocks(lines)?
        } else if (lines.iter().any(|line| is_header(line)) || is_named) && !is_shown() {
            hunks(lines)?
        } else {
            // Nothing but signs tells that these are rows of a diff of this text: each that stays or goes is one of it.
            let hunks = hunks(lines)?;
            let is_known = |row: &String| target.selection.text.iter().any(|own| same(own, row));
            let goes = |hunk: &Hunk| hunk.old.iter().any(|row| !is_blank(row) && !hunk.new.contains(row));
            let is_one = hunks.iter().any(goes) && hunks.iter().all(|hunk| hunk.old.iter().all(is_known));
            is_one.then_some(hunks)?
        };
        (!hunks.is_empty()).then_some(Self(hunks))
    }

    /// The text with what it changes; none where the text has the rows of a hunk nowhere, or in several places.
    pub fn apply(&self, text: &[String]) -> Option<Vec<String>> {
        let (mut applied, mut from) = (Vec::new(), 0);
        for Hunk { old, new } in &self.0 {
            if old.is_empty() && text.is_empty() {
                applied.extend_from_slice(new);
                continue;
            }
            let rest = &text[from..];
            let fits = |rows: &[String]| rows.iter().zip(old).all(|(own, row)| same(own, row));
            let mut places = rest.windows(old.len().max(1)).enumerate().filter(|(_, rows)| fits(rows));
            let (at, _) = places.next().filter(|_| !old.is_empty())?;
            if places.next().is_some() {
                return None;
            }
            applied.extend_from_slice(&rest[..at]);
            applied.extend_from_slice(new);
            from += at + old.len();
        }
        applied.extend_from_slice(&text[from..]);
        Some(applied)
    }
}

fn same(one: &str, other: &str) -> bool {
    one.trim_end() == other.trim_end()
}

/// Whether a row begins a hunk.
fn is_header(row: &str) -> bool {
    row == "@@" || row.starts_with("@@ ")
}

/// Whether a row begins a diff.
fn begins(row: &str) -> bool {
    is_header(row) || ["diff ", "--- ", "*** ", "Index: "].iter().any(|head| row.starts_with(head))
}

/// Whether a row is a mark of SEARCH and REPLACE: some of one sign, and the word.
fn is_mark(row: &str, word: &str) -> bool {
    let sign = row.trim_end().strip_suffix(word).map(str::trim_end).unwrap_or_default();
    let first = sign.chars().next().filter(|sign| "<>-+".contains(*sign));
    sign.len() >= 5 && first.is_some_and(|first| sign.chars().all(|other| other == first))
}

fn is_middle(row: &str) -> bool {
    row.trim_end().len() >= 5 && row.trim_end().chars().all(|sign| sign == '=')
}

/// The blocks of SEARCH and REPLACE; none where one does not end.
fn blocks(lines: &[String]) -> Option<Vec<Hunk>> {
    let mut blocks = Vec::new();
    let mut rows = lines.iter();
    while rows.by_ref().any(|row| is_mark(row, "SEARCH")) {
        let old = rows.by_ref().take_while(|row| !is_middle(row)).cloned().collect();
        let mut is_closed = false;
        let until_end = |row: &&String| {
            is_closed = is_mark(row, "REPLACE");
            !is_closed
        };
        let new = rows.by_ref().take_while(until_end).cloned().collect();
        blocks.push(Hunk { old, new });
        if !is_closed {
            return None;
        }
    }
    Some(blocks)
}

/// The hunks of a unified diff; none where a row of one has no sign.
fn hunks(lines: &[String]) -> Option<Vec<Hunk>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut is_within = !lines.iter().any(|row| is_header(row));
    if is_within {
        hunks.push(Hunk::default());
    }
    for (index, row) in lines.iter().enumerate() {
        let is_file =
            row.starts_with("--- ") && lines.get(index + 1).is_some_and(|next| next.starts_with("+++ "));
        if is_header(row) {
            is_within = true;
            hunks.push(Hunk::default());
        } else if is_file || row.starts_with("diff --git ") || row.starts_with("*** ") {
            is_within = false;
        } else if let Some(hunk) = hunks.last_mut().filter(|_| is_within) {
            let (sign, text) = row.split_at_checked(1).unwrap_or((" ", ""));
            match sign {
                " " => {
                    hunk.old.push(text.to_owned());
                    hunk.new.push(text.to_owned());
                }
                "-" => hunk.old.push(text.to_owned()),
                "+" => hunk.new.push(text.to_owned()),
                "\\" => {}
                _ => return None,
            }
        }
    }
    hunks.retain(|hunk| hunk.old != hunk.new);
    Some(hunks)
}

#[cfg(test)]
mod tests {
    use crate::land::{Doubt, prepare};
    use crate::request::sample;

    const TEXT: [&str; 5] = ["fn a() {", "    one();", "    two();", "", "}"];

    /// What is held of an answer to that text, or lands; none where it is a patch that does not fit.
    fn applied(answer: &str) -> (Option<String>, bool) {
        let landing = prepare(&sample::lines("rust", &TEXT), answer);
        let is_patch = matches!(landing.doubt, Some(Doubt::Patch | Doubt::OtherPatch));
        (Some(landing.lines.join("|")).filter(|_| landing.doubt != Some(Doubt::OtherPatch)), is_patch)
    }

    #[test]
    fn a_patch_is_held_as_the_text_that_it_makes() {
        let changed = Some("fn a() {|    one();|    three();||}".to_owned());
        for answer in [
            "@@ -2,2 +2,2 @@\n     one();\n-    two();\n+    three();",
            "```diff\n--- a/x.rs\n+++ b/x.rs\n@@ -1,5 +1,5 @@ fn a()\n fn a() {\n     one();\n-    two();\n+    three();\n\n }\n```",
            "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -9 +9 @@\n-    two();\n+    three();\n\\ No newline at end of file",
            "*** Begin Patch\n*** Update File: x\n@@ fn a() {\n-    two();\n+    three();\n*** End Patch",
            "```diff\n-    two();\n+    three();\n```",
            "     one();\n-    two();\n+    three();",
            "x.rs\n<<<<<<< SEARCH\n    two();\n=======\n    three();\n>>>>>>> REPLACE",
            "------- SEARCH\n    two();  \n=======\n    three();\n+++++++ REPLACE\n",
        ] {
            assert_eq!(applied(answer), (changed.clone(), true), "{answer}");
        }
        let two = "@@ -1 +1 @@\n-fn a() {\n+fn b() {\n@@ -3 +3 @@\n-    two();\n";
        assert_eq!(applied(two), (Some("fn b() {|    one();||}".to_owned()), true));
    }

    #[test]
    fn a_patch_that_does_not_fit_is_held_as_it_is() {
        for answer in [
            "@@ -2 +2 @@\n-    other();\n+    three();",
            "<<<<<<< SEARCH\n    other();\n=======\n    three();\n>>>>>>> REPLACE",
            "@@ -0,0 +1 @@\n+use b;",
        ] {
            assert_eq!(applied(answer), (None, true), "{answer}");
        }
        let new = prepare(&sample::insert("rust", &["a"], &[]), "@@ -0,0 +1,2 @@\n+b\n+c");
        assert_eq!((new.doubt, new.lines.join("|")), (Some(Doubt::Patch), "b|c".to_owned()));
        let twice = prepare(&sample::lines("rust", &["a", "b", "a"]), "@@ -1 +1 @@\n-a\n+c");
        assert_eq!(twice.doubt, Some(Doubt::OtherPatch));
    }

    #[test]
    fn what_only_looks_like_a_patch_lands() {
        for (filetype, rows, answer) in [
            ("diff", "@@ -1 +1 @@\n-a", "@@ -1 +1 @@\n-a\n+b"),
            ("markdown", "- a\n- b", "- b\n- a"),
            ("yaml", "- a", "- a\n- b"),
            ("rust", "a", "-1\n+2"),
            ("objc", "@interface A", "@interface B"),
            ("markdown", "See:", "See:\n@@ -1 +1 @@\n-a\n+b"),
        ] {
            let landing = prepare(&sample::lines(filetype, &rows.split('\n').collect::<Vec<_>>()), answer);
            assert_eq!((landing.doubt, landing.lines.join("\n")), (None, answer.to_owned()), "{answer}");
        }
    }
}
