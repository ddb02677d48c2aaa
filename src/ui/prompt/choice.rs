//! The agent and the model of a prompt, and the next ones of each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::options::Options;

/// An agent and its model; none leaves the model to the CLI.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Chosen {
    /// The agent.
    #[serde(default)]
    pub agent: String,
    /// The model.
    pub model: Option<String>,
}

/// What is known of agents, whatever prompt is open.
#[derive(Debug, Default)]
pub struct Agents {
    /// The options with which the prompt was opened.
    pub options: Options,
    /// Those whose programs were there then.
    pub installed: BTreeSet<String>,
    /// The models that they have said to offer.
    pub offered: BTreeMap<String, Vec<String>>,
    /// Whether their last job failed because they were not logged in.
    pub logged_out: BTreeMap<String, bool>,
    /// What was chosen last, by project.
    pub last: BTreeMap<String, Chosen>,
}

impl Agents {
    /// Why a job of an agent would fail, and what to do.
    pub fn obstacle(&self, name: &str) -> Option<String> {
        let agent = self.options.agents.get(name)?;
        if !self.installed.contains(name) {
            let program = &agent.command.command[0];
            let why = if program.contains('/') { "cannot be executed" } else { "is not in PATH" };
            return Some(format!("`{program}` {why}: install it, or set agents.{name}.command"));
        }
        let is_logged_out = self.logged_out.get(name) == Some(&true);
        is_logged_out
            .then(|| format!("{}: the last job of {name} was not logged in", agent.command.recipe().login()))
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Choice {
    /// The agent and the model that were asked for.
    asked: (Option<String>, Option<String>),
    /// The prompt goes on in a session, which is its agent's own.
    has_session: bool,
    project: String,
    /// The agent of the project's newest job, once that is known.
    pub newest: Option<String>,
    /// The agent that the user has chosen.
    agent: Option<String>,
    /// The models that they have, by agent.
    picked: BTreeMap<String, Option<String>>,
}

impl Choice {
    /// As the prompt begins, where these were asked for.
    pub fn new(agent: Option<String>, model: Option<String>, has_session: bool, project: &str) -> Self {
        Self { asked: (agent, model), has_session, project: project.to_owned(), ..Self::default() }
    }

    /// Nothing else is the user's choice until they make another one.
    pub fn pick(&mut self, Chosen { agent, model }: Chosen, agents: &Agents) {
        if agents.options.agents.contains_key(&agent) {
            self.picked.insert(agent.clone(), model);
            self.agent = Some(agent);
        }
    }

    /// Whether neither an agent nor a model was asked for.
    pub fn is_free(&self) -> bool {
        self.asked == (None, None)
    }

    /// What was chosen before in the project, unless something else was asked for, or is the user's option.
    fn last(&self, agents: &Agents) -> Option<Chosen> {
        let newest = || Some(Chosen { agent: self.newest.clone()?, model: None });
        let last = agents.last.get(&self.project).cloned().or_else(newest)?;
        let Options { given_agent, agents: known, .. } = &agents.options;
        let is_given = given_agent.as_ref().is_none_or(|given| *given == last.agent);
        let is_one = known.contains_key(&last.agent) && is_given && agents.installed.contains(&last.agent);
        (is_one && self.is_free() && !self.has_session).then_some(last)
    }

    /// The agent with which it would begin if nothing was chosen before.
    fn first<'a>(&'a self, agents: &'a Agents) -> &'a str {
        self.asked.0.as_ref().unwrap_or(&agents.options.agent)
    }

    /// Those to choose from: the installed ones, and the one that it begins with.
    pub fn agents<'a>(&self, agents: &'a Agents) -> Vec<&'a str> {
        let is_one = |agent: &&str| {
            *agent == self.first(agents) || !self.has_session && agents.installed.contains(*agent)
        };
        agents.options.agents.keys().map(String::as_str).filter(is_one).collect()
    }

    /// The models of an agent, the one that it has without a choice first.
    fn models(&self, agent: &str, agents: &Agents) -> Vec<Option<String>> {
        let Some(known) = agents.options.agents.get(agent) else { return vec![None] };
        let mut models = vec![known.command.model.clone()];
        for model in known.models().chain(agents.offered.get(agent).into_iter().flatten()) {
            if !models.iter().any(|there| there.as_ref() == Some(model)) {
                models.push(Some(model.clone()));
            }
        }
        if self.asked.1.is_some() && agent == self.first(agents) {
            models.retain(|model| *model != self.asked.1);
            models.insert(0, self.asked.1.clone());
        }
        models
    }

    /// What is chosen.
    pub fn chosen(&self, agents: &Agents) -> Chosen {
        let last = self.last(agents);
        let first = || last.as_ref().map_or(self.first(agents), |last| &last.agent);
        let agent = self.agent.as_deref().unwrap_or_else(first).to_owned();
        let models = self.models(&agent, agents);
        let before = || last.as_ref().filter(|last| last.agent == agent && models[0].is_none());
        let picked = self.picked.get(&agent).or_else(|| before().map(|last| &last.model));
        let model = picked.filter(|model| models.contains(model)).unwrap_or(&models[0]).clone();
        Chosen { agent, model }
    }

    /// Whether any of the agents has another model to go to.
    pub fn has_models(&self, agents: &Agents) -> bool {
        self.agents(agents).iter().any(|agent| self.models(agent, agents).len() > 1)
    }

    /// What a request asks for: where agent and model are those that it would have without any choice, what was asked for,
    /// so that a named prompt has its own.
    pub fn wanted(&self, agents: &Agents) -> (Option<String>, Option<String>) {
        let Chosen { agent, model } = self.chosen(agents);
        if agent == self.first(agents) && model == self.models(&agent, agents)[0] {
            return self.asked.clone();
        }
        (Some(agent), model)
    }

    /// Goes to the next agent, with the model that it has.
    pub fn next_agent(&mut self, agents: &mut Agents) {
        let agent = self.chosen(agents).agent;
        let next = (*behind(&self.agents(agents), &agent.as_str())).to_owned();
        self.choose(agents, |choice, _| choice.agent = Some(next));
    }

    /// Goes to the next model.
    pub fn next_model(&mut self, agents: &mut Agents) {
        let Chosen { agent, model } = self.chosen(agents);
        let model = behind(&self.models(&agent, agents), &model).clone();
        let next = Chosen { agent, model };
        self.choose(agents, |choice, agents| choice.pick(next, agents));
    }

    /// What is the user's choice counts for the next prompt of the project, unless it is that of a session.
    fn choose(&mut self, agents: &mut Agents, change: impl FnOnce(&mut Self, &Agents)) {
        let before = self.chosen(agents);
        change(self, agents);
        if self.chosen(agents) != before && !self.has_session {
            agents.last.insert(self.project.clone(), self.chosen(agents));
        }
    }
}

/// The one behind a value in a list, which begins anew.
fn behind<'a, T: PartialEq>(list: &'a [T], value: &T) -> &'a T {
    let at = list.iter().position(|one| one == value);
    &list[at.map_or(0, |at| (at + 1) % list.len())]
}
