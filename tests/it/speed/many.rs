//! What small jobs cost the editor, however many run at once.

use serde_json::json;

use super::editor::Editor;
use super::row::{Run, Sample};
use crate::support::agents::write_script;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

/// How far apart their ranges are.
const EVERY: usize = 7;

fn editor() -> Editor {
    let scratch = Scratch::new();
    let agent = scratch.path("agent");
    write_script(&agent, "cat >/dev/null\nfor row in 1 2 3 4; do echo \"changed by $$ in row $row\"; done\n");
    let agents = json!({"small": {"protocol": "text", "command": [agent]}});
    Editor::with(Builder::new(scratch).option("agents", agents).option("agent", "small"))
}

/// The CPU of Neovim for a job where 128 run at once ÷ where 8 do.
pub fn cost_of_128() -> Run {
    let editor = editor();
    Box::new(move || {
        let each = |jobs: u32, at_once: usize| {
            let before = editor.cpu();
            editor.run("D", jobs as usize, at_once, EVERY);
            let used = editor.cpu() - before;
            editor.reset();
            used / f64::from(jobs)
        };
        let other = each(32, 8);
        vec![Sample::Ratio { ours: each(128, 128), other }]
    })
}
