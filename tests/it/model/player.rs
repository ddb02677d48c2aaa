//! Plays a schedule: types in a real Neovim, and tells the agents of its host what to answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use botglue::land;
use botglue::request::{self, Request};
use rmpv::Value;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::decision::{self, Written};
use super::expected::{Record, Sent, put_beside};
use super::schedule::{Job, Line, Row, Schedule, Step};
use super::{host, promise};
use crate::support::nvim::{Builder, Nvim};
use crate::support::rpc::{from_json, to_json};
use crate::support::scratch::Scratch;

/// How long one call may take; an editor that takes longer is stuck.
const STUCK: Duration = Duration::from_secs(30);
/// After this many events without a key, something runs in a loop.
const RESTLESS: usize = 100;

/// What begins to insert, if it may.
const INSERTING: [&str; 14] = ["o", "O", "A", "I", "i", "cc", "C", "cw", "cj", "c", "R", "3A", "s", "gR"];

const LOADED: [(&str, &str); 3] = [
    ("model.lines", include_str!("lines.lua")),
    ("model.own", include_str!("own.lua")),
    ("model.editor", include_str!("editor.lua")),
];

/// The agent: it prints what is written to a FIFO.
const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lua/support/agent.sh");

/// How often an answer landed, and was held though it could have landed, by all players.
#[derive(Debug, Default)]
pub struct Counts {
    landed: AtomicU64,
    held: AtomicU64,
}

impl Counts {
    fn add(&self, landing: promise::Landing) {
        match landing {
            promise::Landing::Right => self.landed.fetch_add(1, Ordering::Relaxed),
            promise::Landing::Held => self.held.fetch_add(1, Ordering::Relaxed),
        };
    }

    /// How many of a hundred answers were held that could have landed.
    pub fn held_percent(&self) -> u64 {
        let (landed, held) = (self.landed.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        held * 100 / (landed + held).max(1)
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (landed, held) = (self.landed.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        write!(f, "{landed} answers ended as they should, {held} were held that could have landed")
    }
}

/// A Neovim with the plugin and its host.
pub fn start() -> Nvim {
    let nvim = Builder::new(Scratch::new())
        .option("notify", "none")
        .option("record", false)
        .option("max_parallel", 100)
        .option("agents", json!({"claude": {"protocol": "text", "command": ["/bin/sh", AGENT], "args": []}}))
        .option("tidy", json!({"fence": true, "indent": false, "newline": true}))
        .start();
    nvim.exec("vim.o.shortmess = 'aoOTIcF'; vim.o.more = false; vim.o.hidden = true; vim.o.swapfile = false");
    for (name, code) in LOADED {
        let load = "local name, code = ...
            local channel = vim.iter(vim.api.nvim_list_chans()):find(function(channel)
              return channel.stream == 'stdio'
            end).id
            local chunk = assert(loadstring(code, '=' .. name))
            package.preload[name] = function() return chunk(channel) end";
        nvim.exec_with(load, &[name.into(), code.into()]);
    }
    nvim.exec("_G.M = require('model.editor')");
    nvim
}

/// What a look into the editor shows.
#[derive(Debug, Default, Deserialize)]
struct Seen {
    mode: String,
    state: String,
    is_home: bool,
    modifiable: bool,
    lines: Vec<String>,
    before_cursor: String,
    records: Vec<Json>,
    faults: Vec<String>,
}

impl Seen {
    /// Whether the user is in the middle of something: then no text may change but by their own keys. (A message that
    /// scrolled the screen is over with the next redraw.)
    fn is_busy(&self) -> bool {
        let is_idle =
            ["n", "i", "R"].contains(&self.mode.as_str()) && ["", "s"].contains(&self.state.as_str());
        self.is_home && !is_idle
    }
}

enum Event {
    Start(Job),
    /// The answer to the job of this place in `jobs`.
    Answer(usize),
}

struct Played {
    id: u64,
    spec: Job,
    started: Started,
    sent: Option<Sent>,
    /// How it ended, and what became of it since.
    landing: String,
    written: Option<Written>,
    /// What was written last.
    last: Option<Record>,
}

#[derive(Debug, Clone, Deserialize)]
struct Started {
    id: u64,
    ids: Vec<Option<u64>>,
    storms: u64,
    next: Option<String>,
}

/// One schedule as it is played.
pub struct Game<'a> {
    nvim: &'a Nvim,
    home: Json,
    words: usize,
    /// What is still to come, and after how many chunks.
    queue: Vec<(usize, Event)>,
    jobs: Vec<Played>,
    requests: Vec<Request>,
    seen: Seen,
    writes: Vec<Json>,
    story: Vec<String>,
    counts: &'a Counts,
}

impl<'a> Game<'a> {
    /// Before the first step.
    pub fn new(nvim: &'a Nvim, counts: &'a Counts) -> Self {
        Self {
            nvim,
            home: Json::Null,
            words: 0,
            queue: Vec::new(),
            jobs: Vec::new(),
            requests: Vec::new(),
            seen: Seen::default(),
            writes: Vec::new(),
            story: Vec::new(),
            counts,
        }
    }

