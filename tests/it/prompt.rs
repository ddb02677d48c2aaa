//! The prompt on a screen, with the host and its store behind it.

use serde_json::json;

use crate::support::agents;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::{self, signal};
use crate::support::scratch::Scratch;
use crate::support::wait;

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

/// A repository whose `.gitignore` is a pipe, and a prompt in which `@` has asked git for files.
fn git_hangs() -> Nvim {
    let nvim = start(Scratch::new());
    let run = |program: &str, arguments: &[&str]| {
        assert!(nvim.scratch.command(program).args(arguments).status().unwrap().success());
    };
    run("git", &["init", "-q"]);
    run("mkfifo", &[".gitignore"]);
    nvim.scratch.write("walked.txt", "");
    nvim.input(":1Botglue<CR>@");
    process::wait_for(&nvim.scratch, "git -c");
    nvim
}

fn wait_for_no_git(nvim: &Nvim) {
    wait("git has ended", || {
        process::of(&nvim.scratch).iter().all(|found| !found.command.contains("git -c"))
    });
}

#[test]
fn a_git_that_hangs_ends_with_neovim() {
    drop(git_hangs());
    for name in ["TERM", "KILL"] {
        let nvim = git_hangs();
        signal(nvim.pid(), name);
        wait_for_no_git(&nvim);
    }
}

#[test]
fn a_git_that_hangs_is_ended_and_a_walk_finds_the_files() {
    let nvim = git_hangs();
    nvim.wait("the menu has a file", || nvim.rows().concat().contains("walked.txt"));
    wait_for_no_git(&nvim);
}

/// The stored unsent prompts, newest first.
fn unsent(nvim: &Nvim) -> Vec<String> {
    let Ok(connection) = rusqlite::Connection::open(nvim.scratch.path("data/nvim/botglue/botglue.db")) else {
        return Vec::new();
    };
    let Ok(mut statement) = connection.prepare("SELECT text FROM unsent ORDER BY at_ms DESC") else {
        return Vec::new();
    };
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// A Neovim in which a prompt is open, with something typed in it.
fn typing() -> Nvim {
    let nvim = start(Scratch::new());
    nvim.input(":1Botglue<CR>");
    let ready = "return require('botglue.host.connection').process.ready";
    nvim.wait("the host is there", || nvim.exec(ready) == true);
    nvim.input("half a<CR>thought");
    nvim
}

#[test]
fn what_is_typed_survives_a_crash_of_neovim_or_a_signal_that_ends_it() {
    let killed_by = |name| {
        let nvim = typing();
        nvim.wait("it is in the store, and the prompt still open", || unsent(&nvim) == ["half a\nthought"]);
        signal(nvim.pid(), name);
        let is_nvim = |running: &process::Process| running.pid == nvim.pid();
        wait("Neovim has ended", || !process::of(&nvim.scratch).iter().any(is_nvim));
        let nvim = start(nvim.crash());
        assert_eq!(recalled(&nvim, 1), ["half a\nthought"]);
        nvim
    };
    killed_by("TERM");
    let nvim = killed_by("KILL");
    let nvim = start(nvim.quit_to());
    assert_eq!(recalled(&nvim, 1), ["half a\nthought"], "recalling takes nothing away");
    nvim.input(":1Botglue<CR>half<C-p>");
    nvim.wait("it is recalled", || nvim.lines().len() == 2);
    nvim.input("<C-s>");
    assert_eq!(nvim.finished(1)["prompt"], json!("half a\nthought"));
    nvim.wait_for_no_agent();
    nvim.wait("it was sent", || unsent(&nvim).is_empty());
}

#[test]
fn what_is_typed_in_a_neovim_that_lives_stays_its_own() {
    let one = typing();
    one.wait("it is in the store", || unsent(&one) == ["half a\nthought"]);
    let scratch = Scratch::new();
    let agent = agents::fault(&scratch, "new", "");
    let store = one.scratch.path("data/nvim/botglue");
    let other = Builder::new(scratch)
        .option("agents", agent)
        .option("data_dir", store.to_str().unwrap())
        .screen(80, 24)
        .start();
    other.command("edit a.txt");
    other.input(":1Botglue<CR>");
    assert_eq!(other.lines(), [""]);
    other.input("<Esc><Esc>");
    assert_eq!(recalled(&other, 1), ["half a\nthought"]);
    other.input(":1Botglue<CR>of the other<Esc><Esc>");
    one.input(", and the rest<Esc><Esc>");
    drop(other);
    let rest = "half a\nthought, and the rest";
    one.wait("both are in the store", || {
        let mut unsent = unsent(&one);
        unsent.sort();
        unsent == [rest, "of the other"]
    });
    one.input(":1Botglue<CR>");
    assert_eq!(one.lines().join("\n"), rest);
}
