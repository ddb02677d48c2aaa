//! Reads a transcript for the editor: the file's bytes become a conversation, and that rows.

use std::fs::File;
use std::io::{self, Read};

use serde_json::{Value, json};

use crate::agent::{self, Preset};
use crate::request::TranscriptRequest;
use crate::view::transcript::{Conversation, TranscriptHeader};

/// The reply to the question for a transcript, of which `file` has been opened.
pub fn reply(file: io::Result<File>, wanted: TranscriptRequest) -> Result<Value, String> {
    let path = wanted.path.clone();
    read(file, wanted).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn read(file: io::Result<File>, wanted: TranscriptRequest) -> io::Result<Value> {
    let mut bytes = Vec::new();
    file?.read_to_end(&mut bytes)?;
    let TranscriptRequest { protocol, agent, cwd, prompt, is_over, error, .. } = wanted;
    let mut conversation = Conversation::new(agent::recorded(protocol, Preset::named(&agent)), &cwd);
    conversation.push(&bytes);
    if is_over {
        conversation.finish();
    }
    let rows = conversation.rows(&TranscriptHeader { agent, prompt, is_over, error });
    // Texts and kinds apart: two lists of strings cost Neovim far less than one of tables.
    let lines: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    Ok(json!({ "lines": lines, "kinds": kinds }))
}
