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
use rmpv::Value;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use crate::editor::{CallCount, Pipe, RpcWriter};
use crate::error::JobError;
use crate::fields::{Fields, bad};
use crate::land::Bytes;
use crate::mirror::{self, Feed};
use crate::options::Options;
use crate::request::{self, Observe};
use crate::session::{Batch, Decision, Known, Recording};
use crate::ui::{Spot, Ui};
pub use ask::{Act, Asked, AskedFrom, DiffOf, EachOf, ShowOf, TranscriptOf};
use input::RpcInput;
pub use prompt::PromptMessage;
pub use review::{HunkKey, HunkVerb, PanesOf};

/// How a connection ended.
pub type ConnectionEnd = Result<(), Box<LoopError>>;

/// Everything that the editor can ask for.
#[derive(Debug)]
pub enum Command {
    /// Start a job, which these fields and the options in force describe.
    Run {
        /// Its number.
        id: u64,
        /// The fields.
        run: Value,
    },
    /// The options in force, or what is wrong with them.
    Options(Result<Options, JobError>),
    /// What the plugin knows of an earlier host's jobs: the first message where there was one.
    Hello(Hello),
    /// Decide on an answer.
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
        lines: Option<Vec<Bytes>>,
        /// They are the answer from now on.
        is_saved: bool,
    },
    /// Take over the held answers of Neovims that are gone.
    Adopt {
        /// Comes back with the reply.
        token: u64,
    },
    /// Reply once no answer is on its way to a buffer, unless it waits for a moment.
    Settled {
        /// Comes back with the reply.
        token: u64,
    },
    /// A query that cannot be read.
    Refused {
        /// Comes back with the reply.
        token: u64,
        /// Why.
        why: String,
    },
    /// The user leaves Neovim, which ends the agents of these jobs.
    Interrupted(Vec<u64>),
    /// Tell what the job says, as it comes.
    Observe {
        /// The job's id.
        id: u64,
        /// What of it.
        wanted: Observe,
    },
    /// Tell that no longer.
    Unobserve {
        /// The job's id.
        id: u64,
    },
    /// A key or a command of the user that waits for the host.
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
    Closed(String),
    /// Keep a quickfix list of jobs up to date.
    Batch(Batch),
    /// Something has happened in the prompt that is being typed.
    Prompt(Box<PromptMessage>),
    /// The screen has another size.
    Geometry(Ui),
    /// What is seen of the ranges of jobs has changed.
    Seen(Vec<Seen>),
    /// The windows in which the hunks of a held answer are drawn; none: its review has ended.
    Panes {
        /// The job.
        id: u64,
        /// The windows.
        panes: Option<PanesOf>,
    },
    /// A key in a review.
    Hunk {
        /// Comes back with the reply.
        token: u64,
        /// What it means.
        key: HunkKey,
    },
    /// A notification that this host does not know, or cannot read.
    Unknown(String),
}

