//! The jobs of one Neovim as their user knows them: how far each is, its answer while that may be decided, and what is
//! said of it. The plugin has a copy of the public fields, which a [`Patch`] brings up to date.
//!
//! Pure. The time comes in, in milliseconds since 1970.

mod answer;
mod decide;
mod job_patch;
mod known;
mod live;
mod sentences;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use rmpv::Value;

pub use answer::{HeldAnswer, ShownAs};
pub use decide::{Decision, OF_SEVERAL, Pending, Verdict};
pub use job_patch::Patch;
pub use known::{Batch, Known, Recording};
pub use live::{About, Doing, Ended, Live, LiveState, Look, Tone, Wait};
pub use sentences::{advice, fact, refusal};

use crate::error::JobError;
use crate::journal::{Held, Record};
use crate::land::HeldFor;
use crate::mirror::Obstacle;
use crate::options::Keys;
use crate::request::{Notify, Request, Wanted};

/// See the module.
#[derive(Debug, Default)]
pub struct Session {
    jobs: BTreeMap<u64, SessionJob>,
    /// What a command may mean, whatever has become of it.
    known: BTreeMap<u64, Known>,
    /// The jobs that have ended and are not held, in that order.
    ended: VecDeque<u64>,
    /// Those that are not known any more, which nobody was told.
    gone: Vec<u64>,
    /// What each job cost that told it.
    costs: BTreeMap<u64, f64>,
    /// The user's keys.
    pub keys: Keys,
    /// What has become of jobs, and was not drawn at their ranges.
    undrawn: Vec<Ended>,
}

/// A job that has not failed, and whose answer is not gone.
#[derive(Debug, Default)]
struct SessionJob {
    about: About,
    notify: Notify,
    stage: Stage,
    /// Its answer was rejected before it was there.
    is_unwanted: bool,
    /// A decision of the user's that is under way.
    deciding: Option<Pending>,
}

/// How far a job is.
#[derive(Debug, Default)]
enum Stage {
    /// Its agent has not answered yet.
    #[default]
    Running,
    /// Its answer is about to land, or to be held.
    Landing {
        answer: Box<HeldAnswer>,
        /// It waits for a moment at which it can.
        is_ready: bool,
    },
    /// Its answer waits for a decision.
    Held(Box<HeldAnswer>),
    /// Its answer landed, and can be reverted.
    Landed,
}

impl Session {
    /// A job was asked for.
    pub fn accepted(&mut self, request: &Request) {
        let about = About { name: request.name.clone(), ..About::of(&request.job) };
        let job = SessionJob { about, notify: request.options.notify, ..SessionJob::default() };
        self.jobs.insert(request.job.id, job);
        self.known.insert(request.job.id, Known::accepted(request));
    }

    /// What a job's agent prints is kept.
    pub fn recorded(&mut self, id: u64) {
        self.known.entry(id).and_modify(|known| known.recording = Recording::Kept);
    }

    /// What a job cost is known.
    pub fn cost(&mut self, id: u64, cost_usd: Option<f64>) {
        if let Some(cost) = cost_usd {
            self.costs.insert(id, cost);
        }
    }

    /// What all jobs cost; none if no agent reported it.
    pub fn spent(&self) -> Option<f64> {
        (!self.costs.is_empty()).then(|| self.costs.values().sum())
    }

    /// The jobs that go on, or whose answer is held, as a list shows them. What one that runs does is not known here.
    pub fn live(&self, now_ms: i64) -> impl Iterator<Item = Live> {
        self.jobs.iter().filter_map(move |(&id, job)| {
            let known = self.known.get(&id);
            Some(Live {
                id,
                about: job.about.clone(),
                state: job.state()?,
                elapsed_ms: job.about.elapsed(now_ms),
                cost_usd: self.costs.get(&id).copied(),
                has_session: known.is_some_and(|known| known.session_id.is_some()),
                has_transcript: known.is_some_and(|known| known.recording == Recording::Kept),
            })
        })
    }

