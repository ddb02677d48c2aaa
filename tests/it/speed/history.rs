//! The history, with as many jobs as years of use give.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use botglue::store::{Page, Store};
use rusqlite::Connection;

use super::row::Run;

/// As many as a list asks for.
const PAGE: u64 = 100;
/// How long the store may take to answer at all.
const DEADLINE: Duration = Duration::from_secs(60);

/// 100,000 jobs of 200 files, with an answer of 20 lines each.
const JOBS: &str = "
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
    INSERT INTO jobs (uuid, session, id, entry) SELECT 'gone-' || n, 'gone', n, json_object(
        'id', n, 'agent', 'claude', 'protocol', 'claude', 'project', '/project', 'path', '/project/' || (n % 200) || '.lua',
        'filetype', 'lua', 'prompt', 'make the function number ' || n || ' shorter', 'question', json('false'),
        'review', json('false'), 'selection', json_object('kind', 'line', 'first_line', n % 900, 'last_line', n % 900 + 5,
            'text', json_array(), 'rows', json_array(), 'cols', json_array(0), 'beside', json_object()),
        'started_ms', n * 1000, 'ended_ms', n * 1000 + 700, 'landing', 'applied', 'has_answer', json('true'))
        FROM numbers;
    UPDATE jobs SET entry = entry;
    INSERT INTO texts (uuid, record) SELECT uuid, json_set(entry, '$.text', replace(hex(zeroblob(300)), '00', 'x = 1; '))
        FROM jobs;";

/// The first page, and a search for words that no job has, in milliseconds.
pub fn of_100_000_jobs() -> Run {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::open(Some(dir.path().to_owned()), "s".to_owned(), Arc::new(|why| panic!("{why}")));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let page = move |text: Option<&str>| {
        let _entered = runtime.enter();
        let page = Page { text: text.map(str::to_owned), limit: PAGE, ..Page::default() };
        let (reply, answer) = mpsc::channel();
        let since = Instant::now();
        store.ask(move |asker| asker.history(&page), move |listed| _ = reply.send(listed));
        let listed = answer.recv_timeout(DEADLINE).expect("an answer").expect("a page");
        (since.elapsed().as_secs_f64() * 1e3, listed.jobs.len())
    };
    page(None);
    let connection = Connection::open(dir.path().join("botglue.db")).expect("the database");
    connection.execute_batch(&format!("BEGIN; {JOBS} COMMIT;")).expect("its rows");
    Box::new(move || {
        let _kept = &dir;
        let ((first, found), (nothing, none)) = (page(None), page(Some("occurs nowhere")));
        assert_eq!((found, none), (100, 0));
        vec![first, nothing]
    })
}
