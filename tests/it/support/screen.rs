//! What Neovim draws, as rows of text: folds the events of its linear grid protocol (`:help ui-linegrid`).

use rmpv::Value;

/// The screen as it was when Neovim last finished drawing.
#[derive(Default)]
pub struct Screen {
    drawing: Vec<Vec<String>>,
    cursor: (usize, usize),
    /// The rows, without trailing blanks.
    pub rows: Vec<String>,
    /// Where the cursor is: row and column from 0.
    pub shown_cursor: (usize, usize),
    /// How often Neovim finished drawing.
    pub flushes: u64,
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

    fn event(&mut self, name: &str, call: &[Value]) {
        match name {
            "grid_resize" => {
                let (columns, rows) = (number(&call[1]), number(&call[2]));
                self.drawing = vec![vec![" ".to_owned(); columns]; rows];
            }
            "grid_clear" => self.drawing.iter_mut().flatten().for_each(|cell| " ".clone_into(cell)),
            "grid_line" => self.line(number(&call[1]), number(&call[2]), call[3].as_array().unwrap()),
            "grid_scroll" => self.scroll(call),
            "grid_cursor_goto" => self.cursor = (number(&call[1]), number(&call[2])),
            "flush" => {
                self.rows = self.drawing.iter().map(|row| row.concat().trim_end().to_owned()).collect();
                self.shown_cursor = self.cursor;
                self.flushes += 1;
            }
            _ => {}
        }
    }

    /// Cells are `[text, highlight?, repeat?]`; the right half of a wide character is an empty text.
    fn line(&mut self, row: usize, mut column: usize, cells: &[Value]) {
        for cell in cells {
            let cell = cell.as_array().unwrap();
            for _ in 0..cell.get(2).map_or(1, number) {
                cell[0].as_str().unwrap().clone_into(&mut self.drawing[row][column]);
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

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}
