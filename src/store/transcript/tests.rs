use super::*;
use std::os::unix::fs::PermissionsExt;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A transcript of long ago, of that many bytes.
fn old(folder: &Path, name: &str, size: u64) {
    File::create_new(folder.join(name)).unwrap().set_len(size).unwrap();
}

#[test]
fn only_the_newest_stay_and_only_their_owner_reads_them() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    for id in 0..(KEPT as u64 + 5) {
        transcripts.open(id).printed(b"{}\n");
    }
    let folder = folder(dir.path());
    let names = names(&folder);
    assert_eq!(names.len(), KEPT);
    assert!(names.last().unwrap().ends_with("-204.jsonl"));
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
    running.printed(b"first");
    let ended = |name: &str| folder.join(name).exists();
    // Just enough is there for what is open already.
    old(&folder, "000000000000001-1-1.jsonl", TOTAL / 2);
    old(&folder, "000000000000002-1-1.jsonl", TOTAL / 2 - PIECE);
    let next = transcripts.open(2);
    assert_eq!((ended("000000000000001-1-1.jsonl"), ended("000000000000002-1-1.jsonl")), (false, true));
    running.printed(&vec![b'x'; usize::try_from(TOTAL / 2).unwrap()]);
    let written = running.path().unwrap().to_owned();
    assert_eq!(fs::metadata(&written).unwrap().len(), LIMIT, "one is never longer");

    old(&folder, "200000000000000-1-1.jsonl", TOTAL);
    drop(transcripts.open(3));
    assert!(written.exists() && !ended("200000000000000-1-1.jsonl"), "the oldest is still written");
    drop(running);
    old(&folder, "200000000000000-1-1.jsonl", TOTAL - 2 * PIECE);
    drop(transcripts.open(4));
    assert!(!written.exists() && next.path().unwrap().exists());
}

#[test]
fn what_is_being_written_never_takes_more_than_all_the_room() {
    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    let mut running: Vec<_> = (0..8).map(|id| transcripts.open(id)).collect();
    let chunk = vec![b'x'; usize::try_from(PIECE).unwrap()];
    for _ in 0..LIMIT / PIECE {
        for transcript in &mut running {
            transcript.printed(&chunk);
        }
    }
    let folder = folder(dir.path());
    let taken: u64 = names(&folder).iter().map(|name| fs::metadata(folder.join(name)).unwrap().len()).sum();
    assert!(taken <= TOTAL && taken > TOTAL - LIMIT, "{taken}");
    assert_eq!(transcripts.open(9).path(), None, "there is no room for one more");
}

#[test]
fn a_folder_that_cannot_be_made_disturbs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let blocked = dir.path().join("file");
    fs::write(&blocked, "").unwrap();
    let mut transcript = Transcripts::under(&blocked).open(1);
    transcript.printed(b"lost");
    assert_eq!(transcript.path(), None);
}
