//! The call by which the editor changes a buffer, its reply, and the places of marks, as they go over the wire.
//!
//! The plugin looks whether the user is in the middle of something, whether the changedtick is the one that the steps
//! were made for, and whether the rows read what the steps expect; then it writes, each step as one undo step. All of
//! that is one call, so no keystroke comes between.

use std::ops::Range;

use rmpv::Value;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::intent::Settlement;
use crate::document::{AnchorId, Document, Passage, Place};
use crate::fields::{self, read, value};
use crate::land::{Bytes, Primitive, Replaced, RowEdit};
use crate::review::Hunk;

/// What is to be written to one buffer, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteCall {
    /// The changedtick that the steps were made for.
    pub tick: u64,
    /// One answer each.
    pub steps: Vec<WriteStep>,
}

/// The edits of one answer. Rows count after the steps before it, and before all of its own edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteStep {
    /// The job's id.
    pub job: u64,
    /// Together with the job it names the step: the plugin writes each once.
    pub attempt: u64,
    /// What it comes to once it is written.
    pub settlement: Settlement,
    /// Ascending, apart from each other.
    pub edits: Vec<RowEdit>,
    /// Where the range is afterwards, for what is drawn at it.
    pub place: Place,
}

/// What an intent needs to be written.
#[derive(Debug)]
pub struct Plan {
    /// What the range is known by; none in a buffer that is too large.
    pub anchor: Option<AnchorId>,
    /// The range before.
    pub now: Passage,
    /// The range once it is written.
    pub replaced: Replaced,
    /// What is written, row by row.
    pub edits: Vec<RowEdit>,
    /// What it comes to once it is written.
    pub settlement: Settlement,
    /// Of a held answer: the hunks that are taken, and what they are merged with still.
    pub hunks: Option<(Vec<Hunk>, Passage)>,
}

impl Plan {
    /// The rows that it is about.
    pub fn rows(&self) -> Range<usize> {
        self.now.place.rows()
    }

    /// The whole rows that it replaces.
    pub fn before(&self) -> Vec<Bytes> {
        self.now.rows.iter().map(|row| row.text.to_vec()).collect()
    }

