//! The only holder of the Neovim handle, and its only writer.
//!
//! One task makes one call at a time and awaits each to its end: nvim-rs ends its loop when a call's future is dropped
//! before the reply. While a call is under way, new updates are merged, so a blocked editor builds no queue of frames;
//! answers stay in order and are never merged.

mod attach;
mod call_count;
mod frame;
mod observed;
#[cfg(test)]
mod observer_cost_tests;
mod pending;
mod preview;
mod value;
mod watch;

use std::collections::VecDeque;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use nvim_rs::Neovim;
use nvim_rs::error::CallError;
use rmpv::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::compat::Compat;

pub use call_count::CallCount;
pub use frame::StateChange;
pub use value::fields;

use crate::document::Place;
use crate::error::JobError;
use crate::job::Observer;
use crate::land::{Capture, Landing};
use crate::memory;
use crate::mirror::{self, ContactScope, Obstacle, ReviewView, WriteReply};
use crate::store::{Held, Landed};
use crate::stream::Outcome;
use crate::view;
use pending::Pending;
use value::Map;

/// The most functions of the plugin that are called at once: what they take together is a stall of the editor.
const TOGETHER: usize = 16;

/// What the host sends to the editor.
enum Outgoing {
    Finish(u64, Box<Outcome>, Option<Box<Landing>>),
    /// Any other call.
    Call(Call),
    /// The connection has ended: the call under way has its reply by now, or gets none.
    Disconnected(oneshot::Sender<()>),
}

