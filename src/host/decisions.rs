//! The user's decisions on answers, and what they make of held ones.

use serde_json::json;

use super::Host;
use crate::journal::{Change, Landed};
use crate::land::Bytes;
use crate::mirror::{Intent, MirrorEvent, MirrorQuery, ReviewQuery};
use crate::request::bytes;
use crate::review::EditId;
use crate::session::{Decision, Patch, Verdict};

impl Host {
    /// Takes a decision; who asks has the token, and gets the reply once it is known whether the decision is possible.
    pub(super) fn decide(&mut self, token: u64, id: u64, buffer: Option<u64>, decision: Decision) {
        let verdict = match self.session.decide(id, &decision, buffer.is_some(), token) {
            Ok(verdict) => verdict,
            Err(sentence) => return self.editor.reply(token, Err(sentence)),
        };
        let buffer = buffer.unwrap_or_default();
        let intent = match (verdict, decision) {
            (Verdict::Settled(landing), _) => return self.end_by_user(token, id, landing),
            (Verdict::DropRest, _) => {
                let question = MirrorQuery::Review { job: id, asked: ReviewQuery::Drop(None) };
                return self.feed.send(MirrorEvent::Query { token, buffer, question });
            }
            (Verdict::Revert, _) => Intent::Revert,
            (Verdict::Land(lines, _), Decision::Put { rows, tick }) => Intent::Put { rows, tick, lines },
            (Verdict::Land(lines, dropped), Decision::Accept { shown }) => {
                Intent::Accept { lines, dropped, shown }
            }
            (Verdict::Land(..), Decision::Reject { .. } | Decision::Revert) => return,
        };
        self.feed.send(MirrorEvent::Want { buffer, job: id, intent });
    }

    /// The answer ends so, by the user's word alone.
    fn end_by_user(&mut self, token: u64, id: u64, landing: &str) {
        tracing::info!(job = id, landing, "decided");
        self.feed.send(MirrorEvent::Ended { job: id });
        let landed = Landed { landing: landing.to_owned(), ..Landed::default() };
        self.store.journal.append(id, Change::Landed(landed));
        self.views.is_past_stale = true;
        let (patch, _) = self.session.settled(id, landing, None);
        if let Some(patch) = patch {
            self.tell(patch);
        }
        self.editor.reply(token, Ok(json!({})));
    }

    /// Has the mirror compute what is proposed of a held answer, now and after each change.
    pub(super) fn watch(&mut self, token: u64, id: u64, buffer: u64) {
        let Some(answer) = self.session.answer(id) else {
            return self.editor.reply(token, Err(format!("job {id} is not held")));
        };
        let asked = ReviewQuery::Watch { lines: answer.lines(), dropped: answer.dropped().to_vec() };
        let question = MirrorQuery::Review { job: id, asked };
        self.feed.send(MirrorEvent::Query { token, buffer, question });
    }

    /// Replies with the lines of a held answer, and what is typed in its buffer.
    pub(super) fn answer(&mut self, token: u64, id: u64) {
        let escaped = |rows: &[Bytes]| rows.iter().map(|row| bytes::escape(row)).collect::<Vec<_>>();
        let reply = match self.session.answer(id) {
            Some(answer) => {
                Ok(json!({ "lines": escaped(&answer.lines()), "typed": answer.typed().map(escaped) }))
            }
            None => Err(format!("job {id} is not held")),
        };
        self.editor.reply(token, reply);
    }

    /// The user has saved a held answer, or typed in it.
    pub(super) fn edit(&mut self, id: u64, lines: Option<Vec<Bytes>>, is_saved: bool) {
        let Some(answer) = self.session.answer(id) else { return };
        let shown = answer.review_as();
        match lines {
            Some(lines) if is_saved => answer.edit(lines),
            typed => answer.type_in(typed),
        }
        let (draft, review_as) = (answer.draft(), answer.review_as());
        self.store.journal.append(id, Change::Draft(draft));
        if is_saved {
            let patch = Patch::new(id).with("review_as", review_as).with("shown", rmpv::Value::Nil);
            self.tell(if review_as == shown { patch } else { patch.as_update() });
        }
    }

    /// What is taken and dropped of a held answer by now.
    pub(super) fn keep_drops(&mut self, id: u64, taken: usize, dropped: Vec<Vec<EditId>>) {
        let Some(answer) = self.session.answer(id) else { return };
        if answer.reviewed(taken, dropped) {
            let draft = answer.draft();
            self.store.journal.append(id, Change::Draft(draft));
        }
    }
}
