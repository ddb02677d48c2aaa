//! The journal: what is durable is written here first. Each change of a job is one line, appended with one `write(2)`
//! before the change is told, landed or shown; that survives the end of any process. A held answer is on the disk
//! before it is announced. Answers stay in the journal until they are decided; everything else goes with the next cut,
//! once the database has it.
//!
//! The files are written by one thread, because a disk may stand still: the host waits for a line no longer than
//! [`PATIENCE`], and then goes on without.

#![expect(clippy::disallowed_methods, reason = "this is one of the modules that write files")]

mod amounts;
mod clock;
mod folder;
mod line;
mod owner;
mod record;
#[cfg(test)]
pub mod sample;
#[cfg(test)]
mod tests;
mod undecided;
mod writer;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio::sync::oneshot;

pub use amounts::{Amounts, CountedBefore, Tokens, whole};
pub use clock::now_ms;
pub use folder::{Folder, is_alive};
pub use line::{Change, Line};
pub use owner::is_alive as is_owner_alive;
pub use record::{Accepted, Draft, Held, Landed, Record, RowsOnDisk, Unsent};
use writer::{Task, Writer};

/// How long the host waits for a line to be written.
pub const PATIENCE: Duration = Duration::from_millis(100);

/// What the journal has for the database. It comes in the order in which it is to be applied.
#[derive(Debug)]
pub struct Applicable {
    /// The session in which the changes were made, until a line says otherwise.
    pub session: String,
    /// The changes.
    pub lines: Vec<Line>,
    /// A file of a session that is gone, whose lines they are; `None` for this session's.
    pub file: Option<PathBuf>,
}

/// Where lines go that are in the journal, or that could not be written there.
pub type Sink = Box<dyn Fn(Applicable) + Send>;
/// Who is told what goes wrong.
pub type Warn = Box<dyn Fn(String) + Send + Sync>;

/// What the host and the journal's thread know of each other.
struct Shared {
    /// A line was not written in time, and none since.
    is_late: AtomicBool,
    /// Whether the thread is at work: where it is not, it waits for a processor, not for the disk.
    is_busy: AtomicBool,
    is_told: AtomicBool,
    warn: Warn,
}

impl Shared {
    /// Tells the user of the first fault.
    fn fault(&self, why: &str) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            tracing::error!(why, "the journal cannot be kept");
            (self.warn)(format!("answers are not kept beyond this Neovim yet: {why}; jobs run all the same"));
        }
    }
}

/// A handle to the thread that writes this session's journal. It ends with the last handle.
#[derive(Clone)]
pub struct Journal {
    tasks: mpsc::Sender<Task>,
    shared: Arc<Shared>,
}

impl Journal {
    /// Begins a journal of `session` under `data_dir`, with what earlier hosts of it have left undecided; nothing is
    /// kept without a directory. `warn` hears of the first fault, and of each file of another session that is damaged.
    pub fn open(data_dir: Option<&std::path::Path>, session: String, sink: Sink, warn: Warn) -> Self {
        let (tasks, waiting) = mpsc::channel();
        let (is_late, is_busy, is_told) = (data_dir.is_none().into(), false.into(), false.into());
        let shared = Arc::new(Shared { is_late, is_busy, is_told, warn });
        if let Some(data_dir) = data_dir {
            let (folder, shared) = (Folder::under(data_dir), Arc::clone(&shared));
            // A thread of its own, and none of the agents' parents: it starts no process.
            std::thread::spawn(move || Writer::new(folder, session, sink, shared).run(&waiting));
        }
        Self { tasks, shared }
    }

