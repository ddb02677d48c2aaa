//! `botglue serve`: puts the host together and takes it apart.
//!
//! Everything runs on the main thread: the parent-death signal of the agents is tied to it. Standard output
//! belongs to the RPC channel alone; logs go to a file.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::editor::Editor;
use crate::host::{Host, HostMessage};
use crate::job::{EmptyDirectory, Events, Groups, JobContext};
use crate::journal;
use crate::log;
use crate::memory;
use crate::mirror::{self, BufferEvent, Feed, MirrorEvent, Order};
use crate::rpc;
use crate::store::{Store, Transcripts};

/// After how long the editor is asked again whether text may be written, should it not say so by itself.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// The options of `serve`; the plugin sets all.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ServeOptions {
    /// Where to log; nowhere by default.
    pub log: Option<PathBuf>,
    /// Where answers and transcripts are kept; nowhere by default.
    pub data_dir: Option<PathBuf>,
    /// The Neovim that it serves, by a name that no other one has; a new one by default.
    pub session: Option<String>,
}

impl ServeOptions {
    /// Reads `[--log FILE] [--data-dir DIR] [--session NAME]`.
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
                Long("session") => options.session = Some(parser.value()?.string()?).filter(is_name),
                other => return Err(other.unexpected()),
            }
        }
        Ok(options)
    }
}

/// Whether this may be a part of a file's name.
#[expect(clippy::ptr_arg, reason = "`filter` passes it so")]
fn is_name(session: &String) -> bool {
    !session.is_empty() && session.len() <= 64 && session.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Serves the Neovim at the other end of stdin and stdout, until it goes away.
pub fn run(options: &ServeOptions) -> ExitCode {
    memory::share();
    let unlogged = options.log.as_deref().and_then(|path| {
        let error = log::start(path).err()?;
        Some(format!("jobs run without a log: {} cannot be written: {error}", path.display()))
    });
    let groups = Groups::inheriting();
    end_everything_on_panic(groups.clone());
    be_nice();
    survive_file_size_limit();
    let served = tokio::runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        let served = runtime.block_on(serve(options, groups, unlogged));
        // A thread that reads files of a project may hang.
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

/// `unlogged` says why there is no log, where there should be one.
async fn serve(options: &ServeOptions, groups: Groups, unlogged: Option<String>) -> io::Result<()> {
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "the host starts");
    let (send, messages) = mpsc::unbounded_channel();
    let (feed, buffer_events) = mirror::feed();
    // The receiver is gone only while the host ends; then no message matters.
    let message = |send: &mpsc::UnboundedSender<HostMessage>| {
        let send = send.clone();
        move |message| _ = send.send(message)
    };
    let (command, gone, job) = (message(&send), message(&send), message(&send));
    let (neovim, connection) = rpc::connect(move |asked| command(HostMessage::Command(asked)), feed.clone())?;
    let editor = Editor::start(neovim, move || gone(HostMessage::Terminate));
    // Neovim remembers steps of the host before this one by their numbers.
    let attempts = u64::try_from(journal::now_ms()).unwrap_or_default();
    mirror::start(buffer_events, attempts, carry_out(editor.clone(), feed.clone(), send.clone()))?;
    if let Some(warning) = unlogged {
        editor.warn(warning);
    }
    watch_signals(&send)?;
    let (last_editor, last_feed, own) = (editor.clone(), feed.clone(), send.clone());
    tokio::spawn(async move {
        let end = connection.await;
        // Its error may quote a message.
        tracing::info!(in_order = end.is_ok(), "the channel has ended");
        tracing::debug!(?end, "how the channel has ended");
        // The receiver is gone only while the host ends.
        let _ = send.send(HostMessage::Terminate);
        last_editor.disconnected().await;
        // Comes back as an order, after the orders for all earlier events.
        last_feed.send(MirrorEvent::Disconnected);
    });
    let transcripts = options.data_dir.as_deref().map(Transcripts::under).unwrap_or_default();
    let session = options.session.clone().unwrap_or_else(journal::new_session);
    let warned = editor.clone();
    let store = Store::open(options.data_dir.clone(), session, Arc::new(move |message| warned.warn(message)));
    let empty_directory = EmptyDirectory::under(options.data_dir.clone());
    let events: Events = Arc::new(move |id, event| job(HostMessage::Job(id, event)));
    let context = JobContext { events, groups, empty_directory, transcripts };
    Host::new(editor, feed, store, context, own).run(messages).await;
    tracing::info!("the host ends");
    Ok(())
}

/// Has the editor do what the mirrors want, and the host know what became of answers.
fn carry_out(
    editor: Editor,
    feed: Feed,
    messages: mpsc::UnboundedSender<HostMessage>,
) -> impl FnMut(Order) + Send {
    let runtime = tokio::runtime::Handle::current();
    move |order| {
        let feed = feed.clone();
        match order {
            Order::Contact { buffer, scope } => editor.contact(buffer, scope, move |exists| {
                feed.send_to(buffer, BufferEvent::Contacted { exists });
            }),
            Order::Detach(buffer) => editor.detach(buffer),
            Order::Write { buffer, call } => {
                editor.write(buffer, &call, move |reply| feed.send_to(buffer, BufferEvent::Written(reply)));
            }
            Order::Places { buffer, tick, places } => {
                editor.places(buffer, tick, &places, move |tick| {
                    feed.send_to(buffer, BufferEvent::Placed(tick));
                });
            }
            Order::AskAgain(buffer) => {
                runtime.spawn(async move {
                    tokio::time::sleep(ASK_AGAIN).await;
                    feed.send_to(buffer, BufferEvent::AskedAgain);
                });
            }
            // The receiver is gone only while the host ends.
            order => _ = messages.send(HostMessage::Mirror(order)),
        }
    }
}

fn watch_signals(messages: &mpsc::UnboundedSender<HostMessage>) -> io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()] {
        let mut signals = signal(kind)?;
        let messages = messages.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                // As above: the receiver is gone only while the host ends.
                let _ = messages.send(HostMessage::Terminate);
            }
        });
    }
    Ok(())
}

/// A panic ends the agents and the host: half a host would leave Neovim waiting for ever. One of a mirror concerns its
/// buffer alone.
fn end_everything_on_panic(groups: Groups) {
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() == Some(mirror::THREAD) {
            tracing::error!(location = panic.location().map(tracing::field::display), "a mirror panicked");
            return;
        }
        groups.kill_all();
        // Its message may quote what was being read.
        tracing::error!(location = panic.location().map(tracing::field::display), "the host panicked");
        tracing::debug!(%panic, "the panic");
        report(&format!("the host panicked: {panic}"));
        std::process::exit(101);
    }));
}

/// Lowers the priority of the whole scheduling group, agents included; best effort, and Linux alone.
#[expect(clippy::disallowed_methods, reason = "a switch of the kernel's, no file of ours")]
fn be_nice() {
    // Without that file the group does not exist either.
    let _ = fs::write("/proc/self/autogroup", "5");
}

/// A limit on the size of files (`ulimit -f`) makes a write fail, like a full disk; by default its signal would end the
/// host, and each one after it.
fn survive_file_size_limit() {
    // SAFETY: no handler is set, and no thread but this one runs yet.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Standard error reaches the plugin, which shows it where the host could not start.
fn report(what: &str) {
    use std::io::Write;
    // Nowhere is left to report this.
    let _ = writeln!(io::stderr(), "botglue: {what}");
}
