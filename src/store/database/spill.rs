//! What cannot be written into the database, in a file beside it, until it can be: so it survives the end of the host.
//!
//! A spill file is a list of JSON lines: a header, then what is known of jobs and prompts, of which later lines replace
//! what earlier ones say. Its host keeps it locked. A host that finds one without a lock takes it up (`take_up`): in
//! one transaction, and the file is deleted after that is on the disk. What is taken up twice is there once
//! (`queries::put`).

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::ledger::{ChangeKey, Ledger};
use super::shared::lock;
use crate::store::known::KnownJob;
use crate::store::now_ms;
use crate::store::record::Unsent;

/// Spill files are called `botglue.spill-TIME-PROCESS.jsonl`; no other file is read or deleted.
pub(super) const PREFIX: &str = "botglue.spill-";
pub(super) const SUFFIX: &str = ".jsonl";
/// The version of the lines.
pub(super) const VERSION: u32 = 1;
/// A file of more bytes than this is rewritten when it has grown to twice its size.
const LARGE: u64 = 8 << 20;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SpillHeader {
    pub(super) version: u32,
    pub(super) owner: String,
    #[serde(default)]
    pub(super) host: String,
}

/// One line after the header.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpillLine {
    Job(Box<KnownJob>),
    /// A prompt that was not sent; an empty text removes it.
    Prompt {
        id: u64,
        #[serde(flatten)]
        unsent: Unsent,
    },
}

/// The spill file of this host, where it has one.
pub struct Spill {
    data_dir: Option<PathBuf>,
    owner: String,
    host: String,
    open: Option<OpenSpill>,
}

struct OpenSpill {
    path: PathBuf,
    file: File,
    length: u64,
    /// At this length the file is rewritten.
    most: u64,
    /// Which revision of each change is in it.
    has: BTreeMap<ChangeKey, u64>,
    /// All of it is on the disk.
    is_synced: bool,
}

impl Spill {
    pub fn new(data_dir: Option<PathBuf>, owner: String, host: String) -> Self {
        Self { data_dir, owner, host, open: None }
    }

    /// Writes all that waits and is not in the file yet; it is on the disk then.
    pub fn add(&mut self, ledger: &Mutex<Ledger>) -> io::Result<()> {
        let written = self.write(ledger);
        let synced = match (&self.data_dir, &mut self.open) {
            (Some(data_dir), Some(open)) => open.sync(data_dir),
            _ => Ok(()),
        };
        synced.and(written)
    }

    /// Writes all that waits and is not in the file yet, without waiting for the disk: it survives the end of this
    /// process, but not that of the machine.
    pub fn write(&mut self, ledger: &Mutex<Ledger>) -> io::Result<()> {
        let Some(data_dir) = &self.data_dir else { return Ok(()) };
        let has = self.open.as_ref().map(|open| open.has.clone()).unwrap_or_default();
        let lines = lock(ledger).lines(&has);
        if lines.is_empty() {
            return Ok(());
        }
        match &mut self.open {
            Some(open) if open.length < open.most => open.append(lines),
            _ => {
                let lines = lock(ledger).lines(&BTreeMap::new());
                let mut open = OpenSpill::create(data_dir, &self.owner, &self.host)?;
                let written = open.append(lines);
                open.most = LARGE.max(2 * open.length);
                if written.is_err() && self.open.is_some() {
                    open.delete();
                } else if let Some(old) = self.open.replace(open) {
                    old.delete();
                }
                written
            }
        }
    }

    /// All of it is in the database: deletes the file.
    pub fn clear(&mut self) {
        if let Some(open) = self.open.take() {
            open.delete();
        }
    }
}

impl OpenSpill {
    fn create(data_dir: &Path, owner: &str, host: &str) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
        let (pid, first) = (std::process::id(), now_ms());
        let names = (first..first + 1000).map(|ms| data_dir.join(format!("{PREFIX}{ms:015}-{pid}{SUFFIX}")));
        let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
        let path = names.into_iter().find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
        // Under another name until it is locked: no host may take it up before.
        let part = path.with_extension("part");
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&part)?;
        if let Err(error) = file.try_lock() {
            // Where the file system has no locks, the owner that lives keeps others away.
            tracing::debug!(path = %path.display(), %error, "the spill file is not locked");
        }
        let has = BTreeMap::new();
        let mut open = Self { path: part.clone(), file, length: 0, most: LARGE, has, is_synced: false };
        let header = SpillHeader { version: VERSION, owner: owner.to_owned(), host: host.to_owned() };
        if let Err(error) = open.write(&header).and_then(|()| fs::rename(&part, &path)) {
            open.delete();
            return Err(error);
        }
        open.path = path;
        Ok(open)
    }

    /// Writes as many of the lines as there is room for.
    fn append(&mut self, lines: Vec<(ChangeKey, u64, SpillLine)>) -> io::Result<()> {
        let mut left: BTreeMap<ChangeKey, usize> = BTreeMap::new();
        for (key, ..) in &lines {
            *left.entry(*key).or_default() += 1;
        }
        let mut written = Ok(());
        for (key, revision, line) in lines {
            written = self.write(&line);
            if written.is_err() {
                break;
            }
            if let Some(left) = left.get_mut(&key) {
                *left -= 1;
                if *left == 0 {
                    self.has.insert(key, revision);
                }
            }
        }
        self.is_synced = false;
        written
    }

    fn sync(&mut self, data_dir: &Path) -> io::Result<()> {
        if !self.is_synced {
            self.file.sync_data()?;
            File::open(data_dir)?.sync_all()?;
            self.is_synced = true;
        }
        Ok(())
    }

    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let written = self.file.write_all(&bytes);
        match &written {
            Ok(()) => self.length += bytes.len() as u64,
            // Half a line would spoil the one after it.
            Err(_) => self.file.set_len(self.length)?,
        }
        written
    }

    fn delete(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::error!(path = %self.path.display(), %error, "a spill file cannot be deleted");
        }
    }
}
