//! A `session/update`: text, tool calls, plans and amounts.

use super::meta::Meta;
use crate::agent::json::{self, FromJson, Raw, Read, Reader};
use crate::stream::event::{Argument, Output, Text};

/// The most of a failed call's reason that is read, in bytes.
const REASON: usize = 2000;

json::object! {
    /// One `session/update`, of any kind, or the call in a request for permission.
    pub struct SessionUpdate<'a> {
        b"sessionUpdate" => pub kind: Option<Text<'a>>,
        b"content" => content: Content<'a>,
        b"messageId" => pub message_id: Option<Text<'a>>,
        b"toolCallId" => pub call_id: Option<Text<'a>>,
        b"name" => pub name: Option<Text<'a>>,
        /// What kind of tool it is.
        b"kind" => pub tool_kind: Option<Text<'a>>,
        b"title" => pub title: Option<Text<'a>>,
        b"status" => pub status: Option<Text<'a>>,
        b"locations" => locations: Vec<Location<'a>>,
        b"rawInput" => input: Option<Raw<'a>>,
        b"rawOutput" => output: Option<Raw<'a>>,
        /// Of a `usage_update`.
        b"cost" => cost: Cost<'a>,
        /// Of a `plan`.
        b"entries" => plan: Vec<PlanEntry<'a>>,
        /// Of a `current_mode_update`.
        b"currentModeId" => pub mode: Option<Text<'a>>,
        b"_meta" => pub meta: Meta<'a>,
    }
}

json::object! {
    struct Location<'a> {
        b"path" => path: Option<Text<'a>>,
    }
}

json::object! {
    struct Cost<'a> {
        b"amount" => amount: Option<f64>,
        b"currency" => currency: Option<Text<'a>>,
    }
}

json::object! {
    struct PlanEntry<'a> {
        b"content" => content: Option<Text<'a>>,
        b"status" => status: Option<Text<'a>>,
    }
}

json::object! {
    struct ContentBlock<'a> {
        b"type" => kind: Option<Text<'a>>,
        b"text" => text: Option<Text<'a>>,
    }
}

json::object! {
    /// An entry in the content of a call.
    struct CallContent<'a> {
        b"content" => block: Option<ContentBlock<'a>>,
    }
}

impl<'a> ContentBlock<'a> {
    /// The text, where it is one.
    fn text(self) -> Option<Text<'a>> {
        self.text.filter(|_| self.kind.as_deref().is_none_or(|kind| kind == "text"))
    }
}

/// The content of a chunk is a block, that of a call a list.
#[derive(Debug, Default)]
struct Content<'a> {
    text: Option<Text<'a>>,
    list: Option<Raw<'a>>,
}

impl<'a> FromJson<'a> for Content<'a> {
    fn fits(_first: u8) -> bool {
        true
    }

    fn read(json: &mut Reader<'a>) -> Read<Self> {
        if json.peek() == Some(b'{') {
            return Ok(Self { text: ContentBlock::read(json)?.text(), list: None });
        }
        Ok(Self { text: None, list: FromJson::read(json)? })
    }
}

impl<'a> SessionUpdate<'a> {
    /// Of a chunk: its text, where it is one.
    pub fn text(&self) -> Option<Text<'a>> {
        self.content.text.clone().filter(|text| !text.is_empty())
    }

    /// The argument of a call that tells most: its file, else what its input says.
    pub fn argument(&self) -> Option<Argument<'a>> {
        let path = self.locations.iter().find_map(|location| location.path.clone());
        let argument = path.map(Argument::Path).or_else(|| self.input.map(read_again))?;
        Some(argument).filter(|argument| *argument != Argument::None)
    }

    /// What the session has cost, in US dollars.
    pub fn cost(&self) -> Option<f64> {
        self.cost.amount.filter(|_| self.cost.currency.as_deref().is_none_or(|currency| currency == "USD"))
    }

    /// The step of a plan that is in progress, else the first that is to come.
    pub fn step(&self) -> Option<&Text<'a>> {
        let current = self.plan.iter().filter(|entry| entry.status.as_deref() == Some("in_progress"));
        let to_come = self.plan.iter().filter(|entry| entry.status.as_deref() != Some("completed"));
        current.chain(to_come).find_map(|entry| entry.content.as_ref())
    }

    /// Every path that a call is about; none where it names none, or one that is not text.
    pub fn paths(&self) -> Option<Vec<String>> {
        let named = self.locations.iter().filter_map(|location| location.path.clone());
        let mut paths: Vec<String> = named.map(Text::into_owned).collect();
        let input = self.input.map_or(b"{}".as_slice(), Raw::written);
        let serde_json::Value::Object(input) = serde_json::from_slice(input).ok()? else { return None };
        let is_path = |key: &str| {
            ["path", "file", "dir", "root", "uri", "cwd"].iter().any(|part| key.to_lowercase().contains(part))
        };
        // A pattern may lead out of the directory that it is for.
        let leads_out = |value: &serde_json::Value| {
            value
                .as_str()
                .is_some_and(|text| text.starts_with(['/', '~']) || text.split('/').any(|part| part == ".."))
        };
        for (_, value) in input.iter().filter(|(key, value)| is_path(key) || leads_out(value)) {
            match value {
                serde_json::Value::String(path) => paths.push(path.clone()),
                serde_json::Value::Array(list) => {
                    paths.extend(
                        list.iter()
                            .map(|path| path.as_str().map(str::to_owned))
                            .collect::<Option<Vec<_>>>()?,
                    );
                }
                _ => return None,
            }
        }
        Some(paths).filter(|paths| !paths.is_empty())
    }

    /// What a call returned: the content that the agent shows of it, else its raw output.
    pub fn printed(&self) -> Output<'a> {
        let is_list = |raw: &Raw<'_>| raw.written() != b"[]" && raw.written().starts_with(b"[");
        let shown = self.content.list.filter(is_list).or(self.meta.terminal).or(self.output);
        shown.map(Raw::output).unwrap_or_default()
    }

    /// Why a call failed, as far as the agent says; may be empty.
    pub fn reason(&self) -> String {
        let output = self.output.map(output_text).unwrap_or_default();
        if !output.trim().is_empty() {
            return output;
        }
        let content = self.content.list.map(list_text).unwrap_or_default();
        if !content.trim().is_empty() {
            return content;
        }
        self.meta.terminal.map(|data| data.beginning(REASON)).unwrap_or_default()
    }
}

/// A part of a line that was read once already, so nothing can be wrong with it.
fn read_again<'a, T: FromJson<'a>>(part: Raw<'a>) -> T {
    T::read(&mut Reader::new(part.written())).unwrap_or_default()
}

/// What a tool printed: a string, or an object with one under a name that tells.
fn output_text(output: Raw<'_>) -> String {
    if output.written().first() != Some(&b'{') {
        return output.beginning(REASON);
    }
    let mut text = None;
    // It has been read once, as a part of its line, so nothing can be wrong with it.
    _ = Reader::new(output.written()).object(|json, key| {
        if text.is_none() && matches!(key, b"message" | b"error" | b"text" | b"output") {
            text = Some(json.raw()?.beginning(REASON)).filter(|text| !text.is_empty());
            return Ok(());
        }
        json.skip()
    });
    text.unwrap_or_default()
}

/// The first text in the content of a call.
fn list_text(content: Raw<'_>) -> String {
    let entries: Vec<CallContent<'_>> = read_again(content);
    let text = entries.into_iter().find_map(|entry| entry.block).and_then(ContentBlock::text);
    text.map(|text| crate::stream::words::clip(&text, REASON).to_owned()).unwrap_or_default()
}
