//! What has to come of an answer: the reference. Each word is made once and tells whose it is, so a row is known by its
//! words alone, and nothing here follows a text.
//!
//! Told exactly where all rows that are left of a range are known, and no word of them was copied. Else only what must
//! not be lost is: what the user had stays, in order, and nothing stands twice.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use botglue::document::{Passage, Place, Row};
use botglue::land::Landing;
use botglue::request::{Request, SelectionKind};
use botglue::review;
use serde::Deserialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// One answer's end, or what the user decided of it, as the editor recorded it.
#[derive(Debug, Clone, Deserialize)]
pub struct Record {
    pub id: u64,
    pub landing: String,
    pub held_for: Option<String>,
    /// The rows before the write.
    pub before: Vec<String>,
    /// Those after it; none where nothing was written.
    pub after: Option<Vec<String>>,
    pub modifiable: bool,
    /// It waited for a moment when its host died: it is held, whatever it would have come to.
    #[serde(default)]
    pub is_left: bool,
}

/// A change that is proposed of a held answer: these lines, from 1, become those.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Hunk {
    pub first: usize,
    pub last: usize,
    pub lines: Vec<String>,
    pub conflict: bool,
}

/// A text with hunks in it. What comes above the row of an empty text takes its place.
pub fn proposal(text: &[String], hunks: &[Hunk]) -> Vec<String> {
    let mut rows = text.to_vec();
    for hunk in hunks.iter().rev() {
        rows.splice(hunk.first - 1..hunk.last, hunk.lines.iter().cloned());
    }
    if text == [""] && rows.len() > 1 && hunks.iter().all(|hunk| hunk.last == 0) {
        rows.pop();
    }
    if rows.is_empty() { vec![String::new()] } else { rows }
}

/// A job as it was sent, and its answer.
#[derive(Debug)]
pub struct Sent {
    pub request: Request,
    pub answer: Landing,
}

/// How an answer ended that ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As it should have.
    Right,
    /// It was held, and could have landed.
    Held,
}

/// What an answer comes to where it lands.
#[derive(Debug)]
enum Meant {
    /// It is told as this, and the text is then this.
    Written(&'static str, Vec<String>),
    Unchanged,
    Conflict,
}

/// What is judged, and what is known of the text since it was sent.
pub struct Truth<'a> {
    pub sent: &'a Sent,
    /// The words that stood twice at any time.
    pub copied: &'a HashSet<String>,
    /// Whether the rows of the range stood there unchanged at all times.
    pub is_untouched: bool,
}

/// The word of a number. Its last letter follows from the number: no edit of one word makes another.
pub fn word(who: char, number: usize) -> String {
    format!("{who}{number}{}", check(number))
}

fn check(number: usize) -> char {
    char::from(b"bcdfghjklmnpqr"[number * 5 % 14])
}

/// The words of a row that were made.
pub fn words(row: &str) -> impl Iterator<Item = &str> {
    let is_word = |word: &&str| {
        let number = word.get(1..word.len().max(2) - 1).and_then(|number| number.parse().ok());
        word.starts_with(['t', 'u', 'a']) && number.is_some_and(|number| word.ends_with(check(number)))
    };
    row.split_whitespace().filter(is_word)
}

/// A text with some rows replaced; a buffer keeps one empty row.
fn splice(text: &[String], rows: &Range<usize>, new: &[String]) -> Vec<String> {
    let mut text = text.to_vec();
    text.splice(rows.clone(), new.iter().cloned());
    if text.is_empty() { vec![String::new()] } else { text }
}

/// Whether one of some rows has no word by which it is known.
fn is_unknown(rows: &[String]) -> bool {
    rows.iter().any(|row| words(row).next().is_none())
}

