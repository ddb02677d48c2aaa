//! Lays out texts in cells: cuts, wraps and fills them, shares the room between columns, and makes the border of a
//! floating window.

use serde::{Deserialize, Serialize};

use super::frame::{Chunks, Place, Row};
use super::width::{cells, width};
use crate::render::{BETWEEN, Cell, Column, Table};

/// The mark where a text was cut.
pub const CUT: &str = "…";
/// The line of a border.
const LINE: &str = "─";
/// The border of a window, that of one with a pane below it, and that of the pane: they share a line.
const ALONE: [&str; 8] = ["╭", "─", "╮", "│", "╯", "─", "╰", "│"];
const ABOVE: [&str; 8] = ["╭", "─", "╮", "│", "", "", "", "│"];
const BELOW: [&str; 8] = ["├", "─", "┤", "│", "╯", "─", "╰", "│"];
/// The group of a border.
const BORDER: &str = "BotglueBorder";
/// The group of words that explain.
pub const LABEL: &str = "BotglueLabel";
/// The group of what went wrong.
pub const FAILURE: &str = "BotglueFailure";
/// The key that shows the next keys where all find no room.
pub const MORE: Key = Key::told("g?", "more", "more");
/// The key that closes a window.
pub const CLOSE: Key = Key::told("q", "close", "close");

/// The size of Neovim's screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct Ui {
    /// Cells in a row.
    #[serde(deserialize_with = "crate::fields::cells")]
    pub columns: usize,
    /// Rows of the screen.
    #[serde(deserialize_with = "crate::fields::cells")]
    pub lines: usize,
    /// Rows of the command line.
    #[serde(deserialize_with = "crate::fields::cells")]
    pub cmdheight: usize,
}

/// A key of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Key {
    /// The key, as in a map.
    pub lhs: &'static str,
    /// What it does: `close` is done by the plugin at once, anything else by the host.
    pub action: &'static str,
    /// Its word in the footer.
    pub word: &'static str,
    /// How the plugin takes it.
    pub class: Class,
}

/// How the plugin takes a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// It tells the host, and does not wait.
    #[default]
    Told,
    /// It waits for the host, because the user goes somewhere by it: what is typed ahead is meant for that place.
    Asked,
    /// It asks the user for words at once, with this text before them.
    Input(&'static str),
}

impl Key {
    /// A key that tells the host.
    pub const fn told(lhs: &'static str, action: &'static str, word: &'static str) -> Self {
        Self { lhs, action, word, class: Class::Told }
    }

    /// A key that takes the user somewhere.
    pub const fn asked(lhs: &'static str, action: &'static str, word: &'static str) -> Self {
        Self { lhs, action, word, class: Class::Asked }
    }
}

/// What is in the border of a floating window.
#[derive(Debug, Clone, Copy)]
pub struct Border<'a> {
    /// The text at the left of its title.
    pub left: &'a str,
    /// That at the right.
    pub right: &'a str,
    /// The text at the left of its footer; the keys are at the right then.
    pub note: Option<&'a str>,
    /// The keys that its footer shows.
    pub keys: &'a [Key],
    /// Which of the pages of keys is shown.
    pub page: usize,
    /// The key that shows the next page.
    pub more: Key,
}

/// The border above and the one below, of so many cells.
pub fn borders(border: Border<'_>, room: usize) -> (Chunks, Chunks) {
    (title(border.left, border.right, room), footer(border, room))
}

/// The columns inside of a window that would like to have `width`.
pub fn inside(width: usize, ui: Ui) -> usize {
    width.min(ui.columns.saturating_sub(2)).max(1)
}

/// The places of a floating window in the middle of the screen, and of a pane below its rows, which takes the footer and as
/// many rows as the screen has too few.
pub fn docked(size: (usize, usize), border: Border<'_>, pane: usize, ui: Ui) -> (Place, Place) {
    let rows = ui.lines.saturating_sub(ui.cmdheight + 2);
    let alone = float(size, border, ui);
    let pane = pane.min(rows.saturating_sub(2)).max(1);
    let height = alone.height.min(rows.saturating_sub(pane + 1)).max(1);
    let row = alone.row.min(rows.saturating_sub(height + pane + 1));
    let below =
        Place { row: row + height + 1, height: pane, title: Chunks::new(), border: BELOW, ..alone.clone() };
    (Place { row, height, footer: Chunks::new(), border: ABOVE, ..alone }, below)
}

/// The place and the border of a floating window in the middle of the screen, which would like to have so many columns and
/// rows inside.
pub fn float((width, height): (usize, usize), border: Border<'_>, ui: Ui) -> Place {
    let rows = ui.lines.saturating_sub(ui.cmdheight + 2);
    let width = inside(width, ui);
    let height = height.min(rows).max(1);
    let (title, footer) = borders(border, width);
    Place {
        row: rows.saturating_sub(height) / 2,
        col: ui.columns.saturating_sub(2 + width) / 2,
        width,
        height,
        title,
        footer,
        border: ALONE,
    }
}

