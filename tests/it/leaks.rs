//! What is left of very many jobs: nothing but their records, and of those no more than are kept.
//!
//! As many jobs run as `BOTGLUE_TEST_JOBS` says, 1,000 by default; `make soak` lets 10,000 run. Memory is compared
//! between half of them and all.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::POLL;
use crate::support::agents::write_script;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process;
use crate::support::scratch::Scratch;

/// How many run at once.
const AT_ONCE: u64 = 8;
/// How much more memory may be taken after all jobs than after half of them, in percent.
const MORE: u64 = 10;
/// How many jobs Neovim keeps the records of, and how much one may take, in KiB.
const KEPT: u64 = 1000;
const RECORD: u64 = 20;
/// How many texts of a buffer the host remembers with their rows, and how much one of 40 rows may take, in KiB.
const SNAPSHOTS: u64 = 1000;
const SNAPSHOT: u64 = 5;
/// How long one job may take, on average; this bounds a hang, it measures nothing.
const EACH: Duration = Duration::from_millis(200);

/// Keeps jobs running until `_G.wanted` have ended: line by line of a buffer, each with a function that watches it.
/// Every tenth fails, every eleventh is held and then rejected.
const DRIVE: &str = r"
    local at_once = ...
    local botglue = require('botglue')
    _G.wanted, _G.started, _G.ended, _G.told = 0, 0, 0, 0
    vim.bo.undolevels, vim.bo.swapfile = 5, false
    function _G.start()
        started = started + 1
        local n, row = started, started % 40 + 1
        local id = botglue.run({
            prompt = n % 10 == 0 and 'FAIL' or 'change it',
            range = { kind = 'line', first = { row }, last = { row } },
            review = n % 11 == 0,
        })
        local function fn(update)
            if update.kind == 'finished' then told = told + 1 end
        end
        botglue.on(id, fn, { thinking = true })
        botglue.on(id, function() error('it watches no more') end)()
    end
    function _G.keep_going()
        while started < wanted and started - ended < at_once do start() end
    end
    vim.api.nvim_create_autocmd('User', {
        pattern = 'BotglueJobFinished',
        callback = function(event)
            if event.data.landing == 'held' then botglue.reject(event.data.id) end
            ended = ended + 1
            keep_going()
        end,
    })
";

/// What may be left when no job runs.
const LEFT: &str = r"
    local left = { marks = 0, windows = 0, buffers = 0, observers = 0, timers = 0, groups = 0, open = 0 }
    for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
        local drawn = name:find('^botglue') and name ~= 'botglue.range'
        for _, bufnr in ipairs(drawn and vim.api.nvim_list_bufs() or {}) do
            left.marks = left.marks + #vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})
        end
    end
    left.windows, left.buffers = #vim.api.nvim_list_wins(), #vim.api.nvim_list_bufs()
    local connection = require('botglue.host.connection')
    for _, job in pairs(connection.jobs) do
        left.observers = left.observers + #job.observers
        left.open = left.open + (job:is_open() and 1 or 0)
    end
    vim.uv.walk(function(handle)
        if handle:get_type() == 'timer' and handle:is_active() and not handle:is_closing() then
            left.timers = left.timers + 1
        end
    end)
    for _, command in ipairs(vim.api.nvim_get_autocmds({})) do
        local group = command.group_name or ''
        left.groups = left.groups + (group:find('^botglue%.moment') and 1 or 0)
    end
    left.hung = vim.tbl_count(connection.hung)
    return left
";

fn wanted() -> u64 {
    std::env::var("BOTGLUE_TEST_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1000)
}

/// Lets so many jobs run in all, and gives the memory of Neovim and of the host back.
fn run_to(nvim: &Nvim, jobs: u64) -> (u64, u64) {
    let deadline = Instant::now() + EACH * u32::try_from(jobs).unwrap() + Duration::from_secs(20);
    nvim.exec_with("wanted = ...; keep_going()", &[jobs.into()]);
    while nvim.exec("return ended") != jobs {
        assert!(Instant::now() < deadline, "{} of {jobs} jobs have ended", nvim.exec("return ended"));
        std::thread::sleep(POLL * 10);
    }
    nvim.wait_for_no_agent();
    nvim.exec("collectgarbage() collectgarbage()");
    (process::memory(nvim.pid()), process::memory(nvim.host().unwrap()))
}

#[test]
fn of_very_many_jobs_nothing_is_left() {
    let scratch = Scratch::new();
    let agent = scratch.path("agent");
    write_script(&agent, "read -r all; case $(cat) in *FAIL*) exit 3;; esac; echo \"changed $$\"\n");
    let agents = json!({"fast": {"protocol": "text", "command": [agent]}});
    let nvim = Builder::new(scratch)
        .option("agents", agents)
        .option("agent", "fast")
        .option("notify", "none")
        .option("max_parallel", AT_ONCE)
        .screen(80, 24)
        .start();
    nvim.edit("many.txt", &"a line\n".repeat(40));
    nvim.exec_with(DRIVE, &[AT_ONCE.into()]);
    // Held answers of earlier sessions are looked for shortly after the start.
    nvim.wait("no timer is under way", || nvim.exec(LEFT)["timers"] == 0);
    let before = nvim.exec(LEFT);
    let jobs = wanted();
    let start = Instant::now();
    let half = run_to(&nvim, jobs / 2);
    let all = run_to(&nvim, jobs);
    eprintln!(
        "{jobs} jobs in {:?}: KiB of Neovim and the host {half:?} after half, {all:?} after all",
        start.elapsed()
    );
    nvim.wait("nothing is left", || nvim.exec(LEFT) == before);
    assert_eq!(nvim.exec("return told"), Value::from(jobs), "each was told of its end once");
    let log = fs::read_to_string(nvim.scratch.path("state/nvim/botglue.log")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("gone job=")).count() as u64, jobs);
    let more_of = |bound: u64, each: u64| (jobs.min(bound) - (jobs / 2).min(bound)) * each;
    let (records, snapshots) = (more_of(KEPT, RECORD), more_of(SNAPSHOTS, SNAPSHOT));
    for (half, all, kept) in [(half.0, all.0, records), (half.1, all.1, snapshots)] {
        let most = half * (100 + MORE) / 100 + kept;
        assert!(all <= most, "{half} KiB have become {all}, at most {most} were expected");
    }
}
