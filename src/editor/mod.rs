//! The only holder of the Neovim handle. [`Editor`] is what the rest of the host calls; `writer` is the one task that
//! calls Neovim. Each method of [`Editor`] returns at once.

mod activity;
mod observed;
#[cfg(test)]
mod observer_cost_tests;
mod pending;
mod writer;

use std::sync::Arc;

use nvim_rs::Neovim;
use rmpv::Value;
use serde_json::{Map, Value as Json, json};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio_util::compat::Compat;

use activity::JobState;
pub use activity::StateChange;

use crate::document::Place;
use crate::fields::value;
use crate::job::Observer;
use crate::land::Capture;
use crate::mirror::{self, ContactScope, WriteReply};
use crate::session::{Doing, Patch};
use crate::ui::{self, Chunks};
use pending::Pending;
use writer::{Call, Outgoing, Writer};

/// Where nvim-rs writes to: this process's standard output.
pub type RpcWriter = Compat<pipe::Sender>;

/// The host's end of the writer.
#[derive(Debug, Clone)]
pub struct Editor {
    tell: mpsc::UnboundedSender<Outgoing>,
    pending: Arc<Pending>,
}

impl Editor {
    /// Starts the writer; it calls `gone` when the editor is gone.
    pub fn start(neovim: Neovim<RpcWriter>, gone: impl FnOnce() + Send + 'static) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        let pending = Arc::new(Pending::default());
        let writer = Writer::new(neovim, Arc::clone(&pending));
        tokio::spawn(async move {
            if let Err(error) = writer.run(told).await {
                tracing::info!(%error, "the editor is gone");
                gone();
            }
        });
        Self { tell, pending }
    }

    /// A job's state changed; shown with the next frame.
    pub fn change(&self, id: u64, change: StateChange) {
        self.pending.with(|updates| updates.change(id, change));
    }

    /// Shows a job from now on: what it does, its newest lines of code, and what users' functions want to hear.
    pub fn watch(&self, id: u64, preview: Option<Capture>, is_heard: bool) {
        self.pending.with(|updates| updates.watch(id, preview, is_heard));
    }

    /// What users' functions want to hear of a job that is shown; none of them does any more.
    pub fn forward(&self, id: u64) {
        self.pending.with(|updates| updates.forward(id));
    }

    /// What a job has said last is void, and what its agent says from now on is none of it.
    pub fn void(&self, id: u64) {
        self.pending.with(|updates| updates.void(id));
    }

    /// What the job shows it to.
    pub fn observer(&self, id: u64) -> Observer {
        let pending = Arc::clone(&self.pending);
        Box::new(move |update| pending.with(|updates| updates.update(id, update)))
    }

    /// A job has its outcome: from now on only the end of its agent is shown. Returns its tools, where they have changed
    /// since the last frame.
    pub fn ended(&self, id: u64) -> Option<Value> {
        self.pending.with(|updates| updates.ended(id))
    }

    /// What the agent of a job does at this moment.
    pub fn doing(&self, id: u64) -> Doing {
        self.pending.lock().job(id).map(JobState::doing).unwrap_or_default()
    }

    /// The newest lines of code of a job, none where those that are shown stay, and the rows of its newest tools in this room.
    pub fn newest(&self, id: u64, room: usize) -> (Option<Vec<String>>, Vec<Chunks>) {
        let pending = self.pending.lock();
        pending.job(id).map(|job| (job.code(), ui::tools(job.newest(), room))).unwrap_or_default()
    }

    /// What is shown at the ranges of jobs, each the fields that changed.
    pub fn hang(&self, items: Vec<Json>) {
        self.apply("hang", value(items.into()));
    }

    /// The session of a job that runs, as far as its agent has named it.
    pub fn session(&self, id: u64) -> Option<String> {
        self.pending.lock().job(id)?.session().map(str::to_owned)
    }

    /// What is known of a job by its outcome: told with the call that writes its answer, so that nothing goes before
    /// that, or with what becomes of the answer.
    pub fn outcome(&self, patch: Patch) {
        self.pending.with(|updates| _ = updates.outcomes.insert(patch.id(), patch));
    }

    /// What changed of a job, and with it what is shown at ranges, in order with everything that is said.
    pub fn tell(&self, patch: Patch, hung: Vec<Json>) {
        let patch = match self.take_outcome(patch.id()) {
            Some(outcome) => outcome.and(patch),
            None => patch,
        };
        let hung = (!hung.is_empty()).then(|| ("hang", value(hung.into())));
        let jobs = ("jobs", Value::Array(vec![patch.value()]));
        self.send(Outgoing::Call(Call::Apply(std::iter::once(jobs).chain(hung).collect())));
    }

    fn take_outcome(&self, id: u64) -> Option<Patch> {
        self.pending.with(|updates| updates.outcomes.remove(&id))
    }

    /// The store has what was written for a job by a step; where none is named, what the plugin said became of the
    /// job's answer, and with it all that was written for it before.
    pub fn stored(&self, job: u64, attempt: Option<u64>) {
        self.apply("stored", value(json!({ "job": job, "attempt": attempt })));
    }

