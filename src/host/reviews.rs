//! The reviews of held answers that are open: what is drawn of each, and which hunks its keys mean.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rmpv::Value;
use serde_json::json;

use super::Host;
use super::views::Found;
use crate::fields::bytes;
use crate::land::HeldFor;
use crate::mirror::{BufferEvent, Findings, MirrorQuery, Obstacle, ReviewQuery, ReviewView};
use crate::review::{EditId, Hunk};
use crate::rpc::{DiffOf, HunkKey, HunkVerb, PanesOf, ShowOf};
use crate::session;
use crate::ui::review::{Head, Picture, row_of, rows_to_come, shown, step, under, within};
use crate::ui::{Against, Texts, list, map, proposal};

/// The token of a query whose reply nobody reads.
const UNREAD: u64 = 1 << 52;

/// Makes a query about these hunks.
type Asked = fn(Option<Vec<EditId>>) -> ReviewQuery;

/// By job.
pub(super) type Reviews = BTreeMap<u64, OpenReview>;

/// Who is told what became of hunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// A key of the user's.
    Key,
    /// A script that accepts one.
    Script,
    /// The user, who rejects the rest of an answer.
    Reject,
}

/// A held answer of which is followed what is proposed.
#[derive(Default)]
pub(super) struct OpenReview {
    buffer: u64,
    /// The windows in which hunks are drawn; none: no review is open.
    panes: Option<PanesOf>,
    /// The view with what its buffer would be, if that is open.
    diff: Option<(String, Against)>,
    /// A script has asked for the hunks.
    is_scripted: bool,
    /// Hunks were drawn once.
    is_drawn: bool,
    /// The hunk that the cursor went to, the row, and the changedtick of the text.
    visited: Option<(EditId, usize, u64)>,
    /// None before it was computed.
    view: Option<ReviewView>,
    /// The hunks of the view before, and its changedtick.
    before: (u64, HashSet<EditId>),
    /// The hunks that the user sees.
    seen: HashSet<EditId>,
    /// What waits until it is known what is proposed for the text with a changedtick, with the token of who waits.
    waiting: Vec<(u64, u64, Waiting)>,
}

/// See [`OpenReview::waiting`].
pub(super) enum Waiting {
    /// A key, with the hunks that the user sees.
    Key(HunkKey, HashSet<EditId>),
    /// A script that wants the hunks; and Neovim's `'tabstop'`.
    Hunks(usize),
    /// A window with what the buffer would be.
    Diff(Against),
    /// The review is opened.
    Show(Box<ShowOf>),
}

impl OpenReview {
    /// Whether it is known what is proposed for the text with this changedtick.
    fn is_known(&self, tick: u64) -> bool {
        self.view.as_ref().is_some_and(|view| view.tick >= tick)
    }
}

impl Host {
    /// Follows what is proposed of a held answer; none where it is not held.
    fn follow(&mut self, id: u64, buffer: u64) -> Option<&mut OpenReview> {
        if self.reviews.get(&id).is_none_or(|review| review.buffer != buffer) {
            self.watch(id, buffer)?;
        }
        let review = self.reviews.entry(id).or_default();
        review.buffer = buffer;
        Some(review)
    }

    /// Follows it no more where nobody wants to know.
    fn unfollow(&mut self, id: u64) {
        let is_wanted =
            |review: &OpenReview| review.panes.is_some() || review.diff.is_some() || review.is_scripted;
        if let Some(review) = self.reviews.get(&id).filter(|review| !is_wanted(review)) {
            self.feed.send_to(review.buffer, BufferEvent::Unwatch(id));
            self.reviews.remove(&id);
        }
    }

    /// Has the mirror compute what is proposed of a held answer, now and after each change.
    fn watch(&mut self, id: u64, buffer: u64) -> Option<()> {
        let answer = self.session.answer(id)?;
        let asked = ReviewQuery::Watch { lines: answer.lines(), dropped: answer.dropped().to_vec() };
        let question = MirrorQuery::Review { job: id, asked };
        self.feed.send_to(buffer, BufferEvent::Query { token: UNREAD, question });
        Some(())
    }

    /// The answer is another one.
    pub(super) fn watch_again(&mut self, id: u64) {
        if let Some(buffer) = self.reviews.get(&id).map(|review| review.buffer) {
            self.watch(id, buffer);
        }
    }