impl Truth<'_> {
    /// Whether an answer's end is one that may be.
    pub fn judge(&self, record: &Record) -> Result<Ended, String> {
        told_as_written(record)?;
        let (base, is_rows) = (&self.sent.request.job.selection.rows, self.kind() == SelectionKind::Line);
        let is_in = |row: &String| words(row).any(|word| count(&record.before, word) > 0);
        if is_rows && record.after.is_some() && !is_unknown(base) && !base.iter().any(is_in) {
            return Err(format!("the user deleted the range: {record:?}"));
        }
        let (held_for, meant) = (record.held_for.as_deref(), self.meant(record));
        let is_right = match (held_for, &meant) {
            _ if record.is_left => true,
            _ if self.sent.answer.held_for.is_some() => {
                matches!(held_for, Some("block_rows" | "ambiguous" | "review"))
            }
            (Some("range_lost" | "conflict"), Some(Meant::Written(..) | Meant::Unchanged)) => {
                return Ok(Ended::Held);
            }
            (Some(why), _) => match why {
                "not_modifiable" => !record.modifiable,
                why => ["range_lost", "conflict"].contains(&why),
            },
            (None, Some(Meant::Written(landing, text))) => {
                record.landing == *landing && record.after.as_ref() == Some(text)
            }
            (None, Some(Meant::Unchanged)) => record.landing == "unchanged",
            (None, _) => match &record.after {
                Some(after) => self.nothing_lost(&record.before, after),
                None => record.landing == "unchanged",
            },
        };
        let Sent { request, answer } = self.sent;
        is_right.then_some(Ended::Right).ok_or_else(|| {
            format!("{meant:?}\ngot {record:?}\nof {:?}, {:?}", request.job.selection, answer.lines)
        })
    }

    /// Whether hunks may be proposed in a text: each by itself, none takes anything of the user's away that is no
    /// conflict, nothing comes twice, and nothing of the answer is missing but what is `decided`. A part of a row, or a
    /// block, is one hunk, which may cut words: without a conflict it is what would land.
    pub fn judge_hunks(
        &self,
        text: &[String],
        hunks: &[Hunk],
        decided: &HashSet<String>,
    ) -> Result<(), String> {
        let (base, answer) = (&self.sent.request.job.selection.rows, &self.sent.answer.lines);
        let is_apart = hunks.windows(2).all(|pair| pair[0].last < pair[1].first);
        let is_sent = |word: &String| count(base, word) + count(answer, word) > 0;
        let is_clean = |hunk: &Hunk| {
            let is_gone = |word: &&String| !hunk.lines.iter().any(|line| line.contains(*word));
            let gone = less(&text[hunk.first - 1..hunk.last], &hunk.lines);
            let mut gone = gone.keys().filter(|word| words(word).next().is_some()).filter(is_gone);
            hunk.conflict || gone.all(is_sent)
        };
        let proposed = proposal(text, hunks);
        let is_right_hunk = |hunk: &Hunk| match self.kind() {
            SelectionKind::Char | SelectionKind::Block => hunk.conflict || self.nothing_lost(text, &proposed),
            SelectionKind::Line | SelectionKind::Insert => is_clean(hunk),
        };
        let is_there = |word: &String| proposed.iter().any(|row| row.contains(word));
        let mut brought = less(answer, &self.sent.request.job.selection.text).into_keys();
        let is_right_word = |word: String| {
            let is_once = || count(&proposed, &word) <= count(text, &word).max(count(answer, &word));
            (decided.contains(&word) || is_there(&word)) && (self.copied.contains(&word) || is_once())
        };
        let is_right = is_apart && hunks.iter().all(is_right_hunk) && brought.all(is_right_word);
        is_right.then_some(()).ok_or_else(|| format!("of {base:?}, {answer:?} in {text:?}: {hunks:?}"))
    }

    /// Whether what came of a decision is what has to come of it: `was` is how the answer had ended, `last` the record
    /// of what it wrote last, `shown` what was proposed of it then, where that is known. Of an answer that `is_reviewed`,
    /// some hunks were taken or dropped before.
    pub fn judge_decision(
        &self,
        was: &str,
        last: Option<&Record>,
        record: &Record,
        shown: Option<&[Hunk]>,
        is_reviewed: bool,
    ) -> Result<(), String> {
        let is_taken_back = ["applied", "merged"].contains(&was);
        let (before, answer) = (&record.before, &self.sent.answer.lines);
        let (base, is) = (&self.sent.request.job.selection.rows, record.after.as_ref().unwrap_or(before));
        // The row of an empty text may be one of the range.
        let has_row = |rows: &[String]| *before == [""] && is.split_last() == Some((&String::new(), rows));
        let is_shown = || {
            let shown = shown.map(|hunks| proposal(before, hunks));
            shown.is_none_or(|rows| *is == rows || has_row(&rows))
        };
        let is_right = match (record.landing.as_str(), last) {
            ("taken", _) => shown.is_some() && is_shown(),
            ("applied" | "merged" | "unchanged" | "rejected", _) if is_reviewed && !is_taken_back => {
                record.after.is_none() || is_shown()
            }
            ("rejected", _) if !is_taken_back => is == before,
            ("reverted", Some(last))
                if is_taken_back
                    && !is_reviewed
                    && last.after.as_ref() == Some(before)
                    && *before != [""] =>
            {
                *is == last.before
            }
            ("reverted", Some(last)) if is_taken_back => {
                let had = |word: &String| count(&last.before, word) + count(base, word) > 0;
                let own = |word: &&String| words(word).next().is_some();
                let is_answered = |word: &String| answer.iter().any(|row| row.contains(word));
                less(before, is).keys().filter(own).all(is_answered)
                    && less(is, before).keys().filter(own).all(had)
            }
            ("applied" | "merged" | "unchanged", _) if !is_taken_back => {
                told_as_written(record)?;
                let is_meant = match self.meant(record) {
                    Some(Meant::Written(_, text)) => *is == text,
                    Some(Meant::Unchanged) => is == before,
                    Some(Meant::Conflict) => less(answer, base).keys().all(|word| count(is, word) > 0),
                    None => true,
                };
                is_meant && is_shown()
            }
            _ => false,
        };
        is_right.then_some(()).ok_or_else(|| format!("{was}, {last:?}, {answer:?} came to {record:?}"))
    }

    fn kind(&self) -> SelectionKind {
        self.sent.request.job.selection.kind
    }

    /// What it comes to, if that can be told exactly.
    fn meant(&self, record: &Record) -> Option<Meant> {
        let (base, before) = (&self.sent.request.job.selection.rows, &record.before);
        let answer = &self.sent.answer.lines;
        let (landing, rows, new) = match self.kind() {
            SelectionKind::Insert => ("applied", self.insertion(before)?, answer.clone()),
            SelectionKind::Line => {
                let rows = self.locate(base, before)?;
                let is = &before[rows.clone()];
                if is == base {
                    ("applied", rows, answer.clone())
                } else if [base, is, answer].into_iter().any(is_unknown) {
                    return None;
                } else if let Some(merged) = merge(base, is, answer) {
                    ("merged", rows, merged)
                } else {
                    return Some(Meant::Conflict);
                }
            }
            SelectionKind::Char | SelectionKind::Block => {
                let rows = self.locate(base, before)?;
                if !self.is_untouched || before[rows.clone()] != *base {
                    return None;
                }
                ("applied", rows, self.part()?)
            }
        };
        let text = splice(before, &rows, &new);
        Some(if text == *before { Meant::Unchanged } else { Meant::Written(landing, text) })
    }

    /// Where rows are: none of their words is elsewhere, and both ends are there.
    fn locate(&self, rows: &[String], text: &[String]) -> Option<Range<usize>> {
        let mut found = Vec::new();
        for (nth, row) in rows.iter().enumerate() {
            if words(row).any(|word| self.copied.contains(word)) {
                return None;
            }
            let is_in = |at: &usize| words(row).any(|word| words(&text[*at]).any(|other| other == word));
            let places: Vec<usize> = (0..text.len()).filter(is_in).collect();
            match places[..] {
                [] if nth > 0 && nth + 1 < rows.len() => {}
                [place] => found.push(place),
                _ => return None,
            }
        }
        let is_ascending = found.windows(2).all(|pair| pair[0] < pair[1]);
        is_ascending.then_some(*found.first()?..*found.last()? + 1)
    }

    /// Between the rows that it was between, where nothing else is.
    fn insertion(&self, before: &[String]) -> Option<Range<usize>> {
        let beside = &self.sent.request.job.selection.beside;
        let find = |row: &String| {
            let rows = self.locate(std::slice::from_ref(row), before)?;
            (before[rows.start] == *row).then_some(rows.start)
        };
        let at = match (&beside.above, &beside.below) {
            (Some(above), Some(below)) => find(above).filter(|at| find(below) == Some(at + 1))? + 1,
            (Some(above), None) => find(above).filter(|at| at + 1 == before.len())? + 1,
            (None, below) => find(below.as_ref()?).filter(|at| *at == 0)?,
        };
        Some(at..at)
    }

    /// The rows of a part or a block with the answer in them; none where a row has to be filled up.
    fn part(&self) -> Option<Vec<String>> {
        let (selection, answer) = (&self.sent.request.job.selection, &self.sent.answer.lines);
        let head = |row: usize| &selection.rows[row][..usize::try_from(selection.cols[row]).unwrap()];
        let tail = |row: usize| &selection.rows[row][head(row).len() + selection.text[row].len()..];
        if self.kind() == SelectionKind::Char {
            let text = format!("{}{}{}", head(0), answer.join("\n"), tail(selection.rows.len() - 1));
            return Some(text.split('\n').map(str::to_owned).collect());
        }
        if answer.len() != selection.rows.len() {
            return None;
        }
        let row = |row: usize| {
            (!tail(row).is_empty()).then(|| format!("{}{}{}", head(row), answer[row], tail(row)))
        };
        (0..answer.len()).map(row).collect()
    }

    /// What holds of every landing.
    fn nothing_lost(&self, before: &[String], after: &[String]) -> bool {
        let (text, answer) = (&self.sent.request.job.selection.text, &self.sent.answer.lines);
        match self.kind() {
            SelectionKind::Line => self.is_kept(before, after),
            SelectionKind::Char => {
                is_replaced(&before.join("\n"), &text.join("\n"), &answer.join("\n"), &after.join("\n"))
            }
            SelectionKind::Block => is_block(text, answer, before, after),
            SelectionKind::Insert => {
                (0..=before.len()).any(|at| splice(before, &(at..at), answer) == *after)
                    || (*before == [""] && after == answer)
            }
        }
    }

    /// Whether only words that the answer takes away are gone, only those that it brings are new, and all other rows are
    /// as and where they were.
    fn is_kept(&self, before: &[String], after: &[String]) -> bool {
        let (base, answer) = (&self.sent.request.job.selection.rows[..], &self.sent.answer.lines[..]);
        let [taken, brought] = [less(base, answer), less(answer, base)];
        let [lost, new] = [less(before, after), less(after, before)];
        let is_of =
            |words: &Tally, own: &Tally| words.iter().all(|(word, count)| own.get(word) >= Some(count));
        let is_single = |row: &&String| {
            [before, after, base, answer]
                .iter()
                .all(|all| all.iter().filter(|other| other == row).count() < 2)
        };
        let is_other = |row: &&String| base.contains(row) == answer.contains(row);
        let others = |all: &[String]| -> Vec<String> {
            let is_own = |row: &&String| !row.trim().is_empty() && is_single(row) && is_other(row);
            all.iter().filter(is_own).cloned().collect()
        };
        is_of(&lost, &taken) && is_of(&new, &brought) && others(before) == others(after)
    }
}

