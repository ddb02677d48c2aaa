//! The sums over jobs, in a floating window.

use std::sync::Arc;

use super::frame::{Frame, Row};
use super::layout::{Border, CLOSE, MORE, float, inside, table};
use super::opening::Opening;
use super::page::Page;
use crate::render::Table;

const WIDTH: usize = 77;
/// The rows of the window as long as the sums are not known.
const HEIGHT: usize = 6;

/// The tables, and the note below them, of a project with this name; no tables as long as they are not known.
pub fn info(project: String, tables: Vec<Table>, note: String) -> Page {
    Page::new(Opening::float("info", &[CLOSE]), move |ui, page| {
        let room = inside(WIDTH, ui).saturating_sub(2);
        let mut rows: Vec<Row> = Vec::new();
        for one in &tables {
            if !rows.is_empty() {
                rows.push(Row::default());
            }
            rows.extend(table(one, room));
        }
        let height = if tables.is_empty() { HEIGHT } else { rows.len() };
        let border = Border {
            left: "what it cost",
            right: &project,
            note: Some(&note),
            keys: &[CLOSE],
            page,
            more: MORE,
        };
        let rows = rows.into_iter().map(Arc::new).collect();
        Frame { place: Some(float((WIDTH, height), border, ui)), rows, ..Frame::default() }
    })
}
