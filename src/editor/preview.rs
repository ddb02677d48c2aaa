//! The code of a job that is being written, and what the editor knows of it.

use rmpv::Value;

use super::value;
use crate::land::Capture;
use crate::stream::Update;

/// See the module.
#[derive(Debug)]
pub struct CodePreview {
    capture: Capture,
    has_more: bool,
    told: Vec<String>,
}

impl CodePreview {
    /// Of code that is captured so.
    pub fn new(capture: Capture) -> Self {
        Self { capture, has_more: false, told: Vec::new() }
    }

    /// Whether there may be something to send.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// More of the stream.
    pub fn update(&mut self, update: &Update<'_>) {
        self.has_more |= self.capture.update(update);
    }

    /// The newest lines, if they differ from those that were sent.
    pub fn take(&mut self) -> Option<Value> {
        if !std::mem::take(&mut self.has_more) {
            return None;
        }
        let lines = self.capture.lines();
        if lines == self.told {
            return None;
        }
        self.told = lines;
        Some(value::lines(&self.told))
    }
}
