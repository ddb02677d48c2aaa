//! Random changes to a stream: of bytes, of lines, and of the words that the protocols are made of.

/// Reproducible randomness: xorshift64*.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `limit`; 0 where that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let roll = usize::try_from(self.roll() >> 16).unwrap_or_default();
        roll.checked_rem(limit).unwrap_or_default()
    }

    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// What the readers look for, and what breaks readers.
const WORDS: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ":",
    ",",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"\"",
    "\\ud83d",
    "\\u0000",
    "\\\"",
    "\\",
    "\n",
    "\r\n",
    "\u{feff}",
    "Script ",
    "result",
    "\"type\":\"result\"",
    "\"is_error\":true",
    "\"is_error\":false",
    "assistant",
    "tool_use",
    "tool_result",
    "tool_use_id",
    "stream_event",
    "content_block_delta",
    "message_start",
    "message_stop",
    "permission_denied",
    "\"parent_tool_use_id\":\"t\"",
    "isSynthetic",
    "completion",
    "tool_call",
    "insufficient permission",
    "error_max_turns",
    "<synthetic>",
];

/// Unexpected numbers.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "-0.0",
    "0.1",
    "1e19",
    "1e-400",
    "1e308",
    "-1e999",
    "9007199254740993",
    "18446744073709551615",
    "340282366920938463463374607431768211456",
    "1.7976931348623157e308",
];

/// Changes `bytes` once; `other` is another stream to take from.
pub fn change(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    match dice.below(14) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 if at < bytes.len() => bytes[at] = *dice.pick(b"\"\\{}[]:,\n\x00\xff0atu"),
        2 => {
            let end = at + dice.below((bytes.len() - at).min(64) + 1);
            bytes.drain(at..end);
        }
        3 => insert(bytes, at, dice.pick(&WORDS).as_bytes()),
        4 => bytes.truncate(at),
        5 => {
            let from = dice.below(other.len() + 1);
            let end = from + dice.below((other.len() - from).min(400) + 1);
            insert(bytes, at, &other[from..end]);
        }
        6 => lines(bytes, dice, |lines, dice| {
            let (one, two) = (dice.below(lines.len()), dice.below(lines.len()));
            lines.swap(one, two);
        }),
        7 => lines(bytes, dice, |lines, dice| drop(lines.remove(dice.below(lines.len())))),
        8 => lines(bytes, dice, |lines, dice| {
            let again = dice.pick(lines).clone();
            lines.insert(dice.below(lines.len() + 1), again);
        }),
        9 if dice.one_in(4) => insert(bytes, at, &nested(dice)),
        9..12 => replace_value(bytes, at, &nested(dice), dice),
        12 => number(bytes, at, dice),
        _ => {
            let others: Vec<&[u8]> = other.split(|&byte| byte == b'\n').collect();
            lines(bytes, dice, |lines, dice| {
                let line = dice.pick(&others).to_vec();
                lines.insert(dice.below(lines.len() + 1), line);
            });
        }
    }
}

/// A value in which others are nested, up to very deep.
fn nested(dice: &mut Dice) -> Vec<u8> {
    let (open, close) =
        *dice.pick(&[("[", "]"), ("{\"a\":", "}"), ("[{\"text\":", "}]"), ("{\"content\":[", "]}")]);
    let most = *dice.pick(&[10, 1000, 20_000]);
    let depth = 1 + dice.below(most);
    // Sometimes it is not closed, or not all of it.
    let closed = if dice.one_in(4) { dice.below(depth) } else { depth };
    [&*open.repeat(depth), "\"deep\"", &close.repeat(closed)].concat().into_bytes()
}

/// Puts another value in the place of a text: of one behind `at` that is the value of a key which readers look into.
fn replace_value(bytes: &mut Vec<u8>, at: usize, value: &[u8], dice: &mut Dice) {
    let key = *dice.pick(&["\"content\":\"", "\"value\":\"", "\"message\":\"", "\"text\":\"", "\":\""]);
    let found =
        |from: usize| memchr::memmem::find(&bytes[from..], key.as_bytes()).map(|offset| from + offset);
    let Some(start) = found(at).or_else(|| found(0)).map(|start| start + key.len() - 1) else { return };
    let Some(length) = memchr::memchr(b'"', &bytes[start + 1..]) else { return };
    drop(bytes.splice(start..start + 2 + length, value.iter().copied()));
}

/// Puts another number in the place of the first one behind `at`.
fn number(bytes: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|offset| at + offset) else {
        return;
    };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    drop(bytes.splice(start..start + length, dice.pick(&NUMBERS).bytes()));
}

fn insert(bytes: &mut Vec<u8>, at: usize, more: &[u8]) {
    drop(bytes.splice(at..at, more.iter().copied()));
}

fn lines(bytes: &mut Vec<u8>, dice: &mut Dice, change: impl FnOnce(&mut Vec<Vec<u8>>, &mut Dice)) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    change(&mut lines, dice);
    *bytes = lines.join(&b'\n');
}
