//! How many answers of all schedules landed, and how many were held though they could have landed.

use std::sync::atomic::{AtomicU64, Ordering};

use super::promise;

/// How often an answer landed, and was held though it could have landed, by all players.
#[derive(Debug, Default)]
pub struct Counts {
    landed: AtomicU64,
    held: AtomicU64,
}

impl Counts {
    pub fn add(&self, landing: promise::Landing) {
        match landing {
            promise::Landing::Right => self.landed.fetch_add(1, Ordering::Relaxed),
            promise::Landing::Held => self.held.fetch_add(1, Ordering::Relaxed),
        };
    }

    /// How many of a hundred answers were held that could have landed.
    pub fn held_percent(&self) -> u64 {
        let (landed, held) = (self.landed.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        held * 100 / (landed + held).max(1)
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (landed, held) = (self.landed.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        write!(f, "{landed} answers ended as they should, {held} were held that could have landed")
    }
}
