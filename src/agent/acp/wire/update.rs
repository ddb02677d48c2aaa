//! A `session/update`: text, tool calls, plans and amounts.

use super::meta::Meta;
use crate::agent::json::{Raw, Read, Reader};
use crate::agent::values;
use crate::stream::event::{Argument, Output, Text};

/// The most of a failed call's reason that is read, in bytes.
const REASON: usize = 2000;

/// One `session/update`, of any kind, or the call in a request for permission.
#[derive(Debug, Default)]
pub struct SessionUpdate<'a> {
    pub kind: Option<Text<'a>>,
    /// Of a chunk: its text, where it is one.
    pub text: Option<Text<'a>>,
    pub message_id: Option<Text<'a>>,
    pub call_id: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    /// What kind of tool it is.
    pub tool_kind: Option<Text<'a>>,
    pub title: Option<Text<'a>>,
    pub status: Option<Text<'a>>,
    /// The call's `locations`.
    pub locations: Vec<Text<'a>>,
    pub input: Argument<'a>,
    raw_input: Option<Raw<'a>>,
    output: Option<Raw<'a>>,
    content: Option<Raw<'a>>,
    /// Of a `usage_update`, in US dollars.
    pub cost: Option<f64>,
    /// Of a `plan`: the step that it has come to.
    pub step: Option<Text<'a>>,
    /// Of a `current_mode_update`.
    pub mode: Option<Text<'a>>,
    pub meta: Meta<'a>,
}

impl<'a> SessionUpdate<'a> {
    pub(super) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut update = Self::default();
        json.object(|json, key| {
            match key {
                b"sessionUpdate" => update.kind = json.text()?,
                b"content" if json.peek() == Some(b'{') => update.text = content_text(json)?,
                b"content" => update.content = Some(json.raw()?),
                b"messageId" => update.message_id = json.text()?,
                b"toolCallId" => update.call_id = json.text()?,
                b"name" => update.name = json.text()?,
                b"kind" => update.tool_kind = json.text()?,
                b"title" => update.title = json.text()?,
                b"status" => update.status = json.text()?,
                b"locations" => update.locations = paths(json)?,
                b"rawInput" => {
                    update.raw_input = Some(json.raw()?);
                    update.input = update.raw_input.map(argument).unwrap_or_default();
                }
                b"rawOutput" => update.output = Some(json.raw()?),
                b"cost" => update.cost = cost(json)?,
                b"entries" => update.step = current_step(json)?,
                b"currentModeId" => update.mode = json.text()?,
                b"_meta" => update.meta = Meta::read(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(update)
    }

    /// Every path that a call is about; none where it names none, or one that is not text.
    pub fn paths(&self) -> Option<Vec<String>> {
        let mut paths: Vec<String> = self.locations.iter().map(|path| path.clone().into_owned()).collect();
        let input = self.raw_input.map_or(b"{}".as_slice(), Raw::written);
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
        let shown = self.content.filter(is_list).or(self.meta.terminal).or(self.output);
        shown.map(Raw::output).unwrap_or_default()
    }

    /// Why a call failed, as far as the agent says; may be empty.
    pub fn reason(&self) -> String {
        let output = self.output.map(output_text).unwrap_or_default();
        if !output.trim().is_empty() {
            return output;
        }
        let content = self.content.map(list_text).unwrap_or_default();
        if !content.trim().is_empty() {
            return content;
        }
        self.meta.terminal.map(|data| data.beginning(REASON)).unwrap_or_default()
    }
}

/// The text of a content block that is one.
fn content_text<'a>(json: &mut Reader<'a>) -> Read<Option<Text<'a>>> {
    let (mut kind, mut text) = (None, None);
    json.object(|json, key| {
        match key {
            b"type" => kind = json.text()?,
            b"text" => text = json.text()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(text.filter(|_| kind.as_deref().is_none_or(|kind| kind == "text")))
}

/// The entry of a plan that is in progress, else the first that is to come.
fn current_step<'a>(json: &mut Reader<'a>) -> Read<Option<Text<'a>>> {
    let (mut current, mut next) = (None, None);
    json.list(|json| {
        let (mut content, mut status) = (None, None);
        json.object(|json, key| {
            match key {
                b"content" => content = json.text()?,
                b"status" => status = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        match status.as_deref() {
            Some("in_progress") => current = current.take().or(content),
            Some("completed") => {}
            _ => next = next.take().or(content),
        }
        Ok(())
    })?;
    Ok(current.or(next))
}

fn paths<'a>(json: &mut Reader<'a>) -> Read<Vec<Text<'a>>> {
    let mut paths = Vec::new();
    json.list(|json| {
        json.object(|json, key| {
            if key == b"path" {
                paths.extend(json.text()?);
                return Ok(());
            }
            json.skip()
        })
    })?;
    Ok(paths)
}

fn argument(input: Raw<'_>) -> Argument<'_> {
    // It has been read once, as a part of its line, so nothing can be wrong with it.
    values::argument(&mut Reader::new(input.written())).unwrap_or_default()
}

fn cost(json: &mut Reader<'_>) -> Read<Option<f64>> {
    let (mut amount, mut currency) = (None, None);
    json.object(|json, key| {
        match key {
            b"amount" => amount = json.number()?,
            b"currency" => currency = json.text()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(amount.filter(|_| currency.as_deref().is_none_or(|currency| currency == "USD")))
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
    let mut text = None;
    // As above.
    _ = Reader::new(content.written()).list(|json| {
        json.object(|json, key| {
            if key == b"content" && text.is_none() && json.peek() == Some(b'{') {
                let found = content_text(json)?;
                text = found.map(|found| crate::stream::words::clip(&found, REASON).to_owned());
                return Ok(());
            }
            json.skip()
        })
    });
    text.unwrap_or_default()
}
