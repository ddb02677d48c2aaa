//! Random schedules: a seed decides each one. A schedule that breaks a promise panics; its seed and story are printed.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// After how many failures the run ends.
const MAX_FAILURES: usize = 10;

/// What one seed plays.
pub trait Schedule {
    /// What is counted over all seeds.
    type Tally: Default + Debug;

    fn new(seed: u64) -> Self;

    /// Plays it.
    ///
    /// # Panics
    /// Where it breaks a promise.
    fn play(&mut self, tally: &mut Self::Tally);

    /// What was done so far and the text that this led to.
    fn story(&self) -> String;
}

/// Plays `runs` schedules, from seed 1 on; `BOTGLUE_<area>_SEED` and `BOTGLUE_<area>_RUNS` choose others.
#[expect(clippy::print_stdout, reason = "the report of a failure needs the seed and the story")]
pub fn play_random<S: Schedule>(area: &str, runs: u64) -> S::Tally {
    let number =
        |name: &str| std::env::var(format!("BOTGLUE_{area}_{name}")).ok().map(|value| value.parse().unwrap());
    let (first, runs): (u64, u64) = (number("SEED").unwrap_or(1), number("RUNS").unwrap_or(runs));
    let (mut tally, mut failed, started) = (S::Tally::default(), Vec::new(), Instant::now());
    let hook = std::panic::take_hook();
    if runs > 1 {
        std::panic::set_hook(Box::new(|_| {}));
    }
    for seed in first..first + runs {
        let mut schedule = S::new(seed);
        let played = catch_unwind(AssertUnwindSafe(|| schedule.play(&mut tally)));
        if let Err(why) = played {
            let why = why.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned());
            failed.push(seed);
            println!("seed {seed}:\n{}\n{why}\n", schedule.story());
            if failed.len() == MAX_FAILURES {
                break;
            }
        }
    }
    std::panic::set_hook(hook);
    println!("{runs} schedules from seed {first} in {:.1} s: {tally:?}", started.elapsed().as_secs_f64());
    assert!(
        failed.is_empty(),
        "see above; to repeat: BOTGLUE_{area}_RUNS=1 BOTGLUE_{area}_SEED= one of {failed:?}"
    );
    tally
}

/// Numbers by a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
