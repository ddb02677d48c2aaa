//! A job's transcript as a conversation, in a split: highlighted as Markdown, with what is long folded.

use std::sync::Arc;

use super::frame::{Frame, Row, RowMark};
use super::layout::{CLOSE, FAILURE, Key, LABEL};
use super::opening::{Kind, Opening};
use super::page::Page;
use super::tools::sign;
use crate::render::transcript::{RowKind, TranscriptRow};
use crate::render::{FAILED, counted};

const KEYS: [Key; 2] = [CLOSE, Key::told("R", "reload", "read the transcript again")];

/// The text of the fold over rows of one kind; none where they are not folded.
fn folded(rows: &[TranscriptRow]) -> Option<String> {
    let what = match rows[0].kind {
        RowKind::Sent => "message as it was sent",
        RowKind::Thinking => "thinking",
        RowKind::Output => "output",
        _ => return None,
    };
    // Fences are no lines of the text.
    let fences = if rows[0].kind == RowKind::Thinking { 0 } else { 2 };
    Some(format!("  {what}: {} ", counted(rows.len().saturating_sub(fences), "line")))
}

/// A row with its highlight or its sign.
fn drawn(row: &TranscriptRow) -> Row {
    let (sign, group) = match row.kind {
        RowKind::Tool(status) => sign(status),
        RowKind::Failure => (FAILED, FAILURE),
        RowKind::Note => ("", LABEL),
        RowKind::Heading | RowKind::Text | RowKind::Sent | RowKind::Thinking | RowKind::Output => ("", ""),
    };
    let text = if matches!(group, FAILURE | LABEL) { group } else { "" };
    let mut made = Row::default().with(&row.text, text);
    if !sign.is_empty() {
        // The ticks of a code span are not shown.
        let ticks = row.text.bytes().take_while(|byte| *byte == b'`').count();
        let ticks = ticks + usize::from(ticks > 0 && row.text[ticks..].starts_with(' '));
        if ticks > 0 {
            made.marks.push(RowMark::Conceal(0, ticks));
            made.marks.push(RowMark::Conceal(row.text.len() - ticks, row.text.len()));
        }
        made.marks.push(RowMark::Sign(sign, group));
    }
    made
}

/// A conversation as far as it is known, under this name. Of a job that goes on, what it does now is at the end.
pub fn transcript(name: &str, rows: &[TranscriptRow], is_over: bool) -> Page {
    let mut made = Vec::with_capacity(rows.len());
    for part in rows.chunk_by(|a, b| a.kind == b.kind) {
        let fold = folded(part);
        for (i, row) in part.iter().enumerate() {
            let fold = fold.as_ref().map(|text| match i {
                0 => (">1", text.clone()),
                _ => ("1", String::new()),
            });
            made.push(Arc::new(Row { fold, ..drawn(row) }));
        }
    }
    let window = [
        ("conceallevel", 2.into()),
        ("concealcursor", "nc".into()),
        ("foldmethod", "expr".into()),
        ("foldexpr", "v:lua.require'botglue.ui.rows'.fold()".into()),
        ("foldtext", "v:lua.require'botglue.ui.rows'.fold_text()".into()),
        ("foldlevel", 0.into()),
        ("foldminlines", 0.into()),
        ("fillchars", "fold: ".into()),
    ];
    let opening = Opening::of(Kind::Split, &format!("transcript/{name}"), &KEYS);
    let opening = Opening { window: window.into(), markdown: Some("by lines"), ..opening }
        .with(true, &["wrap", "linebreak", "breakindent", "foldenable"])
        .with(false, &["number", "relativenumber", "list", "spell"]);
    let cursor = (!is_over && !made.is_empty()).then_some(made.len());
    Page::fixed(opening, Frame { rows: made, cursor, ..Frame::default() })
}
