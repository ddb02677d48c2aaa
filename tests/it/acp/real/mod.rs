//! Real agents that speak the Agent Client Protocol, each as the shipped agent of its name, asking a service on
//! loopback.
//!
//! The same is shown of each; what is particular to one is a row of [`agents`]. `make test-agents` runs all of it; the
//! agents take 1.7 GB. `make test` runs three tests of Gemini, in [`gate`].

mod agents;
mod cost;
mod hostile;
mod neovim;

use std::fs;
use std::path::{Path, PathBuf};

use botglue::agent::{Protocol, Resume};
use botglue::error::Code;
use botglue::request::Request;
use botglue::stream::ToolStatus;

use crate::job::{Bench, Started, until};
use crate::support::api::{Api, Block, Gate, Reply, calls, says};
use crate::support::{DEADLINE, process};
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
    bench: Bench,
    place: Place,
}

impl Real {
    fn new(agent: &'static Agent) -> Self {
        let bench = Bench::new();
        let root = bench.dir.path().canonicalize().unwrap();
        let real = Self { agent, bench, place: Place::new(agent, root) };
        real.place.write("project/a.lua", "local x = 1\n");
        real
    }

    /// A job with this script of the service's. Variables are all that the agent has besides its home and PATH, those
    /// of its recipe too.
    fn job(&self, replies: impl Into<Vec<Reply>>) -> Request {
        self.job_with(replies, (self.agent.login)(&self.place))
    }

