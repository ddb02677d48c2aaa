use super::*;
use crate::request::sample;
use crate::stream::{ToolCall, ToolStatus};

fn text(text: &str) -> Update {
    Update::Text { text: text.into(), begins: false }
}

fn tool(index: usize, status: ToolStatus, error: Option<&str>) -> Update {
    let title = format!("Read {index}.lua");
    let (id, name, error) = (index.to_string(), "Read".to_owned(), error.map(str::to_owned));
    Update::Tool { index, tool: ToolCall { id, name, status, error, title } }
}

fn update(frames: &mut Frames, id: u64, update: &Update) {
    frames.change(id, StateChange::Update(update));
}

/// What a frame says, as one readable line a job.
fn frame(frames: &mut Frames) -> Vec<String> {
    let frame = frames.take().unwrap_or(Value::Array(Vec::new()));
    frame.as_array().unwrap().iter().map(|job| job.to_string().replace('"', "")).collect()
}

#[test]
fn a_frame_holds_the_newest_state_of_what_changed() {
    let mut frames = Frames::default();
    frames.change(1, StateChange::Queued(None));
    frames.change(2, StateChange::Started);
    frames.change(1, StateChange::Started);
    update(&mut frames, 1, &text("a"));
    assert_eq!(
        frame(&mut frames),
        [
            "{id: 1, set: {status: running}, is_update: true}",
            "{id: 2, set: {status: running}, is_update: true}"
        ]
    );
    update(&mut frames, 1, &text("more"));
    assert_eq!(frames.due(), None, "text alone changes nothing that is shown");
}

#[test]
fn tools_are_told_where_one_has_changed() {
    let mut frames = Frames::default();
    update(&mut frames, 1, &tool(0, ToolStatus::Running, None));
    update(&mut frames, 1, &tool(1, ToolStatus::Running, None));
    frames.take();
    update(&mut frames, 1, &tool(1, ToolStatus::Error, Some("no such file")));
    assert_eq!(
        frame(&mut frames),
        ["{id: 1, set: {tool: Read 0.lua}, is_update: true, tools: [{id: 0, name: Read, status: running}, \
          {error: no such file, id: 1, name: Read, status: error}]}"]
    );
    let unfinished: Vec<_> = frames.unfinished(1).into_iter().map(|(at, tool)| (at, tool.status)).collect();
    assert_eq!(unfinished, [(0, ToolStatus::Unfinished)]);
    update(&mut frames, 1, &text("so"));
    assert_eq!(frame(&mut frames), [""; 0]);
}

#[test]
fn a_finished_job_tells_nothing_more_and_is_forgotten() {
    let mut frames = Frames::default();
    frames.change(1, StateChange::Started);
    update(&mut frames, 1, &tool(0, ToolStatus::Unfinished, None));
    assert!(frames.finish(1).is_some());
    update(&mut frames, 1, &text("late"));
    frames.take();
    frames.change(1, StateChange::Gone);
    assert_eq!(frame(&mut frames), [""; 0]);
    assert!(frames.jobs.is_empty());
}

#[test]
fn a_job_whose_agent_never_ran_is_forgotten_too() {
    let mut frames = Frames::default();
    frames.change(1, StateChange::Queued(None));
    frames.finish(1);
    frames.change(1, StateChange::Gone);
    frames.take();
    assert!(frames.jobs.is_empty());
}

#[test]
fn shown_code_stays_when_a_tool_begins_and_goes_when_it_is_void() {
    let mut frames = Frames::default();
    let void = Some(Vec::new());
    for (end, left) in [(tool(0, ToolStatus::Running, None), None), (Update::Restart, void.clone())] {
        frames.preview(1, Capture::new(&sample::lines("rust", &["x"]), 2));
        frames.change(1, StateChange::Update(&text("a")));
        frames.change(1, StateChange::Update(&end));
        assert_eq!(frames.job(1).unwrap().code(), left);
    }
    frames.preview(1, Capture::new(&sample::lines("rust", &["x"]), 2));
    frames.change(1, StateChange::Update(&text("a")));
    frames.change(1, StateChange::Queued(None));
    assert_eq!(frames.job(1).unwrap().code(), void);
}
