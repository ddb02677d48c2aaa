//! What the questions find.

use super::*;

fn named(id: u64, project: &str, path: &str, prompt: &str) -> Record {
    let (project, path, prompt) = (project.to_owned(), path.to_owned(), prompt.to_owned());
    Record { job: Accepted { project, path, prompt, ..accepted(id) }, ..record(id, None) }
}

/// A job of an agent's session with messages of these ids, started at `at`.
fn spoke(id: u64, session: &str, at: i64, said: &[&str], resumed: Option<(&str, Option<&str>)>) -> Record {
    let resumed =
        resumed.map(|(session, at)| Resume { session_id: session.to_owned(), at: at.map(str::to_owned) });
    Record {
        job: Accepted { resumed, prompt: format!("prompt {id}"), started_ms: at, ..accepted(id) },
        session_id: Some(session.to_owned()),
        checkpoints: said.iter().map(|&message| message.to_owned()).collect(),
        ..record(id, None)
    }
}

fn messages(connection: &Connection, session: &str) -> Vec<String> {
    let found = asker(connection).checkpoints("claude", session).unwrap();
    found.into_iter().map(|checkpoint| checkpoint.uuid).collect()
}

/// What is recalled of what was not sent, long ago.
fn unsent(connection: &Connection) -> Vec<String> {
    asker(connection).prompts(9, "", 0).unwrap().0
}

