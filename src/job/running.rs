//! A running agent: its process, its pipes, and the stream that reads what it prints and decides what it is sent.
//!
//! It moves bytes and decides nothing. It also runs before it has a job: an agent that sends requests before it has its
//! message gets answers.

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
    /// What is to be written, and how much of it is.
    outbox: Vec<u8>,
    written: usize,
    /// The input ends with what is in the outbox.
    is_over: bool,
    out: Vec<u8>,
    err: Vec<u8>,
}

/// What came of waiting for a pipe; see [`AgentPipes::out`] and [`AgentPipes::err`] for the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeEvent {
    /// The agent printed so many bytes; none where the pipe has ended.
    Out(usize),
    /// The same for standard error output.
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
        match moved {
            PipeEvent::Out(n) => {
                self.printed(n, &mut |update| {
                    if let Update::Models { models } = update {
                        report(models);
                    }
                });
                self.send();
            }
            PipeEvent::Err(n) => self.tail.push(self.pipes.err(n)),
            PipeEvent::In => {}
        }
        Ok(())
    }

    /// The agent printed so many bytes; `each` gets what its stream says of them.
    pub fn printed(&mut self, n: usize, each: &mut dyn FnMut(Update)) {
        let Self { pipes, lines, stream, recording, .. } = self;
        recording.printed(pipes.out(n));
        lines.push(pipes.out(n), &mut |line| stream.take(line, &mut *each));
    }

    /// Hands over what the stream wants to send.
    pub fn send(&mut self) {
        let sent = self.pipes.send(&mut self.stream);
        self.recording.sent(&sent);
    }
}

impl AgentPipes {
    fn new(pipes: Pipes) -> Self {
        Self {
            stdin: Some(pipes.stdin),
            stdout: Some(pipes.stdout),
            stderr: Some(pipes.stderr),
            outbox: Vec::new(),
            written: 0,
            is_over: false,
            out: vec![0; CHUNK],
            err: vec![0; ERR_CHUNK],
        }
    }

    /// Takes over what a stream wants to send; returns a copy of it.
    pub fn send(&mut self, stream: &mut Stream) -> Vec<u8> {
        let bytes = stream.input().take();
        self.is_over |= stream.input().is_over();
        if self.stdin.is_some() {
            self.outbox.extend_from_slice(&bytes);
        }
        bytes
    }

    /// Whether both of the agent's pipes have ended.
    pub fn is_read(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// The first `n` bytes that were read from standard output last.
    pub fn out(&self, n: usize) -> &[u8] {
        &self.out[..n]
    }

    /// The same of standard error output.
    pub fn err(&self, n: usize) -> &[u8] {
        &self.err[..n]
    }

    /// Waits until bytes have moved on any of the pipes. Nothing is lost where the wait is given up.
    pub async fn moved(&mut self) -> PipeEvent {
        let Self { stdin, stdout, stderr, outbox, written, is_over, out, err } = self;
        let is_flooded = outbox.len() - *written > WAITING;
        tokio::select! {
            biased;
            () = write_some(stdin, outbox, written, *is_over) => PipeEvent::In,
            n = read_some(stdout, out), if !is_flooded => PipeEvent::Out(n),
            n = read_some(stderr, err) => PipeEvent::Err(n),
        }
    }
}

/// Writes once, or closes the pipe where all is written and nothing follows.
async fn write_some(
    stdin: &mut Option<ChildStdin>,
    outbox: &mut Vec<u8>,
    written: &mut usize,
    is_over: bool,
) {
    let Some(pipe) = stdin else { return pending().await };
    if *written < outbox.len() {
        match pipe.write(&outbox[*written..]).await {
            Ok(n) if n > 0 => *written += n,
            // An agent that does not read its input says why in its own stream or exit; a broken pipe adds nothing.
            _ => *stdin = None,
        }
    } else if is_over {
        *stdin = None;
    } else {
        return pending().await;
    }
    if stdin.is_none() || *written == outbox.len() {
        *outbox = Vec::new();
        *written = 0;
    }
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
