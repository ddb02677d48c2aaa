//! The mirrors without a Neovim: what no schedule of a real one can be made to show.

mod accept;
mod files;
mod large;
mod queries;
mod ranges;
mod shown;

use serde_json::{Value, json};

use super::*;
use crate::document::Place;
use crate::land::{Bytes, HeldFor};

const TEXT: &[&str] = &["above", "first", "between", "last", "below"];

fn notice(buffer: u64, tick: u64, rows: usize) -> MirrorEvent {
    let name = b"/a".to_vec();
    let (is_written, refuses, marks) = (false, false, Vec::new());
    MirrorEvent::Buffer(
        buffer,
        BufferEvent::Notice(Notice { name, tick, rows, bytes: rows * 4, is_written, refuses, marks }),
    )
}

fn whole(buffer: u64, tick: u64, rows: &[&str]) -> MirrorEvent {
    let rows = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
    MirrorEvent::Buffer(buffer, BufferEvent::Lines { tick: Some(tick), range: None, rows })
}

fn lines(tick: Option<u64>, range: std::ops::Range<usize>, rows: &[&str]) -> MirrorEvent {
    let rows = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
    MirrorEvent::Buffer(1, BufferEvent::Lines { tick, range: Some(range), rows })
}

const CONTACTED: MirrorEvent = MirrorEvent::Buffer(1, BufferEvent::Contacted { exists: true });
const DETACHED: MirrorEvent = MirrorEvent::Buffer(1, BufferEvent::Detached);

/// A mirror of buffer 1 that is sure.
fn mirrored(rows: &[&str]) -> Mirrors {
    let mut mirrors = Mirrors::default();
    assert_eq!(contacts(&mirrors.take(notice(1, 2, rows.len()))), [true]);
    assert!(mirrors.take(whole(1, 2, rows)).is_empty());
    assert!(mirrors.take(notice(1, 2, rows.len())).is_empty());
    assert!(mirrors.take(CONTACTED).is_empty());
    assert!(mirrors.idle().is_empty());
    mirrors
}

/// Of the contacts that are wanted, whether the whole text is.
fn contacts(orders: &[Order]) -> Vec<bool> {
    let whole = |order: &Order| match order {
        Order::Contact { scope, .. } => Some(*scope == ContactScope::Text),
        _ => None,
    };
    orders.iter().filter_map(whole).collect()
}

/// What is replied: the text and its changedtick where that is sure.
fn replied(orders: &[Order]) -> Option<(String, u64)> {
    orders.iter().find_map(|order| match order {
        Order::Reply { findings: Ok(view), .. } if view["link"] == "sure" => {
            let rows: Vec<_> = view["rows"].as_array()?.iter().filter_map(Value::as_str).collect();
            Some((rows.join("\n"), view["tick"].as_u64()?))
        }
        _ => None,
    })
}

fn ask(mirrors: &mut Mirrors) -> Vec<Order> {
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Query(7)))
}

/// Where the range of a job is; none where that is not known.
fn place_of(mirrors: &Mirrors, job: u64) -> Option<Place> {
    Some(mirrors.buffers[&1].passage(job)?.place)
}

fn map(fields: Vec<(&str, Value)>) -> Value {
    let there = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(there.map(|(name, value)| (name.to_owned(), value)).collect())
}

fn list(rows: &[&str]) -> Value {
    Value::Array(rows.iter().map(|row| Value::from(*row)).collect())
}

fn bytes(rows: &[&str]) -> Vec<Bytes> {
    rows.iter().map(|row| row.as_bytes().to_vec()).collect()
}

/// The request that the plugin sends.
#[track_caller]
fn requested(sent: &Value) -> MirrorEvent {
    MirrorEvent::decode("run", sent).unwrap().unwrap()
}

/// What is sent of some rows of a text, from 1.
fn sent(job: u64, tick: Option<u64>, kind: &str, lines: (usize, usize), text: &[&str]) -> Value {
    let rows = || list(&text[lines.0 - 1..lines.1]);
    let cols = Value::Array((lines.0..=lines.1).map(|_| 0.into()).collect());
    sent_as(job, tick, selection(kind, lines.0, rows(), rows(), cols, beside(text, lines.0 - 1..lines.1)))
}

fn sent_as(job: u64, tick: Option<u64>, selection: Value) -> Value {
    let tick = tick.map_or(Value::Null, Value::from);
    map(vec![("id", job.into()), ("buffer", 1.into()), ("tick", tick), ("selection", selection)])
}

fn selection(kind: &str, first: usize, rows: Value, text: Value, cols: Value, beside: Value) -> Value {
    map(vec![
        ("kind", kind.into()),
        ("first_line", first.into()),
        ("last_line", first.into()),
        ("rows", rows),
        ("text", text),
        ("cols", cols),
        ("beside", beside),
    ])
}

