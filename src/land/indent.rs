//! The selection's indentation, given back to an answer that lost it.
//!
//! Agents answer in one of three ways: with the indentation kept, with the whole answer moved to the left,
//! or with only its first line trimmed. Which it was is read from lines that the answer shares with the
//! selection, and from how deep its second line is. What was kept is never doubled; blank lines stay blank.

use std::collections::HashMap;

use crate::request::{Kind, Request, Selection};

/// The whitespace with which a line begins.
pub fn indent(line: &str) -> &str {
    let rest = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - rest.len()]
}

/// The indentation that all lines share; blank ones do not count.
pub fn common(lines: &[String]) -> &str {
    let mut indents = lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line));
    let Some(first) = indents.next() else { return "" };
    indents.fold(first, shared)
}

/// Indents the answer as the text is that it replaces.
pub fn restore(lines: &mut [String], request: &Request) {
    let place = Place::of(request);
    let Some(head) = lines.iter().position(|line| !is_blank(line)) else { return };
    let (before, rest) = lines.split_at_mut(head + 1);
    let Some(head) = before.last_mut() else { return };
    if place.inline {
        // From the first character of its row: the indentation that stands before it must not come twice.
        if place.at_text && !place.first.is_empty() && head.starts_with(place.first) {
            head.replace_range(..place.first.len(), "");
        }
    } else if place.is_kept(head, rest) {
        return;
    }
    match place.verdict(head, rest) {
        Verdict::Kept => place.lead_in(head),
        Verdict::Lost => place.indent_all(head, rest),
        Verdict::Unknown => {}
    }
}

/// Where an answer goes, as far as indentation is concerned.
struct Place<'a> {
    /// The rows that it replaces.
    rows: &'a [String],
    /// The indentation of the first row.
    first: &'a str,
    /// How much of that the answer's first line has to bring along.
    lead: &'a str,
    /// The indentation that all rows share.
    common: &'a str,
    /// The answer begins within a row, after its indentation.
    inline: bool,
    /// The answer begins right after its row's indentation.
    at_text: bool,
}

/// What became of the indentation.
enum Verdict {
    /// At most the first line lost it.
    Kept,
    /// All lines lost it.
    Lost,
    /// Nothing tells, and nothing has to be done.
    Unknown,
}

impl<'a> Place<'a> {
    fn of(request: &'a Request) -> Self {
        let selection = &request.selection;
        match selection.kind {
            Kind::Line => Self::of_rows(&selection.rows),
            Kind::Block => Self::of_rows(&selection.text),
            Kind::Char => Self::of_part(selection),
            Kind::Insert => {
                let indent = below(request);
                Self { rows: &[], first: indent, lead: indent, common: indent, inline: false, at_text: false }
            }
        }
    }

    fn of_rows(rows: &'a [String]) -> Self {
        let first = rows.iter().find(|row| !is_blank(row)).map_or("", |row| indent(row));
        Self { rows, first, lead: first, common: common(rows), inline: false, at_text: false }
    }

    fn of_part(selection: &'a Selection) -> Self {
        let first = selection.rows.first().map_or("", |row| indent(row));
        let column = selection.cols.first().map_or(0, |&col| usize::try_from(col).unwrap_or(usize::MAX));
        let place = Self::of_rows(&selection.rows);
        if column == 0 && selection.text.first().is_some_and(|text| is_blank(text)) {
            return place;
        }
        let lead = selection.text.first().filter(|_| column < first.len()).map_or("", |text| indent(text));
        Self { first, lead, inline: column >= first.len(), at_text: column == first.len(), ..place }
    }

    /// Whether no line lost anything, the first one included.
    fn is_kept(&self, head: &str, rest: &[String]) -> bool {
        if indent(head).is_empty() && !self.lead.is_empty() {
            return false;
        }
        head.starts_with(self.common)
            && rest.iter().all(|line| is_blank(line) || line.starts_with(self.common))
    }

