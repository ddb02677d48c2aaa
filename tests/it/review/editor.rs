//! A buffer with undo, which tells mirrors of its changes as Neovim does and writes what they want.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use botglue::mirror::{
    BufferEvent, Findings, MirrorEvent, MirrorQuery, Mirrors, Order, ReviewView, StepReply, WriteCall,
    WriteReply,
};
use botglue::review::EditId;
use rmpv::Value;

/// A text that the buffer had.
#[derive(Clone, Debug)]
pub struct State {
    pub rows: Vec<String>,
    /// The words of answers that were taken on the way to it.
    pub taken: BTreeSet<String>,
}

/// How a text was made: out of which one, by which edits.
type Made = (Vec<String>, Vec<(Range<usize>, Vec<String>)>);

pub struct Editor {
    pub mirrors: Mirrors,
    pub tick: u64,
    /// The texts that undo and redo lead to, and which of them it has.
    pub states: Vec<State>,
    pub at: usize,
    /// The texts that were made in two ways, as `a` out of `a b` and out of `x`: which of their rows is which row of the
    /// text before that, no text tells.
    pub doubtful: BTreeSet<Vec<String>>,
    made: BTreeMap<Vec<String>, Made>,
    /// What was told of each job last.
    pub views: BTreeMap<u64, ReviewView>,
    pub replies: BTreeMap<u64, Findings>,
    /// What became of jobs.
    pub landed: Vec<(u64, String)>,
    /// How often the user types before a write gets there.
    pub haste: usize,
    token: u64,
    orders: Vec<Order>,
}

pub fn map(fields: Vec<(&str, Value)>) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

pub fn list(rows: &[String]) -> Value {
    Value::Array(rows.iter().map(|row| row.as_str().into()).collect())
}

/// Rows as a mirror has them.
pub fn bytes(rows: &[String]) -> Vec<Vec<u8>> {
    rows.iter().map(|row| row.clone().into_bytes()).collect()
}

impl Editor {
    /// A buffer that is mirrored.
    pub fn new(rows: Vec<String>) -> Self {
        let made = BTreeMap::from([(rows.clone(), (rows.clone(), Vec::new()))]);
        let state = State { rows, taken: BTreeSet::new() };
        let mut editor = Self {
            mirrors: Mirrors::new(0),
            tick: 2,
            states: vec![state],
            at: 0,
            doubtful: BTreeSet::new(),
            made,
            views: BTreeMap::new(),
            replies: BTreeMap::new(),
            landed: Vec::new(),
            haste: 0,
            token: 0,
            orders: Vec::new(),
        };
        editor.report();
        editor.settle(&mut |_| false);
        editor
    }

    pub fn rows(&self) -> &[String] {
        &self.states[self.at].rows
    }

    /// Sends an event.
    pub fn send(&mut self, event: MirrorEvent) {
        let orders = self.mirrors.take(event);
        self.orders.extend(orders);
    }

    /// As the plugin tells of a buffer.
    fn report(&mut self) {
        let notice = map(vec![
            ("buffer", 1.into()),
            ("name", "/a".into()),
            ("tick", self.tick.into()),
            ("rows", self.rows().len().into()),
            ("bytes", (self.rows().len() * 9).into()),
            ("marks", Value::Array(Vec::new())),
        ]);
        self.notify("buffer", notice);
    }

    pub fn notify(&mut self, method: &str, argument: Value) {
        let event = MirrorEvent::decode(method, &[argument]);
        self.send(event.unwrap_or_else(|| panic!("{method} is not for a mirror")).unwrap());
    }

    /// Asks for something to be done with hunks; the token of the reply.
    pub fn ask(&mut self, job: u64, asked: fn(Vec<EditId>) -> MirrorQuery, hunks: &[String]) -> u64 {
        self.token += 1;
        let hunks = hunks.iter().map(|id| id.parse().unwrap()).collect();
        let question = asked(hunks);
        self.send(MirrorEvent::Buffer(1, BufferEvent::Query { token: self.token, job, question }));
        self.token
    }

    /// Rows are replaced, as a step of undo.
    pub fn change(&mut self, range: Range<usize>, new: &[String]) {
        let mut state = self.states[self.at].clone();
        state.rows.splice(range.clone(), new.iter().cloned());
        if state.rows.is_empty() {
            state.rows.push(String::new());
        }
        self.made(state, vec![(range.clone(), new.to_vec())]);
        self.lines(range, bytes(new));
    }

    /// A step leads to a text.
    fn made(&mut self, state: State, edits: Vec<(Range<usize>, Vec<String>)>) {
        let made = (self.rows().to_vec(), edits);
        let is_doubtful = self.doubtful.contains(&made.0);
        let earlier = self.made.insert(state.rows.clone(), made.clone());
        if is_doubtful || earlier.is_some_and(|earlier| earlier != made) {
            self.doubtful.insert(state.rows.clone());
        }
        self.states.truncate(self.at + 1);
        self.states.push(state);
        self.at += 1;
    }

