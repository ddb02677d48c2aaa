//! The files of journals: `journal/SESSION-N.jsonl` under the data directory. A file is locked as long as its host
//! writes it; a session whose files are free, and whose Neovim is gone, has ended. Links and pipes are never opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::line::{Change, Line};
use super::owner;

/// The folder of all journals.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

/// The numbers of the files of a session.
pub type Numbers = BTreeSet<u64>;

impl Folder {
    /// The folder under a data directory.
    pub fn under(data_dir: &Path) -> Self {
        Self { path: data_dir.join("journal") }
    }

    /// The sessions that have journals.
    pub fn sessions(&self) -> io::Result<BTreeMap<String, Numbers>> {
        let mut sessions: BTreeMap<String, Numbers> = BTreeMap::new();
        match self.check() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(sessions),
            checked => checked?,
        }
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(".jsonl")?.rsplit_once('-'));
            if let Some((session, number)) = name
                && let Ok(number) = number.parse()
            {
                sessions.entry(session.to_owned()).or_default().insert(number);
            }
        }
        Ok(sessions)
    }

    /// The sessions other than this one that are gone.
    pub fn gone(&self, own: &str) -> io::Result<BTreeMap<String, Numbers>> {
        let mut sessions = self.sessions()?;
        sessions.retain(|session, numbers| session != own && !self.is_alive(session, numbers));
        Ok(sessions)
    }

    /// The turn to change the files of other sessions, as long as what is returned is kept: a host that lists them while
    /// another one renames them would find a part of what belongs together.
    ///
    /// # Errors
    /// `WouldBlock` while another host has it.
    pub fn turn(&self) -> io::Result<File> {
        let folder = File::open(&self.path)?;
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            // Not every file system can lock.
            _ => Ok(folder),
        }
    }

    /// Whether the session with these files may still run. Where all are empty its host is about to begin one.
    pub fn is_alive(&self, session: &str, numbers: &Numbers) -> bool {
        let has_owner = |number: &u64| {
            self.open(session, *number).is_ok_and(|mut file| {
                matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
                    || neovim(&mut file).is_some_and(|neovim| owner::is_alive(&neovim))
            })
        };
        self.length(session, numbers) == 0 || numbers.iter().any(has_owner)
    }

    /// How long its files are together.
    pub fn length(&self, session: &str, numbers: &Numbers) -> u64 {
        let length =
            |number: &u64| fs::symlink_metadata(self.named(session, *number)).map_or(1, |of| of.len());
        numbers.iter().map(length).sum()
    }

    /// Makes a file that begins with these lines, and locks it; it is on the disk then.
    pub fn create(&self, session: &str, number: u64, lines: &[u8]) -> io::Result<File> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        self.check()?;
        let path = self.named(session, number);
        let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        // Not every file system can lock; then the Neovim that the file names decides alone.
        let _ = file.lock();
        let written = file.write_all(lines).and_then(|()| file.sync_data());
        written.inspect_err(|_| _ = fs::remove_file(&path))?;
        // Its name, too, as far as the file system can. Files that it stands for are removed after that.
        let _ = File::open(&self.path).and_then(|folder| folder.sync_all());
        Ok(file)
    }

    /// Gives the files of another session to this one, with numbers from `first` on. All go to one host, since what is
    /// held in one file may be decided in the next: see [`Folder::turn`].
    pub fn take(&self, from: &str, numbers: &Numbers, to: &str, first: u64) -> io::Result<Numbers> {
        let is_other = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let files = numbers.iter().map(|number| self.named(from, *number)).filter(|path| !is_other(path));
        files.zip(first..).map(|(file, new)| fs::rename(file, self.named(to, new)).map(|()| new)).collect()
    }

    /// The lines of files, one behind the other; of `numbers` those stay that could be read. What is whole in a damaged
    /// one is taken, the file itself is kept beside it, and `warn` hears of it.
    pub fn lines(&self, session: &str, numbers: &mut Numbers, warn: &dyn Fn(String)) -> Vec<Line> {
        let mut lines = Vec::new();
        numbers.retain(|number| {
            let path = self.named(session, *number);
            let mut bytes = Vec::new();
            let read = self.open(session, *number).and_then(|mut file| file.read_to_end(&mut bytes));
            let (mut found, is_whole) = parse(&bytes);
            lines.append(&mut found);
            let aside = path.with_extension("damaged");
            let why = match &read {
                Ok(_) if is_whole => return true,
                // It stays under this name.
                Ok(_) if fs::hard_link(&path, &aside).is_ok() => format!("{} is damaged", aside.display()),
                Ok(_) => format!("{} is damaged", path.display()),
                // Another host was quicker.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return false,
                Err(error) => format!("{} cannot be read: {error}", path.display()),
            };
            warn(format!("not all jobs of an earlier session were taken over: {why}"));
            read.is_ok()
        });
        lines
    }

    /// Removes files, unless another host takes them over: who is quicker with the first has all of them.
    pub fn remove(&self, session: &str, numbers: &Numbers) {
        let _ = numbers.iter().all(|number| fs::remove_file(self.named(session, *number)).is_ok());
    }

    /// Nothing is read, written or removed behind a link in the folder's place.
    fn check(&self) -> io::Result<()> {
        if fs::symlink_metadata(&self.path)?.is_dir() {
            return Ok(());
        }
        Err(io::Error::other("`journal` is no folder, or a symbolic link, which is not followed"))
    }

    fn named(&self, session: &str, number: u64) -> PathBuf {
        self.path.join(format!("{session}-{number}.jsonl"))
    }

    fn open(&self, session: &str, number: u64) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = options.open(self.named(session, number))?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
    }
}

/// The lines of a journal, and whether all could be read. What comes after the last end of a line is torn, and dropped.
pub fn parse(bytes: &[u8]) -> (Vec<Line>, bool) {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let (mut lines, mut is_whole) = (Vec::new(), true);
    for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
        match Line::parse(&line[..line.len() - 1]) {
            Some(line) => lines.push(line),
            // An empty one ends a write that was cut short.
            None => is_whole &= line.len() == 1,
        }
    }
    (lines, is_whole)
}

/// The Neovim that the first line of a journal names.
fn neovim(file: &mut File) -> Option<String> {
    let mut start = vec![0; 1024];
    let length = file.read(&mut start).ok()?;
    match Line::parse(start[..length].split(|byte| *byte == b'\n').next()?)?.change {
        Change::Begin { neovim, .. } => Some(neovim),
        _ => None,
    }
}
