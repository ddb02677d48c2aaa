//! The user's decisions on answers, and what they make of held ones.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::hunks::Asker;
use super::{Host, Reply};
use crate::fields::bytes;
use crate::journal::Change;
use crate::land::{Bytes, HeldFor};
use crate::mirror::{BufferEvent, HunkAct, MirrorEvent, Obstacle};
use crate::render::BETWEEN;
use crate::rpc::{AcceptOf, Act, OfJob, ShowOf};
use crate::session::{self, Decision, HeldAnswer, OF_SEVERAL, Patch, ShownAs, Verdict};
use crate::stream::Outcome;
use crate::ui;

/// Decisions on several answers that were asked for at once.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The tokens of those of which it is not known what becomes of them.
    open: BTreeSet<u64>,
    count: u64,
    refused: u64,
}

impl Host {
    /// Takes a decision on all of these answers in a buffer; where one is impossible, the answer stays held. All is said in
    /// one message.
    pub(super) fn decide_all(&mut self, ids: &[u64], buffer: u64, decision: &Decision) {
        for id in ids {
            // A conflict that was shown for this answer alone is one all the same.
            self.session.answer(*id).into_iter().for_each(|answer| answer.shown = None);
            self.tally.count += 1;
            let token = OF_SEVERAL + self.tally.count;
            self.tally.open.insert(token);
            self.decide(token, *id, Some(buffer), decision.clone());
        }
    }

    /// It is known what becomes of a decision.
    pub(super) fn decided(&mut self, token: u64, reply: Result<Value, String>) {
        let Tally { open, count, refused } = &mut self.tally;
        if !open.remove(&token) {
            return self.reply(token, reply);
        }
        *refused += u64::from(reply.is_err());
        if open.is_empty() {
            if *refused > 0 {
                let words = format!("{refused} of {count} answers stay held, :Botglue review shows why");
                self.editor.warn(words);
            }
            self.tally = Tally::default();
        }
    }

    /// Accepts an answer, or a hunk of it.
    pub(super) fn accept_answer(&mut self, token: u64, wanted: AcceptOf) {
        let AcceptOf { of: OfJob { id, buffer }, shows, hunk, range, told, tick } = wanted;
        let decision = match (hunk, range) {
            (Some(hunk), _) => {
                return self.take_hunk(token, (id, buffer.unwrap_or_default()), hunk, (told, tick));
            }
            (None, Some((first, last))) => {
                let first = first.saturating_sub(1);
                Decision::Put { rows: first..last.max(first), tick }
            }
            (None, None) => Decision::Accept { shows },
        };
        self.decide(token, id, buffer, decision);
    }

    /// Takes a decision; who asks has the token, and gets the reply once it is known whether the decision is possible.
    pub(super) fn decide(&mut self, token: u64, id: u64, buffer: Option<u64>, decision: Decision) {
        let verdict = match self.session.decide(id, decision, buffer.is_some(), token) {
            Ok(verdict) => verdict,
            Err(sentence) => return self.decided(token, Err(sentence)),
        };
        let buffer = buffer.unwrap_or_default();
        match verdict {
            Verdict::Settled(landing) => self.end_by_user(token, id, landing),
            Verdict::DropRest => {
                self.ask_review(token, Asker::Reject, (id, buffer), HunkAct::Drop, None);
            }
            Verdict::Want(intent) => self.feed.send_to(buffer, BufferEvent::Want { job: id, intent }),
            Verdict::InAdvance => self.reject_in_advance(token, id),
        }
    }

    /// A job is rejected whose agent has not ended: one that waits never starts, of one that runs nothing lands.
    fn reject_in_advance(&mut self, token: u64, id: u64) {
        tracing::info!(job = id, "rejected in advance");
        if let Some(waiting) = self.jobs.take_waiting(id) {
            self.end_unstarted(&waiting, &Outcome::default());
        }
        self.board.touch(id);
        self.decided(token, Ok(json!({})));
    }

    /// The answer ends so, by the user's word alone.
    fn end_by_user(&mut self, token: u64, id: u64, landing: &str) {
        tracing::info!(job = id, landing, "decided");
        self.feed.send(MirrorEvent::Ended { job: id });
        self.keep_landing(id, landing);
        self.views.is_past_stale = true;
        let (patch, _) = self.session.settled(id, landing, None);
        self.tell(patch);
        self.end_review(id);
        self.decided(token, Ok(json!({})));
    }

