//! The quickfix lists of jobs that were started together: what became of each, and the counts in the title.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Host;
use crate::session::Batch;

/// The most lists that are kept up to date: Neovim has no more.
const MOST: usize = 10;

/// What is said of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Row {
    text: String,
    /// The letter that says how bad it is.
    kind: &'static str,
    /// What it is counted as once it has ended.
    counted: Option<String>,
}

/// A list with what it says.
#[derive(Debug, Default)]
pub(super) struct Shown {
    batch: Batch,
    rows: BTreeMap<u64, Row>,
}

impl Host {
    /// Keeps a list up to date from now on.
    pub(super) fn show_batch(&mut self, batch: Batch) {
        self.batches.push(Shown { batch, rows: BTreeMap::new() });
        if self.batches.len() > MOST {
            self.batches.remove(0);
        }
    }

    /// Sends the lists in which something has changed.
    pub(super) fn refresh_batches(&mut self) {
        let mut batches = std::mem::take(&mut self.batches);
        for shown in &mut batches {
            let before = shown.rows.clone();
            // Of one that is known no more the last is kept.
            shown.rows.extend(shown.batch.ids.iter().filter_map(|id| Some((*id, self.batch_row(*id)?))));
            if shown.rows != before {
                self.editor.results(shown.value());
            }
        }
        self.batches = batches;
    }

    fn batch_row(&self, id: u64) -> Option<Row> {
        let known = self.session.known(id)?;
        let said = known.said.clone().unwrap_or_default();
        let (text, kind, counted) = match known.landing.as_deref() {
            _ if known.is_open => {
                let state = match self.jobs.place_in_queue(id) {
                    Some(_) => "queued",
                    None if self.session.is_ready(id) => "ready",
                    None => "running",
                };
                (state.to_owned(), "", None)
            }
            None => (format!("failed: {said}"), "E", Some("failed")),
            Some("held") => (format!("{said}, :Botglue review {id}"), "W", Some("held")),
            Some(landing) => (said, "", Some(if known.is_landed() { "landed" } else { landing })),
        };
        Some(Row { text, kind, counted: counted.map(str::to_owned) })
    }
}

impl Shown {
    fn value(&self) -> Value {
        let queued = Row { text: "queued".to_owned(), ..Row::default() };
        let row = |id: &u64| {
            let Row { text, kind, .. } = self.rows.get(id).unwrap_or(&queued);
            json!({ "id": id, "text": text, "type": kind })
        };
        let rows: Vec<_> = self.batch.ids.iter().map(row).collect();
        json!({ "list": self.batch.list, "title": self.title(), "rows": rows })
    }

    fn title(&self) -> String {
        let mut counts = BTreeMap::<&str, usize>::new();
        for counted in self.rows.values().filter_map(|row| row.counted.as_deref()) {
            *counts.entry(counted).or_default() += 1;
        }
        let (ended, all): (usize, _) = (counts.values().sum(), self.batch.ids.len());
        let title = format!("botglue each {}: {ended} of {all} ended", self.batch.prompt);
        counts.iter().fold(title, |title, (what, count)| format!("{title}, {count} {what}"))
    }
}
