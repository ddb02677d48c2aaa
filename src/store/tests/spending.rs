//! Agents that count in every way: each job of a session, or of a line of forks, is kept with what it alone cost.

use super::*;
use crate::stream::{Usage, UsageScope, UsageScopes};

const RUN: UsageScopes =
    UsageScopes { cost: UsageScope::Run, usage: UsageScope::Run, num_turns: UsageScope::Run };
/// Claude that tells the run's share; before that its cost ran on, also in a fork. Droid's tokens run on in a session,
/// its turns in a fork too.
const AGENTS: [UsageScopes; 3] = [
    RUN,
    UsageScopes { cost: UsageScope::Lineage, ..RUN },
    UsageScopes { usage: UsageScope::Session, num_turns: UsageScope::Lineage, ..RUN },
];

/// What was really spent, in thousandths of a dollar; tokens and turns with it.
fn spent(units: u32) -> Amounts {
    let input = u64::from(units);
    Amounts {
        cost_usd: Some(f64::from(units) / 1000.0),
        usage: Usage {
            input_tokens: input,
            output_tokens: 1,
            cache_read_input_tokens: 2 * input,
            cache_creation_input_tokens: 3,
        },
        num_turns: Some(input % 5 + 1),
        duration_ms: Some(5),
    }
}

#[test]
fn each_job_is_kept_with_what_it_alone_cost() {
    for (scopes, is_same) in AGENTS.into_iter().flat_map(|scopes| [(scopes, false), (scopes, true)]) {
        let mut store = database();
        let name = |id: u64| format!("s{}", if is_same { 1 } else { id });
        let counted = |store: &Connection, id| asker(store).counted("claude", &name(id)).unwrap();
        let (mut session, mut lineage) = (Amounts::default(), Amounts::default());
        for id in 1..=4 {
            let resumed = (id > 1).then(|| Resume { session_id: name(id - 1), at: None });
            let before = resumed.as_ref().map(|_| counted(&store, id - 1)).unwrap_or_default();
            if !is_same {
                session = Amounts::default();
            }
            let mut own = Amounts::default();
            for units in [2500 >> id, 7] {
                for sum in [&mut own, &mut session, &mut lineage] {
                    *sum = sum.plus(&spent(units));
                }
                let of = |scope| match scope {
                    UsageScope::Run => own,
                    UsageScope::Session => session,
                    UsageScope::Lineage => lineage,
                };
                let told = Amounts {
                    cost_usd: of(scopes.cost).cost_usd,
                    usage: of(scopes.usage).usage,
                    num_turns: of(scopes.num_turns).num_turns,
                    duration_ms: own.duration_ms,
                };
                let (share, counted) = told.shared(scopes, Some(before), is_same && id > 1);
                assert_eq!(share, own, "job {id} of {scopes:?}");
                let accepted = Accepted { resumed: resumed.clone(), ..accepted(id) };
                if units == 7 {
                    apply(&mut store, [(id, Change::Amended { share, counted })]);
                } else {
                    let (job, session_id) = (accepted, Some(name(id)));
                    keep(&mut store, [Record { job, session_id, share, counted, ..record(id, None) }]);
                }
            }
            let counted = counted(&store, id).lineage;
            assert_eq!((counted.usage, counted.num_turns), (lineage.usage, lineage.num_turns));
        }
        let (before, told) = (counted(&store, 4), spent(1));
        assert_eq!(told.shared(scopes, Some(before), true).0, told, "what is lower than before began anew");
        let nothing = before.lineage.shared(scopes, Some(before), true).0.cost_usd;
        assert!(scopes.cost == UsageScope::Run || nothing == Some(0.0), "{nothing:?} for what is the same");
        let of_unknown = Amounts {
            cost_usd: told.cost_usd.filter(|_| scopes.cost == UsageScope::Run),
            usage: if scopes.usage == UsageScope::Run { told.usage } else { Usage::default() },
            num_turns: told.num_turns.filter(|_| scopes.num_turns == UsageScope::Run),
            ..told
        };
        assert_eq!(told.shared(scopes, None, true).0, of_unknown, "what was before is not known");
        let wanted = InfoQuery { project: String::new(), session: None, today_ms: 0 };
        assert_eq!(asker(&store).info(&wanted).unwrap().scopes["all"].amounts, lineage);
    }
}
