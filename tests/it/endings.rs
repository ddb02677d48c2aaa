//! Every way a job can end besides an answer: nothing of ours is left running or drawn, and the user is told
//! exactly once. (That nothing runs after Neovim has quit is checked whenever a test's Neovim is dropped.)

use serde_json::{Value, json};

use crate::support::agents::{self, Gated};
use crate::support::nvim::{Builder, Nvim};
use crate::support::process;
use crate::support::scratch::Scratch;

const TEXT: &str = "local a = 1\nlocal b = 2\n";

fn open(scratch: Scratch, agents: Value) -> Nvim {
    let nvim = Builder::new(scratch).option("agents", agents).screen(80, 24).start();
    nvim.edit("endings.lua", TEXT);
    nvim
}

/// Extmarks of ours that draw anything, in all buffers.
fn drawn(nvim: &Nvim) -> Value {
    nvim.exec(
        "local found = {}
        for name, ns in pairs(vim.api.nvim_get_namespaces()) do
          if name:find('^botglue') then
            for _, buf in ipairs(vim.api.nvim_list_bufs()) do
              for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
                local d = mark[4]
                if d.virt_lines or d.virt_text or d.hl_group or d.sign_text then
                  found[#found + 1] = vim.inspect(mark)
                end
              end
            end
          end
        end
        return found",
    )
}

fn assert_failed(nvim: &Nvim, id: u64, code: &str) -> String {
    let job = nvim.finished(id);
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!(code)), "{job}");
    assert_eq!(nvim.lines().join("\n") + "\n", TEXT, "the buffer is unchanged");
    assert_eq!(drawn(nvim), json!([]), "nothing is drawn");
    assert_eq!(nvim.events("BotglueJobFinished").len(), 1, "finished once");
    job["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn quitting_in_mid_job_leaves_nothing_running() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = open(scratch, gated.option());
    nvim.run("GATE:it", (1, 1), json!({}));
    let run = gated.run("it");
    nvim.quit();
    drop(run);
}

#[test]
fn quitting_ends_an_agent_that_ignores_term() {
    let scratch = Scratch::new();
    let agent = agents::ignores_term(&scratch);
    let nvim = open(scratch, agent);
    nvim.run("GATE:it", (1, 1), json!({}));
    process::wait_for(&nvim.scratch, "sleep 1000");
    nvim.quit();
}

#[test]
fn a_killed_host_ends_even_agents_that_ignore_term() {
    let scratch = Scratch::new();
    let agent = agents::ignores_term(&scratch);
    let nvim = open(scratch, agent);
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    process::wait_for(&nvim.scratch, "sleep 1000");
    nvim.wait("the job runs", || {
        nvim.exec_with("return require('botglue').job(...).status", &[json!(id)]) == "running"
    });
    process::signal(nvim.host().expect("a host"), "KILL");
    assert_failed(&nvim, id, "host_lost");
    nvim.wait_for_no_agent();
}

#[test]
fn a_killed_agent_is_named_as_such() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = open(scratch, gated.option());
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    let run = gated.run("it");
    process::signal(process::wait_for(&nvim.scratch, "cat ").pid, "KILL");
    let message = assert_failed(&nvim, id, "exited");
    assert!(message.contains('9') || message.contains("KILL"), "{message}");
    drop(run);
}

#[test]
fn a_timeout_ends_an_agent_that_ignores_term_and_says_so() {
    let scratch = Scratch::new();
    let agent = agents::ignores_term(&scratch);
    let nvim = Builder::new(scratch).option("agents", agent).option("timeout", 0.5).screen(80, 24).start();
    nvim.edit("endings.lua", TEXT);
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    let message = assert_failed(&nvim, id, "timeout");
    assert!(message.contains("0.5 s"), "{message}");
    nvim.wait_for_no_agent();
}

#[test]
fn an_agent_that_stays_after_its_result_lands_at_once_and_is_ended() {
    let scratch = Scratch::new();
    let agent = agents::outlives_its_answer(&scratch, "local a = 10");
    let nvim = open(scratch, agent);
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    assert_eq!(nvim.finished(id)["landing"], "applied");
    process::wait_for(&nvim.scratch, "sleep 1000");
    nvim.wait_for_no_agent();
    assert_eq!(drawn(&nvim), json!([]));
    assert_eq!(nvim.events("BotglueJobFinished").len(), 1);
}

#[test]
fn a_child_that_holds_the_pipes_holds_up_nothing_and_is_ended() {
    let scratch = Scratch::new();
    let agent = agents::leaves_a_child_on_its_pipes(&scratch, "local a = 10");
    let nvim = open(scratch, agent);
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    assert_eq!(nvim.finished(id)["landing"], "applied");
    nvim.wait_for_no_agent();
}

#[test]
fn a_missing_agent_says_what_to_do() {
    let nvim = open(Scratch::new(), json!({"claude": {"command": ["no-such-agent"]}}));
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    let message = assert_failed(&nvim, id, "agent_not_found");
    assert!(message.contains("agents.claude.command"), "{message}");
    nvim.wait("the user is told", || nvim.notes().len() == 1);
}
