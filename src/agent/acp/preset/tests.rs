//! Each recipe, in the form that was tried with the real program.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::agent::{self, AcpOptions, AgentCommand, Invocation, Protocol};

const PROJECT: &str = "/home/dev/project";

/// Arguments, environment, directory, mode and meta of an agent.
type Recipes = (String, BTreeMap<String, String>, Directory, Option<String>, Option<Value>);

fn recipe(name: &str, change: impl FnOnce(&mut AgentCommand, &mut Invocation<'_>)) -> Recipes {
    invocation(name, change, |invocation| {
        let project = Path::new(PROJECT);
        let opening = agent::opening(invocation, project, project);
        (
            agent::arguments(invocation, project).join(" "),
            agent::environment(invocation, project),
            agent::directory(invocation),
            opening.mode,
            opening.meta,
        )
    })
}

/// What can be said of an invocation of an agent.
fn invocation<T>(
    name: &str,
    change: impl FnOnce(&mut AgentCommand, &mut Invocation<'_>),
    look: impl FnOnce(&Invocation<'_>) -> T,
) -> T {
    let mut command = AgentCommand {
        name: name.to_owned(),
        protocol: Protocol::Acp,
        command: vec!["x".to_owned()],
        args: vec!["--mine".to_owned()],
        env: BTreeMap::new(),
        model: None,
        acp: AcpOptions::default(),
    };
    let tools = ["Read", "Grep", "Glob"].map(str::to_owned);
    let before = command.clone();
    let mut invocation = Invocation {
        command: &before,
        tools: &tools,
        max_turns: None,
        max_cost_usd: None,
        trust_project: false,
        resume: None,
        system: "",
        message: "",
    };
    change(&mut command, &mut invocation);
    look(&Invocation { command: &command, ..invocation })
}

fn shipped(name: &str) -> Recipes {
    recipe(name, |_, _| {})
}

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn every_agent_has_its_own_recipe() {
    let mode = |mode: &str| Some(mode.to_owned());
    let none = BTreeMap::new;
    assert_eq!(
        shipped("codex"),
        ("x --mine".to_owned(), env(&[("INITIAL_AGENT_MODE", "read-only")]), Directory::Empty, None, None)
    );
    let gemini = format!("x --acp --include-directories {PROJECT} --mine");
    assert_eq!(shipped("gemini"), (gemini, none(), Directory::Empty, mode("plan"), None));
    let (arguments, variables, directory, ..) = shipped("opencode");
    assert_eq!((arguments.as_str(), directory), ("x acp --mine", Directory::Empty));
    assert_eq!(
        serde_json::from_str::<Value>(&variables["OPENCODE_PERMISSION"]).unwrap(),
        json!({
            "*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow",
            "external_directory": {"*": "deny", "/home/dev/project/**": "allow"},
        })
    );
    let qwen = "x --acp --approval-mode default --safe-mode --exclude-tools \
                write_file,edit,run_shell_command,agent,task,web_fetch,notebook_edit --mine";
    assert_eq!(shipped("qwen"), (qwen.to_owned(), none(), Directory::Project, None, None));
    let copilot = "x --acp --available-tools view,grep,glob --mine";
    assert_eq!(shipped("copilot"), (copilot.to_owned(), none(), Directory::Empty, None, None));
    let options = json!({
        "tools": ["Read", "Grep", "Glob"], "settingSources": ["user"], "strictMcpConfig": true,
        "promptSuggestions": false, "allowDangerouslySkipPermissions": false,
    });
    let meta = Some(json!({"claudeCode": {"options": options}}));
    let claude = ("x --mine".to_owned(), none(), Directory::Project, mode("default"), meta);
    assert_eq!(shipped("claude-acp"), claude);
    let droid = "x exec --output-format acp --mine";
    assert_eq!(shipped("droid-acp"), (droid.to_owned(), none(), Directory::Empty, mode("spec"), None));
}

#[test]
fn an_agent_without_a_preset_has_no_recipe() {
    assert_eq!(shipped("mine"), ("x --mine".to_owned(), BTreeMap::new(), Directory::Project, None, None));
}

#[test]
fn what_the_user_sets_wins_over_the_recipe() {
    let (_, variables, directory, mode, meta) = recipe("claude-acp", |command, _| {
        command.env.insert("INITIAL_AGENT_MODE".to_owned(), "mine".to_owned());
        command.acp = AcpOptions {
            mode: Some("plan".to_owned()),
            meta: Some(json!({"claudeCode": {"options": {"maxThinkingTokens": 9}}})),
            directory: Some(Directory::Empty),
        };
    });
    assert_eq!((variables["INITIAL_AGENT_MODE"].as_str(), directory), ("mine", Directory::Empty));
    assert_eq!(mode.as_deref(), Some("plan"));
    let options = &meta.unwrap()["claudeCode"]["options"];
    assert_eq!((&options["maxThinkingTokens"], &options["strictMcpConfig"]), (&json!(9), &json!(true)));
}

#[test]
fn a_trusted_project_and_more_tools_loosen_what_they_are_about() {
    let tools = ["Read", "Bash", "Edit", "Write"].map(str::to_owned);
    let loose = |name: &str| {
        let (command, mut arguments) = (name, String::new());
        let command = AgentCommand {
            name: command.to_owned(),
            protocol: Protocol::Acp,
            command: Vec::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            model: None,
            acp: AcpOptions::default(),
        };
        let invocation = Invocation {
            command: &command,
            tools: &tools,
            max_turns: Some(3),
            max_cost_usd: None,
            trust_project: true,
            resume: None,
            system: "",
            message: "",
        };
        assert_eq!(agent::directory(&invocation), Directory::Project);
        arguments.push_str(&agent::arguments(&invocation, Path::new(PROJECT)).join(" "));
        let meta = agent::opening(&invocation, Path::new(PROJECT), Path::new(PROJECT)).meta;
        (arguments, agent::environment(&invocation, Path::new(PROJECT)), meta)
    };
    assert_eq!(loose("gemini").0, "--acp");
    assert_eq!(loose("copilot").0, "--acp --available-tools view,bash,edit,create");
    assert_eq!(
        loose("qwen").0,
        "--acp --approval-mode default --exclude-tools agent,task,web_fetch,notebook_edit"
    );
    let permission: Value = serde_json::from_str(&loose("opencode").1["OPENCODE_PERMISSION"]).unwrap();
    assert_eq!((&permission["bash"], &permission["grep"]), (&json!("allow"), &Value::Null));
    let options = &loose("claude-acp").2.unwrap()["claudeCode"]["options"];
    assert_eq!((&options["maxTurns"], &options["settingSources"]), (&json!(3), &Value::Null));
}

#[test]
fn an_agent_that_nothing_isolates_is_not_started_before_its_message() {
    let waits = |name: &str, directory: Option<Directory>| {
        invocation(name, |command, _| command.acp.directory = directory, agent::waits)
    };
    assert!(waits("codex", None) && waits("qwen", Some(Directory::Project)));
    assert!(!waits("mine", None) && !waits("mine", Some(Directory::Project)));
    assert!(waits("mine", Some(Directory::Empty)));
}
