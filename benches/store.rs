//! How long the store takes for its questions with 100,000 jobs in it, beside the same with 1,000. `make bench-parts` runs it.
//!
//! Each question is asked as the host asks it, through the store's thread, with the reply made ready for the editor. The
//! best of some turns counts, as the first one reads the disk.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use botglue::store::{Asker, InfoQuery, Page, Store, StoreError};
use rusqlite::Connection;

const MANY: u32 = 100_000;
const FEW: u32 = 1000;
const TURNS: u32 = 20;
/// When the newest job ended; one ended every five minutes before it.
const NOW: i64 = 1_800_000_000_000;

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| panic!("no runtime: {error}"));
    let _entered = runtime.enter();
    let [(few, _few), (many, _many)] = [FEW, MANY].map(|jobs| {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder to measure in: {error}"));
        (filled(folder.path(), jobs), folder)
    });
    let mut report = format!("store: {MANY} jobs, beside {FEW}\n");
    for (name, question, goal) in questions() {
        let [beside, time] = [&few, &many].map(|database| best(database, &question));
        let ms = time.as_secs_f64() * 1e3;
        let ratio = time.as_secs_f64() / beside.as_secs_f64();
        let verdict = match goal {
            Some(goal) if ms <= goal => format!(", reach {goal} ms: yes"),
            Some(goal) => format!(", reach {goal} ms: NO"),
            None => String::new(),
        };
        // A String takes everything.
        _ = writeln!(report, "  {name:<32}{ms:>9.2} ms   {ratio:>7.1} times as long{verdict}");
    }
    // A closed output has nobody to tell.
    _ = std::io::stdout().write_all(report.as_bytes());
}

/// Asks something, and tells whether there is an answer.
type Question = Box<dyn Fn(&Store, mpsc::Sender<bool>)>;

fn asked<T: Send + 'static>(
    question: impl Fn(Asker<'_>) -> Result<T, StoreError> + Clone + Send + 'static,
) -> Question {
    Box::new(move |database, sender| {
        database.ask(question.clone(), move |reply| _ = sender.send(reply.is_ok()));
    })
}

fn questions() -> Vec<(&'static str, Question, Option<f64>)> {
    let page = || Page { limit: 100, ..Page::default() };
    let history = |page: Page| asked(move |asker| asker.history(&page));
    let text = |text: &str| history(Page { text: Some(text.to_owned()), ..page() });
    let middle = (NOW - i64::from(MANY) * 150_000, String::new());
    let info = |session: Option<&str>| {
        let session = session.map(|session| ("claude".to_owned(), session.to_owned()));
        let project = "/home/dev/project-3".to_owned();
        let wanted = InfoQuery { project, session, today_ms: NOW - 40_000_000 };
        asked(move |asker| asker.info(&wanted))
    };
    let path = || "/home/dev/project-3/src/file-3.rs".to_owned();
    let project = || "/home/dev/project-3".to_owned();
    vec![
        ("history, the first page", history(page()), Some(5.0)),
        ("history, a page in the middle", history(Page { before: Some(middle), ..page() }), Some(5.0)),
        ("history of a file", history(Page { path: Some(path()), ..page() }), Some(5.0)),
        ("history of a project", history(Page { project: Some(project()), ..page() }), Some(5.0)),
        ("history with words found often", text("error 7"), Some(50.0)),
        ("history with words found nowhere", text("no such words"), Some(50.0)),
        ("info", info(None), Some(50.0)),
        ("info with a session", info(Some("session-77")), Some(50.0)),
        ("prompts", asked(|asker| asker.prompts(200, "", NOW)), Some(50.0)),
        ("checkpoints of a session", asked(|asker| asker.checkpoints("claude", "session-77")), Some(5.0)),
    ]
}

fn best(database: &Store, question: &Question) -> Duration {
    let times = (0..TURNS).map(|_| {
        let (sender, reply) = mpsc::channel();
        let start = Instant::now();
        question(database, sender);
        let reply = reply.recv();
        let time = start.elapsed();
        assert_eq!(reply, Ok(true), "there is an answer");
        time
    });
    times.min().unwrap_or_default()
}

/// A database with that many jobs.
fn filled(data_dir: &Path, jobs: u32) -> Store {
    let database =
        Store::open(Some(data_dir.to_owned()), "bench".to_owned(), Arc::new(|error| panic!("{error}")));
    let (sender, there) = mpsc::channel();
    database.ask(|asker| asker.prompts(1, "", NOW), move |_| _ = sender.send(()));
    assert!(there.recv().is_ok(), "the database is made");
    fill(data_dir, jobs).unwrap_or_else(|error| panic!("the database cannot be filled: {error}"));
    database
}

fn fill(data_dir: &Path, jobs: u32) -> rusqlite::Result<()> {
    let connection = Connection::open(data_dir.join("botglue.db"))?;
    connection.execute_batch(&format!(
        "BEGIN;
         INSERT INTO jobs (uuid, session, id, family, entry)
         WITH RECURSIVE job (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM job WHERE n < {jobs})
         SELECT 'gone-' || n, 'gone', n, 'session-' || (n / 30), json_object(
             'agent', iif(n % 5 = 0, 'droid', 'claude'), 'protocol', 'claude', 'answered_by', 'model-' || (n % 4),
             'session_id', 'session-' || (n / 3), 'project', '/home/dev/project-' || (n % 12), 'id', n,
             'path', '/home/dev/project-' || (n % 12) || '/src/file-' || (n % 40) || '.rs',
             'prompt',
             iif(n % 3, 'do it like number ' || (n % 700), 'return an error where it is ' || n || ' and say which one'),
             'question', json('false'), 'review', json('false'), 'filetype', 'rust',
             'selection', json_object('kind', 'line', 'first_line', n % 900, 'last_line', n % 900 + 14),
             'place', json_array(n % 900, n % 900 + 14), 'transcript', n || '.jsonl',
             'started_ms', {NOW} - ({jobs} - n) * 300000 - 20000, 'ended_ms', {NOW} - ({jobs} - n) * 300000,
             'error', CASE WHEN n % 20 = 0 THEN json_array('timeout', 'The agent took longer than 300 s.') END,
             'has_answer', json(iif(n % 20 <> 0, 'true', 'false')),
             'landing', CASE WHEN n % 20 = 0 THEN NULL WHEN n % 9 = 0 THEN 'rejected' ELSE 'applied' END,
             'share', json_object('cost_usd', n % 100 / 1000.0, 'input_tokens', n % 5000, 'output_tokens', n % 900,
                 'cache_read_input_tokens', n % 30000, 'cache_creation_input_tokens', n % 7000,
                 'num_turns', n % 6 + 1, 'duration_ms', 20000))
         FROM job;
         UPDATE jobs SET entry = entry;
         INSERT INTO texts (uuid, record, landed_rows)
         SELECT uuid, json_object('id', id, 'agent', agent, 'protocol', 'claude', 'project', project, 'path', path,
                 'filetype', 'rust', 'prompt', entry ->> 'prompt', 'question', json('false'), 'review', json('false'),
                 'started_ms', started_ms, 'ended_ms', ended_ms, 'share', json_object(), 'counted', json_object(),
                 'selection', json_object('kind', 'line', 'first_line', 1, 'last_line', 1,
                     'text', json_array(printf('%600s', id)), 'rows', json_array(printf('%600s', id)),
                     'cols', json_array(0), 'beside', json_object()),
                 'text', printf('%500s', id), 'lines', json_array(printf('%500s', id)),
                 'checkpoints', json_array('message-' || id)),
             json_array(printf('%500s', id)) FROM jobs;
         COMMIT;"
    ))
}
