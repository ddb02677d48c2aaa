//! The one reducer: folds the events of any agent into a job's state and says what is new.
//!
//! It knows no clock and no process; how the process ended comes to it as a value. The first finishing line fixes
//! the answer; what follows adds amounts and tool results, and changes nothing else.

mod ending;
mod non_protocol;

use std::collections::VecDeque;
use std::time::Duration;

use super::answer::Answer;
use super::event::{Authority, Caller, Detail, Event, FinishLine, FinishVerdict, Piece, Problem, Retry};
use super::failure::AgentLabel;
use super::one_line;
use super::outcome::{AnswerDoubt, Outcome, ProcessEnd, Status};
use super::tally::Tally;
use super::tools::Tools;
use super::update::Update;
use crate::error::Code;
use crate::limit_end::LimitEnd;
use ending::{FinalAnswer, JobResult};
use non_protocol::NonProtocolOutput;

/// The most checkpoints that are kept: the newest.
const CHECKPOINTS: usize = 100;
/// The longest id of one, in bytes.
const CHECKPOINT: usize = 256;
/// A pause of an agent at a rate limit that is one of minutes.
const LONG_PAUSE: Duration = Duration::from_secs(60);
/// Where updates go.
pub type Emit<'e> = &'e mut dyn FnMut(Update);

/// The state of one stream; see the module.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Reducer {
    label: AgentLabel,
    block_separator: &'static str,
    cwd: String,
    /// Where the raw stream is kept.
    pub transcript: Option<String>,
    session_id: Option<String>,
    model: Option<String>,
    tools: Tools,
    answer: Answer,
    tally: Tally,
    checkpoints: VecDeque<String>,
    problem: Option<(Detail, Code, String)>,
    /// What the CLI said last in the agent's place.
    stand_in: Option<String>,
    /// The end of a limit that is reached.
    limit: Option<LimitEnd>,
    /// How often in a row the service refused the user's key.
    refused_logins: u64,
    decision: Option<(Authority, JobResult)>,
    other_output: NonProtocolOutput,
    shown: ShownText,
    has_spoken: bool,
    /// It is of a job that goes on in a session.
    pub resume: bool,
    /// A line was broken that should have been the protocol's.
    is_broken: bool,
    /// A line was too long and was dropped.
    is_oversized: bool,
}

/// What observers have seen of the text.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct ShownText {
    /// Text was shown part by part; the whole block will repeat it.
    text: bool,
    /// The same for thinking.
    thinking: bool,
    /// There was any text.
    is_any: bool,
    /// There was some before this message.
    was_any: bool,
    /// The next text begins another message, or may.
    is_new: bool,
    /// The next text goes on with a message that was shown.
    continues: bool,
}

impl ShownText {
    /// The next text is a message's first.
    fn message_begins(&mut self) {
        self.text = false;
        self.is_new = true;
        self.continues = false;
    }

    /// The message is said again from its beginning, whatever was shown of it. Whether that was anything.
    fn message_restarts(&mut self, is_open: bool) -> bool {
        let was_shown = self.text || is_open && self.continues;
        if was_shown {
            self.is_any = self.was_any;
        }
        self.message_begins();
        was_shown
    }
}

impl Reducer {
    /// An empty state. `block_separator` joins the text blocks of one message, `cwd` shortens paths in titles.
    pub fn new(label: AgentLabel, block_separator: &'static str, cwd: &str) -> Self {
        Self { label, block_separator, cwd: cwd.to_owned(), ..Self::default() }
    }

    /// Tells what is known of the session.
    pub fn introduce(&self, emit: Emit<'_>) {
        if self.session_id.is_some() || self.model.is_some() {
            emit(Update::Session { id: self.session_id.clone(), model: self.model.clone() });
        }
    }

