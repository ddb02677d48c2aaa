//! The prompt that is being typed: what it shows of agents, earlier prompts and files, and what its keys mean.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::Host;
use super::files::Wanted;
use super::health;
use crate::command::{self, Here};
use crate::error::Code;
use crate::journal::{Change, now_ms};
use crate::options::{Choice, Options};
use crate::request::{AgentStart, Resume};
use crate::rpc::PromptMessage;
use crate::session::Known;
use crate::stream::Outcome;
use crate::ui::Chunks;
use crate::ui::prompt::{Chosen, Item, Prompt, PromptFrame, Way, Wish, Writer};
use crate::view::Action;

/// How many earlier prompts of the store are offered.
const MOST: u64 = 200;
/// How many prompts of jobs are known without it.
const RECENT: usize = 100;
/// For so long the user makes no other choice before an agent is started for it.
const QUIET: Duration = Duration::from_millis(150);
/// From a change of the text until it is stored.
const SAVED_WITHIN: Duration = Duration::from_millis(250);

/// The prompt, and what one that is opened later has to know.
#[derive(Debug, Default)]
pub(super) struct Prompts {
    open: Option<(u64, Prompt)>,
    /// The prompts of the jobs of this Neovim, oldest first.
    sent: Vec<String>,
    /// What is stored of its text, where that is known.
    saved: Option<String>,
    /// It is to be stored soon.
    is_saving: bool,
    /// What the plugin shows of it.
    drawn: Option<PromptFrame>,
    /// Something may have changed since.
    is_dirty: bool,
    /// What was chosen last, by project.
    chosen: BTreeMap<String, Chosen>,
    /// The models that agents have said to offer.
    offered: BTreeMap<String, Vec<String>>,
    /// Whether the last job of an agent failed because that was not logged in.
    logged_out: BTreeMap<String, bool>,
    /// The agents whose programs were there when the last prompt was opened.
    installed: Option<BTreeSet<String>>,
    /// Whether a session goes on, the agent and the model for which one was started, or is about to be.
    warm: Option<(bool, Chosen)>,
    /// How many of these there were.
    choices: u64,
    /// How much is being looked for.
    looking: usize,
}

impl Prompts {
    /// Whether something about the open prompt is being looked for.
    pub(super) fn is_looking(&self) -> bool {
        self.looking > 0
    }
}

impl Host {
    /// Something has happened in the prompt.
    pub(super) fn prompt(&mut self, message: PromptMessage) {
        let wish = self.prompt_event(message);
        self.grant(wish, None);
    }

    /// A key of the prompt waits for what it does, or for what is to be sent.
    pub(super) fn ask_prompt(&mut self, token: u64, message: PromptMessage) {
        let id = message.id;
        let wish = self.prompt_event(message);
        let reply = match &self.prompts.open {
            Some((open, prompt)) if *open == id => Ok(wanted(prompt)),
            _ => Err("the host does not know this prompt".to_owned()),
        };
        self.grant(wish, Some((token, reply)));
    }

