//! The windows that list: the jobs of this Neovim, the history, and what all of it cost.

use serde_json::json;

use super::picture::{expect, gated};
use crate::support::nvim::Nvim;
use crate::support::stream;

const TEXT: &str = "fn load(path: &Path) -> Config {\n    let text = fs::read_to_string(path).unwrap();\n    \
toml::from_str(&text).unwrap()\n}\n\nfn main() {}\n";

/// Jobs of the history, of a day that is far enough away to be shown as its month, and two of today.
const HISTORY: &str = r#"
    local DAY, then_ms = 86400000, 1700000000000
    local prompts = { "return errors instead of panicking, use our Error type", "shorter", "use a closed enum" }
    local landings = { "applied", "held", "merged", "rejected", "unchanged" }
    local jobs = {}
    for i = 1, 60 do
        jobs[i] = { uuid = tostring(i), session_id = "s", project = "/project", path = "/project/src/config.rs",
            filetype = "rust", first_line = i * 7, rows = { "a", "b", "c" }, lines = { "a", "B", "c" },
            prompt = prompts[i % 3 + 1], landing = landings[i % 5 + 1],
            held_for = i % 5 == 1 and "conflict" or nil, started_ms = then_ms - i * DAY - 7000,
            ended_ms = then_ms - i * DAY, cost_usd = i / 100 }
    end
    jobs[3].landing, jobs[3].lines, jobs[3].cost_usd = false, false, nil
    jobs[3].error = { "timeout", "the agent took longer than 300 s and was ended: raise the option timeout, or ask for less" }
    return jobs
"#;

/// Jobs to be summed up: some of today in this project, one of long ago elsewhere, one whose agent tells no cost.
const SUMS: &str = r#"
    local project = require("botglue.editor.capture").project(0)
    -- They begin now: those that began before midnight are not of today.
    local ended_ms = os.time() * 1000 + 192000
    local function job(more)
        return vim.tbl_extend("force", { project = project, landing = "applied", session_id = "s",
            input_tokens = 4100, output_tokens = 6200, cache_read_tokens = 36900, duration_ms = 192000,
            ended_ms = ended_ms, cost_usd = 0.31 }, more)
    end
    local jobs = {
        job({ model = "claude-opus-4-5-20251101" }),
        job({ model = "claude-sonnet-4-5", landing = "held", held_for = "conflict", cost_usd = 0.12 }),
        job({ model = "gpt-5", agent = "droid", cost_usd = false, cache_read_tokens = 0 }),
        job({ model = "claude-opus-4-5-20251101", landing = false, lines = false, error = { "timeout", "x" } }),
        job({ model = "claude-opus-4-5-20251101", project = "/elsewhere", ended_ms = 1700000000000, cost_usd = 58.11,
            input_tokens = 2e6, output_tokens = 970000, cache_read_tokens = 5e6, duration_ms = 4 * 86400000 }),
    }
    for i, one in ipairs(jobs) do
        one.uuid = tostring(i)
    end
    return jobs
"#;

/// Leaves jobs for the store, before there is a host.
fn store(nvim: &Nvim, jobs: &str) {
    let journal = include_str!("../../lua/support/journal.lua");
    nvim.exec(&format!(
        "local jobs = (function() {jobs} end)() local M = (function() {journal} end)() M.write(jobs)"
    ));
}

fn open(nvim: &Nvim, command: &str) {
    nvim.edit("config.rs", TEXT);
    nvim.input(&format!(":Botglue {command}<CR>"));
}

/// Whether the window's footer is drawn, which comes with all the rest of it.
fn has_footer(rows: &[String]) -> bool {
    rows.iter().any(|row| row.contains("q close") || row.contains("g? more"))
}

#[test]
fn the_jobs_in_every_state() {
    let (nvim, gated) = gated();
    nvim.exec("require('botglue').setup({ max_parallel = 2, status = { preview = 0 } })");
    nvim.edit("config.rs", TEXT);
    nvim.command("6Botglue run GATE:landed shorter");
    gated.answer("landed", "fn main() { run() }");
    nvim.finished(1);
    nvim.command("6Botglue! run GATE:held use a closed enum");
    gated.answer("held", "fn main() {}\n");
    nvim.finished(2);
    nvim.command("2,3Botglue run GATE:failed split this function");
    gated.run("failed").print(&stream::init("s"));
    nvim.finished(3);
    nvim.command("1,4Botglue run GATE:reads return errors instead of panicking");
    nvim.command("2Botglue run GATE:writes name the file");
    nvim.command("5Botglue run GATE:waits a doc comment");
    let (mut reads, mut writes) = (gated.run("reads"), gated.run("writes"));
    let path = nvim.scratch.project().join("src/error.rs");
    reads.print(&(stream::init("r") + &stream::tool_use("t1", "Read", &json!({"file_path": path}))));
    writes.print(&(stream::init("w") + &stream::text("let")));
    nvim.wait_for_rows("three lines below ranges", |rows| {
        ["Read src", "writing", "queued"].iter().all(|words| rows.iter().any(|row| row.contains(words)))
    });
    nvim.input(":Botglue jobs<CR>");
    expect("jobs", &nvim, "what each of them does", |rows| {
        has_footer(rows)
            && ["Read src/e", "writing", "queued", "2 running"]
                .iter()
                .all(|word| rows.concat().contains(word))
    });
    nvim.input("q");
    drop((reads, writes));
}

#[test]
fn no_job_at_all() {
    let (nvim, _gated) = gated();
    open(&nvim, "jobs");
    expect("jobs-none", &nvim, "the empty list", has_footer);
}

#[test]
fn what_it_cost() {
    let (nvim, _gated) = gated();
    store(&nvim, SUMS);
    open(&nvim, "info");
    expect("info", &nvim, "the sums", |rows| has_footer(rows) && rows.concat().contains("$58.85"));
}

#[test]
fn the_history() {
    let (nvim, _gated) = gated();
    store(&nvim, HISTORY);
    open(&nvim, "history");
    expect("history", &nvim, "the jobs", |rows| has_footer(rows) && rows.concat().contains("all · 60"));
    nvim.input("jj");
    expect("history-failed", &nvim, "why it failed", |rows| rows.concat().contains("300 s"));
    nvim.input("ggp");
    expect("history-prompt", &nvim, "the prompt", |rows| rows.concat().contains("╭ prompt"));
    nvim.input("q");
    nvim.input("d");
    expect("history-diff", &nvim, "both texts", |rows| rows.concat().contains("the answer"));
}
