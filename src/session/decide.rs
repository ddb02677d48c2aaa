//! The user's decisions on an answer: whether one is possible, and what it leads to.

use std::ops::Range;

use super::{Known, Session, ShownAs, Stage, sentences};
use crate::land::HeldFor;
use crate::mirror::{Intent, Obstacle};

/// The tokens of decisions on several answers at once are behind this one.
pub const OF_SEVERAL: u64 = 1 << 53;

/// What the user wants of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// That it lands in its range.
    Accept {
        /// A conflict that they have not seen is shown then.
        shows: bool,
    },
    /// That it lands in these rows.
    Put {
        /// The rows, from 0.
        rows: Range<usize>,
        /// The changedtick of the text in which they are those.
        tick: u64,
    },
    /// That it does not land.
    Reject,
    /// That what was there before it landed comes back.
    Revert,
}

/// A decision that is under way.
#[derive(Debug, Default)]
pub struct Pending {
    /// Of who waits for it, if anybody does.
    pub token: Option<u64>,
    /// A conflict that the user has not seen is shown.
    pub shows: bool,
}

/// What a decision leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This is wanted of its range.
    Want(Intent),
    /// What is left of it is dropped.
    DropRest,
    /// This became of it.
    Settled(&'static str),
    /// Its agent has not ended: the answer will not land.
    InAdvance,
}

impl Session {
    /// Takes a decision; `has_buffer` says whether the buffer of the answer is there. `token` is of who waits for it.
    ///
    /// # Errors
    /// Says why it is impossible.
    pub fn decide(
        &mut self,
        id: u64,
        decision: Decision,
        has_buffer: bool,
        token: u64,
    ) -> Result<Verdict, String> {
        self.is_saved(id)?;
        let is_revert = decision == Decision::Revert;
        let shows = decision == Decision::Accept { shows: true };
        let none = || {
            let none = if is_revert { "has nothing to revert" } else { "is not held" };
            Err(format!("job {id} {none}"))
        };
        let Some(job) = self.jobs.get_mut(&id) else {
            if is_revert && self.known.get(&id).is_some_and(Known::is_landed) {
                return Err(format!("job {id} landed before its host ended: take it back with u"));
            }
            // One that the plugin holds: of an earlier host, whose answer no journal has any more.
            let is_held = decision == Decision::Reject && self.known.get(&id).is_none_or(Known::is_held);
            return if is_held { Ok(Verdict::Settled("rejected")) } else { none() };
        };
        if job.deciding.is_some() {
            return Err(format!(
                "job {id} has a pending decision: wait a moment (in a script: botglue.wait({id}, ms))"
            ));
        }
        let done = if is_revert { "reverted" } else { "accepted" };
        let refuse = |why| Err(sentences::refusal(id, done, Obstacle::Held(why)));
        let verdict = match (&job.stage, decision) {
            (Stage::Landed, Decision::Revert) if has_buffer => Verdict::Want(Intent::Revert),
            (Stage::Landed, Decision::Revert) => return refuse(HeldFor::BufferGone),
            (Stage::Held(answer), Decision::Accept { .. } | Decision::Put { .. })
                if answer.shown_as() == ShownAs::Blocks =>
            {
                return refuse(HeldFor::Ambiguous);
            }
            (Stage::Held(answer), Decision::Accept { .. }) if !has_buffer || answer.misses_block() => {
                return refuse(if has_buffer { HeldFor::BlockRows } else { HeldFor::BufferGone });
            }
            (Stage::Held(answer), Decision::Accept { .. }) => Verdict::Want(Intent::Accept {
                lines: answer.lines(),
                dropped: answer.dropped.clone(),
                shown: answer.shown,
            }),
            (Stage::Held(answer), Decision::Put { rows, tick }) => {
                Verdict::Want(Intent::Put { rows, tick, lines: answer.lines() })
            }
            (Stage::Held(answer), Decision::Reject) if answer.taken > 0 => Verdict::DropRest,
            // The text has hunks of it, of which this host does not know which: they stay.
            (Stage::Held(answer), Decision::Reject) if answer.was_taken => Verdict::Settled("merged"),
            (Stage::Held(_), Decision::Reject) => Verdict::Settled("rejected"),
            (Stage::Running, Decision::Reject) if job.is_unwanted => {
                return Err(format!("job {id} will be rejected when it ends"));
            }
            (Stage::Running, Decision::Reject) => Verdict::InAdvance,
            (Stage::Landing { .. }, Decision::Reject) => {
                return Err(format!("job {id} is about to land: :Botglue revert {id} takes it back then"));
            }
            _ => return none(),
        };
        job.is_unwanted |= verdict == Verdict::InAdvance;
        if matches!(verdict, Verdict::Want(_)) {
            job.deciding = Some(Pending { token: Some(token), shows });
        }
        Ok(verdict)
    }

    /// The decision on an answer waits until the user has finished what they are doing: who asked for it waits no more,
    /// unless it is one of several. Returns the token.
    pub fn postpone(&mut self, id: u64) -> Option<u64> {
        self.jobs.get_mut(&id)?.deciding.as_mut()?.token.take_if(|token| *token <= OF_SEVERAL)
    }
}
