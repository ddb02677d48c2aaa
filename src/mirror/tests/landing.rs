//! Answers on their way into a buffer that somebody types in, with a Neovim of which only the protocol is real: events,
//! replies that come late, changedticks without an event, moments at which nothing may be written, other texts than
//! the mirror knows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use rmpv::Value;

use super::*;

/// Numbers by a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end.max(1) as u64).unwrap()
    }
}

const BUFFER: u64 = 1;

/// The editor's end.
struct Neovim {
    rows: Vec<Vec<u8>>,
    tick: u64,
    is_busy: bool,
    /// What was sent, in order; a reply may be taken later than what was sent after it.
    sent: VecDeque<Event>,
    replies: VecDeque<(usize, Event)>,
    /// How many events were sent in all, and how many of them were taken.
    count: (usize, usize),
    calls: usize,
    written: Vec<(u64, u64)>,
}

impl Neovim {
    fn say(&mut self, event: Event) {
        self.sent.push_back(event);
        self.count.0 += 1;
    }

    fn reply(&mut self, event: Event) {
        self.replies.push_back((self.count.0, event));
    }

    fn change(&mut self, range: Range<usize>, rows: &[Vec<u8>]) {
        self.tick += 1;
        self.rows.splice(range.clone(), rows.to_vec());
        let event =
            Event::Lines { buffer: BUFFER, tick: Some(self.tick), range: Some(range), rows: rows.to_vec() };
        self.say(event);
    }

    fn report(&mut self) {
        let (tick, rows) = (self.tick, self.rows.len());
        self.say(notice(BUFFER, tick, rows));
    }

    fn contact(&mut self, whole: bool) {
        if whole {
            self.report();
            let event =
                Event::Lines { buffer: BUFFER, tick: Some(self.tick), range: None, rows: self.rows.clone() };
            self.say(event);
        }
        self.report();
        self.reply(Event::Contacted { buffer: BUFFER, exists: true });
    }

    /// What the plugin does.
    fn write(&mut self, call: &Call) {
        self.calls += 1;
        let reply = if self.is_busy {
            Reply::NotNow
        } else if call.tick != self.tick {
            Reply::Stale { tick: self.tick }
        } else {
            let steps = call.steps.iter().map(|step| self.step(step)).collect();
            Reply::Done { tick: self.tick, steps }
        };
        self.reply(Event::Written { buffer: BUFFER, reply: Some(reply) });
    }

    fn step(&mut self, step: &Step) -> StepReply {
        let name = (step.job, step.attempt);
        assert!(!self.written.contains(&name), "a step is asked for twice");
        for edit in &step.edits {
            let read = |row: usize| self.rows.get(row).map(Vec::as_slice);
            let above = edit.rows.start.checked_sub(1).and_then(read);
            assert_eq!(above, edit.above.as_deref());
            assert_eq!(read(edit.rows.end), edit.below.as_deref());
            assert!(
                self.rows[edit.rows.clone()]
                    .iter()
                    .map(Vec::as_slice)
                    .eq(edit.old.iter().map(|row| &row[..]))
            );
        }
        let from = self.tick;
        for edit in step.edits.iter().rev() {
            self.change(edit.rows.clone(), &edit.lines);
        }
        // Neovim's plugin makes a change that changes nothing, for `U`.
        let row = self.rows[0].clone();
        self.change(0..1, &[row]);
        self.written.push(name);
        StepReply::Written { from, to: self.tick }
    }
}

struct World {
    random: Random,
    neovim: Neovim,
    mirrors: Mirrors,
    orders: VecDeque<Order>,
    /// Of each job, in the order in which they were wanted: of its answer, and of taking it back.
    fates: BTreeMap<u64, Vec<Fate>>,
    reverted: BTreeSet<u64>,
    answers: BTreeMap<u64, Vec<Vec<u8>>>,
    words: usize,
    /// What the user has typed and not deleted.
    typed: BTreeSet<String>,
    gone: BTreeSet<String>,
}

