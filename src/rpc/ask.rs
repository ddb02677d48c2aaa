//! Reads what a key or a command of the user asks for: it waits until the host has opened the window.

use std::collections::BTreeMap;

use rmpv::Value;

use super::Command;
use crate::agent::Protocol;
use crate::error::JobError;
use crate::request::fields::bad;
use crate::request::{Fields, TranscriptRequest};
use crate::store::{self, InfoQuery, JobKey};
use crate::ui::{Origin, Texts, Ui};
use crate::view::Viewer;

/// What is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Sums over jobs, and the name of the project.
    Info(InfoQuery, String),
    /// How a session is opened in a terminal.
    Terminal(TerminalOf),
    /// The list of jobs.
    List(ListOf),
    /// The rows of a list, for a picker.
    Pick(ListOf),
    /// What a key does with a job of a list; and the job, where the store has it.
    Act(Act, Option<JobKey>),
    /// Two texts that the plugin knows.
    Texts(Texts),
    /// A transcript.
    Transcript(TranscriptOf),
    /// What `:checkhealth` says of the agents.
    Health(HealthRequest),
}

/// The options that matter for the report of `:checkhealth`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthRequest {
    /// The agent that runs the jobs.
    pub chosen: String,
    /// All agents, by their names.
    pub agents: Vec<AgentOption>,
    /// The option of that name.
    pub trust_project: bool,
    /// The directories that are written to, each with what it is for.
    pub directories: [(&'static str, String); 2],
}

/// An agent of the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentOption {
    /// Its name.
    pub name: String,
    /// How it talks.
    pub protocol: Protocol,
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// What is added to its environment.
    pub env: BTreeMap<String, String>,
    /// Where it runs.
    pub directory: Option<String>,
    /// The options that weaken what keeps it read-only.
    pub weakened_by: Vec<&'static str>,
}

/// Which files the menu of a prompt wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesOf {
    /// The number of the question.
    pub asked: u64,
    /// The directory of the project.
    pub root: String,
    /// Letters of their paths.
    pub query: String,
    /// It is the first question of a prompt: there may be other files by now.
    pub is_new: bool,
}

/// Which session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalOf {
    /// The agent.
    pub agent: AgentOption,
    /// The session.
    pub session_id: String,
    /// The project's directory.
    pub cwd: String,
    /// The option of that name.
    pub trust_project: bool,
    /// The option of that name.
    pub data_dir: String,
}

/// Which list, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListOf {
    /// `jobs`, `history`, or `held` for a picker.
    pub name: &'static str,
    /// From where it is asked for.
    pub origin: Origin,
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
    /// The plugin does not know the job any more, whatever the store says.
    pub is_stored: bool,
}

/// Which transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptOf {
    /// The job.
    pub key: JobKey,
    /// What the plugin knows of the job; else the store is asked.
    pub about: Option<TranscriptRequest>,
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
    let (token, ui) = (fields.count("token")?, ui(&fields.fields("here")?)?);
    Ok(Command::Ask { token, ui, asked: asked(&fields) })
}

/// Reads which files are wanted.
///
/// # Errors
/// Names the field that is missing or wrong.
pub(super) fn files(argument: &Value) -> Result<FilesOf, JobError> {
    let fields = Fields::root(argument)?;
    Ok(FilesOf {
        asked: fields.count("asked")?,
        root: fields.lossy("root")?,
        query: fields.lossy("query")?,
        is_new: fields.flag("is_new")?,
    })
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
        "info" => Asked::Info(store::info_query(&arg)?, arg.lossy("title")?),
        "terminal" => Asked::Terminal(TerminalOf {
            agent: agent(&arg.text("name")?, &arg.fields("agent")?)?,
            session_id: arg.text("session_id")?,
            cwd: arg.lossy("cwd")?,
            trust_project: arg.flag("trust_project")?,
            data_dir: arg.lossy("data_dir")?,
        }),
        "list" => Asked::List(list(&arg)?),
        "pick" => Asked::Pick(list(&arg)?),
        "act" => {
            let text = |field| arg.get(field).map(|_| arg.text(field)).transpose();
            let (view, row) = (text("view")?, text("row")?);
            Asked::Act(
                Act { view, action: arg.text("action")?, row, is_stored: arg.flag("is_stored")? },
                None,
            )
        }
        "health" => Asked::Health(health(&arg)?),
        "texts" => Asked::Texts(Texts {
            name: arg.lossy("title")?,
            before: arg.escaped_texts("left")?,
            after: arg.escaped_texts("right")?,
            filetype: arg.lossy("filetype")?,
        }),
        "transcript" => Asked::Transcript(TranscriptOf {
            key: store::job_key(&arg)?,
            about: arg.get("path").map(|_| TranscriptRequest::read(&arg)).transpose()?,
            is_raw: arg.flag("raw")?,
        }),
        _ => return Err(bad("what", "is nothing that this host shows")),
    })
}

