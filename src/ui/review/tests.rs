use super::*;
use crate::document::Document;
use crate::review::Conflict;

fn text(chunks: &Chunks) -> String {
    chunks.iter().map(|Cell(text, _)| text.as_str()).collect()
}

/// Rows 2 and 3 go, below row 5 one comes, and two do below row 8, one of them in place of it.
fn hunks() -> [Hunk; 4] {
    let insertion = Hunk::sample(9..9, &["n"]);
    [Hunk::sample(2..4, &["x"]), Hunk::sample(6..6, &["new"]), Hunk::sample(8..9, &["y"]), insertion]
}

#[test]
fn a_key_means_the_hunk_under_the_cursor() {
    let all = hunks();
    let visited = all[3].id;
    for (row, visited, expected) in [
        (1, None, None),
        (2, None, Some(0)),
        (3, None, Some(0)),
        (4, None, None),
        (5, None, Some(1)),
        (6, None, Some(1)),
        (8, None, Some(2)),
        (8, Some(visited), Some(3)),
        (9, None, Some(3)),
    ] {
        assert_eq!(under(&all, row, visited), expected, "{row} {visited:?}");
    }
}

#[test]
fn where_there_is_less_room_the_head_line_loses_prompt_agent_and_counts_never_the_keys() {
    let keys = "do take dp drop ]c next";
    let mut two = [Hunk::sample(0..1, &["x"]), Hunk::sample(3..4, &["y"])];
    two[1].conflict = Some(Conflict::Deleted);
    let line = |hunks: &[Hunk], room| {
        let (place, agent, about) = ((1, 3), "claude", "return errors instead\nof panicking");
        let (no_text, gone, note) = (Rows::default(), &[], None);
        text(&Picture { place, agent, about, keys, note, text: &no_text, hunks, gone }.head_line(room))
    };
    for (room, expected) in [
        (100, "◆ 1 of 3 · claude · return errors instead of panicking · 2 hunks, 1 ⚠ · "),
        (80, "◆ 1 of 3 · claude · return errors inst… · 2 hunks, 1 ⚠ · "),
        (60, "◆ 1 of 3 · claude · 2 hunks, 1 ⚠ · "),
        (50, "◆ 1 of 3 · 2 hunks, 1 ⚠ · "),
        (40, "◆ 1 of 3 · "),
        (30, "◆ "),
    ] {
        assert_eq!(line(&two, room), format!("{expected}{keys}"), "{room}");
    }
    assert_eq!(line(&two[..1], 50), format!("◆ 1 of 3 · 1 hunk · {keys}"));
}

#[test]
fn rows_wrap_between_characters_and_are_filled_to_the_edge() {
    let pane = Pane { width: 10, tabstop: 8, height: 4 + ASIDE, past: 100, ..Pane::default() };
    let drawing = Drawing { pane: &pane, text: &Rows::default(), marks: Vec::new() };
    let come = |lines: &[&str]| -> Vec<String> {
        drawing.rows_that_come(&Hunk::sample(0..1, lines), &[], &[]).iter().map(text).collect()
    };
    assert_eq!(come(&["xxxxxxxxx漢", "a\tb"]), ["xxxxxxxxx ", "漢        ", "a       b "]);
    assert_eq!(come(&["1", "2", "3", "4", "5"])[3], "… 2 more …");
    assert_eq!(text(&pieces(b"a\x01b\xff", &[], 8)), "a^Ab<ff>");
}

#[test]
fn what_comes_in_a_block_stands_behind_blanks_where_the_row_ends_before_it() {
    let text = Document::new(["\tab"]);
    let old = text.rows().get(0).unwrap();
    assert_eq!(filled(b"\tabX", Some(old), Some(12), 8), b"\tab  X");
    assert_eq!(filled(b"\tabX", Some(old), None, 8), b"\tabX");
    assert_eq!(filled(b"other", Some(old), Some(12), 8), b"other");
}
