//! A project whose own settings start a program.

use std::path::Path;

use super::{Agent, Real, assert_answers, says};

/// The control trusts the project: it shows that the trap works.
pub async fn a_hostile_project_starts_nothing(agent: &'static Agent) {
    for is_control in [true, false] {
        let real = Real::new(agent);
        let trap = real.place.path("sprung");
        (agent.trap)(&real.place, &format!("touch {trap}"));
        let mut request = real.job([says("fine")]);
        request.start.trust_project = is_control;
        let started = real.bench.run(request).await;
        if !is_control {
            assert_answers(&started, agent, "fine");
        }
        assert_eq!(
            Path::new(&trap).exists(),
            is_control,
            "{}: the trap in the project's settings",
            agent.name
        );
    }
}