    /// The windows of a review are others, or it has ended.
    pub(super) fn panes(&mut self, id: u64, panes: Option<PanesOf>) {
        let Some(panes) = panes else {
            if let Some(review) = self.reviews.get_mut(&id) {
                (review.panes, review.is_drawn) = (None, false);
            }
            return self.unfollow(id);
        };
        if let Some(review) = self.follow(id, panes.buffer) {
            review.panes = Some(panes);
            self.show_proposed(id, None);
        }
    }

    /// Shows what an answer changes: of a held one what its buffer would be, once that is known; of a landed one what was
    /// there before, and after.
    pub(super) fn compare(&mut self, token: u64, wanted: &ShowOf, diff: &DiffOf) {
        let id = wanted.id;
        if self.session.answer(id).is_none() {
            let Some((before, after)) = diff.landed.clone() else {
                return self.draw(Some((token, Err(format!("job {id} has nothing to compare")))));
            };
            let filetype = wanted.filetype.clone();
            let texts = Texts { name: format!("job {id}"), before, after, filetype };
            self.views.screen.open_both("compare", texts.views(), token);
            return self.draw(Some((token, Ok(json!(null)))));
        }
        let lacks = match wanted.obstacle {
            Some(HeldFor::BufferGone) => "buffer of job {id} is gone",
            Some(HeldFor::RangeLost) => "place of job {id} is not known",
            _ => {
                return self.once_known(token, id, wanted.at, Waiting::Diff(diff.against.clone()));
            }
        };
        let lacks = lacks.replace("{id}", &id.to_string());
        self.draw(Some((token, Err(format!("the {lacks}: see :Botglue edit {id}")))));
    }

    /// Opens the window with what the buffer of an answer would be.
    fn open_proposal(&mut self, token: u64, id: u64, against: Against) {
        let Some(OpenReview { view: Some(view), .. }) = self.reviews.get(&id) else { return };
        if let Err(why) = view.hunks {
            self.unfollow(id);
            let why = session::advice(id, Obstacle::Held(why));
            return self.draw(Some((token, Err(why))));
        }
        let shown = proposal(id, &against, &view.text, hunks(view), None);
        let name = self.views.screen.open("proposal", shown, token);
        if let Some(review) = self.reviews.get_mut(&id) {
            review.diff = Some((name, against));
        }
        self.show_proposed(id, Some((token, Ok(json!(null)))));
    }

    /// Opens the review of an answer of which it is known what is proposed; the answer alone where nothing can be.
    fn open_review(&mut self, token: u64, wanted: &ShowOf) {
        let view = self.reviews.get(&wanted.id).and_then(|review| review.view.as_ref());
        match view.and_then(|view| view.hunks.as_ref().err()).copied() {
            Some(why) => {
                self.unfollow(wanted.id);
                self.show(token, &ShowOf { obstacle: Some(why), ..wanted.clone() });
            }
            None => self.draw(Some((token, Ok(json!({ "is_hunks": true }))))),
        }
    }

    /// A view is gone: it may have been that of a proposal.
    pub(super) fn closed_proposal(&mut self, view: &str) {
        let is_it = |review: &OpenReview| review.diff.as_ref().is_some_and(|(name, _)| name == view);
        if let Some((id, review)) = self.reviews.iter_mut().find(|(_, review)| is_it(review)) {
            let id = *id;
            review.diff = None;
            self.unfollow(id);
        }
    }

    /// The answer is decided.
    pub(super) fn end_review(&mut self, id: u64) {
        let Some(OpenReview { waiting, diff, .. }) = self.reviews.remove(&id) else { return };
        if let Some((view, _)) = diff {
            self.views.screen.close(&view);
            self.draw(None);
        }
        for (_, token, _) in waiting {
            self.editor.reply(token, Err(format!("job {id} is not held")));
        }
    }

    /// What is proposed is on the screen, in the text with this changedtick.
    pub(super) fn seen_hunks(&mut self, id: u64, tick: u64) {
        if let Some(answer) = self.session.answer(id) {
            answer.show(tick);
        }
        let Some(review) = self.reviews.get_mut(&id) else { return };
        review.is_drawn |= review.panes.is_some();
        match &review.view {
            Some(view) if view.tick == tick => review.seen = ids(view),
            _ if review.before.0 == tick => review.seen.clone_from(&review.before.1),
            _ => {}
        }
    }

