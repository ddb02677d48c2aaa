//! Reads what a key or a command of the user asks for: it waits until the host has opened the window.

use std::collections::BTreeMap;

use rmpv::Value;

use super::Command;
use super::prompt::{self, PromptMessage};
use super::review::row;
use crate::command::{Call, Here, Item, JobPlace};
use crate::error::JobError;
use crate::fields::Fields;
use crate::fields::bad;
use crate::land::HeldFor;
use crate::options::Choice;
use crate::request::{self, OpenBuffer};
use crate::store::JobKey;
use crate::ui::{Against, Origin, Ui};
use crate::view::Viewer;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// What a command of the user is to do.
    Command(Call, Box<AskedFrom>),
    /// What a prompt stands for and mentions, of these buffers, where a job asks for that.
    Compose(String, Choice, Vec<OpenBuffer>),
    /// What completes the word of a command: what was typed behind its name, and the beginning of the word.
    Complete(String, String),
    /// Where the answer is that is so many answers away.
    Jump(i64, Box<AskedFrom>),
    /// Which lines of these items of a list the jobs are for that get this prompt.
    Each(EachOf),
    /// Another job that goes on in the session of this one, with a prompt.
    Followup(u64, Option<String>),
    /// What a key of the prompt is to do at once, or what is to be sent.
    Prompt(Box<PromptMessage>),
    /// A held answer.
    Show(ShowOf),
    /// What is proposed of a held answer in the text with this changedtick.
    Hunks {
        /// The job.
        id: u64,
        /// Its buffer.
        buffer: u64,
        /// The changedtick.
        tick: u64,
        /// Neovim's `'tabstop'`.
        tabstop: usize,
    },
    /// What a key does with a job of a list; and the job, where the store has it.
    Act(Act, Option<JobKey>),
    /// A transcript.
    Transcript(TranscriptOf),
    /// What `:checkhealth` says of the agents and the directories, of which the first has the log, and of these unknown
    /// options.
    Health(String, Vec<String>),
}

/// The items of a list that are places in files, and in the lines that were given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EachOf {
    /// The prompt.
    pub prompt: String,
    /// Which list it is: `quickfix` or `location`.
    pub list: String,
    /// How many items that has.
    pub count: u64,
    /// Lines were given.
    pub has_range: bool,
    /// The items.
    pub items: Vec<Item>,
}

/// How a held answer is to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShowOf {
    /// The job.
    pub id: u64,
    /// Its buffer, and the changedtick of the text there.
    pub at: (u64, u64),
    /// As a text, not as hunks.
    pub is_text: bool,
    /// As what its buffer would be.
    pub diff: Option<DiffOf>,
    /// Why it cannot be written at its place, as far as the plugin knows.
    pub obstacle: Option<HeldFor>,
    /// Neovim's `'filetype'`.
    pub filetype: String,
}

/// How what an answer changes is compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffOf {
    /// The buffer of the answer.
    pub against: Against,
    /// What was there before the answer landed, and after.
    pub landed: Option<(Vec<String>, Vec<String>)>,
}

/// From where a command is given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AskedFrom {
    /// What commands depend on.
    pub here: Here,
    /// What lists depend on.
    pub origin: Origin,
    /// When today began, Unix time in milliseconds.
    pub today_ms: i64,
    /// The window of the host in which the user is.
    pub view: Option<String>,
}

/// What a key does with a row of a list, or with all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// The window; none for a picker.
    pub view: Option<String>,
    /// What the key does.
    pub action: String,
    /// The row's id.
    pub row: Option<String>,
}

/// Which transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptOf {
    /// The job.
    pub key: JobKey,
    /// The file itself is shown.
    pub is_raw: bool,
}

/// The most cells that a screen is taken to have.
const MOST_CELLS: usize = 10_000;

