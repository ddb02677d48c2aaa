//! The subscriptions of one job: the editor's from the beginning, those of users' functions as long as they want
//! updates.

use crate::editor::Editor;
use crate::job::{Observers, Subscription};
use crate::land::Capture;
use crate::request::{Observe, Request};
use crate::stream::Update;

/// See the module. Dropping it ends all of them.
pub(super) struct Subscriptions {
    observers: Observers,
    shown: Vec<Subscription>,
    /// Users' functions.
    forward: Option<Subscription>,
}

impl Subscriptions {
    /// By the editor, before the job has begun.
    pub(super) fn new(request: &Request, editor: &Editor) -> Self {
        let observers = Observers::default();
        let mut shown = vec![observers.subscribe(editor.status(request.id))];
        if request.preview > 0 {
            let capture = Capture::new(request, request.preview);
            shown.push(observers.subscribe(editor.preview(request.id, capture)));
        }
        let mut subscriptions = Self { observers, shown, forward: None };
        if let Some(wanted) = request.observe {
            subscriptions.forward(request.id, wanted, editor);
        }
        subscriptions
    }

    /// Forwards to users' functions what they want to hear now.
    pub(super) fn forward(&mut self, id: u64, wanted: Observe, editor: &Editor) {
        // In place of the one before it; nothing comes between.
        self.forward = Some(self.observers.subscribe(editor.forward(id, wanted.thinking)));
    }

    /// What the job has said last is void, and what its agent says from now on is none of it.
    pub(super) fn void(&mut self, id: u64, editor: &Editor) {
        self.shown.clear();
        if self.forward.take().is_some() {
            editor.forward(id, false).update(&Update::Restart);
        }
    }

    /// Forwards nothing any more.
    pub(super) fn stop_forwarding(&mut self) {
        self.forward = None;
    }

    /// The observers of the job.
    pub(super) fn observers(&self) -> &Observers {
        &self.observers
    }
}
