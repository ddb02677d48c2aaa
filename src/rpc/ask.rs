//! What a key or a command of the user asks for: it waits until the host has opened the window.

use serde::Deserialize;
use serde_json::json;

use super::Command;
use crate::command::{Call, Here, Item};
use crate::error::JobError;
use crate::fields::{cells, read};
use crate::request::OpenBuffer;
use crate::ui::prompt::{About, Typed};
use crate::ui::{Against, Origin, Ui};

/// An `ask`.
#[derive(Debug, Deserialize)]
pub struct Ask {
    /// Comes back with the reply.
    pub token: u64,
    /// The screen.
    pub here: Ui,
    what: String,
    arg: serde_json::Value,
}

impl Ask {
    /// What is asked for, or why that cannot be read.
    pub fn command(self) -> Command {
        let Self { token, here: ui, what, arg } = self;
        // An empty table of Lua.
        let arg = if arg == json!([]) { json!({}) } else { arg };
        Command::Ask { token, ui, asked: read(&json!({ what: arg })) }
    }

    /// The same where the mirrors cannot read it.
    pub fn refused(self, error: JobError) -> Command {
        Command::Ask { token: self.token, ui: self.here, asked: Err(error) }
    }
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asked {
    /// What a command of the user is to do.
    Command {
        /// The command.
        #[serde(flatten)]
        call: Call,
        /// From where it is given.
        from: Box<AskedFrom>,
    },
    /// What completes the word of a command.
    Complete {
        /// What was typed behind its name.
        typed: String,
        /// The beginning of the word.
        lead: String,
    },
    /// Where an answer is.
    Jump {
        /// So many answers away.
        by: i64,
        /// From here.
        from: Box<AskedFrom>,
    },
    /// Which lines of these items of a list the jobs are for that get this prompt.
    Each(EachOf),
    /// Another job that asks the same as this one, or goes on in its session.
    Again {
        /// What is to be done.
        action: String,
        /// The job.
        id: u64,
        /// What the other one is to do.
        prompt: Option<String>,
    },
    /// What a key of the prompt is to do at once, or what is to be sent.
    Prompt(Box<PromptMessage>),
    /// A held answer.
    Show(ShowOf),
    /// What is proposed of a held answer in the text with this changedtick.
    Hunks {
        /// The job.
        id: u64,
        /// Its buffer.
        buffer: u64,
        /// The changedtick.
        tick: u64,
        /// Neovim's `'tabstop'`.
        #[serde(deserialize_with = "cells")]
        tabstop: usize,
    },
    /// What a key of a review does.
    Hunk(HunkKey),
    /// An answer, or a hunk of it, is accepted.
    Accept(AcceptOf),
    /// It is rejected.
    Reject(OfJob),
    /// What landed of it is taken back.
    Revert(OfJob),
    /// The held answers of Neovims that are gone are taken over.
    Held {},
    /// Neovim is about to end: the reply is what the user is asked before.
    Ending {},
    /// The reply comes once no answer is on its way to a buffer, unless it waits for a moment.
    Settled {},
    /// What a key does with a job of a list.
    Act(Act),
    /// What `:checkhealth` says of the agents and the directories.
    Health {
        /// That of the log.
        #[serde(default)]
        log_dir: String,
    },
}

impl Asked {
    /// Whether it needs to be known which answers are held.
    pub const fn is_of_held_answer(&self) -> bool {
        !matches!(
            self,
            Self::Each(_)
                | Self::Prompt(_)
                | Self::Act(_)
                | Self::Health { .. }
                | Self::Held {}
                | Self::Ending {}
                | Self::Settled {}
        )
    }
}

/// A job, and its buffer; none where that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct OfJob {
    /// The job.
    pub id: u64,
    /// The buffer.
    pub buffer: Option<u64>,
}

