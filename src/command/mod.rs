//! `:Botglue`: what a command line means, why it is refused, and how it is completed. What is to be done comes out as an
//! [`Act`]; nothing is done here.
//!
//! Pure: the line, where the user is, the jobs and the options come in.

mod choose;
mod complete;
mod each;
mod jump;
mod plus_options;
mod subcommands;
#[cfg(test)]
mod tests;

pub use choose::{edit, followup, retry, writer};
pub use complete::complete;
pub use each::{Item, groups};
pub use jump::{Stop, jump};

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::options::Options;
use crate::request::Wanted;
use crate::session::Session;
use choose::Choice;
use plus_options::Plus;
use subcommands::{Does, SUBCOMMANDS, Subcommand, named};

/// A command as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Call {
    /// What follows `:Botglue`.
    pub line: String,
    /// With `!`.
    #[serde(default)]
    pub bang: bool,
    /// The lines of its range, from 1.
    pub range: Option<(u64, u64)>,
}

/// Where the user is, as far as a command depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Here {
    /// The buffer.
    pub buffer: u64,
    /// The line of the cursor, from 1.
    #[serde(default)]
    pub line: u64,
    /// Its byte column, from 0.
    #[serde(default)]
    pub column: u64,
    /// Where the jobs of this Neovim are, by their numbers.
    #[serde(default, rename = "jobs", deserialize_with = "places")]
    pub places: BTreeMap<u64, JobPlace>,
    /// The job whose review is open.
    pub review: Option<u64>,
    /// Whether that is in this buffer.
    #[serde(default)]
    pub shows_review: bool,
    /// The question whose answer the window shows.
    #[serde(skip)]
    pub answer: Option<u64>,
    /// The job that the cursor is at in a list.
    #[serde(skip)]
    pub row: Option<u64>,
    /// It is one with a file of the user's: what is elsewhere is not meant.
    #[serde(default)]
    pub is_file: bool,
    /// It is the command-line window, in which no window can be opened.
    #[serde(default)]
    pub is_cmdwin: bool,
}

/// Where a job is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct JobPlace {
    /// The buffer, where it is loaded.
    pub buffer: Option<u64>,
    /// The first line, from 1: the one that was known last, where the place is not.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// The column at which it begins, from 0; none where its place is not known.
    pub column: Option<u64>,
}

/// Reads a list of places.
fn places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<u64, JobPlace>, D::Error> {
    #[derive(Deserialize)]
    struct Place {
        id: u64,
        #[serde(flatten)]
        place: JobPlace,
    }
    let places = Vec::<Place>::deserialize(deserializer)?;
    Ok(places.into_iter().map(|Place { id, place }| (id, place)).collect())
}

/// All that a command depends on.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    /// Where the user is.
    pub here: &'a Here,
    /// The jobs.
    pub session: &'a Session,
    /// The options.
    pub options: &'a Options,
}

