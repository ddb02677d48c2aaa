//! The reviews of held answers that are open: what is drawn of each, and which hunks its keys mean.

use std::collections::{BTreeMap, HashSet};

use rmpv::Value;
use serde_json::json;

use super::Host;
use crate::land::HeldFor;
use crate::mirror::{MirrorEvent, MirrorQuery, Obstacle, ReviewQuery, ReviewView};
use crate::review::{EditId, Hunk};
use crate::rpc::{HunkKey, HunkVerb, PanesOf};
use crate::session;
use crate::ui::review::{DrawnHunk, Head, Picture, row_of, step, under, within};

/// The token of a query whose reply nobody reads.
const UNREAD: u64 = 1 << 52;

/// Makes a query about these hunks.
type Asked = fn(Option<Vec<EditId>>) -> ReviewQuery;

/// By job.
pub(super) type Reviews = BTreeMap<u64, OpenReview>;

/// An open review.
pub(super) struct OpenReview {
    panes: PanesOf,
    /// None before it was computed.
    view: Option<View>,
    /// The hunks of the view before, and its changedtick: until the newest one is drawn the user sees these.
    before: (u64, HashSet<EditId>),
    /// Keys that wait until it is known what is proposed for the text as it is, with the hunks that the user sees.
    waiting: Vec<(u64, HunkKey, HashSet<EditId>)>,
}

impl OpenReview {
    /// The hunks that were drawn for this changedtick.
    fn drawn_for(&self, tick: u64) -> HashSet<EditId> {
        match &self.view {
            Some(view) if view.tick == tick => view.ids(),
            _ if self.before.0 == tick => self.before.1.clone(),
            _ => HashSet::new(),
        }
    }
}

/// What is proposed.
struct View {
    tick: u64,
    hunks: Result<Vec<DrawnHunk>, HeldFor>,
    gone: Vec<Hunk>,
}

impl View {
    /// As the mirror tells it; of a hunk that the view before had it tells less.
    fn of(view: ReviewView, before: Option<Self>) -> Self {
        let before = before.and_then(|before| before.hunks.ok()).unwrap_or_default();
        let mut before: BTreeMap<String, DrawnHunk> =
            before.into_iter().map(|drawn| (drawn.hunk.id.to_string(), drawn)).collect();
        let drawn = |shown: crate::mirror::ShownHunk| match (
            shown.marks,
            before.remove(&shown.hunk.id.to_string()),
        ) {
            (Some(words), _) => DrawnHunk { hunk: shown.hunk, words, old: shown.old },
            (None, Some(known)) => DrawnHunk { hunk: shown.hunk, ..known },
            (None, None) => DrawnHunk { hunk: shown.hunk, words: Default::default(), old: Vec::new() },
        };
        let hunks = view.hunks.map(|hunks| hunks.into_iter().map(drawn).collect());
        Self { tick: view.tick, hunks, gone: view.gone }
    }

    fn hunks(&self) -> &[DrawnHunk] {
        self.hunks.as_deref().unwrap_or_default()
    }

    fn ids(&self) -> HashSet<EditId> {
        self.hunks().iter().map(|drawn| drawn.hunk.id).collect()
    }
}

impl Host {
    /// The windows of a review are others, or it has ended.
    pub(super) fn panes(&mut self, panes: PanesOf) {
        let id = panes.id;
        if panes.serial == 0 {
            self.reviews.remove(&id);
            return;
        }
        if let Some(review) = self.reviews.get_mut(&id) {
            review.panes = panes;
        } else {
            let (before, waiting) = ((0, HashSet::new()), Vec::new());
            self.reviews.insert(id, OpenReview { panes, view: None, before, waiting });
        }
        if let Some(paint) = self.paint(id) {
            self.editor.paint(paint);
        }
    }

    /// What is proposed of an answer is known.
    pub(super) fn reviewed(&mut self, buffer: u64, view: ReviewView) {
        let job = view.job;
        if view.hunks.is_ok() {
            self.keep_drops(job, view.taken, view.dropped.clone());
        }
        let value = view.value(buffer);
        let mut due = Vec::new();
        if let Some(review) = self.reviews.get_mut(&job) {
            if let Some(before) = &review.view {
                review.before = (before.tick, before.ids());
            }
            let view = View::of(view, review.view.take());
            let waiting = std::mem::take(&mut review.waiting);
            (due, review.waiting) = waiting.into_iter().partition(|(_, key, _)| key.tick <= view.tick);
            review.view = Some(view);
        }
        let feed = self.feed.clone();
        let paint = self.paint(job);
        self.editor.review(value, paint, move || feed.send(MirrorEvent::Drawn { buffer, job }));
        for (token, key, shown) in due {
            self.mean(token, &key, &shown);
        }
    }

