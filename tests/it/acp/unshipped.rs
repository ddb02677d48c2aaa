//! Agents that are not shipped, read as any that speaks the protocol.

use std::fs;
use std::path::Path;

use botglue::agent::Protocol;
use botglue::stream::ProcessEnd;

use crate::streams::read;

#[test]
fn no_words_of_an_error_land() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/acp/unshipped");
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let (_, outcome) = read(Protocol::Acp.recipe(), [&*bytes], &ProcessEnd::with_code(0));
        assert!(outcome.counts.lines > 3, "{}", path.display());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        texts.extend(outcome.text.map(|text| (name, text)));
    }
    let answered = ("droid-acp-allowlist-runs-command".to_owned(), "after".to_owned());
    assert_eq!(texts, [answered], "the others have no answer");
}
