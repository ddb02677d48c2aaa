//! The sums over jobs, in a floating window.

use std::sync::Arc;

use super::frame::{Frame, Row};
use super::layout::{Border, Key, MORE, Ui, float, inside, table};
use super::opening::Opening;
use super::screen::View;
use crate::view::Table;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Cell, Column, ListRow};

    #[test]
    fn the_window_is_as_high_as_its_tables() {
        let column = Column {
            head: "by scope",
            least: 8,
            most: None,
            share: None,
            rest: false,
            drop: None,
            right: false,
            keep_end: false,
        };
        let row = ListRow { cells: vec![Cell("today".to_owned(), "")], ..ListRow::default() };
        let table = Table { columns: vec![column], rows: vec![row] };
        let sums = Some((vec![table.clone(), table], "61 %".to_owned()));
        let mut info = Info { project: "p".to_owned(), sums };
        let frame = info.frame(Ui { columns: 80, lines: 24, cmdheight: 1 }, 0);
        let rows: Vec<_> = frame.rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(rows, [" by scope", " today   ", "", " by scope", " today   "]);
        let place = frame.place.unwrap();
        assert_eq!((place.width, place.height), (WIDTH, 5));
        let unknown = Info { sums: None, ..info }.frame(Ui { columns: 40, lines: 24, cmdheight: 1 }, 0);
        let place = unknown.place.unwrap();
        assert_eq!((unknown.rows.len(), place.width, place.height), (0, 38, HEIGHT));
    }
}
