//! What the plugin says of the shipped agents is what the host does with them.

use botglue::agent::{Isolation, Preset, ResumeSupport};
use serde_json::{Value, json};

use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

#[test]
fn the_plugin_and_the_host_know_the_same_agents() {
    let nvim = Builder::new(Scratch::new()).start();
    let known = nvim.exec(
        "local shipped, known = require('botglue.config.shipped'), {}
         for name, agent in pairs(shipped.options()) do
           if agent.protocol == 'acp' then
             local of = shipped.of(name, agent)
             known[name] = { goes_on = of.goes_on, loads = of.loads }
           end
         end
         return known",
    );
    let presets = Preset::ALL.iter().map(|preset| {
        let loads = match preset.isolation {
            Isolation::Arguments => "nothing",
            Isolation::Directory => "directory",
        };
        (preset.name.to_owned(), json!({"goes_on": preset.resume != ResumeSupport::None, "loads": loads}))
    });
    assert_eq!(known, Value::Object(presets.collect()));
}
