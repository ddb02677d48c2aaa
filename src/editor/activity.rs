//! The state of one job as the editor shows it, and which part of it has not been sent yet. Pure but for the clock: updates
//! go in, and what changed comes out. However much an agent prints, and however long the editor is blocked, this is all
//! that is held of its job.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rmpv::Value;
use serde_json::json;

use crate::fields::value;
use crate::land::Capture;
use crate::render::FAILED;
use crate::session::{Doing, Patch, Tone};
use crate::stream::event::Retry;
use crate::stream::{ToolCall, ToolStatus, Update};

/// How many calls are kept of a job.
const MOST_TOOLS: usize = 100;

/// The fields whose change is told by an event.
const UPDATES: [&str; 5] = ["status", "resumes_at", "session_id", "tool", RETRY];
/// A try that begins: the plugin gets the event alone.
const RETRY: &str = "retry";

/// For how long what has failed is shown in place of what is done since.
const FAILURE_SHOWN: Duration = Duration::from_secs(3);

/// What a job does whose agent has said nothing.
const STARTING: &str = "starting";

/// What can happen to a job's state besides what its stream says.
#[derive(Debug, Clone, Copy)]
pub enum StateChange {
    /// It waits for others to end, or for a limit of its agent until then, Unix time in seconds.
    Queued(Option<i64>),
    /// Its agent runs.
    Started,
    /// Nothing of its agent is left.
    Gone,
}

