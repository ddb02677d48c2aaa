//! Reads what a list of the editor is to show: a question to the store with a viewer, or the jobs of this Neovim.

use crate::error::JobError;
use crate::request::Fields;
use crate::request::fields::bad;
use crate::store::{self, Page, Query};
use crate::view::{Live, LiveState, Totals, Viewer};

/// What is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum List {
    /// These jobs of this Neovim, and the totals of all.
    Jobs(Vec<Live>, Totals),
    /// Finished jobs.
    History(Page),
}

/// Reads a list and for whom it is.
///
/// # Errors
/// Names the field that is missing or wrong.
pub fn decode(fields: &Fields<'_>) -> Result<(List, Viewer), JobError> {
    let viewer = fields.fields("viewer")?;
    let viewer = Viewer { cwd: viewer.lossy("cwd")?, home: viewer.lossy("home")? };
    if fields.text("name")? == "jobs" {
        let jobs = fields.maps("jobs")?.iter().map(live).collect::<Result<_, _>>()?;
        return Ok((List::Jobs(jobs, totals(&fields.fields("totals")?)?), viewer));
    }
    match store::query(fields)? {
        Query::History(page) => Ok((List::History(page), viewer)),
        _ => Err(bad("name", "is no list that this host knows")),
    }
}

fn live(fields: &Fields<'_>) -> Result<Live, JobError> {
    Ok(Live {
        id: fields.count("id")?,
        path: fields.lossy("path")?,
        name: some_text(fields, "name")?,
        line: fields.count("line")?,
        prompt: fields.lossy("prompt")?,
        state: state(fields)?,
        elapsed_ms: fields.count("elapsed_ms")?,
        cost_usd: some_number(fields, "cost_usd")?,
        has_session: fields.flag("has_session")?,
        has_transcript: fields.flag("has_transcript")?,
    })
}

fn state(fields: &Fields<'_>) -> Result<LiveState, JobError> {
    let doing = || some_text(fields, "doing");
    Ok(match fields.text("status")?.as_str() {
        "queued" => LiveState::Queued { doing: doing()? },
        "running" => LiveState::Running { doing: doing()?, is_failing: fields.flag("is_failing")? },
        "ready" => LiveState::Ready,
        "failed" => {
            let error = fields.fields("error")?;
            LiveState::Failed { code: error.lossy("code")?, message: error.lossy("message")? }
        }
        "done" => {
            LiveState::Done { landing: fields.text("landing")?, held_for: some_text(fields, "held_for")? }
        }
        _ => return Err(bad(&fields.name("status"), "is no state of a job")),
    })
}

fn totals(fields: &Fields<'_>) -> Result<Totals, JobError> {
    Ok(Totals {
        running: fields.count("running")?,
        queued: fields.count("queued")?,
        held: fields.count("held")?,
        cost_usd: some_number(fields, "cost_usd")?,
    })
}

fn some_text(fields: &Fields<'_>, field: &str) -> Result<Option<String>, JobError> {
    fields.get(field).map(|_| fields.lossy(field)).transpose()
}

fn some_number(fields: &Fields<'_>, field: &str) -> Result<Option<f64>, JobError> {
    fields.get(field).map(|_| fields.number(field)).transpose()
}

#[cfg(test)]
mod tests {
    use rmpv::Value;

    use super::*;

    fn map(fields: &[(&str, Value)]) -> Value {
        Value::Map(fields.iter().map(|(key, value)| ((*key).into(), value.clone())).collect())
    }

    fn read(fields: &[(&str, Value)]) -> Result<(List, Viewer), JobError> {
        let viewer = map(&[("cwd", "/p".into()), ("home", "/home/dev".into())]);
        let fields = [fields, &[("viewer", viewer)]].concat();
        decode(&Fields::root(&map(&fields))?)
    }

    fn viewer() -> Viewer {
        Viewer { cwd: "/p".to_owned(), home: "/home/dev".to_owned() }
    }

    #[test]
    fn jobs_come_as_the_plugin_knows_them() {
        let common = [
            ("path", Value::from("/p/a.rs")),
            ("line", 4.into()),
            ("prompt", "split it".into()),
            ("elapsed_ms", 1200.into()),
        ];
        let job = |fields: &[(&str, Value)]| map(&[&common[..], fields].concat());
        let error = map(&[("code", "timeout".into()), ("message", "too long".into())]);
        let jobs = Value::Array(vec![
            job(&[("id", 1.into()), ("status", "running".into()), ("doing", "writing".into())]),
            job(&[("id", 2.into()), ("status", "failed".into()), ("error", error), ("cost_usd", 0.5.into())]),
        ]);
        let totals = map(&[("running", 1.into()), ("queued", 0.into()), ("held", 0.into())]);
        let read = read(&[("name", "jobs".into()), ("jobs", jobs), ("totals", totals)]);
        let live = Live {
            id: 1,
            path: "/p/a.rs".to_owned(),
            line: 4,
            prompt: "split it".to_owned(),
            state: LiveState::Running { doing: Some("writing".to_owned()), is_failing: false },
            elapsed_ms: 1200,
            ..Live::default()
        };
        let failed = LiveState::Failed { code: "timeout".to_owned(), message: "too long".to_owned() };
        let failed = Live { id: 2, state: failed, cost_usd: Some(0.5), ..live.clone() };
        let totals = Totals { running: 1, ..Totals::default() };
        assert_eq!(read, Ok((List::Jobs(vec![live, failed], totals), viewer())));
    }

    #[test]
    fn a_question_to_the_store_with_a_viewer_is_a_list() {
        let page = Page { limit: 5, ..Page::default() };
        let history = read(&[("name", "history".into()), ("limit", 5.into())]);
        assert_eq!(history, Ok((List::History(page), viewer())));
    }

    #[test]
    fn an_error_names_the_field() {
        let job = map(&[("id", 1.into()), ("path", "".into()), ("line", 1.into()), ("prompt", "p".into())]);
        let jobs = [("name", Value::from("jobs")), ("jobs", Value::Array(vec![job]))];
        assert!(read(&jobs).unwrap_err().message.starts_with("jobs[1].status"));
        assert!(read(&[("name", "prompts".into())]).unwrap_err().message.starts_with("name"));
    }
}
