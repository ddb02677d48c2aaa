//! The line below the range of a job, from its start until its answer is held.

use serde_json::json;

use crate::support::nvim::Nvim;
use crate::support::picture::{Stage, on_each_screen};
use crate::support::stream;

#[test]
fn a_job_that_reads_and_is_held() {
    on_each_screen(|stage| {
        let (nvim, gated) = stage.gated();
        nvim.edit("a.txt", "fn load(path: &Path) -> Config {\n    read(path).unwrap()\n}\n\nend\n");
        nvim.command("1,3Botglue! run GATE:it return errors instead of panicking");
        let mut run = gated.run("it");
        let path = nvim.scratch.project().join("src/error.rs");
        run.print(&(stream::init("s") + &stream::tool_use("t1", "Read", &json!({"file_path": path}))));
        nvim.set_clock(7_000);
        stage.expect("held-running", &nvim, "the tool", |rows| {
            let listed = rows.iter().any(|row| row.contains("▸ Read"));
            rows[3].contains("Read") && rows[3].ends_with("7s") && listed
        });
        run.print(&(stream::tool_result("t1", "…") + &stream::text("end") + &stream::result("end")));
        drop(run);
        stage.expect("held", &nvim, "the answer is held", |rows| rows[3].contains("held"));
    });
}

/// A held answer to lines of which the user has edited one that it changes, and one that it does not.
fn edited(stage: &Stage) -> Nvim {
    let (nvim, gated) = stage.gated();
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
    on_each_screen(|stage| {
        let nvim = edited(stage);
        nvim.command("Botglue diff");
        stage.expect("diff", &nvim, "the proposal", |rows| rows.concat().contains("q close"));
    });
}

#[test]
fn the_answer_in_a_buffer_of_its_own() {
    on_each_screen(|stage| {
        let nvim = edited(stage);
        nvim.command("Botglue edit");
        stage.expect("edit", &nvim, "the answer", |rows| rows.concat().contains("botglue://answer/1"));
    });
}
