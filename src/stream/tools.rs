//! Tool calls, matched with their results.
//!
//! A result closes the latest open call of its id; without an id it closes the oldest open call. A result that comes
//! before its call waits for it; a repeated result, or one whose call never comes, changes nothing. Work per event does
//! not grow with the number of calls.

use std::collections::{BTreeSet, HashMap};

use super::event::{Argument, Returned, ToolCalled};
use super::tool_call::{ToolCall, ToolStatus};
use super::words;

/// The most results that wait for their calls.
const EARLY: usize = 1000;
/// The longest id that is distinguished from others, in bytes.
const ID: usize = 256;
const NAME: usize = 80;
const TITLE: usize = 200;
const REASON: usize = 1000;

/// All tool calls of a stream.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    calls: Vec<ToolCall>,
    by_id: HashMap<String, CallsOfId>,
    /// Calls without a result, by their place.
    open: BTreeSet<usize>,
    /// Those of them that have no id.
    unnamed: BTreeSet<usize>,
    early: HashMap<String, EarlyResult>,
}

#[derive(Debug, Clone, Default)]
struct CallsOfId {
    /// Open calls of this id, the latest last.
    open: BTreeSet<usize>,
    latest: usize,
}

/// What is known of a call before it comes.
#[derive(Debug, Clone, Default)]
struct EarlyResult {
    denied: Option<String>,
    returned: Option<Returned>,
}

impl Tools {
    /// Adds a call; returns its place.
    pub fn called(&mut self, call: &ToolCalled<'_>, cwd: &str) -> usize {
        let index = self.calls.len();
        let name = words::line(&call.name, NAME);
        let title = title(&name, &call.argument, cwd);
        let id = call.id.as_deref().filter(|id| !id.is_empty()).map(|id| words::clip(id, ID).to_owned());
        self.open.insert(index);
        self.calls.push(ToolCall {
            id: id.clone().unwrap_or_else(|| format!("call-{}", index + 1)),
            name,
            status: ToolStatus::Running,
            error: None,
            title,
        });
        let Some(id) = id else {
            self.unnamed.insert(index);
            return index;
        };
        let early = self.early.remove(&id).unwrap_or_default();
        let known = self.by_id.entry(id).or_default();
        known.open.insert(index);
        known.latest = index;
        if let Some(reason) = early.denied {
            self.deny(index, &reason);
        }
        if let Some(returned) = early.returned {
            self.by_id.get_mut(&self.calls[index].id).and_then(|known| known.open.pop_last());
            self.close(index, returned);
        }
        index
    }

    /// Takes what a call was made with; returns the place of the call that it changed.
    pub fn detailed(&mut self, id: &str, argument: &Argument<'_>, cwd: &str) -> Option<usize> {
        let index = self.by_id.get(words::clip(id, ID))?.latest;
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
        let Some(id) = id.filter(|id| !id.is_empty()).map(|id| words::clip(id, ID)) else {
            let index = self.open.first().copied()?;
            if let Some(known) = self.by_id.get_mut(&self.calls[index].id) {
                known.open.remove(&index);
            }
            self.close(index, returned);
            return Some(index);
        };
        if let Some(known) = self.by_id.get_mut(id) {
            let index = known.open.pop_last()?;
            self.close(index, returned);
            return Some(index);
        }
        if let Some(index) = self.unnamed.first().copied() {
            self.close(index, returned);
            return Some(index);
        }
        self.early(id)?.returned.get_or_insert(returned);
        None
    }

    /// Takes the agent's word that a call was denied; returns the place of the call that it changed.
    ///
    /// The call's own result still follows, or came before: neither undoes the other.
    pub fn denied(&mut self, id: &str, reason: String) -> Option<usize> {
        let id = words::clip(id, ID);
        let Some(known) = self.by_id.get(id) else {
            self.early(id)?.denied.get_or_insert(reason);
            return None;
        };
        let index = known.open.last().copied().unwrap_or(known.latest);
        let before = self.calls[index].clone();
        self.deny(index, &reason);
        (self.calls[index] != before).then_some(index)
    }

    /// No more results will come: what is open is unfinished. Returns the places of the calls that changed.
    pub fn finish(&mut self) -> Vec<usize> {
        self.unnamed.clear();
        let open = std::mem::take(&mut self.open);
        let is_running = |&index: &usize| self.calls[index].status == ToolStatus::Running;
        let changed: Vec<usize> = open.into_iter().filter(is_running).collect();
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

    fn early(&mut self, id: &str) -> Option<&mut EarlyResult> {
        if self.early.len() >= EARLY && !self.early.contains_key(id) {
            return None;
        }
        Some(self.early.entry(id.to_owned()).or_default())
    }

    fn close(&mut self, index: usize, returned: Returned) {
        self.open.remove(&index);
        self.unnamed.remove(&index);
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
    Some(words::line(reason, REASON)).filter(|reason| !reason.is_empty())
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
    words::line(&format!("{name} {}", words::clip(argument, 4 * TITLE)), TITLE)
}

#[cfg(test)]
mod tests;
