//! Fences around an answer, by the rules of `CommonMark`: three or more backticks or tildes, indented by at
//! most three spaces, closed by at least as many of the same, or by the end of the text.
//!
//! In prose only a fence around the whole answer goes. In code the one fenced block is the answer, and the
//! talk around it goes too; which of several is meant is never guessed. Where the selection holds fences
//! itself, those of the answer may be part of the text, and only one that is clearly around it goes.

use std::collections::HashSet;

use super::doubt::is_talk;
use super::is_prose;
use super::text::{common, is_blank};

/// How deep fences are looked into: each level reads the text once more, and real answers are not nested deeper.
const DEEPEST: usize = 8;
/// How many rows without a word to people are code.
const LEAST_CODE: usize = 3;

/// What to take of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum AnswerPart {
    /// All of it, as it is.
    Whole,
    /// The content of its fence, and the language that the fence names.
    Content(Vec<String>, String),
    /// Several parts could be meant.
    Ambiguous,
}

/// What to take of an answer for a selection in prose.
pub fn in_prose(answer: &[String], selection: &[String]) -> AnswerPart {
    let blocks = blocks(answer);
    let nested = around_fences(answer);
    let Some(block) = nested.as_ref().or_else(|| around(&blocks, answer)) else { return AnswerPart::Whole };
    if block.is_empty_and_open(answer) {
        return AnswerPart::Ambiguous;
    }
    let content = block.content(answer);
    if holds_fence(selection) && !(holds_fence(&content) && depth(&content) >= depth(selection)) {
        return AnswerPart::Whole;
    }
    AnswerPart::Content(content, block.language(answer).to_owned())
}

/// What to take of an answer for a selection in code.
pub fn in_code(answer: &[String], selection: &[String]) -> AnswerPart {
    let blocks = blocks(answer);
    let fences_in_code = holds_fence(selection);
    match blocks.as_slice() {
        [] => AnswerPart::Whole,
        [block] if fences_in_code => one_among_fences(block, answer, selection),
        [block] => one(block, answer, selection),
        _ if fences_in_code && starts_fenced(answer) == starts_fenced(selection) => AnswerPart::Whole,
        _ => AnswerPart::Ambiguous,
    }
}

/// One block: it is the answer, unless it is half of one or is within code.
fn one(block: &FencedBlock, answer: &[String], selection: &[String]) -> AnswerPart {
    let talk = !block.is_around(answer);
    let is_within = || repeats(block, answer, selection) || is_in_code(block, answer);
    if block.is_empty_and_open(answer) || talk && (block.open_ended || is_within()) {
        return AnswerPart::Ambiguous;
    }
    AnswerPart::Content(block.content(answer), block.language(answer).to_owned())
}

/// One block where the selection holds fences: the one around the answer, or one of the text itself.
fn one_among_fences(block: &FencedBlock, answer: &[String], selection: &[String]) -> AnswerPart {
    let content = block.content(answer);
    let encloses = block.is_around(answer) || holds_fence(&content);
    if encloses && depth(&content) >= depth(selection) {
        return one(block, answer, selection);
    }
    if starts_fenced(answer) && !starts_fenced(selection) { AnswerPart::Ambiguous } else { AnswerPart::Whole }
}

/// A line that opens a fenced block.
#[derive(Debug, Clone)]
pub struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

impl Fence {
    /// The fence that a line opens.
    pub fn opening(line: &str) -> Option<Self> {
        let (indent, rest) = unindented(line)?;
        let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        if length < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        Some(Self { mark, length, indent })
    }

    /// Whether a line closes it.
    pub fn closes(&self, line: &str) -> bool {
        let Some((_, rest)) = unindented(line) else { return false };
        let after = rest.trim_start_matches(self.mark);
        rest.len() - after.len() >= self.length && is_blank(after)
    }

    /// A line between the fences, without the indentation that the opening one has.
    pub fn unindented<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.bytes().take(self.indent).take_while(|&byte| byte == b' ').count();
        &line[spaces..]
    }
}

/// A fenced block of a text that is not within another one; in rows of the text.
pub struct FencedBlock {
    fence: Fence,
    /// The row of the opening fence.
    open: usize,
    /// The row of the closing fence, or the end of the text.
    close: usize,
    /// The end of the text closes it.
    open_ended: bool,
}

impl FencedBlock {
    /// The row after the opening fence, and that of the closing one.
    pub fn rows(&self) -> (usize, usize) {
        (self.open + 1, self.close)
    }

    /// The first word after the opening fence.
    pub fn language<'a>(&self, lines: &'a [String]) -> &'a str {
        let info = lines[self.open].trim_start().trim_start_matches(self.fence.mark);
        info.split_whitespace().next().unwrap_or_default()
    }

    /// The lines between the fences.
    pub fn content<L: AsRef<str>>(&self, lines: &[L]) -> Vec<String> {
        let inside = &lines[self.open + 1..self.close];
        inside.iter().map(|line| self.fence.unindented(line.as_ref()).to_owned()).collect()
    }

    /// A fence with nothing to follow: it is half an answer rather than a deletion.
    fn is_empty_and_open(&self, lines: &[String]) -> bool {
        self.open_ended && lines[self.open + 1..self.close].iter().all(|line| is_blank(line))
    }

    /// Whether nothing but blank lines is outside of it.
    fn is_around<L: AsRef<str>>(&self, lines: &[L]) -> bool {
        self.outside(lines).all(|line| is_blank(line.as_ref()))
    }

    /// The lines before and after it.
    fn outside<'a, L>(&self, lines: &'a [L]) -> impl Iterator<Item = &'a L> {
        lines[..self.open].iter().chain(lines.iter().skip(self.close + 1))
    }
}

