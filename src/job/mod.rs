//! One job: a handle for the host and a private task that owns the agent's process and its stream. The task knows no
//! other job and no editor: it sends the agent's updates to the job's [`Observer`], and reports to the host with
//! [`JobEvent`]s.
//!
//! A job reports `Finished` exactly once, as soon as its outcome is decided, and `Gone` exactly once and last, when
//! nothing of its process is left. Between the two the agent may still be ending.

mod empty;
mod event_sink;
mod files;
mod groups;
mod launch;
mod lifetime;
mod prewarm;
mod process;
mod program;
mod recording;
mod running;
mod task;
mod version;

use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

pub use empty::EmptyDirectory;
pub use files::files;
pub use groups::Groups;
pub use launch::Launch;
pub use prewarm::{Prewarm, Prewarmed};
pub use program::{find_program, search_path};
pub use version::version;

use crate::request::Request;
use crate::store::Transcripts;
use crate::stream::{Outcome, Update};
use event_sink::EventSink;

/// Hears the updates of a job, in the job's own task, as things happen and before the host hears of them: so it must not
/// wait.
pub type Observer = Box<dyn FnMut(&Update) + Send>;

/// What a job reports to the host.
#[derive(Debug)]
pub enum JobEvent {
    /// The agent runs. Its raw stream is kept in this file.
    Started(Option<PathBuf>),
    /// The models that the agent offers.
    Models(Vec<String>),
    /// The outcome is decided.
    Finished(Box<Outcome>),
    /// The same outcome with the amounts of later results in the same stream.
    Amended(Box<Outcome>),
    /// Nothing of the agent is left.
    Gone,
}

/// Where the events of jobs go, each with the job's id.
pub type Events = Arc<dyn Fn(u64, JobEvent) + Send + Sync>;

/// What a job needs from the host.
#[derive(Clone)]
pub struct JobContext {
    /// Where its events go, each with the job's id.
    pub events: Events,
    /// Where its process group is entered while it lives.
    pub groups: Groups,
    /// The working directory of agents that load settings from the current one.
    pub empty_directory: EmptyDirectory,
    /// Where its raw stream is kept.
    pub transcripts: Transcripts,
}

/// A started job. Dropping the handle stops the agent: first with SIGTERM to its group, then by force.
#[derive(Debug)]
pub struct Job {
    /// Dropping it is the order to stop.
    _stop: DropGuard,
    task: JoinHandle<()>,
}

impl Job {
    /// Starts `request` on its own task, with the prewarmed agent if it was started in the same way. It shows
    /// the observer what happens; where the job has run before, `earlier_tools` is how many tools it has called.
    pub fn start(
        request: Arc<Request>,
        context: JobContext,
        observer: Observer,
        prewarmed: Option<Prewarmed>,
        earlier_tools: usize,
    ) -> Self {
        let stop = CancellationToken::new();
        let span = tracing::info_span!("job", id = request.job.id);
        let sink = EventSink::new(request.job.id, Arc::clone(&context.events), observer, earlier_tools);
        let task = tokio::spawn(task::run(request, context, sink, prewarmed, stop.clone()).instrument(span));
        Self { _stop: stop.drop_guard(), task }
    }

    /// Stops the agent and waits until nothing of it is left.
    pub async fn stop(self) {
        let Self { _stop: stop, task } = self;
        drop(stop);
        if let Err(error) = task.await {
            tracing::error!(%error, "a job's task did not end by itself");
        }
    }
}
