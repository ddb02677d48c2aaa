//! The fuzzer of `botglue serve`: messages that are malformed, or well formed with unexpected values. After
//! each batch of them the host has to answer a request and to run a job.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rmpv::Value;
use serde_json::json;

use super::messages;
use crate::support::DEADLINE;
use crate::support::rpc::encoded;
use crate::support::scratch::Scratch;
use crate::support::serve::Serve;

/// How many messages come before the host is looked at.
const BATCH: usize = 100;

#[test]
#[ignore = "takes as long as FUZZ_SECONDS says: make fuzz"]
fn serve_outlives_whatever_it_is_told() {
    let limit = Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(60));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let seed = number("FUZZ_SEED").unwrap_or(now);
    let mut dice = Random(seed);
    let serve = Serve::start(Scratch::new());
    let known = messages::of_each_kind(&serve);
    let start = Instant::now();
    let mut batches = 0;
    while start.elapsed() < limit {
        let batch: Vec<Vec<u8>> = (0..BATCH).map(|_| malformed(&known, &mut dice)).collect();
        batches += 1;
        let checked = catch_unwind(AssertUnwindSafe(|| {
            for message in &batch {
                serve.channel.send(message).unwrap();
            }
            // No message names such a job.
            check(&serve, 1000 + batches);
        }));
        if checked.is_err() {
            let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-rpc-{seed}.msgpack"));
            std::fs::write(&path, batch.concat()).unwrap();
            panic!("a promise was broken (see above) by {}; FUZZ_SEED={seed} finds it again", path.display());
        }
    }
    assert!(batches > 0, "there was no time for any message");
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The host still answers, and still runs jobs.
fn check(serve: &Serve, id: u64) {
    let error = serve.channel.call("what", Vec::new(), DEADLINE).unwrap_err();
    assert!(!error.starts_with("what:"), "{error}");
    serve.run(id, "echo local b", &json!({"max_parallel": 1000}));
    assert_eq!(serve.finished(id)["text"], "local b");
}

/// Bytes that are whole values, so that what comes behind them can be read.
fn malformed(known: &[Value], dice: &mut Random) -> Vec<u8> {
    if dice.one_in(10) {
        return stray(dice);
    }
    let mut message = dice.pick(known).clone();
    for _ in 0..=dice.below(3) {
        let nodes = count(&message);
        change(&mut message, dice.below(nodes), dice);
    }
    let bytes = encoded(&message);
    let mut flipped = bytes.clone();
    let at = dice.below(flipped.len());
    flipped[at] ^= 1 << dice.below(8);
    let mut rest = &flipped[..];
    let is_whole = rmpv::decode::read_value(&mut rest).is_ok() && rest.is_empty();
    if is_whole && dice.one_in(4) { flipped } else { bytes }
}

/// What is no message at all.
fn stray(dice: &mut Random) -> Vec<u8> {
    let depth = 1 + dice.below(100_000);
    match dice.below(4) {
        0 => vec![*dice.pick(&[0x00, 0x7f, 0xc0, 0xc1, 0xc2, 0xe0, 0xff, 0x80, 0x90, 0xa0])],
        1 => [vec![0x91; depth], vec![0xc0]].concat(),
        2 => [&[0x93, 2, 0xa3, b'r', b'u', b'n', 0x91][..], &vec![0x91; depth], &[0xc0]].concat(),
        _ => [&[0x93, 2, 0xa3, b'r', b'u', b'n', 0x91][..], &[0x81, 0xc0].repeat(depth), &[0xc0]].concat(),
    }
}

/// How many values a value consists of, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Map(map) => map.iter().map(|(key, value)| count(key) + count(value)).sum(),
        _ => 0,
    }
}

/// Changes the value of this number, counted from the outermost.
fn change(value: &mut Value, number: usize, dice: &mut Random) {
    if number == 0 {
        *value = changed(value.clone(), dice);
        return;
    }
    let parts: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Map(map) => map.iter_mut().flat_map(|(key, value)| [key, value]).collect(),
        _ => return,
    };
    let mut left = number - 1;
    for part in parts {
        let size = count(part);
        if left < size {
            return change(part, left, dice);
        }
        left -= size;
    }
}

fn changed(value: Value, dice: &mut Random) -> Value {
    match (dice.below(4), value) {
        (0, Value::Array(mut list)) if !list.is_empty() => {
            list.remove(dice.below(list.len()));
            Value::Array(list)
        }
        (0, Value::Map(mut map)) if !map.is_empty() => {
            map.remove(dice.below(map.len()));
            Value::Map(map)
        }
        (1, Value::Array(list)) => Value::Array([list.clone(), list].concat()),
        (1, Value::Map(map)) => Value::Map([map.clone(), map].concat()),
        (2, value) => (0..dice.below(100)).fold(value, |inner, _| Value::Array(vec![inner])),
        _ => odd(dice),
    }
}

/// An unexpected value. As a program or an argument none of them does anything.
fn odd(dice: &mut Random) -> Value {
    match dice.below(16) {
        0 => Value::Nil,
        1 => true.into(),
        2 => Value::from(dice.below(100)),
        3 => u64::MAX.into(),
        4 => i64::MIN.into(),
        5 => ((1_u64 << 53) + 2).into(),
        6 => f64::NAN.into(),
        7 => f64::INFINITY.into(),
        8 => 1e19.into(),
        9 => (-1e-300).into(),
        10 => "".into(),
        11 => "-\u{0}\n\u{202e}".into(),
        12 => Value::Binary(vec![0xff, 0xfe, b'\n']),
        13 => "long ".repeat(20_000).into(),
        14 => Value::Ext(1, vec![0; 8]),
        _ => Value::Map(vec![(Value::Nil, Value::Nil), (1.5.into(), "x".into())]),
    }
}

/// Numbers by a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
