//! The answers to questions of this Neovim: shown as they come, and again where the user asks for one.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{Host, Reply};
use crate::command::Here;
use crate::render::{self, Viewer};
use crate::request::{Notify, Request};
use crate::rpc::Act;
use crate::store::{JobEntry, JobKey};
use crate::stream::Outcome;
use crate::ui::{Answered, Talk, answer, talk};

/// So many talks are kept; the store has the others.
const MOST: usize = 100;

/// Questions and answers in one session.
#[derive(Debug, Default)]
struct Kept {
    talk: Talk,
    session: Option<String>,
    /// The view that shows it, or did.
    view: Option<String>,
    /// What is said where that has come by itself: what the job did, and words.
    arrives: Option<(String, String)>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Answers(VecDeque<Kept>);

impl Answers {
    fn keep(&mut self, kept: Kept) {
        self.0.push_back(kept);
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    fn of(&mut self, id: u64) -> Option<&mut Kept> {
        self.0.iter_mut().find(|kept| kept.talk.answers.iter().any(|answered| answered.id == id))
    }

    /// Where the user is, if that is the window of an answer: the newest in it.
    pub(super) fn note(&self, view: Option<&str>, here: &mut Here) {
        let shown = self.0.iter().find(|kept| view.is_some() && kept.view.as_deref() == view);
        here.answer = shown.and_then(|kept| kept.talk.answers.last()).map(|answered| answered.id);
    }
}

impl Host {
    /// A question is answered: in the window of the talk that it goes on, else in one of its own, unless that would be in
    /// the user's way.
    pub(super) fn answered(&mut self, request: &Request, outcome: &Outcome) {
        let (id, text) = (request.job.id, outcome.text.clone().unwrap_or_default());
        let answered = Answered { id, question: request.job.prompt.clone(), text };
        let session = request.start.resume.as_ref().map(|resume| resume.session_id.clone());
        let known = self.answers.0.iter().position(|kept| session.is_some() && kept.session == session);
        let mut kept = known.and_then(|at| self.answers.0.remove(at)).unwrap_or_else(|| {
            let talk = Talk { place: place(request), answers: Vec::new() };
            Kept { talk, ..Kept::default() }
        });
        kept.talk.answers.push(answered);
        kept.session.clone_from(&outcome.session_id);
        let words =
            if request.options.notify == Notify::None { String::new() } else { request.job.prompt.clone() };
        let shown = |kept: &Kept| talk(kept.talk.clone(), id, kept.arrives.clone());
        let screen = &mut self.views.screen;
        if !kept.view.as_ref().is_some_and(|view| screen.show(view, shown(&kept))) {
            kept.arrives = Some((format!("answered, :Botglue answer {id} shows it"), words));
            kept.view = Some(screen.open_new("answer", shown(&kept), None));
        }
        self.answers.keep(kept);
    }

    /// Shows the answer of a job of this Neovim.
    pub(super) fn open_answer(&mut self, token: u64, id: u64) -> Reply {
        if self.session.known(id).is_none() {
            return Err(format!("there is no job {id}"));
        } else if !self.is_answered(id) {
            return Err(format!("job {id} answered no question"));
        }
        let Some(kept) = self.answers.of(id) else {
            return self.find_job(token, JobKey::Id(id), move |host, job| {
                Ok(Some(host.open_stored_answer(token, &job?)))
            });
        };
        let talk = kept.talk.clone();
        Ok(Some(self.show_answer(token, talk, id)))
    }

    /// Shows the answer of a job of the store.
    pub(super) fn open_stored_answer(&mut self, token: u64, entry: &JobEntry) -> Value {
        let (record, job) = (&entry.record, &entry.record.job);
        let (id, question) = (entry.id.unwrap_or_default(), job.prompt.clone());
        let answers = vec![Answered { id, question, text: answer(record).join("\n") }];
        let viewer = Viewer { cwd: job.project.clone(), ..Viewer::default() };
        let mut talk = Talk { answers, ..Talk::default() };
        // The store has no names of buffers without a file.
        if !job.path.is_empty() {
            talk.place = render::place(&job.path, None, job.selection.first_line, &viewer);
        }
        self.answers.keep(Kept { talk: talk.clone(), session: record.session_id.clone(), ..Kept::default() });
        self.show_answer(token, talk, id)
    }

    fn show_answer(&mut self, token: u64, shown: Talk, id: u64) -> Value {
        let view = self.views.screen.open("answer", talk(shown, id, None), token);
        if let Some(kept) = self.answers.of(id) {
            (kept.view, kept.arrives) = (Some(view), None);
        }
        Value::Null
    }

    /// What a key takes out of a row of a view.
    pub(super) fn taken(&self, act: &Act) -> Option<Value> {
        let row = act.row.as_deref().and_then(|row| row.parse().ok());
        let taken = self.views.screen.taken(act.view.as_deref()?, &act.action, row.unwrap_or_default());
        taken.map(|(id, rows)| match id {
            Some(id) => json!({ "put": rows, "id": id }),
            None => json!({ "yank": rows, "kind": "line" }),
        })
    }
}

/// Where a question was asked.
fn place(request: &Request) -> String {
    let viewer = Viewer { cwd: request.start.cwd.to_string_lossy().into_owned(), home: String::new() };
    let (first, last) = (request.job.selection.first_line.max(1), request.job.selection.last_line);
    let file = render::file(&request.job.path, request.name.as_deref(), &viewer);
    if last > first { format!("{file}:{first}-{last}") } else { format!("{file}:{first}") }
}
