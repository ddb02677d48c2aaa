//! The mirrors of this Neovim's buffers: one [`Document`] for each buffer that has jobs, kept equal to it by the events
//! that Neovim's core sends.
//!
//! They run on a thread of their own, since aligning a large change takes up to a few hundred milliseconds, and handle
//! everything in the order in which Neovim sent it: `event` decodes, `buffer` is one mirror, `tracked` one job in it,
//! [`Mirrors`] are all mirrors. What they need from Neovim goes out as an [`Order`]; they have no handle of Neovim's.
//!
//! [`Document`]: crate::document::Document

mod all;
mod buffer;
mod event;
mod held;
mod intent;
mod order;
mod plan;
mod selected;
#[cfg(test)]
mod tests;
mod tracked;
mod write;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::log;

pub use all::Mirrors;
pub use event::{BufferEvent, Mark, MirrorEvent, Notice};
pub use held::ReviewView;
pub use intent::{Findings, HunkAct, Intent, Obstacle, SettledIntent, Settlement};
pub use order::{ContactScope, Order, RangeOnDisk};
pub use selected::{SavedRows, Selected, Sent};
pub use write::{StepReply, WriteCall, WriteReply, WriteStep, places, reply_tick};

/// The name of the mirrors' thread. A panic there ends no other thread.
pub const THREAD: &str = "mirrors";

/// For how long no event has to come before what is proposed of held answers is computed again, as while the user
/// types.
const PAUSE: Duration = Duration::from_millis(50);

/// Where events go in, in their order.
#[derive(Debug, Clone)]
pub struct Feed(mpsc::Sender<MirrorEvent>);

impl Feed {
    /// Adds an event; never waits.
    pub fn send(&self, event: MirrorEvent) {
        // The thread ends only with the last feed, or when the host has panicked.
        let _ = self.0.send(event);
    }

    /// Adds an event of a buffer.
    pub fn send_to(&self, buffer: u64, event: BufferEvent) {
        self.send(MirrorEvent::Buffer(buffer, event));
    }
}

/// The feed, and where its events come out.
pub fn feed() -> (Feed, mpsc::Receiver<MirrorEvent>) {
    let (send, events) = mpsc::channel();
    (Feed(send), events)
}

/// Starts the thread: it takes events until all senders are gone, and gives each order to `carry_out`, which must
/// not wait. Steps are numbered from `attempts` on.
///
/// # Errors
/// Where the system gives no thread.
pub fn start(
    events: mpsc::Receiver<MirrorEvent>,
    attempts: u64,
    mut carry_out: impl FnMut(Order) + Send + 'static,
) -> io::Result<()> {
    let run = move || {
        let mut mirrors = Mirrors::new(attempts);
        loop {
            let event = if mirrors.waits_for_pause() {
                events.recv_timeout(PAUSE)
            } else {
                events.recv().map_err(RecvTimeoutError::from)
            };
            let event = match event {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => {
                    work(&mut mirrors, Mirrors::pause).into_iter().for_each(&mut carry_out);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let begun = Instant::now();
            work(&mut mirrors, |mirrors| mirrors.take(event)).into_iter().for_each(&mut carry_out);
            while let Ok(event) = events.try_recv() {
                work(&mut mirrors, |mirrors| mirrors.take(event)).into_iter().for_each(&mut carry_out);
            }
            work(&mut mirrors, Mirrors::idle).into_iter().for_each(&mut carry_out);
            log::slow_turn("mirrors", begun);
        }
    };
    std::thread::Builder::new().name(THREAD.to_owned()).spawn(run).map(drop)
}

/// Has the mirrors do something. A panic concerns one buffer alone: its answers are held, and all else goes on.
fn work(mirrors: &mut Mirrors, act: impl FnOnce(&mut Mirrors) -> Vec<Order>) -> Vec<Order> {
    catch_unwind(AssertUnwindSafe(|| act(mirrors))).unwrap_or_else(|_| mirrors.recover())
}