    /// Draws what has changed in the host's windows, each call the argument of `apply.view`, and in the prompt, the
    /// argument of `apply.prompt`; the replies to questions come behind what was drawn for them.
    pub fn draw(&self, calls: Vec<Value>, prompt: Option<Json>, replies: Vec<(u64, Result<Json, String>)>) {
        let views = calls.into_iter().map(|call| ("view", call));
        let prompt = prompt.map(|call| ("prompt", value(call)));
        let replies = replies.into_iter().map(|(token, reply)| ("reply", reply_to(token, reply)));
        let calls: Vec<_> = views.chain(prompt).chain(replies).collect();
        if !calls.is_empty() {
            self.send(Outgoing::Call(Call::Apply(calls)));
        }
    }

    /// What a quickfix list says of jobs that were started together.
    pub fn results(&self, results: Json) {
        self.apply("results", value(results));
    }

    /// Has the plugin say how a buffer is, with what is wanted besides. `done` gets whether the buffer exists,
    /// after all that was sent.
    pub fn contact(&self, buffer: u64, scope: ContactScope, done: impl FnOnce(bool) + Send + 'static) {
        self.send(Outgoing::Call(Call::Atomic(writer::contact(buffer, scope), Box::new(done))));
    }

    /// Has the plugin write to a buffer; `done` gets its reply, or none if it failed.
    pub fn write(
        &self,
        buffer: u64,
        call: &mirror::WriteCall,
        done: impl FnOnce(Option<WriteReply>) + Send + 'static,
    ) {
        let done = move |reply: Option<Value>| done(reply.as_ref().and_then(WriteReply::decode));
        let outcomes = call.steps.iter().filter_map(|step| Some(self.take_outcome(step.job)?.value()));
        let outcomes: Vec<Value> = outcomes.collect();
        let told = (!outcomes.is_empty()).then_some(("jobs", Value::Array(outcomes)));
        let calls = told.into_iter().chain([("write", call.value(buffer))]).collect();
        self.send(Outgoing::Call(Call::Ask(calls, Box::new(done))));
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
        self.send(Outgoing::Call(Call::Ask(vec![("places", argument)], Box::new(done))));
    }

    /// Has the plugin show what is proposed of a held answer; `done` is called once it has.
    pub fn show_hunks(&self, calls: Vec<(&'static str, Value)>, done: impl FnOnce() + Send + 'static) {
        if calls.is_empty() {
            return done();
        }
        self.send(Outgoing::Call(Call::Ask(calls, Box::new(move |_| done()))));
    }

    /// Has the plugin make jobs of held answers; `done` gets their ids. It forgets the jobs that were lost.
    pub fn hold(&self, answers: &[Json], lost: &[u64], done: impl FnOnce(Vec<u64>) + Send + 'static) {
        let ids = |reply: Value| Some(reply.as_array()?.iter().filter_map(Value::as_u64).collect());
        let done = move |reply: Option<Value>| done(reply.and_then(ids).unwrap_or_default());
        let told = value(json!({ "answers": answers, "lost": lost }));
        self.send(Outgoing::Call(Call::Ask(vec![("hold", told)], Box::new(done))));
    }

    /// Has the plugin send the request of a job once more, with the text as it is.
    pub fn recall(&self, asked: Json) {
        self.apply("recall", value(asked));
    }

    /// Has Neovim send no more events of a buffer.
    pub fn detach(&self, buffer: u64) {
        self.send(Outgoing::Call(Call::Atomic(writer::detach(buffer), Box::new(|_| {}))));
    }

    /// Something that the user should know.
    pub fn warn(&self, message: String) {
        self.apply("warn", Value::Map(vec![("message".into(), message.into())]));
    }

    /// Something that went wrong, for which no command waits.
    pub fn error(&self, message: String) {
        self.apply("error", Value::Map(vec![("message".into(), message.into())]));
    }

    /// The connection has ended: resolves once the last reply that came has been handed on.
    pub async fn disconnected(&self) {
        let (done, handed_on) = oneshot::channel();
        self.send(Outgoing::Disconnected(done));
        // A writer that has ended has handed all on.
        let _ = handed_on.await;
    }

    fn apply(&self, name: &'static str, argument: Value) {
        self.send(Outgoing::Call(Call::Apply(vec![(name, argument)])));
    }

    fn send(&self, tell: Outgoing) {
        // The writer has ended only when the editor is gone; the host knows by then.
        let _ = self.tell.send(tell);
    }
}

/// The argument of `apply.reply`: the fields of a JSON object, or why there are none.
fn reply_to(token: u64, reply: Result<Json, String>) -> Value {
    let mut fields = match reply {
        Ok(Json::Object(fields)) => fields,
        Ok(_) => Map::new(),
        Err(error) => Map::from_iter([("error".to_owned(), error.into())]),
    };
    fields.insert("token".to_owned(), token.into());
    value(Json::Object(fields))
}
