//! The host: one loop over one closed [`Message`] enum. It owns the jobs and the queue, and ends them all
//! when the editor goes away.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::editor::{Change, Editor};
use crate::job::{self, Job, Surroundings};
use crate::land;
use crate::request::Request;
use crate::rpc::Command;
use crate::store::Transcripts;
use crate::stream::{Outcome, Update};

/// Everything that can happen to the host.
#[derive(Debug)]
pub enum Message {
    /// The editor asks for something.
    Command(Command),
    /// The connection to the editor has ended.
    Disconnected,
    /// The system asks the host to end.
    Terminate,
}

/// The jobs of one Neovim.
pub struct Host {
    editor: Editor,
    surroundings: Surroundings,
    /// Jobs whose agent has not ended yet, decided or not.
    running: BTreeMap<u64, Running>,
    /// Jobs that wait for a place, oldest first.
    queue: VecDeque<Arc<Request>>,
}

struct Running {
    request: Arc<Request>,
    job: Job,
}

impl Host {
    /// A host without jobs.
    pub fn new(editor: Editor, surroundings: Surroundings) -> Self {
        Self { editor, surroundings, running: BTreeMap::new(), queue: VecDeque::new() }
    }

    /// Handles messages and the jobs' events until the editor or the system ends it; then ends all jobs.
    pub async fn run(
        mut self,
        mut messages: mpsc::UnboundedReceiver<Message>,
        mut events: mpsc::UnboundedReceiver<(u64, job::Event)>,
    ) {
        loop {
            tokio::select! {
                message = messages.recv() => match message {
                    Some(Message::Command(command)) => self.command(command),
                    Some(Message::Disconnected | Message::Terminate) | None => break,
                },
                Some((id, event)) = events.recv() => self.event(id, event),
            }
        }
        self.shut_down().await;
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Run(request) => self.accept(*request),
            Command::Reject { id, error } => {
                tracing::warn!(job = id, %error, "rejected");
                self.editor.reject(id, error);
            }
            Command::Landed { id, landing, held_for } => {
                tracing::info!(job = id, landing, held_for, "landed");
            }
            Command::Unknown(what) => tracing::warn!(what, "a notification that this host does not know"),
        }
    }

    fn accept(&mut self, request: Request) {
        tracing::info!(
            job = request.id,
            agent = request.agent.name,
            program = request.agent.command.first(),
            cwd = %request.cwd.display(),
            path = request.path,
            lines = request.selection.rows.len(),
            "accepted"
        );
        self.queue.push_back(Arc::new(request));
        self.start_waiting();
    }

    /// Starts as many waiting jobs as there are places, and tells the rest where they stand.
    fn start_waiting(&mut self) {
        while self.queue.front().is_some_and(|next| self.running.len() < next.max_parallel.max(1)) {
            let Some(request) = self.queue.pop_front() else { break };
            let mut surroundings = self.surroundings.clone();
            if !request.record {
                surroundings.transcripts = Transcripts::none();
            }
            let job = Job::start(Arc::clone(&request), surroundings);
            self.running.insert(request.id, Running { request, job });
        }
        for (index, request) in self.queue.iter().enumerate() {
            self.editor.change(request.id, Change::Queued { position: index + 1 });
        }
    }

    fn event(&mut self, id: u64, event: job::Event) {
        match event {
            job::Event::Started { pgid } => self.editor.change(id, Change::Started { pgid }),
            job::Event::Update(Update::Malformed { line, reason, start }) => {
                tracing::debug!(job = id, line, reason, start, "not a line of the protocol");
            }
            job::Event::Update(update) => self.editor.change(id, Change::Update(update)),
            job::Event::Finished(outcome) => self.finish(id, outcome),
            job::Event::Amended(outcome) => self.editor.amend(id, outcome),
            job::Event::Gone => {
                self.running.remove(&id);
                self.editor.change(id, Change::Gone);
                self.start_waiting();
            }
        }
    }

    fn finish(&mut self, id: u64, outcome: Box<Outcome>) {
        tracing::info!(job = id, error = ?outcome.error, held_for = ?outcome.held_for, "decided");
        let request = self.running.get(&id).map(|running| &running.request);
        let landing = match (request, &outcome.text, &outcome.error) {
            (Some(request), Some(text), None) => Some(land::prepare(request, text)),
            _ => None,
        };
        self.editor.finish(id, outcome, landing.map(Box::new));
    }

    /// Ends every agent. Neovim kills the host 1.9 s after `:qa`, so this takes 1.5 s at the most.
    async fn shut_down(self) {
        tracing::info!(running = self.running.len(), queued = self.queue.len(), "ending");
        // The orders go out together; each job then takes its own grace.
        let stops: Vec<_> =
            self.running.into_values().map(|running| tokio::spawn(running.job.stop())).collect();
        for stop in stops {
            if let Err(error) = stop.await {
                tracing::error!(%error, "a job did not end");
            }
        }
    }
}
