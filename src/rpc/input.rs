//! Reads what the editor sends before nvim-rs does: takes the notifications out and sends each to the host as soon as
//! it is complete.
//!
//! nvim-rs would decode a message from its beginning again with each piece that arrives, which takes seconds for some
//! megabytes; it would drop, at the end of the input, what it has read but not handled; and it would end the connection
//! with the first message that it does not understand or that replies to no call. Such messages are ignored here.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmpv::Value;
use rmpv::decode::read_value_with_max_depth;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::io::poll_read_buf;

use super::Command;
use super::whole::Whole;
use crate::editor::CallCount;
use crate::fields::json;
use crate::mirror::{BufferEvent, Feed, MirrorEvent};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// How deep a message may be nested: deeper than any that is one, and little of the stack.
const DEEPEST: usize = 64;

/// What a message is.
#[derive(Debug)]
enum InputMessage {
    Command(Command),
    /// What happened to a buffer.
    Event(MirrorEvent),
    /// A request; the mirrors get its range as well.
    Run(Command, Box<MirrorEvent>),
    /// The reply to a call of the host.
    Reply,
    /// Something that the host is asked for: nvim-rs refuses it.
    Request,
    /// None that msgpack-RPC knows.
    Malformed,
}

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
    calls: CallCount,
    /// How many of the host's calls have their reply: it makes one at a time.
    replies: u64,
    /// What is nvim-rs's: the editor's replies.
    passed: Vec<u8>,
}

impl<R> RpcInput<R> {
    pub(super) fn new(pipe: R, command: Box<dyn Fn(Command) + Send>, feed: Feed, calls: CallCount) -> Self {
        let (read, whole, passed) = (Vec::new(), Whole::default(), Vec::new());
        Self { pipe, command, feed, read, whole, calls, replies: 0, passed }
    }