    /// The range once it is written.
    pub fn after(&self) -> Passage {
        let rows = Document::new(&self.replaced.rows).rows().slice(0..self.replaced.rows.len());
        Passage { place: self.replaced.planned_place(), rows }
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum WriteReply {
    /// The user is in the middle of something; the plugin tells when that may be over.
    NotNow,
    /// The buffer does not exist, or its text is not loaded.
    Gone,
    /// The text was changed meanwhile.
    Stale {
        /// The changedtick that it has.
        tick: u64,
    },
    /// The steps were tried in their order, up to the first that could not be written.
    Done {
        /// The changedtick afterwards.
        tick: u64,
        /// One for each step that was tried.
        steps: Vec<StepReply>,
    },
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum StepReply {
    /// It was written, by this call or, where the reply was lost, by one before.
    Written {
        /// The changedtick before it.
        from: u64,
        /// The changedtick after it.
        to: u64,
    },
    /// The buffer takes no changes.
    NotModifiable,
    /// The rows read something else.
    Differs,
    /// Neovim refused it.
    Error,
}

impl WriteCall {
    /// The argument of the plugin's function.
    pub fn value(&self, buffer: u64) -> Value {
        let step = |step: &WriteStep| {
            Value::Map(vec![
                ("job".into(), step.job.into()),
                ("attempt".into(), step.attempt.into()),
                ("landing".into(), step.settlement.landing().into()),
                ("edits".into(), Value::Array(step.edits.iter().map(edit_value).collect())),
                ("place".into(), value(place_of(step.job, &step.place))),
            ])
        };
        Value::Map(vec![
            ("buffer".into(), buffer.into()),
            ("tick".into(), self.tick.into()),
            ("steps".into(), Value::Array(self.steps.iter().map(step).collect())),
        ])
    }
}

/// The argument that tells the plugin where its marks have to be.
pub fn places(buffer: u64, tick: u64, places: &[(u64, Option<Place>)]) -> Value {
    let place = |(job, place): &(u64, Option<Place>)| {
        place.as_ref().map_or_else(|| json!({ "id": job }), |place| place_of(*job, place))
    };
    let places: Vec<_> = places.iter().map(place).collect();
    value(json!({ "buffer": buffer, "tick": tick, "places": places }))
}

/// The place of a job in the shape in which the plugin sends one.
fn place_of(id: u64, place: &Place) -> Json {
    match place {
        Place::Lines(rows) if rows.is_empty() => {
            json!({ "id": id, "kind": "insert", "first": rows.start, "last": rows.start })
        }
        Place::Lines(rows) => json!({ "id": id, "kind": "line", "first": rows.start, "last": rows.end - 1 }),
        Place::Part { start: (first, from), end: (last, to) } => {
            json!({ "id": id, "kind": "char", "first": first, "last": last, "from": from, "to": to })
        }
        Place::Block { first, columns } => {
            let spans: Vec<_> = columns.iter().map(|columns| (columns.start, columns.end)).collect();
            json!({ "id": id, "kind": "block", "first": first, "last": first + columns.len() - 1, "spans": spans })
        }
    }
}

/// What the plugin compares, and how it makes the rows others.
fn edit_value(edit: &RowEdit) -> Value {
    let bytes = |row: &[u8]| Value::Binary(row.to_vec());
    let lines = |lines: &[Vec<u8>]| Value::Array(lines.iter().map(|line| bytes(line)).collect());
    let (primitives, behind) = edit.primitives();
    let change = |primitive: &Primitive| {
        let (name, arguments) = match primitive {
            Primitive::Text(from, to, text) => {
                ("text", vec![from.0.into(), from.1.into(), to.0.into(), to.1.into(), lines(text)])
            }
            Primitive::Fill(end, text, column) => {
                ("fill", vec![end.0.into(), end.1.into(), bytes(text), (*column).into()])
            }
            Primitive::Insert(row, rows) => ("insert", vec![(*row).into(), lines(rows)]),
            Primitive::Delete(rows) => ("delete", vec![rows.start.into(), rows.end.into()]),
            Primitive::Split(at) => ("split", vec![at.0.into(), at.1.into()]),
            Primitive::Join(row) => ("join", vec![(*row).into()]),
        };
        Value::Array([vec![name.into()], arguments].concat())
    };
    let mut fields = vec![
        ("first".into(), edit.rows.start.into()),
        ("old".into(), Value::Array(edit.old.iter().map(|row| bytes(row)).collect())),
        ("changes".into(), Value::Array(primitives.iter().map(change).collect())),
    ];
    fields.extend(edit.above.as_deref().map(|row| ("above".into(), bytes(row))));
    fields.extend(edit.below.as_deref().map(|row| ("below".into(), bytes(row))));
    fields.extend(behind.map(|(was, is)| {
        ("behind".into(), Value::Array([was.0, was.1, is.0, is.1].map(Value::from).to_vec()))
    }));
    Value::Map(fields)
}

impl WriteReply {
    /// The step that a change with this changedtick belongs to, by its place in the call.
    pub fn author(&self, tick: u64) -> Option<usize> {
        let Self::Done { steps, .. } = self else { return None };
        let wrote =
            |step: &StepReply| matches!(step, StepReply::Written { from, to } if *from < tick && tick <= *to);
        steps.iter().position(wrote)
    }

    /// Whether the buffer turned out to have another text than its mirror.
    pub fn differs(&self) -> bool {
        matches!(self, Self::Done { steps, .. } if steps.contains(&StepReply::Differs))
    }

    /// Reads the plugin's reply; none where it is not one.
    pub fn decode(value: &Value) -> Option<Self> {
        read(&fields::json(value)).ok()
    }
}

/// The changedtick that the plugin's reply names, if it names one.
pub fn reply_tick(reply: &Value) -> Option<u64> {
    reply["tick"].as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(fields: Vec<(&str, Value)>) -> Value {
        Value::Map(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    #[test]
    fn what_is_no_reply_is_none() {
        for value in [Value::Nil, map(vec![("state", "stale".into())]), map(vec![("state", "what".into())])] {
            assert_eq!(WriteReply::decode(&value), None);
        }
    }
}