    /// What is to be opened of a held answer: its hunks, its text, or its blocks.
    pub(super) fn show(&mut self, token: u64, wanted: &ShowOf) -> Reply {
        let id = wanted.id;
        if wanted.is_diff {
            return self.compare(token, wanted);
        }
        let answer = self.session.answer(id).ok_or_else(|| format!("job {id} is not held"))?;
        let shown_as = if wanted.is_text { ShownAs::Text } else { answer.shown_as() };
        let blocks = answer.blocks(&wanted.against.filetype).filter(|_| shown_as == ShownAs::Blocks);
        if let Some((text, blocks)) = blocks.filter(|(_, blocks)| !blocks.is_empty()) {
            self.views.screen.open("blocks", ui::blocks(id, text, blocks), token);
            return Ok(Some(Value::Null));
        } else if wanted.against.buffer.is_none() {
            return Ok(Some(shown(answer, id, Some(HeldFor::BufferGone))));
        }
        let is_hunks = shown_as == ShownAs::Hunks;
        self.once_known(token, id, wanted.at(), move |host| {
            let reply = host.show_known(id, is_hunks);
            host.reply_if_known(token, Ok(reply));
        });
        Ok(None)
    }

    /// That the review of an answer is to be opened, of which it is known what is proposed; the answer alone where its
    /// hunks are not wanted, or cannot be had.
    fn show_known(&mut self, id: u64, is_hunks: bool) -> Option<Value> {
        let why = self.why_no_hunks(id);
        if is_hunks && why.is_none() {
            return Some(json!({ "is_hunks": true }));
        }
        self.unfollow(id);
        Some(shown(self.session.answer(id)?, id, why))
    }

    /// The user makes a block of an answer the answer.
    pub(super) fn take_block(&mut self, act: &Act) -> Reply {
        let row = act.row.as_deref().and_then(|row| row.parse().ok());
        let block = row.and_then(|row| self.views.screen.taken(act.view.as_deref()?, &act.action, row));
        let Some((Some(id), lines)) = block else {
            return Err("no block here: go to one of those that are highlighted".to_owned());
        };
        self.edit(id, Some(lines.into_iter().map(String::into_bytes).collect()), true);
        Ok(Some(json!({ "review": id })))
    }

    /// The user has saved a held answer, or typed in it.
    pub(super) fn edit(&mut self, id: u64, lines: Option<Vec<Bytes>>, is_saved: bool) {
        let Some(answer) = self.session.answer(id) else { return };
        let before = answer.shown_as();
        match lines {
            Some(lines) if is_saved => answer.edit(lines),
            typed => answer.typed = typed,
        }
        let (draft, is_another) = (answer.draft(), answer.shown_as() != before);
        self.store.journal.append(id, Change::Draft(draft));
        if is_saved {
            self.watch_again(id);
        }
        if is_another {
            self.tell(Patch::new(id).as_update());
        }
    }
}

/// A held answer alone, with what is said of it, and why it cannot be written at its place.
fn shown(answer: &HeldAnswer, id: u64, obstacle: Option<HeldFor>) -> Value {
    // Of a block it is said how many lines each has.
    let obstacle = obstacle.filter(|why| *why != HeldFor::BlockRows);
    let obstacle = answer.is_too_large().then_some(HeldFor::TooLarge).or(obstacle);
    let lines = answer.lines();
    let place = obstacle.map(|why| session::advice(id, Obstacle::Held(why))).or_else(|| {
        let rows = answer.block_rows?;
        Some(format!("the block has {rows} lines, the answer {}", lines.len()))
    });
    let lands = if obstacle.is_none() { format!(", :Botglue accept {id} lands it") } else { String::new() };
    let why = obstacle.is_none().then(|| answer.why().to_owned());
    let title = [Some(format!("job {id}")), place, Some(format!(":w changes the answer{lands}")), why];
    let title: Vec<String> = title.into_iter().flatten().collect();
    let escaped = |rows: &[Bytes]| rows.iter().map(|row| bytes::escape(row)).collect::<Vec<_>>();
    json!({ "lines": escaped(&lines), "typed": answer.typed.as_deref().map(escaped), "title": title.join(BETWEEN) })
}
