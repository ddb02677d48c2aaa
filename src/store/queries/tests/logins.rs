//! Which agents want a login.

use super::super::logins::logged_out;
use super::*;

fn ended(id: u64, agent: &str, ended_ms: i64, code: Option<&str>) -> Record {
    let error = code.map(|code| (code.to_owned(), String::new()));
    Record { agent: agent.to_owned(), ended_ms, error, ..record(id, None) }
}

#[test]
fn the_newest_job_of_each_agent_tells() {
    let mut connection = store();
    assert_eq!(logged_out(&connection).unwrap(), [""; 0]);
    keep_all(
        &mut connection,
        [
            ended(1, "codex", 50, Some("not_logged_in")),
            ended(2, "claude", 20, None),
            ended(3, "claude", 30, Some("not_logged_in")),
            ended(4, "droid", 10, Some("not_logged_in")),
            ended(5, "droid", 40, Some("timeout")),
        ],
    );
    assert_eq!(logged_out(&connection).unwrap(), ["claude", "codex"]);
    keep_all(&mut connection, [ended(6, "claude", 60, None)]);
    assert_eq!(logged_out(&connection).unwrap(), ["codex"]);
}
