//! Recorded streams as conversations, whole.

use std::fmt::Write;

use super::rows::TranscriptRow;
use super::*;
use crate::agent::{self, Preset, Protocol};

/// What is shown of a stream: a letter for the kind of each row, then its text.
fn shown(protocol: Protocol, stream: &str, about: &TranscriptHeader) -> String {
    let mut conversation =
        Conversation::new(agent::recorded(protocol, Preset::named(&about.agent)), "/home/dev/project");
    conversation.push(stream.as_bytes());
    conversation.finish();
    let mut shown = String::new();
    for TranscriptRow { kind, text } in conversation.view(about).rows {
        let kind = format!("{kind:?}").to_lowercase();
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
fn claude() {
    let stream = concat!(
        r#"{"type":"system","subtype":"init","session_id":"s","model":"opus"}"#,
        "\n",
        r#"{"type":"user","uuid":"u","message":{"content":[{"type":"text","text":"the\nmessage"}]}}"#,
        "\n",
        r#"{"type":"assistant","message":{"id":"m","model":"opus","content":[{"type":"thinking","thinking":"Hm.\nWell."}]}}"#,
        "\n",
        r#"{"type":"assistant","message":{"id":"m","model":"opus","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"/home/dev/project/a.rs"}},{"type":"tool_use","id":"n","name":"Read","input":{"file_path":"/b"}}]}}"#,
        "\n",
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"```\none"}]}}"#,
        "\n",
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"n","is_error":true,"content":"no such file"}]}}"#,
        "\n",
        r#"{"type":"assistant","message":{"id":"o","model":"opus","content":[{"type":"text","text":"It is\n\n- a"}]}}"#,
        "\n",
        r#"{"type":"result","subtype":"success","is_error":false,"result":"It is\n\n- a","num_turns":2,"total_cost_usd":0.01,"usage":{"input_tokens":3,"output_tokens":4}}"#,
        "\n",
    );
    let expected = "\
heading    ## You
text
text       say what it is
text
sent       ```
sent       the
sent       message
sent       ```
text
heading    ## claude (opus)
text
thinking   > Hm.
thinking   > Well.
text
text       I look.
text
ok         `Read a.rs`
output     ````
output     ```
output     one
output     ````
error      `Read /b: no such file`
text
text       It is
text
text       - a
text
note       2 turns, 3 tokens in, 4 out, $0.01
";
    assert_eq!(shown(Protocol::Claude, stream, &about("claude")), expected);
}

#[test]
fn droid_repeats_the_message_and_says_why_a_tool_failed() {
    let stream = include_str!("../../../tests/fixtures/droid/readmissing.jsonl");
    let shown = shown(Protocol::Droid, stream, &about("droid"));
    assert!(shown.contains("heading    ## droid (custom:Mock-0)\n"), "{shown}");
    assert!(shown.contains("\nerror      `Read nope.txt: "), "{shown}");
}

#[test]
fn a_program_only_prints() {
    let expected = "\
heading    ## You
text
text       say what it is
text
heading    ## mine
text
text       one
text
text       two
";
    assert_eq!(shown(Protocol::Text, "one\n\ntwo\n", &about("mine")), expected);
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
    let output = (1..=100).map(|line| format!("line {line}\\n")).collect::<Vec<_>>().concat();
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
        ["output     line 40", "output     … 60 more lines; :Botglue! transcript has all", "output     ```"]
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
    let mut conversation = Conversation::new(Protocol::Claude, "");
    conversation.push(long(5000).as_bytes());
    conversation.finish();
    let view = conversation.view(&about("claude"));
    assert_eq!(view.rows.len(), 10_000);
    assert!(
        view.rows[0].text.ends_with(" earlier rows are left out; :Botglue! transcript has all"),
        "{:?}",
        view.rows[0]
    );
    assert_eq!(view.rows.last().unwrap().text, "```");
}

#[test]
fn only_what_is_new_is_sent_again() {
    let stream = long(3);
    let lines: Vec<&str> = stream.split_inclusive('\n').collect();
    let mut conversation = Conversation::new(Protocol::Claude, "");
    let mut shown: Vec<TranscriptRow> = Vec::new();
    let mut about = about("claude");
    for (at, line) in lines.iter().enumerate() {
        conversation.push(line.as_bytes());
        let TranscriptView { from, rows, settled, mark } = conversation.view(&about);
        assert!(at < 3 || from > 0, "all of it is sent again after line {at}");
        shown.truncate(from);
        shown.extend(rows);
        about.known = Some((settled, mark));
    }
    assert_eq!(shown, conversation.view(&TranscriptHeader { known: None, ..about.clone() }).rows);
    about.known = Some((5, "another".to_owned()));
    assert_eq!(conversation.view(&about).from, 0);
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
