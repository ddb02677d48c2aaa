//! The results of jobs: the reports of their tasks, their outcomes, and the settlements of their answers. An outcome is
//! stored before the editor and the mirrors get it.

use std::path::PathBuf;
use std::time::Duration;

use super::Host;
use super::jobs::RunningJob;
use crate::editor::StateChange;
use crate::job;
use crate::journal::{Change, Landed};
use crate::land;
use crate::memory;
use crate::mirror::{Intent, MirrorEvent, SettledIntent, Settlement};
use crate::record;
use crate::stream::{AnswerDoubt, Outcome};

/// How long others may keep what they have of a job of which nothing is left: a reply that is under way, a line that is
/// written.
const LET_GO: Duration = Duration::from_secs(1);

impl Host {
    /// Handles what the task of a job reports.
    pub(super) fn event(&mut self, id: u64, event: job::JobEvent) {
        match event {
            job::JobEvent::Started { pgid } => self.editor.change(id, StateChange::Started { pgid }),
            job::JobEvent::Recording(path) => self.recording(id, path),
            job::JobEvent::Models(models) => {
                if let Some(running) = self.jobs.running(id) {
                    self.editor.models(&running.request.start.agent.name, models);
                }
            }
            job::JobEvent::Finished(outcome) => self.finish(id, outcome),
            job::JobEvent::Amended(outcome) => self.amend(id, outcome),
            job::JobEvent::Gone => {
                if let Some(RunningJob { subscriptions, .. }) = self.jobs.remove(id) {
                    tracing::info!(job = id, observers = subscriptions.observers().count(), "gone");
                }
                self.editor.change(id, StateChange::Gone);
                tokio::spawn(async {
                    tokio::time::sleep(LET_GO).await;
                    memory::give_back();
                });
                self.start_waiting();
            }
        }
    }

    fn recording(&mut self, id: u64, path: PathBuf) {
        self.editor.recording(id, &path);
        if let Some(running) = self.jobs.running(id) {
            running.transcript = Some(path);
        }
    }

    fn finish(&mut self, id: u64, mut outcome: Box<Outcome>) {
        tracing::info!(
            job = id,
            error = outcome.error.as_ref().map(|error| error.code.name()),
            message_bytes = outcome.error.as_ref().map(|error| error.message.len()),
            held_for = outcome.held_for.map(AnswerDoubt::name),
            "finished"
        );
        let Some(RunningJob { request, since_ms, transcript, before, .. }) = self.jobs.running(id) else {
            return;
        };
        let landing = match (&outcome.text, &outcome.error) {
            (Some(text), None) => Some(land::prepare(request, text)),
            _ => None,
        };
        let record =
            record::of(request, &outcome, landing.as_ref(), before.get(), *since_ms, transcript.as_deref());
        record::with_share(&mut outcome, &record.share);
        let buffer = request.buffer;
        let intent = landing.as_ref().filter(|_| !request.question).map(|landing| {
            let held_for = land::held(outcome.held_for, Some(landing));
            held_for.map_or_else(|| Intent::Land(bytes(&landing.lines)), Intent::Hold)
        });
        // The answer is stored before it is reported: from then on it survives the end of any process.
        self.store.journal.append(id, Change::Ended(Box::new(record)));
        self.editor.finish(id, outcome, landing.map(Box::new), intent.is_some());
        self.feed.send(match intent {
            Some(intent) => MirrorEvent::Want { buffer, job: id, intent },
            None => MirrorEvent::Ended { job: id },
        });
    }

    fn amend(&mut self, id: u64, mut outcome: Box<Outcome>) {
        let Some(RunningJob { request, before, .. }) = self.jobs.running(id) else { return };
        let before = before.get();
        if before.is_none() {
            // The amounts are those of the whole resumed session, and this job's share is unknown.
            return;
        }
        let (share, counted) = record::amounts(request, &outcome, before);
        self.store.journal.append(id, Change::Amended { share, counted });
        record::with_share(&mut outcome, &share);
        self.editor.amend(id, &outcome);
    }

    /// Stores what the plugin, or an earlier host, says became of an answer.
    pub(super) fn landed(&mut self, id: u64, landed: Landed) {
        tracing::info!(job = id, landing = landed.landing, held_for = landed.held_for, "landed");
        if landed.landing != "held" {
            self.feed.send(MirrorEvent::Ended { job: id });
        }
        if self.store.journal.append(id, Change::Landed(landed)) {
            self.editor.stored(id, None);
        }
    }

    /// Reports what became of an answer to the store and the editor; a held one reaches the editor once it is on the
    /// disk.
    pub(super) fn settled(&mut self, settled: SettledIntent) {
        let SettledIntent { job: id, settlement, attempt, passage, reply, .. } = settled;
        match settlement {
            Settlement::Refused(why) => {
                tracing::info!(job = id, why = why.name(), "refused");
                self.editor.refused(id, why);
                return;
            }
            // The store keeps nothing of a take: the text shows which hunks were taken.
            Settlement::Taken => return self.editor.stored(id, attempt),
            _ => {}
        }
        let landed = record::landed(settlement, passage.as_ref());
        tracing::info!(job = id, landing = landed.landing, held_for = landed.held_for, "settled");
        if let Settlement::Held(_) = settlement {
            // The place and the rows are stored when Neovim writes the file: until then the file does not have them.
            let kept = Change::Landed(Landed { place: None, rows: None, ..landed.clone() });
            let (kept, editor) = (self.store.journal.append_synced(id, kept), self.editor.clone());
            tokio::spawn(async move {
                kept.await;
                editor.landed(id, &landed);
            });
            return;
        }
        self.feed.send(MirrorEvent::Ended { job: id });
        let is_kept = self.store.journal.append(id, Change::Landed(landed.clone()));
        self.editor.landed(id, &landed);
        if let Some((token, findings)) = reply {
            self.editor.found(token, findings.fields());
        }
        if is_kept && attempt.is_some() {
            self.editor.stored(id, attempt);
        }
    }
}

fn bytes(lines: &[String]) -> Vec<land::Bytes> {
    lines.iter().map(|line| line.clone().into_bytes()).collect()
}