/// Text with nothing in it that moves a cursor or breaks a line.
pub fn clean(text: &str) -> String {
    let is_control = |letter: char| letter.is_ascii_control();
    let mut made = String::with_capacity(text.len());
    for part in text.split(is_control).filter(|part| !part.is_empty()) {
        if !made.is_empty() {
            made.push(' ');
        }
        made.push_str(part);
    }
    made.trim().to_owned()
}

/// Cuts text to a width, with a mark where it was cut.
pub fn fit(text: &str, room: usize) -> String {
    if width(text) <= room { text.to_owned() } else { beginning(text, room.saturating_sub(1)) + CUT }
}

/// Cuts the beginning of a text that is too wide: of a path its end says more.
pub fn fit_end(text: &str, room: usize) -> String {
    let mut over = width(text).saturating_sub(room);
    if over == 0 {
        return text.to_owned();
    }
    over += 1;
    let mut from = 0;
    for (letter, cells) in cells(text) {
        if over == 0 && cells > 0 {
            break;
        }
        over = over.saturating_sub(cells);
        from += letter.len_utf8();
    }
    CUT.to_owned() + &text[from..]
}

/// As much of a text's beginning as there is room for.
pub fn beginning(text: &str, room: usize) -> String {
    let mut used = 0;
    let fits = cells(text).take_while(|(_, cells)| {
        used += cells;
        used <= room
    });
    fits.map(|(letter, _)| letter).collect()
}

/// One text at the left of a border and one at the right.
fn bar(left: Chunks, right: Chunks, room: usize) -> Chunks {
    let used: usize = left.iter().chain(&right).map(|chunk| width(&chunk.0)).sum();
    let fill = Cell(LINE.repeat(room.saturating_sub(used)), BORDER);
    [left, vec![fill], right].concat()
}

fn title(left: &str, right: &str, room: usize) -> Chunks {
    let (words, inner) = (clean(right), room.saturating_sub(4));
    let share = width(&words).min(inner / 2);
    let left = fit(&clean(left), inner - share);
    let rest = inner.saturating_sub(width(&left));
    let right = if words.is_empty() || rest < 6 { String::new() } else { format!(" {} ", fit(&words, rest)) };
    bar(vec![Cell(format!(" {left} "), "BotglueTitle")], vec![Cell(right, LABEL)], room)
}

/// Breaks a text into rows of this width, at blanks where it has them.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let (mut rows, mut row) = (Vec::new(), String::new());
    for word in clean(text).split(' ') {
        let mut word = word.to_owned();
        if !row.is_empty() && width(&row) + 1 + width(&word) > room {
            rows.push(std::mem::take(&mut row));
        }
        while width(&word) > room {
            let part = beginning(&word, room.max(1));
            let part = if part.is_empty() { word.chars().take(1).collect() } else { part };
            word.drain(..part.len());
            rows.push(part);
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row += &word;
    }
    rows.push(row);
    rows
}

/// The keys, as many on a page as there is room for.
fn pages(keys: &[Key], more: Key, room: usize) -> Vec<Vec<Key>> {
    let cells_of = |keys: &[Key]| {
        let each = keys.iter().map(|key| width(key.lhs) + 1 + width(key.word) + width(BETWEEN));
        (2 + each.sum::<usize>()).saturating_sub(width(BETWEEN))
    };
    if cells_of(keys) <= room {
        return vec![keys.to_vec()];
    }
    let (mut found, mut page) = (Vec::new(), Vec::new());
    for key in keys {
        if !page.is_empty() && cells_of(&[page.as_slice(), &[*key, more]].concat()) > room {
            found.push(std::mem::take(&mut page));
        }
        page.push(*key);
    }
    found.push(page);
    for page in &mut found {
        page.push(more);
    }
    found
}

fn footer(border: Border<'_>, room: usize) -> Chunks {
    let pages = pages(border.keys, border.more, room);
    let mut keys = Chunks::new();
    for key in &pages[border.page % pages.len()] {
        let before = if keys.is_empty() { " " } else { BETWEEN };
        keys.push(Cell(before.to_owned(), LABEL));
        keys.push(Cell(key.lhs.to_owned(), "BotglueKey"));
        keys.push(Cell(format!(" {}", key.word), LABEL));
    }
    keys.push(Cell(if keys.is_empty() { "" } else { " " }.to_owned(), LABEL));
    let Some(note) = border.note.map(clean) else { return bar(keys, Chunks::new(), room) };
    let free = room.saturating_sub(keys.iter().map(|chunk| width(&chunk.0)).sum::<usize>() + 2);
    let fits = !note.is_empty() && (width(&note) <= free || free > 8);
    let left = if fits { vec![Cell(format!(" {} ", fit(&note, free)), LABEL)] } else { Chunks::new() };
    bar(left, keys, room)
}

/// The widths of the columns of a table; 0: the column is left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns<'a> {
    all: &'a [Column],
    widths: Vec<usize>,
    /// The cells between two columns.
    gap: usize,
}

