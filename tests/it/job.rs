//! One job and its process, with agents that are shell scripts: how it starts, and every way it can end.
//! Each test also shows that nothing of the process group is left.

mod bench;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use botglue::agent::Protocol;
use botglue::error::Code;
use botglue::job::EmptyDirectory;
use botglue::request::Request;

use bench::only_file;
pub use bench::{Bench, Started, group_lives, until};

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"answer","total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":2}}"#;

#[tokio::test]
async fn an_agent_starts_in_its_own_group_and_sees_neither_prompt_nor_code_in_its_arguments() {
    let bench = Bench::new();
    let script =
        format!("cat > input; printf '%s\\n' \"$@\" > argv; ps -o pgid= -p $$ > group; echo '{RESULT}'");
    let mut request = bench.agent(Protocol::Claude, &script);
    request.start.agent.args = vec!["--mine".to_owned()];
    let started = bench.run(request).await;
    assert_eq!(started.text(), Some("answer"), "{}", started.message());
    let argv = bench.read("argv");
    assert!(argv.contains("--output-format") && argv.ends_with("--mine\n"), "{argv}");
    assert!(!argv.contains("secret"), "{argv}");
    let input = bench.read("input");
    assert!(input.contains("the-secret-prompt") && input.contains("the-secret-code"), "{input}");
    assert_eq!(bench.read("group").trim().parse().ok(), started.pgid);
    assert!(bench.dir.path().join("transcripts").read_dir().unwrap().count() == 1);
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let bench = Bench::new();
    let missing = bench.run(bench.request(Protocol::Claude, &["no-such-agent-anywhere"])).await;
    assert_eq!(missing.code(), Some(Code::AgentNotFound));
    assert!(missing.message().contains("agents.mine.command"), "{}", missing.message());

    let mut request = bench.request(Protocol::Claude, &["sh"]);
    request.start.cwd = bench.path("gone");
    let nowhere = bench.run(request).await;
    assert_eq!(nowhere.code(), Some(Code::SpawnFailed));
    assert!(nowhere.message().contains("working directory"), "{}", nowhere.message());

    fs::write(bench.path("plain"), "no program").unwrap();
    let plain = bench.path("plain");
    let refused = bench.run(bench.request(Protocol::Claude, &[plain.to_str().unwrap()])).await;
    assert_eq!(refused.code(), Some(Code::SpawnFailed), "{}", refused.message());

    let script = bench.path("script");
    fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let broken = bench.run(bench.request(Protocol::Claude, &[script.to_str().unwrap()])).await;
    assert_eq!(broken.code(), Some(Code::SpawnFailed), "{}", broken.message());
}

#[tokio::test]
async fn a_result_finishes_the_job_before_the_agent_ends() {
    let bench = Bench::new();
    let second = RESULT.replace("answer", "another").replace("0.5", "0.75");
    let script = format!(
        "echo '{RESULT}'; while [ ! -e $DIR/go ]; do sleep 0.01; done; echo '{second}'; while :; do sleep 1; done"
    );
    let mut started = bench.start(bench.agent(Protocol::Claude, &script));
    let pgid = started.started().await;
    started.finished().await;
    assert!(group_lives(pgid), "the agent was not waited for");
    fs::write(bench.path("go"), "").unwrap();
    started.run_out().await;
    assert_eq!(started.text(), Some("answer"), "the first result decides");
    assert_eq!(started.amended.unwrap().cost_usd, Some(0.75), "the amounts of all count");
}

