//! What the agents of the model test say: an answer made of the selection. The host is the real one.

use botglue::request::Request;

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
    // In a fence, so that all of it is the answer, blank lines too.
    format!("```\n{}\n```", lines.join("\n")).replace("```\n\n```", "```\n```")
}
