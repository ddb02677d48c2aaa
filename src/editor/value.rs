//! Values for the editor: msgpack maps in which an absent field is left out, since Lua reads that as nil.

use std::borrow::Cow;

use rmpv::Value;
use serde_json::Value as Json;

use crate::error::JobError;
use crate::land::{self, HeldFor, Landing};
use crate::request::bytes;
use crate::stream::{Outcome, ToolCall, Usage};

/// A map under construction.
#[derive(Debug, Default)]
pub(super) struct Map(pub(super) Vec<(Value, Value)>);

impl Map {
    /// Adds a field.
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.push((key.into(), value.into()));
        self
    }

    /// Adds a field, or leaves it out.
    pub(super) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// The finished map.
    pub(super) fn build(self) -> Value {
        Value::Map(self.0)
    }
}

/// One entry of a job's tools; `index` from 0 here, from 1 in Lua.
pub(super) fn tool(index: usize, tool: &ToolCall) -> Value {
    Map::default()
        .with("index", index as u64 + 1)
        .with("id", tool.id.as_str())
        .with("name", tool.name.as_str())
        .with("status", tool.status.name())
        .with_some("error", tool.error.as_deref())
        .with("title", tool.title.as_str())
        .build()
}

/// The argument of `apply.finish`.
pub(super) fn finish(id: u64, outcome: &Outcome, landing: Option<&Landing>, tools: Value) -> Value {
    let status = if outcome.error.is_none() { "done" } else { "failed" };
    let held_for = land::held(outcome.held_for, landing).map(HeldFor::name);
    let map = Map::default()
        .with("id", id)
        .with("status", status)
        .with_some("text", outcome.text.as_deref())
        .with_some("error", outcome.error.as_ref().map(error))
        .with_some("held_for", held_for)
        .with_some("held_why", outcome.held_why)
        .with_some("rows", outcome.text.as_deref().zip(landing).map(|(text, landing)| rows(text, landing)))
        .with_some("session_id", outcome.session_id.as_deref())
        .with_some("model", outcome.model.as_deref())
        .with("tools", tools);
    amounts(map, outcome).build()
}

/// The argument of `apply.amend`.
pub(super) fn amend(id: u64, outcome: &Outcome) -> Value {
    amounts(Map::default().with("id", id), outcome).build()
}

/// The argument of `apply.reply`.
pub(super) fn reply(token: u64, reply: Result<Json, String>) -> Value {
    let (map, error) = match reply {
        Ok(reply) => (Map(fields(reply)), None),
        Err(error) => (Map::default(), Some(error)),
    };
    map.with("token", token).with_some("error", error).build()
}

/// The fields of a JSON object; what is null is left out.
pub fn fields(json: Json) -> Vec<(Value, Value)> {
    match from_json(json) {
        Value::Map(fields) => fields,
        _ => Vec::new(),
    }
}

/// JSON in msgpack; what is null is left out.
fn from_json(json: Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(value) => value.into(),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into(),
            (None, Some(number)) => count(number).into(),
            (None, None) => number.as_f64().unwrap_or_default().into(),
        },
        Json::String(text) => match bytes::unescape(&text) {
            Cow::Owned(bytes) => Value::Binary(bytes),
            Cow::Borrowed(_) => text.into(),
        },
        Json::Array(list) => Value::Array(list.into_iter().map(from_json).collect()),
        Json::Object(map) => {
            let there = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Map(there.map(|(key, value)| (key.into(), from_json(value))).collect())
        }
    }
}

fn amounts(map: Map, outcome: &Outcome) -> Map {
    let map =
        map.with_some("cost_usd", outcome.cost_usd).with_some("num_turns", outcome.num_turns.map(count));
    // No tokens at all where nothing was counted: an agent that tells nothing took more than none.
    let counted = outcome.num_turns.is_some() || outcome.usage != Usage::default();
    map.with_some("input_tokens", counted.then(|| count(outcome.usage.input_tokens)))
        .with_some("output_tokens", counted.then(|| count(outcome.usage.output_tokens)))
}

