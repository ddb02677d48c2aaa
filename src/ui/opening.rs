//! How a window of the host is opened.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::layout::{Key, MORE};

/// The options of a buffer or a window.
pub type Options = BTreeMap<&'static str, Value>;

/// What kind of window it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "against", rename_all = "lowercase")]
pub enum Kind {
    /// In the middle of the screen.
    Float,
    /// A split of the window in which the user is.
    Split,
    /// Alone in a tab page of its own.
    Tab,
    /// At the right of the view that it closes with.
    Beside,
    /// At the right of a window that shows this buffer, and gets one where none does: both are compared.
    Against(u64),
    /// Below the rows of the view that it closes with. The user never goes there.
    Pane,
}

/// How a window is opened, as the plugin takes it.
#[derive(Debug, Clone, Serialize)]
pub struct Opening {
    /// What kind it is.
    #[serde(flatten)]
    pub kind: Kind,
    /// Of its buffer.
    pub name: String,
    /// The options of its buffer.
    pub buffer: Options,
    /// The options of its window.
    pub window: Options,
    /// The keys that work in it.
    pub keys: Vec<Key>,
    /// The view that it closes with.
    pub with: Option<String>,
    /// Its text is coloured as Markdown: `parsed` as a whole, which takes long for a long text, or `by lines`.
    pub markdown: Option<&'static str>,
    /// It is put beside the range of this job, where there is room.
    pub beside: Option<u64>,
    /// It opens by itself: where it would be in the way, this message is shown instead, if it has words.
    pub arrives: Option<Value>,
    /// It is compared with the other windows of its tab page.
    pub diff: bool,
}

impl Opening {
    /// A floating window, with the options that suit it.
    pub fn float(name: &str, keys: &[Key]) -> Self {
        Self::of(Kind::Float, name, &[keys, &[MORE]].concat())
            .with(false, &["wrap", "foldenable", "list", "spell", "cursorline"])
            .with(true, &["winfixbuf"])
    }

    /// A window with the user's own options.
    pub fn of(kind: Kind, name: &str, keys: &[Key]) -> Self {
        Self {
            kind,
            name: format!("botglue://{name}"),
            buffer: Options::new(),
            window: Options::new(),
            keys: keys.to_vec(),
            with: None,
            markdown: None,
            beside: None,
            arrives: None,
            diff: false,
        }
    }

    /// The same with options of its window on or off.
    #[must_use]
    pub fn with(mut self, is_on: bool, names: &[&'static str]) -> Self {
        self.window.extend(names.iter().map(|name| (*name, is_on.into())));
        self
    }

    /// The same for a text of Neovim's `filetype` that is to be read.
    #[must_use]
    pub fn reading(self, filetype: &str) -> Self {
        Self { buffer: [("readonly", true.into()), ("syntax", filetype.into())].into(), ..self }
    }
}
