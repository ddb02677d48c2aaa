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

/// Two jobs that are shown.
fn watched() -> PendingUpdates {
    let mut updates = PendingUpdates::default();
    for id in [1, 2] {
        updates.watch(id, None, false);
    }
    updates
}

/// What a frame says, as one readable line a job.
fn frame(updates: &mut PendingUpdates) -> Vec<String> {
    let frame = updates.frame().unwrap_or(Value::Array(Vec::new()));
    frame.as_array().unwrap().iter().map(|job| job.to_string().replace('"', "")).collect()
}

#[test]
fn a_frame_holds_the_newest_state_of_what_changed() {
    let mut updates = watched();
    updates.change(1, StateChange::Queued(None));
    updates.change(2, StateChange::Started);
    updates.change(1, StateChange::Started);
    updates.update(1, &text("a"));
    assert_eq!(
        frame(&mut updates),
        [
            "{id: 1, set: {status: running}, is_update: true}",
            "{id: 2, set: {status: running}, is_update: true}"
        ]
    );
    updates.update(1, &text("more"));
    assert!(!updates.is_changed, "text alone changes nothing that is shown");
}

#[test]
fn tools_are_told_where_one_has_changed() {
    let mut updates = watched();
    updates.update(1, &tool(0, ToolStatus::Running, None));
    updates.update(1, &tool(1, ToolStatus::Running, None));
    updates.frame();
    updates.update(1, &tool(1, ToolStatus::Error, Some("no such file")));
    assert_eq!(
        frame(&mut updates),
        ["{id: 1, set: {tool: Read 0.lua}, is_update: true, tools: [{id: 0, name: Read, status: running}, \
          {error: no such file, id: 1, name: Read, status: error}]}"]
    );
    let unfinished: Vec<_> =
        updates.job(1).unwrap().unfinished().into_iter().map(|(at, tool)| (at, tool.status)).collect();
    assert_eq!(unfinished, [(0, ToolStatus::Unfinished)]);
    updates.update(1, &text("so"));
    assert_eq!(frame(&mut updates), [""; 0]);
}

#[test]
fn a_finished_job_tells_nothing_more_and_is_forgotten() {
    let mut updates = watched();
    updates.change(1, StateChange::Started);
    updates.update(1, &tool(0, ToolStatus::Unfinished, None));
    assert!(updates.ended(1).is_some());
    updates.update(1, &text("late"));
    updates.frame();
    updates.change(1, StateChange::Gone);
    assert_eq!(frame(&mut updates), [""; 0]);
    assert!(updates.jobs.keys().eq(&[2]));
}

#[test]
fn a_job_whose_agent_never_ran_is_forgotten_too() {
    let mut updates = watched();
    updates.change(1, StateChange::Queued(None));
    updates.ended(1);
    updates.change(1, StateChange::Gone);
    updates.frame();
    assert!(updates.jobs.keys().eq(&[2]));
}

#[test]
fn shown_code_stays_when_a_tool_begins_and_goes_when_it_is_void() {
    let mut updates = watched();
    let void = Some(Vec::new());
    for (end, left) in [(tool(0, ToolStatus::Running, None), None), (Update::Restart, void.clone())] {
        updates.watch(1, Some(Capture::new(&sample::lines("rust", &["x"]), 2)), false);
        updates.update(1, &text("a"));
        updates.update(1, &end);
        assert_eq!(updates.job(1).unwrap().code(), left);
    }
    updates.watch(1, Some(Capture::new(&sample::lines("rust", &["x"]), 2)), false);
    updates.update(1, &text("a"));
    updates.change(1, StateChange::Queued(None));
    assert_eq!(updates.job(1).unwrap().code(), void);
}
