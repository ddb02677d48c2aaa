//! A conversation as the rows of a Markdown buffer, each with what it is: that says how it is highlighted and folded.

use super::part::{Part, Parts};
use crate::render::amounts::{counted, money, tokens};
use crate::stream::{Outcome, ToolStatus, one_line};

/// The most lines that are shown of a tool's output.
const OUTPUT: usize = 40;
/// The same of the message that was sent.
const MESSAGE: usize = 400;
/// The most rows; the oldest are left out.
const ROWS: usize = 10_000;
/// The longest row in a fold, in characters.
const LONGEST: usize = 500;

/// What the stream does not contain about a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptHeader {
    /// The agent's name.
    pub agent: String,
    /// The user's prompt.
    pub prompt: String,
    /// The job has ended.
    pub is_over: bool,
    /// Why it failed.
    pub error: Option<String>,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// The heading of a speaker.
    Heading,
    /// What was said.
    Text,
    /// The message that was sent; folded.
    Sent,
    /// Folded.
    Thinking,
    /// A tool's output; folded.
    Output,
    /// A tool.
    Tool(ToolStatus),
    /// About the conversation.
    Note,
    /// Why the job failed.
    Failure,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptRow {
    /// The row.
    pub text: String,
    /// What it is.
    pub kind: RowKind,
}

/// Draws a conversation.
pub fn rows(parts: &Parts, outcome: Option<&Outcome>, about: &TranscriptHeader) -> Vec<TranscriptRow> {
    let mut rows = RowBuilder::default();
    rows.add(RowKind::Heading, "## You");
    if !about.prompt.trim().is_empty() {
        rows.gap();
        rows.extend(RowKind::Text, about.prompt.trim().lines());
    }
    let mut is_agent = false;
    for part in &parts.list {
        if !matches!(part, Part::Sent(_) | Part::Note(_)) && !is_agent {
            is_agent = true;
            rows.heading(about, parts.model.as_deref());
        }
        rows.part(part, about.is_over);
    }
    rows.ending(outcome, about);
    let mut rows = rows.rows;
    let over = rows.len().saturating_sub(ROWS);
    if over > 0 {
        rows.drain(..=over);
        let text = format!("{} earlier rows are left out; :Botglue! transcript has all", over + 1);
        rows.insert(0, TranscriptRow { text, kind: RowKind::Note });
    }
    rows
}

/// The first lines of a text without the blank ones around them, and how many are left out after them.
fn lines(text: &str, most: usize) -> (Vec<&str>, usize) {
    let start = text.find(|letter: char| !letter.is_whitespace()).unwrap_or(text.len());
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let mut lines: Vec<&str> = text[start..].trim_end().lines().collect();
    let over = lines.len().saturating_sub(most);
    lines.truncate(most);
    (lines, over)
}

#[derive(Debug, Default)]
struct RowBuilder {
    rows: Vec<TranscriptRow>,
}

impl RowBuilder {
    fn add(&mut self, kind: RowKind, text: impl Into<String>) {
        self.rows.push(TranscriptRow { text: text.into(), kind });
    }

    fn extend<'a>(&mut self, kind: RowKind, lines: impl Iterator<Item = &'a str>) {
        // A NUL is a line break to Neovim.
        self.rows.extend(lines.map(|line| TranscriptRow { text: line.replace('\0', "\u{2400}"), kind }));
    }

    /// A blank row between what has nothing to do with each other.
    fn gap(&mut self) {
        self.add(RowKind::Text, "");
    }

    fn heading(&mut self, about: &TranscriptHeader, model: Option<&str>) {
        let model = model.map(|model| format!(" ({model})")).unwrap_or_default();
        self.gap();
        self.add(RowKind::Heading, one_line::line(&format!("## {}{model}", about.agent), 200));
    }

    fn part(&mut self, part: &Part, is_over: bool) {
        let is_of_tool = |last: &TranscriptRow| matches!(last.kind, RowKind::Tool(_) | RowKind::Output);
        let follows_tool = self.rows.last().is_some_and(is_of_tool);
        if !(follows_tool && matches!(part, Part::Tool { .. })) {
            self.gap();
        }
        match part {
            Part::Sent(body) => self.fenced(RowKind::Sent, body, MESSAGE),
            Part::Thinking(body) => {
                for line in lines(body, usize::MAX).0 {
                    self.add(RowKind::Thinking, format!("> {line}").trim_end());
                }
            }
            Part::Text(body) => self.extend(RowKind::Text, lines(body, usize::MAX).0.into_iter()),
            Part::Tool { call, output } => {
                let status = match call.status {
                    ToolStatus::Running if is_over => ToolStatus::Unfinished,
                    status => status,
                };
                let reason = call.error.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
                self.add(RowKind::Tool(status), span(&format!("{}{reason}", call.title)));
                let is_repeated = call.error.is_some() && lines(output, 2).0.len() < 2;
                if !output.trim().is_empty() && !is_repeated {
                    self.fenced(RowKind::Output, output, OUTPUT);
                }
            }
            Part::Note(text) => self.add(RowKind::Note, text),
        }
    }

    /// A text that is no Markdown, in a fence that nothing in it closes.
    fn fenced(&mut self, kind: RowKind, body: &str, most: usize) {
        let (lines, left_out) = lines(body, most);
        let ticks =
            lines.iter().map(|line| line.trim_start().bytes().take_while(|&byte| byte == b'`').count());
        let fence = "`".repeat(ticks.max().unwrap_or_default().max(2) + 1);
        self.add(kind, fence.clone());
        for line in lines {
            let is_long = line.chars().nth(LONGEST).is_some();
            let line =
                if is_long { line.chars().take(LONGEST).chain(['…']).collect() } else { line.to_owned() };
            self.add(kind, line.replace('\0', "\u{2400}"));
        }
        self.left_out(kind, left_out);
        self.add(kind, fence);
    }

    fn left_out(&mut self, kind: RowKind, lines: usize) {
        if lines > 0 {
            let lines = counted(lines, "more line");
            self.add(kind, format!("… {lines}; :Botglue! transcript has all"));
        }
    }

    /// How it ended, and what that took.
    fn ending(&mut self, outcome: Option<&Outcome>, about: &TranscriptHeader) {
        let failure = about.error.clone().or_else(|| Some(outcome?.error.as_ref()?.message.clone()));
        if let Some(failure) = failure {
            self.gap();
            self.add(RowKind::Failure, one_line::line(&failure, 2000));
        }
        let Some(outcome) = outcome else { return };
        let mut amounts: Vec<String> = Vec::new();
        amounts.extend(outcome.amounts.num_turns.map(|turns| counted(turns, "turn")));
        let usage = outcome.amounts.usage;
        let input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
        if input + usage.output_tokens > 0 {
            amounts.push(format!("{} tokens in, {} out", tokens(input), tokens(usage.output_tokens)));
        }
        amounts.extend(outcome.amounts.cost_usd.filter(|cost| *cost > 0.0).map(money));
        if !amounts.is_empty() {
            self.gap();
            self.add(RowKind::Note, amounts.join(", "));
        }
    }
}

/// A code span: nothing in it is Markdown.
fn span(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let ticks = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{ticks}{gap}{text}{gap}{ticks}")
}
