//! What the editor is shown of the running jobs: one small state a job, of which only the newest counts.
//!
//! Pure: updates are folded in, and a frame with everything that changed is taken out. However much the
//! agents print, and however long the editor is blocked, this holds one entry a job.

use std::collections::{BTreeMap, BTreeSet};

use rmpv::Value;

use super::preview::Preview;
use super::value::{self, Map};
use crate::land::Capture;
use crate::stream::{ToolCall, ToolStatus, Update};

/// What can happen to a job's state besides what its stream says.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
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
    Update(&'a Update<'a>),
    /// Nothing of its agent is left.
    Gone,
}

/// The states of all jobs, with what changed since the last frame.
#[derive(Debug, Default)]
pub struct Frames {
    jobs: BTreeMap<u64, State>,
    /// Whether a job may have changed; looked at with every word that an agent says.
    is_changed: bool,
}

#[derive(Debug, Default)]
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
    preview: Option<Preview>,
}

impl Frames {
    /// From now on the newest lines of what the job writes are shown; dropping them ends that.
    pub fn preview(&mut self, id: u64, capture: Capture) {
        let state = self.jobs.entry(id).or_default();
        state.preview = Some(Preview::new(capture));
    }

    /// More of the code that is shown.
    pub fn write(&mut self, id: u64, update: &Update<'_>) {
        let state = self.jobs.get_mut(&id).filter(|state| !state.finished);
        if let Some(preview) = state.and_then(|state| state.preview.as_mut()) {
            preview.update(update);
            self.is_changed |= preview.has_more();
        }
    }

    /// Folds a change in.
    pub fn change(&mut self, id: u64, change: Change<'_>) {
        let state = self.jobs.entry(id).or_default();
        match change {
            Change::Queued { position } => {
                state.set(|s| (&mut s.status, &mut s.queue_position), (Some("queued"), Some(position)));
            }
            Change::Started { pgid } => {
                state.set(|s| (&mut s.status, &mut s.queue_position), (Some("running"), None));
                state.pgid = Some(pgid);
                // It may have spoken before the host heard that it runs.
                state.activity.get_or_insert_with(|| "starting".to_owned());
            }
            Change::Update(update) => state.update(update),
            Change::Gone => {
                state.gone = true;
                state.changed |= state.pgid.is_some();
            }
        }
        self.is_changed |= state.is_changed();
    }

    /// The tools that changed since the last frame, and from now on nothing but the end of the agent is
    /// told of this job: what else there was goes with the `finish` call. A tool that still runs is `unfinished`:
    /// the outcome may be decided before the stream's end, which would say so.
    pub fn finish(&mut self, id: u64) -> Value {
        let Some(state) = self.jobs.get_mut(&id) else { return Value::Array(Vec::new()) };
        state.finished = true;
        state.preview = None;
        for (&index, tool) in &mut state.tools {
            if tool.status == ToolStatus::Running {
                tool.status = ToolStatus::Unfinished;
                state.tools_changed.insert(index);
            }
        }
        state.changed = state.gone && state.pgid.is_some();
        self.is_changed |= state.changed;
        state.take_tools()
    }

