//! What a review says: the windows in which it is drawn, and its keys.

use super::ask::size;
use crate::error::JobError;
use crate::fields::Fields;
use crate::fields::bad;
use crate::ui::review::{ASIDE, Pane, gutter};

/// The windows in which the hunks of a held answer are drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanesOf {
    /// The job.
    pub id: u64,
    /// Its buffer.
    pub buffer: u64,
    /// The keys that are ours.
    pub keys: Vec<String>,
    /// The rows that the current window shows, from 0 to the one behind the last, where it is one of them.
    pub sight: Option<(usize, usize)>,
    /// The windows.
    pub panes: Vec<Pane>,
}

/// What a key in a review means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkKey {
    /// The job.
    pub id: u64,
    /// The buffer.
    pub buffer: u64,
    /// What it does.
    pub verb: HunkVerb,
    /// With the hunk under the cursor, and as many from there.
    pub count: usize,
    /// With those in these rows instead, from the first to the one behind the last.
    pub lines: Option<(usize, usize)>,
    /// The row of the cursor, from 0.
    pub row: usize,
    /// The changedtick of the text.
    pub tick: u64,
}

/// What a key in a review does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkVerb {
    /// It goes to hunks: 1 on, -1 back.
    Go(i64),
    /// It takes them.
    Take,
    /// It takes them, and the user's rows stay where both have changed the same.
    Both,
    /// It drops them, or brings back the dropped one under the cursor.
    Drop,
}

pub(super) fn panes(fields: &Fields<'_>) -> Result<PanesOf, JobError> {
    let pane = |pane: &Fields<'_>| {
        let (textoff, foldcolumn) = (row(pane, "textoff")?, row(pane, "foldcolumn")?);
        let (scrolls, has_signs) = (pane.flag("scrolls")?, pane.flag("has_signs")?);
        let fold = |fold: &Fields<'_>| Ok((row(fold, "first")?, row(fold, "last")?));
        Ok(Pane {
            win: pane.count("win")?,
            folds: pane.maps("folds")?.iter().map(fold).collect::<Result<_, JobError>>()?,
            width: size(pane, "width")?,
            columns: size(pane, "width")?.saturating_sub(textoff).max(1),
            leftcol: size(pane, "leftcol")?,
            scrolls,
            gutter: gutter(textoff, foldcolumn, has_signs).filter(|_| !scrolls),
            has_signs,
            tabstop: size(pane, "tabstop")?.max(1),
            most: size(pane, "height")?.saturating_sub(ASIDE).max(1),
            first: row(pane, "first")?,
            past: row(pane, "past")?,
        })
    };
    Ok(PanesOf {
        id: fields.count("id")?,
        buffer: fields.count("buffer")?,
        keys: fields.texts("keys")?,
        sight: fields.get("top").map(|_| Ok((row(fields, "top")?, row(fields, "past")?))).transpose()?,
        panes: fields.maps("panes")?.iter().map(pane).collect::<Result<_, JobError>>()?,
    })
}

pub(super) fn key(fields: &Fields<'_>) -> Result<HunkKey, JobError> {
    let verb = match fields.text("verb")?.as_str() {
        "next" => HunkVerb::Go(1),
        "previous" => HunkVerb::Go(-1),
        "take" => HunkVerb::Take,
        "both" => HunkVerb::Both,
        "drop" => HunkVerb::Drop,
        _ => return Err(bad("verb", "is nothing that a key of a review does")),
    };
    let lines = |_| {
        let range = fields.fields("range")?;
        Ok::<_, JobError>((row(&range, "first")?, row(&range, "past")?))
    };
    Ok(HunkKey {
        id: fields.count("id")?,
        buffer: fields.count("buffer")?,
        verb,
        count: fields.get("count").map_or(Ok(1), |_| row(fields, "count"))?.max(1),
        lines: fields.get("range").map(lines).transpose()?,
        row: row(fields, "row")?,
        tick: fields.count("tick")?,
    })
}

pub(super) fn row(fields: &Fields<'_>, field: &str) -> Result<usize, JobError> {
    Ok(usize::try_from(fields.count(field)?).unwrap_or(usize::MAX / 2))
}
