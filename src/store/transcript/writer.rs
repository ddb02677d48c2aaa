//! The thread that writes transcripts, and the only one that touches their folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, mpsc};

use super::budget::Budget;
use super::folder::Folder;
use super::name::TranscriptName;
use super::{LIMIT, OVERHEAD, PIECE};

/// A transcript has room for a line that says why it is cut, of this many bytes at the most.
const NOTE: u64 = 256;

/// Something to be done. What a task takes of the budget is given back when it is done.
pub enum TranscriptTask {
    /// A transcript begins; it takes [`OVERHEAD`] until it ends.
    Begin(TranscriptName),
    /// The agent printed this, which takes its length and [`OVERHEAD`].
    Append(TranscriptName, Vec<u8>),
    /// What came next was given up.
    Cut(TranscriptName),
    End(TranscriptName),
    /// All that came before is done.
    Then(Box<dyn FnOnce() + Send>),
}

/// Why the file of a transcript ends before its stream does.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Slow,
    Long,
    NoRoom,
}

impl Cut {
    fn reason(self) -> &'static str {
        match self {
            Self::Slow => "the disk was too slow for it",
            Self::Long => "no transcript is longer than 32 MB",
            Self::NoRoom => "the transcripts that are being written take all the room",
        }
    }
}

pub struct TranscriptWriter {
    folder: Folder,
    budget: Arc<Budget>,
    open: BTreeMap<TranscriptName, OpenFile>,
}

/// The file of a transcript.
struct OpenFile {
    file: File,
    written: u64,
    /// How far it may grow before it has to ask again.
    granted: u64,
    /// What was written last ends a line.
    at_line_start: bool,
    /// Nothing more is written. The file stays locked as long as its job runs.
    is_over: bool,
}

impl TranscriptWriter {
    pub fn new(folder: Folder, budget: Arc<Budget>) -> Self {
        Self { folder, budget, open: BTreeMap::new() }
    }

    /// Drops what is too old, then works until all senders are gone.
    pub fn run(mut self, tasks: &mpsc::Receiver<TranscriptTask>) {
        if let Err(error) = self.make_room(0) {
            tracing::warn!(%error, "no transcripts are kept");
        }
        for task in tasks {
            match task {
                TranscriptTask::Begin(name) => self.begin(name),
                TranscriptTask::Append(name, bytes) => {
                    self.append(name, &bytes);
                    self.budget.give_back(bytes.len() + OVERHEAD);
                }
                TranscriptTask::Cut(name) => self.cut(name, Cut::Slow),
                TranscriptTask::End(name) => {
                    self.open.remove(&name);
                    self.budget.give_back(OVERHEAD);
                }
                TranscriptTask::Then(then) => then(),
            }
        }
    }

    fn begin(&mut self, name: TranscriptName) {
        if let Err(error) = self.create(name) {
            tracing::warn!(%name, %error, "this job keeps no transcript");
        } else {
            tracing::info!(%name, "recording");
        }
    }

    fn create(&mut self, name: TranscriptName) -> io::Result<()> {
        let file = self.folder.create(name)?;
        // A new file counts as one piece already.
        self.open
            .insert(name, OpenFile { file, written: 0, granted: PIECE, at_line_start: true, is_over: false });
        if self.make_room(0)? {
            return Ok(());
        }
        self.open.remove(&name);
        self.folder.remove(name)?;
        Err(io::Error::other(Cut::NoRoom.reason()))
    }

    fn append(&mut self, name: TranscriptName, bytes: &[u8]) {
        let Some(open) = self.open.get(&name).filter(|open| !open.is_over) else { return };
        let room = usize::try_from((LIMIT - NOTE).saturating_sub(open.written)).unwrap_or(usize::MAX);
        let kept = &bytes[..bytes.len().min(room)];
        let more =
            (open.written + kept.len() as u64 + NOTE).next_multiple_of(PIECE).saturating_sub(open.granted);
        match if more > 0 { self.make_room(more) } else { Ok(true) } {
            Ok(true) => {}
            Ok(false) => return self.cut(name, Cut::NoRoom),
            Err(error) => return self.fail(name, &error),
        }
        let Some(open) = self.open.get_mut(&name) else { return };
        open.granted += more;
        if let Err(error) = open.write(kept) {
            self.fail(name, &error);
        } else if kept.len() < bytes.len() {
            self.cut(name, Cut::Long);
        }
    }

    /// Ends a transcript with a line that says why.
    fn cut(&mut self, name: TranscriptName, why: Cut) {
        let Some(open) = self.open.get_mut(&name).filter(|open| !open.is_over) else { return };
        let reason = why.reason();
        tracing::warn!(%name, reason, "the transcript is cut");
        let begin = if open.at_line_start { "" } else { "\n" };
        let note = format!("{begin}{}\n", serde_json::json!({ "type": "botglue", "cut": reason }));
        match open.write(note.as_bytes()) {
            Ok(()) => open.is_over = true,
            Err(error) => self.fail(name, &error),
        }
    }

    fn fail(&mut self, name: TranscriptName, error: &io::Error) {
        tracing::warn!(%name, %error, "the transcript ends here");
        if let Some(open) = self.open.get_mut(&name) {
            open.is_over = true;
        }
    }

    fn make_room(&self, more: u64) -> io::Result<bool> {
        let own = self.open.iter().map(|(name, open)| (*name, open.granted)).collect();
        self.folder.make_room(&own, more)
    }
}

impl OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        self.at_line_start = bytes.last().map_or(self.at_line_start, |last| *last == b'\n');
        Ok(())
    }
}
