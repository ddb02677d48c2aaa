//! An answer with several code blocks, of which a key makes one the answer.

use std::sync::Arc;

use super::frame::{Frame, Row, RowMark};
use super::layout::{CLOSE, Key};
use super::opening::{Kind, Opening};
use super::page::Page;
use crate::land::Block;
use crate::render::{BETWEEN, counted};

const KEYS: [Key; 2] = [Key::asked("<CR>", "block", "take this block as the answer"), CLOSE];

/// `2 of 3 · lua · 1 row`
fn label(at: usize, count: usize, block: &Block) -> String {
    let (place, rows) = (format!("{} of {count}", at + 1), counted(block.lines.len(), "row"));
    let parts = [&place, &block.language, &rows].into_iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join(BETWEEN)
}

/// What the agent of a job said, and the blocks in it, at least one.
pub fn blocks(id: u64, text: &str, blocks: Vec<Block>) -> Page {
    let mut rows: Vec<Row> = text.split('\n').map(Row::plain).collect();
    for (at, block) in blocks.iter().enumerate() {
        let (first, past) = block.rows;
        // A fence is of its block.
        let fence = first.saturating_sub(1);
        for row in rows.iter_mut().take(past + 1).skip(fence) {
            row.id = Some(at.to_string());
        }
        rows[first..past].iter_mut().for_each(|row| row.marks.push(RowMark::Line("BotglueRange")));
        rows[fence].marks.push(RowMark::Behind(label(at, blocks.len(), block), "BotglueKey"));
    }
    let title = [
        format!("job {id}: {} blocks", blocks.len()),
        "<CR> takes one".to_owned(),
        format!(":Botglue edit {id} has all"),
        "q close".to_owned(),
    ];
    let frame = Frame {
        rows: rows.into_iter().map(Arc::new).collect(),
        bar: Some(title.join(BETWEEN) + "%<"),
        cursor: blocks.first().map(|block| block.rows.0 + 1),
        ..Frame::default()
    };
    let opening = Opening::of(Kind::Split, &format!("blocks/{id}"), &KEYS).reading("markdown");
    Page::fixed(opening, frame)
        .taking(move |_, row| blocks.get(row).map(|block| (Some(id), block.lines.clone())))
}
