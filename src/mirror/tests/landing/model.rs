//! Random schedules of jobs and typing in that Neovim, and what has to be true of them.

use super::*;

struct LandingModel {
    random: Random,
    neovim: Neovim,
    mirrors: Mirrors,
    orders: VecDeque<Order>,
    /// Of each job, in the order in which they were wanted: of its answer, and of taking it back.
    settlements: BTreeMap<u64, Vec<Settlement>>,
    reverted: BTreeSet<u64>,
    accepted: BTreeSet<u64>,
    answers: BTreeMap<u64, Vec<Vec<u8>>>,
    /// The jobs whose request was taken.
    sent: BTreeSet<u64>,
    words: usize,
    /// What the user has typed and not deleted.
    typed: BTreeSet<String>,
    gone: BTreeSet<String>,
}

impl LandingModel {
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
            written: BTreeMap::new(),
            marks: BTreeMap::new(),
            gravity: [seed & 1, seed & 2, seed & 4].map(|bit| bit > 0),
        };
        let (random, mirrors, orders) = (Random(seed), Mirrors::default(), VecDeque::new());
        let (settlements, answers) = (BTreeMap::new(), BTreeMap::new());
        let (typed, gone, reverted) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (sent, accepted) = (BTreeSet::new(), BTreeSet::new());
        Self {
            random,
            neovim,
            mirrors,
            orders,
            settlements,
            reverted,
            accepted,
            answers,
            sent,
            words: 0,
            typed,
            gone,
        }
    }

    fn take(&mut self, event: MirrorEvent) {
        if let MirrorEvent::Sent(sent) = &event {
            self.sent.insert(sent.job);
        }
        for order in self.mirrors.take(event) {
            match order {
                Order::Settled(SettledIntent { job, settlement, .. }) => {
                    self.settlements.entry(job).or_default().push(settlement);
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
        self.neovim.mark(job, &rows);
        let request = request(job, self.neovim.tick, &self.neovim.rows, rows);
        self.neovim.say(MirrorEvent::decode("run", &[request]).unwrap().expect("a request"));
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
                Order::Contact { scope, .. } => self.neovim.contact(scope == ContactScope::Text),
                Order::Write { call, .. } => self.neovim.write(&call),
                Order::AskAgain(buffer) => self.take(MirrorEvent::AskedAgain { buffer }),
                Order::Places { tick, places, .. } => self.neovim.place(tick, places),
                Order::Detach(_)
                | Order::Review { .. }
                | Order::Reply { .. }
                | Order::Settled(_)
                | Order::NotNow(_)
                | Order::Unfollowed(_)
                | Order::RangeOnDisk(_)
                | Order::Renamed { .. }
                | Order::Disconnected => {}
            }
        } else if what == 1 && reply {
            if let Some((_, event)) = self.neovim.replies.pop_front() {
                self.take(event);
            }
        } else if let Some(event) = self.neovim.sent.pop_front() {
            self.neovim.count.1 += 1;
            self.take(event);
        }
        // More may come at any time.
        if self.random.below(3) == 0 || (self.orders.is_empty() && self.neovim.is_silent()) {
            let orders = self.mirrors.idle();
            self.orders.extend(orders);
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
                    // The request comes before its answer.
                    while !self.sent.contains(&job) {
                        self.go_on();
                    }
                    let lines = self.answers[&job].clone();
                    self.take(MirrorEvent::Want { buffer: BUFFER, job, intent: Intent::Land(lines) });
                }
                2 if steps < 200 => self.neovim.is_busy = !self.neovim.is_busy,
                3 | 4 => self.type_something(),
                5 => self.revert(),
                6 => self.accept(),
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
        let is_written =
            |settlements: &Vec<Settlement>| matches!(settlements[..], [.., Settlement::Written { .. }]);
        let landed: Vec<u64> = self
            .settlements
            .iter()
            .filter(|(_, settlements)| is_written(settlements))
            .map(|(job, _)| *job)
            .collect();
        if !landed.is_empty() {
            let job = landed[self.random.below(landed.len())];
            if self.reverted.insert(job) {
                self.take(MirrorEvent::Want { buffer: BUFFER, job, intent: Intent::Revert });
            }
        }
    }

    /// The user accepts an answer that is held.
    fn accept(&mut self) {
        let is_held = |settlements: &Vec<Settlement>| matches!(settlements[..], [Settlement::Held(_)]);
        let held = self.settlements.iter().find(|(_, settlements)| is_held(settlements)).map(|(job, _)| *job);
        if let Some(job) = held.filter(|job| self.accepted.insert(*job)) {
            let intent =
                Intent::Accept { lines: self.answers[&job].clone(), dropped: Vec::new(), shown: None };
            self.take(MirrorEvent::Want { buffer: BUFFER, job, intent });
        }
    }

    fn check(&mut self) {
        for job in self.answers.keys() {
            let intents =
                1 + [&self.reverted, &self.accepted].iter().filter(|jobs| jobs.contains(job)).count();
            assert_eq!(
                self.settlements.get(job).map_or(0, Vec::len),
                intents,
                "of job {job} is told {:?}",
                self.settlements
            );
        }
        let text = String::from_utf8(self.neovim.rows.join(&b'\n')).unwrap();
        let count = |word: &str| text.split_whitespace().filter(|other| *other == word).count();
        for word in &self.typed {
            assert_eq!(count(word), 1, "{word} was typed");
        }
        for (job, answer) in &self.answers {
            let answer = String::from_utf8(answer.join(&b'\n')).unwrap();
            let is_there = self.settlements[job].iter().fold(0, |is_there, settlement| match settlement {
                Settlement::Written { .. } => 1,
                Settlement::Reverted => 0,
                _ => is_there,
            });
            for word in answer.split_whitespace().filter(|word| word.starts_with('a')) {
                if !self.gone.contains(word)
                    && self.answers.values().filter(|other| holds(other, word)).count() == 1
                {
                    assert_eq!(count(word), is_there, "{word} of job {job}, {:?}", self.settlements[job]);
                }
            }
        }
        let orders = ask(&mut self.mirrors);
        for (job, place) in places(&orders) {
            let mark = self.neovim.marks.get(&job).map(Display::rows);
            let place = place.map(|place| place.rows()).filter(|rows| !rows.is_empty());
            assert_eq!(mark, place, "the mark of job {job}");
        }
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

/// Where the ranges are.
fn places(orders: &[Order]) -> Vec<(u64, Option<Place>)> {
    let view = orders.iter().find_map(|order| match order {
        Order::Reply { findings: Findings::View(view), .. } => Some(view),
        _ => None,
    });
    view.map(|view| view.places.clone()).unwrap_or_default()
}

fn holds(rows: &[Vec<u8>], word: &str) -> bool {
    rows.iter().any(|row| String::from_utf8_lossy(row).split(' ').any(|other| other == word))
}

#[test]
fn each_answer_is_written_once_or_held_and_no_typed_word_is_lost() {
    let (mut landed, mut all, mut calls) = (0, 0, 0);
    for seed in 0..3000 {
        let mut world = LandingModel::new(seed);
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            world.play();
            world.check();
        }));
        assert!(played.is_ok(), "seed {seed}");
        let settlements = world.settlements.values().flatten();
        landed +=
            settlements.clone().filter(|settlement| matches!(settlement, Settlement::Written { .. })).count();
        all += settlements.count();
        calls += world.neovim.calls;
    }
    assert!(landed * 2 > all, "{landed} of {all} landed");
    assert!(calls < 10 * all, "{calls} calls for {all} answers");
}
