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

/// The CPU of Neovim for a job where many run at once ÷ where few do.
fn many_beside_few(many: usize, few: usize) -> Run {
    let editor = editor();
    Box::new(move || {
        let each = |jobs: usize, at_once| {
            let before = editor.cpu();
            editor.run("D", jobs, at_once, EVERY);
            let used = editor.cpu() - before;
            editor.reset();
            #[expect(clippy::cast_precision_loss, reason = "not so many")]
            let each = used / jobs as f64;
            each
        };
        let other = each(many.min(32), few);
        vec![Sample::Ratio { ours: each(many, many), other }]
    })
}

pub fn cost_of_128() -> Run {
    many_beside_few(128, 8)
}

pub fn cost_of_256() -> Run {
    many_beside_few(128, 1)
}
