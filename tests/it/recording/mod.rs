//! The recording in the README: what a person sees while recorded answers land, made anew by `make recording`.
//!
//! It is a real run on a real screen, with a clock that the scene moves: so it is the same each time.

mod film;

use std::path::{Path, PathBuf};

use crate::support::agents::{Gated, Run};
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use film::Film;

/// How large a recording may become.
const LIMIT: usize = 300_000;

const SETTING: &str = r"
    vim.o.number, vim.o.laststatus, vim.o.ruler, vim.o.showcmd = true, 0, false, false
    vim.o.shortmess = vim.o.shortmess .. 'FW'
    local now = vim.uv.hrtime()
    vim.uv.hrtime = function() return now + (vim.g.botglue_test_clock or 0) * 1e6 end
";

/// A run that is being filmed.
struct Scene {
    nvim: Nvim,
    gated: Gated,
    film: Film,
    clock: u64,
    /// What runs, and since when.
    running: Vec<(String, u64)>,
}

/// The recorded answer of one job, played as far as the scene says.
struct Answer {
    run: Run,
    lines: std::vec::IntoIter<String>,
    text: String,
}

impl Scene {
    fn open(background: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let scratch = Scratch::new();
        for name in ["src/stock.rs", "src/error.rs"] {
            scratch.write(name, std::fs::read(root.join("tests/demo/shop").join(name)).unwrap());
        }
        let gated = Gated::by_words(&scratch, &[("return errors", "load"), ("use an iterator", "total")]);
        let nvim = Builder::new(scratch).option("agents", gated.option()).screen(100, 31).start();
        nvim.exec(SETTING);
        nvim.command(&format!("set background={background} | syntax on | edit src/stock.rs | 7"));
        Self { nvim, gated, film: Film::default(), clock: 0, running: Vec::new() }
    }

    /// Shows what is on the screen for some time.
    fn show(&mut self, ms: u64) {
        self.nvim.command("redraw");
        let film = &mut self.film;
        self.nvim.with_screen(|screen| film.show(screen, ms));
    }

    /// Presses keys and shows what comes of it.
    fn press(&mut self, keys: &str, ms: u64) {
        self.nvim.input(keys);
        self.show(ms);
    }

    /// Types text, a key at a time.
    fn type_text(&mut self, text: &str) {
        for (nth, letter) in text.chars().enumerate() {
            let key = if letter == '<' { "<lt>".to_owned() } else { letter.to_string() };
            // As people do it: a little slower at the start of a word.
            self.press(&key, if letter == ' ' { 80 } else { 35 + nth as u64 % 3 * 12 });
        }
    }

    /// Asks for something by the prompt's window.
    fn ask(&mut self, prompt: &str) {
        self.press("\\pp", 500);
        self.type_text(prompt);
        self.show(350);
        self.nvim.input("<C-s>");
        self.running.push((prompt.to_owned(), self.clock));
        self.see(prompt);
    }

    /// Takes hold of the recorded answer of a job.
    fn answer(&self, name: &str) -> Answer {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/demo/claude");
        let recorded = std::fs::read_to_string(root.join(format!("{name}.jsonl"))).unwrap();
        let lines: Vec<String> = recorded.lines().map(|line| format!("{line}\n")).collect();
        Answer { run: self.gated.run(name), lines: lines.into_iter(), text: String::new() }
    }

    /// Waits until something is on the screen.
    fn see(&self, text: &str) {
        self.nvim.wait_for_rows(text, |rows| rows.iter().any(|row| row.contains(text)));
    }

    /// Waits until something is on the screen no more.
    fn see_no(&self, text: &str) {
        self.nvim.wait_for_rows(text, |rows| rows.iter().all(|row| !row.contains(text)));
    }

    /// Waits until the newest line of an answer is shown below its range.
    fn see_newest(&self, answer: &Answer) {
        let newest = answer.text.trim_end().lines().last().unwrap();
        self.see(&format!("│ {newest}"));
    }

    /// Lets a second pass for the jobs, until each that runs shows it.
    fn pass(&mut self) {
        self.clock += 1;
        self.nvim.set_clock(self.clock * 1000);
        for (prompt, since) in &self.running {
            let age = format!("· {}s", self.clock - since);
            let shown = |row: &String| row.contains(prompt) && row.ends_with(&age);
            self.nvim.wait_for_rows(&age, |rows| rows.iter().any(shown));
        }
    }

