//! A stream that is checked at every step; shared by the property tests and the fuzzer.

use std::collections::HashMap;

use botglue::agent::Recipe;
use botglue::stream::{Amounts, Line, Outcome, ProcessEnd, Status, Stream, ToolCall, ToolStatus, Update};

/// Follows one stream and checks what must hold at every moment.
pub struct Watched {
    stream: Stream,
    tools: HashMap<usize, ToolCall>,
    amounts: (f64, u64, u64, u64),
    decided: Option<Outcome>,
}

impl Watched {
    pub fn new(agent: &Recipe) -> Self {
        let stream = Stream::new(agent.recorded(), "/home/dev/project");
        Self { stream, tools: HashMap::new(), amounts: (0.0, 0, 0, 0), decided: None }
    }

    pub fn line(&mut self, line: &[u8]) {
        self.take(Line::Whole(line));
    }

    pub fn take(&mut self, line: Line<'_>) {
        let mut updates = Vec::new();
        self.stream.take(line, &mut |update| updates.push(update));
        for update in updates {
            self.update(update);
        }
        if let Some(decided) = &self.decided {
            assert!(self.stream.decided(), "a decision was taken back");
            let now = self.stream.outcome();
            assert_eq!((&now.text, &now.error), (&decided.text, &decided.error), "a decision changed");
        } else if self.stream.decided() {
            self.decided = Some(self.stream.outcome());
        }
    }

    fn update(&mut self, update: Update) {
        match update {
            Update::Tool { index, tool } => {
                assert!(index <= self.tools.len(), "a call was left out");
                assert!(!tool.title.contains(char::is_control));
                self.tools.insert(index, tool);
            }
            Update::Amounts(Amounts { cost_usd, usage, num_turns, .. }) => {
                let now = (
                    cost_usd.unwrap_or(0.0),
                    usage.input_tokens.saturating_add(usage.cache_read_input_tokens),
                    usage.output_tokens.saturating_add(usage.cache_creation_input_tokens),
                    num_turns.unwrap_or(0),
                );
                let before = std::mem::replace(&mut self.amounts, now);
                assert!(now.0 >= before.0 && now.1 >= before.1 && now.2 >= before.2 && now.3 >= before.3);
            }
            _ => {}
        }
    }

    pub fn end(mut self, end: &ProcessEnd) -> Outcome {
        let mut updates = Vec::new();
        let outcome = self.stream.end(end, &mut |update| updates.push(update));
        for update in updates {
            self.update(update);
        }
        self.stream.take(Line::Whole(br#"{"type":"result","result":"late"}"#), &mut |_| {
            panic!("an update after the end")
        });

        let told: Vec<&ToolCall> = (0..self.tools.len()).map(|index| &self.tools[&index]).collect();
        assert_eq!(told, outcome.tools.iter().collect::<Vec<_>>(), "observers saw other calls");
        assert!(outcome.tools.iter().all(|tool| tool.status != ToolStatus::Running));
        match outcome.status {
            Status::Done => {
                assert!(outcome.error.is_none() && !outcome.text.as_deref().unwrap().trim().is_empty());
            }
            Status::Failed => {
                let message = &outcome.error.as_ref().unwrap().message;
                assert!(outcome.text.is_none() && !message.contains(char::is_control), "{message:?}");
            }
        }
        assert!(outcome.counts.lines >= outcome.counts.ignored + outcome.counts.malformed);
        if let Some(decided) = self.decided {
            assert_eq!((&outcome.text, &outcome.error), (&decided.text, &decided.error));
        }
        outcome
    }
}
