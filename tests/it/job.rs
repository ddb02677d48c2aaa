//! One job and its process, with agents that are shell scripts: how it starts, and every way it can end. The test is in
//! the place of Neovim; nothing of an agent may be left.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::agents::write_script;
use crate::support::process;
use crate::support::scratch::Scratch;
use crate::support::serve::Serve;
use crate::support::wait_some;

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"answer","total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":2}}"#;

/// An agent of a protocol whose script finds the project in `$DIR`; `more` is laid over it.
fn agent(serve: &Serve, protocol: &str, script: &str, more: &Json) -> Json {
    let mut agent = json!({"protocol": protocol, "command": ["/bin/sh", "-c", script, "agent"]});
    for (key, value) in more.as_object().unwrap() {
        agent[key] = value.clone();
    }
    agent["env"]["DIR"] = json!(serve.scratch.project());
    json!({"mine": agent})
}

/// Runs a job of such an agent to its end.
#[track_caller]
fn run(serve: &Serve, id: u64, agents: Json, more: Json) -> Json {
    let mut all = more;
    all["agents"] = agents;
    serve.run(id, "", &all);
    serve.finished(id)
}

fn note(serve: &Serve, name: &str) -> String {
    wait_some(&format!("the note {name}"), || fs::read_to_string(serve.scratch.project().join(name)).ok())
}

/// The transcripts. Their folder is made with the first, which is written behind the jobs.
fn transcripts(serve: &Serve) -> Vec<PathBuf> {
    let folder = serve.scratch.path("data/transcripts");
    let files = wait_some("the transcripts", || fs::read_dir(&folder).ok());
    files.map(|file| file.unwrap().path()).collect()
}

#[track_caller]
fn assert_fails(job: &Json, code: &str, words: &str) {
    let message = job["error"]["message"].as_str().unwrap_or_else(|| panic!("{job:#}"));
    assert!(job["error"]["code"] == code && message.contains(words), "{job:#}");
}

#[test]
fn an_agent_starts_in_its_own_group_and_sees_neither_prompt_nor_code_in_its_arguments() {
    let serve = Serve::start(Scratch::new());
    let script = format!(
        "cat > $DIR/input; env > $DIR/env; printf '%s\\n' \"$@\" > $DIR/argv; ps -o pgid= -p $$ > $DIR/group; echo $$ >> $DIR/group; echo '{RESULT}'"
    );
    let agents = agent(&serve, "claude", &script, &json!({"args": ["-x", "it's"]}));
    let secret = json!({"prompt": "the-secret-prompt"});
    assert_eq!(run(&serve, 1, agents, secret)["text"], "answer");
    let argv = note(&serve, "argv");
    assert!(argv.contains("--output-format") && argv.ends_with("-x\nit's\n"), "{argv}");
    assert!(!argv.contains("secret") && !argv.contains("local a"), "{argv}");
    let input = note(&serve, "input");
    assert!(input.contains("the-secret-prompt") && input.contains("local a"), "{input}");
    let group = note(&serve, "group");
    let ids: Vec<&str> = group.split_whitespace().collect();
    assert_eq!(ids[0], ids[1], "it leads its group");
    let environment = note(&serve, "env");
    let is_hidden = |line: &str| !line.starts_with("CLAUDECODE=") && !line.starts_with("NVIM=");
    assert!(environment.lines().all(is_hidden), "{environment}");
    wait_some("its transcript", || (transcripts(&serve).len() == 1).then_some(()));
}

