//! Many jobs at once, in one buffer and in several, while the user types: every answer in its own place, every
//! typed line where it was typed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

const SEED: u64 = 20_26;

/// A small generator of its own: the same schedule on every machine and in every version of anything.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// What a buffer should hold: gaps that belong to the user, and between them the ranges of jobs.
struct Model {
    gaps: Vec<Vec<String>>,
    ranges: Vec<Vec<String>>,
}

impl Model {
    /// `jobs` ranges of three lines; every third follows the one before it with no gap.
    fn new(name: &str, jobs: usize) -> Self {
        let gap = |i: usize| match i {
            i if i % 3 == 1 && i < jobs => Vec::new(),
            i => vec![format!("-- {name} gap {i}")],
        };
        let range = |i: usize| (0..3).map(|row| format!("  {name} job {i} row {row}")).collect();
        Self { gaps: (0..=jobs).map(gap).collect(), ranges: (0..jobs).map(range).collect() }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = self.gaps[0].clone();
        for (range, gap) in self.ranges.iter().zip(&self.gaps[1..]) {
            lines.extend_from_slice(range);
            lines.extend_from_slice(gap);
        }
        lines
    }

    /// The rows of a range, from 1.
    fn rows(&self, job: usize) -> (usize, usize) {
        let before: usize = self.gaps[..=job].iter().chain(&self.ranges[..job]).map(Vec::len).sum();
        (before + 1, before + self.ranges[job].len())
    }
}

fn nvim(jobs: usize) -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch)
        .option("agents", gated.option())
        .option("max_parallel", jobs)
        .screen(100, 40)
        .start();
    nvim.command("set hidden noswapfile noautoindent | filetype plugin indent off");
    (nvim, gated)
}

fn start(nvim: &Nvim, buffer: u64, name: &str, (first, last): (usize, usize)) -> u64 {
    let range = json!({"kind": "line", "first": [first, 0], "last": [last, 0]});
    let options = json!({"prompt": format!("GATE:{name}"), "bufnr": buffer, "range": range});
    nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
}

fn answer(random: &mut Random, name: &str, job: usize) -> Vec<String> {
    (0..=random.below(7)).map(|row| format!("  {name} answer {job} line {row}")).collect()
}

/// The user goes to the first line of a gap, wherever it is now, and types a line above or below it.
fn type_a_line(nvim: &Nvim, model: &mut Model, random: &mut Random, number: usize) {
    let gaps: Vec<usize> = (0..model.gaps.len()).filter(|&gap| !model.gaps[gap].is_empty()).collect();
    let gap = gaps[random.below(gaps.len())];
    let at = random.below(model.gaps[gap].len());
    let below = random.below(2);
    let line = format!("-- typed {number}");
    nvim.exec_with(
        "vim.fn.search('^' .. vim.fn.escape(..., '\\\\') .. '$', 'w')",
        &[json!(model.gaps[gap][at])],
    );
    nvim.input(&format!("{}{line}<Esc>", if below == 1 { "o" } else { "O" }));
    model.gaps[gap].insert(at + below, line);
}

