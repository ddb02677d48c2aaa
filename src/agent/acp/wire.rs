//! What an agent's lines say, as far as a dialogue reads them: nine methods of the Agent Client Protocol, version 1.
//!
//! One flat structure for each part, since keys come in any order: `params` may stand before `method`. A value of
//! another kind than expected reads as absent. Shapes as seen from seven agents; what a vendor adds stands in `_meta`.

use crate::agent::json::{Raw, Read, Reader};
use crate::agent::values;
use crate::stream::Usage;
use crate::stream::event::{Argument, Output, Text};

/// The most of a failed call's reason that is looked at, in bytes.
const REASON: usize = 2000;

/// Any line: a request, a notification or a response.
#[derive(Debug, Default)]
pub struct AcpMessage<'a> {
    /// A number or a string; absent in a notification.
    pub id: Option<Raw<'a>>,
    pub method: Option<Text<'a>>,
    pub params: Params<'a>,
    pub result: AcpReply<'a>,
    /// The line has an `error`, so it is a response that failed.
    pub error: Option<RpcError<'a>>,
}

impl<'a> AcpMessage<'a> {
    /// Reads a whole line.
    pub fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut message = Self::default();
        json.object(|json, key| {
            match key {
                b"id" => message.id = Some(json.raw()?).filter(|id| id.written() != b"null"),
                b"method" => message.method = json.text()?,
                b"params" => message.params = Params::read(json)?,
                b"result" => message.result = AcpReply::read(json)?,
                b"error" if json.peek() == Some(b'{') => message.error = Some(RpcError::read(json)?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(message)
    }

    /// The id of a response as the number that a request of ours had.
    pub fn own_id(&self) -> Option<u64> {
        let written = str::from_utf8(self.id?.written()).ok()?;
        written.trim_matches('"').parse().ok()
    }
}

/// The `params` of a request or a notification.
#[derive(Debug, Default)]
pub struct Params<'a> {
    pub session_id: Option<Text<'a>>,
    /// Of `session/update`.
    pub update: SessionUpdate<'a>,
    /// Of `session/request_permission`.
    pub options: Vec<PermissionOption<'a>>,
    /// Of `session/request_permission`: the call that it is about.
    pub tool_call: SessionUpdate<'a>,
    /// Of a request of the client in a recording: the mode or the model that is to be set.
    pub setting: Option<Text<'a>>,
    /// Of `session/prompt` in a recording: the message.
    pub prompt: Option<Raw<'a>>,
}

impl<'a> Params<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut params = Self::default();
        json.object(|json, key| {
            match key {
                b"sessionId" => params.session_id = json.text()?,
                b"update" => params.update = SessionUpdate::read(json)?,
                b"options" => json.list(|json| {
                    params.options.push(PermissionOption::read(json)?);
                    Ok(())
                })?,
                b"toolCall" => params.tool_call = SessionUpdate::read(json)?,
                b"modeId" | b"modelId" | b"value" => params.setting = json.text()?,
                b"prompt" => params.prompt = Some(json.raw()?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(params)
    }
}

/// One way to answer a request for permission.
#[derive(Debug, Default)]
pub struct PermissionOption<'a> {
    pub id: Option<Text<'a>>,
    pub kind: Option<Text<'a>>,
}

impl<'a> PermissionOption<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut option = Self::default();
        json.object(|json, key| {
            match key {
                b"optionId" => option.id = json.text()?,
                b"kind" => option.kind = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(option)
    }
}

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
    /// The first of the call's `locations`.
    pub location: Option<Text<'a>>,
    pub input: Argument<'a>,
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
    fn read(json: &mut Reader<'a>) -> Read<Self> {
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
                b"locations" => update.location = first_path(json)?,
                b"rawInput" => update.input = values::argument(json)?,
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

fn first_path<'a>(json: &mut Reader<'a>) -> Read<Option<Text<'a>>> {
    let mut first = None;
    json.list(|json| {
        json.object(|json, key| {
            if key == b"path" && first.is_none() {
                first = json.text()?;
                return Ok(());
            }
            json.skip()
        })
    })?;
    Ok(first)
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

/// What vendors add.
#[derive(Debug, Default)]
pub struct Meta<'a> {
    /// Claude: the tool's name.
    pub tool_name: Option<Text<'a>>,
    /// Claude: the model that answers.
    pub model: Option<Text<'a>>,
    /// Qwen: of one request to the model, on an empty chunk.
    pub usage: Option<AcpTokens>,
    /// Codex: what a command printed.
    terminal: Option<Raw<'a>>,
    /// Gemini, and also Claude and Codex: of this turn.
    pub quota: Option<AcpTokens>,
    /// The model that the quota names last.
    pub quota_model: Option<Text<'a>>,
    /// Claude and Codex, where it was announced: how the turn failed, or that it is tried again.
    pub failure: Option<SessionFailure<'a>>,
}

impl<'a> Meta<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut meta = Self::default();
        json.object(|json, key| {
            match key {
                b"claudeCode" => json.object(|json, key| match key {
                    b"toolName" => {
                        meta.tool_name = json.text()?;
                        Ok(())
                    }
                    _ => json.skip(),
                })?,
                b"_claude/model" => meta.model = json.text()?,
                b"usage" => meta.usage = AcpTokens::read(json)?,
                b"terminal_output_delta" => json.object(|json, key| match key {
                    b"data" => {
                        meta.terminal = Some(json.raw()?);
                        Ok(())
                    }
                    _ => json.skip(),
                })?,
                b"quota" => meta.read_quota(json)?,
                b"jetbrains" => json.object(|json, key| match key {
                    b"air" => json.object(|json, key| match key {
                        b"sessionFailure" if json.peek() == Some(b'{') => {
                            meta.failure = Some(SessionFailure::read(json)?);
                            Ok(())
                        }
                        _ => json.skip(),
                    }),
                    _ => json.skip(),
                })?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(meta)
    }

    fn read_quota(&mut self, json: &mut Reader<'a>) -> Read<()> {
        json.object(|json, key| match key {
            b"token_count" => {
                self.quota = AcpTokens::read(json)?;
                Ok(())
            }
            b"model_usage" => json.list(|json| {
                json.object(|json, key| match key {
                    b"model" => {
                        self.quota_model = json.text()?;
                        Ok(())
                    }
                    _ => json.skip(),
                })
            }),
            _ => json.skip(),
        })
    }
}

/// How a turn failed, in a vendor's key.
#[derive(Debug, Default)]
pub struct SessionFailure<'a> {
    pub category: Option<Text<'a>>,
    pub title: Option<Text<'a>>,
}

impl<'a> SessionFailure<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut failure = Self::default();
        json.object(|json, key| {
            match key {
                b"category" => failure.category = json.text()?,
                b"title" => failure.title = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(failure)
    }
}

/// Tokens as agents count them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct AcpTokens {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_creation: u64,
    total: Option<u64>,
}

impl AcpTokens {
    fn read(json: &mut Reader<'_>) -> Read<Option<Self>> {
        if json.peek() != Some(b'{') {
            return json.skip().map(|()| None);
        }
        let mut tokens = Self::default();
        json.object(|json, key| {
            let count = match key {
                b"inputTokens" | b"input_tokens" => &mut tokens.input,
                b"outputTokens" | b"output_tokens" => &mut tokens.output,
                b"cachedReadTokens" | b"cachedInputTokens" => &mut tokens.cache_read,
                b"cachedWriteTokens" | b"cacheWriteInputTokens" => &mut tokens.cache_creation,
                b"totalTokens" => {
                    tokens.total = json.count()?;
                    return Ok(());
                }
                _ => return json.skip(),
            };
            *count = json.count()?.unwrap_or_default();
            Ok(())
        })?;
        Ok(Some(tokens))
    }

    /// The same with what came from a cache left out of `input`: Qwen and Copilot count it in, which the total shows.
    pub fn usage(self) -> Usage {
        let cached = self.cache_read.saturating_add(self.cache_creation);
        let counts_cached_in = self.total == Some(self.input.saturating_add(self.output));
        Usage {
            input_tokens: if counts_cached_in { self.input.saturating_sub(cached) } else { self.input },
            output_tokens: self.output,
            cache_read_input_tokens: self.cache_read,
            cache_creation_input_tokens: self.cache_creation,
        }
    }
}

/// The `result` of a response to any request of ours.
#[derive(Debug, Default)]
pub struct AcpReply<'a> {
    /// Of `initialize`.
    pub protocol_version: Option<u64>,
    pub agent_name: Option<Text<'a>>,
    pub can_fork: bool,
    pub takes_system_prompt: bool,
    /// How the user can log in, in the agent's words.
    pub logins: Vec<Text<'a>>,
    /// Of `session/new` and `session/fork`.
    pub session_id: Option<Text<'a>>,
    pub has_modes: bool,
    pub model: Option<Text<'a>>,
    /// The models that there are, where no option has them.
    models: Vec<Text<'a>>,
    pub options: Vec<ConfigOption<'a>>,
    /// Of `session/prompt`.
    pub stop_reason: Option<Text<'a>>,
    pub usage: Option<AcpTokens>,
    pub meta: Meta<'a>,
}

impl<'a> AcpReply<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut reply = Self::default();
        json.object(|json, key| {
            match key {
                b"protocolVersion" => reply.protocol_version = json.count()?,
                b"agentInfo" => json.object(|json, key| match key {
                    b"name" => {
                        reply.agent_name = json.text()?;
                        Ok(())
                    }
                    _ => json.skip(),
                })?,
                b"agentCapabilities" => reply.read_capabilities(json)?,
                b"authMethods" => json.list(|json| {
                    reply.logins.extend(login(json)?);
                    Ok(())
                })?,
                b"sessionId" => reply.session_id = json.text()?,
                b"modes" => {
                    reply.has_modes = json.peek() == Some(b'{');
                    json.skip()?;
                }
                b"models" => json.object(|json, key| match key {
                    b"currentModelId" => {
                        reply.model = json.text()?;
                        Ok(())
                    }
                    b"availableModels" => values(json, b"modelId", &mut reply.models),
                    _ => json.skip(),
                })?,
                b"configOptions" => json.list(|json| {
                    reply.options.push(ConfigOption::read(json)?);
                    Ok(())
                })?,
                b"stopReason" => reply.stop_reason = json.text()?,
                b"usage" => reply.usage = AcpTokens::read(json)?,
                b"_meta" => reply.meta = Meta::read(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(reply)
    }

    fn read_capabilities(&mut self, json: &mut Reader<'a>) -> Read<()> {
        json.object(|json, key| match key {
            b"sessionCapabilities" => json.object(|json, key| {
                let has = json.peek() == Some(b'{');
                match key {
                    b"fork" => self.can_fork = has,
                    b"systemPrompt" => self.takes_system_prompt = has,
                    _ => {}
                }
                json.skip()
            }),
            _ => json.skip(),
        })
    }

    /// The models to choose from, as a session takes them.
    pub fn offered(&self) -> &[Text<'a>] {
        self.option("model").map_or(&self.models, |option| &option.values)
    }

    /// The option of this category.
    pub fn option(&self, category: &str) -> Option<&ConfigOption<'a>> {
        self.options.iter().find(|option| option.category.as_deref() == Some(category))
    }
}

/// A way to log in: its description, else its name.
fn login<'a>(json: &mut Reader<'a>) -> Read<Option<Text<'a>>> {
    let (mut name, mut description) = (None, None);
    json.object(|json, key| {
        match key {
            b"name" => name = json.text()?,
            b"description" => description = json.text()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(description.or(name).filter(|words| !words.trim().is_empty()))
}

/// A setting of a session.
#[derive(Debug, Default)]
pub struct ConfigOption<'a> {
    pub id: Option<Text<'a>>,
    pub category: Option<Text<'a>>,
    pub current: Option<Text<'a>>,
    pub values: Vec<Text<'a>>,
}

/// The texts under `key` in a list of objects, also in groups of them.
fn values<'a>(json: &mut Reader<'a>, key: &[u8], found: &mut Vec<Text<'a>>) -> Read<()> {
    json.list(|json| {
        json.object(|json, name| match name {
            name if name == key => {
                found.extend(json.text()?);
                Ok(())
            }
            b"options" => values(json, key, found),
            _ => json.skip(),
        })
    })
}

impl<'a> ConfigOption<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut option = Self::default();
        json.object(|json, key| {
            match key {
                b"id" => option.id = json.text()?,
                b"category" => option.category = json.text()?,
                b"currentValue" => option.current = json.text()?,
                b"options" => values(json, b"value", &mut option.values)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(option)
    }
}

/// The `error` of a response.
#[derive(Debug, Default)]
pub struct RpcError<'a> {
    pub code: i64,
    pub message: Text<'a>,
    /// Claude: `data.errorKind`.
    pub kind: Option<Text<'a>>,
    /// `data.errorName`, of `OpenCode`.
    pub name: Option<Text<'a>>,
    /// Qwen: `data.details`; Droid: `data` itself; others: `data.message`.
    pub details: Option<Text<'a>>,
}

impl<'a> RpcError<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut failure = Self::default();
        json.object(|json, key| {
            match key {
                b"code" => failure.code = signed(json.raw()?),
                b"message" => failure.message = json.text()?.unwrap_or_default(),
                b"data" if json.peek() == Some(b'"') => failure.details = json.text()?,
                b"data" => json.object(|json, key| {
                    match key {
                        b"errorKind" => failure.kind = json.text()?,
                        b"errorName" => failure.name = json.text()?,
                        b"details" => failure.details = json.text()?,
                        b"message" if failure.details.is_none() => failure.details = json.text()?,
                        _ => json.skip()?,
                    }
                    Ok(())
                })?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(failure)
    }
}

/// A whole number that may be negative; 0 where it is none.
fn signed(number: Raw<'_>) -> i64 {
    str::from_utf8(number.written()).ok().and_then(|written| written.parse().ok()).unwrap_or_default()
}
