//! A recorded dialogue: both sides, one object a line, `{"from":"client" or "agent","t":seconds,"line":"…"}`.
//!
//! The recorded requests of the client replace those that this side would send, so a recording keeps its meaning. A
//! line without that shape counts as the agent's own; a recording that has only such lines is read as if this side had
//! sent its requests.

use super::failure::AcpRequest;
use super::wire::AcpMessage;
use super::{Acp, Phase};
use crate::agent::json::{self, Read, Reader};
use crate::stream::event::{Event, Text};
use crate::stream::{AgentInput, Dialogue, LineStatus, OnEvent};

/// See the module.
#[derive(Debug, Clone)]
pub struct Recorded {
    acp: Acp,
    has_begun: bool,
}

impl Recorded {
    /// A recording of this dialogue, which has not begun.
    pub fn new(acp: Acp) -> Self {
        Self { acp, has_begun: false }
    }

    /// A line that the client sent then.
    fn sent(&mut self, line: &[u8], each: OnEvent<'_>) {
        let acp = &mut self.acp;
        acp.sends_requests = false;
        let Ok(message) = json::line(line, AcpMessage::read) else { return };
        let Some(id) = message.own_id() else { return };
        let setting = || message.params.setting.clone().unwrap_or_default().into_owned();
        let session = || message.params.session_id.clone().unwrap_or_default().into_owned();
        let asked = match message.method.as_deref().unwrap_or_default() {
            "initialize" => AcpRequest::Initialize,
            "session/new" => AcpRequest::Session,
            "session/fork" | "session/load" | "session/resume" => AcpRequest::Fork,
            "session/set_mode" => AcpRequest::Mode(setting()),
            "session/set_model" | "session/set_config_option" => AcpRequest::Model(setting()),
            "session/prompt" if acp.phase != Phase::Over && acp.phase != Phase::Prompt => {
                // A dialogue may be recorded from its middle on.
                acp.session_id.get_or_insert_with(session);
                if let Some(prompt) = message.params.prompt {
                    each(Event::Asked { text: prompt.beginning(usize::MAX).into() });
                }
                acp.turn_begins(each);
                AcpRequest::Prompt
            }
            _ => return,
        };
        acp.open_requests.retain(|(other, _)| *other != id);
        acp.open_requests.push((id, asked));
    }

    /// This side asks as it would have, where the recording has not what it asked.
    fn begin_alone(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) && self.acp.sends_requests {
            let mut unsent = AgentInput::default();
            self.acp.begin(&mut unsent);
            self.acp.say("", &mut |_: Event<'_>| {}, &mut unsent);
        }
    }
}

impl Dialogue for Recorded {
    fn begin(&mut self, _input: &mut AgentInput) {}

    fn say(&mut self, _message: &str, _each: OnEvent<'_>, _input: &mut AgentInput) {}

    fn hear(&mut self, line: &[u8], each: OnEvent<'_>, _input: &mut AgentInput) -> LineStatus {
        let mut unsent = AgentInput::default();
        let envelope = match json::line(line, Envelope::read) {
            Ok(envelope) => envelope,
            Err(status) => return status,
        };
        match (envelope.from.as_deref(), envelope.line) {
            (Some("client"), Some(sent)) => {
                self.has_begun = true;
                self.sent(sent.as_bytes(), each);
                LineStatus::Parsed
            }
            (Some("agent"), Some(printed)) => {
                self.begin_alone();
                self.acp.hear(printed.as_bytes(), each, &mut unsent)
            }
            _ => {
                self.begin_alone();
                self.acp.hear(line, each, &mut unsent)
            }
        }
    }

    fn is_two_way(&self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Dialogue> {
        Box::new(self.clone())
    }
}

/// One line of a recording.
#[derive(Debug, Default)]
struct Envelope<'a> {
    from: Option<Text<'a>>,
    line: Option<Text<'a>>,
}

impl<'a> Envelope<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut envelope = Self::default();
        json.object(|json, key| {
            match key {
                b"from" => envelope.from = json.text()?,
                b"line" => envelope.line = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(envelope)
    }
}
