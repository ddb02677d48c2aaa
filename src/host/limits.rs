//! Jobs that have met a limit of their agent: they wait for its end, and run again with the text as it is then.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::queue::QueuedJob;
use super::stored;
use super::{Host, Reply};
use crate::editor::StateChange;
use crate::error::JobError;
use crate::journal::Change;
use crate::request::Request;
use crate::session::Patch;
use crate::stream::Outcome;

/// The longest that a job waits for the end of a limit, in seconds.
const LONGEST_WAIT: i64 = 6 * 3600;
/// An end that was earlier, in seconds, is none: clocks differ, but not by that much.
const LONGEST_PAST: i64 = 60;
/// The least that it waits doubles from a second on with each run, so many times.
const MOST_STEPS: u32 = 8;
/// The longest until the clock is looked at again, in seconds: it goes on while the machine sleeps.
const LOOK_AGAIN: i64 = 30;

/// A time where the user is.
pub(super) fn clock(at: i64) -> String {
    let (now, at) = (Timestamp::now(), Timestamp::from_second(at).unwrap_or_default());
    let is_near = at.as_second().abs_diff(now.as_second()) < 24 * 3600;
    at.to_zoned(TimeZone::system()).strftime(if is_near { "%H:%M" } else { "%-d %b %H:%M" }).to_string()
}

impl Host {
    /// Whether a job has met a limit that it waits for. Else the end of the limit is told with its failure.
    pub(super) fn waits_for_limit(&mut self, id: u64, outcome: &mut Outcome) -> bool {
        let Some(running) = self.jobs.running(id) else { return false };
        let now = Zoned::now();
        let limit = outcome.error.as_ref().and_then(|error| error.limit.as_ref());
        let end = limit.and_then(|limit| limit.at(&now, |name| TimeZone::get(name).ok()));
        let (request, seconds) = (Arc::clone(&running.asked.request), now.timestamp().as_second());
        let Some(end) = end.filter(|end| seconds - end < LONGEST_PAST) else { return false };
        // Where a limit goes on in spite of its end, it is tried less and less often.
        let until = end.max(seconds + (1 << running.asked.earlier.count.min(MOST_STEPS)));
        if self.is_ending || !request.options.resume_at_limit || until - seconds > LONGEST_WAIT {
            outcome.error = outcome.error.take().map(|error| error.until(end, &clock(end)));
            return false;
        }
        tracing::info!(job = id, seconds = until - seconds, "waits for the end of a limit");
        let (share, _) = stored::amounts(&request, outcome, running.before, &running.asked.earlier.amounts);
        let started_ms = request.job.started_ms;
        running.waits = Some((share, until));
        running.asked.earlier.tools += outcome.tools.len();
        self.editor.void(id);
        if std::mem::take(&mut running.asked.is_urgent) {
            self.jobs.lift_limit(&request);
        }
        self.jobs.set_limit(&request, until);
        self.store.journal.append(id, Change::Limited { started_ms, until, share });
        self.session.cost(id, share.cost_usd);
        self.session.limited(id, true);
        self.editor.change(id, StateChange::Queued(Some(until)));
        self.board.touch(id);
        self.tell(Patch::new(id).with_amounts(&share));
        true
    }

    /// Tells what has changed of the limits that jobs wait for, and looks again when the first of them ends.
    pub(super) fn follow_limits(&mut self) {
        self.jobs.forget_limits();
        for (id, until) in self.jobs.untold_limits() {
            self.session.limited(id, until.is_some());
            self.board.touch(id);
            self.editor.change(id, StateChange::Queued(until));
        }
        let now = Timestamp::now().as_second();
        if let Some(at) = self.jobs.look_at(now + LOOK_AGAIN) {
            let wait = u64::try_from(at - now).unwrap_or_default().max(1);
            self.back.after(Duration::from_secs(wait), Self::limit_ends);
        }
    }

    /// A limit may have ended.
    pub(super) fn limit_ends(&mut self) {
        self.jobs.end_limits(Timestamp::now().as_second());
        self.start_waiting();
    }

    /// Has a job run now that waits for a limit.
    pub(super) fn hurry(&mut self, id: u64) -> Reply {
        if !self.jobs.hurry(id) {
            return Err(format!("job {id} has not ended yet: wait for it"));
        }
        self.start_waiting();
        Ok(Some(serde_json::Value::Null))
    }

    /// The plugin has read again what a job asks for that has waited, or says why that is impossible.
    pub(super) fn run_again(&mut self, waiting: &QueuedJob, request: Result<Request, JobError>) {
        let (id, amounts) = (waiting.request.job.id, waiting.earlier.amounts);
        match request {
            Ok(mut request) => {
                tracing::info!(job = id, runs = waiting.earlier.count, "runs after a limit");
                self.accepted(&mut request);
                self.store.journal.append(id, Change::Amended { share: amounts, counted: amounts });
                self.show_job(&request);
                self.start(QueuedJob { request: Arc::new(request), ..*waiting });
            }
            Err(error) => {
                self.end_unstarted(waiting, &Outcome::failed(error));
                self.start_waiting();
            }
        }
    }
}
