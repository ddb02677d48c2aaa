//! What the database is asked, each as one function over one connection: `put`, with `accepted` and `keep`, writes what
//! is known of a job, `held` hands over what waits for a decision, the others only read.

pub mod accepted;
pub mod checkpoints;
pub mod entry;
pub mod held;
pub mod history;
pub mod info;
pub mod keep;
pub mod logins;
pub mod prompts;
pub mod put;
pub mod sessions;
#[cfg(test)]
mod tests;
pub mod unsent;

use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::amounts::{Amounts, Tokens, whole};

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

fn json(value: &(impl Serialize + ?Sized)) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}

/// SQLite's integers are signed; no count here comes near the difference.
fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn unsigned(n: i64) -> u64 {
    u64::try_from(n).unwrap_or_default()
}
