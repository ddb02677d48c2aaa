//! Random schedules: typing, moving, copying, formatting, undo, redo; jobs that are sent, land and are reverted.

mod actions;
mod landing;
pub mod random;
mod world;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use self::world::World;

/// The most jobs of a schedule.
const JOBS: usize = 4;
/// After how many failures it is enough.
const ENOUGH: usize = 20;

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
struct Tally {
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

fn play(world: &mut World, tally: &mut Tally) {
    world.send();
    world.look(tally);
    for _ in 0..10 + world.random.below(20) {
        if world.jobs.len() < JOBS && world.random.one_in(5) {
            world.send();
        }
        if world.act() {
            world.look(tally);
        }
        if world.random.one_in(4) {
            let number = world.random.below(world.jobs.len());
            if !world.jobs[number].is_done || world.random.one_in(2) {
                world.land(number, tally);
                world.look(tally);
            }
        }
    }
    for number in 0..world.jobs.len() {
        if !world.jobs[number].is_done {
            world.land(number, tally);
            world.look(tally);
        }
    }
}

#[test]
fn schedules_that_broke_a_promise_once() {
    for seed in ONCE_BROKEN {
        play(&mut World::new(seed), &mut Tally::default());
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "who runs it wants to see what came of it")]
fn random_schedules() {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().unwrap());
    let first = number("BOTGLUE_DOCUMENT_SEED").unwrap_or(1);
    let runs = number("BOTGLUE_DOCUMENT_RUNS").unwrap_or(20_000);
    let (mut tally, mut failed, started) = (Tally::default(), Vec::new(), Instant::now());
    let hook = std::panic::take_hook();
    if runs > 1 {
        std::panic::set_hook(Box::new(|_| {}));
    }
    for seed in first..first + runs {
        let mut world = World::new(seed);
        let played = catch_unwind(AssertUnwindSafe(|| play(&mut world, &mut tally)));
        if let Err(why) = played {
            let why = why.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned());
            failed.push(seed);
            println!("{}\n{:?}\n{why}\n", world.story.join("\n"), world.editor.text());
            if failed.len() == ENOUGH {
                break;
            }
        }
    }
    std::panic::set_hook(hook);
    println!("{runs} schedules from seed {first} in {:.1} s: {tally:?}", started.elapsed().as_secs_f64());
    assert!(
        failed.is_empty(),
        "above; again with BOTGLUE_DOCUMENT_RUNS=1 BOTGLUE_DOCUMENT_SEED= one of {failed:?}"
    );
    for (kind, (should, landed)) in tally.should {
        assert!(
            landed * 100 >= should * 99,
            "{kind}: only {landed} of {should} answers landed that should have"
        );
    }
}
