//! The view of a held answer that the plugin gets, as it goes over the wire: the hunks in the present text, or why
//! there are none.

use std::sync::Arc;

use rmpv::Value;

use crate::land::HeldFor;
use crate::review::{EditId, Hunk, WordMarks};

/// See the module.
#[derive(Debug)]
pub struct ReviewView {
    /// The job's id.
    pub job: u64,
    /// The changedtick of the text.
    pub tick: u64,
    /// How many edits are taken.
    pub taken: usize,
    /// The edits that were dropped, those of one hunk together.
    pub dropped: Vec<Vec<EditId>>,
    /// The hunks that were dropped and would still change something.
    pub gone: Vec<Hunk>,
    /// The hunks.
    pub hunks: Result<Vec<ShownHunk>, HeldFor>,
}

/// A hunk in the form that the plugin gets.
#[derive(Debug)]
pub struct ShownHunk {
    /// The hunk.
    pub hunk: Hunk,
    /// What differs in the rows that go, and in those that come; none where the view before had this hunk.
    pub marks: Option<(Vec<WordMarks>, Vec<WordMarks>)>,
    /// The rows that go; none where the view before had this hunk.
    pub old: Vec<Arc<[u8]>>,
}

impl ReviewView {
    /// The argument of the plugin's function.
    pub fn value(&self, buffer: u64) -> Value {
        let mut fields = vec![
            ("id".into(), self.job.into()),
            ("buffer".into(), buffer.into()),
            ("tick".into(), self.tick.into()),
            ("taken".into(), self.taken.into()),
        ];
        fields.push(match &self.hunks {
            Ok(hunks) => ("hunks".into(), list(hunks, ShownHunk::value)),
            Err(why) => ("why".into(), why.name().into()),
        });
        Value::Map(fields)
    }
}

impl ShownHunk {
    fn value(&self) -> Value {
        let Self { hunk, marks, .. } = self;
        let mut fields: Vec<(Value, Value)> = vec![
            ("id".into(), hunk.id.to_string().into()),
            ("first".into(), hunk.rows.start.into()),
            ("count".into(), hunk.rows.len().into()),
            ("conflict".into(), hunk.conflict.is_some().into()),
        ];
        if marks.is_some() {
            fields.push(("lines".into(), list(&hunk.lines, |line| Value::Binary(line.clone()))));
            fields.extend(hunk.column.map(|column| ("column".into(), column.into())));
        }
        Value::Map(fields)
    }
}

fn list<T>(items: &[T], value: impl Fn(&T) -> Value) -> Value {
    Value::Array(items.iter().map(value).collect())
}
