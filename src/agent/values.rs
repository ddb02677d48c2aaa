//! Values that several agents' lines have in common: tokens, the arguments of a tool call, and why one failed.

use super::json::{Json, Object};
use crate::stream::Usage;
use crate::stream::event::Argument;

/// The most of a text that tells why something failed, in bytes.
pub const REASON: usize = 2000;

/// Tokens, by the names of the Messages API and those that agents make of them.
pub fn usage(tokens: &Object<'_>) -> Usage {
    let count = |names: &[&str]| names.iter().find_map(|name| tokens.get(name).count()).unwrap_or_default();
    Usage {
        input_tokens: count(&["input_tokens", "inputTokens"]),
        output_tokens: count(&["output_tokens", "outputTokens"]),
        cache_read_input_tokens: count(&[
            "cache_read_input_tokens",
            "cacheReadInputTokens",
            "cachedReadTokens",
            "cachedInputTokens",
        ]),
        cache_creation_input_tokens: count(&[
            "cache_creation_input_tokens",
            "cacheCreationInputTokens",
            "cachedWriteTokens",
            "cacheWriteInputTokens",
        ]),
    }
}

/// The input of a tool call: of all its arguments the one that tells most, whatever tool it is.
pub fn argument(input: Json<'_>) -> Argument<'_> {
    let (mut best, mut best_rank) = (Argument::None, 0);
    for (key, value) in input.object().entries().filter(|(key, _)| rank(key) > 0) {
        let text = value.text().or_else(|| value.list().first()?.text());
        if let Some(text) = text.filter(|text| rank(key) > best_rank && !text.trim().is_empty()) {
            best_rank = rank(key);
            best = if is_path(key) { Argument::Path(text) } else { Argument::Plain(text) };
        }
    }
    best
}

/// How much an argument tells; what is not known tells a little, if it is text and comes first.
fn rank(key: &[u8]) -> u8 {
    match key {
        b"file_path" | b"notebook_path" => 9,
        b"command" => 8,
        b"pattern" | b"patterns" => 7,
        b"query" | b"url" => 6,
        b"path" | b"directory_path" => 5,
        b"description" | b"title" => 4,
        b"prompt" => 3,
        b"content" | b"old_string" | b"new_string" => 0,
        _ => 1,
    }
}

fn is_path(key: &[u8]) -> bool {
    matches!(key, b"file_path" | b"notebook_path" | b"path" | b"directory_path")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument_of(json: &str) -> Argument<'_> {
        argument(Json(json.as_bytes()))
    }

    #[test]
    fn the_argument_that_tells_most_wins() {
        let plain = |text: &'static str| Argument::Plain(text.into());
        let path = |text: &'static str| Argument::Path(text.into());
        assert_eq!(argument_of(r#"{"limit":5,"file_path":"a.rs","pattern":"b"}"#), path("a.rs"));
        assert_eq!(argument_of(r#"{"path":"src","pattern":"b"}"#), plain("b"));
        assert_eq!(argument_of(r#"{"description":"look","command":"ls"}"#), plain("ls"));
        assert_eq!(argument_of(r#"{"patterns":["*.rs","*.lua"],"folder":"x"}"#), plain("*.rs"));
        assert_eq!(argument_of(r#"{"x":{"y":1},"mode":"fast","other":"z"}"#), plain("fast"));
        assert_eq!(
            argument_of(r#"{"content":"a whole file","file_path":"  ","patterns":[7]}"#),
            Argument::None
        );
        assert_eq!(argument_of("{}"), Argument::None);
        assert_eq!(argument_of("null"), Argument::None);
    }
}
