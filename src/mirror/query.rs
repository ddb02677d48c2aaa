//! The queries that a mirror answers, and its findings.

use rmpv::Value;

use super::blocks::{self, Ambiguous};
use super::view::MirrorView;
use crate::error::JobError;
use crate::land::{Block, Bytes, HeldFor};
use crate::request::Fields;
use crate::request::fields::bad;
use crate::review::EditId;

/// A question to a mirror.
#[derive(Debug, Clone, PartialEq)]
pub enum MirrorQuery {
    /// What it knows of its buffer.
    Mirror,
    /// Which blocks an answer has. No mirror is needed for that.
    Blocks(Box<Ambiguous>),
    /// Something of the review of a held answer.
    Review {
        /// The job's id.
        job: u64,
        /// What.
        asked: ReviewQuery,
    },
}

/// What is asked of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewQuery {
    /// To follow the proposal: each change of it is sent.
    Watch {
        /// The answer, as the user has edited it.
        lines: Vec<Bytes>,
        /// What was dropped of it.
        dropped: Vec<Vec<EditId>>,
    },
    /// To take hunks, or all.
    Take(Option<Vec<EditId>>),
    /// To drop hunks, or all.
    Drop(Option<Vec<EditId>>),
    /// To take back the last drop.
    Undrop(Vec<EditId>),
}

/// What a mirror says.
#[derive(Debug)]
pub enum Findings {
    /// There is no mirror, or the reply is sent otherwise.
    Nothing,
    /// What it knows of its buffer.
    View(MirrorView),
    /// The blocks of an answer.
    Blocks(Vec<Block>),
    /// These hunks were taken, or dropped, or are back.
    Done(Vec<EditId>),
    /// Of the hunks that were asked for one is not there any more.
    Stale,
    /// Nothing can be said of an answer.
    Unknown(HeldFor),
}

impl MirrorQuery {
    /// Reads a query; none where it is one for the store.
    pub fn decode(fields: &Fields<'_>) -> Option<Result<Self, JobError>> {
        match fields.get("name").and_then(Value::as_str)? {
            "mirror" => Some(Ok(Self::Mirror)),
            "blocks" => Some(Ambiguous::decode(fields).map(|answer| Self::Blocks(Box::new(answer)))),
            "take" | "drop" | "undrop" => Some(Self::review(fields)),
            _ => None,
        }
    }

    fn review(fields: &Fields<'_>) -> Result<Self, JobError> {
        let hunks = || if fields.flag("all")? { Ok(None) } else { ids(fields, "hunks").map(Some) };
        let asked = match fields.text("name")?.as_str() {
            "take" => ReviewQuery::Take(hunks()?),
            "drop" => ReviewQuery::Drop(hunks()?),
            _ => ReviewQuery::Undrop(ids(fields, "hunks")?),
        };
        Ok(Self::Review { job: fields.count("id")?, asked })
    }

    /// What is said where there is no mirror.
    pub fn without_mirror(&self) -> Findings {
        match self {
            Self::Review { .. } => Findings::Unknown(HeldFor::BufferGone),
            Self::Blocks(answer) => Findings::Blocks(answer.blocks()),
            Self::Mirror => Findings::Nothing,
        }
    }
}

impl Findings {
    /// The fields of a reply.
    pub fn fields(&self) -> Vec<(Value, Value)> {
        match self {
            Self::Nothing => Vec::new(),
            Self::View(view) => view.fields(),
            Self::Blocks(found) => {
                vec![("blocks".into(), Value::Array(found.iter().map(blocks::value).collect()))]
            }
            Self::Done(hunks) => {
                let ids = hunks.iter().map(|id| id.to_string().into()).collect();
                vec![("done".into(), Value::Array(ids))]
            }
            Self::Stale => vec![("stale".into(), true.into())],
            Self::Unknown(why) => vec![("why".into(), why.name().into())],
        }
    }
}

fn ids(fields: &Fields<'_>, field: &str) -> Result<Vec<EditId>, JobError> {
    fields.list(field)?.iter().map(|id| read(id).ok_or_else(|| bad(field, "must be ids"))).collect()
}

fn read(id: &Value) -> Option<EditId> {
    id.as_str()?.parse().ok()
}