/// The fields of a job, nil where there is nothing to say.
type Fields = [(&'static str, Value); 6];

/// See the module.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct JobState {
    /// What its stream says is shown; users' functions hear it.
    pub(super) is_watched: bool,
    pub(super) is_heard: bool,
    changed: bool,
    finished: bool,
    status: Option<&'static str>,
    resumes_at: Option<i64>,
    activity: Option<String>,
    failure: Option<String>,
    /// The newest failure, and when it was.
    failed: Option<Instant>,
    /// The words of a try that begins at this time.
    retry: Option<(String, Instant)>,
    session_id: Option<String>,
    model: Option<String>,
    gone: bool,
    /// The newest calls, by their place.
    tools: BTreeMap<usize, ToolCall>,
    /// How often one has changed since they were sent.
    untold: usize,
    /// The code that is shown.
    code: Option<Capture>,
    /// Its fields as they were sent last.
    told: Option<Fields>,
}

impl JobState {
    /// Shows what the job says from now on, the newest lines of its code among that.
    pub(super) fn watch(&mut self, preview: Option<Capture>, is_heard: bool) {
        (self.is_watched, self.is_heard) = (true, is_heard);
        self.code = preview.or(self.code.take());
    }

    /// The newest lines of code; none where those that are shown stay.
    pub(super) fn code(&self) -> Option<Vec<String>> {
        let code = self.code.as_ref()?;
        Some(code.lines()).filter(|lines| code.is_void() || !lines.is_empty())
    }

    /// The newest calls, oldest first: what each does, and how it went.
    pub(super) fn newest(&self) -> impl DoubleEndedIterator<Item = (&str, ToolStatus)> {
        self.tools.values().map(|tool| (tool.title.as_str(), tool.status))
    }

    /// The calls that have not come back.
    fn running(&self) -> impl DoubleEndedIterator<Item = (usize, &ToolCall)> {
        let running = self.tools.iter().filter(|(_, tool)| tool.status == ToolStatus::Running);
        running.map(|(index, tool)| (*index, tool))
    }

    /// The same as ones that will not come back.
    pub(super) fn unfinished(&self) -> Vec<(usize, ToolCall)> {
        let status = ToolStatus::Unfinished;
        self.running().map(|(index, tool)| (index, ToolCall { status, ..tool.clone() })).collect()
    }

    /// How far a call is.
    pub(super) fn tool_status(&self, index: usize) -> Option<ToolStatus> {
        Some(self.tools.get(&index)?.status)
    }

    /// Folds a change in.
    pub(super) fn fold(&mut self, change: StateChange) {
        match change {
            StateChange::Queued(until) => {
                (self.status, self.resumes_at) = (Some("queued"), until);
                self.changed = true;
                // Of one that waits to run again nothing goes on.
                (self.activity, self.failure, self.retry) = (None, None, None);
                if let Some(code) = &mut self.code {
                    code.update(&Update::Restart);
                }
            }
            StateChange::Started => {
                (self.status, self.resumes_at) = (Some("running"), None);
                self.changed = true;
                // Its first update may come before the host knows that it runs.
                self.activity.get_or_insert_with(|| STARTING.to_owned());
            }
            StateChange::Gone => (self.gone, self.is_watched) = (true, false),
        }
    }

    /// The tools where they are others than were sent; from now on nothing is sent.
    pub(super) fn finish(&mut self) -> Option<Value> {
        self.finished = true;
        self.code = None;
        self.changed = false;
        self.take_tools()
    }

    /// Its session, as far as its agent has named it.
    pub(super) fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// What it does, and whether that is something that has failed.
    pub(super) fn doing(&self) -> Doing {
        let now = Instant::now();
        if let Some((words, at)) = &self.retry {
            let left = at.saturating_duration_since(now);
            let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
            let words = if seconds > 0 { format!("{words} in {seconds}s") } else { words.clone() };
            return Doing { words: Some(words), tone: Tone::Urgent };
        }
        let is_recent = self.failed.is_some_and(|at| now - at < FAILURE_SHOWN);
        match &self.failure {
            Some(failure) if is_recent || self.activity.is_none() => {
                Doing { words: Some(format!("{FAILED} {failure}")), tone: Tone::Failing }
            }
            _ => Doing { words: self.activity.clone(), tone: Tone::Calm },
        }
    }

    /// Whether anything waits to be sent.
    pub(super) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether nothing more will be sent about it.
    pub(super) fn is_over(&self) -> bool {
        self.finished && self.gone && !self.changed
    }

    /// What to send about the job: the fields that changed.
    pub(super) fn take(&mut self, id: u64) -> Option<Value> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let now = self.fields();
        let then = self.told.replace(now.clone());
        let is_new = |field: &(&str, Value)| match &then {
            Some(then) => !then.contains(field),
            None => !field.1.is_nil(),
        };
        let set: Vec<_> = now.into_iter().filter(is_new).collect();
        let is_update = self.untold > 0 || set.iter().any(|(field, _)| UPDATES.contains(field));
        let set = set.into_iter().filter(|(field, _)| *field != RETRY);
        let patch = set.fold(Patch::new(id), |patch, (field, value)| patch.with(field, value));
        let patch = patch.with_tools(self.take_tools());
        Some(if is_update { patch.as_update() } else { patch }.value())
    }

    /// Folds in what its stream says.
    pub(super) fn update(&mut self, update: &Update) {
        if self.finished {
            return;
        }
        if let Some(code) = &mut self.code {
            code.update(update);
        }
        match update {
            Update::Session { id, model } => {
                let id = id.clone().or(self.session_id.take());
                let model = model.clone().or(self.model.take());
                self.changed |= (&id, &model) != (&self.session_id, &self.model);
                (self.session_id, self.model) = (id, model);
                // It names its session once it has its message.
                if self.activity.as_deref().is_none_or(|activity| activity == STARTING) {
                    self.activity = Some("waiting for the model".to_owned());
                }
            }
            Update::Text { .. } => self.acts("writing"),
            Update::Thinking { .. } => self.acts("thinking"),
            Update::Activity { text } => self.acts(text),
            Update::Tool { index, tool } => self.tool(*index, tool),
            Update::Retry(Retry { attempt, max, delay_ms, reason, .. }) => {
                let at = Instant::now() + Duration::from_millis(*delay_ms);
                self.retries(Some((format!("{reason}, try {attempt} of {max}"), at)));
            }
            _ => {}
        }
    }

    /// The agent does something that says nothing about its tools; what failed before is over.
    fn acts(&mut self, activity: &str) {
        if self.activity.as_deref() != Some(activity) {
            self.activity = Some(activity.to_owned());
        }
        self.failure = None;
        self.retries(None);
    }

    fn retries(&mut self, retry: Option<(String, Instant)>) {
        if self.retry != retry {
            self.retry = retry;
            self.changed = true;
        }
    }

    fn tool(&mut self, index: usize, tool: &ToolCall) {
        self.retries(None);
        self.failure = match tool.status {
            ToolStatus::Error | ToolStatus::Denied => {
                Some(format!("{}: {}", tool.title, tool.error.as_deref().unwrap_or("failed")))
            }
            _ => None,
        };
        self.failed = self.failure.as_ref().map(|_| Instant::now());
        self.tools.insert(index, tool.clone());
        if self.tools.len() > MOST_TOOLS {
            self.tools.pop_first();
        }
        self.untold += 1;
        self.activity = Some(self.running_tool().unwrap_or("thinking").to_owned());
        self.changed = true;
    }

    fn take_tools(&mut self) -> Option<Value> {
        let untold = std::mem::take(&mut self.untold);
        (untold > 0).then(|| self.tools.values().map(|tool| value(json!(tool))).collect::<Vec<_>>().into())
    }

    fn running_tool(&self) -> Option<&str> {
        self.running().last().map(|(_, tool)| tool.title.as_str())
    }

    /// The public fields that the stream says.
    fn fields(&self) -> Fields {
        let text = |text: Option<&str>| text.map_or(Value::Nil, Value::from);
        [
            ("status", text(self.status)),
            ("resumes_at", self.resumes_at.map_or(Value::Nil, Value::from)),
            ("session_id", text(self.session_id.as_deref())),
            ("model", text(self.model.as_deref())),
            ("tool", text(self.running_tool())),
            (RETRY, text(self.retry.as_ref().map(|(words, _)| words.as_str()))),
        ]
    }
}
