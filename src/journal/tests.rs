//! Who finds what in a journal after whose death, and what may be wrong with its files.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::folder::parse;
use super::sample::{DEADLINE, HELD_UP, begin, bytes, draft, ended, landed, lines, run, until};
use super::undecided::Undecided;
use super::*;

/// A process that cannot be: its number is above the highest.
fn gone() -> String {
    owner::name(4_194_305)
}

/// A host's journal, what it has passed on and what it has told.
struct Host {
    journal: Journal,
    folder: PathBuf,
    passed: mpsc::Receiver<Vec<Line>>,
    told: mpsc::Receiver<String>,
}

impl Host {
    fn open(dir: &Path, session: &str) -> Self {
        let ((pass, passed), (tell, told)) = (mpsc::channel(), mpsc::channel());
        let sink: Sink = Box::new(move |lines| _ = pass.send(lines));
        let warn: Warn = Arc::new(move |what| _ = tell.send(what));
        let journal = Journal::open(Some(dir), session.to_owned(), sink, warn);
        Self { journal, folder: dir.join("journal"), passed, told }
    }

    /// Has the thread do something, and waits for it.
    fn ask<T: Send + 'static>(&self, ask: impl FnOnce(&mut Writer) -> T + Send + 'static) -> T {
        let (reply, answer) = mpsc::channel();
        self.journal.send(move |writer| _ = reply.send(ask(writer)));
        answer.recv_timeout(DEADLINE).expect("the journal's thread answers")
    }

    fn adopt(&self) -> Vec<Held> {
        self.ask(|writer| writer.adopt().unwrap_or_default())
    }

    fn unreported(&self) -> Vec<(u64, Held)> {
        self.ask(|writer| writer.unreported((1..=9).map(|id| (id, None)).collect()))
    }

    /// Appends changes of jobs, each within a short time.
    fn append(&self, changes: impl IntoIterator<Item = (u64, Change)>, what: &str) {
        for (id, change) in changes {
            let since = Instant::now();
            self.journal.append(id, change);
            assert!(since.elapsed() < HELD_UP, "{what}");
        }
    }

    /// Everything that was passed on by now is in the database.
    fn apply(&self, count: &mut u64) {
        self.ask(|_| ());
        let applied = *count + self.passed.try_iter().map(|lines| lines.len() as u64).sum::<u64>();
        *count = applied;
        self.ask(move |writer| writer.applied = applied);
    }

    /// Ends as a process does that is killed: its files are free then.
    fn die(self) {
        drop(self.journal);
        let files = || fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|file| file.path());
        let is_free =
            |path: PathBuf| !path.is_file() || fs::File::open(path).is_ok_and(|file| file.try_lock().is_ok());
        until(|| files().all(is_free), "its files are free");
    }
}

fn put(dir: &Path, name: &str, content: &[u8]) -> PathBuf {
    let folder = dir.join("journal");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), content).unwrap();
    folder.join(name)
}

/// The texts of answers.
fn texts<'a>(held: impl IntoIterator<Item = &'a Held>) -> BTreeSet<String> {
    held.into_iter().filter_map(|held| held.record.text.clone()).collect()
}

/// What is to be found, told from the lines in another way.
fn expected(lines: &[Line]) -> BTreeSet<String> {
    let is_decision = |change: &Change| matches!(change, Change::Landed(landed) if landed.landing != "held");
    let is_decided = |uuid: &str| lines.iter().any(|line| line.uuid == uuid && is_decision(&line.change));
    let answer = |line: &Line| match &line.change {
        Change::Ended(record) if !record.job.question && !is_decided(&line.uuid) => record.text.clone(),
        _ => None,
    };
    lines.iter().filter_map(answer).collect()
}

/// Where each line ends.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).collect()
}

