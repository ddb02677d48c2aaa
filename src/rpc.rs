//! Decodes the editor's notifications, each into one closed [`Command`], and passes them on. It decides and answers
//! nothing: slow work here would delay every later message.

mod ask;
mod input;
mod prompt;
mod review;
mod whole;

use std::io;

use nvim_rs::Neovim;
use nvim_rs::error::LoopError;
use nvim_rs::rpc::handler::Dummy;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use crate::editor::{Pipe, RpcWriter};
use crate::error::JobError;
use crate::fields::{bad, read, some_cells, some_rows};
use crate::land::Bytes;
use crate::mirror::Feed;
use crate::options::Options;
use crate::request::Observe;
use crate::session::{Batch, Decision, Known};
use crate::ui::{Spot, Ui};
use ask::Ask;
pub use ask::{Act, Asked, AskedFrom, DiffOf, EachOf, ShowOf};
use input::RpcInput;
pub use prompt::PromptMessage;
pub use review::{HunkKey, HunkVerb, PanesOf, RowsOf};

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
    /// Decide on an answer.
    #[serde(skip)]
    Decide {
        /// Comes back with the reply.
        token: u64,
        /// The job's id.
        id: u64,
        /// Its buffer; none where that is gone.
        buffer: Option<u64>,
        /// What the user wants.
        decision: Decision,
    },
    /// Take a hunk of a held answer, as a script was told it.
    #[serde(skip)]
    TakeHunk {
        /// Comes back with the reply.
        token: u64,
        /// The job's id.
        id: u64,
        /// Its buffer.
        buffer: u64,
        /// Which one of those that it was told, from 1.
        hunk: usize,
        /// The changedtick of the text for which it was told.
        tick: u64,
        /// That of the text as it is.
        now: u64,
    },
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
        #[serde(default, deserialize_with = "some_rows")]
        lines: Option<Vec<Bytes>>,
        /// They are the answer from now on.
        #[serde(default)]
        is_saved: bool,
    },
    /// Take over the held answers of Neovims that are gone.
    #[serde(skip)]
    Adopt {
        /// Comes back with the reply.
        token: u64,
    },
    /// Reply once no answer is on its way to a buffer, unless it waits for a moment.
    #[serde(skip)]
    Settled {
        /// Comes back with the reply.
        token: u64,
    },
    /// A query that cannot be read.
    #[serde(skip)]
    Refused {
        /// Comes back with the reply.
        token: u64,
        /// Why.
        why: String,
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
        /// What of it.
        #[serde(flatten)]
        wanted: Observe,
    },
    /// Tell that no longer.
    Unobserve {
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
    /// A key in a review.
    #[serde(skip)]
    Hunk {
        /// Comes back with the reply.
        token: u64,
        /// What it means.
        key: HunkKey,
    },
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
            "ask" => read::<Ask>(&argument).map(|ask| Self::Ask {
                token: ask.token,
                ui: ask.here,
                asked: ask.asked(),
            }),
            "query" => Self::query(&argument).or_else(|error| Self::refused(&argument, error)),
            _ => read(&json!({ method: argument })),
        };
        command.unwrap_or_else(|error| Self::Unknown(error.message))
    }

    /// Whether it needs to be known which answers are held.
    pub fn is_of_held_answer(&self) -> bool {
        let is_of_jobs = |asked: &Asked| {
            matches!(
                asked,
                Asked::Command { .. }
                    | Asked::Complete { .. }
                    | Asked::Jump { .. }
                    | Asked::Followup { .. }
                    | Asked::Show(_)
                    | Asked::Hunks { .. }
                    | Asked::Hunk(_)
            )
        };
        match self {
            Self::Decide { .. }
            | Self::TakeHunk { .. }
            | Self::Edit { .. }
            | Self::Panes(_)
            | Self::Hunk { .. } => true,
            Self::Ask { asked, .. } => asked.as_ref().is_ok_and(is_of_jobs),
            _ => false,
        }
    }

    /// A query of which a field is wrong has its reply.
    ///
    /// # Errors
    /// Where it has no token, by which a reply could say what is wrong.
    pub fn refused(query: &Json, error: JobError) -> Result<Self, JobError> {
        match query["token"].as_u64() {
            Some(token) => Ok(Self::Refused { token, why: error.message }),
            None => Err(error),
        }
    }

    fn query(query: &Json) -> Result<Self, JobError> {
        let Query { token, name } = read(query)?;
        Ok(match name {
            QueryName::Accept | QueryName::Reject | QueryName::Revert => {
                let DecisionOf { id, buffer, shows, hunk, range, tick, now } = read(query)?;
                let decision = match (name, hunk, range) {
                    (QueryName::Revert, ..) => Decision::Revert,
                    (QueryName::Reject, ..) => Decision::Reject,
                    (_, Some(hunk), _) => {
                        let buffer = buffer.ok_or_else(|| bad("buffer", "is missing"))?;
                        return Ok(Self::TakeHunk { token, id, buffer, hunk, tick, now });
                    }
                    (_, None, Some(LinesOf { first, last })) => {
                        let first =
                            first.checked_sub(1).ok_or_else(|| bad("range.first", "must be at least 1"))?;
                        Decision::Put { rows: first..last.max(first), tick }
                    }
                    (_, None, None) => Decision::Accept { shows },
                };
                Self::Decide { token, id, buffer, decision }
            }
            QueryName::Held => Self::Adopt { token },
            QueryName::Settled => Self::Settled { token },
            QueryName::Hunk => Self::Hunk { token, key: read(query)? },
        })
    }
}

