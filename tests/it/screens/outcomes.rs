//! The line that says at a range what became of its job, while the user types somewhere else.

use serde_json::json;

use super::picture::{expect, gated};
use crate::support::stream;

const TEXT: &str =
    "fn load(path: &Path) -> Config {\n    read(path)\n}\n\nfn save() {}\n\nfn main() {}\n\nend\n";

#[test]
fn landed_unchanged_and_failed() {
    let (nvim, gated) = gated();
    nvim.edit("a.rs", TEXT);
    nvim.command("1,3Botglue run GATE:load return errors instead of panicking");
    nvim.command("5Botglue run GATE:save document it");
    nvim.command("7Botglue run GATE:main shorter");
    nvim.mirrored();
    nvim.input("9GA");
    let refused = json!({
        "type": "result", "subtype": "success", "is_error": true, "api_error_status": 401,
        "result": "API Error: 401 Please run /login", "session_id": "s", "num_turns": 1, "duration_ms": 1,
        "total_cost_usd": 0,
    });
    gated.run("main").print(&(stream::init("s") + &format!("{refused}\n")));
    nvim.finished(3);
    gated.answer("save", "fn save() {}");
    nvim.finished(2);
    gated.answer("load", "fn load(path: &Path) -> Result<Config> {\n    read(path)\n}");
    nvim.input("<Esc>");
    nvim.finished(1);
    expect("outcomes", &nvim, "all outcomes", |rows| {
        let all = rows.concat();
        ["landed", "unchanged", "✗"].iter().all(|word| all.contains(word))
    });
}
