//! The one list of jobs: those of this Neovim that go on or wait for a decision, then those of the store.

use jiff::civil::DateTime;

use super::amounts::{duration, money};
use super::place::place;
use super::{Action, Cell, Column, ListRow, Viewer, signs};
use crate::session::{About, Doing, Live, LiveState, Tone, Wait};
use crate::store::JobEntry;

/// What is said of all jobs of this Neovim together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// How many run.
    pub running: usize,
    /// How many wait for others to end.
    pub queued: usize,
    /// How many wait for review.
    pub held: usize,
    /// What they cost; none if no agent reported it.
    pub cost_usd: Option<f64>,
}

/// A job that was interrupted: its Neovim or its host ended before it did.
const INTERRUPTED: &str = "interrupted";
/// For how many months a day and a month say enough.
const RECENT: u32 = 10;

/// The columns of the list: a sign, the number or the time, the place, the prompt, the state, the time that it took, and
/// the cost.
pub const COLUMNS: [Column; 7] = {
    let column = Column::PLAIN;
    [
        column,
        Column { right: true, ..column },
        Column { least: 8, most: Some(25), drop: Some(3), keep_end: true, ..column },
        Column { least: 12, rest: true, ..column },
        Column { least: 14, share: Some(24), ..column },
        Column { least: 6, drop: Some(1), right: true, ..column },
        Column { least: 0, drop: Some(2), right: true, ..column },
    ]
};

impl Totals {
    /// `2 running · 1 held · $0.31`
    pub fn words(&self) -> String {
        let counts = [(self.running, "running"), (self.queued, "queued"), (self.held, "held")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let parts = counts.map(|(count, state)| format!("{count} {state}")).chain(self.cost_usd.map(money));
        parts.collect::<Vec<_>>().join(signs::BETWEEN)
    }
}

/// The row of a job: its place, its prompt, its state, and its number or time, the time that it took and what it cost.
fn row(place: String, prompt: &str, [sign, words]: [Cell; 2], [which, took, cost]: [String; 3]) -> ListRow {
    let (which, place) = (Cell::label(which), Cell::plain(place));
    let cells = vec![sign, which, place, Cell::prompt(prompt), words, Cell::label(took), Cell::label(cost)];
    ListRow { cells, ..ListRow::default() }
}

impl Live {
    /// Its row.
    pub fn row(&self, viewer: &Viewer) -> ListRow {
        let About { path, name, line, prompt, .. } = &self.about;
        let cost = self.cost_usd.map(money).unwrap_or_default();
        ListRow {
            id: format!("#{}", self.id),
            detail: match &self.state {
                LiveState::Running(Doing { words, tone: Tone::Failing }) => words.clone(),
                LiveState::Queued(wait @ Wait::Limit { .. }) => Some(wait.words()),
                _ => None,
            },
            path: Some(path.clone()).filter(|path| !path.is_empty()),
            line: (*line).max(1),
            runs: matches!(self.state, LiveState::Running(_)),
            actions: self.actions(),
            ..row(
                place(path, name.as_deref(), *line, viewer),
                prompt,
                state(&self.state),
                [self.id.to_string(), duration(self.elapsed_ms), cost],
            )
        }
    }

