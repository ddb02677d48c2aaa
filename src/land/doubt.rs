//! What makes an answer doubtful: it would do damage as it is. The rules look at what an answer says and at what was
//! selected, never at how long it is; what the selection has itself is no reason.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::is_prose;
use super::target::Target;
use super::text::is_blank;
use crate::request::SelectionKind;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// A comment stands for code that was selected and is not in it.
    LeftOut,
    /// It is a diff; its lines are the text with what that changes.
    Patch,
    /// It is a diff of another text.
    OtherPatch,
    /// Each line begins with its number.
    Numbered,
    /// It is thinking, or begins or ends within it.
    Thinking,
    /// It is prose in place of code, or has prose before or behind it.
    Prose,
    /// It is nothing but escapes of a terminal.
    Escapes,
}

impl Doubt {
    /// The same in one sentence: `held_why` in Lua.
    pub const fn why(self) -> &'static str {
        match self {
            Self::LeftOut => "a comment stands for code that it leaves out",
            Self::Patch => "the answer is a diff",
            Self::OtherPatch => "the answer is a diff of another text",
            Self::Numbered => "the lines of the answer have numbers",
            Self::Thinking => "the answer has the agent's thinking in it",
            Self::Prose => "the answer is prose in place of code",
            Self::Escapes => "the answer is nothing but terminal escapes",
        }
    }
}

/// What is doubtful in the lines of an answer; `is_bare`: there was no fence around them.
pub fn of(target: Target<'_>, lines: &[String], is_bare: bool) -> Option<Doubt> {
    if is_numbered(target, lines) {
        Some(Doubt::Numbered)
    } else if leaves_out(target, lines) {
        Some(Doubt::LeftOut)
    } else {
        (is_bare && has_talk(target, lines)).then_some(Doubt::Prose)
    }
}

/// Whether all lines begin with numbers that count up, as agents are shown a file, and the selected rows do not.
fn is_numbered(target: Target<'_>, lines: &[String]) -> bool {
    let numbers: Option<Vec<_>> = lines.iter().map(|line| numbered(line)).collect();
    let Some([(first, ..), rest @ ..]) = numbers.as_deref() else { return false };
    let rows = &target.selection.rows;
    let counts_up = rest.iter().zip(1..).all(|((number, ..), by)| *number == first + by);
    // A colon or a bar may be the text's own, if none of its rows is behind one.
    let is_known = |text: &str| !is_blank(text) && rows.iter().any(|row| row.trim() == text.trim());
    let is_shown = |(_, sign, text): &(u64, char, &str)| matches!(sign, '\t' | '→') || is_known(text);
    counts_up
        && !rest.is_empty()
        && numbers.iter().flatten().any(is_shown)
        && !rows.iter().any(|row| numbered(row).is_some())
}

/// The number of a line, the sign behind it, and its text.
fn numbered(line: &str) -> Option<(u64, char, &str)> {
    let line = line.trim_start_matches(' ');
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = line[..line.len() - rest.len()].parse().ok()?;
    let rest = rest.trim_start_matches(' ');
    let sign = rest.chars().next().filter(|sign| "\t→|│:".contains(*sign))?;
    Some((number, sign, &rest[sign.len_utf8()..]))
}

/// How a comment stands for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StandIn {
    /// It says so.
    Plain,
    /// It may as well be a heading, or an example.
    Possible,
}

/// Signs with which a comment begins, and with which one ends, in languages that models write; the longer ones first.
const BEGINS: [&str; 22] = [
    "<!--", "{{!--", "<%--", "<%#", "{/*", "/**", "///", "/*", "//", "--[[", "--", "#|", "##", "#", "{-",
    "(*", ";;", ";", "%", "\"", "'", "!",
];
const ENDS: [&str; 12] = ["-->", "--}}", "--%>", "%>", "*/}", "*/", "]]", "|#", "-}", "*)", "\"", "'"];
/// Of these words alone such a comment consists.
const WORDS: &str = "a above additional all and are as assume assuming at be before below body brevity cases class code \
    component components content contents continue continues current defined definition definitions document elided else elsewhere \
    end etc everything existing exists exactly fields file for from function functions goes here identical implementation \
    implementations import imports in is it its items keep keeps kept left lines logic method methods module more no not of \
    omitted on original other others out part parts previous previously properties props remain remainder remaining \
    remains rest same script section skipped snip snipped statements stay stays still stuff tests that the there these this \
    to truncated unaltered unchanged unmodified untouched up was were with without your previous changes changed";
/// One of these words is in it; the first ones tell of nothing else.
const TELLING: [&str; 8] =
    ["unchanged", "unmodified", "untouched", "unaltered", "omitted", "elided", "truncated", "snipped"];
const POSSIBLY: &str = "rest existing remaining remainder same other others previous previously original more snip \
    additional skipped remains continues";

