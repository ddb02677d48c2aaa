//! Turns the map of a `run` notification into a [`Request`], or says which field of it is wrong.
//!
//! Strict where a wrong value would do harm (what to run, where, on which text), lenient where it is only
//! context: lines around the selection that are not UTF-8 go along with replacement characters.

use serde::Deserialize;
use serde_json::Value as Json;

use super::mentions::{DIAGNOSTICS, DIFF, QUICKFIX, buffers, wants};
use super::start::directory;
use super::{Accepted, Diagnostic, MentionedBuffer, Request, Resume, Selection, SelectionKind, Wanted};
use crate::error::{Code, JobError};
use crate::fields::bytes::{plain, unescape};
use crate::fields::{bad, read};
use crate::options::{Choice, Options, without_backslash};

/// What the plugin sends beside the fields of a [`Request`] that are taken over.
#[derive(Deserialize)]
struct Given {
    #[serde(flatten)]
    choice: Choice,
    /// In which the agent runs.
    cwd: String,
    resume: Option<Resume>,
    review: Option<bool>,
    #[serde(default)]
    diagnostics: Vec<Diagnostic>,
    /// Those of the whole buffer, where the prompt may mention them.
    #[serde(default)]
    mentioned: Vec<Diagnostic>,
    /// What else is known of the lines.
    #[serde(default)]
    notes: Vec<Diagnostic>,
    whole: Option<Vec<String>>,
}

/// Reads a request, with the options in force. Every error has the code `bad_request` and names its field, but for a
/// working directory that is gone; unknown fields are ignored.
pub fn decode(value: &Json, options: &Options) -> Result<Request, JobError> {
    let (asked, request, given): (Accepted, Request, Given) = (read(value)?, read(value)?, read(value)?);
    let Given { resume, mentioned: elsewhere, .. } = given;
    let (prompt, selection) = (plain(&asked.prompt), checked(asked.selection)?);
    let choice =
        options.chosen(&prompt, given.choice).map_err(|error| JobError::new(Code::BadRequest, error))?;
    let named = options.named(&prompt).ok().flatten();
    let text = named.map_or_else(|| prompt.clone(), |(named, more)| format!("{}\n{more}", named.text));
    let mut loaded = request.buffers;
    let open = loaded.iter().map(|buffer| (buffer.name.as_str(), buffer.number));
    let open: Vec<_> = open.collect();
    let mentioned = buffers(&text, &open).map_err(|error| JobError::new(Code::BadRequest, error))?;
    let (mut room, mut buffers) = (options.context.bytes, Vec::new());
    for (name, number) in mentioned {
        let at = loaded.iter().position(|buffer| buffer.number == number);
        if let Some(at) = at {
            let mut buffer = MentionedBuffer { name, ..loaded.swap_remove(at) };
            cut(&mut buffer.lines, &mut room);
            buffers.push(buffer);
        }
    }
    let own = readable(given.diagnostics);
    let instructions = named.map_or_else(
        || without_backslash(&prompt).map(str::to_owned),
        |(named, more)| {
            Some(named.filled(more, |name| match name {
                "filetype" => Some(asked.filetype.clone()),
                "selection" => Some(selection.text.join("\n")),
                "diagnostics" => Some(listed(&own)),
                _ => None,
            }))
        },
    );
    let goes_along = options.context.diagnostics && selection.kind != SelectionKind::Insert;
    let mut all = if goes_along { own } else { Vec::new() };
    let mentioned = if wants(&text, DIAGNOSTICS) { readable(elsewhere) } else { Vec::new() };
    let others = mentioned.into_iter().take_while(|one| fits(&mut room, one.message.len()));
    for one in others.chain(readable(given.notes)) {
        if !all.iter().any(|known| (known.line, &known.message) == (one.line, &one.message)) {
            all.push(one);
        }
    }
    let mut quickfix = if wants(&text, QUICKFIX) { request.quickfix } else { Vec::new() };
    cut(&mut quickfix, &mut room);
    let whole = given.whole.filter(|_| wants(&text, DIFF));
    let whole = whole.map(|lines| (lines.iter().map(|line| plain(line) + "\n").collect(), room));
    let cwd = directory(&given.cwd)?;
    let start = super::start(choice.clone(), cwd.clone(), resume, options);
    // An agent that cannot go on in a session is told what was said.
    let start = start.or_else(|error| match request.replaces {
        Some(_) => super::start(choice.clone(), cwd, None, options),
        None => Err(error),
    })?;
    let job = Accepted {
        agent: start.agent.name.clone(),
        protocol: start.agent.protocol.recipe().name.to_owned(),
        model: start.agent.model.clone(),
        resumed: start.resume.clone(),
        project: start.cwd.to_string_lossy().into_owned(),
        path: plain(&asked.path),
        prompt,
        question: choice.question,
        review: request.replaces.is_some() || given.review.unwrap_or(options.review),
        selection,
        ..asked
    };
    let (agent, model) = (Some(job.agent.clone()), job.model.clone());
    Ok(Request {
        wanted: Wanted { agent, model, question: job.question, ..Wanted::of_run(value) },
        job,
        instructions,
        start,
        options: options.clone(),
        before: request.before.iter().map(|line| plain(line)).collect(),
        after: request.after.iter().map(|line| plain(line)).collect(),
        diagnostics: all,
        whole,
        quickfix,
        buffers,
        tabstop: if request.tabstop == 0 { 8 } else { request.tabstop },
        ..request
    })
}

