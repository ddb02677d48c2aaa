//! What a key or a script does with the hunks of a held answer: which of them are meant, and who hears what became of it.

use std::collections::HashSet;

use serde_json::json;

use super::Host;
use super::reviews::{OpenReview, hunks, there};
use crate::fields::bytes;
use crate::mirror::{BufferEvent, Findings, HunkAct, Intent, Obstacle};
use crate::review::{EditId, Hunk};
use crate::rpc::{HunkKey, HunkVerb, RowsOf};
use crate::session;
use crate::ui::review::{row_of, rows_to_come, step, under, within};

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

impl Host {
    /// Replies with the hunks, once they are known for the text as it is.
    pub(super) fn hunks(&mut self, token: u64, (id, buffer): (u64, u64), tick: u64, tabstop: usize) {
        if let Some(review) = self.follow(id, buffer) {
            review.is_scripted = true;
        }
        self.once_known(token, id, (buffer, tick), move |host| {
            let Some(view) = host.reviews.get(&id).and_then(|review| review.view.as_ref()) else { return };
            let hunk = |hunk: &Hunk| {
                let lines = rows_to_come(&view.text, hunk, tabstop);
                let lines: Vec<_> = lines.iter().map(|line| bytes::escape(line)).collect();
                let (rows, is_conflict) = (&hunk.rows, hunk.conflict.is_some());
                json!({ "first": rows.start + 1, "last": rows.end, "lines": lines, "conflict": is_conflict })
            };
            let hunks: Vec<_> = hunks(view).iter().map(hunk).collect();
            host.replies.push((token, Ok(json!({ "tick": view.tick, "hunks": hunks }))));
        });
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
                self.ask_review(token, Asker::Script, (id, buffer), HunkAct::Take, Some(vec![meant]));
            }
            Err(sentence) => self.reply(token, Err(sentence)),
        }
    }

    /// A mirror has replied.
    pub(super) fn replied(&mut self, token: u64, findings: &Findings) {
        let Some((id, asker)) = self.askers.remove(&token) else {
            return self.reply(token, Ok(findings.clone().unwrap_or_default()));
        };
        let Err(why) = *findings else { return self.decided(token, Ok(json!({}))) };
        let sentence = match (asker, why) {
            (Asker::Key, Obstacle::Stale) => return self.tell_stale(token),
            (Asker::Script, Obstacle::Stale) => format!("job {id} cannot be accepted: the text has changed"),
            (Asker::Key, _) => format!("nothing was done: {}", session::advice(id, why)),
            (Asker::Script, _) => session::refusal(id, "accepted", why),
            (Asker::Reject, _) => session::refusal(id, "rejected", why),
        };
        self.decided(token, Err(sentence));
    }

    /// What the user saw is not what is proposed.
    fn tell_stale(&mut self, token: u64) {
        self.editor.warn("the text has changed, nothing was done: these are the hunks now".to_owned());
        self.reply(token, Ok(json!({})));
    }

    /// Has something done with hunks of an answer, with all where none is named.
    pub(super) fn ask_review(
        &mut self,
        token: u64,
        asker: Asker,
        (job, buffer): (u64, u64),
        act: HunkAct,
        hunks: Option<Vec<EditId>>,
    ) {
        if let Err(why) = self.session.is_saved(job) {
            return self.reply(token, Err(why));
        }
        self.askers.insert(token, (job, asker));
        let intent = Intent::Hunks { act, hunks, token };
        self.feed.send_to(buffer, BufferEvent::Want { job, intent });
    }

    /// The user has pressed a key in a review.
    pub(super) fn hunk_key(&mut self, token: u64, key: HunkKey) {
        let review = self.reviews.get(&key.id).filter(|review| review.panes.is_some());
        if let Some(seen) = review.map(|review| review.seen.clone()) {
            let at = (key.buffer, key.tick);
            self.once_known(token, key.id, at, move |host| host.mean(token, &key, &seen));
        } else {
            let error = "no review is open in this buffer: see :Botglue review";
            self.reply(token, Err(error.to_owned()));
        }
    }

    /// Does what a key means with the hunks as they are; what was not `shown` is not taken.
    pub(super) fn mean(&mut self, token: u64, key: &HunkKey, shown: &HashSet<EditId>) {
        let Some(OpenReview { view: Some(view), visited, .. }) = self.reviews.get_mut(&key.id) else {
            return;
        };
        if let Err(why) = view.hunks {
            let why = session::advice(key.id, Obstacle::Held(why));
            return self.replies.push((token, Err(format!("nothing was done: {why}"))));
        }
        let (hunks, gone) = (hunks(view), &view.gone);
        let went = visited.filter(|(_, row, tick)| (*row, *tick) == (key.row, key.tick)).map(|(id, ..)| id);
        let here = under(hunks, key.row, went);
        let count = key.count.max(1);
        if let HunkVerb::Next | HunkVerb::Previous = key.verb {
            let way = if key.verb == HunkVerb::Next { 1 } else { -1 };
            let steps = i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(way);
            let hunk = step(hunks, key.row, steps, went).map(|at| &hunks[at]);
            *visited = hunk.map(|hunk| (hunk.id, row_of(hunk), view.tick));
            if hunk.is_none() {
                let way = if way > 0 { "below" } else { "above" };
                self.editor.warn(format!("no hunk {way}"));
            }
            return self.replies.push((token, Ok(json!({ "there": hunk.map(there) }))));
        }
        let act = match key.verb {
            HunkVerb::Both => HunkAct::TakeBoth,
            HunkVerb::Drop => HunkAct::Drop,
            _ => HunkAct::Take,
        };
        let meant: Vec<usize> = match (key.range, here) {
            (Some(RowsOf { first, past }), _) => within(hunks, first, past),
            (None, Some(at)) => (at..at.saturating_add(count).min(hunks.len())).collect(),
            (None, None)
                if key.verb == HunkVerb::Drop
                    && let Some(at) = under(gone, key.row, None) =>
            {
                let back = Some(vec![gone[at].id]);
                return self.ask_review(token, Asker::Key, (key.id, key.buffer), HunkAct::Undrop, back);
            }
            (None, None) => Vec::new(),
        };
        let ids: Vec<EditId> = meant.into_iter().map(|at| hunks[at].id).collect();
        if ids.is_empty() {
            self.replies.push((token, Err("no hunk here: ]c goes to the next one".to_owned())));
        } else if !ids.iter().all(|id| shown.contains(id)) {
            self.tell_stale(token);
        } else {
            self.ask_review(token, Asker::Key, (key.id, key.buffer), act, Some(ids));
        }
    }
}
