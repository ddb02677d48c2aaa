//! Agents that count in every way, in random trees of resumes and forks: each job is kept with what it really cost.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::journal::Tokens;
use crate::stream::{UsageScope, UsageScopes};

const RUN: UsageScopes =
    UsageScopes { cost: UsageScope::Run, usage: UsageScope::Run, num_turns: UsageScope::Run };
/// Claude that tells the run's share; before that its cost ran on, also in a fork. Droid's tokens run on in a session,
/// its turns in a fork too; it tells no cost.
const AGENTS: [UsageScopes; 3] = [
    RUN,
    UsageScopes { cost: UsageScope::Lineage, ..RUN },
    UsageScopes { usage: UsageScope::Session, num_turns: UsageScope::Lineage, ..RUN },
];
const DROID: usize = 2;

/// One job of a schedule.
#[derive(Debug, Clone)]
struct PlannedJob {
    /// Which of the sessions that are there it goes on from; beyond them: from none.
    from: usize,
    /// In a fork of it, or in itself.
    forks: bool,
    /// What it spends until its first result, and after that.
    spends: [u32; 2],
    /// How many other jobs begin before its first result, and before its last.
    takes: [usize; 2],
}

fn plans() -> impl Strategy<Value = Vec<PlannedJob>> {
    let plan = (0..12usize, any::<bool>(), [1..3000u32, 0..500u32], [0..3usize, 0..3usize]);
    let plan = plan.prop_map(|(from, forks, spends, takes)| PlannedJob { from, forks, spends, takes });
    prop::collection::vec(plan, 1..14)
}

/// What was really spent, in thousandths of a dollar; tokens and turns with it.
fn spent(units: u32) -> Amounts {
    let input = u64::from(units);
    Amounts {
        cost_usd: Some(f64::from(units) / 1000.0),
        tokens: Tokens { input, output: 1, cache_read: 2 * input, cache_creation: 3 },
        num_turns: Some(input % 5 + 1),
        duration_ms: Some(5),
    }
}

/// An agent with its sessions: what it counted in each, and over forks.
struct SpendingModel {
    agent: usize,
    store: Connection,
    sessions: Vec<(Amounts, Amounts)>,
    /// Those in which a job has ended, and those in which one runs.
    kept: Vec<usize>,
    busy: Vec<usize>,
    spent: BTreeMap<u64, Amounts>,
}

struct SpendingJob {
    id: u64,
    plan: PlannedJob,
    session: usize,
    resumed: Option<usize>,
    /// What the store knew when it began.
    before: CountedBefore,
}

fn name(session: usize) -> String {
    format!("s{session}")
}

impl SpendingModel {
    fn counted(&self, session: usize) -> CountedBefore {
        counted::counted(&self.store, "claude", &name(session)).unwrap()
    }

    fn begin(&mut self, id: u64, plan: &PlannedJob) -> SpendingJob {
        let resumed = self.kept.get(plan.from).copied();
        let before = resumed.map(|from| self.counted(from)).unwrap_or_default();
        let session = match resumed {
            Some(from) if !plan.forks && !self.busy.contains(&from) => from,
            _ => {
                let lineage = resumed.map(|from| self.sessions[from].1).unwrap_or_default();
                self.sessions.push((Amounts::default(), lineage));
                self.sessions.len() - 1
            }
        };
        self.busy.push(session);
        SpendingJob { id, plan: plan.clone(), session, resumed, before }
    }

    /// The agent of a job spends, and tells what it has counted by then; returns the job's share, and its session's.
    fn spend(&mut self, job: &SpendingJob, units: u32) -> (Amounts, Amounts) {
        let more = spent(units);
        let (session, lineage) = &mut self.sessions[job.session];
        (*session, *lineage) = (session.plus(&more), lineage.plus(&more));
        let real = self.spent.entry(job.id).or_default();
        *real = real.plus(&more);
        let of = |count| match count {
            UsageScope::Run => *real,
            UsageScope::Session => *session,
            UsageScope::Lineage => *lineage,
        };
        let scopes = AGENTS[self.agent];
        let told = Amounts {
            cost_usd: of(scopes.cost).cost_usd.filter(|_| self.agent != DROID),
            tokens: of(scopes.usage).tokens,
            num_turns: of(scopes.num_turns).num_turns,
            duration_ms: real.duration_ms,
        };
        let (share, counted) = told.shared(scopes, Some(job.before), job.resumed == Some(job.session));
        let real = Amounts { cost_usd: real.cost_usd.filter(|_| self.agent != DROID), ..*real };
        assert_eq!(share, real, "job {} of agent {}", job.id, self.agent);
        (share, counted)
    }

    fn finish(&mut self, job: &SpendingJob) {
        let (share, counted) = self.spend(job, job.plan.spends[0]);
        let resumed = job.resumed.map(|session| Resume { session_id: name(session), at: None });
        let accepted = Accepted { resumed, ..accepted(job.id) };
        let session_id = Some(name(job.session));
        keep(&mut self.store, [Record { job: accepted, session_id, share, counted, ..record(job.id, None) }]);
        if !self.kept.contains(&job.session) {
            self.kept.push(job.session);
        }
    }

    fn amend(&mut self, job: &SpendingJob) {
        let (share, counted) = self.spend(job, job.plan.spends[1]);
        apply(&mut self.store, [(job.id, Change::Amended { share, counted })]);
    }

    /// Runs the jobs of a schedule, which begin one by one and end when enough others have begun.
    fn run(&mut self, plans: &[PlannedJob]) {
        let mut running: Vec<(SpendingJob, usize, usize)> = Vec::new();
        for (index, plan) in plans.iter().enumerate() {
            let job = self.begin(index as u64 + 1, plan);
            let first = index + plan.takes[0];
            running.push((job, first, first + plan.takes[1]));
            self.advance(&mut running, if index + 1 == plans.len() { usize::MAX } else { index });
        }
    }

    fn advance(&mut self, running: &mut Vec<(SpendingJob, usize, usize)>, now: usize) {
        for (job, first, last) in std::mem::take(running) {
            if first <= now && !self.spent.contains_key(&job.id) {
                self.finish(&job);
            }
            if last <= now {
                self.amend(&job);
                self.busy.retain(|session| *session != job.session);
            } else {
                running.push((job, first, last));
            }
        }
    }
}

proptest! {
    #[test]
    fn each_job_is_kept_with_what_it_really_cost(plans in plans(), agent in 0..3usize) {
        let (sessions, kept, busy, spent) = Default::default();
        let mut model = SpendingModel { agent, store: database(), sessions, kept, busy, spent };
        model.run(&plans);
        let real = model.spent.values().fold(Amounts::default(), |sum, spent| sum.plus(spent));
        let wanted = InfoQuery { project: String::new(), session: None, today_ms: 0 };
        let all = info::info(&model.store, &wanted).unwrap().all;
        prop_assert_eq!(all.jobs, plans.len() as u64);
        prop_assert_eq!((all.amounts.tokens, all.amounts.num_turns), (real.tokens, real.num_turns));
        let cost = real.cost_usd.filter(|_| agent != DROID);
        prop_assert!(all.amounts.cost_usd.zip(cost).is_none_or(|(kept, real)| (kept - real).abs() < 1e-9));
        prop_assert_eq!(all.amounts.cost_usd.is_some(), cost.is_some());
        for (session, (_, lineage)) in model.sessions.iter().enumerate() {
            let counted = model.counted(session).lineage;
            prop_assert_eq!((counted.tokens, counted.num_turns), (lineage.tokens, lineage.num_turns));
        }
    }
}
