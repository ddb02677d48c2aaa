//! The meaning of an agent's line, in the few terms that all agents share.
//!
//! An agent's reader turns each line into events; the reducer folds them. Events borrow from their line. They say what
//! was printed, never what follows from it.

use std::borrow::Cow;

use serde::Serialize;

use super::{Amounts, UsageScopes};
use crate::error::Code;
use crate::limit_end::LimitEnd;

/// Text that lives as long as its line.
pub type Text<'a> = Cow<'a, str>;

/// One thing that a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// The session and the model; what a line does not name is `None`.
    Session {
        /// The agent's session.
        id: Option<Text<'a>>,
        /// The model.
        model: Option<Text<'a>>,
    },
    /// The models that the agent offers.
    Models(Vec<String>),
    /// What the agent does, in a few words, where no tool or text tells.
    Activity(String),
    /// The agent speaks its protocol, so what else it prints is no answer.
    Greeted,
    /// The main agent begins a message; until [`Event::MessageEnded`] more of it may come.
    MessageBegan,
    /// The main agent's message has ended.
    MessageEnded,
    /// The main agent's message stopped for a reason that makes it no answer: a tool call, a limit.
    MessageInterrupted,
    /// The message will never be whole, and is said again from its beginning.
    MessageAbandoned,
    /// What comes next may go on with the text before it or replace it; the agent does not tell.
    Seam,
    /// What the CLI says in the place of the main agent; never an answer, also where a result repeats it.
    StandIn(Text<'a>),
    /// Text of the main agent.
    Text {
        /// How it relates to the rest of its message.
        piece: Piece,
        /// The id of its message: blocks of the same one belong together. `None` stands alone.
        message: Option<Text<'a>>,
        /// The text.
        text: Text<'a>,
    },
    /// Thinking of the main agent; never part of an answer.
    Thinking {
        /// How it relates to the rest of its message.
        piece: Piece,
        /// The thinking.
        text: Text<'a>,
    },
    /// A tool is called.
    ToolCalled(ToolCalled<'a>),
    /// The argument of a call, reported after the call.
    ToolDetailed {
        /// The call's id.
        id: Text<'a>,
        /// The one argument worth showing.
        argument: Argument<'a>,
    },
    /// A tool has come back.
    ToolReturned {
        /// The call's id; `None` stands for the oldest open call.
        id: Option<Text<'a>>,
        /// How it came back.
        returned: Returned,
        /// What it returned.
        output: Output<'a>,
    },
    /// The agent says that a call was denied.
    ToolDenied {
        /// The call's id.
        id: Text<'a>,
        /// Why; may be empty.
        reason: String,
    },
    /// The service failed and is asked again.
    Retry(Retry),
    /// A limit is reached, until then; none: no limit is.
    Limit(Option<LimitEnd>),
    /// This message was sent to the agent, as far as the stream repeats it. Changes nothing.
    Asked(Text<'a>),
    /// A message of the user's own went in; its id can be gone back to.
    Checkpoint(Text<'a>),
    /// The agent reports a failure of the whole run, without ending it.
    Problem(Problem<'a>),
    /// The agent says that the run is over.
    Finished(FinishLine<'a>),
}

/// How a text relates to the others of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// A part shown as it is written; the whole block follows in another line.
    Preview,
    /// A part that no other line repeats.
    Part,
    /// A whole block.
    Whole,
}

/// A tool call as the agent names it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCalled<'a> {
    /// The agent's id; old streams leave it out.
    pub id: Option<Text<'a>>,
    /// The message it is in, where the agent says.
    pub message: Option<Text<'a>>,
    /// The tool's name.
    pub name: Text<'a>,
    /// The one argument worth showing.
    pub argument: Argument<'a>,
    /// The agent that calls it.
    pub caller: Caller,
}

/// The argument that tells what a tool call is about.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Argument<'a> {
    /// A file or a directory.
    Path(Text<'a>),
    /// A pattern, a command, a query.
    Plain(Text<'a>),
    /// Nothing that could be shown.
    #[default]
    None,
}

/// The agent that speaks or acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The agent that answers.
    Main,
    /// A sub-agent: activity, never answer.
    Sub,
    /// The service, in the middle of a message of the agent that answers.
    Service,
}

/// How a tool call came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returned {
    /// It worked.
    Ok,
    /// It failed, for this reason; may be empty.
    Failed(String),
    /// It was not permitted, for this reason; may be empty.
    Denied(String),
}

/// What a tool returned: JSON as the line has it. Only a transcript needs its text (`agent::output`); a job never
/// decodes it, since it is most of the bytes of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Output<'a>(pub &'a [u8]);

/// One try that failed and will be repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Retry {
    /// Which repetition this will be, from 1.
    pub attempt: u64,
    /// The most there will be.
    pub max: u64,
    /// The pause before it.
    pub delay_ms: u64,
    /// Why, in a word or two.
    pub reason: String,
    /// What kind of failure it was.
    #[serde(skip)]
    pub code: Code,
}

/// A failure in the agent's own words.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem<'a> {
    /// What kind of failure it is.
    pub code: Code,
    /// The agent's words; may be empty.
    pub words: Text<'a>,
    /// Whether these words say it best.
    pub rank: Detail,
}

/// How much a problem's words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// That something failed.
    Summary,
    /// What failed.
    Cause,
}

/// The line that ends a run.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishLine<'a> {
    /// What it says of the answer.
    pub verdict: FinishVerdict<'a>,
    /// What it outranks.
    pub authority: Authority,
    /// What it cost.
    pub amounts: ReportedAmounts,
}

/// What the line that ends a run says of the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum FinishVerdict<'a> {
    /// This is the answer; where it is blank, the last message is.
    Answer(Text<'a>),
    /// The last message is the answer, and this repeats its last block.
    LastBlock(Text<'a>),
    /// The last message is the answer.
    LastMessage(Certainty),
    /// There is none.
    Failed(Problem<'a>),
    /// It ends another turn than the user's: only its amounts count.
    OtherTurn,
}

/// Whether a run ended in a way that we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It ended well.
    Certain,
    /// It ended well, unless the answer is one text several times: then it met a limit on its length each time.
    UnlessRepeated,
    /// It did not fail, but how it ended is new to us: the answer is held.
    Doubtful,
}

/// How far a finishing line can be trusted over what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// It decides: neither exit code nor signal change it.
    Final,
    /// It outranks the exit code, but a process that was ended by a signal prints it too.
    UnlessSignalled,
}

/// The amounts that one finishing line reports.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportedAmounts {
    /// Money and time since the last such line, or since the run began.
    pub amounts: Amounts,
    /// Money of the session so far, in US dollars: it runs on from line to line.
    pub total_cost_usd: Option<f64>,
    /// What tokens and turns cover.
    pub scopes: UsageScopes,
}
