//! Streams to measure with, which are mostly the output of tools.

use serde_json::Value;

const SESSION: &str = r#""session_id":"f699c389-fced-46a0-ab5c-1f459e1b453d","parent_tool_use_id":null"#;

/// What a tool that reads files returns: source code.
const SOURCE: &str = include_str!("../../../src/stream/tools.rs");

/// 10 MB: 100 KB an output, each twice in its line.
pub fn tool_heavy() -> String {
    let source: String = SOURCE.chars().cycle().take(100_000).collect();
    (0..50).map(|number| tool(number, &source)).collect::<String>() + &result()
}

/// So many tools with small outputs.
pub fn tools(count: u32) -> String {
    (0..count).map(|number| tool(number, "one line")).collect::<String>() + &result()
}

/// A tool's call and its output.
fn tool(number: u32, output: &str) -> String {
    let output = Value::String(output.to_owned()).to_string();
    format!(
        r#"{{"type":"assistant","message":{{"id":"msg_{number}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"tool_use","id":"toolu_{number}","name":"Read","input":{{"file_path":"/home/dev/project/src/{number}.rs"}}}}],"stop_reason":null,"usage":{{"input_tokens":25,"output_tokens":1}}}},{SESSION},"uuid":"02d0c82d-c1a4-4324-be09-e5b1af17e05f"}}
{{"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"toolu_{number}","type":"tool_result","content":{output}}}]}},{SESSION},"uuid":"89016742-2a56-4d9c-a946-159c6c522661","tool_use_result":{{"type":"text","file":{{"filePath":"/home/dev/project/src/{number}.rs","content":{output},"numLines":2400,"startLine":1,"totalLines":2400}}}}}}
"#
    )
}

/// The line that ends a stream, with an answer of four rows.
fn result() -> String {
    let answer = r"fn main() {\n    one();\n    two();\n}";
    format!(
        r#"{{"duration_api_ms":47,"stop_reason":"end_turn","total_cost_usd":0.00182,"usage":{{"input_tokens":50,"output_tokens":30}},"is_error":false,"num_turns":2,"subtype":"success","result":"{answer}","type":"result","duration_ms":145}}
"#
    )
}
