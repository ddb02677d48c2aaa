//! The observers of one job. Subscribing returns a [`Subscription`], which removes the observer when it is dropped.
//!
//! One fan-out and nothing else: it knows no editor, no store and no user. An observer is called in the job's own task,
//! as things happen and before the host hears of them, so it must not wait. The job drops all observers when it ends,
//! whatever the reason.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::stream::Update;

/// Receives the updates of a job. What an observer does not implement costs nothing.
pub trait Observer: Send {
    /// The agent printed this, unchanged from the pipe.
    fn printed(&mut self, _bytes: &[u8]) {}

    /// The agent was sent this.
    fn sent(&mut self, _bytes: &[u8]) {}

    /// The stream says something.
    fn update(&mut self, _update: &Update<'_>) {}

    /// Whether it wants to see what the agent thinks, too.
    fn wants_thinking(&self) -> bool {
        false
    }
}

/// The observers of one job; a clone is the same set.
#[derive(Clone, Default)]
pub struct Observers(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    last_key: u64,
    is_closed: bool,
    /// In the order in which they came.
    list: Vec<(u64, Box<dyn Observer>)>,
}

impl Observers {
    /// Lets an observer watch until the subscription is dropped or the job is over. Of a job that is over it
    /// sees nothing.
    #[must_use = "dropping the subscription takes the observer away"]
    pub fn subscribe(&self, observer: Box<dyn Observer>) -> Subscription {
        let mut entries = lock(&self.0);
        entries.last_key += 1;
        let key = entries.last_key;
        if !entries.is_closed {
            entries.list.push((key, observer));
        }
        Subscription { entries: Arc::downgrade(&self.0), key }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        lock(&self.0).list.len()
    }

    /// Shows what the agent printed.
    pub(super) fn printed(&self, bytes: &[u8]) {
        for (_, observer) in &mut lock(&self.0).list {
            observer.printed(bytes);
        }
    }

    /// Shows what the agent was sent.
    pub(super) fn sent(&self, bytes: &[u8]) {
        for (_, observer) in &mut lock(&self.0).list {
            observer.sent(bytes);
        }
    }

    /// Shows an update.
    pub(super) fn update(&self, update: &Update<'_>) {
        let is_thinking = matches!(update, Update::Thinking { .. });
        for (_, observer) in &mut lock(&self.0).list {
            if !is_thinking || observer.wants_thinking() {
                observer.update(update);
            }
        }
    }

    /// The job is over: removes all observers, and ignores later ones.
    pub(super) fn close(&self) {
        let mut entries = lock(&self.0);
        entries.is_closed = true;
        entries.list = Vec::new();
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Observers").field(&self.count()).finish()
    }
}

/// The undo of a subscription: dropping it takes the observer away. It keeps nothing of the job alive.
pub struct Subscription {
    entries: Weak<Mutex<Entries>>,
    key: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(entries) = self.entries.upgrade() {
            lock(&entries).list.retain(|(key, _)| *key != self.key);
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subscription").field(&self.key).finish()
    }
}

fn lock(entries: &Mutex<Entries>) -> MutexGuard<'_, Entries> {
    // A poisoned list is still the right list: a panic of an observer changes nothing in it.
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Reports what it sees, and when it is removed.
    struct TestObserver {
        name: &'static str,
        thinking: bool,
        said: mpsc::Sender<String>,
    }

    impl Observer for TestObserver {
        fn printed(&mut self, bytes: &[u8]) {
            self.said.send(format!("{} {}", self.name, String::from_utf8_lossy(bytes))).unwrap();
        }

        fn update(&mut self, update: &Update<'_>) {
            if let Update::Text { text, .. } | Update::Thinking { text } = update {
                self.said.send(format!("{} {text}", self.name)).unwrap();
            }
        }

        fn wants_thinking(&self) -> bool {
            self.thinking
        }
    }

    impl Drop for TestObserver {
        fn drop(&mut self) {
            // The test that listened may be over.
            let _ = self.said.send(format!("{} gone", self.name));
        }
    }

    /// A job's observers, and a way to add one that reports.
    struct Bench {
        observers: Observers,
        say: mpsc::Sender<String>,
        said: mpsc::Receiver<String>,
    }

    impl Bench {
        fn new() -> Self {
            let (say, said) = mpsc::channel();
            Self { observers: Observers::default(), say, said }
        }

        fn subscribe(&self, name: &'static str, thinking: bool) -> Subscription {
            self.observers.subscribe(Box::new(TestObserver { name, thinking, said: self.say.clone() }))
        }

        fn text(&self, text: &str) {
            self.observers.update(&Update::Text { text: text.into(), begins: false });
        }

        fn said(&self) -> Vec<String> {
            self.said.try_iter().collect()
        }
    }

    #[test]
    fn each_sees_everything_in_the_order_of_registering() {
        let bench = Bench::new();
        let _subscriptions = [bench.subscribe("one", false), bench.subscribe("two", false)];
        bench.observers.printed(b"raw");
        bench.text("a");
        bench.text("b");
        assert_eq!(bench.said(), ["one raw", "two raw", "one a", "two a", "one b", "two b"]);
    }

    #[test]
    fn thinking_reaches_those_that_ask_for_it() {
        let bench = Bench::new();
        let _subscriptions = [bench.subscribe("one", false), bench.subscribe("two", true)];
        bench.observers.update(&Update::Thinking { text: "hm".into() });
        assert_eq!(bench.said(), ["two hm"]);
    }

    #[test]
    fn dropping_the_registration_takes_that_one_away() {
        let bench = Bench::new();
        let (one, _two) = (bench.subscribe("one", false), bench.subscribe("two", false));
        drop(one);
        bench.text("a");
        assert_eq!(bench.said(), ["one gone", "two a"]);
        assert_eq!(bench.observers.count(), 1);
    }

    #[test]
    fn the_end_of_the_job_takes_all_away_and_lets_nobody_in() {
        let bench = Bench::new();
        let early = bench.subscribe("early", false);
        bench.observers.close();
        let late = bench.subscribe("late", false);
        bench.text("a");
        drop((early, late));
        assert_eq!(bench.said(), ["early gone", "late gone"]);
        assert!(bench.observers.count() == 0);
    }

    #[test]
    fn a_registration_outlives_its_job_and_keeps_nothing_of_it() {
        let bench = Bench::new();
        let subscription = bench.subscribe("one", false);
        drop(bench.observers);
        assert_eq!(bench.said.try_iter().collect::<Vec<_>>(), ["one gone"]);
        drop(subscription);
    }
}
