//! What a dialogue reads in the lines of an agent that speaks the Agent Client Protocol, version 1. Shapes as seen from
//! seven agents; what a vendor adds is in `_meta`.

use crate::agent::json::{Json, Object};
use crate::agent::values::{REASON, argument, usage};
use crate::stream::Usage;
use crate::stream::event::{Argument, Output, Text};

/// The id of a response as the number that a request of ours had.
pub fn own_id(message: &Object<'_>) -> Option<u64> {
    let id = message.get("id");
    id.count().or_else(|| id.text()?.parse().ok())
}

/// Tokens with what came from a cache left out of those that were sent: Qwen and Copilot count it in, which the total
/// shows. None where there is no object.
pub fn tokens(tokens: Json<'_>) -> Option<Usage> {
    let tokens = tokens.is_object().then(|| tokens.object())?;
    let mut usage = usage(&tokens);
    let cached = usage.cache_read_input_tokens.saturating_add(usage.cache_creation_input_tokens);
    if tokens.get("totalTokens").count() == Some(usage.input_tokens.saturating_add(usage.output_tokens)) {
        usage.input_tokens = usage.input_tokens.saturating_sub(cached);
    }
    Some(usage)
}

/// How a turn failed, or that it is tried again, where that was announced: a category and a title.
pub fn session_failure(meta: Json<'_>) -> Option<(Text<'_>, Text<'_>)> {
    let failure = meta.get("jetbrains").get("air").get("sessionFailure");
    let [category, title] = ["category", "title"].map(|key| failure.get(key).text().unwrap_or_default());
    failure.is_object().then_some((category, title))
}

/// The result of a response to any request of ours.
#[derive(Debug, Clone)]
pub struct AcpReply<'a>(pub Object<'a>);

impl<'a> AcpReply<'a> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Json<'a> {
        self.0.get(key)
    }

    /// How the user can log in, in the agent's words: a description, else a name.
    pub fn logins(&self) -> String {
        let words = self.get("authMethods").objects().into_iter().filter_map(|login| {
            let words = login.get("description").text().or_else(|| login.get("name").text());
            words.filter(|words| !words.trim().is_empty())
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// The option of this category.
    pub fn option(&self, category: &str) -> Option<Object<'a>> {
        let options = self.get("configOptions").objects();
        options.into_iter().find(|option| option.get("category").text().as_deref() == Some(category))
    }

    /// The model of its session, and the models to choose from, as a session takes them.
    pub fn models(&self) -> (Option<Text<'a>>, Vec<Text<'a>>) {
        let models = self.get("models");
        let (option, mut offered) = (self.option("model"), Vec::new());
        let current = option.as_ref().and_then(|option| option.get("currentValue").text());
        let choices = option.map_or_else(|| models.get("availableModels"), |option| option.get("options"));
        for choice in choices.objects() {
            offered.extend(value(&choice));
            // One that is a group has its own.
            offered.extend(choice.get("options").objects().iter().filter_map(value));
        }
        (current.or_else(|| models.get("currentModelId").text()), offered)
    }

    /// The tokens of its turn.
    pub fn tokens(&self) -> Option<Usage> {
        tokens(self.get("usage")).or_else(|| tokens(self.get("_meta").get("quota").get("token_count")))
    }

    /// The model that it names last.
    pub fn model(&self) -> Option<Text<'a>> {
        let models = self.get("_meta").get("quota").get("model_usage").objects();
        models.into_iter().rev().find_map(|model| model.get("model").text())
    }
}

/// What is chosen by it.
fn value<'a>(choice: &Object<'a>) -> Option<Text<'a>> {
    ["modelId", "value"].iter().find_map(|key| choice.get(key).text())
}

/// One `session/update`, of any kind, or the call in a request for permission.
#[derive(Debug, Clone)]
pub struct SessionUpdate<'a>(pub Object<'a>);