    fn prompt_event(&mut self, PromptMessage { id, about, typed, key }: PromptMessage) -> Option<Wish> {
        if let Some((mut here, mut about)) = about
            && let Ok(options) = self.options.clone()
        {
            here.line = typed.as_ref().and_then(|typed| typed.lines).unwrap_or_default().0;
            about.writer = if about.is_insertion { None } else { self.writer(&here) };
            let prompts = &mut self.prompts;
            prompts.saved = about.begin.draft.is_none().then(String::new);
            about.begin.last = prompts.chosen.get(&about.project).cloned();
            about.recent.extend(prompts.sent.iter().rev().cloned());
            let project = about.project.clone();
            let mut prompt = Prompt::new(about, options.clone());
            for (agent, models) in &prompts.offered {
                prompt.learn(|choice| choice.learn_models(agent, models));
            }
            // Known once, so that a key that was typed ahead goes to an agent that is there.
            let known = prompts.installed.get_or_insert_with(|| installed(&options));
            prompt.learn(|choice| choice.learn_installed(known.clone()));
            (prompts.open, prompts.drawn, prompts.warm) = (Some((id, prompt)), None, None);
            self.look_around(id, project, options);
        }
        let (_, prompt) = self.prompts.open.as_mut().filter(|(open, _)| *open == id)?;
        self.prompts.is_dirty = true;
        let wish = typed.and_then(|typed| prompt.typed(typed));
        let is_saved = self.prompts.saved.as_deref() == Some(prompt.unsent());
        if !is_saved && !self.prompts.is_saving {
            self.prompts.is_saving = true;
            self.back.after(SAVED_WITHIN, Self::save_prompt);
        }
        match key.as_deref() {
            Some(how @ ("close" | "sent")) => {
                self.save_prompt();
                self.prompts.open = None;
                // Of one that is sent it is the job's.
                drop((how == "close").then(|| self.prewarm.hand_over(id)));
                None
            }
            Some(key) => prompt.key(key),
            None => wish,
        }
    }

    /// The job that wrote the lines of a prompt, where its session can be gone on in.
    fn writer(&self, here: &Here) -> Option<Writer> {
        let id = command::writer(self.world(here).ok()?).ok()?;
        self.again(id, Action::Followup).ok()?;
        let known = self.session.known(id).filter(|known| known.has_written());
        let Known { agent, cwd, session_id, .. } = known?;
        let resume = Resume { session_id: session_id.clone()?, at: None };
        Some(Writer { agent: agent.clone(), cwd: cwd.into(), resume })
    }

    /// Stores what was typed, where that is other than what is stored.
    pub(super) fn save_prompt(&mut self) {
        let prompts = &mut self.prompts;
        prompts.is_saving = false;
        let Some((id, prompt)) = &prompts.open else { return };
        let text = prompt.unsent().to_owned();
        if prompts.saved.as_ref() != Some(&text) {
            prompts.saved = Some(text.clone());
            self.store.journal.append(0, Change::Unsent { id: *id, at_ms: now_ms(), text });
        }
    }

    /// A job has this prompt now: what was typed for it is not unsent any more.
    pub(super) fn prompt_sent(&mut self, id: Option<u64>, text: &str) {
        let sent = &mut self.prompts.sent;
        sent.retain(|known| known != text);
        sent.drain(..sent.len().saturating_sub(RECENT));
        sent.push(text.to_owned());
        let Some(id) = id else { return };
        self.store.journal.append(0, Change::Unsent { id, at_ms: now_ms(), text: String::new() });
    }

    /// Finds out what the store has for a prompt, and which agents are installed.
    fn look_around(&mut self, id: u64, project: String, options: Options) {
        self.prompts.looking += 2;
        let back = self.back.clone();
        self.store.ask(
            move |asker| asker.prompts(MOST, &project, now_ms()),
            // Without a store there are the prompts of this Neovim.
            move |reply| back.then(move |host| host.found_prompts(id, &reply.unwrap_or_default())),
        );
        let back = self.back.clone();
        tokio::task::spawn_blocking(move || {
            let installed = installed(&options);
            back.then(move |host| host.found_installed(installed));
        });
    }

    /// The store has these prompts.
    pub(super) fn found_prompts(&mut self, id: u64, stored: &Json) {
        self.prompts.looking -= 1;
        let texts = |field: &str| {
            let list = stored[field].as_array().into_iter().flatten();
            list.filter_map(|text| Some(text.as_str()?.to_owned())).collect::<Vec<_>>()
        };
        for agent in texts("logged_out") {
            // What this host saw is newer.
            self.prompts.logged_out.entry(agent).or_insert(true);
        }
        self.prompts.is_dirty = true;
        let Some((_, prompt)) = self.prompts.open.as_mut().filter(|(open, _)| *open == id) else { return };
        if let Some(agent) = stored["agent"].as_str() {
            prompt.learn(|choice| choice.learn_newest(agent.to_owned()));
        }
        let wish = prompt.learn_prompts(texts("prompts"));
        self.grant(wish, None);
    }