/// What a command is to do: the plugin gets what is its own to do under these names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// Start a job on the selection.
    Start(Wanted),
    /// Start a job for each item of the quickfix list.
    Each(Wanted),
    /// Start a job at the range of another one, whose request is sent again or whose session goes on.
    Again {
        /// The earlier job.
        id: u64,
        /// What is asked.
        request: Wanted,
    },
    /// Run a job now that waits for a limit.
    Hurry(u64),
    /// What only the plugin can, with a job where one is meant.
    Plugin {
        /// What it is.
        name: &'static str,
        /// The job.
        id: Option<u64>,
    },
    /// Take a decision on these answers.
    All {
        /// Whether they are to be accepted or rejected.
        name: &'static str,
        /// The jobs.
        ids: Vec<u64>,
    },
    /// Go back to an earlier message of the session of a job: first the user chooses one.
    Rewind(u64),
    /// Open a list.
    List(&'static str),
    /// Have the user pick from a list.
    Pick(&'static str),
    /// Show the sums; by session for this job.
    Info(Option<u64>),
    /// Show what a job did; whether as it was printed.
    Transcript(u64, bool),
    /// Show the answer to a question.
    Answer(u64),
    /// Open the session of a job in a terminal.
    Terminal(u64),
}

/// Reads a command.
///
/// # Errors
/// Says in one sentence what is wrong.
pub fn read(call: &Call, world: World<'_>) -> Result<Act, String> {
    let line = call.line.trim();
    let (first, rest) = split(line);
    let is_run = first.is_empty() || plus_options::is_one(first);
    let (name, rest) = if is_run { ("run", only_options(line, world.options)?) } else { (first, rest) };
    let Some(subcommand) = named(name) else { return Err(unknown(name)) };
    let refused = match () {
        () if call.bang && !subcommand.bang => "!",
        () if call.range.is_some() && !subcommand.range => "range",
        () if !rest.is_empty() && subcommand.is_bare() => "argument",
        () => "",
    };
    if !refused.is_empty() {
        return Err(format!("{name} takes no {refused}"));
    } else if world.here.is_cmdwin && subcommand.opens {
        return Err("no window opens from the command-line window: leave it first".to_owned());
    }
    let (given, rest) = plus_options::take(rest, subcommand.plus, world.options)?;
    act(subcommand, call, rest, given, world)
}

fn act(
    subcommand: &Subcommand,
    call: &Call,
    rest: &str,
    mut given: Plus,
    world: World<'_>,
) -> Result<Act, String> {
    let [agent, model] = plus_options::BOTH.map(|name| given.remove(name));
    let prompt = (!rest.is_empty()).then(|| rest.to_owned());
    let has_words = prompt.is_some();
    let question = matches!(subcommand.does, Does::Ask);
    let review = call.bang.then_some(true);
    let wanted = Wanted { prompt, review, question, agent, model, ..Wanted::default() };
    if subcommand.takes_prompt() {
        world.options.named(rest)?;
    }
    let name = subcommand.name;
    let job = || subcommand.of.map(|of| of.choose(rest, world)).transpose();
    let chosen = |of: &Choice| of.choose(rest, world);
    let plugin = |name, id| Act::Plugin { name, id };
    Ok(match &subcommand.does {
        Does::Run | Does::Ask => Act::Start(wanted),
        Does::Each if has_words => Act::Each(wanted),
        Does::Each => return Err("each needs a prompt".to_owned()),
        Does::List => Act::List(name),
        Does::Pick => Act::Pick(subcommands::list(rest)?),
        Does::Info => Act::Info(choose::of_info(world)),
        Does::Plugin => plugin(name, job()?),
        Does::Decide => match (call.range, rest.is_empty()) {
            (Some(lines), true) => Act::All { name, ids: choose::held_in(lines, world)? },
            (range, _) => plugin(name, Some(choose::decided(name, rest, range.is_some(), world)?)),
        },
        Does::Review if call.bang => plugin("review_end", None),
        Does::Review if has_words => plugin(name, job()?),
        Does::Review => plugin(name, choose::next_held(world)),
        Does::Transcript => Act::Transcript(chosen(&choose::TRANSCRIPT)?, call.bang),
        Does::Answer => Act::Answer(chosen(&choose::ANSWERED)?),
        Does::Open => Act::Terminal(chosen(&choose::SESSION)?),
        Does::Retry => choose::retry(chosen(&choose::ENDED)?, Wanted { prompt: None, ..wanted }, world)?,
        Does::Followup => choose::followup(choose::goes_on(world)?, wanted, world)?,
        Does::Rewind => Act::Rewind(choose::rewind(world)?),
    })
}

/// The words of a command without a subcommand: it takes options alone.
fn only_options<'a>(words: &'a str, options: &Options) -> Result<&'a str, String> {
    let (_, rest) = plus_options::take(words, &plus_options::BOTH, options)?;
    if rest.is_empty() {
        return Ok(words);
    }
    // The first word may be meant as a subcommand or as the prompt.
    let (given, name) = (words[..words.len() - rest.len()].trim(), split(rest).0);
    Err(format!("options go after the subcommand: Botglue {name} {given}"))
}

/// A subcommand that is not there.
fn unknown(name: &str) -> String {
    let names = SUBCOMMANDS.iter().map(|subcommand| subcommand.name);
    let meant = crate::options::nearest(name, names.clone());
    let advice = meant.map_or_else(
        || format!("use {}", names.collect::<Vec<_>>().join(", ")),
        |meant| format!("did you mean {meant}?"),
    );
    format!("unknown subcommand \"{name}\"; {advice}")
}

/// The first word, and the words behind it.
fn split(words: &str) -> (&str, &str) {
    words.split_once(char::is_whitespace).map_or((words, ""), |(word, rest)| (word, rest.trim_start()))
}
