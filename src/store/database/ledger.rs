//! Everything that this host has to store: what waits to be written, in its order, and what has been written and may
//! have to be written again. It opens no file.
//!
//! The host changes it at once, and the writing thread works it off. A change of a job that still waits is merged with
//! the waiting one. Jobs are known until they end, answers that wait for a decision until they are decided, and the
//! newest other jobs a little longer: if the database turns out to be damaged, they are written into the next one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::spill::SpillLine;
use crate::request::SelectionKind;
use crate::store::Amounts;
use crate::store::known::{KnownJob, new_uuid};
use crate::store::record::{Accepted, Draft, Held, Landed, OnDisk, Record, RowsOnDisk, Unsent};

/// How many jobs without an open decision are still known.
const RECENT: usize = 32;
/// How many bytes those take at most.
const RECENT_BYTES: usize = 1 << 20;
/// How many prompts may wait: the database keeps no more either.
const PROMPTS: usize = 50;

/// What a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKey {
    Begin(u64),
    Job(u64),
    Prompt(u64),
}

/// A copy of something that waits to be written.
#[derive(Debug)]
pub struct PendingChange {
    pub key: ChangeKey,
    pub revision: u64,
    pub what: ChangeContent,
}

#[derive(Debug)]
pub enum ChangeContent {
    /// A job starts that resumes this session: what that has counted by now is to be noted.
    Begin {
        agent: String,
        session_id: String,
    },
    Job(Box<KnownJob>),
    Prompt(Unsent),
}

/// An answer that waits for a decision, as the database should have it.
pub struct OpenAnswer {
    pub id: u64,
    pub uuid: String,
    pub record: Arc<Record>,
}

#[derive(Default)]
struct LedgerJob {
    known: KnownJob,
    /// Since which revision the database lacks its record, or while it runs its request; `None` where it has that.
    lacking: Option<u64>,
}

#[derive(Default)]
pub struct Ledger {
    jobs: BTreeMap<u64, LedgerJob>,
    /// Only those that wait; an empty text removes the prompt.
    prompts: BTreeMap<u64, Unsent>,
    /// Only those that wait: agent and session.
    begins: BTreeMap<u64, (String, String)>,
    /// Adopted answers without a number in this Neovim, by their keys.
    adopted: BTreeMap<String, KnownJob>,
    /// In the order in which it came, each with its newest revision.
    waiting: VecDeque<ChangeKey>,
    revisions: BTreeMap<ChangeKey, u64>,
    last_revision: u64,
    /// Jobs that are written and decided, oldest first, with their sizes.
    recent: VecDeque<(u64, usize)>,
}

impl Ledger {
    pub fn begin(&mut self, id: u64, agent: String, session_id: String) {
        self.begins.insert(id, (agent, session_id));
        self.wait(ChangeKey::Begin(id));
    }

    pub fn accept(&mut self, accepted: Accepted) {
        let (id, accepted) = (accepted.id, Some(Arc::new(accepted)));
        self.insert(KnownJob { id, uuid: Some(new_uuid()), accepted, ..KnownJob::default() });
    }

    /// The user left Neovim before this job had ended.
    pub fn interrupt(&mut self, id: u64) {
        self.record(KnownJob { id, interrupted: true, ..KnownJob::default() });
    }

    pub fn keep(&mut self, record: Record) {
        let id = record.id;
        // One that has ended is another job that had this number.
        let running = self.jobs.remove(&id).map(|job| job.known).filter(|known| known.record.is_none());
        let running = running.unwrap_or_default();
        self.insert(KnownJob {
            id,
            uuid: running.uuid.or_else(|| Some(new_uuid())),
            interrupted: running.interrupted,
            on_disk: running.on_disk,
            parent: running.parent,
            record: Some(Arc::new(record)),
            ..KnownJob::default()
        });
    }

    pub fn land(&mut self, id: u64, landed: Landed) {
        self.record(KnownJob { id, landed: Some(Arc::new(landed)), ..KnownJob::default() });
    }

    pub fn keep_on_disk(&mut self, id: u64, on_disk: OnDisk) {
        self.record(KnownJob { id, on_disk: Some(Arc::new(on_disk)), ..KnownJob::default() });
    }

    pub fn draft(&mut self, id: u64, draft: Option<Draft>) {
        self.record(KnownJob { id, draft: Some(Arc::new(draft.unwrap_or_default())), ..KnownJob::default() });
    }

    pub fn amend(&mut self, id: u64, more: &Amounts) {
        let before = self.jobs.get(&id).and_then(|job| job.known.more);
        let more = before.map_or(*more, |before| before.plus(more));
        self.record(KnownJob { id, more: Some(more), ..KnownJob::default() });
    }

