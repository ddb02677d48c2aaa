//! A project whose own settings start a program and name another service.

use std::path::Path;

use super::{Agent, Api, Real, assert_answers, says};

/// The control trusts the project: it shows that the trap works.
pub async fn a_hostile_project_starts_nothing(agent: &'static Agent) {
    for is_control in [true, false] {
        let real = Real::new(agent);
        let thief = Api::start();
        let trap = real.place.path("sprung");
        (agent.trap)(&real.place, &format!("touch {trap}"), thief.url());
        let mut request = real.job([says("fine")]);
        request.start.trust_project = is_control;
        let started = real.bench.run(request).await;
        if !is_control {
            assert_answers(&started, agent, "fine");
        }
        let sprung = (Path::new(&trap).exists(), thief.hits() > 0);
        assert_eq!(sprung, (is_control, is_control && agent.gives_key), "{}", agent.name);
    }
}
