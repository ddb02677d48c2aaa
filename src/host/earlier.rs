//! What an earlier host has left: of this Neovim, or of Neovims that are gone.
//!
//! There is one path after every death. A job that ran has failed; an answer that was stored and has not landed is
//! offered as held. What was written decides: the plugin tells what no host has said to be stored.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::Host;
use crate::journal::{Held, Landed, Record};
use crate::land::HeldFor;
use crate::mirror::{MirrorEvent, Sent};
use crate::request::Selection;
use crate::rpc::{EarlierJob, Hello};
use crate::session::Known;
use crate::store::{JobEntry, JobKey};

/// How long journals are waited for that another host reads, and when they are tried again. A command waits meanwhile.
const PATIENCE: Duration = Duration::from_millis(300);
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// How long the store may take to say what it has of the jobs of an earlier host. Commands wait meanwhile; then the
/// plugin's word counts.
const MEMORY: Duration = Duration::from_secs(1);

impl Host {
    /// Takes over the jobs of an earlier host of this Neovim.
    pub(super) fn hello(&mut self, hello: Hello) {
        for job in &hello.written {
            self.landed(job.id, Landed { landing: job.landing.clone(), ..Landed::default() });
        }
        let lost = hello.lost.iter().map(|id| (*id, None));
        let held = hello.held.iter().map(|job| (job.id, job.uuid.clone()));
        let jobs: Vec<_> = held.chain(lost).collect();
        if jobs.is_empty() && hello.ended.is_empty() {
            return;
        }
        self.postponed = Some(Vec::new());
        let back = self.back.clone();
        let (send, found) = oneshot::channel();
        let (send_ended, ended) = oneshot::channel();
        let ids: Vec<_> = hello.ended.iter().map(|job| job.id).collect();
        self.store.ask(
            move |asker| {
                Ok(ids.iter().filter_map(|id| Some((*id, asker.job(&JobKey::Id(*id)).ok()?))).collect())
            },
            move |ended: Result<BTreeMap<u64, JobEntry>, _>| _ = send_ended.send(ended),
        );
        // The task below has not ended.
        self.store.journal.send(move |writer| _ = send.send(writer.unreported(jobs)));
        tokio::spawn(async move {
            // Without a journal nothing is found.
            let found = found.await.unwrap_or_default();
            let ended = timeout(MEMORY, ended).await;
            let ended = ended.ok().and_then(Result::ok).and_then(Result::ok).unwrap_or_default();
            back.then(move |host| {
                for EarlierJob { id, wanted, .. } in hello.ended {
                    let known = || Known { wanted, ..Known::default() };
                    host.session.ended_before(id, ended.get(&id).map_or_else(known, Known::of));
                }
                host.undecided(&hello.lost, found);
            });
        });
    }

    /// The undecided answers of an earlier host are known: those of jobs that have failed are held by new ones.
    fn undecided(&mut self, failed: &[u64], found: Vec<(u64, Held)>) {
        let (mut lost, mut answers) = (Vec::new(), Vec::new());
        for (id, held) in found {
            if failed.contains(&id) {
                lost.push(id);
                answers.push(held);
            } else {
                self.recalled(id, &held);
            }
        }
        if failed.is_empty() {
            self.take_postponed();
        } else {
            self.hold(answers, lost, failed, |_| {});
        }
    }

    /// It is known which answers are held.
    fn take_postponed(&mut self) {
        for command in self.postponed.take().into_iter().flatten() {
            self.command(command);
        }
    }

