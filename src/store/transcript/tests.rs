use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::*;

const PATIENCE: Duration = Duration::from_secs(30);

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits until all is written that was handed over.
fn settle(transcripts: &Transcripts) {
    let (done, settled) = mpsc::channel();
    let then = Box::new(move || done.send(()).unwrap());
    transcripts.channel.as_ref().unwrap().send(TranscriptTask::Then(then));
    settled.recv_timeout(PATIENCE).expect("all is written");
}

/// A transcript of long ago, of that many bytes.
fn old(folder: &Path, name: &str, size: u64) {
    File::create_new(folder.join(name)).unwrap().set_len(size).unwrap();
}

/// Prints that many bytes, no faster than they are written.
fn print(transcripts: &Transcripts, transcript: &mut Transcript, bytes: u64) {
    let chunk = vec![b'x'; usize::try_from(PIECE).unwrap()];
    for _ in 0..bytes / PIECE {
        transcript.append(&chunk);
        settle(transcripts);
    }
}

/// Why a transcript is cut, as its last line says.
fn cut_by(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.strip_suffix('\n')?.lines().last()?).ok()?;
    assert_eq!(last["type"], "botglue");
    last["cut"].as_str().map(str::to_owned)
}

#[test]
fn only_the_newest_stay_and_only_their_owner_reads_them() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    for id in 0..(MAX_TRANSCRIPTS as u64 + 5) {
        transcripts.open(id).append(b"{}\n");
    }
    settle(&transcripts);
    let folder = folder(dir.path());
    let names = names(&folder);
    assert_eq!(names.len(), MAX_TRANSCRIPTS);
    let is_kept = |id: u64| names.iter().any(|name| name.ends_with(&format!("-{id}.jsonl")));
    assert!((5..205).all(is_kept), "{names:?}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(&names[0])), 0o600);
}

#[test]
fn the_oldest_make_room_but_for_those_that_are_being_written() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    let folder = folder(dir.path());
    let mut running = transcripts.open(1);
    running.append(b"first");
    settle(&transcripts);
    let ended = |name: &str| folder.join(name).exists();
    // Just enough is there for what is open already.
    old(&folder, "000000000000001-1-1.jsonl", MAX_TOTAL_BYTES / 2);
    old(&folder, "000000000000002-1-1.jsonl", MAX_TOTAL_BYTES / 2 - PIECE);
    let next = transcripts.open(2);
    settle(&transcripts);
    assert_eq!((ended("000000000000001-1-1.jsonl"), ended("000000000000002-1-1.jsonl")), (false, true));
    print(&transcripts, &mut running, 2 * LIMIT);
    let written = running.path().unwrap().to_owned();
    let length = fs::metadata(&written).unwrap().len();
    assert!(length <= LIMIT && length > LIMIT - 1024, "one is never longer: {length}");
    assert_eq!(cut_by(&written).unwrap(), "no transcript is longer than 32 MB");

    old(&folder, "200000000000000-1-1.jsonl", MAX_TOTAL_BYTES);
    drop(transcripts.open(3));
    settle(&transcripts);
    assert!(written.exists() && !ended("200000000000000-1-1.jsonl"), "the oldest is still written");
    drop(running);
    settle(&transcripts);
    old(&folder, "200000000000000-1-1.jsonl", MAX_TOTAL_BYTES - 2 * PIECE);
    drop(transcripts.open(4));
    settle(&transcripts);
    assert!(!written.exists() && next.path().unwrap().exists());
}

#[test]
fn what_is_being_written_never_takes_more_than_all_the_room() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    let mut running: Vec<_> = (0..8).map(|id| transcripts.open(id)).collect();
    for _ in 0..LIMIT / PIECE {
        for transcript in &mut running {
            print(&transcripts, transcript, PIECE);
        }
    }
    let folder = folder(dir.path());
    let taken: u64 = names(&folder).iter().map(|name| fs::metadata(folder.join(name)).unwrap().len()).sum();
    assert!(taken <= MAX_TOTAL_BYTES && taken > MAX_TOTAL_BYTES - LIMIT, "{taken}");
    let full = "the transcripts that are being written take all the room";
    assert!(running.iter().all(|transcript| {
        let file = transcript.path().unwrap();
        !file.exists() || cut_by(file).as_deref() == Some(full)
    }));
    let late = transcripts.open(9);
    settle(&transcripts);
    assert!(!late.path().unwrap().exists(), "there is no room for one more");
}

#[test]
fn a_folder_that_cannot_be_made_disturbs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let blocked = dir.path().join("file");
    fs::write(&blocked, "").unwrap();
    let transcripts = Transcripts::under(&blocked);
    let mut transcript = transcripts.open(1);
    transcript.append(b"lost");
    settle(&transcripts);
    assert!(!transcript.path().unwrap().exists());
}

