//! Standard input and output for the runtime, with no thread between: each call to the editor would wait for one to wake.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One end of a pipe, or of a socket.
#[derive(Debug)]
pub struct Pipe(AsyncFd<File>);

impl Pipe {
    /// A pipe of this process, from now on without waiting.
    ///
    /// # Errors
    /// Where it is closed, or is a file.
    pub fn new(end: impl AsFd) -> io::Result<Self> {
        let end = File::from(end.as_fd().try_clone_to_owned()?);
        // SAFETY: the descriptor is open, and no pointer is passed.
        if unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, flags(&end)? | libc::O_NONBLOCK) } == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a file keeps its descriptor open, and the same one.
        Ok(Self(unsafe { AsyncFd::register(end) }?))
    }
}

fn flags(end: &File) -> io::Result<libc::c_int> {
    // SAFETY: as above.
    match unsafe { libc::fcntl(end.as_raw_fd(), libc::F_GETFL) } {
        -1 => Err(io::Error::last_os_error()),
        flags => Ok(flags),
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(cx))?;
            let unfilled = buffer.initialize_unfilled();
            if let Ok(read) = ready.try_io(|end| end.get_ref().read(unfilled)) {
                buffer.advance(read?);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(cx))?;
            if let Ok(written) = ready.try_io(|end| end.get_ref().write(bytes)) {
                return Poll::Ready(written);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
