//! Which messages of a session can be gone back to.

use super::*;
use crate::store::queries::checkpoints;

fn messages(connection: &Connection, session: &str) -> Vec<String> {
    checkpoints::of(connection, "claude", session)
        .unwrap()
        .into_iter()
        .map(|checkpoint| checkpoint.uuid)
        .collect()
}

#[test]
fn a_session_has_the_checkpoints_that_it_shares_with_those_it_was_forked_from() {
    let mut connection = store();
    keep_all(
        &mut connection,
        [
            spoke(1, "s", 10, &["a"], None),
            spoke(2, "s", 20, &["b"], None),
            spoke(3, "t", 30, &["c"], Some(("s", None))),
            spoke(4, "s", 40, &["late"], None),
            spoke(5, "u", 50, &["d"], Some(("t", Some("c")))),
            spoke(6, "v", 60, &["e"], Some(("t", Some("a")))),
        ],
    );
    assert_eq!(messages(&connection, "s"), ["a", "b", "late"]);
    assert_eq!(messages(&connection, "t"), ["a", "b", "c"]);
    assert_eq!(messages(&connection, "u"), ["a", "b", "c", "d"]);
    assert_eq!(messages(&connection, "v"), ["a", "e"], "gone back to before its parent");
    assert_eq!(messages(&connection, "unknown"), [""; 0]);
    let first = &checkpoints::of(&connection, "claude", "u").unwrap()[0];
    assert_eq!((first.prompt.as_str(), first.at_ms), ("prompt 1", 10));
}

#[test]
fn sessions_that_name_each_other_as_parents_do_no_harm() {
    let mut connection = store();
    keep_all(
        &mut connection,
        [spoke(1, "s", 10, &["a"], Some(("t", None))), spoke(2, "t", 20, &["b"], Some(("s", None)))],
    );
    assert_eq!(messages(&connection, "t"), ["a", "b"]);
}

#[test]
fn the_newest_hundred_checkpoints_of_a_session_are_kept_and_each_once() {
    let mut connection = store();
    for id in 1..=130 {
        keep_all(&mut connection, [spoke(id, "s", 10, &[&format!("m{id}")], None)]);
    }
    keep_all(
        &mut connection,
        [spoke(131, "s", 11, &["m129", "m130", "m131"], None), spoke(132, "t", 1, &["m1"], None)],
    );
    let kept = messages(&connection, "s");
    assert_eq!((kept.len(), kept[0].as_str(), kept[99].as_str()), (100, "m32", "m131"));
    assert_eq!(messages(&connection, "t"), ["m1"]);
}
