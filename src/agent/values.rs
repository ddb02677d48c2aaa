//! Values that several agents' lines have in common: tokens, and the arguments of a tool call.

use super::json::{self, FromJson, Read, Reader};
use crate::stream::Usage;
use crate::stream::event::{Argument, Text};

// Tokens, by the names of the Messages API.
json::object!(impl 'a, Usage, ,
    b"input_tokens" => input_tokens,
    b"output_tokens" => output_tokens,
    b"cache_read_input_tokens" => cache_read_input_tokens,
    b"cache_creation_input_tokens" => cache_creation_input_tokens,
);

/// The input of a tool call: of all its arguments the one that tells most, whatever tool it is.
impl<'a> FromJson<'a> for Argument<'a> {
    fn fits(first: u8) -> bool {
        first == b'{'
    }

    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let (mut best, mut best_rank) = (Argument::None, 0);
        json.object(|json, key| {
            let rank = rank(key);
            if rank <= best_rank {
                return json.skip();
            }
            if let Some(text) = text_or_first(json)?.filter(|text| !text.trim().is_empty()) {
                best_rank = rank;
                best = if is_path(key) { Argument::Path(text) } else { Argument::Plain(text) };
            }
            Ok(())
        })?;
        Ok(best)
    }
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

/// A string, or the first entry of a list if that is one.
fn text_or_first<'a>(json: &mut Reader<'a>) -> Read<Option<Text<'a>>> {
    if json.peek() != Some(b'[') {
        return json.text();
    }
    let mut entries = Vec::<Option<Text<'a>>>::new();
    json.list(|json| {
        entries.push(if entries.is_empty() { json.text()? } else { json.skip().map(|()| None)? });
        Ok(())
    })?;
    Ok(entries.into_iter().next().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument_of(json: &str) -> Argument<'_> {
        Argument::read(&mut Reader::new(json.as_bytes())).unwrap()
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
