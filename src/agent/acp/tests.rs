//! Dialogues as this side leads them: what is sent, what is answered, and which text is the answer.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::*;
use crate::agent::testing::{answer, code, message};
use crate::agent::{Protocol, Resume};
use crate::stream::{AnswerDoubt, Outcome, ProcessEnd, Stopped, Stream, ToolStatus, Update};

/// A dialogue with an agent whose lines a test writes.
struct Talk {
    stream: Stream,
    updates: Vec<Update<'static>>,
    sent: Vec<Value>,
}

impl Talk {
    fn new(opening: &Opening) -> Self {
        let decoder = crate::agent::decoder(Protocol::Acp, opening);
        let mut talk =
            Self { stream: Stream::new(decoder, "/project"), updates: Vec::new(), sent: Vec::new() };
        talk.stream.begin();
        talk.collect();
        talk
    }

    /// One with an agent of this preset that is ready for its message.
    fn ready(preset: &str) -> Self {
        let mut talk = Self::new(&opening(preset));
        talk.reply(&json!({"protocolVersion": 1}));
        talk.reply(&json!({"sessionId": "s1"}));
        if talk.last("session/set_mode") {
            talk.reply(&json!({}));
        }
        talk
    }

    /// One with an agent that works on its message.
    fn prompted(preset: &str) -> Self {
        let mut talk = Self::ready(preset);
        talk.say("the message");
        assert!(talk.last("session/prompt"), "{:?}", talk.sent);
        talk
    }

    fn say(&mut self, message: &str) {
        let Self { stream, updates, .. } = self;
        stream.say(message, &mut |update| updates.push(update.into_owned()));
        self.collect();
    }

    fn hear(&mut self, line: &str) {
        let Self { stream, updates, .. } = self;
        stream.line(line.as_bytes(), &mut |update| updates.push(update.into_owned()));
        self.collect();
    }

    fn collect(&mut self) {
        let sent = String::from_utf8(self.stream.input().take()).unwrap();
        assert!(sent.is_empty() || sent.ends_with('\n'));
        self.sent.extend(sent.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }

    /// Answers the request that was sent last.
    fn reply(&mut self, result: &Value) {
        let id = self.sent.last().unwrap()["id"].clone();
        self.hear(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    fn refuse(&mut self, error: &Value) {
        let id = self.sent.last().unwrap()["id"].clone();
        self.hear(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
    }

    fn last(&self, method: &str) -> bool {
        self.sent.last().unwrap()["method"] == method
    }

    fn update(&mut self, update: &Value) {
        let params = json!({"sessionId": "s1", "update": update});
        self.hear(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string());
    }

    fn text(&mut self, message: Option<&str>, text: &str) {
        self.update(&json!({
            "sessionUpdate": "agent_message_chunk",
            "messageId": message,
            "content": {"type": "text", "text": text},
        }));
    }

    fn call(&mut self, id: &str) {
        self.update(&json!({"sessionUpdate": "tool_call", "toolCallId": id, "kind": "read", "title": "a"}));
    }

    fn asks(&mut self, id: &Value, call: &str, kinds: &[&str]) {
        let options: Vec<Value> =
            kinds.iter().map(|kind| json!({"optionId": format!("the {kind}"), "kind": kind})).collect();
        let call = json!({"toolCallId": call, "title": "touch x", "kind": "execute"});
        let params = json!({"sessionId": "s1", "toolCall": call, "options": options});
        self.hear(
            &json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params})
                .to_string(),
        );
    }

    fn ends(mut self, stop_reason: &str) -> Outcome {
        let prompt = self.sent.iter().find(|line| line["method"] == "session/prompt").unwrap();
        let id = prompt["id"].clone();
        let result = json!({"stopReason": stop_reason, "usage": {"inputTokens": 1}});
        self.hear(&json!({"id": id, "result": result}).to_string());
        self.end()
    }

    fn end(mut self) -> Outcome {
        assert!(self.stream.decided() && self.stream.input().is_over());
        self.stream.end(&ProcessEnd::with_code(0), &mut |_| {})
    }
}

fn opening(preset: &str) -> Opening {
    let preset = Preset::named(preset);
    Opening {
        preset,
        system: "the rules".to_owned(),
        directory: "/project".to_owned(),
        mode: preset.and_then(|preset| preset.mode).map(str::to_owned),
        ..Opening::default()
    }
}

#[test]
fn a_session_is_opened_set_up_and_asked_once_there_is_a_message() {
    let mut talk = Talk::new(&Opening {
        model: Some("big".to_owned()),
        meta: Some(json!({"claudeCode": {"options": {}}})),
        ..opening("claude-acp")
    });
    let capabilities = &talk.sent[0]["params"]["clientCapabilities"];
    assert_eq!(talk.sent[0]["params"]["protocolVersion"], 1);
    assert_eq!(capabilities["fs"], json!({"readTextFile": false, "writeTextFile": false}));
    assert_eq!(capabilities["_meta"]["jetbrains"]["air"]["capabilities"], json!(["sessionFailure"]));
    talk.reply(
        &json!({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"systemPrompt": {}}}}),
    );
    assert_eq!(
        talk.sent[1]["params"],
        json!({
            "cwd": "/project",
            "mcpServers": [],
            "_meta": {"claudeCode": {"options": {}}},
            "systemPrompt": {"mode": "append", "content": [{"type": "text", "text": "the rules"}]},
        })
    );
    talk.reply(&json!({
        "sessionId": "s1",
        "modes": {"currentModeId": "auto"},
        "configOptions": [{"id": "m", "category": "model", "currentValue": "small"}],
    }));
    assert_eq!(talk.sent[2]["method"], "session/set_mode");
    assert_eq!(talk.sent[2]["params"], json!({"sessionId": "s1", "modeId": "default"}));
    talk.reply(&json!({}));
    assert_eq!(talk.sent[3]["method"], "session/set_config_option");
    assert_eq!(talk.sent[3]["params"], json!({"sessionId": "s1", "configId": "m", "value": "big"}));
    talk.reply(&json!({}));
    assert_eq!(talk.sent.len(), 4, "it is ready, and waits");
    talk.say("the message");
    assert_eq!(
        talk.sent[4]["params"],
        json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "the message"}]})
    );
    talk.text(Some("m1"), "fine");
    let outcome = talk.ends("end_turn");
    assert_eq!((answer(&outcome), outcome.held_for), ("fine", None));
    assert_eq!((outcome.session_id.as_deref(), outcome.model.as_deref()), (Some("s1"), Some("big")));
}