    /// A job has its outcome. Returns what the plugin is told at once; of an answer that is to land it is told what
    /// became of that.
    pub fn finished(&mut self, record: &Record) -> Option<Patch> {
        let id = record.job.id;
        self.cost(id, record.share.cost_usd);
        self.learn(record);
        let job = self.jobs.get_mut(&id)?;
        job.about.ended_ms = Some(record.ended_ms);
        if let Some((_, message)) = &record.error {
            let news = sentences::failed(job.notify, message);
            self.ends(id, Some(Look::Failed), message);
            self.jobs.remove(&id);
            self.end(id);
            return Some(Patch::new(id).with("status", "failed").with_news(news));
        }
        if job.is_unwanted || record.job.question {
            let landing = if job.is_unwanted { "rejected" } else { "answered" };
            self.ends(id, None, "");
            self.jobs.remove(&id);
            self.note_landing(id, landing, landing);
            return Some(Patch::new(id).with("status", "done").with("landing", landing));
        }
        let answer = Box::new(HeldAnswer::of(record));
        job.stage = Stage::Landing { answer, is_ready: false };
        None
    }

    /// The answer of a job waits until the user has finished what they are doing.
    pub fn ready(&mut self, id: u64) -> Option<Patch> {
        let Stage::Landing { is_ready, .. } = &mut self.jobs.get_mut(&id)?.stage else { return None };
        if std::mem::replace(is_ready, true) {
            return None;
        }
        Some(Patch::new(id).with("status", "ready").as_update())
    }

    /// An answer has landed or is held, or was decided. Returns what the plugin is told, and the token of who waits
    /// for the decision.
    pub fn settled(
        &mut self,
        id: u64,
        landing: &str,
        held_for: Option<&str>,
    ) -> (Option<Patch>, Option<u64>) {
        let doubt = match self.jobs.get(&id).map(|job| &job.stage) {
            Some(Stage::Landing { answer, .. }) => answer.doubt.clone(),
            _ => None,
        };
        let said = sentences::said(landing, held_for.unwrap_or_default(), doubt.as_deref());
        self.note_landing(id, landing, &said);
        let decided =
            Patch::new(id).with("landing", landing).with("held_for", Value::Nil).decided().as_update();
        let Some(job) = self.jobs.get_mut(&id) else { return (Some(decided), None) };
        let token = job.deciding.take().and_then(|pending| pending.token);
        let stage = std::mem::replace(&mut job.stage, Stage::Landed);
        let is_landed = matches!(landing, "applied" | "merged");
        let mut end = (None, String::new());
        let patch = match stage {
            Stage::Landing { mut answer, .. } => {
                let look = match landing {
                    "held" => Some(Look::Held),
                    "unchanged" => Some(Look::Unchanged),
                    _ => is_landed.then_some(Look::Landed),
                };
                end = (look, said);
                let patch = Patch::new(id).with("status", "done").with("landing", landing);
                if landing == "held" {
                    let held_for = held_for.unwrap_or_default();
                    held_for.clone_into(&mut answer.why);
                    let news = sentences::held(job.notify, held_for, answer.doubt.as_deref(), &self.keys);
                    let patch = patch.with("held_for", held_for);
                    job.stage = Stage::Held(answer);
                    patch.with_news(news)
                } else {
                    patch.with_news(sentences::landed(job.notify, landing, &job.about.prompt))
                }
            }
            _ => decided,
        };
        if is_landed {
            job.about.prompt = String::new();
        }
        self.ends(id, end.0, &end.1);
        if !is_landed && landing != "held" {
            self.jobs.remove(&id);
        }
        (Some(patch), token)
    }

    /// A decision is impossible. Returns what the plugin is told, the sentence, and the decision.
    pub fn refused(&mut self, id: u64, why: Obstacle) -> Option<(Patch, String, Pending)> {
        let job = self.jobs.get_mut(&id)?;
        let pending = job.deciding.take().unwrap_or_default();
        let mut patch = Patch::new(id).decided();
        let done = if matches!(job.stage, Stage::Held(_)) { "accepted" } else { "reverted" };
        if let Stage::Held(answer) = &mut job.stage
            && why == Obstacle::Held(HeldFor::Conflict)
        {
            why.name().clone_into(&mut answer.why);
            let said = sentences::said("held", why.name(), None);
            self.known.entry(id).and_modify(|known| known.said = Some(said.clone()));
            answer.shown = None;
            patch = patch.with("held_for", why.name());
            self.ends(id, Some(Look::Held), &said);
        }
        Some((patch, sentences::refusal(id, done, why), pending))
    }