/// Whether text was written where that is what was told, and only there.
fn told_as_written(record: &Record) -> Result<(), String> {
    let is_written = record.after.is_some();
    if is_written == ["applied", "merged"].contains(&record.landing.as_str()) {
        return Ok(());
    }
    Err(format!("it was told: {}; written: {is_written}", record.landing))
}

/// Merges two texts that both came of `base`, of which no row has an identity: a comparison with the base says which row
/// is which. None where both changed the same place differently.
fn merge(base: &[String], ours: &[String], theirs: &[String]) -> Option<Vec<String>> {
    let passage = |ids: Vec<u64>, text: &[String]| {
        let row = |(id, text): (u64, &String)| Row {
            id,
            split_from: None,
            hash: 0,
            nonblank_hash: 0,
            text: text.as_bytes().into(),
        };
        Passage { place: Place::Lines(0..text.len()), rows: ids.into_iter().zip(text).map(row).collect() }
    };
    let mut ids: Vec<u64> = (base.len() as u64..).take(ours.len()).collect();
    for op in capture_diff_slices(Algorithm::Myers, base, ours) {
        if let DiffOp::Equal { .. } = op {
            op.new_range().zip(op.old_range()).for_each(|(row, base)| ids[row] = base as u64);
        }
    }
    let (sent, now) = (passage((0..).take(base.len()).collect(), base), passage(ids, ours));
    let answer: Vec<Vec<u8>> = theirs.iter().map(|row| row.clone().into_bytes()).collect();
    let (merged, _) = review::merge(&sent, &now, &answer).ok()?;
    merged.into_iter().map(|row| String::from_utf8(row).ok()).collect()
}

