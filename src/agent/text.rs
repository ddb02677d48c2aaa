//! Any program that answers on standard output: every line is the answer, and exit code 0 is success.
//!
//! It has no flags that everybody shares, so its command is started as the user wrote it; the rules and the
//! message come on standard input.

use super::one_way::OneWay;
use super::{About, Dialect};
use crate::stream::event::{Event, Piece};
use crate::stream::{LineStatus, OnEvent};

/// The row for [`super::Protocol::Text`].
pub const DIALECT: Dialect = Dialect {
    block_separator: "\n",
    decoder: |opening| OneWay::decoder(&DIALECT, opening, read, input),
    arguments: |_| Vec::new(),
    about: About { name: "text", keeps: "nothing: it does what its program does", ..About::UNKNOWN },
    waits: false,
};

fn input(system: &str, message: &str) -> Vec<u8> {
    format!("{system}\n\n{message}").into_bytes()
}

/// All lines are one message.
fn read(line: &[u8], each: OnEvent<'_>) -> LineStatus {
    each(Event::Text { piece: Piece::Whole, message: Some("".into()), text: String::from_utf8_lossy(line) });
    LineStatus::Parsed
}

#[cfg(test)]
mod tests {
    use crate::agent::Protocol;
    use crate::agent::testing::{code, message, run_with};
    use crate::error::Code;
    use crate::stream::ProcessEnd;

    #[test]
    fn a_bad_end_is_no_answer() {
        for end in [ProcessEnd::with_code(2), ProcessEnd::with_signal(9)] {
            let (_, outcome) =
                run_with(Protocol::Text, &["half"], &ProcessEnd { stderr: "why".to_owned(), ..end });
            assert_eq!(code(&outcome), Code::Exited);
            assert!(message(&outcome).contains(": why"), "{}", message(&outcome));
        }
    }

    #[test]
    fn a_failure_that_is_told_on_standard_output_is_quoted() {
        let (_, outcome) =
            run_with(Protocol::Text, &["Loading", "error: no such model"], &ProcessEnd::with_code(1));
        assert!(message(&outcome).contains(": error: no such model; "), "{}", message(&outcome));
    }
}
