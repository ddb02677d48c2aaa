//! The answers that wait for a decision, as the lines of a journal tell them. They stay in it until they are decided.
//! Pure.

use std::collections::BTreeMap;
use std::mem::discriminant;

use super::line::{Change, Line};
use super::record::{Held, Record};

/// The undecided answers by their keys, and what the database has refused.
#[derive(Debug, Default)]
pub struct Undecided {
    answers: BTreeMap<String, Answer>,
    refused: Vec<Line>,
}

/// An answer, and the last change of each kind after it.
#[derive(Debug)]
struct Answer {
    record: Box<Record>,
    changes: Vec<Change>,
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
        match &line.change {
            Change::Ended(record) if record.is_to_decide() => {
                let answer = Answer { record: record.clone(), changes: Vec::new() };
                self.answers.insert(line.uuid.clone(), answer);
            }
            Change::Landed(landed) if landed.landing != "held" => _ = self.answers.remove(&line.uuid),
            Change::Refused { .. } if !self.refused.contains(line) => self.refused.push(line.clone()),
            change => {
                if let Some(Answer { changes, .. }) = self.answers.get_mut(&line.uuid) {
                    changes.retain(|earlier| discriminant(earlier) != discriminant(change));
                    changes.push(change.clone());
                }
            }
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
        for (uuid, Answer { record, changes }) in &self.answers {
            let changes = std::iter::once(Change::Ended(record.clone())).chain(changes.iter().cloned());
            lines.extend(changes.map(|change| Line::new(uuid.clone(), change)));
        }
        lines
    }

    /// The files of the answers.
    pub fn paths(&self) -> Vec<String> {
        self.answers.values().map(|answer| answer.path().to_owned()).collect()
    }

    /// The keys of answers of other sessions, by their numbers in the one that holds them.
    pub fn numbers(&self) -> BTreeMap<u64, String> {
        let number =
            |change: &Change| if let Change::Numbered(number) = change { Some(*number) } else { None };
        let numbered = |(uuid, answer): (&String, &Answer)| {
            answer.changes.iter().find_map(number).map(|number| (number, uuid.clone()))
        };
        self.answers.iter().filter_map(numbered).collect()
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
        let answer = self.answers.get(uuid)?;
        let record = (*answer.record).clone();
        let mut held = Held { uuid: uuid.to_owned(), draft: None, saved: None, record };
        answer.path().clone_into(&mut held.record.job.path);
        for change in answer.changes.iter().cloned() {
            match change {
                Change::Landed(landed) => held.record.held_for = landed.held_for.or(held.record.held_for),
                Change::Range(range) => held.saved = Some(range),
                Change::Draft(draft) => held.draft = draft,
                Change::Amended { share, counted } => {
                    (held.record.share, held.record.counted) = (share, counted);
                }
                _ => {}
            }
        }
        held.record.held_for.get_or_insert_with(|| otherwise.to_owned());
        Some(held)
    }
}

impl Answer {
    fn path(&self) -> &str {
        let mut renamed = self.changes.iter().filter_map(|change| match change {
            Change::Path(path) => Some(path),
            _ => None,
        });
        renamed.next().unwrap_or(&self.record.job.path)
    }
}