#[test]
fn only_what_has_a_name_of_our_own_making_is_ever_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(dir.path());
    fs::create_dir(&folder).unwrap();
    let theirs = [
        "2024-01-01-1.jsonl",
        "talk.txt",
        "00000000000001-1-1.jsonl",
        "0000000000000001-1-1.jsonl",
        "000000000000001-01-1.jsonl",
        "000000000000001-1-+1.jsonl",
        "000000000000001-1-1-1.jsonl",
        "000000000000001-1-1.jsonl.bak",
        "000000000000001-1-1.JSONL",
        "000000000000001-4294967296-1.jsonl",
    ];
    for name in theirs {
        old(&folder, name, MAX_TOTAL_BYTES);
    }
    old(&folder, "000000000000001-1-1.jsonl", MAX_TOTAL_BYTES + 1);
    for id in 0..(MAX_TRANSCRIPTS as u64 + 5) {
        let name = format!("{id:015}-2-{id}.jsonl");
        old(&folder, &name, 1);
    }
    let transcripts = Transcripts::under(dir.path());
    transcripts.open(7).append(b"{}\n");
    settle(&transcripts);
    let names = names(&folder);
    assert_eq!(theirs.iter().filter(|name| !names.contains(&(**name).to_owned())).count(), 0, "{names:?}");
    assert_eq!(names.len(), theirs.len() + MAX_TRANSCRIPTS, "theirs are not counted either");
    assert!(!names.contains(&"000000000000001-1-1.jsonl".to_owned()));
}

#[test]
fn a_folder_behind_a_symbolic_link_is_left_alone() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    old(elsewhere.path(), "000000000000001-1-1.jsonl", MAX_TOTAL_BYTES + 1);
    symlink(elsewhere.path(), folder(dir.path())).unwrap();
    let transcripts = Transcripts::under(dir.path());
    transcripts.open(7).append(b"{}\n");
    settle(&transcripts);
    assert_eq!(names(elsewhere.path()), ["000000000000001-1-1.jsonl"]);
}

#[test]
fn a_symbolic_link_with_a_name_of_ours_is_neither_followed_nor_dropped() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = folder(dir.path());
    fs::create_dir(&folder).unwrap();
    old(elsewhere.path(), "target", MAX_TOTAL_BYTES + 1);
    symlink(elsewhere.path().join("target"), folder.join("000000000000001-1-1.jsonl")).unwrap();
    let transcripts = Transcripts::under(dir.path());
    transcripts.open(7).append(b"{}\n");
    settle(&transcripts);
    assert_eq!(names(&folder).len(), 2);
    assert_eq!(fs::metadata(elsewhere.path().join("target")).unwrap().len(), MAX_TOTAL_BYTES + 1);
}

/// Makes the thread that writes stand still until the sender is dropped.
fn stand_still(transcripts: &Transcripts) -> mpsc::Sender<()> {
    let (go_on, waiting) = mpsc::channel();
    let then = Box::new(move || {
        assert_eq!(waiting.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected));
    });
    transcripts.channel.as_ref().unwrap().send(TranscriptTask::Then(then));
    go_on
}

#[test]
fn a_disk_that_stands_still_blocks_nobody_who_prints_and_all_is_written_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    let go_on = stand_still(&transcripts);
    let mut transcript = transcripts.open(1);
    let path = transcript.path().unwrap().to_owned();
    for _ in 0..1000 {
        transcript.append(b"{}\n");
    }
    drop(transcript);
    assert!(!path.exists());
    drop(go_on);
    settle(&transcripts);
    assert_eq!(fs::read(path).unwrap(), b"{}\n".repeat(1000));
}

#[test]
fn what_is_too_much_for_the_disk_is_cut_and_the_last_line_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    let mut transcript = transcripts.open(1);
    transcript.append(b"first");
    settle(&transcripts);
    let go_on = stand_still(&transcripts);
    transcript.append(&vec![b'x'; WAITING]);
    transcript.append(b"too late");
    assert!(transcripts.open(2).path().is_some());
    drop(go_on);
    settle(&transcripts);
    transcript.append(b"too late too");
    settle(&transcripts);
    let path = transcript.path().unwrap().to_owned();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().next(), Some("first"));
    assert_eq!(cut_by(&path).unwrap(), "the disk was too slow for it");
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
}

#[test]
fn what_waits_for_the_disk_is_bounded_however_many_jobs_print() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    let left = || transcripts.channel.as_ref().unwrap().budget.take(WAITING);
    let go_on = stand_still(&transcripts);
    let chunk = vec![b'x'; 64 << 10];
    let mut open = Vec::new();
    let mut jobs = 0..;
    while let Some(mut transcript) =
        jobs.next().map(|id| transcripts.open(id)).filter(|open| open.path().is_some())
    {
        for _ in 0..100 {
            transcript.append(&chunk);
        }
        open.push(transcript);
    }
    assert!(open.len() <= WAITING / OVERHEAD, "a job that begins then keeps none");
    assert!(!left());
    drop(open);
    drop(go_on);
    settle(&transcripts);
    assert!(left(), "all of it was given back");
}
