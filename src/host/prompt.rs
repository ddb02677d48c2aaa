//! The prompt that is being typed: what it shows of agents, earlier prompts and files, and what its keys mean.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::Host;
use super::health;
use super::views::OPENS_WITHIN;
use crate::command::{self, Here};
use crate::error::Code;
use crate::fields;
use crate::job::{self, Launch};
use crate::journal::{Change, now_ms};
use crate::options::Choice;
use crate::render::{Action, find_files};
use crate::request::{self, Resume};
use crate::rpc::PromptMessage;
use crate::session::Known;
use crate::store::Recalled;
use crate::stream::Outcome;
use crate::ui::prompt::{Agents, Chosen, Item, Prompt, PromptChoice, PromptFrame, Wanted, Way, Wish, Writer};

/// How many earlier prompts of the store are offered.
const MOST: u64 = 200;
/// How many that were typed in this Neovim are known without it.
const RECENT: usize = 100;
/// For so long the user makes no other choice before an agent is started for it.
const QUIET: Duration = Duration::from_millis(150);
/// From a change of the text until it is stored.
const SAVED_WITHIN: Duration = Duration::from_millis(250);

/// The prompt, and what one that is opened later has to know.
#[derive(Debug, Default)]
pub(super) struct Prompts {
    open: Option<(u64, Prompt)>,
    agents: Agents,
    /// What was typed in this Neovim, oldest first: each with its prompt's id, 0 where a job had none.
    recent: Vec<(u64, String)>,
    /// What is stored of its text, where that is known.
    saved: Option<String>,
    /// It is to be stored soon.
    is_saving: bool,
    /// What the plugin shows of it.
    drawn: Option<PromptFrame>,
    /// What it is to do besides: a menu, or another text.
    call: Json,
    /// Something may have changed since it was drawn.
    is_dirty: bool,
    /// Whether a session goes on, the agent and the model for which one was started, or is about to be.
    warm: Option<(bool, Chosen)>,
    /// How much is being looked for.
    pub(super) looking: usize,
    /// The files that its menu offers: listed when they are asked for first, searched as the user types.
    files: Files,
}

/// The list of one project.
#[derive(Debug, Default)]
struct Files {
    root: String,
    /// None while it is made.
    list: Option<Arc<[String]>>,
    /// What is asked for meanwhile: the newest alone is of use.
    waiting: Option<Wanted>,
}

impl Prompts {
    /// Remembers what was typed in a prompt.
    fn typed(&mut self, id: u64, text: &str) {
        self.recent.retain(|(known, before)| before != text && (*known != id || id == 0));
        self.recent.drain(..self.recent.len().saturating_sub(RECENT));
        self.recent.extend((!text.is_empty()).then(|| (id, text.to_owned())));
    }

    /// The call that draws it; none where the plugin shows it so.
    pub(super) fn call(&mut self) -> Option<Json> {
        let (id, prompt) = self.open.as_ref().filter(|_| std::mem::take(&mut self.is_dirty))?;
        let mut call = self.call.take();
        let frame = prompt.frame(&self.agents);
        if self.drawn.as_ref() != Some(&frame) {
            call["frame"] = json!(frame);
            self.drawn = Some(frame);
        }
        call.is_object().then(|| {
            (call["id"], call["tick"]) = ((*id).into(), prompt.typed.tick.into());
            call
        })
    }
}

impl Host {
    /// Something has happened in the prompt.
    pub(super) fn prompt(&mut self, PromptMessage { id, about, here, typed, buffers, key }: PromptMessage) {
        if let (Some(mut about), Ok(options)) = (about, self.options.clone()) {
            let here = here.filter(|_| !about.is_insertion);
            let line = typed.as_ref().and_then(|typed| typed.lines).unwrap_or_default().0;
            about.writer = here.and_then(|here| self.writer(&Here { line, ..here }));
            let (prompts, project) = (&mut self.prompts, about.project.clone());
            prompts.saved = about.draft.is_none().then(String::new);
            let there = options.agents.values().filter(|agent| health::path(agent).is_some());
            prompts.agents.installed = there.map(|agent| agent.command.name.clone()).collect();
            prompts.agents.options = options;
            let recent = prompts.recent.iter().rev().map(|(_, text)| text.clone()).collect();
            prompts.open = Some((id, Prompt::new(about, recent, &prompts.agents)));
            (prompts.drawn, prompts.warm) = (None, None);
            prompts.looking += 1;
            self.ask_store(
                move |asker| asker.prompts(MOST, &project, now_ms()),
                // Without a store there are the prompts of this Neovim.
                move |host, reply| host.found_prompts(id, reply.unwrap_or_default()),
            );
        }
        let prompts = &mut self.prompts;
        let Some((_, prompt)) = prompts.open.as_mut().filter(|(open, _)| *open == id) else { return };
        prompts.is_dirty = true;
        prompt.buffers = buffers.unwrap_or_else(|| std::mem::take(&mut prompt.buffers));
        let wish = typed.and_then(|typed| prompt.typed(typed, &prompts.agents));
        if prompts.saved.as_deref() != Some(prompt.unsent()) && !prompts.is_saving {
            prompts.is_saving = true;
            self.back.after(SAVED_WITHIN, Self::save_prompt);
        }
        match key.as_deref() {
            Some(how @ ("close" | "sent")) => {
                if how == "close" {
                    let text = prompt.unsent().to_owned();
                    prompts.typed(id, &text);
                }
                self.save_prompt();
                self.prompts.open = None;
                // Of one that is sent it is the job's.
                drop((how == "close").then(|| self.prewarm.hand_over(id)));
            }
            Some(key) => {
                let wish = prompt.key(key, &mut prompts.agents);
                self.grant(wish);
            }
            None => self.grant(wish),
        }
    }

