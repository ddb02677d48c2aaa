//! Jobs that have not ended, of hosts that run and of hosts that are gone.

use super::super::accepted;
use super::super::entry::FullJob;
use super::super::info::{Info, InfoQuery};
use super::*;
use crate::store::owner;
use crate::store::record::Accepted;

/// No process: its number is above the highest.
const GONE: &str = "4194304:1";

fn accept(connection: &Connection, owner: &str, host: &str, accepted: &Accepted) {
    accepted::accept(connection, owner, host, accepted).unwrap();
}

fn jobs(connection: &Connection) -> Vec<JobEntry> {
    let listed = history::history(connection, asker(), &page(9)).unwrap();
    assert_totals(connection);
    listed.jobs
}

fn sums(connection: &Connection) -> Info {
    let wanted = InfoQuery { project: "/project".to_owned(), session: None, today_ms: 0 };
    info::info(connection, &wanted).unwrap()
}

fn whole(connection: &Connection, uuid: &str) -> FullJob {
    asker().job(connection, &JobKey::Uuid(uuid.to_owned())).unwrap().unwrap()
}

#[test]
fn a_job_of_a_host_that_runs_is_in_no_list_and_no_sum() {
    let mut connection = store();
    let host = owner::host();
    accept(&connection, &owner::current(), &host, &sample::accepted(1));
    // The same host asks, and one of another Neovim.
    for (owner, asking) in [(owner::current(), host.as_str()), (GONE.to_owned(), "other:1")] {
        accepted::end_lost(&mut connection, &owner, asking).unwrap();
        assert_eq!(jobs(&connection), []);
        assert_eq!(sums(&connection).all.jobs, 0);
    }
    let text = Page { text: Some("shorter".to_owned()), ..page(9) };
    assert_eq!(history::history(&connection, asker(), &text).unwrap().jobs, []);
}

#[test]
fn a_job_of_a_host_that_is_gone_was_interrupted_and_has_all_that_a_retry_needs() {
    let mut connection = store();
    let resume = Resume { session_id: "s".to_owned(), at: Some("m".to_owned()) };
    let asked = Accepted { review: true, resumed: Some(resume.clone()), ..sample::accepted(1) };
    accept(&connection, GONE, GONE, &asked);
    for _ in 0..2 {
        accepted::end_lost(&mut connection, "me:1", "host:1").unwrap();
        let [entry] = jobs(&connection).try_into().unwrap();
        assert_eq!((entry.status, entry.has_answer, entry.landing.as_deref()), ("interrupted", false, None));
        assert_eq!((entry.started_ms, entry.ended_ms), (1000, 1000), "when it ended is not known");
        let full = whole(&connection, &entry.uuid);
        assert_eq!(
            (full.selection, full.review, full.resume),
            (asked.selection.clone(), true, Some(resume.clone()))
        );
        let JobEntry { agent, model, prompt, path, project, filetype, question, .. } = full.entry;
        assert_eq!((agent, model, prompt), (asked.agent.clone(), asked.model.clone(), asked.prompt.clone()));
        assert_eq!((path, project), (asked.path.clone(), asked.project.clone()));
        assert_eq!((filetype, question), (asked.filetype.clone(), false));
        let all = sums(&connection).all;
        assert_eq!((all.jobs, all.failed, all.amounts.cost_usd), (1, 1, None));
    }
}

#[test]
fn a_job_that_ends_is_kept_once() {
    let mut connection = store();
    accept(&connection, "me:1", GONE, &sample::accepted(1));
    accept(&connection, "me:1", GONE, &sample::accepted(2));
    keep_all(&mut connection, [Record { review: true, ..record(1, Some("x")) }]);
    accepted::end_lost(&mut connection, "me:1", "host:1").unwrap();
    let found: Vec<_> = jobs(&connection).iter().map(|job| (job.id.unwrap(), job.status)).collect();
    assert_eq!(found, [(1, "done"), (2, "interrupted")]);
    let uuid = &jobs(&connection)[0].uuid;
    assert!(whole(&connection, uuid).review, "a retry of one that has ended needs the same");
}

#[test]
fn a_job_that_the_next_host_runs_is_not_interrupted() {
    let mut connection = store();
    let (neovim, host) = (owner::current(), owner::host());
    accept(&connection, &neovim, GONE, &sample::accepted(1));
    // Before its next host has it, another Neovim asks.
    accepted::end_lost(&mut connection, GONE, "other:1").unwrap();
    assert_eq!(jobs(&connection), []);
    accept(&connection, &neovim, &host, &sample::accepted(1));
    accepted::end_lost(&mut connection, &neovim, &host).unwrap();
    assert_eq!(jobs(&connection), []);
    sample::insert(&connection, &neovim, &record(1, Some("x")), None).unwrap();
    accepted::end_lost(&mut connection, &neovim, &host).unwrap();
    assert_eq!(jobs(&connection).len(), 1);
}

#[test]
fn what_an_earlier_host_says_late_of_a_job_that_it_handed_on_changes_nothing() {
    let connection = store();
    let (neovim, host) = (owner::current(), owner::host());
    let late = sample::accepted(1);
    accept(&connection, &neovim, &host, &Accepted { started_ms: late.started_ms + 1, ..late.clone() });
    accept(&connection, &neovim, GONE, &late);
    let of = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(of("SELECT host FROM accepted"), host);
    let ended = Record { started_ms: late.started_ms + 1, ..record(1, Some("x")) };
    sample::insert(&connection, &neovim, &ended, None).unwrap();
    accept(&connection, &neovim, GONE, &late);
    assert_eq!(of("SELECT format('%d', count(*)) FROM accepted"), "0");
}

#[test]
fn a_job_that_was_stopped_with_its_host_was_interrupted() {
    let mut connection = store();
    let stopped = Record { error: Some(("host_lost".to_owned(), "it ended".to_owned())), ..record(1, None) };
    keep_all(&mut connection, [stopped]);
    assert_eq!(jobs(&connection)[0].status, "interrupted");
}

#[test]
fn a_job_whose_agent_was_ended_because_neovim_was_left_was_interrupted() {
    let mut connection = store();
    let failed =
        |id, code: &str| Record { error: Some((code.to_owned(), "it ended".to_owned())), ..record(id, None) };
    keep_all(
        &mut connection,
        [failed(1, "exited"), failed(2, "api_error"), failed(3, "exited"), record(4, Some("x"))],
    );
    for id in [1, 2, 4, 5] {
        accepted::interrupt(&connection, "me:1", id).unwrap();
    }
    let mut found: Vec<_> = jobs(&connection).iter().map(|job| (job.id.unwrap(), job.status)).collect();
    found.sort_unstable();
    assert_eq!(found, [(1, "interrupted"), (2, "failed"), (3, "failed"), (4, "done")]);
}
