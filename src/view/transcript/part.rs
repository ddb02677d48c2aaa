//! The parts of a conversation, in the order in which they began.

use std::collections::{HashMap, VecDeque};

use super::body::Body;
use crate::agent;
use crate::stream::event::{Event, Output};
use crate::stream::{LineItem, ToolCall, Update, words};

/// The most bytes of a text or of a thought that are kept.
const TEXT: usize = 512 << 10;
/// The same of a tool's output and of the message that was sent.
const EXCERPT: usize = 32 << 10;
/// The most bytes of all parts together.
const TOTAL: usize = 2 << 20;
/// What a part takes besides its text, in bytes.
const OVERHEAD: usize = 64;

/// One part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The message that the agent was sent.
    Sent(Body),
    Thinking(Body),
    Text(Body),
    Tool {
        call: ToolCall,
        output: Body,
    },
    /// Something that happened besides, in one line.
    Note(String),
}

impl Part {
    fn size(&self) -> usize {
        OVERHEAD
            + match self {
                Self::Sent(body) | Self::Thinking(body) | Self::Text(body) => body.len(),
                Self::Tool { call, output } => call.title.len() + output.len(),
                Self::Note(text) => text.len(),
            }
    }
}

/// All parts, the oldest of them dropped where there are too many.
#[derive(Debug, Default)]
pub struct Parts {
    pub list: VecDeque<Part>,
    /// How many were dropped.
    pub dropped: usize,
    pub model: Option<String>,
    /// The part of each tool call, dropped ones counted.
    calls: HashMap<usize, usize>,
    /// What the tool returned whose update comes next.
    output: Option<Body>,
    size: usize,
}

impl Parts {
    /// Takes what a line says.
    pub fn take(&mut self, heard: LineItem<'_, '_>) {
        match heard {
            LineItem::Event(event) => self.event(event),
            LineItem::Update(update) => self.update(update),
        }
    }

    /// Adds a line about the conversation.
    pub fn note(&mut self, text: &str) {
        self.add(Part::Note(words::line(text, 500)));
    }

    fn event(&mut self, event: &Event<'_>) {
        self.output = None;
        match event {
            Event::Asked { text } => self.add(Part::Sent(Body::new(EXCERPT, text))),
            Event::ToolReturned { output: Output(json), .. } if !json.is_empty() => {
                self.output = Some(Body::new(EXCERPT, &agent::output(Output(json))));
            }
            _ => {}
        }
    }

    fn update(&mut self, update: Update<'_>) {
        match update {
            Update::Session { model, .. } => self.model = model.or_else(|| self.model.take()),
            Update::Text { text, begins } => self.text(&text, begins),
            Update::Thinking { text } => self.thinking(&text),
            Update::Tool { index, tool } => self.tool(index, tool),
            Update::Retry { attempt, max, reason, .. } => {
                let of = if max > 0 { format!(" of {max}") } else { String::new() };
                self.note(&format!("{reason}: try {attempt}{of}"));
            }
            Update::Activity { text } => self.note(&text),
            Update::Malformed { line, reason, start } => {
                self.note(&format!("line {line} is not of the protocol ({reason}): {start}"));
            }
            // The text that comes again is a part of its own, behind what is said of the retry.
            Update::Models { .. } | Update::Restart | Update::Amounts { .. } => {}
        }
    }

    fn text(&mut self, text: &str, begins: bool) {
        match self.list.back_mut() {
            Some(Part::Text(body)) if !begins || body.is_blank() => Self::grow(&mut self.size, body, text),
            _ if text.trim().is_empty() => {}
            _ => self.add(Part::Text(Body::new(TEXT, text))),
        }
    }

    fn thinking(&mut self, text: &str) {
        match self.list.back_mut() {
            Some(Part::Thinking(body)) => Self::grow(&mut self.size, body, text),
            _ if text.trim().is_empty() => {}
            _ => self.add(Part::Thinking(Body::new(TEXT, text))),
        }
    }

    fn tool(&mut self, index: usize, tool: ToolCall) {
        let returned = self.output.take();
        let place = self.calls.get(&index).map(|number| number.checked_sub(self.dropped));
        match place {
            None => {
                self.calls.insert(index, self.dropped + self.list.len());
                self.add(Part::Tool {
                    call: tool,
                    output: returned.unwrap_or_else(|| Body::new(EXCERPT, "")),
                });
            }
            // It was dropped.
            Some(None) => {}
            Some(Some(place)) => {
                if let Some(Part::Tool { call, output }) = self.list.get_mut(place) {
                    *call = tool;
                    if let Some(returned) = returned {
                        self.size += returned.len();
                        self.size -= output.len();
                        *output = returned;
                    }
                }
            }
        }
    }

    fn grow(size: &mut usize, body: &mut Body, text: &str) {
        let before = body.len();
        body.push(text);
        *size += body.len() - before;
    }

    fn add(&mut self, part: Part) {
        self.size += part.size();
        self.list.push_back(part);
        while self.size > TOTAL
            && let Some(oldest) = self.list.pop_front()
        {
            self.size = self.size.saturating_sub(oldest.size());
            self.dropped += 1;
        }
    }
}