    /// A key of the prompt waits for what it does, or for what is to be sent.
    pub(super) fn ask_prompt(&mut self, token: u64, message: PromptMessage) {
        let (id, is_sent) = (message.id, message.key.as_deref() == Some("send"));
        self.prompt(message);
        let unknown = || "the host does not know this prompt".to_owned();
        let reply = match &self.prompts.open {
            Some((open, prompt)) if *open == id && is_sent => self.request_of(prompt),
            Some((open, _)) if *open == id => Ok(json!({})),
            // Where the options are wrong there is none.
            _ => Err(self.options.as_ref().err().cloned().unwrap_or_else(unknown)),
        };
        self.reply(token, reply);
    }

    /// What a request of the prompt has, unless its text names what is not there.
    fn request_of(&self, prompt: &Prompt) -> Result<Json, String> {
        let way = prompt.chosen(&self.prompts.agents).way;
        let (agent, model) = prompt.wanted(&self.prompts.agents);
        let choice = Choice { agent, model, question: way == Way::Ask };
        let (agent, model, question) = (&choice.agent, &choice.model, choice.question);
        let review = way == Way::Hold;
        let mut request = json!({ "agent": agent, "model": model, "question": question, "review": review });
        if let (Way::FollowUp, (Some(resume), cwd)) = (way, prompt.session()) {
            (request["resume"], request["cwd"]) = (json!(resume), cwd.into());
        }
        let options = self.options.as_ref().map_err(Clone::clone)?;
        let text = prompt.typed.text.trim();
        options.chosen(text, choice)?;
        let named = options.named(text)?.map_or("", |(named, _)| &named.text);
        let open = prompt.buffers.iter().filter_map(|open| Some((open.name.as_deref()?, open.number)));
        request::buffers(&format!("{named}\n{text}"), &open.collect::<Vec<_>>())?;
        Ok(json!({ "request": request }))
    }

    /// The job that wrote the lines of a prompt, where its session can be gone on in.
    fn writer(&self, here: &Here) -> Option<Writer> {
        let id = command::writer(self.world(here).ok()?).ok()?;
        self.again(id, Action::Followup, None).ok()?;
        let known = self.session.known(id).filter(|known| known.has_written());
        let Known { agent, cwd, session_id, .. } = known?;
        let resume = Resume { session_id: session_id.clone()?, at: None };
        Some(Writer { agent: agent.clone(), cwd: cwd.clone(), resume })
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
        self.prompts.typed(id.unwrap_or_default(), text);
        let Some(id) = id else { return };
        self.store.journal.append(0, Change::Unsent { id, at_ms: now_ms(), text: String::new() });
    }

    /// The store has these prompts.
    fn found_prompts(&mut self, id: u64, (texts, logged_out, newest): Recalled) {
        let prompts = &mut self.prompts;
        (prompts.looking, prompts.is_dirty) = (prompts.looking - 1, true);
        for agent in logged_out {
            // What this host saw is newer.
            prompts.agents.logged_out.entry(agent).or_insert(true);
        }
        let Some((_, prompt)) = prompts.open.as_mut().filter(|(open, _)| *open == id) else { return };
        let wish = prompt.learn(texts, newest);
        self.grant(wish);
    }

    /// An agent offers these models.
    pub(super) fn found_models(&mut self, agent: String, models: Vec<String>) {
        self.prompts.agents.offered.insert(agent, models);
        self.prompts.is_dirty = true;
    }