    /// What is drawn in the windows of a review.
    fn paint(&self, id: u64) -> Option<Value> {
        let OpenReview { panes, view, .. } = self.reviews.get(&id)?;
        let view = view.as_ref()?;
        let (agent, prompt) = self.board.about(id).unwrap_or_default();
        let why = view.hunks.as_ref().err();
        let keys = match (view.hunks().is_empty(), why) {
            (true, Some(_)) => format!(":Botglue edit {id}"),
            (true, None) => format!(":Botglue accept {id}"),
            (false, _) => panes.keys.clone(),
        };
        let (before, all) =
            (self.session.held_ids().filter(|held| *held < id).count(), self.session.held_ids().count());
        let head = Head {
            place: (before + 1, all),
            agent: agent.to_owned(),
            prompt: prompt.to_owned(),
            keys,
            note: why.map(|why| session::reason(Obstacle::Held(*why)).held),
        };
        let picture = Picture { head: &head, hunks: view.hunks(), gone: &view.gone, row: panes.row };
        let drawn = panes.panes.iter().map(|pane| picture.pane(pane)).collect();
        let field = |name: &str, value: Value| (name.into(), value);
        Some(Value::Map(vec![
            field("id", id.into()),
            field("serial", panes.serial.into()),
            field("tick", view.tick.into()),
            field("panes", Value::Array(drawn)),
        ]))
    }

    /// The user has pressed a key in a review.
    pub(super) fn hunk_key(&mut self, token: u64, key: HunkKey) {
        let Some(review) = self.reviews.get_mut(&key.id) else {
            let error = "see :Botglue review: none is open in this buffer";
            return self.editor.reply(token, Err(error.to_owned()));
        };
        let shown = review.drawn_for(key.drawn);
        if review.view.as_ref().is_some_and(|view| view.tick == key.tick) {
            self.mean(token, &key, &shown);
        } else {
            let (id, buffer) = (key.id, key.buffer);
            review.waiting.push((token, key, shown));
            self.watch(UNREAD, id, buffer);
        }
    }

    /// Does what a key means with the hunks as they are; what was not `shown` is not taken.
    fn mean(&self, token: u64, key: &HunkKey, shown: &HashSet<EditId>) {
        let Some(view) = self.reviews.get(&key.id).and_then(|review| review.view.as_ref()) else { return };
        if let Err(why) = view.hunks {
            return self.editor.reply(token, Ok(json!({ "why": why.name() })));
        }
        let hunks: Vec<&Hunk> = view.hunks().iter().map(|drawn| &drawn.hunk).collect();
        let gone: Vec<&Hunk> = view.gone.iter().collect();
        let here = under(&hunks, key.row, key.visited.as_deref());
        let behind = |count: usize| match here {
            Some(at) => (at..at.saturating_add(count).min(hunks.len())).collect(),
            None => Vec::new(),
        };
        let (asked, meant): (Asked, Vec<usize>) = match key.verb {
            HunkVerb::Go(steps) => {
                let hunk = step(&hunks, key.row, steps, key.visited.as_deref()).map(|at| hunks[at]);
                let there = hunk.map(
                    |hunk| json!({ "row": row_of(hunk), "id": hunk.id.to_string(), "past": hunk.rows.end }),
                );
                return self.editor.reply(token, Ok(json!({ "there": there })));
            }
            HunkVerb::Take(count) => (ReviewQuery::Take, behind(count)),
            HunkVerb::Drop(count) => match under(&gone, key.row, None).filter(|_| here.is_none()) {
                Some(at) => return self.ask_review(token, key, ReviewQuery::Undrop(vec![gone[at].id])),
                None => (ReviewQuery::Drop, behind(count)),
            },
            HunkVerb::TakeIn(first, past) => (ReviewQuery::Take, within(&hunks, first, past)),
            HunkVerb::DropIn(first, past) => (ReviewQuery::Drop, within(&hunks, first, past)),
        };
        let ids: Vec<EditId> = meant.into_iter().map(|at| hunks[at].id).collect();
        if ids.is_empty() {
            self.editor.reply(token, Err("no hunk here: ]c goes to the next one".to_owned()));
        } else if !ids.iter().all(|id| shown.contains(id)) {
            self.editor.reply(token, Ok(json!({ "stale": true })));
        } else {
            self.ask_review(token, key, asked(Some(ids)));
        }
    }

    fn ask_review(&self, token: u64, key: &HunkKey, asked: ReviewQuery) {
        let question = MirrorQuery::Review { job: key.id, asked };
        self.feed.send(MirrorEvent::Query { token, buffer: key.buffer, question });
    }
}
