//! Reads what happens in the prompt that is being typed.

use crate::error::JobError;
use crate::fields::{Fields, bad};
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
    Ok(PromptMessage {
        id: fields.count("id")?,
        about: some("about")?.map(|fields| about(&fields)).transpose()?,
        typed: some("typed")?.map(|fields| typed(&fields)).transpose()?,
        key: fields.some("key", Fields::text)?,
    })
}

fn some(fields: &Fields<'_>, field: &str) -> Result<Option<String>, JobError> {
    fields.some(field, Fields::lossy)
}

fn about(fields: &Fields<'_>) -> Result<About, JobError> {
    let viewer = Viewer { cwd: fields.lossy("project")?, home: String::new() };
    let chosen = |fields: &Fields<'_>| {
        Ok::<_, JobError>(Chosen { agent: fields.lossy("agent")?, model: some(fields, "model")? })
    };
    let chosen = fields.some("chosen", Fields::fields)?.map(|fields| chosen(&fields)).transpose()?;
    let (own, resume) = (fields.count("buffer")?, request::resume(fields)?);
    let mut buffers = OpenBuffer::decode(fields)?;
    // The agent has the one that the prompt is for.
    buffers.iter_mut().filter(|buffer| buffer.number == own).for_each(|buffer| buffer.name = None);
    Ok(About {
        place: view::file(&fields.lossy("path")?, some(fields, "name")?.as_deref(), &viewer),
        project: viewer.cwd,
        is_insertion: fields.flag("is_insertion")?,
        way: match (fields.flag("question")?, fields.flag("review")?) {
            (true, _) => Way::Ask,
            (false, true) => Way::Hold,
            (false, false) => Way::Land,
        },
        begin: Begin {
            agent: some(fields, "agent")?,
            model: some(fields, "model")?,
            has_session: resume.is_some(),
            is_again: fields.flag("is_again")?,
            draft: chosen,
            last: None,
        },
        proposal: some(fields, "proposal")?,
        recent: fields.escaped_texts("recent")?,
        cwd: request::directory(fields).unwrap_or_default(),
        resume,
        buffers,
    })
}

fn typed(fields: &Fields<'_>) -> Result<Typed, JobError> {
    let size = |field| super::ask::size(fields, field);
    let mode = match fields.text("mode")?.as_str() {
        "n" => Mode::Normal,
        "i" => Mode::Insert,
        "s" => Mode::Select,
        _ => return Err(bad(&fields.name("mode"), r#"must be "n", "i" or "s""#)),
    };
    let lines =
        fields.get("first").map(|_| Ok::<_, JobError>((fields.count("first")?, fields.count("last")?)));
    Ok(Typed {
        serial: fields.count("serial")?,
        text: fields.escaped("text")?.unwrap_or_default(),
        row: size("row")?,
        before: fields.lossy("before")?,
        column: size("column")?,
        mode,
        width: size("width")?,
        lines: lines.transpose()?,
    })
}
