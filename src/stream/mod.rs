//! From bytes to lines, from lines to events, from events to updates and one outcome.
//!
//! [`Lines`] splits, an agent's reader says what a line means, the reducer folds that into state; [`Stream`] is the
//! inputs of one running job: its message, a line, a line that was too long, the end. Pure: no clock, no process, no
//! file, no state but the stream's own.

mod answer;
mod decoder;
pub mod event;
pub mod failure;
pub mod lines;
pub mod one_line;
mod outcome;
mod reduce;
mod tail;
mod tally;
mod tools;
mod update;
mod usage;

pub use answer::MAX_ANSWER;
pub use decoder::{AgentInput, Decoder, Dialogue, LATEST, LineStatus, OnEvent, QUIET};
pub use lines::{Line, Lines};
pub use outcome::{
    AnswerDoubt, ExitStatus, LineCounts, Outcome, ProcessEnd, Status, Stopped, UsageScope, UsageScopes,
};
pub use reduce::Emit;
pub use tail::Tail;
pub use tools::{ToolCall, ToolStatus};
pub use update::Update;
pub use usage::{Amounts, MAX_AMOUNT, Usage, whole};

use reduce::Reducer;

/// What a line says, and what follows from that.
#[derive(Debug)]
pub enum LineItem<'e, 'a> {
    /// One event of the line.
    Event(&'e event::Event<'a>),
    /// What the event, or the line, changes.
    Update(Update),
}

/// Of all that lines say the updates alone.
pub fn updates(emit: Emit<'_>) -> impl FnMut(LineItem<'_, '_>) {
    move |item| {
        if let LineItem::Update(update) = item {
            emit(update);
        }
    }
}

/// One running stream of one job; see the module.
#[derive(Debug)]
pub struct Stream {
    dialogue: Box<dyn Dialogue>,
    reducer: Reducer,
    /// How many lines there were, blank ones too.
    number: u64,
    counts: LineCounts,
    has_ended: bool,
}

impl Stream {
    /// A stream of this agent that has not begun. Paths below `cwd` are shortened in the titles of tool calls.
    pub fn new(decoder: Decoder, cwd: &str) -> Self {
        let Decoder { label, block_separator, dialogue } = decoder;
        Self {
            dialogue,
            reducer: Reducer::new(label, block_separator, cwd),
            number: 0,
            counts: LineCounts::default(),
            has_ended: false,
        }
    }

