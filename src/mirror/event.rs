//! The events that a mirror gets, decoded from Neovim's notifications. Rows and names are bytes: Neovim assumes no
//! encoding.

use std::ops::Range;

use rmpv::Value;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use super::intent::Intent;
use super::selected::{SavedRows, Sent};
use super::write::WriteReply;
use crate::document::Place;
use crate::error::JobError;
use crate::fields::{read, row};
use crate::land::Bytes;
use crate::request::SelectionKind;
use crate::review::EditId;

/// What the mirrors are told.
#[derive(Debug, PartialEq)]
pub enum MirrorEvent {
    /// Something happened to the buffer with this number, or is asked of its mirror.
    Buffer(u64, BufferEvent),
    /// The held answer of an earlier host, or of an earlier Neovim, is this job's: what was sent, and how its range stood
    /// in its file when that was written last. The plugin's marks say in which buffer it is.
    Recalled(Sent, Option<SavedRows>),
    /// A job has ended and its answer is not held, or it was rejected. What the mirror settles it ends itself.
    Ended {
        /// The job's id.
        job: u64,
    },
    /// Nothing more comes of the editor. Replies that are missing never come.
    Disconnected,
}

/// Something that happened to a buffer, or that is asked of its mirror.
#[derive(Debug, PartialEq)]
pub enum BufferEvent {
    /// Rows were replaced.
    Lines {
        /// The changedtick that this led to; none in a preview of `'inccommand'`.
        tick: Option<u64>,
        /// The rows that were replaced, from the first to the one after the last as Neovim counts them; none where the
        /// event has the whole text, which is the first after an attach.
        range: Option<Range<usize>>,
        /// The rows that are there instead.
        rows: Vec<Vec<u8>>,
    },
    /// An undo or a redo is complete, and led to this changedtick.
    Tick(u64),
    /// No more events of this buffer come.
    Detached,
    /// The plugin says how the buffer is.
    Notice(Notice),
    /// A request was sent; it is the host's, too. One that was sent to an earlier host, or for another buffer, is as
    /// [`MirrorEvent::Recalled`] has it.
    Sent(Sent, Option<SavedRows>),
    /// The reply to [`Order::Contact`](super::Order::Contact) is there, and all that Neovim sent before it was taken.
    Contacted {
        /// Whether there is such a buffer.
        exists: bool,
    },
    /// The reply to [`Order::Write`](super::Order::Write), after all that Neovim sent before it; none where the call went
    /// wrong.
    Written(Option<WriteReply>),
    /// The while of an [`Order::AskAgain`](super::Order::AskAgain) is over.
    AskedAgain,
    /// It may be a moment at which text can be written.
    Moment,
    /// The reply to [`Order::Places`](super::Order::Places), after all that Neovim sent before it: the changedtick; none if
    /// the buffer does not exist, or the call failed.
    Placed(Option<u64>),
    /// The reply to [`Order::Review`](super::Order::Review) of a job.
    Drawn(u64),
    /// What is proposed of the held answer of a job is followed: each change of it is sent.
    Watch {
        /// The job.
        job: u64,
        /// The answer, as the user has edited it.
        lines: Vec<Bytes>,
        /// What was dropped of it.
        dropped: Vec<Vec<EditId>>,
    },
    /// Nobody needs views of the held answer of a job any more.
    Unwatch(u64),
    /// A job has ended and its answer is not held.
    Ended(u64),
    /// Something is wanted of a job's range.
    Want {
        /// The job's id.
        job: u64,
        /// What.
        intent: Intent,
    },
    /// What it knows of its buffer is asked with this token: tests compare the text, and know that it has read all that
    /// was sent.
    Query(u64),
    /// The mirror panics.
    #[cfg(test)]
    Panic,
}

/// How a buffer is at this point of its events. It asks for the buffer to be mirrored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Notice {
    /// Its name.
    #[serde(default, deserialize_with = "row")]
    pub name: Vec<u8>,
    /// Its changedtick.
    pub tick: u64,
    /// How many rows it has; none where it is not loaded.
    pub rows: usize,
    /// How many bytes it has, line ends included.
    pub bytes: usize,
    /// Its text was written to its file as it is.
    #[serde(default, rename = "written")]
    pub is_written: bool,
    /// It takes no changes, or changes all the time: it is never attached to.
    #[serde(default)]
    pub refuses: bool,
    /// Where the display marks of jobs are.
    #[serde(default, deserialize_with = "marks")]
    pub marks: Vec<Mark>,
}