/// The fenced blocks of a text; those within another one do not count.
pub fn blocks<L: AsRef<str>>(lines: &[L]) -> Vec<FencedBlock> {
    let mut blocks = Vec::new();
    let mut row = 0;
    while row < lines.len() {
        if let Some(fence) = Fence::opening(lines[row].as_ref()) {
            let end = lines[row + 1..].iter().position(|line| fence.closes(line.as_ref()));
            let close = end.map_or(lines.len(), |offset| row + 1 + offset);
            blocks.push(FencedBlock { fence, open: row, close, open_ended: end.is_none() });
            row = close;
        }
        row += 1;
    }
    blocks
}

/// The block around a whole text that holds blocks of its own, between fences that are no longer than theirs: one that
/// names a language begins a block, one that does not ends it, and the last line ends the outer one. Where none of the
/// inner ones names a language, they are pairs if the outer one says that it is prose.
fn around_fences(lines: &[String]) -> Option<FencedBlock> {
    let open = lines.iter().position(|line| !is_blank(line))?;
    let close = lines.iter().rposition(|line| !is_blank(line)).filter(|close| *close > open)?;
    let fence = Fence::opening(&lines[open]).filter(|fence| fence.closes(&lines[close]))?;
    let inner = &lines[open + 1..close];
    let ends = |line: &&String| fence.closes(line);
    let begins = |line: &&String| {
        !fence.closes(line) && Fence::opening(line).is_some_and(|inner| inner.mark == fence.mark)
    };
    let mut depth = 1;
    for line in inner {
        depth += i32::from(begins(&line)) - i32::from(ends(&line) && depth > 0);
        if depth == 0 {
            break;
        }
    }
    let block = FencedBlock { fence: fence.clone(), open, close, open_ended: false };
    let language = block.language(lines);
    let is_of_prose = language == "md" || is_prose(language);
    let is_pairs = is_of_prose
        && !inner.iter().any(|line| begins(&line))
        && inner.iter().filter(ends).count().is_multiple_of(2);
    (depth == 1 || is_pairs).then_some(block)
}

/// The one block around a whole text: outside of it are blank lines at most.
pub fn around<'a, L: AsRef<str>>(blocks: &'a [FencedBlock], lines: &[L]) -> Option<&'a FencedBlock> {
    let [block] = blocks else { return None };
    block.is_around(lines).then_some(block)
}

/// How many fences are around a whole text, one around the other; at most [`DEEPEST`].
fn depth(lines: &[String]) -> usize {
    let common = common(lines);
    let dedented = lines.iter().map(|line| line.strip_prefix(common).unwrap_or(line).to_owned());
    let mut inner: Vec<String> = dedented.collect();
    for depth in 0..DEEPEST {
        let blocks = blocks(&inner);
        let Some(block) = around(&blocks, &inner) else { return depth };
        inner = block.content(&inner);
    }
    DEEPEST
}

/// Whether some line of a text opens a fence, however deep it is indented.
pub fn holds_fence(lines: &[String]) -> bool {
    lines.iter().any(|line| Fence::opening(line.trim_start()).is_some())
}

/// Whether the first line of a text that is not blank opens a fence.
fn starts_fenced(lines: &[String]) -> bool {
    let first = lines.iter().find(|line| !is_blank(line));
    first.is_some_and(|line| Fence::opening(line.trim_start()).is_some())
}

/// Whether lines of the selection are outside of the block: then that is no talk, but code in which the
/// fence stands, in a comment for example.
fn repeats(block: &FencedBlock, answer: &[String], selection: &[String]) -> bool {
    let telling = |line: &&str| line.chars().filter(|letter| letter.is_alphanumeric()).count() >= 3;
    let known: HashSet<&str> = selection.iter().map(|line| line.trim()).filter(telling).collect();
    block.outside(answer).any(|line| known.contains(line.trim()))
}

/// Whether a block stands in code that is the answer itself, as in a string of several lines: nothing around it is said
/// to people.
fn is_in_code(block: &FencedBlock, answer: &[String]) -> bool {
    let rows: Vec<&String> = block.outside(answer).filter(|row| !is_blank(row)).collect();
    let above = answer[..block.open].join("\n");
    let below = answer.get(block.close + 1..).unwrap_or_default().join("\n");
    encloses(&above, &below) || rows.len() >= LEAST_CODE && !rows.into_iter().any(|row| is_talk(row))
}

/// Whether a text leaves something open that the one below closes: a string, brackets, a comment, a here-document, a tag.
fn encloses(above: &str, below: &str) -> bool {
    let is_odd = |sign: &&str| [above, below].iter().all(|text| text.matches(*sign).count() % 2 == 1);
    let is_closed = |(open, close): &(&str, &str)| {
        above.matches(open).count() > above.matches(close).count()
            && below.matches(close).count() > below.matches(open).count()
    };
    let is_end = |row: &str| {
        let word = row.trim();
        let tag = word.strip_prefix("</").and_then(|tag| tag.split(['>', ' ']).next());
        tag.is_some_and(|tag| above.contains(&format!("<{tag}")))
            || !word.is_empty() && above.contains("<<") && above.contains(word)
    };
    ["`", "\"", "'''"].iter().any(is_odd)
        || [("(", ")"), ("[", "]"), ("{", "}"), ("/*", "*/"), ("<!--", "-->")].iter().any(is_closed)
        || below.lines().any(is_end)
}

/// A line without its indentation, and how many spaces that is; none where it is too deep for a fence.
fn unindented(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let indent = line.len() - rest.len();
    (indent <= 3).then_some((indent, rest))
}

#[cfg(test)]
mod tests;
