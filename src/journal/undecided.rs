//! The answers that wait for a decision, and the jobs that were interrupted, as the lines of a journal tell them. Answers
//! stay in it until they are decided, interrupted jobs until another session takes the journal up. Pure.

use std::collections::BTreeMap;
use std::mem::discriminant;

use super::line::{Change, Line};
use super::record::Held;
use crate::request::Accepted;

/// The undecided answers by their keys, and what the database has refused.
#[derive(Debug, Default)]
pub struct Undecided {
    /// Of each its end, then the last change of each kind.
    answers: BTreeMap<String, Vec<Change>>,
    refused: Vec<Line>,
    /// The files of jobs that have no answer, by their keys.
    jobs: BTreeMap<String, (String, Progress)>,
}

/// How far a job without an answer is.
#[derive(Debug)]
enum Progress {
    /// As it was accepted.
    Open(Box<Accepted>),
    /// As its agent ended, which may be because Neovim was left.
    Failed,
    Interrupted,
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
        self.follow(line);
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

    /// Follows how far a job is.
    fn follow(&mut self, Line { uuid, change, .. }: &Line) {
        match (change, self.jobs.get_mut(uuid)) {
            (Change::Accepted(job), _) => {
                self.jobs.insert(uuid.clone(), (job.path.clone(), Progress::Open(job.clone())));
            }
            (Change::Ended(record), Some(job)) if record.is_interrupted() => job.1 = Progress::Interrupted,
            (Change::Ended(record), Some(job)) if record.error.is_some() => job.1 = Progress::Failed,
            (Change::Ended(_), _) => _ = self.jobs.remove(uuid),
            (Change::Path(path), Some(job)) => job.0.clone_from(path),
            // The first of the lines that are left of an interrupted one.
            (Change::Path(path), None) if !self.answers.contains_key(uuid) => {
                self.jobs.insert(uuid.clone(), (path.clone(), Progress::Failed));
            }
            // The jobs of an earlier host of the same Neovim have failed there.
            (Change::Begin { session, is_start: true, .. }, _) => {
                let own = self.jobs.iter_mut().filter(|(uuid, _)| uuid.starts_with(session.as_str()));
                own.for_each(|(_, job)| job.1 = Progress::Failed);
            }
            (Change::Interrupted, Some(job)) => job.1 = Progress::Interrupted,
            _ => {}
        }
    }

    /// The files of the jobs that had not ended when this was all.
    pub fn interrupted(&self) -> impl Iterator<Item = &String> {
        self.jobs.values().filter(|(_, progress)| !matches!(progress, Progress::Failed)).map(|(path, _)| path)
    }

    /// Whether no answer has to stay in the journal.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.refused.is_empty()
    }

    /// The shortest lines that say all of it.
    pub fn lines(&self) -> Vec<Line> {
        let lines = self
            .answers
            .iter()
            .flat_map(|(uuid, changes)| changes.iter().map(|change| Line::new(uuid.clone(), change.clone())));
        let jobs = self.jobs.iter().filter_map(|(uuid, (path, progress))| {
            let path = Change::Path(path.clone());
            let changes = match progress {
                Progress::Open(job) => [Change::Accepted(job.clone()), path],
                Progress::Failed => return None,
                Progress::Interrupted => [path, Change::Interrupted],
            };
            Some(changes.map(|change| Line::new(uuid.clone(), change)))
        });
        self.refused.iter().cloned().chain(lines).chain(jobs.flatten()).collect()
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
