//! The support against the real things, so that a test that fails elsewhere has found something.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::api::{Api, Block, Gate, Reply, calls, says};
use super::nvim::{Builder, Nvim};
use super::scratch::Scratch;
use super::{agents, cli, process, stream, wait};

#[test]
fn neovim_takes_keys_and_shows_its_lines() {
    let nvim = Builder::new(Scratch::new()).screen(40, 10).start();
    nvim.edit("a.txt", "one\ntwo\n");
    nvim.input("ozwei<Esc>ggOnull");
    assert_eq!(nvim.lines(), ["null", "one", "zwei", "two"]);
    assert_eq!(nvim.call("nvim_get_mode", &[])["mode"], "i");
    let rows = nvim.wait_for_rows("the typed word", |rows| rows.first().is_some_and(|row| row == "null"));
    assert_eq!(rows[1], "one");
    nvim.set_lines(&["ü", "two"]);
    assert_eq!(
        nvim.exec_with("return { ..., vim.fn.getline(1) }", &[json!({"a": [1, null, 1.5]})]),
        json!([{"a": [1, null, 1.5]}, "ü"])
    );
    let error = nvim.try_call("nvim_command", &["unknown".into()]).unwrap_err();
    assert!(error.contains("E492"), "{error}");
    nvim.quit();
}

#[test]
fn the_screen_is_what_neovim_says_it_is() {
    let nvim = Builder::new(Scratch::new()).screen(30, 12).start();
    let text: String = (1..200)
        .fold(String::new(), |text, line| text + &format!("{line} 漢字 wide {}\n", "é".repeat(line % 7)));
    nvim.edit("long.txt", &text);
    nvim.command("set scrolloff=0 | vsplit | redraw");
    for keys in ["20<C-e>", "7<C-y>", "<C-d>", "dd5p", "G", "ggO", "<Esc>50G"] {
        nvim.input(keys);
        nvim.command("redraw");
        let lua = "local rows = {}
            for row = 1, vim.o.lines do
              local cells = {}
              for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
              rows[row] = table.concat(cells):gsub('%s+$', '')
            end
            return rows";
        let expected: Vec<String> = serde_json::from_value(nvim.exec(lua)).unwrap();
        nvim.wait_for_rows(&format!("{expected:#?}"), |rows| rows == expected);
    }
}

#[test]
fn notifications_and_events_reach_the_test() {
    let nvim = Nvim::with_agents(Scratch::new(), json!({"claude": {"command": ["nowhere"]}}));
    nvim.exec("vim.notify('look', vim.log.levels.WARN)");
    nvim.exec("vim.api.nvim_exec_autocmds('User', { pattern = 'BotglueJobFinished', data = { id = 3, status = 'done' } })");
    assert_eq!(nvim.finished(3), json!({"id": 3, "status": "done"}));
    assert_eq!(nvim.notes(), [json!({"message": "look", "level": 3})]);
    assert_eq!(nvim.exec("return vim.g.botglue.agents.claude.command"), json!(["nowhere"]));
}

#[test]
fn neovims_own_process_is_no_agent() {
    let nvim = Builder::new(Scratch::new()).option("notify", "none").start();
    nvim.exec("vim.fn.jobstart({ 'sleep', '1000' })");
    let started = process::wait_for(&nvim.scratch, "sleep 1000");
    assert!(process::of(&nvim.scratch).iter().any(|process| process.pid == nvim.pid()));
    assert_eq!(nvim.host(), None);
    process::signal(started.pid, "KILL");
    nvim.wait_for_no_agent();
}

#[test]
fn what_is_left_running_is_found() {
    let scratch = Scratch::new();
    for agents in [
        agents::outlives_its_answer(&scratch, "bye"),
        agents::leaves_a_child_on_its_pipes(&scratch, "bye"),
        agents::ignores_term(&scratch),
    ] {
        let mut child = start(&scratch, &agents, "claude", &[], "hello");
        let left = process::wait_for(&scratch, "sleep 1000");
        process::signal(child.id(), "TERM");
        assert!(process::of(&scratch).contains(&left) || left.pid == child.id());
        process::kill_all(&scratch);
        child.wait().unwrap();
        process::wait_for_none_but(&scratch, &[], "all are killed");
    }
}

#[test]
fn an_agent_that_fails_says_so() {
    let scratch = Scratch::new();
    let agents = agents::exits(&scratch, 3, "it's broken\n");
    let output = start(&scratch, &agents, "claude", &[], "hello").wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(3), b"it's broken\n".as_slice()));
}