impl World {
    fn new(seed: u64) -> Self {
        let rows = (0..12).map(|row| format!("row{row}").into_bytes()).collect();
        let neovim = Neovim {
            rows,
            tick: 2,
            is_busy: false,
            sent: VecDeque::new(),
            replies: VecDeque::new(),
            count: (0, 0),
            calls: 0,
            written: Vec::new(),
        };
        let (random, mirrors, orders) = (Random(seed), Mirrors::default(), VecDeque::new());
        let (fates, answers) = (BTreeMap::new(), BTreeMap::new());
        let (typed, gone, reverted) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        Self { random, neovim, mirrors, orders, fates, reverted, answers, words: 0, typed, gone }
    }

    fn take(&mut self, event: Event) {
        for order in self.mirrors.take(event) {
            match order {
                Order::Settled { job, fate, .. } => {
                    self.fates.entry(job).or_default().push(fate);
                }
                order => self.orders.push_back(order),
            }
        }
    }

    fn word(&mut self, letter: char) -> String {
        self.words += 1;
        format!("{letter}{}", self.words)
    }

    /// A job is sent, and its answer may come at once or later.
    fn send(&mut self, job: u64) {
        let first = self.random.below(self.neovim.rows.len());
        let len = 1 + self.random.below(3);
        let rows = first..(first + len).min(self.neovim.rows.len());
        let mut answer = self.neovim.rows[rows.clone()].to_vec();
        let word = self.word('a').into_bytes();
        match self.random.below(3) {
            0 => answer.push(word),
            1 => answer[0] = [&answer[0][..], b" ", &word].concat(),
            _ => answer.insert(0, word),
        }
        self.answers.insert(job, answer);
        let request = request(job, self.neovim.tick, &self.neovim.rows, rows);
        self.neovim.say(Event::decode("run", &[request]).expect("a request"));
    }

    fn type_something(&mut self) {
        let row = self.random.below(self.neovim.rows.len());
        match self.random.below(4) {
            0 if self.neovim.rows.len() > 3 => {
                for word in String::from_utf8_lossy(&self.neovim.rows[row].clone()).split(' ') {
                    self.typed.remove(word);
                    self.gone.insert(word.to_owned());
                }
                self.neovim.change(row..row + 1, &[]);
            }
            1 => {
                let word = self.word('u');
                self.neovim.change(row..row, &[word.clone().into_bytes()]);
                self.typed.insert(word);
            }
            2 => self.neovim.tick += 1,
            _ => {
                let word = self.word('u');
                let text = [&self.neovim.rows[row][..], b" ", word.as_bytes()].concat();
                self.neovim.change(row..row + 1, &[text]);
                self.typed.insert(word);
            }
        }
    }

    /// Takes an order, an event or a reply, if there is any.
    fn go_on(&mut self) -> bool {
        let what = self.random.below(3);
        let reply = self.neovim.replies.front().is_some_and(|(after, _)| *after <= self.neovim.count.1);
        if what == 0
            && let Some(order) = self.orders.pop_front()
        {
            match order {
                Order::Contact { whole, .. } => self.neovim.contact(whole),
                Order::Write { call, .. } => self.neovim.write(&call),
                Order::AskAgain(buffer) => self.take(Event::Moment { buffer }),
                Order::Detach(_) | Order::Reply { .. } | Order::Settled { .. } => {}
            }
        } else if what == 1 && reply {
            if let Some((_, event)) = self.neovim.replies.pop_front() {
                self.take(event);
            }
        } else if let Some(event) = self.neovim.sent.pop_front() {
            self.neovim.count.1 += 1;
            self.take(event);
        }
        reply || !self.orders.is_empty() || !self.neovim.sent.is_empty() || !self.neovim.replies.is_empty()
    }

    fn play(&mut self) {
        self.neovim.report();
        while self.go_on() {}
        let jobs = 1 + self.random.below(5) as u64;
        let mut open: Vec<u64> = Vec::new();
        let (mut next, mut steps) = (1, 0);
        while next <= jobs || !open.is_empty() {
            steps += 1;
            match self.random.below(12) {
                0 if next <= jobs => {
                    self.send(next);
                    open.push(next);
                    next += 1;
                }
                1 if !open.is_empty() => {
                    let job = open.remove(self.random.below(open.len()));
                    // Its range is known by then: the request comes before its answer.
                    while self.go_on() && !self.mirrors.follows(job) {}
                    assert!(self.mirrors.follows(job), "the range of job {job} is never known");
                    let lines = self.answers[&job].clone();
                    self.take(Event::Wish { job, wish: Wish::Land(lines) });
                }
                2 if steps < 200 => self.neovim.is_busy = !self.neovim.is_busy,
                3 | 4 => self.type_something(),
                5 => self.revert(),
                _ => _ = self.go_on(),
            }
        }
        self.neovim.is_busy = false;
        let mut rounds = 0;
        while self.go_on() {
            rounds += 1;
            assert!(rounds < 10_000, "it never ends");
        }
    }

