//! The reviews of held answers that are open, and what is drawn of each.

use std::collections::{BTreeMap, HashSet};

use rmpv::Value;
use serde_json::json;

use super::{Host, Reply, Then};
use crate::fields::value;
use crate::journal::Change;
use crate::land::HeldFor;
use crate::mirror::{BufferEvent, Obstacle, ReviewView};
use crate::render::Action;
use crate::review::{EditId, Hunk};
use crate::rpc::{PanesOf, ShowOf};
use crate::session::{self, Known};
use crate::store::JobKey;
use crate::ui::review::{Picture, row_of, shown, within};
use crate::ui::{Against, proposal};

/// By job.
pub(super) type Reviews = BTreeMap<u64, OpenReview>;

/// A held answer of which is followed what is proposed.
#[derive(Default)]
pub(super) struct OpenReview {
    buffer: u64,
    /// The windows in which hunks are drawn; none: no review is open.
    pub(super) panes: Option<PanesOf>,
    /// The view with what its buffer would be, if that is open.
    diff: Option<(String, Against)>,
    /// A script has asked for the hunks.
    pub(super) is_scripted: bool,
    /// Hunks were drawn once.
    is_drawn: bool,
    /// The hunk that the cursor went to, the row, and the changedtick of the text.
    pub(super) visited: Option<(EditId, usize, u64)>,
    /// None before it was computed.
    pub(super) view: Option<ReviewView>,
    /// The hunks of the view before, and its changedtick.
    before: (u64, HashSet<EditId>),
    /// The hunks that the user sees.
    pub(super) seen: HashSet<EditId>,
    /// What waits until it is known what is proposed for the text with a changedtick, with the token of who waits.
    waiting: Vec<(u64, u64, Then)>,
}

impl OpenReview {
    /// Whether it is known what is proposed for the text with this changedtick.
    fn is_known(&self, tick: u64) -> bool {
        self.view.as_ref().is_some_and(|view| view.tick >= tick)
    }
}

impl Host {
    /// Follows what is proposed of a held answer; none where it is not held.
    pub(super) fn follow(&mut self, id: u64, buffer: u64) -> Option<&mut OpenReview> {
        if self.reviews.get(&id).is_none_or(|review| review.buffer != buffer) {
            self.watch(id, buffer)?;
        }
        let review = self.reviews.entry(id).or_default();
        review.buffer = buffer;
        Some(review)
    }

    /// Follows it no more where nobody wants to know.
    pub(super) fn unfollow(&mut self, id: u64) {
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
        let (lines, dropped) = (answer.lines(), answer.dropped.clone());
        self.feed.send_to(buffer, BufferEvent::Watch { job: id, lines, dropped });
        Some(())
    }

    /// The answer is another one.
    pub(super) fn watch_again(&mut self, id: u64) {
        if let Some(buffer) = self.reviews.get(&id).map(|review| review.buffer) {
            self.watch(id, buffer);
        }
    }

    /// The windows of a review are others, or it has ended.
    pub(super) fn panes(&mut self, panes: PanesOf) {
        let id = panes.id;
        if panes.panes.is_none() {
            self.reviews.entry(id).and_modify(|review| (review.panes, review.is_drawn) = (None, false));
            return self.unfollow(id);
        }
        if let Some(review) = self.follow(id, panes.buffer) {
            review.panes = Some(panes);
            self.show_proposed(id);
        }
    }

    /// Shows what an answer changes: of a held one what its buffer would be, once that is known; of another one what was
    /// there before, and after.
    pub(super) fn compare(&mut self, token: u64, wanted: &ShowOf) -> Reply {
        let id = wanted.id;
        if !self.session.known(id).is_some_and(Known::has_texts) {
            return Err(format!("job {id} has nothing to compare"));
        } else if self.session.answer(id).is_none() {
            return self.find_job(token, JobKey::Id(id), move |host, job| {
                host.act_on_job(token, Action::Diff, &job?)
            });
        } else if wanted.against.buffer.is_none() {
            return Err(format!("the buffer of job {id} is gone: see :Botglue edit {id}"));
        }
        let against = wanted.against.clone();
        self.once_known(token, id, wanted.at(), move |host| host.open_proposal(token, id, against));
        Ok(None)
    }

    /// Why nothing can be proposed of an answer.
    pub(super) fn why_no_hunks(&self, id: u64) -> Option<HeldFor> {
        self.reviews.get(&id)?.view.as_ref()?.hunks.as_ref().err().copied()
    }