#[test]
fn a_gated_agent_waits_for_the_test() {
    let scratch = Scratch::new();
    let gated = agents::Gated::new(&scratch);
    let first = start(&scratch, &gated.option(), "claude", &["-x"], "first GATE:one please");
    let second = start(&scratch, &gated.option(), "claude", &[], "second GATE:two");
    gated.answer("two", "2");
    assert_eq!(result_of(&second.wait_with_output().unwrap())["result"], "2");
    assert_eq!(gated.stdin("one"), "first GATE:one please");
    assert_eq!(gated.arguments("one"), ["-x"]);
    let mut run = gated.run("one");
    run.print(&stream::tool_use("t1", "Read", &json!({"file_path": "a.txt"})));
    run.print(&stream::tool_result("t1", "content"));
    run.print(&stream::tool_error("t2", "gone"));
    drop(run);
    let printed = first.wait_with_output().unwrap().stdout;
    let lines = printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines: Vec<Value> = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert_eq!(lines[0]["message"]["content"][0]["name"], "Read");
    assert_eq!(lines[1]["message"]["content"][0]["content"], "content");
    assert_eq!(lines[2]["message"]["content"][0]["is_error"], true);
}

#[test]
fn the_claude_cli_talks_to_the_api_runs_tools_and_waits_at_a_gate() {
    let (scratch, api) = (Scratch::new(), Api::start());
    let path = scratch.write("a.txt", "content of a\n");
    let read = |path: &std::path::Path| ("Read", json!({"file_path": path}));
    let gate = Gate::new();
    let thought = Block::Thinking("let me see".into());
    let said =
        [thought, Block::Text("first".into()), Block::Wait(gate.clone()), Block::Text("second".into())];
    api.script(
        "all",
        [calls("", &[read(&path), read(&scratch.path("nowhere"))]), Reply::Message(said.into(), "end_turn")],
    );
    let child = start_claude(&scratch, &api, "please SCRIPT:all");
    wait("the answer waits", || gate.is_reached());
    gate.open();
    let output = child.wait_with_output().unwrap();
    assert!(result_of(&output)["result"].as_str().unwrap().contains("second"));

    let requests = api.requests();
    assert_eq!(requests.len(), 2, "{requests:#?}");
    assert_eq!(requests[0].headers["x-api-key"], "test-key");
    assert!(requests[0].target.starts_with("/v1/messages"));
    assert!(requests[0].user_text().contains("please SCRIPT:all"));
    let results = api.tool_results();
    assert!(results[0].to_string().contains("content of a"), "{results:#?}");
    assert_eq!(results[1]["is_error"], true, "{results:#?}");
}

#[test]
fn the_droid_cli_talks_to_the_api() {
    let (scratch, api) = (Scratch::new(), Api::start());
    let path = scratch.write("a.txt", "content of a\n");
    api.script("read", [calls("I look.", &[("Read", json!({"file_path": path}))]), says("read it")]);
    let agents = cli::droid(&scratch, &api);
    let arguments = ["exec", "-o", "stream-json", "-m", "custom:Mock-0", "--only-tools", "Read,LS,Grep,Glob"];
    let output = start(&scratch, &agents, "droid", &arguments, "SCRIPT:read").wait_with_output().unwrap();
    assert_eq!(result_of(&output)["finalText"], "read it", "{output:?}");
    assert!(api.tool_results()[0].to_string().contains("content of a"));
}

fn start_claude(scratch: &Scratch, api: &Api, prompt: &str) -> std::process::Child {
    let arguments =
        ["-p", "--verbose", "--output-format", "stream-json", "--tools", "Read", "--setting-sources", "user"];
    start(scratch, &cli::claude(api), "claude", &arguments, prompt)
}

/// Starts an agent as the host would: the command and the environment of the option `agents`.
fn start(
    scratch: &Scratch,
    agents: &Value,
    name: &str,
    arguments: &[&str],
    stdin: &str,
) -> std::process::Child {
    let environment = agents[name]["env"].as_object().cloned().unwrap_or_default();
    let mut child = Command::new(agents[name]["command"][0].as_str().unwrap())
        .args(arguments)
        .env_clear()
        .envs(scratch.environment())
        .envs(environment.iter().map(|(key, value)| (key, value.as_str().unwrap())))
        .current_dir(scratch.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child
}

/// The last line that an agent printed.
fn result_of(output: &Output) -> Value {
    let printed = String::from_utf8_lossy(&output.stdout);
    let last = printed.lines().last().unwrap_or_else(|| panic!("nothing was printed: {output:?}"));
    serde_json::from_str(last).unwrap()
}
