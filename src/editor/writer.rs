//! The only writer to Neovim. One task makes one call at a time and awaits each to its end: nvim-rs ends its loop when a
//! call's future is dropped before the reply. While a call is under way, new updates are merged, so a blocked editor
//! builds no queue of frames; answers stay in order and are never merged.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use nvim_rs::Neovim;
use nvim_rs::error::CallError;
use rmpv::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::pending::Pending;
use super::value::{self, Map, fields};
use super::{CallCount, RpcWriter, attach};
use crate::land::Landing;
use crate::memory;
use crate::stream::Outcome;
use crate::view;

/// The most functions of the plugin that are called at once: what they take together is a stall of the editor.
const TOGETHER: usize = 16;

/// What the host sends to the editor.
pub(super) enum Outgoing {
    Finish(u64, Box<Outcome>, Option<Box<Landing>>),
    /// Any other call.
    Call(Call),
    /// The connection has ended: the call under way has its reply by now, or gets none.
    Disconnected(oneshot::Sender<()>),
}

/// One call to Neovim.
pub(super) enum Call {
    /// A function of `botglue.apply`, by name, with its argument.
    Apply(&'static str, Value),
    /// Several of them, in their order.
    Several(Vec<(&'static str, Value)>),
    /// Several functions of Neovim's API at once; the callback gets whether all of them succeeded.
    Atomic(Vec<Value>, Box<dyn FnOnce(bool) + Send>),
    /// A function of the plugin; the callback gets its reply, or none if it failed.
    Ask(&'static str, Value, Box<dyn FnOnce(Option<Value>) + Send>),
}

pub(super) type CallResult = Result<(), Box<CallError>>;
type CallInFlight = Pin<Box<dyn Future<Output = CallResult> + Send>>;

/// See the module.
pub(super) struct Writer {
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

impl Writer {
    pub(super) fn new(neovim: Neovim<RpcWriter>, count: CallCount, pending: Arc<Pending>) -> Self {
        Self { neovim, count, pending, waiting: VecDeque::new(), staged: None, last_frame: None }
    }

    /// Makes the calls until the last handle is dropped, or the channel is broken.
    pub(super) async fn run(mut self, mut outgoing: mpsc::UnboundedReceiver<Outgoing>) -> CallResult {
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
    async fn introduce(&mut self) -> CallResult {
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
                    done(ignore_lua_error(name, neovim.exec_lua(&code, vec![argument]).await)?);
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
async fn finished(under_way: &mut Option<CallInFlight>) -> CallResult {
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
    let is_over = ignore_lua_error(name, neovim.exec_lua(&code, vec![argument]).await)?.is_some();
    if is_over && has_finished {
        memory::give_back();
    }
    Ok(())
}

/// What a call gave. An error in Lua is logged and no reason to end; a broken channel is.
pub(super) fn ignore_lua_error<T>(
    name: &'static str,
    result: Result<T, Box<CallError>>,
) -> Result<Option<T>, Box<CallError>> {
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