    fn verdict(&self, head: &str, rest: &[String]) -> Verdict {
        let mut rest_lines = rest.iter().filter(|line| !is_blank(line));
        let Some(second) = rest_lines.next() else {
            return if indent(head).is_empty() { Verdict::Kept } else { Verdict::Lost };
        };
        let (kept, lost) = self.votes(rest);
        if self.common.is_empty() {
            return if kept > 0 { Verdict::Kept } else { Verdict::Unknown };
        }
        if !second.starts_with(self.common) || !rest_lines.all(|line| line.starts_with(self.common)) {
            return if kept > lost { Verdict::Kept } else { Verdict::Lost };
        }
        if lost > kept || (indent(second) == self.first && opens(head)) {
            Verdict::Lost
        } else {
            Verdict::Kept
        }
    }

    /// How many lines that are in the selection too have their indentation still, and how many lost it.
    fn votes(&self, lines: &[String]) -> (usize, usize) {
        let mut known: HashMap<&str, Option<&str>> = HashMap::new();
        for row in self.rows {
            let seen = known.entry(row.trim()).or_insert(Some(indent(row)));
            if *seen != Some(indent(row)) {
                *seen = None;
            }
        }
        let (mut kept, mut lost) = (0, 0);
        for line in lines.iter().filter(|line| !is_blank(line)) {
            let Some(Some(was)) = known.get(line.trim()) else { continue };
            if indent(line) == *was {
                kept += 1;
            } else if was.strip_prefix(self.common) == Some(indent(line)) {
                lost += 1;
            }
        }
        (kept, lost)
    }

    /// Gives the first line alone its indentation.
    fn lead_in(&self, head: &mut String) {
        if indent(head).is_empty() {
            head.insert_str(0, self.lead);
        }
    }

    /// Moves all lines to the right, so that the leftmost stands where the leftmost row stood.
    fn indent_all(&self, head: &mut String, rest: &mut [String]) {
        let rest_lines = || rest.iter().filter(|line| !is_blank(line)).map(|line| indent(line));
        let left = if self.inline { "" } else { rest_lines().fold(indent(head), shared) };
        let len = left.len();
        if !self.inline {
            head.replace_range(..len, self.common);
        }
        for line in rest.iter_mut().filter(|line| !is_blank(line)) {
            line.replace_range(..len, self.common);
        }
    }
}

/// The indentation for lines below the anchor: the anchor's own, that of the next line where the anchor
/// opens a block, and next to a blank anchor the smaller one of its neighbours'.
fn below(request: &Request) -> &str {
    let next = request.after.iter().find(|line| !is_blank(line)).map_or("", |line| indent(line));
    let anchor = request.selection.anchor.as_deref().unwrap_or("");
    if is_blank(anchor) {
        let last = request.before.iter().rev().find(|line| !is_blank(line)).map_or("", |line| indent(line));
        return shared(last, next);
    }
    let own = indent(anchor);
    if next.starts_with(own) && opens(anchor) { next } else { own }
}

/// Whether the line after this one is deeper: a bracket stays open, or a word or sign says so.
fn opens(line: &str) -> bool {
    let line = line.trim();
    let open = line.chars().filter(|letter| matches!(letter, '(' | '[' | '{')).count();
    let closed = line.chars().filter(|letter| matches!(letter, ')' | ']' | '}')).count();
    let words = |word: &str| !word.is_empty();
    let mut words_of =
        line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|w| words(w));
    let first = words_of.next().unwrap_or("");
    let last = line.rsplit(char::is_whitespace).next().unwrap_or("");
    open > closed
        || line.ends_with([':', '=', '\\'])
        || line.ends_with("=>")
        || line.ends_with("->")
        || matches!(first, "if" | "elif" | "else" | "for" | "while" | "unless" | "until" | "when" | "with")
        || matches!(last, "then" | "do" | "else" | "begin" | "where" | "of" | "repeat" | "try")
}

/// The longest beginning that two indentations share.
fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let len = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    &one[..len]
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}
