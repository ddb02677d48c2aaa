//! The task of one job: it composes the agent's message, starts or claims the agent, and reports the events in order.
//!
//! While the agent runs, [`Run`] owns it.

use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::event_sink::EventSink;
use super::files;
use super::groups::Groups;
use super::launch::Launch;
use super::lifetime::Run;
use super::prewarm::Prewarmed;
use super::running::RunningAgent;
use super::{JobContext, JobEvent};
use crate::agent::Protocol;
use crate::agent_message;
use crate::error::{Code, JobError};
use crate::request::Request;
use crate::rules::{self, Rules};
use crate::stream::Outcome;

/// Runs the job to its end. Reports `Finished` once and `Gone` last, whatever happens.
pub(super) async fn run(
    request: Arc<Request>,
    context: JobContext,
    mut sink: EventSink,
    mut prewarmed: Option<Prewarmed>,
    stop: CancellationToken,
) {
    let JobContext { groups, empty_directory, transcripts, .. } = context;
    let (project, empty, git) = (Arc::clone(&request), empty_directory, groups.clone());
    // Files of the project are read on another thread: where they are on a network that hangs, no other job waits.
    let read = async move {
        let project = match &project.whole {
            Some((text, most)) => {
                let diff = files::diff(Path::new(&project.job.path), text, *most, &git).await;
                Arc::new(Request { diff, ..Request::clone(&project) })
            }
            None => project,
        };
        let read = tokio::task::spawn_blocking(move || {
            (agent_message::user(&project, &rules_for(&project)), Launch::new(&project.start, &empty))
        });
        read.await.ok()
    };
    let read = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        read = read => read,
    };
    let Some((message, launch)) = read else {
        sink.finish(Outcome::failed(host_ended()));
        return sink.report_gone();
    };
    // An agent that dies before it was asked anything has done nothing: of several Codex that start at once in a home
    // where none ever ran, all but one may.
    for may_start_again in [true, false] {
        let started = tokio::select! {
            biased;
            () = stop.cancelled() => Err(host_ended()),
            started = start(&launch, prewarmed.take(), &groups) => started,
        };
        match started {
            Err(error) => sink.finish(Outcome::failed(error)),
            Ok(agent) => {
                let transcript = transcripts.open(request.job.id);
                sink.report(JobEvent::Started(transcript.path().map(Path::to_owned)));
                let run = Run::new(request.options.timeout, agent, stop.clone(), may_start_again);
                if run.run_to_end(&message, transcript, &mut sink).await {
                    continue;
                }
            }
        }
        break;
    }
    sink.report_gone();
}

fn host_ended() -> JobError {
    JobError::new(Code::HostLost, "the host ended: ask again")
}

/// Claims the prewarmed agent if it fits this launch, else starts an agent.
async fn start(
    launch: &Result<Launch, JobError>,
    prewarmed: Option<Prewarmed>,
    groups: &Groups,
) -> Result<RunningAgent, JobError> {
    let launch = launch.as_ref().map_err(JobError::clone)?;
    if let Some(prewarmed) = prewarmed
        && let Some(prewarmed) = prewarmed.claim(launch).await
    {
        return Ok(prewarmed);
    }
    RunningAgent::start(launch, groups)
}

/// The project's rules files, unless the CLI reads them itself.
fn rules_for(request: &Request) -> Vec<Rules> {
    let read_by_cli = request.start.trust_project && request.start.agent.protocol == Protocol::Claude;
    if request.options.context.rules && !read_by_cli { rules::find(&request.start.cwd) } else { Vec::new() }
}
