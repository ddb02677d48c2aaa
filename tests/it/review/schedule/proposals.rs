//! What is proposed of the held answers, and what holds for each proposal.

use std::collections::BTreeSet;

use super::super::answers::{words, words_of};
use super::{Answer, Tally, World};

/// A hunk as the test sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Hunk {
    pub id: String,
    pub rows: std::ops::Range<usize>,
    pub lines: Vec<String>,
    pub is_conflict: bool,
}

/// A job, a text, the words that were taken on the way to it, and the edits that were dropped.
pub type Known = (u64, Vec<String>, BTreeSet<String>, String);

impl World {
    pub(super) fn hunks(&self, number: usize) -> Option<Vec<Hunk>> {
        let answer = &self.answers[number];
        let view = self.editor.views.get(&answer.job).filter(|_| !answer.is_over)?;
        assert_eq!(view.tick, self.editor.tick, "the view is that of the text");
        let hunks = view.hunks.as_ref().ok()?;
        let hunk = |shown: &botglue::review::Hunk| Hunk {
            id: shown.id.to_string(),
            rows: shown.rows.clone(),
            lines: shown.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
            is_conflict: shown.conflict.is_some(),
        };
        Some(hunks.iter().map(hunk).collect())
    }

    /// What holds for each proposal.
    pub(super) fn look(&mut self, tally: &mut Tally) {
        for number in 0..self.answers.len() {
            if self.answers[number].is_over {
                continue;
            }
            let Some(hunks) = self.hunks(number) else { continue };
            let Answer { job, letter, lines, dropped, undropped, .. } = &self.answers[number];
            let rows = self.editor.rows();
            tally.views += 1;
            tally.conflicts += hunks.iter().filter(|hunk| hunk.is_conflict).count();
            for pair in hunks.windows(2) {
                assert!(pair[0].rows.end <= pair[1].rows.start, "apart: {hunks:#?}");
            }
            for hunk in hunks.iter().filter(|hunk| !hunk.is_conflict) {
                for word in rows[hunk.rows.clone()].iter().flat_map(|row| words(row)) {
                    let is_other = !word.starts_with(['b', *letter]);
                    assert!(!is_other, "a clean hunk takes {word} away: {hunk:?}");
                }
            }
            let proposed = written(rows, &hunks);
            let all: Vec<&str> = proposed.iter().flat_map(|row| words(row)).collect();
            let distinct: BTreeSet<&str> = all.iter().copied().collect();
            assert_eq!(all.len(), distinct.len(), "nothing twice: {proposed:?}");
            let taken = &self.editor.states[self.editor.at].taken;
            let here = words_of(rows, *letter);
            for word in words_of(lines, *letter) {
                let is_dropped = dropped.iter().any(|drop| drop.contains(&word));
                let was_taken = taken.contains(&word);
                let is_proposed = distinct.contains(word.as_str());
                if is_dropped {
                    assert!(!is_proposed || was_taken, "{word} was dropped");
                } else if was_taken {
                    assert!(
                        here.contains(&word) || !is_proposed,
                        "{word} was taken, and deleted by the user"
                    );
                } else {
                    assert!(
                        is_proposed || undropped.contains(&word),
                        "{word} is neither proposed nor dropped nor taken"
                    );
                }
            }
            let dropped = format!("{:?}", self.editor.views[job].dropped);
            let key = (*job, rows.to_vec(), taken.clone(), dropped);
            // Which of two brackets was deleted no text tells.
            let is_doubtful = self.has_brackets || self.editor.doubtful.contains(rows);
            if let Some(before) = self.proposed.insert(key, hunks.clone()).filter(|_| !is_doubtful) {
                tally.undone += 1;
                assert_eq!(before, hunks, "the same is proposed for the same text");
            }
        }
    }
}

/// A text with hunks in it.
pub fn written(rows: &[String], hunks: &[Hunk]) -> Vec<String> {
    let mut rows = rows.to_vec();
    let is_empty = rows == [""] && hunks.iter().any(|hunk| hunk.rows.is_empty());
    for hunk in hunks.iter().rev() {
        rows.splice(hunk.rows.clone(), hunk.lines.iter().cloned());
    }
    if is_empty {
        rows.retain(|row| !row.is_empty());
    } else if rows.is_empty() {
        rows.push(String::new());
    }
    rows
}
