//! What somebody does when an event comes holds up no other job, with the real host that waits for each of its calls.

use serde_json::json;

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// Two jobs, and who listens to the end of the first.
fn open(handler: &str) -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.txt", "one\ntwo\n");
    nvim.exec(&format!(
        "vim.api.nvim_create_autocmd('User', {{ pattern = 'BotglueJobFinished', callback = function(event)
            if event.data.id == 1 then {handler} end
        end }})"
    ));
    nvim.command("1Botglue run GATE:first");
    nvim.command("2Botglue run GATE:second");
    nvim.wait("both have started", || gated.has_started("first") && gated.has_started("second"));
    (nvim, gated)
}

#[test]
fn waiting_for_another_job() {
    let (nvim, gated) = open("_G.waited = require('botglue').wait(2, 30000)");
    gated.answer("first", "1");
    nvim.wait("the first has landed", || nvim.lines() == ["1", "two"]);
    gated.answer("second", "2");
    nvim.wait("the handler returns", || nvim.exec("return waited and waited.landing") == "applied");
    assert_eq!(nvim.lines(), ["1", "2"]);
}

#[test]
fn asking_the_user() {
    let (nvim, gated) = open("vim.cmd.enew() _G.said = vim.fn.input('and? ')");
    gated.answer("first", "1");
    nvim.wait("it asks", || nvim.call("nvim_get_mode", &[])["mode"] == "c");
    gated.answer("second", "2");
    assert_eq!(nvim.finished(2)["landing"], "applied");
    nvim.input("yes<CR>");
    assert_eq!(nvim.exec("return said"), json!("yes"));
}
