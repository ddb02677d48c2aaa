//! A page of the history: finished jobs of the store, and those that were interrupted.

use super::amounts::money;
use super::landing::{failure, landing};
use super::place::place;
use super::{Action, Cell, Column, ListRow, Table, Viewer};
use crate::store::{JobEntry, Listed, LocalTime};

const INTERRUPTED: &str = "interrupted";
/// The months after which the year says more than the day.
const RECENT: u32 = 10;

const COLUMNS: [Column; 6] = {
    let column = Column::PLAIN;
    [
        column,
        Column { least: 5, drop: Some(3), right: true, ..column },
        Column { least: 8, most: Some(25), drop: Some(2), keep_end: true, ..column },
        Column { least: 14, rest: true, ..column },
        Column { least: 10, share: Some(20), ..column },
        Column { least: 6, drop: Some(1), right: true, ..column },
    ]
};

/// The rows of a page.
pub fn history(listed: &Listed, viewer: &Viewer) -> Table {
    let rows = listed.jobs.iter().map(|entry| row(entry, &listed.now, viewer)).collect();
    Table { columns: COLUMNS.to_vec(), rows }
}

fn row(entry: &JobEntry, now: &LocalTime, viewer: &Viewer) -> ListRow {
    let line = entry.landed_first.unwrap_or(entry.first_line).max(1);
    let [sign, words] = match &entry.error {
        Some(_) if entry.status == INTERRUPTED => failure(INTERRUPTED),
        Some(error) => failure(&error.code),
        None => landing(entry.landing.as_deref().unwrap_or("not landed"), entry.held_for.as_deref()),
    };
    let cells = vec![
        sign,
        Cell::label(when(&entry.ended, now)),
        Cell::plain(place(&entry.path, None, line, viewer)),
        Cell::prompt(&entry.prompt),
        words,
        Cell::label(entry.amounts.cost_usd.map(money).unwrap_or_default()),
    ];
    ListRow {
        id: entry.uuid.clone(),
        cells,
        detail: entry.error.as_ref().map(|error| error.message.clone()),
        job: entry.id,
        ended_ms: Some(entry.ended_ms),
        path: Some(entry.path.clone()).filter(|path| !path.is_empty()),
        line: Some(line),
        runs: false,
        actions: actions(entry),
    }
}

/// When a job ended, as short as it can be said: `14:05` today, `3 Nov` in the last months, `Nov 2023` before them.
fn when(ended: &LocalTime, now: &LocalTime) -> String {
    let month = month(ended);
    if (ended.year, ended.month, ended.day) == (now.year, now.month, now.day) {
        return format!("{:02}:{:02}", ended.hour, ended.minute);
    }
    let months = |time: &LocalTime| time.year * 12 + time.month;
    if months(now).abs_diff(months(ended)) < RECENT {
        format!("{} {month}", ended.day)
    } else {
        format!("{month} {}", ended.year)
    }
}

/// The month of a time, in three letters.
pub(super) fn month(time: &LocalTime) -> &'static str {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    time.month.checked_sub(1).and_then(|month| MONTHS.get(month as usize)).unwrap_or(&"?")
}