/// How an answer is accepted: a hunk of it as a script was told it, in some lines, or as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct AcceptOf {
    /// The answer.
    #[serde(flatten)]
    pub of: OfJob,
    /// A conflict that was not shown is to be shown.
    #[serde(default)]
    pub shows: bool,
    /// Which one of the hunks that the script was told, from 1.
    pub hunk: Option<usize>,
    /// The first and the last line that it replaces, from 1.
    pub range: Option<(usize, usize)>,
    /// The changedtick of the text that the hunk is of.
    #[serde(default)]
    pub told: u64,
    /// That of the text as it is.
    #[serde(default)]
    pub tick: u64,
}

/// The items of a list that are places in files, and in the lines that were given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct EachOf {
    /// The prompt.
    #[serde(default)]
    pub prompt: String,
    /// Which list it is: `quickfix` or `location`.
    pub list: String,
    /// How many items that has.
    pub count: usize,
    /// Lines were given.
    #[serde(default)]
    pub has_range: bool,
    /// The items.
    #[serde(default)]
    pub items: Vec<Item>,
}

/// How a held answer is to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct ShowOf {
    /// The job.
    pub id: u64,
    /// The changedtick of the text of its buffer.
    #[serde(default)]
    tick: u64,
    /// As a text, not as hunks.
    #[serde(default)]
    pub is_text: bool,
    /// As what its buffer would be.
    #[serde(default)]
    pub is_diff: bool,
    /// Its buffer.
    #[serde(flatten)]
    pub against: Against,
}

impl ShowOf {
    /// Its buffer, and the changedtick of the text there.
    pub fn at(&self) -> (u64, u64) {
        (self.against.buffer.unwrap_or_default(), self.tick)
    }
}

/// From where a command is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct AskedFrom {
    /// What commands depend on.
    #[serde(flatten)]
    pub here: Here,
    /// What lists depend on.
    #[serde(flatten)]
    pub origin: Origin,
    /// The window of the host in which the user is.
    pub view: Option<String>,
}

/// What a key does with a row of a list, or with all rows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Act {
    /// The window; none for a picker.
    pub view: Option<String>,
    /// What the key does.
    pub action: String,
    /// The row's id.
    pub row: Option<String>,
}

/// Something that has happened in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct PromptMessage {
    /// The prompt.
    pub id: u64,
    /// It is new, to this host at least: what is known of it.
    pub about: Option<About>,
    /// Where it is asked for.
    pub here: Option<Here>,
    /// As the user sees it now.
    pub typed: Option<Typed>,
    /// The buffers that can be named.
    pub buffers: Option<Vec<OpenBuffer>>,
    /// What a key is to do.
    pub key: Option<String>,
}

/// What a key in a review means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HunkKey {
    /// The job.
    pub id: u64,
    /// The buffer.
    pub buffer: u64,
    /// What it does.
    pub verb: HunkVerb,
    /// With the hunk under the cursor, and as many from there.
    #[serde(default = "one")]
    pub count: usize,
    /// With those in these rows instead.
    pub range: Option<RowsOf>,
    /// The row of the cursor, from 0.
    pub row: usize,
    /// The changedtick of the text.
    pub tick: u64,
}

/// Rows of a buffer, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct RowsOf {
    /// The first one.
    pub first: usize,
    /// The one behind the last.
    pub past: usize,
}

/// What a key in a review does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HunkVerb {
    /// It goes to hunks further on.
    Next,
    /// It goes to hunks further back.
    Previous,
    /// It takes them.
    Take,
    /// It takes them, and the user's rows stay where both have changed the same.
    Both,
    /// It drops them, or brings back the dropped one under the cursor.
    Drop,
}

fn one() -> usize {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(what: &str, arg: &serde_json::Value) -> Ask {
        let here = json!({ "columns": 80, "lines": 24, "cmdheight": 1 });
        read(&json!({ "token": 3, "here": here, "what": what, "arg": arg })).unwrap()
    }

    #[test]
    fn an_error_names_its_field() {
        let error = |what: &str, arg| match ask(what, &arg).command() {
            Command::Ask { asked: Err(error), .. } => error.message,
            command => panic!("{command:?}"),
        };
        assert!(error("weather", json!({})).contains("`weather`"));
        assert!(error("act", json!({ "action": 1 })).starts_with("act.action: "));
    }
}