    /// What has happened, step by step.
    pub fn story(&self) -> String {
        self.story.join("\n")
    }

    /// Plays a schedule to its end; the error says what must not have been.
    pub fn play(&mut self, schedule: &Schedule) -> Result<(), String> {
        let text: Vec<String> = schedule.text.iter().map(|row| self.row(*row)).collect();
        let habits = schedule.habits;
        let habits = json!({"textwidth": habits.textwidth, "autoindent": habits.autoindent, "formats": habits.formats});
        self.home = self.lua("return M.begin(...)", &[json!(text), habits])?;
        self.look("begin")?;
        for step in &schedule.steps {
            match step {
                Step::Type { line, motion, chunks } => {
                    let line = match line {
                        Line::Number(line) => line.to_string(),
                        Line::First => "{first}".to_owned(),
                        Line::Last => "{last}".to_owned(),
                    };
                    self.type_all(&format!("{line}G{motion}"), chunks)?;
                }
                Step::Job(job) => self.queue.push((job.start, Event::Start(job.clone()))),
                // Whatever else acts by itself looks out for itself.
                _ if self.seen.is_busy() => {}
                Step::Format(how) => {
                    self.lua("M.format(...)", &[json!(how)])?;
                    self.look(&format!("format {how}"))?;
                }
                Step::Decide { verb, which } => self.decide(verb, *which)?,
            }
        }
        self.end()
    }

    /// Everything that is still to come comes, and then nothing is left.
    fn end(&mut self) -> Result<(), String> {
        self.rest()?;
        self.keys("<C-\\><C-n><Esc>:silent! buffer {home}<CR>")?;
        self.rest()?;
        if let Some(job) = self.jobs.iter().find(|job| job.landing.is_empty()) {
            return Err(format!("job {} has not ended", job.id));
        }
        let writes = std::mem::take(&mut self.writes);
        match self.lua("return M.finish(...)", &[Json::Array(writes)])? {
            Json::Null => Ok(()),
            fault => Err(fault.to_string()),
        }
    }

    /// Lets all come that is under way, and what it brings about.
    fn rest(&mut self) -> Result<(), String> {
        for _ in 0..RESTLESS {
            if self.queue.is_empty() {
                return Ok(());
            }
            let (_, event) = self.queue.remove(0);
            self.event(event)?;
        }
        Err("it never comes to rest".to_owned())
    }

    fn row(&mut self, row: Row) -> String {
        match row {
            Row::Blank => String::new(),
            Row::Words { indent, count } => {
                let words: Vec<String> = (0..count).map(|_| self.word("t")).collect();
                format!("{}{}", " ".repeat(indent), words.join(" "))
            }
        }
    }

    fn word(&mut self, who: &str) -> String {
        self.words += 1;
        format!("{who}{}", self.words)
    }

