//! What a window shows, and the difference between two frames: the differ sends only rows that have changed.

use std::sync::Arc;

use rmpv::Value;
use serde_json::json;

use crate::fields::{text, value};
use crate::render::Cell;

/// Texts one after the other, each with its highlight group.
pub type Chunks = Vec<Cell>;

/// One row of a window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Its text; it has no line break.
    pub text: String,
    /// The highlighted bytes: from, to, and their group.
    pub highlights: Vec<(usize, usize, &'static str)>,
    /// What is drawn in the row besides.
    pub marks: Vec<RowMark>,
    /// The value of `'foldexpr'`, and the text of the fold that begins here.
    pub fold: Option<(&'static str, String)>,
    /// What it is known by: a key comes with that of the row of the cursor, which stays on its row.
    pub id: Option<String>,
}

/// What is drawn in a row, and is no text of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowMark {
    /// These bytes are concealed.
    Conceal(usize, usize),
    /// This stands before the row.
    Sign(&'static str, &'static str),
    /// This text is behind the row.
    Behind(String, &'static str),
    /// All of the row has this group.
    Line(&'static str),
}

/// The place of a floating window, with its border.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The screen row of its border, from 0.
    pub row: usize,
    /// The screen column of its border, from 0.
    pub col: usize,
    /// The columns inside.
    pub width: usize,
    /// The rows inside.
    pub height: usize,
    /// The border above.
    pub title: Chunks,
    /// The border below.
    pub footer: Chunks,
    /// The border as `nvim_open_win()` takes it: from the corner at the top left on, clockwise.
    pub border: [&'static str; 8],
}

/// All that a window shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// None for a window that does not float.
    pub place: Option<Place>,
    /// The rows, in their order.
    pub rows: Vec<Arc<Row>>,
    /// The value of `'winbar'`, for a window that does not float.
    pub bar: Option<String>,
    /// The row of the cursor, from 1, where the host moves it.
    pub cursor: Option<usize>,
    /// A pane below a floating window, in the same border.
    pub below: Option<Box<Self>>,
}

/// Rows that replace others.
#[derive(Debug)]
struct Splice {
    /// The first row that is replaced, from 0.
    at: usize,
    /// How many are.
    gone: usize,
    /// The rows in their place.
    rows: Vec<Arc<Row>>,
}

impl Row {
    /// A row that is one text.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Adds a text; an empty group is none.
    #[must_use]
    pub fn with(mut self, text: &str, group: &'static str) -> Self {
        let from = self.text.len();
        self.text.push_str(text);
        if !group.is_empty() && !text.is_empty() {
            self.highlights.push((from, self.text.len(), group));
        }
        self
    }

    /// The row as the plugin takes it: its text, its highlights, and what else is drawn; the text alone where there is
    /// nothing else, because ten thousand lists cost Neovim far more than as many strings.
    fn value(&self) -> Value {
        let text = text(&self.text);
        let has_more = self.fold.is_some() || !self.marks.is_empty() || self.id.is_some();
        if self.highlights.is_empty() && !has_more {
            return text;
        }
        let highlights =
            self.highlights.iter().flat_map(|&(from, to, group)| [from.into(), to.into(), group.into()]);
        let mut row = vec![text, Value::Array(highlights.collect())];
        if has_more {
            let marks = Value::Array(self.marks.iter().map(RowMark::value).collect());
            let fold = self.fold.as_ref().map(|(level, text)| list([(*level).into(), text.as_str().into()]));
            let id = self.id.as_deref().map(Value::from);
            row.push(map([("marks", Some(marks)), ("fold", fold), ("id", id)]));
        }
        Value::Array(row)
    }
}

impl RowMark {
    /// The byte at which an extmark is set, and its options.
    fn value(&self) -> Value {
        value(match self {
            Self::Conceal(from, to) => json!([from, { "end_col": to, "conceal": "" }]),
            Self::Sign(sign, group) => {
                json!([0, { "virt_text": [[format!("{sign} "), group]], "virt_text_pos": "inline" }])
            }
            Self::Behind(text, group) => json!([0, { "virt_text": [[text, group]] }]),
            Self::Line(group) => json!([0, { "line_hl_group": group }]),
        })
    }
}

impl Place {
    /// The fields for `nvim_open_win()`.
    fn value(&self) -> Value {
        // Neovim takes no empty list.
        let chunks = |chunks: &Chunks| match chunks.as_slice() {
            [] => json!(""),
            chunks => chunks.iter().map(|Cell(text, group)| json!([text, group])).collect(),
        };
        value(json!({
            "relative": "editor",
            "row": self.row,
            "col": self.col,
            "width": self.width,
            "height": self.height,
            "title": chunks(&self.title),
            "footer": chunks(&self.footer),
            "border": self.border,
        }))
    }
}

/// A list.
pub fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(values.into_iter().collect())
}

