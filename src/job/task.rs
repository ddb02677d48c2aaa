//! The task of one job: it moves bytes between the agent's pipes and the pure stream, and keeps time.
//!
//! What a line means is decided in `stream`; this room only knows when to read, when to stop the agent and
//! when it has read enough.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::observers::Observers;
use super::prewarm::Ticket;
use super::process::{Groups, Launch, Pipes, Process};
use super::{Event, Surroundings};
use crate::agent::{self, Invocation, Protocol};
use crate::error::JobError;
use crate::message;
use crate::request::Request;
use crate::rules::{self, Rules};
use crate::stream::{End, Exit, Line, Lines, Outcome, Stopped, Stream, Tail, Update};

/// How long an agent may go on living after its outcome is decided, before it is asked to end.
const LINGER: Duration = Duration::from_secs(2);
/// How long an agent that was asked to end may take, before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// The same while Neovim quits: it kills the host 1.9 s after `:qa`.
const GRACE_AT_SHUTDOWN: Duration = Duration::from_secs(1);
/// How long the pipes are read after the agent's end; a grandchild may hold them open for ever.
const DRAIN: Duration = Duration::from_millis(200);
/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;

/// Runs the job to its end. Tells `Finished` once and `Gone` last, whatever happens.
pub(super) async fn run(
    request: Arc<Request>,
    surroundings: Surroundings,
    observers: Observers,
    ticket: Option<Ticket>,
    stop: oneshot::Receiver<()>,
) {
    let mut teller = Teller { id: request.id, surroundings, observers, finished: None };
    let message = message::user(&request, &rules_for(&request));
    let invocation = Invocation {
        command: &request.agent,
        tools: &request.tools,
        max_turns: request.max_turns,
        trust_project: request.trust_project,
        resume: request.resume.as_ref(),
        system: message::SYSTEM,
        message: &message,
    };
    let launch = Launch::new(&invocation, &request.cwd, &teller.surroundings.empty);
    match start(&launch, ticket, &teller.surroundings.groups).await {
        Err(error) => teller.finish(Outcome::failed(error)),
        Ok((process, pipes)) => {
            teller.tell(Event::Started { pgid: process.pgid() });
            let input = agent::input(&invocation);
            Run::new(&request, process, stop).run_out(pipes, input, &mut teller).await;
        }
    }
    // Before the host hears that nothing is left.
    teller.observers.close();
    teller.tell(Event::Gone);
}

/// The agent that was prewarmed for this, else a fresh one.
async fn start(
    launch: &Launch,
    ticket: Option<Ticket>,
    groups: &Groups,
) -> Result<(Process, Pipes), JobError> {
    if let Some(ticket) = ticket
        && let Some(prewarmed) = ticket.redeem(launch).await
    {
        return Ok(prewarmed);
    }
    Process::spawn(launch, groups)
}

/// The project's rules files, unless the CLI reads them itself.
fn rules_for(request: &Request) -> Vec<Rules> {
    let read_by_cli = request.trust_project && request.agent.protocol == Protocol::Claude;
    if request.rules && !read_by_cli { rules::find(&request.cwd) } else { Vec::new() }
}

/// Tells the observers and then the host about one job, and sees to it that `Finished` is told once.
struct Teller {
    id: u64,
    surroundings: Surroundings,
    observers: Observers,
    finished: Option<Outcome>,
}

impl Teller {
    fn tell(&self, event: Event) {
        // The host is gone only when it shuts down; then nobody needs to know.
        let _ = self.surroundings.events.send((self.id, event));
    }

    fn update(&self, update: &Update<'_>) {
        if let Update::Malformed { line, reason, start } = update {
            tracing::debug!(job = self.id, line, reason, start, "not a line of the protocol");
        }
        self.observers.update(update);
    }

