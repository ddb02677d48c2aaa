//! `botglue serve`: puts the host together and takes it apart.
//!
//! Everything runs on the main thread: the parent-death signal of the agents is tied to it. Standard output
//! belongs to the RPC channel alone; logs go to a file.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::editor::Editor;
use crate::host::{Host, Message};
use crate::job::{Groups, Surroundings};
use crate::rpc;
use crate::store::{self, Database, Transcripts};

/// A log that is larger than this when the host starts is put aside as `.1`, in bytes.
const LOG_LIMIT: u64 = 4 * 1024 * 1024;

/// What `serve` can be told; the plugin sets both.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where to log; nowhere by default.
    pub log: Option<PathBuf>,
    /// Where answers and transcripts are kept; nowhere by default.
    pub data_dir: Option<PathBuf>,
}

impl Options {
    /// Reads `[--log FILE] [--data-dir DIR]`.
    ///
    /// # Errors
    /// A sentence that names the argument which is wrong.
    pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        use lexopt::prelude::{Long, ValueExt};
        let mut options = Self::default();
        let mut parser = lexopt::Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("log") => options.log = Some(parser.value()?.parse()?),
                Long("data-dir") => options.data_dir = Some(parser.value()?.parse()?),
                other => return Err(other.unexpected()),
            }
        }
        Ok(options)
    }
}

/// Serves the Neovim at the other end of stdin and stdout, until it goes away.
pub fn run(options: &Options) -> ExitCode {
    if let Some(log) = &options.log
        && let Err(error) = log_to(log)
    {
        report(&format!("cannot log to {}: {error}", log.display()));
    }
    let groups = Groups::default();
    end_everything_on_panic(groups.clone());
    be_nice();
    let served = tokio::runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        let served = runtime.block_on(serve(options, groups));
        // tokio reads stdin on a thread of its own, which dropping the runtime would wait for.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&format!("the host could not start: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: &Options, groups: Groups) -> io::Result<()> {
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "the host starts");
    let (send, messages) = mpsc::unbounded_channel();
    let (events, told) = mpsc::unbounded_channel();
    let (neovim, calls, connection) = rpc::connect(send.clone())?;
    let editor = Editor::start(neovim, calls, send.clone());
    watch_signals(&send)?;
    tokio::spawn(async move {
        let end = connection.await;
        tracing::info!(?end, "the channel has ended");
        // Nobody listens only when the host is ending already.
        let _ = send.send(Message::Disconnected);
    });
    let transcripts = options.data_dir.as_deref().map(Transcripts::under).unwrap_or_default();
    let database = open_database(options, &editor);
    let empty = store::empty_directory(options.data_dir.as_deref());
    Host::new(editor, database, Surroundings { events, groups, empty, transcripts })
        .run(messages, told)
        .await;
    tracing::info!("the host ends");
    Ok(())
}

fn open_database(options: &Options, editor: &Editor) -> Database {
    let editor = editor.clone();
    Database::open(options.data_dir.clone(), move |error| {
        editor.warn(error.warning());
    })
}

fn watch_signals(messages: &mpsc::UnboundedSender<Message>) -> io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()] {
        let mut signals = signal(kind)?;
        let messages = messages.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                // As above: nobody listens only when the host is ending already.
                let _ = messages.send(Message::Terminate);
            }
        });
    }
    Ok(())
}

/// Appends to `path`, creating its folder. Neovims share one log.
#[expect(clippy::disallowed_methods, reason = "the log is the one file outside the store")]
fn log_to(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::metadata(path).is_ok_and(|meta| meta.len() > LOG_LIMIT) {
        fs::rename(path, path.with_extension("log.1"))?;
    }
    let file: File = OpenOptions::new().append(true).create(true).open(path)?;
    let wanted = std::env::var("BOTGLUE_LOG").unwrap_or_default();
    let layer = tracing_subscriber::fmt::layer().with_writer(Mutex::new(file)).with_ansi(false);
    tracing_subscriber::registry().with(layer).with(logged(&wanted)).try_init().map_err(io::Error::other)
}

/// What is logged: `wanted` is a level, or levels of parts of the program (`botglue::store=debug`); by default, and
/// where it cannot be read, `info`.
fn logged(wanted: &str) -> Targets {
    let default = Targets::new().with_default(LevelFilter::INFO);
    let targets = if wanted.is_empty() { default } else { wanted.parse().unwrap_or(default) };
    // nvim-rs logs every message at debug: prompts and code would land in the log.
    targets.with_target("nvim_rs", LevelFilter::WARN)
}

/// A panic anywhere ends the agents and the host: half a host would leave Neovim waiting for ever.
fn end_everything_on_panic(groups: Groups) {
    std::panic::set_hook(Box::new(move |panic| {
        groups.kill_all();
        tracing::error!(%panic, "the host panicked");
        report(&format!("the host panicked: {panic}"));
        std::process::exit(101);
    }));
}

/// Lowers the priority of the whole scheduling group, agents included; best effort, and Linux alone.
#[expect(clippy::disallowed_methods, reason = "a switch of the kernel's, no file of ours")]
fn be_nice() {
    // Where there is no such file there is no such group either.
    let _ = fs::write("/proc/self/autogroup", "5");
}

/// Standard error reaches the plugin, which shows it where the host could not start.
fn report(what: &str) {
    use std::io::Write;
    // There is no further place to complain to.
    let _ = writeln!(io::stderr(), "botglue: {what}");
}

#[cfg(test)]
mod tests {
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
}
