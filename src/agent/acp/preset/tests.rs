//! Each recipe, in the form that was tried with the real program.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::agent::{AcpOptions, AgentCommand, AgentStart, Directory, Protocol, testing};

const PROJECT: &str = "/home/dev/project";

/// Arguments, environment, directory, mode and meta of an agent.
type Recipes = (String, BTreeMap<String, String>, Directory, Option<String>, Option<Value>);

fn recipe(name: &str, change: impl FnOnce(&mut AgentStart)) -> Recipes {
    let start = start(name, change);
    let invocation = testing::invocation(&start);
    let arguments = invocation.arguments().join(" ");
    let (mode, meta) = (invocation.mode().map(str::to_owned), start.agent.acp.meta.clone());
    (arguments, invocation.environment(), start.directory(), mode, meta)
}

fn start(name: &str, change: impl FnOnce(&mut AgentStart)) -> AgentStart {
    let command = AgentCommand { command: vec!["x".to_owned()], ..testing::command(name, Protocol::Acp) };
    let tools = ["Read", "Grep", "Glob"].map(str::to_owned).into();
    let mut start = AgentStart { tools, ..testing::start(command) };
    change(&mut start);
    start
}

fn shipped(name: &str) -> Recipes {
    recipe(name, |_| {})
}

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn every_agent_has_its_own_recipe() {
    let mode = |mode: &str| Some(mode.to_owned());
    let none = BTreeMap::new;
    let codex = env(&[("INITIAL_AGENT_MODE", "read-only"), ("CODEX_ACP_PROMPT_SUGGESTIONS", "false")]);
    assert_eq!(shipped("codex"), ("x --mine".to_owned(), codex, Directory::Empty, None, None));
    let gemini = format!("x --acp --include-directories {PROJECT} --mine");
    assert_eq!(shipped("gemini"), (gemini, none(), Directory::Empty, mode("plan"), None));
    let (arguments, variables, directory, own_mode, _) = shipped("opencode");
    assert_eq!(
        (arguments.as_str(), directory, own_mode),
        ("x acp --mine", Directory::Empty, mode("botglue"))
    );
    let permission = json!({
        "*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow",
        "external_directory": {"*": "deny", "/home/dev/project/**": "allow"},
    });
    let variable = |name: &str| serde_json::from_str::<Value>(&variables[name]).unwrap();
    assert_eq!(variable("OPENCODE_PERMISSION"), permission);
    let ours = &variable("OPENCODE_CONFIG_CONTENT")["agent"]["botglue"];
    assert_eq!((&ours["mode"], &ours["permission"]), (&json!("primary"), &permission));
    let qwen = format!(
        "x --acp --approval-mode default --safe-mode --include-directories {PROJECT} --exclude-tools \
         write_file,edit,run_shell_command,agent,task,web_fetch,notebook_edit --mine"
    );
    assert_eq!(shipped("qwen"), (qwen, none(), Directory::Empty, None, None));
    let copilot = "x --acp --available-tools view,grep,glob --mine";
    assert_eq!(shipped("copilot"), (copilot.to_owned(), none(), Directory::Empty, None, None));
}

#[test]
fn an_agent_without_a_preset_has_no_recipe() {
    assert_eq!(shipped("mine"), ("x --mine".to_owned(), BTreeMap::new(), Directory::Project, None, None));
}

#[test]
fn what_the_user_sets_wins_over_the_recipe() {
    let (_, variables, directory, mode, meta) = recipe("codex", |start| {
        start.agent.env.insert("INITIAL_AGENT_MODE".to_owned(), "mine".to_owned());
        start.agent.acp = AcpOptions {
            mode: Some("plan".to_owned()),
            meta: Some(json!({"a": 9})),
            directory: Some(Directory::Project),
        };
    });
    assert_eq!((variables["INITIAL_AGENT_MODE"].as_str(), directory), ("mine", Directory::Project));
    assert_eq!(mode.as_deref(), Some("plan"));
    assert_eq!(meta, Some(json!({"a": 9})));
}

#[test]
fn a_trusted_project_and_more_tools_loosen_what_they_are_about() {
    let loose = |name: &str| {
        let (arguments, variables, directory, ..) = recipe(name, |start| {
            start.agent.command.clear();
            start.agent.args.clear();
            start.tools = ["Read", "Bash", "Edit", "Write"].map(str::to_owned).into();
            start.trust_project = true;
        });
        assert_eq!(directory, Directory::Project);
        (arguments, variables)
    };
    assert_eq!(loose("gemini").0, "--acp");
    assert_eq!(loose("copilot").0, "--acp --available-tools view,bash,edit,create");
    assert_eq!(
        loose("qwen").0,
        "--acp --approval-mode default --exclude-tools agent,task,web_fetch,notebook_edit"
    );
    let permission: Value = serde_json::from_str(&loose("opencode").1["OPENCODE_PERMISSION"]).unwrap();
    assert_eq!((&permission["bash"], &permission["grep"]), (&json!("allow"), &Value::Null));
}

#[test]
fn a_recipe_is_for_one_program_and_its_later_versions() {
    let (codex, name) = (&CODEX, CODEX.agent_name);
    for version in [
        Some("2.6.0"),
        Some("2.10.0"),
        Some("3.0"),
        Some("2.6"),
        Some("2.6.0-beta (x)"),
        Some("nightly"),
        None,
    ] {
        assert_eq!(codex.mismatch(name, version), None, "{version:?}");
    }
    let another = codex.mismatch(Some("codex-acp"), Some("0.16.0")).unwrap();
    assert!(
        another.contains("install `npm i -g @agentclientprotocol/codex-acp`, 2.6.0 or newer"),
        "{another}"
    );
    assert!(another.contains("this is codex-acp 0.16.0"), "{another}");
    assert!(codex.mismatch(name, Some("2.5.9")).is_some() && codex.mismatch(None, None).is_some());
}

#[test]
fn an_agent_that_nothing_isolates_is_not_started_before_its_message() {
    let waits = |name: &str, directory: Option<Directory>| {
        start(name, |start| start.agent.acp.directory = directory).waits()
    };
    assert!(waits("codex", None) && waits("qwen", Some(Directory::Project)));
    assert!(!waits("mine", None) && !waits("mine", Some(Directory::Project)));
    assert!(waits("mine", Some(Directory::Empty)));
}
