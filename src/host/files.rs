//! The files of a project for the menu of the prompt: listed when they are asked for first, searched as the user types.

use std::sync::Arc;

use super::Host;
use super::views::{Found, OPENS_WITHIN};
use crate::job;
use crate::rpc::FilesOf;
use crate::view::find_files;

/// The list of one project.
#[derive(Debug, Default)]
pub struct Files {
    root: String,
    /// None while it is made.
    list: Option<Arc<[String]>>,
    /// What is asked for meanwhile: the newest alone is of use.
    waiting: Option<FilesOf>,
}

impl Host {
    /// Looks for files.
    pub(super) fn files(&mut self, wanted: FilesOf) {
        let files = &mut self.views.files;
        if wanted.is_new || files.root != wanted.root {
            *files = Files { root: wanted.root.clone(), ..Files::default() };
            let (root, groups, tell) =
                (wanted.root.clone(), self.context.groups.clone(), Arc::clone(&self.views.tell));
            tokio::spawn(async move {
                let list = job::files(root.clone(), groups).await;
                tell(Found::Files { root, list });
            });
        }
        if let Some(list) = &self.views.files.list {
            self.search(Arc::clone(list), wanted);
        } else {
            let asked = wanted.asked;
            self.views.files.waiting = Some(wanted);
            self.views.later(OPENS_WITHIN, Found::FilesLate(asked));
        }
    }

    /// The files of a project are known.
    pub(super) fn listed_files(&mut self, root: &str, list: Vec<String>) {
        let files = &mut self.views.files;
        if files.root != root {
            return;
        }
        let list: Arc<[String]> = list.into();
        files.list = Some(Arc::clone(&list));
        if let Some(wanted) = files.waiting.take() {
            self.search(list, wanted);
        }
    }

    /// They are not known yet: the menu has what else there is until they are.
    pub(super) fn files_late(&self, asked: u64) {
        if self.views.files.waiting.as_ref().is_some_and(|wanted| wanted.asked == asked) {
            self.editor.files(asked, &[]);
        }
    }

    /// Searches on another thread: there may be very many.
    fn search(&self, list: Arc<[String]>, wanted: FilesOf) {
        let editor = self.editor.clone();
        tokio::task::spawn_blocking(move || editor.files(wanted.asked, &find_files(&list, &wanted.query)));
    }
}
