//! What Neovim draws, as cells of text with the names of their highlight groups: folds the events of its linear grid
//! protocol (`:help ui-linegrid`). How a screen is written down, [`picture`](super::picture) says.

use std::collections::HashMap;

use rmpv::Value;

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
    /// The rows, without trailing blanks.
    pub rows: Vec<String>,
    /// Where the cursor is: row and column from 0.
    pub shown_cursor: (usize, usize),
}

impl Screen {
    /// Takes the events of one `redraw` notification: each is a name and then its calls' arguments.
    pub fn redraw(&mut self, events: &[Value]) {
        for event in events {
            let parts = event.as_array().unwrap();
            for call in &parts[1..] {
                self.event(parts[0].as_str().unwrap(), call.as_array().unwrap());
            }
        }
    }

    /// The highlight groups of a cell, outermost first, joined by `+`; empty where it looks like plain text.
    pub fn groups(&self, cell: &Cell) -> &str {
        self.groups.get(&cell.highlight).map_or("", String::as_str)
    }

    fn event(&mut self, name: &str, call: &[Value]) {
        match name {
            "grid_resize" => {
                let (columns, rows) = (number(&call[1]), number(&call[2]));
                self.drawing = vec![vec![Cell::blank(); columns]; rows];
            }
            "grid_clear" => self.drawing.iter_mut().flatten().for_each(|cell| *cell = Cell::blank()),
            "grid_line" => self.line(number(&call[1]), number(&call[2]), call[3].as_array().unwrap()),
            "grid_scroll" => self.scroll(call),
            "grid_cursor_goto" => self.cursor = (number(&call[1]), number(&call[2])),
            "hl_attr_define" => {
                let id = call[0].as_u64().unwrap();
                self.groups.insert(id, group_names(call[3].as_array().unwrap()));
            }
            "flush" => {
                self.cells.clone_from(&self.drawing);
                self.rows = self.drawing.iter().map(|row| text_of(row)).collect();
                self.shown_cursor = self.cursor;
            }
            _ => {}
        }
    }

    /// Cells are `[text, highlight?, repeat?]`; one without a highlight has that of the cell before.
    fn line(&mut self, row: usize, mut column: usize, cells: &[Value]) {
        let mut highlight = 0;
        for cell in cells {
            let cell = cell.as_array().unwrap();
            highlight = cell.get(1).map_or(highlight, |value| value.as_u64().unwrap());
            for _ in 0..cell.get(2).map_or(1, number) {
                self.drawing[row][column] = Cell { text: cell[0].as_str().unwrap().to_owned(), highlight };
                column += 1;
            }
        }
    }

    /// Moves the region's rows up by `rows` (down where negative); what comes in is drawn by later lines.
    fn scroll(&mut self, call: &[Value]) {
        let [top, bottom, left, right] = [1, 2, 3, 4].map(|at| number(&call[at]));
        let rows = call[5].as_i64().unwrap();
        let distance = usize::try_from(rows.unsigned_abs()).unwrap();
        let targets: Vec<usize> = if rows > 0 {
            (top..bottom - distance).collect()
        } else {
            (top + distance..bottom).rev().collect()
        };
        for target in targets {
            let source = if rows > 0 { target + distance } else { target - distance };
            for column in left..right {
                self.drawing[target][column] = self.drawing[source][column].clone();
            }
        }
    }
}

impl Cell {
    fn blank() -> Self {
        Self { text: " ".to_owned(), highlight: 0 }
    }
}

/// The text of a row, without trailing blanks.
fn text_of(row: &[Cell]) -> String {
    let text: String = row.iter().map(|cell| cell.text.as_str()).collect();
    text.trim_end().to_owned()
}

/// The names of the groups that a highlight is made of. A link is known by the group that it ends at.
fn group_names(parts: &[Value]) -> String {
    let name = |part: &Value, key: &str| {
        let entries = part.as_map().unwrap();
        let value = entries.iter().find(|(name, _)| name.as_str() == Some(key));
        value.and_then(|(_, name)| name.as_str()).unwrap_or_default().to_owned()
    };
    let names = parts.iter().map(|part| {
        let group = name(part, "hi_name");
        if group.is_empty() { name(part, "ui_name") } else { group }
    });
    let mut names: Vec<_> = names.filter(|name| name != "Normal").collect();
    // Newer versions put what a row of the popup menu is upon what the menu is.
    if names.len() > 1 && names[0] == "Pmenu" {
        names.remove(0);
    }
    names.join("+")
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}
