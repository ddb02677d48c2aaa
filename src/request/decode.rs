//! Turns the map of a `run` notification into a [`Request`], or says which field of it is wrong.
//!
//! Strict where a wrong value would do harm (what to run, where, on which text), lenient where it is only
//! context: lines around the selection that are not UTF-8 go along with replacement characters.

use std::time::Duration;

use rmpv::Value;

use super::fields::{self, Fields, bad, wrong};
use super::{
    AgentStart, Beside, Diagnostic, MentionedBuffer, Notify, Observe, Request, Selection, SelectionKind,
};
use crate::error::JobError;

/// The most lines of code that are shown while they come: more than any window has.
const MOST_PREVIEW: usize = 200;

/// The longest timeout, in seconds: a year. Longer ones become this, since no clock has to reckon with them then.
const MOST_TIMEOUT: f64 = 365.0 * 24.0 * 3600.0;

/// Reads a request. Every error has the code `bad_request` and names its field, but for a working directory that
/// is gone; unknown fields are ignored.
pub fn decode(value: &Value) -> Result<Request, JobError> {
    let run = Fields::root(value)?;
    let context = Context::decode(&run)?;
    Ok(Request {
        start: AgentStart::decode(&run)?,
        id: run.count("id")?,
        buffer: run.count("buffer")?,
        prompt: run.text("prompt")?,
        instructions: run.get("instructions").map(|_| run.text("instructions")).transpose()?,
        question: run.flag("question")?,
        review: run.flag("review")?,
        timeout: timeout(&run)?,
        max_parallel: at_least_one(&run, "max_parallel")?,
        rules: run.flag("rules")?,
        record: run.flag("record")?,
        path: run.lossy("path")?,
        name: run.get("name").map(|_| run.lossy("name")).transpose()?,
        filetype: run.lossy("filetype")?,
        selection: selection(&run.fields("selection")?)?,
        before: context.before,
        after: context.after,
        diagnostics: context.diagnostics,
        buffers: context.buffers,
        prewarmed: run.get("prewarmed").map(|_| run.count("prewarmed")).transpose()?,
        preview: preview(&run)?,
        outcome: Duration::try_from_secs_f64(optional(&run, "outcome")?.min(MOST_TIMEOUT))
            .unwrap_or_default(),
        tabstop: at_least_one(&run, "tabstop").unwrap_or(8),
        observe: observe(&run)?,
        notify: notify(&run)?,
    })
}

/// The id of a request, also of one that is wrong otherwise, so that its error finds its job.
pub fn id_of(value: &Value) -> Option<u64> {
    Fields::root(value).ok()?.count("id").ok()
}

/// What surrounds the selection; see the fields of the same names in [`Request`].
struct Context {
    before: Vec<String>,
    after: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    buffers: Vec<MentionedBuffer>,
}

impl Context {
    fn decode(run: &Fields) -> Result<Self, JobError> {
        let (diagnostics, buffers) = (run.maps("diagnostics")?, run.maps("buffers")?);
        Ok(Self {
            before: run.lossy_texts("before")?,
            after: run.lossy_texts("after")?,
            diagnostics: diagnostics.iter().map(diagnostic).collect::<Result<_, _>>()?,
            buffers: buffers.iter().map(buffer).collect::<Result<_, _>>()?,
        })
    }
}

fn buffer(fields: &Fields) -> Result<MentionedBuffer, JobError> {
    Ok(MentionedBuffer {
        name: fields.lossy("name")?,
        lines: fields.lossy_texts("lines")?,
        count: fields.count("count")?,
    })
}

fn diagnostic(fields: &Fields) -> Result<Diagnostic, JobError> {
    Ok(Diagnostic {
        line: fields.count("line")?,
        severity: fields.lossy("severity")?,
        message: fields.lossy("message")?,
        source: fields.lossy("source")?,
    })
}

fn timeout(run: &Fields) -> Result<Duration, JobError> {
    let seconds = run.number("timeout")?;
    let timeout = Duration::try_from_secs_f64(seconds.min(MOST_TIMEOUT)).unwrap_or_default();
    if timeout.is_zero() || seconds.is_infinite() {
        return Err(bad("timeout", "must be a number of seconds above 0"));
    }
    Ok(timeout)
}

fn optional(run: &Fields, field: &str) -> Result<f64, JobError> {
    run.get(field).map_or(Ok(0.0), |_| run.number(field))
}