    /// Types chunk by chunk, with what is due before each.
    fn type_all(&mut self, start: &str, chunks: &[&str]) -> Result<(), String> {
        for chunk in [start].iter().chain(chunks) {
            for entry in &mut self.queue {
                entry.0 = entry.0.saturating_sub(1);
            }
            while let Some(due) = self.queue.iter().position(|(left, _)| *left == 0) {
                let (_, event) = self.queue.remove(due);
                self.event(event)?;
            }
            self.keys(chunk)?;
            // What follows a command that was refused would mean anything.
            if INSERTING.contains(chunk) && !self.seen.mode.starts_with(['i', 'R']) {
                break;
            }
            // Neovim inserts in a buffer that takes nothing where a blockwise insertion is repeated there, and asks for
            // a key after each one that it refuses.
            if self.seen.mode == "i" && !self.seen.modifiable {
                return self.keys("<Esc>");
            }
        }
        Ok(())
    }

    fn keys(&mut self, chunk: &str) -> Result<(), String> {
        let word = if chunk.contains("{w}") { self.word("u") } else { String::new() };
        let keys = self.with_range(chunk)?.replace("{w}", &word).replace("{home}", &self.home.to_string());
        let was_inserting = self.seen.mode == "i" && self.seen.modifiable;
        self.nvim.channel().notify("nvim_input", vec![keys.as_str().into()]);
        self.look(&format!("keys {keys}"))?;
        let is_typed = chunk.trim() == "{w}" && was_inserting && self.seen.mode == "i";
        if is_typed && !self.seen.before_cursor.trim_end().ends_with(&word) {
            return Err(format!("{word} was typed, and before the cursor is {:?}", self.seen.before_cursor));
        }
        Ok(())
    }

    /// Keys with the lines of the newest job in them.
    fn with_range(&self, keys: &str) -> Result<String, String> {
        let keys = keys.replace("{range}", "{first},{last}");
        if !keys.contains("{first}") && !keys.contains("{last}") {
            return Ok(keys);
        }
        let newest = json!(self.jobs.last().map(|job| job.id));
        let (first, last): (usize, usize) = read(self.lua("return M.lines(...)", &[newest])?)?;
        Ok(keys.replace("{first}", &first.to_string()).replace("{last}", &last.to_string()))
    }

    fn decide(&mut self, verb: &str, which: usize) -> Result<(), String> {
        let fits = |job: &&Played| match verb {
            "revert" => ["applied", "merged"].contains(&job.landing.as_str()),
            // What has no place of its own opens the review.
            "accept" => ["conflict", "review", "not_modifiable"].contains(&job.landing.as_str()),
            _ => !["", "applied", "merged", "unchanged", "rejected", "reverted"]
                .contains(&job.landing.as_str()),
        };
        let jobs: Vec<&Played> = self.jobs.iter().filter(fits).collect();
        if jobs.is_empty() {
            return Ok(());
        }
        let id = jobs[which % jobs.len()].id;
        let told = self.lua("return M.decide(...)", &[json!(verb), json!(id)])?;
        self.look(&format!("{verb} job {id}: {told}"))
    }

    fn event(&mut self, event: Event) -> Result<(), String> {
        let (is_busy, lines) = (self.seen.is_busy(), self.seen.lines.clone());
        let moment = format!("mode {} with state {:?}", self.seen.mode, self.seen.state);
        match event {
            Event::Start(spec) => self.start(spec)?,
            Event::Answer(index) => self.answer(index)?,
        }
        if is_busy && lines != self.seen.lines {
            return Err(format!("the text changed under {moment}"));
        }
        Ok(())
    }

    fn start(&mut self, spec: Job) -> Result<(), String> {
        let Job { kind, at, rows, from, to, review, .. } = spec;
        let place = json!({"kind": kind, "at": at, "rows": rows, "from": from, "to": to, "review": review});
        let what = format!("start a job: {place}");
        let started: Started = read(self.lua("return M.start(...)", &[place])?)?;
        self.queue.push((spec.answer_after, Event::Answer(self.jobs.len())));
        self.jobs.push(Played {
            id: started.id,
            spec,
            started,
            sent: None,
            landing: String::new(),
            written: None,
            last: None,
        });
        self.look(&what)
    }

