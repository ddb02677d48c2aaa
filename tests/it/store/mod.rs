//! What is kept, asked for through the plugin: by this Neovim and by the next one.

mod crash;
mod ending;
mod faults;
mod interrupted;
mod killed;
mod next_host;

use serde_json::{Value, json};

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// Asks the store and waits for its answer.
#[track_caller]
pub fn ask(nvim: &Nvim, name: &str, args: &Value) -> Result<Value, String> {
    let answer = nvim.exec_with(
        "local name, args = ...
         local answer
         require('botglue.wiring')
         require('botglue.host.query').ask(name, args, function(result, err)
           answer = { result = result, err = err }
         end)
         vim.wait(30000, function() return answer ~= nil end, 5)
         return answer",
        &[json!(name), args.clone()],
    );
    match answer["err"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(answer["result"].clone()),
    }
}

fn run(nvim: &Nvim, gated: &Gated, name: &str, line: u64, answer: &str) -> Value {
    let range = json!({"kind": "line", "first": [line, 0], "last": [line, 0]});
    let options = json!({"prompt": format!("GATE:{name}"), "range": range});
    let id = nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap();
    gated.answer(name, answer);
    nvim.finished(id)
}

#[test]
fn the_store_answers_in_this_neovim_and_in_the_next() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    let first = run(&nvim, &gated, "one", 1, "local a = 10\nlocal aa = 11");
    run(&nvim, &gated, "two", 3, "local b = 20");
    let path = nvim.scratch.project().join("a.lua");

    let history = ask(&nvim, "history", &json!({})).unwrap();
    let prompts: Vec<_> =
        history["jobs"].as_array().unwrap().iter().map(|job| (&job["id"], &job["prompt"])).collect();
    assert_eq!(prompts, [(&json!(2), &json!("GATE:two")), (&json!(1), &json!("GATE:one"))]);
    assert_eq!(history["more"], false);
    let entry = &history["jobs"][1];
    for field in ["cost_usd", "input_tokens", "output_tokens", "num_turns", "session_id", "model", "landing"]
    {
        assert_eq!(entry[field], first[field], "{field} of {entry}");
    }
    assert_eq!(entry["path"], path.to_str().unwrap());

    let stored = |at: usize| {
        let job = ask(&nvim, "job", &json!({"uuid": history["jobs"][at]["uuid"]})).unwrap()["job"].clone();
        json!([job["landed_first"], job["landed_last"], job["landed_rows"]])
    };
    assert_eq!(stored(0), json!([3, 3, ["local b = 20"]]));
    assert_eq!(stored(1), json!([1, 2, ["local a = 10", "local aa = 11"]]));

    let nvim = Builder::new(nvim.quit_to()).start();
    let uuid = &history["jobs"][0]["uuid"];
    let job = ask(&nvim, "job", &json!({"uuid": uuid})).unwrap()["job"].clone();
    assert_eq!((&job["id"], &job["text"]), (&Value::Null, &json!("local b = 20")), "no job of this Neovim");
    assert_eq!(job["selection"]["rows"], json!(["local b = 2"]));
    assert_eq!(ask(&nvim, "prompts", &json!({})).unwrap()["prompts"][0], "GATE:two");

    assert!(ask(&nvim, "job", &json!({"id": 9})).unwrap_err().contains("no such job"));
    assert!(ask(&nvim, "weather", &json!({})).unwrap_err().contains("name"));
}