    /// What can be done with it.
    fn actions(&self) -> Vec<Action> {
        let is_held = matches!(self.state, LiveState::Held(_));
        let is_limited = matches!(self.state, LiveState::Queued(Wait::Limit { .. }));
        Action::which(|action| match action {
            Action::Jump => true,
            Action::Retry => is_held || is_limited,
            Action::Open => is_held && self.has_session,
            Action::Transcript => self.has_transcript,
            _ => is_held,
        })
    }
}

fn state(state: &LiveState) -> [Cell; 2] {
    match state {
        LiveState::Queued(wait) => {
            [Cell::new(signs::QUEUED, "BotglueSpinner"), Cell::new(wait.brief(), "BotglueActivity")]
        }
        LiveState::Running(Doing { words, tone }) => {
            let group = if *tone == Tone::Failing { "BotglueFailure" } else { "BotglueActivity" };
            [Cell::new("", "BotglueSpinner"), Cell::new(words.as_deref().unwrap_or("running"), group)]
        }
        LiveState::Ready => {
            [Cell::new(signs::READY, "BotglueReady"), Cell::new("ready to land", "BotglueReady")]
        }
        LiveState::Held(why) => landing("held", Some(why)),
    }
}

/// The row of a job of the store; `line` is where it is now, if that is known.
pub fn stored(entry: &JobEntry, line: Option<u64>, now: DateTime, viewer: &Viewer) -> ListRow {
    let (record, job) = (&entry.record, &entry.record.job);
    let line = line.map_or_else(|| entry.line(), |line| line.max(1));
    let state = match &record.error {
        Some(_) if record.is_interrupted() => failure(INTERRUPTED),
        Some((code, _)) => failure(code),
        None => landing(entry.landing.as_deref().unwrap_or("not landed"), record.held_for.as_deref()),
    };
    // When a job was interrupted is not always known.
    let took = u64::try_from(record.ended_ms - job.started_ms).ok().filter(|_| !record.is_interrupted());
    let which = entry.id.map_or_else(|| when(entry.ended, now), |id| id.to_string());
    let cost = record.share.cost_usd.map(money).unwrap_or_default();
    let amounts = [which, took.map(duration).unwrap_or_default(), cost];
    ListRow {
        id: entry.id.map_or_else(|| entry.uuid.clone(), |id| format!("#{id}")),
        detail: record.error.as_ref().map(|(_, message)| message.clone()),
        path: Some(job.path.clone()).filter(|path| !path.is_empty()),
        line,
        actions: actions(entry),
        ..row(place(&job.path, None, line, viewer), &job.prompt, state, amounts)
    }
}

/// When it ended: the time of today, else the day, else the month.
fn when(ended: DateTime, now: DateTime) -> String {
    let months = |time: DateTime| i32::from(time.year()) * 12 + i32::from(time.month());
    let form = match () {
        () if now.date() == ended.date() => "%H:%M",
        () if months(now).abs_diff(months(ended)) < RECENT => "%-d %b",
        () => "%b %Y",
    };
    ended.strftime(form).to_string()
}

/// What can be done with a job of the store.
pub fn actions(entry: &JobEntry) -> Vec<Action> {
    let is_shown_here = entry.id.is_some() && matches!(entry.landing.as_deref(), Some("held" | "answered"));
    Action::which(|action| match action {
        Action::Review => is_shown_here,
        Action::Jump | Action::Prompt | Action::Retry | Action::Edit => true,
        Action::Diff | Action::Yank => entry.has_answer,
        Action::Followup | Action::Open => entry.record.session_id.is_some(),
        Action::Transcript => entry.record.transcript.is_some(),
    })
}

/// What became of an answer, by the public name of that.
fn landing(landing: &str, held_for: Option<&str>) -> [Cell; 2] {
    let (sign, sign_group, words, group) = match landing {
        "held" => {
            let why = held_for.map(|why| format!("held: {}", spaced(why)));
            (signs::HELD, "BotglueHeld", why.unwrap_or_else(|| "held".to_owned()), "BotglueHeld")
        }
        "rejected" | "reverted" => (signs::LET_GO, "BotglueLabel", landing.to_owned(), "BotglueLabel"),
        "applied" => (signs::LANDED, "BotglueLanded", "landed".to_owned(), "BotglueLabel"),
        "merged" => (signs::LANDED, "BotglueLanded", "landed, merged".to_owned(), "BotglueLabel"),
        other => (signs::LANDED, "BotglueLanded", other.to_owned(), "BotglueLabel"),
    };
    [Cell::new(sign, sign_group), Cell::new(words, group)]
}

/// A failure, by its code; its message is the row's detail.
fn failure(code: &str) -> [Cell; 2] {
    [Cell::new(signs::FAILED, "BotglueFailure"), Cell::new(spaced(code), "BotglueFailure")]
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::sample::NOW;

    #[test]
    fn a_time_is_as_short_as_it_can_be_said() {
        let times = ["2025-03-09 00:01", "2025-03-08 10:00", "2024-12-31 10:00", "2024-05-09 10:00"];
        let shown = times.map(|time| when(time.parse().unwrap(), NOW));
        assert_eq!(shown, ["00:01", "8 Mar", "31 Dec", "May 2024"]);
    }
}
