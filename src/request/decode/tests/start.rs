//! The fields of a request about the start of its agent.

use rmpv::Value;

use super::{decode, list, map, with};
use crate::agent::{AcpOptions, Directory};
use crate::error::{Code, JobError};
use crate::request::{Request, Resume};

#[test]
fn an_editor_without_a_working_directory_is_no_wrong_request() {
    let error = decode(&with("cwd", Some(Value::from("")))).unwrap_err();
    assert_eq!(error.code, Code::SpawnFailed);
    assert!(error.message.contains("working directory is gone"), "{}", error.message);
}

#[test]
fn an_agent_goes_on_only_from_what_it_keeps() {
    let resume = |protocol: &str, at: Option<&str>| {
        let mut request = with("agents.mine.protocol", Some(Value::from(protocol)));
        let Value::Map(fields) = &mut request else { unreachable!() };
        fields.retain(|(name, _)| name.as_str() != Some("resume"));
        let at = at.map_or(Value::Nil, Value::from);
        fields.push(("resume".into(), map! { "session_id": "s1", "at": at }));
        decode(&request).map(|request| request.start.resume)
    };
    let from = |at: Option<&str>| Resume { session_id: "s1".to_owned(), at: at.map(str::to_owned) };
    assert_eq!(resume("claude", None), Ok(Some(from(None))));
    assert_eq!(resume("claude", Some("m1")), Ok(Some(from(Some("m1")))));
    assert_eq!(resume("droid", None), Ok(Some(from(None))));
    let at = resume("claude", Some("-m1")).unwrap_err().message;
    assert_eq!(at, "resume.at: must be one word that does not begin with -");
    assert_eq!(resume("acp", None), Ok(Some(from(None))), "whether it can is known when it has started");
    let text = resume("text", None).unwrap_err().message;
    assert_eq!(text, "resume is not possible: an agent of the protocol text has no sessions");
}

#[test]
fn whatever_becomes_an_argument_of_an_agent_is_one_word_and_never_an_option() {
    for text in ["", "-p", "--dangerously-skip-permissions", "two words", "a\nb", "a\u{a0}b", "a\0b"] {
        for field in ["agents.mine.model", "tools", "resume.session_id", "resume.at"] {
            let value = if field == "tools" { list(["Read", text]) } else { Value::from(text) };
            let error = decode(&with(field, Some(value))).unwrap_err();
            assert!(
                error.message.ends_with("must be one word that does not begin with -"),
                "{field}: {error}"
            );
        }
    }
    for model in ["opus", "sonnet[1m]", "custom:Model-(4.5)-0", "arn:aws:bedrock:us-east-1::a/b"] {
        assert_eq!(
            decode(&with("agents.mine.model", Some(Value::from(model)))).unwrap().start.agent.model.unwrap(),
            model
        );
    }
}

/// The request with these fields of an agent that speaks the Agent Client Protocol.
fn acp(name: &str, more: &[(&str, Value)]) -> Result<Request, JobError> {
    let mut agent = vec![("protocol".into(), "acp".into()), ("command".into(), list(["agent"]))];
    agent.extend(more.iter().map(|(key, value)| ((*key).into(), value.clone())));
    let mut request = with("agents", Some(Value::Map(vec![(name.into(), Value::Map(agent))])));
    let Value::Map(fields) = &mut request else { unreachable!() };
    fields.retain(|(field, _)| field.as_str() != Some("agent"));
    fields.push(("agent".into(), name.into()));
    decode(&request)
}

#[test]
fn an_agent_of_the_protocol_acp_has_a_mode_meta_and_a_directory() {
    let meta = map! { "a": map! { "b": list(["c"]), "n": 3.0, "x": 1.5, "on": true } };
    let options =
        acp("codex", &[("mode", "plan".into()), ("directory", "empty".into()), ("meta", meta)]).unwrap();
    assert_eq!(
        options.start.agent.acp,
        AcpOptions {
            mode: Some("plan".to_owned()),
            meta: Some(serde_json::json!({"a": {"b": ["c"], "n": 3, "x": 1.5, "on": true}})),
            directory: Some(Directory::Empty),
        }
    );
    assert_eq!(options.start.agent.recipe().name, "codex");
    assert_eq!(acp("codex", &[]).unwrap().start.agent.acp, AcpOptions::default());
    assert_eq!(acp("mine", &[]).unwrap().start.agent.recipe().name, "acp");
    assert_eq!(
        acp("gemini", &[]).unwrap_err().message,
        "resume is not possible: gemini cannot go on in a session"
    );
}
