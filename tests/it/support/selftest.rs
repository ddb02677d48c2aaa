//! What no other test shows of the support: a process that is not found would pass everywhere.

use std::process::{Command, Stdio};

use super::nvim::Builder;
use super::scratch::Scratch;
use super::{agents, process};

#[test]
fn neovims_own_process_is_no_agent() {
    let nvim = Builder::new(Scratch::new()).option("notify", "none").start();
    nvim.exec("vim.fn.jobstart({ 'sleep', '1000' })");
    let started = process::wait_for(&nvim.scratch, "sleep 1000");
    assert!(process::of(&nvim.scratch).iter().any(|process| process.pid == nvim.pid()));
    assert_eq!(nvim.host(), None);
    process::signal(started.pid, "KILL");
    nvim.wait_for_no_agent();
}

#[test]
fn what_is_left_running_is_found() {
    let scratch = Scratch::new();
    for agents in [
        agents::outlives_its_answer(&scratch, "bye"),
        agents::leaves_a_child_on_its_pipes(&scratch, "bye"),
        agents::ignores_term(&scratch),
    ] {
        let command = agents["claude"]["command"][0].as_str().unwrap();
        let mut child = Command::new(command)
            .env_clear()
            .envs(scratch.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let left = process::wait_for(&scratch, "sleep 1000");
        process::signal(child.id(), "TERM");
        assert!(process::of(&scratch).contains(&left) || left.pid == child.id());
        process::kill_all(&scratch);
        child.wait().unwrap();
        process::wait_for_none_but(&scratch, &[], "all are killed");
    }
}
