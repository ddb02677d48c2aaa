//! The meaning of a failed turn, a failed request and an unexpected end.

use super::*;

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
