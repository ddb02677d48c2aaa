//! Named prompts: `/name more words` stands for a text of the option `prompts`, followed by the words. The first word
//! must be a slash and a name without another slash: `/usr/bin is …` is a text, and so is `\/usr is …`, because of its
//! backslash. The job keeps the prompt as typed; the agent gets the text, which is filled in when it is sent.

use serde::Deserialize;
use serde_json::Value as Json;

use super::{Options, nearest};
use crate::fields::argument;

/// A prompt with a name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "Json")]
pub struct NamedPrompt {
    /// The text that it stands for.
    pub text: String,
    /// It asks a question.
    pub asks: bool,
    /// The agent that it is for.
    pub agent: Option<String>,
    /// The model of that agent.
    pub model: Option<String>,
}

impl From<Json> for NamedPrompt {
    /// A text, or a map with it.
    fn from(prompt: Json) -> Self {
        let text = |field: &str| Some(prompt[field].as_str()?.to_owned());
        let whole = prompt.as_str().map(str::to_owned);
        Self {
            text: whole.or_else(|| text("prompt")).unwrap_or_default(),
            asks: prompt["ask"] == true,
            agent: text("agent"),
            model: text("model"),
        }
    }
}

impl NamedPrompt {
    /// The text for the agent: with each `{name}` that has a value filled in, and the words behind the name.
    pub fn filled(&self, more: &str, value: impl Fn(&str) -> Option<String>) -> String {
        let (mut filled, mut rest) = (String::new(), self.text.as_str());
        while let Some((before, behind)) = rest.split_once('{') {
            let end = behind.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(behind.len());
            let found = behind[end..].starts_with('}').then(|| value(&behind[..end])).flatten();
            filled.push_str(before);
            rest = if found.is_some() { &behind[end + 1..] } else { behind };
            filled.push_str(found.as_deref().unwrap_or("{"));
        }
        filled.push_str(rest);
        if more.is_empty() { filled } else { format!("{filled}\n\n{more}") }
    }
}

/// What a request asks for beside its prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Choice {
    /// The agent.
    pub agent: Option<String>,
    /// Its model.
    #[serde(default, deserialize_with = "argument")]
    pub model: Option<String>,
    /// The answer is shown.
    #[serde(default)]
    pub question: bool,
}

impl Options {
    /// What a request asks for with this prompt: what stands in the way of nothing else comes from a named one.
    ///
    /// # Errors
    /// Where none has that name.
    pub fn chosen(&self, prompt: &str, mut choice: Choice) -> Result<Choice, String> {
        let Some((named, _)) = self.named(prompt)? else { return Ok(choice) };
        // A model is its agent's own.
        let own = named.agent.as_ref().unwrap_or(&self.agent);
        let is_own = choice.agent.as_ref().is_none_or(|agent| agent == own);
        choice.model = choice.model.or_else(|| named.model.clone().filter(|_| is_own));
        choice.agent = choice.agent.or_else(|| named.agent.clone());
        choice.question |= named.asks;
        Ok(choice)
    }

    /// The named prompt that a text begins with, and the words behind the name.
    ///
    /// # Errors
    /// Where none has that name.
    pub fn named<'a>(&'a self, text: &'a str) -> Result<Option<(&'a NamedPrompt, &'a str)>, String> {
        let Some(rest) = text.trim_ascii_start().strip_prefix('/') else { return Ok(None) };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        let (name, more) = rest.split_at(rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()));
        if name.is_empty()
            || !(more.is_empty() || more.starts_with(|letter: char| letter.is_ascii_whitespace()))
        {
            return Ok(None);
        }
        if let Some(prompt) = self.prompts.get(name) {
            return Ok(Some((prompt, more.trim())));
        }
        let names = self.prompts.keys().map(String::as_str);
        let advice = match nearest(name, names.clone()) {
            Some(meant) => format!("did you mean /{meant}?"),
            None if self.prompts.is_empty() => "the option prompts has none".to_owned(),
            None => format!("there is /{}", names.collect::<Vec<_>>().join(", /")),
        };
        Err(format!("no prompt /{name}: {advice} (for a text that begins so: \\/{name})"))
    }
}

/// A text without the backslash that keeps its slash from being that of a name.
pub fn without_backslash(text: &str) -> Option<&str> {
    text.trim_ascii_start().strip_prefix('\\').filter(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::super::sample::options;
    use super::*;

    #[test]
    fn a_name_is_one_word_behind_a_slash() {
        let options = options();
        let more = |text| options.named(text).map(|found| found.map(|(prompt, more)| (&*prompt.text, more)));
        assert_eq!(more(" /tests of\nthis "), Ok(Some(("write tests", "of\nthis"))));
        for text in ["/usr/bin is", "\\/fix", "fix", "/", "/fix!", "a /fix"] {
            assert_eq!(more(text), Ok(None), "{text}");
        }
        let why = more("/test all").unwrap_err();
        assert_eq!(why, "no prompt /test: did you mean /tests? (for a text that begins so: \\/test)");
        assert!(more("/x").unwrap_err().starts_with("no prompt /x: there is /fix, /tests (for"));
    }

    #[test]
    fn placeholders_with_a_value_are_filled_in_once() {
        let prompt = NamedPrompt { text: "{a}{b} {a {a} {A}{".to_owned(), ..NamedPrompt::default() };
        let value = |name: &str| (name == "a").then(|| "{b}".to_owned());
        assert_eq!(prompt.filled("", value), "{b}{b} {a {b} {A}{");
        assert_eq!(prompt.filled("more", |_| None), "{a}{b} {a {a} {A}{\n\nmore");
    }
}
