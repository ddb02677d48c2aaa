#![expect(clippy::disallowed_methods, reason = "tests write files of their own")]
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use super::{LIMIT, Rules, find};

fn project(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn rules(files: &[(&str, &str)]) -> Vec<Rules> {
    files.iter().map(|(name, text)| Rules { name: (*name).to_owned(), text: (*text).to_owned() }).collect()
}

#[test]
fn each_file_goes_along_once() {
    let (one, two) = (("CLAUDE.md", "one"), ("AGENTS.md", "two"));
    assert_eq!(find(project(&[]).path()), rules(&[]));
    assert_eq!(find(project(&[one]).path()), rules(&[one]));
    assert_eq!(find(project(&[two]).path()), rules(&[two]));
    assert_eq!(find(project(&[two, one]).path()), rules(&[one, two]));
    assert_eq!(find(project(&[one, ("AGENTS.md", "one")]).path()), rules(&[one]));
    assert_eq!(find(project(&[("CLAUDE.md", " \n"), two]).path()), rules(&[two]));
    assert_eq!(find(Path::new("/there/is/no/such/directory")), rules(&[]));
}

#[test]
fn a_link_within_the_project_counts_and_one_out_of_it_does_not() {
    let secret = project(&[("secret", "key")]);
    let dir = project(&[("AGENTS.md", "two")]);
    symlink("AGENTS.md", dir.path().join("CLAUDE.md")).unwrap();
    assert_eq!(find(dir.path()), rules(&[("CLAUDE.md", "two")]));
    fs::remove_file(dir.path().join("CLAUDE.md")).unwrap();
    symlink(secret.path().join("secret"), dir.path().join("CLAUDE.md")).unwrap();
    assert_eq!(find(dir.path()), rules(&[("AGENTS.md", "two")]));
}

#[test]
fn what_is_no_plain_file_is_left_out() {
    let dir = project(&[("AGENTS.md", "two")]);
    fs::create_dir(dir.path().join("CLAUDE.md")).unwrap();
    assert_eq!(find(dir.path()), rules(&[("AGENTS.md", "two")]));
    // Reading a device like this one would not end.
    let dir = project(&[]);
    symlink("/dev/zero", dir.path().join("CLAUDE.md")).unwrap();
    assert_eq!(find(dir.path()), rules(&[]));
}

#[test]
fn a_long_file_is_cut_at_the_end_of_a_line_and_says_so() {
    let whole = "x".repeat(LIMIT);
    assert_eq!(find(project(&[("CLAUDE.md", &whole)]).path()), rules(&[("CLAUDE.md", &whole)]));
    let line = "0123456789\n";
    let long = line.repeat(LIMIT / line.len() + 5);
    let kept = line.repeat(LIMIT / line.len());
    let cut =
        format!("{kept}[cut here: the file has {} bytes, these are its first {}]", long.len(), kept.len());
    assert_eq!(find(project(&[("CLAUDE.md", &long)]).path()), rules(&[("CLAUDE.md", &cut)]));
}

#[test]
fn one_endless_line_is_cut_between_characters() {
    let long = "é".repeat(LIMIT);
    let found = find(project(&[("CLAUDE.md", &format!("x{long}"))]).path());
    let kept = format!("x{}", "é".repeat((LIMIT - 1) / 2));
    let cut = format!(
        "{kept}\n[cut here: the file has {} bytes, these are its first {}]",
        2 * LIMIT + 1,
        kept.len()
    );
    assert_eq!(found, rules(&[("CLAUDE.md", &cut)]));
}

#[test]
fn a_byte_order_mark_goes_and_what_is_not_utf8_is_replaced() {
    let dir = project(&[]);
    fs::write(dir.path().join("CLAUDE.md"), b"\xef\xbb\xbfa \xff b\n").unwrap();
    assert_eq!(find(dir.path()), rules(&[("CLAUDE.md", "a \u{fffd} b\n")]));
}
