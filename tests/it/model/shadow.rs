//! The shadow run: where an answer lands by the editor's marks the document is asked too, in the same contact, and where
//! both differ that is written down, with who was right. It goes with the code that it compares.
//!
//! The test is the host, so it has the mirrors as well. `BOTGLUE_MODEL_SHADOW` names the file for the differences.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use botglue::document::Place;
use botglue::editor::contact;
use botglue::mirror::{Event, Mark, Mirrors, Order};
use botglue::request::{Fields, Kind};
use rmpv::Value;
use serde_json::{Value as Json, json};

use super::expected::{Done, Record, Sent, find};

/// How often each kind of difference was seen, by all players.
#[derive(Default)]
pub struct Counts(Mutex<BTreeMap<String, usize>>);

impl Counts {
    fn add(&self, kind: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(kind).or_default() += 1;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().try_for_each(|(kind, count)| writeln!(f, "{count:7} {kind}"))
    }
}

/// What both say of one answer.
struct Asked {
    today: Option<Place>,
    document: Option<Place>,
    note: Json,
}

/// The mirrors of one schedule.
#[derive(Default)]
pub struct Shadow {
    mirrors: Mirrors,
    contacts: VecDeque<(u64, Vec<Value>)>,
    asked: HashMap<u64, Asked>,
}

impl Shadow {
    /// Whether a shadow run was asked for.
    pub fn is_wanted() -> bool {
        std::env::var_os("BOTGLUE_MODEL_SHADOW").is_some()
    }

    /// Takes what the editor sent.
    pub fn take(&mut self, method: &str, arguments: &[Value]) {
        if method == "shadow" {
            self.ask(&arguments[0]);
        } else if let Some(event) = Event::decode(method, arguments) {
            self.happened(event);
        }
    }

    /// The calls that the mirrors want made next, and the buffer that they are for.
    pub fn next_contact(&mut self) -> Option<(u64, Vec<Value>)> {
        self.contacts.pop_front()
    }

    /// Those calls were made, and all that they brought was taken.
    pub fn contacted(&mut self, buffer: u64, exists: bool) {
        self.happened(Event::Contacted { buffer, exists });
    }

    fn happened(&mut self, event: Event) {
        for order in self.mirrors.take(event) {
            if let Order::Contact { buffer, whole } = order {
                self.contacts.push_back((buffer, contact(buffer, whole)));
            }
        }
    }

    fn ask(&mut self, told: &Value) {
        let fields = Fields::root(told).unwrap();
        let place = |field: &str| {
            let mark = fields.get(field).and_then(|_| Mark::decode(&fields.fields(field).unwrap()).unwrap());
            mark.map(|mark| mark.place)
        };
        let (job, mark) = (fields.count("id").unwrap(), place("mark"));
        let document = self.mirrors.place(job, mark.as_ref());
        let note = crate::support::rpc::to_json(told);
        self.asked.insert(job, Asked { today: place("place"), document, note });
    }

    /// An answer has come to its end: compares what both said of it.
    pub fn judge(&mut self, sent: &Sent, record: &Record, counts: &Counts) {
        let Some(Asked { today, document, note }) = self.asked.remove(&record.id) else { return };
        let kind = sent.request.selection.kind.name();
        if !self.mirrors.follows(record.id) {
            return counts.add(format!("{kind}: the buffer took no changes, and is not mirrored"));
        }
        if today == document {
            let what = if today.is_some() { "the same place" } else { "both lost" };
            return counts.add(format!("{kind}: {what}"));
        }
        let what = match (&today, &document) {
            (Some(_), None) => "only today's has a place",
            (None, _) => "only the document has a place",
            _ => "two places",
        };
        let right = match truth(sent, record) {
            Truth::Unknown => "the model cannot tell",
            truth => match (truth.is(today.as_ref()), truth.is(document.as_ref())) {
                (true, true) => "both right",
                (true, false) => "today's right",
                (false, true) => "the document right",
                (false, false) => "both wrong",
            },
        };
        let ended = record.held_for.as_deref().unwrap_or(&record.landing);
        let class = format!("{kind}: {what}, {right}, today {ended}");
        let line = json!({
            "class": class, "job": record.id, "kind": kind, "landing": record.landing, "held_for": record.held_for,
            "today": format!("{today:?}"), "document": format!("{document:?}"), "truth": format!("{:?}", truth(sent, record)),
            "sent": sent.request.selection.rows, "text": sent.request.selection.text, "before": record.before,
            "above": sent.request.before, "below": sent.request.after, "told": note, "user": format!("{:?}", record.user),
            "leapt": record.leapt, "doubtful": record.doubtful, "storms": record.storms - sent.storms,
        });
        let path = std::env::var_os("BOTGLUE_MODEL_SHADOW").unwrap();
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(file, "{line}").unwrap();
        counts.add(class);
    }
}

/// What the model knows of a range.
#[derive(Debug)]
enum Truth {
    At(Place),
    Gone,
    Unknown,
}

impl Truth {
    /// Whether a place is the true one; of parts whose row was edited only the rows are known.
    fn is(&self, place: Option<&Place>) -> bool {
        match (self, place) {
            (Self::At(Place::Lines(rows)), Some(place)) => *rows == place.rows(),
            (Self::At(at), Some(place)) => at == place,
            (Self::Gone, None) => true,
            _ => false,
        }
    }
}

fn truth(sent: &Sent, record: &Record) -> Truth {
    let selection = &sent.request.selection;
    if record.doubtful || record.storms > sent.storms {
        return Truth::Unknown;
    }
    if selection.kind == Kind::Insert {
        let place = |id: Option<u64>| record.ids.iter().position(|other| Some(*other) == id);
        return match (place(sent.ids[0]), place(sent.ids[1])) {
            (Some(above), Some(below)) if above + 1 == below => Truth::At(Place::Insertion(below)),
            _ => Truth::Unknown,
        };
    }
    if record.user == Done::Deleted {
        return Truth::Gone;
    }
    let Some(rows) = find(&sent.ids, &selection.rows, record) else { return Truth::Unknown };
    let column = |row: usize| usize::try_from(selection.cols[row]).unwrap();
    let end = |row: usize| column(row) + selection.text[row].len();
    let last = selection.rows.len() - 1;
    match selection.kind {
        Kind::Char if record.user == Done::Nothing => {
            Truth::At(Place::Part { start: (rows.start, column(0)), end: (rows.end - 1, end(last)) })
        }
        Kind::Block if record.user == Done::Nothing => Truth::At(Place::Block {
            first: rows.start,
            columns: (0..=last).map(|row| column(row)..end(row)).collect(),
        }),
        _ => Truth::At(Place::Lines(rows)),
    }
}