/// A map without the fields that are none: Lua reads an absent field as nil.
pub fn map(fields: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    Value::Map(fields.into_iter().filter_map(|(key, value)| Some((key.into(), value?))).collect())
}

/// What has to be drawn to make `new` of `old`: the place, the value of `'winbar'`, rows to be replaced in this order, and the
/// cursor, each where it is another one.
pub fn diff(old: &Frame, new: &Frame) -> Vec<(&'static str, Option<Value>)> {
    let splice = |Splice { at, gone, rows }: &Splice| {
        list([(*at).into(), (*gone).into(), list(rows.iter().map(|row| row.value()))])
    };
    let splices = splices(&old.rows, &new.rows);
    vec![
        ("config", new.place.as_ref().filter(|_| old.place != new.place).map(Place::value)),
        ("bar", new.bar.as_deref().filter(|_| old.bar != new.bar).map(Value::from)),
        ("rows", Some(list(splices.iter().map(splice))).filter(|_| !splices.is_empty())),
        ("cursor", new.cursor.filter(|_| old.cursor != new.cursor).map(Value::from)),
    ]
}

/// Of as many rows each run that differs; else all between the equal rows at both ends.
fn splices(old: &[Arc<Row>], new: &[Arc<Row>]) -> Vec<Splice> {
    if old.len() != new.len() {
        let least = old.len().min(new.len());
        let head = old.iter().zip(new).take_while(|(a, b)| same(a, b)).count();
        let tails = old.iter().rev().zip(new.iter().rev()).take(least - head);
        let tail = tails.take_while(|(a, b)| same(a, b)).count();
        let rows = new[head..new.len() - tail].to_vec();
        return vec![Splice { at: head, gone: old.len() - head - tail, rows }];
    }
    let mut found: Vec<Splice> = Vec::new();
    for (at, (before, row)) in old.iter().zip(new).enumerate() {
        if same(before, row) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.at + last.gone == at => {
                last.gone += 1;
                last.rows.push(Arc::clone(row));
            }
            _ => found.push(Splice { at, gone: 1, rows: vec![Arc::clone(row)] }),
        }
    }
    found
}

/// Rows that a view keeps are the same allocation, so a list of thousands is compared in no time.
fn same(a: &Arc<Row>, b: &Arc<Row>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(rows: &[u8]) -> Vec<Arc<Row>> {
        rows.iter().map(|row| Arc::new(Row::plain(row.to_string()))).collect()
    }

    /// What the plugin does with splices.
    fn apply(splices: &[Splice], rows: &[Arc<Row>]) -> Vec<Arc<Row>> {
        let mut rows = rows.to_vec();
        for splice in splices {
            drop(rows.splice(splice.at..splice.at + splice.gone, splice.rows.clone()));
        }
        rows
    }

    proptest! {
        #[test]
        fn splices_make_some_rows_of_others(a in prop::collection::vec(0_u8..4, 0..12), b in prop::collection::vec(0_u8..4, 0..12)) {
            let (old, new) = (rows(&a), rows(&b));
            prop_assert_eq!(apply(&splices(&old, &new), &old), new);
        }

        #[test]
        fn no_splice_touches_an_equal_row(a in prop::collection::vec(0_u8..4, 0..12), at in 0_usize..12, row in 0_u8..4) {
            let mut b = a.clone();
            if let Some(changed) = b.get_mut(at) {
                *changed = row;
            }
            let (old, new) = (rows(&a), rows(&b));
            for splice in splices(&old, &new) {
                prop_assert_eq!(splice.rows.len(), splice.gone);
                for (row, before) in splice.rows.iter().zip(&old[splice.at..]) {
                    prop_assert_ne!(row, before);
                }
            }
            let longer = splices(&old, &rows(&[a.as_slice(), &[9]].concat()));
            prop_assert_eq!((longer.len(), longer[0].at, longer[0].gone), (1, a.len(), 0));
        }
    }
}
