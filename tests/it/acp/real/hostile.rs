//! A project whose own settings start a program and name another service.

use std::path::Path;

use super::{Agent, Api, Real, assert_answers, says};

/// The control trusts the project: it shows that the trap works.
pub fn a_hostile_project_starts_nothing(agent: &'static Agent) {
    for is_control in [true, false] {
        let real = Real::new(agent);
        let thief = Api::start();
        let trap = real.place.path("sprung");
        (agent.trap)(&real.place, &format!("touch {trap}"), thief.url());
        let login = (agent.login)(&real.place);
        let ended = real.run_with([says("fine")], login, (agent.name, &[], is_control));
        if !is_control {
            assert_answers(&ended, agent, "fine");
        }
        let sprung = (Path::new(&trap).exists(), thief.hits() > 0);
        assert_eq!(sprung, (is_control, is_control && agent.gives_key), "{}", agent.name);
    }
}
