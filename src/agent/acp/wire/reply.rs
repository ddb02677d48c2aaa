//! The response to a request of the host: a result or an error.

use super::meta::{AcpTokens, Meta};
use crate::agent::json::{self, Object};
use crate::stream::event::Text;

json::object! {
    /// The `result` of a response to any request of ours.
    pub struct AcpReply<'a> {
        /// Of `initialize`.
        b"protocolVersion" => pub protocol_version: Option<u64>,
        b"agentInfo" => pub agent: AgentInfo<'a>,
        b"agentCapabilities" / b"sessionCapabilities" => pub sessions: SessionCapabilities,
        b"authMethods" => logins: Vec<Login<'a>>,
        /// Of `session/new` and `session/fork`.
        b"sessionId" => pub session_id: Option<Text<'a>>,
        b"modes" => pub modes: Option<Object>,
        b"models" => pub models: Models<'a>,
        b"configOptions" => options: Vec<ConfigOption<'a>>,
        /// Of `session/prompt`.
        b"stopReason" => pub stop_reason: Option<Text<'a>>,
        b"usage" => pub usage: Option<AcpTokens>,
        b"_meta" => pub meta: Meta<'a>,
    }
}

json::object! {
    /// What the agent calls itself.
    pub struct AgentInfo<'a> {
        b"name" => pub name: Option<Text<'a>>,
        b"version" => pub version: Option<Text<'a>>,
    }
}

json::object! {
    /// What the agent can do with sessions.
    pub struct SessionCapabilities {
        b"fork" => pub fork: Option<Object>,
        b"systemPrompt" => pub system_prompt: Option<Object>,
    }
}

json::object! {
    struct Login<'a> {
        b"name" => name: Option<Text<'a>>,
        b"description" => description: Option<Text<'a>>,
    }
}

json::object! {
    /// The models that there are, where no option has them.
    pub struct Models<'a> {
        b"currentModelId" => pub current: Option<Text<'a>>,
        b"availableModels" => offered: Vec<Choice<'a>>,
    }
}

json::object! {
    /// A setting of a session.
    pub struct ConfigOption<'a> {
        b"id" => pub id: Option<Text<'a>>,
        b"category" => category: Option<Text<'a>>,
        b"currentValue" => pub current: Option<Text<'a>>,
        b"options" => choices: Vec<Choice<'a>>,
    }
}

json::object! {
    /// A value to choose, or a group of them.
    struct Choice<'a> {
        b"modelId" | b"value" => id: Option<Text<'a>>,
        b"options" => group: Vec<Choice<'a>>,
    }
}

/// All values, those of groups too.
fn values<'a>(choices: &[Choice<'a>]) -> Vec<Text<'a>> {
    choices.iter().flat_map(|choice| choice.id.clone().into_iter().chain(values(&choice.group))).collect()
}

impl<'a> AcpReply<'a> {
    /// How the user can log in, in the agent's words: a description, else a name.
    pub fn logins(&self) -> impl Iterator<Item = &str> {
        let words =
            self.logins.iter().filter_map(|login| login.description.as_deref().or(login.name.as_deref()));
        words.filter(|words| !words.trim().is_empty())
    }

    /// The models to choose from, as a session takes them.
    pub fn offered(&self) -> Vec<Text<'a>> {
        values(self.option("model").map_or(&self.models.offered, |option| &option.choices))
    }

    /// The option of this category.
    pub fn option(&self, category: &str) -> Option<&ConfigOption<'a>> {
        self.options.iter().find(|option| option.category.as_deref() == Some(category))
    }
}

json::object! {
    /// The `error` of a response.
    pub struct RpcError<'a> {
        b"code" => pub code: i64,
        b"message" => pub message: Text<'a>,
        b"data" => pub data: ErrorData<'a>,
    }
}

json::object! {
    /// What goes with an error.
    pub struct ErrorData<'a> or alone: Option<Text<'a>> {
        /// Claude's.
        b"errorKind" => pub kind: Option<Text<'a>>,
        /// `OpenCode`'s.
        b"errorName" => pub name: Option<Text<'a>>,
        /// Qwen's.
        b"details" => details: Option<Text<'a>>,
        /// Others'.
        b"message" => message: Option<Text<'a>>,
    }
}

impl<'a> ErrorData<'a> {
    /// What it says in words; Droid's is nothing else.
    pub fn words(&self) -> Option<&Text<'a>> {
        self.alone.as_ref().or(self.details.as_ref()).or(self.message.as_ref())
    }
}
