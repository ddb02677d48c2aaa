//! What small jobs cost the editor, however many run at once.

use serde_json::json;

use super::editor::{Editor, paced};
use super::row::{RUNS, Run, Sample};
use crate::support::agents::write_script;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

/// How far apart their ranges are.
const EVERY: usize = 7;

fn editor() -> Editor {
    let scratch = Scratch::new();
    let agent = scratch.path("agent");
    write_script(&agent, "cat >/dev/null\nfor row in 1 2 3 4; do echo \"changed by $$ in row $row\"; done\n");
    let agents = json!({"small": {"protocol": "text", "command": [agent]}});
    Editor::with(Builder::new(scratch).option("agents", agents).option("agent", "small"))
}

/// Counts what the host calls: functions of the plugin, and its contacts with a buffer.
const COUNT: &str = "
    _G.calls = 0
    local apply, attach = require('botglue.apply'), require('botglue.host.attach')
    local depth = 0
    local function count(module, name)
        local fn = module[name]
        module[name] = function(...)
            calls, depth = calls + (depth == 0 and 1 or 0), depth + 1
            local result = fn(...)
            depth = depth - 1
            return result
        end
    end
    for _, name in ipairs(vim.tbl_keys(apply)) do count(apply, name) end
    count(attach, 'report')";

/// The calls for a job that takes no time, in a buffer that is mirrored: its landing takes three of them, the write,
/// what became of it and that it is stored.
pub fn calls_of_a_short_job() -> Run {
    let editor = editor();
    editor.nvim.exec(COUNT);
    Box::new(move || {
        editor.nvim.exec("calls = 0");
        editor.run("D", 1, 1, EVERY);
        editor.nvim.wait_for_no_agent();
        let calls = editor.nvim.exec("return calls").as_f64().unwrap();
        editor.reset();
        vec![Sample::Value(calls)]
    })
}

/// The calls for a job of 30 s: ten tools, and text for a second and a half. All seven run at the same time, each in a
/// Neovim of its own.
pub fn calls_of_a_long_job() -> Run {
    let editors: Vec<Editor> = (0..RUNS)
        .map(|_| {
            let scratch = Scratch::new();
            let agents = paced(&scratch, 80, 1.5, "slow");
            let editor = Editor::new(scratch, agents);
            editor.nvim.exec(COUNT);
            editor.start("D", 1, 1, EVERY);
            editor
        })
        .collect();
    let mut editors = editors.into_iter();
    Box::new(move || {
        let editor = editors.next().expect("one for each run");
        editor.ended();
        vec![Sample::Value(editor.nvim.exec("return calls").as_f64().unwrap())]
    })
}

/// The CPU of Neovim for a job where many run at once ÷ where few do.
fn many_beside_few(many: usize, few: usize) -> Run {
    let editor = editor();
    Box::new(move || {
        let each = |jobs: usize, at_once| {
            let before = editor.cpu();
            editor.run("D", jobs, at_once, EVERY);
            let used = editor.cpu() - before;
            editor.reset();
            #[expect(clippy::cast_precision_loss, reason = "not so many")]
            let each = used / jobs as f64;
            each
        };
        let other = each(many.min(32), few);
        vec![Sample::Ratio { ours: each(many, many), other }]
    })
}

pub fn cost_of_128() -> Run {
    many_beside_few(128, 8)
}

pub fn cost_beside_one() -> Run {
    many_beside_few(128, 1)
}
