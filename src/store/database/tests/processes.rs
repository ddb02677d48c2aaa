//! Several hosts that write to one database at the same time, each a process of its own.

use std::io::{BufRead, BufReader};
use std::time::Instant;

use super::*;
use crate::request::Resume;
use crate::store::Tokens;
use crate::stream::{UsageScope, UsageScopes};

const HOSTS: u64 = 8;
const JOBS: u64 = 40;

/// A job as Claude told of it before it knew the run's share: each session is a fork of the one before, and its cost
/// the cost of all of them. The first is a fork of one that all hosts know.
fn forked(host: u64, number: u64) -> Record {
    let session = |number| if number == 0 { "root".to_owned() } else { format!("{host}-{number}") };
    let id = host * 1000 + number;
    Record {
        session_id: Some(session(number)),
        resumed: Some(Resume { session_id: session(number - 1), at: None }),
        amounts: Amounts {
            cost_usd: Some(1.0 + 0.01 * f64::from(u32::try_from(number).unwrap())),
            tokens: Tokens { input: 3, ..Tokens::default() },
            ..Amounts::default()
        },
        scopes: UsageScopes { cost: UsageScope::Lineage, ..UsageScopes::default() },
        checkpoints: vec![format!("message {id}")],
        ..record(id, Some("x"))
    }
}

#[test]
fn eight_processes_at_once_lose_nothing_and_count_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let root = Record {
        session_id: Some("root".to_owned()),
        amounts: Amounts { cost_usd: Some(1.0), ..Amounts::default() },
        ..record(1, None)
    };
    TestDatabase::open(dir.path()).keep(root);
    let hosts: Vec<_> = (1..=HOSTS).map(|_| in_process("processes::process_of_a_host", dir.path())).collect();
    for host in hosts {
        let output = host.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let connection = open(dir.path()).unwrap();
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, f64>(0)).unwrap();
    let jobs = f64::from(u32::try_from(HOSTS * JOBS).unwrap());
    let close = |sql: &str, expected: f64| {
        let found = number(sql);
        assert!((found - expected).abs() < 1e-6, "{sql}: {found}, not {expected}");
    };
    close("SELECT count(*) FROM jobs WHERE landing = 'applied'", jobs);
    close("SELECT count(*) FROM texts WHERE landed_rows IS NULL AND text = 'x'", jobs);
    // Each cost a cent, and later two more.
    close("SELECT total(cost_usd) FROM jobs", 1.0 + jobs * 0.03);
    close("SELECT total(input_tokens) FROM jobs", 3.0 * jobs);
    close("SELECT count(*) FROM sessions WHERE family = 'root'", jobs + 1.0);
    close("SELECT count(*) FROM checkpoints", jobs);
    close("SELECT max(cost_usd) FROM session_metadata", 1.0 + 0.03 * f64::from(u32::try_from(JOBS).unwrap()));
    let sound: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

#[test]
#[ignore = "a process of the tests here"]
fn process_of_a_host() {
    let Some(dir) = given_directory() else { return };
    let host = u64::from(std::process::id());
    let told = TestDatabase::open(&dir);
    for number in 1..=JOBS {
        let Record { id, agent, resumed, .. } = forked(host, number);
        told.database.begin(id, agent, resumed.unwrap().session_id);
        let mut record = forked(host, number);
        // The later cents of the jobs before are in the total as well.
        record.amounts.cost_usd =
            record.amounts.cost_usd.map(|cost| cost + 0.02 * f64::from(u32::try_from(number - 1).unwrap()));
        // On a busy machine it may have to wait for the others.
        told.keep(record);
        until_landing(&told, id, None);
        say(&format!("kept {id}"));
        told.database.amend(id, Amounts { cost_usd: Some(0.02), ..Amounts::default() }, |_| {});
        told.land(id, "applied");
        until_landing(&told, id, Some("applied"));
    }
}

/// Asks until a job is in the database, with this landing.
fn until_landing(told: &TestDatabase, id: u64, landing: Option<&str>) {
    let start = Instant::now();
    let is_there = || {
        let (sender, reply) = mpsc::channel();
        told.database.query(Query::Job(JobKey::Id(id)), move |reply| sender.send(reply).unwrap());
        let reply = reply.recv_timeout(PATIENCE).unwrap();
        reply.is_ok_and(|found| found["job"]["landing"].as_str() == landing)
    };
    while !is_there() {
        assert!(start.elapsed() < PATIENCE, "job {id} is never written");
    }
}

#[test]
fn what_a_killed_host_said_it_has_kept_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let mut hosts: Vec<_> = (0..3).map(|_| in_process("processes::process_of_a_host", dir.path())).collect();
    let mut said = Vec::new();
    for host in &mut hosts {
        let lines = BufReader::new(host.stdout.take().unwrap()).lines().map(Result::unwrap);
        let kept = lines
            .filter_map(|line| line.split_once("kept ").map(|(_, id)| id.trim().parse::<u64>().unwrap()));
        said.extend(kept.take(10));
        host.kill().unwrap();
        host.wait().unwrap();
    }
    assert_eq!(said.len(), 30);
    let connection = open(dir.path()).unwrap();
    for id in said {
        let count: i64 = connection
            .query_row(
                "SELECT count(*) FROM jobs JOIN texts ON job = key WHERE id = ?1",
                [id.cast_signed()],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(count, 1, "job {id}");
    }
    let sound: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}
