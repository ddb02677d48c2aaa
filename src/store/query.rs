//! The `query` notification: a question to the store, by its name.

use super::{InfoQuery, JobKey, Page, Query};
use crate::error::JobError;
use crate::request::{Fields, bad};

/// How many entries a list has by default.
const ENTRIES: u64 = 100;

/// Reads a question; `fields` are those of the whole notification.
///
/// # Errors
/// Names the field that is missing or wrong.
pub fn query(fields: &Fields<'_>) -> Result<Query, JobError> {
    let text = |field| fields.get(field).map(|_| fields.lossy(field)).transpose();
    match fields.text("name")?.as_str() {
        "history" => Ok(Query::History(Page {
            text: text("text")?,
            path: text("path")?,
            project: text("project")?,
            is_own: false,
            limit: fields.get("limit").map_or(Ok(ENTRIES), |_| fields.count("limit"))?,
            before: fields.get("before").map(|_| before(fields)).transpose()?,
        })),
        "job" => Ok(Query::Job(job_key(fields)?)),
        "prompts" => Ok(Query::Prompts { limit: ENTRIES, project: text("project")?.unwrap_or_default() }),
        _ => Err(bad("name", "is no question that this host knows")),
    }
}

/// Reads which job is meant.
///
/// # Errors
/// As above.
pub fn job_key(fields: &Fields<'_>) -> Result<JobKey, JobError> {
    Ok(match fields.get("uuid") {
        Some(_) => JobKey::Uuid(fields.text("uuid")?),
        None => JobKey::Id(fields.count("id")?),
    })
}

/// Reads which sums are wanted.
///
/// # Errors
/// As above.
pub fn info_query(fields: &Fields<'_>) -> Result<InfoQuery, JobError> {
    let text = |field| fields.get(field).map(|_| fields.lossy(field)).transpose();
    Ok(InfoQuery {
        project: fields.lossy("project")?,
        session: text("agent")?.zip(text("session_id")?),
        today_ms: time(fields, "today_ms")?,
    })
}

fn before(fields: &Fields<'_>) -> Result<(i64, String), JobError> {
    let before = fields.fields("before")?;
    Ok((time(&before, "ended_ms")?, before.text("uuid")?))
}

/// A time in Unix milliseconds.
fn time(fields: &Fields<'_>, field: &str) -> Result<i64, JobError> {
    Ok(i64::try_from(fields.count(field)?).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use rmpv::Value;

    use super::*;

    fn map(fields: &[(&str, Value)]) -> Value {
        Value::Map(fields.iter().map(|(key, value)| ((*key).into(), value.clone())).collect())
    }

    fn read(fields: &[(&str, Value)]) -> Result<Query, JobError> {
        query(&Fields::root(&map(fields))?)
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let page = Page { limit: 100, ..Page::default() };
        assert_eq!(read(&[("name", "history".into())]), Ok(Query::History(page)));
    }

    #[test]
    fn a_page_begins_behind_the_one_before() {
        let before = map(&[("ended_ms", 12.into()), ("uuid", "u".into())]);
        let fields = [("name", "history".into()), ("before", before), ("limit", 5.0.into())];
        let page = Page { limit: 5, before: Some((12, "u".to_owned())), ..Page::default() };
        assert_eq!(read(&fields), Ok(Query::History(page)));
    }

    #[test]
    fn an_error_names_the_field() {
        for (fields, named) in [
            (vec![("name", Value::from("weather"))], "name"),
            (vec![("name", "job".into())], "id"),
            (vec![("name", "history".into()), ("limit", "all".into())], "limit"),
        ] {
            let error = read(&fields).unwrap_err();
            assert!(error.message.starts_with(named), "{error}");
        }
    }
}
