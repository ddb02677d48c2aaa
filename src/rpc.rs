//! Decodes the editor's notifications, each into one closed [`Command`], and passes them on. It decides and answers
//! nothing: slow work here would delay every later message.

mod ask;
mod input;
mod whole;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nvim_rs::Neovim;
use nvim_rs::error::LoopError;
use nvim_rs::rpc::handler::Dummy;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use crate::editor::RpcWriter;
use crate::error::JobError;
use crate::fields::{bad, cells, read, rows};
use crate::land::Bytes;
use crate::mirror::Feed;
use crate::options::Options;
use crate::request::Wanted;
use crate::session::Batch;
use crate::ui::Ui;
use crate::ui::review::Pane;
use ask::Ask;
pub use ask::{
    AcceptOf, Act, Asked, AskedFrom, EachOf, HunkKey, HunkVerb, OfJob, PromptMessage, RowsOf, ShowOf,
};
use input::RpcInput;

/// How a connection ended.
pub type ConnectionEnd = Result<(), Box<LoopError>>;

/// Everything that the editor can ask for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// Start a job, which these fields and the options in force describe.
    #[serde(skip)]
    Run {
        /// Its number.
        id: u64,
        /// The fields.
        run: Json,
    },
    /// The options in force, or what is wrong with them.
    #[serde(skip)]
    Options(Result<Options, JobError>),
    /// What the plugin knows of an earlier host's jobs: the first message where there was one.
    Hello(Hello),
    /// What is proposed of a held answer is shown beside the text with this changedtick.
    Shown {
        /// The job's id.
        id: u64,
        /// The changedtick.
        tick: u64,
    },
    /// What the user made of a held answer in its own buffer.
    Edit {
        /// The job's id.
        id: u64,
        /// Its lines; none where what was typed is gone.
        #[serde(default, deserialize_with = "rows")]
        lines: Option<Vec<Bytes>>,
        /// They are the answer from now on.
        #[serde(default)]
        is_saved: bool,
    },
    /// The user leaves Neovim, which ends the agents of these jobs.
    Interrupted {
        /// The jobs.
        #[serde(default)]
        ids: Vec<u64>,
    },
    /// Tell what the job says, as it comes.
    Observe {
        /// The job's id.
        id: u64,
    },
    /// A key or a command of the user that waits for the host.
    #[serde(skip)]
    Ask {
        /// Comes back with the reply.
        token: u64,
        /// The screen.
        ui: Ui,
        /// What is asked for, or why that cannot be read.
        asked: Result<Asked, JobError>,
    },
    /// A key in a window of the host.
    Act {
        /// The window.
        view: String,
        /// What the key does.
        action: String,
        /// The words that the user has given.
        text: Option<String>,
    },
    /// The cursor of a window of the host is in another row.
    Cursor {
        /// The window.
        view: String,
        /// The row's id.
        row: String,
    },
    /// A window of the host is gone.
    Closed {
        /// The window.
        view: String,
    },
    /// Keep a quickfix list of jobs up to date.
    Batch(Batch),
    /// Something has happened in the prompt that is being typed.
    Prompt(Box<PromptMessage>),
    /// The screen has another size.
    Geometry(Ui),
    /// What is seen of the ranges of jobs has changed.
    Seen {
        /// Of each job.
        #[serde(default)]
        jobs: Vec<Seen>,
    },
    /// The windows in which the hunks of a held answer are drawn.
    Panes(PanesOf),
    /// A notification that this host does not know, or cannot read.
    #[serde(skip)]
    Unknown(String),
}

impl Command {
    /// Reads one notification.
    pub fn decode(method: &str, argument: Json) -> Self {
        let command = match method {
            "run" => match argument["id"].as_u64() {
                Some(id) => return Self::Run { id, run: argument },
                None => Err(bad("run.id", "is missing")),
            },
            "options" => Ok(Self::Options(Options::decode(&argument))),
            "ask" => read::<Ask>(&argument).map(Ask::command),
            _ => read(&json!({ method: argument })),
        };
        command.unwrap_or_else(|error| Self::Unknown(error.message))
    }

    /// Whether it needs to be known which answers are held.
    pub const fn is_of_held_answer(&self) -> bool {
        match self {
            Self::Edit { .. } | Self::Panes(_) => true,
            Self::Ask { asked: Ok(asked), .. } => asked.is_of_held_answer(),
            _ => false,
        }
    }
}

/// What is seen of the range of a job.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Seen {
    /// The job.
    pub id: u64,
    /// The columns of the narrowest window that shows it; none: no window does.
    #[serde(default, deserialize_with = "cells")]
    pub columns: Option<usize>,
    /// The cells beside its last row, where the rows below it are not seen.
    #[serde(default, deserialize_with = "cells")]
    pub room: Option<usize>,
    /// What is the same for all that hang on one row.
    pub at: Option<String>,
    /// The cursor is in it.
    #[serde(default)]
    pub is_here: bool,
}

/// The windows in which the hunks of a held answer are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PanesOf {
    /// The job.
    pub id: u64,
    /// Its buffer.
    #[serde(default)]
    pub buffer: u64,
    /// The keys that are ours.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The rows that the current window shows, where it is one of them: the first, from 0, and the one behind the last.
    pub sight: Option<(usize, usize)>,
    /// The windows; none: the review has ended.
    pub panes: Option<Vec<Pane>>,
}

/// A job of an earlier host, as far as the plugin knows it: that host may have heard nothing of its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct EarlierJob {
    /// The job.
    pub id: u64,
    /// The key of a held answer that was taken over.
    pub uuid: Option<String>,
    /// What became of an answer that was written.
    #[serde(default)]
    pub landing: String,
    /// What one was asked that has ended.
    #[serde(flatten)]
    pub wanted: Wanted,
}

/// What the plugin knows of the jobs of an earlier host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// Those whose answer is held.
    pub held: Vec<EarlierJob>,
    /// The others that have ended.
    pub ended: Vec<EarlierJob>,
    /// Those that failed because that host was gone before it told their outcome.
    pub lost: Vec<u64>,
    /// What was written, and no host has said to be stored.
    pub written: Vec<EarlierJob>,
}

/// Talks to the Neovim at the other end of standard input and output: what it says goes to `messages`, and what happens
/// to its buffers to `feed`. The future ends
/// with the connection, and by then all of it is there.
///
/// # Errors
/// Where standard input or output is closed, or is a file.
pub fn connect(
    command: impl Fn(Command) + Send + 'static,
    feed: Feed,
) -> io::Result<(Neovim<RpcWriter>, impl Future<Output = ConnectionEnd> + Send)> {
    let input = Receiver::from_owned_fd_unchecked(without_waiting(io::stdin())?)?;
    let output = Sender::from_owned_fd_unchecked(without_waiting(io::stdout())?)?;
    let input = RpcInput::new(input, Box::new(command), feed);
    let (neovim, connection) = Neovim::new(input.compat(), output.compat_write(), Dummy::new());
    Ok((neovim, connection))
}

/// A pipe or a socket of this process, from now on without waiting: with a thread between, each call to the editor would
/// wait for one to wake.
fn without_waiting(end: impl AsFd) -> io::Result<OwnedFd> {
    // What a socket is told so a pipe understands too.
    let end = UnixStream::from(end.as_fd().try_clone_to_owned()?);
    end.set_nonblocking(true)?;
    Ok(end.into())
}