    /// The first outcome finishes the job; a later one can only bring further amounts.
    fn finish(&mut self, outcome: Outcome) {
        match &self.finished {
            None => self.tell(Event::Finished(Box::new(outcome.clone()))),
            Some(first) if first.usage != outcome.usage || first.cost_usd != outcome.cost_usd => {
                self.tell(Event::Amended(Box::new(outcome.clone())));
            }
            Some(_) => {}
        }
        self.finished = Some(outcome);
    }
}

impl Drop for Teller {
    /// On every way out, that of a task which is given up too.
    fn drop(&mut self) {
        self.observers.close();
    }
}

/// What the agent is being waited for.
enum Stage {
    /// It works.
    Working,
    /// It was asked to end; at the deadline it is killed.
    Stopping { kill_at: Instant },
    /// It was killed.
    Killed,
    /// It has ended; its pipes are read until the deadline.
    Draining { exit: Exit, until: Instant },
}

/// A running agent with everything that is known of it.
struct Run {
    process: Process,
    stop: Option<oneshot::Receiver<()>>,
    stream: Stream,
    lines: Lines,
    tail: Tail,
    stage: Stage,
    stopped: Option<Stopped>,
    timeout: Duration,
    timeout_at: Instant,
    linger_until: Option<Instant>,
}

impl Run {
    fn new(request: &Request, process: Process, stop: oneshot::Receiver<()>) -> Self {
        let stream = Stream::new(request.agent.protocol, &request.cwd.to_string_lossy());
        Self {
            process,
            stop: Some(stop),
            stream: if request.resume.is_some() { stream.going_on() } else { stream },
            lines: Lines::default(),
            tail: Tail::default(),
            stage: Stage::Working,
            stopped: None,
            timeout: request.timeout,
            timeout_at: Instant::now() + request.timeout,
            linger_until: None,
        }
    }

    async fn run_out(mut self, pipes: Pipes, input: Vec<u8>, teller: &mut Teller) {
        let transcript = teller.surroundings.transcripts.open(teller.id);
        if let Some(path) = transcript.path() {
            teller.tell(Event::Recording(path.to_owned()));
        }
        let recording = teller.observers.register(Box::new(transcript));
        let exit = self.read(pipes, input, teller).await;
        drop(recording);
        let Self { lines, stream, .. } = &mut self;
        lines.finish(&mut |line| feed(stream, line, teller));
        let end = End { exit, stopped: self.stopped.take(), stderr: self.tail.text() };
        tracing::info!(job = teller.id, ?exit, stopped = ?end.stopped, "the agent has ended");
        let outcome = self.stream.end(&end, &mut |update| teller.update(&update));
        teller.finish(outcome);
        self.end_the_rest().await;
    }

    /// Moves bytes until the agent has ended and its pipes are read, or may be read no longer.
    async fn read(&mut self, pipes: Pipes, input: Vec<u8>, teller: &mut Teller) -> Exit {
        let writing = tokio::spawn(write(pipes.stdin, input));
        let (mut stdout, mut stderr) = (Some(pipes.stdout), Some(pipes.stderr));
        let (mut out, mut err) = (vec![0; CHUNK], vec![0; CHUNK]);
        let exit = loop {
            if let (Stage::Draining { exit, .. }, None, None) = (&self.stage, &stdout, &stderr) {
                break *exit;
            }
            let deadline = self.deadline();
            tokio::select! {
                biased;
                // Orders and deadlines first: an agent that prints without a pause must not outlive them.
                () = ordered(&mut self.stop) => self.ask_to_end(Some(Stopped::Shutdown), GRACE_AT_SHUTDOWN),
                () = sleep_until(deadline) => {
                    if let Some(exit) = self.deadline_passed() {
                        break exit;
                    }
                }
                n = read_some(&mut stdout, &mut out) => {
                    teller.observers.printed(&out[..n]);
                    self.take(&out[..n], teller);
                }
                n = read_some(&mut stderr, &mut err) => self.tail.push(&err[..n]),
                exit = self.process.wait(), if !matches!(self.stage, Stage::Draining { .. }) => {
                    self.stage = Stage::Draining { exit, until: Instant::now() + DRAIN };
                }
            }
        };
        writing.abort();
        exit
    }

