//! The model test: random schedules of typing, of jobs starting and of answers arriving, in a real Neovim, against a
//! truth of its own.
//!
//! The host is the real one; its agents say what the test tells them, when it tells them, down to the key between.
//! After each key the test waits until the host has read the change, and has done what it can do now. `make soak` plays
//! many; `make soak SEED=7 RUNS=1` plays the schedule of a seed again.
//!
//! What must not be lost is judged strictly. Whether an answer lands is not: holding one is right where the host cannot
//! tell, so these are counted, and must be few.

mod neovim;
mod player;
mod schedule;
mod truth;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::support::nvim::Nvim;
use player::Game;
use schedule::{Schedule, any_schedule};

/// How many schedules one Neovim plays. Each takes a little longer than the one before: all jobs stay in its table.
const A_NEOVIM: u64 = 50;
/// How long smaller schedules are tried where one has failed.
const SHRINKING: Duration = Duration::from_secs(15);
/// After how many failures it is enough.
const ENOUGH: usize = 5;

/// How many schedules tell how many answers are held that could land: fewer than one of two hundred may be.
const MANY: u64 = 500;

/// How often an answer ended as it should, and was held though it could have landed, by all players.
#[derive(Default)]
struct Counts {
    right: AtomicU64,
    held: AtomicU64,
}

#[test]
fn random_schedules() {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().unwrap());
    let first = number("BOTGLUE_MODEL_SEED").unwrap_or(1);
    let runs = number("BOTGLUE_MODEL_RUNS").unwrap_or(500);
    let threads = number("BOTGLUE_MODEL_THREADS").unwrap_or(2);
    let (next, counts, started) = (AtomicU64::new(first), Counts::default(), Instant::now());
    let failed: Vec<u64> = std::thread::scope(|scope| {
        let players: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| play_all(&next, first + runs, &counts))).collect();
        players.into_iter().flat_map(|player| player.join().unwrap()).collect()
    });
    let (right, held) = (counts.right.into_inner(), counts.held.into_inner());
    say(&format!("{right} answers ended as they should, {held} were held that could have landed"));
    say(&format!("{runs} schedules from seed {first} in {:.1} s", started.elapsed().as_secs_f64()));
    assert!(runs < MANY || held * 200 < right + held, "too many answers are held");
    assert!(failed.is_empty(), "shrunk above; again with make soak RUNS=1 SEED= one of {failed:?}");
}

#[expect(clippy::print_stdout, reason = "who runs it wants to see the story, and how far it got")]
fn say(what: &str) {
    println!("{what}");
}

/// Plays schedules until none are left, or enough have failed; gives the seeds of those.
fn play_all(next: &AtomicU64, end: u64, counts: &Counts) -> Vec<u64> {
    let (mut nvim, mut played, mut failed) = (neovim::start(), 0, Vec::new());
    while failed.len() < ENOUGH {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            break;
        }
        if played == A_NEOVIM {
            (nvim, played) = (neovim::start(), 0);
        }
        played += 1;
        let mut tree = tree(seed);
        if let Err(found) = play(&mut nvim, &tree.current(), counts) {
            let (least, (why, story)) = shrink(&mut tree, &mut nvim, found);
            say(&format!("seed {seed}: {why}\n{story}\n{least:?}\n"));
            failed.push(seed);
        }
    }
    failed
}

/// Plays one schedule; an error comes with its story.
fn play(nvim: &mut Nvim, schedule: &Schedule, counts: &Counts) -> Result<(), (String, String)> {
    let mut game = Game::new(nvim, counts);
    let result = game.play(schedule);
    let story = game.story();
    result.map_err(|why| {
        // Whatever went wrong, the next schedule begins in an editor that knows nothing of it.
        *nvim = neovim::start();
        (why, story)
    })
}

/// The schedule of a seed, which can be shrunk.
fn tree(seed: u64) -> impl ValueTree<Value = Schedule> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    any_schedule().new_tree(&mut TestRunner::new_with_rng(Config::default(), rng)).unwrap()
}

/// The smallest schedule found that fails, why it does, and its story. One that fails only after others is what was
/// found.
fn shrink(
    tree: &mut impl ValueTree<Value = Schedule>,
    nvim: &mut Nvim,
    (why, story): (String, String),
) -> (Schedule, (String, String)) {
    let until = Instant::now() + SHRINKING;
    let mut least = (tree.current(), (format!("only after others: {why}"), story));
    let mut more = true;
    while more && Instant::now() < until {
        // What is played again is not counted again.
        more = match play(nvim, &tree.current(), &Counts::default()) {
            Err(why) => {
                least = (tree.current(), why);
                tree.simplify()
            }
            Ok(()) => tree.complicate(),
        };
    }
    least
}
