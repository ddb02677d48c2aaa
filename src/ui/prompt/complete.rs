//! What completes a word of the prompt: `@` a file of the project, open files first, or another mention; `/` at the
//! beginning a named prompt.

use crate::options::{NamedPrompt, Options};
use crate::request::{DIAGNOSTICS, DIFF, OpenBuffer, QUICKFIX};
use crate::ui::layout::{clean, fit};

/// The most cells of an entry.
const WIDTH: usize = 60;
/// What stands before the name of a buffer.
const BUFFER: &str = "@buffer:";
/// The mentions that are no file and no buffer.
const OTHERS: [&str; 3] = [DIAGNOSTICS, DIFF, QUICKFIX];

/// An entry of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What is put at the place where the menu begins.
    pub word: String,
    /// What the menu shows.
    pub shown: String,
    /// What becomes the whole text, where it is an earlier prompt.
    pub value: Option<String>,
}

/// What is being completed, and the byte at which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// The name of a prompt.
    Name(String),
    /// What follows an `@`.
    Mention(usize, String),
}

/// A text in so many cells.
pub(super) fn cut(text: &str, room: usize) -> String {
    fit(&clean(text), room)
}

/// The word before the cursor, which is in this row, from 0.
pub fn word(row: usize, before: &str) -> Option<Word> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if row == 0 && before.strip_prefix('/').is_some_and(|name| name.chars().all(is_name)) {
        return Some(Word::Name(before.to_owned()));
    }
    let (front, query) = before.rsplit_once('@')?;
    let is_within = front.ends_with(|letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter));
    let is_query = !is_within && !query.contains(char::is_whitespace);
    is_query.then(|| Word::Mention(front.len(), query.to_owned()))
}

/// The named prompts that begin like this.
pub fn named(lead: &str, options: &Options) -> Vec<Item> {
    let item = |(name, NamedPrompt { text, .. }): (&String, &NamedPrompt)| {
        let word = format!("/{name}");
        let first = text.split('\n').next().unwrap_or_default();
        word.starts_with(lead).then(|| Item {
            shown: cut(&format!("{word}  {first}"), WIDTH),
            word,
            value: None,
        })
    };
    some_of(options.prompts.iter().filter_map(item).collect(), lead)
}

/// What an `@` may mean: files that are open, where nothing was typed behind it; other mentions; the files that match.
/// The agent has the text of the prompt's `own` buffer already.
pub fn mentions(query: &str, buffers: &[OpenBuffer], own: u64, files: &[String]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut add = |word: String, shown: &str| {
        if !word.contains('\n') && !items.iter().any(|item| item.word == word) {
            items.push(Item { shown: cut(shown, WIDTH), word, value: None });
        }
    };
    let open = buffers.iter().filter_map(|buffer| buffer.path.as_deref()).filter(|_| query.is_empty());
    for path in open {
        add(file(path), path);
    }
    let part = query.strip_prefix(&BUFFER[1..]).map(str::to_lowercase);
    let others = buffers.iter().filter(|buffer| buffer.number != own);
    for name in others.filter_map(|buffer| buffer.name.as_deref()) {
        let is_one = match &part {
            Some(part) => name.to_lowercase().contains(part.as_str()),
            None => BUFFER[1..].starts_with(query),
        };
        if is_one && !name.contains(['\n', '"']) {
            let word = format!("{BUFFER}{}", quoted(name));
            add(word.clone(), &word);
        }
    }
    for mention in OTHERS.into_iter().filter(|mention| mention[1..].starts_with(query)) {
        add(mention.to_owned(), mention);
    }
    for path in files {
        add(file(path), path);
    }
    some_of(items, &format!("@{query}"))
}

fn quoted(name: &str) -> String {
    if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name.to_owned() }
}

fn file(path: &str) -> String {
    format!("@{}", quoted(path))
}

/// What is there already needs no menu.
fn some_of(items: Vec<Item>, typed: &str) -> Vec<Item> {
    if items.len() == 1 && items[0].word == typed { Vec::new() } else { items }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_where_a_mention_or_a_name_can_stand() {
        assert_eq!(word(0, "/te"), Some(Word::Name("/te".to_owned())));
        assert_eq!(word(0, "see @src/l"), Some(Word::Mention(4, "src/l".to_owned())));
        for (row, before) in [(1, "/te"), (0, "/te st"), (0, "me@src"), (0, "@a b"), (0, "x.@b"), (0, "")] {
            assert_eq!(word(row, before), None, "{before}");
        }
    }
}
