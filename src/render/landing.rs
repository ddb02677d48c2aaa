//! The sign and the words for what became of a job.

use super::Cell;
use super::signs;

/// What became of an answer, by the public name of that.
pub fn landing(landing: &str, held_for: Option<&str>) -> [Cell; 2] {
    let (sign, sign_group, words, group) = match landing {
        "held" => {
            let why = held_for.map(|why| format!("held: {}", spaced(why)));
            (signs::HELD, "BotglueHeld", why.unwrap_or_else(|| "held".to_owned()), "BotglueHeld")
        }
        "rejected" | "reverted" => (signs::LET_GO, "BotglueLabel", landing.to_owned(), "BotglueLabel"),
        "applied" => (signs::LANDED, "BotglueLanded", "landed".to_owned(), "BotglueLabel"),
        "merged" => (signs::LANDED, "BotglueLanded", "landed, merged".to_owned(), "BotglueLabel"),
        other => (signs::LANDED, "BotglueLanded", other.to_owned(), "BotglueLabel"),
    };
    [Cell::new(sign, sign_group), Cell::new(words, group)]
}

/// A failure, by its code; its message is the row's detail.
pub fn failure(code: &str) -> [Cell; 2] {
    [Cell::new(signs::FAILED, "BotglueFailure"), Cell::new(spaced(code), "BotglueFailure")]
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}
