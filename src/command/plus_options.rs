//! `++agent=` and `++model=` before a prompt on the command line, like `++opt`. Only the first words are options: two
//! plus signs and two or more small letters, with or without an equals sign. Any other word with a plus belongs to the
//! prompt.

use std::collections::BTreeMap;

use super::split;
use crate::options::Options;

/// The names of the options.
pub(super) const BOTH: [&str; 2] = ["agent", "model"];

/// What was given, by the names.
pub(super) type Plus = BTreeMap<&'static str, String>;

/// The name and the value of a word that looks like an option; no value without an equals sign.
fn parts(word: &str) -> Option<(&str, Option<&str>)> {
    let rest = word.strip_prefix("++")?;
    let (name, value) = rest.split_once('=').map_or((rest, None), |(name, value)| (name, Some(value)));
    let is_name = name.len() > 1 && name.bytes().all(|letter| letter.is_ascii_lowercase());
    is_name.then_some((name, value))
}

fn spelled(name: &str) -> String {
    format!("++{name}=")
}

/// Whether a word looks like an option.
pub(super) fn is_one(word: &str) -> bool {
    parts(word).is_some()
}

/// The values that may follow the equals sign; `given` is what stands before it.
fn values(name: &str, allowed: &[&'static str], given: &Plus, options: &Options) -> Vec<String> {
    if name == "agent" {
        return options.agents.keys().cloned().collect();
    }
    let meant = given.get("agent").unwrap_or(&options.agent);
    let is_meant = |agent: &&String| !allowed.contains(&"agent") || *agent == meant;
    let mut models: Vec<String> = Vec::new();
    for agent in options.agents.keys().filter(is_meant) {
        for model in options.agents[agent].models() {
            if !models.contains(model) {
                models.push(model.clone());
            }
        }
    }
    models
}

/// Takes the options from the beginning of a command's words. A wrong one is an error that says what there is.
pub(super) fn take<'a>(
    mut words: &'a str,
    allowed: &[&'static str],
    options: &Options,
) -> Result<(Plus, &'a str), String> {
    let mut given = Plus::default();
    loop {
        let (word, rest) = split(words);
        let Some((name, value)) = parts(word).filter(|_| !allowed.is_empty()) else {
            return Ok((given, words));
        };
        let Some(&known) = allowed.iter().find(|known| **known == name) else {
            let spelled = allowed.iter().map(|name| spelled(name)).collect::<Vec<_>>().join(", ");
            return Err(format!("unknown option ++{name}; use {spelled}"));
        };
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            let known = values(known, allowed, &given, options).join(", ");
            let advice = if known.is_empty() { String::new() } else { format!("; use {known}") };
            return Err(format!("++{name}= needs a name{advice}"));
        };
        if known == "agent" {
            options.agent(value, "++agent")?;
        }
        given.insert(known, value.to_owned());
        words = rest;
    }
}

/// The options of a text that has nothing else in it; none if it has other words or a wrong option.
pub(super) fn only(words: &str, allowed: &[&'static str], options: &Options) -> Option<Plus> {
    let (given, rest) = take(words.trim_start(), allowed, options).ok()?;
    rest.is_empty().then_some(given)
}

/// Completes an option, where one can stand; `before` are the words before it.
pub(super) fn complete(before: &str, lead: &str, allowed: &[&'static str], options: &Options) -> Vec<String> {
    let Some(given) = only(before, allowed, options) else { return Vec::new() };
    let mut found = Vec::new();
    for &name in allowed {
        let spelled = spelled(name);
        if lead.starts_with(&spelled) {
            let values = values(name, allowed, &given, options);
            found.extend(values.iter().map(|value| format!("{spelled}{value}")));
        } else if !given.contains_key(name) {
            found.push(spelled);
        }
    }
    found
}
