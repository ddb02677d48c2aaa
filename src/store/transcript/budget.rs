//! How much may wait for the thread that writes, of all transcripts together: it bounds the channel to it in bytes.

use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug)]
pub struct Budget {
    left: AtomicUsize,
}

impl Budget {
    pub fn new(bytes: usize) -> Self {
        Self { left: AtomicUsize::new(bytes) }
    }

    /// Takes that many bytes; whether there were as many.
    pub fn take(&self, bytes: usize) -> bool {
        let rest = |left: usize| left.checked_sub(bytes);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).is_ok()
    }

    pub fn give_back(&self, bytes: usize) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}
