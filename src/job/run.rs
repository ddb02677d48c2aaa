//! A running agent: moves bytes between its pipes and the pure stream, and keeps time.
//!
//! What a line means is decided in `stream`; this room only knows when to read, when to stop the agent and
//! when it has read enough.

use std::future::pending;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::Event;
use super::process::{Pipes, Process};
use super::teller::Teller;
use crate::request::Request;
use crate::store::Transcript;
use crate::stream::{End, Exit, Line, Lines, Stopped, Stream, Tail};

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
pub(super) struct Run {
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
    /// An agent that has just been started, and is ended when `stop` says so.
    pub(super) fn new(request: &Request, process: Process, stop: oneshot::Receiver<()>) -> Self {
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

    /// Runs it to its end, and ends what it leaves behind.
    pub(super) async fn run_out(
        mut self,
        pipes: Pipes,
        input: Vec<u8>,
        transcript: Transcript,
        teller: &mut Teller,
    ) {
        if let Some(path) = transcript.path() {
            self.stream.is_recorded(&path.to_string_lossy());
            teller.tell(Event::Recording(path.to_owned()));
        }
        let recording = teller.observers().register(Box::new(transcript));
        let exit = self.read(pipes, input, teller).await;
        drop(recording);
        let Self { lines, stream, .. } = &mut self;
        lines.finish(&mut |line| feed(stream, line, teller));
        let end = End { exit, stopped: self.stopped.take(), stderr: self.tail.text() };
        tracing::info!(job = teller.id(), ?exit, stopped = ?end.stopped, "the agent has ended");
        let outcome = self.stream.end(&end, &mut |update| teller.update(&update));
        teller.finish(outcome);
        self.process.end_rest().await;
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
                    teller.observers().printed(&out[..n]);
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
