//! From when on the range of a job is known, and when it is forgotten.

use super::*;

fn run(job: u64, tick: u64, lines: (usize, usize)) -> MirrorEvent {
    requested(&sent(job, Some(tick), "line", lines, TEXT))
}

/// The rows at which a job's range is.
fn place(mirrors: &Mirrors, job: u64) -> Option<std::ops::Range<usize>> {
    place_of(mirrors, job).map(|place| match place {
        Place::Lines(rows) => rows,
        other => panic!("{other:?}"),
    })
}

/// A mirror that is attached to a text with this changedtick, while a request was on its way.
fn attached(request: MirrorEvent, tick: u64, text: &[&str], mark: std::ops::Range<usize>) -> Mirrors {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, TEXT.len()));
    mirrors.take(request);
    mirrors.take(notice(1, tick, text.len()));
    mirrors.take(whole(1, tick, text));
    assert_eq!(place(&mirrors, 7), None, "the attach has not been answered");
    mirrors.take(marked(tick, text.len(), &[(7, mark, None)]));
    mirrors.take(CONTACTED);
    mirrors
}

#[test]
fn at_the_changedtick_of_the_request_its_range_is_where_it_says() {
    assert_eq!(place(&attached(run(7, 2, (2, 4)), 2, TEXT, 1..4), 7), Some(1..4));
    let mut mirrors = mirrored(TEXT);
    assert!(mirrors.take(run(7, 2, (2, 4))).is_empty(), "the text is known: nothing has to be asked");
    assert_eq!(place(&mirrors, 7), Some(1..4));
}

#[test]
fn at_another_changedtick_a_mark_counts_where_its_rows_begin_and_end_where_they_did() {
    for (text, mark) in [
        (["new", "above", "first", "typed", "more", "last", "below"], 2..6),
        (["new", "above", "typed", "between", "last", "below", ""], 2..5),
        (["new", "above", "first", "between", "typed", "below", ""], 2..5),
        (["new", "above", "typed", "typed", "more", "below", ""], 2..5),
        (["new", "above", "last", "below", "", "", ""], 2..3),
    ] {
        assert_eq!(place(&attached(run(7, 2, (2, 4)), 3, &text, mark.clone()), 7), Some(mark), "{text:?}");
    }
    for (text, mark) in [
        (["typed", "typed", "between", "last", "below"], 1..4),
        (["above", "first", "between", "typed", "typed"], 1..4),
        (["above", "first", "between", "last", "below"], 1..3),
        (["above", "first", "typed", "typed", ""], 1..2),
        (["above", "below", "", "", ""], 1..1),
    ] {
        assert_eq!(place(&attached(run(7, 2, (2, 4)), 3, &text, mark), 7), None, "{text:?}");
    }
}

#[test]
fn of_one_row_only_a_mark_around_the_same_row_or_between_the_same_rows_counts() {
    assert_eq!(place(&attached(run(7, 2, (2, 2)), 3, &["first", "below"], 0..1), 7), Some(0..1));
    assert_eq!(place(&attached(run(7, 2, (2, 2)), 3, &["first more", "between"], 0..1), 7), None);
    let edited = ["above", "first more", "between"];
    assert_eq!(place(&attached(run(7, 2, (2, 2)), 3, &edited, 1..2), 7), Some(1..2));
}

#[test]
fn a_mark_that_comes_before_its_request_counts_once_that_fits_it() {
    for (tick, row, expected) in [(2, "typed", Some(1..4)), (1, "first", Some(1..4)), (1, "typed", None)] {
        let text = ["", row, "between", "last", "below"];
        let mut mirrors = mirrored(&text);
        mirrors.take(marked(2, text.len(), &[(7, 1..4, None)]));
        assert_eq!(place(&mirrors, 7), None, "what was sent is not known");
        mirrors.take(lines(Some(3), 0..0, &["put in"]));
        mirrors.take(run(7, tick, (2, 4)));
        let expected = expected.map(|rows: std::ops::Range<usize>| rows.start + 1..rows.end + 1);
        assert_eq!(place(&mirrors, 7), expected, "sent at {tick}, with {row:?}");
    }
}

#[test]
fn a_request_at_another_changedtick_asks_for_marks_and_without_one_its_range_is_lost() {
    let mut mirrors = mirrored(TEXT);
    assert_eq!(contacts(&mirrors.take(run(7, 1, (2, 4)))), [false]);
    mirrors.take(marked(2, TEXT.len(), &[]));
    assert!(mirrors.take(CONTACTED).is_empty(), "it is not asked again");
    mirrors.take(marked(2, TEXT.len(), &[(7, 1..4, None)]));
    assert_eq!(place(&mirrors, 7), None);
}

#[test]
fn another_host_takes_a_mark_that_reads_as_what_was_sent() {
    let mut mirrors = mirrored(TEXT);
    let sent = |lines| Some(sent(0, None, "line", lines, TEXT));
    let marks = [(7, 1..4, sent((2, 4))), (8, 1..4, sent((2, 3))), (9, 2..4, sent((2, 4)))];
    mirrors.take(marked(2, TEXT.len(), &marks));
    assert_eq!([7, 8, 9].map(|job| place(&mirrors, job)), [Some(1..4), None, None]);
}

#[test]
fn of_jobs_that_have_ended_the_newest_are_followed_and_all_that_are_held() {
    let mut mirrors = mirrored(TEXT);
    for job in 1..=300 {
        mirrors.take(run(job, 2, (2, 4)));
    }
    for job in 2..=300 {
        mirrors.take(MirrorEvent::Ended { job });
    }
    assert_eq!(
        [1, 2, 200, 201, 300].map(|job| place(&mirrors, job).is_some()),
        [true, false, false, true, true]
    );
    // What was held is decided: now it is the newest of those that have ended.
    let orders = mirrors.take(MirrorEvent::Ended { job: 1 });
    assert!(matches!(orders[..], [Order::Unfollowed(201), ..]), "{orders:?}");
    assert_eq!([1, 201, 202].map(|job| place(&mirrors, job).is_some()), [true, false, true]);
}
