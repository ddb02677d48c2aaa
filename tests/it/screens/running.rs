//! What is shown at a range while its job runs.

use serde_json::json;

use super::picture::{ROWS, expect, gated};
use crate::support::nvim::Nvim;
use crate::support::stream;

const CODE: &str = "use std::fs;

fn load(path: &Path) -> Config {
    let text = read(path).unwrap();
    from_str(&text).unwrap()
}

fn main() {
    start(load(Path::new(\"app.toml\")));
}
";

/// The last row of the range, from 0; the status is below it.
const LAST: usize = 5;

fn delta(text: &str) -> String {
    let delta = json!({"type": "text_delta", "text": text});
    let event = json!({"type": "content_block_delta", "index": 0, "delta": delta});
    format!("{}\n", json!({"type": "stream_event", "event": event}))
}

fn read(nvim: &Nvim, id: &str, path: &str) -> String {
    stream::tool_use(id, "Read", &json!({"file_path": nvim.scratch.project().join(path)}))
}

/// A job on `load`, with the cursor where the user left it.
fn start(cursor: u64) -> (Nvim, crate::support::agents::Run) {
    let (nvim, gated) = gated();
    nvim.edit("config.txt", CODE);
    nvim.command("3,6Botglue run GATE:it return errors");
    nvim.command(&format!("{cursor}"));
    let mut run = gated.run("it");
    run.print(&stream::init("s"));
    (nvim, run)
}

#[test]
fn a_tool_and_one_that_failed() {
    let (nvim, mut run) = start(1);
    run.print(&read(&nvim, "t1", "src/error.rs"));
    expect("tool", &nvim, "the tool", |rows| rows[LAST + 1].contains("Read"));
    run.print(&(stream::tool_result("t1", "…") + &read(&nvim, "t2", "src/erorr.rs")));
    run.print(&stream::tool_error("t2", "File does not exist."));
    expect("tool-failed", &nvim, "the failure", |rows| rows[LAST + 1].contains("✗ Read"));
}

#[test]
fn the_list_of_tools_with_the_cursor_in_the_range() {
    let (nvim, mut run) = start(4);
    for n in 1..=6 {
        let id = format!("t{n}");
        run.print(&read(&nvim, &id, &format!("src/{n}.rs")));
        match n {
            2 => run.print(&stream::tool_error(&id, "File does not exist.")),
            6 => {}
            _ => run.print(&stream::tool_result(&id, "…")),
        }
    }
    expect("tools", &nvim, "the list", |rows| rows.iter().any(|row| row.contains("▸ Read src/6.rs")));
}

#[test]
fn the_code_as_it_comes() {
    let (nvim, mut run) = start(1);
    run.print(&delta("```rust\nfn load(path: &Path) -> Result<Config, Error> {\n"));
    run.print(&delta("    let text = fs::read_to_string(path)\n        .map_err(|e| Error::Read(pa"));
    expect("code", &nvim, "the code", |rows| rows.get(LAST + 4).is_some_and(|row| row.contains("map_err")));
}

#[test]
fn a_retry_with_its_countdown() {
    let (nvim, mut run) = start(1);
    let retry = json!({"type": "system", "subtype": "api_retry", "attempt": 2, "max_retries": 10,
        "retry_delay_ms": 4000, "error_status": 529, "error": "overloaded"});
    run.print(&format!("{retry}\n"));
    expect("retry", &nvim, "the retry", |rows| rows[LAST + 1].contains("overloaded, try 2 of 10 in "));
}

#[test]
fn an_answer_that_waits_for_its_moment() {
    let (nvim, mut run) = start(1);
    nvim.input("v");
    run.print(&delta("fn load() {}"));
    let is_code = |row: &String| row.contains("│ fn load");
    nvim.wait_for_rows("the code", |rows| rows.iter().any(is_code));
    run.print(&stream::result("fn load() {}"));
    drop(run);
    expect("ready", &nvim, "it is ready", |rows| rows[LAST + 1].contains("ready"));
    nvim.input("<Esc>");
    nvim.finished(1);
}

#[test]
fn a_range_that_ends_where_the_window_does() {
    let (nvim, gated) = gated();
    let lines: String = (1..=ROWS + 20).fold(String::new(), |all, n| all + &format!("line {n}\n"));
    nvim.edit("long.txt", &lines);
    let last = ROWS - 1;
    nvim.command(&format!("{},{last}Botglue run GATE:it shorter", last - 1));
    nvim.command("1");
    let mut run = gated.run("it");
    run.print(&(stream::init("s") + &delta("line")));
    let row = usize::try_from(last).unwrap() - 1;
    expect("bottom", &nvim, "beside the last row", |rows| rows[row].contains("writing"));
}

#[test]
fn a_narrow_window_whose_lines_do_not_wrap_beside_another_on_the_same_buffer() {
    let (nvim, mut run) = start(1);
    nvim.command("vsplit | vertical resize 20 | setlocal nowrap");
    run.print(&delta("fn load(path: &Path) -> Result<Config, Error> {\n    todo!()\n"));
    expect("narrow", &nvim, "both windows", |rows| {
        let shown = |words: &str| rows.iter().any(|row| row.contains(words));
        shown("writing") && shown("todo")
    });
}
