//! Reads a transcript: the file's bytes become a conversation, and that rows.

use std::fs::File;
use std::io::{self, Read};

use crate::agent::{self, Preset};
use crate::request::TranscriptRequest;
use crate::view::transcript::{Conversation, TranscriptHeader, TranscriptRow};

/// The rows of a transcript, of which `file` has been opened.
pub fn rows(file: io::Result<File>, wanted: TranscriptRequest) -> Result<Vec<TranscriptRow>, String> {
    let path = wanted.path.clone();
    read(file, wanted).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn read(file: io::Result<File>, wanted: TranscriptRequest) -> io::Result<Vec<TranscriptRow>> {
    let mut bytes = Vec::new();
    file?.read_to_end(&mut bytes)?;
    let TranscriptRequest { protocol, agent, cwd, prompt, is_over, error, .. } = wanted;
    let mut conversation = Conversation::new(agent::recorded(protocol, Preset::named(&agent)), &cwd);
    conversation.push(&bytes);
    if is_over {
        conversation.finish();
    }
    Ok(conversation.rows(&TranscriptHeader { agent, prompt, is_over, error }))
}
