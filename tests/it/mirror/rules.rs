//! What the mirror does where Neovim says little: previews, writes, reloads, other names, texts too large.

use serde_json::json;

use super::editor::{Editor, Place};
use crate::support::agents::Gated;
use crate::support::nvim::Builder;
use crate::support::process;
use crate::support::scratch::Scratch;

const TEXT: &[u8] = b"row 1\nrow 2\nrow 3 \xff\xfe\nrow 4\n";

/// An editor, and the agent whose jobs do not end.
fn with_jobs() -> (Editor, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let builder = Builder::new(scratch).option("agents", gated.option());
    (Editor::in_neovim(builder, "row 1\nrow 2\nrow 3\nrow 4\n"), gated)
}

fn start(editor: &Editor, name: &str, range: &serde_json::Value) -> u64 {
    let options = json!({"prompt": format!("GATE:{name}"), "range": range});
    editor.nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
}

fn lines(editor: &Editor, first: u64, last: u64) -> u64 {
    start(editor, "it", &json!({"kind": "line", "first": [first, 0], "last": [last, 0]}))
}

fn place(id: u64, kind: &str, rows: (u64, u64), columns: Option<(u64, u64)>) -> Place {
    Place {
        id,
        kind: Some(kind.to_owned()),
        first: Some(rows.0),
        last: Some(rows.1),
        from: columns.map(|columns| columns.0),
        to: columns.map(|columns| columns.1),
    }
}

#[test]
fn a_preview_and_what_changes_during_it_are_not_taken_for_the_text() {
    let mut editor = Editor::new(TEXT);
    editor.nvim.input(":%s/row/ZZ");
    assert_eq!(editor.is_mirrored().count, 4);
    editor
        .nvim
        .exec_with("vim.api.nvim_buf_set_lines(..., 0, 0, true, { 'by Lua' })", &[editor.buffer.into()]);
    assert_eq!(editor.is_mirrored().count, 5);
    editor.nvim.input("<Esc>");
    editor.is_mirrored();
    editor.nvim.input(":%s/row/ZZ<CR>");
    editor.is_mirrored();
}

#[test]
fn a_write_raises_the_changedtick_without_an_event() {
    let mut editor = Editor::new(TEXT);
    editor.nvim.input("x");
    let before = editor.is_mirrored().ticks;
    editor.nvim.command("silent write");
    let after = editor.is_mirrored().ticks;
    assert!(after.1 > before.1, "{before:?} {after:?}: Neovim tells of writes by now");
}

#[test]
fn a_reload_is_one_replacement_through_which_ranges_are_followed() {
    let (mut editor, _gated) = with_jobs();
    let id = lines(&editor, 2, 3);
    assert_eq!(editor.is_mirrored().places, Some(vec![place(id, "line", (1, 2), None)]));
    editor.nvim.scratch.write("mirrored.txt", "above\nrow 1\nrow 2\nrow 3\nrow 4\n");
    editor.nvim.command("edit!");
    assert_eq!(editor.is_mirrored().places, Some(vec![place(id, "line", (2, 3), None)]));
    editor.nvim.command("silent undo");
    assert_eq!(editor.is_mirrored().places, Some(vec![place(id, "line", (1, 2), None)]));
}

#[test]
fn a_buffer_that_is_unloaded_is_mirrored_again_once_it_is_loaded() {
    let (mut editor, _gated) = with_jobs();
    let id = lines(&editor, 2, 3);
    editor.is_mirrored();
    editor.nvim.command("new | bunload! mirrored.txt");
    let unloaded = editor.compare();
    assert_eq!((unloaded.fault(), unloaded.is_loaded), (None, false));
    editor.nvim.command("buffer mirrored.txt");
    assert_eq!(editor.is_mirrored().places, Some(vec![place(id, "line", (1, 2), None)]));
    editor.nvim.command("bwipeout!");
    assert_eq!(editor.compare().fault(), None);
}

#[test]
fn a_number_that_gets_another_name_with_another_text_is_another_buffer() {
    let (mut editor, _gated) = with_jobs();
    editor.nvim.command("enew");
    editor.nvim.set_lines(&["row 1", "row 2"]);
    let id = lines(&editor, 1, 2);
    editor.want();
    assert_eq!(editor.is_mirrored().places, Some(vec![place(id, "line", (0, 1), None)]));
    editor.nvim.scratch.write("another.txt", "row 1\nrow 2\n");
    editor.nvim.command("silent %delete | set nomodified | edit another.txt");
    assert_eq!(editor.nvim.call("nvim_get_current_buf", &[]), editor.buffer);
    let gone = Place { id, kind: None, first: None, last: None, from: None, to: None };
    assert_eq!(editor.is_mirrored().places, Some(vec![gone]));
}

