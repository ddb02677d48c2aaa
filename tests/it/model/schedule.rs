//! A random schedule: what the user types, which jobs start, and when their answers arrive.
//!
//! Pure data, so that proptest can make it from a seed and shrink it. Which line or word a step means is settled only
//! when it is played, so every schedule is a valid one, also after a part was taken out.

use botglue::request::Request;
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A whole run.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// The lines to begin with.
    pub text: Vec<Row>,
    /// How the user's editor is set up.
    pub quirks: Quirks,
    /// What happens, in this order.
    pub steps: Vec<Step>,
}

/// A line to begin with.
#[derive(Debug, Clone, Copy)]
pub enum Row {
    /// Some words of its own, indented.
    Words { indent: usize, count: usize },
    /// Nothing.
    Blank,
}

/// Options that change what keys do.
#[derive(Debug, Clone, Copy)]
pub struct Quirks {
    pub textwidth: u64,
    pub autoindent: bool,
    /// An autocommand that takes trailing blanks away as soon as text changes: in their rows, or by replacing the whole
    /// buffer.
    pub formats: &'static str,
}

/// One thing that happens.
#[derive(Debug, Clone)]
pub enum Step {
    /// The user goes to a line and types; each chunk is read before the next one is sent.
    Type { line: Line, motion: &'static str, chunks: &'static [&'static str] },
    /// A formatter replaces the whole buffer.
    Format(&'static str),
    /// A job is asked for and answered, among the steps that follow.
    Job(Job),
    /// Jobs whose answers all come while the user is in the middle of something: one call writes them.
    Together(Vec<Job>),
    /// The host is killed once it has done all that it can do, and another one takes over.
    Kill,
    /// The user accepts, rejects or reverts one of the answers that there are, or takes or drops one of its hunks.
    Decide { verb: &'static str, which: usize },
}

/// Where the user goes.
#[derive(Debug, Clone, Copy)]
pub enum Line {
    Number(usize),
    /// To the first or the last line of the newest job, which is where people look.
    First,
    Last,
}

/// One job and its answer.
#[derive(Debug, Clone)]
pub struct Job {
    pub kind: &'static str,
    /// The first line, by the number of lines then, and how many more.
    pub at: usize,
    pub rows: usize,
    /// Characters, for the kinds that have them.
    pub from: usize,
    pub to: usize,
    /// Chunks until it starts.
    pub start: usize,
    /// Chunks from there until its answer arrives.
    pub answer_after: usize,
    /// Whether its answer is to be held in any case.
    pub review: bool,
    pub answer: Vec<Change>,
}

impl Job {
    /// What the agent makes of the selection; `word` gives a new word.
    pub fn spoken(&self, request: &Request, mut word: impl FnMut() -> String) -> String {
        let text = &request.job.selection.text;
        let mut lines = Vec::new();
        for (row, change) in text.iter().zip(self.answer.iter().cycle()) {
            let indent = &row[..row.len() - row.trim_start().len()];
            match change {
                Change::Keep => lines.push(row.clone()),
                Change::Append => lines.push(format!("{row} {}", word())),
                Change::Replace => lines.push(format!("{indent}{}", word())),
                Change::Delete => {}
                Change::Insert(count) => {
                    lines.push(row.clone());
                    lines.extend((0..*count).map(|_| format!("{indent}{}", word())));
                }
            }
        }
        if text.is_empty() {
            lines = self.answer.iter().map(|_| word()).collect();
        }
        // In a fence, so that all of it is the answer, blank lines too.
        format!("```\n{}\n```", lines.join("\n")).replace("```\n\n```", "```\n```")
    }
}

/// What the agent makes of a line; of the next lines over again.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    Keep,
    /// A word more.
    Append,
    /// A new line instead.
    Replace,
    Delete,
    /// New lines below it.
    Insert(usize),
}

const MOTIONS: &[&str] = &["", "0", "$", "w"];

/// What people type, the simple things first. `{w}` is a new word, `{range}` the lines of the newest job.
const TYPED: &[&[&str]] = &[
    &["o", "{w} ", "{w}", "<Esc>"],
    &["O", "{w}", "<Esc>"],
    &["A", " {w}", "<Esc>"],
    &["I", "{w} ", "<Esc>"],
    &["dd"],
    &["2dd"],
    &["3dd"],
    &["u"],
    &["u", "u"],
    &["<C-r>"],
    &["u", "<C-r>"],
    &["J"],
    &["3J"],
    &["J", "u"],
    &["5J", "u"],
    &["i", "{w}", "<CR>", "{w}", "<Esc>"],
    &["cc", "{w}", "<Esc>"],
    &["C", "{w}", "<Esc>"],
    &["x"],
    &["D"],
    &["dw"],
    &["cw", "{w}", "<Esc>"],
    &[">>"],
    &["<lt><lt>"],
    &["yyp"],
    &["yyP"],
    &["dd", "p"],
    &["dd", "kP"],
    &["p"],
    &["."],
    &["g-"],
    &["g+"],
    &[":silent! m0<CR>"],
    &[":silent! m$<CR>"],
    &[":silent! m+1<CR>"],
    &[":silent! .,+1m0<CR>"],
    &[":silent! t.<CR>"],
    &[":silent! t0<CR>"],
    &[":silent! w<CR>"],
    &[":silent! e!<CR>"],
    &[":silent! undo 0<CR>"],
    &[":silent! earlier 2<CR>"],
    &[":silent! .,+1s/$/ {w}/<CR>"],
    &[":silent! g/u/d<CR>"],
    &[":silent! .,+2j<CR>"],
    &[":silent! sort<CR>"],
    &[":silent! %d<CR>"],
    &[":silent! %d<CR>", "u"],
    &[":silent! normal! ggdGP<CR>"],
    &[":", "2", "d", "<CR>"],
    &["/t", "<CR>"],
    &["V", "j", "d"],
    &["V", "j", "c", "{w}", "<Esc>"],
    &["V", "j", ">"],
    &["V", "j", "J"],
    &["V", "j", "y", "P"],
    &["V", "<Esc>"],
    &["v", "e", "d"],
    &["v", "j", "c", "{w}", "<Esc>"],
    &["d", "j"],
    &["d", "k"],
    &["cj", "{w}", "<Esc>"],
    &[">", "j"],
    &["d", "<Esc>"],
    &["d", "ip"],
    &["<C-v>", "j", "I", "{w}", "<Esc>"],
    &["<C-v>", "j", "A", "{w}", "<Esc>"],
    &["<C-v>", "j", "l", "d"],
    &["<C-v>", "j", "c", "{w}", "<Esc>"],
    &["R", "{w}", "<Esc>"],
    &["R", "{w}", "<BS><BS>", "<Esc>"],
    &["o", "{w}", "<C-u>", "{w}", "<Esc>"],
    &["A", "<BS><BS><BS>", "{w}", "<Esc>"],
    &["A", "<C-w>", "{w}", "<Esc>"],
    &["I", "<Del>", "<BS>", "<Esc>"],
    &["A", " {w}", "<Up>", "{w}", "<Esc>"],
    &["o", "{w}", "<C-o>", "dd", "{w}", "<Esc>"],
    &["A", "<CR>", "<CR>", "{w}", "<Esc>"],
    &["A", " t", "<C-n>", "<C-n>", "<C-y>", "<Esc>"],
    &["o", "t", "<C-p>", "<C-e>", "<Esc>"],
    &["qqA {w}<Esc>jq"],
    &["@q"],
    &["2@q"],
    &["rT"],
    &["~"],
    &["g~~"],
    &["s", "{w}", "<Esc>"],
    &["xp"],
    &["gJ"],
    &["3A", " {w}", "<Esc>"],
    &["<C-a>"],
    &["A", " tw ", "{w}", "<Esc>"],
    &["A", " {w} {w} {w}", " {w}", "<Esc>"],
    &["i", "<C-r>-", "{w}", "<Esc>"],
    &["i", "{w}", "<C-o>", "u", "{w}", "<Esc>"],
    &["gR", "{w}", "<BS>", "{w}", "<Esc>"],
    &["o", "{w}", "<BS><BS><BS><BS><BS><BS>", "<Esc>"],
    &["I", "<BS>", "{w}", "<Esc>"],
    &["I", "<C-w>", "<C-u>", "<Esc>"],
    &["<C-v>", "j", "$", "A", "{w}", "<Esc>"],
    &["<C-v>", "j", "rT"],
    &["<C-v>", "j", "l", "y", "P"],
    &["V", "j", ":", "m", "0", "<CR>"],
    &["V", "j", "~"],
    &["gv", "d"],
    &["v", "rT"],
    &["gq", "j"],
    &[":silent! %s/t/T/c<CR>y<Esc>"],
    &[":silent! %!sort<CR>"],
    &[":silent! .,+1!cat<CR>"],
    &[":silent! undo 0<CR>", ":silent! later 9<CR>"],
    &[":silent! {range}d<CR>"],
    &[":silent! {range}d<CR>", "u"],
    &[":silent! {range}d<CR>", "P"],
    &[":silent! {range}d<CR>", "G", "p"],
    &[":silent! {range}m0<CR>"],
    &[":silent! {range}m$<CR>"],
    &[":silent! {range}t0<CR>"],
    &[":silent! {range}s/$/ {w}/<CR>"],
    &[":silent! {range}g/u/s/$/ {w}/<CR>"],
    &[":silent! %s/t/q/e<CR>"],
    &[":silent! %s/$/\\r/e<CR>"],
    &[":silent! g/t/m0<CR>"],
    &[":silent! g/u/normal! ddp<CR>"],
    &[":silent! .,+1!tac<CR>"],
    &[":silent! w|e ++ff=dos<CR>"],
    &[":silent! w|call writefile(reverse(readfile(expand('%'))),expand('%'))|e<CR>"],
    &[":silent! call setbufline({home},2,'sb')|call appendbufline({home},'$','ab')<CR>"],
    &["vapJ"],
    &["gqip"],
    &["i<C-r>=\"a\\nb\"<CR>", "<Esc>"],
    &["zfj"],
    &["zE"],
    &["ma"],
    &[":silent! sp<CR>"],
    &["<C-w>w"],
    &[":silent! new<CR>"],
    &[":silent! only<CR>"],
    &[":silent! buffer {home}<CR>"],
    &[":silent! setlocal nomodifiable<CR>"],
    &[":silent! setlocal modifiable<CR>"],
];

fn row() -> impl Strategy<Value = Row> {
    prop_oneof![
        5 => (0usize..3, 1usize..4).prop_map(|(indent, count)| Row::Words { indent: 2 * indent, count }),
        1 => Just(Row::Blank),
    ]
}

fn quirks() -> impl Strategy<Value = Quirks> {
    let formats = prop_oneof![8 => Just("nothing"), 1 => Just("rows"), 1 => Just("all")];
    (prop_oneof![6 => Just(0), 1 => Just(20u64)], any::<bool>(), formats)
        .prop_map(|(textwidth, autoindent, formats)| Quirks { textwidth, autoindent, formats })
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => Just(Change::Keep),
        3 => Just(Change::Append),
        2 => Just(Change::Replace),
        1 => Just(Change::Delete),
        2 => (1usize..3).prop_map(Change::Insert),
    ]
}

fn job() -> impl Strategy<Value = Job> {
    let kind = prop_oneof![6 => Just("line"), 2 => Just("char"), 1 => Just("block"), 2 => Just("insert")];
    let place = (0usize..14, 0usize..10, 0usize..20, 0usize..20);
    let times = (0usize..4, 0usize..14);
    (kind, place, times, weighted(0.15), vec(change(), 1..5)).prop_map(
        |(kind, place, times, review, answer)| Job {
            kind,
            at: place.0,
            rows: place.1,
            from: place.2,
            to: place.3,
            start: times.0,
            answer_after: times.1,
            review,
            answer,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let line = prop_oneof![
        4 => (1usize..14).prop_map(Line::Number),
        1 => Just(Line::First),
        1 => Just(Line::Last),
    ];
    let typed = (line, select(MOTIONS), select(TYPED)).prop_map(|(line, motion, chunks)| Step::Type {
        line,
        motion,
        chunks,
    });
    prop_oneof![
        10 => typed,
        4 => job().prop_map(Step::Job),
        2 => vec(job(), 2..4).prop_map(Step::Together),
        1 => Just(Step::Kill),
        2 => select(&["same", "indent", "one", "squeeze"][..]).prop_map(Step::Format),
        5 => (select(&["accept", "reject", "revert", "take", "undo", "drop"][..]), 0usize..12)
            .prop_map(|(verb, which)| Step::Decide { verb, which }),
    ]
}

/// All schedules.
pub fn any_schedule() -> impl Strategy<Value = Schedule> {
    (vec(row(), 1..12), quirks(), vec(step(), 1..20)).prop_map(|(text, quirks, steps)| Schedule {
        text,
        quirks,
        steps,
    })
}
