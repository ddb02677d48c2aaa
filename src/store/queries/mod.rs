//! What the database is asked, each as one function over one connection.

pub mod checkpoints;
pub mod counted;
pub mod entry;
pub mod history;
pub mod info;
pub mod prompts;
pub mod unsent;

use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{StoreError, unsigned};
use crate::journal::{Amounts, Tokens, whole};

fn amounts(row: &Row<'_>) -> Result<Amounts, StoreError> {
    let count = |name| row.get::<_, Option<i64>>(name).map(|n| n.map(unsigned));
    Ok(Amounts {
        cost_usd: row.get::<_, Option<f64>>("cost_usd")?.map(whole),
        tokens: Tokens {
            input: count("input_tokens")?.unwrap_or_default(),
            output: count("output_tokens")?.unwrap_or_default(),
            cache_read: count("cache_read_tokens")?.unwrap_or_default(),
            cache_creation: count("cache_creation_tokens")?.unwrap_or_default(),
        },
        num_turns: count("num_turns")?,
        duration_ms: count("duration_ms")?,
    })
}

pub fn json(value: &(impl Serialize + ?Sized)) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}
