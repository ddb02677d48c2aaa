//! A running agent: its process, its pipes, and the stream that reads what it prints and decides what it is sent.
//!
//! It moves bytes and decides nothing. It also runs before it has a job: an agent that sends requests before it has its
//! message gets answers.

use std::collections::VecDeque;
use std::future::pending;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::groups::Groups;
use super::launch::Launch;
use super::process::{Pipes, Process};
use super::recording::Recording;
use crate::error::JobError;
use crate::stream::{ExitStatus, Lines, Stream, Tail, Update};

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// The same of standard error output, of which little comes.
const ERR_CHUNK: usize = 8 * 1024;
/// While this much waits to be written, in bytes, nothing is read: an agent that asks without end and reads no answer
/// is left to its timeout.
const WAITING: usize = 64 << 20;
/// The most bytes that are kept of the dialogue before there is a job; more stays in the pipes until there is one.
const EARLY: usize = 1 << 20;
/// How long an agent may go on living after its outcome is decided, before it is asked to end.
const LINGER: Duration = Duration::from_secs(2);
/// The same for one whose input stays open until then: not every one ends when that is closed.
const LINGER_AFTER_TALK: Duration = Duration::from_millis(500);

/// See the module. Dropping it kills the process group.
#[derive(Debug)]
pub struct RunningAgent {
    pub process: Process,
    pub pipes: AgentPipes,
    pub stream: Stream,
    pub lines: Lines,
    pub tail: Tail,
    pub recording: Recording,
}

/// The bytes on their way.
#[derive(Debug)]
pub struct AgentPipes {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// What is to be written.
    outbox: VecDeque<u8>,
    /// The input ends with what is in the outbox.
    is_over: bool,
    out: Vec<u8>,
    err: Vec<u8>,
}

/// What came of waiting for a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeEvent {
    /// The agent printed so many bytes, which are at the beginning of `out`; none where the pipe has ended.
    Out(usize),
    /// The same for standard error output, in `err`.
    Err(usize),
    /// Something was written.
    In,
}

impl RunningAgent {
    /// Starts an agent, and begins to talk with it.
    ///
    /// # Errors
    /// As [`Process::spawn`].
    pub fn start(launch: &Launch, groups: &Groups) -> Result<Self, JobError> {
        let (process, pipes) = Process::spawn(launch, groups)?;
        let mut stream = launch.stream();
        stream.begin();
        let recording = Recording::new(stream.is_two_way());
        let mut agent = Self {
            process,
            pipes: AgentPipes::new(pipes),
            stream,
            lines: Lines::default(),
            tail: Tail::default(),
            recording,
        };
        agent.send();
        Ok(agent)
    }

    /// How long it may go on living after its outcome is decided.
    pub fn linger(&self) -> Duration {
        if self.stream.is_two_way() { LINGER_AFTER_TALK } else { LINGER }
    }

    /// Whether it can still take a message.
    pub fn is_usable(&self) -> bool {
        !self.process.has_ended() && !self.stream.decided()
    }

    /// Reads its lines and answers them for a moment, before it has a message; `report` gets the models that it offers.
    /// An agent that has nothing to say before its message is not read.
    ///
    /// # Errors
    /// Its exit, once it has ended.
    pub async fn prepare(&mut self, report: &mut impl FnMut(Vec<String>)) -> Result<(), ExitStatus> {
        let is_heard = self.stream.is_two_way() && self.recording.waiting() <= EARLY && !self.pipes.is_read();
        let Self { process, pipes, .. } = self;
        let moved = tokio::select! {
            exit = process.wait() => return Err(exit),
            moved = pipes.moved(), if is_heard => moved,
        };
        self.take(moved, &mut |update| {
            if let Update::Models { models } = update {
                report(models);
            }
        });
        Ok(())
    }

    /// Takes what has moved, and answers it; `each` gets what its stream says of it. Whether the agent has printed.
    pub fn take(&mut self, moved: PipeEvent, each: &mut dyn FnMut(Update)) -> bool {
        let Self { pipes, lines, stream, recording, tail, .. } = self;
        match moved {
            PipeEvent::Out(n) => {
                let printed = &pipes.out[..n];
                recording.printed(printed);
                lines.push(printed, &mut |line| stream.take(line, &mut *each));
                self.send();
            }
            PipeEvent::Err(n) => tail.push(&pipes.err[..n]),
            PipeEvent::In => {}
        }
        matches!(moved, PipeEvent::Out(_))
    }

    /// Hands over what the stream wants to send.
    pub fn send(&mut self) {
        let sent = self.pipes.send(&mut self.stream);
        self.recording.sent(&sent);
    }
}

impl AgentPipes {
    fn new(pipes: Pipes) -> Self {
        let (stdin, stdout, stderr) = pipes;
        let (outbox, out, err) = (VecDeque::new(), vec![0; CHUNK], vec![0; ERR_CHUNK]);
        Self { stdin, stdout, stderr, outbox, is_over: false, out, err }
    }

    /// Takes over what a stream wants to send; returns a copy of it.
    pub fn send(&mut self, stream: &mut Stream) -> Vec<u8> {
        let bytes = stream.input().take();
        self.is_over |= stream.input().is_over();
        if self.stdin.is_some() {
            self.outbox.extend(&bytes);
        }
        bytes
    }

    /// Whether both of the agent's pipes have ended.
    pub fn is_read(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// Waits until bytes have moved on any of the pipes. Nothing is lost where the wait is given up.
    pub async fn moved(&mut self) -> PipeEvent {
        let Self { stdin, stdout, stderr, outbox, is_over, out, err } = self;
        let is_flooded = outbox.len() > WAITING;
        tokio::select! {
            biased;
            () = write_some(stdin, outbox, *is_over) => PipeEvent::In,
            n = read_some(stdout, out), if !is_flooded => PipeEvent::Out(n),
            n = read_some(stderr, err) => PipeEvent::Err(n),
        }
    }
}

/// Writes once, or closes the pipe where all is written and nothing follows.
async fn write_some(stdin: &mut Option<ChildStdin>, outbox: &mut VecDeque<u8>, is_over: bool) {
    let Some(pipe) = stdin else { return pending().await };
    if outbox.is_empty() && !is_over {
        return pending().await;
    }
    // An agent that does not read its input says why in its own stream or exit; a broken pipe adds nothing.
    let is_open = !outbox.is_empty() && matches!(pipe.write_buf(outbox).await, Ok(1..));
    if !is_open {
        *stdin = None;
    }
    if !is_open || outbox.is_empty() {
        *outbox = VecDeque::new();
    }
}

/// Reads once; at the end of the pipe, or on an error of it, the pipe is closed and 0 given.
async fn read_some<R: AsyncRead + Unpin>(pipe: &mut Option<R>, buffer: &mut [u8]) -> usize {
    let Some(open) = pipe else { return pending().await };
    let read =
        open.read(buffer).await.inspect_err(|error| tracing::warn!(%error, "a pipe of the agent broke"));
    let length = read.unwrap_or(0);
    if length == 0 {
        *pipe = None;
    }
    length
}
