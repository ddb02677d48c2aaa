//! Sums over jobs: what became of them, and what they cost, by scope, by model and by agent.

use super::amounts::{duration, money, percent, tokens};
use super::signs::UNKNOWN;
use super::{Cell, Column, Table};
use crate::store::{Info, Sums};
use crate::stream::Usage;

/// The most models, or agents, that are named.
const SHARES: usize = 6;

const COLUMN: Column = Column { right: true, ..Column::PLAIN };

const SUMS: [Column; 8] = [
    Column { head: "by scope", least: 13, right: false, ..COLUMN },
    Column { head: "jobs", least: 5, ..COLUMN },
    Column { head: "landed", least: 6, drop: Some(2), ..COLUMN },
    Column { head: "held", least: 4, drop: Some(3), ..COLUMN },
    Column { head: "failed", least: 6, drop: Some(4), ..COLUMN },
    Column { head: "tokens in/out", least: 13, drop: Some(5), ..COLUMN },
    Column { head: "cost", least: 8, ..COLUMN },
    Column { head: "time", least: 6, drop: Some(1), ..COLUMN },
];

const fn shares_of(head: &'static str) -> [Column; 5] {
    [
        Column { head, least: 12, rest: true, right: false, ..COLUMN },
        Column { head: "jobs", least: 5, drop: Some(2), ..COLUMN },
        Column { head: "tokens in/out", least: 13, drop: Some(1), ..COLUMN },
        Column { head: "share", least: 5, ..COLUMN },
        Column { head: "cost", least: 8, ..COLUMN },
    ]
}

/// The tables, and the share of input tokens that came from the cache.
pub fn info(info: &Info) -> (Vec<Table>, String) {
    let scopes = [
        ("this session", "session"),
        ("this project", "project"),
        ("today", "today"),
        ("last 30 days", "month"),
        ("all time", "all"),
    ];
    let sums_of = |scope: &(&str, &str)| Some(sums_row(scope.0, info.scopes.get(scope.1)?));
    let rows = scopes.iter().filter_map(sums_of).collect();
    let all = info.scopes.get("all").copied().unwrap_or_default();
    let mut tables = vec![Table { columns: SUMS.to_vec(), rows }];
    for (head, shares) in [("by model", &info.models), ("by agent", &info.agents)] {
        if !shares.is_empty() {
            let columns = shares_of(head).to_vec();
            tables.push(Table { columns, rows: share_rows(shares, &all) });
        }
    }
    (tables, cached(&all.amounts.usage))
}

fn sums_row(label: &str, sums: &Sums) -> Vec<Cell> {
    let known = |text: String| if sums.jobs == 0 { UNKNOWN.to_owned() } else { text };
    let cells = [
        label.to_owned(),
        sums.jobs.to_string(),
        sums.landed.to_string(),
        sums.held.to_string(),
        sums.failed.to_string(),
        known(in_and_out(&sums.amounts.usage)),
        sums.amounts.cost_usd.map_or_else(|| UNKNOWN.to_owned(), money),
        known(duration(sums.amounts.duration_ms.unwrap_or_default())),
    ];
    cells.map(Cell::plain).into()
}

/// What each model, or agent, had of the cost; a dash where no cost is known.
fn share_rows(shares: &[(String, Sums)], all: &Sums) -> Vec<Vec<Cell>> {
    let unknown = || UNKNOWN.to_owned();
    let whole = all.amounts.cost_usd.filter(|cost| *cost > 0.0);
    let share = |(name, Sums { jobs, amounts, .. }): &(String, Sums)| {
        let part = amounts.cost_usd.zip(whole).map_or_else(unknown, |(part, whole)| percent(part, whole));
        let cost = amounts.cost_usd.map_or_else(unknown, money);
        let cells = [name.clone(), jobs.to_string(), in_and_out(&amounts.usage), part, cost];
        cells.map(Cell::plain).into()
    };
    let mut rows: Vec<_> = shares.iter().take(SHARES).map(share).collect();
    if shares.len() > SHARES {
        let more = format!("and {} more", shares.len() - SHARES);
        rows.push([&more, "", "", "", ""].map(Cell::plain).into());
    }
    rows
}

/// All tokens that went in, those from the agent's cache too, and those that came out.
fn in_and_out(of: &Usage) -> String {
    format!("{} / {}", tokens(sent(of)), tokens(of.output_tokens))
}

fn sent(of: &Usage) -> u64 {
    of.input_tokens + of.cache_read_input_tokens + of.cache_creation_input_tokens
}

fn cached(all: &Usage) -> String {
    if all.cache_read_input_tokens == 0 {
        return String::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "whole percents are shown")]
    let part = percent(all.cache_read_input_tokens as f64, sent(all) as f64);
    format!("{part} of input tokens were cached")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Amounts;

    fn sums(jobs: u64, cost_usd: Option<f64>, usage: Usage) -> Sums {
        let amounts = Amounts { cost_usd, usage, duration_ms: Some(92_000), ..Amounts::default() };
        Sums { jobs, landed: jobs, held: 0, failed: 0, amounts }
    }

    fn share(name: &str, cost_usd: Option<f64>) -> (String, Sums) {
        let usage =
            Usage { input_tokens: 1000, output_tokens: 10, cache_read_input_tokens: 900, ..Usage::default() };
        (name.to_owned(), sums(2, cost_usd, usage))
    }

    fn texts(table: &Table) -> Vec<String> {
        let texts = |row: &Vec<Cell>| row.iter().map(|cell| cell.0.as_str()).collect::<Vec<_>>().join("|");
        table.rows.iter().map(texts).collect()
    }

    fn sample() -> Info {
        let tokens =
            Usage { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 900, ..Usage::default() };
        let scopes = [
            ("project", sums(3, Some(2.25), tokens)),
            ("today", sums(0, None, Usage::default())),
            ("month", sums(3, Some(2.25), tokens)),
            ("all", sums(4, Some(4.5), tokens)),
        ];
        Info {
            scopes: scopes.map(|(scope, sums)| (scope.to_owned(), sums)).into(),
            models: vec![share("opus", Some(4.5)), share("gpt-5", None)],
            agents: (0..8).map(|n| share(&format!("agent-{n}"), None)).collect(),
        }
    }

    #[test]
    fn what_is_not_known_is_a_dash_and_never_a_nought() {
        let (tables, note) = info(&sample());
        assert_eq!(
            texts(&tables[0]),
            [
                "this project|3|3|0|0|1k / 10|$2.25|1m32s",
                "today|0|0|0|0|–|–|–",
                "last 30 days|3|3|0|0|1k / 10|$2.25|1m32s",
                "all time|4|4|0|0|1k / 10|$4.50|1m32s",
            ]
        );
        assert_eq!(texts(&tables[1]), ["opus|2|1.9k / 10|100 %|$4.50", "gpt-5|2|1.9k / 10|–|–"]);
        assert_eq!(note, "90 % of input tokens were cached");
    }

    #[test]
    fn of_many_the_costliest_are_named() {
        let (tables, _) = info(&sample());
        assert_eq!(tables[2].rows.len(), SHARES + 1);
        assert_eq!(texts(&tables[2])[SHARES], "and 2 more||||");
    }
}
