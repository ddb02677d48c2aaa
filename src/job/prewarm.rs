//! The agent that starts while the user still types the prompt, so that the job does not wait for its start.
//!
//! At most one agent waits at a time: the next one starts only after the previous one has ended. It is stopped when the
//! user closes the prompt, when no job claims it for a while, and with the host. What it prints stays in its pipes,
//! whose size is the bound; the job that claims it reads that first. An agent that sends requests before it has its
//! message gets answers until it is ready. To a job it is an agent like any other.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::groups::Groups;
use super::launch::Launch;
use super::running::RunningAgent;

/// How long an agent may wait for its message.
const LIMIT: Duration = Duration::from_secs(600);
/// How long one that is not wanted may take to end; it has done nothing yet.
const GRACE: Duration = Duration::from_millis(500);

/// The place for the one agent that waits.
#[derive(Debug)]
pub struct Prewarm {
    waiting: Option<(u64, Prewarmed)>,
    /// Ends when nothing is left of the newest agent and of those before it.
    task: Option<JoinHandle<()>>,
    limit: Duration,
}

impl Default for Prewarm {
    fn default() -> Self {
        Self { waiting: None, task: None, limit: LIMIT }
    }
}

/// The right to the agent that waits. Dropping it stops the agent.
#[derive(Debug)]
pub struct Prewarmed {
    launch: Launch,
    claim: oneshot::Sender<oneshot::Sender<RunningAgent>>,
}

impl Prewarm {
    /// Starts an agent that waits, known as `token`, in place of the one that waits now. `report` gets the models
    /// that it offers.
    pub fn start(
        &mut self,
        token: u64,
        launch: Launch,
        groups: Groups,
        report: impl FnMut(Vec<String>) + Send + 'static,
    ) {
        let (claim, claimed) = oneshot::channel();
        self.waiting = Some((token, Prewarmed { launch: launch.clone(), claim }));
        let before = self.task.take();
        self.task = Some(tokio::spawn(wait(launch, groups, before, claimed, self.limit, report)));
    }

    /// Hands over the agent `token`, if it is the one that waits.
    pub fn hand_over(&mut self, token: u64) -> Option<Prewarmed> {
        self.waiting.take_if(|(waiting, _)| *waiting == token).map(|(_, prewarmed)| prewarmed)
    }

    /// Stops the agent that waits, and returns when nothing of it is left.
    pub async fn stop(&mut self) {
        self.waiting = None;
        if let Some(task) = self.task.take()
            && let Err(error) = task.await
        {
            tracing::error!(%error, "a prewarmed agent did not end by itself");
        }
    }
}

impl Prewarmed {
    /// The agent, if it is what `launch` would start and still lives; else it is stopped.
    pub async fn claim(self, launch: &Launch) -> Option<RunningAgent> {
        if !self.launch.is_same(launch) {
            tracing::debug!("another agent was prewarmed than is wanted");
            return None;
        }
        let (send, receive) = oneshot::channel();
        self.claim.send(send).ok()?;
        receive.await.ok()
    }
}

/// The life of one agent that waits, until a job takes it over or it is gone.
async fn wait(
    launch: Launch,
    groups: Groups,
    before: Option<JoinHandle<()>>,
    mut claimed: oneshot::Receiver<oneshot::Sender<RunningAgent>>,
    limit: Duration,
    mut report: impl FnMut(Vec<String>),
) {
    if let Some(mut before) = before {
        tokio::select! {
            // The task that waits for the last of them reports its end.
            _ = &mut before => {}
            // Claimed or dropped before it could start: a job that needs an agent starts one itself.
            claim = &mut claimed => {
                // Dropped at once: the job does not wait for the end of another agent.
                drop(claim);
                let _ = before.await;
                return;
            }
        }
    }
    let mut agent = match RunningAgent::start(&launch, &groups) {
        Ok(started) => started,
        // The job that claims it reports that.
        Err(error) => return tracing::debug!(%error, "the agent was not prewarmed"),
    };
    tracing::debug!(pgid = agent.process.pgid(), "prewarmed");
    let over = sleep(limit);
    tokio::pin!(over);
    let claim = loop {
        tokio::select! {
            biased;
            claim = &mut claimed => break claim.ok(),
            () = &mut over => break None,
            heard = agent.prepare(&mut report) => if heard.is_err() { break None },
        }
    };
    let left = match claim {
        Some(claim) if agent.is_usable() => match claim.send(agent) {
            Ok(()) => return,
            // The job that claimed it is gone.
            Err(agent) => agent,
        },
        _ => agent,
    };
    left.process.end(GRACE).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that waits for its message.
    async fn start(prewarm: &mut Prewarm, token: u64) -> Launch {
        let launch = Launch::of_text(&["/bin/cat"]);
        prewarm.start(token, launch.clone(), Groups::default(), |_| {});
        tokio::task::yield_now().await;
        launch
    }

    #[tokio::test]
    async fn one_that_nobody_wants_for_long_is_stopped() {
        let mut prewarm = Prewarm { limit: Duration::from_millis(20), ..Prewarm::default() };
        let launch = start(&mut prewarm, 1).await;
        prewarm.task.take().expect("it waits").await.unwrap();
        let prewarmed = prewarm.hand_over(1).expect("the ticket is kept for whoever asks");
        assert!(prewarmed.claim(&launch).await.is_none(), "and stands for nothing");
    }

    #[tokio::test]
    async fn it_is_handed_over_once_and_by_its_own_token() {
        let mut prewarm = Prewarm::default();
        let launch = start(&mut prewarm, 1).await;
        assert!(prewarm.hand_over(2).is_none());
        let prewarmed = prewarm.hand_over(1).expect("the one that waits");
        assert!(prewarm.hand_over(1).is_none());
        let agent = prewarmed.claim(&launch).await.expect("it lives");
        assert!(!agent.process.has_ended());
        prewarm.stop().await;
        assert!(!agent.process.has_ended(), "it is its job's now");
    }

    #[tokio::test]
    async fn who_claims_one_that_has_not_started_does_not_wait_for_the_end_of_the_one_before() {
        let mut prewarm = Prewarm::default();
        let script = "trap '' TERM; echo up >&2; while :; do sleep 0.05; done";
        let stubborn = Launch::of_text(&["/bin/sh", "-c", script]);
        prewarm.start(1, stubborn, Groups::default(), |_| {});
        tokio::task::yield_now().await;
        let launch = start(&mut prewarm, 2).await;
        let before = prewarm.task.take().expect("it waits for the one before");
        let prewarmed = prewarm.hand_over(2).expect("the one that waits");
        assert!(prewarmed.claim(&launch).await.is_none());
        assert!(!before.is_finished(), "the one before is still being ended");
        before.abort();
    }
}
