//! Recorded streams as conversations, whole.

use std::fmt::Write;

use super::*;
use crate::agent::Protocol;

/// What is shown of a stream: a letter for the kind of each row, then its text.
fn shown(protocol: Protocol, stream: &str, about: &TranscriptHeader) -> String {
    let recipe = Recipe::of(protocol, &about.agent);
    let mut shown = String::new();
    for TranscriptRow { kind, text } in draw(stream.as_bytes(), recipe, "/home/dev/project", about) {
        let kind = match kind {
            RowKind::Tool(status) => status.name().to_owned(),
            kind => format!("{kind:?}").to_lowercase(),
        };
        _ = writeln!(shown, "{}", format!("{kind:<10} {text}").trim_end());
    }
    shown
}

fn about(agent: &str) -> TranscriptHeader {
    TranscriptHeader {
        agent: agent.to_owned(),
        prompt: "say what it is".to_owned(),
        is_over: true,
        ..TranscriptHeader::default()
    }
}

#[test]
fn a_job_that_failed_says_why() {
    let about = TranscriptHeader { error: Some("the agent took too long".to_owned()), ..about("claude") };
    let stream = concat!(
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Grep","input":{"pattern":"a`b"}}]}}"#,
        "\n",
    );
    let expected = "\
heading    ## You
text
text       say what it is
text
heading    ## claude
text
unfinished `` Grep a`b ``
text
failure    the agent took too long
";
    assert_eq!(shown(Protocol::Claude, stream, &about), expected);
}

#[test]
fn a_transcript_that_was_cut_says_why() {
    for (protocol, line) in [
        (Protocol::Claude, r#"{"cut":"the disk was too slow for it","type":"botglue"}"#),
        (Protocol::Text, r#"{"cut":"the disk was too slow for it","type":"botglue"}"#),
        (Protocol::Acp, r#"{"from":"agent","t":1.5,"cut":"the disk was too slow for it"}"#),
    ] {
        let shown = shown(protocol, line, &about("mine"));
        assert!(
            shown.ends_with("note       the transcript is cut here: the disk was too slow for it\n"),
            "{shown}"
        );
    }
}

#[test]
fn a_long_output_is_cut_and_says_how_much_is_left_out() {
    let output = (2..=100).fold("```\\n".to_owned(), |all, line| all + &format!("line {line}\\n"));
    let stream = [
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}"#.to_owned(),
        format!(r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t","content":"{output}"}}]}}}}"#),
    ]
    .join("\n");
    let shown = shown(Protocol::Claude, &stream, &about("claude"));
    let rows: Vec<&str> = shown.lines().filter(|row| row.starts_with("output")).collect();
    assert_eq!(rows.len(), 43);
    assert_eq!(
        rows[40..],
        ["output     line 40", "output     … 60 more lines; :Botglue! transcript has all", "output     ````"]
    );
}

/// A stream of Claude's with many tools.
fn long(tools: usize) -> String {
    let mut stream = String::new();
    for tool in 0..tools {
        _ = writeln!(
            stream,
            r#"{{"type":"assistant","message":{{"id":"m{tool}","content":[{{"type":"text","text":"now {tool}"}},{{"type":"tool_use","id":"t{tool}","name":"Read","input":{{}}}}]}}}}"#
        );
        let output = "x\\n".repeat(500);
        _ = writeln!(
            stream,
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t{tool}","content":"{output}"}}]}}}}"#
        );
    }
    stream
}

#[test]
fn of_a_long_conversation_the_newest_rows_are_shown() {
    let rows = draw(long(5000).as_bytes(), Protocol::Claude.recipe(), "", &about("claude"));
    assert_eq!(rows.len(), 10_000);
    let left_out = "225006 earlier rows are left out; :Botglue! transcript has all";
    assert_eq!((rows[0].text.as_str(), rows.last().unwrap().text.as_str()), (left_out, "```"));
}

/// One recorded stream of each agent.
#[test]
fn recorded_streams() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    for (protocol, agent, stream) in [
        (Protocol::Claude, "claude", "claude/tools-readonly.jsonl"),
        (Protocol::Claude, "claude", "claude/partial-thinking.jsonl"),
        (Protocol::Claude, "claude", "claude/permission-denied.jsonl"),
        (Protocol::Claude, "claude", "claude/http-529.jsonl"),
        (Protocol::Droid, "droid", "droid/readmissing.jsonl"),
        (Protocol::Droid, "droid", "droid/parallel.jsonl"),
        (Protocol::Droid, "droid", "droid/think.jsonl"),
        (Protocol::Text, "mine", "text/made-answer.txt"),
        (Protocol::Acp, "codex", "acp/codex/two-tools.jsonl"),
        (Protocol::Acp, "gemini", "acp/gemini/read.jsonl"),
        (Protocol::Acp, "opencode", "acp/opencode/two-tools.jsonl"),
        (Protocol::Acp, "qwen", "acp/qwen/read.jsonl"),
        (Protocol::Acp, "copilot", "acp/copilot/read.jsonl"),
    ] {
        let text = std::fs::read_to_string(format!("{folder}/{stream}")).unwrap();
        let name = stream.replace('/', "-");
        let name = name.rsplit_once('.').map_or(name.as_str(), |(name, _)| name);
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, shown(protocol, &text, &about(agent)));
        });
    }
}
