//! Turns the map of a `run` notification into a [`Request`], or says which field of it is wrong.
//!
//! Strict where a wrong value would do harm (what to run, where, on which text), lenient where it is only
//! context: lines around the selection that are not UTF-8 go along with replacement characters.

use rmpv::Value;

use super::mentions::{DIAGNOSTICS, DIFF, QUICKFIX, mentions_buffers, wants};
use super::start::{directory, resume};
use super::{AgentStart, Beside, Diagnostic, MentionedBuffer, Observe, Request, Selection, SelectionKind};
use crate::error::{Code, JobError};
use crate::fields::{self, Fields, bad, wrong};
use crate::options::{Choice, Options, without_backslash};

/// Reads a request, with the options in force. Every error has the code `bad_request` and names its field, but for a
/// working directory that is gone; unknown fields are ignored.
pub fn decode(value: &Value, options: &Options) -> Result<Request, JobError> {
    let run = Fields::root(value)?;
    let (prompt, selection) = (run.text("prompt")?, selection(&run.fields("selection")?)?);
    let choice = choice(&run)?;
    let choice = options.chosen(&prompt, choice).map_err(|error| JobError::new(Code::BadRequest, error))?;
    let filetype = run.lossy("filetype")?;
    let own = diagnostics(&run, "diagnostics")?;
    let (buffers, mut room) = mentioned(&run, options.bytes)?;
    let named = options.named(&prompt).ok().flatten();
    let whole = named.map_or_else(|| prompt.clone(), |(named, more)| format!("{}\n{more}", named.text));
    if run.get("buffers").is_none() && mentions_buffers(&whole) {
        return Err(bad("prompt", "mentions a buffer: start the job with vim.schedule()"));
    }
    let instructions = named.map_or_else(
        || without_backslash(&prompt).map(str::to_owned),
        |(named, more)| {
            Some(named.filled(more, |name| match name {
                "filetype" => Some(filetype.clone()),
                "selection" => Some(selection.text.join("\n")),
                "diagnostics" => Some(listed(&own)),
                _ => None,
            }))
        },
    );
    let goes_along = options.diagnostics && selection.kind != SelectionKind::Insert;
    let mut all = if goes_along { own } else { Vec::new() };
    let mentioned = if wants(&whole, DIAGNOSTICS) { diagnostics(&run, "mentioned")? } else { Vec::new() };
    let others = mentioned.into_iter().take_while(|one| fits(&mut room, one.message.len()));
    for one in others.chain(diagnostics(&run, "notes")?) {
        if !all.iter().any(|known| (known.line, &known.message) == (one.line, &one.message)) {
            all.push(one);
        }
    }
    let mut quickfix = if wants(&whole, QUICKFIX) { run.lossy_texts("quickfix")? } else { Vec::new() };
    let count = quickfix.iter().take_while(|line| fits(&mut room, line.len() + 1)).count();
    quickfix.truncate(count);
    let lines = run.some("whole", Fields::lossy_texts)?.filter(|_| wants(&whole, DIFF));
    let whole = lines.map(|lines| (lines.into_iter().map(|line| line + "\n").collect(), room));
    let (cwd, replaces) = (directory(&run)?, run.some("replaces", Fields::count)?);
    let start = AgentStart::new(choice.clone(), cwd.clone(), resume(&run)?, options);
    // An agent that cannot go on in a session is told what was said.
    let start = start.or_else(|error| match replaces {
        Some(_) => AgentStart::new(choice.clone(), cwd, None, options),
        None => Err(error),
    })?;
    Ok(Request {
        id: run.count("id")?,
        buffer: run.count("buffer")?,
        instructions,
        question: choice.question,
        review: replaces.is_some()
            || if run.get("review").is_some() { run.flag("review")? } else { options.review },
        replaces,
        replaced: None,
        start,
        timeout: options.timeout,
        max_parallel: options.max_parallel,
        resume_at_limit: options.resume_at_limit,
        rules: options.rules,
        record: options.record,
        path: run.lossy("path")?,
        name: run.some("name", Fields::lossy)?,
        before: run.lossy_texts("before")?,
        after: run.lossy_texts("after")?,
        diagnostics: all,
        whole,
        diff: String::new(),
        quickfix,
        buffers,
        prewarmed: run.some("prewarmed", Fields::count)?,
        preview: options.preview,
        outcome: options.outcome,
        tabstop: run
            .some("tabstop", Fields::count)?
            .map_or(8, |width| usize::try_from(width.max(1)).unwrap_or(usize::MAX)),
        observe: observe(&run)?,
        notify: options.notify,
        prompt,
        filetype,
        selection,
    })
}

/// What a message asks for beside its prompt.
pub fn choice(fields: &Fields) -> Result<Choice, JobError> {
    Ok(Choice {
        agent: fields.some("agent", Fields::text)?,
        model: fields.some("model", Fields::argument)?,
        question: fields.flag("question")?,
    })
}

/// The id of a request, also of one that is wrong otherwise, so that its error finds its job.
pub fn id_of(value: &Value) -> Option<u64> {
    Fields::root(value).ok()?.count("id").ok()
}

/// The other buffers that the prompt mentions, each from its first line on, and the bytes that they leave.
fn mentioned(run: &Fields, mut room: usize) -> Result<(Vec<MentionedBuffer>, usize), JobError> {
    let mut buffers = Vec::new();
    for fields in run.maps("buffers")? {
        let mut lines = fields.lossy_texts("lines")?;
        let count = lines.iter().take_while(|line| fits(&mut room, line.len() + 1)).count();
        lines.truncate(count);
        buffers.push(MentionedBuffer { name: fields.lossy("name")?, lines, count: fields.count("count")? });
    }
    Ok((buffers, room))
}

/// Takes so many bytes from the room, where it has them; else nothing fits any more.
fn fits(room: &mut usize, bytes: usize) -> bool {
    let left = room.checked_sub(bytes);
    *room = left.unwrap_or_default();
    left.is_some()
}

fn diagnostics(run: &Fields, field: &str) -> Result<Vec<Diagnostic>, JobError> {
    run.maps(field)?.iter().map(diagnostic).collect()
}

/// Diagnostics as text, one a line.
fn listed(diagnostics: &[Diagnostic]) -> String {
    let line = |one: &Diagnostic| format!("line {}: {}: {}", one.line, one.severity, one.message);
    let lines: Vec<_> = diagnostics.iter().map(line).collect();
    if lines.is_empty() { "no diagnostics".to_owned() } else { lines.join("\n") }
}

fn diagnostic(fields: &Fields) -> Result<Diagnostic, JobError> {
    Ok(Diagnostic {
        line: fields.count("line")?,
        severity: fields.lossy("severity")?,
        message: fields.lossy("message")?,
        source: fields.lossy("source")?,
    })
}

fn observe(run: &Fields) -> Result<Option<Observe>, JobError> {
    if run.get("observe").is_none() {
        return Ok(None);
    }
    Ok(Some(Observe { thinking: run.fields("observe")?.flag("thinking")? }))
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
    let column = selection.some("column", Fields::count)?;
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
