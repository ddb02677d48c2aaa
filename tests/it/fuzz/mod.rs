//! The fuzzers: `make fuzz` runs each for a minute. This one is of `botglue parse`; that of `botglue serve` is `rpc`.
//!
//! Starts from the recordings, changes them at random, and keeps what made the reader do something that nothing
//! before it did. Needs no instrumentation and so no special compiler: what counts as new is told by the output.
//! An input that breaks a promise is written to a file, with the command that reads it.

mod messages;
mod mutate;
mod rpc;

use std::collections::HashSet;
use std::env;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use botglue::parse;
use botglue::parse::AgentName;
use botglue::stream::{ExitStatus, Line, Lines, ProcessEnd, lines};
use mutate::Dice;
use serde_json::Value;

use crate::streams::{Recording, recordings};
use crate::watched::Watched;

/// Lines beyond this are dropped here, so that it happens.
const LONGEST_LINE: usize = 20_000;
/// Nothing takes longer than this, unless it does too much work.
const SLOW: Duration = Duration::from_secs(2);

/// One input: a stream, how it is read, and how its process ended.
#[derive(Clone)]
struct Input {
    agent: AgentName,
    bytes: Vec<u8>,
    exit: ExitStatus,
}

impl From<Recording> for Input {
    fn from(recording: Recording) -> Self {
        Self { agent: recording.agent, bytes: recording.bytes, exit: recording.end.exit }
    }
}

#[test]
#[ignore = "takes as long as FUZZ_SECONDS says: make fuzz"]
fn parse_keeps_its_promises() {
    let limit = Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(60));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let seed = number("FUZZ_SEED").unwrap_or(now);
    say(&format!("fuzzing for {limit:?} with FUZZ_SEED={seed}"));

    let mut dice = Dice::new(seed);
    let mut known = HashSet::new();
    let mut corpus: Vec<Input> = recordings().into_iter().map(Input::from).collect();
    let mut recorded = corpus.clone().into_iter();
    let (mut runs, mut kept) = (0_u64, 0_u64);
    let start = Instant::now();
    let mut next_report = Duration::from_secs(10);
    while start.elapsed() < limit {
        let input = recorded.next().unwrap_or_else(|| mutated(&corpus, &mut dice));
        let began = Instant::now();
        let checked = catch_unwind(AssertUnwindSafe(|| check(&input, &mut dice)));
        let took = began.elapsed();
        let Some(signature) = checked.ok().filter(|_| took < SLOW) else {
            panic!("{}", complaint(&input, seed, took));
        };
        runs += 1;
        if known.insert(signature) {
            kept += 1;
            corpus.push(input);
        }
        if start.elapsed() > next_report {
            say(&format!("{runs} inputs, {kept} that did something new"));
            next_report += Duration::from_secs(10);
        }
    }
    say(&format!("{runs} inputs, {kept} that did something new, none that broke a promise"));
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

fn mutated(corpus: &[Input], dice: &mut Dice) -> Input {
    let mut input = dice.pick(corpus).clone();
    if dice.one_in(20) {
        input.agent = dice.pick(corpus).agent;
    }
    if dice.one_in(4) {
        input.exit = match dice.below(3) {
            0 => ExitStatus::Code(0),
            1 => ExitStatus::Code(1),
            _ => ExitStatus::Signal(15),
        };
    }
    for _ in 0..=dice.below(6) {
        mutate::change(&mut input.bytes, &dice.pick(corpus).bytes.clone(), dice);
    }
    input.bytes.truncate(1_000_000);
    input
}

/// Reads the input in both ways, checks what must hold, and says in short what happened.
fn check(input: &Input, dice: &mut Dice) -> Vec<u8> {
    // Sometimes nothing is dropped: what is deep is long.
    let longest = if dice.one_in(2) { lines::LONGEST } else { LONGEST_LINE };
    let end = ProcessEnd {
        stderr: "stderr".to_owned(),
        ..ProcessEnd { exit: input.exit, ..ProcessEnd::with_code(0) }
    };

    let mut output = Vec::new();
    let lines = Lines::with_limit(longest);
    let status = parse::stream(input.agent, &end, lines, &mut &*input.bytes, &mut output).unwrap();
    let printed: Vec<Value> = output
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let (outcome, updates) = printed.split_last().unwrap();
    assert_eq!(outcome["kind"], "finished");
    assert!(updates.iter().all(|update| update["kind"].is_string() && update["kind"] != "finished"));
    assert_eq!(outcome["status"], serde_json::to_value(status).unwrap());

    // The same in chunks as they happen to come.
    let mut watched = Watched::new(input.agent);
    let mut lines = Lines::with_limit(longest);
    let mut rest = &*input.bytes;
    while !rest.is_empty() {
        let (chunk, tail) = rest.split_at(1 + dice.below(rest.len()));
        lines.push(chunk, &mut |line: Line<'_>| watched.take(line));
        rest = tail;
    }
    lines.finish(&mut |line| watched.take(line));
    let again = serde_json::to_string(&watched.end(&end)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), *outcome, "chunks changed the outcome");
    signature(outcome, updates)
}

/// What happened: which kinds of updates followed each other, and what the outcome is made of.
fn signature(outcome: &Value, updates: &[Value]) -> Vec<u8> {
    let mut kinds: Vec<String> =
        updates.iter().map(|update| format!("{}{}", update["kind"], update["tool"]["status"])).collect();
    kinds.dedup();
    kinds.truncate(4);
    let tools: Vec<&Value> =
        outcome["tools"].as_array().unwrap().iter().map(|tool| &tool["status"]).take(3).collect();
    let some = |key: &str| outcome[key].is_null();
    format!(
        "{kinds:?}{tools:?}{}{}{:?}{}{}",
        outcome["error"]["code"],
        outcome["held_for"],
        (some("session_id"), some("model"), some("cost_usd"), some("num_turns")),
        outcome["checkpoints"].as_array().unwrap().len().min(3),
        outcome["malformed"].as_u64().unwrap().min(3),
    )
    .into_bytes()
}

/// Keeps the input that broke a promise and says how to read it.
fn complaint(input: &Input, seed: u64, took: Duration) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{seed}.jsonl"));
    std::fs::write(&path, &input.bytes).unwrap();
    let (option, number) = match input.exit {
        ExitStatus::Code(code) => ("--exit-code", code),
        ExitStatus::Signal(signal) => ("--signal", signal),
    };
    let AgentName { protocol, preset } = input.agent;
    let agent = preset.map_or(protocol.dialect().name, |preset| preset.name);
    let path = path.display();
    format!(
        "a promise was broken (see above) or it took too long ({took:?}); FUZZ_SEED={seed} finds it again, and this \
         reads it: botglue parse --agent {agent} {option} {number} {path}"
    )
}

fn say(line: &str) {
    // A closed output has no reader.
    _ = writeln!(std::io::stdout(), "{line}");
}
