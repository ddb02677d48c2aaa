//! What the next host of the same Neovim takes over from one that has ended.

use serde_json::json;

use super::history;
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::signal;
use crate::support::scratch::Scratch;
use crate::support::wait;

fn open() -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).option("max_parallel", 1).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\nlocal c = 3\n");
    (nvim, gated)
}

fn run(nvim: &Nvim, name: &str, line: u64) -> u64 {
    let range = json!({"kind": "line", "first": [line, 0], "last": [line, 0]});
    let options = json!({"prompt": format!("GATE:{name}"), "range": range});
    nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
}

#[test]
fn an_answer_that_was_stored_and_not_told_is_held_in_the_same_neovim() {
    let (nvim, gated) = open();
    let id = run(&nvim, "it", 2);
    let go = nvim.scratch.path("go");
    // While Neovim is in this function the host can tell it nothing else.
    nvim.exec_with(
        "local id, go = ...
         require('botglue').on(id, function(update)
           while update.kind == 'text' and not vim.uv.fs_stat(go) do vim.uv.sleep(5) end
         end)",
        &[json!(id), json!(go)],
    );
    gated.answer("it", "local b = 20");
    let path = nvim.scratch.path("data/nvim/botglue/botglue.db");
    wait("the answer is stored", || super::crash::stored(&path).as_deref() == Some("undecided"));
    signal(nvim.host().expect("a host"), "KILL");
    std::fs::write(&go, "").unwrap();
    assert_eq!(nvim.finished(id)["error"]["code"], "host_lost");

    let tells = |note: &serde_json::Value| note["message"].as_str().unwrap().contains("which was stored");
    nvim.wait("it is told of", || nvim.notes().iter().any(tells));
    nvim.command("Botglue review 2");
    nvim.shows_held(2);
    let held = nvim.exec("return require('botglue').job(2)");
    assert_eq!((&held["landing"], &held["held_for"]), (&json!("held"), &json!("review")), "{held}");
    assert_eq!(held["text"], "local b = 20");
    nvim.exec("require('botglue').accept(2)");
    nvim.wait("it is accepted", || nvim.exec("return require('botglue').job(2).landing") == "applied");
    let lines = nvim.exec("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.lua'), 0, -1, true)");
    assert_eq!(lines, json!(["local a = 1", "local b = 20", "local c = 3"]));
    let landings: Vec<_> = history(&nvim).iter().map(|job| job["landing"].clone()).collect();
    assert_eq!(landings, ["applied"]);
}
