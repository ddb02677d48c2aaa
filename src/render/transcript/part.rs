//! The parts of a conversation, in the order in which they began.

use std::collections::HashMap;

use crate::agent;
use crate::stream::event::{Event, Output, Retry};
use crate::stream::{LineItem, ToolCall, Update, one_line};

/// One part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The message that the agent was sent.
    Sent(String),
    Thinking(String),
    Text(String),
    Tool {
        call: ToolCall,
        output: String,
    },
    /// Something that happened besides, in one line.
    Note(String),
}

/// All parts.
#[derive(Debug, Default)]
pub struct Parts {
    pub list: Vec<Part>,
    pub model: Option<String>,
    /// The part of each tool call.
    calls: HashMap<usize, usize>,
    /// What the tool returned whose update comes next.
    output: Option<String>,
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
        self.list.push(Part::Note(one_line::line(text, 500)));
    }

    fn event(&mut self, event: &Event<'_>) {
        self.output = None;
        match event {
            Event::Asked(text) => self.list.push(Part::Sent(text.to_string())),
            Event::ToolReturned { output: Output(json), .. } if !json.is_empty() => {
                self.output = Some(agent::output(Output(json)));
            }
            _ => {}
        }
    }

    fn update(&mut self, update: Update) {
        match update {
            Update::Session { model, .. } => self.model = model.or_else(|| self.model.take()),
            Update::Text { text, begins } => self.say(&text, begins, false),
            Update::Thinking { text } => self.say(&text, false, true),
            Update::Tool { index, tool } => self.tool(index, tool),
            Update::Retry(Retry { attempt, max, reason, .. }) => {
                let of = if max > 0 { format!(" of {max}") } else { String::new() };
                self.note(&format!("{reason}: try {attempt}{of}"));
            }
            Update::Activity { text } => self.note(&text),
            Update::Malformed { line, reason, start } => {
                self.note(&format!("line {line} is not of the protocol ({reason}): {start}"));
            }
            // The text that comes again is a part of its own, behind what is said of the retry.
            Update::Models { .. } | Update::Restart | Update::Amounts(_) => {}
        }
    }

    fn say(&mut self, text: &str, begins: bool, is_thought: bool) {
        match self.list.last_mut() {
            Some(Part::Text(body)) if !is_thought && (!begins || body.trim().is_empty()) => {
                body.push_str(text);
            }
            Some(Part::Thinking(body)) if is_thought => body.push_str(text),
            _ if text.trim().is_empty() => {}
            _ if is_thought => self.list.push(Part::Thinking(text.to_owned())),
            _ => self.list.push(Part::Text(text.to_owned())),
        }
    }

    fn tool(&mut self, index: usize, tool: ToolCall) {
        let returned = self.output.take();
        let place = *self.calls.entry(index).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some(Part::Tool { call, output }) => {
                *call = tool;
                *output = returned.unwrap_or_else(|| std::mem::take(output));
            }
            _ => self.list.push(Part::Tool { call: tool, output: returned.unwrap_or_default() }),
        }
    }
}
