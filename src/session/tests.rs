use rmpv::Value;

use super::*;
use crate::error::Code;
use crate::journal::sample::record;
use crate::land;
use crate::request::sample;
use crate::review::EditId;
use crate::stream::Amounts;

/// The end of a job, at 7000.
fn ended(request: &Request) -> Record {
    Record { job: request.job.clone(), ended_ms: 7000, held_for: None, ..record(3, None) }
}

fn failed(request: &Request, code: Code, message: &str) -> Record {
    Record { error: Some((code.name().to_owned(), message.to_owned())), ..ended(request) }
}

/// A session with a job whose agent has answered.
fn answered(request: &Request, text: &str) -> (Session, Option<Patch>) {
    let mut session = Session::default();
    session.accepted(request);
    let land::Landing { lines, held_for, .. } = land::prepare(request, text);
    let (text, lines) = (Some(text.to_owned()), Some(lines));
    let held_for = held_for.map(|why| why.name().to_owned());
    let told = session.finished(&Record { text, lines, held_for, ..ended(request) });
    (session, told)
}

/// The job's fields of a patch, by name.
fn set(patch: Option<Patch>) -> Vec<(String, String)> {
    let Value::Map(fields) = patch.expect("a patch").value()["set"].clone() else { unreachable!() };
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    fields.iter().map(|(key, value)| (word(key), word(value))).collect()
}