    /// Whether there is anything to tell.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Everything that changed, as the argument of `apply.frame`; jobs that are over are forgotten.
    pub fn take(&mut self) -> Option<Value> {
        self.is_changed = false;
        let changed = self.jobs.iter_mut().filter(|(_, state)| state.is_changed());
        let frame: Vec<Value> = changed.filter_map(|(&id, state)| state.take(id)).collect();
        self.jobs.retain(|_, state| !(state.finished && state.gone && !state.changed));
        if frame.is_empty() { None } else { Some(Value::Array(frame)) }
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

    fn is_changed(&self) -> bool {
        self.changed || self.preview.as_ref().is_some_and(Preview::has_more)
    }

    fn update(&mut self, update: &Update<'_>) {
        if self.finished {
            return;
        }
        match update {
            Update::Session { id, model } => {
                let id = id.clone().or(self.session_id.take());
                let model = model.clone().or(self.model.take());
                self.set(|s| (&mut s.session_id, &mut s.model), (id, model));
            }
            Update::Text { .. } => self.acts("writing"),
            Update::Thinking { .. } => self.acts("thinking"),
            Update::Tool { index, tool } => self.tool(*index, tool),
            Update::Retry { attempt, max, delay_ms, reason } => {
                let retry = Map::default().with("attempt", *attempt).with("max", *max);
                self.retry = Some(retry.with("delay_ms", *delay_ms).with("reason", reason.as_str()).build());
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

    fn tool(&mut self, index: usize, tool: &ToolCall) {
        self.retry = None;
        self.failure = match tool.status {
            ToolStatus::Error | ToolStatus::Denied => {
                Some(format!("{}: {}", tool.title, tool.error.as_deref().unwrap_or("failed")))
            }
            _ => None,
        };
        self.tools.insert(index, tool.clone());
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

    /// What is told of the job: all of its state where that changed, else only what is new of its code.
    fn take(&mut self, id: u64) -> Option<Value> {
        let preview = self.preview.as_mut().and_then(Preview::take);
        if self.changed {
            return Some(self.whole(id).with_some("preview", preview).build());
        }
        preview.map(|lines| Map::default().with("id", id).with("preview", lines).build())
    }

    fn whole(&mut self, id: u64) -> Map {
        self.changed = false;
        let pgid = match (self.pgid, self.gone) {
            (Some(_), true) => Some(Value::Boolean(false)),
            (pgid, _) => pgid.map(Value::from),
        };
        let map = Map::default().with("id", id).with_some("pgid", pgid);
        if self.finished {
            return map;
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::sample;

    fn text(text: &str) -> Update<'_> {
        Update::Text { text: text.into(), begins: false }
    }

    fn tool(index: usize, status: ToolStatus, error: Option<&str>) -> Update<'static> {
        let title = format!("Read {index}.lua");
        let (id, name, error) = (index.to_string(), "Read".to_owned(), error.map(str::to_owned));
        Update::Tool { index, tool: ToolCall { id, name, status, error, title } }
    }

    fn update(frames: &mut Frames, id: u64, update: &Update<'_>) {
        frames.change(id, Change::Update(update));
    }

    /// What a frame says, as one readable line a job.
    fn frame(frames: &mut Frames) -> Vec<String> {
        let frame = frames.take().unwrap_or(Value::Array(Vec::new()));
        frame.as_array().unwrap().iter().map(|job| job.to_string().replace('"', "")).collect()
    }

    #[test]
    fn a_frame_holds_the_newest_state_of_what_changed() {
        let mut frames = Frames::default();
        frames.change(1, Change::Queued { position: 1 });
        frames.change(2, Change::Started { pgid: 77 });
        frames.change(1, Change::Started { pgid: 78 });
        update(&mut frames, 1, &text("a"));
        assert_eq!(
            frame(&mut frames),
            [
                "{id: 1, pgid: 78, status: running, activity: writing, tools: []}",
                "{id: 2, pgid: 77, status: running, activity: starting, tools: []}"
            ]
        );
        update(&mut frames, 1, &text("more"));
        assert!(!frames.is_changed(), "text alone changes nothing that is shown");
    }

    #[test]
    fn only_changed_tools_are_told() {
        let mut frames = Frames::default();
        update(&mut frames, 1, &tool(0, ToolStatus::Running, None));
        update(&mut frames, 1, &tool(1, ToolStatus::Running, None));
        frames.take();
        update(&mut frames, 1, &tool(1, ToolStatus::Error, Some("no such file")));
        assert_eq!(
            frame(&mut frames),
            ["{id: 1, activity: Read 0.lua, tool: Read 0.lua, failure: Read 1.lua: no such file, \
              tools: [{index: 2, id: 1, name: Read, status: error, error: no such file, title: Read 1.lua}]}"]
        );
        update(&mut frames, 1, &tool(0, ToolStatus::Ok, None));
        update(&mut frames, 1, &text("so"));
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
        update(&mut frames, 1, &tool(0, ToolStatus::Unfinished, None));
        assert_eq!(frames.finish(1).as_array().unwrap().len(), 1);
        update(&mut frames, 1, &text("late"));
        frames.take();
        frames.change(1, Change::Gone);
        assert_eq!(frame(&mut frames), ["{id: 1, pgid: false}"]);
        assert!(frames.jobs.is_empty());
    }

    #[test]
    fn no_tool_of_a_finished_job_is_running() {
        let mut frames = Frames::default();
        update(&mut frames, 1, &tool(0, ToolStatus::Ok, None));
        update(&mut frames, 1, &tool(1, ToolStatus::Running, None));
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

    #[test]
    fn the_newest_code_is_told_when_it_changed_and_alone_where_nothing_else_did() {
        let mut frames = Frames::default();
        frames.preview(1, Capture::new(&sample::lines("rust", &["x"]), 2));
        let write = |frames: &mut Frames, piece: &str| {
            frames.change(1, Change::Update(&text(piece)));
            frames.write(1, &text(piece));
        };
        write(&mut frames, "```\na\nb");
        write(&mut frames, "c\nd");
        assert_eq!(frame(&mut frames), ["{id: 1, activity: writing, tools: [], preview: [bc, d]}"]);
        write(&mut frames, "e");
        assert_eq!(frame(&mut frames), ["{id: 1, preview: [bc, de]}"]);
        write(&mut frames, "\n``");
        assert!(frames.take().is_none(), "there is nothing new to see");
        assert!(!frames.is_changed());
        frames.write(1, &tool(0, ToolStatus::Running, None));
        assert_eq!(frame(&mut frames), ["{id: 1, preview: []}"]);
    }
}
