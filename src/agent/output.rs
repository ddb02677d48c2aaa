//! The text that a tool returned.

use super::json::{Read, Reader};
use crate::stream::event::Output;

/// How deep texts are looked for: a list of blocks, a block, its content, its text.
const DEPTH: usize = 4;

/// All texts in what a tool returned, a line break between two of them: a string, or those under the keys that agents
/// use for text, in blocks and objects.
pub fn output(output: Output<'_>) -> String {
    let mut text = String::new();
    // It has been read once, as a part of its line, so nothing can be wrong with it.
    _ = collect(&mut Reader::new(output.0), DEPTH, &mut text);
    text
}

fn collect(json: &mut Reader<'_>, depth: usize, text: &mut String) -> Read<()> {
    match json.peek() {
        Some(b'"') => {
            let Some(found) = json.text()?.filter(|found| !found.is_empty()) else { return Ok(()) };
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&found);
            Ok(())
        }
        Some(b'[') if depth > 0 => json.list(|json| collect(json, depth - 1, text)),
        Some(b'{') if depth > 0 => json.object(|json, key| match key {
            b"text" | b"content" | b"output" | b"message" | b"error" => collect(json, depth - 1, text),
            _ => json.skip(),
        }),
        _ => json.skip(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        output(Output(json.as_bytes()))
    }

    #[test]
    fn each_agents_shape_gives_its_text() {
        for (json, expected) in [
            ("", ""),
            (r#""a\nb""#, "a\nb"),
            (
                r#"[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"text","text":"b"}]"#,
                "a\nb",
            ),
            (r#"[{"type":"content","content":{"type":"text","text":"a"}}]"#, "a"),
            (r#"{"output":"a","metadata":{"output":"b"},"exit":0}"#, "a"),
            (r#"{"error":{"message":"no"}}"#, "no"),
            ("17", ""),
        ] {
            assert_eq!(text(json), expected, "{json}");
        }
    }

    #[test]
    fn nesting_is_not_followed_for_ever() {
        assert_eq!(text(&format!("{}\"a\"{}", "[".repeat(4), "]".repeat(4))), "a");
        assert_eq!(text(&format!("{}\"a\"{}", "[".repeat(100_000), "]".repeat(100_000))), "");
    }
}
