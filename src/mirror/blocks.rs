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
        let (first_line, text) = (sent.count("first_line")?, sent.lossy_texts("text")?);
        let selection = Selection {
            kind,
            first_line,
            last_line: (first_line + text.len() as u64).saturating_sub(1),
            text,
            rows: sent.lossy_texts("rows")?,
            cols: sent.counts("cols")?,
            column: sent.get("column").map(|_| sent.count("column")).transpose()?,
            beside: Beside::decode(&sent.fields("beside")?)?,
        };
        Ok(Self { text: fields.lossy("text")?, filetype: fields.lossy("filetype")?, selection })
    }

    /// Its blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let Beside { above, below } = &self.selection.beside;
        let target = Target {
            filetype: &self.filetype,
            selection: &self.selection,
            before: above.as_slice(),
            after: below.as_slice(),
        };
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
    ])
}
