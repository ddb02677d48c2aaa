//! What the user's commands ask for: what the host does itself, and what the plugin is told to do.

use jiff::Zoned;
use serde_json::{Value, json};

use super::limits::clock;
use super::views::PICK_WIDTH;
use super::{Host, Reply};
use crate::agent::Directory;
use crate::command::{self, Act, Call, Here, JobPlace, World};
use crate::job::{find_program, search_path};
use crate::render::Action;
use crate::request::{Resume, Wanted};
use crate::rpc::{AskedFrom, EachOf};
use crate::session::Decision;
use crate::store::{Checkpoint, InfoQuery};
use crate::ui::{Ui, clean};

/// So many jobs are started at once; more only after the user has confirmed.
const MANY: usize = 30;

impl Host {
    /// Does what a command is for, or says why not.
    pub(super) fn command_line(&mut self, token: u64, ui: Ui, call: &Call, mut from: AskedFrom) -> Reply {
        self.answers.note(from.view.as_deref(), &mut from.here);
        from.origin.lines = from.here.places.iter().map(|(id, place)| (*id, place.first.max(1))).collect();
        from.here.row = from.view.as_deref().and_then(|view| self.views.screen.job(view));
        let editor = &self.editor;
        self.session.name_sessions(|id| editor.session(id));
        let act = command::read(call, self.world(&from.here)?)?;
        self.perform(token, ui, act, from)
    }

    /// What completes a word.
    pub(super) fn complete(&self, typed: &str, lead: &str) -> Reply {
        let words = command::complete(typed, lead, self.world(&Here::default())?);
        Ok(Some(json!({ "words": words })))
    }

    /// The place of an answer; without a direction that of the newest outcome that was not seen.
    pub(super) fn jump(&mut self, by: i64, here: &Here) -> Reply {
        let (buffer, row, col) = match by {
            0 => self.newest_outcome(here)?,
            _ => command::jump(by, self.world(here)?)?,
        };
        Ok(Some(json!({ "buffer": buffer, "row": row, "col": col })))
    }

    /// The place of the newest outcome that was not seen.
    fn newest_outcome(&mut self, here: &Here) -> Result<command::Stop, String> {
        let place = |id: u64| {
            let place = here.places.get(&id)?;
            Some((place.buffer?, place.first.max(1), place.column.unwrap_or_default()))
        };
        let found = self.board.take_newest_unseen(|id| place(id).is_some());
        found.and_then(place).ok_or_else(|| "there is no unseen outcome".to_owned())
    }

    /// The lines of each job for the items of a list, and what the user is asked before many are started.
    pub(super) fn each(&self, wanted: &EachOf) -> Reply {
        let options = self.options.as_ref().map_err(Clone::clone)?;
        let EachOf { prompt, list, count, has_range, items } = wanted;
        let name = prompt.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        if name.is_some_and(|name| options.prompts.get(name).is_some_and(|prompt| prompt.asks)) {
            return Err("each changes text, and this prompt asks a question: use it with ask".to_owned());
        } else if *count == 0 {
            return Err(format!("the {list} list is empty"));
        } else if items.is_empty() {
            let place = if *has_range { "in these lines" } else { "has a place in a file" };
            return Err(format!("no {list} item {place}"));
        }
        let (groups, lost) = command::groups(items);
        // A range leaves out more than what is no place.
        let lost = lost + if *has_range { 0 } else { count.saturating_sub(items.len()) };
        if groups.is_empty() {
            return Err(format!("the files of the {list} list do not exist"));
        }
        let warning = (lost > 0).then(|| format!("botglue: items without a place in a file: {lost}"));
        let question = (groups.len() > MANY)
            .then(|| format!("botglue: start {} jobs, {} at a time?", groups.len(), options.max_parallel));
        Ok(Some(json!({ "groups": groups, "question": question, "warning": warning })))
    }

    /// A job that asks the same as another one, or goes on in its session.
    pub(super) fn ask_again(&mut self, id: u64, action: &str, prompt: Option<String>) -> Reply {
        let action = Action::named(action).ok_or_else(|| format!("there is no action {action}"))?;
        match self.again(id, action, prompt)? {
            Act::Hurry(id) => self.hurry(id),
            act => Ok(Some(json!(act))),
        }
    }

    /// How the request of a job is sent again, or its session gone on in.
    ///
    /// # Errors
    /// Says why that is impossible.
    pub(super) fn again(&self, id: u64, action: Action, prompt: Option<String>) -> Result<Act, String> {
        // The plugin knows it: it is somewhere.
        let here = Here { places: [(id, JobPlace::default())].into(), ..Here::default() };
        let wanted = Wanted { prompt, ..Wanted::default() };
        let world = self.world(&here)?;
        match action {
            Action::Retry => command::retry(id, wanted, world),
            Action::Edit => command::edit(id, world),
            Action::Followup => command::followup(id, wanted, world),
            _ => Err(action.impossible().to_owned()),
        }
    }

    pub(super) fn world<'a>(&'a self, here: &'a Here) -> Result<World<'a>, String> {
        let options = self.options.as_ref().map_err(Clone::clone)?;
        Ok(World { here, session: &self.session, options })
    }

