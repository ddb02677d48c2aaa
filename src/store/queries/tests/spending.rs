//! Agents that count in every way, in random trees of resumes and forks: each job is kept with what it really cost.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::store::Tokens;
use crate::store::queries::sessions;
use crate::stream::{UsageScope, UsageScopes};

/// How an agent counts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum CountingAgent {
    /// Claude that tells the run's share.
    Sharing,
    /// Claude before that: its cost runs on, also in a fork.
    Running,
    /// Droid: its tokens run on in a session, its turns in a fork too.
    Droid,
}

impl CountingAgent {
    fn scopes(self) -> UsageScopes {
        match self {
            Self::Sharing => UsageScopes::default(),
            Self::Running => UsageScopes { cost: UsageScope::Lineage, ..UsageScopes::default() },
            Self::Droid => UsageScopes {
                cost: UsageScope::Run,
                usage: UsageScope::Session,
                num_turns: UsageScope::Lineage,
            },
        }
    }
}

/// One job of a schedule.
#[derive(Debug, Clone)]
struct PlannedJob {
    /// Which of the sessions that are there it goes on from; beyond them: from none.
    from: usize,
    /// In a fork of it, or in itself.
    forks: bool,
    /// What it spends until its first result, and after that.
    spends: [u32; 2],
    fails: bool,
    /// How many other jobs begin before its first result, and before its last.
    takes: [usize; 2],
}

fn plans() -> impl Strategy<Value = Vec<PlannedJob>> {
    let plan = (0..12usize, any::<bool>(), [1..3000u32, 0..500u32], any::<bool>(), [0..3usize, 0..3usize]);
    let plan =
        plan.prop_map(|(from, forks, spends, fails, takes)| PlannedJob { from, forks, spends, fails, takes });
    prop::collection::vec(plan, 1..14)
}

/// What was really spent, in thousandths of a dollar; tokens and turns with it.
fn spent(units: u32) -> Amounts {
    Amounts {
        cost_usd: Some(f64::from(units) / 1000.0),
        tokens: Tokens {
            input: units.into(),
            output: 1,
            cache_read: 2 * u64::from(units),
            cache_creation: 3,
        },
        num_turns: Some(u64::from(units % 5) + 1),
        duration_ms: Some(5),
    }
}

/// An agent with its sessions: what it counted in each, and over forks.
struct SpendingModel {
    agent: CountingAgent,
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
    /// What the store noted when it began.
    parent: Option<Amounts>,
    /// What its agent told at its first result.
    told: Amounts,
}

fn name(session: usize) -> String {
    format!("s{session}")
}

impl SpendingModel {
    fn new(agent: CountingAgent) -> Self {
        let (sessions, kept, busy) = Default::default();
        Self { agent, store: store(), sessions, kept, busy, spent: BTreeMap::new() }
    }

    fn begin(&mut self, id: u64, plan: &PlannedJob) -> SpendingJob {
        let resumed = self.kept.get(plan.from).copied();
        let (session, parent) = match resumed {
            Some(from) if !plan.forks && !self.busy.contains(&from) => (from, None),
            Some(from) => {
                self.sessions.push((Amounts::default(), self.sessions[from].1));
                let parent = sessions::counters(&self.store, "claude", &name(from)).unwrap();
                (self.sessions.len() - 1, Some(parent.unwrap_or_default()))
            }
            None => {
                self.sessions.push(Default::default());
                (self.sessions.len() - 1, None)
            }
        };
        self.busy.push(session);
        SpendingJob { id, plan: plan.clone(), session, resumed, parent, told: Amounts::default() }
    }

    /// The agent of a job spends, and tells what it has counted by then.
    fn spend(&mut self, job: &SpendingJob, units: u32, run: &Amounts) -> Amounts {
        let more = spent(units);
        let (session, lineage) = &mut self.sessions[job.session];
        (*session, *lineage) = (session.plus(&more), lineage.plus(&more));
        let all = run.plus(&more);
        self.spent.insert(job.id, all);
        let scopes = self.agent.scopes();
        let of = |count| match count {
            UsageScope::Run => all,
            UsageScope::Session => *session,
            UsageScope::Lineage => *lineage,
        };
        Amounts {
            cost_usd: of(scopes.cost).cost_usd.filter(|_| self.agent != CountingAgent::Droid),
            tokens: of(scopes.usage).tokens,
            num_turns: of(scopes.num_turns).num_turns,
            duration_ms: all.duration_ms,
        }
    }

