//! Writes what a host knows of a job to the database. Doing it twice changes nothing, so a write that was interrupted
//! can be repeated, and a spilled one taken up, without harm.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{accepted, amounts, held, keep, signed};
use crate::store::amounts::whole;
use crate::store::known::KnownJob;
use crate::store::record::Draft;
use crate::store::{Amounts, StoreError};

/// The row of a job.
struct StoredJob {
    owner: String,
    id: i64,
    amounts: Amounts,
}

/// Writes what is known of a job of `owner`, which `host` ran: inserts it where the database does not have it, and
/// leaves it alone where another Neovim has taken it over. Returns what the job cost; `None` where the database does
/// not have it, or as one that has not ended. The caller has begun the transaction.
pub fn put(
    connection: &Connection,
    owner: &str,
    host: &str,
    known: &KnownJob,
) -> Result<Option<Amounts>, StoreError> {
    let found = find(connection, owner, known)?;
    if found.as_ref().is_some_and(|found| found.owner != owner) {
        return Ok(None);
    }
    match (&found, &known.record, &known.uuid) {
        (Some(found), _, Some(uuid)) if found.id != signed(known.id) => {
            held::number(connection, owner, uuid, known.id)?;
        }
        (Some(_), ..) => {}
        (None, Some(record), _) => _ = keep::insert(connection, owner, known, record)?,
        (None, None, _) => {
            if let Some(job) = &known.accepted {
                accepted::accept(connection, owner, host, job)?;
            }
            return Ok(None);
        }
    }
    if known.interrupted {
        accepted::interrupt(connection, owner, known.id)?;
    }
    if let Some(more) = known.more.filter(|_| is_missing_more(found.as_ref(), known)) {
        keep::amend(connection, owner, known.id, &more)?;
    }
    if let Some(landed) = &known.landed {
        keep::land(connection, owner, known.id, landed)?;
    }
    if let Some(on_disk) = &known.on_disk {
        keep::range_on_disk(connection, owner, known.id, on_disk)?;
    }
    if let Some(draft) = &known.draft {
        let draft = Some(&**draft).filter(|draft| **draft != Draft::default());
        keep::draft(connection, owner, known.id, draft)?;
    }
    Ok(find(connection, owner, known)?.map(|found| found.amounts))
}

fn find(connection: &Connection, owner: &str, known: &KnownJob) -> Result<Option<StoredJob>, StoreError> {
    let read = |row: &Row<'_>| Ok((row.get("owner")?, row.get("id")?, amounts(row)));
    let found = match &known.uuid {
        Some(uuid) => connection
            .prepare_cached("SELECT * FROM jobs WHERE uuid = ?1")?
            .query_row([uuid], read)
            .optional()?,
        None => connection
            .prepare_cached("SELECT * FROM jobs WHERE owner = ?1 AND id = ?2")?
            .query_row(params![owner, signed(known.id)], read)
            .optional()?,
    };
    found.map(|(owner, id, amounts)| Ok(StoredJob { owner, id, amounts: amounts? })).transpose()
}

/// Whether the later amounts are still to be added: not where the row has others than those that they come on top of.
fn is_missing_more(found: Option<&StoredJob>, known: &KnownJob) -> bool {
    match (found, known.job_usage) {
        (None, _) => true,
        (Some(found), Some(job_usage)) => {
            found.amounts == Amounts { cost_usd: job_usage.cost_usd.map(whole), ..job_usage }
        }
        // The record was inserted together with them; without a record nothing else is known of it.
        (Some(_), None) => known.record.is_none(),
    }
}
