//! The thread that writes the journal of one session.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use super::folder::{Folder, Numbers};
use super::line::{Change, Line};
use super::record::{Held, Landed};
use super::undecided::Undecided;
use super::{Shared, Sink, owner};

/// After how long without another task a journal that could not be written is tried again, or one that is long is cut:
/// an answer would have to wait for that.
const QUIET: Duration = Duration::from_secs(1);
/// By how much a file grows until it is cut, in bytes.
const CUT: u64 = 1 << 20;
/// Why an answer is held that had not landed when its Neovim ended.
const GONE: &str = "buffer_gone";

/// What the thread is asked for.
pub type Task = Box<dyn FnOnce(&mut Writer) + Send>;

/// The writer of a session's journal; it is reached by [`super::Journal::send`].
pub struct Writer {
    folder: Folder,
    session: String,
    sink: Sink,
    shared: Arc<Shared>,
    /// The file that is written, with its number.
    file: Option<(u64, File)>,
    /// It cannot be written. What is undecided goes to the next one, and the database gets the rest.
    is_lost: bool,
    /// How long the file is, and was when it was begun.
    length: u64,
    begun_with: u64,
    /// Other files of this session. They go with the next cut.
    earlier: Numbers,
    next_number: u64,
    undecided: Undecided,
    /// The keys of answers of other sessions, by their numbers in this one.
    adopted: BTreeMap<u64, String>,
    /// How many lines were passed on.
    passed_on: u64,
    /// How many of those the database has.
    pub applied: u64,
}

impl Writer {
    pub(super) fn new(folder: Folder, session: String, sink: Sink, shared: Arc<Shared>) -> Self {
        Self {
            folder,
            session,
            sink,
            shared,
            file: None,
            is_lost: false,
            length: 0,
            begun_with: 0,
            earlier: Numbers::new(),
            next_number: 0,
            undecided: Undecided::default(),
            adopted: BTreeMap::new(),
            passed_on: 0,
            applied: 0,
        }
    }

