//! A search of a buffer's text for the texts of jobs.

use rmpv::Value;

use super::selected::Selected;
use super::view;
use crate::document::{Place, Rows};

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// The texts, the most wanted first.
    pub candidates: Vec<Candidate>,
    /// Only a text that covers this row counts.
    pub row: Option<usize>,
    /// What the reply says in any case.
    pub reply: Vec<(Value, Value)>,
}

/// A text that may be in the buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The text.
    pub text: Selected,
    /// What the reply says where this is the text that is found.
    pub reply: Vec<(Value, Value)>,
}

impl Search {
    /// The fields of the reply, for a text of which these are the rows: with the first candidate that is there, its
    /// place and the line where that begins.
    pub fn look(&self, rows: &Rows) -> Vec<(Value, Value)> {
        let is_wanted = |place: &Place| self.row.is_none_or(|row| place.rows().contains(&row));
        let mut found = self.candidates.iter().filter_map(|candidate| {
            let place = candidate.text.find(rows).filter(is_wanted)?;
            Some((&candidate.reply, place))
        });
        let mut reply = self.reply.clone();
        if let Some((fields, place)) = found.next() {
            reply.extend_from_slice(fields);
            reply.push(("line".into(), view::line(&place).into()));
            reply.push(("place".into(), Value::Map(view::place_fields(&place))));
        }
        reply
    }
}