/// Whether `after` is `before` with `old` replaced by `new` in one place.
fn is_replaced(before: &str, old: &str, new: &str, after: &str) -> bool {
    (0..=before.len()).filter(|at| before.is_char_boundary(*at)).any(|at| {
        before[at..].starts_with(old)
            && after.strip_prefix(&before[..at]).and_then(|rest| rest.strip_prefix(new))
                == Some(&before[at + old.len()..])
    })
}

/// Whether each row of a block was replaced in its row, filled up with blanks where that was too short.
fn is_block(old: &[String], new: &[String], before: &[String], after: &[String]) -> bool {
    let is_row = |(row, (old, new)): (usize, (&String, &String))| {
        let filled = after[row].strip_prefix(&before[row]).filter(|_| old.is_empty());
        filled.is_some_and(|filled| filled.trim_start() == new.trim_start())
            || is_replaced(&before[row], old, new, &after[row])
    };
    before.len() == after.len()
        && (0..=before.len().saturating_sub(old.len())).any(|first| {
            let rows = first..first + old.len();
            rows.clone().zip(old.iter().zip(new)).all(is_row)
                && (0..before.len()).all(|row| rows.contains(&row) || before[row] == after[row])
        })
}

/// How often a word stands in a text.
pub fn count(text: &[String], word: &str) -> usize {
    text.iter().flat_map(|row| words(row)).filter(|other| *other == word).count()
}

/// Whatever stands between blanks, and how often.
type Tally = HashMap<String, i64>;

/// What there is more often in the one text than in the other, and by how much.
fn less(one: &[String], other: &[String]) -> Tally {
    let mut tally = HashMap::new();
    for (rows, by) in [(one, 1), (other, -1)] {
        for word in rows.iter().flat_map(|row| row.split_whitespace()) {
            *tally.entry(word.to_owned()).or_insert(0) += by;
        }
    }
    tally.retain(|_, count| *count > 0);
    tally
}
