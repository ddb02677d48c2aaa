//! The demo is what newcomers see first: it works, and it does not say so when it does not.

use std::process::Output;

use crate::support::nvim;
use crate::support::scratch::Scratch;

fn demo(agent: &str, host: &str) -> Output {
    let scratch = Scratch::new();
    scratch
        .command(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/demo/run"))
        .args(["demo".as_ref(), nvim::program().as_os_str(), agent.as_ref()])
        .env("BOTGLUE_DEMO_PLACE", scratch.path("demo"))
        .env("BOTGLUE_DEMO_HOST", host)
        .output()
        .unwrap()
}

#[test]
fn recorded_answers_land_while_somebody_types() {
    let output = demo("replay", env!("CARGO_BIN_EXE_botglue"));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("+    stock.values().sum()"), "{printed}");
    assert!(
        printed.ends_with("Every answer is in its own range, and every typed character is there.\n"),
        "{printed}"
    );
}

#[test]
fn a_demo_without_a_host_fails() {
    let output = demo("replay", "/nowhere/botglue");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert_eq!(printed.matches("wrong: the job on").count(), 3, "{printed}");
    assert!(printed.contains("make install"), "{printed}");
}
