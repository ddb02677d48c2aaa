//! The subscriptions of one job: the editor's from the beginning, those of users' functions as long as they want
//! updates.

use crate::editor::Editor;
use crate::job::{Observers, Subscription};
use crate::land::Capture;
use crate::request::{Observe, Request};

/// See the module. Dropping it ends all of them.
pub(super) struct Subscriptions {
    observers: Observers,
    _shown: Vec<Subscription>,
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
        let mut subscriptions = Self { observers, _shown: shown, forward: None };
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

    /// Forwards nothing any more.
    pub(super) fn stop_forwarding(&mut self) {
        self.forward = None;
    }

    /// The observers of the job.
    pub(super) fn observers(&self) -> &Observers {
        &self.observers
    }
}