#[test]
fn without_a_place_for_the_rules_they_stand_before_the_message() {
    let mut talk = Talk::ready("gemini");
    assert_eq!(talk.sent[2]["params"]["modeId"], "plan");
    talk.say("the message");
    assert_eq!(talk.sent[3]["params"]["prompt"][0]["text"], "the rules\n\nthe message");
}

#[test]
fn a_model_is_set_by_its_own_method_where_there_is_no_option() {
    let mut talk = Talk::new(&Opening { model: Some("big".to_owned()), ..opening("none") });
    talk.reply(&json!({}));
    talk.reply(&json!({"sessionId": "s1"}));
    assert_eq!(talk.sent[2]["method"], "session/set_model");
    talk.refuse(&json!({"code": -32603, "message": "Internal error", "data": {"details": "no such model"}}));
    let outcome = talk.end();
    assert_eq!(code(&outcome), Code::ApiError);
    assert!(message(&outcome).contains("does not take the model `big`: no such model"));
}

#[test]
fn the_models_that_a_session_offers_are_told() {
    let offered = |session: &Value| {
        let mut talk = Talk::new(&opening("codex"));
        talk.reply(&json!({"protocolVersion": 1}));
        let mut session = session.clone();
        session["sessionId"] = "s1".into();
        talk.reply(&session);
        talk.updates.into_iter().find_map(|update| match update {
            Update::Models { models } => Some(models),
            _ => None,
        })
    };
    let option =
        |options: Value| json!({"configOptions": [{"id": "m", "category": "model", "options": options}]});
    let flat = json!([{"value": "big", "name": "Big"}, {"value": "two words"}, {"value": "--flag"}, {"name": "no value"}]);
    assert_eq!(offered(&option(flat)), Some(vec!["big".to_owned()]), "those that a request can name");
    let groups = json!([{"group": "a", "options": [{"value": "a/1"}, {"value": "a/2"}]}, {"value": "b"}]);
    assert_eq!(offered(&option(groups)).unwrap(), ["a/1", "a/2", "b"]);
    let models = json!({"models": {"availableModels": [{"modelId": "x"}], "currentModelId": "x"}});
    assert_eq!(offered(&models).unwrap(), ["x"], "where no option has them");
    let many: Vec<Value> = (0..1000).map(|n| json!({"value": n.to_string()})).collect();
    assert_eq!(offered(&option(many.into())).unwrap().len(), MODELS);
    let other = json!({"configOptions": [{"id": "e", "category": "effort", "options": [{"value": "high"}]}]});
    assert_eq!(offered(&other), None);
}