#[test]
fn a_journal_cut_at_any_byte_tells_what_is_whole_and_offers_nothing_decided() {
    let lines = run(&gone());
    let bytes = bytes(&lines);
    let ends = ends(&bytes);
    assert_eq!(expected(&lines), ["three", "two"].map(str::to_owned).into());
    let mut whole = 0;
    for at in 0..=bytes.len() {
        whole += usize::from(ends.contains(&at));
        let wanted = expected(&lines[..whole]);
        // A machine that dies may leave zeros.
        for rest in [0, 100] {
            let (found, is_whole) = parse(&[&bytes[..at], &vec![0; rest]].concat());
            assert_eq!((found.len(), is_whole), (whole, true), "cut at {at}");
            assert_eq!(texts(&Undecided::of(&found).held("review")), wanted, "cut at {at}");
        }
        if ends.contains(&at) {
            let garbage = parse(&[b"\xff{}\n\n", &bytes[..at], b"{\"v\":2}\n"].concat());
            assert_eq!(garbage, (lines[..whole].to_vec(), false));
            let undecided = Undecided::of(&lines[..whole]);
            let shortest = Undecided::of(&undecided.lines());
            assert_eq!(shortest.held("review"), undecided.held("review"), "a cut keeps all of it");
            assert_eq!(shortest.interrupted().count(), undecided.interrupted().count(), "and these");
        }
    }
    let undecided = Undecided::of(&lines);
    assert_eq!(undecided.interrupted().count(), 2, "one had not ended, with one Neovim was left");
    let held = undecided.held("review");
    let [two, three] = &held[..] else { panic!("{held:?}") };
    let reasons = [two, three].map(|held| held.record.held_for.as_deref().unwrap());
    assert_eq!(reasons, ["conflict", "review"]);
    assert_eq!(two.saved.as_ref().unwrap().place.unwrap().0, 7);
    assert_eq!(three.record.job.path, "/new.lua");
    assert_eq!(Change::Draft(two.draft.clone()), draft("mine, later"));
}

#[test]
fn whoever_dies_at_whatever_moment_each_answer_has_one_holder() {
    let me = owner::of("s");
    let earlier: Vec<&str> = me.split(':').collect();
    let earlier = [earlier[0], earlier[1], earlier[2], "an earlier boot", earlier[4]].join(":");
    for (who, neovim) in [("the host", &me), ("Neovim too", &gone()), ("the machine", &earlier)] {
        let lines = run(neovim);
        let bytes = bytes(&lines);
        let ends = ends(&bytes);
        let moments = ends.iter().enumerate().flat_map(|(n, end)| [(n, end - 9), (n + 1, *end)]);
        for (whole, at) in moments.filter(|(whole, _)| *whole > 0) {
            let dir = tempfile::tempdir().unwrap();
            // It had begun a second file in between.
            let first = ends[whole / 2];
            put(dir.path(), "s-0.jsonl", &bytes[..first.min(at)]);
            let rest = &bytes[first.min(at)..at];
            let zeros = vec![0; if who == "the machine" { 50 } else { 0 }];
            let second = put(dir.path(), "s-1.jsonl", &[rest, &zeros].concat());
            let wanted = expected(&lines[..whole]);
            let others = ["a", "b"].map(|name| Host::open(dir.path(), name));
            if whole == lines.len() {
                let locked = fs::File::open(second).unwrap();
                locked.try_lock().unwrap();
                assert_eq!(others[0].adopt(), [], "one of its files is locked");
            }
            let (reply, answers) = mpsc::channel();
            for host in &others {
                let reply = reply.clone();
                host.journal.send(move |writer| _ = reply.send(writer.adopt().unwrap_or_default()));
            }
            let adopted: Vec<Held> =
                others.iter().flat_map(|_| answers.recv_timeout(DEADLINE).unwrap()).collect();
            let found = if who == "the host" {
                assert_eq!(adopted, [], "{who} at {at}: its Neovim runs");
                let next = Host::open(dir.path(), "s");
                next.unreported().into_iter().map(|(_, held)| held).collect()
            } else {
                adopted
            };
            assert_eq!(texts(&found), wanted, "{who} at {at}");
            assert_eq!(found.len(), wanted.len(), "{who} at {at}: each once");
            assert_eq!(Host::open(dir.path(), "c").adopt(), [], "{who} at {at}: they are held");
        }
    }
}

