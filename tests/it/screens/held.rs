//! The line below the range of a job, from its start until its answer is held.

use serde_json::json;

use crate::support::picture::on_each_screen;
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
