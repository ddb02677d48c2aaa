//! The jobs of this Neovim. The plugin knows them all, also those that ran in a host before this one or never came to
//! one, and each as it is at this moment: so it sends what it knows of those that changed.

use super::amounts::{duration, money};
use super::landing::{failure, landing};
use super::place::place;
use super::{Action, Cell, Column, ListRow, Table, Viewer, signs};

/// A job as the plugin knows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Live {
    /// Its number.
    pub id: u64,
    /// The file; empty: the buffer has none.
    pub path: String,
    /// The name of a buffer without a file.
    pub name: Option<String>,
    /// Its first line, from 1.
    pub line: u64,
    /// The user's prompt.
    pub prompt: String,
    /// How far it is.
    pub state: LiveState,
    /// For how long it has been going on, or had until it ended.
    pub elapsed_ms: u64,
    /// What it cost so far.
    pub cost_usd: Option<f64>,
    /// Whether it has a session to go on in.
    pub has_session: bool,
    /// Whether what its agent printed is kept.
    pub has_transcript: bool,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveState {
    /// It waits for others to end.
    Queued {
        /// Its place among those that wait.
        doing: Option<String>,
    },
    /// Its agent runs.
    Running {
        /// What that does.
        doing: Option<String>,
        /// What it does has failed.
        is_failing: bool,
    },
    /// It waits for a moment at which it can land.
    Ready,
    /// It failed.
    Failed {
        /// The public name of the kind of failure.
        code: String,
        /// What happened and what to do.
        message: String,
    },
    /// It has an answer.
    Done {
        /// What became of that, by its public name.
        landing: String,
        /// Why it is held.
        held_for: Option<String>,
    },
}

impl Default for LiveState {
    fn default() -> Self {
        Self::Queued { doing: None }
    }
}

/// What is said of all jobs together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// How many run.
    pub running: u64,
    /// How many wait for others to end.
    pub queued: u64,
    /// How many wait for review.
    pub held: u64,
    /// What they cost; none if no agent reported it.
    pub cost_usd: Option<f64>,
}

const COLUMNS: [Column; 7] = {
    let column = Column::PLAIN;
    [
        column,
        Column { right: true, ..column },
        Column { least: 8, most: Some(25), drop: Some(2), keep_end: true, ..column },
        Column { least: 12, rest: true, ..column },
        Column { least: 14, share: Some(24), ..column },
        Column { least: 6, drop: Some(3), right: true, ..column },
        Column { least: 0, drop: Some(1), right: true, ..column },
    ]
};

/// The rows of these jobs.
pub fn jobs(jobs: &[Live], viewer: &Viewer) -> Table {
    Table { columns: COLUMNS.to_vec(), rows: jobs.iter().map(|job| row(job, viewer)).collect() }
}

