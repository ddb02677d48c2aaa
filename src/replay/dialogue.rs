//! Plays the agent's side of a recorded dialogue, in answer to what comes on standard input.
//!
//! Each request of the client is answered as the next one of its method was, under its own id. A setting that the
//! recording has not is granted, any other request refused. Where the agent asked something then, it waits for an
//! answer now. It ends with its input, or where the recording ends without an answer.

use std::io::{self, BufRead};

use serde_json::{Value, json};

/// One line of a recording.
#[derive(Debug)]
struct RecordedLine {
    is_client: bool,
    line: String,
    /// The same read; null where it is no JSON.
    message: Value,
    has_method: bool,
    has_id: bool,
}

/// A recorded dialogue that is being played.
#[derive(Debug)]
pub struct Script {
    entries: Vec<RecordedLine>,
    at: usize,
    /// Ids of requests as they were recorded, and as they are now.
    ids: Vec<(Value, Value)>,
}

impl Script {
    /// Reads a recording; none where it is no dialogue.
    pub fn read(recording: &[u8]) -> Option<Self> {
        let lines = recording.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let entries: Option<Vec<RecordedLine>> = lines.map(entry).collect();
        entries.filter(|entries| !entries.is_empty()).map(|entries| Self { entries, at: 0, ids: Vec::new() })
    }

    /// Plays it: reads requests from `client` and hands each line to `say`.
    ///
    /// # Errors
    /// What `say` and `client` say.
    pub fn play(
        &mut self,
        client: impl BufRead,
        say: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        self.go_on(say)?;
        for line in client.split(b'\n') {
            let Ok(message) = serde_json::from_slice::<Value>(&line?) else { continue };
            match message["method"].as_str() {
                Some(method) if !message["id"].is_null() => self.answer(method, &message["id"], say)?,
                Some(_) => {}
                None => self.go_on(say)?,
            }
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether the recording ends here with a request that was never answered.
    fn is_over(&self) -> bool {
        self.at == self.entries.len() && !self.ids.is_empty()
    }

    fn answer(
        &mut self,
        method: &str,
        id: &Value,
        say: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let is_asked =
            |entry: &RecordedLine| entry.is_client && entry.has_id && entry.message["method"] == method;
        let Some(place) = self.entries[self.at..].iter().position(is_asked) else {
            let is_setting = method.starts_with("session/set_");
            let (key, content) = if is_setting {
                ("result", json!({}))
            } else {
                ("error", json!({"code": -32601, "message": format!("not in this recording: {method}")}))
            };
            return say(&json!({"jsonrpc": "2.0", "id": id, key: content}).to_string());
        };
        self.at += place;
        self.ids.push((self.entries[self.at].message["id"].clone(), id.clone()));
        self.at += 1;
        self.go_on(say)
    }

    /// Plays what the agent printed, until the client's next turn.
    fn go_on(&mut self, say: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        while let Some(entry) = self.entries.get(self.at) {
            match (entry.is_client, entry.has_method, entry.has_id) {
                (false, ..) => say(&renumbered(entry, &mut self.ids))?,
                (true, true, true) => return Ok(()),
                // Such as the end of a prompt: the host does not wait for it.
                (true, true, false) => {}
                _ if entry.message.is_null() => {}
                // An answer to what the agent asked: the client has to give one, too.
                (true, false, _) => {
                    self.at += 1;
                    return Ok(());
                }
            }
            self.at += 1;
        }
        Ok(())
    }
}

fn entry(line: &[u8]) -> Option<RecordedLine> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let is_client = match value["from"].as_str()? {
        "client" => true,
        "agent" => false,
        _ => return None,
    };
    let line = value["line"].as_str()?.to_owned();
    let message: Value = serde_json::from_str(&line).unwrap_or_default();
    let (has_method, has_id) = (message["method"].is_string(), !message["id"].is_null());
    Some(RecordedLine { is_client, line, message, has_method, has_id })
}

/// A line of the agent; where it is a response, with the id that its request has now.
fn renumbered(entry: &RecordedLine, ids: &mut Vec<(Value, Value)>) -> String {
    let is_response = entry.message.is_object() && !entry.has_method;
    let place = ids.iter().position(|(recorded, _)| is_response && *recorded == entry.message["id"]);
    let Some(place) = place else { return entry.line.clone() };
    let mut message = entry.message.clone();
    message["id"] = ids.swap_remove(place).1;
    message.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(lines: &[(&str, Value)]) -> Script {
        let lines =
            lines.iter().map(|(from, line)| json!({"from": from, "line": line.to_string()}).to_string());
        Script::read(lines.collect::<Vec<_>>().join("\n").as_bytes()).unwrap()
    }

    fn request(id: u64, method: &str) -> Value {
        json!({"id": id, "method": method})
    }

    fn played(script: &mut Script, client: &[Value]) -> Vec<Value> {
        let client = client.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        let mut said = Vec::new();
        let mut say = |line: &str| {
            said.push(serde_json::from_str(line).unwrap());
            Ok(())
        };
        script.play(client.as_bytes(), &mut say).unwrap();
        said
    }

    #[test]
    fn requests_are_answered_by_their_order_and_under_their_own_ids() {
        let mut script = script(&[
            ("client", request(1, "initialize")),
            ("agent", json!({"id": 1, "result": "hello"})),
            ("client", request(2, "session/set_mode")),
            ("agent", json!({"id": 2, "result": "mode"})),
            ("client", request(3, "session/prompt")),
            ("agent", json!({"id": 0, "method": "ask"})),
            ("client", json!({"id": 0, "result": "no"})),
            ("agent", json!({"id": 3, "result": "done"})),
        ]);
        let client = [
            json!({"id": "a", "method": "initialize"}),
            json!({"id": "b", "method": "session/set_model"}),
            json!({"id": "c", "method": "unheard"}),
            json!({"id": "d", "method": "session/prompt"}),
            json!({"id": 0, "result": "never"}),
        ];
        let said = played(&mut script, &client);
        let ids: Vec<&Value> = said.iter().map(|line| &line["id"]).collect();
        assert_eq!(ids, [&json!("a"), &json!("b"), &json!("c"), &json!(0), &json!("d")]);
        assert_eq!(said[1]["result"], json!({}));
        assert_eq!(said[2]["error"]["code"], -32601);
        assert_eq!(said[4]["result"], "done");
    }

    #[test]
    fn a_recording_that_ends_in_a_request_ends_there() {
        let mut script = script(&[("client", request(1, "initialize"))]);
        let client = [request(7, "initialize"), request(8, "session/new")];
        assert_eq!(played(&mut script, &client), Vec::<Value>::new());
    }

    #[test]
    fn other_recordings_are_no_dialogues() {
        for recording in ["", "words", r#"{"type":"result"}"#, r#"{"from":"me","line":""}"#] {
            assert!(Script::read(recording.as_bytes()).is_none(), "{recording}");
        }
    }
}
