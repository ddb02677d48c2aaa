//! Which text of a turn is the answer, and what the host replies to the requests of an agent.

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
fn a_refusal_is_no_failure_where_an_answer_comes() {
    let mut talk = Talk::prompted("codex");
    talk.asks(&json!(1), "c1", &["reject_once"]);
    talk.update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed"}));
    talk.text(Some("m"), "without it");
    let outcome = talk.ends("end_turn");
    assert_eq!(answer(&outcome), "without it");
    assert_eq!(outcome.tools[0].status, ToolStatus::Denied);
}

#[test]
fn what_copilot_says_of_a_refusal_is_no_answer() {
    let mut talk = Talk::prompted("copilot");
    talk.asks(&json!(1), "c1", &["reject_once"]);
    talk.text(None, "Info: Operation cancelled by user");
    assert_eq!(code(&talk.ends("end_turn")), Code::PermissionDenied);
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
    let id = talk.sent.last().unwrap()["id"].clone();
    talk.hear(&json!({"id": id, "result": {"stopReason": "end_turn"}}).to_string());
    talk.text(None, " late");
    talk.text(Some("m"), "another message");
    talk.hear(&json!({"id": id, "result": {"stopReason": "refusal"}}).to_string());
    assert!(talk.stream.is_closing() && !talk.stream.decided());
    talk.stream.close(&mut |_| {});
    talk.text(None, " too late");
    assert_eq!(answer(&talk.end()), "ours late");
}

#[test]
fn a_tool_call_makes_what_was_said_before_it_a_comment() {
    let mut talk = Talk::prompted("gemini");
    talk.text(None, "I will look.");
    talk.call("c1");
    talk.text(None, "one ");
    talk.update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"}));
    talk.text(None, "");
    talk.text(None, "two");
    assert_eq!(answer(&talk.ends("end_turn")), "one two", "an update of a known call parts nothing");

    let mut talk = Talk::prompted("gemini");
    talk.text(None, "I will look.");
    talk.update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed",
        "rawOutput": {"message": "no such file"}}));
    let outcome = talk.ends("end_turn");
    assert_eq!(code(&outcome), Code::EmptyAnswer, "an update may begin a call");
    assert_eq!(outcome.tools[0].error.as_deref(), Some("no such file"));
}

#[test]
fn where_chunks_have_ids_the_last_message_is_the_answer_and_the_rest_notices() {
    let mut talk = Talk::prompted("none");
    talk.text(None, "Warning: no metadata");
    talk.text(Some("m1"), "comment");
    talk.text(Some("m2"), "the ");
    talk.text(None, "**Warning:** too late");
    talk.text(Some("m2"), "answer");
    talk.text(None, "more of it");
    assert_eq!(answer(&talk.ends("end_turn")), "the answer");
}

#[test]
fn a_failure_that_comes_as_text_is_a_failure() {
    for (words, expected) in [
        ("exceeded retry limit, last status: 429 Too Many Requests\n\n", Code::RateLimited),
        ("unexpected status 503 Service Unavailable", Code::ApiError),
        ("prompt is too long: 300000 tokens", Code::PromptTooLong),
    ] {
        let mut talk = Talk::prompted("codex");
        talk.text(None, "Warning: no metadata\n\n");
        talk.text(None, words);
        let id = talk.sent.last().unwrap()["id"].clone();
        talk.hear(&json!({"id": id, "result": {"stopReason": "end_turn", "usage": null}}).to_string());
        let outcome = talk.end();
        assert_eq!(code(&outcome), expected);
        assert!(message(&outcome).contains(words.trim()), "{}", message(&outcome));
    }
}

#[test]
fn what_copilot_says_of_its_own_is_no_answer() {
    let said = |texts: &[&str]| {
        let mut talk = Talk::prompted("copilot");
        talk.text(None, "Info: Disabled tools: bash");
        talk.update(&json!({"sessionUpdate": "usage_update", "used": 1}));
        for text in texts {
            talk.text(None, text);
        }
        talk.ends("end_turn")
    };
    assert_eq!(code(&said(&["Warning: no token count"])), Code::EmptyAnswer);
    let outcome = said(&["Warning: no token count", "print('", "Warning: slow", "')"]);
    assert_eq!((answer(&outcome), outcome.held_for), ("print('Warning: slow')", None));
}

