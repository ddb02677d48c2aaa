//! What the test does in place of the host: makes an answer of a selection, and tells the editor of it.

use botglue::land::{self, Landing, Merge};
use botglue::request::{MergeRequest, Request};
use serde_json::{Value, json};

use super::schedule::Change;

/// What an agent makes of the selection; `word` gives a new word.
pub fn answer(request: &Request, changes: &[Change], mut word: impl FnMut() -> String) -> String {
    let text = &request.selection.text;
    let mut lines = Vec::new();
    for (row, change) in text.iter().zip(changes.iter().cycle()) {
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
        lines = changes.iter().map(|_| word()).collect();
    }
    // An answer of nothing is no answer; an empty fenced block is one.
    if lines.iter().all(|line| line.trim().is_empty()) { "```\n```".to_owned() } else { lines.join("\n") }
}

/// The argument of `finish`.
pub fn finish(id: u64, text: &str, answer: &Landing) -> Value {
    let mut told = json!({"id": id, "status": "done", "text": text, "lines": answer.lines, "tools": []});
    if let Some(edits) = &answer.edits {
        told["edits"] = json!(edits);
    }
    if let Some(reason) = answer.held_for {
        told["held_for"] = json!(reason);
    }
    told
}

/// The argument of `merged`.
pub fn merged(question: &MergeRequest) -> Value {
    let MergeRequest { id, purpose, tick, texts } = question;
    let mut told = json!({"id": id, "purpose": purpose, "tick": tick, "clean": false});
    if let Some(texts) = texts
        && let Merge::Clean(lines) = land::merge(&texts.base, &texts.current, &texts.answer)
    {
        told["clean"] = true.into();
        told["edits"] = json!(land::between(&texts.current, &lines));
        told["lines"] = json!(lines);
    }
    told
}
