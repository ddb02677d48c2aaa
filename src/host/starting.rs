//! Starts jobs: a request is accepted and stored, waits for a place, and runs; and the agent that is started while a
//! prompt is typed.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Host;
use super::queue::{QueuedJob, RunningJob};
use crate::editor::StateChange;
use crate::error::{Code, JobError};
use crate::job::Job;
use crate::journal::{self, Change, CountedBefore};
use crate::land::Capture;
use crate::request::{self, Request, Wanted};
use crate::store::Transcripts;

impl Host {
    /// Starts the job that these fields and the options describe; one of which something is wrong fails.
    pub(super) fn requested(&mut self, id: u64, run: &Value) {
        let options = self.options.as_ref().map_err(|error| JobError::new(Code::BadRequest, error.clone()));
        let request = match run["lost"].as_str() {
            Some(why) => Err(JobError::new(Code::RateLimited, why)),
            None => options.and_then(|options| request::decode(run, options)),
        };
        let request = request.map(|request| self.with_replaced(request));
        if let Some(waiting) = self.jobs.recalled.remove(&id) {
            return self.run_again(&waiting, request);
        } else if self.session.known(id).is_some() {
            tracing::warn!(job = id, "request dropped: another job has this id");
            return;
        }
        match request {
            Ok(request) => self.accept(request),
            Err(error) => {
                let (code, message_bytes) = (error.code.name(), error.message.len());
                tracing::warn!(job = id, error = code, message_bytes, "rejected");
                let told = self.session.rejected(id, Wanted::of_run(run), &error);
                self.tell(told);
            }
        }
    }

    /// With what was said before, where it is to replace a held answer and its agent does not know that.
    fn with_replaced(&mut self, request: Request) -> Request {
        let old = request.replaces.filter(|_| request.start.resume.is_none());
        let prompt = old.and_then(|id| self.session.known(id)).and_then(|known| known.wanted.prompt.clone());
        let answer = old.and_then(|id| self.session.answer(id)).map(|answer| answer.lines().join(&b'\n'));
        let answer = answer.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Request { replaced: prompt.zip(answer), ..request }
    }

    /// Stores a request and starts its job, or lets it wait.
    fn accept(&mut self, mut request: Request) {
        tracing::info!(
            job = request.job.id,
            agent = request.start.agent.name,
            program = request.start.agent.command.first(),
            cwd = %request.start.cwd.display(),
            path = request.job.path,
            lines = request.job.selection.rows.len(),
            "accepted"
        );
        let (id, prewarmed) = (request.job.id, request.prewarmed);
        // First, also while this host is ending: the next host may then run it.
        self.accepted(&mut request);
        self.board.open(&request);
        self.teach();
        self.prompt_sent(prewarmed, &request.job.prompt);
        self.show_job(&request);
        self.jobs.wait(QueuedJob::new(request));
        self.start_waiting();
        if self.jobs.running(id).is_none() {
            // Sent once: jobs start in the order in which they came, so the editor can count their positions itself.
            self.editor.change(id, StateChange::Queued(None));
        }
        // A queued job may wait long, so its prewarmed agent is stopped.
        drop(prewarmed.and_then(|prompt| self.prewarm.hand_over(prompt)));
    }

    /// Stores a request that is accepted now.
    pub(super) fn accepted(&mut self, request: &mut Request) {
        request.job.started_ms = journal::now_ms();
        self.session.accepted(request);
        self.store.journal.append(request.job.id, Change::Accepted(Box::new(request.job.clone())));
    }

    /// Shows a job that is about to begin.
    pub(super) fn show_job(&self, request: &Request) {
        let lines = Some(request.options.status.preview).filter(|lines| *lines > 0);
        let preview = lines.map(|lines| Capture::new(request, lines));
        self.editor.watch(request.job.id, preview, request.observe);
    }

    /// Starts queued jobs until the limit of running jobs is reached.
    pub(super) fn start_waiting(&mut self) {
        if self.is_ending {
            return;
        }
        while let Some(waiting) = self.jobs.next_to_run() {
            let id = waiting.request.job.id;
            self.session.limited(id, false);
            if waiting.is_stale {
                self.editor.recall(json!({ "id": id, "request": waiting.request.wanted }));
                self.jobs.recalled.insert(id, waiting);
            } else {
                self.start(waiting);
            }
        }
    }

    /// Starts a job.
    pub(super) fn start(&mut self, asked: QueuedJob) {
        let (id, request) = (asked.request.job.id, Arc::clone(&asked.request));
        let mut context = self.context.clone();
        if !request.options.record {
            context.transcripts = Transcripts::default();
        }
        let prewarmed = request.prewarmed.and_then(|prompt| self.prewarm.hand_over(prompt));
        let start = &request.start;
        if let Some(resume) = &start.resume {
            let (agent, session) = (start.agent.name.clone(), resume.session_id.clone());
            self.ask_store(
                move |asker| asker.counted(&agent, &session),
                move |host, counted| {
                    // The job may have ended by then, or the database may not know it.
                    if let Some(running) = host.jobs.running(id) {
                        running.before = counted.ok();
                    }
                },
            );
        }
        let before = start.resume.is_none().then(CountedBefore::default);
        let observer = self.editor.observer(id);
        let job = Some(Job::start(request, context, observer, prewarmed, asked.earlier.tools));
        let running = RunningJob { asked, transcript: None, before, waits: None, job };
        self.jobs.running.insert(id, running);
    }
}
