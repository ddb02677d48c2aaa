//! Options for tests.

use rmpv::Value;

use super::Options;

fn map(fields: &[(&str, Value)]) -> Value {
    Value::Map(fields.iter().map(|(key, value)| ((*key).into(), value.clone())).collect())
}

fn list(words: &[&str]) -> Value {
    Value::Array(words.iter().map(|word| (*word).into()).collect())
}

/// Options with an agent of each kind.
pub fn options() -> Options {
    let agent = |protocol: &str| ("protocol", protocol.into());
    let command = ("command", list(&["a"]));
    let mine = [agent("text"), command.clone(), ("model", "a".into()), ("models", list(&["a", "b"]))];
    let models = ("models", list(&["own", "opus", "sonnet"]));
    let claude = [agent("claude"), command.clone(), ("model", "own".into()), models];
    let agents = [
        ("claude", map(&claude)),
        ("droid", map(&[agent("droid"), command.clone()])),
        ("gemini", map(&[agent("acp"), command])),
        ("mine", map(&mine)),
    ];
    let fix = [("prompt", "fix it".into()), ("ask", true.into())];
    let given = map(&[
        ("agent", "claude".into()),
        ("agents", map(&agents)),
        ("prompts", map(&[("tests", "write tests".into()), ("fix", map(&fix))])),
        ("max_parallel", 4.into()),
        ("timeout", 300.into()),
        ("context", map(&[])),
        ("status", map(&[])),
    ]);
    Options::decode(&given).expect("options")
}