    /// Shows once more what is proposed, so that it counts as seen.
    pub(super) fn show_again(&mut self, id: u64) {
        self.show_proposed(id, None);
    }

    /// What is proposed of an answer is known.
    pub(super) fn reviewed(&mut self, buffer: u64, view: ReviewView) {
        let job = view.job;
        if view.hunks.is_ok() {
            self.keep_drops(job, view.taken, view.dropped.clone());
        }
        let Some(review) = self.reviews.get_mut(&job) else {
            return self.feed.send_to(buffer, BufferEvent::Drawn(job));
        };
        if let Some(before) = &review.view {
            review.before = (before.tick, ids(before));
        }
        // Without hunks no text has a changedtick that could be the view's.
        let has_none = view.hunks.is_err();
        review.view = Some(view);
        let waiting = std::mem::take(&mut review.waiting);
        let is_due = |tick: u64| has_none || review.is_known(tick);
        let (due, waiting) = waiting.into_iter().partition(|(tick, ..)| is_due(*tick));
        review.waiting = waiting;
        self.show_proposed(job, None);
        for (_, token, waiting) in due {
            self.go_on(token, job, waiting);
        }
    }

    /// Does what waits for it once it is known what is proposed for the text as it is.
    pub(super) fn once_known(&mut self, token: u64, id: u64, (buffer, tick): (u64, u64), waiting: Waiting) {
        let Some(review) = self.follow(id, buffer) else {
            return self.editor.reply(token, Err(format!("job {id} is not held")));
        };
        if review.is_known(tick) {
            self.go_on(token, id, waiting);
        } else {
            review.waiting.push((tick, token, waiting));
            self.watch(id, buffer);
        }
    }

    fn go_on(&mut self, token: u64, id: u64, waiting: Waiting) {
        match waiting {
            Waiting::Key(key, shown) => self.mean(token, &key, &shown),
            Waiting::Hunks(tabstop) => self.tell_hunks(token, id, tabstop),
            Waiting::Diff(against) => self.open_proposal(token, id, against),
            Waiting::Show(wanted) => self.open_review(token, &wanted),
        }
    }

    /// Shows what is proposed of an answer, then replies to a question.
    fn show_proposed(&mut self, id: u64, reply: Option<(u64, Result<serde_json::Value, String>)>) {
        let paint = self.paint(id).map(|paint| ("paint", paint));
        let Some(OpenReview { buffer, diff, view: Some(view), .. }) = self.reviews.get_mut(&id) else {
            return;
        };
        if let Some((name, against)) = diff {
            let why = view.hunks.as_ref().err().map(|why| session::held_words(*why));
            let shown = proposal(id, against, &view.text, hunks(view), why);
            self.views.screen.show(name, shown);
            against.row = None;
        }
        let (buffer, seen) = (*buffer, diff.as_ref().map(|_| Found::Proposed { id, tick: view.tick }));
        let views = self.views.screen.calls().into_iter().map(|call| ("view", call));
        let (feed, tell) = (self.feed.clone(), Arc::clone(&self.views.tell));
        self.editor.show_hunks(paint.into_iter().chain(views).collect(), reply, move || {
            feed.send_to(buffer, BufferEvent::Drawn(id));
            if let Some(seen) = seen {
                tell(seen);
            }
        });
    }

    /// Replies with the hunks, once they are known for the text as it is.
    pub(super) fn hunks(&mut self, token: u64, (id, buffer): (u64, u64), tick: u64, tabstop: usize) {
        if let Some(review) = self.follow(id, buffer) {
            review.is_scripted = true;
        }
        self.once_known(token, id, (buffer, tick), Waiting::Hunks(tabstop));
    }

