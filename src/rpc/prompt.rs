//! What happens in the prompt that is being typed.

use serde::{Deserialize, Deserializer};

use crate::command::Here;
use crate::fields::{self, bytes, cells};
use crate::request::{OpenBuffer, Resume};
use crate::ui::prompt::{About, Begin, Chosen, Mode, Typed, Way};
use crate::view::{self, Viewer};

/// Something that has happened in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct PromptMessage {
    /// The prompt.
    pub id: u64,
    /// It is new, to this host at least: where it is asked for, and what is known of it.
    #[serde(default, deserialize_with = "about")]
    pub about: Option<(Here, About)>,
    /// As the user sees it now.
    #[serde(default, deserialize_with = "typed")]
    pub typed: Option<Typed>,
    /// What a key is to do.
    pub key: Option<String>,
}

/// What the plugin says of a prompt.
#[derive(Deserialize)]
struct AboutOf {
    #[serde(flatten)]
    here: Here,
    project: String,
    #[serde(default)]
    path: String,
    name: Option<String>,
    cwd: String,
    agent: Option<String>,
    model: Option<String>,
    #[serde(default)]
    is_insertion: bool,
    #[serde(default)]
    question: bool,
    #[serde(default)]
    review: bool,
    resume: Option<Resume>,
    /// What the user has chosen in it, as an earlier host has said.
    chosen: Option<ChosenOf>,
    draft: Option<Chosen>,
    proposal: Option<String>,
    #[serde(default)]
    drafts: Vec<DraftOf>,
    #[serde(default)]
    buffers: Vec<OpenBuffer>,
}

#[derive(Deserialize)]
struct ChosenOf {
    #[serde(flatten)]
    chosen: Chosen,
    #[serde(default)]
    question: bool,
    #[serde(default)]
    review: bool,
    resume: Option<Resume>,
}

#[derive(Deserialize)]
struct DraftOf {
    text: String,
}

fn about<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(Here, About)>, D::Error> {
    let of = AboutOf::deserialize(deserializer)?;
    let viewer = Viewer { cwd: of.project, home: String::new() };
    let has_session = of.resume.is_some();
    // What an earlier host has said of it counts, not what it was asked for with.
    let (asks, holds, goes_on) = match &of.chosen {
        Some(ChosenOf { question, review, resume, .. }) => (*question, *review, resume.is_some()),
        None => (of.question, of.review, has_session),
    };
    let way = match (asks, holds) {
        (true, _) => Way::Ask,
        (false, true) => Way::Hold,
        // A session that it was not asked for with was chosen.
        (false, false) if goes_on && !has_session => Way::FollowUp,
        (false, false) => Way::Land,
    };
    let is_again = of.chosen.is_some();
    let draft = of.chosen.map(|chosen| chosen.chosen).or(of.draft);
    let (own, mut buffers) = (of.here.buffer, of.buffers);
    // The agent has the one that the prompt is for.
    buffers.iter_mut().filter(|buffer| buffer.number == own).for_each(|buffer| buffer.name = None);
    let about = About {
        place: view::file(&of.path, of.name.as_deref(), &viewer),
        project: viewer.cwd,
        is_insertion: of.is_insertion,
        way,
        begin: Begin { agent: of.agent, model: of.model, has_session, is_again, draft, last: None },
        proposal: of.proposal,
        recent: of.drafts.into_iter().rev().map(|draft| draft.text).collect(),
        cwd: fields::path(&of.cwd),
        resume: of.resume,
        writer: None,
        buffers,
    };
    Ok(Some((of.here, about)))
}

/// The text of a prompt, and how it is seen.
#[derive(Deserialize)]
struct TypedOf {
    tick: u64,
    text: String,
    #[serde(deserialize_with = "cells")]
    row: usize,
    #[serde(deserialize_with = "cells")]
    column: usize,
    mode: String,
    #[serde(deserialize_with = "cells")]
    width: usize,
    #[serde(default)]
    lines: Vec<u64>,
}

fn typed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Typed>, D::Error> {
    let TypedOf { tick, text, row, column, mode, width, lines } = TypedOf::deserialize(deserializer)?;
    let bytes = bytes::unescape(text.split('\n').nth(row).unwrap_or_default());
    let before = String::from_utf8_lossy(bytes.get(..column).unwrap_or(&bytes)).into_owned();
    let mode = match mode.chars().next() {
        Some('i' | 'R') => Mode::Insert,
        Some('s' | 'S' | '\x13') => Mode::Select,
        _ => Mode::Normal,
    };
    let lines = lines.first().copied().zip(lines.get(1).copied());
    Ok(Some(Typed { tick, text, row, before, column, mode, width, lines }))
}
