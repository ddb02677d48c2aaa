//! The main job from scripts: headless, at start-up, in a mapping: no key is typed, and the script calls `wait()`.

use serde_json::json;

use crate::support::agents;
use crate::support::nvim::{Builder, command};
use crate::support::scratch::Scratch;

/// It gives up by itself: what it does not write is what the test sees.
const SCRIPT: &str = r#"
vim.defer_fn(function() vim.cmd.cquit() end, 60000)
local botglue = require("botglue")
local range = { kind = "line", first = { 1, 0 }, last = { 1, 0 } }
local id = botglue.run({ prompt = "go", range = range })
local job = botglue.wait(id, 20000)
vim.fn.writefile({ job and job.landing or "never" }, "landing.txt")
vim.cmd.write()
"#;

/// Runs a script in a Neovim that is started with these arguments, and gives back what landed and the file.
fn run(script: &str, arguments: &[&str]) -> (String, String) {
    let scratch = Scratch::new();
    let file = scratch.write("a.txt", "a\nb\n");
    scratch.write("script.lua", script);
    let options = json!({
        "host": env!("CARGO_BIN_EXE_botglue"),
        "agents": agents::fault(&scratch, "A", ""),
    });
    let output = command(&scratch, &options).args(["--headless", "-n"]).args(arguments).output().unwrap();
    let read = |path: &std::path::Path| std::fs::read_to_string(path).unwrap_or_default();
    let landing = read(&scratch.project().join("landing.txt"));
    assert!(!landing.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (landing, read(&file))
}

#[test]
fn an_answer_lands_while_a_script_waits_at_start_up() {
    let expected = ("applied\n".to_owned(), "A\nb\n".to_owned());
    assert_eq!(run(SCRIPT, &["a.txt", "-c", "luafile script.lua", "-c", "qa!"]), expected);
    assert_eq!(run(SCRIPT, &["a.txt", "-S", "script.lua", "-c", "qa!"]), expected);
    let autocommand = "autocmd VimEnter * execute 'luafile script.lua' | qa!";
    assert_eq!(run(SCRIPT, &["--cmd", autocommand, "a.txt"]), expected);
    // Without a screen it may wait by itself.
    let plain = "vim.wait(20000, function() return botglue.job(id).landing end) and botglue.job(id)";
    let script = format!("vim.cmd.edit('a.txt'){}", SCRIPT.replace("botglue.wait(id, 20000)", plain));
    assert_eq!(run(&script, &["-l", "script.lua"]), expected);
}

#[test]
fn an_answer_lands_while_a_mapping_or_a_typed_command_waits() {
    let scratch = Scratch::new();
    let agent = agents::fault(&scratch, "A", "");
    scratch.write("script.lua", SCRIPT);
    let nvim = Builder::new(scratch).option("agents", agent).start();
    nvim.edit("a.lua", "a\nb\n");
    nvim.command("nnoremap X <Cmd>luafile script.lua<CR>");
    for (id, keys) in [(1, "X"), (2, ":luafile script.lua<CR>")] {
        nvim.exec("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a', 'b' })");
        nvim.input(keys);
        nvim.wait("the script is over", || nvim.exec("return vim.bo.modified") == false);
        assert_eq!(nvim.finished(id)["landing"], "applied", "{keys}");
        assert_eq!(nvim.lines(), ["A", "b"], "{keys}");
    }
}

#[test]
fn where_there_is_no_screen_a_long_message_waits_for_no_key() {
    let scratch = Scratch::new();
    let agent = agents::fault(&scratch, "", "head -c 5000 /dev/zero | tr '\\0' e >&2; exit 1");
    let nvim = Builder::new(scratch).option("agents", agent).start();
    nvim.edit("a.lua", "a\n");
    // The plugin's own one takes no note of it.
    nvim.exec("vim.notify = function(said) vim.api.nvim_echo({ { said } }, true, {}) end");
    let range = json!({"kind": "line", "first": [1, 0], "last": [1, 0]});
    let run = "return require('botglue').run({ prompt = 'go', range = ... })";
    let id = nvim.exec_with(run, &[range]).as_u64().unwrap();
    nvim.wait("it is told", || {
        nvim.exec("return vim.fn.execute('messages')").as_str().unwrap().contains("eee")
    });
    assert_eq!(nvim.finished(id)["error"]["code"], "exited");
    assert_eq!(nvim.exec("return vim.o.more"), true);
}
