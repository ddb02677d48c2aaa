//! The thread that writes the journal of one session.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use super::folder::{Folder, JournalFile, is_alive, read};
use super::line::{Change, Line};
use super::record::{Held, Landed};
use super::undecided::Undecided;
use super::{Applicable, Shared, Sink, owner};

/// When a journal that could not be written is tried again, if nothing comes before.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// From this length on a file is cut, in bytes.
const CUT: u64 = 1 << 20;
/// Why an answer is held that had not landed when its Neovim ended.
const GONE: &str = "buffer_gone";

/// What the thread is asked for.
pub type Task = Box<dyn FnOnce(&mut Writer) + Send>;

/// See the module.
pub struct Writer {
    folder: Folder,
    session: String,
    neovim: String,
    sink: Sink,
    shared: Arc<Shared>,
    file: Option<(JournalFile, File)>,
    /// It cannot be written. What is undecided goes to the next one, and the database gets the rest.
    is_lost: bool,
    /// How long the file is.
    length: u64,
    /// Other files of this session. They go with the next cut.
    earlier: Vec<JournalFile>,
    next_number: u64,
    undecided: Undecided,
    /// The keys of answers of other sessions, by their numbers in this one.
    adopted: BTreeMap<u64, String>,
    /// How many lines of this session were passed on, and how many of those the database has.
    passed_on: u64,
    pub applied: u64,
    /// The files of sessions that are gone which were passed on, with the lengths that they had.
    seen: BTreeSet<(PathBuf, u64)>,
    /// The paths that the marker has.
    marked: Vec<String>,
}

impl Writer {
    pub fn new(folder: Folder, session: String, sink: Sink, shared: Arc<Shared>) -> Self {
        Self {
            folder,
            neovim: owner::of(&session),
            session,
            sink,
            shared,
            file: None,
            is_lost: false,
            length: 0,
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
    pub fn run(mut self, tasks: &mpsc::Receiver<Task>) {
        let shared = Arc::clone(&self.shared);
        shared.is_busy.store(true, Ordering::Relaxed);
        if let Err(error) = self.begin() {
            self.lose_file(&error);
        }
        loop {
            let patience = if self.is_lost { RETRY_INTERVAL } else { Duration::MAX };
            shared.is_busy.store(false, Ordering::Relaxed);
            let first: Task = match tasks.recv_timeout(patience) {
                Ok(task) => task,
                Err(mpsc::RecvTimeoutError::Timeout) => Box::new(|writer| _ = writer.write(&[])),
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            };
            shared.is_busy.store(true, Ordering::Relaxed);
            for task in std::iter::once(first).chain(tasks.try_iter()) {
                task(&mut self);
                shared.is_late.store(false, Ordering::Relaxed);
            }
            self.mark();
            self.cut(CUT);
        }
    }

    /// Appends a change; whether it is written.
    pub fn append(&mut self, id: u64, change: Change) -> bool {
        self.append_to(self.uuid(id), change)
    }

    /// The same, and it is on the disk.
    pub fn append_synced(&mut self, id: u64, change: Change) {
        self.append(id, change);
        if let Some((_, file)) = &self.file
            && let Err(error) = file.sync_data()
        {
            self.lose_file(&error);
        }
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

    /// The database has a file of a session that is gone. It goes, unless something in it is undecided.
    pub fn taken_up(&mut self, path: &Path) {
        // What is held in one file of a session may be decided in the next.
        let sessions = self.folder.sessions().unwrap_or_default();
        let files = sessions.into_values().find(|files| files.iter().any(|file| file.path == path));
        if files.is_some_and(|files| Undecided::of(&lines(&files)).is_empty()) && read(path).is_ok() {
            // Another host may have been quicker.
            let _ = std::fs::remove_file(path);
        }
    }

    pub fn pass_on_again(&mut self) {
        self.pass_on(self.undecided.lines());
    }

    /// Leaves what is undecided, and what the database does not have.
    pub fn close(&mut self) {
        self.cut(0);
        let is_over = self.undecided.is_empty() && self.is_applied();
        if let Some((file, _)) = self.file.take().filter(|_| is_over) {
            let _ = std::fs::remove_file(file.path);
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
        self.adopted = self.undecided.numbers();
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
        let left_over = |path: &Path, why: &str| {
            let path = path.display();
            (self.shared.warn)(format!("what an earlier session left is not all taken over: {path} {why}"));
        };
        match read(&file.path) {
            Ok(content) => {
                if !content.is_whole {
                    // What can be read of it is taken over, and the file goes then.
                    let aside = file.path.with_extension("damaged");
                    let is_kept = std::fs::symlink_metadata(&aside).is_ok()
                        || std::fs::copy(&file.path, &aside).is_ok();
                    left_over(if is_kept { &aside } else { &file.path }, "is damaged");
                }
                content.lines
            }
            Err(error) => {
                left_over(&file.path, &format!("cannot be read: {error}"));
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
        self.is_lost = false;
        self.length = bytes.len() as u64;
        self.earlier.extend(self.file.replace(created).map(|(file, _)| file));
        Ok(())
    }

    /// Appends a change of the job with this key; whether it is written.
    pub fn append_to(&mut self, uuid: String, change: Change) -> bool {
        let line = Line::new(uuid, change);
        self.undecided.apply(&line);
        let is_written = match line.bytes() {
            Ok(bytes) => self.write(&bytes),
            Err(error) => {
                tracing::error!(%error, "a change is no JSON");
                false
            }
        };
        self.pass_on(vec![line]);
        is_written
    }

    /// Writes bytes behind what is there, and that to a new file where there is none.
    fn write(&mut self, bytes: &[u8]) -> bool {
        if self.file.as_ref().is_some_and(|(_, file)| !is_as_written(file, self.length)) {
            tracing::warn!("another program has changed or removed the journal, which is begun anew");
            self.earlier.extend(self.file.take().map(|(file, _)| file));
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
        self.earlier.extend(self.file.take().map(|(file, _)| file));
    }

    fn pass_on(&mut self, lines: Vec<Line>) {
        self.passed_on += lines.len() as u64;
        (self.sink)(Applicable { session: self.session.clone(), lines, file: None });
    }

    fn is_applied(&self) -> bool {
        self.applied == self.passed_on
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
    pub fn take_up(&mut self) -> io::Result<()> {
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

    pub fn adopt(&mut self) -> io::Result<Vec<Held>> {
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
                    let _ = self.folder.mark(&session, "", &[]);
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

    /// Brings the marker to what is undecided.
    fn mark(&mut self) {
        let paths = self.undecided.paths();
        if paths == self.marked {
            return;
        }
        match self.folder.mark(&self.session, &self.neovim, &paths) {
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
