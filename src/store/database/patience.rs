//! A limit on waiting for the store: when it is over, what follows the write happens without it.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::Then;

/// How long an answer waits to be in the store before it lands.
const PATIENCE: Duration = Duration::from_millis(100);

type IsLate = Box<dyn FnOnce() + Send>;

/// A thread that calls each function a moment after it was given, in their order. It ends with the last handle.
#[derive(Debug, Clone)]
pub struct Patience {
    waiting: mpsc::Sender<(Instant, IsLate)>,
}

impl Patience {
    pub fn new() -> Self {
        let (waiting, given) = mpsc::channel::<(Instant, IsLate)>();
        std::thread::spawn(move || {
            for (at, late) in given {
                std::thread::sleep(at.saturating_duration_since(Instant::now()));
                late();
            }
        });
        Self { waiting }
    }

    /// Calls `then` once: with what the function that is given back gets, or with `otherwise` after a moment.
    pub fn limit<T: Send + 'static>(&self, then: Then<T>, otherwise: T) -> Then<T> {
        let then = Arc::new(Mutex::new(Some(then)));
        let late = Arc::clone(&then);
        let call = move |then: &Mutex<Option<Then<T>>>, value| {
            let then = then.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(then) = then {
                then(value);
            }
        };
        // Where the thread is gone, the store calls.
        let _ = self.waiting.send((Instant::now() + PATIENCE, Box::new(move || call(&late, otherwise))));
        Box::new(move |value| call(&then, value))
    }
}