fn assert_applied(nvim: &Nvim, ids: &BTreeMap<usize, u64>) {
    let mut wrong = String::new();
    for (job, id) in ids {
        let table = nvim.finished(*id);
        if table["landing"] != "applied" {
            writeln!(wrong, "job {job}: {table}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn thirty_two_jobs_in_one_buffer_land_in_their_own_ranges_while_the_user_types() {
    const JOBS: usize = 32;
    eprintln!("seed {SEED}");
    let mut random = Random(SEED);
    let (nvim, gated) = nvim(JOBS);
    let mut model = Model::new("one", JOBS);
    nvim.edit("one.lua", &(model.lines().join("\n") + "\n"));
    let ids: BTreeMap<usize, u64> =
        (0..JOBS).map(|job| (job, start(&nvim, 0, &format!("one-{job}"), model.rows(job)))).collect();
    for (number, job) in random.shuffled(JOBS).into_iter().enumerate() {
        // Some answers come one by one, others while the user is in the middle of a line.
        let lines = answer(&mut random, "one", job);
        gated.answer(&format!("one-{job}"), &lines.join("\n"));
        model.ranges[job] = lines;
        if random.below(3) == 0 {
            nvim.finished(ids[&job]);
        }
        type_a_line(&nvim, &mut model, &mut random, number);
    }
    assert_applied(&nvim, &ids);
    assert_eq!(nvim.lines(), model.lines());
    assert_eq!(nvim.events("BotglueJobStarted").len(), JOBS);
    assert_eq!(nvim.events("BotglueJobFinished").len(), JOBS);
    nvim.wait_for_no_agent();
}

#[test]
fn eight_buffers_four_of_them_hidden_take_their_answers() {
    const BUFFERS: usize = 8;
    const JOBS: usize = 4;
    eprintln!("seed {SEED}");
    let mut random = Random(SEED);
    let (nvim, gated) = nvim(BUFFERS * JOBS);
    let mut models = Vec::new();
    let mut buffers = Vec::new();
    for buffer in 0..BUFFERS {
        let model = Model::new(&format!("b{buffer}"), JOBS);
        nvim.edit(&format!("b{buffer}.lua"), &(model.lines().join("\n") + "\n"));
        buffers.push(nvim.call("nvim_get_current_buf", &[]).as_u64().unwrap());
        models.push(model);
    }
    // The first four get a window each; the others are loaded and hidden.
    nvim.command("only");
    for (i, buffer) in buffers[..4].iter().enumerate() {
        nvim.command(&format!("{} | buffer {buffer}", if i == 0 { "silent" } else { "split" }));
    }
    let mut ids = BTreeMap::new();
    for (buffer, model) in models.iter().enumerate() {
        for job in 0..JOBS {
            let name = format!("b{buffer}-{job}");
            ids.insert(buffer * JOBS + job, start(&nvim, buffers[buffer], &name, model.rows(job)));
        }
    }
    for (number, nth) in random.shuffled(BUFFERS * JOBS).into_iter().enumerate() {
        let (buffer, job) = (nth / JOBS, nth % JOBS);
        let lines = answer(&mut random, &format!("b{buffer}"), job);
        gated.answer(&format!("b{buffer}-{job}"), &lines.join("\n"));
        models[buffer].ranges[job] = lines;
        nvim.command(&format!("{}wincmd w", 1 + random.below(4)));
        let current = nvim.call("nvim_get_current_buf", &[]).as_u64().unwrap();
        let typed_in = buffers.iter().position(|&buffer| buffer == current).unwrap();
        type_a_line(&nvim, &mut models[typed_in], &mut random, number);
    }
    assert_applied(&nvim, &ids);
    for (buffer, model) in models.iter().enumerate() {
        assert_eq!(nvim.lines_of(buffers[buffer]), model.lines(), "buffer {buffer}");
    }
}

#[test]
fn jobs_beyond_max_parallel_wait_visibly_and_start_one_after_another() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch)
        .option("agents", gated.option())
        .option("max_parallel", 2)
        .screen(80, 24)
        .start();
    nvim.edit("queue.lua", "one\ntwo\nthree\nfour\n");
    let ids: Vec<u64> = (1..=4).map(|line| start(&nvim, 0, &format!("q{line}"), (line, line))).collect();
    let status = |id: u64| nvim.exec_with("return require('botglue').job(...).status", &[json!(id)]);
    nvim.wait("two run and two wait", || {
        ids.iter().map(|&id| status(id)).eq(["running", "running", "queued", "queued"].map(Value::from))
    });
    nvim.wait_for_rows("that two wait", |rows| rows.iter().filter(|row| row.contains("queued")).count() == 2);
    assert!(gated.has_started("q2") || !gated.has_started("q3"));
    gated.answer("q1", "ONE");
    nvim.wait("the third runs", || status(ids[2]) == "running");
    assert_eq!(status(ids[3]), "queued");
    for line in 2..=4 {
        gated.answer(&format!("q{line}"), &format!("line {line}"));
    }
    for id in ids {
        assert_eq!(nvim.finished(id)["landing"], "applied");
    }
    assert_eq!(nvim.lines(), ["ONE", "line 2", "line 3", "line 4"]);
}
