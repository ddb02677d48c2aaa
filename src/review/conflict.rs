//! What the user and an answer have changed in the same place.

/// What the user did where an answer changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// They changed rows.
    Changed {
        /// Only one.
        is_one: bool,
    },
    /// They deleted the rows.
    Deleted,
    /// They put rows in where the answer does.
    PutIn,
    /// They changed the row beside it, or deleted it.
    Beside,
    /// The rows that come are in the text already.
    Doubled,
}

impl Conflict {
    /// In the user's words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Changed { is_one: true } => "conflict: this row was changed, too",
            Self::Changed { is_one: false } => "conflict: these rows were changed, too",
            Self::Deleted => "conflict: what this changes was deleted",
            Self::PutIn => "conflict: rows were added here, too",
            Self::Beside => "conflict: the row next to this was changed",
            Self::Doubled => "conflict: the same row was added elsewhere",
        }
    }
}