impl Command {
    /// Reads one notification; `params` is its list of arguments, of which the first counts.
    pub fn decode(method: &str, params: &[Value]) -> Self {
        let argument = params.first().unwrap_or(&Value::Nil);
        match method {
            "run" => match request::id_of(argument) {
                Some(id) => Self::Run { id, run: argument.clone() },
                None => Self::Unknown("run without an id".to_owned()),
            },
            "hello" => read(method, Hello::decode(argument).map(Self::Hello)),
            "edit" => read(method, Self::edit(argument)),
            "query" => read(method, Self::query(argument)),
            "interrupted" => read(
                method,
                Fields::root(argument).and_then(|fields| fields.counts("ids")).map(Self::Interrupted),
            ),
            "observe" => read(method, Self::observe(argument)),
            "unobserve" => read(
                method,
                Fields::root(argument).and_then(|fields| Ok(Self::Unobserve { id: fields.count("id")? })),
            ),
            "options" => Self::Options(Options::decode(argument)),
            "ask" => read(method, ask::decode(argument)),
            "act" => read(method, Self::act(argument)),
            "cursor" => read(
                method,
                Fields::root(argument)
                    .and_then(|at| Ok(Self::Cursor { view: at.text("view")?, row: at.text("row")? })),
            ),
            "closed" => {
                read(method, Fields::root(argument).and_then(|fields| fields.text("view")).map(Self::Closed))
            }
            "seen" => read(method, Self::seen(argument)),
            "panes" => read(
                method,
                Fields::root(argument).and_then(|fields| {
                    let panes = fields.get("panes").map(|_| review::panes(&fields));
                    Ok(Self::Panes { id: fields.count("id")?, panes: panes.transpose()? })
                }),
            ),
            "shown" => read(
                method,
                Fields::root(argument)
                    .and_then(|shown| Ok(Self::Shown { id: shown.count("id")?, tick: shown.count("tick")? })),
            ),
            "batch" => read(
                method,
                Fields::root(argument).and_then(|batch| {
                    let (list, prompt) = (batch.count("list")?, batch.lossy("prompt")?);
                    Ok(Self::Batch(Batch { list, prompt, ids: batch.counts("ids")? }))
                }),
            ),
            "prompt" => read(
                method,
                Fields::root(argument)
                    .and_then(|fields| prompt::read(&fields))
                    .map(|message| Self::Prompt(Box::new(message))),
            ),
            "geometry" => {
                read(method, Fields::root(argument).and_then(|fields| ask::ui(&fields)).map(Self::Geometry))
            }
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// Whether it needs to be known which answers are held.
    pub fn is_of_held_answer(&self) -> bool {
        let is_of_jobs = |asked: &Asked| {
            matches!(
                asked,
                Asked::Command(..)
                    | Asked::Complete(..)
                    | Asked::Jump(..)
                    | Asked::Followup(..)
                    | Asked::Show(_)
                    | Asked::Hunks { .. }
            )
        };
        match self {
            Self::Decide { .. }
            | Self::TakeHunk { .. }
            | Self::Edit { .. }
            | Self::Panes { .. }
            | Self::Hunk { .. } => true,
            Self::Ask { asked, .. } => asked.as_ref().is_ok_and(is_of_jobs),
            _ => false,
        }
    }

    /// A message for a mirror of which a field is wrong: a query has its reply.
    pub fn wrong(method: &str, params: &[Value], error: JobError) -> Self {
        let token = params.first().and_then(|query| Fields::root(query).ok()?.count("token").ok());
        match token.filter(|_| method == "query") {
            Some(token) => Self::Refused { token, why: error.message },
            None => Self::Unknown(format!("{method}: {error}")),
        }
    }

    fn act(argument: &Value) -> Result<Self, JobError> {
        let act = Fields::root(argument)?;
        let text = act.some("text", Fields::lossy)?;
        Ok(Self::Act { view: act.text("view")?, action: act.text("action")?, text })
    }

    fn edit(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let lines = fields.some("lines", mirror::texts)?;
        Ok(Self::Edit { id: fields.count("id")?, lines, is_saved: fields.flag("is_saved")? })
    }

    fn decide(token: u64, fields: &Fields<'_>) -> Result<Self, JobError> {
        let count = |field| fields.some(field, Fields::count);
        let row = |row: u64| usize::try_from(row).unwrap_or(usize::MAX);
        let decision = match fields.text("name")?.as_str() {
            "revert" => Decision::Revert,
            "reject" => Decision::Reject,
            _ if fields.get("hunk").is_some() => {
                return Ok(Self::TakeHunk {
                    token,
                    id: fields.count("id")?,
                    buffer: fields.count("buffer")?,
                    hunk: row(fields.count("hunk")?),
                    tick: fields.count("tick")?,
                    now: fields.count("now")?,
                });
            }
            _ if fields.get("range").is_some() => {
                let range = fields.fields("range")?;
                let (first, last) = (row(range.count("first")?), row(range.count("last")?));
                let first = first.checked_sub(1).ok_or_else(|| bad("range.first", "must be at least 1"))?;
                Decision::Put { rows: first..last.max(first), tick: fields.count("tick")? }
            }
            _ => Decision::Accept { shows: fields.flag("shows")? },
        };
        Ok(Self::Decide { token, id: fields.count("id")?, buffer: count("buffer")?, decision })
    }

    fn query(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let token = fields.count("token")?;
        match fields.text("name")?.as_str() {
            "accept" | "reject" | "revert" => Self::decide(token, &fields),
            "held" => Ok(Self::Adopt { token }),
            "settled" => Ok(Self::Settled { token }),
            "hunk" => Ok(Self::Hunk { token, key: review::key(&fields)? }),
            _ => Ok(Self::Refused { token, why: bad("name", "is no question that this host knows").message }),
        }
    }

    fn seen(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let spot = |spot: &Fields<'_>| {
            let cells = |field| ask::size(spot, field);
            Ok(Spot {
                win: spot.count("win")?,
                width: cells("width")?,
                free: cells("free")?,
                text: (cells("top")?, cells("bottom")?),
                range: (cells("from")?, cells("to")?),
            })
        };
        let seen = |job: &Fields<'_>| {
            let cells = |field| job.some(field, ask::size);
            Ok(Seen {
                id: job.count("id")?,
                columns: cells("columns")?,
                room: cells("room")?,
                at: job.get("at").map(|_| job.text("at")).transpose()?,
                spot: job.get("spot").map(|_| spot(&job.fields("spot")?)).transpose()?,
            })
        };
        Ok(Self::Seen(fields.maps("jobs")?.iter().map(seen).collect::<Result<_, JobError>>()?))
    }

