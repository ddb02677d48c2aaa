//! Finds stored jobs in a buffer: the store tells their texts, then the buffer's mirror where these are, which replies.

use serde_json::json;

use crate::editor::{self, Editor};
use crate::mirror::{Candidate, Feed, MirrorEvent, MirrorQuery, Search, Selected};
use crate::request::{FindRequest, Sought};
use crate::store::{Database, FullJob, JobEntry, JobKey, StoreError};

/// How many of the newest jobs may have written a row.
const WRITERS: u64 = 50;

/// Asks the store, and with its answer the mirror.
pub(super) fn start(token: u64, wanted: FindRequest, database: &Database, feed: &Feed, editor: &Editor) {
    let (feed, editor) = (feed.clone(), editor.clone());
    let buffer = wanted.buffer;
    let look = move |search: Result<Search, StoreError>| match search {
        Ok(search) => feed.send(MirrorEvent::Query { token, buffer, question: MirrorQuery::Find(search) }),
        Err(error) => editor.reply(token, Err(error.to_string())),
    };
    match wanted.sought {
        Sought::Writer { path, row } => {
            database.writers(path, WRITERS, move |jobs| look(jobs.map(|jobs| writer(jobs, row))));
        }
        Sought::Job { uuid } => {
            database.job(JobKey::Uuid(uuid), move |job| look(job.map(place)));
        }
    }
}

/// The newest of these jobs whose answer covers a row.
fn writer(jobs: Vec<JobEntry>, row: usize) -> Search {
    let candidate = |job: JobEntry| Candidate {
        text: Selected::lines(job.landed_first.unwrap_or(1), job.landed_rows.unwrap_or_default()),
        reply: editor::fields(json!({
            "job": {
                "agent": job.agent,
                "wanted": job.model,
                "session_id": job.session_id,
                "cwd": job.project,
            },
        })),
    };
    Search { candidates: jobs.into_iter().map(candidate).collect(), row: Some(row), reply: Vec::new() }
}

/// The answer of a job where that landed, else what was sent; with all that the same request needs.
fn place(job: FullJob) -> Search {
    let FullJob { entry, selection, review, resume, .. } = job;
    let landed = Selected::lines(entry.landed_first.unwrap_or(1), entry.landed_rows.unwrap_or_default());
    let candidate = |text, what: &str| Candidate { text, reply: editor::fields(json!({ "what": what })) };
    let reply = editor::fields(json!({
        "job": {
            "prompt": entry.prompt,
            "agent": entry.agent,
            "wanted": entry.model,
            "question": entry.question,
            "session_id": entry.session_id,
            "cwd": entry.project,
            // Whoever has seen an answer of this prompt decides again whether the next one is held.
            "review": (entry.status == "interrupted" && review).then_some(true),
            "resume": resume,
            "column": selection.column,
            "line": entry.landed_first.unwrap_or(entry.first_line),
        },
    }));
    let candidates = vec![candidate(landed, "answer"), candidate(Selected::stored(selection), "text")];
    Search { candidates, row: None, reply }
}
