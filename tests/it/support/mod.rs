//! What the tests stand on: a real Neovim, a Messages API on loopback for the real CLIs, agents that a test
//! steers by hand, and the bookkeeping that shows what is left running.
//!
//! Nothing here waits for a time to pass: everything waits for a named condition, until [`DEADLINE`].

pub mod agents;
pub mod nvim;
pub mod process;
pub mod rpc;
pub mod scratch;
pub mod screen;
pub mod serve;
pub mod stream;

use std::time::{Duration, Instant};

/// How long any one condition may take before its test fails. Long, because it costs nothing while all is well
/// and the machine may be busy.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// How long to leave a condition alone that nothing announces.
pub const POLL: Duration = Duration::from_millis(5);

/// Waits until `condition` gives a value; what it waited for is part of the failure.
///
/// # Panics
/// Where the condition does not hold by the [`DEADLINE`].
#[track_caller]
pub fn wait_some<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    wait_for_some(what, String::new, condition)
}

/// Waits until `condition` holds; see [`wait_some`].
#[track_caller]
pub fn wait(what: &str, mut condition: impl FnMut() -> bool) {
    wait_some(what, || condition().then_some(()));
}

/// As [`wait_some`], and the failure has a report.
#[track_caller]
pub fn wait_for_some<T>(
    what: &str,
    report: impl Fn() -> String,
    mut condition: impl FnMut() -> Option<T>,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(start.elapsed() < DEADLINE, "after {DEADLINE:?} still not so: {what}\n{}", report());
        std::thread::sleep(POLL);
    }
}
