//! What a mirror knows of its buffer, and where ranges are, as the plugin is told it.

use rmpv::Value;
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::document::Place;
use crate::fields::value;

/// What a mirror knows of its buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorState {
    /// The document holds an earlier text: Neovim sends no events, or its events do not fit the document.
    #[default]
    Unknown,
    /// The document and the changedtick match the buffer.
    Sure,
    /// Neovim sent events that may not describe the buffer's text: it undoes those of a preview without an event, and
    /// real changes during a preview look the same. The mirror adopts no changedtick before it has compared them.
    Unsure,
    /// The text is too large to be mirrored. The state stays `TooLarge` until the buffer is unloaded.
    TooLarge,
}

impl MirrorState {
    /// Whether the host gets the buffer's events, and they fit so far.
    pub fn is_fed(self) -> bool {
        matches!(self, Self::Sure | Self::Unsure)
    }
}

/// The argument that tells the plugin where its marks have to be.
pub fn places(buffer: u64, tick: u64, places: &[(u64, Option<Place>)]) -> Value {
    let place = |(job, place): &(u64, Option<Place>)| {
        place.as_ref().map_or_else(|| json!({ "id": job }), |place| place_of(*job, place))
    };
    let places: Vec<_> = places.iter().map(place).collect();
    value(json!({ "buffer": buffer, "tick": tick, "places": places }))
}

/// The place of a job in the shape in which the plugin sends one.
pub(super) fn place_of(id: u64, place: &Place) -> Json {
    match place {
        Place::Lines(rows) if rows.is_empty() => {
            json!({ "id": id, "kind": "insert", "first": rows.start, "last": rows.start })
        }
        Place::Lines(rows) => json!({ "id": id, "kind": "line", "first": rows.start, "last": rows.end - 1 }),
        Place::Part { start: (first, from), end: (last, to) } => {
            json!({ "id": id, "kind": "char", "first": first, "last": last, "from": from, "to": to })
        }
        Place::Block { first, columns } => {
            let spans: Vec<_> = columns.iter().map(|columns| (columns.start, columns.end)).collect();
            json!({ "id": id, "kind": "block", "first": first, "last": first + columns.len() - 1, "spans": spans })
        }
    }
}
