//! The state of a mirror at one time, as the reply to a query.

use rmpv::Value;

use crate::document::{Place, Rows};

/// What a mirror knows of its buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MirrorState {
    /// The document holds an earlier text: Neovim sends no events, or its events do not fit the document.
    #[default]
    Unknown,
    /// The document and the changedtick match the buffer.
    Sure,
    /// Neovim sent events that may not describe the buffer's text: it undoes those of a preview without an event, and
    /// real changes during a preview look the same. The mirror adopts no changedtick before it has compared them.
    Unsure,
    /// The text is too large to be mirrored. The state stays `TooLarge` until the buffer is unloaded.
    TooLarge,
}

impl MirrorState {
    /// Whether the host gets the buffer's events, and they fit so far.
    pub fn is_fed(self) -> bool {
        matches!(self, Self::Sure | Self::Unsure)
    }
}

/// See the module.
#[derive(Debug, Clone)]
pub struct MirrorView {
    /// What the mirror knows of its buffer.
    pub state: MirrorState,
    /// The changedtick that its text has.
    pub tick: u64,
    /// Its rows, with their ids.
    pub rows: Rows,
}

impl MirrorView {
    /// The fields of a reply.
    pub fn fields(&self) -> Vec<(Value, Value)> {
        let state = match self.state {
            MirrorState::Unknown => "unknown",
            MirrorState::Sure => "sure",
            MirrorState::Unsure => "unsure",
            MirrorState::TooLarge => "too_large",
        };
        let rows = self.rows.iter().map(|row| Value::Binary(row.text.to_vec())).collect();
        vec![
            ("link".into(), state.into()),
            ("tick".into(), self.tick.into()),
            ("rows".into(), Value::Array(rows)),
        ]
    }
}

/// The argument that tells the plugin where its marks have to be.
pub fn places(buffer: u64, tick: u64, places: &[(u64, Option<Place>)]) -> Value {
    Value::Map(vec![
        ("buffer".into(), buffer.into()),
        ("tick".into(), tick.into()),
        ("places".into(), Value::Array(places.iter().map(place_of).collect())),
    ])
}

fn place_of((job, place): &(u64, Option<Place>)) -> Value {
    match place {
        Some(place) => Value::Map(fields(*job, place)),
        None => Value::Map(vec![("id".into(), (*job).into())]),
    }
}

/// The place of a job in the shape in which the plugin sends one.
pub(super) fn fields(job: u64, place: &Place) -> Vec<(Value, Value)> {
    let (kind, first, last) = match place {
        Place::Lines(rows) if rows.is_empty() => ("insert", rows.start, rows.start),
        Place::Lines(rows) => ("line", rows.start, rows.end - 1),
        Place::Part { start, end } => ("char", start.0, end.0),
        Place::Block { first, columns } => ("block", *first, first + columns.len() - 1),
    };
    let mut fields: Vec<(Value, Value)> = vec![
        ("id".into(), job.into()),
        ("kind".into(), kind.into()),
        ("first".into(), first.into()),
        ("last".into(), last.into()),
    ];
    match place {
        Place::Part { start, end } => {
            fields.extend([("from".into(), start.1.into()), ("to".into(), end.1.into())]);
        }
        Place::Block { columns, .. } => {
            let span = |columns: &std::ops::Range<usize>| {
                Value::Array(vec![columns.start.into(), columns.end.into()])
            };
            fields.push(("spans".into(), Value::Array(columns.iter().map(span).collect())));
        }
        Place::Lines(_) => {}
    }
    fields
}
