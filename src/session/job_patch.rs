//! What changed of the public fields of a job, as the plugin's copy of them gets it.

use std::collections::BTreeMap;

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
    /// What else the plugin is told of it.
    told: BTreeMap<&'static str, Value>,
}

impl Patch {
    /// An answer has landed where no window shows it.
    pub fn out_of_sight(id: u64, said: &str, place: &str, keys: &Keys) -> Self {
        Self::new(id).with_news(Some(super::sentences::out_of_sight(said, place, keys)))
    }

    /// The job with this number is not known any more.
    pub fn gone(id: u64) -> Self {
        Self::new(id).telling("gone", Some(true))
    }

    /// The range of this job is not followed any more.
    pub fn unfollowed(id: u64) -> Self {
        Self::new(id).telling("unfollowed", Some(true))
    }

    /// Of the job with this number: nothing yet.
    pub fn new(id: u64) -> Self {
        Self { id, set: Vec::new(), told: BTreeMap::new() }
    }

    /// The job's number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// This patch, and then a later one of the same job.
    pub fn and(mut self, later: Self) -> Self {
        self.set.extend(later.set);
        self.told.extend(later.told);
        self
    }

    fn telling(mut self, what: &'static str, value: Option<impl Into<Value>>) -> Self {
        self.told.extend(value.map(|value| (what, value.into())));
        self
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
        self.telling("tools", tools)
    }

    /// The user is told this with the next tick, where there is something.
    pub fn with_news(self, news: Option<Value>) -> Self {
        self.telling("news", news)
    }

    /// It is told by an event of its own.
    pub fn as_update(self) -> Self {
        self.telling("is_update", Some(true))
    }

    /// No decision on its answer is pending any more.
    pub fn decided(self) -> Self {
        self.telling("is_decided", Some(true))
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
        fields.extend(self.told.into_iter().map(|(what, value)| (what.into(), value)));
        Value::Map(fields)
    }
}

/// Neovim's integers are signed: what an agent made up beyond them would arrive as a negative number.
fn count(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
