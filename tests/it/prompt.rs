//! The prompt on a screen, with the host and its store behind it.

use serde_json::json;

use crate::support::agents;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

fn start(scratch: Scratch) -> Nvim {
    let agent = agents::fault(&scratch, "new", "");
    let nvim = Builder::new(scratch).option("agents", agent).screen(80, 24).start();
    nvim.edit("a.txt", "old\n");
    nvim
}

/// Opens the prompt, goes back through earlier ones, and gives back what each of them is.
#[track_caller]
fn recalled(nvim: &Nvim, count: usize) -> Vec<String> {
    nvim.input(":1Botglue<CR>");
    let seen = (0..count).map(|_| {
        let before = nvim.lines();
        nvim.input("<C-p>");
        nvim.wait("an earlier prompt is there", || nvim.lines() != before);
        nvim.lines().join("\n")
    });
    let seen = seen.collect();
    nvim.input("<C-u><Esc>:%d<CR><Esc>");
    seen
}

#[test]
fn earlier_prompts_are_those_that_were_used_most_and_last_in_every_neovim() {
    let nvim = start(Scratch::new());
    for (id, prompt) in (1..).zip(["used twice", "used once", "used twice"]) {
        nvim.input(&format!(":1Botglue<CR>{prompt}<C-s>"));
        assert_eq!(nvim.finished(id)["prompt"], json!(prompt));
    }
    nvim.wait_for_no_agent();
    assert_eq!(recalled(&nvim, 2), ["used twice", "used once"]);
    let nvim = start(nvim.quit_to());
    assert_eq!(recalled(&nvim, 2), ["used twice", "used once"]);
}

#[test]
fn a_prompt_of_several_lines_reaches_the_agent_as_it_was_typed() {
    let scratch = Scratch::new();
    let gated = agents::Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).screen(80, 24).start();
    nvim.edit("a.txt", "old\n");
    nvim.input(":1Botglue<CR>GATE:it with three<CR>  lines, one<CR>\"of\" them <lt>odd><C-s>");
    let message: serde_json::Value = serde_json::from_str(&gated.stdin("it")).unwrap();
    let text = message["message"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("GATE:it with three\n  lines, one\n"), "{text}");
    assert!(text.contains("\"of\" them <odd>"), "{text}");
    gated.answer("it", "new");
    nvim.finished(1);
    assert_eq!(nvim.lines(), ["new"]);
}