/// Whether a row of a file of this type is a comment that stands for code.
fn stand_in(row: &str, filetype: &str) -> Option<StandIn> {
    let row = row.trim();
    let begin = BEGINS.iter().find(|begin| row.starts_with(**begin));
    let text = row.strip_prefix(*begin.unwrap_or(&"")).unwrap_or(row);
    let end = ENDS.iter().find(|end| begin.is_some() && text.ends_with(**end));
    let text = text.strip_suffix(*end.unwrap_or(&"")).unwrap_or(text).to_lowercase();
    let has_dots = text.contains("...") || text.contains('…');
    let words: Vec<&str> =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_bracketed = text.starts_with(['[', '(', '<']) && has_dots;
    if words.is_empty() {
        // In Python three dots are a statement.
        let is_statement = begin.is_none() && filetype.starts_with("py");
        let is_dots = matches!(text.trim().trim_matches(['[', ']', '(', ')']), "..." | "…");
        return (is_dots && !is_statement).then_some(StandIn::Possible);
    }
    let is_of = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    // In prose the same signs begin headings and lists.
    let is_comment = begin.is_some() && (has_dots || *begin.unwrap_or(&"") == "<!--" || !is_prose(filetype))
        || is_bracketed
        || has_dots && text.starts_with(['.', '…']);
    if !is_comment || !words.iter().all(|word| is_of(WORDS, word)) {
        return None;
    }
    let is_plain = words.iter().any(|word| TELLING.contains(word));
    let is_possible = words.iter().any(|word| is_of(POSSIBLY, word));
    if is_plain || is_possible && (has_dots || words.contains(&"existing") || words.contains(&"rest")) {
        Some(StandIn::Plain)
    } else {
        (is_possible && words.len() > 1).then_some(StandIn::Possible)
    }
}

/// Whether a comment stands where selected rows of code are gone.
fn leaves_out(target: Target<'_>, lines: &[String]) -> bool {
    let own = &target.selection.text;
    let is_new = |line: &String| !own.iter().any(|row| row.trim() == line.trim());
    let found: Vec<Option<StandIn>> =
        lines.iter().map(|line| stand_in(line, target.filetype).filter(|_| is_new(line))).collect();
    if found.iter().all(Option::is_none) {
        return false;
    }
    let of_code = |rows: &[String]| rows.iter().filter(|row| !is_blank(row)).count();
    capture_diff_slices(Algorithm::Myers, own, lines).into_iter().any(|change| {
        let (DiffOp::Replace { .. }, old, new) = (change, change.old_range(), change.new_range()) else {
            return false;
        };
        let stand_ins = || found[new.clone()].iter().flatten();
        let (gone, come) = (of_code(&own[old]), of_code(&lines[new.clone()]) - stand_ins().count());
        gone > 0
            && stand_ins().next().is_some()
            && (gone > come || stand_ins().any(|stand_in| *stand_in == StandIn::Plain))
    })
}

/// Whether the first line or the last one is a sentence to the user, where there is only code.
fn has_talk(target: Target<'_>, lines: &[String]) -> bool {
    let selection = target.selection;
    let beside = selection.beside.above.iter().chain(&selection.beside.below);
    let mut texts = lines.iter().filter(|line| !is_blank(line));
    let ends = [texts.next(), texts.next_back()];
    // A part of a row may be one of a comment, or of a string.
    let is_of_words = |part: &String| words(part) >= 2 && words(part) == part.split_whitespace().count();
    let is_part_of_text = selection.kind == SelectionKind::Char && selection.text.iter().any(is_of_words);
    !target.filetype.is_empty()
        && !is_prose(target.filetype)
        && ends.into_iter().flatten().any(|line| is_sentence(line))
        && !selection.rows.iter().chain(beside).any(|row| is_sentence(row) || is_text(row))
        && !is_part_of_text
}

/// How many words a row has; none where it has signs that are those of code. What is quoted may be anything.
fn words(row: &str) -> usize {
    let words = || row.split('`').step_by(2).flat_map(str::split_whitespace);
    let is_word = |word: &&str| {
        let word = word.trim_matches(|sign: char| ",.:;?!()\"'“”‘’*".contains(sign));
        !word.is_empty() && word.chars().all(|letter| letter.is_alphabetic() || "'’-".contains(letter))
    };
    let is_code =
        |word: &str| word.contains(['{', '}', '[', ']', '=', '<', '>', '$', '\\', '|', ';', '_', '@', '#']);
    if words().any(is_code) { 0 } else { words().filter(is_word).count() }
}

/// Whether a row is a sentence of three words or more and nothing else: from a capital letter to a full stop, a colon, a
/// question mark or an exclamation mark.
fn is_sentence(row: &str) -> bool {
    let row = row.trim();
    let is_small = |word: &str| word.chars().all(|letter| !letter.is_uppercase());
    row.starts_with(char::is_uppercase)
        && row.trim_end_matches(['"', '”', ')']).ends_with(['.', ':', '?', '!', '…'])
        && words(row) >= 3
        && row.split_whitespace().any(is_small)
        // A name with its value.
        && !row.split_whitespace().next().is_some_and(|word| word.ends_with(':'))
}

/// Whether a row is of text that people read, though it is no whole sentence: a line of a long comment, or of a string.
fn is_text(row: &str) -> bool {
    const CODE: &str = "assert case create delete do elif else end for from if import insert let raise return select set \
        unless until update when while with yield";
    let first = row.split_whitespace().next().unwrap_or_default().to_lowercase();
    words(row) >= 4 && !row.trim_end().ends_with(':') && !CODE.split_whitespace().any(|word| word == first)
}

#[cfg(test)]
mod tests;
