//! The blocks of an ambiguous answer, as the plugin asks for them.

use rmpv::Value;

use crate::error::JobError;
use crate::land::{Block, Target, blocks_of};
use crate::request::fields::bad;
use crate::request::{Beside, Fields, Selection, SelectionKind};

/// An answer, and what it was an answer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguous {
    text: String,
    filetype: String,
    selection: Selection,
}

impl Ambiguous {
    /// Reads a query.
    pub fn decode(fields: &Fields<'_>) -> Result<Self, JobError> {
        let sent = fields.fields("selection")?;
        let kind =
            SelectionKind::named(&sent.text("kind")?).ok_or_else(|| bad("selection.kind", "is no kind"))?;
        let line = |fields: &Fields<'_>, field| fields.get(field).map(|_| fields.lossy(field)).transpose();
        let beside = match sent.get("beside") {
            Some(_) => {
                let beside = sent.fields("beside")?;
                Beside { above: line(&beside, "above")?, below: line(&beside, "below")? }
            }
            None => Beside::default(),
        };
        let (first_line, text) = (sent.count("first_line")?, sent.lossy_texts("text")?);
        let selection = Selection {
            kind,
            first_line,
            last_line: (first_line + text.len() as u64).saturating_sub(1),
            text,
            rows: sent.lossy_texts("rows")?,
            cols: sent.counts("cols")?,
            column: sent.get("column").map(|_| sent.count("column")).transpose()?,
            anchor: beside.above.clone(),
            beside: Some(beside),
        };
        Ok(Self { text: fields.lossy("text")?, filetype: fields.lossy("filetype")?, selection })
    }

    /// Its blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let beside = self.selection.beside.as_ref();
        let row = |row: Option<&String>| row.cloned().into_iter().collect::<Vec<_>>();
        let above = row(beside.and_then(|beside| beside.above.as_ref()));
        let below = row(beside.and_then(|beside| beside.below.as_ref()));
        let target =
            Target { filetype: &self.filetype, selection: &self.selection, before: &above, after: &below };
        blocks_of(target, &self.text)
    }
}

/// A block as it is replied.
pub fn value(block: &Block) -> Value {
    let lines = |lines: &[String]| Value::Array(lines.iter().map(|line| line.as_str().into()).collect());
    Value::Map(vec![
        ("lines".into(), lines(&block.lines)),
        ("language".into(), block.language.as_str().into()),
        ("first".into(), block.rows.0.into()),
        ("last".into(), block.rows.1.into()),
        ("above".into(), lines(&block.above)),
        ("below".into(), lines(&block.below)),
    ])
}
