//! Plays a schedule: types in a real Neovim, and tells the agents of its host what to answer.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use botglue::land;
use botglue::request::Request;
use serde_json::{Value as Json, json};

use super::Counts;
use super::neovim::{Editor, Seen, read};
use super::schedule::{Job, Line, Row, Schedule, Step};
use super::truth::{self, Ended, Hunk, Record, Sent, Truth};
use crate::support::nvim::Nvim;

/// After this many events without a key, something runs in a loop.
const RESTLESS: usize = 100;

/// What begins to insert, if it may.
const INSERTING: [&str; 14] = ["o", "O", "A", "I", "i", "cc", "C", "cw", "cj", "c", "R", "3A", "s", "gR"];

enum Event {
    Start(Job),
    /// The answer to the job of this place in `jobs`.
    Answer(usize),
}

/// A job of a schedule, and what has come of it.
struct Played {
    id: u64,
    spec: Job,
    /// The rows of its range, and whether they stood there unchanged at all times.
    rows: Vec<String>,
    is_untouched: bool,
    sent: Option<Sent>,
    /// How it ended, and what became of it since.
    landing: String,
    /// What was written last.
    last: Option<Record>,
    /// The hunks that the user accepts now, and the words in those that were taken or dropped, if some were.
    shown: Option<Vec<Hunk>>,
    decided: HashSet<String>,
    is_reviewed: bool,
    /// What was proposed of it in which text, since it was held or hunks were dropped last.
    proposed: HashMap<Vec<String>, Vec<Hunk>>,
}