fn words(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn news(patch: Option<Patch>) -> String {
    let value = patch.expect("a patch").value();
    let Value::Map(_) = &value["news"] else { return String::new() };
    let word = |key: &str| value["news"][key].as_str().unwrap_or_default().to_owned();
    format!("{} {}: {}", word("level"), word("verb"), word("words"))
}

#[test]
fn an_answer_is_told_with_what_became_of_it() {
    let request = sample::lines("lua", &["x"]);
    let (mut session, told) = answered(&request, "y");
    assert_eq!(told, None, "nothing has become of it");
    assert!(session.is_settling());
    let (patch, token) = session.settled(3, "applied", None);
    assert_eq!((set(patch), token), (words(&[("status", "done"), ("landing", "applied")]), None));
    assert!(!session.is_settling());
}

#[test]
fn one_that_waits_for_a_moment_is_ready_once() {
    let request = sample::lines("lua", &["x"]);
    let (mut session, _) = answered(&request, "y");
    assert_eq!(set(session.ready(3)), words(&[("status", "ready")]));
    assert_eq!(session.ready(3), None);
    assert!(!session.is_settling());
    assert_eq!(
        set(session.settled(3, "merged", None).0),
        words(&[("status", "done"), ("landing", "merged")])
    );
}

#[test]
fn the_option_says_which_ends_are_news() {
    let cases = [
        (Notify::All, "applied", "INFO landed: make it better"),
        (Notify::Failures, "applied", ""),
        (Notify::Failures, "held", "WARN held: its lines were changed meanwhile · :Botglue review"),
        (Notify::None, "held", ""),
    ];
    for (notify, landing, expected) in cases {
        let mut request = sample::lines("lua", &["x"]);
        request.options.notify = notify;
        let (mut session, _) = answered(&request, "y");
        let (patch, _) = session.settled(3, landing, (landing == "held").then_some("conflict"));
        assert_eq!(news(patch), expected, "{notify:?}");
    }
    for (notify, expected) in [(Notify::Failures, "ERROR failed: it broke"), (Notify::None, "")] {
        let mut request = sample::lines("lua", &["x"]);
        request.options.notify = notify;
        let mut session = Session::default();
        session.accepted(&request);
        let patch = session.finished(&failed(&request, Code::Protocol, "it broke"));
        assert_eq!(news(patch), expected, "{notify:?}");
    }
}

/// A session with a held answer of a job on the block of some rows.
fn held(rows: &[&str], text: &str) -> Session {
    let (mut session, _) = answered(&sample::block("lua", rows), text);
    session.settled(3, "held", Some("review"));
    session
}

#[test]
fn what_is_taken_of_a_rejected_answer_stays() {
    let cases = [
        (0, false, Verdict::Settled("rejected")),
        (1, false, Verdict::DropRest),
        (0, true, Verdict::Settled("merged")),
    ];
    for (taken, was_taken, verdict) in cases {
        let mut session = held(&["«x»"], "a");
        let answer = session.answer(3).unwrap();
        answer.reviewed(taken, Vec::new());
        answer.was_taken = was_taken;
        assert_eq!(session.decide(3, Decision::Reject, false, 1), Ok(verdict));
    }
}

#[test]
fn what_the_user_made_of_an_answer_is_its_draft() {
    let mut session = held(&["«x»"], "a");
    let answer = session.answer(3).unwrap();
    assert_eq!((answer.draft(), answer.shown_as()), (None, ShownAs::Hunks));
    let dropped: Vec<Vec<EditId>> = vec![vec!["00000000000000aa".parse().unwrap()]];
    assert!(answer.reviewed(0, dropped.clone()));
    assert!(!answer.reviewed(0, dropped.clone()));
    assert!(answer.reviewed(1, dropped), "that some is taken is kept");
    answer.typed = Some(vec![b"b".to_vec()]);
    let draft = answer.draft().unwrap();
    let refused = session.decide(3, Decision::Accept { shows: false }, true, 1).unwrap_err();
    assert!(refused.contains("drop your edits in :Botglue edit 3"), "{refused}");
    let answer = session.answer(3).unwrap();
    assert_eq!(draft.typed, Some(vec!["b".to_owned()]));
    assert_eq!(draft.dropped, Some(vec![vec!["00000000000000aa".to_owned()]]));
    answer.edit(vec![b"\xff".to_vec()]);
    let draft = answer.draft().unwrap();
    assert_eq!((draft.lines.is_some(), draft.typed), (true, None));
    let record = crate::journal::sample::record(3, Some("a"));
    let held = Held { uuid: "u".to_owned(), draft: answer.draft(), saved: None, record };
    assert_eq!(HeldAnswer::stored(&held).lines(), answer.lines(), "bytes that are no text come back");
}

#[test]
fn of_jobs_of_an_earlier_host_so_many_are_known_and_none_is_reverted() {
    let mut session = Session::default();
    let landed = Known { landing: Some("applied".to_owned()), ..Known::default() };
    (0..=1000).for_each(|id| session.ended_before(id, landed.clone()));
    assert_eq!((session.jobs.len(), session.all_known().count()), (0, 1000));
    assert_eq!((session.take_gone(), session.take_gone()), (vec![0], Vec::new()));
    let mut why = |id| session.decide(id, Decision::Revert, true, 1).unwrap_err();
    assert_eq!(why(0), "job 0 has nothing to revert", "the oldest is not known");
    assert_eq!(why(1), "job 1 landed before its host ended: take it back with u");
}

#[test]
fn a_held_answer_that_no_journal_has_any_more_can_be_let_go() {
    let mut session = Session::default();
    assert_eq!(session.decide(3, Decision::Reject, true, 1), Ok(Verdict::Settled("rejected")));
    assert_eq!(set(session.settled(3, "rejected", None).0)[0], ("landing".to_owned(), "rejected".to_owned()));
}

#[test]
fn a_list_shows_the_jobs_that_go_on_and_those_that_are_held() {
    let request = sample::lines("lua", &["x"]);
    let later = sample::with(request.clone(), |job| job.started_ms = 1000);
    let mut session = Session::default();
    session.accepted(&later);
    let live: Vec<_> = session.live(4000).collect();
    assert_eq!((live[0].elapsed_ms, live[0].about.line, live[0].has_session), (3000, 11, false));
    let (mut session, _) = answered(&request, "y");
    session.settled(3, "held", Some("conflict"));
    let live: Vec<_> = session.live(9000).collect();
    assert_eq!((live[0].elapsed_ms, live[0].state.clone()), (7000, LiveState::Held("conflict".to_owned())));
    session.settled(3, "applied", None);
    assert_eq!(session.live(9000).count(), 0);
    let amounts = Amounts { cost_usd: Some(0.5), ..Amounts::default() };
    session.accepted(&later);
    session.finished(&Record { share: amounts, ..failed(&later, Code::Timeout, "too long") });
    assert_eq!((session.live(9000).count(), session.spent()), (0, Some(0.5)));
}

#[test]
fn an_answer_of_several_blocks_is_accepted_once_one_is_chosen() {
    let (mut session, _) = answered(&sample::block("lua", &["«x»"]), "```\na\n```\nor\n```\nb\n```");
    session.settled(3, "held", Some("ambiguous"));
    let accept = Decision::Accept { shows: false };
    let refused = session.decide(3, accept.clone(), true, 1).unwrap_err();
    assert!(refused.ends_with("several code blocks: see :Botglue review 3"), "{refused}");
    session.answer(3).unwrap().edit(vec![b"b".to_vec()]);
    assert!(session.decide(3, accept, true, 1).is_ok());
}
