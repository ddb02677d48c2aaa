//! A screen written down so that a person can read it, and compared with the expected one: first what is seen, then
//! which highlight group each cell has, one letter a group, then what the letters mean.
//!
//! What differs from run to run is not in it: a spinner always shows its first frame, and seconds are `N`. Nor is what
//! differs from one version of Neovim to the next: there are no status line, ruler and syntax highlighting.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::POLL;
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::screen::{Cell, Screen, text_of};

const EXPECTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/screens/expected");

/// How long a screen may take to look as expected, once it shows what the test looks for.
const SETTLED: Duration = Duration::from_secs(2);

/// Rows that are the same this often or more are written down once.
const FOLD: usize = 4;

/// The frames of the spinner, each a cell.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Before anything is drawn: what Neovim's versions do not agree about.
const SETTING: &str = r"
    vim.cmd('syntax off')
    vim.treesitter.start = function(_, lang) if lang == 'markdown' then error('no highlighting') end end
    vim.o.laststatus, vim.o.ruler, vim.o.showcmd, vim.o.showmode = 0, false, false, false
    vim.o.shortmess = vim.o.shortmess .. 'FW'
";

/// How many rows all screens have.
pub const ROWS: u64 = 24;

/// A Neovim with a screen.
pub fn on_screen(builder: Builder) -> Nvim {
    // What became of a job stays for longer than any test takes.
    let nvim = builder.option("status", json!({"outcome": 600})).screen(80, ROWS).start();
    nvim.exec(SETTING);
    nvim
}

/// The same in an empty project, with an agent that the test steers, and another one that is installed.
pub fn gated() -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let mut agents = gated.option();
    agents["droid"] = json!({"command": ["/bin/true"]});
    (on_screen(Builder::new(scratch).option("agents", agents)), gated)
}

/// Waits until the screen shows what the test looks for, and compares all of it with the expected one, the file `NAME.snap`.
/// What is drawn a moment later, at a tick of its own, has [`SETTLED`] for it. `make screens` writes the files again
/// (`make screens TEST=name` some of them); look at what it changed before you keep it.
#[track_caller]
pub fn expect(name: &str, nvim: &Nvim, what: &str, look: impl FnMut(&[String]) -> bool) {
    nvim.wait_for_rows(what, look);
    let expected = std::fs::read_to_string(format!("{EXPECTED}/{name}.snap")).unwrap_or_default();
    let start = Instant::now();
    let drawn = loop {
        // What is drawn is on its way before the command's reply is.
        nvim.command("redraw");
        let drawn = picture(&nvim.channel.inbox().screen);
        let is_expected = expected.trim_end().ends_with(&format!("---\n{}", drawn.trim_end()));
        if is_expected || start.elapsed() > SETTLED {
            break drawn;
        }
        std::thread::sleep(POLL);
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(EXPECTED);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, drawn));
}

/// A row as it is whenever it is drawn: its spinner at the first frame, and the seconds that a job has run `N`. In a window
/// they keep their width.
fn timeless(row: &[Cell]) -> Vec<Cell> {
    let is_framed = row.iter().filter(|cell| cell.text == "│").count() > 1;
    let is_digit = |cell: &Cell| cell.text.len() == 1 && cell.text.as_bytes()[0].is_ascii_digit();
    let mut made: Vec<Cell> = Vec::with_capacity(row.len());
    for word in row.split_inclusive(|cell| cell.text == " ") {
        let digits = word.iter().take_while(|cell| is_digit(cell)).count();
        let mut word = word.to_vec();
        let rest: String = word[digits..].iter().map(|cell| cell.text.as_str()).collect();
        if digits > 0 && rest.trim_end() == "s" {
            word[digits - 1].text = "N".to_owned();
            word[..digits - 1].iter_mut().for_each(|cell| cell.text = " ".to_owned());
            word.drain(..if is_framed { 0 } else { digits - 1 });
        }
        made.extend(word);
    }
    for cell in made.iter_mut().filter(|cell| SPINNER.contains(&cell.text.as_str())) {
        cell.text = SPINNER[0].to_owned();
    }
    made
}

/// A screen as text; see the module's documentation.
fn picture(screen: &Screen) -> String {
    let mut letters = Letters::default();
    let cells: Vec<_> = screen.cells.iter().map(|row| timeless(row)).collect();
    let groups = cells
        .iter()
        .map(|row| to_the_edge(&row.iter().map(|cell| letters.of(screen.groups(cell))).collect::<String>()));
    let groups = fold(&groups.collect::<Vec<_>>());
    let text = fold(&cells.iter().map(|row| text_of(row)).collect::<Vec<_>>());
    let (row, column) = screen.shown_cursor;
    let mut picture = format!("{text}\ncursor: row {}, column {}\n\n{groups}\n", row + 1, column + 1);
    for (letter, group) in &letters.known {
        writeln!(picture, "{letter} {group}").unwrap();
    }
    picture
}

/// The letters of a row; an arrow in place of the same letter up to the edge of the screen.
fn to_the_edge(row: &str) -> String {
    let Some(last) = row.chars().last().filter(|last| *last != ' ') else {
        return row.trim_end().to_owned();
    };
    format!("{}{last}→", row.trim_end_matches(last))
}

/// Rows by number, each behind a bar; of many that are the same only the first.
fn fold(rows: &[String]) -> String {
    let (mut text, mut at) = (String::new(), 0);
    while at < rows.len() {
        let same = rows[at..].iter().take_while(|row| **row == rows[at]).count();
        writeln!(text, "{:2}▏{}", at + 1, rows[at]).unwrap();
        if same >= FOLD {
            writeln!(text, "  ⋮").unwrap();
            at += same;
        } else {
            at += 1;
        }
    }
    text
}

/// A letter for each group, one of its own name where that is free.
#[derive(Default)]
struct Letters {
    known: BTreeMap<char, String>,
}

impl Letters {
    fn of(&mut self, group: &str) -> char {
        if group.is_empty() {
            return ' ';
        }
        if let Some((letter, _)) = self.known.iter().find(|(_, known)| *known == group) {
            return *letter;
        }
        let own = group.chars().filter(char::is_ascii_alphabetic);
        let letter = own
            .flat_map(|letter| [letter.to_ascii_lowercase(), letter.to_ascii_uppercase()])
            .chain('a'..='z')
            .chain('A'..='Z')
            .find(|letter| !self.known.contains_key(letter))
            .expect("more groups than letters");
        self.known.insert(letter, group.to_owned());
        letter
    }
}
