//! Recorded dialogues, played by `botglue replay` to a real job: the same comes of them as of the recording, and
//! nothing is left of the process.

use std::fs;
use std::time::{Duration, Instant};

use botglue::agent::{Protocol, Resume};
use botglue::request::Request;
use botglue::stream::Outcome;
use serde_json::Value;

use crate::job::{Bench, until};
use crate::streams::{Recording, read, recordings};

const HOST: &str = env!("CARGO_BIN_EXE_botglue");

fn dialogues() -> impl Iterator<Item = Recording> {
    recordings().into_iter().filter(|recording| recording.protocol == Protocol::Acp)
}

fn dialogue(name: &str) -> Recording {
    dialogues().find(|recording| recording.name == format!("acp/{name}.jsonl")).unwrap()
}

/// A job whose agent plays this recording.
fn request(bench: &Bench, recording: &Recording) -> Request {
    let path = recording.path.to_string_lossy();
    named(bench.request(Protocol::Acp, &[HOST, "replay", &path]), recording)
}

/// The same with a script around it: `$PLAY` plays the recording.
fn scripted(bench: &Bench, recording: &Recording, script: &str) -> Request {
    let play = format!("PLAY='{HOST} replay {}'\n{script}", recording.path.display());
    named(bench.agent(Protocol::Acp, &play), recording)
}

/// The agent is the shipped one that was recorded, and goes on in a session where that did.
fn named(mut request: Request, recording: &Recording) -> Request {
    let text = String::from_utf8_lossy(&recording.bytes);
    request.start.resume =
        text.contains("session/fork").then(|| Resume { session_id: "old".to_owned(), at: None });
    recording.agent.preset.unwrap().name.clone_into(&mut request.start.agent.name);
    request
}

/// All of an outcome that does not depend on who recorded it.
fn essence(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug {
    let code = outcome.error.as_ref().map(|error| error.code);
    let Outcome { text, held_for, session_id, model, cost_usd, usage, tools, .. } = outcome.clone();
    (text, held_for, code, session_id, model, cost_usd, usage, tools)
}

#[tokio::test]
async fn a_transcript_has_both_sides_and_reads_as_the_job_did() {
    let bench = Bench::new();
    let recording = dialogue("copilot/refused");
    let started = bench.run(request(&bench, &recording)).await;
    let transcript = fs::read(bench.transcript()).unwrap();
    let (_, again) = read(recording.agent, [&*transcript], &recording.end);
    assert_eq!(essence(&again), essence(started.outcome()));
    let lines: Vec<Value> = transcript
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let sent = lines.iter().filter(|line| line["from"] == "client").count();
    assert_eq!(sent, 4, "initialize, session, prompt and a refusal");
    assert!(lines.iter().all(|line| line["t"].is_number()));
    let text = String::from_utf8(transcript).unwrap();
    assert!(text.contains("reject_once") && text.contains("the-secret-prompt"), "{text}");
}

#[tokio::test]
async fn a_prewarmed_agent_is_ready_when_its_message_comes() {
    let bench = Bench::new();
    let recording = dialogue("gemini/read");
    let request = scripted(&bench, &recording, "echo $$ >> $DIR/starts; tee $DIR/sent | $PLAY");
    let mut prewarm = bench.prewarm(&request, |_| {});
    until("its mode is set", || bench.read("sent").contains("session/set_mode")).await;
    let prewarmed = prewarm.hand_over(1);
    let mut started = bench.start_prewarmed(request, prewarmed);
    started.run_out().await;
    let (_, expected) = read(recording.agent, [&*recording.bytes], &recording.end);
    assert_eq!(essence(started.outcome()), essence(&expected));
    assert_eq!(bench.read("starts").lines().count(), 1, "it is the one that was prewarmed");
    let methods: Vec<Value> = bench
        .read("sent")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["method"].take())
        .collect();
    assert_eq!(methods, ["initialize", "session/new", "session/set_mode", "session/prompt"]);
    started.transcripts.close(Instant::now() + Duration::from_secs(20)).await;
    let transcript = fs::read_to_string(bench.transcript()).unwrap();
    assert!(transcript.contains("initialize"), "what was said before there was a job is kept, too");
}
