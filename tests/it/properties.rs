//! What holds for every stream, however wrong: broken, shuffled, cut.

use botglue::agent::Protocol;
use botglue::stream::{Outcome, ProcessEnd, Status};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::streams::{Recording, read, recordings};
use crate::watched::Watched;

/// Lines of all kinds of one protocol: those of its recordings, and some that are wrong in many ways.
fn pool(protocol: Protocol) -> Vec<Vec<u8>> {
    let own = recordings().into_iter().filter(|recording| recording.protocol == protocol);
    let mut pool: Vec<Vec<u8>> = own.flat_map(|recording| lines(&recording.bytes)).collect();
    pool.extend(
        [&b"{"[..], b"{}", b"null", b"Script x", b"words", b"\xff\xfe", b"{\"type\":1}", b"  "]
            .map(<[u8]>::to_vec),
    );
    pool.sort();
    pool.dedup();
    pool
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// What the readers look for, in places where it should not be, and numbers beyond all bounds.
const WORDS: [&str; 16] = [
    "\"",
    "\\",
    "\\ud83d",
    "{",
    "]}",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"type\":\"result\",",
    "\"is_error\":true,",
    "\"parent_tool_use_id\":\"t\",",
    "<synthetic>",
    "message_stop",
    "completion",
    "\u{feff}",
];

#[derive(Debug, Clone)]
enum Damage {
    None,
    Cut(Index),
    Replace(Index, u8),
    Drop(Index, Index),
    Insert(Index, &'static str),
    /// Puts a deep value in the place of a text.
    Nest(usize),
}

fn damaged(mut line: Vec<u8>, damage: &Damage) -> Vec<u8> {
    if line.is_empty() {
        return line;
    }
    match damage {
        Damage::None => {}
        Damage::Cut(at) => line.truncate(at.index(line.len())),
        Damage::Replace(at, byte) => {
            let at = at.index(line.len());
            line[at] = *byte;
        }
        Damage::Drop(from, to) => {
            let (from, to) = (from.index(line.len()), to.index(line.len()));
            line.drain(from.min(to)..from.max(to));
        }
        Damage::Insert(at, word) => {
            let at = at.index(line.len());
            line.splice(at..at, word.bytes());
        }
        Damage::Nest(depth) => {
            let deep = format!(r#""text":{}0{}"#, r#"[{"text":"#.repeat(*depth), "}]".repeat(*depth));
            line =
                String::from_utf8_lossy(&line).replace(r#""text":"#, &format!("{deep},\"x\":")).into_bytes();
        }
    }
    line.retain(|&byte| byte != b'\n');
    line
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        6 => Just(Damage::None),
        1 => any::<Index>().prop_map(Damage::Cut),
        1 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        1 => (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Drop(from, to)),
        1 => (any::<Index>(), select(&WORDS[..])).prop_map(|(at, word)| Damage::Insert(at, word)),
        1 => (1..2000_usize).prop_map(Damage::Nest),
    ]
}

fn end() -> impl Strategy<Value = ProcessEnd> {
    prop_oneof![
        2 => Just(ProcessEnd::with_code(0)),
        1 => (1..256).prop_map(ProcessEnd::with_code),
        1 => (1..32).prop_map(ProcessEnd::with_signal),
    ]
}

fn any_order(protocol: Protocol) -> impl Strategy<Value = (Vec<(Vec<u8>, Damage)>, ProcessEnd)> {
    (prop::collection::vec((select(pool(protocol)), damage()), 0..60), end())
}

fn check(protocol: Protocol, lines: Vec<(Vec<u8>, Damage)>, end: &ProcessEnd) {
    let mut watched = Watched::new(protocol.recipe());
    for (line, damage) in lines {
        watched.line(&damaged(line, &damage));
    }
    watched.end(end);
}

/// How many streams are tried of each protocol; `make fuzz` says.
fn cases() -> ProptestConfig {
    let cases = std::env::var("FUZZ_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(300);
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn claude_in_any_order((lines, end) in any_order(Protocol::Claude)) {
        check(Protocol::Claude, lines, &end);
    }

    #[test]
    fn droid_in_any_order((lines, end) in any_order(Protocol::Droid)) {
        check(Protocol::Droid, lines, &end);
    }

    #[test]
    fn dialogues_in_any_order((lines, end) in any_order(Protocol::Acp)) {
        check(Protocol::Acp, lines, &end);
    }

    #[test]
    fn text_in_any_order((lines, end) in any_order(Protocol::Text)) {
        check(Protocol::Text, lines, &end);
    }
}

/// Every text in a recording that is whole by itself: blocks, and the blocks of one message together.
fn whole_texts(recording: &Recording) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut message: Option<(String, String)> = None;
    for line in recording.bytes.split(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line).replace(r"\ud83d", "\u{fffd}");
        let Ok(line) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        texts.extend(["result", "finalText"].iter().filter_map(|key| line[key].as_str()).map(str::to_owned));
        let id = line["message"]["id"].as_str().or(line["id"].as_str()).unwrap_or_default();
        let content = &line["message"]["content"];
        let blocks = content.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
        for text in blocks.chain(content.as_str()).chain(line["text"].as_str()) {
            let glue = recording.agent.block_separator;
            let whole = match message.take() {
                Some((before, whole)) if before == id => format!("{whole}{glue}{text}"),
                _ => text.to_owned(),
            };
            texts.push(whole.clone());
            message = Some((id.to_owned(), whole));
        }
    }
    texts
}

/// Cuts a recording before, within and at the end of each of its lines; `check` gets how it ended then with each of these
/// ends of the process.
fn cut_everywhere(recording: &Recording, ends: &[ProcessEnd; 2], mut check: impl FnMut(usize, [Outcome; 2])) {
    let mut start = 0;
    for line in recording.bytes.split_inclusive(|&byte| byte == b'\n') {
        for length in [0, 1, line.len() / 2, line.len() - 1] {
            let cut = &recording.bytes[..start + length];
            check(cut.len(), ends.each_ref().map(|end| read(recording.agent, [cut], end).1));
        }
        start += line.len();
    }
}

fn json_recordings() -> impl Iterator<Item = Recording> {
    recordings().into_iter().filter(|recording| recording.protocol != Protocol::Text)
}

/// The lengths at which a recording has the result of Claude or of a dialogue.
fn results(recording: &Recording) -> Vec<usize> {
    let lines = recording.bytes.split_inclusive(|&byte| byte == b'\n').scan(0, |end, line| {
        *end += line.len();
        let line = String::from_utf8_lossy(line);
        let is_result = line.contains(r#""type":"result""#) || line.contains(r#"\"stopReason\":"#);
        Some((*end, is_result))
    });
    lines.filter_map(|(end, is_result)| is_result.then_some(end)).collect()
}

/// Ended well without a result, a whole message counts: of half a one it would be known. Ended by a signal, only the
/// result of Claude and of a dialogue counts, and Droid's completion does not.
#[test]
fn cut_anywhere_half_an_answer_is_none_and_by_a_signal_only_a_result_is_one() {
    for recording in json_recordings() {
        let ends = [ProcessEnd::with_code(0), ProcessEnd::with_signal(15)];
        let (_, outcome) = read(recording.agent, [&*recording.bytes], &ends[0]);
        let whole: Vec<String> = whole_texts(&recording).into_iter().chain(outcome.text).collect();
        let results = results(&recording);
        cut_everywhere(&recording, &ends, |at, [ended, killed]| {
            if let Some(text) = ended.text.filter(|_| ended.held_for.is_none()) {
                assert!(whole.contains(&text), "{} cut after {at} bytes: {text:?}", recording.name);
            }
            let has_result = results.iter().any(|&end| end <= at + 1);
            assert!(
                killed.status == Status::Failed || has_result,
                "{} cut after {at} bytes: {:?}",
                recording.name,
                killed.text
            );
        });
    }
}
