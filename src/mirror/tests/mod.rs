//! The mirrors without a Neovim: what no schedule of a real one can be made to show.

mod landing;
mod ranges;

use super::*;

fn notice(buffer: u64, tick: u64, rows: usize) -> Event {
    let name = b"/a".to_vec();
    Event::Notice(Notice { buffer, name, tick, rows, bytes: rows * 4, marks: Vec::new() })
}

fn whole(buffer: u64, tick: u64, rows: &[&str]) -> Event {
    let rows = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
    Event::Lines { buffer, tick: Some(tick), range: None, rows }
}

fn lines(tick: Option<u64>, range: std::ops::Range<usize>, rows: &[&str]) -> Event {
    let rows = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
    Event::Lines { buffer: 1, tick, range: Some(range), rows }
}

const CONTACTED: Event = Event::Contacted { buffer: 1, exists: true };
const DETACHED: Event = Event::Detached { buffer: 1 };

/// A mirror of buffer 1 that is sure.
fn mirrored(rows: &[&str]) -> Mirrors {
    let mut mirrors = Mirrors::default();
    assert_eq!(contacts(&mirrors.take(notice(1, 2, rows.len()))), [true]);
    assert!(mirrors.take(whole(1, 2, rows)).is_empty());
    assert!(mirrors.take(notice(1, 2, rows.len())).is_empty());
    assert!(mirrors.take(CONTACTED).is_empty());
    mirrors
}

/// Of the contacts that are wanted, whether the whole text is.
fn contacts(orders: &[Order]) -> Vec<bool> {
    let whole = |order: &Order| match order {
        Order::Contact { whole, .. } => Some(*whole),
        _ => None,
    };
    orders.iter().filter_map(whole).collect()
}

/// What is replied: the text and its changedtick where that is sure.
fn replied(orders: &[Order]) -> Option<(String, u64)> {
    orders.iter().find_map(|order| match order {
        Order::Reply { view: Some(view), .. } if view.link == buffer::Link::Sure => {
            let rows: Vec<_> = view.rows.iter().map(|row| String::from_utf8_lossy(&row.text)).collect();
            Some((rows.join("\n"), view.tick))
        }
        _ => None,
    })
}

fn ask(mirrors: &mut Mirrors) -> Vec<Order> {
    mirrors.take(Event::Query { token: 7, buffer: 1 })
}

#[test]
fn a_mirror_that_is_sure_answers_at_once() {
    let mut mirrors = mirrored(&["a", "b"]);
    mirrors.take(lines(Some(3), 0..1, &["c"]));
    assert_eq!(replied(&ask(&mut mirrors)), Some(("c\nb".to_owned(), 3)));
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
fn a_detach_that_nobody_wanted_brings_the_text_again() {
    let mut mirrors = mirrored(&["a"]);
    assert_eq!(contacts(&mirrors.take(DETACHED)), [true]);
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
fn a_query_for_a_buffer_that_is_gone_is_answered() {
    let mut mirrors = mirrored(&["a"]);
    mirrors.take(lines(None, 0..1, &["preview"]));
    ask(&mut mirrors);
    let orders = mirrors.take(Event::Contacted { buffer: 1, exists: false });
    assert!(matches!(orders[..], [Order::Reply { token: 7, view: None }]), "{orders:?}");
    assert!(matches!(ask(&mut mirrors)[..], [Order::Reply { view: None, .. }]));
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
    mirrors.keep_within(300, &mut orders);
    assert!(matches!(orders[..], [Order::Detach(2)]), "{orders:?}");
    assert_eq!(replied(&ask(&mut mirrors)), Some(("a".to_owned(), 3)));
    assert!(mirrors.take(whole(2, 2, &["late"])).is_empty(), "events that were under way");
}