    fn answer(&mut self, index: usize) -> Result<(), String> {
        let Played { id, spec, started, .. } = &self.jobs[index];
        let (id, changes) = (*id, spec.answer.clone());
        let Started { ids, storms, next, .. } = started.clone();
        let at = self.requests.iter().position(|request| request.id == id);
        let request = self.requests.remove(at.ok_or("its request has not arrived")?);
        let text = host::answer(&request, &changes, || self.word("a"));
        let answer = land::prepare(&request, &text);
        let what = format!("answer job {id}, of {:?}: {:?}", request.selection.text, answer.lines);
        self.jobs[index].sent = Some(Sent { request, ids, storms, next, answer });
        self.lua("M.answer(...)", &[json!(id), json!(text)])?;
        self.look(&what)
    }

    /// Looks into the editor once it has taken what it was given, and judges what has come of answers.
    fn look(&mut self, what: &str) -> Result<(), String> {
        self.settle()?;
        self.seen = read(self.lua("return M.look()", &[])?)?;
        self.story.push(format!("{what}\n    {} {:?}", self.seen.mode, self.seen.lines));
        self.take_requests()?;
        for record in std::mem::take(&mut self.seen.records) {
            let (id, landing, reason) = (&record["id"], &record["landing"], &record["held_for"]);
            self.story.push(format!("    job {id} is {landing} {reason}"));
            if record.get("after").is_some() {
                self.writes.push(record.clone());
            }
            self.judge(&read(record)?)?;
        }
        match self.seen.faults.first() {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }

    fn judge(&mut self, record: &Record) -> Result<(), String> {
        let Some(job) = self.jobs.iter_mut().find(|job| job.id == record.id) else {
            return Err(format!("nobody knows this job: {record:?}"));
        };
        let sent = job.sent.as_ref().ok_or("it has ended before its answer came")?;
        if job.landing.is_empty() {
            let put = put_beside(&sent.ids, &sent.request.selection.rows, record);
            let (known, landing) = either(record, put.as_ref(), |record| promise::judge(sent, record))?;
            self.counts.add(landing);
            job.written = Written::of(sent, known);
        } else {
            let written = job.written.as_ref();
            let put = match written {
                Some(written) => put_beside(&written.ids, &written.rows, record),
                None => put_beside(&sent.ids, &sent.request.selection.rows, record),
            };
            let last = job.last.as_ref();
            either(record, put.as_ref(), |record| {
                decision::judge(&job.landing, sent, written, last, record)
            })?;
            job.written = None;
        }
        job.landing = record.held_for.clone().unwrap_or_else(|| record.landing.clone());
        job.last = record.after.is_some().then(|| record.clone());
        Ok(())
    }

    /// Waits until the host has read what Neovim sent, and has done what can be done now.
    fn settle(&mut self) -> Result<(), String> {
        self.lua("M.ask_host()", &[])?;
        let since = Instant::now();
        while self.lua("return M.is_settled()", &[])? != json!(true) {
            if since.elapsed() > STUCK {
                return Err(format!("the host is not done: {}", self.lua("return M.waits()", &[])?));
            }
        }
        Ok(())
    }

    /// Takes the requests that the plugin sent to its host.
    fn take_requests(&mut self) -> Result<(), String> {
        let arrived = std::mem::take(&mut self.nvim.channel().inbox().notifications);
        for (method, arguments) in arrived {
            if method == "run" {
                let argument = arguments.first().unwrap_or(&Value::Nil);
                self.requests.push(request::decode(argument).map_err(|error| error.message)?);
            }
        }
        Ok(())
    }

    fn lua(&self, code: &str, arguments: &[Json]) -> Result<Json, String> {
        let arguments = arguments.iter().map(from_json).collect();
        let call = vec![code.into(), Value::Array(arguments)];
        self.nvim.channel().call("nvim_exec_lua", call, STUCK).map(|value| to_json(&value))
    }
}

fn read<T: for<'de> Deserialize<'de>>(value: Json) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Judges what was recorded as the lines are known, or as they are once rows were put beside a range: the one that is
/// right.
fn either<'a, T>(
    record: &'a Record,
    put: Option<&'a Record>,
    judge: impl Fn(&Record) -> Result<T, String>,
) -> Result<(&'a Record, T), String> {
    match (judge(record), put) {
        (Ok(right), _) => Ok((record, right)),
        (Err(_), Some(put)) => judge(put).map(|right| (put, right)),
        (Err(why), None) => Err(why),
    }
}
