//! What is asked of a job beside the text that it is for: what starts one, and what starts one like it once more.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Diagnostic, Resume};
use crate::fields::read;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// Without one it is asked for.
    pub prompt: Option<String>,
    /// What its prompt begins with.
    pub text: Option<String>,
    /// The job whose held answer its own is to replace.
    pub replaces: Option<u64>,
    /// Its answer is held.
    pub review: Option<bool>,
    /// Its answer is shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub question: bool,
    /// The agent.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What else is known of its lines.
    pub notes: Option<Vec<Diagnostic>>,
    /// The session that it goes on in.
    pub resume: Option<Resume>,
    /// The directory of that session.
    pub cwd: Option<String>,
}

impl Wanted {
    /// What a `run` asks for. Without a session the directory is that of its buffer.
    pub fn of_run(run: &Json) -> Self {
        let wanted: Self = read(run).unwrap_or_default();
        Self { cwd: wanted.cwd.filter(|_| wanted.resume.is_some()), ..wanted }
    }
}
