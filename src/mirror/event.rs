//! The events that a mirror gets, decoded from Neovim's notifications. Rows and names are bytes: Neovim assumes no
//! encoding.

use std::ops::Range;

use rmpv::Value;

use super::intent::Intent;
use super::query::MirrorQuery;
use super::selected::{Excerpt, SavedRows, texts};
use super::sent::Sent;
use super::write::WriteReply;
use crate::document::Place;
use crate::error::JobError;
use crate::fields::Fields;
use crate::fields::bad;
use crate::land::Bytes;

/// Something that happened to a buffer, or that is asked of its mirror.
#[derive(Debug, PartialEq)]
pub enum MirrorEvent {
    /// Rows were replaced.
    Lines {
        /// The buffer's number.
        buffer: u64,
        /// The changedtick that this led to; none in a preview of `'inccommand'`.
        tick: Option<u64>,
        /// The rows that were replaced, from the first to the one after the last as Neovim counts them; none where the
        /// event has the whole text, which is the first after an attach.
        range: Option<Range<usize>>,
        /// The rows that are there instead.
        rows: Vec<Vec<u8>>,
    },
    /// An undo or a redo is complete.
    Tick {
        /// The buffer's number.
        buffer: u64,
        /// Its changedtick.
        tick: u64,
    },
    /// No more events of this buffer come.
    Detached {
        /// The buffer's number.
        buffer: u64,
    },
    /// The plugin says how a buffer is.
    Notice(Notice),
    /// A request was sent. It is the host's, too.
    Sent(Sent),
    /// A job has ended and its answer is not held, or it was rejected. What the mirror settles it ends itself.
    Ended {
        /// The job's id.
        job: u64,
    },
    /// The reply to [`Order::Contact`](super::Order::Contact) is there, and all that Neovim sent before it was taken.
    Contacted {
        /// The buffer's number.
        buffer: u64,
        /// Whether there is such a buffer.
        exists: bool,
    },
    /// The reply to [`Order::Write`](super::Order::Write), after all that Neovim sent before it.
    Written {
        /// The buffer's number.
        buffer: u64,
        /// None where the call went wrong.
        reply: Option<WriteReply>,
    },
    /// The while of an [`Order::AskAgain`](super::Order::AskAgain) is over.
    AskedAgain {
        /// The buffer's number.
        buffer: u64,
    },
    /// It may be a moment at which text can be written.
    Moment {
        /// The buffer's number.
        buffer: u64,
    },
    /// The reply to [`Order::Places`](super::Order::Places), after all that Neovim sent before it.
    Placed {
        /// The buffer's number.
        buffer: u64,
        /// Its changedtick; none if the buffer does not exist, or the call failed.
        tick: Option<u64>,
    },
    /// The reply to [`Order::Review`](super::Order::Review).
    Drawn {
        /// The buffer's number.
        buffer: u64,
        /// The job's id.
        job: u64,
    },
    /// Nobody needs views of a held answer any more.
    Unwatch {
        /// The buffer's number.
        buffer: u64,
        /// The job's id.
        job: u64,
    },
    /// Something is wanted of a job's range.
    Want {
        /// The number of the buffer that it is in.
        buffer: u64,
        /// The job's id.
        job: u64,
        /// What.
        intent: Intent,
    },
    /// A query.
    Query {
        /// Comes back with the reply.
        token: u64,
        /// The buffer's number.
        buffer: u64,
        /// What is asked.
        question: MirrorQuery,
    },
    /// Nothing more comes of the editor. Replies that are missing never come.
    Disconnected,
}

/// How a buffer is at this point of its events. It asks for the buffer to be mirrored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its number.
    pub buffer: u64,
    /// Its name.
    pub name: Vec<u8>,
    /// Its changedtick.
    pub tick: u64,
    /// How many rows it has; none where it is not loaded.
    pub rows: usize,
    /// How many bytes it has, line ends included.
    pub bytes: usize,
    /// Its text was written to its file as it is.
    pub is_written: bool,
    /// It takes no changes, or changes all the time: it is never attached to.
    pub refuses: bool,
    /// Where the display marks of jobs are.
    pub marks: Vec<Mark>,
}

/// Where the display mark of a job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The job's id.
    pub job: u64,
    /// Its place; none where the editor has none.
    pub place: Option<Place>,
    /// What was sent, or landed, where this host does not have the request.
    pub sent: Option<Sent>,
    /// How its rows stood when the file was written, where they were others than those that were sent.
    pub saved: Option<SavedRows>,
    /// The whole rows that were there before its answer was written.
    pub before: Option<Vec<Bytes>>,
    /// What is there now, in a buffer that is too large for a mirror.
    pub excerpt: Option<Excerpt>,
    /// Whether the job has ended and its answer is not held.
    pub has_ended: bool,
}

impl MirrorEvent {
    /// The buffer that it happened to, where that follows from it.
    pub fn buffer(&self) -> Option<u64> {
        match self {
            Self::Lines { buffer, .. }
            | Self::Tick { buffer, .. }
            | Self::Detached { buffer }
            | Self::Contacted { buffer, .. }
            | Self::Written { buffer, .. }
            | Self::AskedAgain { buffer }
            | Self::Moment { buffer }
            | Self::Placed { buffer, .. }
            | Self::Drawn { buffer, .. }
            | Self::Unwatch { buffer, .. }
            | Self::Want { buffer, .. }
            | Self::Query { buffer, .. } => Some(*buffer),
            Self::Notice(notice) => Some(notice.buffer),
            Self::Sent(sent) => Some(sent.buffer),
            Self::Ended { .. } | Self::Disconnected => None,
        }
    }