impl Totals {
    /// `2 running · 1 held · $0.31`
    pub fn words(&self) -> String {
        let counts = [(self.running, "running"), (self.queued, "queued"), (self.held, "held")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let parts = counts.map(|(count, state)| format!("{count} {state}")).chain(self.cost_usd.map(money));
        parts.collect::<Vec<_>>().join(signs::BETWEEN)
    }
}

fn row(job: &Live, viewer: &Viewer) -> ListRow {
    let [sign, words] = state(job);
    let cells = vec![
        sign,
        Cell::label(job.id.to_string()),
        Cell::plain(place(&job.path, job.name.as_deref(), job.line, viewer)),
        Cell::prompt(&job.prompt),
        words,
        Cell::label(duration(job.elapsed_ms)),
        Cell::label(job.cost_usd.map(money).unwrap_or_default()),
    ];
    let detail = match &job.state {
        LiveState::Failed { message, .. } => Some(message.clone()),
        LiveState::Running { doing, is_failing: true } => doing.clone(),
        _ => None,
    };
    ListRow {
        id: job.id.to_string(),
        cells,
        detail,
        job: Some(job.id),
        path: Some(job.path.clone()).filter(|path| !path.is_empty()),
        line: Some(job.line.max(1)),
        runs: matches!(job.state, LiveState::Running { .. }),
        actions: actions(job),
        ..ListRow::default()
    }
}

fn state(job: &Live) -> [Cell; 2] {
    match &job.state {
        LiveState::Queued { doing } => {
            let words = doing.as_deref().unwrap_or("queued");
            [Cell::new(signs::QUEUED, "BotglueSpinner"), Cell::new(words, "BotglueActivity")]
        }
        LiveState::Running { doing, is_failing } => {
            let group = if *is_failing { "BotglueFailure" } else { "BotglueActivity" };
            [Cell::new("", "BotglueSpinner"), Cell::new(doing.as_deref().unwrap_or("running"), group)]
        }
        LiveState::Ready => {
            [Cell::new(signs::READY, "BotglueReady"), Cell::new("ready to land", "BotglueReady")]
        }
        LiveState::Failed { code, .. } => failure(code),
        LiveState::Done { landing: name, held_for } => landing(name, held_for.as_deref()),
    }
}

fn actions(job: &Live) -> Vec<Action> {
    let landing = match &job.state {
        LiveState::Done { landing, .. } => landing.as_str(),
        _ => "",
    };
    let has_ended = matches!(job.state, LiveState::Failed { .. } | LiveState::Done { .. });
    let all = [
        (matches!(landing, "held" | "answered"), Action::Review),
        (true, Action::Jump),
        (has_ended, Action::Retry),
        (has_ended && job.has_session, Action::Followup),
        (job.has_transcript, Action::Transcript),
    ];
    all.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, action)| action).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(state: LiveState) -> Live {
        Live {
            id: 3,
            path: "/p/src/config.rs".to_owned(),
            line: 41,
            prompt: "split it".to_owned(),
            state,
            elapsed_ms: 7400,
            ..Live::default()
        }
    }

    fn viewer() -> Viewer {
        Viewer { cwd: "/p".to_owned(), ..Viewer::default() }
    }

    #[test]
    fn a_failed_job_has_its_code_in_the_row_and_its_message_below() {
        let message = "the agent took longer than 300 s: raise the option timeout";
        let failed = LiveState::Failed { code: "timeout".to_owned(), message: message.to_owned() };
        let table = jobs(&[Live { cost_usd: Some(0.02), has_session: true, ..job(failed) }], &viewer());
        let expected = ListRow {
            id: "3".to_owned(),
            cells: vec![
                Cell::new("✗", "BotglueFailure"),
                Cell::label("3"),
                Cell::plain("src/config.rs:41"),
                Cell::plain("split it"),
                Cell::new("timeout", "BotglueFailure"),
                Cell::label("7s"),
                Cell::label("$0.02"),
            ],
            detail: Some(message.to_owned()),
            job: Some(3),
            path: Some("/p/src/config.rs".to_owned()),
            line: Some(41),
            runs: false,
            ended_ms: None,
            actions: vec![Action::Jump, Action::Retry, Action::Followup],
        };
        assert_eq!(table.rows, [expected]);
        assert_eq!(table.columns.len(), table.rows[0].cells.len());
    }

    #[test]
    fn each_state_has_its_sign_and_its_words() {
        let done = |landing: &str, held_for: Option<&str>| LiveState::Done {
            landing: landing.to_owned(),
            held_for: held_for.map(str::to_owned),
        };
        let doing = Some("Read src/error.rs".to_owned());
        let states = [
            LiveState::Queued { doing: Some("queued, number 1".to_owned()) },
            LiveState::Running { doing: doing.clone(), is_failing: false },
            LiveState::Running { doing: None, is_failing: false },
            LiveState::Ready,
            done("applied", None),
            done("merged", None),
            done("unchanged", None),
            done("held", Some("range_lost")),
            done("rejected", None),
            done("answered", None),
            LiveState::Failed { code: "not_logged_in".to_owned(), message: String::new() },
        ];
        let rows = jobs(&states.map(job), &viewer()).rows;
        let shown: Vec<_> =
            rows.iter().map(|row| (row.cells[0].0.as_str(), row.cells[4].0.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("○", "queued, number 1"),
                ("", "Read src/error.rs"),
                ("", "running"),
                ("●", "ready to land"),
                ("✓", "landed"),
                ("✓", "landed, merged"),
                ("✓", "unchanged"),
                ("◆", "held: range lost"),
                ("·", "rejected"),
                ("✓", "answered"),
                ("✗", "not logged in"),
            ]
        );
        let running: Vec<bool> = rows.iter().map(|row| row.runs).collect();
        assert_eq!(running[..4], [false, true, true, false]);
        assert_eq!(rows[7].actions, [Action::Review, Action::Jump, Action::Retry]);
        let failing = jobs(&[job(LiveState::Running { doing: doing.clone(), is_failing: true })], &viewer());
        assert_eq!(failing.rows[0].detail, doing, "what failed is there whole");
    }

    #[test]
    fn the_totals_leave_out_what_there_is_none_of() {
        let totals = Totals { running: 2, queued: 0, held: 1, cost_usd: Some(0.314) };
        assert_eq!(totals.words(), "2 running · 1 held · $0.31");
        assert_eq!(Totals::default().words(), "");
    }
}
