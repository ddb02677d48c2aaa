//! The command line of the CLI, and its input.

use super::*;
use crate::agent::{self, testing};
use crate::agent::{AgentCommand, AgentStart, Resume};

#[test]
fn the_projects_own_settings_stay_out_unless_trusted() {
    // Also in a session that began while the project was trusted.
    let resume = Resume { session_id: "s1".to_owned(), at: None };
    for resume in [None, Some(&resume)] {
        let untrusted = arguments_of(resume, |_| {});
        assert!(untrusted.windows(2).any(|pair| pair == ["--setting-sources", "user"]), "{untrusted:?}");
    }
    let trusted = arguments_of(None, |start| start.trust_project = true);
    assert!(!trusted.iter().any(|argument| argument == "--setting-sources"), "{trusted:?}");
}

fn arguments_of(resume: Option<&Resume>, change: impl FnOnce(&mut AgentStart)) -> Vec<String> {
    let command =
        AgentCommand { model: Some("opus".to_owned()), ..testing::command("claude", Protocol::Claude) };
    let mut start = AgentStart {
        tools: ["Read", "Grep"].map(str::to_owned).into(),
        max_turns: Some(3),
        max_cost_usd: Some(0.25),
        resume: resume.cloned(),
        ..testing::start(command)
    };
    change(&mut start);
    assert_eq!(start.directory(), agent::Directory::Project);
    let input = String::from_utf8(testing::input(&start, "the \"code\"\n")).unwrap();
    assert_eq!(
        input,
        "{\"message\":{\"content\":[{\"text\":\"the \\\"code\\\"\\n\",\"type\":\"text\"}],\"role\":\"user\"},\"type\":\"user\"}\n"
    );
    testing::invocation(&start).arguments()
}

#[test]
fn the_argument_vector_is_the_command_the_flags_and_the_users_arguments() {
    let arguments = arguments_of(None, |_| {}).join(" ");
    assert_eq!(
        arguments,
        "claude -p --verbose --output-format stream-json --input-format stream-json --replay-user-messages \
         --include-partial-messages --strict-mcp-config --permission-mode default --setting-sources user --model opus --max-turns 3 \
         --max-budget-usd 0.25 --tools Read,Grep --append-system-prompt the rules --mine"
    );
}

#[test]
fn a_session_goes_on_in_a_fork() {
    let flags = |at: Option<&str>| {
        let resume = Resume { session_id: "s1".to_owned(), at: at.map(str::to_owned) };
        arguments_of(Some(&resume), |_| {}).join(" ")
    };
    let (whole, back) = (flags(None), flags(Some("m1")));
    assert!(whole.contains(" --resume s1 --fork-session --tools "), "{whole}");
    assert!(back.contains(" --resume s1 --fork-session --resume-session-at m1 --tools "), "{back}");
}
