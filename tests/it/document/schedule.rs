//! Random schedules: typing, moving, copying, formatting, undo, redo; jobs that are sent, land and are reverted.

mod actions;
mod landing;
pub mod random;
mod world;

use std::collections::BTreeMap;

use self::world::World;
use crate::support::schedule::{Schedule, play_random};

/// The most jobs of a schedule.
const JOBS: usize = 4;

/// Schedules that broke a promise once.
const ONCE_BROKEN: [u64; 14] = [
    20_066_357,
    20_091_101,
    20_104_029,
    20_116_769,
    20_234_251,
    20_341_771,
    20_648_225,
    20_729_267,
    810_352_917,
    920_032_129,
    920_165_515,
    930_503_603,
    1_240_250_857,
    1_240_962_891,
];

/// What came of all schedules.
#[derive(Debug, Default)]
pub struct Tally {
    landed: usize,
    reverted: usize,
    /// Held, by what for.
    held: BTreeMap<&'static str, usize>,
    /// By kind of range: how many should have landed, and how many of them did.
    should: BTreeMap<&'static str, (usize, usize)>,
    /// Places that were compared after undo or redo, and those that were not known again.
    undone: usize,
    lost_by_undo: usize,
}

impl Tally {
    /// An answer came to a range of this kind.
    fn land(&mut self, kind: &'static str, should: bool, result: Result<(), &'static str>) {
        match result {
            Ok(()) => self.landed += 1,
            Err(why) => *self.held.entry(why).or_default() += 1,
        }
        if should {
            let (all, landed) = self.should.entry(kind).or_default();
            *all += 1;
            *landed += usize::from(result.is_ok());
        }
    }
}

impl Schedule for World {
    type Tally = Tally;

    fn new(seed: u64) -> Self {
        Self::begin(seed)
    }

    fn play(&mut self, tally: &mut Tally) {
        self.send();
        self.look(tally);
        for _ in 0..10 + self.random.below(20) {
            if self.jobs.len() < JOBS && self.random.one_in(5) {
                self.send();
            }
            if self.act() {
                self.look(tally);
            }
            if self.random.one_in(4) {
                let number = self.random.below(self.jobs.len());
                if !self.jobs[number].is_done || self.random.one_in(2) {
                    self.land(number, tally);
                    self.look(tally);
                }
            }
        }
        for number in 0..self.jobs.len() {
            if !self.jobs[number].is_done {
                self.land(number, tally);
                self.look(tally);
            }
        }
    }

    fn story(&self) -> String {
        format!("{}\n{:?}", self.story.join("\n"), self.editor.text())
    }
}

/// Plays the schedules of these seeds.
///
/// # Panics
/// Where one breaks a promise.
pub fn play_all(seeds: impl IntoIterator<Item = u64>) {
    for seed in seeds {
        World::begin(seed).play(&mut Tally::default());
    }
}

#[test]
fn schedules_that_broke_a_promise_once() {
    play_all(ONCE_BROKEN);
}

#[test]
fn random_schedules() {
    let tally = play_random::<World>("DOCUMENT", 20_000);
    for (kind, (should, landed)) in tally.should {
        assert!(
            landed * 100 >= should * 99,
            "{kind}: only {landed} of {should} answers landed that should have"
        );
    }
}
