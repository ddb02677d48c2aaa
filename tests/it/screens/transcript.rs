//! What an agent did, as a conversation.

use serde_json::json;

use super::picture::{expect, gated};
use crate::support::stream;

#[test]
fn a_transcript_of_a_job_that_ended_and_of_one_that_runs() {
    let (nvim, gated) = gated();
    // What else the line says is not the same in all versions.
    nvim.command("set statusline=%f");
    // Nor is it known whether the text is drawn below the range before the next tool begins.
    nvim.exec("require('botglue').setup({ status = { preview = 0 } })");
    nvim.edit("a.rs", "fn load() {\n    read().unwrap()\n}\n");
    nvim.command("1,3Botglue run GATE:it return errors instead of panicking");
    let mut run = gated.run("it");
    let path = |name: &str| json!({ "file_path": nvim.scratch.project().join(name) });
    let thought = json!({"type": "assistant", "message": {"id": "msg_0", "model": "claude-test",
        "content": [{"type": "thinking", "thinking": "There may be an error type.\nI look for it."}]}});
    run.print(&(stream::init("s") + &format!("{thought}\n")));
    run.print(&stream::text("I look for the **error type** first."));
    run.print(&stream::tool_use("t1", "Read", &path("src/error.rs")));
    run.print(&stream::tool_result("t1", "pub enum Error {\n    Read,\n}"));
    run.print(&stream::tool_use("t2", "Read", &path("src/erorr.rs")));
    run.print(&stream::tool_error("t2", "File does not exist."));
    run.print(&stream::tool_use("t3", "Grep", &json!({ "pattern": "Error::Read" })));
    nvim.wait("the last tool is in its file", || {
        let dir = nvim.scratch.path("data/nvim/botglue/transcripts");
        let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
        files.map(|file| std::fs::read_to_string(file.path()).unwrap()).any(|all| all.contains("t3"))
    });
    nvim.input(":Botglue transcript<CR>");
    expect("transcript-running", &nvim, "the last tool", |rows| {
        rows.iter().any(|row| row.starts_with("▸ Grep Error::Read"))
    });
    nvim.input("q");
    run.print(&stream::tool_result("t3", "src/a.rs:1"));
    let answer = "fn load() -> Result<(), Error> {\n    read()\n}";
    run.print(&(stream::text(answer) + &stream::result(answer)));
    drop(run);
    nvim.finished(1);
    nvim.input(":Botglue transcript<CR><C-w>_");
    let end = "10 tokens in, 5 out";
    nvim.wait("all of it", || nvim.exec(&format!("return vim.fn.getline('$'):find('{end}') ~= nil")) == true);
    expect("transcript", &nvim, "from its beginning", |rows| rows[0].contains("## You"));
}