    /// Takes over the held answers of Neovims that are gone, once no other host reads what these have left; then goes on,
    /// or with the sentence why they cannot be read.
    pub(super) fn adopt(&self, then: impl FnOnce(&mut Self, Result<(), String>) + Send + 'static) {
        let (back, journal) = (self.back.clone(), self.store.journal.clone());
        tokio::spawn(async move {
            let end = Instant::now() + PATIENCE;
            loop {
                let (send, taken) = oneshot::channel();
                journal.send(move |writer| _ = send.send(writer.adopt()));
                let taken = taken.await.unwrap_or_else(|_| Ok(Vec::new()));
                let is_busy = matches!(&taken, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
                if !is_busy || Instant::now() > end {
                    back.then(move |host| match taken {
                        Ok(held) => host.hold(held, Vec::new(), &[], |host| then(host, Ok(()))),
                        Err(error) => {
                            let why = format!("held answers cannot be read ({error}): see :Botglue log");
                            then(host, Err(why));
                        }
                    });
                    return;
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        });
    }

    /// Neovim is about to end: what the user is asked where the journal does not keep the held answers.
    pub(super) fn ending(&self, token: u64) {
        let held: Vec<_> = self.session.held_ids().map(|id| id.to_string()).collect();
        let (back, (send, kept)) = (self.back.clone(), oneshot::channel());
        self.store.journal.send(move |writer| _ = send.send(writer.is_written()));
        tokio::spawn(async move {
            let is_kept = held.is_empty() || kept.await.unwrap_or(false);
            let jobs = held.join(", ");
            let question =
                (!is_kept).then(|| format!("botglue: nothing keeps the held answers (job {jobs})"));
            back.then(move |host| host.reply(token, Ok(json!({ "question": question }))));
        });
    }

    /// Has the plugin make jobs of held answers, of which the first are those of the `lost` jobs, and forget all jobs that
    /// it has `asked` for. It may ask for one of the answers before its reply is read.
    fn hold(
        &mut self,
        held: Vec<Held>,
        lost: Vec<u64>,
        asked: &[u64],
        then: impl FnOnce(&mut Self) + Send + 'static,
    ) {
        self.postponed.get_or_insert_default();
        let back = self.back.clone();
        let answers = held.iter().zip(lost.iter().map(Some).chain(std::iter::repeat(None)));
        let numbered = |(held, lost): (&Held, Option<&u64>)| {
            let mut answer = answer(held);
            answer["id"] = json!(lost);
            answer
        };
        let answers: Vec<_> = answers.map(numbered).collect();
        self.editor.hold(&answers, asked, move |ids| {
            let held: Vec<(Held, u64)> = held.into_iter().zip(ids).collect();
            back.then(move |host| {
                for (held, id) in &held {
                    let (uuid, id) = (held.uuid.clone(), *id);
                    host.store.journal.send(move |writer| writer.number(uuid, id));
                    host.recalled(id, held);
                }
                for ((_, id), lost) in held.iter().zip(&lost) {
                    let words =
                        format!(":Botglue review {id} shows the answer of job {lost}, which was stored");
                    host.editor.warn(words);
                }
                then(host);
                host.take_postponed();
            });
        });
    }

    /// A held answer is this job now.
    fn recalled(&mut self, id: u64, held: &Held) {
        let (sent, saved) = Sent::recalled(id, held);
        self.feed.send(MirrorEvent::Recalled(sent, saved));
        self.session.held(id, held);
        self.board.open_held(id, held);
    }
}

/// A held answer as the plugin gets it, which makes a job of it.
fn answer(held: &Held) -> Value {
    let Held { uuid, record, .. } = held;
    let Record { job, share, .. } = record;
    let Selection { kind, first_line, last_line, column, .. } = &job.selection;
    let set = json!({
        "status": "done",
        "landing": "held",
        "path": job.path,
        "prompt": job.prompt,
        "agent": job.agent,
        "text": record.text,
        "held_for": record.held_for.as_deref().unwrap_or(HeldFor::BufferGone.name()),
        "held_why": record.held_why,
        "session_id": record.session_id,
        "model": record.model(),
        "cost_usd": share.cost_usd,
        "num_turns": share.num_turns,
        "input_tokens": share.usage.input_tokens,
        "output_tokens": share.usage.output_tokens,
    });
    let took_ms = record.ended_ms.saturating_sub(job.started_ms);
    json!({
        "kind": kind, "first_line": first_line, "last_line": last_line, "column": column,
        "uuid": uuid, "took_ms": took_ms, "set": set,
    })
}
