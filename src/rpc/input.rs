//! Reads what the editor sends before nvim-rs does: takes the notifications out and sends each to the host as soon as
//! it is complete.
//!
//! nvim-rs would decode a message from its beginning again with each piece that arrives, which takes seconds for some
//! megabytes; it would drop, at the end of the input, what it has read but not handled; and it would end the connection
//! with the first message that it does not understand. Such messages are ignored here.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmpv::Value;
use rmpv::decode::read_value_with_max_depth;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::io::poll_read_buf;

use super::Command;
use super::ask::Ask;
use super::whole::Whole;
use crate::fields::{json, read};
use crate::mirror::{Feed, MirrorEvent};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// How deep a message may be nested: deeper than any that is one, and little of the stack.
const DEEPEST: usize = 64;

/// See the module.
pub(super) struct RpcInput<R> {
    pipe: R,
    /// Gets what the host is asked for.
    command: Box<dyn Fn(Command) + Send>,
    /// Of the buffers that are mirrored. Events go there at once: whatever a reply leads to comes after all that was
    /// said before it.
    feed: Feed,
    /// What was read and is not whole yet.
    read: Vec<u8>,
    whole: Whole,
    /// What is nvim-rs's: the editor's replies.
    passed: Vec<u8>,
}

impl<R> RpcInput<R> {
    pub(super) fn new(pipe: R, command: Box<dyn Fn(Command) + Send>, feed: Feed) -> Self {
        let (read, whole, passed) = (Vec::new(), Whole::default(), Vec::new());
        Self { pipe, command, feed, read, whole, passed }
    }

    /// Sends the complete messages in the buffer to their receivers.
    fn dispatch(&mut self) {
        let mut start = 0;
        while let Some(length) = self.whole.length(&self.read[start..]) {
            let message = &self.read[start..start + length];
            let parts = match read_value_with_max_depth(&mut &message[..], DEEPEST) {
                Ok(Value::Array(parts)) => parts,
                _ => Vec::new(),
            };
            match &parts[..] {
                [kind, id, _, _] if id.is_u64() && matches!(kind.as_u64(), Some(0 | 1)) => {
                    if kind.as_u64() == Some(1) || (parts[2].is_str() && parts[3].is_array()) {
                        self.passed.extend_from_slice(message);
                    }
                }
                [kind, Value::String(method), Value::Array(params)] if kind.as_u64() == Some(2) => {
                    self.notified(method.as_str().unwrap_or_default(), params);
                }
                _ => tracing::debug!(bytes = length, "a malformed message is ignored"),
            }
            self.whole = Whole::default();
            start += length;
        }
        if start > 0 {
            self.read.drain(..start);
            // A long message keeps no memory.
            self.read.shrink_to(CHUNK);
        }
    }

    /// Sends a notification on; of its arguments the first one counts, where it is the plugin's.
    fn notified(&self, method: &str, params: &[Value]) {
        if let Some(event) = MirrorEvent::of_neovim(method, params) {
            return self.feed.send(event);
        }
        let argument = params.first().map(json).unwrap_or_default();
        match MirrorEvent::decode(method, &argument) {
            // The mirrors get its range; what is wrong with a request, its job fails with.
            Some(event) if method == "run" => {
                if let Ok(event) = event {
                    self.feed.send(event);
                }
                (self.command)(Command::decode(method, argument));
            }
            Some(Ok(event)) => self.feed.send(event),
            Some(Err(error)) => {
                let refused = read::<Ask>(&argument).map(|ask| ask.refused(error.clone()));
                (self.command)(refused.unwrap_or_else(|_| Command::Unknown(format!("{method}: {error}"))));
            }
            None => (self.command)(Command::decode(method, argument)),
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for RpcInput<R> {
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
            this.dispatch();
        }
        let length = this.passed.len().min(buffer.remaining());
        buffer.put_slice(&this.passed[..length]);
        this.passed.drain(..length);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::sync::mpsc;

    use super::*;

    fn encoded(message: Vec<Value>) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &Value::Array(message)).unwrap();
        bytes
    }