    /// These agents are installed.
    pub(super) fn found_installed(&mut self, installed: BTreeSet<String>) {
        self.prompts.looking -= 1;
        if let Some((_, prompt)) = &mut self.prompts.open {
            prompt.learn(|choice| choice.learn_installed(installed.clone()));
        }
        (self.prompts.installed, self.prompts.is_dirty) = (Some(installed), true);
    }

    /// An agent offers these models.
    pub(super) fn found_models(&mut self, agent: String, models: Vec<String>) {
        if let Some((_, prompt)) = &mut self.prompts.open {
            prompt.learn(|choice| choice.learn_models(&agent, &models));
        }
        self.prompts.offered.insert(agent, models);
        self.prompts.is_dirty = true;
    }

    /// These files match what was typed.
    pub(super) fn found_files(&mut self, tick: u64, files: &[String]) {
        let wish = self.prompts.open.as_mut().and_then(|(_, prompt)| prompt.found(tick, files));
        self.grant(wish, None);
    }

    /// A job of an agent has ended.
    pub(super) fn note_login(&mut self, agent: &str, outcome: &Outcome) {
        let is_logged_out = outcome.error.as_ref().is_some_and(|error| error.code == Code::NotLoggedIn);
        self.prompts.logged_out.insert(agent.to_owned(), is_logged_out);
        self.prompts.is_dirty = true;
    }

    /// Does what the prompt wants, and draws what has changed before the reply to a question.
    fn grant(&mut self, wish: Option<Wish>, reply: Option<(u64, Result<Json, String>)>) {
        self.prewarm_choice();
        let mut call = json!({});
        if let Some(frame) = self.prompt_frame()
            && let Some((_, prompt)) = &self.prompts.open
        {
            call = drawn(&frame);
            call["chosen"] = chosen(prompt);
        }
        let project = self.prompts.open.as_ref().map(|(_, prompt)| prompt.project().to_owned());
        match wish {
            Some(Wish::Files { tick, query, is_new }) => {
                self.files(Wanted { tick, root: project.unwrap_or_default(), query, is_new });
            }
            Some(Wish::Menu(at, items)) => (call["at"], call["items"]) = (at.into(), menu(&items)),
            Some(Wish::Fill(text)) => call["text"] = text.into(),
            Some(Wish::Remember(chosen)) => {
                self.prompts.chosen.insert(project.unwrap_or_default(), chosen);
            }
            None => {}
        }
        let open = self.prompts.open.as_ref().filter(|_| call != json!({}));
        if let Some((id, prompt)) = open {
            (call["id"], call["tick"]) = ((*id).into(), prompt.tick().into());
        }
        self.editor.prompt(open.map(|_| call), reply);
    }

    /// Draws the prompt where something in it has changed.
    pub(super) fn draw_prompt(&mut self) {
        if self.prompts.is_dirty {
            self.grant(None, None);
        }
    }

    /// Starts the chosen agent, the first one at once, so that the user does not wait for its start.
    fn prewarm_choice(&mut self) {
        let Some((_, prompt)) = &self.prompts.open else { return };
        let (way, chosen, _) = prompt.wanted();
        let chosen = (way == Way::FollowUp, chosen);
        if !self.options.as_ref().is_ok_and(|options| options.prewarm)
            || self.prompts.warm.as_ref() == Some(&chosen)
        {
            return;
        }
        let is_first = self.prompts.warm.replace(chosen).is_none();
        self.prompts.choices += 1;
        if is_first {
            self.prewarm_chosen(self.prompts.choices);
        } else {
            let choice = self.prompts.choices;
            self.back.after(QUIET, move |host| host.prewarm_chosen(choice));
        }
    }

