//! What an agent's start takes, and what one that is ready saves of it and holds in memory. It depends on the machine,
//! so `make bench` runs it, no test does.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use botglue::job::PrewarmEvent;

use super::{Agent, Real, agents, says};
use crate::job::{Started, until};

/// For each way.
const TURNS: usize = 3;
/// The time to type a short prompt, after the session is set up.
const TYPING: Duration = Duration::from_secs(1);

/// Of one turn.
struct Measured {
    cold: Duration,
    ready: Duration,
    /// Of all processes of the agent while it waits, each shared page counted in parts, in bytes.
    memory: u64,
}

#[tokio::test]
#[ignore = "measures: make bench"]
async fn from_ready_to_the_first_text() {
    tell(&format!("from sending a prompt to the first text of an answer, median of {TURNS}:"));
    for agent in agents::ALL {
        let name = agent.name;
        if !agent.is_installed() {
            tell(&format!("  {name:<11} is not installed: make test-agents gets it"));
            continue;
        }
        let mut turns = Vec::new();
        for _ in 0..TURNS {
            turns.push(measured(agent).await);
        }
        let cold = median(turns.iter().map(|turn| turn.cold.as_millis()).collect());
        let ready = median(turns.iter().map(|turn| turn.ready.as_millis()).collect());
        let memory = median(turns.iter().map(|turn| u128::from(turn.memory >> 20)).collect());
        tell(&format!("  {name:<11} cold {cold:>5} ms, ready {ready:>4} ms; it waits with {memory} MB"));
    }
}

fn tell(line: &str) {
    // A closed output has no reader.
    _ = writeln!(std::io::stdout(), "{line}");
}

fn median(mut values: Vec<u128>) -> u128 {
    values.sort_unstable();
    values[values.len() / 2]
}

async fn measured(agent: &'static Agent) -> Measured {
    let real = Real::new(agent);
    let start = Instant::now();
    let mut started = real.bench.start(real.job([says("local y = 2")]));
    let cold = first_text(&mut started).await - start;
    started.run_out().await;

    let real = Real::new(agent);
    let mut request = real.job([says("local y = 2")]);
    request.start.agent.command[2] = format!("tee $DIR/sent | {{ {}; }}", request.start.agent.command[2]);
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let mut prewarm = real.bench.prewarm(&request, move |event| tell.send(event).unwrap_or(()));
    let Some(PrewarmEvent::Started { pgid }) = told.recv().await else { panic!("it was started") };
    until("its session is set up", || real.bench.read("sent").contains(agent.settings)).await;
    tokio::time::sleep(TYPING).await;
    let memory = memory_of(pgid);
    let start = Instant::now();
    let mut started = real.bench.start_prewarmed(request, prewarm.hand_over(1));
    let ready = first_text(&mut started).await - start;
    started.run_out().await;
    Measured { cold, ready, memory }
}

async fn first_text(started: &mut Started) -> Instant {
    started.finished().await;
    started.first_text().unwrap_or_else(|| panic!("no text: {}", started.message()))
}

/// The memory of a process group. Reads Linux's `/proc`.
fn memory_of(pgid: i32) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let of_group = processes.flatten().filter(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let group = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(2)?.parse().ok());
        group == Some(pgid)
    });
    let kilobytes = of_group.filter_map(|entry| {
        let rollup = fs::read_to_string(entry.path().join("smaps_rollup")).ok()?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:").map(str::to_owned))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok()
    });
    kilobytes.sum::<u64>() << 10
}
