//! The options in force, as far as the host decides by them. The plugin sends them before it asks or starts a job, where
//! they are other than before.

mod agent;
mod nearest;
mod prompts;

use std::collections::BTreeMap;
use std::time::Duration;

pub use agent::{AgentOption, home};
pub use nearest::nearest;
pub use prompts::{Choice, NamedPrompt, without_backslash};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use crate::agent::Protocol;
use crate::error::JobError;
use crate::fields::{self, arguments, cells, is_argument, map, read, unless_false};

/// The longest timeout, in seconds: a year. Longer ones become this, since no clock has to reckon with them then.
const MOST_TIMEOUT: f64 = 365.0 * 24.0 * 3600.0;

/// The options, by their names in the help where nothing else is said. The plugin has checked them.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own, as the user sets it")]
pub struct Options {
    /// The agent that runs a job without another one.
    pub agent: String,
    /// All agents, by their names.
    #[serde(deserialize_with = "map")]
    pub agents: BTreeMap<String, AgentOption>,
    /// The model of the agent `claude`, which has its own in `agents` besides.
    #[serde(deserialize_with = "fields::model")]
    pub model: Option<String>,
    /// Its models.
    #[serde(deserialize_with = "unless_false")]
    pub models: Option<Vec<String>>,
    /// The named prompts.
    #[serde(deserialize_with = "map")]
    pub prompts: BTreeMap<String, NamedPrompt>,
    /// The agent that the user has set, where they have.
    pub given_agent: Option<String>,
    /// The tools that an agent may use.
    #[serde(deserialize_with = "arguments")]
    pub tools: Vec<String>,
    /// The longest that a job may run, from its start.
    #[serde(deserialize_with = "seconds")]
    pub timeout: Duration,
    /// A limit on an agent's turns; none by default.
    #[serde(deserialize_with = "unless_false")]
    pub max_turns: Option<u32>,
    /// A limit on a job's cost, in US dollars; none by default.
    #[serde(deserialize_with = "unless_false")]
    pub max_cost_usd: Option<f64>,
    /// How many jobs may run at once; more wait.
    pub max_parallel: usize,
    /// Jobs wait for the end of a limit, and run again.
    pub resume_at_limit: bool,
    /// Let agents load the project's own settings.
    pub trust_project: bool,
    /// Hold all answers for review.
    pub review: bool,
    /// Start an agent while its prompt is typed.
    pub prewarm: bool,
    /// Keep the raw streams.
    pub record: bool,
    /// Which ends of jobs are told by a message.
    pub notify: Notify,
    /// What goes along with a prompt.
    pub context: Context,
    /// What is shown at ranges.
    pub status: StatusOptions,
    /// Where what is stored is.
    pub data_dir: String,
    /// The user's keys, as they are typed.
    pub keys: Keys,
}

/// The option `context`, but for what the plugin does.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Context {
    /// How much of other texts goes along with a prompt.
    pub bytes: usize,
    /// The diagnostics of the selection go along.
    pub diagnostics: bool,
    /// Add the project's rules file to the message.
    pub rules: bool,
}

/// The option `status`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StatusOptions {
    /// How many of the newest lines of code to show while they come.
    #[serde(deserialize_with = "cells")]
    pub preview: usize,
    /// For how long a line at the range says what became of the job.
    #[serde(deserialize_with = "seconds")]
    pub outcome: Duration,
}

/// The user's keys for what messages and lines at ranges name: as they are typed, by the name in `<Plug>(botglue-NAME)`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Keys(#[serde(deserialize_with = "map")] BTreeMap<String, String>);

impl Keys {
    /// What to do to see held answers: the key, else the command.
    pub fn review(&self) -> &str {
        self.0.get("review").map_or(":Botglue review", String::as_str)
    }

    /// The key that goes on from a job, else the command.
    pub fn followup(&self) -> &str {
        self.0.get("followup").map_or(":Botglue followup", String::as_str)
    }

    /// The key that goes to the newest outcome, else its name.
    pub fn go(&self) -> &str {
        self.0.get("go").map_or("<Plug>(botglue-go)", String::as_str)
    }
}

/// Which ends of jobs are told by a message: the option `notify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// All.
    All,
    /// Failures, and answers that are held.
    #[default]
    Failures,
    /// None.
    None,
}

impl Options {
    /// Reads the options as the plugin sends them.
    ///
    /// # Errors
    /// Names the field that is missing or wrong.
    pub fn decode(argument: &Json) -> Result<Self, JobError> {
        let mut options: Self = read(argument)?;
        let (model, models) = (options.model.take(), options.models.take());
        if let Some(claude) = options.agents.get_mut("claude") {
            claude.command.model = claude.command.model.take().or(model);
            claude.models = claude.models.take().or(models);
        }
        for (name, agent) in &mut options.agents {
            agent.complete(name)?;
        }
        Ok(options)
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
            _ if known.command.protocol == Protocol::Text => {
                format!("{job} was run by {agent}, which keeps no sessions")
            }
            None => format!("{job} has no session to go on in"),
            Some(id) if is_argument(id) => return Ok((known, id)),
            Some(_) => format!("the session id of {job} is not one word that does not begin with -"),
        };
        Err(format!("{why}: start a new job"))
    }
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    Ok(Duration::try_from_secs_f64(seconds.min(MOST_TIMEOUT)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::sample::options;

    #[test]
    fn a_session_is_one_that_can_be_gone_on_in() {
        let options = options();
        let why = |agent: &str, id: Option<&str>| options.session("job 3", agent, id).unwrap_err();
        assert_eq!(options.session("job 3", "claude", Some("s")).unwrap().1, "s");
        assert_eq!(why("mine", Some("s")), "job 3 was run by mine, which keeps no sessions: start a new job");
        assert_eq!(why("claude", None), "job 3 has no session to go on in: start a new job");
        assert_eq!(
            why("claude", Some("-p")),
            "the session id of job 3 is not one word that does not begin with -: start a new job"
        );
        assert_eq!(why("gpt", Some("s")), "agent: unknown agent \"gpt\"; use claude, droid, gemini, mine");
    }
}

#[cfg(test)]
pub(crate) mod sample;
