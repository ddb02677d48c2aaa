//! The options in force, as far as the host decides by them. The plugin sends them before it asks or starts a job, where
//! they are other than before.

mod agent;
mod nearest;
mod prompts;
mod unknown;

use std::collections::BTreeMap;
use std::time::Duration;

pub use agent::{AgentOption, home};
pub use nearest::nearest;
pub use prompts::{Choice, NamedPrompt, without_backslash};
use rmpv::Value;
pub use unknown::unknown;

use crate::agent::{Protocol, is_argument};
use crate::error::JobError;
use crate::fields::{Fields, bad};

/// The most lines of code that are shown while they come: more than any window has.
const MOST_PREVIEW: usize = 200;
/// The longest timeout, in seconds: a year. Longer ones become this, since no clock has to reckon with them then.
const MOST_TIMEOUT: f64 = 365.0 * 24.0 * 3600.0;

/// The options, by their names in the help where nothing else is said.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own, as the user sets it")]
pub struct Options {
    /// The agent that runs a job without another one.
    pub agent: String,
    /// All agents, by their names.
    pub agents: BTreeMap<String, AgentOption>,
    /// The named prompts.
    pub prompts: BTreeMap<String, NamedPrompt>,
    /// The agent that the user has set, where they have.
    pub given_agent: Option<String>,
    /// The tools that an agent may use.
    pub tools: Vec<String>,
    /// The longest that a job may run, from its start.
    pub timeout: Duration,
    /// A limit on an agent's turns; none by default.
    pub max_turns: Option<u32>,
    /// A limit on a job's cost, in US dollars; none by default.
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
    /// `context.bytes`: how much of other texts goes along with a prompt.
    pub bytes: usize,
    /// `context.diagnostics`: those of the selection go along.
    pub diagnostics: bool,
    /// `context.rules`: add the project's rules file to the message.
    pub rules: bool,
    /// `status.preview`: how many of the newest lines of code to show while they come.
    pub preview: usize,
    /// `status.outcome`: for how long a line at the range says what became of the job.
    pub outcome: Duration,
    /// Where what is stored is.
    pub data_dir: String,
    /// The user's keys, as they are typed.
    pub keys: Keys,
}

/// The user's keys for what messages and lines at ranges name: as they are typed, by the name in `<Plug>(botglue-NAME)`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keys(BTreeMap<String, String>);

impl Keys {
    fn read(options: &Fields<'_>) -> Result<Self, JobError> {
        let keys = options.pairs("keys")?.iter();
        Ok(Self(keys.filter_map(|(name, key)| Some((name.as_str()?.into(), key.as_str()?.into()))).collect()))
    }

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    pub fn decode(argument: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(argument)?;
        let all = fields.fields("agents")?;
        let mut agents = BTreeMap::new();
        for name in fields.pairs("agents")?.iter().filter_map(|(name, _)| name.as_str()) {
            agents.insert(name.to_owned(), AgentOption::read(name, &all.fields(name)?, &fields)?);
        }
        let (context, status) = (fields.fields("context")?, fields.fields("status")?);
        let max_turns = fields.some("max_turns", at_least_one)?;
        let bytes = context.some("bytes", Fields::count)?.unwrap_or_default();
        let preview = status.some("preview", Fields::count)?.unwrap_or_default();
        Ok(Self {
            agent: fields.lossy("agent")?,
            agents,
            prompts: fields
                .pairs("prompts")?
                .iter()
                .filter_map(|(name, prompt)| Some((name.as_str()?.to_owned(), NamedPrompt::read(prompt)?)))
                .collect(),
            given_agent: fields.some("given_agent", Fields::lossy)?,
            tools: fields.arguments("tools")?,
            timeout: timeout(&fields)?,
            max_turns: max_turns.map(|turns| u32::try_from(turns).unwrap_or(u32::MAX)),
            max_cost_usd: fields.some("max_cost_usd", max_cost_usd)?,
            max_parallel: at_least_one(&fields, "max_parallel")?,
            resume_at_limit: fields.flag("resume_at_limit")?,
            trust_project: fields.flag("trust_project")?,
            review: fields.flag("review")?,
            prewarm: fields.flag("prewarm")?,
            record: fields.flag("record")?,
            keys: Keys::read(&fields)?,
            notify: fields.some("notify", notify)?.unwrap_or_default(),
            bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            diagnostics: context.flag("diagnostics")?,
            rules: context.flag("rules")?,
            preview: usize::try_from(preview).unwrap_or(usize::MAX).min(MOST_PREVIEW),
            outcome: seconds(status.some("outcome", Fields::number)?.unwrap_or_default()),
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
            _ if known.command.protocol == Protocol::Text => {
                format!("{job} was run by {agent}, which keeps no sessions")
            }
            None => format!("{job} has no session to go on in"),
            Some(id) if is_argument(id) => return Ok((known, id)),
            Some(_) => format!("the session id of {job} is not one word that does not begin with -"),
        };
        Err(format!("start a new job: {why}"))
    }
}

fn at_least_one(fields: &Fields<'_>, field: &str) -> Result<usize, JobError> {
    match usize::try_from(fields.count(field)?) {
        Ok(0) => Err(bad(&fields.name(field), "must be at least 1")),
        Ok(number) => Ok(number),
        Err(_) => Ok(usize::MAX),
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.min(MOST_TIMEOUT)).unwrap_or_default()
}

fn timeout(fields: &Fields<'_>) -> Result<Duration, JobError> {
    let given = fields.number("timeout")?;
    let timeout = seconds(given);
    if timeout.is_zero() || given.is_infinite() {
        return Err(bad("timeout", "must be a number of seconds above 0"));
    }
    Ok(timeout)
}

fn max_cost_usd(fields: &Fields<'_>, field: &str) -> Result<f64, JobError> {
    let cost = fields.number(field)?;
    if cost <= 0.0 || !cost.is_finite() {
        return Err(bad(field, "must be a number above 0"));
    }
    Ok(cost)
}

fn notify(fields: &Fields<'_>, field: &str) -> Result<Notify, JobError> {
    match fields.text(field)?.as_str() {
        "all" => Ok(Notify::All),
        "failures" => Ok(Notify::Failures),
        "none" => Ok(Notify::None),
        _ => Err(bad(field, r#"must be "all", "failures" or "none""#)),
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
        let prompt = |text: &str, asks| NamedPrompt { text: text.to_owned(), asks, ..NamedPrompt::default() };
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
pub(crate) mod sample;
