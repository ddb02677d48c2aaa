//! The thread that writes the journal of one session.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::folder::{Folder, JournalFile, is_alive, read};
use super::line::{Change, Line};
use super::record::{Held, Landed};
use super::undecided::Undecided;
use super::{Applicable, JournalError, Sink, Warn, owner};

/// When what could not be written is tried again, if nothing comes before.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// The most that waits to be written, in bytes.
const MAX_PENDING: usize = 64 << 20;
/// From this length on a file is cut, in bytes.
const CUT: u64 = 1 << 20;
/// Why an answer is held that had not landed when its Neovim ended.
const GONE: &str = "buffer_gone";

type Then<T> = Box<dyn FnOnce(T) + Send>;

/// What the thread is asked for.
pub enum Task {
    Append { id: u64, change: Change, sync: bool, done: Then<bool> },
    Unreported { jobs: Vec<(u64, Option<String>)>, then: Then<Vec<(u64, Held)>> },
    Adopt(Then<io::Result<Vec<Held>>>),
    Number { uuid: String, id: u64 },
    Then(Box<dyn FnOnce() + Send>),
    Applied(u64),
    TakenUp(PathBuf),
    Refuse { line: Line, why: String },
    PassOnAgain,
    Close(Box<dyn FnOnce() + Send>),
}

/// See the module.
pub struct Writer {
    folder: Folder,
    session: String,
    neovim: String,
    sink: Sink,
    warn: Warn,
    file: Option<(JournalFile, File)>,
    /// How long the file is.
    length: u64,
    /// What could not be written yet.
    pending: Vec<u8>,
    /// Other files of this session. They go with the next cut.
    earlier: Vec<JournalFile>,
    next_number: u64,
    undecided: Undecided,
    /// The keys of answers of other sessions, by their numbers in this one.
    adopted: BTreeMap<u64, String>,
    /// How many lines of this session were passed on, and how many of those the database has.
    passed_on: u64,
    applied: u64,
    /// The files of sessions that are gone which were passed on, with the lengths that they had.
    seen: BTreeSet<(PathBuf, u64)>,
    /// The paths that the marker has.
    marked: Vec<String>,
}

impl Writer {
    pub fn new(folder: Folder, session: String, sink: Sink, warn: Warn) -> Self {
        Self {
            folder,
            neovim: owner::of(&session),
            session,
            sink,
            warn,
            file: None,
            length: 0,
            pending: Vec::new(),
            earlier: Vec::new(),
            next_number: 0,
            undecided: Undecided::default(),
            adopted: BTreeMap::new(),
            passed_on: 0,
            applied: 0,
            seen: BTreeSet::new(),
            marked: Vec::new(),
        }
    }

    /// Works until all handles are gone.
    pub fn run(mut self, tasks: &mpsc::Receiver<Task>, is_late: &AtomicBool, is_busy: &AtomicBool) {
        is_busy.store(true, Ordering::Relaxed);
        if let Err(error) = self.begin() {
            (self.warn)(error.into());
        }
        loop {
            let patience = if self.pending.is_empty() { Duration::MAX } else { RETRY_INTERVAL };
            is_busy.store(false, Ordering::Relaxed);
            let first = match tasks.recv_timeout(patience) {
                Ok(task) => Some(task),
                Err(mpsc::RecvTimeoutError::Timeout) => None,
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            };
            is_busy.store(true, Ordering::Relaxed);
            let mut synced: Vec<Then<bool>> = Vec::new();
            if first.is_none() {
                self.write(&[]);
            }
            for task in first.into_iter().chain(std::iter::from_fn(|| tasks.try_recv().ok())) {
                self.work(task, &mut synced);
            }
            let is_kept = self.pending.is_empty();
            if let (false, Some((_, file))) = (synced.is_empty(), &self.file)
                && let Err(error) = file.sync_data()
            {
                (self.warn)(error.into());
            }
            for done in synced {
                done(is_kept);
            }
            is_late.store(false, Ordering::Relaxed);
            self.mark();
            self.cut(CUT);
        }
    }