    fn revert(&mut self) {
        let is_written = |fates: &Vec<Fate>| matches!(fates[..], [Fate::Written { .. }]);
        let landed: Vec<u64> =
            self.fates.iter().filter(|(_, fates)| is_written(fates)).map(|(job, _)| *job).collect();
        if !landed.is_empty() {
            let job = landed[self.random.below(landed.len())];
            if self.reverted.insert(job) {
                self.take(Event::Wish { job, wish: Wish::Revert });
            }
        }
    }

    fn check(&mut self) {
        for job in self.answers.keys() {
            let wishes = 1 + usize::from(self.reverted.contains(job));
            assert_eq!(self.fates.get(job).map_or(0, Vec::len), wishes, "of job {job} is told");
        }
        let text = String::from_utf8(self.neovim.rows.join(&b'\n')).unwrap();
        let count = |word: &str| text.split_whitespace().filter(|other| *other == word).count();
        for word in &self.typed {
            assert_eq!(count(word), 1, "{word} was typed");
        }
        for (job, answer) in &self.answers {
            let answer = String::from_utf8(answer.join(&b'\n')).unwrap();
            let is_there = match self.fates[job][..] {
                [Fate::Written { .. }] | [Fate::Written { .. }, Fate::Stays(_)] => 1,
                _ => 0,
            };
            for word in answer.split_whitespace().filter(|word| word.starts_with('a')) {
                if !self.gone.contains(word)
                    && self.answers.values().filter(|other| holds(other, word)).count() == 1
                {
                    assert_eq!(count(word), is_there, "{word} of job {job}, {:?}", self.fates[job]);
                }
            }
        }
        let orders = self.mirrors.take(Event::Query { token: 7, buffer: BUFFER });
        // Its changedtick may be older: of a write of the file no event tells.
        let mirrored = replied(&orders).expect("the mirror is sure").0;
        assert_eq!(mirrored, text);
    }
}

/// The fields of a request that are about its range.
fn request(job: u64, tick: u64, text: &[Vec<u8>], rows: Range<usize>) -> Value {
    let map = |fields: Vec<(&str, Value)>| {
        Value::Map(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
    };
    let lines = || Value::Array(text[rows.clone()].iter().map(|row| Value::Binary(row.clone())).collect());
    let selection = map(vec![
        ("kind", "line".into()),
        ("first_line", (rows.start + 1).into()),
        ("rows", lines()),
        ("text", lines()),
        ("cols", Value::Array(vec![0.into(); rows.len()])),
        ("beside", Value::Map(Vec::new())),
    ]);
    map(vec![("id", job.into()), ("buffer", BUFFER.into()), ("tick", tick.into()), ("selection", selection)])
}

fn holds(rows: &[Vec<u8>], word: &str) -> bool {
    rows.iter().any(|row| String::from_utf8_lossy(row).split(' ').any(|other| other == word))
}

#[test]
fn each_answer_is_written_once_or_held_and_no_typed_word_is_lost() {
    let (mut landed, mut all, mut calls) = (0, 0, 0);
    for seed in 0..3000 {
        let mut world = World::new(seed);
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            world.play();
            world.check();
        }));
        assert!(played.is_ok(), "seed {seed}");
        let fates = world.fates.values().flatten();
        landed += fates.clone().filter(|fate| matches!(fate, Fate::Written { .. })).count();
        all += fates.count();
        calls += world.neovim.calls;
    }
    assert!(landed * 2 > all, "{landed} of {all} landed");
    assert!(calls < 10 * all, "{calls} calls for {all} answers");
}
