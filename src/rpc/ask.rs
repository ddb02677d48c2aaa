//! Reads what a key or a command of the user asks for: it waits until the host has opened the window.

use std::collections::BTreeMap;

use rmpv::Value;

use super::Command;
use crate::agent::Protocol;
use crate::error::JobError;
use crate::request::fields::bad;
use crate::request::{Fields, TranscriptRequest};
use crate::store::{self, InfoQuery, JobKey};
use crate::ui::{Texts, Ui};

/// What is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Sums over jobs, and the name of the project.
    Info(InfoQuery, String),
    /// The prompt of a job, whole.
    Prompt(JobKey),
    /// What a job was sent beside its answer, and the name of the job where that is not its prompt.
    Compare(JobKey, Option<String>),
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

/// Reads an `ask`.
///
/// # Errors
/// Where it has no token: then there is no reply that could say what is wrong.
pub(super) fn decode(argument: &Value) -> Result<Command, JobError> {
    let fields = Fields::root(argument)?;
    let (token, ui) = (fields.count("token")?, ui(&fields.fields("here")?)?);
    Ok(Command::Ask { token, ui, asked: asked(&fields) })
}

/// Reads the size of the screen.
///
/// # Errors
/// Names the field that is missing or wrong.
pub(super) fn ui(fields: &Fields<'_>) -> Result<Ui, JobError> {
    let size = |field| fields.count(field).map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    Ok(Ui { columns: size("columns")?, lines: size("lines")?, cmdheight: size("cmdheight")? })
}

fn asked(fields: &Fields<'_>) -> Result<Asked, JobError> {
    let arg = fields.fields("arg")?;
    Ok(match fields.text("what")?.as_str() {
        "info" => Asked::Info(store::info_query(&arg)?, arg.lossy("title")?),
        "prompt" => Asked::Prompt(store::job_key(&arg)?),
        "compare" => {
            Asked::Compare(store::job_key(&arg)?, arg.get("title").map(|_| arg.lossy("title")).transpose()?)
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
        let Command::Ask { token, ui, asked } = read("prompt", &[("uuid", "u".into())]) else { panic!() };
        assert_eq!((token, ui), (3, Ui { columns: 80, lines: 24, cmdheight: 1 }));
        assert_eq!(asked, Ok(Asked::Prompt(JobKey::Uuid("u".to_owned()))));
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
