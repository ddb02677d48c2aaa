//! The host: one loop over the closed enum [`HostMessage`], from the first message to the end of all jobs when the
//! editor is gone. It owns the jobs: `starting` begins them, `results` tells the store, the mirrors and the editor what
//! comes of them, `limits` has jobs wait for the end of a limit, `decisions` does what the user decides on answers, `earlier` takes over what an earlier host has left.

mod answers;
mod batches;
mod commands;
mod decisions;
mod earlier;
mod health;
mod hunks;
mod limits;
mod lists;
mod prompt;
mod queue;
mod results;
mod reviews;
mod starting;
mod status;
mod stored;
mod transcript;
mod views;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::editor::Editor;
use crate::job::{self, JobContext, Prewarm};
use crate::journal::Change;
use crate::log;
use crate::mirror::{Feed, Order};
use crate::options::Options;
use crate::rpc::Command;
use crate::session::{Patch, Session};
use crate::store::{self, Store, StoreError};
use answers::Answers;
use decisions::Tally;
use hunks::Asker;
use prompt::Prompts;
use queue::Jobs;
use reviews::Reviews;
use status::Board;
use views::Views;

/// How long the host still reads the editor's input once it has to end: notifications from before `:qa` may still be in
/// the pipe, and Neovim kills the host 1.9 s after `:qa`.
const INPUT_DRAIN_TIMEOUT: Duration = Duration::from_millis(1300);
/// How long the store may write once the host has to end, counted from the same moment.
const STORE_DEADLINE: Duration = Duration::from_millis(1700);

/// Everything that can happen to the host.
pub enum HostMessage {
    /// The editor asks for something.
    Command(Command),
    /// The task of a job reports something.
    Job(u64, job::JobEvent),
    /// The mirrors want something of the host.
    Mirror(Order),
    /// What the host waited for is known, or its time has come.
    Then(Then),
    /// The system asks the host to end, or the editor is going or gone.
    Terminate,
}

/// The reply to a question, or why there is none; nothing where it comes later.
type Reply = Result<Option<Value>, String>;
/// What the host does next.
type Then = Box<dyn FnOnce(&mut Host) + Send>;

/// Has the host go on with something, from whatever thread.
#[derive(Clone)]
pub struct Back(mpsc::UnboundedSender<HostMessage>);

impl Back {
    /// Goes on at once.
    pub(crate) fn then(&self, then: impl FnOnce(&mut Host) + Send + 'static) {
        // The receiver is gone only while the host ends.
        _ = self.0.send(HostMessage::Then(Box::new(then)));
    }

    /// Goes on after a time.
    pub(crate) fn after(&self, wait: Duration, then: impl FnOnce(&mut Host) + Send + 'static) {
        let back = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            back.then(then);
        });
    }
}

/// The jobs of one Neovim.
pub struct Host {
    editor: Editor,
    /// Sends events to the mirrors, which follow the ranges of the jobs.
    feed: Feed,
    store: Store,
    context: JobContext,
    /// The options in force, or what is wrong with them.
    options: Result<Options, String>,
    /// The jobs as the user knows them.
    session: Session,
    /// What the plugin wants of held answers, while it is not known which an earlier host has left.
    postponed: Option<Vec<Command>>,
    /// Who waits until no answer is on its way.
    unsettled: Vec<u64>,
    /// The replies to questions: they come behind all that is drawn for them.
    replies: Vec<(u64, Result<Value, String>)>,
    /// The quickfix lists of jobs that were started together.
    batches: Vec<batches::Shown>,
    /// Comes back from what others do for the host.
    back: Back,
    jobs: Jobs,
    views: Views,
    board: Board,
    reviews: Reviews,
    prompts: Prompts,
    answers: Answers,
    tally: Tally,
    /// The held answers that those of jobs replace once they are held, each with its buffer.
    replaced: BTreeMap<u64, (u64, u64)>,
    /// Who waits for a mirror to do something with hunks, by token, each with the job.
    askers: BTreeMap<u64, (u64, Asker)>,
    /// The agent of the prompt that is being typed. It counts neither as running nor as waiting.
    prewarm: Prewarm,
    /// The jobs that had not ended when the user left Neovim.
    interrupted: Vec<u64>,
    /// Free memory is given back soon.
    gives_back: bool,
    /// Whether the host is ending: then it starts no agent.
    is_ending: bool,
}

impl Host {
    /// A host without jobs.
    pub fn new(
        editor: Editor,
        feed: Feed,
        store: Store,
        context: JobContext,
        messages: mpsc::UnboundedSender<HostMessage>,
    ) -> Self {
        Self {
            editor,
            feed,
            store,
            context,
            options: Ok(Options::default()),
            session: Session::default(),
            postponed: None,
            unsettled: Vec::new(),
            replies: Vec::new(),
            batches: Vec::new(),
            back: Back(messages),
            jobs: Jobs::default(),
            views: Views::default(),
            board: Board::default(),
            reviews: Reviews::default(),
            prompts: Prompts::default(),
            answers: Answers::default(),
            tally: Tally::default(),
            replaced: BTreeMap::new(),
            askers: BTreeMap::new(),
            prewarm: Prewarm::default(),
            interrupted: Vec::new(),
            gives_back: false,
            is_ending: false,
        }
    }

    /// Asks the store, and goes on with its answer.
    fn ask_store<T: Send + 'static>(
        &self,
        question: impl FnOnce(store::Asker<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(&mut Self, Result<T, StoreError>) + Send + 'static,
    ) {
        let back = self.back.clone();
        self.store.ask(question, move |answer| back.then(move |host| then(host, answer)));
    }