    /// The same of a job that goes on in a session that there is, or was.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        self.reducer.resume = true;
        self
    }

    /// Its raw stream is kept in this file, which an error may name.
    pub fn set_transcript(&mut self, transcript: &str) {
        self.reducer.transcript = Some(transcript.to_owned());
    }

    /// The agent was started; what it is to be sent first is in [`Stream::input`] after this.
    pub fn begin(&mut self) {
        self.dialogue.begin();
    }

    /// The user's message, once; it is in [`Stream::input`] as soon as the agent can take it.
    pub fn say(&mut self, message: &str, emit: Emit<'_>) {
        let Self { dialogue, reducer, .. } = self;
        dialogue.say(message, &mut |event| reducer.event(event, emit));
    }

    /// What is to be written to the agent's standard input.
    pub fn input(&mut self) -> &mut AgentInput {
        self.dialogue.input()
    }

    /// Whether lines go to and fro; see [`Dialogue::is_two_way`].
    pub fn is_two_way(&self) -> bool {
        self.dialogue.is_two_way()
    }

    /// Reports what is known of the session to observers that came later.
    pub fn introduce(&self, emit: Emit<'_>) {
        self.reducer.introduce(emit);
    }

    /// Takes what [`Lines`] hands out.
    pub fn take(&mut self, line: Line<'_>, emit: Emit<'_>) {
        match line {
            Line::Whole(line) => self.hear(line, &mut updates(emit)),
            Line::Oversized => self.oversized(emit),
        }
    }

    /// Takes one line, without its line end; `each` gets each event before the updates that follow from it.
    pub fn hear(&mut self, line: &[u8], each: &mut dyn FnMut(LineItem<'_, '_>)) {
        if self.has_ended {
            return;
        }
        self.number += 1;
        self.counts.lines += u64::from(!line.trim_ascii().is_empty());
        let (mut has_said, was_closing) = (false, self.dialogue.is_closing());
        let reducer = &mut self.reducer;
        let mut on_event = |event: event::Event<'_>| {
            has_said |= !matches!(event, event::Event::Asked(_));
            each(LineItem::Event(&event));
            let is_end = matches!(event, event::Event::Finished(_));
            let is_text = matches!(event, event::Event::Text { piece, .. } if piece != event::Piece::Preview);
            let is_broken = (is_end || is_text) && str::from_utf8(line).is_err();
            // A text may begin a message, of which nothing is known before; the end of the run decides at once.
            if is_broken && is_end {
                reducer.not_utf8();
            }
            reducer.event(event, &mut |update| each(LineItem::Update(update)));
            if is_broken {
                reducer.not_utf8();
            }
        };
        let reading = self.dialogue.hear(line, &mut on_event);
        // What it says of the end is told when the turn is closed.
        has_said |= self.dialogue.is_closing() && !was_closing;
        let emit: Emit<'_> = &mut |update| each(LineItem::Update(update));
        match reading {
            LineStatus::Blank => self.reducer.unknown_output(line),
            LineStatus::Parsed if has_said => {}
            LineStatus::Parsed => {
                self.counts.ignored += 1;
                self.reducer.unknown_output(line);
            }
            LineStatus::NotJson(text) => {
                self.reducer.other_output(&text);
                self.malformed("no JSON object", line, emit);
            }
            LineStatus::Malformed(reason) => {
                self.reducer.broken();
                self.reducer.unknown_output(line);
                self.malformed(&reason, line, emit);
            }
        }
    }

    /// A line came that was too long to be read, and was dropped.
    fn oversized(&mut self, emit: Emit<'_>) {
        if self.has_ended {
            return;
        }
        self.number += 1;
        self.counts.lines += 1;
        self.reducer.oversized();
        self.malformed("longer than 256 MiB", b"", emit);
    }

    /// Whether the agent says that it is done, and [`Stream::close`] is to come once it has been quiet for [`QUIET`], after
    /// [`LATEST`] at the latest.
    pub fn is_closing(&self) -> bool {
        self.dialogue.is_closing() || self.reducer.may_be_decided()
    }

    /// No more of an answer comes that is over. `each` gets what [`Stream::hear`] gives it.
    pub fn close(&mut self, each: &mut dyn FnMut(LineItem<'_, '_>)) {
        self.close_dialogue(each);
        self.reducer.conclude();
    }

    fn close_dialogue(&mut self, each: &mut dyn FnMut(LineItem<'_, '_>)) {
        let Self { dialogue, reducer, .. } = self;
        let on_event = &mut |event: event::Event<'_>| {
            each(LineItem::Event(&event));
            reducer.event(event, &mut |update| each(LineItem::Update(update)));
        };
        dialogue.close(on_event);
    }

    /// Whether the agent has been sent what the user wants.
    pub fn has_asked(&self) -> bool {
        self.dialogue.has_asked()
    }

    /// Whether the outcome no longer depends on what follows or on how the process ends, but for its amounts.
    pub fn decided(&self) -> bool {
        self.reducer.decided()
    }

    /// The outcome of a decided stream before its end; calls without a result read as unfinished in it.
    pub fn outcome(&self) -> Outcome {
        Outcome { counts: self.counts, ..self.reducer.outcome_so_far() }
    }

    /// The process has ended and both its pipes are read: the outcome. Nothing is taken after it.
    pub fn end(&mut self, end: &ProcessEnd, emit: Emit<'_>) -> Outcome {
        self.close_dialogue(&mut updates(emit));
        self.has_ended = true;
        Outcome { counts: self.counts, ..self.reducer.end(end, emit) }
    }

    fn malformed(&mut self, reason: &str, line: &[u8], emit: Emit<'_>) {
        self.counts.malformed += 1;
        let start = String::from_utf8_lossy(&line[..line.len().min(400)]);
        emit(Update::Malformed {
            line: self.number,
            reason: reason.to_owned(),
            start: one_line::line(&start, 100),
        });
    }
}
