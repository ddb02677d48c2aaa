//! Queries to mirrors: what an answer would change.

use super::*;
use crate::review::Hunk;

pub fn watch(job: u64, lines: &[&str]) -> MirrorEvent {
    MirrorEvent::Buffer(1, BufferEvent::Watch { job, lines: bytes(lines), dropped: Vec::new() })
}

/// The hunks of a view, or why there are none.
type HunkRows = Result<Vec<(usize, usize, bool)>, HeldFor>;

/// The view that an event leads to: of each hunk the first row, the one behind the last, and whether it is a conflict.
pub fn view_after(mirrors: &mut Mirrors, event: MirrorEvent) -> Option<HunkRows> {
    let hunk = |hunk: &Hunk| (hunk.rows.start, hunk.rows.end, hunk.conflict.is_some());
    let orders = mirrors.take(event);
    let view = drawn(mirrors, orders)?;
    Some(view.hunks.as_ref().map(|hunks| hunks.iter().map(hunk).collect()).map_err(|why| *why))
}

/// The view that comes once there are no more events; the plugin draws it.
pub fn drawn(mirrors: &mut Mirrors, mut orders: Vec<Order>) -> Option<ReviewView> {
    orders.extend(mirrors.idle());
    let view = orders.into_iter().find_map(|order| match order {
        Order::Review { view, .. } => Some(view),
        _ => None,
    })?;
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Drawn(view.job)));
    Some(view)
}

#[test]
fn a_question_waits_for_the_contact() {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, TEXT.len()));
    assert_eq!(view_after(&mut mirrors, watch(7, &["x", "between", "last"])), None);
    mirrors.take(whole(1, 2, TEXT));
    mirrors.take(recalled(&sent(7, None, "line", (2, 4), TEXT), None));
    mirrors.take(marked(2, TEXT.len(), &[(7, 1..4)]));
    assert_eq!(view_after(&mut mirrors, CONTACTED), Some(Ok(vec![(1, 2, false)])));
}

#[test]
fn a_hunk_is_the_same_where_the_text_above_it_changes() {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 4), TEXT)));
    mirrors.take(watch(7, &["first", "more", "between", "last"]));
    let orders = mirrors.idle();
    let [Order::Review { buffer: 1, view }] = &orders[..] else { panic!("{orders:?}") };
    let hunk = &view.hunks.as_ref().unwrap()[0];
    let id = hunk.id;
    assert_eq!((hunk.rows.clone(), &hunk.lines[..]), (2..2, &[b"more".to_vec()][..]));
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Drawn(7)));
    mirrors.take(lines(Some(3), 0..0, &["typed"]));
    let is_view = |order: &Order| matches!(order, Order::Review { .. });
    assert!(!mirrors.idle().iter().any(is_view), "the user may go on typing");
    assert!(mirrors.waits_for_pause());
    let orders = mirrors.pause();
    let [Order::Review { view, .. }] = &orders[..] else { panic!("{orders:?}") };
    let hunk = &view.hunks.as_ref().unwrap()[0];
    assert_eq!((hunk.id, hunk.rows.start, view.text.len()), (id, 3, TEXT.len() + 1));
}
