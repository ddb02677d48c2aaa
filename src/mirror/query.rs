//! What can be asked of a mirror, and what it says.

use rmpv::Value;

use super::selected::{Selected, texts};
use super::view::{self, View};
use crate::document::Place;
use crate::error::JobError;
use crate::land::{Bytes, Difference, HeldFor};
use crate::names::name;
use crate::request::Fields;

/// A question to a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// What it knows of its buffer.
    Mirror,
    /// What an answer would change.
    Hunks {
        /// The job's id.
        job: u64,
        /// The answer.
        lines: Vec<Bytes>,
    },
    /// Where texts are.
    Find(Vec<Selected>),
}

/// What a mirror says.
#[derive(Debug)]
pub enum Findings {
    /// There is no such mirror.
    Nothing,
    /// What it knows of its buffer.
    View(View),
    /// What an answer would change.
    Hunks {
        /// The changedtick of the text.
        tick: u64,
        /// The differences, in their order.
        hunks: Vec<Difference>,
    },
    /// Nothing can be said of an answer.
    Unknown(HeldFor),
    /// Where texts are.
    Places {
        /// The changedtick of the text.
        tick: u64,
        /// For each text in its order its place; none where it is not, or several are.
        places: Vec<Option<Place>>,
    },
}

impl Question {
    /// Reads a query; none where it is one for the store.
    pub fn decode(fields: &Fields<'_>) -> Option<Result<Self, JobError>> {
        match fields.get("name").and_then(Value::as_str)? {
            "mirror" => Some(Ok(Self::Mirror)),
            "hunks" => Some(Self::hunks(fields)),
            "find" => {
                let texts =
                    fields.maps("texts").and_then(|texts| texts.iter().map(Selected::decode).collect());
                Some(texts.map(Self::Find))
            }
            _ => None,
        }
    }

    fn hunks(fields: &Fields<'_>) -> Result<Self, JobError> {
        Ok(Self::Hunks { job: fields.count("id")?, lines: texts(fields, "lines")? })
    }

    /// What is said where there is no mirror.
    pub fn without_mirror(&self) -> Findings {
        match self {
            Self::Hunks { .. } => Findings::Unknown(HeldFor::BufferGone),
            Self::Mirror | Self::Find(_) => Findings::Nothing,
        }
    }
}

impl Findings {
    /// The fields of a reply.
    pub fn fields(&self) -> Vec<(Value, Value)> {
        match self {
            Self::Nothing => Vec::new(),
            Self::View(view) => view.fields(),
            Self::Unknown(why) => vec![("why".into(), name(why).into())],
            Self::Hunks { tick, hunks } => {
                let hunks = hunks.iter().map(hunk).collect();
                vec![("tick".into(), (*tick).into()), ("hunks".into(), Value::Array(hunks))]
            }
            Self::Places { tick, places } => {
                let place = |place: &Option<Place>| {
                    Value::Map(place.as_ref().map(view::place_fields).unwrap_or_default())
                };
                let places = places.iter().map(place).collect();
                vec![("tick".into(), (*tick).into()), ("places".into(), Value::Array(places))]
            }
        }
    }
}

fn hunk(hunk: &Difference) -> Value {
    let lines = hunk.lines.iter().map(|line| Value::Binary(line.clone())).collect();
    let mut fields = vec![
        ("first".into(), (hunk.rows.start + 1).into()),
        ("last".into(), hunk.rows.end.into()),
        ("lines".into(), Value::Array(lines)),
        ("conflict".into(), hunk.is_conflict.into()),
    ];
    fields.extend(hunk.column.map(|column| ("column".into(), column.into())));
    Value::Map(fields)
}
