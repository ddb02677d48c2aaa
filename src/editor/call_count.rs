//! Counts the calls that the host makes, so that their replies are known.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many calls the host has made; they have the numbers below.
#[derive(Debug, Clone, Default)]
pub struct CallCount(Arc<AtomicU64>);

impl CallCount {
    /// Counts a call that is about to be made.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were counted.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
