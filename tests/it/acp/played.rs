//! A recorded dialogue, played by `botglue replay` to a real job: its transcript has both sides, and reads as the job did.

use std::fs;

use serde_json::{Value, json};

use crate::streams::{read, recordings};
use crate::support::scratch::Scratch;
use crate::support::serve::Serve;
use crate::support::wait_some;

#[test]
fn a_transcript_has_both_sides_and_reads_as_the_job_did() {
    let recording =
        recordings().into_iter().find(|recording| recording.name == "acp/copilot/refused.jsonl").unwrap();
    let serve = Serve::start(Scratch::new());
    let command = json!([env!("CARGO_BIN_EXE_botglue"), "replay", recording.path]);
    let agents = json!({"copilot": {"protocol": "acp", "command": command}});
    serve.run(1, "", &json!({"agents": agents, "agent": "copilot", "prompt": "the-secret-prompt"}));
    let job = serve.finished(1);
    let transcript = wait_some("its transcript is written", || {
        let mut files = fs::read_dir(serve.scratch.path("data/transcripts")).ok()?;
        fs::read_to_string(files.next()?.unwrap().path()).ok().filter(|text| text.contains("stopReason"))
    });
    let (_, again) = read(recording.agent, [transcript.as_bytes()], &recording.end);
    let error =
        again.error.as_ref().map(|error| json!({"code": error.code.name(), "message": error.message}));
    assert_eq!((error, &again.text), (Some(job["error"].clone()), &None), "{job:#}");
    assert_eq!(again.session_id.as_deref(), job["session_id"].as_str());
    let lines: Vec<Value> = transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sent = lines.iter().filter(|line| line["from"] == "client").count();
    assert_eq!(sent, 4, "initialize, session, prompt and a refusal");
    assert!(lines.iter().all(|line| line["t"].is_number()));
    assert!(transcript.contains("reject_once") && transcript.contains("the-secret-prompt"), "{transcript}");
}
