//! What the editor says, on its way to nvim-rs: its notifications are taken out here and go to the host, each as soon as
//! it is whole.
//!
//! nvim-rs would decode all that there is of a message anew with each piece of it that comes, which takes seconds for
//! some megabytes, and would drop at the end of the input what it has read but not handled.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmpv::Value;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;
use tokio_util::io::poll_read_buf;

use super::Command;
use super::whole::Whole;
use crate::host::Message;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;
/// What a message to the editor that asks for no reply starts with: a list of three of which the first is 2.
const NOTIFICATION: [u8; 2] = [0x93, 2];

/// See the module.
pub(super) struct Input<R> {
    pipe: R,
    messages: mpsc::UnboundedSender<Message>,
    /// What was read and is not whole yet.
    read: Vec<u8>,
    whole: Whole,
    /// What is nvim-rs's: the editor's replies.
    passed: Vec<u8>,
}

impl<R> Input<R> {
    pub(super) fn new(pipe: R, messages: mpsc::UnboundedSender<Message>) -> Self {
        Self { pipe, messages, read: Vec::new(), whole: Whole::default(), passed: Vec::new() }
    }

    /// Deals out what is whole of what was read.
    fn deal(&mut self) {
        let mut start = 0;
        while let Some(length) = self.whole.length(&self.read[start..]) {
            let message = &self.read[start..start + length];
            match notification(message) {
                // The receiver is gone only while the host shuts down; nobody waits for this message then.
                Some(command) => _ = self.messages.send(Message::Command(command)),
                None => self.passed.extend_from_slice(message),
            }
            self.whole = Whole::default();
            start += length;
        }
        if start > 0 {
            self.read.drain(..start);
            // A long message leaves no memory behind.
            self.read.shrink_to(CHUNK);
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Input<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.passed.is_empty() {
            this.read.reserve(CHUNK);
            if ready!(poll_read_buf(Pin::new(&mut this.pipe), cx, &mut this.read))? == 0 {
                return Poll::Ready(Ok(()));
            }
            this.deal();
        }
        let length = this.passed.len().min(buffer.remaining());
        buffer.put_slice(&this.passed[..length]);
        this.passed.drain(..length);
        Poll::Ready(Ok(()))
    }
}

/// The command of a notification; none where the message is something else.
fn notification(message: &[u8]) -> Option<Command> {
    if !message.starts_with(&NOTIFICATION) {
        return None;
    }
    let Ok(Value::Array(parts)) = rmpv::decode::read_value(&mut &message[..]) else { return None };
    match &parts[..] {
        [_, method, Value::Array(params)] => Some(Command::decode(method.as_str()?, params)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    fn encoded(message: Vec<Value>) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &Value::Array(message)).unwrap();
        bytes
    }

    fn adopted(id: u64) -> Vec<u8> {
        let argument = Value::Map(vec![("uuid".into(), "u".into()), ("id".into(), id.into())]);
        encoded(vec![2.into(), "adopted".into(), Value::Array(vec![argument])])
    }

    fn reply(id: u64) -> Vec<u8> {
        encoded(vec![1.into(), id.into(), Value::Nil, "done".into()])
    }

    #[tokio::test]
    async fn notifications_are_taken_out_and_the_rest_is_passed_in_whatever_pieces_they_come() {
        let said = [adopted(0), reply(1), reply(2), adopted(1), adopted(2), reply(3), adopted(3)].concat();
        for size in [1, 2, 7, 30, said.len()] {
            let (send, mut messages) = mpsc::unbounded_channel();
            let (mut editor, input) = tokio::io::duplex(size);
            let bytes = said.clone();
            tokio::spawn(async move { tokio::io::AsyncWriteExt::write_all(&mut editor, &bytes).await });
            let mut passed = Vec::new();
            Input::new(input, send).read_to_end(&mut passed).await.unwrap();
            assert_eq!(passed, [reply(1), reply(2), reply(3)].concat(), "in pieces of {size}");
            for expected in 0..4 {
                let message = messages.try_recv().expect("a message before the end");
                assert!(matches!(message, Message::Command(Command::Adopted { id, .. }) if id == expected));
            }
        }
    }

    #[tokio::test]
    async fn what_is_no_message_is_left_to_nvim_rs() {
        let (send, _messages) = mpsc::unbounded_channel();
        let said = [encoded(vec![2.into(), 3.into(), 4.into()]), vec![0x07]].concat();
        let mut passed = Vec::new();
        Input::new(io::Cursor::new(said.clone()), send).read_to_end(&mut passed).await.unwrap();
        assert_eq!(passed, said);
    }
}
