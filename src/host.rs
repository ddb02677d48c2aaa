//! The host: one loop over the closed enum [`HostMessage`]. It owns the jobs, starts and ends them, and reports their
//! outcomes and landings to the store and the editor. It ends all jobs when the editor is gone.

mod find;
mod jobs;
mod subscriptions;
mod transcript;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::agent::{self, Invocation};
use crate::editor::{Editor, StateChange};
use crate::error::JobError;
use crate::job::{self, Job, JobContext, Launch, Prewarm, PrewarmEvent};
use crate::land::{self, HeldFor};
use crate::memory;
use crate::message;
use crate::mirror::{self, Feed, Intent, RangeOnDisk, SettledIntent, Settlement};
use crate::record;
use crate::request::{Observe, PrewarmRequest, Request, TranscriptRequest};
use crate::rpc::{Command, List};
use crate::store::{self, Amounts, Database, FullJob, Info, Landed, Listed, Query, Transcripts};
use crate::stream::{AnswerDoubt, Outcome};
use crate::view::{self, Viewer};
use jobs::{Jobs, QueuedJob, RunningJob};
use subscriptions::Subscriptions;

/// How long the host still reads the editor's input once it has to end: notifications from before `:qa` may still be in
/// the pipe, and Neovim kills the host 1.9 s after `:qa`.
const LAST_WORDS: Duration = Duration::from_millis(1300);
/// How long the store may write once the host has to end, counted from the same moment.
const STORE_DEADLINE: Duration = Duration::from_millis(1700);

/// Everything that can happen to the host.
#[derive(Debug)]
pub enum HostMessage {
    /// The editor asks for something.
    Command(Command),
    /// An intent for the range of a job was settled.
    Settled(SettledIntent),
    /// The range of a job in its file, after a write.
    RangeOnDisk(RangeOnDisk),
    /// The file of a job has this name now.
    Renamed {
        /// The job's id.
        job: u64,
        /// The name.
        path: Vec<u8>,
    },
    /// The connection to the editor has ended, and all that came of what it said is here.
    Disconnected,
    /// The system asks the host to end, or the editor is going or gone.
    Terminate,
}

/// The jobs of one Neovim.
pub struct Host {
    editor: Editor,
    /// Sends events to the mirrors, which follow the ranges of the jobs.
    feed: Feed,
    database: Database,
    context: JobContext,
    jobs: Jobs,
    /// The agent of the prompt that is being typed. It counts neither as running nor as waiting.
    prewarm: Prewarm,
    /// The jobs that had not ended when the user left Neovim.
    interrupted: Vec<u64>,
    /// Whether the host is ending: then it starts no agent.
    is_ending: bool,
}

/// How much of the editor's input the host has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InputProgress {
    /// The host was told to end; there may be more input.
    Partial,
    /// The pipe is closed, and all that came through it is handled.
    Complete,
}

impl Host {
    /// A host without jobs.
    pub fn new(editor: Editor, feed: Feed, database: Database, context: JobContext) -> Self {
        Self {
            editor,
            feed,
            database,
            context,
            jobs: Jobs::default(),
            prewarm: Prewarm::default(),
            interrupted: Vec::new(),
            is_ending: false,
        }
    }

    /// Handles messages and job events until the editor or the system ends the host; then ends all jobs, and meanwhile
    /// reads the rest of the editor's input.
    pub async fn run(
        mut self,
        mut messages: mpsc::UnboundedReceiver<HostMessage>,
        mut events: mpsc::UnboundedReceiver<(u64, job::JobEvent)>,
    ) {
        let mut heard = self.listen(&mut messages, &mut events).await;
        let since = Instant::now();
        let stopping = self.stop_agents();
        while heard == InputProgress::Partial {
            let listening = self.listen(&mut messages, &mut events);
            let Ok(more) = timeout_at(since + LAST_WORDS, listening).await else {
                tracing::warn!("deadline passed before the end of the editor's input");
                break;
            };
            heard = more;
        }
        if let Err(error) = stopping.await {
            tracing::error!(%error, "the agents did not end");
        }
        // Answers that have arrived by now are stored, though they can no longer land.
        while let Ok((id, event)) = events.try_recv() {
            self.event(id, event);
        }
        if !self.interrupted.is_empty() {
            self.database.interrupt(self.interrupted);
        }
        let until = (since + STORE_DEADLINE).into_std();
        tokio::join!(self.database.close(until), self.context.transcripts.close(until));
    }

