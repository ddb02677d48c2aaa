//! Runs an agent: moves bytes between its pipes and the pure stream, and keeps time.
//!
//! `stream` decides what a line means; this module only decides when to read, when to stop the agent and when enough is
//! read.

use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::event_sink::EventSink;
use super::running::{PipeEvent, RunningAgent};
use crate::error::Code;
use crate::store::Transcript;
use crate::stream::{self, ExitStatus, LATEST, ProcessEnd, QUIET, Stopped};

/// How long an agent that was asked to end may take, before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// The same while Neovim quits: it kills the host 1.9 s after `:qa`.
const GRACE_AT_SHUTDOWN: Duration = Duration::from_secs(1);
/// How long the pipes are waited for after the agent's end; a grandchild may hold them open for ever.
const DRAIN: Duration = Duration::from_millis(200);
/// How often they are read without waiting after that: what the agent printed may be in them still where the host had
/// no time to read it. A pipe has 1 MiB at most, and a grandchild may print without end.
const LAST_READS: usize = 32;

/// What the agent is being waited for.
enum Stage {
    /// It works.
    Working,
    /// It was asked to end; at the deadline it is killed, once more where the kernel takes its time.
    Stopping { kill_at: Instant },
    /// It has ended; its pipes are read until the deadline.
    Draining { exit: ExitStatus, until: Instant },
}

/// A running agent with all that its job knows of it.
pub(super) struct Run {
    agent: RunningAgent,
    stop: CancellationToken,
    stage: Stage,
    stopped: Option<Stopped>,
    timeout: Duration,
    timeout_at: Instant,
    linger_until: Option<Instant>,
    /// When the agent's turn is closed if it prints nothing more, and when at the latest.
    closing: Option<(Instant, Instant)>,
    /// Another one may be started in its place, and it died before it was asked anything.
    may_start_again: bool,
    starts_again: bool,
}

impl Run {
    /// An agent that has just been started for its job, and is ended after `timeout`, or when `stop` says so. Where it
    /// dies before it was asked anything and `may_start_again`, nothing is reported, since another one is started.
    pub(super) fn new(
        timeout: Duration,
        agent: RunningAgent,
        stop: CancellationToken,
        may_start_again: bool,
    ) -> Self {
        Self {
            agent,
            stop,
            stage: Stage::Working,
            stopped: None,
            timeout,
            timeout_at: Instant::now() + timeout,
            linger_until: None,
            closing: None,
            may_start_again,
            starts_again: false,
        }
    }

    /// Runs it to its end with the user's message, and ends the processes that it leaves. Whether another one is to be
    /// started.
    pub(super) async fn run_to_end(
        mut self,
        message: &str,
        transcript: Transcript,
        sink: &mut EventSink,
    ) -> bool {
        let agent = &mut self.agent;
        if let Some(path) = transcript.path() {
            agent.stream.set_transcript(&path.to_string_lossy());
        }
        agent.recording.keep(transcript);
        agent.stream.introduce(&mut |update| sink.update(update));
        agent.stream.say(message, &mut |update| sink.update(update));
        agent.send();
        let exit = self.read(sink).await;
        self.agent.recording.end();
        self.starts_again |= self.may_start_again && self.stopped.is_none() && !self.agent.stream.has_asked();
        if self.starts_again {
            tracing::info!(?exit, "the agent died before it was asked: it is started once more");
            self.agent.process.end_rest().await;
            return true;
        }
        let Self { agent: RunningAgent { lines, stream, tail, .. }, stopped, .. } = &mut self;
        lines.finish(&mut |line| stream.take(line, &mut |update| sink.update(update)));
        let end = ProcessEnd { exit, stopped: stopped.take(), stderr: tail.text() };
        tracing::info!(?exit, stopped = ?end.stopped, "the agent has ended");
        let outcome = stream.end(&end, &mut |update| sink.update(update));
        sink.finish(outcome);
        self.agent.process.end_rest().await;
        false
    }

    /// Moves bytes until the agent has ended and its pipes are read, or may be read no longer.
    async fn read(&mut self, sink: &mut EventSink) -> ExitStatus {
        let (stop, mut is_ordered) = (self.stop.clone(), false);
        loop {
            if let Stage::Draining { exit, .. } = &self.stage
                && self.agent.pipes.is_read()
            {
                return *exit;
            }
            let deadline = self.deadline();
            let RunningAgent { process, pipes, .. } = &mut self.agent;
            tokio::select! {
                biased;
                // Orders and deadlines first: an agent that prints without a pause must not outlive them.
                () = stop.cancelled(), if !is_ordered => {
                    is_ordered = true;
                    self.ask_to_end(Some(Stopped::Shutdown), GRACE_AT_SHUTDOWN);
                }
                () = sleep_until(deadline) => {
                    // What it says once it was told to end, or has ended, is judged by that.
                    if matches!(self.stage, Stage::Working) && self.closing.take().is_some() {
                        self.agent.stream.close(&mut stream::updates(&mut |update| sink.update(update)));
                        self.agent.send();
                        self.settle(sink);
                    } else if let Some(exit) = self.deadline_passed() {
                        self.read_rest(sink).await;
                        return exit;
                    }
                }
                // Before the pipes: a process that the agent has left may print without a pause.
                exit = process.wait(), if !matches!(self.stage, Stage::Draining { .. }) => {
                    self.stage = Stage::Draining { exit, until: Instant::now() + DRAIN };
                }
                moved = pipes.moved() => self.take(moved, sink),
            }
        }
    }