fn preview(run: &Fields) -> Result<usize, JobError> {
    let lines = if run.get("preview").is_some() { run.count("preview")? } else { 0 };
    Ok(usize::try_from(lines).unwrap_or(usize::MAX).min(MOST_PREVIEW))
}

fn observe(run: &Fields) -> Result<Option<Observe>, JobError> {
    if run.get("observe").is_none() {
        return Ok(None);
    }
    Ok(Some(Observe { thinking: run.fields("observe")?.flag("thinking")? }))
}

fn notify(run: &Fields) -> Result<Notify, JobError> {
    let name = run.get("notify").map_or(Ok("failures".to_owned()), |_| run.text("notify"))?;
    match name.as_str() {
        "all" => Ok(Notify::All),
        "failures" => Ok(Notify::Failures),
        "none" => Ok(Notify::None),
        _ => Err(bad("notify", r#"must be "all", "failures" or "none""#)),
    }
}

pub(super) fn at_least_one(run: &Fields, field: &str) -> Result<usize, JobError> {
    match usize::try_from(run.count(field)?) {
        Ok(0) => Err(bad(&run.name(field), "must be at least 1")),
        Ok(number) => Ok(number),
        Err(_) => Ok(usize::MAX),
    }
}

fn selection(selection: &Fields) -> Result<Selection, JobError> {
    let kind = SelectionKind::named(&selection.text("kind")?)
        .ok_or_else(|| bad(&selection.name("kind"), r#"must be "line", "char", "block" or "insert""#))?;
    let first_line = selection.count("first_line")?;
    let last_line = selection.count("last_line")?;
    let text = selected(selection, first_line)?;
    let mut rows = selection.escaped_texts("rows")?;
    let mut cols = columns(selection)?;
    if kind != SelectionKind::Insert {
        one_a_row(selection, first_line, last_line, text.len())?;
        if rows.is_empty() {
            rows.clone_from(&text);
        }
        if cols.is_empty() {
            cols = vec![0; text.len()];
        }
        for (field, len) in [("rows", rows.len()), ("cols", cols.len())] {
            if len != text.len() {
                return Err(bad(&selection.name(field), "must have as many entries as selection.text"));
            }
        }
    }
    let column = selection.get("column").map(|_| selection.count("column")).transpose()?;
    let beside = Beside::decode(&selection.fields("beside")?)?;
    Ok(Selection { kind, first_line, last_line, text, rows, cols, column, beside })
}

impl Beside {
    /// Reads the lines next to a selection.
    pub(crate) fn decode(fields: &Fields) -> Result<Self, JobError> {
        Ok(Self { above: fields.escaped("above")?, below: fields.escaped("below")? })
    }
}

/// The selected text, which the answer replaces: it has to be the buffer's own, byte for byte.
fn selected(selection: &Fields, first_line: u64) -> Result<Vec<String>, JobError> {
    let name = selection.name("text");
    let lines = first_line..;
    let rows = lines.zip(selection.list("text")?).map(|(line, value)| {
        let bytes = value.as_slice().ok_or_else(|| wrong(&name, "a list of strings", value))?;
        let text = str::from_utf8(bytes).map_err(|_| {
            let hint = "reopen the file with its right encoding (`:e ++enc=latin1` for example)";
            bad(&name, &format!("holds bytes that are not UTF-8 in line {line}: {hint}"))
        })?;
        if text.contains('\n') {
            return Err(bad(&name, &format!("holds a line break within line {line}")));
        }
        Ok(text.to_owned())
    });
    rows.collect()
}

fn columns(selection: &Fields) -> Result<Vec<u64>, JobError> {
    let name = selection.name("cols");
    selection.list("cols")?.iter().map(|value| fields::count(&name, value)).collect()
}

fn one_a_row(selection: &Fields, first: u64, last: u64, found: usize) -> Result<(), JobError> {
    if first == 0 {
        return Err(bad(&selection.name("first_line"), "must be at least 1"));
    }
    let Some(rows) = last.checked_sub(first) else {
        return Err(bad(&selection.name("last_line"), "must not be above selection.first_line"));
    };
    if u64::try_from(found).ok() == rows.checked_add(1) {
        return Ok(());
    }
    let problem = format!("must have one entry for each of the lines {first} to {last}, not {found}");
    Err(bad(&selection.name("text"), &problem))
}

#[cfg(test)]
mod tests;
