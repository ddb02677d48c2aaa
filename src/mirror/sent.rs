//! What a request says of its range: the rows as they were sent, and the changedtick that their buffer had then.

use std::ops::Range;

use crate::document::{Place, Row, Rows};
use crate::error::JobError;
use crate::request::fields::{bad, wrong};
use crate::request::{Fields, Kind};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The job's id.
    pub job: u64,
    /// The buffer's number.
    pub buffer: u64,
    /// The buffer's changedtick; none where the request went to a host that is gone.
    pub tick: Option<u64>,
    /// The screen column at which a block begins.
    pub column: Option<usize>,
    kind: Kind,
    first: usize,
    rows: Vec<Vec<u8>>,
    /// The bytes of each row that were selected.
    spans: Vec<Range<usize>>,
    above: Option<Vec<u8>>,
    below: Option<Vec<u8>>,
}

impl Sent {
    /// Reads a request, or what is left of one.
    pub(super) fn decode(fields: &Fields<'_>) -> Result<Self, JobError> {
        let selection = fields.fields("selection")?;
        let kind = selection.text("kind")?;
        let kind =
            Kind::named(&kind).ok_or_else(|| bad(&selection.name("kind"), "is no kind of a selection"))?;
        let first = usize::try_from(selection.count("first_line")?).unwrap_or(usize::MAX);
        let (rows, text) = (texts(&selection, "rows")?, texts(&selection, "text")?);
        let starts =
            selection.counts("cols")?.into_iter().map(|col| usize::try_from(col).unwrap_or_default());
        let beside = selection.fields("beside")?;
        let neighbour = |field| beside.get(field).map(|row| bytes(field, row)).transpose();
        Ok(Self {
            job: fields.count("id")?,
            buffer: fields.count("buffer")?,
            tick: fields.get("tick").map(|_| fields.count("tick")).transpose()?,
            column: selection
                .get("column")
                .map(|_| selection.count("column"))
                .transpose()?
                .and_then(|column| usize::try_from(column).ok()),
            kind,
            first: if kind == Kind::Insert { first } else { first.saturating_sub(1) },
            spans: starts.zip(&text).map(|(start, text)| start..start + text.len()).collect(),
            rows,
            above: neighbour("above")?,
            below: neighbour("below")?,
        })
    }

    /// Where the range was when it was sent; none where that is no place of this text.
    pub(super) fn place(&self, rows: &Rows) -> Option<Place> {
        let place = self.place_at(self.first)?;
        let is_there = place.rows().end <= rows.len() && {
            let columns = rows.slice(place.rows());
            columns.len() == self.spans.len()
                && columns.iter().zip(&self.spans).all(|(row, span)| span.end <= row.text.len())
        };
        (is_there || matches!(place, Place::Insertion(row) if row <= rows.len())).then_some(place)
    }

    /// Whether a mark can be that of the range, though the text may have changed since it was sent: whole rows where
    /// they begin and end as they did, so that only what is between was edited; anything else where it reads as it did.
    /// Rows without a letter tell nothing.
    pub(super) fn agrees(&self, mark: &Place, rows: &Rows) -> bool {
        let range = mark.rows();
        let now = rows.slice(range.clone());
        let is = |row: Option<&Row>, text: Option<&Vec<u8>>| {
            row.map(|row| &row.text[..]) == text.map(|text| &text[..])
        };
        let (is_it, telling) = match mark {
            Place::Insertion(at) => {
                let above = at.checked_sub(1).and_then(|above| rows.get(above));
                let is_between = is(above, self.above.as_ref()) && is(rows.get(*at), self.below.as_ref());
                (
                    is_between && self.kind == Kind::Insert,
                    self.above.iter().chain(&self.below).collect::<Vec<_>>(),
                )
            }
            Place::Lines(_) if self.tick.is_some() && now.len() > 1 && self.rows.len() > 1 => {
                let ends = is(now.first(), self.rows.first()) && is(now.last(), self.rows.last());
                (
                    ends && self.kind == Kind::Line,
                    self.rows.first().into_iter().chain(self.rows.last()).collect(),
                )
            }
            _ => {
                let is_same = now.len() == self.rows.len()
                    && now.iter().zip(&self.rows).all(|(row, text)| row.text[..] == text[..]);
                (is_same && self.place_at(range.start).as_ref() == Some(mark), self.rows.iter().collect())
            }
        };
        is_it
            && telling
                .iter()
                .any(|row| row.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()))
    }

    fn place_at(&self, first: usize) -> Option<Place> {
        Some(match self.kind {
            Kind::Insert => Place::Insertion(first),
            Kind::Line if self.rows.is_empty() => return None,
            Kind::Line => Place::Lines(first..first.checked_add(self.rows.len())?),
            Kind::Char => {
                let last = first.checked_add(self.spans.len().checked_sub(1)?)?;
                Place::Part { start: (first, self.spans.first()?.start), end: (last, self.spans.last()?.end) }
            }
            Kind::Block if self.spans.is_empty() => return None,
            Kind::Block => Place::Block { first, columns: self.spans.clone() },
        })
    }
}

fn texts(fields: &Fields<'_>, field: &str) -> Result<Vec<Vec<u8>>, JobError> {
    fields.list(field)?.iter().map(|row| bytes(&fields.name(field), row)).collect()
}

fn bytes(field: &str, value: &rmpv::Value) -> Result<Vec<u8>, JobError> {
    value.as_slice().map(<[u8]>::to_vec).ok_or_else(|| wrong(field, "a string", value))
}