/// One schedule as it is played.
pub struct Game<'a> {
    editor: Editor<'a>,
    home: Json,
    words: usize,
    /// The words that stood twice at any time, or may.
    copied: HashSet<String>,
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
            editor: Editor(nvim),
            home: Json::Null,
            words: 0,
            copied: HashSet::new(),
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
        let quirks = schedule.quirks;
        let quirks = json!({"textwidth": quirks.textwidth, "autoindent": quirks.autoindent, "formats": quirks.formats});
        self.home = self.editor.lua("return M.begin(...)", &[json!(text), quirks])?;
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
                Step::Together(jobs) => self.together(jobs)?,
                Step::Kill => self.kill()?,
                Step::Format(how) => {
                    self.editor.lua("M.format(...)", &[json!(how)])?;
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
        match self.editor.lua("return M.finish(...)", &[Json::Array(writes)])? {
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
                let words: Vec<String> = (0..count).map(|_| self.word('t')).collect();
                format!("{}{}", " ".repeat(indent), words.join(" "))
            }
        }
    }

    fn word(&mut self, who: char) -> String {
        self.words += 1;
        truth::word(who, self.words)
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
        let word = if chunk.contains("{w}") { self.word('u') } else { String::new() };
        let keys = self.with_range(chunk)?.replace("{w}", &word).replace("{home}", &self.home.to_string());
        let was_inserting = self.seen.mode == "i" && self.seen.modifiable;
        self.editor.type_keys(&keys);
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
        let (first, last): (usize, usize) = read(self.editor.lua("return M.lines(...)", &[newest])?)?;
        Ok(keys.replace("{first}", &first.to_string()).replace("{last}", &last.to_string()))
    }

    fn decide(&mut self, verb: &str, which: usize) -> Result<(), String> {
        let fits = |job: &Played| match verb {
            "revert" => ["applied", "merged"].contains(&job.landing.as_str()),
            // What has no place of its own opens the review.
            "accept" => job.is_held() || job.landing == "not_modifiable",
            "take" | "undo" | "drop" => job.is_held(),
            _ => !["", "applied", "merged", "unchanged", "rejected", "reverted"]
                .contains(&job.landing.as_str()),
        };
        let jobs: Vec<usize> = (0..self.jobs.len()).filter(|at| fits(&self.jobs[*at])).collect();
        if jobs.is_empty() {
            return Ok(());
        }
        let at = jobs[which % jobs.len()];
        let id = self.jobs[at].id;
        if ["take", "undo", "drop"].contains(&verb) {
            let is_there = self.seen.is_home && self.seen.mode == "n" && self.seen.modifiable;
            return if is_there { self.decide_hunk(verb, at, which / jobs.len()) } else { Ok(()) };
        }
        let shown = if verb == "accept" { self.hunks(at)?.0 } else { Vec::new() };
        self.judge_hunks(at, &shown)?;
        self.jobs[at].shown = Some(shown).filter(|hunks| !hunks.is_empty());
        let told = self.editor.lua("return M.decide(...)", &[json!(verb), json!(id)])?;
        self.look(&format!("{verb} job {id}: {told}"))
    }

    /// What is proposed of a held answer in the text as it is, with its changedtick.
    fn hunks(&self, at: usize) -> Result<(Vec<Hunk>, u64), String> {
        let told = self.editor.lua("return M.hunks(...)", &[json!(self.jobs[at].id)])?;
        if told.is_null() { Ok((Vec::new(), 0)) } else { read(told) }
    }

    /// Whether that may be proposed: in a text that was there before the same as then.
    fn judge_hunks(&mut self, at: usize, hunks: &[Hunk]) -> Result<(), String> {
        let job = &mut self.jobs[at];
        let Some(sent) = job.sent.as_ref().filter(|_| !hunks.is_empty()) else { return Ok(()) };
        let truth = Truth { sent, copied: &self.copied, is_untouched: job.is_untouched };
        truth.judge_hunks(&self.seen.lines, hunks, &job.decided)?;
        match job.proposed.insert(self.seen.lines.clone(), hunks.to_vec()) {
            Some(before) if before != hunks && self.copied.is_empty() => {
                Err(format!("in the same text {before:?} was proposed, and now {hunks:?}"))
            }
            _ => Ok(()),
        }
    }

    /// Takes one hunk of a held answer, and undoes that, or drops those at the first row of one.
    fn decide_hunk(&mut self, verb: &str, at: usize, which: usize) -> Result<(), String> {
        let (hunks, tick) = self.hunks(at)?;
        self.judge_hunks(at, &hunks)?;
        if hunks.is_empty() {
            return Ok(());
        }
        let (before, number) = (self.seen.lines.clone(), which % hunks.len());
        self.jobs[at].is_reviewed = true;
        if verb == "drop" {
            self.drop(at, &hunks[number])?;
        } else {
            self.take(at, number, &hunks[number], tick)?;
        }
        let left = if self.jobs[at].is_held() { self.hunks(at)?.0 } else { Vec::new() };
        if verb == "drop" {
            let dropped: Vec<Hunk> = hunks.iter().filter(|hunk| !left.contains(hunk)).cloned().collect();
            self.jobs[at].settle(&dropped);
            self.jobs[at].proposed.clear();
            let is_right = self.seen.lines == before
                && dropped.contains(&hunks[number])
                && left.iter().all(|hunk| hunks.contains(hunk));
            is_right.then_some(()).ok_or_else(|| format!("of {hunks:?} there are {left:?}"))?;
        } else if left.len() + 1 != hunks.len() {
            return Err(format!("of {hunks:?} there are {left:?}"));
        }
        self.judge_hunks(at, &left)?;
        // What a formatter does with the text it does again after undo.
        let is_as_shown = self.seen.lines == truth::proposal(&before, &hunks[number..=number]);
        if verb == "undo" && self.seen.lines != before && is_as_shown {
            self.keys("u")?;
            let again = if self.jobs[at].is_held() { self.hunks(at)?.0 } else { hunks.clone() };
            if self.seen.lines != before || again != hunks {
                return Err(format!("undo leaves {:?}, and {again:?} of {hunks:?}", self.seen.lines));
            }
        }
        Ok(())
    }

    fn take(&mut self, at: usize, number: usize, hunk: &Hunk, tick: u64) -> Result<(), String> {
        let (id, opts) = (self.jobs[at].id, json!({"hunk": number + 1, "tick": tick}));
        self.jobs[at].settle(std::slice::from_ref(hunk));
        self.jobs[at].shown = Some(vec![hunk.clone()]);
        let before = self.seen.lines.clone();
        let told = self.editor.lua("return M.decide(...)", &[json!("accept"), json!(id), opts])?;
        self.look(&format!("take {hunk:?} of job {id}: {told}"))?;
        // To take the only row away, if it is empty, changes nothing.
        let is_taken =
            self.seen.lines != before || truth::proposal(&before, std::slice::from_ref(hunk)) == before;
        is_taken.then_some(()).ok_or_else(|| "what was shown is not taken".to_owned())
    }

    fn drop(&mut self, at: usize, hunk: &Hunk) -> Result<(), String> {
        let id = self.jobs[at].id;
        self.jobs[at].shown = None;
        self.editor.lua("require('botglue').review(...)", &[json!(id)])?;
        self.look("review")?;
        let row = if hunk.last < hunk.first { hunk.last.max(1) } else { hunk.first };
        self.editor.lua("M.drop(...)", &[json!(row)])?;
        self.look(&format!("drop {hunk:?} of job {id}"))
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
        let (id, rows): (u64, Vec<String>) = read(self.editor.lua("return M.start(...)", &[place])?)?;
        self.queue.push((spec.answer_after, Event::Answer(self.jobs.len())));
        let (is_untouched, sent, landing, last) = (true, None, String::new(), None);
        let (shown, decided, is_reviewed, proposed) = (None, HashSet::new(), false, HashMap::new());
        self.jobs.push(Played {
            id,
            spec,
            rows,
            is_untouched,
            sent,
            landing,
            last,
            shown,
            decided,
            is_reviewed,
            proposed,
        });
        self.look(&what)
    }

    fn answer(&mut self, index: usize) -> Result<(), String> {
        let Played { id, spec, .. } = &self.jobs[index];
        let (id, spec) = (*id, spec.clone());
        let at = self.requests.iter().position(|request| request.job.id == id);
        let request = self.requests.remove(at.ok_or("its request has not arrived")?);
        let text = spec.spoken(&request, || self.word('a'));
        let answer = land::prepare(&request, &text);
        let what = format!("answer job {id}, of {:?}: {:?}", request.job.selection.text, answer.lines);
        self.jobs[index].sent = Some(Sent { request, answer });
        self.editor.lua("M.answer(...)", &[json!(id), json!(text)])?;
        self.look(&what)
    }

    /// Starts jobs and lets all of their answers come in Visual mode.
    fn together(&mut self, jobs: &[Job]) -> Result<(), String> {
        let first = self.jobs.len();
        for job in jobs {
            self.start(job.clone())?;
        }
        let is_answer = |event: &Event| matches!(event, Event::Answer(index) if *index >= first);
        self.queue.retain(|(_, event)| !is_answer(event));
        self.keys("V")?;
        for index in first..self.jobs.len() {
            self.event(Event::Answer(index))?;
        }
        self.keys("<Esc>")
    }

    /// Kills the host, unless a job runs, which would end with it.
    fn kill(&mut self) -> Result<(), String> {
        if self.queue.iter().any(|(_, event)| matches!(event, Event::Answer(_))) {
            return Ok(());
        }
        self.editor.lua("M.kill()", &[])?;
        // Which hunks were taken the next host does not know: it may propose them once more where the user has edited them.
        self.copied.extend(self.jobs.iter().flat_map(|job| &job.decided).cloned());
        self.look("the host is killed")
    }

    /// Looks into the editor once it has taken what it was given, and judges what has come of answers.
    fn look(&mut self, what: &str) -> Result<(), String> {
        self.seen = self.editor.look()?;
        self.story.push(format!("{what}\n    {} {:?}", self.seen.mode, self.seen.lines));
        self.requests.extend(self.editor.take_requests()?);
        let lines = &self.seen.lines;
        let words = lines.iter().flat_map(|row| truth::words(row));
        self.copied.extend(words.filter(|word| truth::count(lines, word) > 1).map(str::to_owned));
        for job in &mut self.jobs {
            job.is_untouched &= lines.windows(job.rows.len().max(1)).any(|rows| rows == job.rows);
        }
        for record in std::mem::take(&mut self.seen.records) {
            let (id, landing, reason) = (&record["id"], &record["landing"], &record["held_for"]);
            self.story.push(format!("    job {id} is {landing} {reason}"));
            if record.get("after").is_some() {
                self.writes.push(record.clone());
            }
            let record: Record = read(record)?;
            let job = self.jobs.iter_mut().find(|job| job.id == record.id);
            let job = job.ok_or_else(|| format!("no such job was started: {record:?}"))?;
            job.judge(record, &self.copied, self.counts)?;
        }
        match self.seen.faults.first() {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }
}

