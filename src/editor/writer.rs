//! The only writer to Neovim. One task makes one call at a time and awaits each to its end: nvim-rs ends its loop when a
//! call's future is dropped before the reply. While a call is under way, new updates are merged, so a blocked editor
//! builds no queue of frames; answers stay in order and are never merged.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use nvim_rs::Neovim;
use nvim_rs::error::CallError;
use rmpv::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::RpcWriter;
use super::pending::Pending;
use crate::fields::value;
use crate::mirror::ContactScope;

/// The most functions of the plugin that are called at once, and of those the most before one that is asked for a reply,
/// which may write: what they take together is a stall of the editor.
const TOGETHER: usize = 16;
const BEFORE_A_REPLY: usize = 4;
/// The least time from one frame of the states of jobs to the next.
const BETWEEN: Duration = Duration::from_millis(100);

/// What the host sends to the editor.
pub(super) enum Outgoing {
    /// A call.
    Call(Call),
    /// The connection has ended: the call under way has its reply by now, or gets none.
    Disconnected(oneshot::Sender<()>),
}

/// One call to Neovim.
pub(super) enum Call {
    /// Functions of `botglue.apply`, by name, each with its argument, in their order.
    Apply(Vec<(&'static str, Value)>),
    /// The same; the callback gets the reply of the last one, or none if it failed.
    Ask(Vec<(&'static str, Value)>, Reply),
    /// Several functions of Neovim's API at once; the callback gets whether all of them succeeded.
    Atomic(Vec<Value>, Box<dyn FnOnce(bool) + Send>),
}

pub(super) type Reply = Box<dyn FnOnce(Option<Value>) + Send>;

type CallResult = Result<(), Box<CallError>>;
type CallInFlight = Pin<Box<dyn Future<Output = CallResult> + Send>>;

/// See the module.
pub(super) struct Writer {
    neovim: Neovim<RpcWriter>,
    pending: Arc<Pending>,
    /// Outcomes and replies, oldest first.
    waiting: VecDeque<Call>,
    /// What goes out next, before anything else.
    staged: Option<Call>,
    /// When the last frame went out.
    last_frame: Option<Instant>,
}

impl Writer {
    pub(super) fn new(neovim: Neovim<RpcWriter>, pending: Arc<Pending>) -> Self {
        Self { neovim, pending, waiting: VecDeque::new(), staged: None, last_frame: None }
    }

    /// Makes the calls until the last handle is dropped, or the channel is broken.
    pub(super) async fn run(mut self, mut outgoing: mpsc::UnboundedReceiver<Outgoing>) -> CallResult {
        self.introduce().await?;
        let mut under_way: Option<CallInFlight> = None;
        loop {
            if under_way.is_none() {
                under_way = self.next();
            }
            let due = self.next_frame().filter(|_| under_way.is_none());
            tokio::select! {
                tell = outgoing.recv() => match tell {
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
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
            }
        }
    }

    /// Sends the host's version, which Lua compares before it sends anything.
    async fn introduce(&mut self) -> CallResult {
        let version = env!("CARGO_PKG_VERSION");
        let parts = ["major", "minor", "patch"].into_iter().zip(version.split('.'));
        let parts =
            parts.map(|(name, n)| (name.into(), n.parse::<u64>().unwrap_or_default().into())).collect();
        self.neovim.set_client_info("botglue", parts, "remote", vec![], vec![]).await?;
        let hello = value(serde_json::json!({ "version": version, "pid": std::process::id() }));
        self.make(Call::Apply(vec![("ready", hello)])).await
    }

    /// When the next frame may go out; none if nothing waits.
    fn next_frame(&self) -> Option<Instant> {
        let is_changed = self.pending.lock().is_changed;
        is_changed.then(|| self.last_frame.map_or_else(Instant::now, |last| last + BETWEEN))
    }

    fn next(&mut self) -> Option<CallInFlight> {
        let call = self.staged.take().or_else(|| self.choose())?;
        Some(Box::pin(self.make(call)))
    }

    fn make(&self, call: Call) -> impl Future<Output = CallResult> + Send + use<> {
        let neovim = self.neovim.clone();
        async move {
            match call {
                Call::Apply(calls) => apply(&neovim, calls).await.map(drop),
                Call::Ask(calls, done) => {
                    done(apply(&neovim, calls).await?);
                    Ok(())
                }
                Call::Atomic(calls, done) => atomic(&neovim, calls, done).await,
            }
        }
    }

    /// What observers are to see goes out before a frame or an outcome that shows the same. That one is made at the
    /// same moment, so that it can show nothing newer, and goes next, so that much talk keeps nothing waiting.
    fn choose(&mut self) -> Option<Call> {
        let next_frame = self.next_frame();
        let now = Instant::now();
        let is_due = next_frame.is_some_and(|next| now >= next);
        let mut updates = self.pending.lock();
        let mut next = take_together(&mut self.waiting);
        if next.is_none() && is_due {
            next = updates.frame().map(|frame| Call::Apply(vec![("jobs", frame)]));
            if next.is_some() {
                self.last_frame = Some(now);
            }
        }
        match updates.observed.take() {
            Some(observed) => {
                self.staged = next;
                Some(Call::Apply(vec![("jobs", observed)]))
            }
            None => next,
        }
    }
}

/// The calls that report the state of the buffer. If its text is needed, it comes between two of them: the first one
/// says whose text it is, the second one where the marks are in it.
pub(super) fn contact(buffer: u64, scope: ContactScope) -> Vec<Value> {
    let lua = "require('botglue.editor.capture').report(...)";
    let report = call("nvim_exec_lua", vec![lua.into(), Value::Array(vec![buffer.into()])]);
    if scope != ContactScope::Text {
        return vec![report];
    }
    let attach = call("nvim_buf_attach", vec![buffer.into(), true.into(), Value::Map(Vec::new())]);
    let mut calls = detach(buffer);
    // Neovim sends the text to those alone that are not attached.
    calls.extend([report.clone(), attach, report]);
    calls
}

/// The calls after which nothing comes. To one who is not attached they do nothing.
pub(super) fn detach(buffer: u64) -> Vec<Value> {
    vec![call("nvim_buf_detach", vec![buffer.into()])]
}

fn call(function: &str, arguments: Vec<Value>) -> Value {
    Value::Array(vec![function.into(), Value::Array(arguments)])
}

/// Waits for the call that is under way; for ever when there is none.
async fn finished(under_way: &mut Option<CallInFlight>) -> CallResult {
    let Some(call) = under_way else { return std::future::pending().await };
    let result = call.await;
    *under_way = None;
    result
}

/// Takes out what goes in the next call: as many consecutive functions of the plugin as may, up to one that is asked for
/// a reply. Each call takes the editor longer than most of what they do.
fn take_together(waiting: &mut VecDeque<Call>) -> Option<Call> {
    let mut together = Vec::new();
    while together.len() < TOGETHER {
        match waiting.pop_front() {
            Some(Call::Apply(calls)) => together.extend(calls),
            Some(Call::Ask(calls, done)) if together.len() <= BEFORE_A_REPLY => {
                together.extend(calls);
                return Some(Call::Ask(together, done));
            }
            Some(other) if together.is_empty() => return Some(other),
            Some(other) => {
                waiting.push_front(other);
                break;
            }
            None => break,
        }
    }
    (!together.is_empty()).then_some(Call::Apply(together))
}

/// One call to `botglue.apply`: what the last of these functions gave, or none if it failed.
async fn apply(
    neovim: &Neovim<RpcWriter>,
    calls: Vec<(&'static str, Value)>,
) -> Result<Option<Value>, Box<CallError>> {
    let call = |(name, argument): (&str, Value)| Value::Array(vec![name.into(), argument]);
    let calls: Vec<Value> = calls.into_iter().map(call).collect();
    let code = "return require('botglue.apply').all(...)";
    let reply = ignore_lua_error("all", neovim.exec_lua(code, vec![Value::Array(calls)]).await)?;
    let Some(Value::Array(mut reply)) =
        reply.filter(|reply| reply.as_array().is_some_and(|all| !all.is_empty()))
    else {
        return Ok(None);
    };
    for failed in reply[1..].chunks(2) {
        let [call, message] = failed else { continue };
        let (call, message) = (call.as_str(), message.as_str().unwrap_or_default());
        report(call.unwrap_or_default(), message);
    }
    Ok(Some(reply.swap_remove(0)))
}

/// Makes the calls, and returns whether all of them succeeded.
async fn atomic(
    neovim: &Neovim<RpcWriter>,
    calls: Vec<Value>,
    done: Box<dyn FnOnce(bool) + Send>,
) -> CallResult {
    let results = ignore_lua_error("call_atomic", neovim.call_atomic(calls).await)?;
    // The results, and then the error that ended them.
    let went_well = results.is_some_and(|results| results.get(1).is_some_and(Value::is_nil));
    tracing::debug!(went_well, "several calls at once");
    done(went_well);
    Ok(())
}

fn report(call: &str, message: &str) {
    // What Lua raises may quote a buffer.
    tracing::error!(call, message_bytes = message.len(), "the editor's side failed");
    tracing::debug!(call, message, "what Lua raised");
}

/// What a call gave. An error in Lua is logged and no reason to end; a broken channel is.
fn ignore_lua_error<T>(
    name: &'static str,
    result: Result<T, Box<CallError>>,
) -> Result<Option<T>, Box<CallError>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match *error {
            CallError::NeovimError(_, ref message) => {
                report(name, message);
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
            Some(Call::Apply(calls) | Call::Ask(calls, _)) => calls.iter().map(|(name, _)| *name).collect(),
            Some(Call::Atomic(..)) => vec!["atomic"],
            None => Vec::new(),
        }
    }

    fn apply(name: &'static str) -> Call {
        Call::Apply(vec![(name, Value::Nil)])
    }

    #[test]
    fn functions_that_follow_each_other_go_in_one_call() {
        let ask = || Call::Ask(vec![("write", Value::Nil)], Box::new(|_| {}));
        let mut waiting = VecDeque::from([apply("jobs"), apply("warn"), ask(), apply("stored")]);
        waiting.push_back(Call::Atomic(Vec::new(), Box::new(|_| {})));
        waiting.extend([ask(), ask()]);
        let mut taken = Vec::new();
        while !waiting.is_empty() {
            taken.push(names(take_together(&mut waiting)));
        }
        let first = vec!["jobs", "warn", "write"];
        assert_eq!(taken, [first, vec!["stored"], vec!["atomic"], vec!["write"], vec!["write"]]);
        assert!(take_together(&mut waiting).is_none());
    }

    #[test]
    fn no_call_is_longer_than_an_editor_may_stall() {
        let mut waiting: VecDeque<Call> = (0..=TOGETHER).map(|_| apply("jobs")).collect();
        assert_eq!(names(take_together(&mut waiting)).len(), TOGETHER);
        assert_eq!(names(take_together(&mut waiting)).len(), 1);
        waiting.extend((0..=BEFORE_A_REPLY).map(|_| apply("jobs")));
        waiting.push_back(Call::Ask(vec![("write", Value::Nil)], Box::new(|_| {})));
        assert_eq!(names(take_together(&mut waiting)).len(), BEFORE_A_REPLY + 1, "without the write");
    }
}
