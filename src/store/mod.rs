//! Everything that is kept in files: for now the raw streams of jobs. Only this room opens files to write,
//! the log apart.

mod transcript;

pub use transcript::{Transcript, Transcripts};