    /// The user has stopped choosing.
    pub(super) fn prewarm_chosen(&mut self, choice: u64) {
        let (Some((id, prompt)), Ok(options)) = (&self.prompts.open, &self.options) else { return };
        if choice != self.prompts.choices {
            return;
        }
        let (way, Chosen { agent, model }, _) = prompt.wanted();
        let choice = Choice { agent: Some(agent), model, question: way == Way::Ask };
        let (id, (resume, cwd)) = (*id, prompt.session());
        // A job that cannot be started says why.
        if let Ok(start) = AgentStart::new(choice, cwd.to_owned(), resume.cloned(), options) {
            self.prewarm(id, &start);
        }
    }

    /// What the prompt shows, where the plugin shows something else.
    fn prompt_frame(&mut self) -> Option<PromptFrame> {
        self.prompts.is_dirty = false;
        let obstacle = self.obstacle();
        let prompts = &mut self.prompts;
        let (_, prompt) = prompts.open.as_mut()?;
        prompt.obstacle = obstacle;
        let frame = prompt.frame();
        if prompts.drawn.as_ref() == Some(&frame) {
            return None;
        }
        prompts.drawn = Some(frame.clone());
        Some(frame)
    }

    /// Why a job of the chosen agent would fail, and what to do.
    fn obstacle(&self) -> Option<String> {
        let (_, prompt) = self.prompts.open.as_ref()?;
        let name = prompt.choice().agent();
        let agent = self.options.as_ref().ok()?.agents.get(name)?;
        if self.prompts.installed.as_ref().is_some_and(|installed| !installed.contains(name)) {
            let program = &agent.command.command[0];
            let why = if program.contains('/') { "cannot be executed" } else { "is not in PATH" };
            return Some(format!("`{program}` {why}: install it, or set agents.{name}.command"));
        }
        let is_logged_out = self.prompts.logged_out.get(name) == Some(&true);
        is_logged_out.then(|| format!("{}: the last job of {name} was not logged in", agent.known().login))
    }
}

/// The agents whose programs are there.
fn installed(options: &Options) -> BTreeSet<String> {
    let agents = options.agents.values().filter(|agent| health::path(agent).is_some());
    agents.map(|agent| agent.command.name.clone()).collect()
}

/// What is chosen in the prompt.
fn chosen(prompt: &Prompt) -> Json {
    let (way, Chosen { agent, model }, _) = prompt.wanted();
    let mut chosen = json!({ "question": way == Way::Ask, "agent": agent, "model": model });
    chosen["review"] = (way == Way::Hold).into();
    if let (Way::FollowUp, (Some(resume), cwd)) = (way, prompt.session()) {
        chosen["resume"] = json!({ "session_id": resume.session_id });
        chosen["cwd"] = cwd.to_string_lossy().into();
    }
    chosen
}

/// What a request of the prompt has: agent and model only where they are other than without any choice, so that a named
/// prompt has its own.
fn wanted(prompt: &Prompt) -> Json {
    let (mut wanted, (.., is_untouched)) = (chosen(prompt), prompt.wanted());
    if is_untouched {
        (wanted["agent"], wanted["model"]) = (Json::Null, Json::Null);
    }
    wanted
}

/// What the plugin draws of it.
fn drawn(frame: &PromptFrame) -> Json {
    let chunks = |chunks: &Chunks| chunks.iter().map(|cell| json!([cell.0, cell.1])).collect::<Json>();
    json!({
        "title": chunks(&frame.title),
        "footer": chunks(&frame.footer),
        "said": frame.said.iter().map(chunks).collect::<Json>(),
    })
}

/// The items as Neovim's `complete()` takes them.
fn menu(items: &[Item]) -> Json {
    let item = |item: &Item| json!({ "word": item.word, "abbr": item.shown, "user_data": { "text": item.value }, "dup": 1, "equal": 1, "empty": 1 });
    items.iter().map(item).collect()
}
