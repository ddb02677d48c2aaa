//! What waits and what is known: changes are folded, none is lost that comes while another is written, and what is
//! decided is not known for ever.

use super::super::ledger::{ChangeContent, ChangeKey, Ledger, PendingChange};
use super::*;

/// Writes all that waits, as the writing thread does.
fn write_all(ledger: &mut Ledger) -> Vec<ChangeKey> {
    let mut written = Vec::new();
    while let Some(change) = ledger.next() {
        written.push(change.key);
        // One that has not ended has cost nothing yet.
        let has_ended = matches!(&change.what, ChangeContent::Job(known) if known.accepted.is_none());
        ledger.done(&change, has_ended.then(Amounts::default));
    }
    written
}

fn landing(change: &PendingChange) -> Option<&str> {
    match &change.what {
        ChangeContent::Job(known) => known.landed.as_ref().map(|landed| landed.landing.as_str()),
        _ => None,
    }
}

#[test]
fn what_changes_while_it_is_written_is_written_once_more() {
    let mut ledger = Ledger::default();
    ledger.keep(record(1, Some("x")));
    let first = ledger.next().unwrap();
    ledger.land(1, landed("applied", None));
    ledger.done(&first, Some(Amounts::default()));
    let second = ledger.next().unwrap();
    assert_eq!((landing(&first), landing(&second)), (None, Some("applied")));
    ledger.done(&second, Some(Amounts::default()));
    assert!(ledger.is_empty());
}

#[test]
fn changes_of_a_job_that_waits_are_one_in_the_place_of_the_first() {
    let mut ledger = Ledger::default();
    ledger.keep(record(1, Some("x")));
    ledger.keep(record(2, Some("x")));
    ledger.land(1, landed("held", None));
    ledger.amend(1, &Amounts { num_turns: Some(2), ..Amounts::default() });
    ledger.amend(1, &Amounts { num_turns: Some(3), ..Amounts::default() });
    let change = ledger.next().unwrap();
    let ChangeContent::Job(known) = &change.what else { panic!("{change:?}") };
    assert_eq!(known.more.unwrap().num_turns, Some(5));
    assert_eq!(landing(&change), Some("held"));
    assert_eq!(write_all(&mut ledger), [ChangeKey::Job(1), ChangeKey::Job(2)]);
}

#[test]
fn amounts_that_come_while_others_are_written_are_added_alone() {
    let turns = |turns| Amounts { num_turns: Some(turns), ..Amounts::default() };
    let mut ledger = Ledger::default();
    ledger.keep(record(1, Some("x")));
    ledger.amend(1, &turns(2));
    let first = ledger.next().unwrap();
    ledger.amend(1, &turns(3));
    ledger.done(&first, Some(turns(2)));
    let second = ledger.next().unwrap();
    let ChangeContent::Job(known) = &second.what else { panic!("{second:?}") };
    assert_eq!((known.job_usage, known.more.unwrap().num_turns), (Some(turns(2)), Some(3)));
}

#[test]
fn answers_are_known_until_they_are_decided_and_of_other_jobs_the_newest() {
    let mut ledger = Ledger::default();
    for id in 1..=100 {
        ledger.keep(record(id, Some("x")));
        ledger.land(id, landed(if id <= 50 { "held" } else { "applied" }, None));
    }
    write_all(&mut ledger);
    ledger.land(1, landed("rejected", None));
    write_all(&mut ledger);
    assert_eq!(ledger.open_answers().len(), 49);
    ledger.write_again();
    let again = write_all(&mut ledger);
    assert_eq!(again.len(), 49 + 32);
    assert!(
        again.contains(&ChangeKey::Job(1))
            && again.contains(&ChangeKey::Job(100))
            && !again.contains(&ChangeKey::Job(51))
    );
}

#[test]
fn a_long_answer_is_not_known_any_more_once_it_is_decided_and_takes_the_place_of_no_other() {
    let mut ledger = Ledger::default();
    for (id, text) in [(1, "x".to_owned()), (2, "x".repeat(2 << 20)), (3, "x".repeat(2 << 20))] {
        ledger.keep(record(id, Some(&text)));
    }
    ledger.land(1, landed("applied", None));
    ledger.land(2, landed("applied", None));
    write_all(&mut ledger);
    ledger.write_again();
    assert_eq!(write_all(&mut ledger), [ChangeKey::Job(1), ChangeKey::Job(3)]);
}

#[test]
fn a_job_is_known_from_when_it_is_accepted_under_one_key() {
    let mut ledger = Ledger::default();
    ledger.accept(accepted(1));
    let known = |ledger: &Ledger| match ledger.next().unwrap().what {
        ChangeContent::Job(known) => known,
        what => panic!("{what:?}"),
    };
    let running = known(&ledger);
    assert!(running.accepted.is_some() && running.record.is_none());
    write_all(&mut ledger);
    ledger.write_again();
    assert_eq!(known(&ledger), running, "as long as it runs");
    ledger.keep(record(1, None));
    let ended = known(&ledger);
    assert_eq!((&ended.uuid, ended.accepted), (&running.uuid, None));
    assert!(ended.record.is_some());
    ledger.interrupt(1);
    let interrupted = known(&ledger);
    assert!(interrupted.interrupted && interrupted.record.is_some());
    assert_eq!(write_all(&mut ledger), [ChangeKey::Job(1)]);
}

#[test]
fn a_job_that_ends_while_its_acceptance_waits_is_written_behind_what_its_session_had_counted() {
    let mut ledger = Ledger::default();
    ledger.accept(accepted(1));
    ledger.keep(record(2, Some("x")));
    ledger.begin(1, "claude".to_owned(), "session".to_owned());
    ledger.keep(record(1, Some("x")));
    assert_eq!(write_all(&mut ledger), [ChangeKey::Job(2), ChangeKey::Begin(1), ChangeKey::Job(1)]);
}

#[test]
fn a_job_that_ends_after_it_has_begun_from_a_session_is_written_behind_what_that_had_counted() {
    let mut ledger = Ledger::default();
    ledger.begin(1, "claude".to_owned(), "session".to_owned());
    ledger.keep(record(1, Some("x")));
    let begin = ledger.next().unwrap();
    assert_eq!(begin.key, ChangeKey::Begin(1));
    ledger.session_counted(1, Some(Amounts { num_turns: Some(7), ..Amounts::default() }));
    ledger.done(&begin, None);
    let change = ledger.next().unwrap();
    let ChangeContent::Job(known) = &change.what else { panic!("{change:?}") };
    assert_eq!(known.parent.unwrap().num_turns, Some(7));
}