    fn observe(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        Ok(Self::Observe { id: fields.count("id")?, wanted: Observe { thinking: fields.flag("thinking")? } })
    }
}

/// What is seen of the range of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The job.
    pub id: u64,
    /// The columns of the narrowest window that shows it; none: no window does.
    pub columns: Option<usize>,
    /// The cells beside its last row, where the rows below it are not seen.
    pub room: Option<usize>,
    /// What is the same for all that hang on one row.
    pub at: Option<String>,
    /// Where it is in the window with the cursor, which is in it.
    pub spot: Option<Spot>,
}

/// What the plugin knows of a held answer of an earlier host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeldJob {
    /// The job.
    pub id: u64,
    /// Its key, where it was taken over.
    pub uuid: Option<String>,
    /// Some of it was taken.
    pub is_taken: bool,
}

/// What the plugin knows of the jobs of an earlier host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hello {
    /// Those whose answer is held.
    pub held: Vec<HeldJob>,
    /// The others that have ended.
    pub ended: Vec<(u64, Known)>,
    /// Those that failed because that host was gone before it told their outcome.
    pub lost: Vec<u64>,
    /// What was written, and no host has said to be stored: the job, and what became of its answer.
    pub written: Vec<(u64, String)>,
}

impl Hello {
    fn decode(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let written = |step: &Fields<'_>| Ok((step.count("id")?, step.text("landing")?));
        let held = |job: &Fields<'_>| {
            let uuid = job.some("uuid", Fields::text)?;
            Ok(HeldJob { id: job.count("id")?, uuid, is_taken: job.flag("is_taken")? })
        };
        let ended = |job: &Fields<'_>| {
            let text = |field| job.some(field, Fields::lossy);
            let known = Known {
                agent: job.lossy("agent")?,
                prompt: String::new(),
                cwd: job.lossy("cwd")?,
                session_id: text("session_id")?,
                is_open: false,
                landing: text("landing")?,
                said: text("said")?,
                recording: if job.flag("has_transcript")? { Recording::Kept } else { Recording::Wanted },
                is_resumed: job.flag("is_resumed")?,
                is_limited: false,
            };
            Ok((job.count("id")?, known))
        };
        Ok(Self {
            held: fields.maps("held")?.iter().map(held).collect::<Result<_, JobError>>()?,
            ended: fields.maps("ended")?.iter().map(ended).collect::<Result<_, JobError>>()?,
            lost: fields.counts("lost")?,
            written: fields.maps("written")?.iter().map(written).collect::<Result<_, JobError>>()?,
        })
    }
}

fn read(method: &str, command: Result<Command, JobError>) -> Command {
    command.unwrap_or_else(|error| Command::Unknown(format!("{method}: {error}")))
}

/// Talks to the Neovim at the other end of standard input and output: what it says goes to `messages`, and what happens
/// to its buffers to `feed`. The future ends
/// with the connection, and by then all of it is there. Who calls Neovim counts each call before it is made.
///
/// # Errors
/// Where standard input or output is closed, or is a file.
pub fn connect(
    command: impl Fn(Command) + Send + 'static,
    feed: Feed,
) -> io::Result<(Neovim<RpcWriter>, CallCount, impl Future<Output = ConnectionEnd> + Send)> {
    let (input, output) = (Pipe::new(io::stdin())?, Pipe::new(io::stdout())?);
    let calls = CallCount::default();
    let input = RpcInput::new(input, Box::new(command), feed, calls.clone());
    let (neovim, connection) = Neovim::new(input.compat(), output.compat_write(), Dummy::new());
    Ok((neovim, calls, connection))
}
