//! The ids of edits and hunks: hashes of their texts, the same in every host and every session, since the
//! dropped ones are kept in the store.

use std::fmt;
use std::str::FromStr;

/// What an edit or a hunk is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditId(u64);

impl fmt::Display for EditId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for EditId {
    type Err = std::num::ParseIntError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(name, 16).map(Self)
    }
}

/// Hashes texts and numbers to an [`EditId`]: FNV-1a, which no later version of Rust changes.
pub struct Hash(u64);

impl Hash {
    /// Of nothing yet.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// With a number.
    pub fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    /// With rows, and how many there are.
    pub fn rows<R: AsRef<[u8]>>(&mut self, rows: impl ExactSizeIterator<Item = R>) {
        self.number(rows.len() as u64);
        for row in rows {
            row.as_ref().iter().for_each(|byte| self.byte(*byte));
            // No row has a newline.
            self.byte(b'\n');
        }
    }

    /// The id of all of it.
    pub fn id(&self) -> EditId {
        EditId(self.0)
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&str]) -> EditId {
        let mut hash = Hash::new();
        hash.rows(rows.iter());
        hash.id()
    }

    #[test]
    fn rows_are_told_from_each_other() {
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&[]), of(&[""]));
        assert_eq!(of(&["a"]).to_string().parse(), Ok(of(&["a"])));
    }

    #[test]
    fn an_id_is_the_same_in_every_session() {
        assert_eq!(of(&["fn load() {", "}"]).to_string(), "3561c6ea41d94e98");
    }
}
