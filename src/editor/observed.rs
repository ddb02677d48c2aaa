//! The updates of jobs for the functions that users have registered: in their order; updates that come while a call is
//! under way are joined. If a job's updates are not taken for long, its text is kept up to a limit, and the number of
//! missing bytes beyond that. Pure.

use std::collections::BTreeMap;

use rmpv::Value;
use serde_json::json;

use crate::fields::value;
use crate::stream::{MAX_ANSWER, Update, one_line};
use crate::ui::{list, map};

/// The most that waits for one job, in bytes: the longest answer, so that one which comes in one piece is never cut.
const LIMIT: usize = MAX_ANSWER;
/// What an update counts besides its text.
const ENTRY: usize = 256;

/// What waits for the next call, by job.
#[derive(Debug, Default)]
pub struct Observed {
    jobs: BTreeMap<u64, WaitingUpdates>,
}

/// What waits of one job, oldest first.
#[derive(Debug, Default)]
struct WaitingUpdates {
    said: Vec<Said>,
    bytes: usize,
}

/// What the editor gets.
#[derive(Debug)]
enum Said {
    Update(Update),
    /// Text and thinking that are missing here, in bytes.
    Gap {
        text: u64,
        thinking: u64,
    },
}

impl Observed {
    /// Adds what a job says.
    pub fn add(&mut self, id: u64, update: &Update) {
        match update {
            Update::Text { text, .. } => self.waiting(id).say(text, false),
            Update::Thinking { text } => self.waiting(id).say(text, true),
            Update::Tool { .. } | Update::Restart | Update::Retry(_) => {
                self.waiting(id).push(update.clone());
            }
            Update::Session { .. }
            | Update::Models { .. }
            | Update::Activity { .. }
            | Update::Amounts(_)
            | Update::Malformed { .. } => {}
        }
    }

    /// Whether anything waits.
    pub fn is_waiting(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// Everything that waits, as patches of jobs.
    pub fn take(&mut self) -> Option<Value> {
        if self.jobs.is_empty() {
            return None;
        }
        let jobs = std::mem::take(&mut self.jobs).into_iter();
        let jobs = jobs.map(|(id, waiting)| {
            let updates = list(waiting.said.into_iter().map(Said::value));
            map([("id", Some(id.into())), ("updates", Some(updates))])
        });
        Some(Value::Array(jobs.collect()))
    }

    fn waiting(&mut self, id: u64) -> &mut WaitingUpdates {
        self.jobs.entry(id).or_default()
    }
}

impl WaitingUpdates {
    /// Adds text, or thinking, as much of it as there is room for.
    fn say(&mut self, text: &str, is_thinking: bool) {
        let kept = one_line::clip(text, LIMIT.saturating_sub(self.bytes));
        if !kept.is_empty() {
            match (self.said.last_mut(), is_thinking) {
                (Some(Said::Update(Update::Text { text: before, .. })), false)
                | (Some(Said::Update(Update::Thinking { text: before })), true) => {
                    before.push_str(kept);
                }
                _ => {
                    let text = kept.to_owned();
                    let begins = false;
                    let update =
                        if is_thinking { Update::Thinking { text } } else { Update::Text { text, begins } };
                    self.said.push(Said::Update(update));
                    self.bytes += ENTRY;
                }
            }
            self.bytes += kept.len();
        }
        if kept.len() < text.len() {
            // From here on nothing is kept: what is missing is missing in one piece.
            self.bytes = LIMIT;
            let missing = (text.len() - kept.len()) as u64;
            if !matches!(self.said.last(), Some(Said::Gap { .. })) {
                self.said.push(Said::Gap { text: 0, thinking: 0 });
            }
            if let Some(Said::Gap { text, thinking }) = self.said.last_mut() {
                *if is_thinking { thinking } else { text } += missing;
            }
        }
    }

    /// Adds another update, where there is room for it. Without it the editor has the newest state of each tool by the
    /// next frame.
    fn push(&mut self, update: Update) {
        if self.bytes < LIMIT {
            self.bytes += ENTRY;
            self.said.push(Said::Update(update));
        }
    }
}

impl Said {
    fn value(self) -> Value {
        let said = |kind: &str, text: String| map([("kind", Some(kind.into())), ("text", Some(text.into()))]);
        match self {
            Self::Update(Update::Text { text, .. }) => said("text", text),
            Self::Update(Update::Thinking { text }) => said("thinking", text),
            Self::Update(other) => value(json!(other)),
            Self::Gap { text, thinking } => {
                value(json!({ "kind": "gap", "bytes": text, "thinking": thinking }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::stream::event::Retry;
    use crate::stream::{ToolCall, ToolStatus};

    fn text(text: &str) -> Update {
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
             tool: {id: t, name: Read, status: ok}}, {kind: text, text: c}]}, \
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

    #[test]
    fn of_what_is_not_taken_a_bound_is_kept_and_how_much_is_missing() {
        let mut observed = Observed::default();
        let piece = "x".repeat(1 << 20);
        let kept = allocation_counter::measure(|| {
            for n in 0..48 {
                observed.add(1, &text(&piece));
                if n % 4 == 0 {
                    observed.add(1, &Update::Thinking { text: "hm".into() });
                    let (reason, code) = ("busy".to_owned(), Code::Overloaded);
                    let retry = Retry { attempt: 1, max: 2, delay_ms: 3, reason, code };
                    observed.add(1, &Update::Retry(retry));
                }
            }
        });
        let kept = usize::try_from(kept.bytes_current).unwrap();
        assert!(kept < 3 * LIMIT, "{kept} bytes");
        let all = observed.take().unwrap();
        let updates = all[0]["updates"].as_array().unwrap();
        let of = |kind: &'static str| updates.iter().filter(move |update| update["kind"] == kind.into());
        let told: usize = of("text").map(|update| update["text"].as_str().unwrap().len()).sum();
        let gaps: Vec<&Value> = of("gap").collect();
        assert_eq!((gaps.len(), updates.last()), (1, gaps.first().copied()));
        assert_eq!(told as u64 + gaps[0]["bytes"].as_u64().unwrap(), 48 << 20);
        let thought: usize = of("thinking").map(|update| update["text"].as_str().unwrap().len()).sum();
        assert_eq!(thought as u64 + gaps[0]["thinking"].as_u64().unwrap(), 24);
        observed.add(1, &text("more"));
        assert_eq!(taken(&mut observed), "[{id: 1, updates: [{kind: text, text: more}]}]");
    }

    #[test]
    fn an_answer_that_comes_in_one_piece_has_no_gap() {
        let mut observed = Observed::default();
        observed.add(1, &text(&"x".repeat(MAX_ANSWER)));
        assert_eq!(observed.take().unwrap()[0]["updates"].as_array().unwrap().len(), 1);
    }
}
