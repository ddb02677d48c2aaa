//! What a host may be asked for and told, and what that may cost: numbers beyond all bounds, many jobs, many calls,
//! long answers. The test is in the place of Neovim.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::store::stored;
use crate::support::process::memory;
use crate::support::scratch::Scratch;
use crate::support::serve::Serve;
use crate::support::wait;

#[test]
fn a_timeout_beyond_all_bounds_is_no_limit() {
    let serve = Serve::start(Scratch::new());
    for (id, timeout) in [(1, json!(1e19)), (2, json!(u64::MAX)), (3, json!(1e300))] {
        serve.run(id, "echo local b", &json!({"timeout": timeout}));
        assert_eq!(serve.finished(id)["status"], "done", "{timeout}");
    }
}

#[test]
fn what_an_agent_counts_beyond_all_bounds_can_be_added_up() {
    let serve = Serve::start(Scratch::new());
    let result = r#"{"type":"result","is_error":false,"result":"local b","num_turns":1e300,"duration_ms":1e999,
        "total_cost_usd":1e308,"usage":{"input_tokens":18446744073709551616,"output_tokens":1e300}}"#;
    let results = [result; 3].map(|result| result.replace('\n', "")).join("\n");
    std::fs::write(serve.scratch.project().join("results"), results).unwrap();
    let agents = json!({"mine": {"protocol": "claude", "command": ["/bin/sh", "-c", "cat results"]}});
    for id in 1..=2 {
        serve.run(id, "", &json!({"agents": agents}));
        assert_eq!(serve.finished(id)["status"], "done");
    }
    let database = serve.scratch.path("data/botglue.db");
    wait("both are stored", || stored(&database, "SELECT count(ended_ms) FROM jobs").as_deref() == Some("2"));
    for amount in ["input_tokens", "output_tokens", "num_turns", "cost_usd"] {
        let sum = stored(&database, &format!("SELECT CAST(sum({amount}) AS REAL) FROM jobs")).unwrap();
        assert!((1e12..1e13).contains(&sum.parse().unwrap()), "{amount}: {sum}");
    }
}

/// A pipe from which an agent reads a line before it goes on. Open at both ends, so that neither side waits for the other.
fn gate(path: &Path) -> File {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    File::options().read(true).write(true).open(path).unwrap()
}

#[test]
fn a_job_that_waits_is_told_of_once() {
    const JOBS: u64 = 40;
    let serve = Serve::start(Scratch::new());
    let path = |id: u64| serve.scratch.project().join(format!("gate-{id}"));
    let mut gates: Vec<File> = (1..=JOBS).map(|id| gate(&path(id))).collect();
    for id in 1..=JOBS {
        serve.run(id, &format!("read go <gate-{id}; echo local b"), &json!({"max_parallel": 1}));
    }
    for (id, gate) in (1..).zip(&mut gates) {
        serve.told(id, |patch| (patch["set"]["status"] == "running").then_some(()));
        gate.write_all(b"go\n").unwrap();
        serve.finished(id);
    }
    let queued = serve.patches().iter().filter(|patch| patch["set"]["status"] == "queued").count();
    assert!(queued < 40, "{queued} states of {JOBS} jobs say that they wait");
}

#[test]
fn an_answer_beyond_16_mb_fails_and_says_where_its_transcript_is() {
    let serve = Serve::start(Scratch::new());
    for (id, is_recorded) in [(1, true), (2, false)] {
        serve.run(id, "head -c 17000000 /dev/zero | tr '\\0' x", &json!({"record": is_recorded}));
        let outcome = serve.finished(id);
        assert_eq!(outcome["error"]["code"], "protocol");
        let message = outcome["error"]["message"].as_str().unwrap();
        assert!(message.contains("longer than 16 MB"), "{message}");
        let transcripts = serve.scratch.path("data/transcripts");
        let named = message.split(' ').find(|word| word.starts_with(transcripts.to_str().unwrap()));
        assert_eq!(named.is_some_and(|path| std::path::Path::new(path).is_file()), is_recorded, "{message}");
    }
}

#[test]
fn a_long_answer_is_sent_once_and_its_memory_is_given_back() {
    let serve = Serve::start(Scratch::new());
    serve.run(1, "echo local b", &json!({}));
    serve.finished(1);
    let before = memory(serve.pid());
    serve.run(2, "yes 'local some = words .. \"of code\"' | head -c 15000000", &json!({}));
    serve.finished(2);
    let bytes: usize = serve.patches().iter().map(|patch| patch.to_string().len()).sum();
    assert!(bytes < 20_000_000, "{bytes} bytes");
    // Until then the host keeps it: the user may still decide.
    serve.notify("ask", &json!({"token": 1, "what": "reject", "arg": {"id": 2}, "here": {"columns": 80, "lines": 24, "cmdheight": 1}}));
    let most = before + (24 << 10);
    wait("the memory is given back", || memory(serve.pid()) < most);
}
