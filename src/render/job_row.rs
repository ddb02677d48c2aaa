//! The one list of jobs: those of this Neovim that go on or wait for a decision, then those of the store.

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

impl Live {
    /// Its row.
    pub fn row(&self, viewer: &Viewer) -> ListRow {
        let About { path, name, line, prompt, .. } = &self.about;
        let [sign, words] = state(&self.state);
        let detail = match &self.state {
            LiveState::Running(Doing { words, tone: Tone::Failing }) => words.clone(),
            LiveState::Queued(wait @ Wait::Limit { .. }) => Some(wait.words()),
            _ => None,
        };
        ListRow {
            id: format!("#{}", self.id),
            cells: vec![
                sign,
                Cell::label(self.id.to_string()),
                Cell::plain(place(path, name.as_deref(), *line, viewer)),
                Cell::prompt(prompt),
                words,
                Cell::label(duration(self.elapsed_ms)),
                Cell::label(self.cost_usd.map(money).unwrap_or_default()),
            ],
            detail,
            job: Some(self.id),
            path: Some(path.clone()).filter(|path| !path.is_empty()),
            line: Some((*line).max(1)),
            runs: matches!(self.state, LiveState::Running(_)),
            actions: self.actions(),
        }
    }

    /// What can be done with it.
    pub fn actions(&self) -> Vec<Action> {
        let is_held = matches!(self.state, LiveState::Held(_));
        let is_limited = matches!(self.state, LiveState::Queued(Wait::Limit { .. }));
        let all = [
            (is_held, Action::Review),
            (true, Action::Jump),
            (is_held, Action::Prompt),
            (is_held, Action::Diff),
            (is_held, Action::Yank),
            (is_held || is_limited, Action::Retry),
            (is_held, Action::Edit),
            (is_held, Action::Followup),
            (is_held && self.has_session, Action::Open),
            (self.has_transcript, Action::Transcript),
        ];
        all.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, action)| action).collect()
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
pub fn stored(entry: &JobEntry, line: Option<u64>, now: &str, viewer: &Viewer) -> ListRow {
    let (record, job) = (&entry.record, &entry.record.job);
    let line = line.map_or_else(|| entry.line(), |line| line.max(1));
    let [sign, words] = match &record.error {
        Some(_) if entry.record.is_interrupted() => failure(INTERRUPTED),
        Some((code, _)) => failure(code),
        None => landing(entry.landing.as_deref().unwrap_or("not landed"), record.held_for.as_deref()),
    };
    // When a job was interrupted is not always known.
    let took =
        u64::try_from(record.ended_ms - job.started_ms).ok().filter(|_| !entry.record.is_interrupted());
    ListRow {
        id: entry.id.map_or_else(|| entry.uuid.clone(), |id| format!("#{id}")),
        cells: vec![
            sign,
            Cell::label(entry.id.map_or_else(|| when(&entry.ended, now), |id| id.to_string())),
            Cell::plain(place(&job.path, None, line, viewer)),
            Cell::prompt(&job.prompt),
            words,
            Cell::label(took.map(duration).unwrap_or_default()),
            Cell::label(record.share.cost_usd.map(money).unwrap_or_default()),
        ],
        detail: record.error.as_ref().map(|(_, message)| message.clone()),
        job: entry.id,
        path: Some(job.path.clone()).filter(|path| !path.is_empty()),
        line: Some(line),
        runs: false,
        actions: actions(entry),
    }
}

/// When it ended: the time of today, else the day, else the month.
fn when(ended: &str, now: &str) -> String {
    let (date, time) = ended.split_once(' ').unwrap_or_default();
    if now.starts_with(date) {
        return time.to_owned();
    }
    let ([year, number, day], [year_now, number_now, _]) = (numbers(ended), numbers(now));
    let month = month(ended);
    if (year_now * 12 + number_now).abs_diff(year * 12 + number) < RECENT {
        format!("{day} {month}")
    } else {
        format!("{month} {year}")
    }
}

/// Year, month and day of a time such as `2025-03-09 09:05`.
pub(super) fn numbers(time: &str) -> [u32; 3] {
    let mut numbers = time.split(['-', ' ']).map(|number| number.parse().unwrap_or_default());
    std::array::from_fn(|_| numbers.next().unwrap_or_default())
}

/// The month of a time, in three letters.
pub(super) fn month(time: &str) -> &'static str {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let [_, month, _] = numbers(time);
    month.checked_sub(1).and_then(|month| MONTHS.get(month as usize)).unwrap_or(&"?")
}

/// What can be done with a job of the store.
pub fn actions(entry: &JobEntry) -> Vec<Action> {
    let has_session = entry.record.session_id.is_some();
    let is_shown_here = entry.id.is_some() && matches!(entry.landing.as_deref(), Some("held" | "answered"));
    let all = [
        (is_shown_here, Action::Review),
        (true, Action::Jump),
        (true, Action::Prompt),
        (entry.has_answer, Action::Diff),
        (entry.has_answer, Action::Yank),
        (true, Action::Retry),
        (true, Action::Edit),
        (has_session, Action::Followup),
        (has_session, Action::Open),
        (entry.record.transcript.is_some(), Action::Transcript),
    ];
    all.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, action)| action).collect()
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
        let shown = times.map(|time| when(time, NOW));
        assert_eq!(shown, ["00:01", "8 Mar", "31 Dec", "May 2024"]);
    }
}
