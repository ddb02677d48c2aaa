//! Agents that speak the Agent Client Protocol, version 1: JSON-RPC over standard input and output, one object a line.
//!
//! [`Acp`] is our side of the dialogue, a state machine: initialize, a session (new or a fork), its mode and model,
//! then the prompt as soon as there is a message. It denies every permission and replies to every request of the agent,
//! which would otherwise wait forever. `turn` decides which text is the answer, `failure` what a failure means, and
//! `preset` has the settings of each known agent.

mod failure;
mod line;
pub mod preset;
mod recorded;
#[cfg(test)]
mod tests;
mod turn;
mod wire;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::Path;

use super::{Invocation, Protocol, Recipe, ResumeSupport, text};
use crate::agent::json::{self, Json, Object};
use crate::error::Code;
use crate::fields::is_argument;
use crate::stream::event::{Authority, Detail, Event, FinishLine, FinishVerdict, Problem, ReportedAmounts};
use crate::stream::failure::classify;
use crate::stream::{AgentInput, Dialogue, LineStatus, OnEvent};
use failure::AcpRequest;
use recorded::Recorded;
use turn::Turn;
use wire::{AcpReply, SessionUpdate, own_id};

/// The version of the protocol that is spoken here.
const VERSION: u64 = 1;

/// The most models that are reported.
const MODELS: usize = 100;

/// The title that a session gets where it has to have one.
const TITLE: &str = "botglue";

/// Of an agent that is not shipped.
pub const RECIPE: Recipe = Recipe {
    name: "acp",
    protocol: Protocol::Acp,
    keeps: "nothing: it is as trusted as a program of the protocol text, botglue only refuses to write and to run",
    resume: ResumeSupport::Sessions,
    dialogue: |invocation| Box::new(Acp::new(invocation.clone())),
    ..text::RECIPE
};

/// What reads a recorded dialogue with this agent.
pub fn recorded(invocation: &Invocation) -> Box<dyn Dialogue> {
    Box::new(Recorded::new(Acp::new(invocation.clone())))
}

/// Our side of one dialogue; see the module.
#[derive(Debug, Clone)]
pub struct Acp {
    invocation: Invocation,
    /// How it talks, by what it calls itself.
    talks: &'static Recipe,
    phase: Phase,
    /// What is sent to the agent.
    input: AgentInput,
    /// Whether our side sends requests. It sends none when a recording is read: the recording has them.
    sends_requests: bool,
    last_id: u64,
    /// Our requests that have no response yet, with their ids.
    open_requests: Vec<(u64, AcpRequest)>,
    capabilities: Capabilities,
    session_id: Option<String>,
    /// The settings that have to be sent before the prompt.
    settings: VecDeque<Setting>,
    /// The user's message, until it is sent.
    message: Option<String>,
    turn: Turn,
    /// Whether the agent was asked what the user wants.
    turn_has_begun: bool,
    /// The line with the result of the prompt, until the turn is closed.
    result: Vec<u8>,
}

/// How far a dialogue has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It has not been initialized.
    Starting,
    /// It has no session.
    Session,
    /// Its mode, title and model are being set.
    Configuring,
    /// It waits for the message.
    Ready,
    /// The agent works on the message.
    Prompt,
    /// The agent has said that it is done; the last pieces of its message may still come.
    Closing,
    /// The outcome is decided.
    Over,
}

/// What the agent reported in its reply to `initialize`.
#[derive(Debug, Clone, Default)]
struct Capabilities {
    takes_system_prompt: bool,
    /// How the user can log in, in the agent's words.
    logins: String,
}

