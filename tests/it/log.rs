//! The host's log: what is in it, who may read it, and that a job needs none.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::agents;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

const SECRET: &str = "the_secret_code";

/// Where the log is, in a folder that is there.
fn log_of(scratch: &Scratch) -> PathBuf {
    let folder = scratch.path("state/nvim");
    fs::create_dir_all(&folder).unwrap();
    folder.join("botglue.log")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A Neovim whose agent gives this answer.
fn answering(scratch: Scratch) -> Nvim {
    let agents = agents::fault(&scratch, "local a = 10", "");
    Builder::new(scratch).option("agents", agents).start()
}

/// Runs a job that lands.
fn lands(nvim: &Nvim) {
    nvim.edit("a.lua", "local a = 1\n");
    nvim.command("1Botglue run it");
    assert_eq!(nvim.finished(1)["landing"], "applied");
}

/// What the user was told of the log.
fn told(nvim: &Nvim) -> Vec<String> {
    let notes = nvim.notes().into_iter().map(|note| note["message"].as_str().unwrap().to_owned());
    notes.filter(|note| note.starts_with("botglue: ") && note.contains("log")).collect()
}

#[test]
fn the_log_has_codes_and_lengths_but_no_word_of_an_error_of_stderr_or_of_code() {
    let scratch = Scratch::new();
    let log = log_of(&scratch);
    let agents = agents::fault(&scratch, "", &format!("yes {SECRET} | head -n 100 >&2; exit 3"));
    let nvim = Builder::new(scratch).option("agents", agents).start();
    nvim.edit("a.lua", &format!("local {SECRET} = 1\n"));
    nvim.exec_with(
        "_G.secret = ...; require('botglue.apply').jobs = function() error(secret) end",
        &[json!(SECRET)],
    );
    nvim.command(&format!("1Botglue run {SECRET}"));
    nvim.exec("require('botglue.host.connection').process:notify('run', { id = 7, prompt = secret, agent = secret })");
    let read = || fs::read_to_string(&log).unwrap();
    for line in ["failed job=1 error=\"exited\"", "the editor's side failed call=\"jobs\"", "rejected job=7"]
    {
        nvim.wait(line, || read().contains(line));
    }
    assert!(!read().contains(SECRET), "{}", read());
}

#[test]
fn a_fifo_or_a_link_in_place_of_the_log_blocks_nothing_and_the_user_is_told_once() {
    let scratch = Scratch::new();
    let log = log_of(&scratch);
    assert!(Command::new("mkfifo").arg(&log).status().unwrap().success());
    let nvim = answering(scratch);
    lands(&nvim);
    let notes = told(&nvim);
    assert!(notes.len() == 1 && notes[0].contains("not a regular file"), "{notes:?}");
    let refused = nvim.try_call("nvim_command", &["Botglue log".into()]);
    assert!(nvim.call("nvim_get_mode", &[])["blocking"] == false, "{refused:?}");
    let shown = nvim.exec("return vim.api.nvim_buf_get_name(0)");
    assert!(shown.as_str().unwrap().ends_with("a.lua"), "{shown}");

    let scratch = nvim.quit_to();
    let target = scratch.path("target");
    fs::write(&target, "theirs").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
    fs::remove_file(&log).unwrap();
    symlink(&target, &log).unwrap();
    let nvim = answering(scratch);
    lands(&nvim);
    let notes = told(&nvim);
    assert!(notes.len() == 1 && notes[0].contains("not a regular file"), "{notes:?}");
    assert_eq!((fs::read_to_string(&target).unwrap().as_str(), mode(&target)), ("theirs", 0o644));
}

#[test]
fn a_state_directory_that_cannot_be_made_costs_the_log_alone() {
    let scratch = Scratch::new();
    fs::write(scratch.path("state/nvim"), "in the way").unwrap();
    let nvim = answering(scratch);
    lands(&nvim);
    let notes = told(&nvim);
    assert!(notes.len() == 1 && notes[0].contains("without a log"), "{notes:?}");
}
