//! What changed of the public fields of a job, as the plugin's copy of them gets it.

use rmpv::Value;
use serde_json::json;

use crate::error::JobError;
use crate::fields::value;
use crate::journal::Record;
use crate::options::Keys;
use crate::stream::{Amounts, Usage};

/// The changed fields of one job. A field that is nil is gone.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Patch {
    id: u64,
    set: Vec<(Value, Value)>,
    tools: Option<Value>,
    news: Option<Value>,
    is_update: bool,
    /// No decision on its answer is pending any more.
    is_decided: bool,
    /// What is over: `gone` for the job, `unfollowed` for its range.
    over: Option<&'static str>,
}

impl Patch {
    /// An answer has landed where no window shows it.
    pub fn out_of_sight(id: u64, said: &str, place: &str, keys: &Keys) -> Self {
        Self::new(id).with_news(Some(super::sentences::out_of_sight(said, place, keys)))
    }

    /// The job with this number is not known any more.
    pub fn gone(id: u64) -> Self {
        Self { over: Some("gone"), ..Self::new(id) }
    }

    /// The range of this job is not followed any more.
    pub fn unfollowed(id: u64) -> Self {
        Self { over: Some("unfollowed"), ..Self::new(id) }
    }

    /// Of the job with this number: nothing yet.
    pub fn new(id: u64) -> Self {
        Self { id, set: Vec::new(), tools: None, news: None, is_update: false, is_decided: false, over: None }
    }

    /// The job's number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// This patch, and then a later one of the same job.
    pub fn and(mut self, later: Self) -> Self {
        self.set.extend(later.set);
        Self {
            tools: later.tools.or(self.tools),
            news: later.news.or(self.news),
            is_update: self.is_update || later.is_update,
            is_decided: self.is_decided || later.is_decided,
            ..self
        }
    }

    /// A field has this value now.
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.set.push((field.into(), value.into()));
        self
    }

    /// A field has this value now, where there is one.
    pub fn with_some(self, field: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(field, value),
            None => self,
        }
    }

    /// Its newest tools, where they have changed.
    pub fn with_tools(self, tools: Option<Value>) -> Self {
        Self { tools, ..self }
    }

    /// The user is told this with the next tick, where there is something.
    pub fn with_news(self, news: Option<Value>) -> Self {
        Self { news, ..self }
    }

    /// It is told by an event of its own.
    pub fn as_update(self) -> Self {
        Self { is_update: true, ..self }
    }

    /// No decision on its answer is pending any more.
    pub fn decided(self) -> Self {
        Self { is_decided: true, ..self }
    }

    /// How it ended: the answer, the session and the amounts.
    pub fn with_record(self, record: &Record) -> Self {
        self.with("tool", Value::Nil)
            .with("resumes_at", Value::Nil)
            .with_some("text", record.text.as_deref())
            .with_some("held_why", record.held_why.as_deref())
            .with_some("session_id", record.session_id.as_deref())
            .with_some("model", record.answered_by.as_deref())
            .with_amounts(&record.share)
    }

    /// Why it failed, if it did.
    pub fn with_error(self, error: Option<&JobError>) -> Self {
        self.with_some("error", error.map(|error| value(json!(error))))
    }

    /// What it cost.
    pub fn with_amounts(self, amounts: &Amounts) -> Self {
        let Amounts { cost_usd, usage, num_turns, .. } = *amounts;
        // No tokens at all where nothing was counted: an agent that tells nothing took more than none.
        let is_counted = num_turns.is_some() || usage != Usage::default();
        let counted = |tokens| is_counted.then(|| count(tokens));
        self.with_some("cost_usd", cost_usd)
            .with_some("num_turns", num_turns.map(count))
            .with_some("input_tokens", counted(usage.input_tokens))
            .with_some("output_tokens", counted(usage.output_tokens))
    }

    /// The patch as the plugin gets it.
    pub fn value(self) -> Value {
        let mut fields = vec![("id".into(), self.id.into()), ("set".into(), Value::Map(self.set))];
        fields.extend(self.tools.map(|tools| ("tools".into(), tools)));
        fields.extend(self.news.map(|news| ("news".into(), news)));
        if self.is_update {
            fields.push(("is_update".into(), true.into()));
        }
        if self.is_decided {
            fields.push(("is_decided".into(), true.into()));
        }
        fields.extend(self.over.map(|over| (over.into(), true.into())));
        Value::Map(fields)
    }
}

/// Neovim's integers are signed: what an agent made up beyond them would arrive as a negative number.
fn count(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