    /// Whether the answer of a job that goes on will not land.
    pub fn is_unwanted(&self, id: u64) -> bool {
        self.jobs.get(&id).is_some_and(|job| job.is_unwanted)
    }

    /// Whether the user has typed nothing in the answer of a job that is not saved: nothing is decided of it until then.
    ///
    /// # Errors
    /// Says that they have.
    pub fn is_saved(&self, id: u64) -> Result<(), String> {
        match self.jobs.get(&id).map(|job| &job.stage) {
            Some(Stage::Held(answer)) if answer.typed.is_some() => {
                Err(format!("job {id} cannot be decided: write or drop your edits in :Botglue edit {id}"))
            }
            _ => Ok(()),
        }
    }

    /// How far a job is that goes on, and since when, in milliseconds since 1970.
    pub fn state(&self, id: u64) -> Option<(LiveState, i64)> {
        let job = self.jobs.get(&id)?;
        Some((job.state()?, job.about.since_ms))
    }

    /// This became of a job.
    fn ends(&mut self, id: u64, look: Option<Look>, said: &str) {
        let elapsed_ms = self.jobs.get(&id).map_or(0, |job| job.about.elapsed(0));
        let cost_usd = self.costs.get(&id).copied();
        self.undrawn.push(Ended { id, look, said: said.to_owned(), elapsed_ms, cost_usd });
    }

    /// What has become of jobs since this was called last.
    pub fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.undrawn)
    }

    /// A job cannot run as it was asked for.
    pub fn rejected(&mut self, id: u64, wanted: Wanted, error: &JobError) -> Patch {
        let news = sentences::failed(Notify::Failures, &error.message);
        self.ended_before(id, Known { wanted, said: Some(error.message.clone()), ..Known::default() });
        Patch::new(id).with_error(Some(error)).with("status", "failed").with_news(news)
    }

    /// A held answer of an earlier Neovim is this job now, or that of an earlier host of this one.
    pub fn held(&mut self, id: u64, held: &Held) {
        let answer = HeldAnswer::stored(held);
        let (record, said) = (&held.record, answer.said());
        let about = About { ended_ms: Some(record.ended_ms), ..About::of(&record.job) };
        let (landing, said_of) = (Some("held".to_owned()), Some(said.clone()));
        let known = Known { landing, said: said_of, ..Known::recorded(record) };
        self.known.insert(id, known);
        self.cost(id, record.share.cost_usd);
        let stage = Stage::Held(Box::new(answer));
        self.jobs.insert(id, SessionJob { about, notify: Notify::All, stage, ..SessionJob::default() });
        self.ends(id, Some(Look::Held), &said);
    }

    /// The jobs whose answer is held.
    pub fn held_ids(&self) -> impl Iterator<Item = u64> + Clone {
        let held = self.jobs.iter().filter(|(_, job)| matches!(job.stage, Stage::Held(_)));
        held.map(|(id, _)| *id)
    }

    /// Whether a job goes on.
    pub fn is_open(&self, id: u64) -> bool {
        self.jobs.get(&id).is_some_and(|job| matches!(job.stage, Stage::Running | Stage::Landing { .. }))
    }

    /// Whether the answer of a job waits for a moment at which it can land.
    pub fn is_ready(&self, id: u64) -> bool {
        self.jobs.get(&id).is_some_and(|job| matches!(job.stage, Stage::Landing { is_ready: true, .. }))
    }

    /// Whether the answer of any job is about to land and waits for no moment.
    pub fn is_settling(&self) -> bool {
        self.jobs.values().any(|job| matches!(job.stage, Stage::Landing { is_ready: false, .. }))
    }

    /// The held answer of a job.
    pub fn answer(&mut self, id: u64) -> Option<&mut HeldAnswer> {
        match &mut self.jobs.get_mut(&id)?.stage {
            Stage::Held(answer) => Some(answer),
            _ => None,
        }
    }
}

impl SessionJob {
    /// How far it is, as long as it goes on or is held; what its agent does is not known here.
    fn state(&self) -> Option<LiveState> {
        match &self.stage {
            Stage::Landing { is_ready: true, .. } => Some(LiveState::Ready),
            Stage::Running | Stage::Landing { .. } => Some(LiveState::Running(Doing::default())),
            Stage::Held(answer) => Some(LiveState::Held(answer.why.clone())),
            Stage::Landed => None,
        }
    }
}
