//! The service refuses Claude for some seconds: the jobs wait for that without their agents, and land.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::{Agent, Place, Reply, TEXT, open, says};
use crate::support::nvim::Nvim;

/// A user with a plan.
const PLAN: &str = "require('botglue').setup({ agents = { claude = { env = {
    ANTHROPIC_API_KEY = '', CLAUDE_CODE_OAUTH_TOKEN = 'sk-ant-oat01-test' } } } })";

/// Two jobs are refused with these words, wait, run and land.
fn wait_and_land(words: &'static str, prepare: impl FnOnce(&Nvim, &Place)) {
    let (nvim, place) = open(Agent::named("claude"), TEXT);
    place.api.script("limit", [Reply::Error(429, "rate_limit_error", words)]);
    prepare(&nvim, &place);
    let jobs = [(3, 5), (7, 7)].map(|lines| nvim.run("SCRIPT:limit", lines, json!({})));
    for job in jobs {
        nvim.wait("the job waits for the limit", || {
            let job = nvim.exec_with("return require('botglue').job(...)", &[json!(job)]);
            assert_ne!(job["status"], "failed", "{job:#}");
            job["status"] == "queued" && job["resumes_at"].is_number()
        });
    }
    nvim.wait_for_no_agent();
    place.api.script("limit", [says("fn fine() {}")]);
    for job in jobs {
        let job = nvim.finished(job);
        assert_eq!((&job["landing"], &job["resumes_at"]), (&json!("applied"), &json!(null)), "{job:#}");
    }
    assert_eq!(nvim.lines(), ["fn above() {}", "", "fn fine() {}", "", "fn fine() {}"]);
    for event in ["BotglueJobStarted", "BotglueJobFinished"] {
        assert_eq!(nvim.events(event).len(), 2, "{event}");
    }
}

#[test]
fn jobs_wait_for_the_end_of_a_rate_limit_that_the_service_names_and_land() {
    wait_and_land("Number of requests has exceeded your rate limit. Please try again in 5s", |_, _| {});
}

#[test]
fn jobs_wait_for_the_end_of_a_limit_of_the_plan_and_land() {
    wait_and_land("This request would exceed your account's rate limit", |nvim, place| {
        nvim.exec(PLAN);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        place.api.limit_until(now + 15);
    });
}
