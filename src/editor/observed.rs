//! What jobs say to the functions that users have registered: everything, in its order, with what comes while a
//! call is under way joined. Pure.

use std::collections::BTreeMap;

use rmpv::Value;

use super::value::{self, Map};
use crate::stream::{ToolCall, Update};

/// What waits for the next call, by job.
#[derive(Debug, Default)]
pub struct Observed {
    jobs: BTreeMap<u64, Vec<Said>>,
}

/// One update, as the editor gets it.
#[derive(Debug)]
enum Said {
    Text(String),
    Thinking(String),
    Tool(usize, ToolCall),
    Retry { attempt: u64, max: u64, delay_ms: u64, reason: String },
}

impl Observed {
    /// Adds what a job says.
    pub fn add(&mut self, id: u64, update: &Update<'_>) {
        let said = match update {
            Update::Text { text, .. } => {
                if let Some(Said::Text(before)) = self.last(id) {
                    before.push_str(text);
                    return;
                }
                Said::Text(text.to_string())
            }
            Update::Thinking { text } => {
                if let Some(Said::Thinking(before)) = self.last(id) {
                    before.push_str(text);
                    return;
                }
                Said::Thinking(text.to_string())
            }
            Update::Tool { index, tool } => Said::Tool(*index, tool.clone()),
            Update::Retry { attempt, max, delay_ms, reason } => {
                let (attempt, max, delay_ms) = (*attempt, *max, *delay_ms);
                Said::Retry { attempt, max, delay_ms, reason: reason.clone() }
            }
            Update::Session { .. } | Update::Amounts { .. } | Update::Malformed { .. } => return,
        };
        self.jobs.entry(id).or_default().push(said);
    }

    /// Whether anything waits.
    pub fn is_waiting(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// Everything that waits, as the argument of `apply.observed`.
    pub fn take(&mut self) -> Option<Value> {
        if self.jobs.is_empty() {
            return None;
        }
        let jobs = std::mem::take(&mut self.jobs).into_iter();
        let jobs = jobs.map(|(id, said)| {
            let updates = said.into_iter().map(Said::value).collect();
            Map::default().with("id", id).with("updates", Value::Array(updates)).build()
        });
        Some(Value::Array(jobs.collect()))
    }

    fn last(&mut self, id: u64) -> Option<&mut Said> {
        self.jobs.get_mut(&id)?.last_mut()
    }
}

impl Said {
    fn value(self) -> Value {
        match self {
            Self::Text(text) => Map::default().with("kind", "text").with("text", text),
            Self::Thinking(text) => Map::default().with("kind", "thinking").with("text", text),
            Self::Tool(index, tool) => {
                Map::default().with("kind", "tool").with("tool", value::tool(index, &tool))
            }
            Self::Retry { attempt, max, delay_ms, reason } => Map::default()
                .with("kind", "retry")
                .with("attempt", attempt)
                .with("max", max)
                .with("delay_ms", delay_ms)
                .with("reason", reason),
        }
        .build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::ToolStatus;

    fn text(text: &str) -> Update<'_> {
        Update::Text { text: text.into(), begins: false }
    }

    fn taken(observed: &mut Observed) -> String {
        observed.take().map_or_else(String::new, |value| value.to_string().replace('"', ""))
    }

    #[test]
    fn what_comes_meanwhile_is_joined_and_keeps_its_order() {
        let mut observed = Observed::default();
        let (id, name) = ("t".to_owned(), "Read".to_owned());
        let tool = ToolCall { id, name, status: ToolStatus::Ok, error: None, title: "Read a".to_owned() };
        for update in [
            Update::Thinking { text: "h".into() },
            Update::Thinking { text: "m".into() },
            text("a"),
            text("b"),
            Update::Tool { index: 0, tool },
            text("c"),
        ] {
            observed.add(1, &update);
        }
        observed.add(2, &text("other"));
        assert_eq!(
            taken(&mut observed),
            "[{id: 1, updates: [{kind: thinking, text: hm}, {kind: text, text: ab}, {kind: tool, \
             tool: {index: 1, id: t, name: Read, status: ok, title: Read a}}, {kind: text, text: c}]}, \
             {id: 2, updates: [{kind: text, text: other}]}]"
        );
        assert!(!observed.is_waiting());
        assert_eq!(taken(&mut observed), "");
    }

    #[test]
    fn what_no_function_gets_starts_no_call() {
        let mut observed = Observed::default();
        observed.add(1, &Update::Session { id: None, model: None });
        assert!(!observed.is_waiting());
    }
}
