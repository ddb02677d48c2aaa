//! Jobs that a host has accepted and that have not ended. They are in no list and no sum until they end, or until their
//! host is gone: then they were interrupted.

use rusqlite::{Connection, TransactionBehavior, named_params, params};

use super::keep::free_number;
use super::{json, signed, unsent, unsigned};
use crate::error::Code;
use crate::store::record::Accepted;
use crate::store::{StoreError, owner};

const MESSAGE: &str = "the host ended before the answer came; ask again";

/// Keeps a job that `host` has accepted. From then on its prompt is not unsent. A job with the same number was handed
/// on by an earlier host, which never started it; what that host says of it may be written late, then it changes
/// nothing. The caller has begun the transaction.
pub fn accept(
    connection: &Connection,
    owner: &str,
    host: &str,
    accepted: &Accepted,
) -> Result<(), StoreError> {
    let selection = &accepted.selection;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO accepted (owner, id, host, agent, protocol, model, project, path, filetype, kind,
                first_line, last_line, prompt, question, review, resumed, started_ms, selection)
             SELECT :owner, :id, :host, :agent, :protocol, :model, :project, :path, :filetype, :kind, :first_line,
                :last_line, :prompt, :question, :review, :resumed, :started_ms, :selection
             WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE owner = :owner AND id = :id AND started_ms >= :started_ms)
                AND NOT EXISTS (SELECT 1 FROM accepted WHERE owner = :owner AND id = :id AND started_ms > :started_ms)",
        )?
        .execute(named_params! {
            ":owner": owner, ":id": signed(accepted.id), ":host": host, ":agent": accepted.agent,
            ":protocol": accepted.protocol, ":model": accepted.model, ":project": accepted.project,
            ":path": accepted.path, ":filetype": accepted.filetype, ":kind": selection.kind.name(),
            ":first_line": signed(selection.first_line), ":last_line": signed(selection.last_line),
            ":prompt": accepted.prompt, ":question": accepted.question, ":review": accepted.review,
            ":resumed": accepted.resumed.as_ref().map(json).transpose()?, ":started_ms": accepted.started_ms,
            ":selection": json(selection)?,
        })?;
    unsent::sent(connection, &accepted.prompt)
}

/// A job has ended.
pub(super) fn end(connection: &Connection, owner: &str, id: u64) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM accepted WHERE owner = ?1 AND id = ?2")?
        .execute(params![owner, signed(id)])?;
    Ok(())
}

/// Makes failed jobs of those whose host is gone. Those of another Neovim that still runs are left to its next host,
/// which may run them.
pub fn end_lost(connection: &mut Connection, owner: &str, host: &str) -> Result<(), StoreError> {
    let hosts: Vec<(String, String)> = connection
        .prepare_cached("SELECT DISTINCT owner, host FROM accepted WHERE host <> ?1")?
        .query_map([host], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (of, host) in hosts {
        if !owner::is_alive(&host) && (of == owner || !owner::is_alive(&of)) {
            end_all(connection, &of, &host)?;
        }
    }
    Ok(())
}

fn end_all(connection: &mut Connection, owner: &str, host: &str) -> Result<(), StoreError> {
    // Immediate: of several Neovims that see this at once, one does it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let jobs: Vec<(i64, i64)> = transaction
        .prepare_cached("SELECT key, id FROM accepted WHERE owner = ?1 AND host = ?2")?
        .query_map([owner, host], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (key, id) in jobs {
        free_number(&transaction, owner, unsigned(id))?;
        // When it ended is not known; lists show it at the time at which it was asked for.
        transaction.execute(
            "INSERT INTO jobs (owner, id, agent, protocol, model, project, path, filetype, kind, first_line, last_line,
                prompt, question, review, resumed, started_ms, ended_ms, error_code, error_message, has_answer,
                input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, duration_ms)
             SELECT owner, id, agent, protocol, model, project, path, filetype, kind, first_line, last_line,
                prompt, question, review, resumed, started_ms, started_ms, ?2, ?3, 0, 0, 0, 0, 0, 0
             FROM accepted WHERE key = ?1",
            params![key, Code::HostLost.name(), MESSAGE],
        )?;
        transaction.execute(
            "INSERT INTO texts (job, selection) SELECT ?2, selection FROM accepted WHERE key = ?1",
            params![key, transaction.last_insert_rowid()],
        )?;
    }
    transaction.execute("DELETE FROM accepted WHERE owner = ?1 AND host = ?2", [owner, host])?;
    transaction.commit()?;
    Ok(())
}

/// A job that had not ended when the user left Neovim was interrupted, though the host saw the end of its agent before
/// it knew that.
pub fn interrupt(connection: &Connection, owner: &str, id: u64) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE jobs SET error_code = ?3, error_message = ?4
             WHERE owner = ?1 AND id = ?2 AND error_code = ?5",
        )?
        .execute(params![owner, signed(id), Code::HostLost.name(), MESSAGE, Code::Exited.name()])?;
    Ok(())
}
