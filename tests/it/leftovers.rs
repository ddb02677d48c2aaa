//! What agents leave behind: processes that leave their group, and the limits that they and the host live under.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::agents::{self, Gated};
use crate::support::nvim::{Builder, Nvim};
use crate::support::process;
use crate::support::scratch::Scratch;
use crate::support::wait;

const TEXT: &str = "local a = 1\nlocal b = 2\n";

fn open(scratch: Scratch, agents: Value) -> Nvim {
    let nvim = Builder::new(scratch).option("agents", agents).start();
    nvim.edit("a.lua", TEXT);
    nvim
}

/// A shell script's command that starts `script` in a session of its own, and waits until it is in it.
fn in_a_session_of_its_own(scratch: &Scratch, script: &str) -> String {
    let ready = scratch.path("ready");
    let program = scratch.path("daemon");
    agents::write_script(&program, &format!("echo >'{}'\n{script}\n", ready.display()));
    format!(
        "setsid '{}' </dev/null >/dev/null 2>&1 & while [ ! -e '{}' ]; do sleep 0.01; done",
        program.display(),
        ready.display()
    )
}

#[test]
#[cfg(target_os = "linux")]
fn a_grandchild_in_a_session_of_its_own_ends_with_its_job_and_so_do_its_children() {
    let ignores_term = "trap '' TERM HUP\nsetsid sleep 1000 & setsid sh -c 'sleep 1000; echo' &\nwhile :; do sleep 1000; done";
    for script in ["exec sleep 1000", ignores_term] {
        let scratch = Scratch::new();
        let daemon = in_a_session_of_its_own(&scratch, script);
        let agent = agents::fault(&scratch, "local a = 10", &daemon);
        let nvim = open(scratch, agent);
        let id = nvim.run("it", (1, 1), json!({}));
        assert_eq!(nvim.finished(id)["landing"], "applied");
        nvim.wait_for_no_agent();
    }
}

/// It cannot be known which of two agents started it, so it stays until the older one has ended, too.
#[test]
#[cfg(target_os = "linux")]
fn the_end_of_one_job_ends_nothing_that_another_may_have_started() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let daemon = in_a_session_of_its_own(&scratch, "exec sleep 1000");
    let own = scratch.path("other");
    agents::write_script(&own, &format!("cat >/dev/null\n({daemon})\necho 'local b = 20'\n"));
    let mut agents = gated.option();
    agents["other"] = json!({"protocol": "text", "command": [own]});
    let nvim = open(scratch, agents);
    let first = nvim.run("GATE:it", (1, 1), json!({}));
    let mut run = gated.run("it");
    let second = nvim.run("it", (2, 2), json!({"agent": "other"}));
    assert_eq!(nvim.finished(second)["landing"], "applied");
    let log = nvim.scratch.path("state/nvim/botglue.log");
    let gone = format!("gone job={second}\n");
    wait("the host has ended what is left of the second job", || {
        std::fs::read_to_string(&log).is_ok_and(|log| log.contains(&gone))
    });
    assert!(process::of(&nvim.scratch).iter().any(|found| found.command == "sleep 1000"));
    run.print(&crate::support::stream::answer("local a = 10"));
    drop(run);
    assert_eq!(nvim.finished(first)["landing"], "applied");
    nvim.wait_for_no_agent();
}

#[test]
fn quitting_in_mid_job_ends_agents_that_ignore_term_and_what_left_their_group() {
    let scratch = Scratch::new();
    let daemon = in_a_session_of_its_own(&scratch, "exec sleep 1000");
    let agent = agents::fault(&scratch, "", &format!("trap '' TERM\n{daemon}\nwhile :; do sleep 1001; done"));
    let nvim = open(scratch, agent);
    nvim.run("it", (1, 1), json!({}));
    process::wait_for(&nvim.scratch, "sleep 1001");
}

#[test]
fn a_killed_host_ends_even_agents_that_ignore_term() {
    let scratch = Scratch::new();
    let agent = agents::fault(&scratch, "", "trap '' TERM; while :; do sleep 1000; done");
    let nvim = open(scratch, agent);
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    process::wait_for(&nvim.scratch, "sleep 1000");
    nvim.wait("the job runs", || {
        nvim.exec_with("return require('botglue').job(...).status", &[json!(id)]) == "running"
    });
    process::signal(nvim.host().expect("a host"), "KILL");
    let job = nvim.finished(id);
    assert_eq!(
        (&job["error"]["code"], nvim.lines().join("\n") + "\n"),
        (&json!("host_lost"), TEXT.to_owned())
    );
    nvim.wait_for_no_agent();
}

/// A host that may write no file beyond a megabyte.
fn limited_host(scratch: &Scratch) -> PathBuf {
    let path = scratch.path("limited-host");
    let host = env!("CARGO_BIN_EXE_botglue");
    std::fs::write(&path, format!("#!/bin/bash\nulimit -f 1024\nexec '{host}' \"$@\"\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_limit_on_the_size_of_files_ends_agents_that_pass_it_and_never_the_host() {
    let scratch = Scratch::new();
    let host = limited_host(&scratch);
    let (large, code) = (scratch.path("large"), scratch.path("code"));
    let passes = format!(
        "head -c 3000000 /dev/zero | tr '\\0' '\\n'\nsh -c 'exec head -c 3000000 /dev/zero >\"{}\"'\necho $? >'{}'",
        large.display(),
        code.display()
    );
    let agent = scratch.path("agent");
    let answer = scratch.path("answer");
    std::fs::write(&answer, crate::support::stream::answer("local a = 10")).unwrap();
    agents::write_script(&agent, &format!("cat >/dev/null\n{passes}\ncat '{}'\n", answer.display()));
    let nvim = Builder::new(scratch)
        .option("agents", agents::claude_is(&agent))
        .option("host", host.to_str())
        .start();
    nvim.edit("a.lua", TEXT);
    let id = nvim.run("it", (1, 1), json!({}));
    let job = nvim.finished(id);
    assert_eq!(job["landing"], "applied", "{job:#}");
    assert_eq!(std::fs::read_to_string(&code).unwrap(), "153\n", "the signal is the agent's default again");
    let pid = nvim.host();
    let id = nvim.run("it", (1, 1), json!({}));
    nvim.finished(id);
    assert_eq!(nvim.host(), pid, "the same host runs the next job");
}

/// A process that leads a group of its own and ignores TERM.
fn stubborn_leader() -> Child {
    let script = "trap '' TERM; echo; while :; do sleep 0.05; done";
    let mut command = Command::new("/bin/sh");
    let mut leader = command.args(["-c", script]).process_group(0).stdout(Stdio::piped()).spawn().unwrap();
    leader.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    leader
}

#[test]
fn what_a_host_that_is_gone_has_named_is_ended_and_nothing_else() {
    let mut reaper = Command::new(env!("CARGO_BIN_EXE_botglue"));
    let mut reaper = reaper.arg("reap").stdin(Stdio::piped()).spawn().unwrap();
    let (mut named, mut taken_back) = (stubborn_leader(), stubborn_leader());
    let mut input = reaper.stdin.take().unwrap();
    let (named_id, id) = (named.id(), taken_back.id());
    write!(input, "+{named_id}\n+{id}\n-{id}\n+1\n+0\n+-1\nnonsense\n").unwrap();
    drop(input);
    assert!(reaper.wait().unwrap().success());
    named.wait().unwrap();
    assert!(taken_back.try_wait().unwrap().is_none(), "it was told to be gone");
    taken_back.kill().unwrap();
    taken_back.wait().unwrap();
}
