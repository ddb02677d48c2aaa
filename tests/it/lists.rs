//! The lists with a real store: what one Neovim did is listed, summed up and gone on from in the next.

use serde_json::json;

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

const TEXT: &str = "local a = 1\nlocal b = 2\nlocal c = 3\nlocal d = 4\nlocal e = 5\n";

/// Three jobs, each of two lines, the last one rejected; then the next Neovim, which has opened nothing.
fn next() -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let option = gated.option();
    let nvim = Builder::new(scratch).option("agents", option.clone()).start();
    nvim.edit("list.lua", TEXT);
    for (nth, name) in ["first", "second", "third"].into_iter().enumerate() {
        nvim.command(&format!("1,2Botglue! run GATE:{name} it"));
        gated.answer(name, &format!("local a = {nth}0\nlocal b = {nth}1"));
        let id = u64::try_from(nth).unwrap() + 1;
        nvim.finished(id);
        let decision = if nth == 2 { "reject" } else { "accept" };
        nvim.command(&format!("Botglue {decision} {id}"));
        nvim.wait("it is decided", || {
            let job = nvim.exec_with("return require('botglue').job(...)", &[json!(id)]);
            job["landing"] != "held"
        });
    }
    nvim.command("write");
    (Builder::new(nvim.quit_to()).option("agents", option).screen(120, 30).start(), gated)
}

fn open(nvim: &Nvim, command: &str, words: &str) -> Vec<String> {
    nvim.be_patient();
    nvim.command(&format!("Botglue {command}"));
    nvim.wait_for_rows(words, |rows| rows.iter().any(|row| row.contains(words)))
}

/// The rows of the list itself, their runs of blanks as one.
fn listed(nvim: &Nvim) -> Vec<String> {
    let words = |row: &String| row.split_whitespace().collect::<Vec<_>>().join(" ");
    nvim.lines().iter().map(words).collect()
}

#[test]
fn what_earlier_neovims_did_is_listed_and_summed_up() {
    let (nvim, _gated) = next();
    open(&nvim, "history", "all · 3");
    let rows = listed(&nvim);
    assert_eq!(rows.len(), 3);
    for (row, (sign, prompt, landing)) in rows.iter().zip([
        ("·", "GATE:third it", "rejected"),
        ("✓", "GATE:second it", "landed"),
        ("✓", "GATE:first it", "landed"),
    ]) {
        assert!(row.starts_with(sign) && row.contains(prompt) && row.contains(landing), "{row}");
        assert!(row.contains("list.lua:1"), "{row}");
    }
    nvim.input("sfirst<CR>");
    nvim.wait("one is left", || nvim.lines().len() == 1);
    nvim.input("q");

    open(&nvim, "info", "all time");
    let rows = listed(&nvim);
    let all = rows.iter().find(|row| row.starts_with("all time")).unwrap();
    assert!(all.starts_with("all time 3 2 0 0 "), "{all}");
    assert!(all.contains('$'), "{all}");
    assert!(rows.iter().any(|row| row.starts_with("claude 3 30 / 15 100 %")), "{rows:#?}");
}

#[test]
fn a_job_of_an_earlier_neovim_is_gone_on_from() {
    let (nvim, gated) = next();
    open(&nvim, "history", "all · 3");
    nvim.input("jR");
    gated.answer("second", "local a = 100\nlocal b = 101");
    let job = nvim.finished(1);
    assert_eq!((&job["landing"], &job["first_line"]), (&json!("applied"), &json!(1)), "{job}");
    assert_eq!(nvim.lines()[..2], ["local a = 100", "local b = 101"]);
}