    /// Waits until an answer has landed, which begins with these words, and nothing of its job is left.
    fn land(&mut self, prompt: &str, words: &str) {
        self.running.retain(|(running, _)| !running.starts_with(prompt));
        self.nvim.wait_for_rows(words, |rows| {
            let has = |words: &str| rows.iter().any(|row| row.contains(words));
            has(words) && !has(prompt)
        });
    }
}

impl Answer {
    /// Plays on, up to and with the next line that has these words in it.
    fn until(&mut self, words: &str) {
        for line in self.lines.by_ref() {
            self.run.print(&line);
            if line.contains(words) {
                return;
            }
        }
        panic!("no line has {words} in it");
    }

    /// Plays on until its text has got so far.
    fn until_text(&mut self, words: &str) {
        while !self.text.contains(words) {
            let line = self.lines.next().expect("the answer has these words");
            self.run.print(&line);
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            self.text += line["event"]["delta"]["text"].as_str().unwrap_or_default();
        }
    }

    /// Plays the rest.
    fn finish(mut self) {
        for line in self.lines.by_ref() {
            self.run.print(&line);
        }
    }
}

/// Two functions, two wishes, and somebody who goes on typing.
fn film(background: &str) -> Film {
    let mut scene = Scene::open(background);
    scene.show(900);
    for (keys, ms) in [("V", 250), ("}", 250), ("k", 450)] {
        scene.press(keys, ms);
    }
    scene.ask("return errors instead of panicking");
    scene.show(500);
    let mut load = scene.answer("load");
    load.until("\"input\":{\"file_path\"");
    scene.see("▸ Read src/error.rs");
    scene.see("· Read src/error.rs");
    scene.pass();
    scene.show(700);

    scene.nvim.input("}");
    scene.see_no("▸ Read");
    scene.show(200);
    for (keys, ms) in [("j", 250), ("V", 200), ("}", 200), ("k", 350)] {
        scene.press(keys, ms);
    }
    scene.ask("use an iterator");
    let total = scene.answer("total");
    scene.pass();
    scene.show(500);

    scene.nvim.input("7G");
    scene.see("▸ Read");
    scene.show(250);
    scene.nvim.input("O");
    scene.see_no("▸ Read");
    scene.show(200);
    scene.type_text("/// Reads a file with one ");
    for (words, typed) in
        [("Error> {\n", "`name "), ("map_err(|reason|", "= count` "), ("enumerate()", "a line.")]
    {
        load.until_text(words);
        scene.see_newest(&load);
        scene.pass();
        scene.type_text(typed);
    }
    scene.press("<Esc>", 300);
    total.finish();
    scene.land("use an iterator", "stock.values().sum()");
    scene.show(900);
    scene.pass();
    scene.show(300);
    for words in ["split_once('=')", "parse()", "Ok(stock)"] {
        load.until_text(words);
        scene.see_newest(&load);
        scene.pass();
        scene.show(500);
    }
    load.finish();
    scene.land("return errors", "Ok(stock)");
    scene.show(1800);
    scene.press(":Botglue jobs", 500);
    scene.press("<CR>", 2500);
    scene.press("q", 1500);
    scene.film
}

fn path(background: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("doc/recording-{background}.svg"))
}

/// Fails unless a picture is a good recording: not too large, and with what happens in the scene in it.
fn check(svg: &str) {
    assert!(svg.len() < LIMIT, "{} bytes", svg.len());
    let texts: String =
        svg.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text.trim()).collect();
    for seen in ["return errors instead of panicking", "use an iterator", "Read src/error.rs", "Ok(stock)"] {
        assert!(texts.contains(seen), "{seen} is not in the picture");
    }
}

#[test]
fn the_scene_can_still_be_played() {
    check(&film("dark").svg());
}

#[test]
fn the_readme_shows_the_recordings() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for background in ["dark", "light"] {
        check(&std::fs::read_to_string(path(background)).unwrap());
        assert!(readme.contains(&format!("doc/recording-{background}.svg")));
    }
}

#[test]
#[ignore = "writes the recordings: `make recording`"]
fn record() {
    for background in ["dark", "light"] {
        std::fs::write(path(background), film(background).svg()).unwrap();
    }
}
