//! The answers that wait for a decision, as the lines of a journal tell them. They stay in it until they are decided.
//! Pure.

use std::collections::BTreeMap;
use std::mem::discriminant;

use super::line::{Change, Line};
use super::record::Held;

/// The undecided answers by their keys, and what the database has refused.
#[derive(Debug, Default)]
pub struct Undecided {
    /// Of each its end, then the last change of each kind.
    answers: BTreeMap<String, Vec<Change>>,
    refused: Vec<Line>,
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
                self.answers.insert(line.uuid.clone(), vec![line.change.clone()]);
            }
            Change::Landed(landed) if landed.landing != "held" => _ = self.answers.remove(&line.uuid),
            Change::Refused { .. } if !self.refused.contains(line) => self.refused.push(line.clone()),
            Change::Ended(_) => {}
            change => {
                if let Some(changes) = self.answers.get_mut(&line.uuid) {
                    changes.retain(|earlier| discriminant(earlier) != discriminant(change));
                    changes.push(change.clone());
                }
            }
        }
    }

    /// Whether nothing has to stay in the journal.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.refused.is_empty()
    }

    /// The shortest lines that say all of it.
    pub fn lines(&self) -> Vec<Line> {
        let lines = self
            .answers
            .iter()
            .flat_map(|(uuid, changes)| changes.iter().map(|change| Line::new(uuid.clone(), change.clone())));
        self.refused.iter().cloned().chain(lines).collect()
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
        let (Change::Ended(record), changes) = self.answers.get(uuid)?.split_first()? else { return None };
        let mut held = Held { uuid: uuid.to_owned(), draft: None, saved: None, record: (**record).clone() };
        for change in changes.iter().cloned() {
            match change {
                Change::Landed(landed) => held.record.held_for = landed.held_for.or(held.record.held_for),
                Change::Range(range) => held.saved = Some(range),
                Change::Path(path) => held.record.job.path = path,
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
