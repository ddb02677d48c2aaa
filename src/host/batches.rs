//! The quickfix lists of jobs that were started together: what became of each, and the counts in the title.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Host;
use crate::session::{Batch, Known};

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
        for at in 0..self.batches.len() {
            let shown = &self.batches[at];
            // Of one that is known no more the last is kept.
            let rows = shown
                .batch
                .ids
                .iter()
                .filter_map(|id| Some((*id, row(*id, self.session.known(*id)?, || self.state(*id)))));
            let mut all = shown.rows.clone();
            all.extend(rows);
            if all != shown.rows {
                self.batches[at].rows = all;
                self.editor.results(self.batches[at].value());
            }
        }
    }

    /// How far a job is that has not ended.
    fn state(&self, id: u64) -> &'static str {
        match self.jobs.place_in_queue(id) {
            Some(_) => "queued",
            None if self.session.is_ready(id) => "ready",
            None => "running",
        }
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

fn row(id: u64, known: &Known, state: impl Fn() -> &'static str) -> Row {
    if known.is_open {
        return Row { text: state().to_owned(), ..Row::default() };
    }
    let said = known.said.clone().unwrap_or_default();
    let (text, kind, counted) = match known.landing.as_deref() {
        None => (format!("failed: {said}"), "E", "failed"),
        Some("held") => (format!("{said}, :Botglue review {id}"), "W", "held"),
        Some(landing) => (said, "", if known.is_landed() { "landed" } else { landing }),
    };
    Row { text, kind, counted: Some(counted.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_what_became_of_each_job_and_the_counts() {
        let known = |landing: &str, said: &str| Known {
            landing: Some(landing.to_owned()).filter(|landing| !landing.is_empty()),
            said: Some(said.to_owned()),
            ..Known::default()
        };
        let open = Known { is_open: true, ..Known::default() };
        let jobs =
            [known("merged", "landed, merged"), known("held", "held: why"), known("", "too long"), open];
        let batch = Batch { list: 7, prompt: "mend it".to_owned(), ids: vec![1, 2, 3, 4, 5] };
        let rows = (1..).zip(&jobs).map(|(id, known)| (id, row(id, known, || "running"))).collect();
        let shown = Shown { batch, rows };
        assert_eq!(shown.title(), "botglue each mend it: 3 of 5 ended, 1 failed, 1 held, 1 landed");
        let texts: Vec<_> = (0..5).map(|at| shown.value()["rows"][at]["text"].clone()).collect();
        assert_eq!(
            texts,
            ["landed, merged", "held: why, :Botglue review 2", "failed: too long", "running", "queued"]
        );
    }
}
