//! Starts jobs: a request is accepted and stored, waits for a place, and runs; and the agent that is started while a
//! prompt is typed.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::Host;
use super::jobs::{Before, QueuedJob, RunningJob};
use super::subscriptions::Subscriptions;
use super::views::Found;
use crate::agent;
use crate::editor::StateChange;
use crate::job::{self, Job, Launch, PrewarmEvent};
use crate::journal::{self, Change, CountedBefore};
use crate::record;
use crate::request::{PrewarmRequest, Request};
use crate::store::Transcripts;

impl Host {
    /// Stores a request and starts its job, or lets it wait.
    pub(super) fn accept(&mut self, request: Request) {
        if self.jobs.subscriptions(request.id).is_some() {
            tracing::warn!(job = request.id, "request dropped: another job has this id");
            return;
        }
        tracing::info!(
            job = request.id,
            agent = request.start.agent.name,
            program = request.start.agent.command.first(),
            cwd = %request.start.cwd.display(),
            path = request.path,
            lines = request.selection.rows.len(),
            "accepted"
        );
        let (id, prewarmed) = (request.id, request.prewarmed);
        let since_ms = journal::now_ms();
        self.session.accepted(&request, since_ms);
        self.begin_progress(&request);
        self.board.open(&request);
        // The request is stored first, also while this host is ending: the next host may then run it.
        let accepted = Change::Accepted(Box::new(record::accepted(&request, since_ms)));
        self.store.journal.append(request.id, accepted);
        let subscriptions = Subscriptions::new(&request, &self.editor);
        self.jobs.wait(QueuedJob { request: Arc::new(request), since_ms, subscriptions });
        self.start_waiting();
        if self.jobs.running(id).is_none() {
            // Sent once: jobs start in the order in which they came, so the editor can count their positions itself.
            self.editor.change(id, StateChange::Queued);
        }
        // A queued job may wait long, so its prewarmed agent is stopped.
        drop(prewarmed.and_then(|token| self.prewarm.hand_over(token)));
    }

    /// Starts the agent for a prompt that is being typed, if its protocol lets it wait for a message.
    pub(super) fn prewarm(&mut self, request: &PrewarmRequest) {
        let invocation = job::invocation(&request.start, "");
        if self.is_ending || !agent::waits(&invocation) {
            return;
        }
        let launch = match Launch::new(&invocation, &request.start.cwd, &self.context.empty_directory) {
            Ok(launch) => launch,
            // The job that would claim this agent reports the error.
            Err(error) => return tracing::debug!(%error, "the agent was not prewarmed"),
        };
        let (found, agent) = (Arc::clone(&self.views.tell), request.start.agent.name.clone());
        let tell = move |event| {
            if let PrewarmEvent::Models(models) = event {
                found(Found::Models { agent: agent.clone(), models });
            }
        };
        self.prewarm.start(request.token, launch, self.context.groups.clone(), tell);
    }

    /// Starts queued jobs until the limit of running jobs is reached.
    pub(super) fn start_waiting(&mut self) {
        if self.is_ending {
            return;
        }
        while let Some(QueuedJob { request, since_ms, subscriptions }) = self.jobs.next_to_run() {
            let mut context = self.context.clone();
            if !request.record {
                context.transcripts = Transcripts::default();
            }
            let prewarmed = request.prewarmed.and_then(|token| self.prewarm.hand_over(token));
            let start = &request.start;
            let before = start.resume.as_ref().map_or(Before::Known(CountedBefore::default()), |resume| {
                let (agent, session) = (start.agent.name.clone(), resume.session_id.clone());
                let (send, counted) = oneshot::channel();
                // None comes where the database does not know it in time. The job may have ended.
                let then = move |counted: Result<_, _>| _ = counted.map(|counted| send.send(counted).is_ok());
                self.store.ask(move |asker| asker.counted(&agent, &session), then);
                Before::Asked(counted)
            });
            let job = Job::start(Arc::clone(&request), context, subscriptions.observers().clone(), prewarmed);
            let (transcript, job) = (None, Some(job));
            self.jobs.run(RunningJob { request, since_ms, transcript, subscriptions, before, job });
        }
    }
}