    fn finish(&mut self, job: &mut SpendingJob) {
        job.told = self.spend(job, job.plan.spends[0], &Amounts::default());
        let resumed = job.resumed.map(|session| Resume { session_id: name(session), at: None });
        let record = Record {
            session_id: Some(name(job.session)),
            resumed,
            amounts: job.told,
            scopes: self.agent.scopes(),
            error: job.plan.fails.then(|| ("max_turns".to_owned(), String::new())),
            ..record(job.id, None)
        };
        let job_usage = sample::insert(&self.store, "me:1", &record, job.parent).unwrap();
        self.assert_share(job, &job_usage);
        if !self.kept.contains(&job.session) {
            self.kept.push(job.session);
        }
    }

    fn amend(&mut self, job: &SpendingJob) {
        let told = self.spend(job, job.plan.spends[1], &spent(job.plan.spends[0]));
        let job_usage = keep::amend(&self.store, "me:1", job.id, &told.beyond(&job.told)).unwrap().unwrap();
        self.assert_share(job, &job_usage);
    }

    fn assert_share(&self, job: &SpendingJob, job_usage: &Amounts) {
        let mut real = self.spent[&job.id];
        real.cost_usd = real.cost_usd.filter(|_| self.agent != CountingAgent::Droid);
        assert_eq!(*job_usage, real, "job {} of {:?}", job.id, self.agent);
    }

    /// Runs the jobs of a schedule, which begin one by one and end when enough others have begun.
    fn run(mut self, plans: &[PlannedJob]) -> Self {
        let mut running: Vec<(SpendingJob, usize, usize)> = Vec::new();
        for (index, plan) in plans.iter().enumerate() {
            let mut job = self.begin(index as u64 + 1, plan);
            let (first, last) = (index + plan.takes[0], index + plan.takes[0] + plan.takes[1]);
            if first == index {
                self.finish(&mut job);
            }
            running.push((job, first, last));
            self.advance(&mut running, index);
        }
        self.advance(&mut running, usize::MAX);
        self
    }

    fn advance(&mut self, running: &mut Vec<(SpendingJob, usize, usize)>, now: usize) {
        let mut left = Vec::new();
        for (mut job, first, last) in running.drain(..) {
            if first <= now && !self.spent.contains_key(&job.id) {
                self.finish(&mut job);
            }
            if last <= now {
                self.amend(&job);
                self.busy.retain(|session| *session != job.session);
            } else {
                left.push((job, first, last));
            }
        }
        *running = left;
    }
}

proptest! {
    #[test]
    fn each_job_is_kept_with_what_it_really_cost(plans in plans(), agent in 0..3usize) {
        let agent = [CountingAgent::Sharing, CountingAgent::Running, CountingAgent::Droid][agent];
        let world = SpendingModel::new(agent).run(&plans);
        let real = world.spent.values().fold(Amounts::default(), |sum, spent| sum.plus(spent));
        let wanted = info::InfoQuery { project: String::new(), session: None, today_ms: 0 };
        let all = info::info(&world.store, &wanted).unwrap().all;
        prop_assert_eq!(all.jobs, plans.len() as u64);
        prop_assert_eq!(all.amounts.tokens, real.tokens);
        prop_assert_eq!(all.amounts.num_turns, real.num_turns);
        if agent != CountingAgent::Droid {
            prop_assert!((all.amounts.cost_usd.unwrap() - real.cost_usd.unwrap()).abs() < 1e-9);
        }
        assert_totals(&world.store);
        for (session, (_, lineage)) in world.sessions.iter().enumerate() {
            let counters = sessions::counters(&world.store, "claude", &name(session)).unwrap().unwrap();
            prop_assert_eq!((counters.tokens, counters.num_turns), (lineage.tokens, lineage.num_turns));
        }
    }
}
