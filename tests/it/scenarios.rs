//! What breaks for people in plugins of this kind, row by row: each of these went wrong somewhere.

use serde_json::{Value, json};

use crate::support::agents::{self, Gated};
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::stream;

struct Desk {
    nvim: Nvim,
    gated: Gated,
}

impl Desk {
    /// A Lua file with these lines, in a Neovim with a screen.
    fn new(text: &str) -> Self {
        let scratch = Scratch::new();
        let gated = Gated::new(&scratch);
        let nvim = Builder::new(scratch).option("agents", gated.option()).screen(80, 24).start();
        nvim.edit("desk.lua", text);
        Self { nvim, gated }
    }

    /// Starts a job, and waits until the host follows its range.
    fn run(&self, name: &str, range: &Value) -> u64 {
        let options = json!({"prompt": format!("GATE:{name}"), "range": range});
        let id = self.nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap();
        self.nvim.mirrored();
        id
    }

    fn lines(&self, name: &str, first: u64, last: u64) -> u64 {
        self.run(name, &json!({"kind": "line", "first": [first, 0], "last": [last, 0]}))
    }

    /// Lets the run answer and gives its job table back, once it is over.
    fn answer(&self, name: &str, id: u64, answer: &str) -> Value {
        self.gated.answer(name, answer);
        self.nvim.finished(id)
    }