#[test]
fn what_cannot_start_says_why() {
    let serve = Serve::start(Scratch::new());
    let program = |command: &str| json!({"mine": {"protocol": "claude", "command": [command]}});
    let missing = run(&serve, 1, program("no-such-agent-anywhere"), json!({}));
    assert_fails(&missing, "agent_not_found", "agents.mine.command");
    let gone = json!({"cwd": serve.scratch.path("gone")});
    assert_fails(&run(&serve, 2, program("sh"), gone), "spawn_failed", "working directory");
    let plain = serve.scratch.write("plain", "no program");
    assert_fails(&run(&serve, 3, program(plain.to_str().unwrap()), json!({})), "spawn_failed", "");
    let script = serve.scratch.write("script", "#!/no/such/interpreter\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    assert_fails(&run(&serve, 4, program(script.to_str().unwrap()), json!({})), "spawn_failed", "");
}

#[test]
fn a_result_finishes_the_job_before_the_agent_ends() {
    let serve = Serve::start(Scratch::new());
    let second = RESULT.replace("answer", "another").replace("0.5", "0.75");
    let script = format!(
        "echo $$ > $DIR/pid; echo '{RESULT}'; while [ ! -e $DIR/go ]; do sleep 0.01; done; echo '{second}'; while :; do sleep 1; done"
    );
    let job = run(&serve, 1, agent(&serve, "claude", &script, &json!({})), json!({}));
    assert_eq!(job["text"], "answer", "the first result decides");
    let pid: u32 = note(&serve, "pid").trim().parse().unwrap();
    assert!(process::of(&serve.scratch).iter().any(|found| found.pid == pid), "the agent was not waited for");
    serve.scratch.write("go", "");
    serve.told(1, |patch| (patch["set"]["cost_usd"] == 0.75).then_some(()));
    process::wait_for_end(pid);
    // One that a signal may have made does, too, where none came.
    let droid = r#"echo '{"type":"completion","finalText":"answer"}'; while :; do sleep 1; done"#;
    assert_eq!(run(&serve, 2, agent(&serve, "droid", droid, &json!({})), json!({}))["text"], "answer");
}

/// A group's number may be given to a stranger once its leader was reaped and nothing of the group is left. So the
/// leader is reaped last.
#[test]
#[cfg(target_os = "linux")]
fn an_agent_is_not_reaped_before_its_group_has_ended() {
    let serve = Serve::start(Scratch::new());
    let script = "echo $$ > $DIR/part; mv $DIR/part $DIR/leader
        sh -c 'trap \"\" TERM; echo $$ >$DIR/part; mv $DIR/part $DIR/ready; while :; do sleep 0.1; done' &
        while [ ! -e $DIR/ready ]; do sleep 0.01; done; echo done";
    serve.run(1, "", &json!({"agents": agent(&serve, "text", script, &json!({}))}));
    let [leader, other] =
        ["leader", "ready"].map(|name| PathBuf::from(format!("/proc/{}", note(&serve, name).trim())));
    loop {
        let is_reaped = !leader.exists();
        // A zombie has no command line.
        let lives = fs::read(other.join("cmdline")).is_ok_and(|line| !line.is_empty());
        assert!(!is_reaped || !lives, "the group outlives its number");
        if is_reaped {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(serve.finished(1)["text"], "done");
}

#[test]
fn a_program_is_looked_up_before_the_project_is_the_working_directory() {
    let serve = Serve::start(Scratch::new());
    for name in ["mine", "tool"] {
        let program = serve.scratch.write(&format!("bin/{name}"), "#!/bin/sh\ntouch $DIR/ran; echo theirs\n");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = json!({"PATH": "./bin:bin::.:/usr/bin:/bin"});
    let in_path = |command: &str| agent(&serve, "text", "", &json!({"command": [command], "env": path}));
    assert_fails(&run(&serve, 1, in_path("mine"), json!({})), "agent_not_found", "");
    assert_fails(&run(&serve, 2, in_path("bin/mine"), json!({})), "agent_not_found", "absolute path");
    // What the agent itself looks up is the user's, too.
    let script = "if command -v tool >/dev/null; then tool; else echo none; fi";
    let inner = run(&serve, 3, agent(&serve, "text", script, &json!({"env": path})), json!({}));
    assert_eq!(inner["text"], "none");
    assert!(!serve.scratch.project().join("ran").exists());
}

#[test]
fn a_command_below_the_home_is_written_with_a_tilde() {
    let serve = Serve::start(Scratch::new());
    write_script(&serve.scratch.path("home/agent"), "echo at home");
    let agents = json!({"mine": {"protocol": "text", "command": ["~/agent"]}});
    assert_eq!(run(&serve, 1, agents, json!({}))["text"], "at home");
}

#[test]
fn an_agent_that_never_reads_its_input_still_answers() {
    let serve = Serve::start(Scratch::new());
    serve.run(1, "exec <&-; echo fine", &json!({"prompt": "long ".repeat(200_000)}));
    assert_eq!(serve.finished(1)["text"], "fine");
}

#[test]
fn an_agent_that_prints_without_a_pause_and_ignores_term_does_not_outlive_its_timeout() {
    let serve = Serve::start(Scratch::new());
    let script = "trap '' TERM; yes '{\"type\":\"noise\"}'; while :; do sleep 1; done";
    let job = run(&serve, 1, agent(&serve, "claude", script, &json!({})), json!({"timeout": 0.3}));
    assert_fails(&job, "timeout", "0.3 s");
    // What another one says because of that is no answer.
    let script =
        r#"trap 'echo "{\"type\":\"completion\",\"finalText\":\"x\"}"' TERM; while :; do sleep 0.1; done"#;
    let job = run(&serve, 2, agent(&serve, "droid", script, &json!({})), json!({"timeout": 0.3}));
    assert_fails(&job, "timeout", "0.3 s");
}

#[test]
fn a_transcript_keeps_what_a_failed_job_had_said() {
    let serve = Serve::start(Scratch::new());
    let script = "echo '{\"type\":\"noise\"}'; exit 1";
    run(&serve, 1, agent(&serve, "claude", script, &json!({})), json!({}));
    let said = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|said| said == "{\"type\":\"noise\"}\n");
    wait_some("its transcript is written", || transcripts(&serve).iter().any(said).then_some(()));
}
