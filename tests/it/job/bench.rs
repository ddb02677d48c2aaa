//! A bench for one job: it makes requests, starts the agent and waits for what the job reports.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use botglue::agent::Protocol;
use botglue::editor;
use botglue::error::Code;
use botglue::job::EmptyDirectory;
use botglue::job::{
    self, Groups, Job, JobContext, JobEvent, Launch, Observers, Prewarm, PrewarmEvent, Prewarmed,
};
use botglue::options::Options;
use botglue::request::{self, Request};
use botglue::store::Transcripts;
use botglue::stream::Outcome;
use rmpv::Value;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::{DEADLINE, POLL};

/// How long a process that was killed may take to go: one with much memory needs a moment.
const KILLED_IS_GONE: Duration = Duration::from_secs(2);

/// A started job and what it tells.
pub struct Started {
    pub job: Option<Job>,
    events: mpsc::UnboundedReceiver<(u64, JobEvent)>,
    pub transcripts: Transcripts,
    observers: Observers,
    pub(super) pgid: Option<i32>,
    outcome: Option<Outcome>,
    pub(super) amended: Option<Outcome>,
}

/// A folder with one agent in it.
pub struct Bench {
    pub dir: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn request(&self, protocol: Protocol, command: &[&str]) -> Request {
        let run = json!({
            "id": 7,
            "buffer": 1,
            "prompt": "the-secret-prompt",
            "agent": "mine",
            "agents": { "mine": {
                "protocol": protocol.dialect().name,
                "command": command,
                "env": { "DIR": self.dir.path() },
            } },
            "context": {},
            "status": {},
            "tools": ["Read"],
            "timeout": DEADLINE.as_secs_f64(),
            "max_parallel": 1,
            "record": true,
            "cwd": self.dir.path(),
            "filetype": "lua",
            "selection": { "kind": "line", "first_line": 1, "last_line": 1, "text": ["the-secret-code"], "beside": {} },
        });
        let run = Value::Map(editor::fields(run));
        request::decode(&run, &Options::decode(&run).unwrap()).unwrap()
    }

    /// An agent that is `script`. (Not executed itself: another test's fork may hold it open for writing.)
    pub fn agent(&self, protocol: Protocol, script: &str) -> Request {
        let file = self.path("agent");
        fs::write(&file, script).unwrap();
        self.request(protocol, &["/bin/sh", file.to_str().unwrap()])
    }

    pub fn start(&self, request: Request) -> Started {
        self.start_with(request, EmptyDirectory::under(Some(self.dir.path().to_owned())), None)
    }

    /// With the agent that was started before.
    pub fn start_prewarmed(&self, request: Request, prewarmed: Option<Prewarmed>) -> Started {
        self.start_with(request, EmptyDirectory::under(Some(self.dir.path().to_owned())), prewarmed)
    }

    /// Starts the agent of this request before its message is there; `tell` hears what becomes of it.
    pub fn prewarm(&self, request: &Request, tell: impl Fn(PrewarmEvent) + Send + 'static) -> Prewarm {
        let empty = EmptyDirectory::under(Some(self.dir.path().to_owned()));
        let launch = Launch::new(&job::invocation(&request.start, ""), &request.start.cwd, &empty).unwrap();
        let mut prewarm = Prewarm::default();
        prewarm.start(1, launch, Groups::default(), tell);
        prewarm
    }

    /// The one transcript that there is.
    pub fn transcript(&self) -> PathBuf {
        only_file(&self.path("transcripts"))
    }

    pub(super) fn start_with(
        &self,
        request: Request,
        empty: EmptyDirectory,
        prewarmed: Option<Prewarmed>,
    ) -> Started {
        let (events, told) = mpsc::unbounded_channel();
        let transcripts = Transcripts::under(self.dir.path());
        let context = JobContext {
            events,
            groups: Groups::default(),
            empty_directory: empty,
            transcripts: transcripts.clone(),
        };
        let observers = Observers::default();
        let job = Some(Job::start(Arc::new(request), context, observers.clone(), prewarmed, 0));
        Started { job, events: told, transcripts, observers, pgid: None, outcome: None, amended: None }
    }

    pub async fn run(&self, request: Request) -> Started {
        let mut started = self.start(request);
        started.run_out().await;
        started.transcripts.close(Instant::now() + DEADLINE).await;
        started
    }
}

impl Started {
    async fn next(&mut self) -> Option<JobEvent> {
        let event = timeout(DEADLINE, self.events.recv()).await.expect("an event of the job");
        event.map(|(id, event)| {
            assert_eq!(id, 7);
            event
        })
    }

    pub(super) async fn started(&mut self) -> i32 {
        match self.next().await {
            Some(JobEvent::Started { pgid }) => {
                self.pgid = Some(pgid);
                pgid
            }
            other => panic!("expected the start, got {other:?}"),
        }
    }

    pub async fn finished(&mut self) -> &Outcome {
        while self.outcome.is_none() {
            let event = self.next().await.expect("the outcome before the end");
            self.take(event);
        }
        self.outcome.as_ref().unwrap()
    }

    /// To `Gone`, which is the last event, with exactly one `Finished` before it.
    pub async fn run_out(&mut self) {
        loop {
            match self.next().await.expect("Gone before the end of events") {
                JobEvent::Gone => break,
                event => self.take(event),
            }
        }
        assert!(self.outcome.is_some(), "gone without an outcome");
        assert!(self.next().await.is_none(), "Gone is last");
        assert_eq!(self.observers.count(), 0, "an observer is left");
        if let Some(pgid) = self.pgid {
            let killed = Instant::now() + KILLED_IS_GONE;
            while group_lives(pgid) {
                assert!(Instant::now() < killed, "something of the group is left");
                tokio::time::sleep(POLL).await;
            }
        }
    }

    fn take(&mut self, event: JobEvent) {
        match event {
            JobEvent::Started { pgid } => self.pgid = Some(pgid),
            JobEvent::Finished(outcome) => {
                assert!(self.outcome.is_none(), "finished twice");
                self.outcome = Some(*outcome);
            }
            JobEvent::Amended(outcome) => self.amended = Some(*outcome),
            JobEvent::Recording(_) | JobEvent::Models(_) => {}
            JobEvent::Gone => panic!("gone too early"),
        }
    }

    pub fn outcome(&self) -> &Outcome {
        self.outcome.as_ref().expect("it has finished")
    }

    pub fn code(&self) -> Option<Code> {
        self.outcome.as_ref().and_then(|outcome| outcome.error.as_ref()).map(|error| error.code)
    }

    pub fn message(&self) -> &str {
        self.outcome.as_ref().and_then(|outcome| outcome.error.as_ref()).map_or("", |error| &error.message)
    }

    pub fn text(&self) -> Option<&str> {
        self.outcome.as_ref().and_then(|outcome| outcome.text.as_deref())
    }
}

pub fn group_lives(pgid: i32) -> bool {
    // A zombie that was not reaped yet does not count as a process.
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    processes.flatten().filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok()).any(|stat| {
        let mut fields = stat.rsplit(") ").next().unwrap_or("").split(' ');
        let state = fields.next();
        fields.nth(1).and_then(|group| group.parse().ok()) == Some(pgid) && state != Some("Z")
    })
}

pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(super) fn only_file(folder: &Path) -> PathBuf {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    files.remove(0)
}
