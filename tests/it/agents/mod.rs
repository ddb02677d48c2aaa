//! Real agents, each as the shipped agent of its name, asking a service on loopback: the CLIs with protocols of their own,
//! and those that speak the Agent Client Protocol.
//!
//! The same is shown of each; what is particular to one is a row of [`rows`]. `make test-agents` runs what is ignored here:
//! those agents take 1.7 GB.

mod api;
mod limits;
mod neovim;
mod rewind;
mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::DEADLINE;
use crate::support::scratch::Scratch;
use crate::support::serve::Serve;
use api::{Api, Reply, calls, says};
pub use neovim::{TEXT, open};
pub use rows::Agent;

/// Where an agent runs: a home without anything of the developer's, a project, and the service. The directory for
/// temporary files is beside them: some trust what is below it.
pub struct Place {
    root: PathBuf,
    pub api: Api,
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
        more: &Value,
    ) -> Ended {
        self.place.api.script("it", replies);
        let path = (self.agent.search_path)();
        let [home, tmp] = ["home", "tmp"].map(|directory| self.place.path(directory));
        let mut words = vec![format!("HOME='{home}' TMPDIR='{tmp}' PATH='{path}'")];
        let own = (self.agent.variables)(&self.place).into_iter();
        words.extend(own.chain(login).map(|(name, value)| format!("{name}='{value}'")));
        words.extend(self.agent.recipe.iter().map(|name| format!("${{{name}+{name}=\"${name}\"}}")));
        let script = format!("exec env -i {} {} \"$@\"", words.join(" "), self.agent.program);
        let mut job = json!({
            "agent": self.agent.name, "prompt": "SCRIPT:it", "timeout": DEADLINE.as_secs(),
            "tools": ["Read", "Grep", "Glob"],
        });
        job.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let name = job["agent"].as_str().unwrap().to_owned();
        let is_own = name != self.agent.name;
        // A name in PATH is found by `env`, as it is by the host.
        job["agents"][name] = json!({
            "protocol": self.agent.protocol, "command": ["/bin/sh", "-c", script, "agent"],
            "args": if is_own { self.agent.plain } else { &[] }, "model": self.agent.model,
        });
        self.serve.run(1, "", &job);
        let fields = self.serve.finished(1);
        let patches = self.serve.patches();
        let tools = patches.iter().filter_map(|patch| patch["tools"].as_array()).next_back();
        let status = |tool: &Value| tool["status"].as_str().unwrap().to_owned();
        Ended { fields, tools: tools.into_iter().flatten().map(status).collect() }
    }

    fn run(&self, replies: impl Into<Vec<Reply>>) -> Ended {
        self.run_with(replies, (self.agent.login)(&self.place), &json!({}))
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
/// control is the same program with all of its tools: it shows that the user's settings allow the call.
fn nothing_is_done(agent: &'static Agent, calls: impl Fn(&str) -> Reply) {
    if let Some(control) = agent.control {
        let real = Real::new(agent);
        let target = real.place.path("project/done.txt");
        let login = (agent.login)(&real.place);
        let ended = real.run_with([calls(&target), says("it was done")], login, &control());
        assert!(Path::new(&target).exists(), "{}: {ended:?}", agent.name);
    }

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
    let ended = real.run_with(replies, Vec::new(), &json!({}));
    assert_eq!(ended.fields["error"]["code"], "not_logged_in", "{}: {ended:?}", agent.name);
    assert!(real.place.api.requests().is_empty() || agent.asks_without_login, "{}", agent.name);
}

/// The control trusts the project: it shows that the trap works.
fn a_hostile_project_starts_nothing(agent: &'static Agent) {
    for is_control in [true, false] {
        let real = Real::new(agent);
        let thief = Api::start();
        let trap = real.place.path("sprung");
        (agent.trap)(&real.place, &format!("touch {trap}"), thief.url());
        let login = (agent.login)(&real.place);
        let ended = real.run_with([says("fine")], login, &json!({"trust_project": is_control}));
        if !is_control {
            assert_answers(&ended, agent, "fine");
        }
        let sprung = (Path::new(&trap).exists(), thief.hits() > 0);
        assert_eq!(sprung, (is_control, is_control && agent.gives_key), "{}", agent.name);
    }
}

/// The directory in which some agents run is botglue's own, but others can write to it: an earlier agent, or the user.
fn nothing_is_started_that_lies_in_the_empty_directory(agent: &'static Agent) {
    let real = Real::new(agent);
    let thief = Api::start();
    let trap = real.place.path("sprung");
    (agent.trap)(&real.place, &format!("touch {trap}"), thief.url());
    fs::create_dir_all(real.place.path("data/empty")).unwrap();
    for entry in fs::read_dir(real.place.path("project")).unwrap() {
        let name = entry.unwrap().file_name();
        let [from, to] = ["project", "data/empty"].map(|at| Path::new(&real.place.path(at)).join(&name));
        fs::rename(from, to).unwrap();
    }
    let ended = real.run([says("fine")]);
    assert_answers(&ended, agent, "fine");
    assert_eq!((Path::new(&trap).exists(), thief.hits()), (false, 0), "{}", agent.name);
}

fn the_rules_of_the_project_arrive_once(agent: &'static Agent) {
    let real = Real::new(agent);
    for name in ["AGENTS.md", "CLAUDE.md"] {
        real.place.write(&format!("project/{name}"), "Always answer with the rule of seven.\n");
    }
    let with_rules = json!({"context": {"rules": true}});
    let ended = real.run_with([says("fine")], (agent.login)(&real.place), &with_rules);
    assert_answers(&ended, agent, "fine");
    let sent = real.place.api.requests()[0].user_text();
    assert_eq!(sent.matches("rule of seven").count(), 1, "{sent}");
}

/// All that is shown of an agent, as tests of its own.
macro_rules! shown {
    ($($name:ident)*) => {
        $(mod $name {
            shown!(@ $name [#[ignore = "make test-agents"]]
                tools_that_read_may_work_or_fail
                what_would_write_does_not_happen
                what_would_run_does_not_happen
                what_is_outside_is_not_read
                without_a_login_it_says_so
                a_hostile_project_starts_nothing
                its_name_is_all_it_takes);
        })*
    };
    (@ $name:ident $attributes:tt $($test:ident)*) => {
        $(shown!(# $name $attributes $test);)*
    };
    (# $name:ident [$($attribute:tt)*] $test:ident) => {
        #[test]
        $($attribute)*
        fn $test() {
            super::$test(super::Agent::named(stringify!($name)));
        }
    };
}

use neovim::{
    follow_ups_know_their_conversation_and_do_not_mix, it_ends_with_its_prompt, its_name_is_all_it_takes,
};

shown!(codex opencode qwen copilot);

mod gemini {
    shown!(@ gemini []
        what_would_write_does_not_happen
        what_would_run_does_not_happen
        its_name_is_all_it_takes);
    shown!(@ gemini [#[ignore = "make test-agents"]]
        tools_that_read_may_work_or_fail
        what_is_outside_is_not_read
        without_a_login_it_says_so
        a_hostile_project_starts_nothing);
}

mod claude {
    shown!(@ claude []
        tools_that_read_may_work_or_fail
        what_would_write_does_not_happen
        what_would_run_does_not_happen
        what_is_outside_is_not_read
        without_a_login_it_says_so
        a_hostile_project_starts_nothing
        the_rules_of_the_project_arrive_once
        its_name_is_all_it_takes
        it_ends_with_its_prompt
        follow_ups_know_their_conversation_and_do_not_mix);
}

mod droid {
    shown!(@ droid []
        tools_that_read_may_work_or_fail
        what_would_write_does_not_happen
        what_would_run_does_not_happen
        what_is_outside_is_not_read
        a_hostile_project_starts_nothing
        nothing_is_started_that_lies_in_the_empty_directory
        the_rules_of_the_project_arrive_once
        its_name_is_all_it_takes
        it_ends_with_its_prompt
        follow_ups_know_their_conversation_and_do_not_mix);
}
