//! The files of a project for the menu of the prompt: listed when they are asked for first, searched as the user types.

use std::sync::Arc;

use super::Host;
use super::views::OPENS_WITHIN;
use crate::job;
use crate::render::find_files;
use crate::ui::prompt::Wanted;

/// The list of one project.
#[derive(Debug, Default)]
pub struct Files {
    root: String,
    /// None while it is made.
    list: Option<Arc<[String]>>,
    /// What is asked for meanwhile: the newest alone is of use.
    waiting: Option<Wanted>,
}

impl Host {
    /// Looks for files.
    pub(super) fn files(&mut self, wanted: Wanted) {
        let files = &mut self.views.files;
        if wanted.is_new || files.root != wanted.root {
            *files = Files { root: wanted.root.clone(), ..Files::default() };
            let (root, groups, back) = (wanted.root.clone(), self.context.groups.clone(), self.back.clone());
            tokio::spawn(async move {
                let list: Arc<[String]> = job::files(root.clone(), groups).await.into();
                back.then(move |host| {
                    let files = &mut host.views.files;
                    if files.root == root {
                        files.list = Some(Arc::clone(&list));
                        if let Some(wanted) = files.waiting.take() {
                            host.search(list, wanted);
                        }
                    }
                });
            });
        }
        if let Some(list) = &self.views.files.list {
            self.search(Arc::clone(list), wanted);
        } else {
            let tick = wanted.tick;
            self.views.files.waiting = Some(wanted);
            // Where they are not known by then, the menu has what else there is until they are.
            self.back.after(OPENS_WITHIN, move |host| {
                if host.views.files.waiting.as_ref().is_some_and(|wanted| wanted.tick == tick) {
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
}
