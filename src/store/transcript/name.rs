//! The names of transcripts. Only a file with such a name is a transcript, whatever else is in their folder.

use std::ffi::OsStr;
use std::fmt;

use crate::store::now_ms;

/// When a transcript began, the host that writes it, and its job; in this order, so that the names sort by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TranscriptName {
    ms: u64,
    pid: u32,
    id: u64,
}

impl TranscriptName {
    /// The name of a transcript of this host that begins now.
    pub fn new(id: u64) -> Self {
        Self { ms: u64::try_from(now_ms()).unwrap_or_default(), pid: std::process::id(), id }
    }

    /// Reads a name exactly as it is written here; none for any other.
    pub fn parse(file_name: &OsStr) -> Option<Self> {
        let text = file_name.to_str()?;
        let mut parts = text.strip_suffix(".jsonl")?.split('-');
        let (ms, pid, id) = (parts.next()?, parts.next()?, parts.next()?);
        let name = Self { ms: ms.parse().ok()?, pid: pid.parse().ok()?, id: id.parse().ok()? };
        // Numbers can be written in several ways.
        (name.to_string() == text).then_some(name)
    }
}

impl fmt::Display for TranscriptName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ms, pid, id } = self;
        write!(f, "{ms:015}-{pid}-{id}.jsonl")
    }
}
