//! The windows that list: the jobs of this Neovim, the history, and what all of it cost.

use serde_json::json;

use crate::support::nvim::Nvim;
use crate::support::picture::on_each_screen;
use crate::support::stream;

const TEXT: &str = "fn load(path: &Path) -> Config {\n    let text = fs::read_to_string(path).unwrap();\n    \
toml::from_str(&text).unwrap()\n}\n\nfn main() {}\n";

/// In place of the store, whose times are not the same in two runs.
const STORE: &str = r#"
    local DAY, then_ms = 86400000, 1700000000000
    local function sums(jobs, landed, held, failed, input, output, cost, ms)
        return { jobs = jobs, landed = landed, held = held, failed = failed, input_tokens = input / 10,
            output_tokens = output, cache_read_tokens = input * 0.9, cost_usd = cost, duration_ms = ms }
    end
    local info = {
        session = sums(7, 5, 1, 1, 41000, 6200, 0.31, 192000),
        project = sums(88, 80, 2, 6, 512000, 70000, 4.02, 7500000),
        today = sums(0, 0, 0, 0, 0, 0, nil, 0),
        month = sums(341, 318, 2, 21, 2000000, 280000, 16.4, DAY),
        all = sums(1204, 1150, 2, 52, 7000000, 970000, 58.11, 4 * DAY),
        models = {
            { name = "claude-opus-4-5-20251101", jobs = 1000, cost_usd = 41.21, input_tokens = 5000000,
                output_tokens = 700000 },
            { name = "claude-sonnet-4-5", jobs = 200, cost_usd = 16.9, input_tokens = 2000000, output_tokens = 270000 },
            { name = "gpt-5", jobs = 4 },
        },
        agents = {
            { name = "claude", jobs = 1200, cost_usd = 58.11, input_tokens = 7000000, output_tokens = 970000 },
            { name = "droid", jobs = 4 },
        },
    }
    local jobs = {}
    local prompts = { "return errors instead of panicking, use our Error type", "shorter", "use a closed enum" }
    local landings = { "applied", "held", "merged", "rejected", "unchanged" }
    for i = 1, 60 do
        jobs[i] = { uuid = tostring(i), agent = "claude", model = "opus", session_id = "s", project = "/project",
            path = "/project/src/config.rs", filetype = "rust", kind = "line", first_line = i * 7, last_line = i * 7 + 2,
            prompt = prompts[i % 3 + 1], status = "done", landing = landings[i % 5 + 1], held_for = "conflict",
            started_ms = then_ms - i * DAY - 7000, ended_ms = then_ms - i * DAY, cost_usd = i / 100, has_answer = true,
            lines = { "a", "B", "c" },
            selection = { kind = "line", text = { "a", "b", "c" }, rows = { "a", "b", "c" }, cols = { 0, 0, 0 } } }
    end
    jobs[3].status, jobs[3].landing, jobs[3].cost_usd = "failed", nil, nil
    jobs[3].error = { code = "timeout", message = "the agent took longer than 300 s: raise the option timeout" }
    require("botglue.query").ask = function(name, args, callback)
        local replies = { info = info, history = { jobs = jobs, more = false }, job = { job = jobs[tonumber(args.uuid)] } }
        vim.schedule(function() callback(replies[name]) end)
    end
"#;

fn open(nvim: &Nvim, command: &str) {
    nvim.edit("config.rs", TEXT);
    nvim.exec(STORE);
    nvim.input(&format!(":Botglue {command}<CR>"));
}

/// Whether the window's footer is drawn, which comes with all the rest of it.
fn has_footer(rows: &[String]) -> bool {
    rows.iter().any(|row| row.contains("q close") || row.contains("g? more"))
}

#[test]
fn the_jobs_in_every_state() {
    on_each_screen(|stage| {
        let (nvim, gated) = stage.gated();
        nvim.exec("require('botglue').setup({ max_parallel = 2, status = { rows = 0, preview = 0 } })");
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
        let all_told = "local job = require('botglue.client').job
            return (job(4).activity or ''):find('Read') ~= nil and job(5).activity == 'writing' and job(6).turn ~= nil";
        nvim.wait("the editor knows what each does", || nvim.exec(all_told) == true);
        nvim.set_clock(72_000);
        nvim.wait_for_rows("three lines below ranges", |rows| {
            rows.iter().filter(|row| row.ends_with("1m12s")).count() == 3
        });
        nvim.input(":Botglue jobs<CR>");
        stage.expect("jobs", &nvim, "what each of them does", |rows| {
            has_footer(rows)
                && ["Read src/e", "writing", "queued", "2 running"]
                    .iter()
                    .all(|word| rows.concat().contains(word))
        });
        nvim.input("q");
        drop((reads, writes));
    });
}

#[test]
fn no_job_at_all() {
    on_each_screen(|stage| {
        let (nvim, _gated) = stage.gated();
        open(&nvim, "jobs");
        stage.expect("jobs-none", &nvim, "the empty list", has_footer);
    });
}

#[test]
fn what_it_cost() {
    on_each_screen(|stage| {
        let (nvim, _gated) = stage.gated();
        open(&nvim, "info");
        stage.expect("info", &nvim, "the sums", |rows| has_footer(rows) && rows.concat().contains("$58.11"));
    });
}

#[test]
fn the_history() {
    on_each_screen(|stage| {
        let (nvim, _gated) = stage.gated();
        open(&nvim, "history");
        stage.expect("history", &nvim, "the jobs", |rows| {
            has_footer(rows) && rows.concat().contains("all · 60")
        });
        nvim.input("p");
        stage.expect("history-prompt", &nvim, "the prompt", |rows| rows.concat().contains("╭ prompt"));
        nvim.input("q");
        nvim.input("d");
        stage.expect("history-diff", &nvim, "both texts", |rows| rows.concat().contains("the answer"));
    });
}

#[test]
fn ascii_alone() {
    let (nvim, _gated) = crate::support::picture::Stage { columns: 80, rows: 24 }.gated();
    nvim.exec("require('botglue').setup({ ascii = true })");
    for (command, shown) in [("jobs", "no job"), ("info", "$58.11"), ("history", "all - 60")] {
        open(&nvim, command);
        let rows = nvim.wait_for_rows(command, |rows| has_footer(rows) && rows.concat().contains(shown));
        assert!(rows.iter().all(|row| row.is_ascii()), "{rows:#?}");
        nvim.input("q");
    }
}
