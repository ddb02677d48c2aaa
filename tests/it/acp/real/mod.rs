//! Real agents that speak the Agent Client Protocol, each as the shipped agent of its name, asking a service on
//! loopback.
//!
//! The same is shown of each; what is particular to one is a row of [`agents`]. `make test-agents` runs all of it; the
//! agents take 1.7 GB. `make test` runs three tests of Gemini, in [`gate`].

mod agents;
mod hostile;
mod neovim;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::DEADLINE;
use crate::support::api::{Api, Reply, calls, says};
use crate::support::scratch::Scratch;
use crate::support::serve::Serve;
use agents::Agent;

/// Where an agent runs: a home without anything of the developer's, a project, and the service. The directory for
/// temporary files is beside them: some trust what is below it.
struct Place {
    root: PathBuf,
    api: Api,
}

impl Place {
    fn new(agent: &Agent, root: PathBuf) -> Self {
        assert!(
            agent.is_installed(),
            "{} is not there: run the tests with `make`, it gets them",
            agent.program
        );
        let place = Self { root, api: Api::start() };
        place.write("home/.keep", "");
        place.write("tmp/.keep", "");
        (agent.set_up)(&place);
        place
    }

    fn path(&self, name: &str) -> String {
        self.root.join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// An agent for jobs without an editor.
struct Real {
    agent: &'static Agent,
    serve: Serve,
    place: Place,
}

/// What became of a job: its fields, and how its tools ended.
#[derive(Debug)]
struct Ended {
    fields: Value,
    tools: Vec<String>,
}

impl Real {
    fn new(agent: &'static Agent) -> Self {
        let serve = Serve::start(Scratch::new());
        let root = serve.scratch.path("");
        let real = Self { agent, serve, place: Place::new(agent, root) };
        real.place.write("project/a.lua", "local x = 1\n");
        real
    }

    /// Runs a job with this script of the service's; `more` is laid over its fields. Variables are all that the agent
    /// has besides its home and PATH, those of its recipe too.
    fn run_with(
        &self,
        replies: impl Into<Vec<Reply>>,
        login: Vec<(&'static str, String)>,
        (name, args, trust_project): (&str, &[&str], bool),
    ) -> Ended {
        self.place.api.script("it", replies);
        let path = (self.agent.search_path)();
        let [home, tmp] = ["home", "tmp"].map(|directory| self.place.path(directory));
        let mut words = vec![format!("HOME='{home}' TMPDIR='{tmp}' PATH='{path}'")];
        let own = (self.agent.variables)(&self.place).into_iter();
        words.extend(own.chain(login).map(|(name, value)| format!("{name}='{value}'")));
        words.extend(self.agent.recipe.iter().map(|name| format!("${{{name}+{name}=\"${name}\"}}")));
        let script = format!("exec env -i {} {} \"$@\"", words.join(" "), self.agent.program);
        // A name in PATH is found by `env`, as it is by the host.
        let agent = json!({
            "protocol": "acp", "command": ["/bin/sh", "-c", script, "agent"], "args": args, "model": self.agent.model,
        });
        let job = json!({
            "agent": name, "agents": {name: agent}, "prompt": "SCRIPT:it", "timeout": DEADLINE.as_secs(),
            "tools": ["Read", "Grep", "Glob"], "trust_project": trust_project,
        });
        self.serve.run(1, "", &job);
        Ended { fields: self.serve.finished(1), tools: self.serve.tools(1) }
    }

    fn run(&self, replies: impl Into<Vec<Reply>>) -> Ended {
        self.run_with(replies, (self.agent.login)(&self.place), (self.agent.name, &[], false))
    }
}

#[track_caller]
fn assert_answers(ended: &Ended, agent: &Agent, answer: &str) {
    // There is no buffer in which it could land.
    let fields = &ended.fields;
    assert_eq!(
        (&fields["text"], &fields["held_for"]),
        (&json!(answer), &json!("buffer_gone")),
        "{}: {fields:#}",
        agent.name
    );
}

fn tools_that_read_may_work_or_fail(agent: &'static Agent) {
    let real = Real::new(agent);
    let call = |name: &str| (agent.reads)(&real.place.path(name));
    let replies = [
        calls("I will look.", &[call("project/a.lua")]),
        calls("", &[call("project/missing.lua")]),
        says("local y = 2"),
    ];
    let ended = real.run(replies);
    assert_answers(&ended, agent, "local y = 2");
    assert_eq!(ended.tools, ["ok", "error"]);
    // Not in the last request alone: that may be one that the agent makes for itself.
    let requests = format!("{:?}", real.place.api.requests());
    assert!(requests.contains("local x = 1"), "{requests}");
}

/// A tool is called once, and what comes of that is another matter: some agents end with the refusal, others go on. The
/// control is the same program without its recipe: it shows that the user's settings allow the call.
fn nothing_is_done(agent: &'static Agent, calls: impl Fn(&str) -> Reply) {
    let real = Real::new(agent);
    let target = real.place.path("project/done.txt");
    let own = ("own", agent.plain, false);
    let ended = real.run_with([calls(&target), says("it was done")], (agent.login)(&real.place), own);
    assert!(Path::new(&target).exists(), "{}: {ended:?}", agent.name);

    let real = Real::new(agent);
    let target = real.place.path("project/done.txt");
    let ended = real.run([calls(&target), says("nothing was done")]);
    assert!(!Path::new(&target).exists(), "{}: {ended:?}", agent.name);
    assert!(ended.tools.iter().all(|status| status != "ok"), "{ended:?}");
    // The call was understood: the model was told how it ended, or that is the end of the turn.
    let requests = real.place.api.requests();
    let was_told =
        ended.fields["text"].is_string() && requests.iter().any(|request| !request.tool_results().is_empty());
    assert!(was_told || ended.fields["error"]["code"] == "permission_denied", "{ended:?}");
}

fn what_would_write_does_not_happen(agent: &'static Agent) {
    nothing_is_done(agent, |path| calls("", &[(agent.writes)(path)]));
}

fn what_would_run_does_not_happen(agent: &'static Agent) {
    nothing_is_done(agent, |path| calls("", &[(agent.runs)(&format!("touch {path}"))]));
}

fn what_is_outside_is_not_read(agent: &'static Agent) {
    let real = Real::new(agent);
    real.place.write("outside.txt", "a canary");
    real.run([calls("", &[(agent.reads)(&real.place.path("outside.txt"))]), says("local y = 2")]);
    let is_read = format!("{:?}", real.place.api.requests()).contains("a canary");
    assert_eq!(is_read, agent.reads_all, "{}", agent.name);
}

fn without_a_login_it_says_so(agent: &'static Agent) {
    let real = Real::new(agent);
    (agent.log_out)(&real.place);
    let replies = [Reply::Error(401, "authentication_error", "invalid api key")];
    let ended = real.run_with(replies, Vec::new(), (agent.name, &[], false));
    assert_eq!(ended.fields["error"]["code"], "not_logged_in", "{}: {ended:?}", agent.name);
    assert!(real.place.api.requests().is_empty() || agent.asks_without_login, "{}", agent.name);
}

/// All that is shown of an agent, as tests of its own.
macro_rules! shown {
    ($($name:ident)*) => {
        $(mod $name {
            shown!(@ $name
                tools_that_read_may_work_or_fail
                what_would_write_does_not_happen
                what_would_run_does_not_happen
                what_is_outside_is_not_read
                without_a_login_it_says_so
                a_hostile_project_starts_nothing
                its_name_is_all_it_takes);
        })*
    };
    (@ $name:ident $($test:ident)*) => {
        $(
            #[test]
            #[ignore = "make test-agents"]
            fn $test() {
                super::$test(super::Agent::named(stringify!($name)));
            }
        )*
    };
}

use hostile::a_hostile_project_starts_nothing;
use neovim::its_name_is_all_it_takes;

shown!(gemini codex opencode qwen copilot);

/// What `make test` runs: one dialogue from the user's keys to the stored job, and tools that would write and run.
/// Recorded dialogues cover the rest of the protocol there.
mod gate {
    use super::Agent;

    #[test]
    fn a_real_agent_answers_the_users_keys() {
        super::its_name_is_all_it_takes(Agent::named("gemini"));
    }

    #[test]
    fn a_real_agent_writes_nothing() {
        super::what_would_write_does_not_happen(Agent::named("gemini"));
    }

    #[test]
    fn a_real_agent_runs_nothing() {
        super::what_would_run_does_not_happen(Agent::named("gemini"));
    }
}