#[test]
fn a_text_with_another_name_is_the_same_buffer() {
    let (mut editor, _gated) = with_jobs();
    let id = lines(&editor, 2, 3);
    editor.nvim.command("file another.txt");
    editor.nvim.command("silent write | edit!");
    assert_eq!(editor.is_mirrored().places, Some(vec![place(id, "line", (1, 2), None)]));
}

#[test]
fn ranges_of_each_kind_are_known_from_the_first_contact() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let mut editor = Editor::in_neovim(Builder::new(scratch).option("agents", gated.option()), "");
    editor.nvim.edit("kinds.txt", "row 1\nrow 2\nrow 3\nrow 4\n");
    let range =
        |kind: &str, first: [u64; 2], last: [u64; 2]| json!({"kind": kind, "first": first, "last": last});
    let line = start(&editor, "line", &range("line", [4, 0], [4, 0]));
    let char = start(&editor, "char", &range("char", [1, 1], [2, 2]));
    let insert = start(&editor, "insert", &range("insert", [3, 0], [3, 0]));
    editor.want();
    let mut places = editor.is_mirrored().places.unwrap();
    places.sort_by_key(|place| place.id);
    let expected = [
        place(line, "line", (3, 3), None),
        place(char, "char", (0, 1), Some((1, 3))),
        place(insert, "insert", (3, 3), None),
    ];
    assert_eq!(places, expected);
    editor.nvim.input("ggOabove<Esc>");
    let places = editor.is_mirrored().places.unwrap();
    assert!(places.contains(&place(char, "char", (1, 2), Some((1, 3)))), "{places:?}");
}

#[test]
fn what_changed_before_the_first_contact_loses_a_range_only_where_its_ends_were_changed() {
    let (mut editor, _gated) = with_jobs();
    for (row, last) in [(3, Some(4)), (2, None), (4, None)] {
        editor.nvim.edit(&format!("unknown{row}.txt"), "row 1\nrow 2\nrow 3\nrow 4\n");
        let options = json!({
            "prompt": "GATE:it",
            "range": {"kind": "line", "first": [2, 0], "last": [4, 0]},
        });
        let run = "local options, row = ...
            local id = require('botglue').run(options)
            vim.fn.append(0, 'above')
            vim.fn.setline(row + 1, 'edited')
            return id";
        let id = editor.nvim.exec_with(run, &[options, row.into()]).as_u64().unwrap();
        editor.buffer = editor.nvim.call("nvim_get_current_buf", &[]).as_u64().unwrap();
        let expected = match last {
            Some(last) => place(id, "line", (2, last), None),
            None => Place { id, kind: None, first: None, last: None, from: None, to: None },
        };
        assert_eq!(editor.is_mirrored().places, Some(vec![expected]), "row {row}");
    }
}

#[test]
fn the_next_host_follows_the_ranges_as_they_were_when_the_last_one_ended() {
    let (mut editor, _gated) = with_jobs();
    let (kept, edited) = (lines(&editor, 2, 3), lines(&editor, 4, 4));
    editor.is_mirrored();
    editor.nvim.command("4substitute/row/edited/ | 1put! ='above'");
    process::signal(editor.nvim.host().unwrap(), "KILL");
    let lost = |job: u64| format!("return require('botglue').job({job}).status == 'failed'");
    editor.nvim.wait("the plugin knows", || editor.nvim.exec(&lost(edited)) == true);
    let expected = vec![place(kept, "line", (2, 3), None), place(edited, "line", (4, 4), None)];
    assert_eq!(editor.is_mirrored().places, Some(expected));
}

#[test]
fn terminals_prompts_and_texts_that_take_no_changes_are_not_mirrored() {
    let mut editor = Editor::new(TEXT);
    for open in ["new | setlocal buftype=prompt", "new | setlocal nomodifiable", "new | terminal cat"] {
        editor.nvim.command(open);
        editor.want();
        let compared = editor.compare();
        assert_eq!((compared.link.as_deref(), compared.count), (Some("unknown"), 0), "{open}");
    }
}

#[test]
fn a_text_that_is_too_large_is_not_mirrored_until_it_is_read_again() {
    let mut editor = Editor::new(TEXT);
    for grow in [
        "vim.fn.append(0, vim.fn['repeat']({ 'row' }, 100000))",
        "vim.fn.append(0, ('x'):rep(256 * 1024 + 1))",
        "vim.fn.append(0, vim.fn['repeat']({ ('x'):rep(200 * 1024) }, 90))",
    ] {
        editor.nvim.exec(grow);
        let compared = editor.compare();
        assert_eq!((compared.link.as_deref(), compared.count), (Some("too_large"), 0), "{grow}");
        editor.nvim.command("doautocmd BufEnter");
        assert_eq!(editor.compare().link.as_deref(), Some("too_large"), "{grow}");
        editor.nvim.command("edit!");
        editor.is_mirrored();
    }
}