    /// Sends the complete messages in the buffer to their receivers.
    fn dispatch(&mut self) {
        let mut start = 0;
        while let Some(length) = self.whole.length(&self.read[start..]) {
            let message = &self.read[start..start + length];
            match decode(message, self.replies..self.calls.get()) {
                InputMessage::Command(command) => (self.command)(command),
                InputMessage::Event(event) => self.feed.send(event),
                InputMessage::Run(command, event) => {
                    self.feed.send(*event);
                    (self.command)(command);
                }
                InputMessage::Reply => {
                    self.replies += 1;
                    self.passed.extend_from_slice(message);
                }
                InputMessage::Request => self.passed.extend_from_slice(message),
                InputMessage::Malformed => tracing::debug!(bytes = length, "a malformed message is ignored"),
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

/// What a whole message is; of replies only the one to the first of the `open` calls counts.
fn decode(message: &[u8], open: Range<u64>) -> InputMessage {
    let Ok(Value::Array(parts)) = read_value_with_max_depth(&mut &message[..], DEEPEST) else {
        return InputMessage::Malformed;
    };
    let kind = parts.first().and_then(Value::as_u64);
    match (kind, parts.get(1..).unwrap_or_default()) {
        (Some(0), [Value::Integer(id), Value::String(method), Value::Array(_)])
            if id.is_u64() && method.is_str() =>
        {
            InputMessage::Request
        }
        (Some(1), [id, _, _]) if open.contains(&open.start) && id.as_u64() == Some(open.start) => {
            InputMessage::Reply
        }
        (Some(2), [method, Value::Array(params)]) => match method.as_str() {
            Some(method) => notification(method, params),
            None => InputMessage::Malformed,
        },
        _ => InputMessage::Malformed,
    }
}

/// What a notification is; of the list of its arguments the first one counts, where it is the plugin's.
fn notification(method: &str, params: &[Value]) -> InputMessage {
    if let Some(event) = MirrorEvent::of_neovim(method, params) {
        return InputMessage::Event(event);
    }
    let argument = params.first().map(json).unwrap_or_default();
    match MirrorEvent::decode(method, &argument) {
        Some(Ok(event @ MirrorEvent::Buffer(_, BufferEvent::Sent(_)))) => {
            InputMessage::Run(Command::decode(method, argument), Box::new(event))
        }
        Some(Ok(event)) => InputMessage::Event(event),
        Some(Err(error)) if method != "run" => {
            let refused = Command::refused(&argument, error);
            InputMessage::Command(
                refused.unwrap_or_else(|error| Command::Unknown(format!("{method}: {error}"))),
            )
        }
        // What is wrong with a request, its job fails with.
        Some(Err(_)) | None => InputMessage::Command(Command::decode(method, argument)),
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

    fn unobserve(id: u64) -> Vec<u8> {
        let argument = Value::Map(vec![("id".into(), id.into())]);
        encoded(vec![2.into(), "unobserve".into(), Value::Array(vec![argument])])
    }

    fn reply(id: u64) -> Vec<u8> {
        encoded(vec![1.into(), id.into(), Value::Nil, "done".into()])
    }

    #[tokio::test]
    async fn notifications_are_taken_out_and_the_rest_is_passed_in_whatever_pieces_they_come() {
        let decode =
            [unobserve(0), reply(0), reply(1), unobserve(1), unobserve(2), reply(2), unobserve(3)].concat();
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
                calls(3),
            )
            .read_to_end(&mut passed)
            .await
            .unwrap();
            assert_eq!(passed, [reply(0), reply(1), reply(2)].concat(), "in pieces of {size}");
            for expected in 0..4 {
                let message = messages.try_recv().expect("a message before the end");
                assert!(matches!(message, Command::Unobserve { id } if id == expected));
            }
        }
    }

    fn calls(count: u64) -> CallCount {
        let calls = CallCount::default();
        (0..count).for_each(|_| calls.add());
        calls
    }

    #[test]
    fn of_a_message_for_a_mirror_the_wrong_field_is_named() {
        let ask = |fields: Vec<(Value, Value)>| {
            let query = encoded(vec![2.into(), "query".into(), Value::Array(vec![Value::Map(fields)])]);
            decode(&query, 0..0)
        };
        let fields = vec![("name".into(), "mirror".into()), ("token".into(), 7.into())];
        let InputMessage::Command(Command::Refused { token: 7, why }) = ask(fields) else { panic!() };
        assert!(why.contains("`buffer`"), "{why}");
    }

    #[tokio::test]
    async fn malformed_messages_and_replies_to_no_call_are_ignored() {
        // A list of lists in which there is nil.
        let deep = [vec![0x91; 100_000], vec![0xc0]].concat();
        let request = encoded(vec![0.into(), 7.into(), "what".into(), Value::Array(Vec::new())]);
        let decode = [
            encoded(vec![2.into(), 3.into(), 4.into()]),
            vec![0x07, 0xc1, 0x90, 0x80],
            reply(1),
            reply(0),
            reply(0),
            encoded(vec![1.into(), 1.into()]),
            encoded(vec![1.into(), "1".into(), Value::Nil, Value::Nil]),
            encoded(vec![0.into(), Value::Nil, "what".into(), Value::Array(Vec::new())]),
            encoded(vec![2.into(), "unobserve".into(), Value::Nil]),
            [&[0x93, 2, 0xa1, b'x'][..], &deep].concat(),
            deep,
            encoded(vec![9.into(), 9.into(), "what".into(), Value::Array(Vec::new())]),
            request.clone(),
            reply(1),
            reply(2),
            unobserve(5),
        ]
        .concat();
        let (send, mut messages) = mpsc::unbounded_channel();
        let mut passed = Vec::new();
        RpcInput::new(
            io::Cursor::new(decode),
            Box::new(move |command| send.send(command).unwrap()),
            crate::mirror::feed().0,
            calls(2),
        )
        .read_to_end(&mut passed)
        .await
        .unwrap();
        assert_eq!(passed, [reply(0), request, reply(1)].concat());
        assert!(matches!(messages.try_recv(), Ok(Command::Unobserve { id: 5 })));
    }
}
