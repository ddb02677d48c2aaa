//! Which edits are taken in which text: what undo and redo bring back.
//!
//! A text is known by its hash. It has the base that it had first, or when an answer was last written to it or led to
//! it; so a taken hunk whose rows the user deletes is not proposed again, but one whose take is undone is.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::base::Base;

/// The most texts that are kept beside those before and after a write; the oldest go first.
const MAX_TEXTS: usize = 1000;

/// See the module.
#[derive(Debug, Default)]
pub struct History {
    bases: HashMap<u64, Arc<Base>>,
    /// The texts that are not those of a write, oldest first.
    noted: VecDeque<u64>,
    /// How many of them, the last ones, were noted since the text was one that was known.
    fresh: usize,
}

impl History {
    /// A text has this base, unless it had another one before.
    pub fn remember(&mut self, text: u64, base: &Arc<Base>) {
        if self.bases.contains_key(&text) {
            self.fresh = 0;
            return;
        }
        self.bases.insert(text, Arc::clone(base));
        self.noted.push_back(text);
        self.fresh += 1;
        if self.noted.len() > MAX_TEXTS
            && let Some(oldest) = self.noted.pop_front()
        {
            self.bases.remove(&oldest);
        }
    }

    /// A text has this base: it is the one before or after a write.
    pub fn keep(&mut self, text: u64, base: &Arc<Base>) {
        self.bases.insert(text, Arc::clone(base));
        self.noted.retain(|noted| *noted != text);
        self.fresh = 0;
    }

    /// The base of a text that is back.
    pub fn recall(&self, text: u64) -> Option<&Arc<Base>> {
        self.bases.get(&text)
    }

    /// An undo or a redo from a text that was known is complete, and has taken or taken back. The texts on the way were
    /// inside of it: no other undo leads to them.
    pub fn forget_inside(&mut self) {
        let first = self.noted.len() - self.fresh.min(self.noted.len());
        for inside in self.noted.drain(first..) {
            self.bases.remove(&inside);
        }
        self.fresh = 0;
    }

    /// Replaces each base.
    pub fn change(&mut self, mut change: impl FnMut(&Arc<Base>) -> Arc<Base>) {
        let mut changed: HashMap<*const Base, (Arc<Base>, Arc<Base>)> = HashMap::new();
        for base in self.bases.values_mut() {
            let entry = changed.entry(Arc::as_ptr(base)).or_insert_with(|| (Arc::clone(base), change(base)));
            *base = Arc::clone(&entry.1);
        }
    }
}
