//! An answer with several code blocks, of which a key makes one the answer.

use std::sync::Arc;

use super::frame::{Frame, Row, RowMark};
use super::layout::{Key, Ui};
use super::opening::{Kind, Opening};
use super::screen::View;
use crate::land::Block;
use crate::render::{BETWEEN, counted};

const KEYS: [Key; 2] =
    [Key::asked("<CR>", "block", "take this block as the answer"), Key::told("q", "close", "close")];

/// See the module.
#[derive(Debug)]
pub struct Blocks {
    /// The job.
    pub id: u64,
    /// What the agent said.
    pub text: String,
    /// The blocks in it, at least one.
    pub blocks: Vec<Block>,
}

/// `2 of 3 · lua · 1 row`
fn label(at: usize, count: usize, block: &Block) -> String {
    let (place, rows) = (format!("{} of {count}", at + 1), counted(block.lines.len(), "row"));
    let parts = [&place, &block.language, &rows].into_iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join(BETWEEN)
}

impl View for Blocks {
    fn opening(&self) -> Opening {
        Opening {
            buffer: [("readonly", true.into()), ("syntax", "markdown".into())].into(),
            ..Opening::of(Kind::Split, &format!("blocks/{}", self.id), &KEYS)
        }
    }

    fn frame(&mut self, _: Ui, _: usize) -> Frame {
        let mut rows: Vec<Row> = self.text.split('\n').map(Row::plain).collect();
        for (at, block) in self.blocks.iter().enumerate() {
            let (first, past) = block.rows;
            // A fence is of its block.
            let fence = first.saturating_sub(1);
            for row in rows.iter_mut().take(past + 1).skip(fence) {
                row.id = Some(at.to_string());
            }
            rows[first..past].iter_mut().for_each(|row| row.marks.push(RowMark::Line("BotglueRange")));
            let label = label(at, self.blocks.len(), block);
            rows[fence].marks.push(RowMark::Behind(label, "BotglueKey"));
        }
        let id = self.id;
        let title = [
            format!("job {id}: {} blocks", self.blocks.len()),
            "<CR> takes one".to_owned(),
            format!(":Botglue edit {id} has all"),
            "q close".to_owned(),
        ];
        Frame {
            rows: rows.into_iter().map(Arc::new).collect(),
            bar: Some(title.join(BETWEEN) + "%<"),
            cursor: self.blocks.first().map(|block| block.rows.0 + 1),
            ..Frame::default()
        }
    }

    fn taken(&self, _: &str, row: usize) -> Option<(Option<u64>, Vec<String>)> {
        self.blocks.get(row).map(|block| (Some(self.id), block.lines.clone()))
    }
}
