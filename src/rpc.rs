//! Takes in what the editor says. It decodes a notification into one closed [`Command`] and passes it on;
//! it decides and answers nothing, since a slow handler would hold up every message behind it.

use async_trait::async_trait;
use nvim_rs::compat::tokio::Compat;
use nvim_rs::{Handler, Neovim};
use rmpv::Value;
use tokio::sync::mpsc;

use crate::error::JobError;
use crate::host::Message;
use crate::request::{self, Fields, MergeRequest, Request};

/// Where nvim-rs writes to: this process's standard output.
pub type Writer = Compat<tokio::fs::File>;

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
    /// What became of an answer in the buffer.
    Landed {
        /// The job's id.
        id: u64,
        /// `applied`, `held`, and so on.
        landing: String,
        /// Why it is held.
        held_for: Option<String>,
    },
    /// Merge what the user and the agent made of the same text.
    Merge(Box<MergeRequest>),
    /// Take over the answers that wait for a decision and whose Neovim is gone.
    Held,
    /// An adopted answer is this job of the asking Neovim.
    Adopted {
        /// Its key in the store.
        uuid: String,
        /// The job's id.
        id: u64,
    },
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
            "merge" => read(method, MergeRequest::decode(argument).map(|merge| Self::Merge(Box::new(merge)))),
            "held" => Self::Held,
            "adopted" => read(method, Self::adopted(argument)),
            other => Self::Unknown(other.to_owned()),
        }
    }

    fn landed(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let held_for = fields.get("held_for").and_then(Value::as_str).map(str::to_owned);
        Ok(Self::Landed { id: fields.count("id")?, landing: fields.text("landing")?, held_for })
    }

    fn adopted(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        Ok(Self::Adopted { uuid: fields.text("uuid")?, id: fields.count("id")? })
    }
}

fn read(method: &str, command: Result<Command, JobError>) -> Command {
    command.unwrap_or_else(|error| Command::Unknown(format!("{method}: {error}")))
}

/// The nvim-rs handler: one sender into the host's loop.
#[derive(Debug, Clone)]
pub struct Rpc {
    messages: mpsc::UnboundedSender<Message>,
}

impl Rpc {
    /// A handler that feeds `messages`.
    pub fn new(messages: mpsc::UnboundedSender<Message>) -> Self {
        Self { messages }
    }
}

#[async_trait]
impl Handler for Rpc {
    type Writer = Writer;

    async fn handle_notify(&self, name: String, args: Vec<Value>, _neovim: Neovim<Writer>) {
        // The receiver is gone only while the host shuts down; nobody waits for this message then.
        let _ = self.messages.send(Message::Command(Command::decode(&name, &args)));
    }
}
