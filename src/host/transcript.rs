//! Reads a transcript for the editor: the file's bytes become a conversation, and that rows.

use std::fs::File;
use std::io::{self, Read};

use serde_json::{Value, json};

use crate::agent::{self, Preset};
use crate::request::TranscriptRequest;
use crate::view::transcript::{Conversation, TranscriptHeader, TranscriptView};

/// The reply to the question for a transcript, of which `file` has been opened.
pub fn reply(file: io::Result<File>, wanted: TranscriptRequest) -> Result<Value, String> {
    let path = wanted.path.clone();
    read(file, wanted).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn read(file: io::Result<File>, wanted: TranscriptRequest) -> io::Result<Value> {
    let mut file = file?;
    let TranscriptRequest { protocol, agent, cwd, prompt, is_over, error, known, bytes, .. } = wanted;
    let length = file.metadata()?.len();
    if bytes == Some(length) {
        return Ok(json!({ "bytes": length }));
    }
    let mut conversation = Conversation::new(agent::recorded(protocol, Preset::named(&agent)), &cwd);
    let mut chunk = vec![0; 64 << 10];
    let mut bytes = 0;
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                bytes += length as u64;
                conversation.push(&chunk[..length]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if is_over {
        conversation.finish();
    }
    let view = conversation.view(&TranscriptHeader { agent, prompt, is_over, error, known });
    Ok(fields(&view, bytes))
}

/// Texts and kinds apart: two lists of strings cost Neovim far less than one of tables.
fn fields(TranscriptView { from, rows, settled, mark }: &TranscriptView, bytes: u64) -> Value {
    let lines: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    json!({ "from": from, "lines": lines, "kinds": kinds, "settled": settled, "mark": mark, "bytes": bytes })
}
