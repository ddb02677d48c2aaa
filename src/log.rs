//! The host's log: opens its file and decides what goes into it.
//!
//! The log names files and programs, codes and lengths. Prompts, code and what an agent prints may only be part of a
//! `debug` or `trace` event, never of what is logged by default. A host that cannot open its log works without one.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A log that is larger than this is put aside as `.1`, in bytes.
const LIMIT: u64 = 4 * 1024 * 1024;
/// How long a turn of a loop may take and not be logged.
const SLOW: Duration = Duration::from_millis(50);
/// After how many bytes of its own a host looks at the size again.
const LOOK: usize = 64 * 1024;

/// Logs to `path` from now on, as the environment variable `BOTGLUE_LOG` says. Neovims share one log.
///
/// # Errors
/// Where the file cannot be opened, or is something else than a file; then nothing is logged.
pub fn start(path: &Path) -> io::Result<()> {
    let file = LogFile { path: path.to_owned(), file: open(path)?, written: 0 };
    let levels = std::env::var("BOTGLUE_LOG").unwrap_or_default();
    let layer = tracing_subscriber::fmt::layer().with_writer(Mutex::new(file)).with_ansi(false);
    tracing_subscriber::registry().with(layer).with(logged(&levels)).try_init().map_err(io::Error::other)
}

/// Logs that a turn of a loop took so long that others had to wait for it.
pub fn slow_turn(of: &'static str, begun: Instant) {
    let took = begun.elapsed();
    if took > SLOW {
        tracing::info!(of, ms = took.as_millis(), "a slow turn");
    }
}

/// The log of this host, and of others.
struct LogFile {
    path: PathBuf,
    file: File,
    /// How many bytes this host has written since it looked at the size.
    written: usize,
}

impl io::Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written > LOOK {
            // Opens the new one, too, where another host has put this one aside.
            self.file = open(&self.path)?;
            self.written = 0;
        }
        let written = self.file.write(bytes)?;
        self.written += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens the log to append, with the folder that it is in. Only its owner may read it, whatever earlier versions left.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = open_file(path)?;
    if file.metadata()?.len() <= LIMIT {
        return Ok(file);
    }
    fs::rename(path, path.with_extension("log.1"))?;
    open_file(path)
}

#[expect(clippy::disallowed_methods, reason = "the log is the one file outside the store")]
fn open_file(path: &Path) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(refused());
    }
    // What takes its place in between is neither followed nor waited for.
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(refused());
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// What is logged: `levels` is one level, or a level for each part of the program (`botglue::store=debug`). The default,
/// also if it cannot be parsed, is `info`.
fn logged(levels: &str) -> Targets {
    let default = Targets::new().with_default(LevelFilter::INFO);
    let targets = if levels.is_empty() { default } else { levels.parse().unwrap_or(default) };
    // nvim-rs logs every message at debug: prompts and code would land in the log.
    targets.with_target("nvim_rs", LevelFilter::WARN)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use tracing::Level;

    #[test]
    fn the_log_has_what_was_wanted_and_never_the_messages_themselves() {
        let has = |wanted: &str, target: &str| {
            [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE]
                .iter()
                .filter(|level| logged(wanted).would_enable(target, level))
                .count()
        };
        assert_eq!([has("", "botglue"), has("debug", "botglue"), has("botglue=loud", "botglue")], [3, 4, 3]);
        assert_eq!([has("botglue::store=debug", "botglue::store"), has("off", "botglue")], [4, 0]);
        assert_eq!([has("trace", "nvim_rs"), has("nvim_rs=trace", "nvim_rs")], [2, 2]);
    }

    #[test]
    fn a_log_that_is_too_long_is_put_aside_and_neither_is_readable_by_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder/botglue.log");
        open(&path).unwrap().set_len(LIMIT + 1).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        writeln!(open(&path).unwrap(), "new").unwrap();
        let aside = path.with_extension("log.1");
        assert_eq!(fs::metadata(&aside).unwrap().len(), LIMIT + 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
        // The same while it is written to.
        let mut log = LogFile { path: path.clone(), file: open(&path).unwrap(), written: LOOK + 1 };
        log.file.set_len(LIMIT + 2).unwrap();
        writeln!(log, "next").unwrap();
        assert_eq!(fs::metadata(&aside).unwrap().len(), LIMIT + 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), "next\n");
        for path in [&path, &aside] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
