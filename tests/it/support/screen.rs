//! What Neovim draws, as cells of text with the names of their highlight groups: folds the events of its linear grid
//! protocol (`:help ui-linegrid`). How a screen is written down, `screens/picture` says.

use std::collections::HashMap;

use botglue::fields::json;
use rmpv::Value;
use serde_json::Value as Json;

/// One cell: a character with what combines with it, and its highlight; the right half of a wide one is empty.
#[derive(Clone)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// The highlight's number.
    highlight: u64,
}

/// The screen after Neovim last finished drawing.
#[derive(Default)]
pub struct Screen {
    drawing: Vec<Vec<Cell>>,
    cursor: (usize, usize),
    groups: HashMap<u64, String>,
    /// The cells, by rows.
    pub cells: Vec<Vec<Cell>>,
    /// Where the cursor is: row and column from 0.
    pub shown_cursor: (usize, usize),
}

impl Screen {
    /// Takes the events of one `redraw` notification: each is a name and then its calls' arguments.
    pub fn redraw(&mut self, events: &[Value]) {
        for event in events {
            let parts = json(event);
            for call in &parts.as_array().unwrap()[1..] {
                self.event(parts[0].as_str().unwrap(), call);
            }
        }
    }

    /// The rows, without trailing blanks.
    pub fn rows(&self) -> Vec<String> {
        self.cells.iter().map(|row| text_of(row)).collect()
    }

    /// The highlight groups of a cell, outermost first, joined by `+`; empty where it looks like plain text.
    pub fn groups(&self, cell: &Cell) -> &str {
        self.groups.get(&cell.highlight).map_or("", String::as_str)
    }

    fn event(&mut self, name: &str, call: &Json) {
        match name {
            "grid_resize" => {
                let (columns, rows) = (number(&call[1]), number(&call[2]));
                self.drawing = vec![vec![blank(); columns]; rows];
            }
            "grid_clear" => self.drawing.iter_mut().flatten().for_each(|cell| *cell = blank()),
            "grid_line" => self.line(number(&call[1]), number(&call[2]), call[3].as_array().unwrap()),
            "grid_scroll" => self.scroll(call),
            "grid_cursor_goto" => self.cursor = (number(&call[1]), number(&call[2])),
            "hl_attr_define" => {
                let id = call[0].as_u64().unwrap();
                self.groups.insert(id, group_names(call[3].as_array().unwrap()));
            }
            "flush" => {
                self.cells.clone_from(&self.drawing);
                self.shown_cursor = self.cursor;
            }
            _ => {}
        }
    }

    /// Cells are `[text, highlight?, repeat?]`; one without a highlight has that of the cell before.
    fn line(&mut self, row: usize, mut column: usize, cells: &[Json]) {
        let mut highlight = 0;
        for cell in cells {
            highlight = cell[1].as_u64().unwrap_or(highlight);
            let end = column + cell.get(2).map_or(1, number);
            let drawn = Cell { text: cell[0].as_str().unwrap().to_owned(), highlight };
            self.drawing[row][column..end].fill(drawn);
            column = end;
        }
    }

    /// Moves the region's rows up by `rows` (down where negative); what comes in is drawn by later lines.
    fn scroll(&mut self, call: &Json) {
        let [top, bottom, left, right] = [1, 2, 3, 4].map(|at| number(&call[at]));
        let rows = isize::try_from(call[5].as_i64().unwrap()).unwrap();
        let before = self.drawing[top..bottom].to_vec();
        for (at, row) in self.drawing[top..bottom].iter_mut().enumerate() {
            if let Some(source) = at.checked_add_signed(rows).and_then(|at| before.get(at)) {
                row[left..right].clone_from_slice(&source[left..right]);
            }
        }
    }
}

fn blank() -> Cell {
    Cell { text: " ".to_owned(), highlight: 0 }
}

/// The text of a row, without trailing blanks.
pub fn text_of(row: &[Cell]) -> String {
    let text: String = row.iter().map(|cell| cell.text.as_str()).collect();
    text.trim_end().to_owned()
}

/// The names of the groups that a highlight is made of. A link is known by the group that it ends at.
fn group_names(parts: &[Json]) -> String {
    let name = |part: &Json, key: &str| part[key].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
    let names = parts.iter().map(|part| name(part, "hi_name").or_else(|| name(part, "ui_name")));
    let mut names: Vec<_> = names.flatten().filter(|name| name != "Normal").collect();
    // Newer versions put what a row of the popup menu is upon what the menu is.
    if names.len() > 1 && names[0] == "Pmenu" {
        names.remove(0);
    }
    names.join("+")
}

fn number(value: &Json) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}