    /// Works until all handles are gone.
    pub(super) fn run(mut self, tasks: &mpsc::Receiver<Task>) {
        let shared = Arc::clone(&self.shared);
        shared.is_busy.store(true, Ordering::Relaxed);
        if let Err(error) = self.begin() {
            self.lose_file(&error);
        }
        loop {
            let patience = if self.is_lost || self.is_to_cut(CUT) { QUIET } else { Duration::MAX };
            shared.is_busy.store(false, Ordering::Relaxed);
            let first: Task = match tasks.recv_timeout(patience) {
                Ok(task) => task,
                Err(mpsc::RecvTimeoutError::Timeout) => Box::new(Self::tidy),
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            };
            shared.is_busy.store(true, Ordering::Relaxed);
            for task in std::iter::once(first).chain(tasks.try_iter()) {
                task(&mut self);
                shared.is_late.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Whether all that is undecided is in the journal, or can be written to it now.
    pub fn is_written(&mut self) -> bool {
        self.write(&[])
    }

    fn tidy(&mut self) {
        if self.is_lost {
            self.write(&[]);
        }
        self.cut(CUT);
    }

    /// Appends a change of the job with this number, and tells whether it is written before all else is done for it.
    pub fn append(&mut self, id: u64, change: Change, tell: impl FnOnce(bool)) {
        let line = Line::new(self.uuid(id), change);
        tell(self.write(&line.bytes()));
        self.follow(line);
    }

    /// What was written is on the disk then.
    pub(super) fn sync(&mut self) {
        if let Some((_, file)) = &self.file
            && let Err(error) = file.sync_data()
        {
            self.lose_file(&error);
        }
    }

    /// The database refuses a line for good.
    pub fn refuse(&mut self, line: Line, why: String) {
        self.append_to(line.uuid.clone(), Change::Refused { why, line: Box::new(line) });
    }

    /// Another session's answer has this number in this one now.
    pub fn number(&mut self, uuid: String, id: u64) {
        self.adopted.insert(id, uuid.clone());
        self.append_to(uuid.clone(), Change::Numbered(id));
        // The database takes that of its holder alone, which this session is from now on.
        if let Some(held) = self.undecided.held_one(&uuid, GONE) {
            self.append_to(uuid, Change::Landed(as_held(&held)));
        }
    }

    /// The database is a new one: it gets the undecided answers once more.
    pub fn pass_on_again(&mut self) {
        self.pass_on(self.undecided.lines());
    }

    /// Leaves what is undecided, and what the database does not have.
    pub fn close(&mut self) {
        self.cut(0);
        let is_over = self.undecided.lines().is_empty() && self.is_applied();
        if let Some((number, _)) = self.file.take().filter(|_| is_over) {
            self.folder.remove(&self.session, &[number].into());
        }
    }

    fn uuid(&self, id: u64) -> String {
        self.adopted.get(&id).cloned().unwrap_or_else(|| format!("{}-{id}", self.session))
    }

    /// Reads what earlier hosts of this session have left, and begins a file.
    fn begin(&mut self) -> io::Result<()> {
        let numbers = self.folder.sessions()?.remove(&self.session).unwrap_or_default();
        self.next_number = numbers.last().map_or(0, |last| last + 1);
        self.take_in(numbers);
        let begin = self.header(true);
        self.follow(begin.clone());
        self.create(&[begin])
    }

    /// Follows the lines of other files of this session, which may have been those of another one.
    fn take_in(&mut self, mut numbers: Numbers) -> Vec<Line> {
        let mut lines = self.folder.lines(&self.session, &mut numbers, &*self.shared.warn);
        self.earlier.extend(numbers);
        self.pass_on(lines.clone());
        let mut is_own = false;
        lines.retain(|line| {
            if let Change::Begin { session, .. } = &line.change {
                is_own = *session == self.session;
            }
            // The numbers of other sessions mean nothing here, and their interrupted jobs are told of.
            is_own || !matches!(line.change, Change::Numbered(_) | Change::Accepted(_) | Change::Interrupted)
        });
        for line in &lines {
            if let Change::Numbered(id) = line.change {
                self.adopted.insert(id, line.uuid.clone());
            }
            self.undecided.apply(line);
        }
        lines
    }

    fn header(&self, is_start: bool) -> Line {
        let (session, neovim) = (self.session.clone(), owner::of(&self.session));
        Line::new(String::new(), Change::Begin { session, neovim, is_start })
    }

    /// The lines of a file that has only what is undecided.
    fn shortest(&self) -> Vec<Line> {
        [&[self.header(false)], &self.undecided.lines()[..]].concat()
    }

    /// Begins a new file with these lines.
    fn create(&mut self, lines: &[Line]) -> io::Result<()> {
        let bytes: Vec<u8> = lines.iter().flat_map(Line::bytes).collect();
        let number = self.next_number;
        self.next_number += 1;
        let file = self.folder.create(&self.session, number, &bytes)?;
        self.leave_file();
        (self.file, self.is_lost) = (Some((number, file)), false);
        (self.length, self.begun_with) = (bytes.len() as u64, bytes.len() as u64);
        Ok(())
    }

    fn append_to(&mut self, uuid: String, change: Change) {
        let line = Line::new(uuid, change);
        self.write(&line.bytes());
        self.follow(line);
    }

    fn follow(&mut self, line: Line) {
        self.undecided.apply(&line);
        self.pass_on(vec![line]);
    }

    /// Writes bytes behind what is there, and that to a new file where there is none.
    fn write(&mut self, bytes: &[u8]) -> bool {
        if self.file.as_ref().is_some_and(|(_, file)| !is_as_written(file, self.length)) {
            tracing::warn!("another program has changed or removed the journal, which is begun anew");
            self.leave_file();
        }
        let created = if self.file.is_none() { self.create(&self.shortest()) } else { Ok(()) };
        let Some((_, file)) = &mut self.file else {
            created.err().inspect(|error| self.lose_file(error));
            return false;
        };
        match file.write_all(bytes) {
            Ok(()) => self.length += bytes.len() as u64,
            Err(error) => self.lose_file(&error),
        }
        self.file.is_some()
    }

    /// A file that could not be written gets no more lines: its last one may be torn.
    fn lose_file(&mut self, error: &io::Error) {
        tracing::debug!(%error, "the journal cannot be written");
        self.shared.fault(&format!("the journal cannot be written ({error})"));
        self.is_lost = true;
        self.leave_file();
    }

    fn leave_file(&mut self) {
        self.earlier.extend(self.file.take().map(|(number, _)| number));
    }

    fn pass_on(&mut self, lines: Vec<Line>) {
        self.passed_on += lines.len() as u64;
        (self.sink)(lines);
    }

    fn is_to_cut(&self, least: u64) -> bool {
        self.is_applied() && (self.length - self.begun_with >= least || !self.earlier.is_empty())
    }

    fn is_applied(&self) -> bool {
        self.applied == self.passed_on
    }

    /// Where the database has all lines: begins a file with what is undecided alone, in place of all others. A file that
    /// has grown by less than `least` stays.
    fn cut(&mut self, least: u64) {
        if !self.is_to_cut(least) {
            return;
        }
        if let Err(error) = self.create(&self.shortest()) {
            tracing::warn!(%error, "the journal cannot be cut");
            return;
        }
        self.folder.remove(&self.session, &std::mem::take(&mut self.earlier));
    }

    /// Takes over the undecided answers of all sessions that are gone.
    ///
    /// # Errors
    /// `WouldBlock` while another host, or the thread of the database, reads what these have left; else that of the disk.
    pub fn adopt(&mut self) -> io::Result<Vec<Held>> {
        // Without a file of its own, which is locked, this session would count as gone with all that it takes over.
        if self.file.is_none() {
            self.create(&self.shortest())?;
        }
        let _turn = self.folder.turn()?;
        let (mut held, before) = (Vec::new(), self.next_number);
        for (session, numbers) in self.folder.gone(&self.session)? {
            let first = self.next_number;
            self.next_number += numbers.len() as u64;
            match self.folder.take(&session, &numbers, &self.session, first) {
                Ok(numbers) => {
                    held.append(&mut Undecided::of(&self.take_in(numbers)).held(GONE));
                }
                Err(error) => tracing::info!(session, %error, "journals were not taken over"),
            }
        }
        held.sort_by_key(|held| held.record.ended_ms);
        if self.next_number > before {
            // What becomes of the answers is written behind them.
            if let Err(error) = self.create(&self.shortest()) {
                tracing::warn!(%error, "no journal can be begun behind those that were taken over");
                self.leave_file();
            }
            self.pass_on(vec![self.header(false)]);
        }
        Ok(held)
    }

    /// The undecided answers of these jobs of an earlier host of this session, each by its number and, where it is one
    /// that was taken over, its key.
    pub fn unreported(&mut self, jobs: Vec<(u64, Option<String>)>) -> Vec<(u64, Held)> {
        let mut found = Vec::new();
        for (id, uuid) in jobs {
            let known = self.uuid(id);
            let uuid = uuid.unwrap_or_else(|| known.clone());
            let Some(held) = self.undecided.held_one(&uuid, "review") else { continue };
            if uuid != known {
                // The host that had it taken over died before it wrote the number.
                self.adopted.insert(id, uuid.clone());
                self.append_to(uuid.clone(), Change::Numbered(id));
            }
            self.append_to(uuid, Change::Landed(as_held(&held)));
            found.push((id, held));
        }
        found
    }
}

/// Whether a file has the length that was written, and a name.
fn is_as_written(file: &File, length: u64) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() == length && metadata.nlink() > 0)
}

fn as_held(held: &Held) -> Landed {
    Landed { landing: "held".to_owned(), held_for: held.record.held_for.clone(), ..Landed::default() }
}

#[cfg(test)]
mod tests {
    use super::super::sample::landed;
    use super::*;
    use crate::journal::Journal;

    #[tokio::test]
    async fn a_line_that_is_to_be_synced_is_on_the_disk_then() {
        let dir = tempfile::tempdir().unwrap();
        let (told, warned) = mpsc::channel();
        let warn = Arc::new(move |what| _ = told.send(what));
        let journal = Journal::open(Some(dir.path()), "me".to_owned(), Box::new(drop), warn);
        // It takes all that is written, and is on no disk.
        let file = File::options().append(true).open("/dev/null").unwrap();
        journal.send(move |writer| (writer.file, writer.length) = (Some((9, file)), 0));
        journal.append_synced(1, landed("held", Some("review"))).await;
        assert!(warned.try_recv().is_ok_and(|what| what.contains("the journal cannot be written")));
    }
}
