//! Helpers for the tests of agents: a stream in, its outcome out.

use super::{AgentCommand, AgentStart, Invocation, Protocol};
use crate::error::Code;
use crate::stream::{Line, Outcome, ProcessEnd, Stream, ToolStatus, Update};

/// Reads these lines, then ends with exit code 0.
pub fn run(protocol: Protocol, lines: &[&str]) -> (Vec<Update>, Outcome) {
    run_with(protocol, lines, &ProcessEnd::with_code(0))
}

/// Reads these lines, then ends like this.
pub fn run_with(protocol: Protocol, lines: &[&str], end: &ProcessEnd) -> (Vec<Update>, Outcome) {
    let mut updates = Vec::new();
    let mut emit = |update: Update| updates.push(update);
    let mut stream = Stream::new(protocol.recipe().recorded(), "/home/dev/project");
    for line in lines {
        stream.take(Line::Whole(line.as_bytes()), &mut emit);
    }
    let outcome = stream.end(end, &mut emit);
    (updates, outcome)
}

/// The answer of an outcome that has one.
pub fn answer(outcome: &Outcome) -> &str {
    outcome.text.as_deref().unwrap_or_else(|| panic!("no answer: {:?}", outcome.error))
}

/// The error of an outcome that has one.
pub fn code(outcome: &Outcome) -> Code {
    outcome.error.as_ref().map_or_else(|| panic!("no error: {:?}", outcome.text), |error| error.code)
}

/// In a few words what it came to: the answer, why it is held before it, or the code of the error.
pub fn came_to(outcome: &Outcome) -> String {
    match (&outcome.text, outcome.held_for) {
        (Some(text), Some(doubt)) => format!("{doubt:?}: {text}"),
        (Some(text), None) => text.clone(),
        (None, _) => format!("! {}", code(outcome).name()),
    }
}

/// The message of an outcome's error.
pub fn message(outcome: &Outcome) -> &str {
    &outcome.error.as_ref().unwrap().message
}

/// All that observers got to read.
pub fn shown(updates: &[Update]) -> String {
    updates
        .iter()
        .filter_map(|update| if let Update::Text { text, .. } = update { Some(text.as_str()) } else { None })
        .collect()
}

/// Each call's id, status and reason.
pub fn tools(outcome: &Outcome) -> Vec<(&str, ToolStatus, Option<&str>)> {
    outcome.tools.iter().map(|tool| (tool.id.as_str(), tool.status, tool.error.as_deref())).collect()
}

/// An agent with an argument of the user's.
pub fn command(name: &str, protocol: Protocol) -> AgentCommand {
    AgentCommand {
        name: name.to_owned(),
        protocol,
        command: vec![name.to_owned()],
        args: vec!["--mine".to_owned()],
        ..AgentCommand::default()
    }
}

/// It is started in a project that is not trusted, with no tools and no limits.
pub fn start(agent: AgentCommand) -> AgentStart {
    AgentStart { agent, cwd: "/home/dev/project".into(), ..AgentStart::default() }
}

/// With these rules.
pub fn invocation(start: &AgentStart) -> Invocation {
    let (start, directory) = (start.clone(), start.cwd.clone());
    Invocation { start, directory, system: "the rules", ..Invocation::default() }
}

/// All that an agent is sent that only prints, with its message.
pub fn input(start: &AgentStart, message: &str) -> Vec<u8> {
    let mut decoder = invocation(start).decoder();
    decoder.dialogue.begin();
    decoder.dialogue.say(message, &mut |_| {});
    assert!(decoder.dialogue.input().is_over());
    decoder.dialogue.input().take()
}
