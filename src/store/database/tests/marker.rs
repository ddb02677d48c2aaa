//! The file by which a Neovim knows of held answers without a host.

use super::*;
use crate::store::database::marker::FILE;

/// The paths that the marker names, or nothing if there is none.
fn marked(dir: &Path) -> Vec<String> {
    let lines = fs::read_to_string(dir.join(FILE)).unwrap_or_default();
    let path = |line: &str| serde_json::from_str::<Value>(line).unwrap()["path"].as_str().unwrap().to_owned();
    lines.lines().map(path).collect()
}

#[test]
fn the_marker_names_the_files_of_answers_that_wait_for_a_decision_and_goes_with_the_last_one() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    for (id, path) in [(1, "/a \"b\"\n.rs"), (2, "/c.rs"), (3, "/landed.rs")] {
        told.keep(Record { path: path.to_owned(), ..record(id, Some("x")) });
    }
    told.land(1, "held");
    told.land(2, "held");
    told.land(3, "applied");
    told.keep(record(4, None));
    told.written();
    told.close();
    assert_eq!(marked(dir.path()), ["/a \"b\"\n.rs", "/c.rs"]);
    let mode = fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let next = TestDatabase::open(dir.path());
    next.land(1, "rejected");
    next.close();
    assert_eq!(marked(dir.path()), ["/c.rs"]);
    next.land(2, "rejected");
    next.close();
    assert!(!dir.path().join(FILE).exists());
    let left: Vec<String> = files(dir.path(), "held").into_iter().map(|(name, _)| name).collect();
    assert_eq!(left, [""; 0], "no temporary file is left");
}

#[test]
fn an_answer_that_was_stored_and_not_landed_is_named_too() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    told.keep(Record { path: "/a.rs".to_owned(), ..record(1, Some("x")) });
    told.written();
    told.close();
    assert_eq!(marked(dir.path()), ["/a.rs"]);
}
