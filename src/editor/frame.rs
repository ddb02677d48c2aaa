//! What the editor is shown of the running jobs: one small state a job, of which only the newest counts.
//!
//! Pure: updates are folded in, and a frame with everything that changed is taken out. However much the
//! agents print, and however long the editor is blocked, this holds one entry a job.

use std::collections::{BTreeMap, BTreeSet};

use rmpv::Value;

use super::value::{self, Map};
use crate::stream::{ToolCall, ToolStatus, Update};

/// What can happen to a job's state besides what its stream says.
#[derive(Debug)]
pub enum Change {
    /// It waits as number `position` (from 1) for others to end.
    Queued {
        /// Its place among those that wait.
        position: usize,
    },
    /// Its agent runs.
    Started {
        /// The agent's process group.
        pgid: i32,
    },
    /// Its stream said something.
    Update(Update),
    /// Nothing of its agent is left.
    Gone,
}

/// The states of all jobs, with what changed since the last frame.
#[derive(Debug, Default)]
pub struct Frames {
    jobs: BTreeMap<u64, State>,
}

#[derive(Debug, Default, PartialEq)]
struct State {
    changed: bool,
    finished: bool,
    status: Option<&'static str>,
    queue_position: Option<usize>,
    activity: Option<String>,
    failure: Option<String>,
    retry: Option<Value>,
    session_id: Option<String>,
    model: Option<String>,
    pgid: Option<i32>,
    gone: bool,
    tools: BTreeMap<usize, ToolCall>,
    tools_changed: BTreeSet<usize>,
}

impl Frames {
    /// Folds a change in.
    pub fn change(&mut self, id: u64, change: Change) {
        let state = self.jobs.entry(id).or_default();
        match change {
            Change::Queued { position } => {
                state.set(|s| (&mut s.status, &mut s.queue_position), (Some("queued"), Some(position)));
            }
            Change::Started { pgid } => {
                state.set(|s| (&mut s.status, &mut s.queue_position), (Some("running"), None));
                state.pgid = Some(pgid);
                state.activity = Some("starting".to_owned());
            }
            Change::Update(update) => state.update(update),
            Change::Gone => {
                state.gone = true;
                state.changed |= state.pgid.is_some();
            }
        }
    }

    /// The tools that changed since the last frame, and from now on nothing but the end of the agent is
    /// told of this job: what else there was goes with the `finish` call. A tool that still runs is `unfinished`:
    /// the outcome may be decided before the stream's end, which would say so.
    pub fn finish(&mut self, id: u64) -> Value {
        let Some(state) = self.jobs.get_mut(&id) else { return Value::Array(Vec::new()) };
        state.finished = true;
        for (&index, tool) in &mut state.tools {
            if tool.status == ToolStatus::Running {
                tool.status = ToolStatus::Unfinished;
                state.tools_changed.insert(index);
            }
        }
        state.changed = state.gone && state.pgid.is_some();
        state.take_tools()
    }

    /// Whether there is anything to tell.
    pub fn is_changed(&self) -> bool {
        self.jobs.values().any(|state| state.changed)
    }

    /// Everything that changed, as the argument of `apply.frame`; jobs that are over are forgotten.
    pub fn take(&mut self) -> Value {
        let changed = self.jobs.iter_mut().filter(|(_, state)| state.changed);
        let frame = changed.map(|(&id, state)| state.take(id)).collect();
        self.jobs.retain(|_, state| !(state.finished && state.gone && !state.changed));
        Value::Array(frame)
    }
}

impl State {
    fn set<A: PartialEq, B: PartialEq>(
        &mut self,
        fields: impl FnOnce(&mut Self) -> (&mut A, &mut B),
        (a, b): (A, B),
    ) {
        let (old_a, old_b) = fields(self);
        let changed = *old_a != a || *old_b != b;
        (*old_a, *old_b) = (a, b);
        self.changed |= changed;
    }

    fn update(&mut self, update: Update) {
        if self.finished {
            return;
        }
        match update {
            Update::Session { id, model } => {
                let (id, model) = (id.or(self.session_id.take()), model.or(self.model.take()));
                self.set(|s| (&mut s.session_id, &mut s.model), (id, model));
            }
            Update::Text { .. } => self.acts("writing"),
            Update::Thinking { .. } => self.acts("thinking"),
            Update::Tool { index, tool } => self.tool(index, tool),
            Update::Retry { attempt, max, delay_ms, reason } => {
                let retry = Map::default().with("attempt", attempt).with("max", max);
                self.retry = Some(retry.with("delay_ms", delay_ms).with("reason", reason).build());
                self.changed = true;
            }
            _ => {}
        }
    }

    /// The agent does something that says nothing about its tools; what failed before is over.
    fn acts(&mut self, activity: &str) {
        if self.activity.as_deref() != Some(activity) || self.failure.is_some() || self.retry.is_some() {
            self.activity = Some(activity.to_owned());
            self.failure = None;
            self.retry = None;
            self.changed = true;
        }
    }