    pub fn unsent(&mut self, id: u64, unsent: Option<Unsent>) {
        self.prompts.insert(id, unsent.unwrap_or(Unsent { text: String::new(), at_ms: 0 }));
        self.wait(ChangeKey::Prompt(id));
        if self.prompts.len() > PROMPTS
            && let Some(at) = self.waiting.iter().position(|key| matches!(key, ChangeKey::Prompt(_)))
            && let Some(oldest) = self.waiting.remove(at)
        {
            self.forget(oldest);
        }
    }

    /// Answers that this Neovim takes over. They get their numbers later.
    pub fn adopt<'a>(&mut self, held: impl IntoIterator<Item = &'a Held>) {
        self.adopted.extend(held.into_iter().map(|held| (held.uuid.clone(), adopted(held))));
    }

    pub fn number(&mut self, uuid: String, id: u64) {
        let known = self.adopted.remove(&uuid);
        self.record(KnownJob { id, uuid: Some(uuid), ..known.unwrap_or_default() });
    }

    /// What a job cost, as far as that is written.
    pub fn amounts(&self, id: u64) -> Option<Amounts> {
        let job = self.jobs.get(&id).filter(|job| job.lacking.is_none() && job.known.more.is_none())?;
        job.known.job_usage
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many jobs and prompts wait.
    pub fn count(&self) -> usize {
        self.waiting.len()
    }

    /// What has waited longest.
    pub fn next(&self) -> Option<PendingChange> {
        let key = *self.waiting.front()?;
        let what = match key {
            ChangeKey::Begin(id) => {
                let (agent, session_id) = self.begins.get(&id)?.clone();
                ChangeContent::Begin { agent, session_id }
            }
            ChangeKey::Job(id) => ChangeContent::Job(Box::new(self.jobs.get(&id)?.known.clone())),
            ChangeKey::Prompt(id) => ChangeContent::Prompt(self.prompts.get(&id)?.clone()),
        };
        Some(PendingChange { key, revision: self.revision(key), what })
    }

    /// A session from which a job has resumed had counted this much.
    pub fn session_counted(&mut self, id: u64, counted: Option<Amounts>) {
        let job = self.jobs.entry(id).or_default();
        job.known.id = id;
        job.known.parent = counted;
    }

    /// A change was written, or can never be. `job_usage` is what the job cost, where the database has it.
    pub fn done(&mut self, change: &PendingChange, job_usage: Option<Amounts>) {
        if let (ChangeKey::Job(id), ChangeContent::Job(written), Some(job_usage)) =
            (change.key, &change.what, job_usage)
            && let Some(job) = self.jobs.get_mut(&id)
        {
            let known = &mut job.known;
            job.lacking = None;
            known.job_usage = Some(job_usage);
            known.more = match (known.more, written.more) {
                (more, written) if more == written => None,
                (Some(more), Some(written)) => Some(more.beyond(&written)),
                (more, _) => more,
            };
        }
        if self.revision(change.key) == change.revision {
            self.waiting.retain(|key| *key != change.key);
            self.forget(change.key);
        }
    }

    /// All that is known has to be written again: the database is another one.
    pub fn write_again(&mut self) {
        let has_all = |known: &KnownJob| known.record.is_some() || known.accepted.is_some();
        let known = self.jobs.iter().filter(|(_, job)| has_all(&job.known));
        for id in known.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.write_job_again(id);
        }
    }

    /// The database has lost this job.
    pub fn write_job_again(&mut self, id: u64) {
        if self.jobs.contains_key(&id) {
            self.recent.retain(|(recent, _)| *recent != id);
            self.wait(ChangeKey::Job(id));
            self.lack(id);
        }
    }

    /// The answers that wait for a decision and that the database should have.
    pub fn open_answers(&self) -> Vec<OpenAnswer> {
        let open = self.jobs.iter().filter(|(_, job)| job.lacking.is_none() && job.known.is_open());
        open.filter_map(|(id, LedgerJob { known, .. })| {
            Some(OpenAnswer { id: *id, uuid: known.uuid.clone()?, record: known.record.clone()? })
        })
        .collect()
    }

    pub fn has_open_answers(&self) -> bool {
        self.jobs.values().any(|job| job.lacking.is_none() && job.known.is_open())
    }

    /// What waits and is newer than the revisions in `spilled`, as lines for a file: the small facts first, then
    /// answers that the database does not have, then jobs that run, then long rows, and what the user typed last. Each
    /// with its key and revision.
    pub fn lines(&self, spilled: &BTreeMap<ChangeKey, u64>) -> Vec<(ChangeKey, u64, SpillLine)> {
        let mut lines = Vec::new();
        for key in self.waiting.iter().copied() {
            let (revision, before) = (self.revision(key), spilled.get(&key).copied());
            if before == Some(revision) {
                continue;
            }
            match key {
                ChangeKey::Begin(_) => {}
                ChangeKey::Prompt(id) => lines.extend(self.prompts.get(&id).map(|unsent| {
                    (SpillPriority::Typed, (key, revision, SpillLine::Prompt { id, unsent: unsent.clone() }))
                })),
                ChangeKey::Job(id) => {
                    let Some(job) = self.jobs.get(&id) else { continue };
                    let is_new = before < job.lacking;
                    for (place, mut part) in job.known.parts().into_iter().enumerate() {
                        part.record = part.record.filter(|_| is_new);
                        part.accepted = part.accepted.filter(|_| is_new);
                        let rank = match place {
                            0 if part.record.is_some() => SpillPriority::Answer,
                            0 if part.accepted.is_some() => SpillPriority::Accepted,
                            0 => SpillPriority::Fact,
                            _ if part.draft.is_none() => SpillPriority::Rows,
                            _ => SpillPriority::Typed,
                        };
                        lines.push((rank, (key, revision, SpillLine::Job(Box::new(part)))));
                    }
                }
            }
        }
        lines.sort_by_key(|(rank, _)| *rank);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    /// A job begins or ends: what is known of it waits after all that waited before.
    fn insert(&mut self, known: KnownJob) {
        let id = known.id;
        self.jobs.remove(&id);
        self.waiting.retain(|key| *key != ChangeKey::Job(id));
        self.record(known);
        self.lack(id);
    }

    /// The database lacks all of a job that waits.
    fn lack(&mut self, id: u64) {
        let revision = self.revision(ChangeKey::Job(id));
        if let Some(job) = self.jobs.get_mut(&id) {
            job.lacking = Some(revision);
        }
    }

    fn record(&mut self, known: KnownJob) {
        let id = known.id;
        self.jobs.entry(id).or_default().known.update(known);
        self.recent.retain(|(recent, _)| *recent != id);
        self.wait(ChangeKey::Job(id));
    }

    fn wait(&mut self, key: ChangeKey) {
        self.last_revision += 1;
        self.revisions.insert(key, self.last_revision);
        if !self.waiting.contains(&key) {
            self.waiting.push_back(key);
        }
    }

    fn revision(&self, key: ChangeKey) -> u64 {
        self.revisions.get(&key).copied().unwrap_or_default()
    }

    /// Something does not wait any more.
    fn forget(&mut self, key: ChangeKey) {
        self.revisions.remove(&key);
        match key {
            ChangeKey::Begin(id) => _ = self.begins.remove(&id),
            ChangeKey::Prompt(id) => _ = self.prompts.remove(&id),
            ChangeKey::Job(id) => self.settle(id),
        }
    }

    /// A job is written: it stays known until it ends, as long as its answer may be decided, and a little longer where
    /// it is not too long for that.
    fn settle(&mut self, id: u64) {
        let Some(job) = self.jobs.get(&id) else { return };
        let (size, has_ended) = (job.known.size(), job.known.record.is_some());
        let runs = !has_ended && job.known.accepted.is_some();
        if runs || (job.lacking.is_none() && job.known.is_open()) {
            return;
        } else if !has_ended || job.lacking.is_some() || size > RECENT_BYTES {
            self.jobs.remove(&id);
            return;
        }
        self.recent.push_back((id, size));
        let mut bytes: usize = self.recent.iter().map(|(_, size)| size).sum();
        while (self.recent.len() > RECENT || bytes > RECENT_BYTES)
            && let Some((id, size)) = self.recent.pop_front()
        {
            bytes -= size;
            self.jobs.remove(&id);
        }
    }
}

/// In which order lines are spilled: what comes last is lost first where there is no room for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SpillPriority {
    Fact,
    Answer,
    Accepted,
    Rows,
    Typed,
}

fn adopted(held: &Held) -> KnownJob {
    let landed =
        Landed { landing: "held".to_owned(), held_for: held.record.held_for.clone(), ..Landed::default() };
    KnownJob {
        uuid: Some(held.uuid.clone()),
        job_usage: Some(held.record.amounts),
        record: Some(Arc::new(held.record.clone())),
        landed: Some(Arc::new(landed)),
        on_disk: on_disk(held).map(Arc::new),
        draft: held.draft.clone().map(Arc::new),
        ..KnownJob::default()
    }
}

/// The range of an answer that is taken over, in its file.
fn on_disk(held: &Held) -> Option<OnDisk> {
    let saved = held.saved.as_ref()?;
    let is_there = !saved.rows.is_empty() || held.record.selection.kind == SelectionKind::Insert;
    let last = saved.first_line + (saved.rows.len() as u64).saturating_sub(1);
    let place = is_there.then_some((saved.first_line, last));
    let (rows, base) = (saved.rows.clone(), saved.base.clone());
    Some(OnDisk { range: Some(RowsOnDisk { place, rows, base }), path: None })
}
