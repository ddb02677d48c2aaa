//! The orders of the mirrors: to Neovim, to its plugin, or to the host.

use super::held::ReviewView;
use super::intent::Findings;
use super::intent::{Intent, SettledIntent};
use super::write::WriteCall;
use crate::document::{Passage, Place};
use crate::land::{Bytes, HeldFor};

/// What the mirrors want done.
#[derive(Debug)]
pub enum Order {
    /// Have the plugin say how a buffer is ([`Notice`](super::BufferEvent::Notice)), in one call; its end comes as
    /// [`Contacted`](super::BufferEvent::Contacted).
    Contact {
        /// The buffer's number.
        buffer: u64,
        /// What is wanted besides.
        scope: ContactScope,
    },
    /// Have Neovim send nothing more of a buffer.
    Detach(u64),
    /// Have the plugin write; its reply comes as [`Written`](super::BufferEvent::Written).
    Write {
        /// The buffer's number.
        buffer: u64,
        /// What.
        call: WriteCall,
    },
    /// Tell [`AskedAgain`](super::BufferEvent::AskedAgain) after a while: the plugin tells a moment as soon as it comes, but
    /// what it tells may be lost. Of each buffer one of these is under way at most.
    AskAgain(u64),
    /// Have the plugin put its marks to these places; its reply comes as [`Placed`](super::BufferEvent::Placed).
    Places {
        /// The buffer's number.
        buffer: u64,
        /// The changedtick of the text in which they are.
        tick: u64,
        /// By job; none where its range is lost.
        places: Vec<(u64, Option<Place>)>,
    },
    /// Have the plugin draw what is proposed of a held answer; its reply comes as [`Drawn`](super::BufferEvent::Drawn).
    Review {
        /// The buffer's number.
        buffer: u64,
        /// What.
        view: ReviewView,
    },
    /// An intent for the range of a job is settled.
    Settled(SettledIntent),
    /// The intents for the ranges of these jobs wait: the user is in the middle of something.
    NotNow(Vec<u64>),
    /// The range of a job that has ended is not followed any more.
    Unfollowed(u64),
    /// The user has undone the landing of a job's answer, or redone it.
    Undone {
        /// The job's id.
        job: u64,
        /// Whether it is undone now.
        is_undone: bool,
    },
    /// The range of a job stands like this in its file.
    RangeOnDisk(RangeOnDisk),
    /// The file of a job has this name now.
    Renamed {
        /// The job's id.
        job: u64,
        /// The name.
        path: Vec<u8>,
    },
    /// Answer a query.
    Reply {
        /// The query's.
        token: u64,
        /// With this.
        findings: Findings,
    },
    /// The editor is gone, and all that it sent before has been taken.
    Disconnected,
}

impl Order {
    /// Tells that an intent is impossible, where there is no review that would have to be drawn before.
    pub fn denied(job: u64, intent: &Intent, why: HeldFor) -> Self {
        match intent.token() {
            Some(token) => Self::Reply { token, findings: Err(why.into()) },
            None => Self::Settled(SettledIntent::new(job, intent.denied(why))),
        }
    }
}

/// Where the range of a job is in a file, and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeOnDisk {
    /// The job's id.
    pub job: u64,
    /// The file.
    pub path: Vec<u8>,
    /// The range; none where it was deleted.
    pub passage: Option<Passage>,
    /// Of a held answer: what was sent with what is taken of it in it, where something is.
    pub base: Option<Vec<Bytes>>,
}

/// What is wanted of a contact with the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactScope {
    /// The changedtick, and where the display marks are.
    Marks,
    /// The whole text, and the events of the buffer from then on: Neovim sends them before the plugin says where the
    /// marks are.
    Text,
}
