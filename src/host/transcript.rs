//! Transcripts: looked for, read, and shown. The file's bytes become a conversation, and that rows.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use serde_json::json;

use super::queue::{QueuedJob, RunningJob};
use super::{Host, Reply};
use crate::agent::{Protocol, Recipe};
use crate::render::transcript::{TranscriptHeader, TranscriptRow, draw};
use crate::session::Recording;
use crate::store::{JobEntry, JobKey};
use crate::ui::{Page, transcript};

const NOT_THERE: &str = "this transcript is not there: the newest 200 are kept, see :Botglue log";

/// Whose transcript a view shows.
#[derive(Debug, Clone)]
pub struct Source {
    key: JobKey,
    /// The file.
    path: PathBuf,
    /// How the agent talks.
    recipe: &'static Recipe,
    /// Paths below it are shortened.
    cwd: String,
    /// What the stream does not say.
    about: TranscriptHeader,
}

impl Source {
    /// What shows these rows.
    fn shown(&self, rows: &[TranscriptRow]) -> Page {
        let name = match &self.key {
            JobKey::Id(id) => format!("job {id}"),
            JobKey::Uuid(_) => self.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        transcript(&name, rows, self.about.is_over)
    }

    /// As the store has it.
    pub(super) fn of(key: &JobKey, job: &JobEntry) -> Result<Self, String> {
        let (record, job) = (&job.record, &job.record.job);
        let path = record.transcript.as_ref().ok_or(NOT_THERE)?;
        let protocol = Recipe::named(&job.protocol).map_or(Protocol::Text, |recipe| recipe.protocol);
        Ok(Self {
            key: key.clone(),
            path: path.into(),
            recipe: Recipe::of(protocol, &job.agent),
            cwd: job.project.clone(),
            about: TranscriptHeader {
                agent: job.agent.clone(),
                prompt: job.prompt.clone(),
                is_over: true,
                error: record.error.as_ref().map(|(_, message)| message.clone()),
            },
        })
    }
}

impl Host {
    /// Shows what a job of this Neovim did: the store knows it once it has ended.
    pub(super) fn transcript_of(&mut self, token: u64, id: u64, is_raw: bool) -> Reply {
        let key = JobKey::Id(id);
        let known = self.session.known(id).ok_or_else(|| format!("there is no job {id}"))?;
        let (is_open, recording) = (known.is_open, known.recording);
        let none = format!("there is no transcript of job {id}; see :Botglue log");
        if let Some(RunningJob { asked: QueuedJob { request, .. }, transcript: Some(path), .. }) =
            self.jobs.running(id).filter(|_| is_open)
        {
            let (start, path, prompt) = (&request.start, path.clone(), request.job.prompt.clone());
            let agent = start.agent.name.clone();
            let about = TranscriptHeader { agent, prompt, is_over: false, error: None };
            let (recipe, cwd) = (start.agent.recipe(), start.cwd.to_string_lossy().into_owned());
            let source = Source { key, path, recipe, cwd, about };
            self.open_transcript(token, source, is_raw)
        } else if recording == Recording::Off {
            Err(format!("job {id} kept no transcript: the option record is off"))
        } else if is_open {
            Err(none)
        } else {
            self.find_job(token, key.clone(), move |host, job| {
                let source = Source::of(&key, &job.map_err(|_| none)?)?;
                host.open_transcript(token, source, is_raw)
            })
        }
    }

    /// Reads a transcript again, and looks for what the store has of its job: of one that runs it has nothing.
    pub(super) fn read_again(&self, view: &str) {
        let Some(source) = self.views.transcripts.get(view) else { return };
        let (view, key) = (view.to_owned(), source.key.clone());
        self.ask_store(
            move |asker| asker.job(&key),
            move |host, job| {
                let Some(source) = host.views.transcripts.get_mut(&view) else { return };
                if let Some(ended) = job.ok().and_then(|job| Source::of(&source.key, &job).ok()) {
                    *source = ended;
                }
                let source = source.clone();
                host.read_transcript(view, source);
            },
        );
    }

    /// Opens a transcript that is there; its rows come later.
    pub(super) fn open_transcript(&mut self, token: u64, source: Source, is_raw: bool) -> Reply {
        if is_raw {
            let is_file = std::fs::symlink_metadata(&source.path).is_ok_and(|file| file.is_file());
            let path = source.path.to_str().filter(|_| is_file);
            return path.map(|path| Some(json!({ "file": path }))).ok_or_else(|| NOT_THERE.to_owned());
        }
        let view = self.views.screen.prepare("transcript", source.shown(&[]), token);
        self.views.transcripts.insert(view.clone(), source.clone());
        self.read_transcript(view, source);
        Ok(None)
    }

    fn read_transcript(&self, view: String, source: Source) {
        let back = self.back.clone();
        self.context.transcripts.read(source.path.clone(), move |file| {
            if file.is_ok() {
                let view = view.clone();
                back.then(move |host| host.opens_soon(view));
            }
            let rows = rows(file, &source);
            back.then(move |host| match rows {
                Ok(rows) => {
                    if let Some(source) = host.views.transcripts.get(&view) {
                        host.views.screen.show(&view, source.shown(&rows));
                    }
                    host.reveal(&view);
                }
                Err(error) => match host.views.screen.withdraw(&view) {
                    Some(token) => {
                        host.views.transcripts.remove(&view);
                        host.reply(token, Err(error));
                    }
                    None if host.views.transcripts.contains_key(&view) => host.editor.warn(error),
                    None => {}
                },
            });
        });
    }
}

/// The rows of a transcript; that of a job that runs may not be there yet.
fn rows(file: io::Result<File>, source: &Source) -> Result<Vec<TranscriptRow>, String> {
    let Source { path, recipe, cwd, about, .. } = source;
    let mut bytes = Vec::new();
    match file.map(|mut file| file.read_to_end(&mut bytes)) {
        Ok(Ok(_)) => Ok(draw(&bytes, recipe, cwd, about)),
        Ok(Err(error)) => Err(format!("cannot read {}: {error}", path.display())),
        Err(_) if about.is_over => Err(NOT_THERE.to_owned()),
        Err(_) => Ok(Vec::new()),
    }
}
