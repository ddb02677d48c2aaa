//! Sums, and prompts.

use super::*;
use crate::store::queries::info::InfoQuery;
use crate::store::queries::prompts;

#[test]
fn the_sums_are_of_a_session_with_its_family_a_project_days_models_and_agents() {
    let mut connection = store();
    let cost = |cost_usd| Amounts { cost_usd, ..record(1, None).amounts };
    let today = 100 * DAY;
    keep_all(
        &mut connection,
        [
            Record { ended_ms: today + 1, ..spoke(1, "s", 1, &[], None) },
            Record {
                ended_ms: today - 1,
                amounts: cost(Some(0.5)),
                ..spoke(2, "t", 2, &[], Some(("s", None)))
            },
            Record {
                ended_ms: today - 29 * DAY,
                amounts: cost(None),
                ..spoke(3, "u", 3, &[], Some(("t", Some("x"))))
            },
            Record {
                ended_ms: today - 29 * DAY - 1,
                project: "/other".to_owned(),
                model: Some("haiku".to_owned()),
                agent: "droid".to_owned(),
                error: Some(("timeout".to_owned(), String::new())),
                ..spoke(4, "s", 4, &[], None)
            },
        ],
    );
    land(&mut connection, 1, "merged", &[]);
    land(&mut connection, 2, "held", &[]);
    let wanted = InfoQuery {
        project: "/project".to_owned(),
        session: Some(("claude".to_owned(), "t".to_owned())),
        today_ms: today,
    };
    let info = info::info(&connection, &wanted).unwrap();
    let jobs =
        [info.session.unwrap().jobs, info.project.jobs, info.today.jobs, info.month.jobs, info.all.jobs];
    assert_eq!(jobs, [3, 3, 1, 3, 4]);
    assert_eq!((info.all.landed, info.all.held, info.all.failed), (1, 1, 1));
    assert_eq!((info.all.amounts.cost_usd, info.all.amounts.tokens.input), (Some(1.0), 40));
    assert_eq!((info.all.amounts.num_turns, info.all.amounts.duration_ms), (Some(4), Some(2800)));
    let named = |shares: &[info::Breakdown]| {
        shares.iter().map(|s| (s.name.clone(), s.jobs, s.cost_usd)).collect::<Vec<_>>()
    };
    assert_eq!(
        named(&info.models),
        [("opus".to_owned(), 3, Some(0.75)), ("haiku".to_owned(), 1, Some(0.25))]
    );
    assert_eq!(
        named(&info.agents),
        [("claude".to_owned(), 3, Some(0.75)), ("droid".to_owned(), 1, Some(0.25))]
    );
    assert_totals(&connection);
    let nothing = InfoQuery { project: "/none".to_owned(), session: None, today_ms: today + DAY };
    let info = info::info(&connection, &nothing).unwrap();
    assert_eq!((info.session, info.project, info.today.jobs), (None, info::Sums::default(), 0));
}

#[test]
fn the_sums_follow_what_becomes_of_each_job() {
    let mut connection = store();
    let model = |id, model: Option<&str>| Record { model: model.map(str::to_owned), ..record(id, Some("x")) };
    keep_all(&mut connection, [model(1, None), model(2, Some("opus")), model(3, Some("haiku"))]);
    for landing in ["held", "merged", "reverted", "held", "rejected"] {
        land(&mut connection, 2, landing, &[]);
        assert_totals(&connection);
    }
    let more = Amounts { cost_usd: Some(0.5), num_turns: Some(2), ..Amounts::default() };
    keep::amend(&connection, "me:1", 1, &more).unwrap();
    assert_totals(&connection);
}

#[test]
fn prompts_come_by_use_and_recency() {
    let mut connection = store();
    let asked = |id, prompt: &str, week: i64| Record {
        prompt: prompt.to_owned(),
        ended_ms: week * 7 * DAY,
        ..record(id, None)
    };
    keep_all(
        &mut connection,
        [
            asked(1, "old", 0),
            asked(2, "old", 0),
            asked(3, "often", 9),
            asked(4, "often", 9),
            asked(5, "often", 9),
            asked(6, "now", 10),
        ],
    );
    assert_eq!(prompts::prompts(&connection, 2).unwrap(), ["often", "now"]);
}