    /// Handles messages and job events until the host has to end or the editor's input is closed.
    async fn listen(
        &mut self,
        messages: &mut mpsc::UnboundedReceiver<HostMessage>,
        events: &mut mpsc::UnboundedReceiver<(u64, job::JobEvent)>,
    ) -> InputProgress {
        loop {
            tokio::select! {
                message = messages.recv() => match message {
                    Some(HostMessage::Command(command)) => self.command(command),
                    Some(HostMessage::Settled(settled)) => self.settled(settled),
                    Some(HostMessage::RangeOnDisk(on_disk)) => {
                        self.database.keep_on_disk(on_disk.job, record::on_disk(&on_disk));
                    }
                    Some(HostMessage::Renamed { job, path }) => self.database.keep_on_disk(job, record::renamed(&path)),
                    Some(HostMessage::Terminate) => return InputProgress::Partial,
                    Some(HostMessage::Disconnected) | None => return InputProgress::Complete,
                },
                Some((id, event)) = events.recv() => self.event(id, event),
            }
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Run(request) => self.accept(*request),
            Command::Reject { id, error } => {
                tracing::warn!(
                    job = id,
                    error = error.code.name(),
                    message_bytes = error.message.len(),
                    "rejected"
                );
                self.editor.reject(id, error);
            }
            Command::Landed { id, landed } => self.landed(id, landed),
            Command::Draft { id, draft } => self.database.draft(id, draft),
            Command::Unsent { id, unsent } => self.database.unsent(id, unsent),
            Command::Query { token, query } => self.query(token, query),
            Command::Find { token, wanted } => match wanted {
                Ok(wanted) => find::start(token, wanted, &self.database, &self.feed, &self.editor),
                Err(error) => self.editor.reply(token, Err(error.message)),
            },
            Command::View { token, view } => self.view(token, view),
            Command::Transcript { token, wanted } => self.transcript(token, wanted),
            Command::Held => {
                let editor = self.editor.clone();
                self.database.adopt(move |held| {
                    editor.held(&held.map_err(|error| {
                        tracing::error!(%error, "held answers cannot be read");
                        error.to_string()
                    }));
                });
            }
            Command::Interrupted(ids) => self.interrupted = ids,
            Command::Adopted { uuid, id } => self.database.number(uuid, id),
            Command::Prewarm(wanted) => self.prewarm(&wanted),
            Command::Drop(token) => drop(self.prewarm.hand_over(token)),
            Command::Observe { id, wanted } => self.observe(id, wanted),
            Command::Unobserve { id } => {
                if let Some(subscriptions) = self.jobs.subscriptions(id) {
                    subscriptions.stop_forwarding();
                }
            }
            Command::Unknown(what) => tracing::warn!(what, "unknown notification"),
        }
    }