#[test]
fn a_last_text_outside_of_messages_and_without_amounts_is_a_failure() {
    let mut talk = Talk::prompted("codex");
    talk.text(Some("m"), "half");
    talk.text(None, "stream disconnected ");
    talk.text(None, "before completion");
    let id = talk.sent.last().unwrap()["id"].clone();
    talk.hear(&json!({"id": id, "result": {"stopReason": "end_turn"}}).to_string());
    let outcome = talk.end();
    assert!(message(&outcome).ends_with("it says: stream disconnected before completion"), "{outcome:?}");
}

#[test]
fn what_qwen_says_several_times_is_no_answer() {
    let said = |pieces: &[&str]| {
        let mut talk = Talk::prompted("qwen");
        for piece in pieces {
            talk.text(None, piece);
        }
        talk.ends("end_turn")
    };
    assert_eq!(code(&said(&["def partial("; 3])), Code::ApiError);
    assert_eq!(answer(&said(&["def partial("; 2])), "def partial(def partial(");
    assert_eq!(answer(&said(&["a = 1\n"; 3])), "a = 1\na = 1\na = 1\n");
}

#[test]
fn a_read_within_the_project_is_allowed_and_nothing_else() {
    let asked = |call: Value| {
        let is_inside = PathCheck(|project, path| path.starts_with(project));
        let mut talk = Talk::new(&Opening { project: "/project".into(), is_inside, ..opening("copilot") });
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

#[test]
fn what_copilot_says_of_a_failure_is_no_answer() {
    let said = |agent: &str, usage: &Value| {
        let mut talk = Talk::prompted(agent);
        talk.text(None, "Info: The conversation exceeded the limit.");
        talk.update(&json!({"sessionUpdate": "usage_update", "used": 1}));
        talk.text(None, "Error: prompt is too long: 3 tokens > 2 maximum");
        let id = talk.sent.last().unwrap()["id"].clone();
        talk.hear(&json!({"id": id, "result": {"stopReason": "end_turn", "usage": usage}}).to_string());
        talk.end()
    };
    assert_eq!(code(&said("copilot", &Value::Null)), Code::PromptTooLong);
    let tokens = json!({"inputTokens": 1});
    assert_eq!(said("copilot", &tokens).held_for, None, "then it is what the model says");
    assert_eq!(said("gemini", &Value::Null).held_for, Some(AnswerDoubt::Raw));
}

#[test]
fn an_agent_that_was_stopped_has_not_failed_by_itself() {
    let ended = |stop_reason: &str, stopped: Option<Stopped>| {
        let mut talk = Talk::prompted("qwen");
        talk.text(None, "half");
        let id = talk.sent.last().unwrap()["id"].clone();
        talk.hear(&json!({"id": id, "result": {"stopReason": stop_reason}}).to_string());
        talk.stream.end(&ProcessEnd { stopped, ..ProcessEnd::with_code(0) }, &mut |_| {})
    };
    assert_eq!(code(&ended("cancelled", None)), Code::Exited);
    let timeout = Stopped::Timeout(std::time::Duration::from_secs(1));
    assert_eq!(code(&ended("cancelled", Some(timeout))), Code::Timeout);
    assert_eq!(code(&ended("cancelled", Some(Stopped::Shutdown))), Code::HostLost);
    assert_eq!(answer(&ended("end_turn", Some(Stopped::Shutdown))), "half", "an answer is one");
}

#[test]
fn texts_of_two_requests_without_ids_are_held_and_both_kept() {
    let mut talk = Talk::prompted("none");
    talk.text(None, "Info: Disabled tools: bash");
    talk.update(&json!({"sessionUpdate": "usage_update", "used": 9}));
    talk.text(None, "the ");
    talk.text(None, "answer");
    let shown: String = talk.updates.iter().filter_map(shown).collect();
    let outcome = talk.ends("end_turn");
    assert_eq!(outcome.held_for, Some(AnswerDoubt::Raw));
    assert_eq!(answer(&outcome), "Info: Disabled tools: bash\nthe answer");
    assert_eq!(shown, answer(&outcome));
}

fn shown<'a>(update: &'a Update<'_>) -> Option<&'a str> {
    if let Update::Text { text, .. } = update { Some(text) } else { None }
}
