//! The journal: what is durable is written here first. Each change of a job is one line, appended with one `write(2)`
//! before the change is told, landed or shown; that survives the end of any process. A held answer is on the disk
//! before it is announced. Answers stay in the journal until they are decided, interrupted jobs until another session
//! takes it up; everything else goes with the next cut, once the database has it.
//!
//! The files are written by one thread, because a disk may stand still: the host waits for a line no longer than
//! [`PATIENCE`], and then goes on without.

#![expect(clippy::disallowed_methods, reason = "this is one of the modules that write files")]

mod amounts;
mod folder;
mod line;
mod owner;
mod record;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
mod undecided;
mod writer;

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::oneshot;

pub use amounts::{Amounts, CountedBefore, whole};
pub(crate) use folder::Folder;
pub use line::{Change, Line};
pub use record::{Draft, Held, Landed, Record, RowsOnDisk};
pub(crate) use undecided::Undecided;
use writer::Task;
pub use writer::Writer;

/// How long the host waits for a line to be written.
pub const PATIENCE: Duration = Duration::from_millis(100);

/// Where lines go that are in the journal, or that could not be written there: in the order in which the database gets
/// them.
pub type Sink = Box<dyn Fn(Vec<Line>) + Send>;
/// Who is told what goes wrong.
pub type Warn = Arc<dyn Fn(String) + Send + Sync>;

/// What the host and the journal's thread know of each other.
struct Shared {
    /// A line was not written in time, and none since: no other is waited for.
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
            (self.warn)(format!("answers are not kept beyond this Neovim yet: {why}; jobs still run"));
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
    /// kept without a directory. `warn` hears of the first fault, and of each file that is damaged.
    pub fn open(data_dir: Option<&Path>, session: String, sink: Sink, warn: Warn) -> Self {
        let (tasks, waiting) = mpsc::channel();
        let (is_late, is_busy, is_told) = (false.into(), false.into(), false.into());
        let shared = Arc::new(Shared { is_late, is_busy, is_told, warn });
        if let Some(data_dir) = data_dir {
            let (folder, shared) = (Folder::under(data_dir), Arc::clone(&shared));
            // A thread of its own, and none of the agents' parents: it starts no process.
            std::thread::spawn(move || Writer::new(folder, session, sink, shared).run(&waiting));
        }
        Self { tasks, shared }
    }

    /// Appends a change of the job with this number; waits until it is written, but never longer than [`PATIENCE`].
    /// Whether it is written.
    pub fn append(&self, id: u64, change: Change) -> bool {
        let (done, written) = mpsc::channel();
        // The waiting host may have given up.
        self.send(move |writer| writer.append(id, change, |is_written| _ = done.send(is_written)));
        while !self.shared.is_late.load(Ordering::Relaxed) {
            match written.recv_timeout(PATIENCE) {
                Ok(is_written) => return is_written,
                Err(mpsc::RecvTimeoutError::Timeout) if !self.shared.is_busy.load(Ordering::Relaxed) => {}
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.shared.is_late.store(true, Ordering::Relaxed);
                    self.shared.fault("the disk of `data_dir` does not answer");
                }
                // There is no directory.
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        false
    }

    /// Appends a change; comes back once it is on the disk, or after [`PATIENCE`].
    pub fn append_synced(&self, id: u64, change: Change) -> impl Future<Output = ()> + Send + use<> {
        let (done, mut written) = oneshot::channel();
        // As above.
        self.send(move |writer| {
            writer.append(id, change, drop);
            writer.sync();
            _ = done.send(());
        });
        let shared = Arc::clone(&self.shared);
        async move {
            while tokio::time::timeout(PATIENCE, &mut written).await.is_err()
                && !shared.is_busy.load(Ordering::Relaxed)
            {}
        }
    }

    /// Has the thread do something, after all that it was asked for before. Without a directory there is no thread, and
    /// `task` is dropped.
    pub fn send(&self, task: impl FnOnce(&mut Writer) + Send + 'static) {
        let _ = self.tasks.send(Box::new(task));
    }
}

/// The files of the held answers, and of the interrupted jobs, of sessions that are gone, for a Neovim that has no host
/// yet.
pub fn left_by_others(data_dir: &Path) -> (Vec<String>, Vec<String>) {
    let folder = Folder::under(data_dir);
    let mut gone = folder.gone("").unwrap_or_default();
    let lines = gone.iter_mut().flat_map(|(session, numbers)| folder.lines(session, numbers, &drop));
    let left = Undecided::of(&lines.collect::<Vec<_>>());
    let held = left.held("").into_iter().map(|held| held.record.job.path);
    (held.collect(), left.interrupted().cloned().collect())
}

/// A new session's name, for a host that was given none.
pub fn new_session() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

/// Now, Unix time in milliseconds.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
