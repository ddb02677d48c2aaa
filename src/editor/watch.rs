//! The observers that show a job in the editor. Each folds what it sees into what the writer will send next;
//! nothing is copied that nobody wants.

use std::sync::Arc;

use super::board::Board;
use super::frame::Change;
use crate::job::Observer;
use crate::stream::Update;

/// The status line: what the agent does.
pub(super) struct Status {
    pub(super) id: u64,
    pub(super) board: Arc<Board>,
}

impl Observer for Status {
    fn update(&mut self, update: &Update<'_>) {
        self.board.with(|sheet| sheet.frames.change(self.id, Change::Update(update)));
    }

    // It says that the agent thinks, not what.
    fn wants_thinking(&self) -> bool {
        true
    }
}

/// The preview: the newest lines of code.
pub(super) struct Preview {
    pub(super) id: u64,
    pub(super) board: Arc<Board>,
}

impl Observer for Preview {
    fn update(&mut self, update: &Update<'_>) {
        self.board.with(|sheet| sheet.frames.write(self.id, update));
    }
}

/// The functions that users have registered.
pub(super) struct Forward {
    pub(super) id: u64,
    pub(super) board: Arc<Board>,
    pub(super) thinking: bool,
}

impl Observer for Forward {
    fn update(&mut self, update: &Update<'_>) {
        self.board.with(|sheet| sheet.observed.add(self.id, update));
    }

    fn wants_thinking(&self) -> bool {
        self.thinking
    }
}