impl<'a> Columns<'a> {
    /// Shares the room: the columns that find none are left out, and one takes what the others leave.
    pub fn of(columns: &'a [Column], rows: &[&[Cell]], room: usize) -> Self {
        let gap = if room < 60 { 1 } else { 2 };
        let widths = columns.iter().enumerate().map(|(i, column)| wanted(column, i, rows, room)).collect();
        let mut made = Self { all: columns, widths, gap };
        let mut order: Vec<usize> = (0..columns.len()).filter(|&i| columns[i].drop.is_some()).collect();
        order.sort_by_key(|&i| columns[i].drop);
        for i in order {
            if made.sum() <= room {
                break;
            }
            made.widths[i] = 0;
        }
        for (i, _) in columns.iter().enumerate().filter(|(_, column)| column.rest) {
            made.widths[i] = (made.widths[i] + room).saturating_sub(made.sum()).max(1);
        }
        made
    }

    fn sum(&self) -> usize {
        let each = self.widths.iter().filter(|width| **width > 0).map(|width| width + self.gap);
        each.sum::<usize>().saturating_sub(self.gap)
    }

    /// One row, with a blank before it.
    pub fn row<'c>(&self, cells: impl Iterator<Item = (&'c str, &'static str)>) -> Row {
        let mut row = Row::default();
        for ((text, group), (column, &room)) in cells.zip(self.all.iter().zip(&self.widths)) {
            if room > 0 {
                let gap = if row.text.is_empty() { 1 } else { self.gap };
                row = row.with(&" ".repeat(gap), "").with(&fill(text, column, room), group);
            }
        }
        row
    }
}

/// The width that a column would like to have.
fn wanted(column: &Column, index: usize, rows: &[&[Cell]], room: usize) -> usize {
    let least = usize::from(column.least);
    let part = |percent: u16| (room * usize::from(percent) / 100).max(least);
    if column.rest {
        return least;
    } else if let Some(share) = column.share {
        return part(share);
    }
    let widest = rows.iter().map(|row| width(&clean(&row[index].0))).max().unwrap_or_default();
    let widest = widest.max(width(column.head)).max(least);
    column.most.map_or(widest, |most| widest.min(part(most)))
}

/// A text that fills its column.
fn fill(text: &str, column: &Column, room: usize) -> String {
    let text = clean(text);
    let text = if column.keep_end { fit_end(&text, room) } else { fit(&text, room) };
    let blanks = " ".repeat(room.saturating_sub(width(&text)));
    if column.right { blanks + &text } else { text + &blanks }
}

/// The rows of a table, below the heads of its columns.
pub fn table(table: &Table, room: usize) -> Vec<Row> {
    let rows: Vec<&[Cell]> = table.rows.iter().map(Vec::as_slice).collect();
    let columns = Columns::of(&table.columns, &rows, room);
    let head = columns.row(table.columns.iter().map(|column| (column.head, "BotglueTitle")));
    let rows = rows.iter().map(|row| columns.row(row.iter().map(|cell| (cell.0.as_str(), cell.1))));
    std::iter::once(head).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(chunks: &Chunks) -> String {
        chunks.iter().map(|chunk| chunk.0.as_str()).collect()
    }

    const KEYS: [Key; 4] = [
        Key::told("<CR>", "jump", "jump"),
        Key::told("r", "review", "review"),
        Key::told("t", "transcript", "transcript"),
        Key::told("q", "close", "close"),
    ];

    const SIZE: (usize, usize) = (60, 3);

    fn border(page: usize) -> Border<'static> {
        Border { left: "things", right: "3 of them", note: None, keys: &KEYS, page, more: MORE }
    }

    fn ui(columns: usize, lines: usize) -> Ui {
        Ui { columns, lines, cmdheight: 1 }
    }

    #[test]
    fn keys_that_find_no_room_are_on_the_next_page() {
        let footer =
            |page| text(&float(SIZE, border(page), ui(40, 12)).footer).trim_end_matches('─').to_owned();
        assert_eq!(footer(0), " <CR> jump · r review · g? more ");
        assert_eq!(footer(1), " t transcript · q close · g? more ");
        assert_eq!(footer(2), footer(0));
        let tiny = float(SIZE, border(0), ui(4, 3));
        assert_eq!((tiny.width, tiny.height), (2, 1));
    }

    #[test]
    fn a_note_is_at_the_left_of_the_keys() {
        let noted = Border { note: Some("opus 71 %"), keys: &KEYS[3..], ..border(0) };
        let footer = text(&float(SIZE, noted, ui(80, 24)).footer);
        assert_eq!(footer, format!(" opus 71 % {} q close ", "─".repeat(40)));
        let narrow = text(&float((16, 3), noted, ui(80, 24)).footer);
        assert_eq!(narrow, format!("{} q close ", "─".repeat(7)));
    }

    #[test]
    fn texts_are_cut_by_cells() {
        assert_eq!(fit("größe", 5), "größe");
        assert_eq!(fit("größer", 5), "größ…");
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(fit_end("src/config.rs", 6), "…ig.rs");
        assert_eq!(fit_end("日本語", 4), "…語");
        assert_eq!(fit("x", 0), "…");
        assert_eq!(clean(" a\n\tb\u{7f}"), "a b");
    }
}
