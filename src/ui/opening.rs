//! How a window of the host is opened.

use rmpv::Value;

use super::frame::{list, map};
use super::layout::{Class, Key, MORE};

/// What kind of window it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// How a window is opened.
#[derive(Debug, Clone)]
pub struct Opening {
    /// What kind it is.
    pub kind: Kind,
    /// Of its buffer.
    pub name: String,
    /// The options of its buffer.
    pub buffer: Vec<(&'static str, Value)>,
    /// The options of its window.
    pub window: Vec<(&'static str, Value)>,
    /// The keys that work in it.
    pub keys: Vec<Key>,
    /// Its text is coloured as Markdown: `parsed` as a whole, which takes long for a long text, or `by lines`.
    pub markdown: Option<&'static str>,
    /// It is put beside the range of this job, where there is room.
    pub beside: Option<u64>,
    /// It opens by itself: where it would be in the way, this message is shown instead (what the job did, and words).
    pub arrives: Option<(String, String)>,
    /// It is compared with the other windows of its tab page.
    pub diff: bool,
}

impl Opening {
    /// A floating window, with the options that suit it.
    pub fn float(name: &str, keys: &[Key]) -> Self {
        let off = ["wrap", "foldenable", "list", "spell", "cursorline"].map(|name| (name, false.into()));
        let window = off.into_iter().chain([("winfixbuf", true.into())]).collect();
        Self { window, ..Self::of(Kind::Float, name, keys) }
    }

    /// A window with the user's own options.
    pub fn of(kind: Kind, name: &str, keys: &[Key]) -> Self {
        Self {
            kind,
            name: format!("botglue://{name}"),
            buffer: Vec::new(),
            window: Vec::new(),
            keys: keys.to_vec(),
            markdown: None,
            beside: None,
            arrives: None,
            diff: false,
        }
    }

    /// The message in place of the window; without words there is none.
    fn arrives(&self, (verb, words): &(String, String)) -> Value {
        map([
            ("id", self.beside.map(Value::from)),
            ("verb", Some(verb.as_str().into())),
            ("words", (!words.is_empty()).then(|| words.as_str().into())),
            ("level", Some("INFO".into())),
        ])
    }

    /// As the plugin takes it; `with`: the view that it closes with.
    pub(super) fn value(&self, with: Option<&str>) -> Value {
        let kind = match self.kind {
            Kind::Float => "float",
            Kind::Split => "split",
            Kind::Tab => "tab",
            Kind::Beside => "beside",
            Kind::Against(_) => "against",
            Kind::Pane => "pane",
        };
        let against = match self.kind {
            Kind::Against(buffer) => Some(buffer.into()),
            _ => None,
        };
        let options = |options: &[(&'static str, Value)]| {
            map(options.iter().map(|(name, value)| (*name, Some(value.clone()))))
        };
        let more = if self.kind == Kind::Float { &[MORE][..] } else { &[] };
        let key = |key: &Key| {
            let (class, words) = match key.class {
                Class::Told => ("told", None),
                Class::Asked => ("asked", None),
                Class::Input(words) => ("input", Some(words)),
            };
            let fields = [key.lhs, key.action, key.word, class].into_iter().chain(words);
            list(fields.map(Value::from))
        };
        let keys = self.keys.iter().chain(more).map(key);
        map([
            ("kind", Some(kind.into())),
            ("name", Some(self.name.as_str().into())),
            ("buffer", Some(options(&self.buffer))),
            ("window", Some(options(&self.window))),
            ("keys", Some(list(keys))),
            ("with", with.map(Value::from)),
            ("against", against),
            ("markdown", self.markdown.map(Value::from)),
            ("beside", self.beside.map(Value::from)),
            ("arrives", self.arrives.as_ref().map(|news| self.arrives(news))),
            ("diff", self.diff.then(|| true.into())),
        ])
    }
}
