//! A recorded dialogue: both sides, one object a line, `{"from":"client" or "agent","t":seconds,"line":"…"}`.
//!
//! The recorded requests of the client replace those that this side would send, so a recording keeps its meaning. A
//! line without that shape says nothing.

use std::time::Duration;

use super::failure::AcpRequest;
use super::wire::own_id;
use super::{Acp, Phase};
use crate::agent::json;
use crate::stream::event::{Event, Text};
use crate::stream::{AgentInput, Dialogue, LATEST, LineStatus, OnEvent, QUIET};

/// See the module.
#[derive(Debug, Clone)]
pub struct Recorded {
    acp: Acp,
    /// When the agent printed its last line, in seconds since its start.
    last: Option<f64>,
    /// When it printed the result of the turn, once that is closing.
    result_at: Option<f64>,
}

impl Recorded {
    /// A recording of this dialogue, which has not begun.
    pub fn new(acp: Acp) -> Self {
        Self { acp: Acp { sends_requests: false, ..acp }, last: None, result_at: None }
    }

    /// A line that the client sent then.
    fn sent(&mut self, line: &[u8], each: OnEvent<'_>) {
        let acp = &mut self.acp;
        let Ok(message) = json::line(line) else { return };
        let Some(id) = own_id(&message) else { return };
        let params = message.get("params").object();
        let param = |key| params.get(key).text().map(Text::into_owned);
        let setting = || ["modeId", "modelId", "value"].into_iter().find_map(param).unwrap_or_default();
        let session = || param("sessionId").unwrap_or_default();
        let asked = match &*message.get("method").text().unwrap_or_default() {
            "initialize" => AcpRequest::Initialize,
            "session/new" => AcpRequest::Session,
            "session/fork" => AcpRequest::Fork,
            "session/load" | "session/resume" => {
                acp.session_id = Some(session());
                AcpRequest::Fork
            }
            "session/set_mode" => AcpRequest::Mode(setting()),
            "session/set_model" | "session/set_config_option" => AcpRequest::Model(setting()),
            "session/prompt" if !matches!(acp.phase, Phase::Prompt | Phase::Closing | Phase::Over) => {
                // A dialogue may be recorded from its middle on.
                acp.session_id.get_or_insert_with(session);
                each(Event::Asked(params.get("prompt").words(usize::MAX).into()));
                acp.turn_begins(each);
                AcpRequest::Prompt
            }
            _ => return,
        };
        acp.open_requests.retain(|(other, _)| *other != id);
        acp.open_requests.push((id, asked));
    }

    /// Whether a line came too late to belong to a turn that has its result.
    fn is_late(&self, at: Option<f64>) -> bool {
        let after = |before: Option<f64>, limit: Duration| {
            at.zip(before).is_some_and(|(at, before)| at - before > limit.as_secs_f64())
        };
        after(self.last, QUIET) || after(self.result_at, LATEST)
    }
}

impl Dialogue for Recorded {
    fn input(&mut self) -> &mut AgentInput {
        self.acp.input()
    }

    fn say(&mut self, _message: &str, _each: OnEvent<'_>) {}

    fn hear(&mut self, line: &[u8], each: OnEvent<'_>) -> LineStatus {
        let envelope = match json::line(line) {
            Ok(envelope) => envelope,
            Err(status) => return status,
        };
        let at = envelope.get("t").amount();
        match (envelope.get("from").text().as_deref(), envelope.get("line").text()) {
            (Some("client"), Some(sent)) => {
                self.sent(sent.as_bytes(), each);
                LineStatus::Parsed
            }
            (Some("agent"), Some(printed)) => {
                if self.acp.is_closing() && self.is_late(at) {
                    self.acp.close(each);
                }
                self.last = at.or(self.last);
                if !self.acp.is_closing() {
                    self.result_at = at;
                }
                self.acp.hear(printed.as_bytes(), each)
            }
            _ => LineStatus::Parsed,
        }
    }

    fn is_closing(&self) -> bool {
        self.acp.is_closing()
    }

    fn close(&mut self, each: OnEvent<'_>) {
        self.acp.close(each);
    }
}