/// Where the display mark of a job is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Mark {
    /// The job's id.
    #[serde(rename = "id")]
    pub job: u64,
    /// Its place; none where the editor has none.
    #[serde(skip)]
    pub place: Option<Place>,
    /// Whether the job has ended and its answer is not held.
    #[serde(default)]
    pub has_ended: bool,
}

/// A mark as the plugin tells it: its rows, and the columns of a part or of the rows of a block.
#[derive(Deserialize)]
struct MarkAt {
    #[serde(flatten)]
    mark: Mark,
    kind: Option<SelectionKind>,
    #[serde(default)]
    first: usize,
    #[serde(default)]
    last: usize,
    #[serde(default)]
    from: usize,
    #[serde(default)]
    to: usize,
    #[serde(default)]
    spans: Vec<(usize, usize)>,
}

impl MirrorEvent {
    /// Reads a notification of the plugin's; none where it is not for a mirror.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn decode(method: &str, argument: &Json) -> Option<Result<Self, JobError>> {
        let event = match method {
            "ask" if argument["what"] == "mirror" => read(&argument["token"]).map(BufferEvent::Query),
            "buffer" => read(argument).map(BufferEvent::Notice),
            "wiped" => Ok(BufferEvent::Contacted { exists: false }),
            "moment" => Ok(BufferEvent::Moment),
            "run" => read(argument).map(|sent| BufferEvent::Sent(sent, None)),
            _ => return None,
        };
        let about = if method == "ask" { &argument["arg"] } else { argument };
        Some(event.and_then(|event| Ok(Self::Buffer(read::<OfBuffer>(about)?.buffer, event))))
    }

    /// Reads an event of Neovim's own; none where it is something else.
    pub fn of_neovim(method: &str, params: &[Value]) -> Option<Self> {
        let (buffer, event) = match (method, params) {
            ("nvim_buf_lines_event", [buffer, tick, first, last, rows, ..]) => {
                let (first, last) = (size(first)?, last.as_i64()?);
                let rows = rows.as_array()?.iter().map(|row| row.as_slice().map(<[u8]>::to_vec));
                let event = BufferEvent::Lines {
                    tick: tick.as_u64(),
                    range: (last != -1).then(|| first..usize::try_from(last).unwrap_or_default()),
                    rows: rows.collect::<Option<_>>()?,
                };
                (buffer, event)
            }
            ("nvim_buf_changedtick_event", [buffer, tick]) => (buffer, BufferEvent::Tick(tick.as_u64()?)),
            ("nvim_buf_detach_event", [buffer]) => (buffer, BufferEvent::Detached),
            _ => return None,
        };
        Some(Self::Buffer(handle(buffer)?, event))
    }
}

/// The buffer that a message is about.
#[derive(Deserialize)]
struct OfBuffer {
    buffer: u64,
}

/// Reads marks; one around nothing is no place of a range.
fn marks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Mark>, D::Error> {
    Ok(Vec::<MarkAt>::deserialize(deserializer)?.into_iter().filter_map(MarkAt::read).collect())
}

impl MarkAt {
    fn read(self) -> Option<Mark> {
        let Self { mark, kind, first, last, .. } = self;
        let place = match kind {
            None => None,
            Some(SelectionKind::Insert) => Some(Place::Lines(first..first)),
            Some(SelectionKind::Line) => (first <= last).then_some(Place::Lines(first..last + 1)),
            Some(SelectionKind::Char) => {
                let (start, end) = ((first, self.from), (last, self.to));
                (start <= end).then_some(Place::Part { start, end })
            }
            Some(SelectionKind::Block) => {
                let columns: Vec<_> = self.spans.iter().map(|(from, to)| *from..*to).collect();
                let is_one = !columns.is_empty() && columns.iter().all(|span| span.start <= span.end);
                is_one.then_some(Place::Block { first, columns })
            }
        };
        (kind.is_none() || place.is_some()).then_some(Mark { place, ..mark })
    }
}

fn size(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// The number of a buffer, which Neovim sends as an extension type.
fn handle(value: &Value) -> Option<u64> {
    match value {
        Value::Ext(_, data) => rmpv::decode::read_value(&mut &data[..]).ok()?.as_u64(),
        number => number.as_u64(),
    }
}
