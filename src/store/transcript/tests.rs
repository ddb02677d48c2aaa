use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::*;

/// How long anything may take before a test says that it hangs.
const DEADLINE: Duration = Duration::from_secs(30);

/// Waits until all is written that was handed over; the transcripts are dropped before.
fn settle(transcripts: &Transcripts) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let since = Instant::now();
    runtime.block_on(transcripts.close(since + DEADLINE));
    assert!(since.elapsed() < DEADLINE, "all is written");
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
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
    let folder = folder(dir.path());
    fs::create_dir(&folder).unwrap();
    let theirs =
        ["2024-01-01.jsonl", "talk.txt", "000000000000001-1-+1.jsonl", "000000000000001-1-1.jsonl.bak"];
    for name in theirs {
        old(&folder, name, MAX_TOTAL_BYTES);
    }
    for id in 0..205 {
        old(&folder, &format!("{id:015}-2-{id}.jsonl"), 1);
    }
    let transcripts = Transcripts::under(dir.path());
    let mut transcript = transcripts.open(7);
    transcript.append(b"{}\n");
    let path = transcript.path().unwrap().to_owned();
    drop(transcript);
    settle(&transcripts);
    let left = names(&folder);
    assert!(theirs.iter().all(|name| left.contains(&(*name).to_owned())), "{left:?}");
    assert_eq!(left.len(), theirs.len() + MAX_TRANSCRIPTS, "theirs are not counted either");
    let is_left = |id: u64| left.contains(&format!("{id:015}-2-{id}.jsonl"));
    assert_eq!([is_left(5), is_left(6)], [false, true]);
    assert_eq!(fs::read(&path).unwrap(), b"{}\n");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    // One as long as all may be, in place of the newest: the others go.
    old(&folder, "900000000000000-1-1.jsonl", MAX_TOTAL_BYTES);
    let next = Transcripts::under(dir.path());
    drop(next.open(8));
    settle(&next);
    assert_eq!(names(&folder).len(), theirs.len() + 2, "that one, and the one that begins");

    let fresh = Transcripts::under(&dir.path().join("fresh"));
    drop(fresh.open(1));
    settle(&fresh);
    let mode = fs::metadata(super::folder(&dir.path().join("fresh"))).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_long_stream_is_cut_and_the_last_line_says_so() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(folder(dir.path())).unwrap();
    let path = folder(dir.path()).join("1-1-1.jsonl");
    let (chunks, waiting) = mpsc::sync_channel(64);
    for _ in 0..40 {
        chunks.send(vec![b'x'; 1 << 20]).unwrap();
    }
    drop(chunks);
    write(&folder(dir.path()), &path, &waiting).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.len() > LIMIT && text.len() < LIMIT + 200, "{}", text.len());
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["cut"]),
        (&"botglue".into(), &"no transcript is longer than 32 MB".into())
    );
}

#[test]
fn a_folder_or_a_file_behind_a_symbolic_link_is_left_alone() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    old(elsewhere.path(), "000000000000001-1-1.jsonl", MAX_TOTAL_BYTES + 1);
    let other = dir.path().join("other");
    fs::create_dir_all(folder(&other)).unwrap();
    symlink(elsewhere.path(), folder(dir.path())).unwrap();
    symlink(
        elsewhere.path().join("000000000000001-1-1.jsonl"),
        folder(&other).join("000000000000002-1-1.jsonl"),
    )
    .unwrap();
    for data_dir in [dir.path(), &other] {
        let transcripts = Transcripts::under(data_dir);
        transcripts.open(7).append(b"{}\n");
        settle(&transcripts);
    }
    assert_eq!(names(elsewhere.path()), ["000000000000001-1-1.jsonl"]);
    assert_eq!(
        fs::metadata(elsewhere.path().join("000000000000001-1-1.jsonl")).unwrap().len(),
        MAX_TOTAL_BYTES + 1
    );
    assert_eq!(names(&folder(&other)).len(), 2);
}

#[test]
fn a_disk_that_stands_still_holds_up_neither_a_stream_nor_the_end_of_the_host() {
    // Nobody takes the chunks.
    let (chunks, _waiting) = mpsc::sync_channel(WAITING);
    let mut transcript = Transcript { path: None, chunks: Some(chunks) };
    let since = Instant::now();
    for _ in 0..2 * WAITING {
        transcript.append(&[b'x'; 1000]);
    }
    assert!(since.elapsed() < DEADLINE && transcript.chunks.is_none());

    let dir = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::under(dir.path());
    let _running = transcripts.open(1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(transcripts.close(Instant::now() + Duration::from_millis(20)));
    assert!(since.elapsed() < DEADLINE);
}