    /// Opens the window with what the buffer of an answer would be.
    fn open_proposal(&mut self, token: u64, id: u64, against: Against) {
        if let Some(why) = self.why_no_hunks(id) {
            self.unfollow(id);
            let why = match why {
                HeldFor::RangeLost => format!("the place of job {id} is not known: see :Botglue edit {id}"),
                why => session::advice(id, Obstacle::Held(why)),
            };
            return self.reply(token, Err(why));
        }
        let Some(OpenReview { view: Some(view), .. }) = self.reviews.get(&id) else { return };
        let row = against.row.or_else(|| hunks(view).first().map(row_of));
        let against = Against { row, ..against };
        let shown = proposal(id, &against, &view.text, hunks(view), None);
        let name = self.views.screen.open("proposal", shown, token);
        self.reviews.entry(id).and_modify(|review| review.diff = Some((name, against)));
        self.show_proposed(id);
        self.reply(token, Ok(json!(null)));
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
        }
        for (_, token, _) in waiting {
            self.reply(token, Err(format!("job {id} is not held")));
        }
    }

    /// What is proposed is on the screen, in the text with this changedtick.
    pub(super) fn seen_hunks(&mut self, id: u64, tick: u64) {
        if let Some(answer) = self.session.answer(id) {
            answer.shown = Some(tick);
        }
        let Some(review) = self.reviews.get_mut(&id) else { return };
        review.is_drawn |= review.panes.is_some();
        match &review.view {
            Some(view) if view.tick == tick => review.seen = ids(view),
            _ if review.before.0 == tick => review.seen.clone_from(&review.before.1),
            _ => {}
        }
    }

    /// What is proposed of an answer is known.
    pub(super) fn reviewed(&mut self, buffer: u64, view: ReviewView) {
        let job = view.job;
        if let Some(answer) = self.session.answer(job).filter(|_| view.hunks.is_ok())
            && answer.reviewed(view.taken, view.dropped.clone())
        {
            let draft = answer.draft();
            self.store.journal.append(job, Change::Draft(draft));
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
        self.show_proposed(job);
        for (.., then) in due {
            then(self);
        }
    }

    /// Does what waits for it once it is known what is proposed for the text as it is.
    pub(super) fn once_known(
        &mut self,
        token: u64,
        id: u64,
        (buffer, tick): (u64, u64),
        then: impl FnOnce(&mut Self) + Send + 'static,
    ) {
        let Some(review) = self.follow(id, buffer) else {
            return self.reply(token, Err(format!("job {id} is not held")));
        };
        if review.is_known(tick) {
            then(self);
        } else {
            review.waiting.push((tick, token, Box::new(then)));
            self.watch(id, buffer);
        }
    }

    /// Shows what is proposed of an answer.
    pub(super) fn show_proposed(&mut self, id: u64) {
        let paint = self.paint(id).map(|paint| ("paint", paint));
        let Some(OpenReview { buffer, diff, view: Some(view), .. }) = self.reviews.get_mut(&id) else {
            return;
        };
        if let Some((name, against)) = diff {
            let why = view.hunks.as_ref().err().map(|why| session::fact(Obstacle::Held(*why)));
            let shown = proposal(id, against, &view.text, hunks(view), why);
            self.views.screen.show(name, shown);
            against.row = None;
        }
        let (buffer, seen) = (*buffer, diff.as_ref().map(|_| view.tick));
        let views = self.views.screen.calls().into_iter().map(|call| ("view", call));
        let (feed, back) = (self.feed.clone(), self.back.clone());
        self.editor.show_hunks(paint.into_iter().chain(views).collect(), move || {
            feed.send_to(buffer, BufferEvent::Drawn(id));
            if let Some(tick) = seen {
                back.then(move |host| host.seen_hunks(id, tick));
            }
        });
    }

    /// What is drawn in the windows of a review.
    fn paint(&mut self, id: u64) -> Option<Value> {
        let OpenReview { panes, view, is_drawn, visited, .. } = self.reviews.get_mut(&id)?;
        let (panes, view) = (panes.as_ref()?, view.as_ref()?);
        let all = self.session.held_ids();
        let place = (all.clone().take_while(|held| *held <= id).count(), all.count());
        let hunks = hunks(view);
        let is_in_sight = panes.sight.is_none_or(|(top, past)| !within(hunks, top, past).is_empty());
        let first = hunks.first().filter(|_| !*is_drawn && !is_in_sight);
        if let Some(first) = first {
            *visited = Some((first.id, row_of(first), view.tick));
        }
        let (agent, prompt) = self.board.about(id).unwrap_or_default();
        let warning = self.session.answer(id).and_then(|answer| answer.warning());
        let why = view.hunks.as_ref().err();
        let keys = match (hunks.is_empty(), why) {
            (true, Some(_)) => format!(":Botglue edit {id}"),
            (true, None) => format!(":Botglue accept {id}"),
            (false, _) => shown(&panes.keys),
        };
        let picture = Picture {
            place,
            agent,
            about: warning.unwrap_or(prompt),
            keys: &keys,
            note: why.map(|why| session::fact(Obstacle::Held(*why))),
            text: &view.text,
            hunks,
            gone: &view.gone,
        };
        let drawn: Vec<_> = panes.panes.iter().flatten().map(|pane| picture.pane(pane)).collect();
        let tick = why.is_none().then_some(view.tick);
        Some(value(json!({ "id": id, "tick": tick, "panes": drawn, "there": first.map(there) })))
    }
}

/// The proposed hunks.
pub(super) fn hunks(view: &ReviewView) -> &[Hunk] {
    view.hunks.as_deref().unwrap_or_default()
}

fn ids(view: &ReviewView) -> HashSet<EditId> {
    hunks(view).iter().map(|hunk| hunk.id).collect()
}

/// Where the cursor goes for a hunk.
pub(super) fn there(hunk: &Hunk) -> serde_json::Value {
    json!({ "row": row_of(hunk), "past": hunk.rows.end })
}