impl<'a> SessionUpdate<'a> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Json<'a> {
        self.0.get(key)
    }

    /// What kind of update it is.
    pub fn kind(&self) -> Text<'a> {
        self.get("sessionUpdate").text().unwrap_or_default()
    }

    /// The id of the message that a chunk is of.
    pub fn message(&self) -> Option<Text<'a>> {
        self.get("messageId").text().filter(|id| !id.is_empty())
    }

    /// The id of the call.
    pub fn call(&self) -> Option<Text<'a>> {
        self.get("toolCallId").text()
    }

    /// Of a chunk: its text, where it is one, behind the half of a character with which the one before ended.
    pub fn text(&self, half: &mut Vec<u8>) -> Option<Text<'a>> {
        let block = self.get("content").object();
        let is_text = block.get("type").text().is_none_or(|kind| kind == "text");
        block.get("text").piece(half).filter(|text| is_text && !text.is_empty())
    }

    /// Of a chunk: whether it is something else than a text.
    pub fn is_other_content(&self) -> bool {
        self.get("content").get("type").text().is_some_and(|kind| kind != "text")
    }

    /// The name of the tool that is called.
    pub fn tool(&self) -> Text<'a> {
        let own = self.get("_meta").get("claudeCode").get("toolName");
        let names = [self.get("name"), own, self.get("kind")];
        let name = names.into_iter().filter_map(Json::text).find(|name| !name.trim().is_empty());
        name.unwrap_or_else(|| "tool".into())
    }

    /// The argument of a call that tells most: its file, else what its input says.
    pub fn argument(&self) -> Argument<'a> {
        match self.locations().into_iter().next() {
            Some(path) => Argument::Path(path),
            None => argument(self.get("rawInput")),
        }
    }

    fn locations(&self) -> Vec<Text<'a>> {
        self.get("locations").objects().into_iter().filter_map(|place| place.get("path").text()).collect()
    }

    /// What the session has cost, in US dollars.
    pub fn cost(&self) -> Option<f64> {
        let cost = self.get("cost");
        let is_dollars = cost.get("currency").text().is_none_or(|currency| currency == "USD");
        cost.get("amount").amount().filter(|_| is_dollars)
    }

    /// The step of a plan that is in progress, else the first that is to come.
    pub fn step(&self) -> Option<Text<'a>> {
        let steps = self.get("entries").objects().into_iter().map(|step| {
            let is = |status: &str| step.get("status").text().as_deref() == Some(status);
            (is("in_progress"), is("completed"), step.get("content").text())
        });
        let (current, to_come): (Vec<_>, Vec<_>) =
            steps.filter(|(_, is_done, _)| !is_done).partition(|(is_current, ..)| *is_current);
        current.into_iter().chain(to_come).find_map(|(.., step)| step)
    }

    /// Every path that a call is about; none where it names none, or one that is not text.
    pub fn paths(&self) -> Option<Vec<String>> {
        let mut paths: Vec<String> = self.locations().into_iter().map(Text::into_owned).collect();
        let input = self.get("rawInput");
        let input = if input == Json::default() { Json(b"{}") } else { input };
        let serde_json::Value::Object(input) = serde_json::from_slice(input.0).ok()? else { return None };
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

    /// What a call returned: the content that the agent shows of it, else what a command printed, else its raw output.
    pub fn printed(&self) -> Output<'a> {
        let content = self.get("content");
        let terminal = self.get("_meta").get("terminal_output_delta").get("data");
        let shown = if content.list().is_empty() { [terminal, self.get("rawOutput")] } else { [content; 2] };
        Output(shown.into_iter().find(|shown| *shown != Json::default()).unwrap_or_default().0)
    }

    /// Why a call failed, as far as the agent says; may be empty.
    pub fn reason(&self) -> String {
        let terminal = self.get("_meta").get("terminal_output_delta").get("data");
        let told = [self.get("rawOutput"), self.get("content"), terminal].map(|told| told.words(REASON));
        told.into_iter().find(|words| !words.trim().is_empty()).unwrap_or_default()
    }
}
