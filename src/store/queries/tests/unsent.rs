//! What was typed and not sent, over several Neovims.

use super::super::prompts;
use super::super::{accepted, unsent};
use super::*;
use crate::store::record::Unsent;
use crate::store::sample::accepted;

fn typed(connection: &mut Connection, owner: &str, id: u64, at_ms: i64, text: &str) {
    unsent::keep(connection, owner, id, Some(&Unsent { text: text.to_owned(), at_ms })).unwrap();
}

fn all(connection: &Connection) -> Vec<String> {
    unsent::all(connection).unwrap().into_iter().map(|(text, _)| text).collect()
}

#[test]
fn each_prompt_is_there_as_it_was_last_until_it_is_emptied_newest_first() {
    let mut connection = store();
    typed(&mut connection, "me:1", 1, 10, "half");
    typed(&mut connection, "me:1", 2, 20, "another");
    typed(&mut connection, "you:2", 1, 30, "of another Neovim");
    assert_eq!(all(&connection), ["of another Neovim", "another", "half"]);
    typed(&mut connection, "me:1", 1, 40, "half a thought\n");
    unsent::keep(&connection, "me:1", 2, None).unwrap();
    unsent::keep(&connection, "me:1", 3, None).unwrap();
    assert_eq!(all(&connection), ["half a thought\n", "of another Neovim"]);
}

#[test]
fn one_that_was_sent_is_forgotten_once_its_job_is_kept_whoever_typed_it() {
    let mut connection = store();
    typed(&mut connection, "me:1", 1, 10, "shorter\n\n ");
    typed(&mut connection, "gone:2", 1, 20, "\tshorter");
    typed(&mut connection, "me:1", 2, 30, "shorter, and faster");
    keep_all(&mut connection, [record(1, None)]);
    assert_eq!(all(&connection), ["shorter, and faster"]);
}

#[test]
fn one_that_was_sent_is_forgotten_as_soon_as_its_job_is_accepted() {
    let mut connection = store();
    typed(&mut connection, "me:1", 1, 10, "shorter\n\n ");
    typed(&mut connection, "gone:2", 1, 20, "\tshorter");
    typed(&mut connection, "me:1", 2, 30, "shorter, and faster");
    accepted::accept(&connection, "me:1", "host:1", &accepted(1)).unwrap();
    assert_eq!(all(&connection), ["shorter, and faster"]);
    assert_eq!(prompts::prompts(&connection, 9).unwrap(), ["shorter"]);
}

#[test]
fn the_newest_50_are_kept() {
    let mut connection = store();
    for id in 1..=60 {
        // Told again, as by a Neovim that has a new host.
        for _ in 0..2 {
            typed(&mut connection, &format!("{}:1", id % 3), id, i64::try_from(id).unwrap(), &id.to_string());
        }
    }
    assert_eq!(all(&connection), (11..=60).rev().map(|id| id.to_string()).collect::<Vec<_>>());
}

#[test]
fn what_was_left_unsent_for_a_day_comes_behind_what_was_sent() {
    let unsent = [("just now", 2 * DAY), ("this day", DAY + 1), ("long ago", DAY)];
    let unsent = unsent.map(|(text, at_ms)| (text.to_owned(), at_ms)).to_vec();
    let sent = ["sent", "sent before"].map(str::to_owned).to_vec();
    let all = unsent::merge_by_age(unsent, sent, 2 * DAY);
    assert_eq!(all, ["just now", "this day", "sent", "sent before", "long ago"]);
}
