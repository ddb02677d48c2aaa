//! Dialogues as this side leads them: what is sent, what is answered, and which text is the answer.

mod answers;
mod failures;

use serde_json::{Value, json};

use super::*;
use crate::agent::testing::{answer, came_to, code, message};
use crate::agent::{AgentStart, Protocol, Resume, testing};
use crate::stream::{Line, Outcome, ProcessEnd, Stopped, Stream, ToolStatus, Update};

/// A dialogue with an agent whose lines a test writes.
struct Talk {
    agent_name: Option<&'static str>,
    stream: Stream,
    updates: Vec<Update>,
    sent: Vec<Value>,
}

impl Talk {
    fn new(invocation: &Invocation) -> Self {
        let mut talk = Self {
            agent_name: invocation.start.agent.recipe().agent_name,
            stream: Stream::new(invocation.decoder(), "/project"),
            updates: Vec::new(),
            sent: Vec::new(),
        };
        talk.stream.begin();
        talk.collect();
        talk
    }

    /// One with an agent of this preset that is ready for its message.
    fn ready(preset: &str) -> Self {
        let mut talk = Self::new(&opening(preset));
        talk.reply(&json!({"protocolVersion": 1}));
        talk.reply(&json!({"sessionId": "s1"}));
        if talk.last("session/set_mode") || talk.last("session/set_title") {
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
        stream.say(message, &mut |update| updates.push(update));
        self.collect();
    }

    fn hear(&mut self, line: &str) {
        let Self { stream, updates, .. } = self;
        stream.take(Line::Whole(line.as_bytes()), &mut |update| updates.push(update));
        self.collect();
    }

    fn collect(&mut self) {
        let sent = String::from_utf8(self.stream.input().take()).unwrap();
        assert!(sent.is_empty() || sent.ends_with('\n'));
        self.sent.extend(sent.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }

    /// Answers the request that was sent last; an agent says who it is.
    fn reply(&mut self, result: &Value) {
        let id = self.sent.last().unwrap()["id"].clone();
        let mut result = result.clone();
        if let Some(name) = self.agent_name.filter(|_| self.last("initialize")) {
            result["agentInfo"] = json!({"name": name, "version": "99.0"});
        }
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
        self.stream.close(&mut |_| {});
        assert!(self.stream.decided() && self.stream.input().is_over());
        self.stream.end(&ProcessEnd::with_code(0), &mut |_| {})
    }
}

fn opening(preset: &str) -> Invocation {
    let cwd = "/project".into();
    testing::invocation(&AgentStart { cwd, ..testing::start(testing::command(preset, Protocol::Acp)) })
}

#[test]
fn a_session_is_opened_set_up_and_asked_once_there_is_a_message() {
    let mut begun = opening("codex");
    begun.start.agent.model = Some("big".to_owned());
    begun.start.agent.acp.meta = Some(json!({"claudeCode": {"options": {}}}));
    begun.start.agent.acp.mode = Some("default".to_owned());
    let mut talk = Talk::new(&begun);
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
    assert_eq!(talk.sent[3]["method"], "session/set_title", "so it asks no model for one");
    talk.reply(&json!({}));
    assert_eq!(talk.sent[4]["method"], "session/set_config_option");
    assert_eq!(talk.sent[4]["params"], json!({"sessionId": "s1", "configId": "m", "value": "big"}));
    talk.reply(&json!({}));
    assert_eq!(talk.sent.len(), 5, "it is ready, and waits");
    talk.say("the message");
    assert_eq!(
        talk.sent[5]["params"],
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
    let mut begun = opening("none");
    begun.start.agent.model = Some("big".to_owned());
    let mut talk = Talk::new(&begun);
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
fn an_agent_that_refuses_its_mode_is_never_prompted() {
    let mut talk = Talk::new(&opening("gemini"));
    talk.say("the message");
    talk.reply(&json!({}));
    talk.reply(&json!({"sessionId": "s1"}));
    assert!(talk.last("session/set_mode"));
    talk.refuse(&json!({"code": -32602, "message": "unknown mode"}));
    let outcome = talk.end();
    assert!(message(&outcome).contains("does not take the mode `plan`: unknown mode"), "{outcome:?}");
}

#[test]
fn a_session_goes_on_in_a_fork_or_not_at_all() {
    let begun = |capabilities: &Value| {
        let mut forks = opening("none");
        forks.start.resume = Some(Resume { session_id: "old".to_owned(), at: None });
        let mut talk = Talk::new(&forks);
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
fn a_plan_and_a_mode_are_activity() {
    let mut talk = Talk::prompted("codex");
    let steps = json!([
        {"content": "look", "status": "completed"}, {"content": "read\nall of it", "status": "in_progress"},
    ]);
    talk.update(&json!({"sessionUpdate": "plan", "entries": steps}));
    talk.update(&json!({"sessionUpdate": "plan", "entries": [{"content": "next", "status": "pending"}]}));
    talk.update(&json!({"sessionUpdate": "plan", "entries": [{"content": "all", "status": "completed"}]}));
    talk.update(&json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"}));
    let activity = |text: &str| Update::Activity { text: text.to_owned() };
    assert_eq!(talk.updates[1..], ["read all of it", "next", "mode plan"].map(activity));
}