impl Played {
    /// Whether it has a place in the buffer, and hunks there.
    fn is_held(&self) -> bool {
        ["conflict", "review"].contains(&self.landing.as_str())
    }

    /// The user has decided of these hunks.
    fn settle(&mut self, hunks: &[Hunk]) {
        let rows = hunks.iter().flat_map(|hunk| &hunk.lines);
        self.decided.extend(rows.flat_map(|row| row.split_whitespace()).map(str::to_owned));
    }

    /// Takes what was recorded of it.
    fn judge(&mut self, record: Record, copied: &HashSet<String>, counts: &Counts) -> Result<(), String> {
        let sent = self.sent.as_ref().ok_or("it has ended before its answer came")?;
        let truth = Truth { sent, copied, is_untouched: self.is_untouched };
        if self.landing.is_empty() {
            match truth.judge(&record)? {
                Ended::Right => counts.right.fetch_add(1, Ordering::Relaxed),
                Ended::Held => counts.held.fetch_add(1, Ordering::Relaxed),
            };
        } else {
            let shown = self.shown.as_deref();
            truth.judge_decision(&self.landing, self.last.as_ref(), &record, shown, self.is_reviewed)?;
        }
        if record.landing == "taken" {
            // What the user had in all hunks that are taken is in the text before the first of them.
            self.last.get_or_insert(record);
            return Ok(());
        }
        self.landing = record.held_for.clone().unwrap_or_else(|| record.landing.clone());
        if !self.is_reviewed || self.last.is_none() {
            self.last = record.after.is_some().then_some(record);
        }
        Ok(())
    }
}
