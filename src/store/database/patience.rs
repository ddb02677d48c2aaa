//! A limit on waiting for the store: when it is over, what waits is spilled, and what follows the write happens.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::Then;

/// How long an answer waits to be in the store before it lands.
const PATIENCE: Duration = Duration::from_millis(100);

type IsLate = Box<dyn FnOnce(&dyn Fn()) + Send>;

/// A thread that calls each function a moment after it was given, in their order. It ends with the last handle.
#[derive(Debug, Clone)]
pub struct Patience {
    waiting: mpsc::Sender<(Instant, IsLate)>,
}

impl Patience {
    /// `spill` is called before each function whose write is late.
    pub fn new(spill: impl Fn() + Send + 'static) -> Self {
        let (waiting, given) = mpsc::channel::<(Instant, IsLate)>();
        std::thread::spawn(move || {
            for (at, late) in given {
                std::thread::sleep(at.saturating_duration_since(Instant::now()));
                late(&spill);
            }
        });
        Self { waiting }
    }

    /// Calls `then` once: with what the function that is given back gets, or with `otherwise` after a moment.
    pub fn limit<T: Send + 'static>(&self, then: Then<T>, otherwise: T) -> Then<T> {
        let then = Arc::new(Mutex::new(Some(then)));
        let late = Arc::clone(&then);
        let take = |then: &Mutex<Option<_>>| then.lock().unwrap_or_else(PoisonError::into_inner).take();
        let is_late = move |spill: &dyn Fn()| {
            // Taken first: the store may write it now, but does not go on before it is spilled.
            if let Some(then) = take(&late) {
                spill();
                then(otherwise);
            }
        };
        // Where the thread is gone, the store calls.
        let _ = self.waiting.send((Instant::now() + PATIENCE, Box::new(is_late)));
        Box::new(move |value| {
            if let Some(then) = take(&then) {
                then(value);
            }
        })
    }
}