    /// Folds one event in.
    pub fn event(&mut self, event: Event<'_>, emit: Emit<'_>) {
        match event {
            Event::Session { id, model } => self.session(id.as_deref(), model.as_deref(), emit),
            Event::Models(models) => emit(Update::Models { models }),
            Event::Activity(text) => {
                if self.decision.is_none() {
                    emit(Update::Activity { text });
                }
            }
            Event::Greeted => self.has_spoken = true,
            Event::Seam => self.shown.is_new |= self.answer.seam(self.block_separator),
            Event::MessageBegan => {
                self.has_spoken = true;
                self.answer.message_began();
                self.shown.message_begins();
            }
            Event::MessageEnded => self.answer.doubts.open = false,
            Event::MessageInterrupted => self.answer.doubts.interrupted = true,
            Event::MessageAbandoned => {
                self.answer.message_abandoned();
                if self.shown.message_restarts(false) {
                    emit(Update::Restart);
                }
            }
            Event::StandIn(text) => self.stand_in = Some(text.trim().to_owned()),
            Event::Text { piece, message, text } => self.text(piece, message.as_deref(), &text, emit),
            Event::Thinking { piece, text } => self.thinking(piece, &text, emit),
            Event::ToolCalled(call) => {
                self.has_spoken |= call.caller == Caller::Service;
                if call.caller == Caller::Main {
                    self.has_spoken = true;
                    self.answer.tool_called(call.message.as_deref());
                    self.shown.message_begins();
                }
                let index = self.tools.called(&call, &self.cwd);
                self.show_tool(Some(index), emit);
            }
            Event::ToolDetailed { id, argument } => {
                let changed = self.tools.detailed(&id, &argument, &self.cwd);
                self.show_tool(changed, emit);
            }
            Event::ToolReturned { id, returned, output: _ } => {
                let changed = self.tools.returned(id.as_deref(), returned);
                self.show_tool(changed, emit);
            }
            Event::ToolDenied { id, reason } => {
                let changed = self.tools.denied(&id, reason);
                self.show_tool(changed, emit);
            }
            Event::Retry(retry) => self.retry(retry, emit),
            Event::Limit(limit) => self.limit = limit,
            Event::Asked(_) => {}
            Event::Checkpoint(id) => self.checkpoint(one_line::clip(&id, CHECKPOINT)),
            Event::Problem(problem) => self.problem(problem),
            Event::Finished(finish) => self.finished(finish, emit),
        }
    }

    /// A line that is no JSON; `text` is all of it.
    pub fn other_output(&mut self, text: &str) {
        // Progress of wrappers, never worth showing.
        if text.starts_with("Script ") {
            return;
        }
        self.other_output.push(text);
        if text.contains("{\"") {
            self.answer.line_lost(true);
        }
    }

    /// A line that says nothing to us. It is text if no line is the protocol's, where it does not begin as these do: it
    /// may be code that begins with a brace.
    pub fn unknown_output(&mut self, line: &[u8]) {
        if !self.has_spoken && !line.starts_with(b"{\"") {
            self.other_output.keep(&String::from_utf8_lossy(line));
        }
    }

    /// A line that should have been the protocol's and is broken.
    pub fn broken(&mut self) {
        self.is_broken = true;
        self.answer.line_lost(false);
    }

    /// A line with a text, or the result, has bytes that are no UTF-8.
    pub fn not_utf8(&mut self) {
        if self.decision.is_none() {
            self.answer.doubts.not_utf8 = true;
        }
    }

    /// A line that was too long and was dropped.
    pub fn oversized(&mut self) {
        self.is_oversized = true;
        self.answer.line_lost(false);
    }

    /// Whether nothing that comes can change the answer, however the process ends.
    pub fn decided(&self) -> bool {
        matches!(self.decision, Some((Authority::Final, _)))
    }

    /// Whether the agent has said how it ended, and might have done so because it was told to end.
    pub fn may_be_decided(&self) -> bool {
        matches!(self.decision, Some((Authority::UnlessSignalled, _)))
    }

    /// Nobody has told it to end.
    pub fn conclude(&mut self) {
        if let Some((authority, _)) = &mut self.decision {
            *authority = Authority::Final;
        }
    }

    /// The process has ended: no call stays open. Returns how the job ended.
    pub fn end(&mut self, end: &ProcessEnd, emit: Emit<'_>) -> Outcome {
        for index in self.tools.finish() {
            self.show_tool(Some(index), emit);
        }
        let ending = self.ending(end);
        self.outcome(ending)
    }

    /// What the job comes to if only amounts and tool results follow.
    pub fn outcome_so_far(&self) -> Outcome {
        let ending = match &self.decision {
            Some((_, ending)) => ending.clone(),
            None => Err(self.error(Code::Protocol, "")),
        };
        self.outcome(ending)
    }

    fn outcome(&self, ending: JobResult) -> Outcome {
        let (status, text, held_for, error) = match ending {
            Ok(FinalAnswer { text, held_for }) => (Status::Done, Some(text), held_for, None),
            Err(error) => (Status::Failed, None, None, Some(error)),
        };
        Outcome {
            status,
            text,
            held_for,
            held_why: held_for.and_then(AnswerDoubt::why),
            error,
            session_id: self.session_id.clone(),
            model: self.model.clone(),
            amounts: self.tally.amounts,
            scopes: self.tally.scopes,
            tools: self.tools.snapshot(),
            checkpoints: self.checkpoints.iter().cloned().collect(),
            ..Outcome::default()
        }
    }