    fn lines(&mut self, range: Range<usize>, rows: Vec<Vec<u8>>) {
        self.tick += 1;
        self.send(MirrorEvent::Buffer(
            1,
            BufferEvent::Lines { tick: Some(self.tick), range: Some(range), rows },
        ));
    }

    /// Undoes or redoes a step; not at the end of them.
    pub fn go(&mut self, to: usize) {
        let old = self.rows().to_vec();
        self.at = to;
        let new = self.rows().to_vec();
        let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let left = old.len().min(new.len()) - head;
        let tail =
            old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(old, new)| old == new).count();
        self.lines(head..old.len() - tail, bytes(&new[head..new.len() - tail]));
        self.tick += 1;
        self.send(MirrorEvent::Buffer(1, BufferEvent::Tick(self.tick)));
    }

    /// Does what the mirrors want until there is nothing more. `types` may change the text before a call gets there.
    pub fn settle(&mut self, types: &mut impl FnMut(&mut Self) -> bool) {
        let mut tries = 0;
        loop {
            if self.orders.is_empty() {
                self.orders = self.mirrors.idle();
                if self.orders.is_empty() {
                    self.orders = self.mirrors.pause();
                }
                if self.orders.is_empty() {
                    return;
                }
            }
            tries += 1;
            assert!(tries < 10_000, "it does not end");
            match self.orders.remove(0) {
                Order::Contact { .. } => {
                    self.tick += 1;
                    let (tick, rows) = (Some(self.tick), bytes(self.rows()));
                    self.report();
                    self.send(MirrorEvent::Buffer(1, BufferEvent::Lines { tick, range: None, rows }));
                    self.report();
                    self.send(MirrorEvent::Buffer(1, BufferEvent::Contacted { exists: true }));
                }
                Order::Write { call, .. } => {
                    if self.haste > 0 && types(self) {
                        self.haste -= 1;
                    }
                    let reply = self.write(&call);
                    self.send(MirrorEvent::Buffer(1, BufferEvent::Written(Some(reply))));
                }
                Order::Places { .. } => {
                    self.send(MirrorEvent::Buffer(1, BufferEvent::Placed(Some(self.tick))));
                }
                Order::AskAgain(_) => self.send(MirrorEvent::Buffer(1, BufferEvent::AskedAgain)),
                Order::Review { view, .. } => {
                    let job = view.job;
                    self.views.insert(job, view);
                    self.send(MirrorEvent::Buffer(1, BufferEvent::Drawn(job)));
                }
                Order::Reply { token, findings } => _ = self.replies.insert(token, findings),
                Order::Settled(settled) => {
                    if settled.settlement.landing() != "taken" && settled.settlement.landing() != "held" {
                        self.landed.push((settled.job, settled.settlement.landing().to_owned()));
                    }
                    if let Some((token, findings)) = settled.reply {
                        self.replies.insert(token, findings);
                    }
                }
                Order::NotNow(_)
                | Order::Detach(_)
                | Order::Unfollowed(_)
                | Order::RangeOnDisk(_)
                | Order::Renamed { .. }
                | Order::Disconnected => {}
            }
        }
    }

    /// As the plugin writes: all edits of a step are a step of undo.
    fn write(&mut self, call: &WriteCall) -> WriteReply {
        if call.tick != self.tick {
            return WriteReply::Stale { tick: self.tick };
        }
        let mut replies = Vec::new();
        for step in &call.steps {
            let from = self.tick;
            let mut state = self.states[self.at].clone();
            let (before, mut edits) = (state.rows.clone(), Vec::new());
            for edit in step.edits.iter().rev() {
                let old: Vec<String> =
                    edit.old.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect();
                assert_eq!(state.rows[edit.rows.clone()], old, "what the host expects is what is there");
                let new: Vec<String> =
                    edit.lines.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect();
                edits.push((edit.rows.clone(), new.clone()));
                state.rows.splice(edit.rows.clone(), new);
                self.lines(edit.rows.clone(), edit.lines.clone());
            }
            let new = state.rows.iter().flat_map(|row| super::answers::words(row)).map(str::to_owned);
            let old: Vec<&str> = before.iter().flat_map(|row| super::answers::words(row)).collect();
            state.taken.extend(new.filter(|word| !old.contains(&word.as_str())).collect::<Vec<_>>());
            self.made(state, edits);
            replies.push(StepReply::Written { from, to: self.tick });
        }
        WriteReply::Done { tick: self.tick, steps: replies }
    }
}