#[test]
fn the_history_is_read_page_by_page_newest_first() {
    let mut connection = database();
    // Those that ended in the same millisecond are in the order of their keys, and none is lost between pages.
    let jobs = (1..=7).map(|id| Record { ended_ms: 2000 + i64::from(id > 3), ..record(id, None) });
    keep(&mut connection, jobs);
    let mut seen = Vec::new();
    let mut next = Page { limit: 3, ..Page::default() };
    loop {
        let listed = asker(&connection).history(&next).unwrap();
        let last = listed.jobs.last().unwrap();
        next.before = Some((last.record.ended_ms, last.uuid.clone()));
        seen.extend(listed.jobs.iter().map(|job| job.id.unwrap()));
        if !listed.more {
            break;
        }
    }
    assert_eq!(seen, [7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn the_answers_of_a_user_are_counted_up_to_some() {
    let mut connection = database();
    let landed = |id, landing| [(id, ended(id, "one")), (id, landed(landing, None))];
    apply(&mut connection, [landed(1, "applied"), landed(2, "rejected"), landed(3, "merged")].concat());
    assert_eq!([1, 5].map(|most| asker(&connection).answers(most).unwrap()), [1, 2]);
}

#[test]
fn the_history_is_searched_by_words_as_they_are_in_prompts_and_paths() {
    let mut connection = database();
    let prompts = ["Add a Test", "100% sure, a_b", "test the other"];
    let paths = ["/project/a.lua", "/project/b.lua", "/other/a.lua"];
    let jobs = (1..).zip(prompts.into_iter().zip(paths));
    keep(&mut connection, jobs.map(|(id, (prompt, path))| named(id, "/project", path, prompt)));
    for (text, found) in
        [("TEST", vec![3, 1]), ("test add", vec![1]), ("b.lua", vec![2]), ("0% a_", vec![2]), ("a%e", vec![])]
    {
        let page = Page { text: Some(text.to_owned()), limit: 9, ..Page::default() };
        let listed = asker(&connection).history(&page).unwrap();
        assert_eq!(listed.jobs.iter().map(|job| job.id.unwrap()).collect::<Vec<_>>(), found, "{text}");
    }
}

#[test]
fn a_session_has_the_checkpoints_that_it_shares_with_those_it_was_forked_from() {
    let mut connection = database();
    let jobs = [
        spoke(1, "s", 10, &["a"], None),
        spoke(2, "s", 20, &["b"], None),
        spoke(3, "t", 30, &["c"], Some(("s", None))),
        spoke(4, "s", 40, &["late"], None),
        spoke(5, "u", 50, &["d"], Some(("t", Some("c")))),
        spoke(6, "v", 60, &["e"], Some(("t", Some("a")))),
        // These name each other as parents.
        spoke(7, "x", 10, &["f"], Some(("y", None))),
        spoke(8, "y", 20, &["g"], Some(("x", None))),
    ];
    keep(&mut connection, jobs);
    assert_eq!(messages(&connection, "s"), ["a", "b", "late"]);
    assert_eq!(messages(&connection, "t"), ["a", "b", "c"]);
    assert_eq!(messages(&connection, "u"), ["a", "b", "c", "d"]);
    assert_eq!(messages(&connection, "v"), ["a", "e"], "gone back to before its parent");
    assert_eq!(messages(&connection, "unknown"), [""; 0]);
    assert_eq!(messages(&connection, "y"), ["f", "g"]);
    let first = &asker(&connection).checkpoints("claude", "u").unwrap()[0];
    assert_eq!((first.prompt.as_str(), first.at_ms), ("prompt 1", 10));
}

#[test]
fn the_newest_hundred_checkpoints_of_a_session_are_shown_and_each_once() {
    let mut connection = database();
    keep(&mut connection, (1..=130).map(|id| spoke(id, "s", 10, &[&format!("m{id}")], None)));
    let jobs = [spoke(131, "s", 11, &["m129", "m130", "m131"], None), spoke(132, "t", 1, &["m1"], None)];
    keep(&mut connection, jobs);
    let shown = messages(&connection, "s");
    assert_eq!((shown.len(), shown[0].as_str(), shown[99].as_str()), (100, "m32", "m131"));
    assert_eq!(messages(&connection, "t"), ["m1"]);
}

#[test]
fn the_sums_are_of_a_session_with_its_family_a_project_days_models_and_agents() {
    let mut connection = database();
    let today = 100 * DAY;
    let ended = |ended_ms, cost_usd, record: Record| {
        let share = Amounts { cost_usd, ..record.share };
        Record { ended_ms: today + ended_ms, share, ..record }
    };
    let mut other = spoke(4, "s", 4, &[], None);
    (other.job.project, other.job.agent) = ("/other".to_owned(), "droid".to_owned());
    (other.answered_by, other.error) =
        (Some("haiku".to_owned()), Some(("timeout".to_owned(), String::new())));
    let jobs = [
        ended(1, Some(0.25), spoke(1, "s", 1, &[], None)),
        ended(-1, Some(0.5), spoke(2, "t", 2, &[], Some(("s", None)))),
        ended(-29 * DAY, None, spoke(3, "u", 3, &[], Some(("t", Some("x"))))),
        ended(-29 * DAY - 1, Some(0.25), other),
    ];
    keep(&mut connection, jobs);
    apply(&mut connection, [accept(5, 1), (1, landed("merged", None)), (2, landed("held", None))]);
    let session = Some(("claude".to_owned(), "t".to_owned()));
    let wanted = InfoQuery { project: "/project".to_owned(), session, today_ms: today };
    let info = asker(&connection).info(&wanted).unwrap();
    let jobs = ["session", "project", "today", "month", "all"].map(|scope| info.scopes[scope].jobs);
    assert_eq!(jobs, [3, 3, 1, 3, 4]);
    let all = &info.scopes["all"];
    assert_eq!((all.landed, all.held, all.failed), (1, 1, 1));
    assert_eq!((all.amounts.cost_usd, all.amounts.usage.input_tokens), (Some(1.0), 40));
    assert_eq!((all.amounts.num_turns, all.amounts.duration_ms), (Some(4), Some(2800)));
    let named = |shares: &[(String, Sums)]| {
        let named =
            |(name, sums): &(String, Sums)| format!("{name} {} {:?}", sums.jobs, sums.amounts.cost_usd);
        shares.iter().map(named).collect::<Vec<_>>()
    };
    assert_eq!(named(&info.models), ["opus 3 Some(0.75)", "haiku 1 Some(0.25)"]);
    assert_eq!(named(&info.agents), ["claude 3 Some(0.75)", "droid 1 Some(0.25)"]);
    let nothing = InfoQuery { project: "/none".to_owned(), session: None, today_ms: today + DAY };
    let info = asker(&connection).info(&nothing).unwrap();
    let none = ["session", "project", "today"].map(|scope| info.scopes.get(scope).map(|sums| sums.jobs));
    assert_eq!(none, [None, Some(0), Some(0)]);
}

#[test]
fn prompts_come_by_use_and_recency_and_what_was_not_sent_for_a_day_behind_them() {
    let mut connection = database();
    let unsent = [("just now", 70 * DAY), ("this day", 69 * DAY + 1), ("long ago", 69 * DAY)];
    for (id, (text, at_ms)) in (1..).zip(unsent) {
        apply(&mut connection, [(0, Change::Unsent { id, at_ms, text: text.to_owned() })]);
    }
    let sent = [("old", 0), ("old", 0), ("often", 9), ("often", 9), ("often", 9), ("now", 10)];
    let asked = (1..).zip(sent).map(|(id, (prompt, week))| Record {
        ended_ms: week * 7 * DAY,
        ..named(id, "/project", "/a", prompt)
    });
    keep(&mut connection, asked);
    let (all, ..) = asker(&connection).prompts(2, "", 70 * DAY).unwrap();
    assert_eq!(all, ["just now", "this day", "often", "now", "long ago"]);
}

#[test]
fn what_was_typed_and_not_sent_is_there_until_it_is_emptied_or_sent_whoever_typed_it() {
    let mut connection = database();
    let mut typed = |session: &str, id, at_ms, text: &str| {
        let lines = lines(session, [(0, Change::Unsent { id, at_ms, text: text.to_owned() })]);
        apply::apply(&mut connection, &mut session.to_owned(), &lines).unwrap();
        unsent(&connection)
    };
    typed("s", 1, 10, "half");
    typed("s", 2, 20, "another");
    assert_eq!(typed("gone", 1, 30, "\tshorter"), ["\tshorter", "another", "half"]);
    typed("s", 1, 40, "shorter\n\n ");
    typed("s", 2, 50, "");
    assert_eq!(
        typed("s", 3, 60, "shorter, and faster"),
        ["shorter, and faster", "shorter\n\n ", "\tshorter"]
    );
    apply(&mut connection, [accept(1, 1000)]);
    assert_eq!(unsent(&connection), ["shorter, and faster", "shorter"], "the one that was sent is last");
    for id in 1..=60_i64 {
        let (at_ms, text) = (100 + id, id.to_string());
        apply(&mut connection, [(0, Change::Unsent { id: id.unsigned_abs(), at_ms, text })]);
    }
    let newest = (11..=60).rev().map(|id: i64| id.to_string()).chain(["shorter".to_owned()]);
    assert_eq!(unsent(&connection), newest.collect::<Vec<_>>(), "the newest 50 are kept");
}
