//! The files of journals: `journal/SESSION-N.jsonl` under the data directory. A file is locked as long as its host
//! writes it; a session whose files are free, and whose Neovim is gone, has ended. Links and pipes are never opened.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::line::{Change, Line};
use super::owner;

/// The end of the name of a file that is not complete.
const PART: &str = "part";
/// No file takes so long to be made.
const LEFT: Duration = Duration::from_secs(600);
/// The end of the name of the file that names the files of held answers.
const HELD: &str = "held";

/// The folder of all journals.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

/// A journal's file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JournalFile {
    /// Its number among the files of its session.
    pub number: u64,
    /// Where it is.
    pub path: PathBuf,
}

/// What is in a file.
#[derive(Debug, Default)]
pub struct Content {
    /// Its lines, but for a torn last one.
    pub lines: Vec<Line>,
    /// Whether all of them could be read.
    pub is_whole: bool,
}

impl Folder {
    /// The folder under a data directory.
    pub fn under(data_dir: &Path) -> Self {
        Self { path: data_dir.join("journal") }
    }

    /// The journals by session, each with its files from the oldest on.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn sessions(&self) -> io::Result<BTreeMap<String, Vec<JournalFile>>> {
        let mut sessions: BTreeMap<String, Vec<JournalFile>> = BTreeMap::new();
        let mut beside = Vec::new();
        match self.check() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(sessions),
            checked => checked?,
        }
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some((session, number)) =
                name.strip_suffix(".jsonl").and_then(|name| name.rsplit_once('-'))
                && let Ok(number) = number.parse()
            {
                sessions.entry(session.to_owned()).or_default().push(JournalFile { number, path });
            } else if path.extension().is_some_and(|end| end == PART || end == HELD) {
                beside.push(path);
            }
        }
        for path in beside {
            let session = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            // The marker of a session whose journals are gone says nothing any more.
            if !sessions.contains_key(session) && is_left(&path) {
                let _ = fs::remove_file(&path);
            }
        }
        for files in sessions.values_mut() {
            files.sort_unstable();
        }
        Ok(sessions)
    }

    /// Makes a file that begins with these lines, and locks it. It has its name once it is complete and on the disk.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn create(&self, session: &str, number: u64, lines: &[u8]) -> io::Result<(JournalFile, File)> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        self.check()?;
        let path = self.named(session, number);
        let part = path.with_extension(PART);
        let file = write(&part, lines)?;
        // Not every file system can lock; then the Neovim that the file names decides alone.
        let _ = file.try_lock();
        file.sync_data()?;
        fs::rename(&part, &path)?;
        // Its name, too, as far as the file system can. Files that it stands for are removed after that.
        let _ = File::open(&self.path).and_then(|folder| folder.sync_all());
        Ok((JournalFile { number, path }, file))
    }

    /// Gives the files of another session to this one, with numbers from `first` on, unless another host was quicker. All
    /// go to one host, since what is held in one file may be decided in the next.
    ///
    /// # Errors
    /// Where they cannot be renamed.
    pub fn take(&self, files: &[JournalFile], session: &str, first: u64) -> io::Result<Vec<JournalFile>> {
        let mut opened = Vec::new();
        for file in files {
            match open(&file.path) {
                Ok(handle) => match handle.try_lock() {
                    Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
                    // Where there are no locks the first name that is changed decides.
                    _ => opened.push((file, handle)),
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error),
                Err(error) => tracing::info!(path = %file.path.display(), %error, "not taken over"),
            }
        }
        let mut taken = Vec::new();
        for ((file, _), number) in opened.iter().zip(first..) {
            let path = self.named(session, number);
            fs::rename(&file.path, &path)?;
            taken.push(JournalFile { number, path });
        }
        Ok(taken)
    }

    /// Names the files in which answers of a session are held; Neovim reads that without a host. One object a line,
    /// `{"owner":"PID:START:MACHINE:BOOT:NAMESPACE","path":"/a/file"}`; there is no file where no answer is held.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn mark(&self, session: &str, neovim: &str, paths: &[String]) -> io::Result<()> {
        self.check()?;
        let marker = self.path.join(format!("{session}.{HELD}"));
        if paths.is_empty() {
            return match fs::remove_file(marker) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let part = self.path.join(format!("{session}.{HELD}.{PART}"));
        let line = |path| format!("{}\n", json!({ "owner": neovim, "path": path }));
        write(&part, paths.iter().map(line).collect::<String>().as_bytes())?;
        fs::rename(part, marker)
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
}

/// Makes a file that gets its name later, in place of one that a host left.
fn write(part: &Path, content: &[u8]) -> io::Result<File> {
    let _ = fs::remove_file(part);
    let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(part)?;
    file.write_all(content)?;
    Ok(file)
}

/// Whether the session with these files may still run.
pub fn is_alive(files: &[JournalFile]) -> bool {
    files
        .iter()
        .any(|file| is_locked(&file.path) || neovim(&file.path).is_some_and(|name| owner::is_alive(&name)))
}

/// Reads a journal.
///
/// # Errors
/// Where it cannot be read.
pub fn read(path: &Path) -> io::Result<Content> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(parse(&bytes))
}

/// The lines of a journal. What comes after the last end of a line is torn, and dropped.
pub fn parse(bytes: &[u8]) -> Content {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut content = Content { lines: Vec::new(), is_whole: true };
    for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
        match Line::parse(&line[..line.len() - 1]) {
            Some(line) => content.lines.push(line),
            // An empty one ends a write that was cut short.
            None => content.is_whole &= line.len() == 1,
        }
    }
    content
}

/// The Neovim that the first line of a journal names.
fn neovim(path: &Path) -> Option<String> {
    let mut start = vec![0; 1024];
    let length = open(path).ok()?.read(&mut start).ok()?;
    let line = start[..length].split(|byte| *byte == b'\n').next()?;
    match Line::parse(line)?.change {
        Change::Begin { neovim, .. } => Some(neovim),
        _ => None,
    }
}

/// Whether the host was killed that made this file. One that is being made has no lock for a moment, and looking for one
/// would keep its host from taking it.
fn is_left(path: &Path) -> bool {
    let made = fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|since| since > LEFT))
}

fn is_locked(path: &Path) -> bool {
    open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}
