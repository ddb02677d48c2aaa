//! Properties of the answers of every agent.

use super::Protocol;
use super::testing::{answer, code, message, run};
use crate::error::Code;
use crate::stream::MAX_ANSWER;

fn claude_message(text: &str) -> String {
    let message = serde_json::json!({"id": "m", "content": [{"type": "text", "text": text}]});
    serde_json::json!({"type": "assistant", "message": message}).to_string()
}

#[test]
fn an_answer_may_be_as_long_as_the_limit_and_no_longer() {
    let long = "x".repeat(MAX_ANSWER);
    let claude =
        |text: &str| serde_json::json!({"type": "result", "is_error": false, "result": text}).to_string();
    let droid = |text: &str| serde_json::json!({"type": "completion", "finalText": text}).to_string();
    for (protocol, line) in [
        (Protocol::Claude, &claude as &dyn Fn(&str) -> String),
        (Protocol::Droid, &droid),
        (Protocol::Text, &str::to_owned),
    ] {
        assert_eq!(answer(&run(protocol, &[&line(&long)]).1).len(), MAX_ANSWER);
        let (_, outcome) = run(protocol, &[&line(&format!("{long}x"))]);
        assert_eq!(code(&outcome), Code::Protocol);
        assert_eq!(message(&outcome), "answer longer than 16 MB: ask for less");
    }
}

#[test]
fn a_message_that_is_too_long_is_forgotten_with_the_next_one() {
    let long = claude_message(&"x".repeat(MAX_ANSWER + 1));
    let mut text = String::new();
    let kept = allocation_counter::measure(|| {
        let next = r#"{"type":"assistant","message":{"id":"n","content":[{"type":"text","text":"short"}]}}"#;
        text = answer(&run(Protocol::Claude, &[&long, next]).1).to_owned();
    });
    assert_eq!(text, "short");
    assert!(kept.bytes_current < 4096);
    let (_, outcome) = run(Protocol::Claude, &[&long]);
    assert!(message(&outcome).contains("longer than 16 MB"));
    let result = r#"{"type":"result","is_error":false,"result":"short"}"#;
    assert_eq!(answer(&run(Protocol::Claude, &[&long, result]).1), "short");
}
