//! The events that a mirror gets, decoded from Neovim's notifications. Rows and names are bytes: Neovim assumes no
//! encoding.

use std::ops::Range;

use rmpv::Value;

use super::intent::Intent;
use super::query::MirrorQuery;
use super::selected::{Excerpt, SavedRows, Sent, texts};
use super::write::WriteReply;
use crate::document::Place;
use crate::error::JobError;
use crate::fields::Fields;
use crate::fields::bad;
use crate::land::Bytes;

/// What the mirrors are told.
#[derive(Debug, PartialEq)]
pub enum MirrorEvent {
    /// Something happened to the buffer with this number, or is asked of its mirror.
    Buffer(u64, BufferEvent),
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
    /// A request was sent. It is the host's, too.
    Sent(Sent),
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
    /// A query.
    Query {
        /// Comes back with the reply.
        token: u64,
        /// The job whose review it is about.
        job: u64,
        /// What is asked.
        question: MirrorQuery,
    },
}

/// How a buffer is at this point of its events. It asks for the buffer to be mirrored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
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
    /// Reads a notification; none where it is not for a mirror.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn decode(method: &str, params: &[Value]) -> Option<Result<Self, JobError>> {
        if let Some((buffer, event)) = Self::of_neovim(method, params) {
            return Some(Ok(Self::Buffer(buffer, event)));
        }
        let fields = Fields::root(params.first()?);
        let decode: fn(&Fields<'_>) -> Result<BufferEvent, JobError> = match method {
            "query" if fields.as_ref().is_ok_and(|fields| fields.get("name") == Some(&"mirror".into())) => {
                |fields| {
                    let (token, question) = (fields.count("token")?, MirrorQuery::Mirror);
                    Ok(BufferEvent::Query { token, job: 0, question })
                }
            }
            "buffer" => |fields| Notice::decode(fields).map(BufferEvent::Notice),
            "wiped" => |_| Ok(BufferEvent::Contacted { exists: false }),
            "moment" => |_| Ok(BufferEvent::Moment),
            "run" => |fields| Sent::decode(fields).map(BufferEvent::Sent),
            _ => return None,
        };
        Some(fields.and_then(|fields| Ok(Self::Buffer(fields.count("buffer")?, decode(&fields)?))))
    }

    /// Reads an event of Neovim's own.
    fn of_neovim(method: &str, params: &[Value]) -> Option<(u64, BufferEvent)> {
        match (method, params) {
            ("nvim_buf_lines_event", [buffer, tick, first, last, rows, ..]) => {
                let (first, last) = (size(first)?, last.as_i64()?);
                let rows = rows.as_array()?.iter().map(|row| row.as_slice().map(<[u8]>::to_vec));
                let event = BufferEvent::Lines {
                    tick: tick.as_u64(),
                    range: (last != -1).then(|| first..usize::try_from(last).unwrap_or_default()),
                    rows: rows.collect::<Option<_>>()?,
                };
                Some((handle(buffer)?, event))
            }
            ("nvim_buf_changedtick_event", [buffer, tick]) => {
                Some((handle(buffer)?, BufferEvent::Tick(tick.as_u64()?)))
            }
            ("nvim_buf_detach_event", [buffer]) => Some((handle(buffer)?, BufferEvent::Detached)),
            _ => None,
        }
    }
}

impl Notice {
    fn decode(fields: &Fields<'_>) -> Result<Self, JobError> {
        Ok(Self {
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
