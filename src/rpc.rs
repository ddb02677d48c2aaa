//! Decodes the editor's notifications, each into one closed [`Command`], and passes them on. It decides and answers
//! nothing: slow work here would delay every later message.

mod ask;
mod input;
mod view;
mod whole;

use std::io;

use nvim_rs::Neovim;
use nvim_rs::error::LoopError;
use nvim_rs::rpc::handler::Dummy;
use rmpv::Value;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use crate::editor::{CallCount, Pipe, RpcWriter};
use crate::error::JobError;
use crate::journal::{Draft, Landed, Unsent};
use crate::mirror::{self, Feed};
use crate::request::{self, Fields, Observe, PrewarmRequest, Request};
use crate::store::{self, Query};
use crate::ui::Ui;
use crate::view::Viewer;
pub use ask::{AgentOption, Asked, HealthRequest, TranscriptOf};
use input::RpcInput;
pub use view::List;

/// How a connection ended.
pub type ConnectionEnd = Result<(), Box<LoopError>>;

/// Everything that the editor can ask for.
#[derive(Debug)]
pub enum Command {
    /// Start a job.
    Run(Box<Request>),
    /// A `run` whose fields are wrong: the job with this id fails.
    Reject {
        /// The job's id, as far as it could be read.
        id: u64,
        /// Which field is wrong.
        error: JobError,
    },
    /// What became of an answer, where the plugin decided it, or an earlier host had it written.
    Landed {
        /// The job's id.
        id: u64,
        /// What became of it.
        landed: Landed,
    },
    /// What the user made of a held answer in the review.
    Draft {
        /// The job's id.
        id: u64,
        /// Nothing if it is unchanged.
        draft: Option<Draft>,
    },
    /// What is in a prompt that was not sent.
    Unsent {
        /// The prompt's id.
        id: u64,
        /// Nothing where it is empty.
        unsent: Option<Unsent>,
    },
    /// Ask the store.
    Query {
        /// Comes back with the reply.
        token: u64,
        /// What is asked, or why that cannot be read.
        query: Result<Query, JobError>,
    },
    /// Make the rows of a list.
    View {
        /// Comes back with the reply.
        token: u64,
        /// What is shown and for whom, or why that cannot be read.
        view: Result<(List, Viewer), JobError>,
    },
    /// An adopted answer is this job of the asking Neovim.
    Adopted {
        /// Its key in the store.
        uuid: String,
        /// The job's id.
        id: u64,
    },
    /// The user leaves Neovim, which ends the agents of these jobs.
    Interrupted(Vec<u64>),
    /// Start an agent that waits for its message.
    Prewarm(Box<PrewarmRequest>),
    /// The agent that waits under this token is not wanted any more.
    Drop(u64),
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
    },
    /// A window of the host is gone.
    Closed(String),
    /// The screen has another size.
    Geometry(Ui),
    /// A notification that this host does not know, or cannot read.
    Unknown(String),
}

impl Command {
    /// Reads one notification; `params` is its list of arguments, of which the first counts.
    pub fn decode(method: &str, params: &[Value]) -> Self {
        let argument = params.first().unwrap_or(&Value::Nil);
        match method {
            "run" => match (request::decode(argument), request::id_of(argument)) {
                (Ok(request), _) => Self::Run(Box::new(request)),
                (Err(error), Some(id)) => Self::Reject { id, error },
                (Err(error), None) => Self::Unknown(format!("run without an id: {error}")),
            },
            "landed" => read(method, Self::landed(argument)),
            "draft" => read(method, Self::draft(argument)),
            "unsent" => read(method, Self::unsent(argument)),
            "query" => read(method, Self::query(argument)),
            "adopted" => read(method, Self::adopted(argument)),
            "prewarm" => {
                read(method, PrewarmRequest::decode(argument).map(|wanted| Self::Prewarm(Box::new(wanted))))
            }
            "drop" => {
                read(method, Fields::root(argument).and_then(|fields| fields.count("token")).map(Self::Drop))
            }
            "interrupted" => read(
                method,
                Fields::root(argument).and_then(|fields| fields.counts("ids")).map(Self::Interrupted),
            ),
            "observe" => read(method, Self::observe(argument)),
            "unobserve" => read(
                method,
                Fields::root(argument).and_then(|fields| Ok(Self::Unobserve { id: fields.count("id")? })),
            ),
            "ask" => read(method, ask::decode(argument)),
            "act" => read(
                method,
                Fields::root(argument)
                    .and_then(|act| Ok(Self::Act { view: act.text("view")?, action: act.text("action")? })),
            ),
            "closed" => {
                read(method, Fields::root(argument).and_then(|fields| fields.text("view")).map(Self::Closed))
            }
            "geometry" => {
                read(method, Fields::root(argument).and_then(|fields| ask::ui(&fields)).map(Self::Geometry))
            }
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// A message for a mirror of which a field is wrong: a query has its reply.
    pub fn wrong(method: &str, params: &[Value], error: JobError) -> Self {
        let token = params.first().and_then(|query| Fields::root(query).ok()?.count("token").ok());
        match token.filter(|_| method == "query") {
            Some(token) => Self::Query { token, query: Err(error) },
            None => Self::Unknown(format!("{method}: {error}")),
        }
    }

    fn landed(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let line = |field| fields.get(field).map(|_| fields.count(field)).transpose();
        let landed = Landed {
            landing: fields.text("landing")?,
            held_for: fields.get("held_for").and_then(Value::as_str).map(str::to_owned),
            place: line("first_line")?.zip(line("last_line")?),
            ..Landed::default()
        };
        Ok(Self::Landed { id: fields.count("id")?, landed })
    }

    fn draft(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let draft = fields.get("draft").map(|_| {
            let draft = fields.fields("draft")?;
            let texts = |field| draft.get(field).map(|_| draft.escaped_texts(field)).transpose();
            Ok(Draft {
                lines: texts("lines")?,
                typed: texts("typed")?,
                dropped: draft.get("dropped").map(|_| mirror::dropped(&draft)).transpose()?.map(|dropped| {
                    dropped.iter().map(|drop| drop.iter().map(ToString::to_string).collect()).collect()
                }),
            })
        });
        Ok(Self::Draft { id: fields.count("id")?, draft: draft.transpose()? })
    }

    fn unsent(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let unsent = fields.get("text").map(|_| {
            let at_ms = i64::try_from(fields.count("at_ms")?).unwrap_or(i64::MAX);
            Ok(Unsent { text: fields.lossy("text")?, at_ms })
        });
        Ok(Self::Unsent { id: fields.count("id")?, unsent: unsent.transpose()? })
    }

    fn query(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let token = fields.count("token")?;
        Ok(match fields.get("viewer") {
            Some(_) => Self::View { token, view: view::decode(&fields) },
            None => Self::Query { token, query: store::query(&fields) },
        })
    }

    fn observe(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        Ok(Self::Observe { id: fields.count("id")?, wanted: Observe { thinking: fields.flag("thinking")? } })
    }

    fn adopted(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        Ok(Self::Adopted { uuid: fields.text("uuid")?, id: fields.count("id")? })
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
