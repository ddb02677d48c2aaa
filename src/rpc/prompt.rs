//! Reads what happens in the prompt that is being typed.

use crate::command::Here;
use crate::error::JobError;
use crate::fields::Fields;
use crate::request::{self, OpenBuffer};
use crate::ui::prompt::{About, Begin, Chosen, Mode, Typed, Way};
use crate::view::{self, Viewer};

/// Something that has happened in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptMessage {
    /// The prompt.
    pub id: u64,
    /// It is new, to this host at least.
    pub about: Option<About>,
    /// Where it is asked for, and where the jobs are in that buffer.
    pub here: Here,
    /// As the user sees it now.
    pub typed: Option<Typed>,
    /// What a key is to do.
    pub key: Option<String>,
}

/// Reads a message.
///
/// # Errors
/// Names the field that is missing or wrong.
pub(super) fn read(fields: &Fields<'_>) -> Result<PromptMessage, JobError> {
    let some = |field| fields.some(field, Fields::fields);
    let (new, typed) = (some("about")?, some("typed")?.map(|fields| typed(&fields)).transpose()?);
    let mut here = Here::default();
    if let Some(new) = &new {
        let line = typed.as_ref().and_then(|typed| typed.lines).unwrap_or_default().0;
        (here.buffer, here.cursor.0, here.places) = (new.count("buffer")?, line, super::ask::places(new)?);
    }
    Ok(PromptMessage {
        id: fields.count("id")?,
        about: new.map(|fields| about(&fields)).transpose()?,
        here,
        typed,
        key: fields.some("key", Fields::text)?,
    })
}

fn some(fields: &Fields<'_>, field: &str) -> Result<Option<String>, JobError> {
    fields.some(field, Fields::lossy)
}

fn about(fields: &Fields<'_>) -> Result<About, JobError> {
    let viewer = Viewer { cwd: fields.lossy("project")?, home: String::new() };
    // What an earlier host has said of it counts, not what it was asked for with.
    let chosen = fields.some("chosen", Fields::fields)?;
    let draft = fields.some("draft", Fields::fields)?;
    let way_of = chosen.as_ref().unwrap_or(fields);
    let choice = |fields: &Fields<'_>| {
        Ok::<_, JobError>(Chosen { agent: fields.lossy("agent")?, model: some(fields, "model")? })
    };
    let (own, resume) = (fields.count("buffer")?, request::resume(fields)?);
    let drafts = fields.maps("drafts")?;
    let drafts = drafts.iter().map(|draft| draft.escaped("text")).collect::<Result<Vec<_>, _>>()?;
    let mut buffers = OpenBuffer::decode(fields)?;
    // The agent has the one that the prompt is for.
    buffers.iter_mut().filter(|buffer| buffer.number == own).for_each(|buffer| buffer.name = None);
    Ok(About {
        place: view::file(&fields.lossy("path")?, some(fields, "name")?.as_deref(), &viewer),
        project: viewer.cwd,
        is_insertion: fields.flag("is_insertion")?,
        way: way(way_of, resume.is_some())?,
        begin: Begin {
            agent: some(fields, "agent")?,
            model: some(fields, "model")?,
            has_session: resume.is_some(),
            is_again: chosen.is_some(),
            draft: chosen.as_ref().or(draft.as_ref()).map(choice).transpose()?,
            last: None,
        },
        proposal: some(fields, "proposal")?,
        recent: drafts.into_iter().rev().flatten().collect(),
        cwd: request::directory(fields).unwrap_or_default(),
        resume,
        writer: None,
        buffers,
    })
}

fn way(fields: &Fields<'_>, is_resumed: bool) -> Result<Way, JobError> {
    Ok(match (fields.flag("question")?, fields.flag("review")?) {
        (true, _) => Way::Ask,
        (false, true) => Way::Hold,
        // A session that it was not asked for with was chosen.
        (false, false) if !is_resumed && fields.get("resume").is_some() => Way::FollowUp,
        (false, false) => Way::Land,
    })
}

fn typed(fields: &Fields<'_>) -> Result<Typed, JobError> {
    let size = |field| super::ask::size(fields, field);
    let (row, column) = (size("row")?, size("column")?);
    let text = fields.need("text")?.as_slice().unwrap_or_default();
    let before = text.split(|byte| *byte == b'\n').nth(row).unwrap_or_default();
    let before = before.get(..column).unwrap_or(before);
    Ok(Typed {
        tick: fields.count("tick")?,
        text: fields.escaped("text")?.unwrap_or_default(),
        row,
        before: String::from_utf8_lossy(before).into_owned(),
        column,
        mode: match fields.text("mode")?.chars().next() {
            Some('i' | 'R') => Mode::Insert,
            Some('s' | 'S' | '\x13') => Mode::Select,
            _ => Mode::Normal,
        },
        width: size("width")?,
        lines: match fields.counts("lines")?[..] {
            [first, last] => Some((first, last)),
            _ => None,
        },
    })
}
