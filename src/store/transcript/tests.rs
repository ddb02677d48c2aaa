use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::journal::sample::DEADLINE;

/// Records a short stream of a job whole. No two jobs of a host have the same number, nor two files the same name.
fn record(data_dir: &Path, id: u64) -> PathBuf {
    let transcripts = Transcripts::under(data_dir);
    let mut transcript = transcripts.open(id);
    transcript.append(b"{}\n");
    let path = transcript.path().unwrap().to_owned();
    drop(transcript);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let since = Instant::now();
    runtime.block_on(transcripts.close(since + DEADLINE));
    assert!(since.elapsed() < DEADLINE, "all is written");
    path
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

/// A transcript of long ago, of that many bytes.
fn old(folder: &Path, name: &str, size: u64) {
    File::create_new(folder.join(name)).unwrap().set_len(size).unwrap();
}

#[test]
fn only_the_newest_stay_and_only_their_owner_reads_them() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = folder(dir.path());
    let path = record(dir.path(), 1);
    assert_eq!(fs::read(&path).unwrap(), b"{}\n");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));

    let theirs =
        ["2024-01-01.jsonl", "talk.txt", "000000000000001-1-+1.jsonl", "000000000000001-1-1.jsonl.bak"];
    for name in theirs {
        old(&folder, name, MAX_TOTAL_BYTES);
    }
    old(elsewhere.path(), "000000000000001-1-1.jsonl", MAX_TOTAL_BYTES + 1);
    let link = folder.join("000000000000002-1-1.jsonl");
    symlink(elsewhere.path().join("000000000000001-1-1.jsonl"), &link).unwrap();
    for id in 0..205 {
        old(&folder, &format!("{id:015}-2-{id}.jsonl"), 1);
    }
    fs::remove_file(path).unwrap();
    record(dir.path(), 2);
    let left = names(&folder);
    let is_left = |id: u64| left.contains(&format!("{id:015}-2-{id}.jsonl"));
    assert_eq!([is_left(5), is_left(6)], [false, true], "theirs and links are not counted");
    assert_eq!(left.len(), theirs.len() + 1 + MAX_TRANSCRIPTS);

    // One as long as all may be, in place of the newest: the others go.
    old(&folder, "900000000000000-1-1.jsonl", MAX_TOTAL_BYTES);
    record(dir.path(), 3);
    let left = names(&folder);
    assert!(theirs.iter().all(|name| left.contains(&(*name).to_owned())), "{left:?}");
    assert_eq!(left.len(), theirs.len() + 1 + 2, "that one, and the one that begins");

    // Where a clock was set back, others count as newer than the one that begins.
    old(&folder, "900000000000000-1-2.jsonl", 1);
    assert!(record(dir.path(), 5).exists());

    // Nothing is written, or removed, behind a link.
    let linked = dir.path().join("linked");
    fs::create_dir(&linked).unwrap();
    symlink(elsewhere.path(), super::folder(&linked)).unwrap();
    record(&linked, 4);
    assert_eq!(names(elsewhere.path()), ["000000000000001-1-1.jsonl"]);
}

#[test]
fn a_long_stream_is_cut_and_the_last_line_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1-1-1.jsonl");
    let (chunks, waiting) = mpsc::sync_channel(64);
    for _ in 0..40 {
        chunks.send(vec![b'x'; 1 << 20]).unwrap();
    }
    drop(chunks);
    write(dir.path(), &path, &waiting).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.len() > LIMIT && text.len() < LIMIT + 200, "{}", text.len());
    assert_eq!(
        text.lines().last().unwrap(),
        r#"{"cut":"no transcript is longer than 32 MB","type":"botglue"}"#
    );
}