    /// What was selected, as the agent was told: the JSON message's text.
    fn message(&self, name: &str) -> String {
        let message: Value = serde_json::from_str(&self.gated.stdin(name)).unwrap();
        message["message"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

fn assert_held(job: &Value, reason: &str, text: &str) {
    assert_eq!((&job["status"], &job["landing"]), (&json!("done"), &json!("held")), "{job}");
    assert_eq!((&job["held_for"], &job["text"]), (&json!(reason), &json!(text)), "{job}");
}

#[test]
fn lines_inserted_above_move_the_range() {
    let desk = Desk::new("a\nb\nc\n");
    let id = desk.lines("it", 2, 2);
    desk.nvim.input("ggOone<CR>two<CR>three<Esc>");
    assert_eq!(desk.answer("it", id, "B")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["one", "two", "three", "a", "B", "c"]);
}

#[test]
fn the_growth_of_one_answer_does_not_shift_the_next() {
    let desk = Desk::new("a\nb\nc\n");
    let (first, second) = (desk.lines("first", 1, 1), desk.lines("second", 2, 2));
    desk.answer("first", first, "a1\na2\na3");
    assert_eq!(desk.answer("second", second, "B")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["a1", "a2", "a3", "B", "c"]);
}

#[test]
fn of_two_jobs_on_one_line_the_second_is_held() {
    let desk = Desk::new("a\nb\n");
    let (first, second) = (desk.lines("first", 1, 1), desk.lines("second", 1, 1));
    assert_eq!(desk.answer("first", first, "first")["landing"], "applied");
    assert_held(&desk.answer("second", second, "second"), "conflict", "second");
    assert_eq!(desk.nvim.lines(), ["first", "b"]);
}

#[test]
fn an_edit_inside_the_range_is_merged_with_the_answer() {
    for (name, keys, merged) in [
        ("append", "2GA -- mine<Esc>", &["a", "b -- mine", "c", "D", "e"][..]),
        ("prepend", "2GImine <Esc>", &["a", "mine b", "c", "D", "e"]),
        ("split", "2Gobetween<Esc>", &["a", "b", "between", "c", "D", "e"]),
        ("delete", "2Gdd", &["a", "c", "D", "e"]),
    ] {
        let desk = Desk::new("a\nb\nc\nd\ne\n");
        let id = desk.lines("it", 2, 4);
        desk.nvim.input(keys);
        let before = desk.nvim.lines();
        assert_eq!(desk.answer("it", id, "b\nc\nD")["landing"], "merged", "{name}");
        assert_eq!(desk.nvim.lines(), merged, "{name}");
        desk.nvim.input("u");
        assert_eq!(desk.nvim.lines(), before, "{name}: one undo step");
    }
}

#[test]
fn an_edit_of_what_the_answer_changes_holds_it() {
    for (name, keys) in [
        ("append", "2GA -- mine<Esc>"),
        ("prepend", "2GImine <Esc>"),
        ("shift", "2G>>"),
        ("split", "2Gobetween<Esc>"),
        ("delete", "2Gdd"),
    ] {
        let desk = Desk::new("a\nb\nc\nd\n");
        let id = desk.lines("it", 2, 3);
        desk.nvim.input(keys);
        let before = desk.nvim.lines();
        assert_held(&desk.answer("it", id, "B\nC"), "conflict", "B\nC");
        assert_eq!(desk.nvim.lines(), before, "{name}");
    }
}

#[test]
fn the_same_edit_by_the_user_and_the_agent_is_made_once() {
    let desk = Desk::new("a\nb\nc\n");
    let id = desk.lines("it", 2, 2);
    desk.nvim.input("2GAx<Esc>");
    let tick = desk.nvim.exec("return vim.b.changedtick");
    assert_eq!(desk.answer("it", id, "bx")["landing"], "unchanged");
    assert_eq!(desk.nvim.exec("return vim.b.changedtick"), tick);
}

#[test]
fn a_formatter_that_replaces_the_whole_buffer_does_not_cost_the_answer() {
    let desk = Desk::new("function one()\nreturn 1\nend\n\nlocal two = 2\n");
    let id = desk.lines("it", 1, 3);
    desk.nvim.set_lines(&["-- formatted", "", "function one()", "return 1", "end", "local two = 2"]);
    assert_eq!(desk.answer("it", id, "function one() return 1 end")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["-- formatted", "", "function one() return 1 end", "local two = 2"]);
}

#[test]
fn a_deleted_range_holds_the_answer() {
    let desk = Desk::new("a\nb\nc\nd\n");
    let id = desk.lines("it", 2, 3);
    desk.nvim.input("2G2dd");
    assert_held(&desk.answer("it", id, "B"), "range_lost", "B");
    assert_eq!(desk.nvim.lines(), ["a", "d"]);
}

#[test]
fn a_deleted_range_that_came_back_takes_the_answer() {
    let desk = Desk::new("a\nb\nc\nd\n");
    let id = desk.lines("it", 2, 3);
    desk.nvim.input("2G2ddu");
    assert_eq!(desk.answer("it", id, "B")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["a", "B", "d"]);
}

#[test]
fn a_buffer_that_takes_no_changes_holds_the_answer() {
    let desk = Desk::new("a\nb\n");
    let id = desk.lines("it", 1, 1);
    desk.nvim.command("setlocal nomodifiable");
    assert_held(&desk.answer("it", id, "A"), "not_modifiable", "A");
    assert_eq!(desk.nvim.lines(), ["a", "b"]);
    assert_eq!(desk.nvim.exec("return vim.v.errmsg"), "");
}

#[test]
fn an_unloaded_buffer_holds_the_answer() {
    let desk = Desk::new("a\nb\n");
    let id = desk.lines("it", 1, 1);
    desk.nvim.command("enew | bunload desk.lua");
    assert_held(&desk.answer("it", id, "A"), "buffer_gone", "A");
    assert_eq!(desk.nvim.exec("return vim.v.errmsg"), "");
}

#[test]
fn fences_and_talk_do_not_land_in_code() {
    let desk = Desk::new("a\nb\n");
    let id = desk.lines("it", 1, 1);
    desk.answer("it", id, "Here you are:\n\n```lua\nA\n```\n\nI hope it helps.\n");
    assert_eq!(desk.nvim.lines(), ["A", "b"]);
}

#[test]
fn the_reason_on_stderr_reaches_the_user() {
    let scratch = Scratch::new();
    let agent = agents::exits(&scratch, 1, "error: the moon is in the way\n");
    let nvim = Builder::new(scratch).option("agents", agent).start();
    nvim.edit("desk.lua", "a\n");
    let options = json!({"prompt": "go", "range": {"kind": "line", "first": [1, 0], "last": [1, 0]}});
    let id = nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap();
    let job = nvim.finished(id);
    assert_eq!(job["error"]["code"], "exited");
    assert!(job["error"]["message"].as_str().unwrap().contains("the moon is in the way"), "{job}");
    let tells = |note: &Value| note["message"].as_str().unwrap().contains("the moon");
    nvim.wait("the user is told", || nvim.notes().iter().any(tells));
}

#[test]
fn a_last_line_without_a_newline_is_not_lost() {
    let desk = Desk::new("a\nb\n");
    let id = desk.lines("it", 1, 1);
    let mut run = desk.gated.run("it");
    run.print(stream::answer("A").trim_end());
    drop(run);
    assert_eq!(desk.nvim.finished(id)["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["A", "b"]);
}

#[test]
fn a_block_is_replaced_row_by_row() {
    let desk = Desk::new("one 11 x\ntwo 22 y\nthree\nfour44 z\n");
    desk.nvim.input("gg4l<C-v>jl:Botglue run GATE:it<CR>");
    let message = desk.message("it");
    assert!(message.contains("11\n22"), "{message}");
    assert_eq!(desk.answer("it", 1, "AAA\nB")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["one AAA x", "two B y", "three", "four44 z"]);
    desk.nvim.input("gg<C-v>j:Botglue run GATE:rows<CR>");
    assert_held(&desk.answer("rows", 2, "1\n2\n3"), "block_rows", "1\n2\n3");
}

#[test]
fn a_selection_that_ends_on_a_wide_character_takes_it_whole() {
    let desk = Desk::new("ab日本cd\n");
    desk.nvim.input("gglv2l:Botglue run GATE:it<CR>");
    assert!(desk.message("it").contains("b日本"));
    assert_eq!(desk.answer("it", 1, "é")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["aécd"]);
}

#[test]
fn a_final_newline_adds_no_line() {
    let desk = Desk::new("a\nb\n");
    let id = desk.lines("it", 1, 1);
    desk.answer("it", id, "A\n");
    assert_eq!(desk.nvim.lines(), ["A", "b"]);
}

#[test]
fn an_insertion_goes_below_the_cursor_line() {
    let desk = Desk::new("local a = 1\n\nreturn a\n");
    desk.nvim.input("gg:Botglue run GATE:it<CR>");
    assert_eq!(desk.answer("it", 1, "local b = 2\nlocal c = 3")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["local a = 1", "local b = 2", "local c = 3", "", "return a"]);
}

#[test]
fn an_insertion_above_the_first_line_does_not_need_that_line() {
    let desk = Desk::new("a\nb\n");
    let id = desk.run("it", &json!({"kind": "insert", "first": [0, 0], "last": [0, 0]}));
    desk.nvim.input("ggdd");
    assert_eq!(desk.answer("it", id, "new")["landing"], "applied");
    assert_eq!(desk.nvim.lines(), ["new", "b"]);
}

#[test]
fn the_agent_is_told_of_unsaved_text_diagnostics_and_the_rules_of_the_project() {
    let scratch = Scratch::new();
    scratch.write(".git/HEAD", "ref: refs/heads/main\n");
    scratch.write("CLAUDE.md", "Always use tabs in this project.\n");
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("src/desk.lua", "local a = 1\nlocal b = 2\nreturn a\n");
    nvim.input("GAb -- not saved<Esc>");
    nvim.exec(
        "vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0,
          { { lnum = 1, col = 6, message = 'b is never used', severity = vim.diagnostic.severity.WARN, source = 'linter' } })",
    );
    nvim.input("2GV:Botglue run GATE:it<CR>");
    let message: Value = serde_json::from_str(&gated.stdin("it")).unwrap();
    let text = message["message"]["content"][0]["text"].as_str().unwrap();
    for part in [
        "GATE:it",
        "local b = 2",
        "return ab -- not saved",
        "b is never used",
        "Always use tabs in this project.",
        "desk.lua",
        "lua",
    ] {
        assert!(text.contains(part), "{part:?} is not in the message:\n{text}");
    }
    gated.answer("it", "local b = 3");
    nvim.finished(1);
}

#[test]
fn a_flood_of_output_reaches_the_editor_as_a_few_frames() {
    const JOBS: u64 = 32;
    let scratch = Scratch::new();
    // 10 MB of tool output a job: 100 calls with results of 100 kB.
    let mut flood = stream::init("flood");
    for call in 0..100 {
        let id = format!("toolu_{call}");
        flood += &stream::tool_use(&id, "Read", &json!({"file_path": format!("file{call}.lua")}));
        flood += &stream::tool_result(&id, &"x".repeat(100_000));
    }
    std::fs::write(scratch.path("flood"), flood + &stream::answer("DONE")).unwrap();
    let agent = agents::fault(&scratch, "", &format!("cat '{}'", scratch.path("flood").display()));
    let nvim = Builder::new(scratch).option("agents", agent).option("max_parallel", JOBS).start();
    nvim.edit("flood.lua", &"line\n".repeat(usize::try_from(JOBS).unwrap()));
    nvim.exec(
        "_G.calls, _G.started = { frame = 0, finish = 0 }, vim.uv.hrtime()
         local apply = require('botglue.apply')
         for name in pairs(_G.calls) do
           local original = apply[name]
           apply[name] = function(...)
             _G.calls[name] = _G.calls[name] + 1
             return original(...)
           end
         end",
    );
    let ids: Vec<u64> = (1..=JOBS)
        .map(|line| {
            let range = json!({"kind": "line", "first": [line, 0], "last": [line, 0]});
            let options = json!({"prompt": "go", "range": range});
            nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
        })
        .collect();
    for id in ids {
        let job = nvim.finished(id);
        assert_eq!(
            (&job["landing"], job["tools"].as_array().unwrap().len()),
            (&json!("applied"), 100),
            "{id}"
        );
    }
    assert_eq!(nvim.lines(), ["DONE"; 32]);
    let calls = nvim.exec("return { _G.calls.frame, _G.calls.finish, (vim.uv.hrtime() - _G.started) / 1e8 }");
    let ticks = calls[2].as_f64().unwrap();
    assert_eq!(calls[1], JOBS, "one finish a job");
    assert!(calls[0].as_f64().unwrap() <= ticks + 2.0, "{calls}: more than a frame a tick");
}

#[test]
fn the_raw_stream_is_kept_and_shown() {
    let desk = Desk::new("fn target() {}\n");
    let nvim = &desk.nvim;
    let id = desk.lines("it", 1, 1);
    let mut run = desk.gated.run("it");
    run.print(&stream::init("test"));
    nvim.wait("the lines so far are in the file", || {
        let lines = "local path = require('botglue.host.client').job(1).transcript
            local lines = path and vim.fn.filereadable(path) == 1 and vim.fn.readfile(path, 'b') or {}
            return #lines > 1 and lines[#lines] == ''";
        nvim.exec(lines) == json!(true)
    });
    nvim.command("Botglue! transcript");
    assert_eq!(kinds_of(nvim), ["system"]);
    nvim.command("quit");
    run.print(&stream::result("fn other() {}"));
    drop(run);
    nvim.finished(id);
    nvim.wait_for_no_agent();
    nvim.command("Botglue! transcript 1");
    assert_eq!(kinds_of(nvim).last().unwrap(), "result");
    assert_eq!(nvim.exec("return { vim.bo.filetype, vim.bo.modifiable }"), json!(["json", false]));
    nvim.command("quit");

    // The store knows the path, too.
    nvim.exec("require('botglue.host.client').job(1).transcript = nil");
    nvim.command("Botglue! transcript 1");
    nvim.wait("the store has replied with the path", || {
        kinds_of(nvim).last().is_some_and(|kind| kind == "result")
    });
}

/// The kinds of the lines in the current buffer; none where they are no stream.
fn kinds_of(nvim: &Nvim) -> Vec<String> {
    let lines = nvim.lines();
    let kind = |line: &String| Some(serde_json::from_str::<Value>(line).ok()?["type"].as_str()?.to_owned());
    lines.iter().map(kind).collect::<Option<_>>().unwrap_or_default()
}