#[test]
fn what_becomes_of_an_adopted_answer_reaches_its_key() {
    let dir = tempfile::tempdir().unwrap();
    let changes = [(0, begin("s", &gone())), (1, ended(1, "one")), (1, Change::Numbered(5))];
    put(dir.path(), "s-0.jsonl", &bytes(&lines("s", changes)));
    let host = Host::open(dir.path(), "a");
    let uuid = host.adopt()[0].uuid.clone();
    assert_eq!(uuid, "s-1");
    host.ask(|writer| writer.number(uuid, 7));
    host.append([(7, draft("mine")), (5, ended(5, "its own"))], "");
    let passed: Vec<Line> = host.passed.try_iter().flatten().collect();
    let of_it = passed.iter().filter(|line| line.uuid == "s-1").map(|line| &line.change);
    let after: Vec<&Change> = of_it.skip_while(|change| **change != Change::Numbered(7)).collect();
    assert_eq!(after, [&Change::Numbered(7), &landed("held", Some("buffer_gone")), &draft("mine")]);
    host.die();

    let next = Host::open(dir.path(), "a");
    let [(5, own), (7, held)] = &next.unreported()[..] else { panic!("they are not found by their numbers") };
    assert_eq!((own.uuid.as_str(), held.uuid.as_str()), ("a-5", "s-1"));
    assert_eq!(Change::Draft(held.draft.clone()), draft("mine"));
    next.append([(7, landed("rejected", None))], "");
    next.die();
    assert_eq!(Host::open(dir.path(), "a").unreported().len(), 1);
}

#[test]
fn a_cut_keeps_what_is_undecided_and_drops_the_rest_once_the_database_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("journal");
    let length = || {
        let files = fs::read_dir(&folder).unwrap().filter_map(|file| file.unwrap().metadata().ok());
        files.map(|file| file.len()).sum::<u64>()
    };
    let host = Host::open(dir.path(), "s");
    let mut count = 0;
    host.append([(1, ended(1, "one")), (2, ended(2, "two")), (2, landed("applied", None))], "");
    host.append((0..24).map(|n| (1, draft(&format!("{n} {}", "x".repeat(50_000))))), "");
    until(|| length() > 1 << 20, "the database has none of it");
    host.apply(&mut count);
    until(|| length() < 60_000, "it is cut");
    host.die();
    let next = Host::open(dir.path(), "s");
    let [(1, held)] = &next.unreported()[..] else { panic!("one is undecided") };
    assert!(held.draft.as_ref().unwrap().lines.as_ref().unwrap()[0].starts_with("23 "));

    // What was adopted is not cut before the database has it.
    let changes = [(0, begin("x", &gone())), (1, ended(1, "one")), (1, landed("merged", None))];
    put(dir.path(), "x-0.jsonl", &bytes(&lines("x", changes)));
    let host = Host::open(dir.path(), "a");
    let (mut count, has_it) = (0, || fs::read_to_string(folder.join("a-1.jsonl")).is_ok());
    host.apply(&mut count);
    assert_eq!((host.adopt(), has_it()), (Vec::new(), true));
    host.ask(Writer::close);
    assert!(has_it());
    host.apply(&mut count);
    host.ask(Writer::close);
    assert!(!has_it());
}

#[test]
fn a_disk_that_stands_still_holds_nobody_up_and_all_is_there_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let (go_on, waiting) = mpsc::channel::<()>();
    let host = Host::open(dir.path(), "s");
    host.journal.send(move |_| _ = waiting.recv_timeout(DEADLINE));
    let since = Instant::now();
    for id in 1..=8 {
        assert!(!host.journal.append(id, ended(id, "x")));
    }
    assert!(since.elapsed() < HELD_UP, "only the first is waited for");
    assert!(host.told.recv_timeout(DEADLINE).unwrap().contains("does not answer"));
    drop(go_on);
    until(|| host.journal.append(9, ended(9, "x")), "it is written");
    assert_eq!(host.told.try_iter().count(), 0);
    assert_eq!(Host::open(dir.path(), "s").unreported().len(), 9);
}

/// Strikes a journal's folder, where the session `s` has the file `s-0.jsonl`; another one beside it is not to be touched.
type Strike = fn(&Path, &Path);

