//! The line below the range of a job, from its start until its answer is held.

use serde_json::json;

use super::picture::{expect, gated};
use crate::support::nvim::Nvim;
use crate::support::stream;

#[test]
fn a_job_that_reads_and_is_held() {
    let (nvim, gated) = gated();
    nvim.edit("a.txt", "fn load(path: &Path) -> Config {\n    read(path).unwrap()\n}\n\nend\n");
    nvim.command("1,3Botglue! run GATE:it return errors instead of panicking");
    let mut run = gated.run("it");
    let path = nvim.scratch.project().join("src/error.rs");
    run.print(&(stream::init("s") + &stream::tool_use("t1", "Read", &json!({"file_path": path}))));
    expect("held-running", &nvim, "the tool", |rows| {
        let listed = rows.iter().any(|row| row.contains("▸ Read"));
        rows[3].contains("Read") && rows[3].ends_with("7s") && listed
    });
    run.print(&(stream::tool_result("t1", "…") + &stream::text("end") + &stream::result("end")));
    drop(run);
    expect("held", &nvim, "the answer is held", |rows| rows[3].contains("held"));
}

/// A held answer to lines of which the user has edited one that it changes, and one that it does not.
fn edited() -> Nvim {
    let (nvim, gated) = gated();
    nvim.edit("a.txt", "fn load(path: &Path) -> Config {\n    read(path).unwrap()\n}\n\nfn main() {}\n");
    nvim.command("1,5Botglue run GATE:it return errors");
    nvim.mirrored();
    nvim.input("2GA // todo<Esc>5GA // here<Esc>gg");
    gated.answer("it", "fn load(path: &Path) -> Result<Config> {\n    read(path)\n}\n\nfn main() {}");
    nvim.finished(1);
    nvim
}

#[test]
fn what_the_buffer_would_be_beside_it() {
    let nvim = edited();
    // Neovim 0.12 compares by other options.
    nvim.command("set diffopt=internal,filler,closeoff | Botglue diff");
    expect("diff", &nvim, "the proposal", |rows| rows.concat().contains("q close"));
}

#[test]
fn the_answer_in_a_buffer_of_its_own() {
    let nvim = edited();
    nvim.command("Botglue edit");
    // Its name has the job's key, which no other session has.
    nvim.command("setlocal statusline=botglue://answer");
    expect("edit", &nvim, "the answer", |rows| rows.concat().contains("botglue://answer"));
}
