//! The options in force, as far as the host decides by them: the agents with their models, and the named prompts. The
//! plugin sends them before it asks, where they are other than before.

mod nearest;
mod unknown;

use std::collections::BTreeMap;

pub use nearest::nearest;
use rmpv::Value;
pub use unknown::unknown;

use crate::agent::{self, KnownAgent, Protocol, is_argument};
use crate::error::JobError;
use crate::request::{Fields, bad};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The agent that runs a job without another one.
    pub agent: String,
    /// All agents, by their names.
    pub agents: BTreeMap<String, AgentOption>,
    /// The named prompts.
    pub prompts: BTreeMap<String, NamedPrompt>,
    /// The agent that the user has set, where they have.
    pub given_agent: Option<String>,
    /// The option of that name.
    pub max_parallel: u64,
    /// The option of that name.
    pub trust_project: bool,
    /// The option of that name.
    pub data_dir: String,
}

/// A prompt with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPrompt {
    /// The text that it stands for.
    pub text: String,
    /// It asks a question.
    pub asks: bool,
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
    /// The model that it has without a choice; none leaves that to the CLI.
    pub model: Option<String>,
    /// That is the user's own.
    pub has_own_model: bool,
    /// The models to choose from, that one first.
    pub models: Vec<String>,
}

impl Options {
    /// Reads the options as the plugin sends them.
    ///
    /// # Errors
    /// Names the field that is missing or wrong.
    pub fn decode(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let all = fields.fields("agents")?;
        let mut agents = BTreeMap::new();
        for name in fields.pairs("agents")?.iter().filter_map(|(name, _)| name.as_str()) {
            agents.insert(name.to_owned(), AgentOption::read(name, &all.fields(name)?)?);
        }
        let prompts = fields.pairs("prompts")?.iter().filter_map(|(name, prompt)| {
            let is_map = prompt.as_map().is_some();
            let asks = is_map && prompt["ask"] == true.into();
            let text = if is_map { &prompt["prompt"] } else { prompt };
            let text = String::from_utf8_lossy(text.as_slice()?).into_owned();
            Some((name.as_str()?.to_owned(), NamedPrompt { text, asks }))
        });
        Ok(Self {
            agent: fields.lossy("agent")?,
            agents,
            prompts: prompts.collect(),
            given_agent: fields.get("given_agent").map(|_| fields.lossy("given_agent")).transpose()?,
            max_parallel: fields.count("max_parallel")?,
            trust_project: fields.flag("trust_project")?,
            data_dir: fields.lossy("data_dir")?,
        })
    }

    /// The agent of that name; `what` is what an error calls it.
    ///
    /// # Errors
    /// Names those that there are.
    pub fn agent(&self, name: &str, what: &str) -> Result<&AgentOption, String> {
        let known = || self.agents.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        self.agents.get(name).ok_or_else(|| format!("{what}: unknown agent {name:?}; use {}", known()))
    }

    /// The agent of a session that can be gone on in; `job` is what an error calls the job.
    ///
    /// # Errors
    /// Says why there is no such session.
    pub fn session<'a>(
        &self,
        job: &str,
        agent: &str,
        session_id: Option<&'a str>,
    ) -> Result<(&AgentOption, &'a str), String> {
        let known = self.agent(agent, "agent")?;
        let why = match session_id {
            _ if known.protocol == Protocol::Text => {
                format!("{job} was run by {agent}, which keeps no sessions")
            }
            None => format!("{job} has no session to go on in"),
            Some(id) if is_argument(id) => return Ok((known, id)),
            Some(_) => format!("the session id of {job} is not one word that does not begin with -"),
        };
        Err(format!("start a new job: {why}"))
    }
}

impl AgentOption {
    fn read(name: &str, fields: &Fields<'_>) -> Result<Self, JobError> {
        let protocol = fields.text("protocol")?;
        let env = fields.pairs("env")?.iter().filter_map(|(name, value)| {
            Some((name.as_str()?.to_owned(), String::from_utf8_lossy(value.as_slice()?).into_owned()))
        });
        Ok(Self {
            name: name.to_owned(),
            protocol: Protocol::named(&protocol)
                .ok_or_else(|| bad(&fields.name("protocol"), "is unknown"))?,
            command: fields.lossy_texts("command")?,
            env: env.collect(),
            directory: fields.get("directory").map(|_| fields.lossy("directory")).transpose()?,
            weakened_by: ["mode", "meta", "directory"]
                .into_iter()
                .filter(|name| fields.get(name).is_some())
                .collect(),
            model: fields.get("model").map(|_| fields.lossy("model")).transpose()?,
            has_own_model: fields.flag("has_own_model")?,
            models: fields.lossy_texts("models")?,
        })
    }

    /// What is known of it: a user's agent may have the name of a shipped one and another protocol.
    pub fn known(&self) -> KnownAgent {
        let (all, protocol) = (agent::known(), self.protocol.dialect().name);
        let by_name = all.get(self.name.as_str()).filter(|known| known.protocol == protocol);
        by_name.unwrap_or(&all[protocol]).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::NamedPrompt;
    use super::sample::options;

    #[test]
    fn options_are_read_as_the_plugin_sends_them() {
        let options = options();
        assert_eq!(options.agents["mine"].models, ["a", "b"]);
        let prompt = |text: &str, asks| NamedPrompt { text: text.to_owned(), asks };
        let named = [("fix", prompt("fix it", true)), ("tests", prompt("write tests", false))];
        assert_eq!(options.prompts, named.map(|(name, prompt)| (name.to_owned(), prompt)).into());
    }

    #[test]
    fn a_session_is_one_that_can_be_gone_on_in() {
        let options = options();
        let why = |agent: &str, id: Option<&str>| options.session("job 3", agent, id).unwrap_err();
        assert_eq!(options.session("job 3", "claude", Some("s")).unwrap().1, "s");
        assert_eq!(why("mine", Some("s")), "start a new job: job 3 was run by mine, which keeps no sessions");
        assert_eq!(why("claude", None), "start a new job: job 3 has no session to go on in");
        assert_eq!(
            why("claude", Some("-p")),
            "start a new job: the session id of job 3 is not one word that does not begin with -"
        );
        assert_eq!(why("gpt", Some("s")), "agent: unknown agent \"gpt\"; use claude, droid, gemini, mine");
    }
}

#[cfg(test)]
pub mod sample;
