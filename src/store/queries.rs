//! What the database is asked, each as one function over one connection.

use rusqlite::{Connection, Row, named_params, params};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{StoreError, owner};

/// A finished job, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its number in its Neovim.
    pub id: u64,
    /// Which agent ran it: the option's name.
    pub agent: String,
    /// The model that answered.
    pub model: Option<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The project's directory.
    pub project: String,
    /// The file; empty for a buffer without a name.
    pub path: String,
    /// Neovim's `'filetype'`.
    pub filetype: String,
    /// What the user wanted.
    pub prompt: String,
    /// What was selected, and where.
    pub selection: Selected,
    /// When it was asked for, Unix time in milliseconds.
    pub started_ms: i64,
    /// When its outcome was decided, likewise.
    pub ended_ms: i64,
    /// Code and message of a failure.
    pub error: Option<(String, String)>,
    /// The answer as the agent gave it.
    pub text: Option<String>,
    /// The tidied answer.
    pub lines: Option<Vec<String>>,
    /// Why it must not land by itself.
    pub held_for: Option<String>,
    /// What it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens sent and received.
    pub tokens: (u64, u64),
    /// How many turns it took.
    pub num_turns: Option<u64>,
}

/// A selection as the database keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selected {
    /// `line`, `char`, `block` or `insert`.
    pub kind: String,
    /// The first row, from 1.
    pub first_line: u64,
    /// The last row, from 1.
    pub last_line: u64,
    /// The selected text by rows.
    pub text: Vec<String>,
    /// The whole rows.
    pub rows: Vec<String>,
    /// The byte at which each entry of `text` begins.
    pub cols: Vec<u64>,
    /// The row below which an insertion goes.
    pub anchor: Option<String>,
}

/// An answer that waits for a decision, and whose Neovim is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Its key in the store.
    pub uuid: String,
    /// The rest of it.
    pub record: Record,
}

/// Keeps a finished job.
pub(super) fn insert(connection: &Connection, owner: &str, record: &Record) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO jobs (owner, id, agent, model, session_id, project, path, filetype, prompt, selection,
            started_ms, ended_ms, error_code, error_message, text, lines, held_for, cost_usd, input_tokens,
            output_tokens, num_turns)
         VALUES (:owner, :id, :agent, :model, :session_id, :project, :path, :filetype, :prompt, :selection,
            :started_ms, :ended_ms, :error_code, :error_message, :text, :lines, :held_for, :cost_usd, :input_tokens,
            :output_tokens, :num_turns)",
    )?;
    let Record { error, lines, tokens: (input, output), .. } = record;
    statement.execute(named_params! {
        ":owner": owner, ":id": signed(record.id), ":agent": record.agent, ":model": record.model,
        ":session_id": record.session_id, ":project": record.project, ":path": record.path,
        ":filetype": record.filetype, ":prompt": record.prompt, ":selection": json(&record.selection)?,
        ":started_ms": record.started_ms, ":ended_ms": record.ended_ms,
        ":error_code": error.as_ref().map(|(code, _)| code), ":error_message": error.as_ref().map(|(_, text)| text),
        ":text": record.text, ":lines": lines.as_ref().map(json).transpose()?, ":held_for": record.held_for,
        ":cost_usd": record.cost_usd, ":input_tokens": signed(*input), ":output_tokens": signed(*output),
        ":num_turns": record.num_turns.map(signed),
    })?;
    Ok(())
}

/// Keeps what became of an answer.
pub(super) fn land(
    connection: &Connection,
    owner: &str,
    id: u64,
    landing: &str,
    held_for: Option<&str>,
) -> Result<(), StoreError> {
    let mut statement = connection
        .prepare_cached("UPDATE jobs SET landing = ?3, held_for = ?4 WHERE owner = ?1 AND id = ?2")?;
    statement.execute(params![owner, signed(id), landing, held_for])?;
    Ok(())
}

/// Adds later amounts to a kept job.
pub(super) fn amend(
    connection: &Connection,
    owner: &str,
    id: u64,
    cost_usd: Option<f64>,
    (input, output): (u64, u64),
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE jobs SET cost_usd = ?3, input_tokens = ?4, output_tokens = ?5 WHERE owner = ?1 AND id = ?2",
    )?;
    statement.execute(params![owner, signed(id), cost_usd, signed(input), signed(output)])?;
    Ok(())
}

/// Takes over every answer that waits for a decision and whose Neovim is gone, oldest first. Of several
/// Neovims that ask at once each answer goes to one.
pub(super) fn adopt(connection: &mut Connection, owner: &str) -> Result<Vec<Held>, StoreError> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let held: Vec<(String, Held)> = transaction
        .prepare_cached(
            "SELECT * FROM jobs WHERE text IS NOT NULL AND (landing IS NULL OR landing = 'held') ORDER BY ended_ms",
        )?
        .query_and_then([], |row| Ok::<_, StoreError>((row.get("owner")?, held(row)?)))?
        .collect::<Result<_, _>>()?;
    let mut adopted = Vec::new();
    for (of, held) in held {
        if of == owner || owner::is_alive(&of) {
            continue;
        }
        // Its number here comes later; until then it has one that no job of this Neovim can have.
        transaction.execute(
            "UPDATE jobs SET owner = ?1, id = -rowid, landing = 'held', held_for = COALESCE(held_for, 'buffer_gone')
             WHERE uuid = ?2",
            params![owner, held.uuid],
        )?;
        adopted.push(held);
    }
    transaction.commit()?;
    Ok(adopted)
}

/// Gives an adopted answer its number in this Neovim.
pub(super) fn number(connection: &Connection, uuid: &str, id: u64) -> Result<(), StoreError> {
    connection.execute("UPDATE jobs SET id = ?2 WHERE uuid = ?1", params![uuid, signed(id)])?;
    Ok(())
}

fn held(row: &Row<'_>) -> Result<Held, StoreError> {
    let count = |name| row.get::<_, i64>(name).map(unsigned);
    let lines: Option<String> = row.get("lines")?;
    let held_for: Option<String> = row.get("held_for")?;
    let record = Record {
        id: 0,
        agent: row.get("agent")?,
        model: row.get("model")?,
        session_id: row.get("session_id")?,
        project: row.get("project")?,
        path: row.get("path")?,
        filetype: row.get("filetype")?,
        prompt: row.get("prompt")?,
        selection: parse(&row.get::<_, String>("selection")?)?,
        started_ms: row.get("started_ms")?,
        ended_ms: row.get("ended_ms")?,
        error: None,
        text: row.get("text")?,
        lines: lines.as_deref().map(parse).transpose()?,
        held_for: held_for.or_else(|| Some("buffer_gone".to_owned())),
        cost_usd: row.get("cost_usd")?,
        tokens: (count("input_tokens")?, count("output_tokens")?),
        num_turns: row.get::<_, Option<i64>>("num_turns")?.map(unsigned),
    };
    Ok(Held { uuid: row.get("uuid")?, record })
}

fn json(value: &impl Serialize) -> Result<String, StoreError> {
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