    fn job_with(&self, replies: impl Into<Vec<Reply>>, login: Vec<(&'static str, String)>) -> Request {
        self.place.api.script("it", replies);
        let path = (self.agent.search_path)();
        let [home, tmp] = ["home", "tmp"].map(|directory| self.place.path(directory));
        let mut words = vec![format!("HOME='{home}' TMPDIR='{tmp}' PATH='{path}'")];
        let own = (self.agent.variables)(&self.place).into_iter();
        words.extend(own.chain(login).map(|(name, value)| format!("{name}='{value}'")));
        words.extend(self.agent.recipe.iter().map(|name| format!("${{{name}+{name}=\"${name}\"}}")));
        let script = format!("exec env -i {} {} \"$@\"", words.join(" "), self.agent.program);
        // A name in PATH is found by `env`, as it is by the host.
        let mut request = self.bench.request(Protocol::Acp, &["/bin/sh", "-c", &script, "agent"]);
        let start = &mut request.start;
        self.agent.name.clone_into(&mut start.agent.name);
        start.agent.model = self.agent.model.map(str::to_owned);
        start.tools = ["Read", "Grep", "Glob"].map(str::to_owned).into();
        start.cwd = self.place.path("project").into();
        Request { prompt: "SCRIPT:it".to_owned(), timeout: DEADLINE, ..request }
    }

    async fn run(&self, replies: impl Into<Vec<Reply>>) -> Started {
        self.bench.run(self.job(replies)).await
    }
}

#[track_caller]
fn assert_answers(started: &Started, agent: &Agent, answer: &str) {
    let text = started.text().unwrap_or_else(|| panic!("{}: {}", agent.name, started.message()));
    assert_eq!((text, started.outcome().held_for), (answer, None), "{}", agent.name);
}

async fn an_answer_comes_with_its_tokens(agent: &'static Agent) {
    let real = Real::new(agent);
    let started = real.run([says("local y = 2")]).await;
    assert_answers(&started, agent, "local y = 2");
    let outcome = started.outcome();
    assert!(outcome.session_id.is_some());
    assert_eq!(outcome.usage, agent.usage);
    let requests = real.place.api.requests();
    assert!(requests.iter().any(|request| request.user_text().contains("the-secret-code")), "{requests:#?}");
}

async fn tools_that_read_may_work_or_fail(agent: &'static Agent) {
    let real = Real::new(agent);
    let call = |name: &str| (agent.reads)(&real.place.path(name));
    let replies = [
        calls("I will look.", &[call("project/a.lua")]),
        calls("", &[call("project/missing.lua")]),
        says("local y = 2"),
    ];
    let started = real.run(replies).await;
    assert_answers(&started, agent, "local y = 2");
    let tools = &started.outcome().tools;
    let statuses: Vec<ToolStatus> = tools.iter().map(|tool| tool.status).collect();
    assert_eq!(statuses, [ToolStatus::Ok, ToolStatus::Error], "{tools:?}");
    // Not in the last request alone: that may be one that the agent makes for itself.
    let requests = format!("{:?}", real.place.api.requests());
    assert!(requests.contains("local x = 1"), "{requests}");
}

/// A tool is called once, and what comes of that is another matter: some agents end with the refusal, others go on. The
/// control is the same program without its recipe: it shows that the user's settings allow the call.
async fn nothing_is_done(agent: &'static Agent, calls: impl Fn(&str) -> Reply) {
    let real = Real::new(agent);
    let target = real.place.path("project/done.txt");
    let mut control = real.job([calls(&target), says("it was done")]);
    control.start.agent.name = "own".to_owned();
    control.start.agent.args = agent.plain.iter().map(|flag| (*flag).to_owned()).collect();
    let started = real.bench.run(control).await;
    assert!(Path::new(&target).exists(), "{}: {} {:?}", agent.name, started.message(), started.outcome());

    let real = Real::new(agent);
    let target = real.place.path("project/done.txt");
    let started = real.run([calls(&target), says("nothing was done")]).await;
    assert!(!Path::new(&target).exists(), "{}: {:?}", agent.name, started.outcome());
    let tools = &started.outcome().tools;
    assert!(tools.iter().all(|tool| tool.status != ToolStatus::Ok), "{tools:?}");
    // The call was understood: the model was told how it ended, or that is the end of the turn.
    let requests = real.place.api.requests();
    let was_told =
        started.text().is_some() && requests.iter().any(|request| !request.tool_results().is_empty());
    assert!(was_told || started.code() == Some(Code::PermissionDenied), "{}", started.message());
}

async fn what_would_write_does_not_happen(agent: &'static Agent) {
    nothing_is_done(agent, |path| calls("", &[(agent.writes)(path)])).await;
}

async fn what_would_run_does_not_happen(agent: &'static Agent) {
    nothing_is_done(agent, |path| calls("", &[(agent.runs)(&format!("touch {path}"))])).await;
}

async fn what_is_outside_is_not_read(agent: &'static Agent) {
    let real = Real::new(agent);
    real.place.write("outside.txt", "a canary");
    real.run([calls("", &[(agent.reads)(&real.place.path("outside.txt"))]), says("local y = 2")]).await;
    let is_read = format!("{:?}", real.place.api.requests()).contains("a canary");
    assert_eq!(is_read, agent.reads_all, "{}", agent.name);
}

async fn without_a_login_it_says_so(agent: &'static Agent) {
    let real = Real::new(agent);
    (agent.log_out)(&real.place);
    let replies = [Reply::Error(401, "authentication_error", "invalid api key")];
    let started = real.bench.run(real.job_with(replies, Vec::new())).await;
    assert_eq!(started.code(), Some(Code::NotLoggedIn), "{}: {}", agent.name, started.message());
    assert!(real.place.api.requests().is_empty() || agent.asks_without_login, "{}", agent.name);
}

async fn an_error_of_the_service_is_an_error(agent: &'static Agent) {
    let real = Real::new(agent);
    let words = "prompt is too long: 300000 tokens > 200000 maximum";
    let started = real.run([Reply::Error(400, "invalid_request_error", words)]).await;
    assert_eq!(started.code(), Some(agent.too_long), "{}", started.message());
}

async fn it_goes_on_in_a_fork_or_says_that_it_cannot(agent: &'static Agent) {
    let real = Real::new(agent);
    let first = real.run([says("local y = 2")]).await;
    assert_answers(&first, agent, "local y = 2");
    let old = first.outcome().session_id.clone().unwrap();
    // Each bench keeps one transcript.
    fs::remove_dir_all(real.place.path("transcripts")).unwrap();
    let asked = real.place.api.requests().len();
    let resume = Some(Resume { session_id: old.clone(), at: None });
    let mut job = Request { prompt: "SCRIPT:it again".to_owned(), ..real.job([says("local y = 3")]) };
    job.start.resume = resume;
    let second = real.bench.run(job).await;
    if !agent.goes_on {
        let expected = format!("{} cannot go on in a session: start a new job instead", agent.name);
        assert_eq!(second.message(), expected);
        assert_eq!(real.place.api.requests().len(), asked, "nothing was sent");
        return;
    }
    assert_answers(&second, agent, "local y = 3");
    let new = second.outcome().session_id.clone();
    assert!(new.is_some_and(|new| new != old), "a fork");
    let told = real.place.api.requests().last().unwrap().body["messages"].to_string();
    assert!(told.contains("local y = 2") && told.contains("SCRIPT:it again"), "{told}");
    assert_eq!(second.outcome().usage, agent.usage, "of the second job alone, as the agent counts");
}

async fn stopped_in_the_middle_nothing_is_left(agent: &'static Agent) {
    let real = Real::new(agent);
    let gate = Gate::new();
    let blocks = vec![Block::Text("half".to_owned()), Block::Wait(gate.clone())];
    let mut started = real.bench.start(real.job([Reply::Message(blocks, "end_turn")]));
    until("it is in the middle of its answer", || gate.is_reached()).await;
    started.job.take().unwrap().stop().await;
    started.run_out().await;
    assert_eq!(started.code(), Some(Code::HostLost));
}

async fn killed_in_the_middle_it_gives_no_answer(agent: &'static Agent) {
    let real = Real::new(agent);
    let gate = Gate::new();
    let blocks = vec![Block::Text("half".to_owned()), Block::Wait(gate.clone())];
    let mut request = real.job([Reply::Message(blocks, "end_turn")]);
    let script = request.start.agent.command[2].replacen("exec env", "echo $$ > $DIR/pid; exec env", 1);
    request.start.agent.command[2] = script;
    let mut started = real.bench.start(request);
    until("it is in the middle of its answer", || gate.is_reached()).await;
    let pid = real.bench.read("pid");
    process::signal(pid.trim().parse().unwrap(), "KILL");
    started.run_out().await;
    assert_eq!((started.code(), started.text()), (Some(Code::Exited), None), "{}", started.message());
}

async fn prewarmed_it_is_the_same_agent_that_answers(agent: &'static Agent) {
    let real = Real::new(agent);
    let mut request = real.job([says("local y = 2")]);
    let script = format!("echo $$ >> $DIR/starts; tee $DIR/sent | {{ {}; }}", request.start.agent.command[2]);
    request.start.agent.command[2] = script;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let mut prewarm = real.bench.prewarm(&request, move |event| tell.send(event).unwrap_or(()));
    let settings = agent.settings;
    until("its session is set up", || real.bench.read("sent").contains(settings)).await;
    let mut started = real.bench.start_prewarmed(request, prewarm.hand_over(1));
    started.run_out().await;
    assert_answers(&started, agent, "local y = 2");
    assert_eq!(real.bench.read("starts").lines().count(), 1);
    assert_eq!(real.bench.read("sent").matches("session/prompt").count(), 1);
    assert!(matches!(told.recv().await, Some(botglue::job::PrewarmEvent::Started { .. })));
}

/// All that is shown of an agent, as tests of its own.
macro_rules! shown {
    ($($name:ident)*) => {
        $(mod $name {
            shown!(@ $name
                an_answer_comes_with_its_tokens
                tools_that_read_may_work_or_fail
                what_would_write_does_not_happen
                what_would_run_does_not_happen
                what_is_outside_is_not_read
                without_a_login_it_says_so
                an_error_of_the_service_is_an_error
                it_goes_on_in_a_fork_or_says_that_it_cannot
                stopped_in_the_middle_nothing_is_left
                killed_in_the_middle_it_gives_no_answer
                prewarmed_it_is_the_same_agent_that_answers
                a_hostile_project_starts_nothing
                its_name_is_all_it_takes);
        })*
    };
    (@ $name:ident $($test:ident)*) => {
        $(
            #[tokio::test]
            #[ignore = "make test-agents"]
            async fn $test() {
                super::$test(super::Agent::named(stringify!($name))).await;
            }
        )*
    };
}

use hostile::a_hostile_project_starts_nothing;
use neovim::its_name_is_all_it_takes;

shown!(gemini codex opencode qwen copilot);

/// What `make test` runs: one dialogue from the user's keys to the stored job, and tools that would write and run.
/// Recorded dialogues ([`super::played`]) cover the rest of the protocol there.
mod gate {
    use super::Agent;

    #[tokio::test]
    async fn a_real_agent_answers_the_users_keys() {
        super::its_name_is_all_it_takes(Agent::named("gemini")).await;
    }

    #[tokio::test]
    async fn a_real_agent_writes_nothing() {
        super::what_would_write_does_not_happen(Agent::named("gemini")).await;
    }

    #[tokio::test]
    async fn a_real_agent_runs_nothing() {
        super::what_would_run_does_not_happen(Agent::named("gemini")).await;
    }
}