    fn work(&mut self, task: Task, synced: &mut Vec<Then<bool>>) {
        match task {
            Task::Append { id, change, sync, done } => {
                self.append(self.uuid(id), change);
                if sync {
                    synced.push(done);
                } else {
                    done(self.pending.is_empty());
                }
            }
            Task::Unreported { jobs, then } => then(self.unreported(jobs)),
            Task::Adopt(then) => then(self.adopt()),
            Task::Number { uuid, id } => {
                self.adopted.insert(id, uuid.clone());
                self.append(uuid.clone(), Change::Numbered(id));
                // The database takes that of its holder alone, which this session is from now on.
                if let Some(held) = self.undecided.held_one(&uuid, GONE) {
                    self.append(uuid, Change::Landed(as_held(&held)));
                }
            }
            Task::Then(then) => {
                if let Err(error) = self.take_up() {
                    tracing::warn!(%error, "the journals of other sessions cannot be read");
                }
                then();
            }
            Task::Applied(count) => self.applied = count,
            Task::TakenUp(path) => {
                // What is held in one file of a session may be decided in the next.
                let sessions = self.folder.sessions().unwrap_or_default();
                let files = sessions.into_values().find(|files| files.iter().any(|file| file.path == path));
                if files.is_some_and(|files| Undecided::of(&lines(&files)).is_empty()) && read(&path).is_ok()
                {
                    // Another host may have been quicker.
                    let _ = std::fs::remove_file(path);
                }
            }
            Task::Refuse { line, why } => {
                let uuid = line.uuid.clone();
                self.append(uuid, Change::Refused { why, line: Box::new(line) });
            }
            Task::PassOnAgain => {
                let lines = self.undecided.lines();
                self.pass_on(lines);
            }
            Task::Close(then) => {
                self.cut(0);
                let is_over = self.undecided.is_empty() && self.is_applied();
                if let Some((file, _)) = self.file.take().filter(|_| is_over) {
                    let _ = std::fs::remove_file(file.path);
                }
                then();
            }
        }
    }

    fn uuid(&self, id: u64) -> String {
        self.adopted.get(&id).cloned().unwrap_or_else(|| format!("{}-{id}", self.session))
    }

    /// Reads what earlier hosts of this session have left, and begins a file.
    fn begin(&mut self) -> io::Result<()> {
        let mut sessions = self.folder.sessions()?;
        self.earlier = sessions.remove(&self.session).unwrap_or_default();
        self.next_number = self.earlier.last().map_or(0, |file| file.number + 1);
        for file in self.earlier.clone() {
            let lines = self.read(&file);
            for line in &lines {
                self.undecided.apply(line);
            }
            self.pass_on(lines);
        }
        self.adopted = self.undecided.numbers().map(|(number, uuid)| (number, uuid.to_owned())).collect();
        let begin = self.header(true);
        self.pass_on(vec![begin.clone()]);
        self.create(&[begin])
    }

    fn header(&self, is_start: bool) -> Line {
        let (session, neovim) = (self.session.clone(), self.neovim.clone());
        Line::new(String::new(), Change::Begin { session, neovim, is_start })
    }

    /// The lines of a file that has only what is undecided.
    fn shortest(&self) -> Vec<Line> {
        [&[self.header(false)], &self.undecided.lines()[..]].concat()
    }

    fn read(&self, file: &JournalFile) -> Vec<Line> {
        let left_over = |path, why| (self.warn)(JournalError::LeftOver { path, why });
        match read(&file.path) {
            Ok(content) => {
                if !content.is_whole {
                    // What can be read of it is taken over, and the file goes then.
                    let aside = file.path.with_extension("damaged");
                    let is_kept = std::fs::symlink_metadata(&aside).is_ok()
                        || std::fs::copy(&file.path, &aside).is_ok();
                    left_over(if is_kept { aside } else { file.path.clone() }, "is damaged".to_owned());
                }
                content.lines
            }
            Err(error) => {
                left_over(file.path.clone(), format!("cannot be read: {error}"));
                Vec::new()
            }
        }
    }