/// A group's number may be given to a stranger once its leader was reaped and nothing of the group is left. So the
/// leader is reaped last.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn an_agent_is_not_reaped_before_its_group_has_ended() {
    let bench = Bench::new();
    let script = "sh -c 'trap \"\" TERM; echo >$DIR/ready; while :; do sleep 0.1; done' &
        while [ ! -e $DIR/ready ]; do sleep 0.01; done; echo done";
    let mut started = bench.start(bench.agent(Protocol::Text, script));
    let pgid = started.started().await;
    let leader = PathBuf::from(format!("/proc/{pgid}"));
    loop {
        let is_reaped = !leader.exists();
        assert!(!is_reaped || !group_lives(pgid), "the group outlives its number");
        if is_reaped {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    started.run_out().await;
    assert_eq!(started.text(), Some("done"));
}

#[tokio::test]
async fn a_program_is_looked_up_before_the_project_is_the_working_directory() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("bin")).unwrap();
    for name in ["mine", "tool"] {
        fs::write(bench.path("bin").join(name), "#!/bin/sh\ntouch $DIR/ran; echo theirs\n").unwrap();
        fs::set_permissions(bench.path("bin").join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let with_path = |mut request: Request| {
        request.start.agent.env.insert("PATH".to_owned(), "./bin:bin::.:/usr/bin:/bin".to_owned());
        request
    };
    let named = bench.run(with_path(bench.request(Protocol::Text, &["mine"]))).await;
    assert_eq!(named.code(), Some(Code::AgentNotFound), "{:?}", named.text());
    let relative = bench.run(with_path(bench.request(Protocol::Text, &["bin/mine"]))).await;
    assert_eq!(relative.code(), Some(Code::AgentNotFound), "{:?}", relative.text());
    assert!(relative.message().contains("absolute path"), "{}", relative.message());
    // What the agent itself looks up is the user's, too.
    let script = "if command -v tool >/dev/null; then tool; else echo none; fi";
    let inner = bench.run(with_path(bench.agent(Protocol::Text, script))).await;
    assert_eq!(inner.text(), Some("none"), "{}", inner.message());
    assert!(!bench.path("ran").exists());
}

#[tokio::test]
async fn what_was_put_into_the_empty_directory_reaches_no_later_job() {
    let bench = Bench::new();
    let script = "pwd > $DIR/pwd; ls -A > $DIR/found; mkdir .factory; echo '{\"type\":\"completion\",\"finalText\":\"answer\"}'";
    for _ in 0..2 {
        let started = bench.run(bench.agent(Protocol::Droid, script)).await;
        assert_eq!((started.text(), &bench.read("found")[..]), (Some("answer"), ""));
    }
    assert!(bench.path("empty/.factory").is_dir(), "what somebody put there stays");
}

#[tokio::test]
async fn an_agent_that_has_no_empty_directory_does_not_run() {
    let bench = Bench::new();
    let mut request = bench.agent(Protocol::Droid, "touch $DIR/ran");
    request.record = false;
    let file = bench.path("file");
    fs::write(&file, "").unwrap();
    let mut started = bench.start_with(request, EmptyDirectory::under(Some(file)), None);
    started.run_out().await;
    assert_eq!(started.code(), Some(Code::SpawnFailed));
    assert!(started.message().contains("empty directory"), "{}", started.message());
    assert!(!bench.path("ran").exists());
}

#[tokio::test]
async fn dropping_the_handle_stops_the_agent() {
    let bench = Bench::new();
    let mut started = bench.start(bench.agent(Protocol::Claude, "echo > $DIR/ready; exec sleep 1000"));
    started.started().await;
    until("the agent runs", || bench.path("ready").exists()).await;
    started.job = None;
    started.run_out().await;
    assert!(started.text().is_none());
    assert!(started.code().is_some());
}

#[tokio::test]
async fn an_agent_that_never_reads_its_input_still_answers() {
    let bench = Bench::new();
    let mut request = bench.agent(Protocol::Text, "exec <&-; echo fine");
    request.prompt = "long ".repeat(200_000);
    let started = bench.run(request).await;
    assert_eq!(started.text(), Some("fine"));
}

#[tokio::test]
async fn an_agent_that_prints_without_a_pause_and_ignores_term_does_not_outlive_its_timeout() {
    let bench = Bench::new();
    let mut request =
        bench.agent(Protocol::Claude, "trap '' TERM; yes '{\"type\":\"noise\"}'; while :; do sleep 1; done");
    request.timeout = Duration::from_millis(300);
    let started = bench.run(request).await;
    assert_eq!(started.code(), Some(Code::Timeout));
    assert!(started.message().contains("0.3 s"), "{}", started.message());
}

#[tokio::test]
async fn fifty_megabytes_on_one_line_and_an_answer_without_a_final_newline_arrive() {
    let bench = Bench::new();
    let script = format!(
        "printf '{{\"type\":\"user\",\"x\":\"'; head -c 50000000 /dev/zero | tr '\\0' y; printf '\"}}\\n'; printf '%s' '{RESULT}'"
    );
    let started = bench.run(bench.agent(Protocol::Claude, &script)).await;
    assert_eq!(started.text(), Some("answer"), "{}", started.message());
}

#[tokio::test]
async fn a_transcript_keeps_what_a_failed_job_had_said() {
    let bench = Bench::new();
    bench.run(bench.agent(Protocol::Claude, "echo '{\"type\":\"noise\"}'; exit 1")).await;
    let file = only_file(&bench.path("transcripts"));
    assert_eq!(fs::read_to_string(file).unwrap(), "{\"type\":\"noise\"}\n");
}

#[tokio::test]
async fn an_agent_that_trusts_its_directory_runs_in_an_empty_one_unless_the_project_is_trusted() {
    let bench = Bench::new();
    let script = "pwd > $DIR/pwd; echo '{\"type\":\"completion\",\"finalText\":\"answer\"}'";
    let untrusted = bench.agent(Protocol::Droid, script);
    let mut trusted = untrusted.clone();
    trusted.start.trust_project = true;
    assert_eq!(bench.run(untrusted).await.text(), Some("answer"));
    assert!(bench.read("pwd").ends_with("/empty\n"), "{}", bench.read("pwd"));
    assert_eq!(bench.run(trusted).await.text(), Some("answer"));
    assert_eq!(Path::new(bench.read("pwd").trim()).file_name(), bench.dir.path().file_name());
}