/// Leaves as many lines as there is room for.
fn cut(lines: &mut Vec<String>, room: &mut usize) {
    for line in lines.iter_mut() {
        *line = plain(line);
    }
    let count = lines.iter().take_while(|line| fits(room, line.len() + 1)).count();
    lines.truncate(count);
}

/// Takes so many bytes from the room, where it has them; else nothing fits any more.
fn fits(room: &mut usize, bytes: usize) -> bool {
    let left = room.checked_sub(bytes);
    *room = left.unwrap_or_default();
    left.is_some()
}

/// Diagnostics in the order of their lines, in words that a line has room for.
fn readable(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|one| one.line);
    for one in &mut diagnostics {
        one.message = plain(&one.message);
    }
    diagnostics
}

/// Diagnostics as text, one a line.
fn listed(diagnostics: &[Diagnostic]) -> String {
    let line = |one: &Diagnostic| format!("line {}: {}: {}", one.line, one.severity, one.message);
    let lines: Vec<_> = diagnostics.iter().map(line).collect();
    if lines.is_empty() { "no diagnostics".to_owned() } else { lines.join("\n") }
}

/// A selection whose parts fit each other. The selected text, which the answer replaces, has to be the buffer's own, byte
/// for byte.
fn checked(mut selection: Selection) -> Result<Selection, JobError> {
    for (line, text) in (selection.first_line..).zip(&selection.text) {
        if str::from_utf8(&unescape(text)).is_err() {
            let hint = "reopen the file with its right encoding (`:e ++enc=latin1` for example)";
            return Err(bad(
                "selection.text",
                &format!("holds bytes that are not UTF-8 in line {line}: {hint}"),
            ));
        } else if text.contains('\n') {
            return Err(bad("selection.text", &format!("holds a line break within line {line}")));
        }
    }
    if selection.kind != SelectionKind::Insert {
        let Selection { first_line, last_line, text, rows, cols, .. } = &mut selection;
        if rows.is_empty() {
            rows.clone_from(text);
        }
        if cols.is_empty() {
            cols.resize(text.len(), 0);
        }
        let lines = last_line.checked_sub(*first_line).map(|more| more + 1).filter(|_| *first_line > 0);
        let is_whole = lines == u64::try_from(text.len()).ok() && [rows.len(), cols.len()] == [text.len(); 2];
        if !is_whole {
            return Err(bad(
                "selection",
                &format!("must have one entry for each of the lines {first_line} to {last_line}"),
            ));
        }
    }
    Ok(selection)
}

#[cfg(test)]
mod tests;