    /// Handles messages and job events until the editor or the system ends the host; then ends all jobs, and meanwhile
    /// reads the rest of the editor's input.
    pub async fn run(mut self, mut messages: mpsc::UnboundedReceiver<HostMessage>) {
        let mut has_all = self.listen(&mut messages).await;
        let since = Instant::now();
        let stopping = self.stop_agents();
        while !has_all {
            let listening = self.listen(&mut messages);
            let Ok(more) = timeout_at(since + INPUT_DRAIN_TIMEOUT, listening).await else {
                tracing::warn!("deadline passed before the end of the editor's input");
                break;
            };
            has_all = more;
        }
        if let Err(error) = stopping.await {
            tracing::error!(%error, "the agents did not end");
        }
        // Answers that have arrived by now are stored, though they can no longer land.
        while let Ok(message) = messages.try_recv() {
            if let HostMessage::Job(id, event) = message {
                self.event(id, event);
            }
        }
        for id in self.interrupted {
            self.store.journal.append(id, Change::Interrupted);
        }
        let until = (since + STORE_DEADLINE).into_std();
        tokio::join!(self.store.close(until), self.context.transcripts.close(until));
    }

    /// Handles messages and job events until the host has to end or the editor's input is closed. Whether that is closed,
    /// and all that came through it is handled.
    async fn listen(&mut self, messages: &mut mpsc::UnboundedReceiver<HostMessage>) -> bool {
        let has_all = loop {
            let message = messages.recv().await;
            let begun = Instant::now().into_std();
            match message {
                Some(HostMessage::Terminate) => break false,
                Some(HostMessage::Mirror(Order::Disconnected)) | None => break true,
                Some(HostMessage::Command(command)) => self.command(command),
                Some(HostMessage::Job(id, event)) => self.event(id, event),
                Some(HostMessage::Mirror(order)) => self.ordered(order),
                Some(HostMessage::Then(then)) => then(self),
            }
            self.follow_limits();
            self.refresh_batches();
            self.refresh_list();
            self.draw_status();
            self.tell_settled();
            self.draw();
            self.prewarm_choice();
            self.keep_beating();
            for id in self.session.take_gone() {
                self.editor.tell(Patch::gone(id), Vec::new());
            }
            log::slow_turn("host", begun);
        };
        self.save_prompt();
        has_all
    }

    /// Does what the mirrors want of the host.
    fn ordered(&mut self, order: Order) {
        match order {
            Order::Settled(settled) => self.settled(settled),
            Order::NotNow(ids) => self.not_now(ids),
            Order::Review { buffer, view } => self.reviewed(buffer, view),
            Order::Reply { token, findings } => self.replied(token, &findings),
            Order::Unfollowed(id) => self.editor.tell(Patch::unfollowed(id), Vec::new()),
            Order::Undone { job, is_undone } => self.board.undone(job, is_undone),
            Order::RangeOnDisk(on_disk) => {
                let (range, path) = stored::on_disk(&on_disk);
                self.store.journal.append(on_disk.job, Change::Path(path));
                self.store.journal.append(on_disk.job, Change::Range(range));
            }
            Order::Renamed { job, path } => {
                self.store.journal.append(job, Change::Path(stored::path(&path)));
            }
            // The editor does these.
            _ => {}
        }
    }

    fn command(&mut self, command: Command) {
        if let (Some(postponed), true) = (&mut self.postponed, command.is_of_held_answer()) {
            return postponed.push(command);
        }
        match command {
            Command::Run { id, run } => self.requested(id, &run),
            Command::Options(options) => {
                self.session.keys = options.as_ref().map(|options| options.keys.clone()).unwrap_or_default();
                self.options = options.map_err(|error| error.message);
            }
            Command::Hello(hello) => self.hello(hello),
            Command::Shown { id, tick } => self.seen_hunks(id, tick),
            Command::Edit { id, lines, is_saved } => self.edit(id, lines, is_saved),
            Command::Interrupted { ids } => self.interrupted = ids,
            Command::Observe { id } => self.editor.forward(id),
            Command::Ask { token, ui, asked } => self.asked(token, ui, asked),
            Command::Act { view, action, text } => self.act(&view, &action, text.as_deref()),
            Command::Cursor { view, row } => self.on_list(&view, |list| list.cursor(&row)),
            Command::Closed { view } => self.closed(&view),
            Command::Batch(batch) => self.show_batch(batch),
            Command::Prompt(message) => self.prompt(*message),
            Command::Geometry(ui) => self.views.screen.resize(ui),
            Command::Seen { jobs } => self.seen(jobs),
            Command::Panes(panes) => self.panes(panes),
            Command::Unknown(what) => tracing::warn!(what, "unknown notification"),
        }
    }

    /// Replies to those who wait until no answer is on its way, and the prompt shows all that it can.
    fn tell_settled(&mut self) {
        if !self.session.is_settling() && self.prompts.looking == 0 {
            self.replies.extend(self.unsettled.drain(..).map(|token| (token, Ok(json!({})))));
        }
    }

    /// Stops every agent, and starts no more. This takes 1.6 s at most, in a task of its own, while the host goes on.
    fn stop_agents(&mut self) -> JoinHandle<()> {
        let (running, queued) = self.jobs.count();
        tracing::info!(running, queued, "ending");
        self.is_ending = true;
        // All jobs are stopped at the same time; each has its own grace period.
        let stops: Vec<_> = self.jobs.hand_over().into_iter().map(|job| tokio::spawn(job.stop())).collect();
        let mut prewarm = std::mem::take(&mut self.prewarm);
        tokio::spawn(async move {
            prewarm.stop().await;
            for stop in stops {
                if let Err(error) = stop.await {
                    tracing::error!(%error, "a job did not end");
                }
            }
        })
    }
}