    /// Begins a new file with these lines.
    fn create(&mut self, lines: &[Line]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.append(&mut line.bytes()?);
        }
        let created = self.folder.create(&self.session, self.next_number, &bytes)?;
        self.next_number += 1;
        self.length = bytes.len() as u64;
        self.earlier.extend(self.file.replace(created).map(|(file, _)| file));
        Ok(())
    }

    fn append(&mut self, uuid: String, change: Change) {
        let line = Line::new(uuid, change);
        self.undecided.apply(&line);
        match line.bytes() {
            Ok(bytes) => self.write(&bytes),
            Err(error) => tracing::error!(%error, "a change is no JSON"),
        }
        self.pass_on(vec![line]);
    }

    /// Writes bytes behind those that wait; where that fails they wait, too.
    fn write(&mut self, bytes: &[u8]) {
        if self.file.as_ref().is_some_and(|(_, file)| !is_as_written(file, self.length)) {
            tracing::warn!("another program has changed or removed the journal, which is begun anew");
            self.earlier.extend(self.file.take().map(|(file, _)| file));
        }
        if self.file.is_none()
            && let Err(error) = self.create(&self.shortest())
        {
            return self.wait(bytes, error);
        }
        let waiting = [std::mem::take(&mut self.pending), bytes.to_vec()].concat();
        let Some((_, file)) = &mut self.file else { return };
        match file.write_all(&waiting) {
            Ok(()) => self.length += waiting.len() as u64,
            Err(error) => {
                // What was written of it is taken back, so that the next line begins on a line of its own.
                let _ = file.set_len(self.length);
                self.wait(&waiting, error);
            }
        }
    }

    fn wait(&mut self, bytes: &[u8], error: io::Error) {
        if self.pending.is_empty() {
            tracing::error!(%error, "the journal cannot be written");
            (self.warn)(error.into());
        }
        if self.pending.len() + bytes.len() <= MAX_PENDING {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn pass_on(&mut self, lines: Vec<Line>) {
        self.passed_on += lines.len() as u64;
        (self.sink)(Applicable { session: self.session.clone(), lines, file: None });
    }

    fn is_applied(&self) -> bool {
        self.applied == self.passed_on && self.pending.is_empty()
    }

    /// Where the database has all lines: begins a file with what is undecided alone, in place of all others. A file that
    /// is shorter than `least` stays.
    fn cut(&mut self, least: u64) {
        if !self.is_applied() || (self.length < least && self.earlier.is_empty()) {
            return;
        }
        if let Err(error) = self.create(&self.shortest()) {
            tracing::warn!(%error, "the journal cannot be cut");
            return;
        }
        for file in self.earlier.drain(..) {
            let _ = std::fs::remove_file(file.path);
        }
    }

    /// Passes on what sessions that are gone have left.
    fn take_up(&mut self) -> io::Result<()> {
        for (session, files) in self.others()? {
            for file in files {
                let length = std::fs::symlink_metadata(&file.path).map_or(0, |metadata| metadata.len());
                if self.seen.insert((file.path.clone(), length)) {
                    let lines = self.read(&file);
                    (self.sink)(Applicable { session: session.clone(), lines, file: Some(file.path) });
                }
            }
        }
        Ok(())
    }

    /// The sessions that are gone.
    fn others(&self) -> io::Result<impl Iterator<Item = (String, Vec<JournalFile>)> + use<>> {
        let mut sessions = self.folder.sessions()?;
        sessions.remove(&self.session);
        Ok(sessions.into_iter().filter(|(_, files)| !is_alive(files)))
    }

    fn adopt(&mut self) -> io::Result<Vec<Held>> {
        // Without a file of its own, which is locked, this session would count as gone with all that it takes over.
        if self.file.is_none()
            && let Err(error) = self.create(&self.shortest())
        {
            tracing::warn!(%error, "nothing is taken over without a journal");
            return Ok(Vec::new());
        }
        // The database is to know these jobs, as those of their own session.
        self.take_up()?;
        let mut adopted = Undecided::default();
        let before = self.next_number;
        for (session, files) in self.others()? {
            let first = self.next_number;
            self.next_number += files.len() as u64;
            match self.folder.take(&files, &self.session, first) {
                Ok(files) => {
                    // What is damaged in them was told when they were passed on.
                    adopted.merge(Undecided::of(&lines(&files)));
                    self.earlier.extend(files);
                    let _ = self.folder.mark(&session, "", std::iter::empty());
                }
                Err(error) => tracing::info!(session, %error, "journals were not taken over"),
            }
        }
        let held = adopted.held(GONE);
        self.undecided.merge(adopted);
        if self.next_number > before {
            // What becomes of the answers is written behind them.
            if let Err(error) = self.create(&self.shortest()) {
                tracing::warn!(%error, "no journal can be begun behind those that were taken over");
                self.earlier.extend(self.file.take().map(|(file, _)| file));
            }
            // Their lines are not counted, but this one behind them is: the database has them before the next cut.
            self.pass_on(vec![self.header(false)]);
        }
        Ok(held)
    }

    fn unreported(&mut self, jobs: Vec<(u64, Option<String>)>) -> Vec<(u64, Held)> {
        let mut found = Vec::new();
        for (id, uuid) in jobs {
            let known = self.uuid(id);
            let uuid = uuid.unwrap_or_else(|| known.clone());
            let Some(held) = self.undecided.held_one(&uuid, "review") else { continue };
            if uuid != known {
                // The host that had it taken over died before it wrote the number.
                self.adopted.insert(id, uuid.clone());
                self.append(uuid.clone(), Change::Numbered(id));
            }
            self.append(uuid, Change::Landed(as_held(&held)));
            found.push((id, held));
        }
        found
    }

    /// Brings the marker to what is undecided.
    fn mark(&mut self) {
        let paths: Vec<String> = self.undecided.paths().map(str::to_owned).collect();
        if paths == self.marked {
            return;
        }
        match self.folder.mark(&self.session, &self.neovim, paths.iter().map(String::as_str)) {
            Ok(()) => self.marked = paths,
            // It is only a hint, and the next change tries again.
            Err(error) => tracing::debug!(%error, "the marker of held answers cannot be written"),
        }
    }
}

/// What can be read of files, one behind the other.
fn lines(files: &[JournalFile]) -> Vec<Line> {
    files.iter().filter_map(|file| read(&file.path).ok()).flat_map(|content| content.lines).collect()
}

/// Whether a file has the length that was written, and a name.
fn is_as_written(file: &File, length: u64) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() == length && metadata.nlink() > 0)
}

fn as_held(held: &Held) -> Landed {
    Landed { landing: "held".to_owned(), held_for: held.record.held_for.clone(), ..Landed::default() }
}
