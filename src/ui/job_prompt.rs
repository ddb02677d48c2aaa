//! The prompt of a finished job, whole, in a floating window.

use std::sync::Arc;

use super::frame::{Frame, Row};
use super::layout::{Border, Key, MORE, Ui, float};
use super::opening::Opening;
use super::screen::View;
use super::width::width;
use crate::render::PromptView;

/// The least and the most columns inside.
const WIDTHS: (usize, usize) = (30, 100);
const KEYS: [Key; 1] = [Key::told("q", "close", "close")];

/// See the module.
#[derive(Debug)]
pub struct JobPrompt(pub PromptView);

impl View for JobPrompt {
    fn opening(&self) -> Opening {
        let mut opening = Opening::float("prompt-of-job", &KEYS);
        opening.window.extend([("wrap", true.into()), ("linebreak", true.into())]);
        opening
    }

    fn frame(&mut self, ui: Ui, page: usize) -> Frame {
        let PromptView { prompt, ended, took } = &self.0;
        let wide = ui.columns.saturating_sub(8).clamp(WIDTHS.0, WIDTHS.1);
        let height: usize = prompt.split('\n').map(|row| width(row).div_ceil(wide).max(1)).sum();
        let size = (wide, height.min(ui.lines * 6 / 10));
        let border = Border { left: "prompt", right: ended, note: Some(took), keys: &KEYS, page, more: MORE };
        let rows = prompt.split('\n').map(|row| Arc::new(Row::plain(row))).collect();
        Frame { place: Some(float(size, border, ui)), rows, ..Frame::default() }
    }
}