/// Neovim's integers are signed: what an agent made up beyond them would arrive as a negative number.
fn count(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn error(error: &JobError) -> Value {
    Map::default().with("code", error.code.name()).with("message", error.message.as_str()).build()
}

/// A list of lines.
pub(super) fn lines(lines: &[String]) -> Value {
    Value::Array(lines.iter().map(|line| line.as_str().into()).collect())
}

/// The lines of an answer as rows of its text, so that nothing of it is sent twice: from which row on, how many, and of
/// each that was changed what it begins with and how many bytes of the row's end follow.
fn rows(text: &str, landing: &Landing) -> Value {
    let mut written = text.split('\n').skip(landing.first_line);
    let changed = landing.lines.iter().zip(1_u64..).filter_map(|(line, row)| {
        let written = written.next().unwrap_or_default();
        let kept = shared_end(line, written);
        let is_changed = kept < line.len() || kept < written.len();
        is_changed.then(|| Value::Array(vec![row.into(), line[..line.len() - kept].into(), kept.into()]))
    });
    let changed = Value::Array(changed.collect());
    Map::default()
        .with("from", landing.first_line)
        .with("count", landing.lines.len())
        .with("changed", changed)
        .build()
}

/// How many bytes the ends of two lines share, in whole characters of the first.
fn shared_end(line: &str, other: &str) -> usize {
    let same = line.bytes().rev().zip(other.bytes().rev()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|&kept| line.is_char_boundary(line.len() - kept)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::land;
    use crate::request::sample;

    #[test]
    fn an_amount_that_neovim_cannot_hold_is_not_told_as_a_negative_one() {
        let mut outcome = Outcome::failed(JobError::new(Code::Protocol, "odd"));
        outcome.usage.input_tokens = u64::MAX;
        outcome.num_turns = Some(u64::MAX);
        let amended = amend(1, &outcome).to_string();
        assert!(amended.contains(&format!("\"input_tokens\": {}", i64::MAX)), "{amended}");
        assert!(amended.contains(&format!("\"num_turns\": {}", i64::MAX)), "{amended}");
    }

    /// What the editor makes of the rows of a text.
    fn lines_of(text: &str, rows: &Value) -> Vec<String> {
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let written = text.split('\n').chain(std::iter::repeat("")).skip(number(&rows["from"]));
        let mut lines: Vec<String> = written.take(number(&rows["count"])).map(str::to_owned).collect();
        for change in rows["changed"].as_array().unwrap() {
            let line = &mut lines[number(&change[0]) - 1];
            let end = line.split_off(line.len() - number(&change[2]));
            *line = change[1].as_str().unwrap().to_owned() + &end;
        }
        lines
    }

    fn done(text: &str) -> Outcome {
        let outcome = Outcome::failed(JobError::new(Code::Protocol, ""));
        Outcome { error: None, text: Some(text.to_owned()), ..outcome }
    }

    #[test]
    fn an_answer_is_sent_once_however_it_was_tidied() {
        let answer = "local größe = 1\n\nreturn größe\n".repeat(1000);
        for (selected, text) in [
            ("local x", answer.clone()),
            ("local x", format!("Here it is:\n```lua\n{answer}```\nEnjoy.")),
            ("    local x", format!("```\n{answer}```")),
            ("\tlocal x\r", answer.clone()),
            ("local x", answer.replace('\n', "\r\n")),
            ("local x", "```\n```".to_owned()),
        ] {
            let request = sample::lines("lua", &[selected, "y"]);
            let landing = land::prepare(&request, &text);
            let tools = Value::Array(Vec::new());
            let told = finish(1, &done(&text), Some(&landing), tools);
            assert_eq!(lines_of(&text, &told["rows"]), landing.lines, "{selected:?}");
            let mut bytes = Vec::new();
            rmpv::encode::write_value(&mut bytes, &told).unwrap();
            let few = text.len() + text.len() / 2 + 200;
            let is_rewritten = selected.contains('\r') || text.contains('\r');
            assert!(
                is_rewritten || bytes.len() < few,
                "{selected:?}: {} bytes of {}",
                bytes.len(),
                text.len()
            );
        }
    }
}
