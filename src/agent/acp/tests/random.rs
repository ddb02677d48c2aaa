//! Random dialogues: lines of recordings, cut and out of order.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;

/// Lines that agents printed, and some that none would.
fn pool() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/acp");
    let mut pool = Vec::new();
    for preset in Preset::ALL {
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
        preset in select(vec!["none", "codex", "gemini", "copilot"]),
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
