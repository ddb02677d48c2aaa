//! What a command may mean of a job, whatever has become of it: the jobs that the plugin knows too, and no more.

use serde::Deserialize;

use super::Session;
use super::sentences::said;
use crate::error::Code;
use crate::journal::Record;
use crate::request::{Request, Resume, Wanted};
use crate::store::JobEntry;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// The agent.
    pub agent: String,
    /// What it was asked.
    pub wanted: Wanted,
    /// The project's directory.
    pub cwd: String,
    /// The session that its agent had.
    pub session_id: Option<String>,
    /// Whether it goes on.
    pub is_open: bool,
    /// What became of its answer.
    pub landing: Option<String>,
    /// The same in a sentence, or why it failed.
    pub said: Option<String>,
    /// What is kept of what its agent prints.
    pub recording: Recording,
    /// Whether it waits for the end of a limit.
    pub is_limited: bool,
}

/// What is kept of what an agent prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recording {
    /// Nothing, as the options say.
    #[default]
    Off,
    /// It is to be kept, and nothing is yet.
    Wanted,
    /// A transcript.
    Kept,
}

/// A quickfix list of jobs that were started together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Batch {
    /// Its id in Neovim.
    pub list: u64,
    /// The prompt of all jobs.
    #[serde(default)]
    pub prompt: String,
    /// The jobs, in their order.
    #[serde(default)]
    pub ids: Vec<u64>,
}

/// How many jobs that have ended are known, here and to the plugin.
const MOST_ENDED: usize = 1000;

impl Known {
    pub(super) fn accepted(request: &Request) -> Self {
        Self {
            agent: request.start.agent.name.clone(),
            wanted: request.wanted.clone(),
            cwd: request.start.cwd.to_string_lossy().into_owned(),
            is_open: true,
            recording: if request.options.record { Recording::Wanted } else { Recording::Off },
            ..Self::default()
        }
    }

    /// A job of the store.
    pub fn of(entry: &JobEntry) -> Self {
        let known = Self::recorded(&entry.record);
        let said = entry.landing.as_deref().map(|landing| said(landing, "", None));
        Self { landing: entry.landing.clone(), said: said.or(known.said), ..known }
    }

    pub(super) fn recorded(record: &Record) -> Self {
        let (job, error) = (&record.job, record.error.as_ref());
        let wanted = Wanted {
            prompt: Some(job.prompt.clone()),
            agent: Some(job.agent.clone()),
            model: record.model().cloned(),
            question: job.question,
            // An answer of this prompt was seen, unless it was interrupted: the option decides about the next one.
            review: record.is_interrupted().then_some(job.review),
            resume: job.resumed.clone(),
            cwd: job.resumed.as_ref().map(|_| job.project.clone()),
            ..Wanted::default()
        };
        // The agent names a session even where it has just said that it has none.
        let is_lost = error.is_some_and(|(code, _)| code == Code::SessionNotFound.name());
        Self {
            agent: job.agent.clone(),
            wanted,
            cwd: job.project.clone(),
            session_id: record.session_id.clone().filter(|_| !is_lost),
            said: error.map(|(_, message)| message.clone()),
            recording: if record.transcript.is_some() { Recording::Kept } else { Recording::Off },
            ..Self::default()
        }
    }

    /// The same once more; prompt, agent and model may be other ones.
    #[must_use]
    pub fn again(&self, given: Wanted) -> Wanted {
        let same = self.wanted.clone();
        // A model is its agent's own.
        let model = same.model.filter(|_| given.agent.is_none() || given.agent == same.agent);
        Wanted {
            prompt: given.prompt.or(same.prompt.filter(|_| given.text.is_none())),
            text: given.text,
            review: given.review.or(same.review),
            agent: given.agent.or(same.agent),
            model: given.model.or(model),
            ..same
        }
    }

    /// What goes on in its session.
    #[must_use]
    pub fn onward(&self, given: Wanted) -> Wanted {
        let Wanted { agent, model, question, .. } = self.wanted.clone();
        let resume = self.session_id.clone().map(|session_id| Resume { session_id, at: None });
        let (model, cwd) = (given.model.or(model), Some(self.cwd.clone()));
        Wanted { question, agent, model, resume, cwd, ..given }
    }

    /// Whether its answer is held.
    pub fn is_held(&self) -> bool {
        self.landing.as_deref() == Some("held")
    }

    /// Whether it has ended without an answer.
    pub fn has_failed(&self) -> bool {
        !self.is_open && self.landing.is_none()
    }

    /// Whether its answer can be taken back.
    pub fn is_landed(&self) -> bool {
        matches!(self.landing.as_deref(), Some("applied" | "merged"))
    }

    /// Whether its answer was written to its buffer, or equals the text there.
    pub fn has_written(&self) -> bool {
        self.is_landed() || self.landing.as_deref() == Some("unchanged")
    }

    /// Whether there are two texts to compare.
    pub fn has_texts(&self) -> bool {
        self.is_held() || self.is_landed()
    }

    /// Whether it answers a question.
    pub fn is_answered(&self) -> bool {
        self.landing.as_deref() == Some("answered")
    }

    /// Whether its session can be opened.
    pub fn has_session(&self) -> bool {
        !self.is_open && self.session_id.is_some()
    }
}

impl Session {
    /// A job that a command may name.
    pub fn known(&self, id: u64) -> Option<&Known> {
        self.known.get(&id)
    }

    /// All of them, oldest first.
    pub fn all_known(&self) -> impl DoubleEndedIterator<Item = (u64, &Known)> {
        self.known.iter().map(|(id, known)| (*id, known))
    }

    /// What the agents of the jobs that go on have named their sessions so far.
    pub fn name_sessions(&mut self, named: impl Fn(u64) -> Option<String>) {
        for (id, known) in self.known.iter_mut().filter(|(_, known)| known.is_open) {
            known.session_id = named(*id).or(known.session_id.take());
        }
    }

    /// A job that has ended before this host, or that it has refused.
    pub fn ended_before(&mut self, id: u64, known: Known) {
        self.known.insert(id, known);
        self.end(id);
    }

    /// The jobs that have become too old since this was called last.
    pub fn take_gone(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.gone)
    }

    /// A job waits for the end of a limit, or no more.
    pub fn limited(&mut self, id: u64, is_limited: bool) {
        self.known.entry(id).and_modify(|known| known.is_limited = is_limited);
    }

    pub(super) fn learn(&mut self, record: &Record) {
        if let Some(known) = self.known.get_mut(&record.job.id) {
            let Known { session_id, said, .. } = Known::recorded(record);
            (known.session_id, known.said) = (session_id, said);
        }
    }

    /// This became of an answer.
    pub(super) fn note_landing(&mut self, id: u64, landing: &str, said: &str) {
        let Some(known) = self.known.get_mut(&id) else { return };
        let was_undecided = known.is_open || known.is_held();
        (known.is_open, known.landing) = (false, Some(landing.to_owned()));
        known.said = Some(said.to_owned());
        if was_undecided && landing != "held" {
            self.end(id);
        }
    }

    /// A job has ended and is not held: where there are too many by now, the oldest is known no more.
    pub(super) fn end(&mut self, id: u64) {
        self.known.entry(id).and_modify(|known| known.is_open = false);
        self.ended.push_back(id);
        if self.ended.len() > MOST_ENDED
            && let Some(oldest) = self.ended.pop_front()
        {
            self.jobs.remove(&oldest);
            self.known.remove(&oldest);
            self.gone.push(oldest);
        }
    }
}
