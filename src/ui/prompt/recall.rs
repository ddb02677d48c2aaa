//! Earlier prompts: drafts, those of running and failed jobs, then those of the store.
//! The typed text filters them: a match has all of its words, in any case.

use super::complete::{Item, cut};

/// See the module.
#[derive(Debug, Default)]
pub struct Recall {
    /// The newest first, each once.
    prompts: Vec<String>,
    /// The store has said what it has.
    pub is_known: bool,
    /// Those that are gone through.
    matches: Vec<String>,
    /// Which of them is shown, from 1; 0: what was typed.
    at: usize,
    /// What they were filtered by.
    typed: String,
    /// What was put into the prompt last.
    shown: Option<String>,
}

impl Recall {
    /// Adds prompts that are not there yet.
    pub fn add(&mut self, prompts: Vec<String>) {
        for prompt in prompts {
            if !prompt.trim().is_empty() && !self.prompts.contains(&prompt) {
                self.prompts.push(prompt);
            }
        }
    }

    fn matching(&self, text: &str) -> Vec<String> {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let has_all = |prompt: &&String| {
            let prompt = prompt.to_lowercase();
            words.iter().all(|word| prompt.contains(word))
        };
        let others = self.prompts.iter().filter(|prompt| prompt.trim() != text.trim());
        others.filter(has_all).cloned().collect()
    }

    /// Those with all words of a text in them, for a menu of this width.
    pub fn items(&self, text: &str, room: usize) -> Vec<Item> {
        let item = |prompt: String| Item {
            word: prompt.split('\n').next().unwrap_or_default().to_owned(),
            shown: cut(&prompt, room),
            value: Some(prompt),
        };
        self.matching(text).into_iter().map(item).collect()
    }

    /// The prompt that is `by` further back than what the prompt shows; what was typed comes after the newest. What
    /// filters them is `filter`, where the prompt shows none of them.
    ///
    /// # Errors
    /// Why there is none.
    pub fn step(&mut self, by: isize, now: &str, filter: &str) -> Result<&str, &'static str> {
        if self.shown.as_deref() != Some(now) {
            (self.typed, self.at, self.matches) = (now.to_owned(), 0, self.matching(filter));
        }
        let at = self.at.checked_add_signed(by).filter(|at| *at <= self.matches.len());
        let Some(at) = at else { return Err(self.none(filter)) };
        self.at = at;
        let text = if at == 0 { &self.typed } else { &self.matches[at - 1] };
        Ok(self.shown.insert(text.clone()))
    }

    /// The reason why there is no earlier prompt.
    pub fn none(&self, filter: &str) -> &'static str {
        if !self.matches.is_empty() {
            "there is no earlier prompt than this one"
        } else if self.prompts.is_empty() || filter.trim().is_empty() {
            "there is no earlier prompt"
        } else {
            "no earlier prompt has these words"
        }
    }
}