#[test]
fn a_plan_and_a_mode_are_activity() {
    let mut talk = Talk::prompted("claude-acp");
    let steps = json!([
        {"content": "look", "status": "completed"},
        {"content": "read\nall of it", "status": "in_progress"},
        {"content": "write", "status": "pending"},
    ]);
    talk.update(&json!({"sessionUpdate": "plan", "entries": steps}));
    talk.update(&json!({"sessionUpdate": "plan", "entries": [{"content": "next", "status": "pending"}]}));
    talk.update(&json!({"sessionUpdate": "plan", "entries": [{"content": "all", "status": "completed"}]}));
    talk.update(&json!({"sessionUpdate": "plan", "entries": "none"}));
    talk.update(&json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"}));
    let shown: Vec<&str> = talk
        .updates
        .iter()
        .filter_map(|update| match update {
            Update::Activity { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, ["read all of it", "next", "mode plan"]);
    talk.text(Some("m"), "the answer");
    assert_eq!(answer(&talk.ends("end_turn")), "the answer");
}

#[test]
fn an_agent_that_refuses_its_mode_is_never_prompted() {
    let mut talk = Talk::new(&opening("droid-acp"));
    talk.say("the message");
    talk.reply(&json!({}));
    talk.reply(&json!({"sessionId": "s1"}));
    assert!(talk.last("session/set_mode"));
    talk.refuse(&json!({"code": -32602, "message": "unknown mode"}));
    let outcome = talk.end();
    assert!(message(&outcome).contains("does not take the mode `spec`: unknown mode"), "{outcome:?}");
}

#[test]
fn a_session_goes_on_in_a_fork_or_not_at_all() {
    let resume = Some(Resume { session_id: "old".to_owned(), at: None });
    let begun = |capabilities: &Value| {
        let mut talk = Talk::new(&Opening { resume: resume.clone(), ..opening("none") });
        talk.say("the message");
        talk.reply(&json!({"agentCapabilities": {"sessionCapabilities": capabilities}}));
        talk
    };
    let mut forked = begun(&json!({"fork": {}}));
    assert_eq!(forked.sent[1]["method"], "session/fork");
    assert_eq!(forked.sent[1]["params"]["sessionId"], "old");
    forked.refuse(&json!({"code": -32603, "message": "no rollout found for thread id old"}));
    assert_eq!(code(&forked.end()), Code::SessionNotFound);

    let resumes_only = begun(&json!({"resume": {}, "list": {}}));
    assert_eq!(resumes_only.sent.len(), 1, "nothing else is asked of it");
    let outcome = resumes_only.end();
    assert_eq!(code(&outcome), Code::BadRequest);
    assert_eq!(message(&outcome), "the agent cannot go on in a session: start a new job instead");
}

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
    let mut talk = Talk::prompted("claude-acp");
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
    talk.hear(&json!({"id": id, "result": {"stopReason": "refusal"}}).to_string());
    assert_eq!(answer(&talk.end()), "ours");
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
    assert_eq!(said("copilot", &tokens).held_for, Some(AnswerDoubt::Raw), "then it is what the model says");
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
    let mut talk = Talk::prompted("copilot");
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

#[test]
fn each_stop_reason_has_its_code() {
    let ended = |reason: &str, text: &str| {
        let mut talk = Talk::prompted("none");
        talk.text(None, text);
        talk.ends(reason)
    };
    for (reason, expected) in [
        ("max_tokens", Code::ApiError),
        ("max_turn_requests", Code::MaxTurns),
        ("refusal", Code::Refused),
        ("cancelled", Code::Exited),
    ] {
        assert_eq!(code(&ended(reason, "half")), expected, "{reason}");
    }
    assert_eq!(code(&ended("end_turn", " \n")), Code::EmptyAnswer);
    assert_eq!(code(&ended("new_reason", "")), Code::EmptyAnswer);
    let unknown = ended("new_reason", "text");
    assert_eq!((answer(&unknown), unknown.held_for), ("text", Some(AnswerDoubt::Raw)));
}

#[test]
fn errors_are_told_apart_by_each_agents_own_way() {
    let failed = |error: &Value| {
        let mut talk = Talk::prompted("none");
        talk.text(None, "API Error: something");
        talk.refuse(error);
        code(&talk.end())
    };
    let claude = |kind: &str, message: &str| json!({"code": -32603, "message": format!("Internal error: {message}"), "data": {"errorKind": kind}});
    let cases = [
        (json!({"code": -32000, "message": "Authentication required"}), Code::NotLoggedIn),
        (claude("rate_limit", "API Error: Request rejected (429)"), Code::RateLimited),
        (claude("server_error", "API Error: 529 Overloaded"), Code::Overloaded),
        (claude("server_error", "API Error: 500"), Code::ApiError),
        (claude("invalid_request", "Prompt is too long"), Code::PromptTooLong),
        (claude("max_output_tokens", "exceeded the output token maximum"), Code::ApiError),
        (claude("unknown", "Reached maximum number of turns (3)"), Code::MaxTurns),
        (
            json!({"code": -32603, "message": "x", "data": {"errorName": "ContextOverflowError"}}),
            Code::PromptTooLong,
        ),
        (
            json!({"code": -32603, "message": "Internal error", "data": {"details": "401 bad key"}}),
            Code::NotLoggedIn,
        ),
        (json!({"code": -32603, "message": "Internal error", "data": "429 slow down"}), Code::RateLimited),
        (json!({"code": 401, "message": r#"{"error":{"message":"API key not valid"}}"#}), Code::NotLoggedIn),
        (json!({"code": 1001, "message": "gone"}), Code::Exited),
        (json!({"code": "odd"}), Code::ApiError),
    ];
    for (error, expected) in cases {
        assert_eq!(failed(&error), expected, "{error}");
    }
}

#[test]
fn another_version_of_the_protocol_is_not_spoken() {
    let mut talk = Talk::new(&opening("none"));
    talk.reply(&json!({"protocolVersion": 2}));
    let outcome = talk.end();
    assert_eq!(code(&outcome), Code::Protocol);
    assert!(message(&outcome).contains("version 2"), "{}", message(&outcome));
}

#[test]
fn noise_ids_as_strings_and_unknown_things_change_nothing() {
    let mut talk = Talk::prompted("none");
    for noise in [
        "Opening your browser: https://example.com",
        "[]",
        "",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"id":99,"result":{}}"#,
        r#"{"id":"nine","result":{}}"#,
        r#"{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"new_kind","content":[1]}}}"#,
        r#"{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"xxxx"}}}}"#,
        r#"{"method":"session/update","params":[]}"#,
    ] {
        talk.hear(noise);
    }
    talk.text(None, "fine");
    let id = talk.sent.last().unwrap()["id"].to_string();
    talk.hear(&format!(r#"{{"result":{{"stopReason":"end_turn"}},"id":"{id}"}}"#));
    assert_eq!(answer(&talk.end()), "fine");
}

#[test]
fn a_part_of_an_answer_is_none_where_the_agent_goes_away() {
    for end in [ProcessEnd::with_code(0), ProcessEnd::with_code(1), ProcessEnd::with_signal(9)] {
        let mut talk = Talk::prompted("codex");
        talk.text(Some("m"), "half of");
        let outcome = talk.stream.end(&end, &mut |_| {});
        assert_eq!(outcome.text, None, "{end:?}");
    }
}

#[test]
fn an_agent_that_is_no_agent_says_so_itself() {
    let mut talk = Talk::new(&opening("none"));
    talk.say("the message");
    talk.hear("unknown option --acp");
    let end = ProcessEnd { stderr: "usage: x".to_owned(), ..ProcessEnd::with_code(2) };
    let outcome = talk.stream.end(&end, &mut |_| {});
    assert_eq!(code(&outcome), Code::Exited);
}

/// Lines that agents printed, and some that none would.
fn pool() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/acp");
    let mut pool = Vec::new();
    for preset in &Preset::ALL {
        for file in fs::read_dir(folder.join(preset.name)).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            pool.extend(
                lines
                    .filter(|line| line["from"] == "agent")
                    .map(|line| line["line"].as_str().unwrap().to_owned()),
            );
        }
    }
    // Few session ids, so that lines of different recordings meet in one session.
    let session = |line: &str| {
        let Ok(mut line) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
        for part in ["params", "result"] {
            if let Some(id) = line[part].get_mut("sessionId") {
                *id = "s1".into();
            }
        }
        line.to_string()
    };
    let mut pool: Vec<String> = pool.iter().map(|line| session(line)).collect();
    pool.extend(
        ["{", "{}", "null", "words", r#"{"id":1,"method":7}"#, r#"{"id":{},"method":"x"}"#]
            .map(str::to_owned),
    );
    pool.sort();
    pool.dedup();
    pool
}

#[derive(Debug, Clone)]
enum SimulatedStep {
    Line(String),
    Cut(String, Index),
    /// A response to the request that was sent last, with this result.
    Reply(Value),
    Fail(i64),
    Say,
    Ask(Value, bool),
}

fn step() -> impl Strategy<Value = SimulatedStep> {
    let results = vec![
        json!({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"fork": {}}}}),
        json!({"sessionId": "s1", "modes": {}}),
        json!({"stopReason": "end_turn"}),
        json!({}),
    ];
    let ids = vec![json!(0), json!(1), json!("x"), json!("1"), json!({"a": [1]})];
    prop_oneof![
        6 => select(pool()).prop_map(SimulatedStep::Line),
        1 => (select(pool()), any::<Index>()).prop_map(|(line, at)| SimulatedStep::Cut(line, at)),
        6 => select(results).prop_map(SimulatedStep::Reply),
        1 => select(vec![-32000, -32601, -32603, 429]).prop_map(SimulatedStep::Fail),
        1 => Just(SimulatedStep::Say),
        2 => (select(ids), any::<bool>()).prop_map(|(id, permission)| SimulatedStep::Ask(id, permission)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Whatever an agent says and when: at most one prompt goes out, each of its requests gets one answer with its id,
    /// every line that is sent is an object of its own, and the input is over when the outcome is decided.
    #[test]
    fn no_dialogue_goes_wrong(
        steps in prop::collection::vec(step(), 0..60),
        preset in select(vec!["none", "codex", "gemini", "claude-acp", "copilot"]),
        resumes in any::<bool>(),
    ) {
        let resume = resumes.then(|| Resume { session_id: "old".to_owned(), at: None });
        let mut talk = Talk::new(&Opening { resume, model: Some("m".to_owned()), ..opening(preset) });
        let mut has_said = false;
        let mut asked: HashMap<String, usize> = HashMap::new();
        for step in steps {
            let is_over = talk.stream.input().is_over();
            let line = match step {
                SimulatedStep::Say if has_said => continue,
                SimulatedStep::Say => {
                    has_said = true;
                    talk.say("the message");
                    continue;
                }
                SimulatedStep::Line(line) => line,
                SimulatedStep::Cut(line, at) => crate::stream::words::clip(&line, at.index(line.len())).to_owned(),
                SimulatedStep::Reply(result) => {
                    let own = talk.sent.iter().rev().find(|line| line["method"].is_string()).unwrap();
                    json!({"id": own["id"], "result": result}).to_string()
                }
                SimulatedStep::Fail(code) => {
                    let own = talk.sent.iter().rev().find(|line| line["method"].is_string()).unwrap();
                    json!({"id": own["id"], "error": {"code": code, "message": "no"}}).to_string()
                }
                SimulatedStep::Ask(id, true) => json!({"id": id, "method": "session/request_permission",
                    "params": {"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": []}}).to_string(),
                SimulatedStep::Ask(id, false) => json!({"id": id, "method": "terminal/create"}).to_string(),
            };
            if let Ok(line) = serde_json::from_str::<Value>(&line)
                && line["method"].is_string() && !line["id"].is_null() && !is_over
            {
                *asked.entry(line["id"].to_string()).or_default() += 1;
            }
            talk.hear(&line);
            prop_assert_eq!(talk.stream.decided(), talk.stream.input().is_over());
        }
        let mut answered: HashMap<String, usize> = HashMap::new();
        for line in talk.sent.iter().filter(|line| line["method"].is_null()) {
            prop_assert!(line.get("result").is_some() != line.get("error").is_some());
            *answered.entry(line["id"].to_string()).or_default() += 1;
        }
        prop_assert_eq!(asked, answered);
        let prompts = talk.sent.iter().filter(|line| line["method"] == "session/prompt").count();
        prop_assert!(prompts <= usize::from(has_said));
        talk.stream.end(&ProcessEnd::with_code(0), &mut |_| {});
    }
}
