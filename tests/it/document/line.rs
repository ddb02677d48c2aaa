//! Rows and characters that are known by themselves, not by their text.

/// A character: what it is known by, and its byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub id: u64,
    pub byte: u8,
}

/// A row: what it is known by, and its characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub id: u64,
    /// The row that it was split from.
    pub from: Option<u64>,
    pub cells: Vec<Cell>,
}

impl Line {
    pub fn bytes(&self) -> Vec<u8> {
        self.cells.iter().map(|cell| cell.byte).collect()
    }

    /// Its text without white space.
    pub fn ink(&self) -> String {
        self.text().split_whitespace().collect()
    }

    /// It is another row, edited: what both have in common at their ends is the other's.
    pub fn edit_of(&mut self, old: &Self) {
        let is_same = |(new, old): &(&mut Cell, &Cell)| new.byte == old.byte;
        (self.id, self.from) = (old.id, old.from);
        let head = self.cells.iter_mut().zip(&old.cells).take_while(is_same);
        let head = head.map(|(new, old)| *new = *old).count();
        let tail =
            self.cells[head..].iter_mut().rev().zip(old.cells[head.min(old.cells.len())..].iter().rev());
        tail.take_while(is_same).for_each(|(new, old)| *new = *old);
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}