    /// Takes what is in the pipes, and waits for nothing more.
    async fn read_rest(&mut self, sink: &mut EventSink) {
        for _ in 0..LAST_READS {
            let Ok(moved) = timeout(Duration::ZERO, self.agent.pipes.moved()).await else { return };
            self.take(moved, sink);
        }
    }

    fn take(&mut self, moved: PipeEvent, sink: &mut EventSink) {
        if !self.agent.take(moved, &mut |update| sink.update(update)) {
            return;
        }
        if self.agent.stream.is_closing() {
            let now = Instant::now();
            let (_, latest) = self.closing.unwrap_or((now, now + LATEST));
            self.closing = Some((now + QUIET, latest));
        }
        self.settle(sink);
    }

    /// Reports the outcome as soon as it is decided: no receiver should wait for the agent's exit.
    fn settle(&mut self, sink: &mut EventSink) {
        let stream = &self.agent.stream;
        if self.linger_until.is_none() && self.stopped.is_none() && stream.decided() {
            let code = stream.outcome().error.map(|error| error.code);
            if self.may_start_again && !stream.has_asked() && code == Some(Code::Exited) {
                self.starts_again = true;
                return self.ask_to_end(None, GRACE);
            }
            self.linger_until = Some(Instant::now() + self.agent.linger());
            sink.finish(stream.outcome());
        }
    }

    fn deadline(&self) -> Instant {
        match (&self.stage, self.linger_until) {
            (Stage::Working, Some(linger)) => linger,
            (Stage::Working, None) => {
                let (quiet, latest) = self.closing.unwrap_or((self.timeout_at, self.timeout_at));
                quiet.min(latest)
            }
            (Stage::Stopping { kill_at }, _) => *kill_at,
            (Stage::Draining { until, .. }, _) => *until,
        }
    }

    /// Acts on the deadline of the stage; returns the exit when there is nothing more to wait for.
    fn deadline_passed(&mut self) -> Option<ExitStatus> {
        match (&self.stage, self.linger_until) {
            (Stage::Working, Some(_)) => self.ask_to_end(None, GRACE),
            (Stage::Working, None) => self.ask_to_end(Some(Stopped::Timeout(self.timeout)), GRACE),
            (Stage::Stopping { .. }, _) => {
                self.agent.process.kill();
                self.stage = Stage::Stopping { kill_at: Instant::now() + GRACE };
            }
            (Stage::Draining { exit, .. }, _) => return Some(*exit),
        }
        None
    }

    /// `why` is what the outcome blames; after a decided outcome there is nothing to blame.
    fn ask_to_end(&mut self, why: Option<Stopped>, grace: Duration) {
        if matches!(self.stage, Stage::Working) {
            self.stopped = why;
            self.agent.process.terminate();
            self.stage = Stage::Stopping { kill_at: Instant::now() + grace };
        } else if let Stage::Stopping { kill_at } = &mut self.stage {
            *kill_at = (*kill_at).min(Instant::now() + grace);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::mpsc;

    use super::*;
    use crate::job::{Groups, JobEvent, Launch};

    #[tokio::test]
    async fn what_is_in_the_pipes_at_the_last_moment_is_read() {
        // The host had no time for this agent until then.
        let until = Instant::now();
        let launch = Launch::of_text(&["/bin/sh", "-c", "echo an answer"]);
        let mut agent = RunningAgent::start(&launch, &Groups::default()).unwrap();
        let exit = agent.process.wait().await;
        let (events, mut told) = mpsc::unbounded_channel();
        let events = move |id, event| _ = events.send((id, event));
        let mut sink = EventSink::new(1, Arc::new(events), Box::new(|_| {}), 0);
        let mut run = Run::new(Duration::from_secs(60), agent, CancellationToken::new(), false);
        run.stage = Stage::Draining { exit, until };
        assert_eq!(run.read(&mut sink).await, exit);
        let Run { agent: RunningAgent { mut stream, mut lines, process, .. }, .. } = run;
        lines.finish(&mut |line| stream.take(line, &mut |_| {}));
        sink.finish(stream.end(&ProcessEnd::with_code(0), &mut |_| {}));
        let Some((1, JobEvent::Finished(outcome))) = told.recv().await else { panic!("no outcome") };
        assert_eq!(outcome.text.as_deref(), Some("an answer"));
        process.end_rest().await;
    }
}