    fn tool(&mut self, index: usize, tool: ToolCall) {
        self.retry = None;
        self.failure = match tool.status {
            ToolStatus::Error | ToolStatus::Denied => {
                Some(format!("{}: {}", tool.title, tool.error.as_deref().unwrap_or("failed")))
            }
            _ => None,
        };
        self.tools.insert(index, tool);
        self.tools_changed.insert(index);
        self.activity = Some(self.running_tool().unwrap_or("thinking").to_owned());
        self.changed = true;
    }

    fn take_tools(&mut self) -> Value {
        let changed = std::mem::take(&mut self.tools_changed);
        let changed = changed.iter().filter_map(|index| Some((*index, self.tools.get(index)?)));
        Value::Array(changed.map(|(index, tool)| value::tool(index, tool)).collect())
    }

    fn running_tool(&self) -> Option<&str> {
        let running = self.tools.values().rev().find(|tool| tool.status == ToolStatus::Running);
        running.map(|tool| tool.title.as_str())
    }

    fn take(&mut self, id: u64) -> Value {
        self.changed = false;
        let pgid = match (self.pgid, self.gone) {
            (Some(_), true) => Some(Value::Boolean(false)),
            (pgid, _) => pgid.map(Value::from),
        };
        let map = Map::default().with("id", id).with_some("pgid", pgid);
        if self.finished {
            return map.build();
        }
        map.with_some("status", self.status)
            .with_some("queue_position", self.queue_position.map(|position| position as u64))
            .with_some("activity", self.activity.as_deref())
            .with_some("tool", self.running_tool())
            .with_some("failure", self.failure.as_deref())
            .with_some("retry", self.retry.clone())
            .with_some("session_id", self.session_id.as_deref())
            .with_some("model", self.model.as_deref())
            .with("tools", self.take_tools())
            .build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Change {
        Change::Update(Update::Text { text: text.to_owned() })
    }

    fn tool(index: usize, status: ToolStatus, error: Option<&str>) -> Change {
        let title = format!("Read {index}.lua");
        let (id, name, error) = (index.to_string(), "Read".to_owned(), error.map(str::to_owned));
        Change::Update(Update::Tool { index, tool: ToolCall { id, name, status, error, title } })
    }

    /// What a frame says, as one readable line a job.
    fn frame(frames: &mut Frames) -> Vec<String> {
        let frame = frames.take();
        frame.as_array().unwrap().iter().map(|job| job.to_string().replace('"', "")).collect()
    }

    #[test]
    fn a_frame_holds_the_newest_state_of_what_changed() {
        let mut frames = Frames::default();
        frames.change(1, Change::Queued { position: 1 });
        frames.change(2, Change::Started { pgid: 77 });
        frames.change(1, Change::Started { pgid: 78 });
        frames.change(1, text("a"));
        assert_eq!(
            frame(&mut frames),
            [
                "{id: 1, pgid: 78, status: running, activity: writing, tools: []}",
                "{id: 2, pgid: 77, status: running, activity: starting, tools: []}"
            ]
        );
        frames.change(1, text("more"));
        assert!(!frames.is_changed(), "text alone changes nothing that is shown");
    }

    #[test]
    fn only_changed_tools_are_told() {
        let mut frames = Frames::default();
        frames.change(1, tool(0, ToolStatus::Running, None));
        frames.change(1, tool(1, ToolStatus::Running, None));
        frames.take();
        frames.change(1, tool(1, ToolStatus::Error, Some("no such file")));
        assert_eq!(
            frame(&mut frames),
            ["{id: 1, activity: Read 0.lua, tool: Read 0.lua, failure: Read 1.lua: no such file, \
              tools: [{index: 2, id: 1, name: Read, status: error, error: no such file, title: Read 1.lua}]}"]
        );
        frames.change(1, tool(0, ToolStatus::Ok, None));
        frames.change(1, text("so"));
        assert_eq!(
            frame(&mut frames),
            ["{id: 1, activity: writing, \
              tools: [{index: 1, id: 0, name: Read, status: ok, title: Read 0.lua}]}"]
        );
    }

    #[test]
    fn a_finished_job_tells_only_that_its_agent_is_gone_and_is_forgotten() {
        let mut frames = Frames::default();
        frames.change(1, Change::Started { pgid: 77 });
        frames.change(1, tool(0, ToolStatus::Unfinished, None));
        assert_eq!(frames.finish(1).as_array().unwrap().len(), 1);
        frames.change(1, text("late"));
        frames.take();
        frames.change(1, Change::Gone);
        assert_eq!(frame(&mut frames), ["{id: 1, pgid: false}"]);
        assert!(frames.jobs.is_empty());
    }

    #[test]
    fn no_tool_of_a_finished_job_is_running() {
        let mut frames = Frames::default();
        frames.change(1, tool(0, ToolStatus::Ok, None));
        frames.change(1, tool(1, ToolStatus::Running, None));
        frames.take();
        let told = frames.finish(1).to_string().replace('"', "");
        assert_eq!(told, "[{index: 2, id: 1, name: Read, status: unfinished, title: Read 1.lua}]");
    }

    #[test]
    fn a_job_whose_agent_never_ran_is_forgotten_too() {
        let mut frames = Frames::default();
        frames.change(1, Change::Queued { position: 1 });
        frames.finish(1);
        frames.change(1, Change::Gone);
        frames.take();
        assert!(frames.jobs.is_empty());
    }
}