/// One setting of a session, the method that sets it, and its parameters without the session id.
type Setting = (AcpRequest, &'static str, serde_json::Value);

impl Acp {
    /// A dialogue that has not begun.
    pub fn new(invocation: Invocation) -> Self {
        Self {
            talks: invocation.start.agent.recipe(),
            invocation,
            phase: Phase::Starting,
            input: AgentInput::default(),
            sends_requests: true,
            last_id: 0,
            open_requests: Vec::new(),
            capabilities: Capabilities::default(),
            session_id: None,
            settings: VecDeque::new(),
            message: None,
            turn: Turn::default(),
            turn_has_begun: false,
            result: Vec::new(),
        }
    }

    /// Sends a request, unless a recording is read.
    fn ask(&mut self, asked: AcpRequest, method: &str, params: &serde_json::Value) {
        if !self.sends_requests {
            return;
        }
        self.last_id += 1;
        self.open_requests.push((self.last_id, asked));
        self.input.send(&line::request(self.last_id, method, params));
    }

    fn handle_message(&mut self, line: &[u8], message: &Object<'_>, on_event: OnEvent<'_>) {
        let (id, params) = (message.get("id"), message.get("params").object());
        let is_notification = id == Json::default();
        match message.get("method").text().as_deref() {
            Some("session/request_permission") if !is_notification => {
                let (call, options) = (SessionUpdate(params.get("toolCall").object()), params.get("options"));
                let allowed = line::option("allow_once", options).filter(|_| self.may(&call));
                if allowed.is_none() && self.phase == Phase::Prompt && self.is_own_turn(&params) {
                    self.turn.refused(&call, on_event);
                }
                let refused =
                    || ["reject_once", "reject_always"].iter().find_map(|kind| line::option(kind, options));
                self.input.send(&line::permission(id, allowed.or_else(refused).as_deref()));
            }
            Some(method) if !is_notification => self.input.send(&line::no_method(id, method)),
            Some("session/update") if self.is_own_turn(&params) => {
                let update = SessionUpdate(params.get("update").object());
                if self.phase == Phase::Prompt || self.turn.is_tail(&update) {
                    self.turn.update(&update, self.talks, on_event);
                }
            }
            None if !is_notification => self.response(line, message, on_event),
            _ => {}
        }
    }

    /// Whether a call for which the agent asks is allowed: it reads or searches, and every path that it names is in the
    /// project.
    fn may(&self, call: &SessionUpdate<'_>) -> bool {
        let Some(is_inside) = self.invocation.is_inside else { return false };
        let is_in_project = |path: &String| is_inside(&self.invocation.start.cwd, Path::new(path));
        matches!(call.get("kind").text().as_deref(), Some("read" | "search"))
            && call.paths().is_some_and(|paths| paths.iter().all(is_in_project))
    }

    /// Whether a message of the agent belongs to the user's turn: it names our session and is between the prompt and
    /// its result, or shortly after that.
    fn is_own_turn(&self, params: &Object<'_>) -> bool {
        matches!(self.phase, Phase::Prompt | Phase::Closing)
            && params.get("sessionId").text().as_deref() == self.session_id.as_deref()
    }

    fn response(&mut self, line: &[u8], message: &Object<'_>, on_event: OnEvent<'_>) {
        let Some(id) = own_id(message) else { return };
        let Some(index) = self.open_requests.iter().position(|(asked, _)| *asked == id) else { return };
        let (_, asked) = self.open_requests.swap_remove(index);
        if matches!(self.phase, Phase::Closing | Phase::Over) {
            return;
        }
        let error = message.get("error");
        if let Some(words) = error.text() {
            return self.fail(classify(None, &words), words, on_event);
        } else if error.is_object() {
            let (code, words) = failure::of_error(&asked, &error.object(), &self.capabilities.logins);
            return self.fail(code, words, on_event);
        }
        let reply = &AcpReply(message.get("result").object());
        match asked {
            AcpRequest::Initialize => self.initialized(reply, on_event),
            AcpRequest::Session | AcpRequest::Fork => self.session(reply, on_event),
            AcpRequest::Mode(_) | AcpRequest::Title | AcpRequest::Model(_) => {
                self.next_setting(on_event);
            }
            AcpRequest::Prompt => {
                self.phase = Phase::Closing;
                self.result = line.to_vec();
            }
        }
    }

    fn initialized(&mut self, reply: &AcpReply<'_>, on_event: OnEvent<'_>) {
        on_event(Event::Greeted);
        let [name, version] = ["name", "version"].map(|key| reply.get("agentInfo").get(key).text());
        let (name, version) = (name.as_deref(), version.as_deref());
        if let Some(why) = self.invocation.start.agent.recipe().mismatch(name, version) {
            return self.fail(Code::AgentNotFound, why.into(), on_event);
        }
        self.talks = name.and_then(Recipe::of_agent).unwrap_or(self.talks);
        let sessions = reply.get("agentCapabilities").get("sessionCapabilities");
        let can_fork = sessions.get("fork").is_object();
        self.capabilities = Capabilities {
            takes_system_prompt: sessions.get("systemPrompt").is_object(),
            logins: reply.logins(),
        };
        self.phase = Phase::Session;
        let version = reply.get("protocolVersion").count().unwrap_or(VERSION);
        if version != VERSION {
            let words = format!("Agent Client Protocol version {version} instead of {VERSION}");
            return self.fail(Code::Protocol, words.into(), on_event);
        }
        let params = self.session_params();
        match &self.invocation.start.resume {
            None => self.ask(AcpRequest::Session, "session/new", &params),
            // The session is only ever forked: to load or continue it would change it.
            Some(_) if !can_fork => {
                if self.sends_requests {
                    self.fail(Code::BadRequest, Cow::Borrowed(""), on_event);
                }
            }
            Some(resume) => {
                let mut params = params;
                params["sessionId"] = resume.session_id.clone().into();
                self.ask(AcpRequest::Fork, "session/fork", &params);
            }
        }
    }

    fn session_params(&self) -> serde_json::Value {
        let mut params =
            serde_json::json!({"cwd": self.invocation.directory.to_string_lossy(), "mcpServers": []});
        if let Some(meta) = &self.invocation.start.agent.acp.meta {
            params["_meta"] = meta.clone();
        }
        if self.capabilities.takes_system_prompt {
            let content = serde_json::json!([{"type": "text", "text": self.invocation.system}]);
            params["systemPrompt"] = serde_json::json!({"mode": "append", "content": content});
        }
        params
    }

    fn session(&mut self, reply: &AcpReply<'_>, on_event: OnEvent<'_>) {
        // Where a session is loaded, it is the one that was asked for.
        let id = reply.get("sessionId").text().map(Cow::into_owned).or_else(|| self.session_id.clone());
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            return self.fail(Code::Protocol, "no session id in the reply".into(), on_event);
        };
        self.session_id = Some(id.clone());
        let (model, offered) = reply.models();
        on_event(Event::Session { id: Some(id.into()), model });
        let offered = offered.into_iter().filter(|model| is_argument(model));
        let models: Vec<String> = offered.take(MODELS).map(Cow::into_owned).collect();
        if !models.is_empty() {
            on_event(Event::Models(models));
        }
        self.settings = self.settings_for(reply).into();
        self.phase = Phase::Configuring;
        self.next_setting(on_event);
    }

    /// The settings to send, the mode first: it keeps the agent from writing, so no request may come before it.
    fn settings_for(&self, reply: &AcpReply<'_>) -> Vec<Setting> {
        let config = |category: &str, value: &str| {
            let id = reply.option(category)?.get("id").text()?;
            Some(("session/set_config_option", serde_json::json!({"configId": id, "value": value})))
        };
        let mut settings = Vec::new();
        if let Some(mode) = self.invocation.mode() {
            let (method, params) = config("mode", mode)
                .filter(|_| !reply.get("modes").is_object())
                .unwrap_or_else(|| ("session/set_mode", serde_json::json!({"modeId": mode})));
            settings.push((AcpRequest::Mode(mode.to_owned()), method, params));
        }
        if self.invocation.start.agent.recipe().asks_for_title {
            settings.push((AcpRequest::Title, "session/set_title", serde_json::json!({"title": TITLE})));
        }
        if let Some(model) = &self.invocation.start.agent.model {
            let (method, params) = config("model", model)
                .unwrap_or_else(|| ("session/set_model", serde_json::json!({"modelId": model})));
            settings.push((AcpRequest::Model(model.clone()), method, params));
        }
        settings
    }

    fn next_setting(&mut self, on_event: OnEvent<'_>) {
        if self.phase != Phase::Configuring || !self.sends_requests {
            return;
        }
        let Some((asked, method, mut params)) = self.settings.pop_front() else {
            self.phase = Phase::Ready;
            return self.prompt(on_event);
        };
        if let AcpRequest::Model(model) = &asked {
            on_event(Event::Session { id: None, model: Some(model.into()) });
        }
        params["sessionId"] = self.session_id.clone().into();
        self.ask(asked, method, &params);
    }

    /// Sends the user's message, once it is known and the agent is ready.
    fn prompt(&mut self, on_event: OnEvent<'_>) {
        if self.phase != Phase::Ready {
            return;
        }
        let Some(message) = self.message.take() else { return };
        let text = if self.capabilities.takes_system_prompt {
            message
        } else {
            format!("{}\n\n{message}", self.invocation.system)
        };
        let params = serde_json::json!({
            "sessionId": self.session_id,
            "prompt": [{"type": "text", "text": text}],
        });
        self.ask(AcpRequest::Prompt, "session/prompt", &params);
        self.turn_begins(on_event);
    }

    fn turn_begins(&mut self, on_event: OnEvent<'_>) {
        self.phase = Phase::Prompt;
        self.turn_has_begun = true;
        // The message stays open until the result: without a result the text so far is not an answer.
        on_event(Event::MessageBegan);
    }

    fn finished(&mut self, reply: &AcpReply<'_>, on_event: OnEvent<'_>) {
        if let Some(model) = reply.model().or_else(|| self.turn.model()) {
            on_event(Event::Session { id: None, model: Some(model) });
        }
        let turn = std::mem::take(&mut self.turn);
        let amounts = turn.amounts(Some(reply), self.talks);
        self.decide(turn.verdict(reply, self.talks), amounts, on_event);
    }

    fn fail(&mut self, code: Code, words: Cow<'_, str>, on_event: OnEvent<'_>) {
        let amounts = self.turn.amounts(None, self.talks);
        let failed = FinishVerdict::Failed(Problem { code, words, rank: Detail::Cause });
        self.decide(failed, amounts, on_event);
    }

    fn decide(&mut self, verdict: FinishVerdict<'_>, amounts: ReportedAmounts, on_event: OnEvent<'_>) {
        self.phase = Phase::Over;
        on_event(Event::Finished(FinishLine { verdict, authority: Authority::Final, amounts }));
        if self.sends_requests {
            self.input.close();
        }
    }
}

impl Dialogue for Acp {
    fn input(&mut self) -> &mut AgentInput {
        &mut self.input
    }

    fn begin(&mut self) {
        let params = line::initialize_params(self.talks.reports_failures);
        self.ask(AcpRequest::Initialize, "initialize", &params);
    }

    fn say(&mut self, message: &str, on_event: OnEvent<'_>) {
        self.message = Some(message.to_owned());
        self.prompt(on_event);
    }

    fn hear(&mut self, line: &[u8], on_event: OnEvent<'_>) -> LineStatus {
        json::read(line, |message| self.handle_message(line, &message, on_event))
    }

    fn is_closing(&self) -> bool {
        self.phase == Phase::Closing
    }

    fn close(&mut self, on_event: OnEvent<'_>) {
        let line = std::mem::take(&mut self.result);
        // It has been read once.
        if let (Phase::Closing, Ok(message)) = (self.phase, json::line(&line)) {
            self.finished(&AcpReply(message.get("result").object()), on_event);
        }
    }

    fn has_asked(&self) -> bool {
        self.turn_has_begun
    }
}