fn list(arg: &Fields<'_>) -> Result<ListOf, JobError> {
    let name = arg.text("name")?;
    let name = ["jobs", "history", "held"].into_iter().find(|known| *known == name);
    let line = |job: &Fields<'_>| Ok((job.count("id")?, job.count("line")?));
    Ok(ListOf {
        name: name.ok_or_else(|| bad("name", "is no list that this host knows"))?,
        origin: Origin {
            viewer: Viewer { cwd: arg.lossy("cwd")?, home: arg.lossy("home")? },
            path: Some(arg.lossy("path")?).filter(|path| !path.is_empty()),
            project: arg.lossy("project")?,
            earlier: arg.count("earlier")?,
            lines: arg.maps("lines")?.iter().map(line).collect::<Result<_, JobError>>()?,
        },
    })
}

fn health(arg: &Fields<'_>) -> Result<HealthRequest, JobError> {
    let all = arg.fields("agents")?;
    let mut agents: Vec<AgentOption> = arg
        .pairs("agents")?
        .iter()
        .filter_map(|(name, _)| name.as_str())
        .map(|name| agent(name, &all.fields(name)?))
        .collect::<Result<_, _>>()?;
    agents.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(HealthRequest {
        chosen: arg.lossy("agent")?,
        agents,
        trust_project: arg.flag("trust_project")?,
        directories: [("data", arg.lossy("data_dir")?), ("log", arg.lossy("log_dir")?)],
    })
}

fn agent(name: &str, fields: &Fields<'_>) -> Result<AgentOption, JobError> {
    let protocol = fields.text("protocol")?;
    let env = fields.pairs("env")?.iter().filter_map(|(name, value)| {
        Some((name.as_str()?.to_owned(), String::from_utf8_lossy(value.as_slice()?).into_owned()))
    });
    Ok(AgentOption {
        name: name.to_owned(),
        protocol: Protocol::named(&protocol).ok_or_else(|| bad(&fields.name("protocol"), "is unknown"))?,
        command: fields.lossy_texts("command")?,
        env: env.collect(),
        directory: fields.get("directory").map(|_| fields.lossy("directory")).transpose()?,
        weakened_by: ["mode", "meta", "directory"]
            .into_iter()
            .filter(|name| fields.get(name).is_some())
            .collect(),
    })
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
        let act =
            Act { view: None, action: "prompt".to_owned(), row: Some("#3".to_owned()), is_stored: false };
        assert_eq!(asked, Ok(Asked::Act(act, None)));
    }

    #[test]
    fn a_transcript_is_of_a_job_of_this_neovim_or_of_the_store() {
        let Command::Ask { asked, .. } = read("transcript", &[("id", 4.into()), ("raw", true.into())]) else {
            panic!()
        };
        let raw = TranscriptOf { key: JobKey::Id(4), about: None, is_raw: true };
        assert_eq!(asked, Ok(Asked::Transcript(raw)));
    }

    #[test]
    fn an_error_is_for_the_one_who_asks() {
        let Command::Ask { token, asked, .. } = read("weather", &[]) else { panic!() };
        assert_eq!((token, asked.unwrap_err().message.starts_with("what ")), (3, true));
        assert!(decode(&map(&[("what", "info".into())])).is_err());
    }
}