    /// Looks for files.
    fn files(&mut self, wanted: Wanted) {
        let files = &mut self.prompts.files;
        if wanted.is_new || files.root != wanted.root {
            *files = Files { root: wanted.root.clone(), ..Files::default() };
            let (root, groups, back) = (wanted.root.clone(), self.context.groups.clone(), self.back.clone());
            tokio::spawn(async move {
                let list: Arc<[String]> = job::files(root.clone(), groups).await.into();
                back.then(move |host| {
                    let files = &mut host.prompts.files;
                    if files.root == root {
                        files.list = Some(Arc::clone(&list));
                        if let Some(wanted) = files.waiting.take() {
                            host.search(list, wanted);
                        }
                    }
                });
            });
        }
        if let Some(list) = &self.prompts.files.list {
            self.search(Arc::clone(list), wanted);
        } else {
            let tick = wanted.tick;
            self.prompts.files.waiting = Some(wanted);
            // Where they are not known by then, the menu has what else there is until they are.
            self.back.after(OPENS_WITHIN, move |host| {
                if host.prompts.files.waiting.as_ref().is_some_and(|wanted| wanted.tick == tick) {
                    host.found_files(tick, &[]);
                }
            });
        }
    }

    /// Searches on another thread: there may be very many.
    fn search(&self, list: Arc<[String]>, wanted: Wanted) {
        let back = self.back.clone();
        tokio::task::spawn_blocking(move || {
            let files = find_files(&list, &wanted.query);
            back.then(move |host| host.found_files(wanted.tick, &files));
        });
    }

    /// These files match what was typed.
    fn found_files(&mut self, tick: u64, files: &[String]) {
        let wish = self.prompts.open.as_mut().and_then(|(_, prompt)| prompt.found(tick, files));
        self.grant(wish);
    }

    /// A job of an agent has ended.
    pub(super) fn note_login(&mut self, agent: &str, outcome: &Outcome) {
        let is_logged_out = outcome.error.as_ref().is_some_and(|error| error.code == Code::NotLoggedIn);
        self.prompts.agents.logged_out.insert(agent.to_owned(), is_logged_out);
        self.prompts.is_dirty = true;
    }

    /// Does what the prompt wants; what it shows is drawn at the end of the turn.
    fn grant(&mut self, wish: Option<Wish>) {
        let (prompts, mut call) = (&mut self.prompts, json!({}));
        prompts.is_dirty = true;
        match wish {
            Some(Wish::Files(wanted)) => return self.files(wanted),
            Some(Wish::Menu(at, items)) => (call["at"], call["items"]) = (at.into(), menu(&items)),
            Some(Wish::Fill(text)) => call["text"] = text.into(),
            None => return,
        }
        prompts.call = call;
    }

    /// Starts the chosen agent, the first one at once, so that the user does not wait for its start.
    pub(super) fn prewarm_choice(&mut self) {
        let prompts = &mut self.prompts;
        let Some((_, prompt)) = &prompts.open else { return };
        let PromptChoice { way, chosen } = prompt.chosen(&prompts.agents);
        let chosen = (way == Way::FollowUp, chosen);
        if !prompts.agents.options.prewarm || prompts.warm.as_ref() == Some(&chosen) {
            return;
        }
        if prompts.warm.replace(chosen.clone()).is_none() {
            return self.prewarm_chosen(way, chosen.1);
        }
        // Where the user chooses something else meanwhile, that is started.
        self.back.after(QUIET, move |host| {
            if host.prompts.warm.as_ref() == Some(&chosen) {
                host.prewarm_chosen(way, chosen.1);
            }
        });
    }

    /// Starts an agent for the prompt, if its protocol lets it wait for a message.
    fn prewarm_chosen(&mut self, way: Way, Chosen { agent, model }: Chosen) {
        let Some((id, prompt)) = &self.prompts.open else { return };
        let choice = Choice { agent: Some(agent), model, question: way == Way::Ask };
        let (id, (resume, cwd)) = (*id, prompt.session());
        let start = request::start(choice, fields::path(cwd), resume.cloned(), &self.prompts.agents.options);
        // A job that cannot be started says why, also of the agent that it would claim.
        let Ok(start) = start else { return };
        if self.is_ending || !start.waits() {
            return;
        }
        let launch = match Launch::new(&start, &self.context.empty_directory) {
            Ok(launch) => launch,
            Err(error) => return tracing::debug!(%error, "the agent was not prewarmed"),
        };
        let (back, agent) = (self.back.clone(), start.agent.name);
        let tell = move |models| {
            let agent = agent.clone();
            back.then(move |host| host.found_models(agent, models));
        };
        self.prewarm.start(id, launch, self.context.groups.clone(), tell);
    }
}

/// The items as Neovim's `complete()` takes them.
fn menu(items: &[Item]) -> Json {
    let item = |item: &Item| json!({ "word": item.word, "abbr": item.shown, "user_data": { "text": item.value }, "dup": 1, "equal": 1, "empty": 1 });
    items.iter().map(item).collect()
}