fn actions(entry: &JobEntry) -> Vec<Action> {
    let has_session = entry.session_id.is_some();
    let all = [
        (entry.id.is_some() && entry.landing.as_deref() == Some("held"), Action::Review),
        (true, Action::Jump),
        (true, Action::Prompt),
        (entry.has_answer, Action::Diff),
        (entry.has_answer, Action::Yank),
        (true, Action::Retry),
        (has_session, Action::Followup),
        (has_session, Action::Open),
        (entry.transcript.is_some(), Action::Transcript),
    ];
    all.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, action)| action).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::journal::Amounts;
    use crate::store::StoredFailure;

    const NOW: LocalTime = LocalTime { year: 2025, month: 3, day: 9, hour: 10, minute: 0 };

    pub fn entry() -> JobEntry {
        JobEntry {
            uuid: "u-1".to_owned(),
            id: None,
            agent: "claude".to_owned(),
            protocol: None,
            model: None,
            session_id: Some("s".to_owned()),
            project: "/p".to_owned(),
            path: "/p/src/config.rs".to_owned(),
            filetype: "rust".to_owned(),
            first_line: 5,
            prompt: "shorter".to_owned(),
            question: false,
            status: "done",
            landing: Some("applied".to_owned()),
            held_for: None,
            error: None,
            started_ms: 1,
            ended_ms: 2,
            ended: LocalTime { hour: 9, minute: 5, ..NOW },
            amounts: Amounts { cost_usd: Some(0.02), ..Amounts::default() },
            transcript: None,
            has_answer: true,
            landed_first: Some(7),
            landed_last: None,
        }
    }

    fn rows(entries: &[JobEntry]) -> Vec<ListRow> {
        let viewer = Viewer { cwd: "/p".to_owned(), ..Viewer::default() };
        let listed = Listed { jobs: entries.to_vec(), more: false, now: NOW };
        history(&listed, &viewer).rows
    }

    #[test]
    fn a_job_has_its_state_time_place_prompt_and_cost() {
        let expected = ListRow {
            id: "u-1".to_owned(),
            cells: vec![
                Cell::new("✓", "BotglueLanded"),
                Cell::label("09:05"),
                Cell::plain("src/config.rs:7"),
                Cell::plain("shorter"),
                Cell::label("landed"),
                Cell::label("$0.02"),
            ],
            detail: None,
            job: None,
            ended_ms: Some(2),
            path: Some("/p/src/config.rs".to_owned()),
            line: Some(7),
            runs: false,
            actions: vec![
                Action::Jump,
                Action::Prompt,
                Action::Diff,
                Action::Yank,
                Action::Retry,
                Action::Followup,
                Action::Open,
            ],
        };
        assert_eq!(rows(&[entry()]), [expected]);
    }

    #[test]
    fn a_failure_is_named_in_the_row_and_told_below_it() {
        let failed = |code: &str, status| JobEntry {
            status,
            error: Some(StoredFailure { code: code.to_owned(), message: "it took\ntoo long".to_owned() }),
            landing: None,
            has_answer: false,
            session_id: None,
            ..entry()
        };
        let rows = rows(&[failed("rate_limited", "failed"), failed("host_lost", INTERRUPTED)]);
        let shown: Vec<_> = rows.iter().map(|row| (row.cells[4].clone(), row.detail.as_deref())).collect();
        let cell = |words| Cell::new(words, "BotglueFailure");
        let detail = Some("it took\ntoo long");
        assert_eq!(shown, [(cell("rate limited"), detail), (cell(INTERRUPTED), detail)]);
        assert_eq!(rows[0].actions, [Action::Jump, Action::Prompt, Action::Retry]);
    }

    #[test]
    fn what_becomes_of_an_answer_that_is_held_here_is_decided_here() {
        let held =
            JobEntry { landing: Some("held".to_owned()), held_for: Some("conflict".to_owned()), ..entry() };
        let rows = rows(&[held.clone(), JobEntry { id: Some(4), ..held }]);
        assert_eq!((rows[0].actions[0], rows[1].actions[0]), (Action::Jump, Action::Review));
        assert_eq!((rows[0].job, rows[1].job), (None, Some(4)));
    }

    #[test]
    fn a_time_is_as_short_as_it_can_be_said() {
        let shown = [
            LocalTime { hour: 0, minute: 1, ..NOW },
            LocalTime { day: 8, ..NOW },
            LocalTime { year: 2024, month: 12, day: 31, ..NOW },
            LocalTime { year: 2024, month: 5, day: 9, ..NOW },
        ]
        .map(|time| when(&time, &NOW));
        assert_eq!(shown, ["00:01", "8 Mar", "31 Dec", "May 2024"]);
    }
}
