//! The results of jobs: the reports of their tasks, their outcomes, and the settlements of their answers. An outcome is
//! stored before the editor and the mirrors get it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::Host;
use super::queue::{QueuedJob, RunningJob};
use super::stored;
use crate::editor::StateChange;
use crate::job;
use crate::journal::{Amounts, Change, Landed};
use crate::land::{self, HeldFor};
use crate::memory;
use crate::mirror::{BufferEvent, Intent, MirrorEvent, Obstacle, SettledIntent, Settlement};
use crate::session::{Decision, Patch, Pending};
use crate::stream::Outcome;

/// How long others may keep what they have of a job of which nothing is left: a reply that is under way, a line that is
/// written.
const LET_GO: Duration = Duration::from_secs(1);

impl Host {
    /// Handles what the task of a job reports.
    pub(super) fn event(&mut self, id: u64, event: job::JobEvent) {
        match event {
            job::JobEvent::Started(transcript) => {
                self.editor.change(id, StateChange::Started);
                if let Some(running) = self.jobs.running(id).filter(|_| transcript.is_some()) {
                    running.transcript = transcript;
                    self.session.recorded(id);
                }
            }
            job::JobEvent::Models(models) => {
                if let Some(running) = self.jobs.running(id) {
                    let agent = running.asked.request.start.agent.name.clone();
                    self.found_models(agent, models);
                }
            }
            job::JobEvent::Finished(outcome) => self.finish(id, outcome),
            job::JobEvent::Amended(outcome) => self.amend(id, &outcome),
            job::JobEvent::Gone => {
                let running = self.jobs.running.remove(&id);
                tracing::info!(job = id, "gone");
                match running.and_then(RunningJob::waiting) {
                    Some(waiting) if self.session.is_unwanted(id) => {
                        self.end_unstarted(&waiting, &Outcome::default());
                    }
                    Some(waiting) => self.jobs.wait(waiting),
                    None => self.editor.change(id, StateChange::Gone),
                }
                if !std::mem::replace(&mut self.gives_back, true) {
                    self.back.after(LET_GO, |host| {
                        host.gives_back = false;
                        memory::give_back();
                    });
                }
                self.start_waiting();
            }
        }
    }

    fn finish(&mut self, id: u64, mut outcome: Box<Outcome>) {
        if self.waits_for_limit(id, &mut outcome) {
            return;
        }
        let Some(running) = self.jobs.running(id) else { return };
        let RunningJob { asked, transcript, before, .. } = running;
        let QueuedJob { request, earlier, is_urgent, .. } = asked;
        let (request, has_passed) = (Arc::clone(request), *is_urgent && outcome.error.is_none());
        let landing = match (&outcome.text, &outcome.error) {
            (Some(text), None) => Some(land::prepare(&request, text)),
            _ => None,
        };
        let doubt = landing.as_ref().and_then(|landing| landing.doubt);
        outcome.held_why = outcome.held_why.or(doubt.map(land::Doubt::why));
        let amounts = stored::amounts(&request, &outcome, *before, &earlier.amounts);
        let record = stored::of(&request, &outcome, landing.as_ref(), amounts, transcript.as_deref());
        let record = Arc::new(record);
        let buffer = request.buffer;
        let is_unwanted = self.session.is_unwanted(id);
        let intent = landing.as_ref().filter(|_| !request.job.question && !is_unwanted).map(|landing| {
            let held_for = land::held(outcome.held_for, Some(landing));
            let lines = || landing.lines.iter().map(|line| line.clone().into_bytes()).collect();
            held_for.map_or_else(|| Intent::Land(lines()), Intent::Hold)
        });
        if let (Some(old), Some(_)) = (request.replaces, &intent) {
            self.replaced.insert(id, (old, buffer));
        }
        let is_over = landing.is_some() && intent.is_none();
        let told = Patch::new(id).with_tools(self.editor.ended(id)).with_record(&record);
        self.editor.outcome(told.with_error(outcome.error.as_ref()));
        // The mirror plans meanwhile. What it has the editor do waits for this thread.
        self.feed.send(match intent {
            Some(intent) => MirrorEvent::Buffer(buffer, BufferEvent::Want { job: id, intent }),
            None => MirrorEvent::Ended { job: id },
        });
        // The answer is stored before anything is told of it: from then on it survives the end of any process.
        self.store.journal.append(id, Change::Ended(Arc::clone(&record)));
        if let Some(error) = &outcome.error {
            let (error, message_bytes) = (error.code.name(), error.message.len());
            tracing::info!(job = id, error, message_bytes, "failed");
        }
        if has_passed {
            self.jobs.lift_limit(&request);
            self.start_waiting();
        }
        let told = self.session.finished(&record);
        let agent = request.start.agent.name.clone();
        self.note_login(&agent, &outcome);
        self.views.is_past_stale = true;
        if is_over {
            self.keep_landing(id, if is_unwanted { "rejected" } else { "answered" });
        }
        self.tell(told);
        if is_over && !is_unwanted {
            self.answered(&request, &outcome);
        }
    }

    /// Stores what became of an answer that never went to a buffer.
    pub(super) fn keep_landing(&self, id: u64, landing: &str) {
        let landed = Landed { landing: landing.to_owned(), ..Landed::default() };
        self.store.journal.append(id, Change::Landed(landed));
    }