    fn take(&mut self, chunk: &[u8], teller: &mut Teller) {
        let Self { lines, stream, .. } = self;
        lines.push(chunk, &mut |line| feed(stream, line, teller));
        self.settle(teller);
    }

    /// Tells the outcome as soon as it is decided: nobody should wait for the agent's exit.
    fn settle(&mut self, teller: &mut Teller) {
        if self.linger_until.is_none() && self.stopped.is_none() && self.stream.decided() {
            self.linger_until = Some(Instant::now() + LINGER);
            teller.finish(self.stream.outcome());
        }
    }

    fn deadline(&self) -> Instant {
        match (&self.stage, self.linger_until) {
            (Stage::Working, Some(linger)) => linger,
            (Stage::Working, None) => self.timeout_at,
            (Stage::Stopping { kill_at }, _) => *kill_at,
            // A killed process cannot refuse to end, but the kernel may take its time.
            (Stage::Killed, _) => Instant::now() + Duration::from_secs(3600),
            (Stage::Draining { until, .. }, _) => *until,
        }
    }

    /// Acts on the deadline of the stage; gives the exit when there is nothing more to wait for.
    fn deadline_passed(&mut self) -> Option<Exit> {
        match (&self.stage, self.linger_until) {
            (Stage::Working, Some(_)) => self.ask_to_end(None, GRACE),
            (Stage::Working, None) => self.ask_to_end(Some(Stopped::Timeout(self.timeout)), GRACE),
            (Stage::Stopping { .. }, _) => {
                self.process.kill();
                self.stage = Stage::Killed;
            }
            (Stage::Killed, _) => {}
            (Stage::Draining { exit, .. }, _) => return Some(*exit),
        }
        None
    }

    /// `why` is what the outcome blames; after a decided outcome there is nothing to blame.
    fn ask_to_end(&mut self, why: Option<Stopped>, grace: Duration) {
        if matches!(self.stage, Stage::Working) {
            self.stopped = why;
            self.process.terminate();
            self.stage = Stage::Stopping { kill_at: Instant::now() + grace };
        } else if let Stage::Stopping { kill_at } = &mut self.stage {
            *kill_at = (*kill_at).min(Instant::now() + grace);
        }
    }

    /// Ends what the agent left behind in its group.
    async fn end_the_rest(self) {
        if !self.process.has_group() {
            return;
        }
        self.process.terminate();
        let deadline = Instant::now() + DRAIN;
        while self.process.has_group() && Instant::now() < deadline {
            // The kernel tells nobody when a group becomes empty.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.process.kill();
    }
}

fn feed(stream: &mut Stream, line: Line<'_>, teller: &Teller) {
    stream.take(line, &mut |update| teller.update(&update));
}

async fn write(mut stdin: ChildStdin, input: Vec<u8>) {
    // An agent that does not read its input says why in its own stream or exit; a broken pipe adds nothing.
    let _ = stdin.write_all(&input).await;
    let _ = stdin.shutdown().await;
}

/// Reads once; at the end of the pipe, or on an error of it, the pipe is closed and 0 given.
async fn read_some<R: AsyncRead + Unpin>(pipe: &mut Option<R>, buffer: &mut [u8]) -> usize {
    let Some(open) = pipe else { return pending().await };
    match open.read(buffer).await {
        Ok(n) if n > 0 => n,
        Ok(_) => {
            *pipe = None;
            0
        }
        Err(error) => {
            tracing::warn!(%error, "a pipe of the agent broke");
            *pipe = None;
            0
        }
    }
}

/// Resolves once when the handle is dropped.
async fn ordered(stop: &mut Option<oneshot::Receiver<()>>) {
    let Some(receiver) = stop else { return pending().await };
    // An error is the order: the sender was dropped.
    let _ = receiver.await;
    *stop = None;
}