    /// Reads a notification; none where it is not for a mirror.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn decode(method: &str, params: &[Value]) -> Option<Result<Self, JobError>> {
        if let Some(event) = Self::of_neovim(method, params) {
            return Some(Ok(event));
        }
        let fields = Fields::root(params.first()?);
        if method == "query" {
            let fields = fields.ok().filter(|fields| fields.get("name") == Some(&"mirror".into()))?;
            let query = || {
                let (token, buffer) = (fields.count("token")?, fields.count("buffer")?);
                Ok(Self::Query { token, buffer, question: MirrorQuery::Mirror })
            };
            return Some(query());
        }
        let decode: fn(&Fields<'_>) -> Result<Self, JobError> = match method {
            "buffer" => |fields| Notice::decode(fields).map(Self::Notice),
            "wiped" => |fields| Ok(Self::Contacted { buffer: fields.count("buffer")?, exists: false }),
            "moment" => |fields| Ok(Self::Moment { buffer: fields.count("buffer")? }),
            "run" => |fields| Sent::decode(fields).map(Self::Sent),
            _ => return None,
        };
        Some(fields.and_then(|fields| decode(&fields)))
    }

    /// Reads an event of Neovim's own.
    fn of_neovim(method: &str, params: &[Value]) -> Option<Self> {
        match (method, params) {
            ("nvim_buf_lines_event", [buffer, tick, first, last, rows, ..]) => {
                let (first, last) = (size(first)?, last.as_i64()?);
                let rows = rows.as_array()?.iter().map(|row| row.as_slice().map(<[u8]>::to_vec));
                Some(Self::Lines {
                    buffer: handle(buffer)?,
                    tick: tick.as_u64(),
                    range: (last != -1).then(|| first..usize::try_from(last).unwrap_or_default()),
                    rows: rows.collect::<Option<_>>()?,
                })
            }
            ("nvim_buf_changedtick_event", [buffer, tick]) => {
                Some(Self::Tick { buffer: handle(buffer)?, tick: tick.as_u64()? })
            }
            ("nvim_buf_detach_event", [buffer]) => Some(Self::Detached { buffer: handle(buffer)? }),
            _ => None,
        }
    }
}

impl Notice {
    fn decode(fields: &Fields<'_>) -> Result<Self, JobError> {
        Ok(Self {
            buffer: fields.count("buffer")?,
            name: fields.get("name").and_then(Value::as_slice).unwrap_or_default().to_vec(),
            tick: fields.count("tick")?,
            rows: count(fields, "rows")?,
            bytes: count(fields, "bytes")?,
            is_written: fields.flag("written")?,
            refuses: fields.flag("refuses")?,
            marks: fields
                .maps("marks")?
                .iter()
                .filter_map(|mark| Mark::decode(mark).transpose())
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Mark {
    /// None for a mark around nothing, which is no place of a range.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn decode(fields: &Fields<'_>) -> Result<Option<Self>, JobError> {
        let place = match fields.get("kind") {
            None => None,
            Some(_) => match place(fields)? {
                None => return Ok(None),
                place => place,
            },
        };
        let sub = |field| fields.some(field, Fields::fields);
        Ok(Some(Self {
            job: fields.count("id")?,
            place,
            sent: sub("sent")?.map(|sent| Sent::decode(&sent)).transpose()?,
            saved: sub("stands")?.map(|saved| SavedRows::decode(&saved)).transpose()?,
            before: fields.some("before", texts)?,
            excerpt: sub("text")?.map(|text| Excerpt::decode(&text)).transpose()?,
            has_ended: fields.flag("has_ended")?,
        }))
    }
}

/// The place of a mark; none where it ends before it begins.
fn place(fields: &Fields<'_>) -> Result<Option<Place>, JobError> {
    let (first, last) = (count(fields, "first")?, count(fields, "last")?);
    Ok(match fields.text("kind")?.as_str() {
        "insert" => Some(Place::Lines(first..first)),
        "char" => {
            let (start, end) = ((first, count(fields, "from")?), (last, count(fields, "to")?));
            (start <= end).then_some(Place::Part { start, end })
        }
        "block" => {
            let columns = spans(fields)?;
            columns
                .iter()
                .all(|columns| columns.start <= columns.end)
                .then_some(Place::Block { first, columns })
        }
        _ => (first <= last).then_some(Place::Lines(first..last + 1)),
    })
}

/// The columns of a block's rows, each a list of two.
fn spans(fields: &Fields<'_>) -> Result<Vec<Range<usize>>, JobError> {
    let span = |value: &Value| {
        let ends = value.as_array()?;
        Some(size(ends.first()?)?..size(ends.get(1)?)?)
    };
    let spans: Option<Vec<_>> = fields.list("spans")?.iter().map(span).collect();
    spans.filter(|spans| !spans.is_empty()).ok_or_else(|| bad("spans", "must be columns"))
}

fn count(fields: &Fields<'_>, field: &str) -> Result<usize, JobError> {
    Ok(usize::try_from(fields.count(field)?).unwrap_or(usize::MAX - 1))
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