    /// A job that has not run, or waited to run again, has ended: it was rejected, or cannot run.
    pub(super) fn end_unstarted(&mut self, waiting: &QueuedJob, outcome: &Outcome) {
        let QueuedJob { request, earlier, .. } = waiting;
        let id = request.job.id;
        let record = stored::of(request, outcome, None, (earlier.amounts, Amounts::default()), None);
        let record = Arc::new(record);
        self.store.journal.append(id, Change::Ended(Arc::clone(&record)));
        if outcome.error.is_none() {
            self.keep_landing(id, "rejected");
        }
        self.views.is_past_stale = true;
        if let Some(patch) = self.session.finished(&record) {
            let ended = Patch::new(id).with_tools(self.editor.ended(id)).with("cost_usd", 0);
            self.tell(ended.with_record(&record).with_error(outcome.error.as_ref()).and(patch));
        }
        self.feed.send(MirrorEvent::Ended { job: id });
        self.editor.change(id, StateChange::Gone);
    }

    fn amend(&mut self, id: u64, outcome: &Outcome) {
        let Some(running) = self.jobs.running(id) else { return };
        let RunningJob { asked: QueuedJob { request, earlier, .. }, before, waits, .. } = running;
        let before = *before;
        if before.is_none() {
            // The amounts are those of the whole resumed session, and this job's share is unknown.
            return;
        }
        let (share, counted) = stored::amounts(request, outcome, before, &earlier.amounts);
        if let Some((waits, _)) = waits {
            *waits = share;
        }
        self.store.journal.append(id, Change::Amended { share, counted });
        self.session.cost(id, share.cost_usd);
        self.views.is_past_stale = true;
        self.tell(Patch::new(id).with_amounts(&share));
    }

    /// Stores what an earlier host has had written, as the plugin says.
    pub(super) fn landed(&mut self, id: u64, landed: Landed) {
        tracing::info!(job = id, landing = landed.landing, "landed before this host");
        if self.store.journal.append(id, Change::Landed(landed)) {
            self.editor.stored(id, None);
        }
    }

    /// Tells the store and the editor what became of an answer; a held one reaches the editor once it is on the disk.
    pub(super) fn settled(&mut self, settled: SettledIntent) {
        let SettledIntent { job: id, settlement, attempt, passage, reply, .. } = settled;
        match settlement {
            Settlement::Refused(why) => {
                tracing::info!(job = id, why = why.name(), "refused");
                return self.refused(id, why);
            }
            // The store keeps nothing of a take: the text shows which hunks were taken.
            Settlement::Taken => return self.editor.stored(id, attempt),
            _ => {}
        }
        let landed = stored::landed(settlement, passage.as_ref());
        tracing::info!(job = id, landing = landed.landing, held_for = landed.held_for, "settled");
        if let Settlement::Held(_) = settlement {
            // The place and the rows are stored when Neovim writes the file: until then the file does not have them.
            let landed = Landed { place: None, rows: None, ..landed };
            let kept = self.store.journal.append_synced(id, Change::Landed(landed.clone()));
            let back = self.back.clone();
            tokio::spawn(async move {
                kept.await;
                back.then(move |host| {
                    let (told, _) = host.session.settled(id, &landed.landing, landed.held_for.as_deref());
                    host.tell(told);
                    if let Some((old, buffer)) = host.replaced.remove(&id)
                        && host.session.answer(old).is_some()
                    {
                        host.decide_all(&[old], buffer, &Decision::Reject);
                    }
                });
            });
            return;
        }
        let (told, token) = self.session.settled(id, &landed.landing, landed.held_for.as_deref());
        let is_kept = self.store.journal.append(id, Change::Landed(landed));
        self.views.is_past_stale = true;
        self.tell(told);
        self.end_review(id);
        if let Some((token, findings)) = reply {
            self.replied(token, &findings);
        }
        if let Some(token) = token {
            self.decided(token, Ok(json!({})));
        }
        if is_kept && attempt.is_some() {
            self.editor.stored(id, attempt);
        }
    }

    fn refused(&mut self, id: u64, why: Obstacle) {
        let Some((patch, sentence, Pending { token, shows })) = self.session.refused(id, why) else { return };
        self.tell(patch);
        let is_conflict = why == Obstacle::Held(HeldFor::Conflict);
        if is_conflict {
            // Once more, so that it counts as seen.
            self.show_proposed(id);
        }
        match token {
            Some(token) if is_conflict && shows => {
                let words = "for what is shown here: its lines were changed meanwhile";
                self.editor.warn(format!("accept job {id} again {words}"));
                self.decided(token, Ok(json!({ "show": id })));
            }
            Some(token) => self.decided(token, Err(sentence)),
            None => self.editor.error(sentence),
        }
    }

    /// The user is in the middle of something: what was to be written for these jobs waits.
    pub(super) fn not_now(&mut self, ids: Vec<u64>) {
        for id in ids {
            if let Some(patch) = self.session.ready(id) {
                self.tell(patch);
                self.board.touch(id);
            }
            if let Some(token) = self.session.postpone(id) {
                self.decided(token, Ok(json!({ "is_pending": true })));
            }
        }
    }
}