    fn perform(&mut self, token: u64, ui: Ui, act: Act, from: AskedFrom) -> Reply {
        match act {
            Act::List(name) => self.open_list(token, name, from.origin),
            Act::Pick(name) => {
                self.pick(token, name, from.origin, PICK_WIDTH.min(ui.columns.saturating_sub(8)));
            }
            Act::Transcript(id, is_raw) => return self.transcript_of(token, id, is_raw),
            Act::Answer(id) => return self.open_answer(token, id),
            Act::Info(job) => {
                let known = job.and_then(|id| self.session.known(id));
                let session = known.and_then(|known| Some((known.agent.clone(), known.session_id.clone()?)));
                let project = from.origin.project;
                let today = Zoned::now().start_of_day();
                let today_ms = today.map_or(0, |today| today.timestamp().as_millisecond());
                self.open_info(token, InfoQuery { project, session, today_ms });
                return Ok(Some(Value::Null));
            }
            Act::Rewind(id) => {
                let Some(known) = self.session.known(id) else { return Ok(None) };
                let session_id = known.session_id.clone().unwrap_or_default();
                let (agent, request) = (known.agent.clone(), known.onward(Wanted::default()));
                self.ask_store(
                    move |asker| asker.checkpoints(&agent, &session_id),
                    move |host, found| {
                        let found = found.map_err(|error| error.to_string());
                        host.reply(token, found.and_then(|found| rewind(id, &request, &found)));
                    },
                );
            }
            Act::All { name, ids } => {
                let decision =
                    if name == "reject" { Decision::Reject } else { Decision::Accept { shows: false } };
                self.decide_all(&ids, from.here.buffer, &decision);
                return Ok(Some(Value::Null));
            }
            Act::Hurry(id) => return self.hurry(id),
            Act::Terminal(id) => {
                let known = self.session.known(id).ok_or_else(|| format!("there is no job {id}"))?;
                if known.is_open {
                    return Err(format!("job {id} still works in its session: wait for it"));
                }
                let (job, session_id) = (format!("job {id}"), known.session_id.as_deref());
                return self.terminal(&job, &known.agent, session_id, &known.cwd);
            }
            Act::Plugin { name: "review", id: None } => self.adopt(move |host, adopted| {
                let first = || host.session.held_ids().next().ok_or_else(|| "no answer is held".to_owned());
                let act = |id| json!(Act::Plugin { name: "review", id: Some(id) });
                host.reply(token, adopted.and_then(|()| first()).map(act));
            }),
            Act::Plugin { name: "review", .. } => {
                self.adopt(|host, adopted| adopted.unwrap_or_else(|why| host.editor.error(why)));
                return Ok(Some(json!(act)));
            }
            act => return Ok(Some(json!(act))),
        }
        Ok(None)
    }

    /// How a session of an agent is opened in a terminal: the program, its arguments, its PATH, and where it runs. `job` is
    /// what an error calls the job.
    pub(super) fn terminal(&self, job: &str, agent: &str, session_id: Option<&str>, cwd: &str) -> Reply {
        let options = self.options.as_ref().map_err(Clone::clone)?;
        let (agent, session_id) = options.session(job, agent, session_id)?;
        let (name, path) = (&agent.command.name, agent.command.env.get("PATH"));
        let (other, flag) = agent.command.recipe().open.ok_or_else(|| {
            format!("{name} has no command of its own that botglue knows to open a session with")
        })?;
        let cwd = if agent.command.directory(options.trust_project) == Directory::Empty {
            // Where the host runs it: in a project that is not trusted it would run what that says.
            let empty = self.context.empty_directory.find().map_err(|_| {
                format!(
                    "the empty directory of {name} cannot be made in {}: see :help botglue-security",
                    options.data_dir
                )
            })?;
            empty.to_string_lossy().into_owned()
        } else {
            cwd.to_owned()
        };
        let program = other.map_or_else(|| agent.command.command[0].clone(), str::to_owned);
        let found = find_program(&program, path)
            .ok_or_else(|| format!("{program} was not found: install it, or set agents.{name}.command"))?;
        let first =
            if other.is_some() { &[][..] } else { agent.command.command.get(1..).unwrap_or_default() };
        let mut command = vec![found.to_string_lossy().into_owned()];
        command.extend(first.iter().cloned().chain([flag.to_owned(), session_id.to_owned()]));
        if !std::path::Path::new(&cwd).is_dir() {
            return Err(format!("the directory of the session is gone: {cwd}"));
        }
        let mut env = agent.command.env.clone();
        env.insert("PATH".to_owned(), search_path(path).to_string_lossy().into_owned());
        Ok(Some(json!({ "terminal": { "command": command, "cwd": cwd, "env": env } })))
    }
}

/// The messages of a session that can be gone back to, for the user to choose one.
fn rewind(id: u64, request: &Wanted, found: &[Checkpoint]) -> Result<Value, String> {
    if found.is_empty() {
        return Err("no message to go back to: use :Botglue followup".to_owned());
    }
    let item = |checkpoint: &Checkpoint| {
        let resume =
            request.resume.clone().map(|resume| Resume { at: Some(checkpoint.uuid.clone()), ..resume });
        let text = format!("{}  {}", clock(checkpoint.at_ms / 1000), clean(&checkpoint.prompt));
        json!({ "text": text, "again": { "id": id, "request": Wanted { resume, ..request.clone() } } })
    };
    let items: Vec<_> = found.iter().map(item).collect();
    Ok(json!({ "pick": { "prompt": "botglue: go back to", "kind": "botglue", "items": items } }))
}
