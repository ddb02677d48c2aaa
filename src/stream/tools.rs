//! Tool calls, matched with their results.
//!
//! A result closes the latest open call of its id; without an id it closes the oldest open call. A result that comes
//! before its call waits for it; a repeated result, or one whose call never comes, changes nothing. Work per event grows
//! with the number of open calls alone.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::event::{Argument, Returned, ToolCalled};
use super::one_line;
use crate::named::named;

/// The most results that wait for their calls.
const EARLY: usize = 1000;
/// The longest id that is distinguished from others, in bytes.
const ID: usize = 256;
const NAME: usize = 80;
const TITLE: usize = 200;
const REASON: usize = 1000;

/// A tool call; its serialized form is an entry of a job's `tools`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCall {
    /// The agent's id, or one made from its place where the agent gave none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// How it went.
    pub status: ToolStatus,
    /// Why it failed, in one line.
    pub error: Option<String>,
    /// The name and the main argument in one line: `Read src/main.rs`.
    #[serde(skip)]
    pub title: String,
}

named! {
    /// How a tool call went.
    pub enum ToolStatus {
        /// It has not come back yet.
        Running = "running",
        /// It worked.
        Ok = "ok",
        /// It failed.
        Error = "error",
        /// It was not permitted.
        Denied = "denied",
        /// The job ended before it came back.
        Unfinished = "unfinished",
    }
}

/// All tool calls of a stream.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    calls: Vec<ToolCall>,
    /// The place of the latest call of each id.
    latest: HashMap<String, usize>,
    /// The calls without a result by their place, each with the agent's id.
    open: BTreeMap<usize, Option<String>>,
    /// What is known of calls before they come.
    early: HashMap<String, Returned>,
}

impl Tools {
    /// Adds a call; returns its place.
    pub fn called(&mut self, call: &ToolCalled<'_>, cwd: &str) -> usize {
        let index = self.calls.len();
        let name = one_line::line(&call.name, NAME);
        let title = title(&name, &call.argument, cwd);
        let id = call.id.as_deref().filter(|id| !id.is_empty()).map(|id| one_line::clip(id, ID).to_owned());
        self.calls.push(ToolCall {
            id: id.clone().unwrap_or_else(|| format!("call-{}", index + 1)),
            name,
            status: ToolStatus::Running,
            error: None,
            title,
        });
        self.open.insert(index, id.clone());
        if let Some(id) = id {
            if let Some(returned) = self.early.remove(&id) {
                self.close(index, returned);
            }
            self.latest.insert(id, index);
        }
        index
    }

    /// Takes what a call was made with; returns the place of the call that it changed.
    pub fn detailed(&mut self, id: &str, argument: &Argument<'_>, cwd: &str) -> Option<usize> {
        let index = *self.latest.get(one_line::clip(id, ID))?;
        let call = &mut self.calls[index];
        let title = title(&call.name, argument, cwd);
        if *argument == Argument::None || call.title == title {
            return None;
        }
        call.title = title;
        Some(index)
    }

    /// Takes a result; returns the place of the call that it changed.
    pub fn returned(&mut self, id: Option<&str>, returned: Returned) -> Option<usize> {
        let index = match id.filter(|id| !id.is_empty()).map(|id| one_line::clip(id, ID)) {
            None => *self.open.keys().next()?,
            Some(id) if self.latest.contains_key(id) => self.open_call(id)?,
            // The one call that has no id, in streams in which only results have one.
            Some(id) => match self.open.iter().find(|(_, own)| own.is_none()) {
                Some((index, _)) => *index,
                None => return self.early(id, returned),
            },
        };
        self.close(index, returned);
        Some(index)
    }

    /// Takes the agent's word that a call was denied; returns the place of the call that it changed.
    ///
    /// The call's own result still follows, or came before: neither undoes the other.
    pub fn denied(&mut self, id: &str, reason: String) -> Option<usize> {
        let id = one_line::clip(id, ID);
        let Some(latest) = self.latest.get(id).copied() else {
            return self.early(id, Returned::Denied(reason));
        };
        let index = self.open_call(id).unwrap_or(latest);
        let before = self.calls[index].clone();
        self.deny(index, &reason);
        (self.calls[index] != before).then_some(index)
    }

    /// No more results will come: what is open is unfinished. Returns the places of the calls that changed.
    pub fn finish(&mut self) -> Vec<usize> {
        let open = std::mem::take(&mut self.open).into_keys();
        let changed: Vec<usize> =
            open.filter(|index| self.calls[*index].status == ToolStatus::Running).collect();
        for &index in &changed {
            self.calls[index].status = ToolStatus::Unfinished;
        }
        changed
    }

    /// One call.
    pub fn get(&self, index: usize) -> &ToolCall {
        &self.calls[index]
    }

    /// All calls as they would read if the stream ended now.
    pub fn snapshot(&self) -> Vec<ToolCall> {
        let mut calls = self.calls.clone();
        for call in calls.iter_mut().filter(|call| call.status == ToolStatus::Running) {
            call.status = ToolStatus::Unfinished;
        }
        calls
    }

    /// The latest open call of this id.
    fn open_call(&self, id: &str) -> Option<usize> {
        self.open.iter().rev().find(|(_, own)| own.as_deref() == Some(id)).map(|(index, _)| *index)
    }

    fn early(&mut self, id: &str, returned: Returned) -> Option<usize> {
        if self.early.len() < EARLY {
            self.early.entry(id.to_owned()).or_insert(returned);
        }
        None
    }

    fn close(&mut self, index: usize, returned: Returned) {
        self.open.remove(&index);
        match returned {
            Returned::Denied(reason) => self.deny(index, &reason),
            // The denial was announced, with its reason, before this.
            _ if self.calls[index].status == ToolStatus::Denied => {}
            Returned::Ok => self.calls[index].status = ToolStatus::Ok,
            Returned::Failed(reason) => {
                self.calls[index].status = ToolStatus::Error;
                self.calls[index].error = clean_reason(&reason);
            }
        }
    }

    fn deny(&mut self, index: usize, reason: &str) {
        let call = &mut self.calls[index];
        if call.status == ToolStatus::Ok {
            return;
        }
        call.status = ToolStatus::Denied;
        if call.error.is_none() {
            call.error = clean_reason(reason);
        }
    }
}

fn clean_reason(reason: &str) -> Option<String> {
    Some(one_line::line(reason, REASON)).filter(|reason| !reason.is_empty())
}

/// The tool's name and its main argument; paths below `cwd` are written relative to it.
fn title(name: &str, argument: &Argument<'_>, cwd: &str) -> String {
    let argument = match argument {
        Argument::None => "",
        Argument::Plain(text) => text,
        Argument::Path(path) => match path.strip_prefix(cwd.trim_end_matches('/')) {
            Some("" | "/") if !cwd.is_empty() => ".",
            Some(below) if !cwd.is_empty() => below.strip_prefix('/').unwrap_or(path),
            _ => path,
        },
    };
    one_line::line(&format!("{name} {}", one_line::clip(argument, 4 * TITLE)), TITLE)
}

#[cfg(test)]
mod tests;
