use super::*;
use crate::render::sample::entry;
use crate::session::{About, Doing, Tone};

const UI: Ui = Ui { columns: 80, lines: 24, cmdheight: 1 };

fn live(id: u64, state: LiveState) -> Live {
    let (path, prompt) = ("/p/a.rs".to_owned(), format!("prompt {id}"));
    Live { id, about: About { path, prompt, ..About::default() }, state, ..Live::default() }
}

fn running() -> LiveState {
    LiveState::Running(Doing { words: Some("writing".to_owned()), tone: Tone::Calm })
}

fn page(list: &mut List, asked: u64, jobs: Vec<JobEntry>, more: bool) -> Option<Effect> {
    list.listed(asked, jobs.len() == 50, Ok(Listed { jobs, more, now: DateTime::default() }))
}

fn past(id: u64) -> JobEntry {
    let mut past = JobEntry { uuid: format!("u{id}"), id: Some(id), ..entry() };
    past.record.job.prompt = format!("prompt {id}");
    past
}

/// A list of two jobs that run, one that is held, and two of the past.
fn list() -> List {
    let (mut list, _) = List::new("jobs", Origin::default(), Scope::Session);
    let held = live(2, LiveState::Held("review".to_owned()));
    list.live(&[live(1, running()), held, live(4, running())], Totals::default());
    page(&mut list, 1, vec![past(2), past(3), past(0)], false);
    list
}

fn ids(list: &List) -> Vec<&str> {
    list.rows.iter().map(|row| row.id.as_str()).collect()
}

#[test]
fn what_runs_is_first_then_what_is_held_then_the_past() {
    let mut list = list();
    assert_eq!(ids(&list), ["#4", "#1", "#2", "#3", "#0"]);
    let rows = list.frame(UI, 0).rows;
    assert!(rows[0].text.starts_with(" ⠋  4  /p/a.rs:1"), "{}", rows[0].text);
    list.beat();
    let beaten = list.frame(UI, 0).rows;
    assert!(beaten[0].text.starts_with(" ⠙") && Arc::ptr_eq(&rows[3], &beaten[3]));
}

#[test]
fn a_job_that_has_ended_stays_until_the_store_has_it() {
    let mut list = list();
    let asked = list.live(&[live(4, running())], Totals::default());
    assert!(matches!(asked, Some(Effect::Page(2, _))));
    assert_eq!(ids(&list), ["#4", "#1", "#2", "#3", "#0"]);
    assert_eq!(list.renew(), None, "it is asked for already");
    let again = page(&mut list, 2, vec![past(0)], false);
    assert!(matches!(again, Some(Effect::Page(3, _))));
    assert_eq!(ids(&list), ["#4", "#1", "#2", "#0"], "the answer may be of a time before");
    page(&mut list, 3, vec![past(1), past(2), past(3), past(0)], false);
    assert_eq!(ids(&list), ["#4", "#1", "#2", "#3", "#0"]);
}

#[test]
fn pages_are_asked_for_as_the_cursor_comes_near_the_end() {
    let (mut list, _) = List::new("history", Origin::default(), Scope::All);
    page(&mut list, 1, (1..=100).map(past).collect(), true);
    assert_eq!(list.cursor("#60"), None);
    let Some(Effect::Page(2, next)) = list.cursor("#61") else { panic!() };
    assert_eq!((next.before, next.limit), (Some((2, "u100".to_owned())), 100));
    page(&mut list, 2, (101..=150).map(past).collect(), false);
    assert_eq!((list.rows.len(), list.head()), (150, "all · 150".to_owned()));
    assert_eq!(page(&mut list, 1, Vec::new(), false), None, "the answer to an old question");
    assert_eq!(list.rows.len(), 150);
    list.renew();
    let busy = list.listed(3, false, Err("the store is busy".to_owned()));
    assert_eq!((busy, list.rows.len()), (Some(Effect::Tell("the store is busy".to_owned())), 150));
}

#[test]
fn a_list_whose_store_was_busy_gets_its_rows_once_there_is_an_answer() {
    let (mut list, _) = List::new("history", Origin::default(), Scope::All);
    list.listed(1, false, Err("the store is busy".to_owned()));
    assert!(list.frame(UI, 0).rows[0].text.contains("the store is busy"));
    page(&mut list, 1, vec![past(1)], false);
    assert_eq!(ids(&list), ["#1"]);
}

#[test]
fn what_is_too_long_for_a_row_is_below_the_rows() {
    let doing = Doing { words: Some("word ".repeat(30)), tone: Tone::Failing };
    let failing = LiveState::Running(doing);
    let (mut list, _) = List::new("jobs", Origin::default(), Scope::Session);
    list.live(&[live(2, running()), live(1, failing)], Totals::default());
    assert!(list.frame(UI, 0).below.is_none());
    list.cursor("#1");
    let frame = list.frame(UI, 0);
    let (place, below) = (frame.place.unwrap(), frame.below.unwrap());
    assert_eq!((below.rows.len(), below.place.unwrap().row), (2, place.row + place.height + 1));
    list.cursor("#2");
    assert_eq!(list.frame(UI, 0).below.unwrap().rows.len(), 0, "its room stays");
    let small = list.frame(Ui { columns: 44, lines: 10, cmdheight: 1 }, 0);
    let below = small.below.unwrap().place.unwrap();
    assert!(below.row + below.height < 10);
    list.cursor("#1");
    let cut = list.frame(Ui { columns: 44, lines: 7, cmdheight: 1 }, 0).below.unwrap();
    let end = cut.rows.last().unwrap();
    assert_eq!((cut.rows.len(), end.text.as_str()), (cut.place.unwrap().height, " …"), "what finds no room");
}
