//! The target of an answer, as tidying needs it: the selection and the text around it.

use crate::request::{Request, Selection};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Neovim's `'filetype'`.
    pub filetype: &'a str,
    /// What was selected.
    pub selection: &'a Selection,
    /// Lines above the selection, nearest last.
    pub before: &'a [String],
    /// Lines below it, nearest first.
    pub after: &'a [String],
}

impl<'a> From<&'a Request> for Target<'a> {
    fn from(request: &'a Request) -> Self {
        Self {
            filetype: &request.job.filetype,
            selection: &request.job.selection,
            before: &request.before,
            after: &request.after,
        }
    }
}
