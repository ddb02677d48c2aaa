//! Any program that answers on standard output: every line is the answer, and exit code 0 is success.
//!
//! It has no flags that everybody shares, so its command is started as the user wrote it; the rules and the
//! message come on standard input.

use super::{Dialect, Each, Invocation, Reading};
use crate::stream::event::{Event, Piece};
use crate::stream::failure::Speaker;

/// The row for [`super::Protocol::Text`].
pub const DIALECT: Dialect = Dialect {
    name: "text",
    speaker: Speaker { name: "the agent", login: "its own command" },
    glue: "\n",
    read,
    arguments: |_| Vec::new(),
    input,
};

fn input(invocation: &Invocation<'_>) -> Vec<u8> {
    format!("{}\n\n{}", invocation.system, invocation.message).into_bytes()
}

/// All lines are one message.
fn read(line: &[u8], each: Each<'_>) -> Reading {
    each(Event::Text { piece: Piece::Whole, message: Some("".into()), text: String::from_utf8_lossy(line) });
    Reading::Understood
}
