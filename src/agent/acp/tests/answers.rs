//! The answer among the texts of a turn, and the host's replies to the requests of an agent.

use std::time::Duration;

use super::*;

#[test]
fn every_request_of_the_agent_gets_one_answer_under_its_own_id() {
    let mut talk = Talk::prompted("qwen");
    let asked = talk.sent.len();
    talk.asks(&json!(0), "c1", &["allow_once", "reject_always", "reject_once"]);
    talk.asks(&json!("a\"b"), "c2", &["allow_once", "reject_always"]);
    talk.asks(&json!(7), "c3", &["allow_once"]);
    talk.hear(r#"{"params":{"path":"/etc/passwd"},"method":"fs/read_text_file","id":"x"}"#);
    talk.hear(r#"{"method":"craft/drainMidTurnQueue","id":0}"#);
    talk.hear(r#"{"method":"_auth/status_update","params":{}}"#);
    talk.hear(r#"{"method":"session/update","id":null,"params":{}}"#);
    let outcomes: Vec<(&Value, &Value)> =
        talk.sent[asked..].iter().map(|line| (&line["id"], &line["result"]["outcome"]["optionId"])).collect();
    let none = &Value::Null;
    let expected = [
        (&json!(0), &json!("the reject_once")),
        (&json!("a\"b"), &json!("the reject_always")),
        (&json!(7), none),
        (&json!("x"), none),
        (&json!(0), none),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(talk.sent[asked + 2]["result"], json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(talk.sent[asked + 3]["error"]["code"], -32601);
    let outcome = talk.ends("end_turn");
    assert_eq!(code(&outcome), Code::PermissionDenied);
    assert!(message(&outcome).contains("touch x"), "{}", message(&outcome));
    assert!(outcome.tools.iter().all(|tool| tool.status == ToolStatus::Denied));
}

#[test]
fn only_what_comes_between_prompt_and_result_in_our_session_counts() {
    let mut talk = Talk::ready("none");
    talk.text(None, "history");
    talk.say("the message");
    talk.hear(
        &json!({"method": "session/update", "params": {"sessionId": "s2", "update": {
            "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "another's"}}}})
        .to_string(),
    );
    talk.text(None, "ours");
    // `3.0` is the same number.
    let id = talk.sent.last().unwrap()["id"].as_f64();
    talk.hear(&json!({"id": id, "result": {"stopReason": "end_turn"}}).to_string());
    talk.text(None, " late");
    talk.text(Some("m"), "another message");
    talk.asks(&json!(0), "c1", &["reject_once"]);
    talk.hear(&json!({"id": id, "result": {"stopReason": "refusal"}}).to_string());
    assert!(talk.stream.is_closing() && !talk.stream.decided());
    talk.stream.close(&mut |_| {});
    talk.text(None, " too late");
    assert_eq!(answer(&talk.end()), "ours late");
}

#[test]
fn what_may_have_a_hole_is_held_and_what_came_late_is_all() {
    let mut talk = Talk::prompted("none");
    talk.text(None, "a");
    let image = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": ""}});
    talk.update(&image);
    talk.text(None, "b");
    assert_eq!(came_to(&talk.ends("end_turn")), "Raw: a\nb");
    let mut talk = Talk::prompted("none");
    talk.hear(r#"{"jsonrpc":"2.0","meth"#);
    talk.text(Some("m"), "the rest");
    assert_eq!(came_to(&talk.ends("end_turn")), "! protocol");
    let mut talk = Talk::prompted("none");
    let id = talk.sent.last().unwrap()["id"].clone();
    talk.hear(&json!({"id": id, "result": {"stopReason": "end_turn"}}).to_string());
    talk.text(Some("m"), "all");
    talk.text(Some("m"), " of it");
    assert_eq!(answer(&talk.end()), "all of it");
    let mut talk = Talk::prompted("none");
    talk.refuse(&json!("overloaded"));
    assert_eq!(came_to(&talk.end()), "! overloaded");
}

#[test]
fn a_character_may_come_in_two_chunks() {
    let mut talk = Talk::prompted("none");
    for text in [r"a\ud83d", r"\ude00", r"\\ud83d", r"\ud83d", "b"] {
        let update = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"TEXT"}}"#;
        let params = format!(r#"{{"sessionId":"s1","update":{}}}"#, update.replace("TEXT", text));
        talk.hear(&format!(r#"{{"method":"session/update","params":{params}}}"#));
    }
    assert_eq!(answer(&talk.ends("end_turn")), "a😀\\ud83d\u{fffd}b");
}

#[test]
fn a_read_within_the_project_is_allowed_and_nothing_else() {
    let asked = |call: Value| {
        let is_inside = |project: &Path, path: &Path| path.starts_with(project);
        let mut talk = Talk::new(&Invocation { is_inside: Some(is_inside), ..opening("copilot") });
        for reply in [json!({"protocolVersion": 1}), json!({"sessionId": "s1"})] {
            talk.reply(&reply);
        }
        talk.say("the message");
        let options = json!([
            {"optionId": "yes", "kind": "allow_once"}, {"optionId": "ever", "kind": "allow_always"},
            {"optionId": "no", "kind": "reject_once"},
        ]);
        let params = json!({"sessionId": "s1", "toolCall": call, "options": options});
        talk.hear(&json!({"id": 7, "method": "session/request_permission", "params": params}).to_string());
        talk.sent.last().unwrap()["result"]["outcome"]["optionId"].clone()
    };
    let path = |path: &str| json!([{"path": path}]);
    for (call, expected) in [
        (json!({"toolCallId": "a", "kind": "read", "locations": path("/project/a")}), "yes"),
        (json!({"toolCallId": "a", "kind": "search", "rawInput": {"path": "/project/a"}}), "yes"),
        (json!({"toolCallId": "a", "kind": "read", "locations": path("/etc/passwd")}), "no"),
        (
            json!({"toolCallId": "a", "kind": "read", "locations": path("/project/a"), "rawInput": {"filePath": "/x"}}),
            "no",
        ),
        (
            json!({"toolCallId": "a", "kind": "read", "locations": path("/project/a"), "rawInput": {"paths": ["/x"]}}),
            "no",
        ),
        (
            json!({"toolCallId": "a", "kind": "search", "locations": path("/project"), "rawInput": {"pattern": "/etc/*"}}),
            "no",
        ),
        (
            json!({"toolCallId": "a", "kind": "search", "locations": path("/project"), "rawInput": {"pattern": "../**"}}),
            "no",
        ),
        (json!({"toolCallId": "a", "kind": "edit", "locations": path("/project/a")}), "no"),
        (json!({"toolCallId": "a", "kind": "read"}), "no"),
    ] {
        assert_eq!(asked(call.clone()), expected, "{call}");
    }
}

/// What an agent says in its turn.
enum Said {
    Text(&'static str),
    /// A text with the id of its message.
    Of(&'static str, &'static str),
    Call,
    /// An update of the call.
    Fails,
    /// A request to its model is over.
    Amounts,
}

use Said::{Amounts, Call, Fails, Of, Text};

/// What the turn of an agent comes to that says this, then ends with this result.
fn turn(agent: &str, said: &[Said], result: &Value) -> String {
    let mut talk = Talk::prompted(agent);
    for said in said {
        match said {
            Text(text) => talk.text(None, text),
            Of(message, text) => talk.text(Some(message), text),
            Call => talk.call("c"),
            Fails => talk
                .update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed"})),
            Amounts => talk.update(&json!({"sessionUpdate": "usage_update", "used": 1})),
        }
    }
    let id = talk.sent.last().unwrap()["id"].clone();
    talk.hear(&json!({"id": id, "result": result}).to_string());
    came_to(&talk.end())
}

#[test]
fn the_answer_is_the_last_text_that_is_no_comment_and_no_notice() {
    let good = json!({"stopReason": "end_turn", "usage": {"inputTokens": 1}});
    let untold = json!({"stopReason": "end_turn"});
    let talk = || Text("I will look.");
    let too_long = || Text("Error: prompt is too long: 3 tokens > 2 maximum");
    let half = || Text("def partial(");
    let rows = [
        ("gemini", vec![talk(), Call, Text("one "), Fails, Text(""), Text("two")], &good, "one two"),
        ("gemini", vec![talk(), Fails], &good, "! empty_answer"),
        (
            "none",
            vec![Text("notice"), Of("a", "comment"), Of("b", "the "), Text("notice"), Of("b", "end")],
            &good,
            "the end",
        ),
        ("codex", vec![Of("a", "half"), Text("stream disconnected")], &untold, "! api_error"),
        ("copilot", vec![Text("Info: x"), Amounts, Text("Warning: x")], &good, "! empty_answer"),
        (
            "copilot",
            vec![Amounts, Text("print('"), Text("Warning: slow"), Text("')")],
            &good,
            "print('Warning: slow')",
        ),
        ("copilot", vec![Amounts, too_long()], &untold, "! prompt_too_long"),
        ("copilot", vec![Amounts, Text("Error: 1")], &good, "Error: 1"),
        (
            "gemini",
            vec![talk(), Amounts, too_long()],
            &untold,
            "Raw: I will look.\nError: prompt is too long: 3 tokens > 2 maximum",
        ),
        ("qwen", vec![half(), half(), half()], &good, "! api_error"),
        ("qwen", vec![half(), half()], &good, "def partial(def partial("),
        ("qwen", vec![Text("a = 1\n"), Text("a = 1\n"), Text("a = 1\n")], &good, "a = 1\na = 1\na = 1\n"),
        (
            "none",
            vec![Text("Retrying (attempt 1/3, waiting 2s)..."), Text("Retry finished, resuming."), Text("a")],
            &good,
            "a",
        ),
        ("none", vec![Text("Retrying (attempt 3/3, waiting 8s)...")], &good, "! api_error"),
    ];
    for (number, (agent, said, result, expected)) in rows.iter().enumerate() {
        assert_eq!(turn(agent, said, result), *expected, "row {number}, {agent}");
    }
}

#[test]
fn each_stop_reason_has_its_code() {
    for (reason, text, expected) in [
        ("max_tokens", "half", "! api_error"),
        ("max_turn_requests", "half", "! max_turns"),
        ("refusal", "half", "! refused"),
        ("cancelled", "half", "! exited"),
        ("end_turn", " \n", "! empty_answer"),
        ("new_reason", "", "! empty_answer"),
        ("new_reason", "text", "Raw: text"),
    ] {
        assert_eq!(turn("none", &[Text(text)], &json!({"stopReason": reason})), expected, "{reason}");
    }
}

#[test]
fn an_agent_that_was_stopped_has_not_failed_by_itself() {
    for (stop_reason, stopped, expected) in [
        ("cancelled", Stopped::Timeout(Duration::from_secs(1)), "! timeout"),
        ("cancelled", Stopped::Shutdown, "! host_lost"),
        ("end_turn", Stopped::Shutdown, "half"),
    ] {
        let mut talk = Talk::prompted("qwen");
        talk.text(None, "half");
        let id = talk.sent.last().unwrap()["id"].clone();
        talk.hear(&json!({"id": id, "result": {"stopReason": stop_reason}}).to_string());
        let end = ProcessEnd { stopped: Some(stopped), ..ProcessEnd::with_code(0) };
        assert_eq!(came_to(&talk.stream.end(&end, &mut |_| {})), expected);
    }
}