    fn session(&mut self, id: Option<&str>, model: Option<&str>, emit: Emit<'_>) {
        let has_changed = replace(&mut self.session_id, id) | replace(&mut self.model, model);
        if has_changed {
            emit(Update::Session { id: self.session_id.clone(), model: self.model.clone() });
        }
    }

    fn text(&mut self, piece: Piece, message: Option<&str>, text: &str, emit: Emit<'_>) {
        self.has_spoken |= !text.trim().is_empty();
        self.refused_logins = 0;
        let is_repeated = piece == Piece::Whole && self.shown.text;
        self.shown.text = piece != Piece::Whole;
        if self.decision.is_some() {
            return;
        }
        let has_started = self.answer.text(piece, message, text, self.block_separator);
        if is_repeated {
            return;
        }
        // As the answer has it, and each message on a line of its own.
        let separator = match (has_started || self.shown.is_new, piece) {
            (true, _) if self.shown.is_any => "\n",
            (false, Piece::Whole) => self.block_separator,
            _ => "",
        };
        self.shown.is_new = false;
        if !separator.is_empty() || !text.is_empty() {
            let begins = has_started || !self.shown.continues;
            if begins {
                self.shown.was_any = self.shown.is_any;
            }
            emit(Update::Text { text: [separator, text].concat(), begins });
            self.shown.continues = true;
        }
        self.shown.is_any = true;
    }

    fn thinking(&mut self, piece: Piece, text: &str, emit: Emit<'_>) {
        self.has_spoken = true;
        let is_repeated = piece == Piece::Whole && self.shown.thinking;
        self.shown.thinking = piece != Piece::Whole;
        if !is_repeated && self.decision.is_none() && !text.is_empty() {
            emit(Update::Thinking { text: text.to_owned() });
        }
    }

    fn show_tool(&self, changed: Option<usize>, emit: Emit<'_>) {
        if let Some(index) = changed {
            emit(Update::Tool { index, tool: self.tools.get(index).clone() });
        }
    }

    fn checkpoint(&mut self, id: &str) {
        if self.checkpoints.back().is_some_and(|last| last == id) {
            return;
        }
        if self.checkpoints.len() == CHECKPOINTS {
            self.checkpoints.pop_front();
        }
        self.checkpoints.push_back(id.to_owned());
    }

    fn problem(&mut self, problem: Problem<'_>) {
        if self.problem.as_ref().is_none_or(|(rank, ..)| *rank < problem.rank) {
            self.problem = Some((problem.rank, problem.code, problem.words.into_owned()));
        }
    }

    /// The service failed and is asked again. One token may be renewed meanwhile: a key that is refused twice in a row
    /// will be refused again, for minutes. A long pause is waited for without the agent.
    fn retry(&mut self, retry: Retry, emit: Emit<'_>) {
        let Retry { delay_ms, code, .. } = retry;
        if self.decision.is_some() {
            return;
        }
        if self.shown.message_restarts(self.answer.doubts.open) {
            emit(Update::Restart);
        }
        self.answer.retried();
        self.refused_logins = if code == Code::NotLoggedIn { self.refused_logins + 1 } else { 0 };
        let pause = Duration::from_millis(delay_ms);
        let is_limit = code == Code::RateLimited && pause >= LONG_PAUSE;
        if is_limit {
            self.limit.get_or_insert(LimitEnd::After(pause));
        }
        if self.refused_logins > 1 || is_limit {
            self.decision = Some((Authority::Final, Err(self.error(code, &retry.reason))));
        }
        emit(Update::Retry(retry));
    }

    fn finished(&mut self, finish: FinishLine<'_>, emit: Emit<'_>) {
        self.tally.add(&finish.amounts);
        if self.decision.is_none() && finish.verdict != FinishVerdict::OtherTurn {
            let ending = self.verdict(finish.verdict);
            self.decision = Some((finish.authority, ending));
        }
        emit(Update::Amounts(self.tally.amounts));
    }
}

/// Puts a new value in the place of another; whether there is one that differs.
fn replace(known: &mut Option<String>, new: Option<&str>) -> bool {
    let is_new = new.is_some_and(|new| !new.is_empty() && known.as_deref() != Some(new));
    if is_new {
        *known = new.map(str::to_owned);
    }
    is_new
}