    fn accept(&mut self, request: Request) {
        if self.jobs.subscriptions(request.id).is_some() {
            tracing::warn!(job = request.id, "request dropped: another job has this id");
            return;
        }
        tracing::info!(
            job = request.id,
            agent = request.agent.name,
            program = request.agent.command.first(),
            cwd = %request.cwd.display(),
            path = request.path,
            lines = request.selection.rows.len(),
            "accepted"
        );
        let (id, prewarmed) = (request.id, request.prewarmed);
        let since_ms = store::now_ms();
        // The request is stored first, also while this host is ending: the next host may then run it.
        self.database.accept(record::accepted(&request, since_ms));
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

    fn prewarm(&mut self, request: &PrewarmRequest) {
        let invocation = Invocation {
            command: &request.agent,
            tools: &request.tools,
            max_turns: request.max_turns,
            max_cost_usd: request.max_cost_usd,
            trust_project: request.trust_project,
            resume: request.resume.as_ref(),
            system: message::SYSTEM,
            message: "",
        };
        if self.is_ending || !agent::waits(&invocation) {
            return;
        }
        let launch = match Launch::new(&invocation, &request.cwd, &self.context.empty_directory) {
            Ok(launch) => launch,
            // The job that would claim this agent reports the error.
            Err(error) => return tracing::debug!(%error, "the agent was not prewarmed"),
        };
        let (editor, token, agent) = (self.editor.clone(), request.token, request.agent.name.clone());
        let tell = move |event| match event {
            PrewarmEvent::Started { pgid } => editor.prewarmed(token, Some(pgid)),
            PrewarmEvent::Models(models) => editor.models(&agent, models),
            PrewarmEvent::Gone => editor.prewarmed(token, None),
        };
        self.prewarm.start(token, launch, self.context.groups.clone(), tell);
    }

    /// Starts queued jobs until the limit of running jobs is reached.
    fn start_waiting(&mut self) {
        if self.is_ending {
            return;
        }
        while let Some(QueuedJob { request, since_ms, subscriptions }) = self.jobs.next_to_run() {
            let mut context = self.context.clone();
            if !request.record {
                context.transcripts = Transcripts::none();
            }
            let prewarmed = request.prewarmed.and_then(|token| self.prewarm.hand_over(token));
            if let Some(resume) = &request.resume {
                self.database.begin(request.id, request.agent.name.clone(), resume.session_id.clone());
            }
            let job = Job::start(Arc::clone(&request), context, subscriptions.observers().clone(), prewarmed);
            let (transcript, counted, job) = (None, Amounts::default(), Some(job));
            self.jobs.run(RunningJob { request, since_ms, transcript, subscriptions, counted, job });
        }
    }

    fn observe(&mut self, id: u64, observe: Observe) {
        let editor = self.editor.clone();
        if let Some(subscriptions) = self.jobs.subscriptions(id) {
            subscriptions.forward(id, observe, &editor);
        }
    }

    fn event(&mut self, id: u64, event: job::JobEvent) {
        match event {
            job::JobEvent::Started { pgid } => self.editor.change(id, StateChange::Started { pgid }),
            job::JobEvent::Recording(path) => self.recording(id, path),
            job::JobEvent::Models(models) => {
                if let Some(running) = self.jobs.running(id) {
                    self.editor.models(&running.request.agent.name, models);
                }
            }
            job::JobEvent::Finished(outcome) => self.finish(id, outcome),
            job::JobEvent::Amended(outcome) => self.amend(id, outcome),
            job::JobEvent::Gone => {
                if let Some(RunningJob { subscriptions, .. }) = self.jobs.remove(id) {
                    tracing::info!(job = id, observers = subscriptions.observers().len(), "gone");
                }
                self.editor.change(id, StateChange::Gone);
                memory::give_back();
                self.start_waiting();
            }
        }
    }

    fn recording(&mut self, id: u64, path: PathBuf) {
        self.editor.recording(id, &path);
        if let Some(running) = self.jobs.running(id) {
            running.transcript = Some(path);
        }
    }

    fn finish(&mut self, id: u64, mut outcome: Box<Outcome>) {
        tracing::info!(
            job = id,
            error = outcome.error.as_ref().map(|error| error.code.name()),
            message_bytes = outcome.error.as_ref().map(|error| error.message.len()),
            held_for = outcome.held_for.map(AnswerDoubt::name),
            "finished"
        );
        let Some(RunningJob { request, since_ms, transcript, counted, .. }) = self.jobs.running(id) else {
            return;
        };
        let landing = match (&outcome.text, &outcome.error) {
            (Some(text), None) => Some(land::prepare(request, text)),
            _ => None,
        };
        if landing.is_none() || request.question {
            self.feed.send(mirror::MirrorEvent::Ended { job: id });
        }
        let record = record::of(request, &outcome, landing.as_ref(), *since_ms, transcript.as_deref());
        *counted = record.amounts;
        // The answer is stored before it is reported: from then on it survives the end of any process.
        let (editor, feed) = (self.editor.clone(), self.feed.clone());
        let buffer = request.buffer;
        let intent = landing.as_ref().filter(|_| !request.question).map(|landing| {
            let held_for = outcome.held_for.map(|_| HeldFor::Raw).or(landing.held_for);
            held_for.map_or_else(|| Intent::Land(bytes(&landing.lines)), Intent::Hold)
        });
        self.database.keep(record, move |job_usage| {
            record::with_job_usage(&mut outcome, &job_usage);
            editor.finish(id, outcome, landing.map(Box::new));
            if let Some(intent) = intent {
                feed.send(mirror::MirrorEvent::Want { buffer, job: id, intent });
            }
        });
    }

    fn amend(&mut self, id: u64, mut outcome: Box<Outcome>) {
        let Some(RunningJob { request, counted, .. }) = self.jobs.running(id) else { return };
        let all = record::amounts(&outcome);
        let more = all.beyond(counted);
        *counted = all;
        let editor = self.editor.clone();
        let resumed = request.resume.is_some();
        self.database.amend(id, more, move |job_usage| {
            match job_usage {
                Some(job_usage) => record::with_job_usage(&mut outcome, &job_usage),
                // The amounts are those of the whole resumed session, and this job's share is unknown.
                None if resumed => return,
                None => {}
            }
            editor.amend(id, &outcome);
        });
    }

    fn landed(&mut self, id: u64, landed: Landed) {
        tracing::info!(job = id, landing = landed.landing, held_for = landed.held_for, "landed");
        if landed.landing != "held" {
            self.feed.send(mirror::MirrorEvent::Ended { job: id });
        }
        let editor = self.editor.clone();
        self.database.land(id, landed, move || {
            editor.stored(id, None);
            // The store keeps an answer in memory until its landing is stored.
            memory::give_back();
        });
    }

    /// Reports what became of an answer to the store and the editor; a held one reaches the editor once it is on the
    /// disk.
    fn settled(&mut self, settled: SettledIntent) {
        let SettledIntent { job: id, settlement, attempt, passage, reply, .. } = settled;
        match settlement {
            Settlement::Refused(why) => {
                tracing::info!(job = id, why = why.name(), "refused");
                self.editor.refused(id, why);
                return;
            }
            // The store keeps nothing of a take: the text shows which hunks were taken.
            Settlement::Taken => return self.editor.stored(id, attempt),
            _ => {}
        }
        let landed = record::landed(settlement, passage.as_ref());
        tracing::info!(job = id, landing = landed.landing, held_for = landed.held_for, "settled");
        let (editor, told) = (self.editor.clone(), landed.clone());
        if let Settlement::Held(_) = settlement {
            // The place and the rows are stored when Neovim writes the file: until then the file does not have them.
            let landed = Landed { place: None, rows: None, ..landed };
            self.database.hold(id, landed, move || editor.landed(id, &told));
        } else {
            self.feed.send(mirror::MirrorEvent::Ended { job: id });
            editor.landed(id, &told);
            if let Some((token, findings)) = reply {
                editor.found(token, findings.fields());
            }
            self.database.land(id, landed, move || {
                if attempt.is_some() {
                    editor.stored(id, attempt);
                }
                memory::give_back();
            });
        }
    }

    fn query(&self, token: u64, query: Result<Query, JobError>) {
        let editor = self.editor.clone();
        match query {
            Ok(query) => self.database.query(query, move |reply| {
                editor.reply(token, reply.map_err(|error| error.to_string()));
            }),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }

    fn view(&self, token: u64, view: Result<(List, Viewer), JobError>) {
        let editor = self.editor.clone();
        match view {
            Ok((List::Jobs(jobs, totals), viewer)) => {
                let table = view::jobs(&jobs, &viewer);
                editor.reply(token, Ok(json!({ "table": table, "totals": totals.words(&viewer) })));
            }
            Ok((List::History(page), viewer)) => self.database.history(page, move |listed| {
                let shown =
                    |listed: Listed| json!({ "table": view::history(&listed, &viewer), "more": listed.more });
                editor.reply(token, listed.map(shown).map_err(|error| error.to_string()));
            }),
            Ok((List::Prompt(key), viewer)) => self.database.job(key, move |job| {
                let shown = |job: FullJob| json!(view::prompt(&job.entry, &viewer));
                editor.reply(token, job.map(shown).map_err(|error| error.to_string()));
            }),
            Ok((List::Info(wanted), viewer)) => self.database.info(wanted, move |info| {
                let shown = |info: Info| {
                    let (tables, note) = view::info(&info, &viewer);
                    json!({ "tables": tables, "note": note })
                };
                editor.reply(token, info.map(shown).map_err(|error| error.to_string()));
            }),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }

    fn transcript(&self, token: u64, request: Result<TranscriptRequest, JobError>) {
        let editor = self.editor.clone();
        match request {
            Ok(request) => self.context.transcripts.read(request.path.clone(), move |file| {
                editor.reply(token, transcript::reply(file, request));
                // The transcript is freed now.
                memory::give_back();
            }),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }

    /// Stops every agent, and starts no more. This takes 1.6 s at most, in a task of its own, while the host goes on.
    fn stop_agents(&mut self) -> JoinHandle<()> {
        let (running, queued) = self.jobs.count();
        tracing::info!(running, queued, "ending");
        self.is_ending = true;
        // All jobs are stopped at the same time; each has its own grace period.
        let stops: Vec<_> = self.jobs.hand_over().into_iter().map(|job| tokio::spawn(job.stop())).collect();
        let mut prewarm = std::mem::take(&mut self.prewarm);
        tokio::spawn(async move {
            prewarm.stop().await;
            for stop in stops {
                if let Err(error) = stop.await {
                    tracing::error!(%error, "a job did not end");
                }
            }
        })
    }
}

fn bytes(lines: &[String]) -> Vec<land::Bytes> {
    lines.iter().map(|line| line.clone().into_bytes()).collect()
}