/// The rows on either side of some.
fn beside(text: &[&str], rows: std::ops::Range<usize>) -> Value {
    let row = |at: Option<usize>| at.and_then(|at| text.get(at)).map_or(Value::Null, |row| (*row).into());
    map(vec![("above", row(rows.start.checked_sub(1))), ("below", row(Some(rows.end)))])
}

/// An insertion below a line of a text.
fn insertion(job: u64, line: usize, text: &[&str]) -> Value {
    let nothing = || Value::Array(Vec::new());
    sent_as(job, None, selection("insert", line, nothing(), nothing(), nothing(), beside(text, line..line)))
}

/// A part of a row, from 1.
fn part(job: u64, tick: Option<u64>, line: usize, columns: std::ops::Range<usize>, text: &[&str]) -> Value {
    let row = text[line - 1];
    let cols = Value::Array(vec![columns.start.into()]);
    let beside = beside(text, line - 1..line);
    sent_as(job, tick, selection("char", line, list(&[row]), list(&[&row[columns]]), cols, beside))
}

/// The plugin tells of marks.
fn told(tick: u64, rows: usize, marks: &[Value]) -> MirrorEvent {
    let notice =
        json!({ "buffer": 1, "name": "/a", "tick": tick, "rows": rows, "bytes": rows * 4, "marks": marks });
    MirrorEvent::decode("buffer", &notice).unwrap().unwrap()
}

/// The plugin tells of marks around these rows, from 0.
fn marked(tick: u64, rows: usize, marks: &[(u64, std::ops::Range<usize>)]) -> MirrorEvent {
    let mark = |(job, range): &(u64, std::ops::Range<usize>)| {
        map(vec![
            ("id", (*job).into()),
            ("kind", "line".into()),
            ("first", range.start.into()),
            ("last", (range.end - 1).into()),
            ("has_ended", false.into()),
        ])
    };
    told(tick, rows, &marks.iter().map(mark).collect::<Vec<_>>())
}

/// A mark without a place, of an answer that is held.
fn without_place(job: u64) -> Value {
    json!({ "id": job, "has_ended": false })
}

/// The host has what was sent to an earlier one, and how the rows stood in the file.
fn recalled(sent: &Value, saved: Option<SavedRows>) -> MirrorEvent {
    MirrorEvent::Recalled(crate::fields::read(sent).unwrap(), saved)
}

/// What became of wishes, without their ranges.
fn settled(orders: &[Order]) -> Vec<(u64, Settlement)> {
    let settlement = |order: &Order| match order {
        Order::Settled(SettledIntent { job, settlement, .. }) => Some((*job, *settlement)),
        _ => None,
    };
    orders.iter().filter_map(settlement).collect()
}

/// The call that is to be made.
#[track_caller]
fn call(orders: &[Order]) -> &WriteCall {
    let call = orders.iter().find_map(|order| match order {
        Order::Write { call, .. } => Some(call),
        _ => None,
    });
    call.unwrap_or_else(|| panic!("nothing is written: {orders:?}"))
}

/// The plugin writes the only step of a call; what becomes of that.
#[track_caller]
fn write(mirrors: &mut Mirrors, call: &WriteCall) -> Vec<Order> {
    let [step] = &call.steps[..] else { panic!("{call:?}") };
    let mut tick = call.tick;
    for edit in step.edits.iter().rev() {
        tick += 1;
        let (range, rows) = (Some(edit.rows.clone()), edit.lines.clone());
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Lines { tick: Some(tick), range, rows }));
    }
    let steps = vec![StepReply::Written { from: call.tick, to: tick }];
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::Done { tick, steps }))))
}

fn intent(job: u64, intent: Intent) -> MirrorEvent {
    MirrorEvent::Buffer(1, BufferEvent::Want { job, intent })
}

#[test]
fn a_preview_costs_a_contact_and_no_text_where_nothing_has_changed() {
    let mut mirrors = mirrored(&["a", "b"]);
    assert!(mirrors.take(lines(None, 0..1, &["preview"])).is_empty());
    assert_eq!(contacts(&ask(&mut mirrors)), [false]);
    assert!(mirrors.take(notice(1, 2, 2)).is_empty());
    assert_eq!(replied(&mirrors.take(CONTACTED)), Some(("a\nb".to_owned(), 2)));
}

#[test]
fn what_changed_during_a_preview_is_answered_with_the_text_as_it_is() {
    let mut mirrors = mirrored(&["a", "b"]);
    mirrors.take(lines(None, 0..1, &["preview"]));
    mirrors.take(lines(Some(9), 1..2, &["d"]));
    assert_eq!(contacts(&ask(&mut mirrors)), [false]);
    assert_eq!(contacts(&mirrors.take(notice(1, 9, 2))), [true]);
    assert_eq!(replied(&mirrors.take(CONTACTED)), None);
    assert!(mirrors.take(DETACHED).is_empty(), "its text is on its way already");
    mirrors.take(whole(1, 9, &["e", "d"]));
    assert_eq!(replied(&mirrors.take(CONTACTED)), Some(("e\nd".to_owned(), 9)));
}