/// A question.
#[derive(Deserialize)]
struct Query {
    token: u64,
    name: QueryName,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum QueryName {
    Accept,
    Reject,
    Revert,
    Held,
    Settled,
    Hunk,
}

/// A decision on an answer, on a hunk of it as a script was told it, or to put it in some lines.
#[derive(Deserialize)]
struct DecisionOf {
    id: u64,
    buffer: Option<u64>,
    #[serde(default)]
    shows: bool,
    hunk: Option<usize>,
    range: Option<LinesOf>,
    #[serde(default)]
    tick: u64,
    #[serde(default)]
    now: u64,
}

/// Lines, from 1.
#[derive(Deserialize)]
struct LinesOf {
    first: usize,
    last: usize,
}

/// What is seen of the range of a job.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Seen {
    /// The job.
    pub id: u64,
    /// The columns of the narrowest window that shows it; none: no window does.
    #[serde(default, deserialize_with = "some_cells")]
    pub columns: Option<usize>,
    /// The cells beside its last row, where the rows below it are not seen.
    #[serde(default, deserialize_with = "some_cells")]
    pub room: Option<usize>,
    /// What is the same for all that hang on one row.
    pub at: Option<String>,
    /// Where it is in the window with the cursor, which is in it.
    pub spot: Option<Spot>,
}

/// What the plugin knows of a held answer of an earlier host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct HeldJob {
    /// The job.
    pub id: u64,
    /// Its key, where it was taken over.
    pub uuid: Option<String>,
    /// Some of it was taken.
    #[serde(default)]
    pub is_taken: bool,
}

/// A job of an earlier host that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct EndedJob {
    /// The job.
    pub id: u64,
    /// What the plugin knows of it.
    #[serde(flatten)]
    pub known: Known,
}

/// What was written of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct WrittenJob {
    /// The job.
    pub id: u64,
    /// What became of its answer.
    pub landing: String,
}

/// What the plugin knows of the jobs of an earlier host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// Those whose answer is held.
    pub held: Vec<HeldJob>,
    /// The others that have ended.
    pub ended: Vec<EndedJob>,
    /// Those that failed because that host was gone before it told their outcome.
    pub lost: Vec<u64>,
    /// What was written, and no host has said to be stored.
    pub written: Vec<WrittenJob>,
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
    let (input, output) = (Pipe::new(io::stdin())?, Pipe::new(io::stdout())?);
    let input = RpcInput::new(input, Box::new(command), feed);
    let (neovim, connection) = Neovim::new(input.compat(), output.compat_write(), Dummy::new());
    Ok((neovim, connection))
}
