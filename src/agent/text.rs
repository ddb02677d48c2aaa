//! Any program that answers on standard output: every line is the answer, and exit code 0 is success.
//!
//! It has no flags that everybody shares, so its command is started as the user wrote it; the rules and the
//! message come on standard input.

use super::one_way::OneWay;
use super::{Isolation, Protocol, Recipe, ResumeSupport};
use crate::stream::event::{Event, Piece};
use crate::stream::failure::AgentLabel;
use crate::stream::{LineStatus, OnEvent, UsageScope};

/// Of an agent of which nothing is known.
pub const RECIPE: Recipe = Recipe {
    name: "text",
    protocol: Protocol::Text,
    label: AgentLabel { name: "the agent", login: "its own login command" },
    keeps: "nothing: it does what its program does",
    isolation: Isolation::None,
    resume: ResumeSupport::None,
    open: None,
    login_variables: &[],
    login_file: None,
    flags: |_| Vec::new(),
    env: |_| Vec::new(),
    dialogue: |invocation| OneWay::boxed(read, input, invocation),
    block_separator: "\n",
    waits: false,
    agent_name: None,
    package: "",
    tried: [0; 3],
    mode: None,
    policy: None,
    has_message_ids: false,
    reports_failures: false,
    has_notices: false,
    repeats_at_limit: false,
    asks_for_title: false,
    tokens: UsageScope::Run,
};

fn input(system: &str, message: &str) -> Vec<u8> {
    format!("{system}\n\n{message}").into_bytes()
}

/// All lines are one message.
fn read(line: &[u8], each: OnEvent<'_>) -> LineStatus {
    each(Event::Text { piece: Piece::Whole, message: Some("".into()), text: String::from_utf8_lossy(line) });
    LineStatus::Parsed
}

#[cfg(test)]
mod tests {
    use crate::agent::Protocol;
    use crate::agent::testing::{code, message, run_with};
    use crate::error::Code;
    use crate::stream::ProcessEnd;

    #[test]
    fn a_bad_end_is_no_answer() {
        for end in [ProcessEnd::with_code(2), ProcessEnd::with_signal(9)] {
            let (_, outcome) =
                run_with(Protocol::Text, &["half"], &ProcessEnd { stderr: "why".to_owned(), ..end });
            assert_eq!(code(&outcome), Code::Exited);
            assert!(message(&outcome).contains(": why"), "{}", message(&outcome));
        }
    }

    #[test]
    fn a_failure_that_is_told_on_standard_output_is_quoted() {
        let (_, outcome) =
            run_with(Protocol::Text, &["Loading", "error: no such model"], &ProcessEnd::with_code(1));
        assert!(message(&outcome).contains(": error: no such model; "), "{}", message(&outcome));
    }
}
