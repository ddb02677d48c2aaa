//! Requests for tests, made from text in which `«` and `»` show what is selected.

use std::path::PathBuf;

use super::{Accepted, AgentCommand, AgentStart, Request, Selection, SelectionKind};
use crate::agent::Protocol;
use crate::options::Options;

/// The whole lines, as lines 11 and on of `/project/src/a.rs`.
pub fn lines(filetype: &str, rows: &[&str]) -> Request {
    request(filetype, SelectionKind::Line, &rows.iter().map(|row| (*row, 0, row.len())).collect::<Vec<_>>())
}

/// From `«` in the first row to `»` in the last one.
pub fn part(filetype: &str, marked: &[&str]) -> Request {
    let rows: Vec<String> = marked.iter().map(|row| row.replace(['«', '»'], "")).collect();
    let last = rows.len() - 1;
    let spans = marked.iter().zip(&rows).enumerate().map(|(index, (marked, row))| {
        let (start, end) = span(marked);
        (row.as_str(), if index == 0 { start } else { 0 }, if index == last { end } else { row.len() })
    });
    request(filetype, SelectionKind::Char, &spans.collect::<Vec<_>>())
}

/// From `«` to `»` in each row.
pub fn block(filetype: &str, marked: &[&str]) -> Request {
    let rows: Vec<String> = marked.iter().map(|row| row.replace(['«', '»'], "")).collect();
    let spans = marked.iter().zip(&rows).map(|(marked, row)| {
        let (start, end) = span(marked);
        (row.as_str(), start, end)
    });
    request(filetype, SelectionKind::Block, &spans.collect::<Vec<_>>())
}

/// An insertion below the last of the lines before it, which begin with line 1.
pub fn insert(filetype: &str, before: &[&str], after: &[&str]) -> Request {
    let mut request = request(filetype, SelectionKind::Insert, &[]);
    request.job.selection.first_line = before.len() as u64;
    request.job.selection.last_line = before.len() as u64;
    request.job.selection.beside.above = before.last().map(|&line| line.to_owned());
    request.before = before.iter().map(|&line| line.to_owned()).collect();
    request.after = after.iter().map(|&line| line.to_owned()).collect();
    request
}

/// The bytes of a row between its marks, counted without them.
fn span(marked: &str) -> (usize, usize) {
    let start = marked.find('«').unwrap_or(0);
    let end = marked.replace('«', "").find('»').unwrap_or(marked.len());
    (start, end)
}

/// The same with something else of what is kept of it.
pub fn with(request: Request, change: impl FnOnce(&mut Accepted)) -> Request {
    let mut request = request;
    change(&mut request.job);
    request
}

fn request(filetype: &str, kind: SelectionKind, rows: &[(&str, usize, usize)]) -> Request {
    let agent = AgentCommand {
        name: "claude".to_owned(),
        protocol: Protocol::Claude,
        command: vec!["claude".to_owned()],
        ..AgentCommand::default()
    };
    let selection = Selection {
        kind,
        first_line: 11,
        last_line: (10 + rows.len()) as u64,
        text: rows.iter().map(|(row, start, end)| row[*start..*end].to_owned()).collect(),
        rows: rows.iter().map(|(row, ..)| (*row).to_owned()).collect(),
        cols: rows.iter().map(|(_, start, _)| *start as u64).collect(),
        ..Selection::default()
    };
    Request {
        job: Accepted {
            id: 3,
            agent: agent.name.clone(),
            project: "/project".to_owned(),
            path: "/project/src/a.rs".to_owned(),
            filetype: filetype.to_owned(),
            prompt: "make it better".to_owned(),
            selection,
            ..Accepted::default()
        },
        buffer: 1,
        start: AgentStart {
            agent,
            tools: vec!["Read".to_owned()],
            cwd: PathBuf::from("/project"),
            ..AgentStart::default()
        },
        options: Options { max_parallel: 4, record: true, ..Options::default() },
        tabstop: 8,
        ..Request::default()
    }
}