/// One call to Neovim.
enum Call {
    /// A function of `botglue.apply`, by name, with its argument.
    Apply(&'static str, Value),
    /// Several of them, in their order.
    Several(Vec<(&'static str, Value)>),
    /// Several functions of Neovim's API at once; the callback gets whether all of them succeeded.
    Atomic(Vec<Value>, Box<dyn FnOnce(bool) + Send>),
    /// A function of the plugin; the callback gets its reply, or none if it failed.
    Ask(&'static str, Value, Box<dyn FnOnce(Option<Value>) + Send>),
}

/// Where nvim-rs writes to: this process's standard output.
pub type RpcWriter = Compat<tokio::fs::File>;

/// The host's end of the writer: every method returns at once.
#[derive(Debug, Clone)]
pub struct Editor {
    tell: mpsc::UnboundedSender<Outgoing>,
    pending: Arc<Pending>,
}

impl Editor {
    /// Starts the writer; it calls `gone` when the editor is gone.
    pub fn start(neovim: Neovim<RpcWriter>, count: CallCount, gone: impl FnOnce() + Send + 'static) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        let pending = Arc::new(Pending::default());
        let read = Arc::clone(&pending);
        tokio::spawn(async move {
            let mut calls = Calls {
                neovim,
                count,
                pending: read,
                waiting: VecDeque::new(),
                staged: None,
                last_frame: None,
            };
            if let Err(error) = calls.run(told).await {
                tracing::info!(%error, "the editor is gone");
                gone();
            }
        });
        Self { tell, pending }
    }

    /// A job's state changed; shown with the next frame.
    pub fn change(&self, id: u64, change: StateChange<'_>) {
        self.pending.with(|updates| updates.frames.change(id, change));
    }

    /// The observer that shows what the job does.
    pub fn status(&self, id: u64) -> Box<dyn Observer> {
        Box::new(watch::StatusObserver { id, pending: Arc::clone(&self.pending) })
    }

    /// The observer that shows the newest lines of code.
    pub fn preview(&self, id: u64, capture: Capture) -> Box<dyn Observer> {
        self.pending.with(|updates| updates.frames.preview(id, capture));
        Box::new(watch::PreviewObserver { id, pending: Arc::clone(&self.pending) })
    }

    /// The observer for users' functions: it gets each update before a frame or an outcome shows the same.
    pub fn forward(&self, id: u64, thinking: bool) -> Box<dyn Observer> {
        Box::new(watch::ForwardObserver { id, pending: Arc::clone(&self.pending), thinking })
    }

    /// A job's outcome, with how its answer would land; sent at once.
    pub fn finish(&self, id: u64, outcome: Box<Outcome>, landing: Option<Box<Landing>>) {
        self.send(Outgoing::Finish(id, outcome, landing));
    }

    /// A job that never ran has failed.
    pub fn reject(&self, id: u64, error: JobError) {
        self.finish(id, Box::new(Outcome::failed(error)), None);
    }

    /// Where a job's raw stream is kept.
    pub fn recording(&self, id: u64, path: &Path) {
        let path = path.to_string_lossy().into_owned();
        self.apply("recording", Map::default().with("id", id).with("path", path).build());
    }

    /// Further amounts of a finished job.
    pub fn amend(&self, id: u64, outcome: &Outcome) {
        self.apply("amend", value::amend(id, outcome));
    }

    /// What became of an answer: one that landed or is held, was accepted, or was taken back.
    pub fn landed(&self, id: u64, landed: &Landed) {
        let mut fields = Map::default().with("id", id).with("landing", landed.landing.as_str());
        if let Some(why) = &landed.held_for {
            fields = fields.with("held_for", why.as_str());
        }
        if let Some((first, last)) = landed.place {
            fields = fields.with("first_line", first).with("last_line", last);
        }
        self.apply("landed", fields.build());
    }

    /// An answer could not be accepted, or what was written for a job not taken back.
    pub fn refused(&self, id: u64, why: Obstacle) {
        self.apply("stays", Map::default().with("id", id).with("why", why.name()).build());
    }

    /// The store has what was written for a job: by one step of it, or by all where none is named.
    pub fn stored(&self, job: u64, attempt: Option<u64>) {
        let step = Map::default().with("job", job).with_some("attempt", attempt).build();
        self.apply("stored", Map::default().with("steps", Value::Array(vec![step])).build());
    }

    /// The held answers that this Neovim takes over, or why they are not known.
    pub fn held(&self, held: &Result<Vec<Held>, String>) {
        self.apply("held", value::held(held));
    }

    /// The process group of an agent that waits for its message; none when it is gone.
    pub fn prewarmed(&self, token: u64, pgid: Option<i32>) {
        let group = pgid.map_or(Value::Boolean(false), Value::from);
        self.apply("prewarmed", Map::default().with("token", token).with("pgid", group).build());
    }

    /// The models that an agent offers.
    pub fn models(&self, agent: &str, models: Vec<String>) {
        let models = Value::Array(models.into_iter().map(Value::from).collect());
        self.apply("models", Map::default().with("agent", agent).with("models", models).build());
    }

    /// The reply to a question to the store.
    pub fn reply(&self, token: u64, reply: Result<serde_json::Value, String>) {
        self.apply("reply", value::reply(token, reply));
    }

    /// The reply to a question that the mirrors answer.
    pub fn found(&self, token: u64, fields: Vec<(Value, Value)>) {
        self.apply("reply", Map(fields).with("token", token).build());
    }

    /// Has the plugin say how a buffer is, with what is wanted besides. `done` gets whether the buffer exists,
    /// after all that was sent.
    pub fn contact(&self, buffer: u64, scope: ContactScope, done: impl FnOnce(bool) + Send + 'static) {
        self.send(Outgoing::Call(Call::Atomic(attach::contact(buffer, scope), Box::new(done))));
    }

    /// Has the plugin write to a buffer; `done` gets its reply, or none if it failed.
    pub fn write(
        &self,
        buffer: u64,
        call: &mirror::WriteCall,
        done: impl FnOnce(Option<WriteReply>) + Send + 'static,
    ) {
        let done = move |reply: Option<Value>| done(reply.as_ref().and_then(WriteReply::decode));
        self.send(Outgoing::Call(Call::Ask("write", call.value(buffer), Box::new(done))));
    }

    /// Has the plugin put its marks to these places in the text with this changedtick; none where a range is lost.
    /// `done` gets the changedtick of the text, none if the buffer does not exist.
    pub fn places(
        &self,
        buffer: u64,
        tick: u64,
        places: &[(u64, Option<Place>)],
        done: impl FnOnce(Option<u64>) + Send + 'static,
    ) {
        let done = move |reply: Option<Value>| done(reply.and_then(|reply| mirror::reply_tick(&reply)));
        let argument = mirror::places(buffer, tick, places);
        self.send(Outgoing::Call(Call::Ask("places", argument, Box::new(done))));
    }

    /// Has the plugin draw what is proposed of a held answer; `done` is called once it has.
    pub fn review(&self, buffer: u64, view: &ReviewView, done: impl FnOnce() + Send + 'static) {
        self.send(Outgoing::Call(Call::Ask("review", view.value(buffer), Box::new(move |_| done()))));
    }

    /// Has Neovim send no more events of a buffer.
    pub fn detach(&self, buffer: u64) {
        self.send(Outgoing::Call(Call::Atomic(attach::detach(buffer), Box::new(|_| {}))));
    }

    /// Something that the user should know, and that concerns no single job.
    pub fn warn(&self, message: String) {
        self.apply("warn", Map::default().with("message", message).build());
    }

    /// The connection has ended: resolves once the last reply that came has been handed on.
    pub async fn disconnected(&self) {
        let (done, handed_on) = oneshot::channel();
        self.send(Outgoing::Disconnected(done));
        // A writer that has ended has handed all on.
        let _ = handed_on.await;
    }

    fn apply(&self, name: &'static str, argument: Value) {
        self.send(Outgoing::Call(Call::Apply(name, argument)));
    }

    fn send(&self, tell: Outgoing) {
        // The writer has ended only when the editor is gone; the host knows by then.
        let _ = self.tell.send(tell);
    }
}

type CallResult = Result<(), Box<CallError>>;
type CallInFlight = Pin<Box<dyn Future<Output = CallResult> + Send>>;

/// The writer's state.
struct Calls {
    neovim: Neovim<RpcWriter>,
    count: CallCount,
    pending: Arc<Pending>,
    /// Outcomes and replies, oldest first.
    waiting: VecDeque<Call>,
    /// What goes out next, before anything else.
    staged: Option<Call>,
    /// When the last frame went out.
    last_frame: Option<Instant>,
}

impl Calls {
    async fn run(&mut self, mut outgoing: mpsc::UnboundedReceiver<Outgoing>) -> Result<(), Box<CallError>> {
        self.introduce().await?;
        let mut under_way: Option<CallInFlight> = None;
        loop {
            if under_way.is_none() {
                under_way = self.next();
            }
            let next_frame = self.next_frame().filter(|_| under_way.is_none());
            tokio::select! {
                tell = outgoing.recv() => match tell {
                    Some(Outgoing::Finish(id, outcome, landing)) => self.finish(id, &outcome, landing.as_deref()),
                    Some(Outgoing::Call(call)) => self.waiting.push_back(call),
                    Some(Outgoing::Disconnected(done)) => {
                        if under_way.is_some() {
                            finished(&mut under_way).await?;
                        }
                        // Who waits for it may have run out of time.
                        let _ = done.send(());
                    }
                    None => return Ok(()),
                },
                done = finished(&mut under_way) => done?,
                () = self.pending.changed() => {}
                () = sleep_until(next_frame.unwrap_or_else(Instant::now)), if next_frame.is_some() => {}
            }
        }
    }

    /// Sends the host's version, which Lua compares before it sends anything, and the words that it needs at once.
    async fn introduce(&mut self) -> Result<(), Box<CallError>> {
        let version = env!("CARGO_PKG_VERSION");
        let parts = ["major", "minor", "patch"].into_iter().zip(version.split('.'));
        let parts =
            parts.map(|(name, n)| (name.into(), n.parse::<u64>().unwrap_or_default().into())).collect();
        self.count.add();
        self.neovim.set_client_info("botglue", parts, "remote", vec![], vec![]).await?;
        let hello = Map::default().with("version", version).with("pid", std::process::id());
        let words = Map(fields(serde_json::json!(view::words()))).build();
        let hello = hello.with("words", words).build();
        self.make(Call::Apply("ready", hello)).await
    }

    fn finish(&mut self, id: u64, outcome: &Outcome, landing: Option<&Landing>) {
        let tools = self.pending.lock().frames.finish(id);
        self.waiting.push_back(Call::Apply("finish", value::finish(id, outcome, landing, tools)));
    }

    /// When the next frame may go out; none if nothing waits.
    fn next_frame(&self) -> Option<Instant> {
        let due = self.pending.lock().frames.due()?;
        Some(self.last_frame.map_or_else(Instant::now, |last| last + due))
    }

    fn next(&mut self) -> Option<CallInFlight> {
        let call = self.staged.take().or_else(|| self.choose())?;
        Some(Box::pin(self.make(call)))
    }

    fn make(&self, call: Call) -> impl Future<Output = CallResult> + Send + use<> {
        let (neovim, count) = (self.neovim.clone(), self.count.clone());
        async move {
            count.add();
            match call {
                Call::Apply(name, argument) => apply(neovim, vec![(name, argument)]).await,
                Call::Several(calls) => apply(neovim, calls).await,
                Call::Atomic(calls, done) => attach::make(neovim, calls, done).await,
                Call::Ask(name, argument, done) => {
                    let code = format!("return require('botglue.apply').{name}(...)");
                    done(survive(name, neovim.exec_lua(&code, vec![argument]).await)?);
                    Ok(())
                }
            }
        }
    }

    /// What observers are to see goes out before a frame or an outcome that shows the same. That one is made at the
    /// same moment, so that it can show nothing newer, and goes next, so that much talk keeps nothing waiting.
    fn choose(&mut self) -> Option<Call> {
        let is_due = self.next_frame().is_some_and(|next| Instant::now() >= next);
        let mut updates = self.pending.lock();
        let mut next = take_together(&mut self.waiting);
        if next.is_none() && is_due {
            next = updates.frames.take().map(|frame| Call::Apply("frame", frame));
            if next.is_some() {
                self.last_frame = Some(Instant::now());
            }
        }
        match updates.observed.take() {
            Some(observed) => {
                self.staged = next;
                Some(Call::Apply("observed", observed))
            }
            None => next,
        }
    }
}

/// Waits for the call that is under way; for ever when there is none.
async fn finished(under_way: &mut Option<CallInFlight>) -> Result<(), Box<CallError>> {
    let Some(call) = under_way else { return std::future::pending().await };
    let result = call.await;
    *under_way = None;
    result
}

/// Takes out what goes in the next call: as many consecutive functions of the plugin as need no
/// reply. Each call takes the editor longer than most of what they do.
fn take_together(waiting: &mut VecDeque<Call>) -> Option<Call> {
    let mut calls = Vec::new();
    while calls.len() < TOGETHER {
        match waiting.pop_front() {
            Some(Call::Apply(name, argument)) => calls.push((name, argument)),
            Some(other) if calls.is_empty() => return Some(other),
            Some(other) => {
                waiting.push_front(other);
                break;
            }
            None => break,
        }
    }
    (!calls.is_empty()).then_some(Call::Several(calls))
}

/// One call to `botglue.apply`.
async fn apply(neovim: Neovim<RpcWriter>, mut calls: Vec<(&'static str, Value)>) -> CallResult {
    let has_finished = calls.iter().any(|(name, _)| *name == "finish");
    let (name, argument) = match calls.pop() {
        Some(only) if calls.is_empty() => only,
        last => {
            let call = |(name, argument): (&str, Value)| Value::Array(vec![name.into(), argument]);
            ("several", Value::Array(calls.into_iter().chain(last).map(call).collect()))
        }
    };
    let code = format!("return require('botglue.apply').{name}(...)");
    let is_over = survive(name, neovim.exec_lua(&code, vec![argument]).await)?.is_some();
    if is_over && has_finished {
        memory::give_back();
    }
    Ok(())
}

/// What a call gave. An error in Lua is logged and no reason to end; a broken channel is.
fn survive<T>(name: &'static str, result: Result<T, Box<CallError>>) -> Result<Option<T>, Box<CallError>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match *error {
            CallError::NeovimError(_, ref message) => {
                // What Lua raises may quote a buffer.
                tracing::error!(call = name, message_bytes = message.len(), "the editor's side failed");
                tracing::debug!(call = name, %message, "what Lua raised");
                Ok(None)
            }
            _ if error.is_channel_closed() => Err(error),
            CallError::WrongValueType(_) => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(call: Option<Call>) -> Vec<&'static str> {
        match call {
            Some(Call::Several(calls)) => calls.iter().map(|(name, _)| *name).collect(),
            Some(Call::Apply(name, _)) => panic!("{name} alone"),
            Some(Call::Ask(name, ..)) => vec![name],
            Some(Call::Atomic(..)) => vec!["atomic"],
            None => Vec::new(),
        }
    }

    #[test]
    fn functions_that_follow_each_other_go_in_one_call() {
        let ask = || Call::Ask("write", Value::Nil, Box::new(|_| {}));
        let apply = |name| Call::Apply(name, Value::Nil);
        let mut waiting =
            VecDeque::from([apply("finish"), apply("landed"), ask(), apply("stored"), ask(), ask()]);
        let mut taken = Vec::new();
        while !waiting.is_empty() {
            taken.push(names(take_together(&mut waiting)));
        }
        assert_eq!(
            taken,
            [vec!["finish", "landed"], vec!["write"], vec!["stored"], vec!["write"], vec!["write"]]
        );
        assert!(take_together(&mut waiting).is_none());
    }

    #[test]
    fn no_call_is_longer_than_an_editor_may_stall() {
        let mut waiting: VecDeque<Call> = (0..=TOGETHER).map(|_| Call::Apply("landed", Value::Nil)).collect();
        assert_eq!(names(take_together(&mut waiting)).len(), TOGETHER);
        assert_eq!(names(take_together(&mut waiting)).len(), 1);
    }
}
