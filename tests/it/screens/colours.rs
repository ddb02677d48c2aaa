//! What is drawn can be read in a light theme and in a dark one, and has no colour of its own: each cell looks as some
//! standard group says, also after the theme was changed under it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::POLL;
use crate::support::agents::Gated;
use crate::support::nvim::Nvim;
use crate::support::picture::STAGE;
use crate::support::screen::Screen;
use crate::support::stream;

const TEXT: &str =
    "fn load(path: &Path) -> Config {\n    read(path).unwrap()\n}\n\nfn main() {}\n\nthe end\n";

/// The least contrast of text with what is behind it, and of signs. WCAG asks for 4.5 and 3; Neovim's own light theme
/// has 4.3 for a warning in the line of the cursor.
const TEXT_CONTRAST: f64 = 4.2;
const SIGN_CONTRAST: f64 = 3.0;

/// How long a screen may take to be redrawn.
const SETTLED: Duration = Duration::from_secs(2);

/// Plays a scene in a dark theme that becomes a light one, and the other way round, and looks at each. A job runs on
/// the first rows, and an answer is held below them.
fn in_each_theme(words: &[&str], scene: impl Fn(&Nvim, &Gated)) {
    for (first, then) in [("dark", "light"), ("light", "dark")] {
        let (nvim, gated) = STAGE.gated();
        // The rows behind the text are Neovim's own.
        nvim.command(&format!("set fillchars=eob:\\  background={first}"));
        nvim.edit("a.txt", TEXT);
        nvim.command("5Botglue! run GATE:held shorter");
        gated.answer("held", "fn main() { load() }");
        nvim.finished(1);
        nvim.command("1,3Botglue run GATE:it return errors");
        let mut run = gated.run("it");
        let path = nvim.scratch.project().join("src/error.rs");
        let read = |id| stream::tool_use(id, "Read", &json!({"file_path": path}));
        run.print(&(stream::init("s") + &read("t1") + &stream::tool_error("t1", "gone") + &read("t2")));
        scene(&nvim, &gated);
        let shown = |rows: &[String]| words.iter().all(|word| rows.concat().contains(word));
        nvim.wait_for_rows(&words.concat(), shown);
        look(&nvim, &format!("{words:?}, {first}"));
        nvim.exec_with("vim.o.background = ...", &[json!(then)]);
        nvim.wait_for_rows(&words.concat(), shown);
        look(&nvim, &format!("{words:?}, {first} and then {then}"));
        drop(run);
    }
}

/// Fails where a cell cannot be read, or looks like no standard group.
fn look(nvim: &Nvim, what: &str) {
    let start = Instant::now();
    let wrong = loop {
        // What is drawn is on its way before the command's reply is.
        nvim.command("redraw");
        let wrong = nvim.with_screen(wrong);
        if wrong.is_empty() || start.elapsed() > SETTLED {
            break wrong;
        }
        std::thread::sleep(POLL);
    };
    assert!(wrong.is_empty(), "{what}: {wrong:#?}");
    let own = nvim.exec(
        "local own = {}
         for name, group in pairs(vim.api.nvim_get_hl(0, {})) do
           if name:find('^Botglue') and not (group.link and not group.link:find('^Botglue')) then
             own[#own + 1] = name
           end
         end
         return own",
    );
    assert!(own.as_array().is_none_or(Vec::is_empty), "{what}: groups with looks of their own: {own}");
}

/// The cells that cannot be read, and those of a group that is none of Neovim's.
fn wrong(screen: &Screen) -> BTreeSet<String> {
    let (foreground, background) = screen.colours;
    let cells = screen.cells.iter().flatten().filter(|cell| !cell.text.trim().is_empty());
    cells
        .filter_map(|cell| {
            let (style, groups) = (screen.style(cell), screen.groups(cell));
            let contrast =
                contrast(style.foreground.unwrap_or(foreground), style.background.unwrap_or(background));
            let least = if cell.text.contains(char::is_alphanumeric) { TEXT_CONTRAST } else { SIGN_CONTRAST };
            (contrast < least || groups.contains("Botglue"))
                .then(|| format!("{} in {groups}: {contrast:.1}", cell.text))
        })
        .collect()
}

/// The contrast of two colours, from 1 to 21, as WCAG defines it.
fn contrast(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(colour: u32) -> f64 {
    let part = |shift: u32| {
        let value = f64::from((colour >> shift) & 0xff) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
}

#[test]
fn the_live_view_and_a_held_line() {
    in_each_theme(&["▸ Read", "✗ Read", "held"], |nvim, _| nvim.command("2"));
}

#[test]
fn the_prompt_and_its_menu() {
    in_each_theme(&["claude", "an earlier one"], |nvim, _| {
        nvim.exec(
            "local draft = { id = 1, at_ms = 1, bufnr = 1, first = 9, last = 9, text = 'an earlier one', agent = 'claude' }
             table.insert(require('botglue.host.connection').drafts, draft)
             require('botglue').run({ range = { kind = 'line', first = { 7 }, last = { 7 } } })",
        );
        nvim.input("<C-f>");
    });
}

#[test]
fn the_hunks_of_a_review() {
    in_each_theme(&["◆ claude", "load() }", "do take"], |nvim, _| nvim.input(":Botglue review<CR>"));
}

#[test]
fn the_lists() {
    in_each_theme(&["1 running", "1 held"], |nvim, _| nvim.input(":Botglue jobs<CR>"));
    in_each_theme(&["history", "shorter"], |nvim, _| nvim.input(":Botglue history<CR>"));
    in_each_theme(&["all time"], |nvim, _| nvim.input(":Botglue info<CR>"));
}

#[test]
fn the_answer_to_a_question() {
    in_each_theme(&["**doubles**", "q close"], |nvim, gated| {
        nvim.input(":7Botglue ask GATE:why?<CR>");
        gated.answer("why", "It **doubles** `a`:\n\n```rust\na * 2\n```\n");
    });
}
