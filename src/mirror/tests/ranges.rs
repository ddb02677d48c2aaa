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
    mirrors.take(marked(tick, text.len(), &[(7, mark)]));
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
fn at_another_changedtick_what_is_at_the_mark_and_was_not_sent_is_the_users() {
    let text = ["typed", "typed", "between", "last", "below"];
    let land = |answer: &[&str]| {
        let mut mirrors = attached(run(7, 2, (2, 4)), 3, &text, 1..4);
        assert_eq!(place(&mirrors, 7), Some(1..4));
        mirrors.take(intent(7, Intent::Land(bytes(answer))))
    };
    let orders = land(&["first", "between", "LAST"]);
    let [edit] = &call(&orders).steps[0].edits[..] else { panic!("{orders:?}") };
    assert_eq!(edit.rows, 3..4);
    let orders = land(&["FIRST", "between", "last"]);
    assert_eq!(settled(&orders), [(7, Settlement::Held(HeldFor::Conflict))]);
    let mirrors = attached(run(7, 2, (2, 4)), 3, &["above", "below"], 1..1);
    assert_eq!(place(&mirrors, 7), None, "a mark around nothing");
}

#[test]
fn a_request_at_another_changedtick_asks_for_marks_and_without_one_its_rows_are_looked_for() {
    let reversed: Vec<&str> = TEXT.iter().rev().copied().collect();
    for (text, found) in [(TEXT, Some(1..4)), (&reversed, None)] {
        let mut mirrors = mirrored(text);
        assert_eq!(contacts(&mirrors.take(run(7, 1, (2, 4)))), [false]);
        mirrors.take(marked(2, TEXT.len(), &[]));
        assert!(mirrors.take(CONTACTED).is_empty(), "it is not asked again");
        mirrors.take(marked(2, TEXT.len(), &[(7, 0..3)]));
        assert_eq!(place(&mirrors, 7), found);
    }
}

#[test]
fn a_request_that_comes_behind_the_report_of_marks_has_them_reported_again() {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, TEXT.len()));
    mirrors.take(marked(2, TEXT.len(), &[]));
    mirrors.take(whole(1, 2, TEXT));
    mirrors.take(run(7, 1, (2, 4)));
    assert_eq!(contacts(&mirrors.take(CONTACTED)), [false]);
    mirrors.take(marked(2, TEXT.len(), &[(7, 1..4)]));
    assert!(mirrors.take(CONTACTED).is_empty(), "it is not asked again");
    assert_eq!(place(&mirrors, 7), Some(1..4));
}

#[test]
fn another_host_takes_the_marks_of_what_was_sent() {
    let mut mirrors = mirrored(TEXT);
    for job in [7, 9] {
        mirrors.take(recalled(&sent(job, None, "line", (2, 4), TEXT), None));
    }
    mirrors.take(marked(2, TEXT.len(), &[(7, 1..4), (9, 2..4)]));
    assert_eq!([7, 9].map(|job| place(&mirrors, job)), [Some(1..4), Some(2..4)]);
}

#[test]
fn a_mark_may_come_before_the_host_has_what_was_sent() {
    let marks = [|| marked(2, TEXT.len(), &[(7, 1..4)]), || told(2, TEXT.len(), &[without_place(7)])];
    for mark in marks {
        let mut mirrors = mirrored(TEXT);
        mirrors.take(mark());
        let sent = sent(7, None, "line", (2, 4), TEXT);
        assert_eq!(contacts(&mirrors.take(recalled(&sent, None))), [false], "it asks once more");
        mirrors.take(mark());
        assert_eq!(place(&mirrors, 7), Some(1..4));
    }
}

#[test]
fn what_was_sent_goes_along_to_the_buffer_that_has_its_file_next() {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(run(7, 2, (2, 4)));
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Contacted { exists: false }));
    mirrors.take(notice(1, 2, TEXT.len()));
    mirrors.take(whole(1, 2, TEXT));
    mirrors.take(told(2, TEXT.len(), &[without_place(7)]));
    assert_eq!(place(&mirrors, 7), Some(1..4));
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