    fn observe(id: u64) -> Vec<u8> {
        let argument = Value::Map(vec![("id".into(), id.into())]);
        encoded(vec![2.into(), "observe".into(), Value::Array(vec![argument])])
    }

    fn reply(id: u64) -> Vec<u8> {
        encoded(vec![1.into(), id.into(), Value::Nil, "done".into()])
    }

    #[tokio::test]
    async fn notifications_are_taken_out_and_the_rest_is_passed_in_whatever_pieces_they_come() {
        let decode = [observe(0), reply(0), reply(1), observe(1), observe(2), reply(2), observe(3)].concat();
        for size in [1, 2, 7, 30, decode.len()] {
            let (send, mut messages) = mpsc::unbounded_channel();
            let (mut editor, input) = tokio::io::duplex(size);
            let bytes = decode.clone();
            tokio::spawn(async move { tokio::io::AsyncWriteExt::write_all(&mut editor, &bytes).await });
            let mut passed = Vec::new();
            RpcInput::new(
                input,
                Box::new(move |command| send.send(command).unwrap()),
                crate::mirror::feed().0,
            )
            .read_to_end(&mut passed)
            .await
            .unwrap();
            assert_eq!(passed, [reply(0), reply(1), reply(2)].concat(), "in pieces of {size}");
            for expected in 0..4 {
                let message = messages.try_recv().expect("a message before the end");
                assert!(matches!(message, Command::Observe { id } if id == expected));
            }
        }
    }

    #[test]
    fn of_a_message_for_a_mirror_the_wrong_field_is_named() {
        let (send, messages) = std::sync::mpsc::channel();
        let command = Box::new(move |command| send.send(command).unwrap());
        let input = RpcInput::new(io::empty(), command, crate::mirror::feed().0);
        let here = ["columns", "lines", "cmdheight"].map(|field| (field.into(), 1.into())).to_vec();
        let ask = Value::Map(vec![
            ("what".into(), "mirror".into()),
            ("arg".into(), Value::Map(Vec::new())),
            ("here".into(), Value::Map(here)),
            ("token".into(), 7.into()),
        ]);
        input.notified("ask", &[ask]);
        let Ok(Command::Ask { token: 7, asked: Err(why), .. }) = messages.recv() else { panic!() };
        assert!(why.message.contains("`buffer`"), "{}", why.message);
    }

    #[tokio::test]
    async fn malformed_messages_are_ignored() {
        // A list of lists in which there is nil.
        let deep = [vec![0x91; 100_000], vec![0xc0]].concat();
        let request = encoded(vec![0.into(), 7.into(), "what".into(), Value::Array(Vec::new())]);
        let decode = [
            encoded(vec![2.into(), 3.into(), 4.into()]),
            vec![0x07, 0xc1, 0x90, 0x80],
            reply(0),
            encoded(vec![1.into(), 1.into()]),
            encoded(vec![1.into(), "1".into(), Value::Nil, Value::Nil]),
            encoded(vec![0.into(), Value::Nil, "what".into(), Value::Array(Vec::new())]),
            encoded(vec![2.into(), "observe".into(), Value::Nil]),
            encoded(vec![2.into(), "observe".into(), Value::Array(vec!["5".into()])]),
            [&[0x93, 2, 0xa1, b'x'][..], &deep].concat(),
            deep,
            encoded(vec![9.into(), 9.into(), "what".into(), Value::Array(Vec::new())]),
            request.clone(),
            reply(1),
            observe(5),
        ]
        .concat();
        let (send, mut messages) = mpsc::unbounded_channel();
        let mut passed = Vec::new();
        RpcInput::new(
            io::Cursor::new(decode),
            Box::new(move |command| send.send(command).unwrap()),
            crate::mirror::feed().0,
        )
        .read_to_end(&mut passed)
        .await
        .unwrap();
        assert_eq!(passed, [reply(0), request, reply(1)].concat());
        assert!(matches!(messages.try_recv(), Ok(Command::Unknown(_))));
        assert!(matches!(messages.try_recv(), Ok(Command::Observe { id: 5 })));
    }
}
