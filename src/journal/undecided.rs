//! The answers that wait for a decision, as the lines of a journal tell them. They stay in it until they are decided.
//! Pure.

use std::collections::BTreeMap;

use super::line::{Change, Line};
use super::record::{Draft, Held, Landed, Record, RowsOnDisk, SavedRange};

/// The undecided answers by their keys, and what the database has refused.
#[derive(Debug, Default)]
pub struct Undecided {
    answers: BTreeMap<String, Answer>,
    refused: Vec<Line>,
}

#[derive(Debug)]
struct Answer {
    record: Box<Record>,
    /// Its number in the session that holds it, where that is not the one in its record.
    number: Option<u64>,
    landed: Option<Landed>,
    range: Option<RowsOnDisk>,
    draft: Option<Draft>,
}

impl Undecided {
    /// Those of a journal.
    pub fn of(lines: &[Line]) -> Self {
        let mut undecided = Self::default();
        for line in lines {
            undecided.apply(line);
        }
        undecided
    }

    /// Follows a line.
    pub fn apply(&mut self, line: &Line) {
        let answer = self.answers.get_mut(&line.uuid);
        match (&line.change, answer) {
            (Change::Ended(record), _) if record.is_to_decide() => {
                let record = record.clone();
                let answer = Answer { record, number: None, landed: None, range: None, draft: None };
                self.answers.insert(line.uuid.clone(), answer);
            }
            (Change::Landed(landed), Some(answer)) if landed.landing == "held" => {
                if let Some(path) = &landed.path {
                    answer.record.job.path.clone_from(path);
                }
                answer.landed = Some(landed.clone());
            }
            (Change::Landed(_), Some(_)) => _ = self.answers.remove(&line.uuid),
            (Change::Range(range), Some(answer)) => answer.range = Some(range.clone()),
            (Change::Path(path), Some(answer)) => answer.record.job.path.clone_from(path),
            (Change::Draft(draft), Some(answer)) => answer.draft.clone_from(draft),
            (Change::Numbered(number), Some(answer)) => answer.number = Some(*number),
            (Change::Amended { share, counted }, Some(answer)) => {
                (answer.record.share, answer.record.counted) = (*share, *counted);
            }
            (Change::Refused { .. }, _) if !self.refused.contains(line) => self.refused.push(line.clone()),
            _ => {}
        }
    }

    /// Takes over the answers of another session.
    pub fn merge(&mut self, other: Self) {
        self.answers.extend(other.answers);
        for line in other.refused {
            self.apply(&line);
        }
    }

    /// Whether nothing has to stay in the journal.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.refused.is_empty()
    }

    /// The shortest lines that say all of it.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = self.refused.clone();
        for (uuid, answer) in &self.answers {
            let changes = [
                Some(Change::Ended(answer.record.clone())),
                answer.number.map(Change::Numbered),
                answer.landed.clone().map(Change::Landed),
                answer.range.clone().map(Change::Range),
                answer.draft.clone().map(|draft| Change::Draft(Some(draft))),
            ];
            lines.extend(changes.into_iter().flatten().map(|change| Line::new(uuid.clone(), change)));
        }
        lines
    }

    /// The files of the answers.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.answers.values().map(|answer| answer.record.job.path.as_str())
    }

    /// The numbers of answers of other sessions, with their keys.
    pub fn numbers(&self) -> impl Iterator<Item = (u64, &str)> {
        self.answers.iter().filter_map(|(uuid, answer)| Some((answer.number?, uuid.as_str())))
    }

    /// All answers as held ones, the oldest first; `otherwise` is why an answer is held that had not landed yet.
    pub fn held(&self, otherwise: &str) -> Vec<Held> {
        let mut held: Vec<_> =
            self.answers.keys().filter_map(|uuid| self.held_one(uuid, otherwise)).collect();
        held.sort_by_key(|held| held.record.ended_ms);
        held
    }

    /// One of them.
    pub fn held_one(&self, uuid: &str, otherwise: &str) -> Option<Held> {
        let Answer { record, landed, range, draft, .. } = self.answers.get(uuid)?;
        let mut record = (**record).clone();
        let held_for = landed.as_ref().and_then(|landed| landed.held_for.clone()).or(record.held_for);
        record.held_for = held_for.or_else(|| Some(otherwise.to_owned()));
        let saved = range.clone().map(|RowsOnDisk { place, rows, base }| SavedRange {
            first_line: place.map_or(record.job.selection.first_line, |(first, _)| first),
            rows,
            base,
        });
        Some(Held { uuid: uuid.to_owned(), draft: draft.clone(), saved, record })
    }
}