/// What is wrong, whether it comes about when the journal is open and whole, how many warnings it brings and how many files
/// that are left over, and how it comes about.
const FAULTS: [(&str, bool, [usize; 2], Strike); 11] = [
    ("the folder is a file", false, [1, 0], |folder, _| fs::write(folder, "").unwrap()),
    ("the folder is a link", false, [1, 0], |folder, theirs| symlink(theirs, folder).unwrap()),
    ("pipes", false, [0, 1], |folder, _| {
        for name in ["s-0.jsonl", "other-0.jsonl"] {
            let path = std::ffi::CString::new(folder.join(name).to_str().unwrap()).unwrap();
            fs::create_dir_all(folder).unwrap();
            // SAFETY: the path is a string that ends with a zero.
            assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        }
    }),
    ("links", false, [0, 2], |folder, theirs| {
        fs::create_dir(folder).unwrap();
        for name in ["s-0.jsonl", "s-1.jsonl", "other-0.jsonl"] {
            symlink(theirs.join("other-0.jsonl"), folder.join(name)).unwrap();
        }
    }),
    ("garbage", false, [0, 1], |folder, theirs| {
        put(folder.parent().unwrap(), "s-0.jsonl", b"\xff\0{}\n\n[1\n{\"v\":1}\ntorn");
        symlink(theirs.join("made"), folder.join("s-0.damaged")).unwrap();
    }),
    ("a line of another version", false, [0, 1], |folder, _| {
        put(folder.parent().unwrap(), "s-0.jsonl", b"{\"v\":2,\"uuid\":\"s-8\",\"what\":\"new\"}\n");
    }),
    ("cut", true, [0, 0], |folder, _| {
        fs::OpenOptions::new().write(true).open(folder.join("s-0.jsonl")).unwrap().set_len(300).unwrap();
    }),
    ("emptied", true, [0, 0], |folder, _| fs::write(folder.join("s-0.jsonl"), "").unwrap()),
    ("overwritten", true, [0, 0], |folder, _| fs::write(folder.join("s-0.jsonl"), "text").unwrap()),
    ("replaced by a link", true, [0, 0], |folder, theirs| {
        fs::remove_file(folder.join("s-0.jsonl")).unwrap();
        symlink(theirs.join("other-0.jsonl"), folder.join("s-0.jsonl")).unwrap();
    }),
    ("removed", true, [0, 0], |folder, _| fs::remove_dir_all(folder).unwrap()),
];

#[test]
fn whatever_is_wrong_with_the_files_nobody_waits_and_what_is_whole_is_taken_over() {
    for (name, is_open, told, strike) in FAULTS {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let theirs = ["other-0.jsonl", "film.part"].map(|name| elsewhere.path().join(name));
        for path in &theirs {
            fs::write(path, bytes(&run(&gone()))).unwrap();
        }
        let folder = dir.path().join("journal");
        if !is_open {
            strike(&folder, elsewhere.path());
        }
        let host = Host::open(dir.path(), "s");
        host.append([(1, ended(1, "x"))], name);
        if is_open {
            strike(&folder, elsewhere.path());
        }
        host.append([(2, ended(2, "x"))], name);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let synced = host.journal.append_synced(3, ended(3, "x"));
        runtime.block_on(async { tokio::time::timeout(HELD_UP, synced).await.unwrap() });
        assert_eq!(host.adopt(), [], "{name}: nothing is taken from behind a link");
        let is_said = host.ask(|writer| writer.adopt().is_err());
        assert_eq!(is_said, told[0] > 0, "{name}: it is said where nothing can be taken over");
        assert_eq!(host.unreported().len(), 3, "{name}");
        let heard: Vec<String> = host.told.try_iter().collect();
        let is_left = |heard: &&String| heard.contains("earlier session");
        // The disk of a machine with much else to do may not answer in time.
        let is_failure =
            |heard: &&String| !is_left(heard) && (told[0] > 0 || !heard.contains("does not answer"));
        let count = [heard.iter().filter(is_failure).count(), heard.iter().filter(is_left).count()];
        assert_eq!(count, told, "{name}: {heard:?}");
        if told[0] > 0 {
            fs::remove_file(&folder).unwrap();
            until(|| host.journal.append(4, ended(4, "x")), "it is written");
        }
        host.die();
        assert!(theirs.iter().all(|path| fs::read(path).unwrap() == bytes(&run(&gone()))), "{name}");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 2, "{name}: nothing is made there");
        let left = Host::open(dir.path(), "s").unreported().len();
        assert_eq!(left, 3 + told[0], "{name}: the next host has all");
    }
}
