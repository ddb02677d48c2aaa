//! The sums over jobs, in a floating window.

use std::sync::Arc;

use super::frame::{Frame, Row};
use super::layout::{Border, Key, MORE, Ui, float, inside, table};
use super::opening::Opening;
use super::screen::View;
use crate::render::Table;

const WIDTH: usize = 77;
/// The rows of the window as long as the sums are not known.
const HEIGHT: usize = 6;
const KEYS: [Key; 1] = [Key::told("q", "close", "close")];

/// See the module.
#[derive(Debug)]
pub struct Info {
    /// The name of the project.
    pub project: String,
    /// The tables and the note below them, once they are known.
    pub sums: Option<(Vec<Table>, String)>,
}

impl View for Info {
    fn opening(&self) -> Opening {
        Opening::float("info", &KEYS)
    }

    fn frame(&mut self, ui: Ui, page: usize) -> Frame {
        let (tables, note) = self.sums.as_ref().map_or((&[][..], ""), |(tables, note)| (tables, note));
        let room = (inside(WIDTH, ui)).saturating_sub(2);
        let mut rows: Vec<Row> = Vec::new();
        for one in tables {
            if !rows.is_empty() {
                rows.push(Row::default());
            }
            rows.extend(table(one, room));
        }
        let height = if tables.is_empty() { HEIGHT } else { rows.len() };
        let size = (WIDTH, height);
        let border = Border {
            left: "what it cost",
            right: &self.project,
            note: Some(note),
            keys: &KEYS,
            page,
            more: MORE,
        };
        let rows = rows.into_iter().map(Arc::new).collect();
        Frame { place: Some(float(size, border, ui)), rows, ..Frame::default() }
    }
}
