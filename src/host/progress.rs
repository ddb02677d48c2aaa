//! The progress of jobs as Neovim's progress messages tell it: one message stands for all jobs that run at a time.

use std::collections::BTreeSet;

use super::Host;
use crate::request::{Notify, Request};
use crate::ui::{clean, fit};

/// How many cells of a prompt are shown.
const WIDTH: usize = 60;

/// The jobs since one was started while no other ran.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Those that go on.
    open: BTreeSet<u64>,
    total: usize,
    failed: usize,
    /// The prompt of the only one.
    prompt: String,
}

impl Host {
    /// A job was asked for.
    pub(super) fn begin_progress(&mut self, request: &Request) {
        if request.options.notify == Notify::None {
            return;
        }
        let progress = &mut self.progress;
        progress.open.insert(request.id);
        progress.total += 1;
        progress.prompt.clone_from(&request.prompt);
        self.tell_progress();
    }

    /// Looks which of the jobs have ended.
    pub(super) fn follow_progress(&mut self) {
        let (session, progress) = (&self.session, &mut self.progress);
        let before = progress.open.len();
        progress.open.retain(|id| session.is_open(*id));
        if progress.open.len() < before {
            self.tell_progress();
        }
    }

    /// A job has failed.
    pub(super) fn count_failure(&mut self, id: u64) {
        self.progress.failed += usize::from(self.progress.open.contains(&id));
    }

    fn tell_progress(&mut self) {
        let Progress { open, total, failed, prompt } = &self.progress;
        let ended = total - open.len();
        let words =
            if *total == 1 { fit(&clean(prompt), WIDTH) } else { format!("{ended} of {total} jobs done") };
        let status = match (open.is_empty(), failed) {
            (false, _) => "running",
            (true, 0) => "success",
            (true, _) => "failed",
        };
        self.editor.progress(&words, status, ended * 100 / (*total).max(1));
        if open.is_empty() {
            self.progress = Progress::default();
        }
    }
}