    /// Appends a change of the job with this number; waits until it is written, but never longer than [`PATIENCE`].
    /// Whether it is kept, here or by the database.
    pub fn append(&self, id: u64, change: Change) -> bool {
        let (done, written) = mpsc::channel();
        // The waiting host may have given up.
        self.send(move |writer| _ = done.send(writer.append(id, change)));
        if self.shared.is_late.load(Ordering::Relaxed) {
            return false;
        }
        loop {
            match written.recv_timeout(PATIENCE) {
                Ok(is_kept) => return is_kept,
                Err(mpsc::RecvTimeoutError::Timeout) if !self.shared.is_busy.load(Ordering::Relaxed) => {}
                Err(_) => break,
            }
        }
        self.shared.is_late.store(true, Ordering::Relaxed);
        self.shared.fault("the disk of `data_dir` does not answer");
        false
    }

    /// Appends a change; comes back once it is on the disk, or after [`PATIENCE`].
    pub fn append_synced(&self, id: u64, change: Change) -> impl Future<Output = ()> + Send + use<> {
        let (done, written) = oneshot::channel();
        // As above.
        self.send(move |writer| {
            writer.append_synced(id, change);
            _ = done.send(());
        });
        let shared = Arc::clone(&self.shared);
        let is_late = shared.is_late.load(Ordering::Relaxed);
        async move {
            let mut written = written;
            while !is_late
                && tokio::time::timeout(PATIENCE, &mut written).await.is_err()
                && !shared.is_busy.load(Ordering::Relaxed)
            {}
        }
    }

    /// The undecided answers of these jobs of an earlier host of this session, each by its number and, where it is one
    /// that was taken over, its key.
    pub fn unreported(
        &self,
        jobs: Vec<(u64, Option<String>)>,
        then: impl FnOnce(Vec<(u64, Held)>) + Send + 'static,
    ) {
        self.send(move |writer| then(writer.unreported(jobs)));
    }

    /// Takes over the undecided answers of all sessions that are gone.
    pub fn adopt(&self, then: impl FnOnce(std::io::Result<Vec<Held>>) + Send + 'static) {
        self.send(move |writer| then(writer.adopt()));
    }

    /// An adopted answer is that of the job with this number now.
    pub fn number(&self, uuid: String, id: u64) {
        self.send(move |writer| writer.number(uuid, id));
    }

    /// Calls `then` once all is written that was handed over, and what sessions that are gone have left was passed on.
    pub fn then(&self, then: impl FnOnce() + Send + 'static) {
        self.send(move |writer| {
            if let Err(error) = writer.take_up() {
                tracing::warn!(%error, "the journals of other sessions cannot be read");
            }
            then();
        });
    }

    /// The database has so many of the lines that were passed on for this session, counted from the start.
    pub fn applied(&self, count: u64) {
        self.send(move |writer| writer.applied = count);
    }

    /// The database has all of the file of a session that is gone.
    pub fn taken_up(&self, file: PathBuf) {
        self.send(move |writer| writer.taken_up(&file));
    }

    /// The database refuses a line of this session for good.
    pub fn refuse(&self, line: Line, why: String) {
        self.send(move |writer| {
            _ = writer.append_to(line.uuid.clone(), Change::Refused { why, line: Box::new(line) });
        });
    }

    /// The database is a new one: it gets the undecided answers once more.
    pub fn pass_on_again(&self) {
        self.send(Writer::pass_on_again);
    }

    /// The last task: leaves what is undecided, and what the database does not have; then calls `then`.
    pub fn close(&self, then: impl FnOnce() + Send + 'static) {
        self.send(move |writer| {
            writer.close();
            then();
        });
    }

    fn send(&self, task: impl FnOnce(&mut Writer) + Send + 'static) {
        // Without a directory there is no thread, and nothing to do.
        let _ = self.tasks.send(Box::new(task));
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}

/// A new session's name, for a host that was given none.
pub fn new_session() -> String {
    let mut bytes = [0_u8; 16];
    // SAFETY: the buffer has the length that is given; SQLite's generator may be called from any thread.
    unsafe { rusqlite::ffi::sqlite3_randomness(16, bytes.as_mut_ptr().cast()) };
    format!("{:032x}", u128::from_be_bytes(bytes))
}
