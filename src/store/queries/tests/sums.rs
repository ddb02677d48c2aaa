//! Sums, prompts, and answers that are held again.

use super::*;
use crate::store::Draft;
use crate::store::queries::info::InfoQuery;
use crate::store::queries::{held, prompts};

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
    let uuid = asker().job(&connection, &JobKey::Id(2)).unwrap().unwrap().entry.uuid;
    held::again(&mut connection, "me:1", &uuid, 9).unwrap();
    land(&mut connection, 9, "applied", &[]);
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
    let used = prompts::prompts(&connection, 2).unwrap();
    let found: Vec<_> = used.iter().map(|used| (used.prompt.as_str(), used.uses)).collect();
    assert_eq!(found, [("often", 3), ("now", 1)]);
}

#[test]
fn an_answer_held_again_costs_nothing_and_counts_as_no_job() {
    let mut connection = store();
    keep_all(&mut connection, [record(1, Some("answer")), record(2, None)]);
    let draft = Draft { rows: Some(vec!["mine".to_owned()]), ..Draft::default() };
    keep::draft(&connection, "me:1", 1, Some(&draft)).unwrap();
    land(&mut connection, 1, "rejected", &[]);
    let first = asker().job(&connection, &JobKey::Id(1)).unwrap().unwrap();
    assert!(held::again(&mut connection, "me:1", &first.entry.uuid, 9).unwrap().is_some());
    let again = asker().job(&connection, &JobKey::Id(9)).unwrap().unwrap();
    assert_eq!((again.text, again.lines, again.selection), (first.text, first.lines, first.selection));
    assert_eq!(again.draft, Some(draft), "what the user made of it is not gone with it");
    assert_eq!(again.entry.landing.as_deref(), Some("held"));
    assert_eq!((again.entry.amounts.cost_usd, again.entry.amounts.tokens.input), (None, 0));
    assert!(held::again(&mut connection, "me:1", "no such uuid", 10).unwrap().is_none());
    let failed = asker().job(&connection, &JobKey::Id(2)).unwrap().unwrap();
    assert!(
        held::again(&mut connection, "me:1", &failed.entry.uuid, 10).unwrap().is_none(),
        "it has no answer"
    );
    let wanted = InfoQuery { project: "/project".to_owned(), session: None, today_ms: 0 };
    let sums = info::info(&connection, &wanted).unwrap();
    assert_eq!((sums.all.jobs, sums.all.held, sums.all.amounts.tokens.input), (2, 0, 20));
    assert_eq!(prompts::prompts(&connection, 9).unwrap()[0].uses, 2);
}