/// Reads an `ask`.
///
/// # Errors
/// Where it has no token: then there is no reply that could say what is wrong.
pub(super) fn decode(argument: &Value) -> Result<Command, JobError> {
    let fields = Fields::root(argument)?;
    let token = fields.count("token")?;
    if fields.get("what") == Some(&"hunk".into()) {
        return Ok(Command::Hunk { token, key: super::review::key(&fields.fields("arg")?)? });
    }
    let ui = ui(&fields.fields("here")?)?;
    Ok(Command::Ask { token, ui, asked: asked(&fields) })
}

/// Reads the size of the screen.
///
/// # Errors
/// Names the field that is missing or wrong.
pub(super) fn ui(fields: &Fields<'_>) -> Result<Ui, JobError> {
    let size = |field| size(fields, field);
    Ok(Ui { columns: size("columns")?, lines: size("lines")?, cmdheight: size("cmdheight")? })
}

/// Reads a number of cells or rows.
///
/// # Errors
/// Where it is missing or none.
pub(super) fn size(fields: &Fields<'_>, field: &str) -> Result<usize, JobError> {
    // No screen has more, and whatever is laid out for it fits into memory.
    Ok(fields.count(field)?.try_into().unwrap_or(usize::MAX).min(MOST_CELLS))
}

fn asked(fields: &Fields<'_>) -> Result<Asked, JobError> {
    let arg = fields.fields("arg")?;
    Ok(match fields.text("what")?.as_str() {
        "command" => {
            let range = arg.some("range", Fields::counts)?;
            let call = Call {
                line: arg.lossy("line")?,
                bang: arg.flag("bang")?,
                range: range.and_then(|lines| Some((*lines.first()?, *lines.last()?))),
            };
            Asked::Command(call, Box::new(from(&arg.fields("from")?)?))
        }
        "compose" => Asked::Compose(arg.text("prompt")?, request::choice(&arg)?, OpenBuffer::decode(&arg)?),
        "complete" => Asked::Complete(arg.lossy("typed")?, arg.lossy("lead")?),
        "jump" => {
            #[expect(clippy::cast_possible_truncation, reason = "a count of the user")]
            let by = arg.number("by")? as i64;
            Asked::Jump(by, Box::new(from(&arg.fields("from")?)?))
        }
        "each" => {
            let item = |item: &Fields<'_>| {
                Ok(Item {
                    buffer: item.count("buffer")?,
                    first: item.count("first")?,
                    last: item.count("last")?,
                    text: item.lossy("text")?,
                    kind: item.lossy("kind")?,
                    row: item.lossy("row")?,
                    count: item.count("count")?,
                })
            };
            Asked::Each(EachOf {
                prompt: arg.lossy("prompt")?,
                list: arg.text("list")?,
                count: arg.count("count")?,
                has_range: arg.flag("has_range")?,
                items: arg.maps("items")?.iter().map(item).collect::<Result<_, JobError>>()?,
            })
        }
        "followup" => {
            let prompt = arg.some("prompt", Fields::text)?;
            Asked::Followup(arg.count("id")?, prompt)
        }
        "prompt" => Asked::Prompt(Box::new(prompt::read(&arg)?)),
        "show" => {
            let obstacle = match (arg.get("buffer"), arg.flag("is_lost")?, arg.flag("is_modifiable")?) {
                (None, ..) => Some(HeldFor::BufferGone),
                (_, true, _) => Some(HeldFor::RangeLost),
                (_, _, is_modifiable) => (!is_modifiable).then_some(HeldFor::NotModifiable),
            };
            let (is_text, filetype) = (arg.flag("is_text")?, arg.lossy("filetype")?);
            let count = |field| arg.get(field).map_or(Ok(0), |_| arg.count(field));
            let at = (count("buffer")?, count("tick")?);
            let diff = arg.get("diff").map(|_| diff(&arg, at.0, &filetype)).transpose()?;
            Asked::Show(ShowOf { id: arg.count("id")?, at, is_text, diff, obstacle, filetype })
        }
        "hunks" => Asked::Hunks {
            id: arg.count("id")?,
            buffer: arg.count("buffer")?,
            tick: arg.count("tick")?,
            tabstop: size(&arg, "tabstop")?,
        },
        "act" => {
            let text = |field| arg.some(field, Fields::text);
            let (view, row) = (text("view")?, text("row")?);
            Asked::Act(Act { view, action: arg.text("action")?, row }, None)
        }
        "health" => Asked::Health(arg.lossy("log_dir")?, arg.lossy_texts("unknown")?),
        _ => return Err(bad("what", "is nothing that this host shows")),
    })
}