#[test]
fn a_text_that_is_read_again_right_after_its_contact_is_asked_for_again() {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, 1));
    mirrors.take(whole(1, 2, &["a"]));
    // All of this came before the reply to the contact was taken.
    assert!(mirrors.take(notice(1, 2, 0)).is_empty());
    assert_eq!(contacts(&mirrors.take(DETACHED)), [true]);
    assert!(mirrors.take(notice(1, 5, 1)).is_empty(), "a contact is under way");
    assert!(mirrors.take(CONTACTED).is_empty());
}

#[test]
fn a_text_that_was_not_loaded_at_its_contact_is_asked_for_once_it_is() {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, 1));
    assert!(mirrors.take(notice(1, 2, 0)).is_empty());
    assert!(mirrors.take(notice(1, 3, 1)).is_empty(), "a contact is under way");
    assert_eq!(contacts(&mirrors.take(CONTACTED)), [true]);
}

#[test]
fn events_that_do_not_fit_bring_the_text_again() {
    #[expect(clippy::reversed_empty_ranges, reason = "as Neovim sends it")]
    for range in [4..0, 1..3] {
        let mut mirrors = mirrored(&["a", "b"]);
        assert_eq!(contacts(&mirrors.take(lines(Some(3), range, &["c"]))), [true]);
    }
    let mut mirrors = mirrored(&["a", "b"]);
    assert_eq!(contacts(&mirrors.take(notice(1, 2, 3))), [true]);
}

#[test]
fn beyond_their_memory_the_mirrors_go_that_were_used_longest_ago() {
    let mut mirrors = mirrored(&["a"]);
    for buffer in [2, 3] {
        mirrors.take(notice(buffer, 2, 1));
        mirrors.take(whole(buffer, 2, &["row"]));
    }
    mirrors.take(notice(1, 3, 1));
    let mut orders = Vec::new();
    mirrors.keep_within(250, &mut orders);
    assert!(matches!(orders[..], [Order::Detach(2)]), "{orders:?}");
    assert_eq!(replied(&ask(&mut mirrors)), Some(("a".to_owned(), 3)));
    assert!(mirrors.take(whole(2, 2, &["late"])).is_empty(), "events that were under way");
}

#[test]
fn a_mirror_in_which_an_answer_is_being_written_is_not_dropped() {
    let mut mirrors = mirrored(TEXT);
    let request = sent(1, Some(2), "line", (2, 2), TEXT);
    mirrors.take(requested(&request));
    let orders = mirrors.take(intent(1, Intent::Land(bytes(&["answer"]))));
    mirrors.take(notice(2, 2, 1));
    mirrors.take(whole(2, 2, &["row"]));
    let mut dropped = Vec::new();
    mirrors.keep_within(300, &mut dropped);
    assert!(matches!(dropped[..], [Order::Detach(2)]), "{dropped:?}");
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(1, Settlement::Written { is_merged: false })]);
}

#[test]
fn one_timer_asks_again_however_many_moments_pass() {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 4), TEXT)));
    let mut timers = 0;
    let mut take = |event| {
        let orders = mirrors.take(event);
        timers += orders.iter().filter(|order| matches!(order, Order::AskAgain(1))).count();
        (orders.iter().any(|order| matches!(order, Order::Write { .. })), timers)
    };
    let not_now = || MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::NotNow)));
    assert_eq!(take(intent(7, Intent::Land(bytes(&["one"])))), (true, 0));
    assert_eq!(take(not_now()), (false, 1));
    for _ in 0..10 {
        assert_eq!(take(MirrorEvent::Buffer(1, BufferEvent::Moment)), (true, 1));
        assert_eq!(take(not_now()), (false, 1));
    }
    assert_eq!(take(MirrorEvent::Buffer(1, BufferEvent::AskedAgain)), (true, 1));
    assert_eq!(take(not_now()), (false, 2));
}

#[test]
fn answers_whose_rows_touch_are_written_one_after_the_other() {
    let mut mirrors = mirrored(TEXT);
    for (job, line) in [(1, 2), (2, 3), (3, 5)] {
        let request = sent(job, Some(2), "line", (line, line), TEXT);
        mirrors.take(requested(&request));
    }
    for job in 1..=3 {
        mirrors.take(intent(job, Intent::Land(bytes(&["answer"]))));
    }
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::NotNow))));
    let orders = mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Moment));
    assert_eq!(call(&orders).steps.iter().map(|step| step.job).collect::<Vec<_>>(), [3, 2]);
}
