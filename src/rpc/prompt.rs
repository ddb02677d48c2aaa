//! What happens in the prompt that is being typed.

use serde::Deserialize;

use crate::command::Here;
use crate::request::OpenBuffer;
use crate::ui::prompt::{About, Typed};

/// Something that has happened in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct PromptMessage {
    /// The prompt.
    pub id: u64,
    /// It is new, to this host at least: what is known of it.
    pub about: Option<About>,
    /// Where it is asked for.
    pub here: Option<Here>,
    /// As the user sees it now.
    pub typed: Option<Typed>,
    /// The buffers that can be named.
    pub buffers: Option<Vec<OpenBuffer>>,
    /// What a key is to do.
    pub key: Option<String>,
}