    fn tell_hunks(&self, token: u64, id: u64, tabstop: usize) {
        let Some(view) = self.reviews.get(&id).and_then(|review| review.view.as_ref()) else { return };
        let hunk = |hunk: &Hunk| {
            let lines = rows_to_come(&view.text, hunk, tabstop);
            let lines: Vec<_> = lines.iter().map(|line| bytes::escape(line)).collect();
            let (rows, is_conflict) = (&hunk.rows, hunk.conflict.is_some());
            json!({ "first": rows.start + 1, "last": rows.end, "lines": lines, "conflict": is_conflict })
        };
        let hunks: Vec<_> = hunks(view).iter().map(hunk).collect();
        self.editor.reply(token, Ok(json!({ "tick": view.tick, "hunks": hunks })));
    }

    /// Takes a hunk that a script was told.
    pub(super) fn take_hunk(&mut self, token: u64, (id, buffer): (u64, u64), hunk: usize, ticks: (u64, u64)) {
        let view = self.reviews.get(&id).and_then(|review| review.view.as_ref());
        let (told, now) = ticks;
        let meant = match view.filter(|view| view.tick == told && told == now) {
            _ if self.session.answer(id).is_none() => Err(format!("job {id} is not held")),
            None => Err(format!("get the hunks of job {id} again: the text has changed since")),
            Some(view) => {
                let meant = hunk.checked_sub(1).and_then(|at| hunks(view).get(at));
                meant.map(|hunk| hunk.id).ok_or_else(|| format!("job {id} has no hunk {hunk}"))
            }
        };
        match meant {
            Ok(meant) => {
                self.ask_review(token, Asker::Script, (id, buffer), ReviewQuery::Take(Some(vec![meant])));
            }
            Err(sentence) => self.editor.reply(token, Err(sentence)),
        }
    }

    /// A mirror has replied.
    pub(super) fn replied(&mut self, token: u64, findings: &Findings) {
        let Some((id, asker)) = self.askers.remove(&token) else {
            if token != UNREAD {
                let view = if let Ok(Some(view)) = findings { view.fields() } else { Vec::new() };
                self.editor.found(token, view);
            }
            return;
        };
        let Err(why) = *findings else { return self.editor.reply(token, Ok(json!({}))) };
        let sentence = match (asker, why) {
            (Asker::Key, Obstacle::Stale) => return self.tell_stale(token),
            (Asker::Script, Obstacle::Stale) => format!("job {id} cannot be accepted: the text has changed"),
            (Asker::Key, _) => format!("nothing was done: {}", session::advice(id, why)),
            (Asker::Script, _) => format!("job {id} cannot be accepted: {}", session::advice(id, why)),
            (Asker::Reject, _) => format!("job {id} cannot be rejected: {}", session::advice(id, why)),
        };
        self.editor.reply(token, Err(sentence));
    }

    /// What the user saw is not what is proposed.
    fn tell_stale(&self, token: u64) {
        self.editor.warn("the text has changed, nothing was done: these are the hunks now".to_owned());
        self.editor.reply(token, Ok(json!({})));
    }

    /// Asks a mirror for something to be done with hunks.
    pub(super) fn ask_review(
        &mut self,
        token: u64,
        asker: Asker,
        (job, buffer): (u64, u64),
        query: ReviewQuery,
    ) {
        self.askers.insert(token, (job, asker));
        let question = MirrorQuery::Review { job, asked: query };
        self.feed.send_to(buffer, BufferEvent::Query { token, question });
    }

    /// What is drawn in the windows of a review.
    fn paint(&mut self, id: u64) -> Option<Value> {
        let OpenReview { panes, view, is_drawn, visited, .. } = self.reviews.get_mut(&id)?;
        let (panes, view) = (panes.as_ref()?, view.as_ref()?);
        let hunks = hunks(view);
        let is_in_sight = panes.sight.is_none_or(|(top, past)| !within(hunks, top, past).is_empty());
        let first = hunks.first().filter(|_| !*is_drawn && !is_in_sight);
        if let Some(first) = first {
            *visited = Some((first.id, row_of(first), view.tick));
        }
        let (agent, prompt) = self.board.about(id).unwrap_or_default();
        let why = view.hunks.as_ref().err();
        let keys = match (hunks.is_empty(), why) {
            (true, Some(_)) => format!(":Botglue edit {id}"),
            (true, None) => format!(":Botglue accept {id}"),
            (false, _) => shown(&panes.keys),
        };
        let (before, all) =
            (self.session.held_ids().filter(|held| *held < id).count(), self.session.held_ids().count());
        let head = Head {
            place: (before + 1, all),
            agent: agent.to_owned(),
            prompt: prompt.to_owned(),
            keys,
            note: why.map(|why| session::held_words(*why)),
        };
        let picture = Picture { head: &head, text: &view.text, hunks, gone: &view.gone };
        let drawn = panes.panes.iter().map(|pane| picture.pane(pane));
        Some(map([
            ("id", Some(id.into())),
            ("tick", why.is_none().then(|| view.tick.into())),
            ("panes", Some(list(drawn))),
            ("there", first.map(there)),
        ]))
    }

