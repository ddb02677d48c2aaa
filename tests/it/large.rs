//! Lines of hundreds of megabytes, and the memory that they may take.
//!
//! The bound is 1.25 times the line, and little else, where it is a tool's output: nothing of that is built. It
//! is tested as a limit on the address space of the process.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

const MEGABYTE: usize = 1 << 20;
/// For the program itself, its libraries and its stack.
const PROGRAM: usize = 40;

/// Reads `before`, a filling of this many megabytes, and `after`, within a limit on memory, also in megabytes.
fn parse(before: &'static str, megabytes: usize, after: &'static str, limit: usize) -> Value {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {}; exec \"$0\" parse --agent claude", limit * 1024)])
        .arg(env!("CARGO_BIN_EXE_botglue"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || {
        let line = format!("no {}\\\"end\\\"\\n", "x".repeat(MEGABYTE / 1024 - 12));
        let filling = line.repeat(1024);
        stdin.write_all(before.as_bytes())?;
        for _ in 0..megabytes {
            stdin.write_all(filling.as_bytes())?;
        }
        stdin.write_all(after.as_bytes())
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    let last = output.stdout.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap();
    serde_json::from_slice(last).unwrap()
}

#[test]
fn a_tools_output_takes_little_more_than_its_line() {
    for megabytes in [140, 200] {
        let outcome = parse(
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":""#,
            megabytes,
            r#""}]}}
{"type":"result","is_error":false,"result":"the answer"}
"#,
            megabytes * 5 / 4 + PROGRAM,
        );
        assert_eq!((&outcome["text"], &outcome["malformed"]), (&Value::from("the answer"), &Value::from(0)));
        assert!(outcome["tools"][0]["error"].as_str().unwrap().starts_with("no xxx"));
    }
}

#[test]
fn a_result_beyond_256_megabytes_is_dropped_and_leaves_no_answer() {
    let outcome = parse(
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"before it"}]}}
{"type":"result","is_error":false,"result":""#,
        300,
        "\"}\n",
        256 + PROGRAM,
    );
    assert_eq!(outcome["error"]["code"], "protocol");
    assert_eq!((&outcome["lines"], &outcome["malformed"]), (&Value::from(2), &Value::from(1)));
}
