//! A window without a life of its own: how it is opened, what it shows on a screen, and what its keys take out of it.

use super::frame::Frame;
use super::layout::Ui;
use super::opening::Opening;

/// What a key takes out of a row: the job below whose range it is put, and the lines.
pub type Taken = Option<(Option<u64>, Vec<String>)>;
type Takes = dyn Fn(&str, usize) -> Taken + Send;

/// See the module.
pub struct Page {
    /// How its window is opened.
    pub(super) opening: Opening,
    /// Makes its frame.
    pub(super) draw: Box<dyn Fn(Ui, usize) -> Frame + Send>,
    /// What the key of this name takes out of a row, from 0.
    pub(super) takes: Box<Takes>,
}

impl Page {
    /// One whose frame depends on the size of the screen, and on how often the user has asked for more keys.
    pub fn new(opening: Opening, draw: impl Fn(Ui, usize) -> Frame + Send + 'static) -> Self {
        Self { opening, draw: Box::new(draw), takes: Box::new(|_, _| None) }
    }

    /// One that shows the same on any screen.
    pub fn fixed(opening: Opening, frame: Frame) -> Self {
        Self::new(opening, move |_, _| frame.clone())
    }

    /// One with rows of which keys take something.
    #[must_use]
    pub fn taking(self, takes: impl Fn(&str, usize) -> Taken + Send + 'static) -> Self {
        Self { takes: Box::new(takes), ..self }
    }
}