    /// The user has pressed a key in a review.
    pub(super) fn hunk_key(&mut self, token: u64, key: HunkKey) {
        let review = self.reviews.get(&key.id).filter(|review| review.panes.is_some());
        if let Some(seen) = review.map(|review| review.seen.clone()) {
            self.once_known(token, key.id, (key.buffer, key.tick), Waiting::Key(key, seen));
        } else {
            let error = "see :Botglue review: none is open in this buffer";
            self.editor.reply(token, Err(error.to_owned()));
        }
    }

    /// Does what a key means with the hunks as they are; what was not `shown` is not taken.
    fn mean(&mut self, token: u64, key: &HunkKey, shown: &HashSet<EditId>) {
        let Some(OpenReview { view: Some(view), visited, .. }) = self.reviews.get_mut(&key.id) else {
            return;
        };
        if let Err(why) = view.hunks {
            let why = session::advice(key.id, Obstacle::Held(why));
            return self.editor.reply(token, Err(format!("nothing was done: {why}")));
        }
        let (hunks, gone) = (hunks(view), &view.gone);
        let went = visited.filter(|(_, row, tick)| (*row, *tick) == (key.row, key.tick)).map(|(id, ..)| id);
        let here = under(hunks, key.row, went);
        if let HunkVerb::Go(way) = key.verb {
            let steps = i64::try_from(key.count).unwrap_or(i64::MAX).saturating_mul(way);
            let hunk = step(hunks, key.row, steps, went).map(|at| &hunks[at]);
            *visited = hunk.map(|hunk| (hunk.id, row_of(hunk), view.tick));
            if hunk.is_none() {
                let way = if way > 0 { "below" } else { "above" };
                self.editor.warn(format!("no hunk {way}"));
            }
            let there = hunk.map(|hunk| ("there".into(), there(hunk)));
            return self.editor.found(token, there.into_iter().collect());
        }
        let asked: Asked = match key.verb {
            HunkVerb::Take | HunkVerb::Go(_) => ReviewQuery::Take,
            HunkVerb::Both => ReviewQuery::Both,
            HunkVerb::Drop => ReviewQuery::Drop,
        };
        let meant: Vec<usize> = match (key.lines, here) {
            (Some((first, past)), _) => within(hunks, first, past),
            (None, Some(at)) => (at..at.saturating_add(key.count).min(hunks.len())).collect(),
            (None, None)
                if key.verb == HunkVerb::Drop
                    && let Some(at) = under(gone, key.row, None) =>
            {
                let undrop = ReviewQuery::Undrop(vec![gone[at].id]);
                return self.ask_review(token, Asker::Key, (key.id, key.buffer), undrop);
            }
            (None, None) => Vec::new(),
        };
        let ids: Vec<EditId> = meant.into_iter().map(|at| hunks[at].id).collect();
        if ids.is_empty() {
            self.editor.reply(token, Err("no hunk here: ]c goes to the next one".to_owned()));
        } else if !ids.iter().all(|id| shown.contains(id)) {
            self.tell_stale(token);
        } else {
            self.ask_review(token, Asker::Key, (key.id, key.buffer), asked(Some(ids)));
        }
    }
}

/// The proposed hunks.
fn hunks(view: &ReviewView) -> &[Hunk] {
    view.hunks.as_deref().unwrap_or_default()
}

fn ids(view: &ReviewView) -> HashSet<EditId> {
    hunks(view).iter().map(|hunk| hunk.id).collect()
}

/// Where the cursor goes for a hunk.
fn there(hunk: &Hunk) -> Value {
    map([("row", Some(row_of(hunk).into())), ("past", Some(hunk.rows.end.into()))])
}