fn diff(arg: &Fields<'_>, buffer: u64, filetype: &str) -> Result<DiffOf, JobError> {
    let of = arg.fields("diff")?;
    let against = Against {
        buffer,
        row: Some(row(&of, "row")?),
        tabstop: size(&of, "tabstop")?,
        filetype: filetype.to_owned(),
        is_insertion: of.flag("is_insertion")?,
    };
    let landed = of.get("after").map(|_| Ok((of.escaped_texts("before")?, of.escaped_texts("after")?)));
    Ok(DiffOf { against, landed: landed.transpose()? })
}

/// Where jobs are, by their numbers.
pub(super) fn places(fields: &Fields<'_>) -> Result<BTreeMap<u64, JobPlace>, JobError> {
    let place = |job: &Fields<'_>| {
        let some = |field| job.some(field, Fields::count);
        let lines = (job.count("first")?, job.count("last")?);
        let place = JobPlace { buffer: some("buffer")?, lines, column: some("column")? };
        Ok((job.count("id")?, place))
    };
    fields.maps("jobs")?.iter().map(place).collect()
}

fn from(at: &Fields<'_>) -> Result<AskedFrom, JobError> {
    let some = |field| at.some(field, Fields::count);
    let places = places(at)?;
    let lines = places.iter().map(|(id, place)| (*id, place.lines.0.max(1))).collect();
    let here = Here {
        buffer: at.count("buffer")?,
        cursor: (at.count("line")?, at.count("column")?),
        places,
        review: some("review")?,
        shows_review: at.flag("shows_review")?,
        answer: None,
        row: None,
        is_cmdwin: at.flag("is_cmdwin")?,
    };
    let origin = Origin {
        viewer: Viewer { cwd: at.lossy("cwd")?, home: at.lossy("home")? },
        path: Some(at.lossy("path")?).filter(|path| !path.is_empty()),
        project: at.lossy("project")?,
        earlier: at.count("earlier")?,
        lines,
    };
    let view = at.some("view", Fields::text)?;
    Ok(AskedFrom { here, origin, today_ms: i64::try_from(at.count("today_ms")?).unwrap_or(i64::MAX), view })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(fields: &[(&str, Value)]) -> Value {
        Value::Map(fields.iter().map(|(key, value)| ((*key).into(), value.clone())).collect())
    }

    fn read(what: &str, arg: &[(&str, Value)]) -> Command {
        let here = map(&[("columns", 80.into()), ("lines", 24.into()), ("cmdheight", 1.into())]);
        let ask = [("token", 3.into()), ("here", here), ("what", what.into()), ("arg", map(arg))];
        decode(&map(&ask)).unwrap()
    }

    #[test]
    fn what_is_asked_comes_with_the_screen() {
        let Command::Ask { token, ui, asked } =
            read("act", &[("action", "prompt".into()), ("row", "#3".into())])
        else {
            panic!()
        };
        assert_eq!((token, ui), (3, Ui { columns: 80, lines: 24, cmdheight: 1 }));
        let act = Act { view: None, action: "prompt".to_owned(), row: Some("#3".to_owned()) };
        assert_eq!(asked, Ok(Asked::Act(act, None)));
    }

    #[test]
    fn an_error_is_for_the_one_who_asks() {
        let Command::Ask { token, asked, .. } = read("weather", &[]) else { panic!() };
        assert_eq!((token, asked.unwrap_err().message.starts_with("what ")), (3, true));
        assert!(decode(&map(&[("what", "health".into())])).is_err());
    }
}
