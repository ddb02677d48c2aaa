//! Values that several agents' lines have in common: tokens, and the arguments of a tool call.

use serde::de::{MapAccess, SeqAccess};

use super::json::{Lenient, count, entry, key, skip, value};
use crate::stream::Usage;
use crate::stream::event::{Argument, Words};

/// Tokens, by the names of the Messages API.
#[derive(Debug, Default)]
pub struct Tokens(pub Usage);

impl<'a> Lenient<'a> for Tokens {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut usage = Usage::default();
        while let Some(key) = key(&mut map)? {
            let tokens = match &*key {
                "input_tokens" => &mut usage.input_tokens,
                "output_tokens" => &mut usage.output_tokens,
                "cache_read_input_tokens" => &mut usage.cache_read_input_tokens,
                "cache_creation_input_tokens" => &mut usage.cache_creation_input_tokens,
                _ => {
                    skip(&mut map)?;
                    continue;
                }
            };
            *tokens = count(value::<Option<f64>, _>(&mut map)?.unwrap_or_default());
        }
        Ok(Self(usage))
    }
}

/// The input of a tool call: of all its arguments the one that tells most, whatever tool it is.
#[derive(Debug, Default)]
pub struct Input<'a>(pub Argument<'a>);

impl<'a> Lenient<'a> for Input<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let (mut best, mut best_rank) = (Argument::None, 0);
        while let Some(key) = key(&mut map)? {
            let rank = rank(&key);
            if rank <= best_rank {
                skip(&mut map)?;
                continue;
            }
            if let OneOrFirst(Some(text)) = value(&mut map)? {
                best_rank = rank;
                best = if is_path(&key) { Argument::Path(text) } else { Argument::Plain(text) };
            }
        }
        Ok(Self(best))
    }
}

/// How much an argument tells; what is not known tells a little, if it is text and comes first.
fn rank(key: &str) -> u8 {
    match key {
        "file_path" | "notebook_path" => 9,
        "command" => 8,
        "pattern" | "patterns" => 7,
        "query" | "url" => 6,
        "path" | "directory_path" => 5,
        "description" | "title" => 4,
        "prompt" => 3,
        "content" | "old_string" | "new_string" => 0,
        _ => 1,
    }
}

fn is_path(key: &str) -> bool {
    matches!(key, "file_path" | "notebook_path" | "path" | "directory_path")
}

/// A string, or the first one of a list.
#[derive(Default)]
struct OneOrFirst<'a>(Option<Words<'a>>);

impl<'a> Lenient<'a> for OneOrFirst<'a> {
    fn text(text: Words<'a>) -> Self {
        Self(Some(text).filter(|text| !text.trim().is_empty()))
    }

    fn list<A: SeqAccess<'a>>(mut list: A) -> Result<Self, A::Error> {
        let first = entry::<Option<Words<'a>>, _>(&mut list)?.flatten();
        while entry::<(), _>(&mut list)?.is_some() {}
        Ok(Self(first))
    }
}
